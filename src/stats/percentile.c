/*
 * Percentiles: reads them from options, and computes them for each scope (all requests,
 * one operation, or one part of the time).
 *
 *     rank = p * N, rounded up
 *
 * N is the number of values, and p the percentile as a fraction. The percentile is the
 * value with this rank, in ascending order (the nearest-rank method). So p99 is the
 * smallest latency that at least 99 % of the requests did not exceed. Ranks are computed
 * in integers, so that no rounding error shifts a rank by one.
 *
 * The file also has the buckets of exported histograms. The default buckets are few,
 * because a monitoring system stores one time series for each bucket. They are the same
 * on all machines, because only histograms with equal bounds can be added up.
 */
#include "stats/percentile.h"

#include "base/buffer.h"
#include "base/time.h"
#include "base/units.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>

const struct percentiles percentiles_default = {
    .count = 4,
    .list = {{PERCENTILE_HUNDRED / 2, "50"},
             {PERCENTILE_HUNDRED / 10 * 9, "90"},
             {PERCENTILE_HUNDRED / 100 * 99, "99"},
             {PERCENTILE_HUNDRED / 1000 * 999, "99.9"}},
};

const struct percentiles percentiles_common = {
    .count = 2,
    .list = {{PERCENTILE_HUNDRED / 2, "50"}, {PERCENTILE_HUNDRED / 100 * 99, "99"}},
};

static const char none[] = "none";

const char *
percentile_parse(const char *text, int length, struct percentile *percentile)
{
    static const char wrong[] = "not a percentile between 0 and 100";
    /* The value of a digit 1 at the current place, in billionths. */
    int64_t unit = PERCENTILE_HUNDRED / 100;
    int64_t value = 0;
    int at = 0;
    for (; at < length && is_digit(text[at]) && value < PERCENTILE_HUNDRED; at++)
        value = value * 10 + (text[at] - '0') * unit;

    bool has_point = at > 0 && at + 1 < length && text[at] == '.';
    if (has_point) {
        for (at++; at < length && is_digit(text[at]); at++) {
            unit /= 10;
            if (unit == 0)
                return "must have at most seven decimals";
            value += (text[at] - '0') * unit;
        }
    }

    if (at < length || value <= 0 || value >= PERCENTILE_HUNDRED ||
        length >= (int)sizeof(percentile->name))
        return wrong;
    percentile->billionths = value;
    snprintf(percentile->name, sizeof(percentile->name), "%.*s", length, text);
    return NULL;
}

/* Returns whether LIST has a percentile equal to PERCENTILE. */
static bool
has_percentile(const struct percentiles *list, const struct percentile *percentile)
{
    for (int i = 0; i < list->count; i++)
        if (list->list[i].billionths == percentile->billionths)
            return true;
    return false;
}

const char *
percentiles_parse(const char *text, struct percentiles *list)
{
    memset(list, 0, sizeof(*list));
    list->is_given = true;
    if (strcmp(text, none) == 0)
        return NULL;

    for (;;) {
        int length = (int)strcspn(text, ",");
        /* "p99" is accepted, too: percentiles are printed in this form. */
        if (text[0] == 'p' && length > 1) {
            text++;
            length--;
        }

        if (list->count == PERCENTILES_MAX)
            return "there can be at most 16 percentiles";

        struct percentile *next = &list->list[list->count];
        const char *wrong = percentile_parse(text, length, next);
        if (wrong)
            return wrong;
        if (has_percentile(list, next))
            return "a percentile is given twice";

        list->count++;
        if (text[length] == '\0')
            return NULL;
        text += length + 1;
    }
}

void
percentiles_list(struct buffer *text)
{
    buffer_format(text, "%s\n", none);
    for (int i = 0; i < percentiles_default.count; i++) {
        if (i > 0)
            buffer_text(text, ",");
        buffer_text(text, percentiles_default.list[i].name);
    }
    buffer_text(text, "\n");
}

/* COUNT * billionths / 10^9, rounded up. The product could overflow, so COUNT is split in
 * two. Whole billions need no division. The product of the remainder is below 10^18. */
uint64_t
percentile_rank(const struct percentile *percentile, uint64_t count)
{
    uint64_t billion = PERCENTILE_HUNDRED;
    uint64_t share = (uint64_t)percentile->billionths;
    uint64_t of_billions = count / billion * share;
    uint64_t of_remainder = (count % billion * share + billion - 1) / billion;
    uint64_t rank = of_billions + of_remainder;
    return rank > 0 ? rank : 1;
}

