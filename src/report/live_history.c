/* The recent past of a row of the live screen: rings of seconds and of columns. */
#include "live_history.h"

#include "base/time.h"
#include "stats/stats.h"

#include <string.h>

const int live_scales[LIVE_SCALES] = {1, 2, 5, 10, 30, 60};

/* Empties SECOND. Touches only the bins that are in use. */
static void
clear_second(struct live_second *second)
{
    for (int i = second->low_bin; i <= second->high_bin; i++)
        second->bins[i] = 0;

    second->latency_count = 0;
    second->requests = 0;
    second->max = 0;
    second->low_bin = HISTOGRAM_BINS;
    second->high_bin = -1;
}

/* Makes room in the rings for a snapshot at ELAPSED ns: clears the seconds and columns
 * between the last snapshot and this one. */
static void
advance(struct live_history *history, int64_t elapsed)
{
    int64_t second = elapsed / SECOND;
    int64_t last_second = history->elapsed / SECOND;

    for (int64_t i = time_later(last_second, second - LIVE_SECONDS) + 1; i <= second;
         i++) {
        clear_second(&history->seconds[i % LIVE_SECONDS]);
        history->seconds[i % LIVE_SECONDS].began_at = history->elapsed;
    }

    for (int scale = 0; scale < LIVE_SCALES; scale++) {
        struct live_map *map = &history->maps[scale];
        int64_t newest = second / live_scales[scale];
        int64_t oldest = time_later(map->newest, newest - LIVE_COLUMNS);

        for (int64_t i = oldest + 1; i <= newest; i++)
            memset(map->counts[i % LIVE_COLUMNS], 0, sizeof(map->counts[0]));
        map->newest = newest;
    }

    history->elapsed = elapsed;
}

/* Adds COUNT latencies of BIN, a bin of the histogram, to the newest columns. */
static void
add_to_maps(struct live_history *history, int bin, uint64_t count)
{
    for (int scale = 0; scale < LIVE_SCALES; scale++) {
        struct live_map *map = &history->maps[scale];
        uint16_t *cell = &map->counts[map->newest % LIVE_COLUMNS][bin >> LIVE_BIN_SHIFT];
        uint64_t sum = *cell + count;

        *cell = sum < UINT16_MAX ? (uint16_t)sum : UINT16_MAX;
    }
}

/* Adds COUNT latencies of BIN, a bin of the histogram. */
static void
add_latencies(struct live_history *history, struct live_second *second, int bin,
              uint64_t count)
{
    second->bins[bin] += (uint32_t)count;
    if (bin < second->low_bin)
        second->low_bin = bin;
    if (bin > second->high_bin)
        second->high_bin = bin;

    add_to_maps(history, bin, count);
    if (history->was_reset) {
        history->histogram.bins[bin] += count;
        history->histogram.count += count;
    }
}

/* Adds the bins that TOTAL has more than the last snapshot. Returns the highest of these
 * bins, -1 if there is none. */
static int
add_new_bins(struct live_history *history, struct live_second *second,
             const struct histogram *total)
{
    int highest = -1;

    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        uint64_t seen = history->seen.bins[bin];
        if (total->bins[bin] <= seen)
            continue;

        add_latencies(history, second, bin, total->bins[bin] - seen);
        history->seen.bins[bin] = total->bins[bin];
        highest = bin;
    }

    return highest;
}

/* Returns the longest latency since the last snapshot, in ns. It is exact if it is the
 * longest of the run. Otherwise it is the middle of HIGHEST, the highest bin with new
 * latencies. */
static int64_t
find_new_max(const struct live_history *history, const struct latencies *latencies,
             int highest)
{
    if (latencies->max > history->seen_max)
        return latencies->max;
    return time_earlier(histogram_middle(highest), latencies->max);
}

void
live_history_add(struct live_history *history, const struct stats *stats,
                 enum scope scope, int64_t elapsed)
{
    const struct latencies latencies = latencies_of(stats, scope);
    const struct scope_counts counts = scope_counts_of(stats, scope);
    const struct moments *moments = latencies.moments;

    /* The first second is not cleared by `advance`. */
    if (history->elapsed == 0)
        clear_second(&history->seconds[0]);
    advance(history, time_later(elapsed, 1));

    struct live_second *second =
        &history->seconds[history->elapsed / SECOND % LIVE_SECONDS];
    int highest = add_new_bins(history, second, latencies.histogram);

