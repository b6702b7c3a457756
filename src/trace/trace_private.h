#ifndef TRACE_PRIVATE_H
#define TRACE_PRIVATE_H

/*
 * Shared by the files of this folder. A "request" is one read or write of this program.
 * The kernel turns it into one or more "block requests", and the kernel's trace has
 * records about these. For each request that has ended, the files do this:
 *
 *     attribution.c        decides when, and in which thread, the request is attributed
 *        records.c         reads new records from the trace
 *        request.c         finds the sectors of the request, and records that touch them
 *            ranges.c      holds the sectors, and follows them from device to device
 *            candidates.c  converts records into candidates, which may belong to it
 *            cells.c       finds out which of these records belong to the request
 *            breakdown.c   divides the time of the request into parts (in src/stats)
 */

#include "os/thread.h"
#include "os/trace.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "trace/attribution.h"

#include <stdbool.h>
#include <stdint.h>

/* Where records come from: the functions of os/trace.h, or functions of a test. */
struct trace_source {
    int (*read)(struct os_trace *trace, struct os_trace_record *records, int room);
    /* writes a record with a number into the trace (os_trace_mark); NULL if impossible */
    int (*mark)(struct os_trace *trace, uint64_t mark);
    struct os_trace *trace;
};

/* A record of the trace, and whether it was attributed to a request. */
struct listed_record {
    struct os_trace_record record;
    enum {
        RECORD_UNUSED,    /* attributed to no request so far */
        RECORD_CLAIMED,   /* belongs to the request that is being attributed now */
        RECORD_ATTRIBUTED /* belongs to an earlier request that was attributed */
    } use;
};

/* A range of sectors of a disk. */
struct sector_range {
    uint64_t disk;   /* device number of the disk, as in os_trace_record */
    uint64_t sector; /* number of the first sector */
    uint64_t sector_count;
};

/* A candidate: a record that touches the sectors of the request, so that it may belong to
 * the request. */
struct candidate {
    struct listed_record *listed;
    /* Device number of the device of the record. If the device is a partition, the number
     * of its disk. This field, `sector` and `kind` may differ from the record: request.c
     * changes them if a record of one device counts as a record of another. */
    uint64_t disk;
    uint64_t sector; /* first sector of the record; counts from the start of the disk */
    enum os_trace_kind kind; /* usually the kind of the record; see `disk` */
};

#define CANDIDATES_MAX 8192 /* the most candidates of one request at one level */
#define INTERVALS_MAX 2048  /* the most intervals of one request at one level */

/*
 * The search for the block requests of one request at one level of a stack of devices: at
 * its top device, or at its bottom devices. A device that is no stack has only the bottom
 * level. request.c sets all fields. cells.c then updates `all_sole`, `queued_at`,
 * `released_at` and the intervals. Too large for the stack of a thread.
 */
struct cells {
    int thread; /* TID of the thread that sent the request */
    /* set of bits, one for each TID: the threads that send requests of this program */
    const unsigned char *program_threads;
    bool is_direct; /* direct I/O: each sector outside of holes reaches the device */
    /* These are the bottom devices of a stack. There, threads of the kernel queue block
     * requests, for requests of any process. */
    bool is_below_top;
    /* Another process may have block requests for the same sectors in flight. Only set if
     * `is_below_top`; at other levels, the thread of each record tells the process. */
    bool may_have_foreign_io;
    /* The request may end before its last block request is complete. For example, a
     * mirror may report a write as done while a slow member is still writing. */
    bool may_be_incomplete;
    /* For each cell so far, only one block request was in flight, so it belongs to the
     * request. */
    bool all_sole;
    /* The kind of the first record of each block request: OS_TRACE_QUEUE. But
     * OS_TRACE_REMAP if the device above passes block requests on without queueing them
     * again. */
    enum os_trace_kind entry_kind;
    bool has_earlier; /* the candidates include records from before the request */
    int candidate_count;
    /* Index of the first candidate during the request. Candidates with lower indexes are
     * from before the request. */
    int first_within_index;
    /* Time at which the request's own thread queued the first of its block requests,
     * monotonic, in ns; INT64_MAX if that thread queued none. */
    int64_t queued_at;
    /* Time at which a thread of the kernel queued the first block request of a request
     * that a control group had throttled, monotonic, in ns; INT64_MAX if it was not
     * throttled. */
    int64_t released_at;
    int interval_count;
    struct candidate candidates[CANDIDATES_MAX]; /* in the order of time */
    /* When block requests of the request were in flight at the device. */
    struct breakdown_interval intervals[INTERVALS_MAX];
};

#define RECORD_THREADS (1 << 22) /* all TIDs of Linux are below this number */
#define RECORDS_MAX (1 << 16)    /* the most records in memory */

