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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_a_process_seldom_differ),
        cmocka_unit_test(a_fifth_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
