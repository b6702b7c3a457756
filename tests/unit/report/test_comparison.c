/* The table of several targets, to the byte. */
#include "golden.h"

#include "base/time.h"
#include "report/comparison.h"
#include "report/writers.h"
#include "stats/comparison.h"
#include "stats/slo.h"
#include "stats/stats.h"

/* A target whose requests take so long: COUNT of them LATENCY, and MORE of them SLOWER.
 * The bounds of its ratios, of p50 and p99, are not known if they are 0. */
struct device {
    const char *name;
    int count;
    int64_t latency;
    int more;
    int64_t slower;
    double bounds[COMPARISON_FIGURES][2];
};

#define MOST 6

static struct stats all_stats[MOST];

static struct stats *
stats_of(struct stats *stats, const struct device *device)
{
    struct sample sample = {.verdict = VERDICT_NONE};
    memset(stats, 0, sizeof(*stats));
    for (int i = 0; i < device->count + device->more; i++) {
        sample.latency = i < device->count ? device->latency : device->slower;
        stats_record(stats, &sample);
    }
    return stats;
}

/* Fills COUNT rows as comparison_fill does. */
static void
fill_rows(struct comparison_row *rows, const struct device *devices, int count)
{
    assert_true(count <= MOST);
    for (int i = 0; i < count; i++) {
        struct stats *stats = stats_of(&all_stats[i], &devices[i]);
        rows[i] = (struct comparison_row){
            .rank = i + 1, .name = devices[i].name, .stats = stats};
        for (int k = 0; k < COMPARISON_FIGURES; k++) {
            const double *bounds = devices[i].bounds[k];
            int64_t value = stats_percentile(stats, &percentiles_common.list[k]);
            rows[i].figures[k].value = value;
            rows[i].figures[k].count = stats->latency.count;
            if (rows[i].figures[k].count > rows[0].figures[k].count)
                rows[i].figures[k].count = rows[0].figures[k].count;
            rows[i].figures[k].bounds =
                (struct interval){bounds[1] > 0, bounds[0], bounds[1]};
            if (i > 0 && rows[0].figures[k].value > 0)
                rows[i].figures[k].ratio =
                    (double)value / (double)rows[0].figures[k].value;
        }
    }
}

/* Fails unless exactly what tests/golden/NAME has was written. */
static void
compare(const struct buffer *text, const char *name)
{
    assert_false(text->failed);
    golden_compare(text->text, text->length, name);
}

static struct buffer
table_of_rows(const struct comparison_row *rows, int count, bool recorded,
              const struct slos *slos, int limit)
{
    struct plan plan = {.mode = recorded ? MODE_COMPARE : MODE_RUN};
    static struct job no_log; /* only a report of one job looks at its job */
    struct report report = {.plan = &plan,
                            .jobs = &no_log,
                            .job_count = count,
                            .is_terminal = limit > 0,
                            .columns = limit};
    if (slos)
        plan.statistics.slos = *slos;
    comparison_format(&report, rows);
    return report.text;
}

static struct buffer
table_for(int limit, const struct device *devices, int count, const char *with,
          const struct slos *slos)
{
    struct comparison_row rows[MOST];
    fill_rows(rows, devices, count);
    if (with)
        assert_string_equal(rows->name, with);
    return table_of_rows(rows, count, with != NULL, slos, limit);
}

static struct buffer
table_of(const struct device *devices, int count, const char *with,
         const struct slos *slos)
{
    return table_for(0, devices, count, with, slos);
}

static void
check(const struct device *devices, int count, const char *with, const struct slos *slos,
      const char *name)
{
    struct buffer text = table_of(devices, count, with, slos);
    compare(&text, name);
    buffer_free(&text);
}

static const struct device gp3 = {"/mnt/gp3", 99, 246900, 0, 0, {{0}}},
                           nfs = {"/mnt/nfs", 0, 0, 0, 0, {{0}}};

