#include "stats/stats.h"

#include <stddef.h>
#include <string.h>

void
stats_judge(const struct stats_limits *limits, struct sample *sample)
{
    if (sample->error)
        sample->verdict = VERDICT_ERROR;
    else if (sample->bytes < sample->size)
        sample->verdict = VERDICT_SHORT;
    else if (sample->cached)
        sample->verdict = VERDICT_CACHED;
    else if (sample->stopped)
        sample->verdict = VERDICT_STOPPED;
    else if (sample->index <= limits->warmup)
        sample->verdict = VERDICT_WARMUP;
    else if (sample->latency < limits->fastest)
        sample->verdict = VERDICT_TOO_FAST;
    else if (sample->latency > limits->slowest)
        sample->verdict = VERDICT_TOO_SLOW;
    else
        sample->verdict = VERDICT_NONE;
}

static void
record_exception(struct stats *stats, const struct sample *sample)
{
    stats->failed += sample_failed(sample);
    stats->cached += sample->verdict == VERDICT_CACHED;
    stats->stopped += sample->verdict == VERDICT_STOPPED;
    stats->too_fast += sample->verdict == VERDICT_TOO_FAST;
    stats->too_slow += sample->verdict == VERDICT_TOO_SLOW;
}

static void
record_times(struct stats *stats, const struct sample *sample)
{
    moments_record(&stats->latency, sample->latency);
    histogram_record(&stats->latencies, sample->latency);
    if (sample->sync) {
        moments_record(&stats->sync, sample->sync);
        histogram_record(&stats->syncs, sample->sync);
    }
    if (stats->every) {
        histogram_record(&stats->corrected, sample->latency);
        histogram_record_waits(&stats->corrected, sample->latency, stats->every,
                               sample->idle);
    }
}

void
stats_record(struct stats *stats, const struct sample *sample)
{
    stats->requests++;
    stats->last = sample->start + sample->latency;
    stats->all_bytes += sample->bytes;
    stats->missed += sample->missed;
    if (sample_counts(sample)) {
        stats->bytes += sample->bytes;
        record_times(stats, sample);
    } else {
        record_exception(stats, sample);
    }
}

void
stats_compare(const struct stats *stats, struct sample *sample)
{
    if (!sample_counts(sample) || stats->latency.count <= 5)
        return;
    double latency = (double)sample->latency, average = stats->latency.mean;
    if (latency < average / 2)
        sample->verdict = VERDICT_FAST;
    else if (latency > average * 2)
        sample->verdict = VERDICT_SLOW;
}

const struct histogram *
stats_distribution(const struct stats *stats)
{
    return stats->every ? &stats->corrected : &stats->latencies;
}

static int64_t
find_percentile(const struct histogram *histogram, const struct moments *moments,
                const struct percentile *percentile, int64_t least)
{
    if (histogram->count == 0)
        return 0;
    int64_t value =
        histogram_value(histogram, percentile_rank(percentile, histogram->count));
    return value < least ? least : value > moments->max ? moments->max : value;
}

int64_t
stats_percentile(const struct stats *stats, const struct percentile *percentile)
{
    const struct histogram *histogram = stats_distribution(stats);
    bool waited = histogram->count > stats->latencies.count;
    return find_percentile(histogram, &stats->latency, percentile,
                           waited ? 0 : stats->latency.min);
}

int64_t
stats_p50(const struct stats *stats)
{
    return stats_percentile(stats, &percentiles_common.list[0]);
}

int64_t
stats_p99(const struct stats *stats)
{
    return stats_percentile(stats, &percentiles_common.list[1]);
}

int64_t
stats_sync_percentile(const struct stats *stats, const struct percentile *percentile)
{
    return find_percentile(&stats->syncs, &stats->sync, percentile, stats->sync.min);
}

unsigned
stats_shown(const struct stats *stats, const struct percentiles *list)
{
    unsigned shown = 0;
    for (int i = 0; i < list->count; i++)
        if (list->given ? stats->latency.count > 0
                        : stats->latency.count >= percentile_needs(&list->list[i]))
            shown |= 1u << i;
    return shown;
}

/* Only what the extremes say was touched. */
static void
clear_steps(struct histogram *histogram, int64_t least, int64_t most)
{
    int first = histogram_step(least), last = histogram_step(most);
    histogram->count = 0;
    memset(&histogram->steps[first], 0,
           (size_t)(last - first + 1) * sizeof(histogram->steps[0]));
}

void
stats_clear(struct stats *stats)
{
    const struct moments *latency = &stats->latency, *sync = &stats->sync;
    clear_steps(&stats->latencies, latency->min, latency->max);
    clear_steps(&stats->syncs, sync->min, sync->max);
    clear_steps(&stats->corrected, 0, stats->every ? latency->max : 0);
    int64_t every = stats->every;
    memset(stats, 0, offsetof(struct stats, latencies));
    stats->every = every;
}

/* What rates are over, ns. */
static int64_t
busy_of(const struct stats *stats)
{
    return stats->busy ? stats->busy : stats->latency.sum;
}

void
stats_merge(struct stats *stats, const struct stats *more)
{
    const struct moments *latency = &more->latency, *sync = &more->sync;
    if (stats->busy || more->busy)
        stats->busy = busy_of(stats) + busy_of(more);
    moments_merge(&stats->latency, latency);
    moments_merge(&stats->sync, sync);
    histogram_merge(&stats->latencies, &more->latencies, latency->min, latency->max);
    histogram_merge(&stats->corrected, &more->corrected, 0, latency->max);
    histogram_merge(&stats->syncs, &more->syncs, sync->min, sync->max);
    stats->bytes += more->bytes;
    stats->requests += more->requests;
    stats->all_bytes += more->all_bytes;
    stats->too_fast += more->too_fast;
    stats->too_slow += more->too_slow;
    stats->cached += more->cached;
    stats->stopped += more->stopped;
    stats->failed += more->failed;
    stats->missed += more->missed;
    if (more->last > stats->last)
        stats->last = more->last;
}

double
stats_rate(double number, int64_t time)
{
    return time > 0 ? number * 1e9 / (double)time : 0;
}

double
stats_iops(const struct stats *stats)
{
    return stats_rate((double)stats->latency.count, busy_of(stats));
}

double
stats_bps(const struct stats *stats)
{
    return stats_rate((double)stats->bytes, busy_of(stats));
}
