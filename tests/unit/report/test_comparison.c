/* The table of several targets, to the byte. */
#include "golden.h"

#include "base/time.h"
#include "report/writers.h"
#include "stats/slo.h"
#include "stats/stats.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A target whose requests take so long: COUNT of them LATENCY, and MORE of them SLOWER.
 */
struct device {
    const char *name;
    int count;
    int64_t latency;
    int more;
    int64_t slower;
};

#define MOST 4

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

/* Fails unless exactly what tests/golden/NAME has was written. */
static void
compare(const struct buffer *text, const char *name)
{
    char path[1100];
    size_t size;
    const char *source = getenv("IOPING_SOURCE");
    snprintf(path, sizeof(path), "%s/tests/golden/%s", source ? source : ".", name);
    char *expected = golden_read(path, &size);
    assert_false(text->failed);
    if (text->length != size || memcmp(text->text, expected, size) != 0)
        fail_msg("%s: expected:\n%s\nwritten:\n%s", name, expected, text->text);
    free(expected);
}

static struct buffer
table_of(const struct device *devices, int count, const struct slos *slos)
{
    static const struct slos none;
    struct comparison_row rows[MOST];
    struct buffer text = {0};
    assert_true(count <= MOST);
    for (int i = 0; i < count; i++)
        rows[i] = (struct comparison_row){devices[i].name,
                                          stats_of(&all_stats[i], &devices[i])};
    comparison_format(&text, rows, count, slos ? slos : &none, false);
    return text;
}

static void
check(const struct device *devices, int count, const struct slos *slos, const char *name)
{
    struct buffer text = table_of(devices, count, slos);
    compare(&text, name);
    buffer_free(&text);
}

static const struct device gp3 = {"/mnt/gp3", 99, 246900, 0, 0},
                           hdd = {"/mnt/hdd", 100, 8 * MS, 0, 0},
                           nfs = {"/mnt/nfs", 0, 0, 0, 0};

static void
the_fastest_is_first(void **state)
{
    (void)state;
    const struct device devices[] = {
        gp3, {"/mnt/gp2", 60, 241500, 39, 1440000}, {"/dev/nvme1n1", 1000, 80000, 0, 0}};
    check(devices, 3, NULL, "comparison_three");
}

static void
with_limits_there_is_a_column_for_them(void **state)
{
    (void)state;
    const struct device devices[] = {nfs, hdd, gp3};
    struct slos slos = {0};
    assert_null(slos_add(&slos, "max=1ms"));
    check(devices, 3, &slos, "comparison_slo");
}

static void
there_is_a_table_if_nothing_counted(void **state)
{
    (void)state;
    const struct device devices[] = {{"/b", 0, 0, 0, 0}, {"/a", 0, 0, 0, 0}};
    check(devices, 2, NULL, "comparison_nothing");
}

/* A character has one column, and a byte that is none as well. */
static void
names_cannot_drive_the_terminal_and_are_aligned(void **state)
{
    (void)state;
    const struct device devices[] = {{"/mnt/gr\xc3\xb6\xc3\x9f"
                                      "e",
                                      1, 1 * MS, 0, 0},
                                     {"/mnt/\xff\xfe", 1, 2 * MS, 0, 0},
                                     {"/a\nb\x9b", 1, 3 * MS, 0, 0},
                                     {"/\xe2\x82\xac\xf0\x9d\x84\x9e", 1, 4 * MS, 0, 0}};
    check(devices, 4, NULL, "comparison_utf8");
}

static void
columns_are_as_wide_as_their_widest_entry(void **state)
{
    (void)state;
    const struct device devices[] = {{"a", 1, 1, 0, 0}, {"b", 1, 4392000 * MS, 0, 0}};
    const struct slos none = {0};
    struct buffer text = {0};
    stats_of(&all_stats[0], &devices[0]);
    stats_of(&all_stats[1], &devices[1])->latency.count = 1234567890;
    all_stats[1].latency.sum = 1234567890 * (2000 * MS);
    const struct comparison_row rows[] = {{"a", &all_stats[0]}, {"b", &all_stats[1]}};
    comparison_format(&text, rows, 2, &none, false);
    compare(&text, "comparison_wide");
    buffer_free(&text);
}

