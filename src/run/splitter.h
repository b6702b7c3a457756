#ifndef RUN_SPLITTER_H
#define RUN_SPLITTER_H

#include "base/error.h"
#include "records.h"
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

/* A target whose requests are split. */
struct splitter_target {
    struct os_layout layout; /* becomes the splitter's */
    bool syncs;              /* a write returns only after its flush: O_SYNC, O_DSYNC */
    bool direct;             /* all requests ask the device */
    bool single;             /* each thread has one request at a time under way */
    bool tracked;            /* track_split is wanted */
};

/* matcher.c: splits SAMPLE of TARGET, which THREAD has sent, by the records so far, and
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