uint64_t
percentile_min_samples(const struct percentile *percentile)
{
    int64_t above = PERCENTILE_HUNDRED - percentile->billionths;
    uint64_t needs = (uint64_t)((PERCENTILE_HUNDRED + above - 1) / above) - 1;
    return needs > 0 ? needs : 1;
}

const char *
scope_name(enum scope scope)
{
    static const char *const names[SCOPES] = {
        [SCOPE_ALL] = "",
        [SCOPE_SUBMIT] = "submit",
        [SCOPE_STACK] = "stack",
        [SCOPE_QUEUE] = "queue",
        [SCOPE_DEVICE] = "device",
        [SCOPE_RETURN] = "return",
        [SCOPE_SYNC_DEVICE] = "sync_device",
    };
    if (scope_is_operation(scope) || scope == SCOPE_SYNC)
        return operations[scope_operation(scope)].word;
    return names[scope];
}

/* Returns the latencies of SCOPE, which is a part of the time of each request
 * (-breakdown), or the flush. These latencies are never corrected. */
static struct latencies
find_part_latencies(const struct stats *stats, enum scope scope)
{
    const struct distribution *part = &stats->sync;
    if (scope != SCOPE_SYNC)
        part = &stats->breakdown.parts[scope - SCOPE_SUBMIT];

    return (struct latencies){.moments = &part->moments,
                              .histogram = &part->histogram,
                              .uncorrected = &part->histogram,
                              .max = part->moments.max};
}

struct latencies
latencies_of(const struct stats *stats, enum scope scope)
{
    if (scope_is_part(scope))
        return find_part_latencies(stats, scope);

    const struct moments *moments = &stats->latency;
    const struct histogram *uncorrected = &stats->latencies;
    const struct histogram *corrected = &stats->corrected;
    if (scope_is_operation(scope)) {
        const struct stats_operation *operation =
            stats_operation_of(stats, scope_operation(scope));
        moments = &operation->latency;
        uncorrected = &operation->latencies;
        corrected = &operation->corrected;
    }

    struct latencies latencies = {.moments = moments,
                                  .histogram = uncorrected,
                                  .uncorrected = uncorrected,
                                  .max = moments->max};
    if (stats->corrected_interval > 0) {
        /* The longest latency or wait of all operations also limits the waits of one
         * operation, because a read may have waited for the longest write. */
        latencies.histogram = corrected;
        latencies.max = stats->longest_corrected;
        latencies.is_corrected = true;
    }
    return latencies;
}

struct scope_counts
scope_counts_of(const struct stats *stats, enum scope scope)
{
    if (scope_is_operation(scope)) {
        const struct stats_operation *operation =
            stats_operation_of(stats, scope_operation(scope));
        return (struct scope_counts){.requests = operation->requests,
                                     .failed = operation->failed,
                                     .missed = operation->missed,
                                     .bytes = operation->bytes,
                                     .last_end = operation->last_end};
    }

    return (struct scope_counts){.requests = stats->requests,
                                 .failed = stats->failed,
                                 .missed = stats->missed,
                                 .bytes = stats->bytes,
                                 .last_end = stats->last_end};
}

/* Returns whether STATS have figures for SCOPE, which is not SCOPE_ALL. */
static bool
has_scope(const struct stats *stats, enum scope scope)
{
    const struct operation_mix *mix = &stats->mix;
    if (scope_is_operation(scope))
        return mix->extra_count && operation_mix_turn(mix, scope_operation(scope)) >= 0;
    return latencies_of(stats, scope).moments->count > 0;
}

enum scope
scope_next(const struct stats *stats, enum scope scope)
{
    do
        scope++;
    while (scope < SCOPES && !has_scope(stats, scope));
    return scope;
}

enum scope
scope_first(const struct stats *stats)
{
    return stats->mix.extra_count ? scope_next(stats, SCOPE_ALL) : SCOPE_ALL;
}

/* Returns VALUE, the middle of a bin in ns, limited to the range from MIN ns to the
 * longest latency. Values of 1 ns and less become 0 if MIN is 0, because latencies of 0
 * and of 1 ns have the same bin. */
