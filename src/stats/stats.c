/*
 * The statistics of requests: verdicts, counts, moments and histograms.
 *
 * Each worker records its requests in a struct stats of its own, and the results are
 * merged. All merges are exact, so the number of workers does not change a figure. A
 * struct stats is large, mostly histograms. Clearing and merging write only to the bins
 * between the shortest and the longest latency, so that most of its memory is never
 * touched and costs nothing.
 *
 * Coordinated omission: while a request stalls, requests that were due are missed. With
 * `corrected_interval`, the `corrected` histograms also have the waits that these
 * requests would have had. A request of latency L adds L - I, L - 2 I and so on, where I
 * is the interval. If operations are mixed, missed requests would have been of the
 * operations in turn. With 2 operations, each one has every second wait: L - I, L - 3 I
 * and so on, or L - 2 I, L - 4 I and so on.
 */
#include "stats/stats.h"

#include "base/error.h"
#include "base/time.h"

#include <stddef.h>
#include <string.h>

static const char *const words[] = {
    [VERDICT_WARMUP] = "warmup",     [VERDICT_TOO_FAST] = "too fast",
    [VERDICT_TOO_SLOW] = "too slow", [VERDICT_CACHED] = "cached",
    [VERDICT_STOPPED] = "stopped",   [VERDICT_SHORT] = "short",
    [VERDICT_TIMEOUT] = "timeout",   [VERDICT_FAST] = "fast",
    [VERDICT_SLOW] = "slow",         [VERDICT_NONE] = NULL,
};

const char *
sample_notice(const struct sample *sample, char *buffer)
{
    if (sample->verdict == VERDICT_ERROR)
        return error_name(sample->error, buffer);
    return words[sample->verdict];
}

/* Returns the turn after TURN. */
static int
next_turn(const struct stats *stats, int turn)
{
    return turn < stats->mix.extra_count ? turn + 1 : 0;
}

/* Adds COUNT missed requests. The first of them is of the operation of TURN, and the
 * others follow in turn. */
static void
miss_in_turn(struct stats *stats, int turn, uint64_t count)
{
    uint64_t turns = (uint64_t)stats->mix.extra_count + 1;
    for (uint64_t i = 0; count && i < turns; i++) {
        stats->operations[turn].missed += (count + turns - 1 - i) / turns;
        turn = next_turn(stats, turn);
    }
}

/* Adds the waits of the requests missed in a stall of STALL ns, in whose last IDLE ns no
 * request was due. The first missed request is of the operation of TURN, and the others
 * follow in turn. So with N operations, the waits of each operation are N intervals
 * apart. The first wait that histogram_record_waits adds is its latency less N intervals.
 * The latency is made longer than the stall where this wait would be too short. */
static void
wait_in_turn(struct stats *stats, int turn, int64_t stall, int64_t idle)
{
    int64_t every = stats->corrected_interval;
    int64_t round = time_multiply(every, stats->mix.extra_count + 1);
    stats->longest_corrected = time_later(stats->longest_corrected, stall - every);
    histogram_record_waits(&stats->corrected, stall, every, idle);

    for (int left = stats->mix.extra_count; stats->mix.extra_count && left >= 0; left--) {
        histogram_record_waits(&stats->operations[turn].corrected,
                               time_add(stall, time_multiply(every, left)), round, idle);
        turn = next_turn(stats, turn);
    }
}

/* Adds SAMPLE to the statistics of its operation. The requests missed because of SAMPLE
 * are counted for the operations in turn, beginning with the next one. */
static void
record_operation(struct stats *stats, const struct sample *sample)
{
    int64_t latency = sample->latency;
    int turn = operation_mix_turn(&stats->mix, sample->operation);
    struct stats_operation *own = &stats->operations[turn];
    own->requests++;
    own->last_end = sample->start + latency;
    own->failed += sample_failed(sample);
    miss_in_turn(stats, next_turn(stats, turn), sample->missed);
    if (!sample_counts(sample))
        return;

    own->bytes += sample->bytes;
    moments_record(&own->latency, latency);
    histogram_record(&own->latencies, latency);
    if (stats->corrected_interval)
        histogram_record(&own->corrected, latency);
}

