/* The comparison of rows: their ratios, their order, and limits that are relative. */
#include "support.h"

#include "base/random.h"
#include "base/time.h"
#include "stats/comparison.h"

#define ROWS 5
#define ROOM 2048

/* What a row has recorded. */
struct recorded {
    struct stats stats;
    struct time_series series;
    struct series_entry entries[ROOM];
};

static struct recorded recorded[ROWS];

static const struct slos none;

/* Latencies from LOW to twice that, each equally likely. */
struct device {
    const char *name;
    int count;
    int64_t low;
};

static void
record(struct recorded *into, int64_t start, int64_t latency)
{
    struct sample sample = {.start = start, .latency = latency, .verdict = VERDICT_NONE};
    stats_record(&into->stats, &sample);
    series_record(&into->series, start, latency);
}

/* Corrected for the interval EVERY, unless that is 0. */
static struct comparison_row
corrected_row_of(int number, const struct device *device, int64_t every)
{
    struct recorded *into = &recorded[number];
    struct random random = {(uint64_t)number};
    memset(&into->stats, 0, sizeof(into->stats));
    into->stats.corrected_interval = every;
    series_start(&into->series, into->entries, ROOM, 1);
    for (int i = 0; i < device->count; i++)
        record(into, i,
               device->low + (int64_t)random_below(&random, (uint64_t)device->low));
    return (struct comparison_row){
        .name = device->name, .stats = &into->stats, .series = &into->series};
}

static struct comparison_row
row_of(int number, const struct device *device)
{
    return corrected_row_of(number, device, 0);
}

/* Fills COUNT rows and compares them. */
static void
compare(struct comparison_row *rows, const struct device *devices, int count, bool ranked)
{
    assert_true(count <= ROWS);
    for (int i = 0; i < count; i++)
        rows[i] = row_of(i, &devices[i]);
    assert_int_equal(comparison_fill(rows, count, &none, ranked), 0);
}

/* Fills both rows with a limit that is relative, and returns what becomes of it. */
static struct comparison_figure
check(struct comparison_row *rows, const struct device *devices, const char *limit)
{
    struct slos slos = {0};
    assert_null(slos_add(&slos, limit));
    for (int i = 0; i < 2; i++)
        rows[i] = row_of(i, &devices[i]);
    assert_int_equal(comparison_fill(rows, 2, &slos, false), 0);
    return rows[1].figures[COMPARISON_FIGURES];
}

TEST(ratios_are_to_the_first_row_and_within_their_bounds)
{
    static const struct device devices[] = {
        {"a", 1000, MS}, {"b", 1000, 2 * MS}, {"c", 1000, MS / 2}};
    struct comparison_row rows[3];
    compare(rows, devices, 3, false);
    for (int i = 1; i < 3; i++)
        for (int k = 0; k < COMPARISON_FIGURES; k++) {
            double ratio =
                (double)rows[i].figures[k].value / (double)rows[0].figures[k].value;
            const struct interval *bounds = &rows[i].figures[k].bounds;
            assert_true(fabs(rows[i].figures[k].ratio - ratio) < 1e-12);
            assert_true(bounds->is_known);
            assert_true(bounds->low <= ratio && ratio <= bounds->high);
            assert_true(fabs(ratio * (i == 1 ? 0.5 : 2) - 1) < 0.1);
            assert_true(interval_differs(bounds));
        }
}

TEST(values_are_those_of_the_statistics)
{
    static const struct device devices[] = {{"a", 1000, MS}, {"b", 7, 2 * MS}};
    struct comparison_row rows[2];
    compare(rows, devices, 2, false);
    for (int i = 0; i < 2; i++) {
        assert_true(rows[i].figures[0].value ==
                    stats_percentile(&recorded[i].stats, &percentiles_common.list[0]));
        assert_true(rows[i].figures[1].value ==
                    stats_percentile(&recorded[i].stats, &percentiles_common.list[1]));
    }
}

/* The 99th percentile takes 99 requests, of a row and of the first. */
TEST(a_change_is_shown_if_both_rows_have_enough_requests)
{
    static const struct device devices[] = {
        {"a", 99, MS}, {"b", 98, MS}, {"c", 1000, MS}};
    const struct percentile *p99 = &percentiles_common.list[1];
    struct comparison_row rows[3];

    compare(rows, devices, 3, false);
    assert_true(comparison_is_shown(&rows[0].figures[1], p99));
    assert_false(comparison_is_shown(&rows[1].figures[1], p99));
    assert_true(comparison_is_shown(&rows[2].figures[1], p99));

    compare(rows, devices + 1, 2, false);
    assert_false(comparison_is_shown(&rows[1].figures[1], p99));
    assert_true(comparison_is_shown(&rows[1].figures[0], &percentiles_common.list[0]));
}