/* The records in memory, in the order of time: all that were read, except those that were
 * forgotten because there were too many. If all fields except `source` are zero, there
 * are no records. The struct is too large for the stack of a thread. */
struct records {
    struct trace_source source;
    int entry_count;
    /* set of bits, one for each TID: the threads that send requests of this program */
    unsigned char program_threads[RECORD_THREADS / 8];
    struct cells bottom_cells; /* scratch memory of request_attribute: bottom level */
    struct cells top_cells;    /* scratch memory of request_attribute: top level */
    struct listed_record entries[RECORDS_MAX];
};

/* Returns true if the thread with the TID THREAD sends requests of this program. THREAD
 * is a TID as in os_trace_record. PROGRAM_THREADS is a set of bits, one for each TID. */
static inline bool
is_program_thread(const unsigned char *program_threads, int thread)
{
    return thread >= 0 && thread < RECORD_THREADS &&
           (program_threads[thread / 8] >> thread % 8 & 1) != 0;
}

/* Notes that the thread with the TID THREAD, as in os_trace_record, sends requests of
 * this program. */
void records_add_thread(struct records *records, int thread);

/* Reads all new records from the source. If there is no room for them, forgets old
 * records first, preferably records that were attributed to requests. */
void records_read(struct records *records);

/* Searches the first COUNT records for the first one whose time is TIME (monotonic, in
 * ns) or later. Returns its index, or COUNT if all of them are earlier. */
int records_find(const struct records *records, int count, int64_t time);

/* The facts about a target that request.c needs. */
struct trace_target {
    struct os_layout layout;
    bool writes_sync; /* a write returns only after a flush (O_SYNC, O_DSYNC) */
    bool is_direct;   /* direct I/O: the page cache answers no request */
    bool is_single;   /* each thread has only one request in flight */
    bool needs_track; /* also add the parts of each request to a track (stats/track.h) */
};

/* A target, and the parts of its requests so far. */
struct attribution_target {
    struct trace_target target;
    struct breakdown breakdown;
    struct track track; /* has only the parts of requests, not their latencies */
};

#define ATTRIBUTION_QUEUED 32 /* logs that fit into the queue */

struct attribution {
    struct os_trace *trace; /* NULL in tests */
    struct os_lock *lock;   /* protects the trace, the records and the targets */
    struct records records;

    /* Protects the queue and `is_ending`. A thread that needs both locks acquires `lock`
     * first. */
    struct os_lock *queue_lock;
    struct attribution_log queue[ATTRIBUTION_QUEUED]; /* a ring of logs */
    int first_log;  /* index in `queue` of the log that was handed over first */
    int log_count;  /* number of logs in `queue` */
    bool is_ending; /* the thread ends as soon as the queue is empty */

    struct os_thread thread;
    bool has_thread; /* the thread was started */
    int target_count;
    struct attribution_target targets[];
};

/* attribution.c: allocates an attribution for COUNT targets and starts its thread.
 * Returns NULL with errno if that fails. Before the first request, the caller must fill
 * `target` of each attribution_target, and the source of the records. The caller frees
 * the attribution, and with it the layouts, by attribution_close. */
struct attribution *attribution_make(int count);

/*
 * request.c: finds the records of SAMPLE, a request to TARGET, and divides the time of
 * the request into parts. THREAD is the TID of the thread that sent the request.
 * HAS_ALL_RECORDS says that all records were read and none was lost; then a request
 * without records is assumed not to have reached a device. Stores the result and the
 * parts in SAMPLE. If the result is SPLIT_DONE, the records of the request become
 * RECORD_ATTRIBUTED.
 */
void request_attribute(struct records *records, const struct trace_target *target,
                       int thread, bool has_all_records, struct sample *sample);

/*
 * cells.c: searches the candidates in CELLS for those block requests of the request that
 * are for sectors of RANGE. Adds the intervals for which they were in flight at the
 * device, and marks their records as RECORD_CLAIMED. Sectors without records are assumed
 * not to have reached the device.
 *
 * Returns SPLIT_DONE if successful, SPLIT_LOST if records are missing, or SPLIT_AMBIGUOUS
 * if records may belong to another request. After SPLIT_AMBIGUOUS, a search that includes
 * records from before the request (`has_earlier`) may be successful.
 */
enum split_result cells_add(struct cells *cells, const struct sector_range *range);

/* cells.c: ends the attribution of a request. IS_SPLIT says that the parts of the request
 * were found. Then the records that are RECORD_CLAIMED become RECORD_ATTRIBUTED;
 * otherwise they become RECORD_UNUSED again. */
void cells_end(struct cells *cells, bool is_split);

#endif
