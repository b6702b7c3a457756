#ifndef RUN_SPLITTER_H
#define RUN_SPLITTER_H

#include "base/error.h"
#include "os/trace.h"
#include "stats/stats.h"
#include "stats/track.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The splitter: finds what the system's trace has of each request, and so the parts of
 * its time. Requests that are printed are split at once by their worker; others are
 * collected by the worker and split by a thread of the splitter, so that it takes little
 * of the time of those that are under way. All functions but open and close may be called
 * by any thread.
 */

#define SPLIT_LOG_MOST 128
/* Requests in the logs of all workers: the system keeps the records of so many. */
#define SPLIT_LOGS 1024

/* Requests of one worker that are to be split. */
struct split_log {
    int number;           /* of the target, from 0 */
    int thread;           /* that sends them, as in os_trace_record */
    int64_t began, every; /* as for track_start */
    int room;             /* at most SPLIT_LOG_MOST */
    int count;
    struct sample list[SPLIT_LOG_MOST];
};

/* Where records come from: the functions of os/trace.h, or those of a test. */
struct splitter_source {
    int (*read)(void *self, struct os_trace_record *records, int room);
    int (*mark)(void *self, uint64_t mark);
    void *self;
};

/* A target whose requests are split. */
struct splitter_target {
    struct os_layout layout; /* becomes the splitter's */
    bool syncs;              /* a write returns only after its flush: O_SYNC, O_DSYNC */
    bool direct;             /* all requests ask the device */
    bool single;             /* each thread has one request at a time under way */
    bool tracked;            /* track_split is wanted */
};

/* A record of the trace. */
struct record {
    struct os_trace_record trace;
    enum { RECORD_UNUSED, RECORD_TAKEN, RECORD_USED } use;
};

#define RECORD_THREADS (1 << 22) /* of a system, numbered from 0 */

/* The records so far, in the order of time: RECORD_USED are those of requests that are
 * split, RECORD_TAKEN those of one that is being so. */
struct records {
    struct splitter_source source;
    struct record *list;
    int count;
    unsigned char *own;              /* a bit for each thread of this program */
    struct attribution *attribution; /* what matcher_split works with */
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

/* splitter.c: prepares RECORDS for those of SOURCE. Returns 0, or -1 without memory;
 * either way records_close frees it. */
int records_open(struct records *records, const struct splitter_source *source);
void records_close(struct records *records);

/* Reads all new records. If there are too many, those that were used go first. */
void records_read(struct records *records);

/* matcher.c: returns the index of the first of COUNT records at TIME (ns) or later. */
int records_find(const struct records *records, int count, int64_t time);

/* Splits SAMPLE of TARGET, which THREAD has sent, by the records so far, and
 * marks those that are its own. They are COMPLETE if none can be missing: then without
 * any it has asked no device. */
void matcher_split(const struct records *records, const struct splitter_target *target,
                   int thread, bool complete, struct sample *sample);

/* splitter.c */
struct splitter;
/*
 * Makes a splitter for COUNT targets that are numbered from 0, with SOURCE. Returns NULL
 * with errno. splitter_close (run/run.h) frees it, the layouts included.
 */
struct splitter *splitter_make(const struct splitter_target *targets, int count,
                               const struct splitter_source *source);

/* Begins LOG, of requests that the calling thread sends. */
void splitter_begin(struct splitter *splitter, struct split_log *log);

/* Splits SAMPLE, which is judged, of the worker whose LOG it is, and records it if it
 * counts. */
void splitter_split(struct splitter *splitter, const struct split_log *log,
                    struct sample *sample);

/* Takes the requests of LOG, which count. LOG is empty then. */
void splitter_take(struct splitter *splitter, struct split_log *log);

/* Adds to STATS and, unless it is NULL, TRACK what all requests of target NUMBER that
 * were taken so far were split into. Returns false if that cannot be had now, which does
 * not happen if it may WAIT. */
bool splitter_add(struct splitter *splitter, int number, struct stats *stats,
                  struct track *track, bool wait);

/* Forgets the requests of target NUMBER, of which none is under way. */
void splitter_reset(struct splitter *splitter, int number);

#endif
