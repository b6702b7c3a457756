/*
 * Measures the cost of recording a latency. Usage:
 *
 *     record
 *
 * prints the ns of processor time per latency: of the histogram, then of
 * moments and histogram together; medians of rounds over latencies drawn
 * beforehand from a log-normal distribution around 100 us.
 */
#include "base/random.h"
#include "stats/distribution.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LATENCIES 65536
#define PASSES 64 /* over them, in a round */
#define ROUNDS 15

static int64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Above 0, up to 1. */
static double
any_share(struct random *random)
{
    return (double)((random_next(random) >> 11) + 1) / 9007199254740992.0;
}

static void
draw(int64_t *latencies)
{
    struct random random;
    random_seed(&random, 1);
    for (int i = 0; i < LATENCIES; i++) {
        double distance = sqrt(-2 * log(any_share(&random)));
        double normal = distance * cos(6.283185307179586 * any_share(&random));
        latencies[i] = (int64_t)(100000 * exp(normal));
    }
}

static double
time_histogram(const int64_t *latencies, struct histogram *histogram)
{
    int64_t began = now();
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < LATENCIES; i++)
            histogram_record(histogram, latencies[i]);
    return (double)(now() - began) / PASSES / LATENCIES;
}

static double
time_both(const int64_t *latencies, struct histogram *histogram, struct moments *moments)
{
    int64_t began = now();
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < LATENCIES; i++) {
            moments_record(moments, latencies[i]);
            histogram_record(histogram, latencies[i]);
        }
    return (double)(now() - began) / PASSES / LATENCIES;
}

static int
compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double
find_median(double *values)
{
    qsort(values, ROUNDS, sizeof(values[0]), compare);
    return values[ROUNDS / 2];
}

int
main(void)
{
    static int64_t latencies[LATENCIES];
    static struct histogram histogram;
    struct moments moments = {0};
    double alone[ROUNDS], both[ROUNDS];
    draw(latencies);
    time_histogram(latencies, &histogram); /* for the caches */
    for (int round = 0; round < ROUNDS; round++) {
        alone[round] = time_histogram(latencies, &histogram);
        both[round] = time_both(latencies, &histogram, &moments);
    }
    if (histogram.count != (2 * ROUNDS + 1) * (uint64_t)PASSES * LATENCIES ||
        moments.count != ROUNDS * (uint64_t)PASSES * LATENCIES)
        return 1;
    printf("record %.2f\n", find_median(alone));
    printf("record-with-moments %.2f\n", find_median(both));
    return 0;
}
