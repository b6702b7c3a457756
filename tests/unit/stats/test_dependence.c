/* How many requests of a series are worth an independent one. */
#include "support.h"

#include "base/random.h"
#include "stats/dependence.h"

#define MOST 60000

static struct series_entry entries[MOST + 2];
static struct random dice;

static double
uniform(void)
{
    return ((double)(random_next(&dice) >> 11) + 0.5) * 0x1p-53;
}

static struct dependence
find(const struct time_series *series, const char *name)
{
    struct percentile percentile;
    struct dependence dependence;
    assert_null(percentile_parse(name, (int)strlen(name), &percentile));
    assert_int_equal(dependence_find(&dependence, series, &percentile), 0);
    return dependence;
}

/* Returns the dependence of COUNT latencies of 0.1 to 1.1 ms, of which SIZE that follow
 * each other are alike. */
static struct dependence
find_clusters(int count, int size, const char *percentile)
{
    struct time_series series;
    int64_t latency = 0;
    dice = (struct random){(uint64_t)(count + size)};
    series_start(&series, entries, MOST + 2, 1);
    for (int i = 0; i < count; i++) {
        if (i % size == 0)
            latency = 100000 + (int64_t)(1e6 * uniform());
        series_record(&series, i, latency);
    }
    return find(&series, percentile);
}

TEST(as_many_as_are_alike_are_worth_one)
{
    static const int sizes[] = {1, 2, 8, 50, 300, 1000};
    static const char *const percentiles[] = {"50", "95"};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (size_t k = 0; k < LENGTH(percentiles); k++) {
            struct dependence is = find_clusters(MOST, sizes[i], percentiles[k]);
            if (is.autocorrelation_time < 0.8 * sizes[i] ||
                is.autocorrelation_time > 1.7 * sizes[i] || !is.is_known)
                fail_msg("%d, p%s: %f", sizes[i], percentiles[k],
                         is.autocorrelation_time);
        }
}

/* The median's series of a normal process whose correlation is R has the correlation 2 /
 * pi * asin(R) (Sheppard, "On the application of the theory of error to cases of normal
 * distribution and normal correlation", Philosophical Transactions A 192, 1899). */
TEST(an_autoregressive_process_has_its_time)
{
    static const double correlations[] = {0.3, 0.7, 0.95, 0.995};
    for (size_t i = 0; i < LENGTH(correlations); i++) {
        double before = correlations[i], value = 0, expected = 1;
        struct time_series series;
        dice = (struct random){i};
        series_start(&series, entries, MOST + 2, 1);
        for (int k = 0; k < MOST; k++) {
            double radius = sqrt(-2 * log(uniform()));
            double normal = radius * cos(6.283185307179586 * uniform());
            value = before * value + sqrt(1 - before * before) * normal;
            series_record(&series, k, (int64_t)(1e6 * exp(0.1 * value)));
        }
        for (double power = before; power > 1e-9; power *= before)
            expected += 2 * 0.6366197723675814 * asin(power);
        double time = find(&series, "50").autocorrelation_time;
        if (fabs(log(time / expected)) > log(1.3))
            fail_msg("%f: %f, not %f", before, time, expected);
    }
}

/* One slow one after each fast one tells more than independent ones would. */
TEST(what_alternates_is_worth_no_more_than_it_is)
{
    struct time_series series;
    series_start(&series, entries, MOST + 2, 1);
    for (int i = 0; i < 1000; i++)
        series_record(&series, i, i % 2 ? 100000 : 200000);
    assert_true(find(&series, "50").autocorrelation_time == 1);
}

/* Ranks tell that sooner than the zeros and ones of a median. */
TEST(a_short_series_that_changes_slowly_is_not_taken_for_independent)
{
    static const int64_t steps[] = {0, 1, 2, 1, 0, -1, 0, 1, 2, 3, 4, 3, 2, 3, 4};
    struct time_series series;
    series_start(&series, entries, MOST + 2, 1);
    for (size_t i = 0; i < LENGTH(steps); i++)
        series_record(&series, (int64_t)i, 500000 + 10000 * steps[i]);
    struct dependence is = find(&series, "50");
    assert_true(!is.is_known || is.drift > 0.05);
}

TEST(equal_latencies_are_independent)
{
    struct time_series series;
    series_start(&series, entries, MOST + 2, 1);
    for (int i = 0; i < DEPENDENCE_MIN; i++)
        series_record(&series, i, 100000);
    struct dependence is = find(&series, "99");
    assert_true(is.is_known && is.autocorrelation_time == 1 && is.drift == 0);
}

/* Stores latencies of two states, the second from entry 41 of 100 on, and the last. */
static struct dependence
find_states(int64_t first, int64_t second, int64_t last, const char *percentile)
{
    struct time_series series;
    series_start(&series, entries, MOST + 2, 1);
    for (int i = 0; i < 100; i++)
        series_record(&series, i, i < 41 ? first : i < 99 ? second : last);
    return find(&series, percentile);
}

/* The larger is the largest of all, or not. */
TEST(two_states_of_equal_latencies_are_seen)
{
    static const int64_t last[] = {20000000, 50000000};
    for (size_t i = 0; i < LENGTH(last); i++) {
        assert_false(find_states(1000, 20000000, last[i], "50").is_known);
        assert_false(find_states(1000, 20000000, last[i], "90").is_known);
        assert_false(find_states(20000000, 1000, last[i], "50").is_known);
    }
}

/* A clock that is late for a while is no state of a device. What is known then is no more
 * exact than the clock was. */
TEST(two_states_that_are_close_are_a_drift)
{
    static const struct {
        int64_t second;
        double low, high; /* of the drift, as a factor */
        bool known;
    } cases[] = {
        {20400000, 1.03, 1.1, true},
        {25000000, 1.5, 2.5, true},
        {80000000, 1, 1, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct dependence is = find_states(20000000, cases[i].second, 50000000, "50");
        assert_int_equal(is.is_known, cases[i].known);
        assert_true(exp(is.drift) >= cases[i].low && exp(is.drift) <= cases[i].high);
        assert_true(!is.is_known || is.autocorrelation_time == 1);
    }
}

/* A stall is seen by those that it holds up, of which few are beyond the percentile. */
TEST(a_cluster_is_seen_below_a_high_percentile)
{
    struct time_series series;
    dice = (struct random){1};
    series_start(&series, entries, MOST + 2, 1);
    for (int i = 0; i < 1000; i++)
        series_record(&series, i,
                      (int64_t)(1e5 + 1e4 * uniform()) * (i / 20 == 13 ? 20 : 1));
    double time = find(&series, "99.5").autocorrelation_time;
    assert_true(time > 10 && time < 40);
}

/* A few clusters tell no more than very wide bounds. */
TEST(nothing_is_known_exactly_of_too_few)
{
    static const struct {
        int count, size;
        bool exact;
    } cases[] = {{0, 1, false},    {1, 1, false},      {DEPENDENCE_MIN - 1, 1, false},
                 {100, 20, false}, {1000, 200, false}, {1000, 1, true},
                 {1000, 10, true}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct dependence is = find_clusters(cases[i].count, cases[i].size, "50");
        assert_int_equal(is.is_known && is.drift == 0, cases[i].exact);
        assert_true(!is.is_known || is.drift == 0 || is.drift > 0.3);
    }
}
