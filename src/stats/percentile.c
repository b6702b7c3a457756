/*
 * Percentiles: reading them from options, computing them, and the scopes (all requests,
 * one operation, one part of the time) that they are computed for.
 *
 * A percentile is the nearest rank: p99 is the smallest latency that at least 99 % of the
 * requests did not exceed. Ranks are computed in integers, so that no rounding error
 * shifts a rank by one.
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
    int64_t unit = PERCENTILE_HUNDRED / 100;
    int64_t value = 0;
    int at = 0;
    for (; at < length && is_digit(text[at]) && value < PERCENTILE_HUNDRED; at++)
        value = value * 10 + (text[at] - '0') * unit;
    bool decimals = at > 0 && at + 1 < length && text[at] == '.';

    for (at += decimals; decimals && at < length && is_digit(text[at]); at++) {
        unit /= 10;
        if (unit == 0)
            return "must have at most seven decimals";
        value += (text[at] - '0') * unit;
    }

    if (at < length || value <= 0 || value >= PERCENTILE_HUNDRED ||
        length >= (int)sizeof(percentile->name))
        return wrong;

    percentile->billionths = value;
    snprintf(percentile->name, sizeof(percentile->name), "%.*s", length, text);
    return NULL;
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
        if (text[0] == 'p' && length > 1) { /* "p99", as it is printed */
            text++;
            length--;
        }

        if (list->count == PERCENTILES_MOST)
            return "there can be at most 16 percentiles";

        struct percentile *next = &list->list[list->count];
        const char *wrong = percentile_parse(text, length, next);
        for (int i = 0; !wrong && i < list->count; i++)
            if (list->list[i].billionths == next->billionths)
                wrong = "a percentile is given twice";
        if (wrong)
            return wrong;

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
    for (int i = 0; i < percentiles_default.count; i++)
        buffer_format(text, "%s%s", i ? "," : "", percentiles_default.list[i].name);
    buffer_text(text, "\n");
}

/* COUNT * billionths could overflow. So COUNT is split into whole billions, whose product
 * is exact without the division, and a rest, whose product is below 10^18. */
uint64_t
percentile_rank(const struct percentile *percentile, uint64_t count)
{
    uint64_t billion = PERCENTILE_HUNDRED;
    uint64_t share = (uint64_t)percentile->billionths;
    uint64_t rest = (count % billion * share + billion - 1) / billion;
    uint64_t rank = count / billion * share + rest;
    return rank ? rank : 1;
}

uint64_t
percentile_needs(const struct percentile *percentile)
{
    int64_t above = PERCENTILE_HUNDRED - percentile->billionths;
    uint64_t needs = (uint64_t)((PERCENTILE_HUNDRED + above - 1) / above) - 1;
    return needs ? needs : 1;
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
    bool named = scope_is_operation(scope) || scope == SCOPE_SYNC;
    return named ? operations[scope_operation(scope)].word : names[scope];
}

/* If waits are corrected, the maximum of one operation is that of all operations: a read
 * may have waited for the longest write. */
struct latencies
latencies_of(const struct stats *stats, enum scope scope)
{
    bool corrected = stats->corrected_interval > 0;
    if (scope_is_part(scope)) {
        const struct distribution *part =
            scope == SCOPE_SYNC ? &stats->sync
                                : &stats->breakdown.parts[scope - SCOPE_SUBMIT];
        return (struct latencies){&part->moments, &part->histogram, &part->histogram,
                                  part->moments.max, false};
    }

    if (scope_is_operation(scope)) {
        const struct stats_operation *own =
            stats_operation_of(stats, scope_operation(scope));
        return (struct latencies){
            &own->latency, corrected ? &own->corrected : &own->latencies, &own->latencies,
            corrected ? stats->longest_corrected : own->latency.max, corrected};
    }

    return (struct latencies){
        &stats->latency, stats_distribution(stats), &stats->latencies,
        corrected ? stats->longest_corrected : stats->latency.max, corrected};
}