/* Adds the latency of SAMPLE to the corrected histogram, and the waits of the requests
 * missed because of it. */
static void
record_corrected(struct stats *stats, const struct sample *sample)
{
    int turn = operation_mix_turn(&stats->mix, sample->operation);
    int64_t stall = sample->in_burst ? sample->stall : sample->latency;
    stats->longest_corrected = time_later(stats->longest_corrected, sample->latency);
    histogram_record(&stats->corrected, sample->latency);
    wait_in_turn(stats, next_turn(stats, turn), stall, sample->tail_after_end);
}

/* Updates the statistics that most requests do not touch. Not inlined, so that the common
 * path through stats_record stays short. */
__attribute__((noinline)) static void
record_rest(struct stats *stats, const struct sample *sample)
{
    if (stats->mix.extra_count)
        record_operation(stats, sample);
    if (!sample_counts(sample)) {
        stats->failed += sample_failed(sample);
        stats->cached += sample->verdict == VERDICT_CACHED;
        stats->stopped += sample->verdict == VERDICT_STOPPED;
        stats->too_fast += sample->verdict == VERDICT_TOO_FAST;
        stats->too_slow += sample->verdict == VERDICT_TOO_SLOW;
        return;
    }

    if (sample->sync)
        distribution_record(&stats->sync, sample->sync);
    if (stats->corrected_interval)
        record_corrected(stats, sample);
}

void
stats_record(struct stats *stats, const struct sample *sample)
{
    bool counts = sample_counts(sample);
    stats->requests++;
    stats->last_end = sample->start + sample->latency;
    stats->all_bytes += sample->bytes;
    stats->missed += sample->missed;

    if (counts) {
        stats->bytes += sample->bytes;
        moments_record(&stats->latency, sample->latency);
        histogram_record(&stats->latencies, sample->latency);
    }

    if (!counts || stats->mix.extra_count || stats->corrected_interval || sample->sync)
        record_rest(stats, sample);
}

void
stats_abandon(struct stats *stats, const struct sample *sample)
{
    int turn = operation_mix_turn(&stats->mix, sample->operation);
    stats->requests++;
    stats->missed += sample->missed;
    if (!stats->mix.extra_count)
        return;
    stats->operations[turn].requests++;
    miss_in_turn(stats, next_turn(stats, turn), sample->missed);
}

void
stats_miss(struct stats *stats, enum operation next, uint64_t count)
{
    stats->missed += count;
    if (stats->mix.extra_count)
        miss_in_turn(stats, operation_mix_turn(&stats->mix, next), count);
}

void
stats_wait(struct stats *stats, enum operation next, int64_t stall, int64_t idle)
{
    if (stats->corrected_interval)
        wait_in_turn(stats, operation_mix_turn(&stats->mix, next), stall, idle);
}

#define COMPARED 5 /* requests are compared once more requests than this count */

void
stats_compare(const struct stats *stats, struct sample *sample)
{
    double latency = (double)sample->latency;
    double average = stats->latency.mean;
    if (stats->latency.count <= COMPARED || !sample_counts(sample))
        return;

    sample->verdict = VERDICT_NONE;
    if (latency < average / 2)
        sample->verdict = VERDICT_FAST;
    else if (latency > average * 2)
        sample->verdict = VERDICT_SLOW;
}

int64_t
stats_slow_above(const struct stats *stats, const struct sample *sample)
{
    const struct histogram *latencies = &stats->latencies;
    if (stats->mix.extra_count)
        latencies = &stats_operation_of(stats, sample->operation)->latencies;
    uint64_t count = latencies->count;
    if (count == 0)
        return 0;

    int64_t median = histogram_value(latencies, (count + 1) / 2);
    return time_multiply(median, count > COMPARED ? 2 : 10);
}

/* Empties all histograms and distributions. `longest_corrected` bounds the waits of every
 * operation, because a wait may come from a request of another operation. */
