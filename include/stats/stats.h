#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "io/operations.h"
#include "stats/breakdown.h"
#include "stats/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/* The verdict on a request, which reports show beside its time. Requests whose verdict is
 * before NONE do not count: they are left out of the statistics. */
enum verdict {
    VERDICT_WARMUP,
    VERDICT_TOO_FAST,
    VERDICT_TOO_SLOW,
    VERDICT_CACHED,  /* answered by the page cache although it should not have been */
    VERDICT_STOPPED, /* the process was stopped meanwhile, by Ctrl-Z perhaps */
    VERDICT_SHORT,   /* fewer bytes than asked for: a failure */
    VERDICT_ERROR,   /* failed with the errno in `error` */
    VERDICT_TIMEOUT, /* no answer for as long as -timeout: a failure too */
    VERDICT_NONE,
    VERDICT_FAST,
    VERDICT_SLOW,
};

/* One request and its result. */
struct sample {
    uint64_t index;         /* from 1 */
    int64_t start;          /* monotonic, ns */
    int64_t latency;        /* ns, the flush included */
    int64_t sync;           /* ns, the flush after a write alone; 0: none */
    int64_t offset;         /* bytes from the start of the target */
    int64_t size;           /* bytes asked for */
    int64_t bytes;          /* bytes that were moved */
    int64_t tail_after_end; /* ns at its end in which no other request was due any more */
    uint64_t missed; /* grid points that passed while it was under way, or before it */
    uint64_t missed_before; /* of these, those before it, as it was sent late */
    bool in_burst;          /* it is one of several that were due at the same point */
    int64_t stall; /* of these, ns: the interval before the first point that passed during
                    * its burst, and all until its end; 0: no point has passed */
    enum operation operation;
    enum verdict verdict;
    int64_t slow_above; /* ns, of a terminal's verdict; 0: too few count, or not wanted */
    int error;          /* errno, or 0 */
    bool was_cached;    /* its pages were in the page cache when it was sent */
    bool was_stopped;   /* the process was, while it was under way */
    bool is_device_gone; /* the device is, which is looked at after a failure alone */
    bool timed_out; /* no answer for as long as -timeout; its latency is its age then */
    struct split split;
};

/* Returns true if the request goes into the statistics. */
static inline bool
sample_counts(const struct sample *sample)
{
    return sample->verdict >= VERDICT_NONE;
}

/* Returns true if the request goes into the busy time (stats/busy.h). */
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

/* Returns the verdict as a word, such as "warmup" or "EIO"; NULL for none. That of an
 * errno without a name stands in BUFFER of at least 16 bytes. */
const char *sample_notice(const struct sample *sample, char *buffer);

/* What is known of one operation where several are mixed. */
struct stats_operation {
    uint64_t requests, failed, missed; /* of all, as in struct stats */
    int64_t bytes, last_end;
    struct moments latency;
    struct histogram latencies, corrected;
};

/* The statistics of a stretch of a run. All zero is the empty stretch; it can be copied.
 * `corrected_interval`, `mix`, `busy_time`, `from_memory` and `flushes_ignored` are for
 * the owner to set. */
struct stats {
    struct moments latency;     /* of the requests that count */
    int64_t last_end;           /* end of the last request, monotonic, ns; 0: none */
    int64_t corrected_interval; /* ns: interval to correct for; 0: not */
    struct operation_mix mix;   /* of several; else `operations` is untouched */
    int64_t busy_time; /* ns that rates are over (stats/busy.h); 0: the latencies' sum */
    int64_t longest_corrected; /* ns, of `corrected`; of several operations, of all */
    int64_t bytes;             /* moved by those that count */
    uint64_t requests;         /* all of them, warm-up and failed ones included */
    int64_t all_bytes;         /* moved by all */
    uint64_t too_fast, too_slow, cached, stopped, failed;
    uint64_t missed; /* grid points at which no request was sent */
    uint64_t
        skipped_stopped; /* due while the process was stopped: not sent, and not missed */
    uint64_t from_memory; /* of those that count, how many asked no device, at least */
    bool flushes_ignored; /* no flush reached the device, so their times mean nothing */
    uint64_t late_count;  /* answered while the program was late: os_process_was_late */

    struct histogram latencies; /* of the requests that count */
    struct histogram corrected; /* with the waits of those that were not sent */
    struct distribution sync;   /* of the flushes among these */
    struct stats_operation operations[OPERATION_TURNS]; /* by turn in `mix` */
    struct breakdown breakdown; /* of the requests that count; the owner adds to it */
};

/* Returns what STATS have of OPERATION, one of several that are mixed. */
static inline const struct stats_operation *
stats_operation_of(const struct stats *stats, enum operation operation)
{
    int turn = operation_mix_turn(&stats->mix, operation);
    return &stats->operations[turn > 0 ? turn : 0];
}

/* The requests that count. */
struct stats_limits {
    uint64_t warmup; /* the first so many do not */
    int64_t fastest; /* ns; faster ones do not */
    int64_t slowest; /* ns; slower ones do not */
};

/* Set SAMPLE's verdict, as far as its own values and LIMITS tell. */
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

/* Add a judged sample; or one of a request that was sent and will not end. */
void stats_record(struct stats *stats, const struct sample *sample);
void stats_abandon(struct stats *stats, const struct sample *sample);

/* Add COUNT grid points at which no request was sent. Of several operations those would
 * have come in turn, NEXT first. */
void stats_miss(struct stats *stats, enum operation next, uint64_t count);

/* Add the waits of grid points that passed in a stall of STALL ns, the interval before
 * the first of them included, but not in its last IDLE ns: of requests that would have
 * come in turn, NEXT first. `corrected_interval` says that waits are wanted. */
void stats_wait(struct stats *stats, enum operation next, int64_t stall, int64_t idle);

/* Sets the verdict of a SAMPLE that counts by the average so far, SAMPLE included: fast
 * below half of the average, slow above twice the average, else none. Leaves it as it is
 * while no more than 5 requests count. */
void stats_compare(const struct stats *stats, struct sample *sample);

/* Returns the latency, ns, above which a terminal calls SAMPLE slow: twice the median of
 * the requests that count so far, or ten times the median while no more than 5 count.
 * Where operations are mixed, the median is over the requests of the same operation.
 * STATS include SAMPLE already. Returns 0 if no request counts. */
int64_t stats_slow_above(const struct stats *stats, const struct sample *sample);

/* Empty it, but for `corrected_interval`, `mix` and `flushes_ignored`; memory that holds
 * nothing stays untouched. */
void stats_clear(struct stats *stats);

/* Makes all requests that count ones that were cached, because it became known after
 * their end that no device was asked for any of them. */
void stats_reject(struct stats *stats);

/* Add all that MORE has seen, in a stretch before or after: busy times add up. The owner
 * of what ran at the same time sets `busy_time` of the sum, which has
 * `corrected_interval` and `mix` of MORE. */
void stats_merge(struct stats *stats, const struct stats *more);

/* Returns the histogram that percentiles are taken from: corrected or not. */
static inline const struct histogram *
stats_distribution(const struct stats *stats)
{
    return stats->corrected_interval ? &stats->corrected : &stats->latencies;
}

/* Returns NUMBER per second over TIME ns; 0 if no time has passed. */
double stats_rate(double number, int64_t time);

/* Return requests and bytes per second of those that count, over their busy time. */
double stats_iops(const struct stats *stats);
double stats_bps(const struct stats *stats);

#endif