struct scope_counts
scope_counts_of(const struct stats *stats, enum scope scope)
{
    if (scope_is_operation(scope)) {
        const struct stats_operation *own =
            stats_operation_of(stats, scope_operation(scope));
        return (struct scope_counts){own->requests, own->failed, own->missed, own->bytes,
                                     own->last_end};
    }

    return (struct scope_counts){stats->requests, stats->failed, stats->missed,
                                 stats->bytes, stats->last_end};
}

enum scope
scope_next(const struct stats *stats, enum scope scope)
{
    while (++scope < SCOPES)
        if (scope_is_operation(scope)
                ? stats->mix.extra_count &&
                      operation_mix_turn(&stats->mix, scope_operation(scope)) >= 0
                : latencies_of(stats, scope).moments->count > 0)
            break;
    return scope;
}

enum scope
scope_first(const struct stats *stats)
{
    return stats->mix.extra_count ? scope_next(stats, SCOPE_ALL) : SCOPE_ALL;
}

/* Returns VALUE, the middle of a bin in ns, limited to the range from LEAST to the
 * longest latency. */
static int64_t
clamp(const struct latencies *latencies, int64_t value, int64_t least)
{
    if (value <= 1 && least == 0) /* latencies of 0 and of 1 ns have the same bin */
        return 0;
    return value < least ? least : value > latencies->max ? latencies->max : value;
}

/* If there are waits, the lower limit is 0, because waits may be shorter than the
 * shortest request. */
int64_t
latencies_percentile(const struct latencies *latencies,
                     const struct percentile *percentile)
{
    const struct histogram *histogram = latencies->histogram;
    bool waited = histogram->count > latencies->moments->count;
    if (histogram->count == 0)
        return 0;

    int64_t value =
        histogram_value(histogram, percentile_rank(percentile, histogram->count));
    return clamp(latencies, value, waited ? 0 : latencies->moments->min);
}

uint64_t
latencies_above(const struct latencies *latencies, int64_t limit)
{
    const struct histogram *histogram = latencies->uncorrected;
    uint64_t above = 0;
    for (int i = HISTOGRAM_BINS; i-- > 0;)
        if (histogram->bins[i] &&
            clamp(latencies, histogram_middle(i), latencies->moments->min) > limit)
            above += histogram->bins[i];
    return above;
}

int64_t
latencies_known_percentile(const struct latencies *latencies,
                           const struct percentile *percentile)
{
    if (latencies->moments->count < percentile_needs(percentile))
        return -1;
    return latencies_percentile(latencies, percentile);
}

int64_t
stats_percentile(const struct stats *stats, const struct percentile *percentile)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    return latencies_percentile(&latencies, percentile);
}

unsigned
percentiles_shown(const struct percentiles *list, uint64_t count)
{
    unsigned shown = 0;
    for (int i = 0; i < list->count; i++)
        if (list->is_given ? count > 0 : count >= percentile_needs(&list->list[i]))
            shown |= 1u << i;
    return shown;
}

#define BOUND_MOST (3600 * SECOND) /* below HISTOGRAM_MOST, so that counts are exact */
#define BOUND_TEXT 48              /* bytes for a bound; no valid time is longer */

/* The bound in the middle of an octave should be the square root of two times the first
 * bound. It must also be the upper bound of a bin. Bins are 8 ns wide from 1024 to 2048
 * ns, so 1416 ns is the nearest choice. */
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
        char one[BOUND_TEXT];
        int length = (int)strcspn(text, ",");
        int64_t *next = &buckets->list[buckets->count];
        if (buckets->count == BUCKETS_MOST)
            return "there can be at most 64 bounds";
        if (length >= BOUND_TEXT)
            return "not a time";

        snprintf(one, sizeof(one), "%.*s", length, text);
        const char *wrong = units_parse(UNITS_TIME, one, next);
        if (wrong)
            return wrong;
        if (*next < 1 || *next > BOUND_MOST)
            return *next < 1 ? "must be more than 0" : "must be at most an hour";
        if (buckets->count > 0 && next[0] <= next[-1])
            return "each bound must be above the one before";

        buckets->count++;
        if (text[length] == '\0')
            return NULL;
        text += length + 1;
    }
}
