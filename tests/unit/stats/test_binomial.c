/* Bounds of percentiles by the binomial distribution. */
#include "support.h"

#include "stats/binomial.h"

static struct percentile
named(const char *name)
{
    struct percentile percentile;
    assert_null(percentile_parse(name, (int)strlen(name), &percentile));
    return percentile;
}

/* Computed with exact fractions. The least numbers that have an upper bound, 59 for p95
 * and 299 for p99 at one side, are those of Wilks ("Determination of sample sizes for
 * setting tolerance limits", Annals of Mathematical Statistics 12, 1941). */
TEST(bounds_are_those_of_the_tables)
{
    static const struct {
        const char *percentile;
        uint64_t count;
        double tail;
        uint64_t lower, upper;
    } cases[] = {
        {"50", 0, 0.025, 0, 0},         {"50", 5, 0.025, 0, 0},
        {"50", 6, 0.025, 1, 6},         {"50", 100, 0.025, 40, 61},
        {"50", 1000, 0.025, 469, 532},  {"95", 58, 0.05, 52, 0},
        {"95", 59, 0.05, 53, 59},       {"95", 93, 0.05, 85, 92},
        {"95", 124, 0.05, 114, 122},    {"99", 60, 0.025, 58, 0},
        {"99", 298, 0.05, 292, 0},      {"99", 299, 0.05, 293, 299},
        {"99", 367, 0.025, 359, 0},     {"99", 368, 0.025, 360, 368},
        {"99", 1000, 0.025, 983, 997},  {"1", 367, 0.025, 0, 9},
        {"1", 368, 0.025, 1, 9},        {"0.0000001", 1, 0.025, 0, 1},
        {"99.9999999", 1, 0.025, 1, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct percentile percentile = named(cases[i].percentile);
        struct rank_bounds bounds =
            binomial_bounds(&percentile, cases[i].count, cases[i].tail);
        if (bounds.lower != cases[i].lower || bounds.upper != cases[i].upper)
            fail_msg("p%s of %d: %d, %d", percentile.name, (int)cases[i].count,
                     (int)bounds.lower, (int)bounds.upper);
    }
}

/* The term of the distribution, by its definition. */
static double
term(double share, int count, int at)
{
    return exp(lgamma(count + 1) - lgamma(at + 1) - lgamma(count - at + 1) +
               at * log(share) + (count - at) * log1p(-share));
}

TEST(chances_are_sums_of_the_terms)
{
    static const char *const names[] = {"0.1", "5", "50", "90", "99", "99.9"};
    for (size_t i = 0; i < LENGTH(names); i++)
        for (int count = 1; count <= 1000; count += count < 20 ? 1 : 140) {
            struct percentile percentile = named(names[i]);
            double share = (double)percentile.billionths / PERCENTILE_HUNDRED, sum = 0;
            for (int most = 0; most < count; most++) {
                sum += term(share, count, most);
                double chance =
                    binomial_chance(&percentile, (uint64_t)count, (uint64_t)most);
                assert_true(fabs(chance - sum) < 1e-10);
            }
        }
}

TEST(a_bound_is_the_last_that_the_chance_allows)
{
    static const char *const names[] = {"1", "50", "90", "99"};
    for (size_t i = 0; i < LENGTH(names); i++)
        for (uint64_t count = 1; count < 700; count += 3) {
            struct percentile percentile = named(names[i]);
            struct rank_bounds is = binomial_bounds(&percentile, count, 0.025);
            uint64_t upper = is.upper ? is.upper : count + 1;
            if (is.lower > 0)
                assert_true(binomial_chance(&percentile, count, is.lower - 1) <= 0.025);
            assert_true(binomial_chance(&percentile, count, is.lower) > 0.025);
            if (is.upper)
                assert_true(1 - binomial_chance(&percentile, count, upper - 1) <=
                            0.025 + 1e-12);
            assert_true(upper == 1 ||
                        1 - binomial_chance(&percentile, count, upper - 2) > 0.025);
        }
}

/* By the normal distribution, which it approaches. */
TEST(a_week_of_values_has_bounds)
{
    static const char *const names[] = {"1", "50", "99", "99.999"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        uint64_t count = 10000000000;
        struct percentile percentile = named(names[i]);
        double share = (double)percentile.billionths / PERCENTILE_HUNDRED;
        double mean = (double)count * share, deviation = sqrt(mean * (1 - share));
        struct rank_bounds is = binomial_bounds(&percentile, count, 0.025);
        assert_true(fabs((mean - (double)is.lower) / deviation - 1.96) < 0.01);
        assert_true(fabs(((double)is.upper - mean) / deviation - 1.96) < 0.01);
        assert_true(fabs(binomial_chance(&percentile, count, (uint64_t)mean) - 0.5) <
                    0.01);
    }
}

TEST(the_largest_is_a_bound_of_enough)
{
    static const struct {
        const char *percentile;
        double tail;
        uint64_t least;
    } cases[] = {
        {"50", 0.025, 6},  {"90", 0.05, 29},   {"95", 0.05, 59},
        {"99", 0.05, 299}, {"99", 0.025, 368}, {"99.9", 0.05, 2995},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct percentile percentile = named(cases[i].percentile);
        uint64_t least = cases[i].least;
        double tail = cases[i].tail;
        assert_int_equal(binomial_min_count(&percentile, tail), least);
        assert_int_equal(binomial_bounds(&percentile, least - 1, tail).upper, 0);
        assert_int_equal(binomial_bounds(&percentile, least, tail).upper, least);
    }
}

/* The middle of part I of SIZE is the first number whose chance reaches (I + 1/2) / SIZE.
 */
TEST(quantiles_are_the_middles_of_equally_likely_parts)
{
    static const char *const names[] = {"1", "50", "99"};
    static const uint64_t counts[] = {0, 1, 15, 1000};
    for (size_t i = 0; i < LENGTH(names); i++)
        for (size_t k = 0; k < LENGTH(counts); k++) {
            struct percentile percentile = named(names[i]);
            uint64_t quantiles[7];
            binomial_quantiles(&percentile, counts[k], quantiles, 7);
            for (int part = 0; part < 7; part++) {
                uint64_t middle = quantiles[part];
                double share = (part + 0.5) / 7;
                assert_true(middle <= counts[k]);
                assert_true(binomial_chance(&percentile, counts[k], middle) >= share);
                assert_true(middle == 0 ||
                            binomial_chance(&percentile, counts[k], middle - 1) < share);
            }
        }
}