/* One is much slower, one differs by its tail alone. */
TEST(changes_are_those_from_the_first_row)
{
    const struct device devices[] = {
        {"/mnt/gp2", 1960, 576900, 39, 1440000, {{0}}},
        {"/mnt/gp3", 1960, 561000, 39, 1710000, {{0.94, 1.004}, {1.0921, 1.268}}},
        {"/mnt/hdd", 1999, 8 * MS, 0, 0, {{13.56, 14.1}, {5.2, 5.81}}},
    };
    check(devices, 3, NULL, NULL, "comparison_three");
}

/* No two of them are known to differ. */
TEST(nothing_is_the_fastest_where_nothing_is_ranked)
{
    static const int places[][2] = {{0, 0}, {1, 1}, {1, 0}, {1, 2}};
    const struct device devices[] = {{"a", 9, MS, 0, 0, {{0}}},
                                     {"b", 9, 2 * MS, 0, 0, {{0}}}};
    for (size_t i = 0; i < LENGTH(places); i++) {
        struct comparison_row rows[2];
        fill_rows(rows, devices, 2);
        for (int k = 0; k < 2; k++)
            rows[k].rank = places[i][k];
        struct buffer text = table_of_rows(rows, 2, false, NULL, 0);
        assert_contains(text.text, i == 3 ? "\n--- comparison, fastest first ---\n"
                                          : "\n--- comparison ---\n");
        buffer_free(&text);
    }
}

/* What is not certain has its legend, each once. */
TEST(what_may_be_none_is_marked_and_what_is_not_known)
{
    const struct device devices[] = {
        {"a", 500, 1000000, 0, 0, {{0}}},
        {"b", 500, 1050000, 0, 0, {{0.98, 1.12}, {0.97, 1.22}}},
        {"c", 60, 1500000, 0, 0, {{1.4, 1.6}, {0, 0}}},
        {"d", 500, 500000, 0, 0, {{0.41, 0.6299}, {0.33, 1.5}}},
        {"e", 9, 9000000, 0, 0, {{0}}},
    };
    check(devices, 5, NULL, NULL, "comparison_marks");
}

TEST(files_are_compared_with_the_first_by_its_name)
{
    const struct device devices[] = {
        {"gp\n2", 1960, 576900, 39, 1440000, {{0}}},
        {"gp3", 1960, 561000, 39, 1710000, {{0.94, 1.004}, {1.0921, 1.268}}},
    };
    struct slos slos = {0};
    check(devices, 2, "gp\n2", NULL, "comparison_files");
    assert_null(slos_add(&slos, "p50=+1%"));
    assert_null(slos_add(&slos, "p99=+30%"));
    check(devices, 2, "gp\n2", &slos, "comparison_files_slo");
}

TEST(with_limits_there_is_a_column_for_them)
{
    const struct device devices[] = {
        gp3, {"/mnt/hdd", 100, 8 * MS, 0, 0, {{31.9, 32.8}, {0}}}, nfs};
    struct slos slos = {0};
    assert_null(slos_add(&slos, "max=1ms"));
    check(devices, 3, NULL, &slos, "comparison_slo");
}

TEST(there_is_a_table_if_nothing_counted)
{
    const struct device devices[] = {{"/b", 0, 0, 0, 0, {{0}}},
                                     {"/a", 0, 0, 0, 0, {{0}}}};
    check(devices, 2, NULL, NULL, "comparison_nothing");
}

/* The columns of changes would be empty. */
TEST(a_recorded_run_alone_has_no_changes)
{
    const struct device devices[] = {{"week.hlog", 99, 1 * MS, 1, 2 * MS, {{0}}}};
    struct comparison_row row;
    fill_rows(&row, devices, 1);
    struct buffer text = table_of_rows(&row, 1, true, NULL, 0);
    assert_string_equal(text.text,
                        "--- comparison with week.hlog ---\n"
                        "file        requests        p50        p99        max\n"
                        "week.hlog        100    1.00 ms    1.00 ms       2 ms\n");
    buffer_free(&text);
}

