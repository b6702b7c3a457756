#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "io/operations.h"
#include "stats/breakdown.h"
#include "stats/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/* The verdict on a request, which reports show beside its latency. Requests with one of
 * the verdicts before VERDICT_NONE do not count: latencies and rates leave them out. */
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

/*
 * One request and its result.
 *
 * In a run with an interval (-i), a request or a burst of requests is due once per
 * interval. The moment at which it is due is its due time. If due times are random, there
 * is one due time per interval on average. A due time is missed if no request was sent
 * for it.
 */
struct sample {
    uint64_t index;  /* from 1 */
    int64_t start;   /* monotonic, ns */
    int64_t latency; /* ns, flush included */
    int64_t sync;    /* duration of the flush after a write, ns; included in `latency`; 0
                        without a flush */
    int64_t offset;  /* bytes from the start of the target */
    int64_t size;    /* bytes requested */
    int64_t bytes;   /* bytes moved */
    int64_t tail_after_end; /* ns: the part of `latency` after the end of the run, when no
                             * other request was due any more */
    /* Number of due times that were missed because of this request: while it was in
     * flight, or before it was sent late. */
    uint64_t missed;
    uint64_t missed_before; /* how many of the `missed` due times were before this request
                               was sent */
    bool in_burst;          /* several requests were due at the same time */
    /* Used only for a request of a burst: ns from the start of the stall to the end of
     * the request. The stall starts one interval before the first due time that was
     * missed during the burst. 0: no due time was missed. */
    int64_t stall;
    enum operation operation;
    enum verdict verdict;
    int64_t slow_above;  /* ns: a terminal shows longer requests as slow; 0 if no request
                            counts, or if nothing shows slow requests */
    int error;           /* errno, or 0 */
    bool was_cached;     /* the page cache held the data when the request was sent, or no
                            sector was read */
    bool was_stopped;    /* the process was stopped while the request was in flight */
    bool is_device_gone; /* the device has disappeared; only checked after a failure */
    bool timed_out;     /* there was no answer within -timeout; `latency` is the time from
                           the start to the timeout then */
    struct split split; /* the parts of the latency (-breakdown) */
};

/* Returns true if the request goes into the statistics. */
static inline bool
sample_counts(const struct sample *sample)
{
    return sample->verdict >= VERDICT_NONE;
}

/* Returns true if the request makes the busy time longer (stats/busy.h). Warm-up requests
 * and requests during which the process was stopped do not. */
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
const char *sample_verdict_word(const struct sample *sample, char *buffer);

/* Statistics of one operation, if several are mixed. The fields are those of struct stats
 * with the same names, for the requests of this operation only. */
struct stats_operation {
    uint64_t requests, failed, missed;
    int64_t bytes, last_end;
    struct moments latency;
    struct histogram latencies, corrected;
};

/* The statistics of a run, or of a part of it such as a period. All zero is the empty
 * set. It can be copied like any value. The owner sets `corrected_interval`, `mix`,
 * `busy_time`, `from_memory`, `flushes_ignored` and `lacks_sizes`: the functions that
 * record samples never change these fields. */
struct stats {
    struct moments latency;     /* of the requests that count */
    int64_t last_end;           /* end of the last request, monotonic, ns; 0 if none */
    int64_t corrected_interval; /* ns from one due time to the next, if coordinated
                                   omission is corrected; else 0 */
    struct operation_mix mix;   /* operations of the requests; if there are several, the
                                   field `operations` is used */
    int64_t busy_time; /* ns over which rates are computed (stats/busy.h). If 0, they are
                          computed over the sum of the latencies */
    int64_t longest_corrected; /* ns: the longest latency or wait in `corrected`, and in
                                  the field `corrected` of any operation */
    int64_t bytes;             /* bytes moved by the requests that count */
    uint64_t requests;         /* all requests, warm-up and failures included */
    int64_t all_bytes;         /* bytes moved by all requests */
    uint64_t too_fast, too_slow, cached, stopped, failed; /* requests, by verdict */
    uint64_t missed;          /* due times for which no request was sent */
    uint64_t skipped_stopped; /* due times that passed while the process was stopped;
                                 they are not counted in `missed` */
    uint64_t from_memory;     /* minimum number that count but did not reach the device */
    bool flushes_ignored;     /* no flush reached the device, so `sync` means nothing */
    bool lacks_sizes;         /* recorded without sizes, so `bytes` means nothing */
    uint64_t late_count; /* requests during which the system did not let the program run
                            in time (os_process_was_late) */

    struct histogram latencies; /* of the requests that count */
    struct histogram corrected; /* `latencies`, and the waits of missed requests */
    struct distribution sync;   /* times of the flushes of the requests that count */
    /* the index is the turn of the operation in `mix` */
    struct stats_operation operations[OPERATION_TURNS];
    struct breakdown breakdown; /* of the requests that count; recorded by the owner */
};