static void
clear_distributions(struct stats *stats)
{
    const struct moments *latency = &stats->latency;
    int64_t longest = stats->longest_corrected;
    if (latency->count)
        histogram_clear(&stats->latencies, latency->min, latency->max);
    if (longest)
        histogram_clear(&stats->corrected, 0, longest);
    distribution_clear(&stats->sync);
    breakdown_clear(&stats->breakdown);

    for (int i = 0; stats->mix.extra_count && i <= stats->mix.extra_count; i++) {
        struct stats_operation *own = &stats->operations[i];
        histogram_clear(&own->latencies, own->latency.min, own->latency.max);
        histogram_clear(&own->corrected, 0, longest);
    }
}

void
stats_clear(struct stats *stats)
{
    int64_t every = stats->corrected_interval;
    struct operation_mix mix = stats->mix;
    bool flushes_ignored = stats->flushes_ignored;
    clear_distributions(stats);
    for (int i = 0; mix.extra_count && i <= mix.extra_count; i++)
        memset(&stats->operations[i], 0, offsetof(struct stats_operation, latencies));
    memset(stats, 0, offsetof(struct stats, latencies));
    stats->corrected_interval = every;
    stats->mix = mix;
    stats->flushes_ignored = flushes_ignored;
}

void
stats_reject(struct stats *stats)
{
    clear_distributions(stats);
    for (int i = 0; stats->mix.extra_count && i <= stats->mix.extra_count; i++) {
        stats->operations[i].latency = (struct moments){0};
        stats->operations[i].bytes = 0;
    }
    stats->cached += stats->latency.count;
    stats->latency = (struct moments){0};
    stats->longest_corrected = 0;
    stats->bytes = 0;
    stats->busy_time = 0;
}

/* Returns the time that rates are computed over, in ns. */
static int64_t
find_busy(const struct stats *stats)
{
    return stats->busy_time ? stats->busy_time : stats->latency.sum;
}

void
stats_merge(struct stats *stats, const struct stats *more)
{
    const struct moments *latency = &more->latency;
    stats->corrected_interval =
        more->corrected_interval ? more->corrected_interval : stats->corrected_interval;
    if (more->mix.extra_count)
        stats->mix = more->mix;
    if (stats->busy_time || more->busy_time)
        stats->busy_time = find_busy(stats) + find_busy(more);
    moments_merge(&stats->latency, latency);
    histogram_merge(&stats->latencies, &more->latencies, latency->min, latency->max);
    histogram_merge(&stats->corrected, &more->corrected, 0, more->longest_corrected);
    distribution_merge(&stats->sync, &more->sync);
    breakdown_merge(&stats->breakdown, &more->breakdown);

    for (int i = 0; more->mix.extra_count && i <= more->mix.extra_count; i++) {
        struct stats_operation *into = &stats->operations[i];
        const struct stats_operation *from = &more->operations[i];
        histogram_merge(&into->latencies, &from->latencies, from->latency.min,
                        from->latency.max);
        histogram_merge(&into->corrected, &from->corrected, 0, more->longest_corrected);
        moments_merge(&into->latency, &from->latency);
        into->requests += from->requests;
        into->failed += from->failed;
        into->missed += from->missed;
        into->bytes += from->bytes;
        into->last_end =
            from->last_end > into->last_end ? from->last_end : into->last_end;
    }

    stats->longest_corrected =
        time_later(stats->longest_corrected, more->longest_corrected);
    stats->bytes += more->bytes;
    stats->requests += more->requests;
    stats->all_bytes += more->all_bytes;
    stats->too_fast += more->too_fast;
    stats->too_slow += more->too_slow;
    stats->cached += more->cached;
    stats->stopped += more->stopped;
    stats->failed += more->failed;
    stats->missed += more->missed;
    stats->skipped_stopped += more->skipped_stopped;
    stats->from_memory += more->from_memory;
    stats->flushes_ignored |= more->flushes_ignored;
    stats->late_count += more->late_count;
    stats->last_end = more->last_end > stats->last_end ? more->last_end : stats->last_end;
}

double
stats_rate(double number, int64_t time)
{
    return time > 0 ? number * 1e9 / (double)time : 0;
}

double
stats_iops(const struct stats *stats)
{
    return stats_rate((double)stats->latency.count, find_busy(stats));
}

double
stats_bps(const struct stats *stats)
{
    return stats_rate((double)stats->bytes, find_busy(stats));
}