/* A character has one column, and a byte that is none as well. */
TEST(names_cannot_drive_the_terminal_and_are_aligned)
{
    const struct device devices[] = {
        {"/mnt/gr\xc3\xb6\xc3\x9f"
         "e",
         1,
         1 * MS,
         0,
         0,
         {{0}}},
        {"/mnt/\xff\xfe", 1, 2 * MS, 0, 0, {{0}}},
        {"/a\nb\x9b", 1, 3 * MS, 0, 0, {{0}}},
        {"/\xe2\x82\xac\xf0\x9d\x84\x9e", 1, 4 * MS, 0, 0, {{0}}}};
    check(devices, 4, NULL, NULL, "comparison_utf8");
}

/* The columns that are missing are those that tell least of the difference. */
TEST(a_terminal_has_the_columns_that_fit)
{
    static const struct {
        const char *path, *head;
        int limit;
    } cases[] = {
        {"/mnt/hdd", "requests p50 change p99 change max avg iops", 200},
        {"/mnt/hdd", "requests p50 change p99 change max avg", 112},
        {"/mnt/hdd", "requests p50 change p99 change max", 102},
        {"/mnt/hdd", "p50 change p99 change", 80},
        {"/mnt/a-path/that-is/rather/long", "\np50 change p99 change", 80},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct device devices[] = {
            {"/mnt/gp2", 1960, 576900, 39, 1440000, {{0}}},
            {"/mnt/gp3", 1960, 561000, 39, 1710000, {{0.94, 1.004}, {1.0921, 1.268}}},
            {cases[i].path, 1999, 8 * MS, 0, 0, {{13.56, 14.1}, {5.2, 5.81}}},
        };
        struct buffer text = table_for(cases[i].limit, devices, 3, NULL, NULL);
        char head[128] = "", *at = strstr(text.text, "\ntarget");
        assert_non_null(at);
        bool alone = at[strlen("\ntarget")] == '\n';
        const char *line = at + strlen("\ntarget") + alone;
        char *words = strndup(line, strcspn(line, "\n"));
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
            snprintf(head + strlen(head), sizeof(head) - strlen(head), "%s%s",
                     head[0] ? " "
                     : alone ? "\n"
                             : "",
                     word);
        free(words);
        assert_string_equal(head, cases[i].head);
        for (at = text.text; *at; at += strcspn(at, "\n") + 1)
            if ((int)strcspn(at, "\n") > cases[i].limit)
                fail_msg("wider than %d: %s", cases[i].limit, text.text);
        assert_contains(text.text, "(+9.2..+27)");
        buffer_free(&text);
    }
}

TEST(columns_are_as_wide_as_their_widest_entry)
{
    const struct device devices[] = {
        {"a", 99, 1, 0, 0, {{0}}},
        {"b", 99, 4392000 * MS, 0, 0, {{4.1e12, 4.5e12}, {2, 4.5e12}}}};
    struct comparison_row rows[2];
    fill_rows(rows, devices, 2);
    all_stats[1].latency.count = 1234567890;
    all_stats[1].latency.sum = 1234567890 * (2000 * MS);
    struct buffer text = table_of_rows(rows, 2, false, NULL, 0);
    compare(&text, "comparison_wide");
    buffer_free(&text);
}

