/* The histogram: its bins and their bounds, merging, ranks, and waits of missed
 * requests. */
#include "support.h"

#include "base/random.h"
#include "base/time.h"
#include "stats/distribution.h"

#define HOUR (3600 * 1000000000LL)
#define STEPS_OF_OCTAVE 128
#define LAST (HISTOGRAM_BINS - 1)

static const struct histogram nothing;

static void
assert_same(const struct histogram *histogram, const struct histogram *expected)
{
    assert_memory_equal(histogram, expected, sizeof(*expected));
}

/* From 1 ns to 2^42 ns and beyond, each power of two about as often as the next. */
static int64_t
any_latency(struct random *random)
{
    uint64_t bits = random_below(random, 43);
    return (int64_t)((1ull << bits) + random_below(random, 1ull << bits));
}

/* The first 256 bins are 1 ns wide, the next 128 are 2 ns, the next 4 ns. */
TEST(steps_join_and_double_in_width_every_128)
{
    int64_t bound = 0, width = 1;
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        if (bin >= 2 * STEPS_OF_OCTAVE && bin % STEPS_OF_OCTAVE == 0)
            width *= 2;
        assert_int_equal(histogram_below(bin), bound);
        bound += width;
        assert_int_equal(histogram_upto(bin), bound);
    }
    assert_int_equal(bound, 4398046511104);
    assert_int_equal(bound, HISTOGRAM_MAX_LATENCY);
    assert_true(HISTOGRAM_MAX_LATENCY > HOUR);
}

TEST(upper_bounds_belong_to_their_step_and_lower_ones_do_not)
{
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        int64_t below = histogram_below(bin), upto = histogram_upto(bin);
        assert_int_equal(histogram_bin(below + 1), bin);
        assert_int_equal(histogram_bin(below + (upto - below + 1) / 2), bin);
        assert_int_equal(histogram_bin(upto), bin);
        assert_int_equal(histogram_bin(upto + 1), bin < LAST ? bin + 1 : LAST);
    }
}

TEST(every_small_value_is_within_the_bounds_of_its_step)
{
    for (int64_t value = 1; value <= 300000; value++) {
        int bin = histogram_bin(value);
        assert_true(histogram_below(bin) < value && value <= histogram_upto(bin));
    }
}

TEST(chosen_values_have_the_step_computed_by_hand)
{
    static const struct {
        int64_t latency;
        int bin;
    } cases[] = {
        {0, 0},
        {1, 0},
        {2, 1},
        {128, 127},
        {129, 128},
        {256, 255},
        {257, 256}, /* 256 = 128 * 2: bin 128 * 1 + 128 */
        {258, 256},
        {259, 257},
        {1000, 505},        /* 999 / 4 = 249: 128 * 2 + 249 */
        {1000000, 1780},    /* 999999 / 4096 = 244: 128 * 12 + 244 */
        {1000000000, 3054}, /* 999999999 / 2^22 = 238: 128 * 22 + 238 */
        {HOUR, 4561},       /* (HOUR - 1) / 2^34 = 209: 128 * 34 + 209 */
        {HISTOGRAM_MAX_LATENCY - 1, 4607},
        {HISTOGRAM_MAX_LATENCY, 4607},
        {HISTOGRAM_MAX_LATENCY + 1, 4607},
        {2 * HISTOGRAM_MAX_LATENCY, 4607},
        {INT64_MAX, 4607},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(histogram_bin(cases[i].latency), cases[i].bin);
}

TEST(an_octave_has_128_steps)
{
    for (int bits = 8; bits <= 42; bits++)
        assert_int_equal(histogram_bin(1LL << bits) - histogram_bin(1LL << (bits - 1)),
                         128);
}

TEST(powers_of_two_of_a_microsecond_are_bounds)
{
    for (int k = 0; k <= 25; k++)
        assert_int_equal(histogram_upto(histogram_bin(US << k)), US << k);
}

TEST(a_step_is_narrower_than_a_128th_of_its_values)
{
    for (int bin = 128; bin < HISTOGRAM_BINS; bin++) {
        int64_t least = histogram_below(bin) + 1;
        assert_true((histogram_upto(bin) - least + 1) * 128 < least);
    }
}

static int64_t
value_of_one(int64_t latency)
{
    struct histogram histogram = {0};
    histogram_record(&histogram, latency);
    return histogram_value(&histogram, 1);
}

TEST(a_value_is_within_4_in_1000_of_all_of_its_step)
{
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        int64_t least = histogram_below(bin) + 1, most = histogram_upto(bin);
        int64_t value = value_of_one(least);
        assert_true(value >= least && value <= most);
        assert_true((value - least) * 1000 < 4 * least);
        assert_true((most - value) * 1000 < 4 * most);
    }
}