/* Returns the statistics of OPERATION, which must be one of several that are mixed. */
static inline const struct stats_operation *
stats_operation_of(const struct stats *stats, enum operation operation)
{
    int turn = operation_mix_turn(&stats->mix, operation);
    return &stats->operations[turn > 0 ? turn : 0];
}

/* Limits that say which requests count. */
struct stats_limits {
    uint64_t warmup; /* requests with this index or a lower one do not count */
    int64_t fastest; /* ns; requests with a shorter latency do not count */
    int64_t slowest; /* ns; requests with a longer latency do not count */
};

/* Returns why SAMPLE does not count. The reason must be in its own values or in LIMITS:
 * the caller has checked that. */
static inline enum verdict
stats_find_exclusion(const struct stats_limits *limits, const struct sample *sample)
{
    if (sample->timed_out)
        return VERDICT_TIMEOUT;
    if (sample->error)
        return VERDICT_ERROR;
    if (sample->bytes < sample->size)
        return VERDICT_SHORT;
    if (sample->was_cached)
        return VERDICT_CACHED;
    if (sample->was_stopped)
        return VERDICT_STOPPED;
    if (sample->index <= limits->warmup)
        return VERDICT_WARMUP;
    if (sample->latency < limits->fastest)
        return VERDICT_TOO_FAST;
    return VERDICT_TOO_SLOW;
}

/* Sets the verdict of SAMPLE from its own values and LIMITS. stats_compare may refine
 * VERDICT_NONE afterwards. */
static inline void
stats_judge(const struct stats_limits *limits, struct sample *sample)
{
    /* Combined by | instead of ||, so that the fast path has fewer branches. */
    bool is_disturbed = sample->timed_out | sample->was_cached | sample->was_stopped;
    bool is_normal = !sample->error && sample->bytes >= sample->size && !is_disturbed;

    if (is_normal && sample->index > limits->warmup &&
        sample->latency >= limits->fastest && sample->latency <= limits->slowest)
        sample->verdict = VERDICT_NONE;
    else
        sample->verdict = stats_find_exclusion(limits, sample);
}

/* Adds SAMPLE, a request that has ended and has a verdict. */
void stats_record(struct stats *stats, const struct sample *sample);

/* Adds SAMPLE, a request that was sent, but was given up before it was answered. It has
 * no latency, so only the request and the due times that were missed because of it are
 * counted. */
void stats_abandon(struct stats *stats, const struct sample *sample);

/* Adds COUNT missed due times. If operations are mixed, the due times are counted for the
 * operations in turn, beginning with NEXT. */
void stats_miss(struct stats *stats, enum operation next, uint64_t count);

/*
 * Adds the waits of the requests that were missed during a stall of STALL ns. A wait is
 * the time from a missed due time to the end of the stall. The stall begins one interval
 * before the first missed due time. In the last IDLE ns of the stall, no request was due
 * any more. If operations are mixed, the waits are added to the operations in turn,
 * beginning with NEXT. Does nothing if `corrected_interval` is 0.
 */
void stats_wait(struct stats *stats, enum operation next, int64_t stall, int64_t idle);

/* If SAMPLE counts, compares its latency with the average so far, which includes SAMPLE,
 * and sets its verdict: VERDICT_FAST below half of the average, VERDICT_SLOW above twice
 * the average, else VERDICT_NONE. Leaves the verdict as it is while at most 5 requests
 * count. */
void stats_compare(const struct stats *stats, struct sample *sample);

/* Returns the latency in ns above which a terminal shows SAMPLE as slow: twice the median
 * of the requests that count so far, or ten times the median while at most 5 requests
 * count. If operations are mixed, only the requests of the same operation are used. STATS
 * include SAMPLE already. Returns 0 if no request counts. */
int64_t stats_slow_above(const struct stats *stats, const struct sample *sample);

/* Makes STATS empty, except `corrected_interval`, `mix` and `flushes_ignored`. Does not
 * touch memory that was never used. */
void stats_clear(struct stats *stats);

/* Removes all requests from the latencies and rates, and adds the number of those that
 * counted to `cached`. Used if it turns out at the end of a run that none of the requests
 * reached the device. */
void stats_reject(struct stats *stats);

/* Adds all requests of MORE to STATS. Copies `corrected_interval` and `mix` of MORE if
 * they are set. Adds both busy times up, which is right if STATS and MORE did not run at
 * the same time. If they did, the caller must set `busy_time` of the sum itself. */
void stats_merge(struct stats *stats, const struct stats *more);

/* Returns the histogram from which percentiles are computed. It has waits if coordinated
 * omission is corrected. */
static inline const struct histogram *
stats_percentile_histogram(const struct stats *stats)
{
    return stats->corrected_interval ? &stats->corrected : &stats->latencies;
}

/* Returns the rate per second of NUMBER events in TIME ns. Returns 0 if TIME is 0. */
double stats_rate(double number, int64_t time);

/* Returns the number of requests that count, per second of the busy time. */
double stats_iops(const struct stats *stats);

/* Returns the bytes moved by the requests that count, per second of the busy time. */
double stats_bps(const struct stats *stats);

#endif
