/*
 * Intervals of percentiles: how often two halves of one process are called different, and
 * how often a difference is found. PAIRS=1000 tries as many pairs of each process, and
 * prints the table of the rates.
 */
#include "support.h"

#include "base/random.h"
#include "stats/bootstrap.h"
#include "stats/distribution.h"

#include <math.h>
#include <string.h>

#define MOST 4000 /* requests of a half */

/* A process that latencies come from. */
struct process {
    struct random random;
    double normal; /* the last of an autoregressive one */
    int stall;     /* requests that it still has */
};

static double
uniform(struct process *process)
{
    return ((double)(random_next(&process->random) >> 11) + 0.5) * 0x1p-53;
}

/* The transform of Box and Muller. */
static double
normal(struct process *process)
{
    double radius = sqrt(-2 * log(uniform(process)));
    return radius * cos(6.283185307179586 * uniform(process));
}

static double
regress(struct process *process, double before)
{
    process->normal =
        before * process->normal + sqrt(1 - before * before) * normal(process);
    return exp(0.3 * process->normal);
}

static double
independent(struct process *process)
{
    return regress(process, 0);
}

static double
dependent(struct process *process)
{
    return regress(process, 0.5);
}

static double
very_dependent(struct process *process)
{
    return regress(process, 0.9);
}

static double
bimodal(struct process *process)
{
    double mode = uniform(process) < 0.7 ? 1 : 10;
    return mode * exp(0.1 * normal(process));
}

/* Of 500 requests one begins a stall of 5 to 20. */
static double
stalling(struct process *process)
{
    if (!process->stall && uniform(process) < 0.002)
        process->stall = 5 + (int)random_below(&process->random, 16);
    double latency = exp(0.2 * normal(process));
    return process->stall && process->stall-- ? 20 * latency : latency;
}

/* One of 100 requests is slow: the percentile stands at the edge. */
static double
seldom_slow(struct process *process)
{
    double latency = exp(0.2 * normal(process));
    return uniform(process) < 0.01 ? 20 * latency : latency;
}

static const struct {
    const char *name;
    double (*next)(struct process *process);
} processes[] = {
    {"independent", independent},  {"AR(1) 0.5", dependent},
    {"AR(1) 0.9", very_dependent}, {"bimodal", bimodal},
    {"rare stalls", stalling},     {"slow 1 of 100", seldom_slow},
};

#define PROCESSES (sizeof(processes) / sizeof(processes[0]))

/* Fills a series with COUNT latencies of about 0.5 ms. */
static void
fill(struct time_series *series, struct series_entry *entries, size_t which,
     struct process *process, int count, double scale)
{
    series_start(series, entries, MOST + 2, 1);
    for (int i = 0; i < count; i++)
        series_record(series, i, (int64_t)(5e5 * scale * processes[which].next(process)));
}

/* Returns the percentile of all, which is the middle of a step. */
static int64_t
resample(struct bootstrap *bootstrap, struct time_series *series, int percentile,
         uint64_t seed)
{
    assert_int_equal(
        bootstrap_resample(bootstrap, series, &percentiles_common.list[percentile], seed),
        0);
    return histogram_upto(bootstrap->step);
}

static bool
differ(struct time_series *one, struct time_series *other, int percentile)
{
    static struct bootstrap first, second;
    int64_t before = resample(&first, one, percentile, 1);
    int64_t after = resample(&second, other, percentile, 2);
    struct interval ratio = bootstrap_ratio(&second, after, &first, before);
    return interval_differs(&ratio);
}

struct rates {
    int p50, p99, found; /* of the pairs */
};

/* Compares two halves of a process, and one of them with another that is 20 % slower. */
static struct rates
try_process(size_t which, int pairs, int count, bool power)
{
    static struct series_entry entries[2][MOST + 2];
    struct time_series one, other;
    struct rates rates = {0};
    for (int i = 0; i < pairs; i++) {
        struct process process = {.random = {(uint64_t)i * 1000 + which}};
        fill(&one, entries[0], which, &process, count, 1);
        fill(&other, entries[1], which, &process, count, 1);
        rates.p50 += differ(&one, &other, 0);
        rates.p99 += differ(&one, &other, 1);
        if (!power)
            continue;
        fill(&other, entries[1], which, &process, count, 1.2);
        rates.found += differ(&one, &other, 0);
    }
    return rates;
}