TEST(values_up_to_256_are_exact)
{
    for (int64_t latency = 1; latency <= 256; latency++)
        assert_int_equal(value_of_one(latency), latency);
}

TEST(recording_adds_one_to_one_step)
{
    static const int64_t latencies[] = {0, 1, 1000, 1001, HOUR, INT64_MAX};
    static const int bins[] = {0, 0, 505, 506, 4561, 4607};
    struct histogram histogram = {0}, expected = {0};
    for (int i = 0; i < 6; i++) {
        histogram_record(&histogram, latencies[i]);
        expected.count++;
        expected.bins[bins[i]]++;
        assert_same(&histogram, &expected);
    }
}

TEST(merging_parts_equals_recording_the_whole)
{
    struct histogram parts[4] = {{0}}, merged = {0}, whole = {0};
    struct random random;
    random_seed(&random, 11);
    for (int i = 0; i < 100000; i++) {
        int64_t latency = any_latency(&random);
        histogram_record(&parts[random_below(&random, 4)], latency);
        histogram_record(&whole, latency);
    }
    for (int i = 0; i < 4; i++)
        histogram_merge(&merged, &parts[i], 0, INT64_MAX);
    assert_int_equal(merged.count, 100000);
    assert_same(&merged, &whole);
}

TEST(merging_nothing_changes_nothing)
{
    struct histogram histogram = {0};
    histogram_record(&histogram, 1);
    histogram_record(&histogram, HOUR);
    struct histogram before = histogram, copy = {0};
    histogram_merge(&histogram, &nothing, 0, INT64_MAX);
    assert_same(&histogram, &before);
    histogram_merge(&copy, &histogram, 0, INT64_MAX);
    assert_same(&copy, &before);
}

/* 5001 is in a bin of 32 ns, the others in bins of 1 ns. */
TEST(ranks_count_from_the_smallest)
{
    static const int64_t recorded[] = {20, 7, 7, 100, 7, 5001, 7, 20, 7};
    static const int64_t ranked[] = {7, 7, 7, 7, 7, 20, 20, 100, 5008};
    struct histogram histogram = {0};
    for (int i = 0; i < 9; i++)
        histogram_record(&histogram, recorded[i]);
    for (int i = 0; i < 9; i++)
        assert_int_equal(histogram_value(&histogram, (uint64_t)i + 1), ranked[i]);
}

TEST(ranks_reach_into_the_first_and_the_last_step)
{
    struct histogram histogram = {0};
    histogram_record(&histogram, INT64_MAX);
    histogram_record(&histogram, 1);
    assert_int_equal(histogram_value(&histogram, 1), 1);
    assert_int_equal(histogram_value(&histogram, 2), HISTOGRAM_MAX_LATENCY - (1LL << 33));
}

static int
compare(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

TEST(counts_are_exact_at_every_bound)
{
    struct histogram histogram = {0};
    int64_t latencies[20000];
    struct random random;
    uint64_t within = 0;
    random_seed(&random, 12);
    for (int i = 0; i < 20000; i++) {
        latencies[i] = any_latency(&random);
        histogram_record(&histogram, latencies[i]);
    }
    qsort(latencies, 20000, sizeof(latencies[0]), compare);
    for (int bin = 0; bin < HISTOGRAM_BINS - 1; bin++) {
        while (within < 20000 && latencies[within] <= histogram_upto(bin))
            within++;
        assert_int_equal(histogram_count_upto(&histogram, histogram_upto(bin)), within);
    }
    assert_true(within > 19000 && within < 20000); /* the rest is beyond all bounds */
    assert_int_equal(histogram_count_upto(&histogram, HISTOGRAM_MAX_LATENCY), 20000);
}

TEST(counts_at_powers_of_two_of_a_microsecond_are_exact)
{
    struct histogram histogram = {0};
    for (int k = 0; k <= 25; k++) {
        histogram_record(&histogram, US << k);
        histogram_record(&histogram, (US << k) + 1);
    }
    for (int k = 0; k <= 25; k++)
        assert_int_equal(histogram_count_upto(&histogram, US << k), 2 * k + 1);
}

TEST(counts_go_from_nothing_to_all)
{
    struct histogram histogram = {0};
    static const int64_t latencies[] = {1,        1, 300, HOUR, HISTOGRAM_MAX_LATENCY,
                                        INT64_MAX};
    static const struct {
        int64_t limit;
        uint64_t count;
    } cases[] = {{-1, 0},
                 {0, 0},
                 {1, 2},
                 {298, 2},
                 {299, 2},
                 {300, 3},
                 {HISTOGRAM_MAX_LATENCY - (1LL << 34), 4},
                 {INT64_MAX, 6},
                 {HISTOGRAM_MAX_LATENCY, 6}};
    for (int i = 0; i < 6; i++)
        histogram_record(&histogram, latencies[i]);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(histogram_count_upto(&nothing, cases[i].limit), 0);
        assert_int_equal(histogram_count_upto(&histogram, cases[i].limit),
                         cases[i].count);
    }
}