TEST(the_first_row_is_compared_with_nothing)
{
    static const struct device devices[] = {{"a", 1000, MS}, {"b", 1000, MS}};
    struct comparison_row rows[2];
    compare(rows, devices, 2, false);
    for (int k = 0; k < COMPARISON_FIGURES; k++) {
        assert_true(rows[0].figures[k].ratio == 0); /* there is none */
        assert_false(rows[0].figures[k].bounds.is_known);
    }
}

TEST(the_same_rows_have_the_same_bounds_again)
{
    static const struct device devices[] = {{"a", 500, MS}, {"b", 500, MS}};
    struct comparison_row rows[2], again[2];
    compare(rows, devices, 2, true);
    compare(again, devices, 2, true);
    for (int k = 0; k < COMPARISON_FIGURES; k++) {
        assert_true(rows[1].figures[k].bounds.low == again[1].figures[k].bounds.low);
        assert_true(rows[1].figures[k].bounds.high == again[1].figures[k].bounds.high);
    }
}

/* The names of rows, one letter each. */
static const char *
order_of(const struct comparison_row *rows, int count)
{
    static char names[ROWS + 1];
    for (int i = 0; i < count; i++)
        names[i] = rows[i].name[0];
    names[count] = '\0';
    return names;
}

TEST(only_rows_that_differ_are_ranked)
{
    static const struct {
        struct device devices[ROWS];
        int count;
        const char *order, *places;
    } cases[] = {
        /* All differ. */
        {{{"a", 500, 4 * MS}, {"b", 500, 1 * MS}, {"c", 500, 2 * MS}}, 3, "bca", "123"},
        /* None does. */
        {{{"a", 500, MS}, {"b", 500, MS}, {"c", 500, MS}, {"d", 500, MS}},
         4,
         "abcd",
         "1111"},
        /* Two groups: each stays as it was given. */
        {{{"a", 500, 2 * MS},
          {"b", 500, MS},
          {"c", 500, 2 * MS},
          {"d", 500, MS},
          {"e", 500, 2 * MS}},
         5,
         "bdace",
         "11222"},
        /* Of too few nothing is known: behind the others, as they were given. */
        {{{"a", 14, 8 * MS}, {"b", 14, MS}, {"c", 2, MS / 8}}, 3, "abc", "000"},
        {{{"a", 500, 8 * MS}, {"b", 14, 9 * MS}, {"c", 500, MS}, {"d", 14, 9}},
         4,
         "cabd",
         "1200"},
        /* Of nothing not even that. */
        {{{"a", 0, MS}, {"b", 500, 2 * MS}, {"c", 0, MS}, {"d", 500, MS}},
         4,
         "dbac",
         "1200"},
        {{{"a", 0, MS}, {"b", 9, MS}, {"c", 0, MS}, {"d", 60, MS}}, 4, "dbac", "1000"},
        {{{"a", 0, MS}, {"b", 0, MS}, {"c", 0, MS}}, 3, "abc", "000"},
        {{{"a", 500, MS}}, 1, "a", "1"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct comparison_row rows[ROWS];
        compare(rows, cases[i].devices, cases[i].count, true);
        assert_string_equal(order_of(rows, cases[i].count), cases[i].order);
        for (int k = 0; k < cases[i].count; k++)
            assert_int_equal(rows[k].rank, cases[i].places[k] - '0');
    }
}

TEST(rows_that_are_not_ranked_stay_as_they_were_given)
{
    static const struct device devices[] = {
        {"a", 500, 4 * MS}, {"b", 500, MS}, {"c", 0, MS}, {"d", 500, 2 * MS}};
    struct comparison_row rows[4];
    compare(rows, devices, 4, false);
    assert_string_equal(order_of(rows, 4), "abcd");
}

TEST(bounds_take_enough_requests_of_both)
{
    static const struct {
        int first, second;
        bool known;
    } cases[] = {
        {500, 500, true}, {500, 100, true}, {500, 60, true}, {500, 14, false},
        {14, 60, false},  {500, 0, false},  {0, 500, false}, {0, 0, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct device devices[] = {{"a", cases[i].first, MS},
                                         {"b", cases[i].second, 9 * MS}};
        struct comparison_row rows[2];
        bool both = cases[i].first && cases[i].second;
        compare(rows, devices, 2, false);
        assert_int_equal(rows[1].figures[0].bounds.is_known, cases[i].known);
        assert_int_equal(rows[1].figures[1].bounds.is_known, cases[i].known);
        assert_int_equal(rows[1].figures[0].ratio > 0, both);
        assert_int_equal(rows[1].figures[1].ratio > 0, both);
    }
}

/* The waits that are added to requests are in no series. */
TEST(nothing_is_known_of_corrected_percentiles)
{
    static const struct device devices[] = {{"a", 500, MS}, {"b", 500, 9 * MS}};
    for (int number = 0; number < 2; number++) {
        struct comparison_row rows[2];
        for (int i = 0; i < 2; i++)
            rows[i] = corrected_row_of(i, &devices[i], i == number ? SECOND : 0);
        assert_int_equal(comparison_fill(rows, 2, &none, false), 0);
        for (int k = 0; k < COMPARISON_FIGURES; k++) {
            assert_true(rows[1].figures[k].ratio > 1);
            assert_false(rows[1].figures[k].bounds.is_known);
        }
    }
}

TEST(nothing_is_known_without_a_series)
{
    struct comparison_row rows[] = {row_of(0, &(struct device){"a", 500, MS}),
                                    row_of(1, &(struct device){"b", 500, 9 * MS})};
    rows[1].series = NULL;
    assert_int_equal(comparison_fill(rows, 2, &none, false), 0);
    assert_true(rows[1].figures[0].ratio > 1);
    assert_false(rows[1].figures[0].bounds.is_known);
}

/* The ratio is 2, and its bounds are about 0.1 away from it. */
TEST(a_limit_is_kept_or_broken_if_all_bounds_are_on_one_side)
{
    static const struct {
        const char *limit;
        enum slo_verdict verdict;
    } cases[] = {
        {"p50=+50%", SLO_BROKEN},   {"p50=+0%", SLO_BROKEN},  {"p50=-10%", SLO_BROKEN},
        {"p50=+100%", SLO_UNKNOWN}, {"p50=+150%", SLO_MET},   {"p99=+50%", SLO_BROKEN},
        {"p99=+150%", SLO_MET},     {"p90=+50%", SLO_BROKEN}, {"p90=+100%", SLO_UNKNOWN},
        {"p90=+150%", SLO_MET},
    };
    static const struct device devices[] = {{"a", 2000, MS}, {"b", 2000, 2 * MS}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct comparison_row rows[2];
        struct comparison_figure verdict = check(rows, devices, cases[i].limit);
        if (verdict.verdict != cases[i].verdict)
            fail_msg("%s: %d, %f..%f", cases[i].limit, (int)verdict.verdict,
                     verdict.bounds.low, verdict.bounds.high);
        assert_true(verdict.bounds.is_known);
        assert_true(fabs(verdict.ratio - 2) < 0.2);
        assert_true(verdict.bounds.low <= verdict.ratio);
        assert_true(verdict.ratio <= verdict.bounds.high);
    }
}

/* The ratio is a half. */
TEST(a_limit_may_ask_for_less)
{
    static const struct {
        const char *limit;
        enum slo_verdict verdict;
    } cases[] = {
        {"p50=-20%", SLO_MET},      {"p50=-50%", SLO_UNKNOWN}, {"p50=-80%", SLO_BROKEN},
        {"p90=-20%", SLO_MET},      {"p90=-80%", SLO_BROKEN},  {"p99=+0%", SLO_MET},
        {"p99=-99.9%", SLO_BROKEN},
    };
    static const struct device devices[] = {{"a", 2000, 2 * MS}, {"b", 2000, MS}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct comparison_row rows[2];
        assert_int_equal(check(rows, devices, cases[i].limit).verdict, cases[i].verdict);
    }
}

/* Returns the verdict on p50 if BOUND, rounded to 0.0001 % up or down, is the limit. */
static enum slo_verdict
check_at(const struct device *devices, double bound, bool up)
{
    char limit[32];
    struct comparison_row rows[2];
    double steps = (bound - 1) * 1e6;
    snprintf(limit, sizeof(limit), "p50=%+.4f%%",
             (up ? ceil(steps + 0.01) : floor(steps - 0.01)) / 1e4);
    return check(rows, devices, limit).verdict;
}

TEST(a_limit_is_certain_from_its_bounds_on)
{
    static const struct device devices[] = {{"a", 500, MS}, {"b", 500, MS}};
    struct comparison_row rows[2];
    struct interval bounds = check(rows, devices, "p50=+0%").bounds;
    assert_int_equal(check_at(devices, bounds.high, true), SLO_MET);
    assert_int_equal(check_at(devices, bounds.high, false), SLO_UNKNOWN);
    assert_int_equal(check_at(devices, bounds.low, true), SLO_UNKNOWN);
    assert_int_equal(check_at(devices, bounds.low, false), SLO_BROKEN);
}

/* Of 100 requests p99 has no upper bound: it may be broken, but is never known to be
 * kept. */
TEST(a_limit_with_an_open_bound_is_broken_or_not_certain)
{
    static const struct device devices[] = {{"a", 2000, MS}, {"b", 100, 2 * MS}};
    static const struct {
        const char *limit;
        enum slo_verdict verdict;
    } cases[] = {{"p99=+50%", SLO_BROKEN},
                 {"p99=+100%", SLO_UNKNOWN},
                 {"p99=+10000%", SLO_UNKNOWN}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct comparison_row rows[2];
        struct comparison_figure is = check(rows, devices, cases[i].limit);
        assert_int_equal(is.verdict, cases[i].verdict);
        assert_true(is.bounds.is_known && isinf(is.bounds.high));
    }
}

TEST(a_limit_on_too_few_is_not_known)
{
    static const struct {
        const char *limit;
        int count;
        double ratio; /* about */
    } cases[] = {{"p50=+10%", 14, 9},
                 {"p99=+10%", 14, 9},
                 {"p99.9=+10%", 14, 9},
                 {"p50=+10%", 0, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct device devices[] = {{"a", 2000, MS}, {"b", cases[i].count, 9 * MS}};
        struct comparison_row rows[2];
        struct comparison_figure verdict = check(rows, devices, cases[i].limit);
        assert_int_equal(verdict.verdict, SLO_UNKNOWN);
        assert_false(verdict.bounds.is_known);
        assert_true(fabs(verdict.ratio - cases[i].ratio) <= cases[i].ratio / 4);
    }
}

TEST(the_worst_verdict_on_a_row_is_that_of_all_limits)
{
    static const struct {
        const char *limits[3];
        enum slo_verdict first, second;
    } cases[] = {
        {{NULL}, SLO_MET, SLO_MET},
        {{"p50=+150%"}, SLO_MET, SLO_MET},
        {{"p50=+100%"}, SLO_MET, SLO_UNKNOWN},
        {{"p50=+50%"}, SLO_MET, SLO_BROKEN},
        {{"p50=+150%", "max=1h"}, SLO_MET, SLO_MET},
        {{"p50=+150%", "max=1us"}, SLO_BROKEN, SLO_BROKEN},
        {{"p50=+100%", "max=1us"}, SLO_BROKEN, SLO_BROKEN},
        {{"p50=+50%", "p99.99=1h"}, SLO_UNKNOWN, SLO_BROKEN},
        {{"p99.99=1h", "p50=+150%"}, SLO_UNKNOWN, SLO_UNKNOWN},
        {{"p50=+100%", "p99=+50%"}, SLO_MET, SLO_BROKEN},
        {{"p99=+50%", "p50=+100%"}, SLO_MET, SLO_BROKEN},
        {{"p50=+150%", "p50=+100%", "p99=+150%"}, SLO_MET, SLO_UNKNOWN},
    };
    static const struct device devices[] = {{"a", 2000, MS}, {"b", 2000, 2 * MS}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct comparison_row rows[2] = {row_of(0, &devices[0]), row_of(1, &devices[1])};
        struct slos list = {0};
        for (int k = 0; k < 3 && cases[i].limits[k]; k++)
            assert_null(slos_add(&list, cases[i].limits[k]));
        assert_int_equal(comparison_fill(rows, 2, &list, false), 0);
        assert_int_equal(comparison_check_all(&list, &rows[0], &rows[0]), cases[i].first);
        assert_int_equal(comparison_check_all(&list, &rows[1], &rows[0]),
                         cases[i].second);
    }
}

TEST(the_reason_of_an_unknown_difference_says_what_to_do)
{
    static const struct {
        struct comparison_figure figure;
        struct stats stats;
        const char *reason;
    } cases[] = {
        {.figure = {.interval_count = 31, .min_intervals = 176},
         .reason = "31 intervals are too few (record at least 176)"},
        {.figure = {.interval_count = 1, .min_intervals = 10},
         .reason = "1 interval is too few (record at least 10)"},
        {.reason = "too few independent requests (run longer)"},
        {{.min_intervals = 10},
         {.corrected_interval = 1},
         "percentiles are corrected (leave out -corrected)"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct buffer text = {0};
        comparison_add_reason(&text, &cases[i].figure, &cases[i].stats);
        assert_string_equal(text.text, cases[i].reason);
        buffer_free(&text);
    }
    struct buffer text = {0};
    comparison_add_reason(&text, NULL, &cases[0].stats);
    assert_string_equal(text.text, cases[2].reason);
    buffer_free(&text);
}
