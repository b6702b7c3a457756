#ifndef STATS_BUSY_H
#define STATS_BUSY_H

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The busy time: the time during which at least one request was in flight, as in the
 * %util of iostat(1). Rates are numbers divided by the busy time. All times are in ns, of
 * one clock.
 *
 * A span is a stretch of time without a pause, during which at least one request was in
 * flight. A span belongs to the busy time if at least one of its requests counts. A
 * worker that sends requests back to back makes no pauses.
 */
struct busy_span {
    int64_t start, end;
    bool has_counted; /* at least one of the requests counts */
};

#define BUSY_SPANS 1024

/* The spans of several workers. All zero is empty. */
struct busy {
    int64_t first_start;  /* start of the earliest span */
    int64_t last_end;     /* end of the latest span */
    int64_t horizon;      /* older spans have left the list; 0 if none has */
    int64_t settled_time; /* busy time before the horizon */
    int count;
    struct busy_span list[BUSY_SPANS]; /* in order, with gaps between them */
};

/* Adds the span from START to END. COUNTS says whether one of its requests counts. Does
 * nothing if END is not after START. Spans may be added in any order. The part of a span
 * before the horizon is added as if no earlier span overlapped it, so that the busy time
 * may become too long, but never too short. */
void busy_add(struct busy *busy, int64_t start, int64_t end, bool counts);

/* Returns the busy time in ns, at most the time from the first start to the last end. */
int64_t busy_time(const struct busy *busy);

/* Removes all spans. Does not write to the list, which makes it fast. */
void busy_clear(struct busy *busy);

#define BUSY_LOG 16

/*
 * The newest spans of one worker, whose requests end in order. Spans with a pause of at
 * most BUSY_MOMENT between them are joined, because a loop that sends requests back to
 * back takes that long between two requests.
 */
struct busy_log {
    int count;
    struct busy_span list[BUSY_LOG]; /* in order */
};

#define BUSY_MOMENT US

/* Adds the span of a request. END must not be before the end of any earlier span. The log
 * must have room for one more span. */
static inline void
busy_log_add(struct busy_log *log, int64_t start, int64_t end, bool counts)
{
    while (log->count > 0 && log->list[log->count - 1].end + BUSY_MOMENT >= start) {
        const struct busy_span *before = &log->list[--log->count];
        start = before->start < start ? before->start : start;
        counts |= before->has_counted;
    }
    log->list[log->count++] = (struct busy_span){start, end, counts};
}

/* Moves all spans to BUSY. An empty span at the end of the last one stays in the log, so
 * that the next span can still join it. */
void busy_log_move(struct busy_log *log, struct busy *busy);

#endif
