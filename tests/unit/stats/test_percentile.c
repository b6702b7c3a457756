/* Percentiles: their syntax, their ranks, and those that are shown. */
#include "support.h"

#include "base/time.h"
#include "stats/percentile.h"
#include "stats/stats.h"

static const char wrong[] = "not a percentile between 0 and 100";

#define HALF 500000000, "50"
#define LEAST 1, "0.0000001"
#define MOST 999999999, "99.9999999"

static void
assert_parsed(const char *text, int64_t billionths)
{
    struct percentile percentile;
    assert_null(percentile_parse(text, (int)strlen(text), &percentile));
    assert_int_equal(percentile.billionths, billionths);
    assert_string_equal(percentile.name, text);
}

TEST(percentiles_are_exact_and_keep_their_names_as_typed)
{
    static const struct {
        const char *text;
        int64_t billionths;
    } cases[] = {
        {"50", 500000000},
        {"50.0", 500000000},
        {"050", 500000000},
        {"1", 10000000},
        {"9", 90000000},
        {"33.3", 333000000},
        {"90", 900000000},
        {"99", 990000000},
        {"99.9", 999000000},
        {"99.99", 999900000},
        {"99.90", 999000000},
        {"99.9999999", 999999999},
        {"12.3456789", 123456789},
        {"0.0000001", 1},
        {"0.1", 1000000},
        {"00000099.990000", 999900000}, /* 15 characters */
        {"000000000000007", 70000000},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_parsed(cases[i].text, cases[i].billionths);
}

/* The last two are 2^64 + 50, and what makes 2^64 + 448384 billionths. */
TEST(what_is_no_percentile_is_refused)
{
    static const char *const texts[] = {"",
                                        "0",
                                        "0.0",
                                        "00",
                                        "100",
                                        "100.0",
                                        "101",
                                        "1000",
                                        "100.0000001",
                                        "-1",
                                        "-0",
                                        "+50",
                                        ".5",
                                        ".",
                                        "5.",
                                        "abc",
                                        "a50",
                                        "50a",
                                        "5e1",
                                        "0x32",
                                        "nan",
                                        "inf",
                                        " 50",
                                        "50 ",
                                        "5 0",
                                        "50%",
                                        "p50",
                                        "50.5.5",
                                        "50..5",
                                        "5.a",
                                        "5.5a",
                                        "50,",
                                        "\xd9\xa5",
                                        "18446744073709551666",
                                        "1844674407371"};
    struct percentile percentile;
    for (size_t i = 0; i < LENGTH(texts); i++) {
        const char *why = percentile_parse(texts[i], (int)strlen(texts[i]), &percentile);
        if (!why || strcmp(why, wrong) != 0)
            fail_msg("\"%s\": %s", texts[i], why ? why : "accepted");
    }
}

TEST(names_of_more_than_15_characters_are_refused)
{
    static const char text[] = "0000000000000000000050";
    struct percentile percentile;
    for (int length = 15; length <= 22; length++) {
        const char *end = text + 22 - length;
        const char *why = percentile_parse(end, length, &percentile);
        assert_true(length > 15 ? why && strcmp(why, wrong) == 0 : why == NULL);
    }
}

TEST(eight_decimals_are_refused)
{
    static const char *const texts[] = {"99.99999999", "0.00000001", "50.00000000"};
    struct percentile percentile;
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(
            percentile_parse(texts[i], (int)strlen(texts[i]), &percentile),
            "must have at most seven decimals");
}

TEST(no_more_than_the_length_is_read)
{
    struct percentile percentile;
    assert_null(percentile_parse("99=10ms", 2, &percentile));
    assert_string_equal(percentile.name, "99");
    assert_null(percentile_parse("99.95", 4, &percentile));
    assert_string_equal(percentile.name, "99.9");
    assert_int_equal(percentile.billionths, 999000000);
    assert_string_equal(percentile_parse("99.9", 3, &percentile), wrong);
    assert_string_equal(percentile_parse("50", 0, &percentile), wrong);
}

TEST(lists_keep_their_order)
{
    struct percentiles list;
    static const char *const names[] = {"99.99", "50", "095", "0.1"};
    static const int64_t billionths[] = {999900000, 500000000, 950000000, 1000000};
    memset(&list, 0xff, sizeof(list));
    assert_null(percentiles_parse("99.99,50,095,0.1", &list));
    assert_int_equal(list.count, 4);
    assert_true(list.is_given);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(list.list[i].name, names[i]);
        assert_int_equal(list.list[i].billionths, billionths[i]);
    }
}

