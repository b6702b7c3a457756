#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "io/operations.h"
#include "stats/breakdown.h"
#include "stats/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/* The verdict on a request, which reports show beside its latency. Requests whose verdict
 * stands before VERDICT_NONE do not count: they are left out of the statistics. */
enum verdict {
    VERDICT_WARMUP,
    VERDICT_TOO_FAST,
    VERDICT_TOO_SLOW,
    VERDICT_CACHED,  /* answered by the page cache instead of the device */
    VERDICT_STOPPED, /* the process was stopped meanwhile, for example by Ctrl-Z */
    VERDICT_SHORT,   /* failed: fewer bytes than requested */
    VERDICT_ERROR,   /* failed, with the errno in `error` */
    VERDICT_TIMEOUT, /* failed: no answer within -timeout */
    VERDICT_NONE,
    VERDICT_FAST, /* much faster than the average */
    VERDICT_SLOW, /* much slower than the average */
};

/* One request and its result. */
struct sample {
    uint64_t index;         /* from 1 */
    int64_t start;          /* monotonic, ns */
    int64_t latency;        /* ns, flush included */
    int64_t sync;           /* ns of the latency: the flush after a write; 0 if none */
    int64_t offset;         /* bytes from the start of the target */
    int64_t size;           /* bytes requested */
    int64_t bytes;          /* bytes moved */
    int64_t tail_after_end; /* ns at the end of the latency in which no other request was
                               due, because the run was over */
    uint64_t missed; /* grid points that passed, with no request sent, because of this
                        request: while it was in flight, or before it was sent late */
    uint64_t missed_before; /* those of `missed` before this request was sent */
    bool in_burst;          /* several requests were due at the same grid point */
    int64_t stall;          /* for a request in a burst, ns: from one interval before the
                               first grid point that passed during the burst to the end of
                               the request; 0 if no grid point passed */
    enum operation operation;
    enum verdict verdict;
    int64_t slow_above;  /* ns: longer requests are shown as slow on a terminal; 0 if too
                            few requests count, or if nothing is shown */
    int error;           /* errno, or 0 */
    bool was_cached;     /* its pages were in the page cache when it was sent */
    bool was_stopped;    /* the process was stopped while the request was in flight */
    bool is_device_gone; /* the device has disappeared; only checked after a failure */
    bool timed_out;      /* no answer within -timeout; the latency is the age then */
    struct split split;  /* the parts of the latency (-breakdown) */
};

/* Returns true if the request goes into the statistics. */
static inline bool
sample_counts(const struct sample *sample)
{
    return sample->verdict >= VERDICT_NONE;
}

/* Returns true if the request adds to the busy time (stats/busy.h). Warm-up requests and
 * requests during which the process was stopped do not. */
static inline bool
sample_is_busy(const struct sample *sample)
{
    return sample->verdict != VERDICT_WARMUP && sample->verdict != VERDICT_STOPPED;
}

/* Returns true if the request failed. */
static inline bool
sample_failed(const struct sample *sample)
{
    return sample->verdict >= VERDICT_SHORT && sample->verdict < VERDICT_NONE;
}

/* Returns the verdict as a word, such as "warmup" or "EIO". Returns NULL for
 * VERDICT_NONE. The text is constant, except for an errno without a name, whose text is
 * written into BUFFER, which has at least 16 bytes. */
const char *sample_notice(const struct sample *sample, char *buffer);

/* Statistics of one operation, if several are mixed. Fields are as in struct stats. */
struct stats_operation {
    uint64_t requests, failed, missed;
    int64_t bytes, last_end;
    struct moments latency;
    struct histogram latencies, corrected;
};

/* The statistics of a part of a run, such as a period. All zero is the empty set; it can
 * be copied like any value. The functions below never change `corrected_interval`, `mix`,
 * `busy_time`, `from_memory` and `flushes_ignored` while samples are recorded: the owner
 * sets them. */
struct stats {
    struct moments latency;     /* of the requests that count */
    int64_t last_end;           /* end of the last request, monotonic, ns; 0 if none */
    int64_t corrected_interval; /* ns from one grid point to the next, if coordinated
                                   omission is corrected; else 0 */
    struct operation_mix mix;   /* if it has one operation, `operations` stays unused */
    int64_t busy_time; /* ns that rates are computed over (stats/busy.h); 0 stands for the
                          sum of the latencies */
    int64_t longest_corrected; /* ns: the longest latency or wait in `corrected`, and in
                                  `corrected` of all operations */
    int64_t bytes;             /* moved by the requests that count */
    uint64_t requests;         /* all requests, warm-up and failures included */
    int64_t all_bytes;         /* moved by all requests */
    uint64_t too_fast, too_slow, cached, stopped, failed; /* requests, by verdict */
    uint64_t missed;          /* grid points at which no request was sent */
    uint64_t skipped_stopped; /* grid points while the process was stopped, which are not
                                 missed */
    uint64_t from_memory; /* at least this many of the requests that count did not reach
                             the device */
    bool flushes_ignored; /* no flush reached the device, so `sync` means nothing */
    uint64_t late_count;  /* requests that ended while the program did not run in time
                             (os_process_was_late) */

