#include "stats/stats.h"

void
stats_judge(const struct stats_limits *limits, struct sample *sample)
{
    if (sample->error)
        sample->verdict = VERDICT_ERROR;
    else if (sample->bytes < sample->size)
        sample->verdict = VERDICT_SHORT;
    else if (sample->cached)
        sample->verdict = VERDICT_CACHED;
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
    stats->too_fast += sample->verdict == VERDICT_TOO_FAST;
    stats->too_slow += sample->verdict == VERDICT_TOO_SLOW;
}

void
stats_record(struct stats *stats, const struct sample *sample)
{
    stats->requests++;
    stats->all_bytes += sample->bytes;
    stats->missed += sample->missed;
    if (sample_counts(sample)) {
        stats->bytes += sample->bytes;
        moments_record(&stats->latency, sample->latency);
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

void
stats_merge(struct stats *stats, const struct stats *more)
{
    moments_merge(&stats->latency, &more->latency);
    stats->bytes += more->bytes;
    stats->requests += more->requests;
    stats->all_bytes += more->all_bytes;
    stats->too_fast += more->too_fast;
    stats->too_slow += more->too_slow;
    stats->cached += more->cached;
    stats->failed += more->failed;
    stats->missed += more->missed;
}

double
stats_rate(double number, int64_t time)
{
    return time > 0 ? number * 1e9 / (double)time : 0;
}
