#ifndef TRACE_PRIVATE_H
#define TRACE_PRIVATE_H

/*
 * Shared by the files of this folder. A "request" is one read or write of this program.
 * The kernel turns it into one or more "block requests". The kernel's trace has records
 * of the block requests. For each request that has ended, the files do this:
 *
 *     attribution.c        decides when, and in which thread, the request is attributed
 *        records.c         reads new records from the trace
 *        request.c         finds the sectors of the request, and records that touch them
 *            ranges.c      holds the sectors, and follows them from device to device
 *            candidates.c  makes candidates of the records that may belong to it
 *            cells.c       finds out which candidates belong to the request
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
    /* writes a record with the number MARK into the trace (os_trace_mark); NULL if
     * impossible */
    int (*mark)(struct os_trace *trace, uint64_t mark);
    struct os_trace *trace;
};

/* A record of the trace, and whether it was attributed to a request. */
struct listed_record {
    struct os_trace_record record;
    enum {
        RECORD_UNUSED, /* not attributed to a request so far */
        /* belongs to the request that is being attributed now */
        RECORD_CLAIMED,
        RECORD_ATTRIBUTED /* was attributed to an earlier request */
    } use;
};

/* A range of sectors of a disk. */
struct sector_range {
    uint64_t disk;   /* device number of the disk, as in struct os_trace_record */
    uint64_t sector; /* number of the first sector */
    uint64_t sector_count;
};

/* A candidate is a record that may belong to the request that is being attributed,
 * because it touches the sectors of this request. `disk`, `sector` and `kind` may differ
 * from the record: candidates.c changes them if a record of one device counts as a record
 * of another device, or if a record counts as a record of another kind. */
struct candidate {
    struct listed_record *listed;
    /* device number of the record's disk (if the record is of a partition, the disk that
     * has the partition) */
    uint64_t disk;
    uint64_t sector; /* first sector of the record, counted from the start of the disk */
    enum os_trace_kind kind; /* the kind that the record counts as */
};

/* the most candidates of one request at one level of a stack of devices */
#define CANDIDATES_MAX 8192
/* the most intervals (times in flight) of one request at one level of a stack */
#define INTERVALS_MAX 2048

/*
 * The search for the block requests of one request at one level of a stack of devices.
 * The top level is the top device, and the bottom level is all bottom devices. A device
 * that is no stack has only the bottom level.
 *
 * The sectors of the request are divided into ranges, called cells, and each cell is
 * searched on its own (see the top of cells.c). Before the search, request.c sets all
 * fields. During the search, cells.c updates `all_sole`, `queued_at`, `released_at` and
 * the intervals.
 *
 * The struct is too large for the stack of a thread.
 */
struct cells {
    int thread; /* TID of the thread that sent the request */
    /* set of bits, one for each TID: the threads that send requests of this program */
    const unsigned char *program_threads;
    /* direct I/O: each sector that is not in a hole of the file reaches the device */
    bool is_direct;
    /* The search is at the bottom devices of a stack. There, threads of the kernel queue
     * the block requests, for requests of any process. */
    bool is_below_top;
    /* Another process may have block requests for the same sectors in flight. Only set if
     * `is_below_top` is set. At other levels, the records tell which thread queued a
     * block request, and so which process. */
    bool may_have_foreign_io;
    /* The request may have ended before its last block request was complete. For example,
     * a mirror may report a write as done while a slow member is still writing. */
    bool may_be_incomplete;
    /* Each cell that was searched so far (a range of sectors of the request) had only one
     * block request in flight, so this block request belongs to the request. */
    bool all_sole;
    /* The kind that the first record of each block request has: OS_TRACE_QUEUE, or
     * OS_TRACE_REMAP if the device above passes block requests on without queueing them
     * again. */
    enum os_trace_kind entry_kind;
    /* the candidates include records from before the start of the request */
    bool has_earlier;
    int candidate_count;
    /* Index of the first candidate since the start of the request. Candidates with lower
     * indexes are from before the start. */
    int first_within_index;
    /* When the first block request of the request was queued, monotonic, in ns. Block
     * requests of a throttled request count for `released_at` instead. INT64_MAX if no
     * block request was queued. */
    int64_t queued_at;
    /* A control group may throttle a request: then a thread of the kernel queues its
     * block requests later. This is when that thread queued the first of them, monotonic,
     * in ns. INT64_MAX if the request was not throttled. */
    int64_t released_at;
    int interval_count;
    struct candidate candidates[CANDIDATES_MAX]; /* in the order of time */
    /* the times for which block requests of the request were in flight at a device */
    struct breakdown_interval intervals[INTERVALS_MAX];
};

#define RECORD_THREADS (1 << 22) /* all TIDs of Linux are below this number */
#define RECORDS_MAX (1 << 16)    /* the most records in struct records */

/* The list of records: all records that were read, in the order of time, except old ones
 * that were removed to make room (see records_read). If all fields except `source` are
 * zero, the list is empty. The struct is too large for the stack of a thread. */