TEST(none_is_a_list_of_nothing)
{
    struct percentiles list;
    memset(&list, 0xff, sizeof(list));
    assert_null(percentiles_parse("none", &list));
    assert_int_equal(list.count, 0);
    assert_true(list.is_given);
}

TEST(lists_with_anything_else_are_refused)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", wrong},
        {",", wrong},
        {"50,", wrong},
        {",50", wrong},
        {"50,,99", wrong},
        {"50, 99", wrong},
        {"50;99", wrong},
        {"50 99", wrong},
        {"50,100", wrong},
        {"0,50", wrong},
        {"50,abc,99", wrong},
        {"none,50", wrong},
        {"50,none", wrong},
        {"none,", wrong},
        {"None", wrong},
        {"nothing", wrong},
        {"50,99.99999999", "must have at most seven decimals"},
        {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
         "there can be at most 16 percentiles"},
        {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0,17", wrong},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct percentiles list;
        const char *why = percentiles_parse(cases[i].text, &list);
        if (!why || strcmp(why, cases[i].why) != 0)
            fail_msg("\"%s\": %s", cases[i].text, why ? why : "accepted");
    }
}

/* As they are printed, and as -slo has them. */
TEST(percentiles_may_begin_with_a_p)
{
    struct percentiles list;
    assert_null(percentiles_parse("p99,50,p99.9", &list));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.list[0].name, "99");
    assert_string_equal(list.list[2].name, "99.9");
    assert_non_null(percentiles_parse("p", &list));
    assert_non_null(percentiles_parse("pp99", &list));
}

TEST(sixteen_are_the_most)
{
    struct percentiles list;
    assert_null(percentiles_parse("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", &list));
    assert_int_equal(list.count, 16);
    assert_string_equal(list.list[0].name, "1");
    assert_string_equal(list.list[15].name, "16");
    assert_int_equal(list.list[15].billionths, 160000000);
}

TEST(the_default_is_50_90_99_and_99_9)
{
    struct percentiles list;
    assert_null(percentiles_parse("50,90,99,99.9", &list));
    list.is_given = false;
    assert_memory_equal(&list, &percentiles_default, sizeof(list));
}