static void
halves_of_a_process_seldom_differ(void **state)
{
    (void)state;
    const char *wanted = getenv("PAIRS");
    int pairs = wanted ? atoi(wanted) : 60, counts[] = {400, 1000, 2000};
    for (size_t which = 0; which < PROCESSES; which++)
        for (int i = 0; i < (wanted ? 3 : 1); i++) {
            struct rates rates = try_process(which, pairs, counts[i], counts[i] == 2000);
            if (wanted)
                print_message("%-14s %5d %5.1f %5.1f %5.1f\n", processes[which].name,
                              counts[i], 100.0 * rates.p50 / pairs,
                              100.0 * rates.p99 / pairs, 100.0 * rates.found / pairs);
            assert_true(rates.p50 * 100 <= 12 * pairs);
            assert_true(rates.p99 * 100 <= 7 * pairs);
        }
}

static void
a_fifth_is_found(void **state)
{
    (void)state;
    for (size_t which = 0; which < PROCESSES; which++) {
        struct rates rates = try_process(which, 10, 2000, true);
        assert_true(rates.found >= 9);
    }
}

/* Resamples a process of MOST requests at most for the percentile, and returns its
 * interval. */
static struct interval
interval_of(size_t which, int count, int percentile, uint64_t seed)
{
    static struct series_entry entries[MOST + 2];
    struct time_series series;
    struct bootstrap bootstrap;
    struct process process = {.random = {seed}};
    fill(&series, entries, which, &process, count, 1);
    int64_t value = resample(&bootstrap, &series, percentile, 1);
    return bootstrap_interval(&bootstrap, value);
}

static void
the_value_is_within_its_interval(void **state)
{
    (void)state;
    static struct series_entry entries[MOST + 2];
    struct time_series series;
    struct bootstrap bootstrap;
    for (size_t which = 0; which < PROCESSES; which++)
        for (int percentile = 0; percentile < 2; percentile++) {
            struct process process = {.random = {which}};
            fill(&series, entries, which, &process, 400, 1);
            int64_t value = resample(&bootstrap, &series, percentile, 1);
            struct interval interval = bootstrap_interval(&bootstrap, value);
            assert_true(interval.known && interval.low > 0);
            assert_true(interval.low <= (double)value && (double)value <= interval.high);
        }
}