struct records {
    struct trace_source source;
    int entry_count;
    /* set of bits, one for each TID: the threads that send requests of this program */
    unsigned char program_threads[RECORD_THREADS / 8];
    /* used by request_attribute for the search at the bottom devices */
    struct cells bottom_cells;
    /* used by request_attribute for the search at the top device */
    struct cells top_cells;
    struct listed_record entries[RECORDS_MAX];
};

/* Returns true if the thread with the TID THREAD, as in struct os_trace_record, sends
 * requests of this program. PROGRAM_THREADS has one bit for each TID, which is set if
 * that thread does. */
static inline bool
is_program_thread(const unsigned char *program_threads, int thread)
{
    return thread >= 0 && thread < RECORD_THREADS &&
           (program_threads[thread / 8] >> thread % 8 & 1) != 0;
}

/* Stores in RECORDS that the thread with the TID THREAD, as in struct os_trace_record,
 * sends requests of this program. */
void records_add_thread(struct records *records, int thread);

/* Reads new records from `source` into the list, until `source` has no more or the list
 * is full. If the list has little room, removes old records first, preferably records
 * that were attributed to requests. */
void records_read(struct records *records);

/* Searches the first COUNT records of the list for the first one whose time is TIME
 * (monotonic, in ns) or later. Returns its index, or COUNT if all of them are earlier
 * than TIME. */
int records_find(const struct records *records, int count, int64_t time);

/* The facts about a target that request.c needs. */
struct trace_target {
    struct os_layout layout;
    bool writes_sync; /* a write returns only after a flush (O_SYNC, O_DSYNC) */
    bool is_direct;   /* direct I/O: the page cache answers no request */
    bool is_single;   /* each thread has only one request in flight */
    /* also add the parts of each request (times in the queue, at the device and so on) to
     * a track, which stores values over the time of the run (stats/track.h) */
    bool needs_track;
};

/* A target, and the parts of its requests so far: their times in the queue, at the device
 * and so on (stats/breakdown.h). */
struct attribution_target {
    struct trace_target target;
    struct breakdown breakdown;
    /* the same parts over the time of the run, without the latencies of the requests */
    struct track track;
};

#define ATTRIBUTION_QUEUED 32 /* the most logs in the queue */

struct attribution {
    struct os_trace *trace; /* the kernel's trace; NULL in tests */
    struct os_lock *lock;   /* protects the trace, the records and the targets */
    struct records records;

    /* Protects the queue of logs and `is_ending`. A thread that needs both locks acquires
     * `lock` first. */
    struct os_lock *queue_lock;
    /* a ring of logs (requests that will be attributed) */
    struct attribution_log queue[ATTRIBUTION_QUEUED];
    int first_log;  /* index in `queue` of the oldest log */
    int log_count;  /* number of logs in `queue` */
    bool is_ending; /* `thread` will end as soon as the queue is empty */

    struct os_thread thread;
    bool has_thread; /* `thread` was started */
    int target_count;
    struct attribution_target targets[];
};

/* attribution.c: allocates an attribution for COUNT targets, and starts the thread that
 * attributes requests. Returns NULL with errno if that fails. Before the first request,
 * the caller must set `target` in each element of `targets`, and `source` in `records`.
 * The caller frees the attribution, and with it the layouts of the targets, with
 * attribution_close. */
struct attribution *attribution_make(int count);

/*
 * request.c: finds the records that belong to the request SAMPLE, which was sent to
 * TARGET by the thread with the TID THREAD. Divides the time of the request into parts
 * (times in the queue, at the device and so on), and stores the result and the parts in
 * SAMPLE. HAS_ALL_RECORDS says that all records were read and none was lost. Then a
 * request without records is assumed not to have reached a device. If the result is
 * SPLIT_DONE, the records of the request become RECORD_ATTRIBUTED.
 */
void request_attribute(struct records *records, const struct trace_target *target,
                       int thread, bool has_all_records, struct sample *sample);

/*
 * cells.c: searches the candidates in CELLS for the block requests of the request to the
 * sectors of RANGE. Adds the intervals for which these block requests were in flight at
 * the device, and changes their records from RECORD_UNUSED to RECORD_CLAIMED. Sectors
 * without records are assumed not to have reached the device.
 *
 * Returns SPLIT_DONE if successful, SPLIT_LOST if records are missing, or SPLIT_AMBIGUOUS
 * if records may belong to another request. After SPLIT_AMBIGUOUS, a search that includes
 * records from before the request (`has_earlier`) may be successful.
 */
enum split_result cells_add(struct cells *cells, const struct sector_range *range);

/* cells.c: ends the search for the block requests of a request. IS_SPLIT says that the
 * search was successful. Then candidates that are RECORD_CLAIMED become
 * RECORD_ATTRIBUTED. Otherwise they become RECORD_UNUSED again. */
void cells_end(struct cells *cells, bool is_split);

#endif
