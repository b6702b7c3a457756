#ifndef TRACE_PRIVATE_H
#define TRACE_PRIVATE_H

/* What the files of this folder have in common: records of a trace, what requests are
 * attributed to, and the cells of one request. */

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
    int (*mark)(struct os_trace *trace, uint64_t mark); /* NULL: there are none */
    struct os_trace *trace;
};

/* A record of the trace. */
struct run_record {
    struct os_trace_record trace;
    enum { RECORD_UNUSED, RECORD_TAKEN, RECORD_USED } use;
};

#define CELLS_RECORDS 8192
#define CELLS_INTERVALS 2048

/* Sectors of a disk. */
struct range {
    uint64_t disk, sector, sectors;
};

/* A record that touches the sectors. */
struct candidate {
    struct run_record *record;
    uint64_t disk, sector;   /* that its device is, or is on; where it begins there */
    enum os_trace_kind kind; /* what it counts as, see gather in request.c */
};

/* What is known of one request, and room to find it out; too large for a stack. */
struct cells {
    int thread;               /* that sends the request */
    const unsigned char *own; /* likewise each of this program, see records_is_own */
    bool direct;              /* it asks the device for all that is not a hole */
    bool lower;               /* threads of the kernel queue it, whoever asks for it; */
    bool foreign;             /* others do ask for it */
    bool open;  /* a block request may be incomplete when the request ends */
    bool alone; /* nobody else had any of the blocks under way */
    enum os_trace_kind entry; /* how block requests begin: queued, or handed on */
    bool all;                 /* records of long before are among the candidates */
    int count, first;         /* candidates; the first of them within the request */
    int64_t queued, released; /* when its first block request was queued by its own
                                 thread, and by the kernel; INT64_MAX: none was */
    int interval_count;
    struct candidate candidates[CELLS_RECORDS]; /* in the order of time */
    struct breakdown_interval intervals[CELLS_INTERVALS];
};

#define RECORD_THREADS (1 << 22) /* of a system, numbered from 0 */
#define RECORDS_MOST (1 << 16)   /* at a time */

/* The records so far, in the order of time: RECORD_USED are those of requests that are
 * split, RECORD_TAKEN those of one that is being so. Too large for a stack. All zero but
 * for the source is none yet. */
struct records {
    struct trace_source source;
    int count;
    unsigned char own[RECORD_THREADS / 8]; /* a bit for each thread of this program */
    struct cells cells;                    /* what request_attribute works with */
    struct cells top;                      /* likewise at the top device of a stack */
    struct run_record list[RECORDS_MOST];
};

/* Returns whether THREAD, as in os_trace_record, is among OWN of struct records. */
static inline bool
records_is_own(const unsigned char *own, int thread)
{
    return thread >= 0 && thread < RECORD_THREADS &&
           (own[thread / 8] >> thread % 8 & 1) != 0;
}

/* Adds THREAD to those of this program. */
void records_add_own(struct records *records, int thread);

/* Reads all new records. If there are too many, those that were used go first. */
void records_read(struct records *records);

/* Returns the index of the first of COUNT records at TIME (ns) or later. */
int records_find(const struct records *records, int count, int64_t time);

/* A target whose requests records are attributed to. */
struct trace_target {
    struct os_layout layout;
    bool syncs;   /* a write returns only after its flush: O_SYNC, O_DSYNC */
    bool direct;  /* all requests ask the device */
    bool single;  /* each thread has one request at a time under way */
    bool tracked; /* a track of the parts is wanted */
};

struct attribution_target {
    struct trace_target known;
    struct breakdown breakdown;
    struct track track; /* of its parts alone */
};

#define ATTRIBUTION_QUEUED 32 /* logs that wait */

struct attribution {
    struct os_trace *trace; /* NULL: it is a test's */
    struct os_lock *lock;   /* of records and targets */
    struct records records;

    struct os_lock *queue_lock; /* of the queue; acquired after the other */
    struct attribution_log queue[ATTRIBUTION_QUEUED]; /* a ring, of which the first */
    int first, queued;                                /* and so many wait */
    bool ending;

    struct os_thread thread;
    bool threaded;
    int target_count;
    struct attribution_target targets[]; /* numbered from 0 */
};

/* attribution.c: makes an attribution for COUNT targets. Returns NULL with errno. Before
 * the first request the caller sets what is known of each, and the source of records.
 * attribution_close frees it, the layouts included. */
struct attribution *attribution_make(int count);

/* request.c: finds the parts of SAMPLE of TARGET, which THREAD has sent, by the records
 * so far, and marks those that are its own. They are COMPLETE if none can be missing:
 * then without any it has asked no device. */
void request_attribute(struct records *records, const struct trace_target *target,
                       int thread, bool complete, struct sample *sample);

/* cells.c: finds the block requests for RANGE, sectors of a request, that are its own,
 * among the candidates, and adds their times. What of RANGE was not queued needs no
 * device. Returns SPLIT_DONE; SPLIT_LOST: records are missing; SPLIT_SHARED: it is not
 * certain which are its own, and unless there are ALL candidates, these may tell. */
enum split_result cells_add(struct cells *cells, const struct range *range);

/* Marks the records that were found as used if the request IS_SPLIT, else as before. */
void cells_end(struct cells *cells, bool is_split);

#endif
