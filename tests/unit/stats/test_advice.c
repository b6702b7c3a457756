/* How many requests make the answer to a limit certain, for latencies that are given. */
#include "support.h"

#include "stats/advice.h"
#include "stats/slo.h"
#include "stats/stats.h"

#include <math.h>

#define LIMIT 10000000 /* ns */

/* Returns the binomial chance that at most MOST of COUNT values are above a limit, if
 * each is with the chance SHARE: a sum of terms, by logarithms of the gamma function. */
static double
chance_at_most(uint64_t most, uint64_t count, double share)
{
    double n = (double)count;
    double sum = 0;
    for (uint64_t i = 0; i <= most; i++) {
        double k = (double)i;
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) +
                   (n - k) * log1p(-share));
    }
    return sum;
}

/* Returns the chance that COUNT requests are certain to meet a limit that a share of
 * ALLOWED may exceed, where SHARE does. */
static double
chance_of_certainty(uint64_t count, double allowed, double share)
{
    double chance = 0;
    for (uint64_t above = 0; chance_at_most(above, count, allowed) <= 0.05; above++)
        chance = chance_at_most(above, count, share);
    return chance;
}

/* Records COUNT latencies, from LEAST to MOST ns at equal distances. */
static struct stats
stats_between(int count, int64_t least, int64_t most)
{
    struct stats stats = {0};
    for (int i = 0; i < count; i++) {
        struct sample sample = {.latency = least + (most - least) * i / count,
                                .size = 1,
                                .bytes = 1,
                                .verdict = VERDICT_NONE};
        stats_record(&stats, &sample);
    }
    return stats;
}

static uint64_t
find_advice(const char *percentile, const struct stats *stats, bool fails)
{
    struct percentile rank;
    struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    assert_null(percentile_parse(percentile, (int)strlen(percentile), &rank));
    return advice_requests(&rank, &latencies, LIMIT, fails);
}

/* 15 % of the share that a limit allows is expected to be above it. */
TEST(latencies_far_below_the_limit_ask_for_the_least_number)
{
    static const struct {
        const char *percentile;
        double allowed;
    } cases[] = {{"50", 0.5}, {"90", 0.1}, {"99", 0.01}, {"99.9", 0.001}};
    struct stats none = {0}, some = stats_between(50, 10000, 20000);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double allowed = cases[i].allowed;
        uint64_t advice = find_advice(cases[i].percentile, &none, false);
        assert_int_equal(find_advice(cases[i].percentile, &some, false), advice);
        assert_true(chance_of_certainty(advice, allowed, 0.15 * allowed) >= 0.9);
        assert_true(chance_of_certainty(advice - 1, allowed, 0.15 * allowed) < 0.9);
    }
    assert_int_equal(find_advice("99", &none, false), 773);
}

/* Ten of 2000 are above the limit, so 0.5 % is their share. */
TEST(a_share_that_was_seen_is_expected_again)
{
    struct stats stats = stats_between(1990, 1000, 2000);
    struct sample slow = {
        .latency = 2 * LIMIT, .size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    for (int i = 0; i < 10; i++)
        stats_record(&stats, &slow);
    uint64_t advice = find_advice("99", &stats, false);
    assert_true(chance_of_certainty(advice, 0.01, 0.005) >= 0.9);
    assert_true(chance_of_certainty(advice - 1, 0.01, 0.005) < 0.9);

    /* p99.9 fails: five times as many are above the limit as may be. */
    advice = find_advice("99.9", &stats, true);
    assert_in_range(advice, 200, 2000);
    assert_int_equal(find_advice("99.5", &stats, true), 0);
    assert_int_equal(find_advice("99.5", &stats, false), 0);
}

/* The nearer the tail comes to the limit, the more requests it takes. */
TEST(a_tail_near_the_limit_asks_for_more)
{
    static const int64_t longest[] = {LIMIT / 4, LIMIT / 2, LIMIT * 3 / 4, LIMIT * 9 / 10,
                                      LIMIT};
    uint64_t before = 0;
    for (size_t i = 0; i < LENGTH(longest); i++) {
        struct stats stats = stats_between(300, LIMIT / 10, longest[i]);
        uint64_t advice = find_advice("99", &stats, false);
        assert_true(advice >= before || advice == 0);
        assert_false(before == 0 && i > 0);
        before = advice;
    }
    assert_true(before == 0 || before > 773);
}

/* All latencies are equal, or take no time that a clock shows. */
TEST(latencies_without_a_tail_are_as_many_as_seen)
{
    struct stats equal = stats_between(300, LIMIT / 2, LIMIT / 2);
    struct stats zero = stats_between(300, 0, 0);
    assert_int_equal(find_advice("99", &equal, false), 773);
    assert_int_equal(find_advice("99", &zero, false), 773);
}