/* Check what the second of two has for its median: bounds are rounded to the outside. */
TEST(changes_are_rounded_and_bounds_away_from_them)
{
    static const struct {
        int64_t first, second;
        double low, high;
        const char *change;
    } cases[] = {
        {7, 7, 0.99, 1.01, " +0.0 % (~) "},
        {10000, 9996, 0.99, 1.01, " +0.0 % (~) "},
        {10000, 9994, 0.99, 1.01, " -0.1 % (~) "},
        {10000, 10006, 0.99, 1.01, " +0.1 % (~) "},
        {1000, 1188, 1.0923, 1.268, " +18.8 % (+9.2..+27) "},
        {1000, 1102, 1.1, 1.104, " +10.2 % (+10..+11) "},
        {1000, 1094, 1.0899, 1.0991, " +9.4 % (+8.9..+10) "},
        {1000, 900, 0.85, 0.95, " -10.0 % (-15..-5.0) "},
        {1000, 900, 0.8501, 0.9501, " -10.0 % (-15..-4.9) "},
        {1000, 10, 0.01, 0.0199, " -99.0 % (-99..-98) "},
        {1000, 10, 0.005, 0.0199, " 0.010x (0.0050x..0.020x) "},
        {1000, 9900, 9.5, 9.99, " +890.0 % (+850..+899) "},
        {1000, 9999, 9.5, 10.2, " 10.0x (9.5x..10.2x) "},
        {1000, 1640, 1.28, 259.2, " 1.6x (1.2x..260x) "},
        {1000, 10000, 9.51, 10.2, " 10.0x (9.5x..10.2x) "},
        {1000, 99949, 90, 123.456, " 99.9x (90.0x..124x) "},
        {1000, 100000, 99.5, 123.456, " 100x (99.5x..124x) "},
        {1000, 9, 0.0081, 0.012, " 0.0090x (0.0081x..0.012x) "},
        {100000000, 9, 8e-8, 1.2e-7, " 0.000000090x (0.000000080x..0.00000012x) "},
        {1, INT64_MAX, 4.3e12, 9.3e18,
         " 9223372036854775808x (4300000000000x..9300000000000000000x) "},
        {1000, 1188, 1.0923, INFINITY, " +18.8 % (+9.2..) "},
        {1000, 900, 0, 0.9501, " -10.0 % (..-4.9) "},
        {1000, 18000, 12.1, INFINITY, " 18.0x (12.1x..) "},
        {1000, 18000, 1.5, INFINITY, " 18.0x (1.5x..) "},
        {1000, 5, 0, 0.5, " 0.0050x (..0.50x) "},
        {0, 1000, 0, 0, "         -           "},
        {0, 0, 0, 0, "         -           "},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct device devices[] = {
            {"a", 1, cases[i].first, 0, 0, {{0}}},
            {"b", 1, cases[i].second, 0, 0, {{cases[i].low, cases[i].high}, {0}}}};
        struct buffer text = table_of(devices, 2, NULL, NULL);
        const char *row = strstr(text.text, "\nb ");
        if (!row || !strstr(row, cases[i].change))
            fail_msg("%lld, %lld: %s", (long long)cases[i].first,
                     (long long)cases[i].second, text.text);
        buffer_free(&text);
    }
}

TEST(bounds_that_are_both_open_are_not_known)
{
    const struct interval open = {.is_known = true, .low = 0, .high = INFINITY};
    char change[COMPARISON_TEXT], bounds[COMPARISON_TEXT];
    comparison_describe(26.6, &open, change, bounds);
    assert_string_equal(change, "26.6x");
    assert_string_equal(bounds, "(?)");
}

/* The table has the same mark for it as the verdict on a limit. */
TEST(a_change_without_a_bound_is_not_known)
{
    const struct device devices[] = {
        {"a", 500, MS, 0, 0, {{0}}},
        {"b", 500, 2 * MS, 0, 0, {{1.9, 2.1}, {0, INFINITY}}}};
    struct slos slos = {0};
    struct comparison_row rows[2];
    struct buffer text = table_of(devices, 2, NULL, NULL);
    assert_contains(text.text, "+100.0 % (+90..+110)       2 ms   +100.0 % (?) ");
    assert_contains(text.text, "\n? unsure: too few independent requests (run longer)\n");
    assert_lacks(text.text, "~");
    buffer_free(&text);

    assert_null(slos_add(&slos, "p99=+10%"));
    fill_rows(rows, devices, 2);
    rows[1].figures[COMPARISON_FIGURES] = rows[1].figures[1];
    rows[1].figures[COMPARISON_FIGURES].verdict = SLO_UNKNOWN;
    struct plan plan = {.statistics.slos = slos};
    struct report report = {.plan = &plan, .job_count = 2};
    comparison_limits(&report, &rows[1]);
    assert_string_equal(report.text.text, "b: p99 < +10%: UNKNOWN, +100.0 % (?)\n");
    buffer_free(&report.text);
}

