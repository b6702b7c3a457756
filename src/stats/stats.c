/*
 * The statistics of requests: verdicts, counts, moments and histograms.
 *
 * Each worker records its requests in a struct stats of its own, and the results are
 * merged. All merges are exact, so the number of workers does not change a figure. A
 * struct stats is large, mostly histograms. Clearing and merging write only to the bins
 * between the shortest and the longest latency, so that most of its memory is never
 * touched and costs nothing.
 *
 * Coordinated omission: while a request stalls, requests that were due are missed. If
 * `corrected_interval` is set, the `corrected` histograms also have the waits that the
 * missed requests would have had (as in HdrHistogram, by Gil Tene). A request of latency
 * L adds
 *
 *     L - I,  L - 2 I,  L - 3 I  and so on, as long as the wait is above 0
 *
 * where I is the interval. If operations are mixed, the missed requests would have been
 * of the operations in turn. With 2 operations, each one has every second wait: L - I,
 * L - 3 I and so on, or L - 2 I, L - 4 I and so on.
 */
#include "stats/stats.h"

#include "base/error.h"
#include "base/time.h"

#include <stddef.h>
#include <string.h>

static const char *const verdict_words[] = {
    [VERDICT_WARMUP] = "warmup",     [VERDICT_TOO_FAST] = "too fast",
    [VERDICT_TOO_SLOW] = "too slow", [VERDICT_CACHED] = "cached",
    [VERDICT_STOPPED] = "stopped",   [VERDICT_SHORT] = "short",
    [VERDICT_TIMEOUT] = "timeout",   [VERDICT_FAST] = "fast",
    [VERDICT_SLOW] = "slow",         [VERDICT_NONE] = NULL,
};

const char *
sample_verdict_word(const struct sample *sample, char *buffer)
{
    if (sample->verdict == VERDICT_ERROR)
        return error_name(sample->error, buffer);
    return verdict_words[sample->verdict];
}

/* Returns how many elements of `operations` are in use: none unless operations are
 * mixed. */
static int
count_operations(const struct operation_mix *mix)
{
    return mix->extra_count ? mix->extra_count + 1 : 0;
}

/* Returns the turn after TURN. */
static int
next_turn(const struct stats *stats, int turn)
{
    return turn < stats->mix.extra_count ? turn + 1 : 0;
}

/* Adds COUNT missed requests to the statistics of their operations. The first of them is
 * counted for the operation of TURN, and the next ones for the following operations in
 * turn. */
static void
miss_in_turn(struct stats *stats, int turn, uint64_t count)
{
    uint64_t turns = (uint64_t)stats->mix.extra_count + 1;
    if (count == 0)
        return;

    for (uint64_t i = 0; i < turns; i++) {
        stats->operations[turn].missed += (count + turns - 1 - i) / turns;
        turn = next_turn(stats, turn);
    }
}

/*
 * Adds the waits of the requests that were missed in a stall of STALL ns. In the last
 * IDLE ns of the stall no request was due. The first missed request would have been of
 * the operation of TURN, and the others follow in turn.
 *
 * With N operations and an interval of I ns, the waits of one operation are N * I apart.
 * histogram_record_waits takes a latency. The longest wait that it adds is this latency
 * minus N * I. So the latency must be the longest wait of the operation plus N * I:
 *
 *     operation   longest wait   latency
 *     first       STALL - I      STALL - I + N * I     = STALL + (N - 1) * I
 *     second      STALL - 2 * I  STALL - 2 * I + N * I = STALL + (N - 2) * I
 *     last        STALL - N * I  STALL - N * I + N * I = STALL
 *
 * IDLE stays the same, because histogram_record_waits compares it with the waits, not
 * with the latency.
 */
static void
wait_in_turn(struct stats *stats, int turn, int64_t stall, int64_t idle)
{
    int64_t interval = stats->corrected_interval;
    stats->longest_corrected = time_later(stats->longest_corrected, stall - interval);
    histogram_record_waits(&stats->corrected, stall, interval, idle);
    if (stats->mix.extra_count == 0)
        return;

    int64_t round = time_multiply(interval, stats->mix.extra_count + 1);
    for (int i = stats->mix.extra_count; i >= 0; i--) {
        int64_t latency = time_add(stall, time_multiply(interval, i));
        histogram_record_waits(&stats->operations[turn].corrected, latency, round, idle);
        turn = next_turn(stats, turn);
    }
}

/* Adds SAMPLE to the statistics of its operation. The requests that were missed because
 * of SAMPLE are counted for the operations in turn, beginning with the next one. */
static void
record_operation(struct stats *stats, const struct sample *sample)
{
    int64_t latency = sample->latency;
    int turn = operation_mix_turn(&stats->mix, sample->operation);
    struct stats_operation *operation = &stats->operations[turn];

    operation->requests++;
    operation->last_end = sample->start + latency;
    miss_in_turn(stats, next_turn(stats, turn), sample->missed);
    if (sample_failed(sample))
        operation->failed++;
    if (!sample_counts(sample))
        return;

    operation->bytes += sample->bytes;
    moments_record(&operation->latency, latency);
    histogram_record(&operation->latencies, latency);
    if (stats->corrected_interval)
        histogram_record(&operation->corrected, latency);
}

/* Adds the latency of SAMPLE to the corrected histogram, and the waits of the requests
 * that were missed because of SAMPLE to the corrected histograms of all operations. */
