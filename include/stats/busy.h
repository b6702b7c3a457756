#ifndef STATS_BUSY_H
#define STATS_BUSY_H

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The busy time, which rates are over: one request at least was under way at any moment
 * of it, as in the %util of iostat(1). A span reaches from one pause to the next and
 * belongs to the busy time if one of its requests at least counts. Times are ns of one
 * clock. A worker that sends a request as soon as one has ended makes no pause.
 */
struct busy_span {
    int64_t start, end;
    bool counts;
};

#define BUSY_SPANS 1024

/* The spans of several workers. All zero is empty. */
struct busy {
    int64_t first_start;  /* start of the earliest span */
    int64_t last_end;     /* end of the latest */
    int64_t horizon;      /* spans before it have left the list; 0: none has */
    int64_t settled_time; /* ns of busy time before the horizon */
    int count;
    struct busy_span list[BUSY_SPANS]; /* in order, with gaps between them */
};

/* Add the span of a request, or of several without a pause of which one at least COUNTS;
 * none if END is not after START. Spans come in any order; one from before the horizon is
 * added as if it overlapped none there, so that the time is never too short. */
void busy_add(struct busy *busy, int64_t start, int64_t end, bool counts);

/* Returns the busy time, ns: at most that from the first start to the last end. */
int64_t busy_time(const struct busy *busy);

/* Make it empty; quicker than clearing all of its memory. */
void busy_clear(struct busy *busy);

#define BUSY_LOG 16

/*
 * The newest spans of one worker, whose requests end in order. Pauses of up to a moment,
 * as a loop makes that does nothing else, do not separate them.
 */
struct busy_log {
    int count;
    struct busy_span list[BUSY_LOG]; /* in order */
};

#define BUSY_MOMENT US

/* Add the span of a request that ends no earlier than all before. There must be room. */
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

/* Move all spans to BUSY. The end of the last stays, so that the next may join it. */
void busy_log_move(struct busy_log *log, struct busy *busy);

#endif