TEST(small_sets_have_the_ranks_computed_by_hand)
{
    static const struct {
        struct percentile percentile;
        uint64_t ranks[12]; /* of 1 to 12 values */
    } cases[] = {
        {{LEAST}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {{250000000, "25"}, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}},
        {{333000000, "33.3"}, {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}},
        {{HALF}, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}},
        {{500000001, "50.0000001"}, {1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7}},
        {{900000000, "90"}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10, 11}},
        {{990000000, "99"}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
        {{MOST}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (uint64_t count = 1; count <= 12; count++)
            assert_int_equal(percentile_rank(&cases[i].percentile, count),
                             cases[i].ranks[count - 1]);
}

TEST(large_sets_have_exact_ranks)
{
    static const uint64_t counts[] = {100,       1000,       1001,      4294967296,
                                      INT64_MAX, 1ull << 63, UINT64_MAX};
    static const struct {
        struct percentile percentile;
        uint64_t ranks[7];
    } cases[] = {
        {{LEAST}, {1, 1, 1, 5, 9223372037, 9223372037, 18446744074}},
        {{333000000, "33.3"},
         {34, 333, 334, 1430224110, 3071382888272640344, 3071382888272640345,
          6142765776545280688}},
        {{HALF},
         {50, 500, 501, 2147483648, 4611686018427387904, 4611686018427387904,
          9223372036854775808u}},
        {{900000000, "90"},
         {90, 900, 901, 3865470567, 8301034833169298227, 8301034833169298228,
          16602069666338596454u}},
        {{990000000, "99"},
         {99, 990, 991, 4252017624, 9131138316486228049, 9131138316486228050,
          18262276632972456099u}},
        {{999000000, "99.9"},
         {100, 999, 1000, 4290672329, 9214148664817921032, 9214148664817921033,
          18428297329635842064u}},
        {{999900000, "99.99"},
         {100, 1000, 1001, 4294537800, 9222449699651090330, 9222449699651090331,
          18444899399302180660u}},
        {{MOST},
         {100, 1000, 1001, 4294967292, 9223372027631403771, 9223372027631403772,
          18446744055262807542u}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (size_t k = 0; k < 7; k++)
            assert_true(percentile_rank(&cases[i].percentile, counts[k]) ==
                        cases[i].ranks[k]);
}

static const struct {
    struct percentile percentile;
    uint64_t needs;
} needed[] = {
    {{LEAST}, 1},
    {{333000000, "33.3"}, 1},
    {{HALF}, 1},
    {{500000001, "50.0000001"}, 2},
    {{666666666, "66.6666666"}, 2},
    {{666666667, "66.6666667"}, 3},
    {{750000000, "75"}, 3},
    {{900000000, "90"}, 9},
    {{950000000, "95"}, 19},
    {{990000000, "99"}, 99},
    {{999000000, "99.9"}, 999},
    {{999900000, "99.99"}, 9999},
    {{MOST}, 999999999},
};

TEST(it_takes_so_many_to_know_a_percentile)
{
    for (size_t i = 0; i < LENGTH(needed); i++)
        assert_int_equal(percentile_min_samples(&needed[i].percentile), needed[i].needs);
}

TEST(the_rank_is_the_last_up_to_that_many)
{
    for (size_t i = 0; i < LENGTH(needed); i++) {
        uint64_t needs = needed[i].needs;
        assert_int_equal(percentile_rank(&needed[i].percentile, needs), needs);
        assert_int_equal(percentile_rank(&needed[i].percentile, needs + 1), needs);
    }
}

TEST(unasked_those_are_shown_that_there_are_enough_for)
{
    static const struct {
        uint64_t count;
        unsigned shown; /* a bit each: 50, 90, 99, 99.9 */
    } cases[] = {{0, 0},  {1, 1},   {2, 1},    {8, 1},     {9, 3},          {98, 3},
                 {99, 7}, {998, 7}, {999, 15}, {1000, 15}, {UINT64_MAX, 15}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(percentiles_shown(&percentiles_default, cases[i].count),
                         cases[i].shown);
}

TEST(those_asked_for_are_shown_from_one_request_on)
{
    static const uint64_t counts[] = {1, 9, 10, 99, 100, 999, 1000};
    struct percentiles list;
    assert_null(percentiles_parse("99.9999999,50,1", &list));
    assert_int_equal(percentiles_shown(&list, 0), 0);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(percentiles_shown(&list, counts[i]), 7);
    assert_null(percentiles_parse("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", &list));
    assert_int_equal(percentiles_shown(&list, 1), 0xffff);
}

TEST(of_none_none_are_shown)
{
    struct percentiles list;
    assert_null(percentiles_parse("none", &list));
    assert_int_equal(percentiles_shown(&list, 0), 0);
    assert_int_equal(percentiles_shown(&list, 1000000), 0);
}

static int64_t
distribution_percentile(const struct distribution *distribution,
                        const struct percentile *percentile)
{
    const struct latencies latencies = {&distribution->moments, &distribution->histogram,
                                        &distribution->histogram,
                                        distribution->moments.max, false};
    return latencies_percentile(&latencies, percentile);
}

/* 99 ms lie in a step whose middle is above them. */
TEST(a_percentile_of_a_distribution_is_not_outside_of_it)
{
    static const struct percentile half = {HALF}, most = {MOST};
    struct distribution one = {0}, many = {0};
    assert_int_equal(distribution_percentile(&one, &half), 0);
    distribution_record(&one, 99000000);
    assert_int_equal(distribution_percentile(&one, &half), 99000000);
    for (int i = 1; i <= 100; i++)
        distribution_record(&many, i);
    assert_int_equal(distribution_percentile(&many, &half), 50);
    assert_int_equal(distribution_percentile(&many, &most), 100);
}

/* The 99th percentile of 98 values is their maximum, so it says nothing. */
TEST(a_percentile_of_too_few_is_not_known)
{
    static const struct percentile *list = percentiles_common.list; /* p50, p99 */
    struct stats stats = {0};
    struct sample sample = {.latency = MS, .verdict = VERDICT_NONE};
    const struct latencies latencies = latencies_of(&stats, SCOPE_ALL);
    assert_int_equal(latencies_known_percentile(&latencies, &list[0]), -1);
    for (int i = 1; i <= 100; i++) {
        stats_record(&stats, &sample);
        struct latencies now = latencies_of(&stats, SCOPE_ALL);
        assert_int_equal(latencies_known_percentile(&now, &list[0]), MS);
        assert_int_equal(latencies_known_percentile(&now, &list[1]), i < 99 ? -1 : MS);
    }
}