/* The first words of the rows, a space after each. */
static char *
names_in(const struct buffer *text)
{
    static char names[256];
    const char *line = strstr(text->text, "\ntarget ");
    assert_non_null(line);
    names[0] = '\0';
    for (line = strchr(line + 1, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
        sprintf(names + strlen(names), "%.*s ", (int)strcspn(line + 1, " "), line + 1);
    return names;
}

static void
order_is_by_the_median_and_then_as_given(void **state)
{
    (void)state;
    static const struct {
        struct device devices[MOST];
        const char *order;
    } cases[] = {
        {{{"a", 3, 4, 0, 0}, {"b", 3, 3, 0, 0}, {"c", 3, 2, 0, 0}, {"d", 3, 1, 0, 0}},
         "d c b a "},
        {{{"d", 2, 7, 0, 0}, {"c", 9, 7, 0, 0}, {"b", 1, 7, 0, 0}, {"a", 5, 7, 0, 0}},
         "d c b a "},
        {{{"a", 0, 0, 0, 0}, {"b", 1, 9, 0, 0}, {"c", 0, 0, 0, 0}, {"d", 1, 0, 0, 0}},
         "d b a c "},
        /* The mean and the largest say otherwise. */
        {{{"a", 1, 5, 0, 0}, {"b", 2, 4, 1, 900}, {"c", 1, 1, 2, 6}, {"d", 9, 3, 8, 99}},
         "d b a c "},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct buffer text = table_of(cases[i].devices, MOST, NULL);
        assert_string_equal(names_in(&text), cases[i].order);
        buffer_free(&text);
    }
}

/* Check the ratio of the slower of two, the last column. */
static void
ratios_are_rounded_half_up(void **state)
{
    (void)state;
    static const struct {
        int64_t first, second;
        const char *ratio;
    } cases[] = {
        {7, 7, " 1.00x\n"},
        {200, 201, " 1.01x\n"},
        {200000, 200999, " 1.00x\n"},
        {1000, 1994, " 1.99x\n"},
        {1000, 1995, " 2.00x\n"},
        {3, 4, " 1.33x\n"},
        {3, 5, " 1.67x\n"},
        {100, 99999, " 999.99x\n"},
        {1000, 999994, " 999.99x\n"},
        {1000, 999995, " 1000x\n"},
        {1000, 1000499, " 1000x\n"},
        {1000, 1000500, " 1001x\n"},
        {999, 1000499, " 1002x\n"}, /* 1001.501 */
        {1, 4398046511105, "  4398046511105x\n"},
        {1, INT64_MAX, "  9223372036854775807x\n"},
        {2, INT64_MAX, "  4611686018427387904x\n"},
        {INT64_MAX, INT64_MAX, " 1.00x\n"},
        {INT64_MAX / 3, INT64_MAX, " 3.00x\n"},
        {0, 1000, "         -\n"},
        {0, 0, "         -\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct device devices[] = {{"a", 1, cases[i].first, 0, 0},
                                         {"b", 1, cases[i].second, 0, 0}};
        struct buffer text = table_of(devices, 2, NULL);
        size_t length = strlen(cases[i].ratio);
        if (text.length < length ||
            strcmp(text.text + text.length - length, cases[i].ratio) != 0)
            fail_msg("%lld, %lld: %s", (long long)cases[i].first,
                     (long long)cases[i].second, text.text);
        buffer_free(&text);
    }
}

/* However few the requests are. */
static void
one_request_has_all_its_values(void **state)
{
    (void)state;
    const struct device target = {"/one", 1, 250000, 0, 0};
    struct buffer text = table_of(&target, 1, NULL);
    assert_contains(text.text, "\n/one            1     250 us     250 us     250 us"
                               "     250 us   4 k     1.00x\n");
    buffer_free(&text);
}

/* The second largest of 100 is the 99th percentile. */
static void
the_tail_is_not_the_largest(void **state)
{
    (void)state;
    const struct device devices[] = {{"a", 99, 1003520, 1, 9 * MS},
                                     {"b", 98, 1003520, 2, 9 * MS}};
    struct buffer text = table_of(devices, 2, NULL);
    assert_contains(text.text, "\na             100    1.00 ms    1.00 ms       9 ms"
                               "    1.08 ms   922     1.00x\n"
                               "b             100    1.00 ms       9 ms       9 ms"
                               "    1.16 ms   859     1.00x\n");
    buffer_free(&text);
}

/* 60 of 100 in 2 ms, the others in 50 ms. */
static void
a_broken_limit_goes_before_one_that_is_not_known(void **state)
{
    (void)state;
    static const struct device target = {"/t", 60, 2 * MS, 40, 50 * MS};
    static const struct {
        const char *limits[3], *verdict;
    } cases[] = {
        {{"max=50ms"}, "   ok\n"},
        {{"max=49ms"}, "  FAIL\n"},
        {{"p99.9=1h"}, "    ?\n"},
        {{"iops=40", "p50=3ms"}, "   ok\n"},
        {{"iops=1k", "p50=3ms"}, "  FAIL\n"},
        {{"p50=3ms", "min=1ms"}, "  FAIL\n"},
        {{"p99.9=1h", "max=1h"}, "    ?\n"},
        {{"max=1h", "p99.9=1h"}, "    ?\n"},
        {{"p99.9=1h", "max=1ms", "avg=1h"}, "  FAIL\n"},
        {{"avg=1h", "max=1ms", "p99.9=1h"}, "  FAIL\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slos slos = {0};
        for (int k = 0; k < 3 && cases[i].limits[k]; k++)
            assert_null(slos_add(&slos, cases[i].limits[k]));
        struct buffer text = table_of(&target, 1, &slos);
        size_t length = strlen(cases[i].verdict);
        if (strcmp(text.text + text.length - length, cases[i].verdict) != 0)
            fail_msg("%s: %s", cases[i].limits[0], text.text);
        buffer_free(&text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_is_first),
        cmocka_unit_test(with_limits_there_is_a_column_for_them),
        cmocka_unit_test(there_is_a_table_if_nothing_counted),
        cmocka_unit_test(names_cannot_drive_the_terminal_and_are_aligned),
        cmocka_unit_test(columns_are_as_wide_as_their_widest_entry),
        cmocka_unit_test(order_is_by_the_median_and_then_as_given),
        cmocka_unit_test(ratios_are_rounded_half_up),
        cmocka_unit_test(one_request_has_all_its_values),
        cmocka_unit_test(the_tail_is_not_the_largest),
        cmocka_unit_test(a_broken_limit_goes_before_one_that_is_not_known),
    };
    return cmocka_run_group_tests_name("comparison", tests, NULL, unmount_all);
}