static int64_t
limit_to_range(const struct latencies *latencies, int64_t value, int64_t min)
{
    if (value <= 1 && min == 0)
        return 0;
    if (value < min)
        return min;
    return time_earlier(value, latencies->max);
}

int64_t
latencies_percentile(const struct latencies *latencies,
                     const struct percentile *percentile)
{
    const struct histogram *histogram = latencies->histogram;
    if (histogram->count == 0)
        return 0;

    /* Waits may be shorter than the shortest request. */
    bool has_waits = histogram->count > latencies->moments->count;
    int64_t min = has_waits ? 0 : latencies->moments->min;
    uint64_t rank = percentile_rank(percentile, histogram->count);
    return limit_to_range(latencies, histogram_value(histogram, rank), min);
}

uint64_t
latencies_count_above(const struct latencies *latencies, int64_t limit)
{
    const struct histogram *histogram = latencies->uncorrected;
    int64_t min = latencies->moments->min;
    uint64_t above = 0;

    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        if (histogram->bins[i] == 0)
            continue;
        if (limit_to_range(latencies, histogram_middle(i), min) > limit)
            above += histogram->bins[i];
    }
    return above;
}

int64_t
latencies_known_percentile(const struct latencies *latencies,
                           const struct percentile *percentile)
{
    if (latencies->moments->count < percentile_min_samples(percentile))
        return -1;
    return latencies_percentile(latencies, percentile);
}

int64_t
stats_percentile(const struct stats *stats, const struct percentile *percentile)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    return latencies_percentile(&latencies, percentile);
}

/* Returns whether PERCENTILE of LIST is shown if COUNT requests count. */
static bool
is_percentile_shown(const struct percentiles *list, const struct percentile *percentile,
                    uint64_t count)
{
    if (list->is_given)
        return count > 0;
    return count >= percentile_min_samples(percentile);
}

unsigned
percentiles_shown(const struct percentiles *list, uint64_t count)
{
    unsigned shown = 0;

    for (int i = 0; i < list->count; i++)
        if (is_percentile_shown(list, &list->list[i], count))
            shown |= 1u << i;
    return shown;
}

/* The largest bound, in ns. It is below HISTOGRAM_MAX_LATENCY, so that counts are exact.
 */
#define MAX_BOUND (3600 * SECOND)

/* The size of the buffer for the text of a bound. The text of every valid time is
 * shorter. */
#define BOUND_TEXT 48

/* OCTAVE(k) is the bound 1 us * 2^k. HALVES(k) is OCTAVE(k) and a bound in the middle of
 * the octave above it. This middle should be sqrt(2) times OCTAVE(k), but it must also be
 * the upper bound of a histogram bin. For k = 0 the bins there are 8 ns wide, so 1416 ns
 * is the nearest choice to 1414 ns. */
#define OCTAVE(k) (1000LL << (k))
#define HALVES(k) OCTAVE(k), (1416LL << (k))

const struct buckets buckets_default = {
    .count = 41,
    .list = {OCTAVE(0),  OCTAVE(1),  OCTAVE(2),  OCTAVE(3),  OCTAVE(4),  HALVES(5),
             HALVES(6),  HALVES(7),  HALVES(8),  HALVES(9),  HALVES(10), HALVES(11),
             HALVES(12), HALVES(13), HALVES(14), HALVES(15), HALVES(16), HALVES(17),
             HALVES(18), HALVES(19), OCTAVE(20), OCTAVE(21), OCTAVE(22), OCTAVE(23),
             OCTAVE(24), OCTAVE(25)},
};

const char *
buckets_parse(const char *text, struct buckets *buckets)
{
    buckets->count = 0;
    for (;;) {
        char bound[BOUND_TEXT];
        int length = (int)strcspn(text, ",");
        int64_t *next = &buckets->list[buckets->count];
        if (buckets->count == BUCKETS_MAX)
            return "there can be at most 64 bounds";
        if (length >= BOUND_TEXT)
            return "not a time";

        snprintf(bound, sizeof(bound), "%.*s", length, text);
        const char *wrong = units_parse(UNITS_TIME, bound, next);
        if (wrong)
            return wrong;
        if (*next < 1)
            return "must be more than 0";
        if (*next > MAX_BOUND)
            return "must be at most an hour";
        if (buckets->count > 0 && next[0] <= next[-1])
            return "each bound must be above the one before";

        buckets->count++;
        if (text[length] == '\0')
            return NULL;
        text += length + 1;
    }
}
