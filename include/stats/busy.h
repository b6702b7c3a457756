#ifndef STATS_BUSY_H
#define STATS_BUSY_H

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The busy time is the time during which at least one request was in flight, as in the
 * %util of iostat(1). IOPS and bandwidth are computed over the busy time. All times are
 * in ns, of one clock.
 *
 * A span is a stretch of time during which at least one request was in flight at every
 * moment. A worker that sends requests back to back has one long span. A span belongs to
 * the busy time if at least one of its requests counts.
 */
struct busy_span {
    int64_t start, end;
    bool has_counted; /* at least one request of the span counts (stats/stats.h) */
};

#define BUSY_SPANS 1024

/* The spans of several workers. All zero is the empty set. */
struct busy {
    int64_t first_start;  /* start of the earliest span ever added */
    int64_t last_end;     /* end of the latest span ever added */
    int64_t horizon;      /* all spans before this time were removed from `list`; 0 if no
                             span was removed */
    int64_t settled_time; /* busy time before the horizon */
    int count;
    struct busy_span list[BUSY_SPANS]; /* in order, with gaps between them */
};

/*
 * Adds the span from START to END. COUNTS says whether at least one of its requests
 * counts. Does nothing if END is not after START. Spans may be added in any order. If the
 * span begins before the horizon, its time before the horizon is added as if no earlier
 * span overlapped it, because those spans are no longer stored. Therefore the busy time
 * may become too long, but never too short.
 */
void busy_add(struct busy *busy, int64_t start, int64_t end, bool counts);

/* Returns the busy time in ns, at most the time from the first start to the last end. */
int64_t busy_time(const struct busy *busy);

/* Removes all spans. Fast, because it does not write to the list. */
void busy_clear(struct busy *busy);

#define BUSY_LOG 16

/*
 * The newest spans of one worker, whose requests end in order. Two spans are joined if
 * the pause between them is at most BUSY_MAX_PAUSE. A loop that sends requests back to
 * back may pause for that long between two requests.
 */
struct busy_log {
    int count;
    struct busy_span list[BUSY_LOG]; /* in order */
};

#define BUSY_MAX_PAUSE US /* ns */

/* Adds a request that was in flight from START to END. COUNTS says whether the request
 * counts. END must not be before the end of any earlier span. The log must have room for
 * one more span. */
static inline void
busy_log_add(struct busy_log *log, int64_t start, int64_t end, bool counts)
{
    while (log->count > 0 && log->list[log->count - 1].end + BUSY_MAX_PAUSE >= start) {
        const struct busy_span *before = &log->list[--log->count];
        start = before->start < start ? before->start : start;
        counts |= before->has_counted;
    }
    log->list[log->count++] = (struct busy_span){start, end, counts};
}

/* Moves all spans from LOG to BUSY. Leaves one empty span in LOG, at the end of the last
 * span. A request that follows back to back is joined to this empty span, and so
 * continues the last span. */
void busy_log_move(struct busy_log *log, struct busy *busy);

#endif