static void
intervals_take_enough_requests(void **state)
{
    (void)state;
    static const struct {
        int count, percentile;
        bool known;
    } cases[] = {{0, 0, false},  {1, 0, false},  {29, 0, false}, {30, 0, true},
                 {30, 1, false}, {99, 1, false}, {100, 1, true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static struct series_entry entries[MOST + 2];
        struct time_series series;
        struct bootstrap bootstrap;
        struct process process = {0};
        fill(&series, entries, 0, &process, cases[i].count, 1);
        assert_int_equal(bootstrap_resample(&bootstrap, &series,
                                            &percentiles_common.list[cases[i].percentile],
                                            1),
                         0);
        assert_int_equal(bootstrap.known, cases[i].known);
        assert_int_equal(bootstrap_interval(&bootstrap, 500000).known, cases[i].known);
        struct interval ratio = bootstrap_ratio(&bootstrap, 9, &bootstrap, 7);
        assert_int_equal(ratio.known, cases[i].known);
        assert_false(bootstrap_ratio(&bootstrap, 9, &bootstrap, 0).known);
    }
}

/* A series of some of the requests may have another percentile than all. */
static void
an_interval_holds_the_value_of_all_requests(void **state)
{
    (void)state;
    static struct series_entry entries[MOST + 2];
    struct time_series series;
    struct bootstrap bootstrap;
    struct process process = {0};
    fill(&series, entries, 0, &process, 1000, 1);
    int64_t value = resample(&bootstrap, &series, 0, 1);
    struct interval own = bootstrap_interval(&bootstrap, value);
    struct interval same = bootstrap_ratio(&bootstrap, value, &bootstrap, value);
    for (int percent = 50; percent <= 200; percent += 25) {
        double factor = percent / 100.0, moved = (double)(value * percent / 100);
        struct interval interval = bootstrap_interval(&bootstrap, (int64_t)moved);
        struct interval ratio =
            bootstrap_ratio(&bootstrap, (int64_t)moved, &bootstrap, value);
        assert_true(interval.low == fmin(own.low, moved));
        assert_true(interval.high == fmax(own.high, moved));
        assert_true(fabs(ratio.low - fmin(same.low, factor)) < 1e-5);
        assert_true(fabs(ratio.high - fmax(same.high, factor)) < 1e-5);
    }
}

/* Fills a series that keeps one of 8 requests of two modes, each of a half of them.
 * Returns the median of all. */
static int64_t
fill_modes(struct time_series *series, struct series_entry *entries,
           struct process *process)
{
    static struct histogram all;
    int count = 8 * 1000;
    memset(&all, 0, sizeof(all));
    series_start(series, entries, 2000, 1);
    for (int i = 0; i < count; i++) {
        double mode = uniform(process) < 0.5 ? 1e5 : 1e6;
        int64_t latency = (int64_t)(mode * exp(0.1 * normal(process)));
        series_record(series, i, latency);
        all.steps[histogram_step(latency)]++;
    }
    uint64_t below = 0, rank = percentile_rank(&percentiles_common.list[0], 8 * 1000);
    int step = 0;
    while ((below += all.steps[step]) < rank)
        step++;
    return histogram_upto(step);
}

static void
halves_of_which_some_requests_are_known_seldom_differ(void **state)
{
    (void)state;
    static struct series_entry entries[2][2000];
    static struct bootstrap first, second;
    struct time_series one, other;
    int pairs = 60, differing = 0;
    for (int i = 0; i < pairs; i++) {
        struct process process = {.random = {(uint64_t)i * 1000}};
        int64_t before = fill_modes(&one, entries[0], &process);
        int64_t after = fill_modes(&other, entries[1], &process);
        resample(&first, &one, 0, 1);
        resample(&second, &other, 0, 2);
        struct interval ratio = bootstrap_ratio(&second, after, &first, before);
        differing += interval_differs(&ratio);
    }
    assert_true(differing * 100 <= 7 * pairs);
}

static void
the_same_seed_resamples_in_the_same_way(void **state)
{
    (void)state;
    static struct series_entry entries[MOST + 2];
    static struct bootstrap one, same, other;
    struct time_series series;
    struct process process = {0};
    fill(&series, entries, 0, &process, 1000, 1);
    resample(&one, &series, 0, 7);
    resample(&same, &series, 0, 7);
    resample(&other, &series, 0, 8);
    assert_memory_equal(one.steps, same.steps, sizeof(one.steps));
    assert_memory_not_equal(one.steps, other.steps, sizeof(one.steps));
}

/* As the series of several workers have them. */
static void
entries_are_put_in_the_order_of_their_starts(void **state)
{
    (void)state;
    static struct series_entry entries[MOST + 2];
    static struct bootstrap ordered, mixed;
    struct time_series series;
    struct process process = {0};
    fill(&series, entries, 2, &process, 1000, 1);
    resample(&ordered, &series, 0, 1);
    for (int i = 0; i < series.used; i++) {
        int other = (int)random_below(&process.random, (uint64_t)series.used);
        struct series_entry entry = entries[i];
        entries[i] = entries[other];
        entries[other] = entry;
    }
    resample(&mixed, &series, 0, 1);
    assert_memory_equal(ordered.steps, mixed.steps, sizeof(ordered.steps));
    for (int i = 0; i < series.used; i++)
        assert_int_equal(entries[i].start, i);
}

/* Nothing varies but what is not known of a latency within its step. */
static void
equal_latencies_are_known_to_their_step(void **state)
{
    (void)state;
    static struct series_entry entries[MOST + 2];
    struct time_series series;
    struct bootstrap bootstrap;
    for (int count = 100; count <= MOST; count *= 4)
        for (int percentile = 0; percentile < 2; percentile++) {
            series_start(&series, entries, MOST + 2, 1);
            for (int i = 0; i < count; i++)
                series_record(&series, i, 500000);
            resample(&bootstrap, &series, percentile, 1);
            struct interval interval = bootstrap_interval(&bootstrap, 500000);
            struct interval ratio =
                bootstrap_ratio(&bootstrap, 500000, &bootstrap, 500000);
            int step = histogram_step(500000);
            assert_true(interval.low == (double)histogram_below(step) + 1);
            assert_true(interval.high == (double)histogram_upto(step));
            assert_true(ratio.low >= 0.992 && ratio.low < 1);
            assert_true(ratio.high <= 1.008 && ratio.high > 1);
        }
}

/* The 99th of 100 is known to be no more than the largest, and no less than the others:
 * one that is slow may as well be two, and two one. */
static void
extremes_are_bounds_where_little_is_beyond(void **state)
{
    (void)state;
    for (int slow = 1; slow <= 2; slow++) {
        static struct series_entry entries[MOST + 2];
        struct time_series series;
        struct bootstrap bootstrap;
        series_start(&series, entries, MOST + 2, 1);
        for (int i = 0; i < 100; i++)
            series_record(&series, i, i % 50 == 20 && i < slow * 50 ? 9000000 : 1000000);
        int64_t value = resample(&bootstrap, &series, 1, 1);
        struct interval interval = bootstrap_interval(&bootstrap, value);
        assert_true(histogram_step(value) ==
                    histogram_step(slow == 1 ? 1000000 : 9000000));
        assert_true(interval.low > 990000 && interval.low < 1010000);
        assert_true(interval.high > 8900000 && interval.high < 9100000);
    }
}

static void
intervals_are_narrower_of_more_requests(void **state)
{
    (void)state;
    for (size_t which = 0; which < 3; which++) {
        double before = 1000;
        for (int count = 60; count < MOST; count *= 4) {
            double sum = 0;
            for (uint64_t seed = 0; seed < 10; seed++) {
                struct interval interval = interval_of(which, count, 0, seed);
                sum += log(interval.high / interval.low) / 10;
            }
            assert_true(sum < before / 1.4);
            before = sum;
        }
    }
}

static int
compare_latencies(const void *left, const void *right)
{
    const struct series_entry *a = left, *b = right;
    return (a->latency > b->latency) - (a->latency < b->latency);
}

/*
 * The interval of a quantile of independent values is that between two of them in
 * ascending order, whose ranks are quantiles of the binomial distribution (Conover,
 * "Practical nonparametric statistics", 3.2): 469 and 532 of 1000 for the median, and 983
 * and 997 for the 99th percentile. Ours is wider by the resolution, and as it does not
 * know that they are independent.
 */
static void
independent_latencies_have_about_the_binomial_interval(void **state)
{
    (void)state;
    static const struct {
        int low, high;
        double narrowest, widest; /* how much wider ours may be */
    } cases[] = {{469, 532, 0.9, 1.2}, {983, 997, 0.85, 1.35}};
    for (int percentile = 0; percentile < 2; percentile++) {
        static struct series_entry entries[MOST + 2];
        double wider = 0;
        for (uint64_t seed = 0; seed < 50; seed++) {
            struct time_series series;
            struct process process = {.random = {seed}};
            struct interval ours = interval_of(0, 1000, percentile, seed);
            fill(&series, entries, 0, &process, 1000, 1);
            qsort(entries, 1000, sizeof(entries[0]), compare_latencies);
            double low = (double)entries[cases[percentile].low - 1].latency;
            double high = (double)entries[cases[percentile].high - 1].latency;
            assert_true(fabs(log(ours.low / low)) < 0.2);
            assert_true(fabs(log(ours.high / high)) < 0.5);
            wider += (log(ours.high / ours.low) - 0.008) / log(high / low) / 50;
        }
        if (getenv("PAIRS"))
            print_message("binomial interval x %.2f\n", wider);
        if (wider < cases[percentile].narrowest || wider > cases[percentile].widest)
            fail_msg("%d: %f", percentile, wider);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_a_process_seldom_differ),
        cmocka_unit_test(a_fifth_is_found),
        cmocka_unit_test(the_value_is_within_its_interval),
        cmocka_unit_test(intervals_take_enough_requests),
        cmocka_unit_test(an_interval_holds_the_value_of_all_requests),
        cmocka_unit_test(halves_of_which_some_requests_are_known_seldom_differ),
        cmocka_unit_test(the_same_seed_resamples_in_the_same_way),
        cmocka_unit_test(entries_are_put_in_the_order_of_their_starts),
        cmocka_unit_test(equal_latencies_are_known_to_their_step),
        cmocka_unit_test(extremes_are_bounds_where_little_is_beyond),
        cmocka_unit_test(intervals_are_narrower_of_more_requests),
        cmocka_unit_test(independent_latencies_have_about_the_binomial_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
