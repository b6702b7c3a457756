#ifndef TRACE_PRIVATE_H
#define TRACE_PRIVATE_H

/*
 * Shared by the files of this folder: the records of a trace, the targets whose requests
 * are attributed, and the cells of one request. For a request that has ended, the calls
 * are:
 *
 *     attribution.c            when and by which thread the request is attributed
 *         records.c            reads new records from the trace
 *         request.c            finds the sectors of the request, and the records of them
 *             cells.c          finds out which records belong to the request
 *             breakdown.c      divides the time of the request into parts
 */

#include "os/thread.h"
#include "os/trace.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "trace/attribution.h"

#include <stdbool.h>
#include <stdint.h>

/* Where records come from: the functions of os/trace.h, or those of a test. */
struct trace_source {
    int (*read)(struct os_trace *trace, struct os_trace_record *records, int room);
    int (*mark)(struct os_trace *trace, uint64_t mark); /* NULL if marks are impossible */
    struct os_trace *trace;
};

/* A record of the trace, and whether it was attributed to a request. */
struct listed_record {
    struct os_trace_record record;
    enum {
        RECORD_UNUSED,    /* belongs to no request so far */
        RECORD_CLAIMED,   /* found for the request that is being attributed */
        RECORD_ATTRIBUTED /* belongs to a request that was split */
    } use;
};

#define CELLS_RECORDS 8192   /* candidates of one request, at most */
#define CELLS_INTERVALS 2048 /* stays at a device of one request, at most */

/* A range of sectors of a disk. */
struct sector_range {
    uint64_t disk, sector, sectors;
};

/* A record that touches the sectors of the request. */
struct candidate {
    struct listed_record *listed;
    uint64_t disk;           /* the device of the record, or the disk of this partition */
    uint64_t sector;         /* the first sector of the record, on the disk */
    enum os_trace_kind kind; /* the kind of the record, or the kind that it stands for
                                (add_top_candidate, candidate_of in request.c) */
};

/* The attribution of one request at one level of a stack of devices. request.c sets all
 * fields up to `released` before the first range, and cells.c updates `alone`, `queued`,
 * `released` and the intervals. Too large for the stack of a thread. */
struct cells {
    int thread; /* the thread that sent the request */
    const unsigned char
        *program_threads;     /* the threads of this program, see records_is_own */
    bool is_direct;           /* the request asks the device for everything but holes */
    bool is_below_top;        /* below the top device of a stack: threads of the kernel
                          queue block requests here, for requests of any process */
    bool may_have_foreign_io; /* if `lower`: another process has such a request */
    bool may_be_incomplete;   /* a block request may still be incomplete when the request
                    ends */
    bool all_sole; /* all cells were alone: no other block request for them in flight */
    enum os_trace_kind entry_kind; /* the kind of record with which block requests begin:
                                 OS_TRACE_QUEUE or OS_TRACE_REMAP */
    bool has_earlier; /* candidates include records from before the request */
    int candidate_count, first_within_index; /* number of candidates; index of the first
                         candidate within the request */
    int64_t queued_at;   /* when the request's own thread queued the first block
                         request, monotonic, ns; INT64_MAX if it queued none */
    int64_t released_at; /* when a thread of the kernel queued the first block request
                         of the request, which was throttled before, monotonic, ns;
                         INT64_MAX if it queued none */
    int interval_count;
    struct candidate candidates[CELLS_RECORDS];           /* in the order of time */
    struct breakdown_interval intervals[CELLS_INTERVALS]; /* stays at a device */
};

#define RECORD_THREADS (1 << 22) /* the most threads of a system, numbered from 0 */
#define RECORDS_MOST (1 << 16)   /* the most records in memory */

/* The records that were read so far, in the order of time. Too large for the stack of a
 * thread. All zero except the source is the empty set. */
struct records {
    struct trace_source source;
    int entry_count;
    unsigned char
        program_threads[RECORD_THREADS / 8]; /* a bit for each thread of this program */
    struct cells bottom_cells; /* scratch of request_attribute: at the lowest devices */
    struct cells
        top_cells; /* scratch of request_attribute: at the top device of a stack */
    struct listed_record entries[RECORDS_MOST];
};

/* Returns whether THREAD, a number as in os_trace_record, is a thread of this program.
 * OWN is the field of struct records. */
static inline bool
is_program_thread(const unsigned char *own, int thread)
{
    return thread >= 0 && thread < RECORD_THREADS &&
           (own[thread / 8] >> thread % 8 & 1) != 0;
}

/* Adds THREAD, a number as in os_trace_record, to the threads of this program. */
void records_add_thread(struct records *records, int thread);

/* Reads all new records from the source. If there is no room for them, forgets old
 * records, first those that were used. */
void records_read(struct records *records);

/* Returns the index of the first of COUNT records whose time is at least TIME, in
 * monotonic ns. Returns COUNT if all records are earlier. */
int records_find(const struct records *records, int count, int64_t time);

/* The facts about a target that request.c needs. */
struct trace_target {
    struct os_layout layout;
    bool writes_sync; /* a write returns only after its flush (O_SYNC, O_DSYNC) */
    bool is_direct;   /* direct I/O: all requests ask the device */
    bool is_single;   /* each thread has only one request in flight */
    bool needs_track; /* a track of the parts is needed */
};

/* A target, and the parts of its requests so far. */
struct attribution_target {
    struct trace_target target;
    struct breakdown breakdown;
    struct track track; /* has only the parts, not the requests themselves */
};

#define ATTRIBUTION_QUEUED 32 /* logs in the queue, at most */

struct attribution {
    struct os_trace *trace; /* NULL in tests */
    struct os_lock *lock;   /* protects records and targets */
    struct records records;

    struct os_lock *queue_lock; /* protects the queue; if both locks are needed, it is
                                   acquired second */
    struct attribution_log queue[ATTRIBUTION_QUEUED]; /* a ring of logs */
    int first_log, log_count; /* index of the oldest log in the ring; number of logs */
    bool is_ending;           /* the thread ends once the queue is empty */

    struct os_thread thread;
    bool has_thread; /* the thread was started */
    int target_count;
    struct attribution_target targets[];
};

/* attribution.c: makes an attribution for COUNT targets and starts its thread. Returns
 * NULL with errno if that fails. Before the first request, the caller fills `known` of
 * each target and the source of records. attribution_close frees the attribution and the
 * layouts of the targets. */
struct attribution *attribution_make(int count);

/* request.c: finds the parts of SAMPLE, a request to TARGET that THREAD has sent, from
 * the records read so far. Stores the parts in SAMPLE, and marks the records of the
 * request as used. COMPLETE says that no record can be missing any more; then a request
 * without records has asked no device. */
void request_attribute(struct records *records, const struct trace_target *target,
                       int thread, bool complete, struct sample *sample);

/* cells.c: finds, among the candidates, the block requests of the request for its sectors
 * RANGE. Adds their stays at the device to the intervals, and marks their records as
 * taken. Sectors without records needed no device. Returns SPLIT_DONE, or SPLIT_LOST if
 * records are missing, or SPLIT_AMBIGUOUS if it is not certain which records belong to
 * the request. If `all` is false, SPLIT_AMBIGUOUS may change with earlier candidates. */
enum split_result cells_add(struct cells *cells, const struct sector_range *range);

/* Ends the attribution of a request: marks its taken records as used if the request
 * IS_SPLIT, else as unused. */
void cells_end(struct cells *cells, bool is_split);

#endif
