/*
 * Verdicts, and the figures of the requests that count. All merges are exact. Clearing
 * and merging touch only the steps of histograms between the extremes, so that memory
 * that holds nothing stays untouched.
 */
#include "stats/stats.h"

#include "base/error.h"

#include <stddef.h>
#include <string.h>

static const char *const words[] = {
    [VERDICT_WARMUP] = "warmup",     [VERDICT_TOO_FAST] = "too fast",
    [VERDICT_TOO_SLOW] = "too slow", [VERDICT_CACHED] = "cached",
    [VERDICT_STOPPED] = "stopped",   [VERDICT_SHORT] = "short",
    [VERDICT_FAST] = "fast",         [VERDICT_SLOW] = "slow",
    [VERDICT_NONE] = NULL,
};

const char *
sample_notice(const struct sample *sample, char *buffer)
{
    if (sample->verdict == VERDICT_ERROR)
        return error_name(sample->error, buffer);
    return words[sample->verdict];
}

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

/* Clear what was recorded between LEAST and MOST, the extremes. */
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

/* Returns the time that rates are over, ns. */
static int64_t
find_busy(const struct stats *stats)
{
    return stats->busy ? stats->busy : stats->latency.sum;
}

void
stats_merge(struct stats *stats, const struct stats *more)
{
    const struct moments *latency = &more->latency, *sync = &more->sync;
    if (stats->busy || more->busy)
        stats->busy = find_busy(stats) + find_busy(more);
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
    return stats_rate((double)stats->latency.count, find_busy(stats));
}

double
stats_bps(const struct stats *stats)
{
    return stats_rate((double)stats->bytes, find_busy(stats));
}