    struct histogram latencies; /* of the requests that count */
    struct histogram corrected; /* `latencies`, and the waits of missed requests */
    struct distribution sync;   /* of the flushes of the requests that count */
    struct stats_operation operations[OPERATION_TURNS]; /* by turn in `mix` */
    struct breakdown breakdown; /* of the requests that count; added by the owner */
};

/* Returns the statistics of OPERATION, which must be one of several that are mixed. */
static inline const struct stats_operation *
stats_operation_of(const struct stats *stats, enum operation operation)
{
    int turn = operation_mix_turn(&stats->mix, operation);
    return &stats->operations[turn > 0 ? turn : 0];
}

/* Which requests count. */
struct stats_limits {
    uint64_t warmup; /* number of first requests that do not count */
    int64_t fastest; /* ns; requests faster than this do not count */
    int64_t slowest; /* ns; requests slower than this do not count */
};

/* Sets the verdict of SAMPLE from its own values and LIMITS. stats_compare may refine
 * VERDICT_NONE afterwards. */
static inline void
stats_judge(const struct stats_limits *limits, struct sample *sample)
{
    bool is_plain = !sample->error && sample->bytes >= sample->size &&
                    !(sample->timed_out | sample->was_cached | sample->was_stopped);
    int64_t latency = sample->latency;
    if (is_plain && sample->index > limits->warmup && latency >= limits->fastest &&
        latency <= limits->slowest)
        sample->verdict = VERDICT_NONE;
    else
        sample->verdict = sample->timed_out                 ? VERDICT_TIMEOUT
                          : sample->error                   ? VERDICT_ERROR
                          : sample->bytes < sample->size    ? VERDICT_SHORT
                          : sample->was_cached              ? VERDICT_CACHED
                          : sample->was_stopped             ? VERDICT_STOPPED
                          : sample->index <= limits->warmup ? VERDICT_WARMUP
                          : latency < limits->fastest       ? VERDICT_TOO_FAST
                                                            : VERDICT_TOO_SLOW;
}

/* Adds SAMPLE, a request that has ended and has a verdict. */
void stats_record(struct stats *stats, const struct sample *sample);

/* Adds SAMPLE, a request that was sent and given up without an answer. Such a request is
 * counted, and so are the grid points missed because of it, but it has no latency. */
void stats_abandon(struct stats *stats, const struct sample *sample);

/* Adds COUNT grid points at which no request was sent. If operations are mixed, the
 * missed requests would have been of the operations in turn, beginning with NEXT. */
void stats_miss(struct stats *stats, enum operation next, uint64_t count);

/* Adds the waits of missed requests. A stall of STALL ns begins one interval before the
 * first grid point that passed. In its last IDLE ns no request was due any more. If
 * operations are mixed, the missed requests would have been of the operations in turn,
 * beginning with NEXT. Does nothing if `corrected_interval` is 0. */
void stats_wait(struct stats *stats, enum operation next, int64_t stall, int64_t idle);

/* Sets the verdict of a SAMPLE that counts by the average so far, SAMPLE included: fast
 * below half of the average, slow above twice the average, else none. Leaves the verdict
 * as it is while no more than 5 requests count, or if SAMPLE does not count. */
void stats_compare(const struct stats *stats, struct sample *sample);

/* Returns the latency, ns, above which a terminal calls SAMPLE slow: twice the median of
 * the requests that count so far, or ten times the median while no more than 5 count.
 * Where operations are mixed, the median is over the requests of the same operation.
 * STATS include SAMPLE already. Returns 0 if no request counts. */
int64_t stats_slow_above(const struct stats *stats, const struct sample *sample);

/* Makes STATS empty, except `corrected_interval`, `mix` and `flushes_ignored`. Leaves
 * memory that was never used untouched. */
void stats_clear(struct stats *stats);

/* Turns all requests that count into cached requests, which do not count. This is for
 * runs in which it turns out at the end that none of the requests reached the device. */
void stats_reject(struct stats *stats);

/* Adds all requests of MORE. Takes `corrected_interval` and `mix` of MORE if they are
 * set. Adds the busy times up, as if MORE came before or after STATS. If both ran at the
 * same time, the caller must set `busy_time` of the sum itself. */
void stats_merge(struct stats *stats, const struct stats *more);

/* Returns the histogram that percentiles are computed from: with waits if coordinated
 * omission is corrected. */
static inline const struct histogram *
stats_distribution(const struct stats *stats)
{
    return stats->corrected_interval ? &stats->corrected : &stats->latencies;
}

/* Returns NUMBER divided by TIME ns, per second. Returns 0 if TIME is 0. */
double stats_rate(double number, int64_t time);

/* Returns how many requests that count ended per second of the busy time. */
double stats_iops(const struct stats *stats);

/* Returns how many bytes the requests that count moved per second of the busy time. */
double stats_bps(const struct stats *stats);

#endif