static void
record_corrected(struct stats *stats, const struct sample *sample)
{
    int turn = operation_mix_turn(&stats->mix, sample->operation);
    int64_t stall = sample->in_burst ? sample->stall : sample->latency;

    stats->longest_corrected = time_later(stats->longest_corrected, sample->latency);
    histogram_record(&stats->corrected, sample->latency);
    wait_in_turn(stats, next_turn(stats, turn), stall, sample->tail_after_end);
}

/* Counts SAMPLE, which is left out of latencies and rates, in the field of its verdict.
 * Warm-up requests have no such field. */
static void
record_excluded(struct stats *stats, const struct sample *sample)
{
    if (sample_failed(sample))
        stats->failed++;
    else if (sample->verdict == VERDICT_CACHED)
        stats->cached++;
    else if (sample->verdict == VERDICT_STOPPED)
        stats->stopped++;
    else if (sample->verdict == VERDICT_TOO_FAST)
        stats->too_fast++;
    else if (sample->verdict == VERDICT_TOO_SLOW)
        stats->too_slow++;
}

/* Updates the statistics that most requests do not touch. Not inlined, so that the common
 * path through stats_record stays short. */
__attribute__((noinline)) static void
record_uncommon(struct stats *stats, const struct sample *sample)
{
    if (stats->mix.extra_count)
        record_operation(stats, sample);
    if (!sample_counts(sample)) {
        record_excluded(stats, sample);
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
        record_uncommon(stats, sample);
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

#define COMPARED_ABOVE 5 /* a request is compared with others if more than 5 count */

void
stats_compare(const struct stats *stats, struct sample *sample)
{
    double latency = (double)sample->latency;
    double average = stats->latency.mean;
    if (stats->latency.count <= COMPARED_ABOVE || !sample_counts(sample))
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
    return time_multiply(median, count > COMPARED_ABOVE ? 2 : 10);
}

/* Empties all histograms and distributions. The `corrected` histogram of an operation is
 * cleared up to `longest_corrected` of all operations, because its waits may come from a
 * longer request of another operation. */
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

    for (int i = 0; i < count_operations(&stats->mix); i++) {
        struct stats_operation *operation = &stats->operations[i];
        const struct moments *moments = &operation->latency;
        histogram_clear(&operation->latencies, moments->min, moments->max);
        histogram_clear(&operation->corrected, 0, longest);
    }
}

void
stats_clear(struct stats *stats)
{
    int64_t interval = stats->corrected_interval;
    struct operation_mix mix = stats->mix;
    bool flushes_ignored = stats->flushes_ignored;

    clear_distributions(stats);
    for (int i = 0; i < count_operations(&mix); i++)
        memset(&stats->operations[i], 0, offsetof(struct stats_operation, latencies));
    memset(stats, 0, offsetof(struct stats, latencies));

    stats->corrected_interval = interval;
    stats->mix = mix;
    stats->flushes_ignored = flushes_ignored;
}

void
stats_reject(struct stats *stats)
{
    clear_distributions(stats);
    for (int i = 0; i < count_operations(&stats->mix); i++) {
        stats->operations[i].latency = (struct moments){0};
        stats->operations[i].bytes = 0;
    }

    stats->cached += stats->latency.count;
    stats->latency = (struct moments){0};
    stats->longest_corrected = 0;
    stats->bytes = 0;
    stats->busy_time = 0;
}

/* Returns the time over which rates are computed, in ns. */
static int64_t
find_rate_time(const struct stats *stats)
{
    return stats->busy_time ? stats->busy_time : stats->latency.sum;
}

/* Adds MORE, the statistics of the same operation, to OPERATION. The longest wait in the
 * corrected histogram of MORE is at most LONGEST ns. */
static void
merge_operation(struct stats_operation *operation, const struct stats_operation *more,
                int64_t longest)
{
    const struct moments *latency = &more->latency;

    histogram_merge(&operation->latencies, &more->latencies, latency->min, latency->max);
    histogram_merge(&operation->corrected, &more->corrected, 0, longest);
    moments_merge(&operation->latency, latency);
    operation->requests += more->requests;
    operation->failed += more->failed;
    operation->missed += more->missed;
    operation->bytes += more->bytes;
    operation->last_end = time_later(operation->last_end, more->last_end);
}

void
stats_merge(struct stats *stats, const struct stats *more)
{
    const struct moments *latency = &more->latency;
    int64_t longest = more->longest_corrected;

    if (more->corrected_interval)
        stats->corrected_interval = more->corrected_interval;
    if (more->mix.extra_count)
        stats->mix = more->mix;
    if (stats->busy_time || more->busy_time)
        stats->busy_time = find_rate_time(stats) + find_rate_time(more);

    moments_merge(&stats->latency, latency);
    histogram_merge(&stats->latencies, &more->latencies, latency->min, latency->max);
    histogram_merge(&stats->corrected, &more->corrected, 0, longest);
    distribution_merge(&stats->sync, &more->sync);
    breakdown_merge(&stats->breakdown, &more->breakdown);
    for (int i = 0; i < count_operations(&more->mix); i++)
        merge_operation(&stats->operations[i], &more->operations[i], longest);

    stats->longest_corrected = time_later(stats->longest_corrected, longest);
    stats->last_end = time_later(stats->last_end, more->last_end);
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
    stats->late_count += more->late_count;
    if (more->flushes_ignored)
        stats->flushes_ignored = true;
}

double
stats_rate(double number, int64_t time)
{
    return time > 0 ? number * 1e9 / (double)time : 0;
}

double
stats_iops(const struct stats *stats)
{
    return stats_rate((double)stats->latency.count, find_rate_time(stats));
}

double
stats_bps(const struct stats *stats)
{
    return stats_rate((double)stats->bytes, find_rate_time(stats));
}