    if (highest >= 0) {
        int64_t max = find_new_max(history, &latencies, highest);
        second->max = time_later(second->max, max);
        history->moments.max = time_later(history->moments.max, max);
        history->seen_max = time_later(history->seen_max, latencies.max);
    }

    if (moments->count > history->seen_latency_count) {
        uint64_t counted = moments->count - history->seen_latency_count;
        history->last_latency = (moments->sum - history->seen_sum) / (int64_t)counted;
        history->has_latency = true;
        second->latency_count += counted;
        history->moments.count += counted;
    }

    if (counts.requests > history->seen_counts.requests)
        second->requests += counts.requests - history->seen_counts.requests;
    history->seen_latency_count = moments->count;
    history->seen_sum = moments->sum;
    history->seen_counts = counts;
}

void
live_history_reset(struct live_history *history)
{
    history->was_reset = true;
    history->reset_at = history->elapsed;
    history->counts_at_reset = history->seen_counts;
    history->moments = (struct moments){0};
    memset(&history->histogram, 0, sizeof(history->histogram));

    for (int i = 0; i < LIVE_SECONDS; i++)
        clear_second(&history->seconds[i]);
    for (int scale = 0; scale < LIVE_SCALES; scale++)
        memset(history->maps[scale].counts, 0, sizeof(history->maps[scale].counts));
}

/* Fills the figures of LATENCIES that the arguments point to; -1 if unknown. */
static void
fill_latencies(const struct latencies *latencies, int64_t *p50, int64_t *p99,
               int64_t *max)
{
    const struct percentile *list = percentiles_common.list;

    *p50 = latencies_known_percentile(latencies, &list[0]);
    *p99 = latencies_known_percentile(latencies, &list[1]);
    *max = latencies->moments->count > 0 ? latencies->max : -1;
}

/* Fills the figures of the last LIVE_SECONDS. The newest second is not over yet, so the
 * time is up to one second shorter. It is also shorter if the run began, or the figures
 * were reset, less than LIVE_SECONDS ago. SUM is memory to work with. */
static void
fill_recent(const struct live_history *history, struct histogram *sum,
            struct live_figures *figures)
{
    struct moments moments = {0};
    uint64_t requests = 0;

    memset(sum, 0, sizeof(*sum));
    for (int i = 0; i < LIVE_SECONDS; i++) {
        const struct live_second *second = &history->seconds[i];

        for (int bin = second->low_bin; bin <= second->high_bin; bin++) {
            sum->bins[bin] += second->bins[bin];
            sum->count += second->bins[bin];
        }
        moments.count += second->latency_count;
        moments.max = time_later(moments.max, second->max);
        requests += second->requests;
    }

    const struct latencies latencies = {
        .moments = &moments, .histogram = sum, .uncorrected = sum, .max = moments.max};
    fill_latencies(&latencies, &figures->recent_p50, &figures->recent_p99,
                   &figures->recent_max);

    int64_t oldest = time_later(history->elapsed / SECOND + 1 - LIVE_SECONDS, 0);
    int64_t from =
        time_later(history->seconds[oldest % LIVE_SECONDS].began_at, history->reset_at);
    figures->rate = stats_rate((double)requests, history->elapsed - from);
}

void
live_history_figures(const struct live_history *history, const struct stats *stats,
                     enum scope scope, struct histogram *scratch,
                     struct live_figures *figures)
{
    struct latencies latencies = latencies_of(stats, scope);
    struct scope_counts counts = scope_counts_of(stats, scope);

    *figures = (struct live_figures){.now = -1};
    if (history->has_latency)
        figures->now = history->last_latency;
    fill_recent(history, scratch, figures);

    if (history->was_reset) {
        const struct scope_counts *before = &history->counts_at_reset;

        latencies.moments = &history->moments;
        latencies.histogram = &history->histogram;
        latencies.max = history->moments.max;
        counts.requests -= before->requests;
        counts.failed -= before->failed;
        counts.missed -= before->missed;
    }

    fill_latencies(&latencies, &figures->p50, &figures->p99, &figures->max);
    figures->requests = counts.requests;
    figures->failed = counts.failed;
    figures->missed = counts.missed;
}

const uint16_t *
live_history_column(const struct live_history *history, int scale, int64_t elapsed,
                    int age)
{
    const struct live_map *map = &history->maps[scale];
    int64_t number = elapsed / SECOND / live_scales[scale] - age;

    if (number < 0 || map->newest - number >= LIVE_COLUMNS)
        return NULL;
    return map->counts[number % LIVE_COLUMNS];
}