/* One by one, as the definition says. */
static void
record_waits_slowly(struct histogram *histogram, int64_t latency, int64_t every)
{
    for (int64_t wait = latency - every; wait > 0; wait -= every)
        histogram_record(histogram, wait);
}

TEST(waits_equal_those_recorded_one_by_one)
{
    struct random random;
    random_seed(&random, 13);
    for (int i = 0; i < 3000; i++) {
        struct histogram histogram = {0}, expected = {0};
        int64_t latency = any_latency(&random);
        int64_t least = latency / 1000 + 1; /* not more than 1000 of them */
        int64_t every = least + (int64_t)random_below(&random, (uint64_t)least * 4);
        histogram_record_waits(&histogram, latency, every, 0);
        record_waits_slowly(&expected, latency, every);
        assert_same(&histogram, &expected);
    }
}

TEST(all_short_waits_equal_those_recorded_one_by_one)
{
    for (int64_t latency = 0; latency <= 600; latency += latency < 20 ? 1 : 29)
        for (int64_t every = 1; every <= latency + 2; every++) {
            struct histogram histogram = {0}, expected = {0};
            histogram_record_waits(&histogram, latency, every, 0);
            record_waits_slowly(&expected, latency, every);
            assert_same(&histogram, &expected);
        }
}

TEST(waits_join_what_is_there)
{
    struct histogram histogram = {0}, expected = {0};
    static const int64_t latencies[] = {35, 35, 25, 15, 5, 100};
    histogram_record(&histogram, 35);
    histogram_record(&histogram, 100);
    histogram_record_waits(&histogram, 45, 10, 0);
    for (int i = 0; i < 6; i++)
        histogram_record(&expected, latencies[i]);
    assert_same(&histogram, &expected);
}

TEST(nothing_waits_for_a_latency_up_to_the_interval)
{
    static const int64_t latencies[] = {0, 1, 2, 1000, HOUR, INT64_MAX - 1};
    struct histogram histogram = {0};
    for (int i = 0; i < 6; i++) {
        histogram_record_waits(&histogram, latencies[i], INT64_MAX, 0);
        histogram_record_waits(&histogram, latencies[i], latencies[i] + 1, 0);
        if (latencies[i])
            histogram_record_waits(&histogram, latencies[i], latencies[i], 0);
    }
    assert_same(&histogram, &nothing);
}

/* Counts the values OFFSET, OFFSET + EVERY, and so on that are at most LIMIT. */
static int64_t
count_upto(int64_t limit, int64_t offset, int64_t every)
{
    return limit < offset ? 0 : (limit - offset) / every + 1;
}

TEST(billions_of_waits_are_counted_in_their_steps)
{
    static const struct {
        int64_t latency, every, waits;
        int64_t least; /* the shortest wait */
    } cases[] = {
        {HOUR, US, 3599999999, US},      {HOUR + 7, US, 3600000000, 7},
        {HOUR, 7777, 462903433, 1559}, /* 462903433 * 7777 + 1559 = HOUR */
        {HOUR, 1, HOUR - 1, 1},          {HISTOGRAM_MAX_LATENCY, 3, 1466015503701, 1},
        {3 * HOUR, US, 10799999999, US}, {INT64_MAX, 1, INT64_MAX - 1, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct histogram histogram = {0};
        int64_t least = cases[i].least, every = cases[i].every, seen = 0;
        histogram_record_waits(&histogram, cases[i].latency, every, 0);
        assert_int_equal(histogram.count, cases[i].waits);
        for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
            int64_t upto = count_upto(histogram_upto(bin), least, every);
            if (bin == LAST || upto > cases[i].waits)
                upto = cases[i].waits;
            assert_int_equal(histogram.bins[bin], upto - seen);
            seen = upto;
        }
    }
}

/* 900, 800 ... 100: those that are above what was idle. */
TEST(waits_of_requests_that_were_not_due_are_left_out)
{
    static const struct {
        int64_t idle;
        uint64_t count;
    } cases[] = {{0, 9}, {99, 9}, {100, 8}, {450, 5}, {899, 1}, {900, 0}, {1000, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct histogram histogram = {0};
        histogram_record_waits(&histogram, 1000, 100, cases[i].idle);
        assert_int_equal(histogram.count, cases[i].count);
        assert_int_equal(histogram_count_upto(&histogram, cases[i].idle - 10), 0);
    }
}
