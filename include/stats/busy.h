#ifndef STATS_BUSY_H
#define STATS_BUSY_H

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The time that rates are over: in which requests were under way, one at least at any
 * moment (iostat(1) has such a time in its %util), from one pause to the next, wherever
 * one that counts was among them. Times are ns of one clock.
 */
struct busy_span {
    int64_t start, end;
    bool counts;
};

#define BUSY_SPANS 1024

/* All zero is empty. */
struct busy {
    int64_t first;   /* start of the earliest span */
    int64_t last;    /* end of the latest */
    int64_t settled; /* ns before `horizon` */
    int64_t horizon; /* spans before it have left the list; 0: none has */
    int count;
    struct busy_span list[BUSY_SPANS]; /* in order, with gaps between them */
};

/*
 * Adds the span of a request, or of several without a pause of which one at least COUNTS;
 * empty if END is not after START. The order is free as long as the list has room; of
 * what then comes from before the horizon, all that counts is added, whatever it
 * overlaps, so that the time is not too short.
 */
void busy_add(struct busy *busy, int64_t start, int64_t end, bool counts);

/* The time, ns: never longer than from the first start to the last end. */
int64_t busy_time(const struct busy *busy);

/* Empties it; quicker than all of its memory. */
void busy_clear(struct busy *busy);

#define BUSY_LOG 16

/*
 * The newest spans of one worker, whose requests end in order; what lies between two of
 * them for no longer than a moment, as in a loop that does nothing else, joins them.
 */
struct busy_log {
    int count;
    struct busy_span list[BUSY_LOG]; /* in order */
};

/* The moment, ns. */
#define BUSY_MOMENT US

/* Adds the span of a request that ends no earlier than all before. There must be room. */
static inline void
busy_log_add(struct busy_log *log, int64_t start, int64_t end, bool counts)
{
    while (log->count > 0 && log->list[log->count - 1].end + BUSY_MOMENT >= start) {
        const struct busy_span *before = &log->list[--log->count];
        start = before->start < start ? before->start : start;
        counts |= before->counts;
    }
    log->list[log->count++] = (struct busy_span){start, end, counts};
}

/* Moves all spans to BUSY. The end of the last stays, for what comes right after it. */
void busy_log_move(struct busy_log *log, struct busy *busy);

#endif