/* The 99th percentile of 98 requests would be their maximum. */
TEST(a_percentile_of_too_few_requests_is_not_shown_and_neither_is_its_change)
{
    const struct device few = {"few", 98, 250000, 0, 0, {{0.9, 1.1}, {0.9, 1.1}}},
                        enough = {"enough", 99, 250000, 0, 0, {{0.9, 1.1}, {0.9, 1.1}}};
    static const char *const lines[] = {
        "\nfew            98     250 us         -              -         -         250 "
        "us",
        "\nenough         99     250 us    +0.0 % (~)     250 us         -         250 "
        "us",
        "\nenough         99     250 us         -         250 us         -         250 "
        "us",
        "\nfew            98     250 us    +0.0 % (~)          -         -         250 "
        "us",
        "\nenough         99     250 us    +0.0 % (~)     250 us    +0.0 % (~)     250 "
        "us",
    };
    const struct device begins_few[] = {few, enough}, ends_few[] = {enough, few},
                        without_few[] = {enough, enough};

    struct buffer first = table_of(begins_few, 2, NULL, NULL);
    struct buffer second = table_of(ends_few, 2, NULL, NULL);
    struct buffer third = table_of(without_few, 2, NULL, NULL);

    assert_contains(first.text, lines[0]);
    assert_contains(first.text, lines[1]);
    assert_contains(second.text, lines[2]);
    assert_contains(second.text, lines[3]);
    assert_contains(third.text, lines[4]);
    buffer_free(&first);
    buffer_free(&second);
    buffer_free(&third);
}

TEST(one_request_has_a_median)
{
    const struct device target = {"/one", 1, 250000, 0, 0, {{0}}};
    struct buffer text = table_of(&target, 1, NULL, NULL);
    assert_contains(text.text, "\n/one            1     250 us         -              -"
                               "         -         250 us     250 us   4 k\n");
    buffer_free(&text);
}

/* The second largest of 100 is the 99th percentile. */
TEST(the_tail_is_not_the_largest)
{
    const struct device devices[] = {{"a", 99, 1003520, 1, 9 * MS, {{0}}},
                                     {"b", 98, 1003520, 2, 9 * MS, {{0}}}};
    struct buffer text = table_of(devices, 2, NULL, NULL);
    assert_contains(text.text, "\na             100    1.00 ms         -        1.00 ms"
                               "          -           9 ms    1.08 ms   922\n");
    assert_contains(text.text, "\nb             100    1.00 ms    +0.0 % (?)       9 ms"
                               "   +796.8 % (?)       9 ms    1.16 ms   859\n");
    buffer_free(&text);
}

/* 60 of 100 in 2 ms, the others in 50 ms. */
TEST(a_broken_limit_goes_before_one_that_is_not_known)
{
    static const struct device target = {"/t", 60, 2 * MS, 40, 50 * MS, {{0}}};
    static const struct {
        const char *limits[3], *verdict;
    } cases[] = {
        {{"max=50ms"}, "   OK\n"},
        {{"max=49ms"}, "  FAIL\n"},
        {{"p99.9=1h"}, "  UNKNOWN\n"},
        {{"iops=40", "p50=3ms"}, "   OK\n"},
        {{"iops=1k", "p50=3ms"}, "  FAIL\n"},
        {{"p50=3ms", "min=1ms"}, "  FAIL\n"},
        {{"p99.9=1h", "max=1h"}, "  UNKNOWN\n"},
        {{"max=1h", "p99.9=1h"}, "  UNKNOWN\n"},
        {{"p99.9=1h", "max=1ms", "avg=1h"}, "  FAIL\n"},
        {{"avg=1h", "max=1ms", "p99.9=1h"}, "  FAIL\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slos slos = {0};
        for (int k = 0; k < 3 && cases[i].limits[k]; k++)
            assert_null(slos_add(&slos, cases[i].limits[k]));
        struct buffer text = table_of(&target, 1, NULL, &slos);
        size_t length = strlen(cases[i].verdict);
        if (strcmp(text.text + text.length - length, cases[i].verdict) != 0)
            fail_msg("%s: %s", cases[i].limits[0], text.text);
        buffer_free(&text);
    }
}
