/*
 * The advice of a limit that is not certain: a run with as many requests is certain in 9
 * of 10 cases. Runs are simulated, so that the true percentile is known.
 */
#include "support.h"

#include "base/error.h"
#include "base/random.h"
#include "run/outcome.h"
#include "stats/advice.h"
#include "stats/slo.h"
#include "stats/track.h"

#include <math.h>

#define SERIES_ROOM 32768 /* entries */
#define LIMIT 10000000    /* ns */

/* A run that is simulated, and the one limit that it is checked against. */
static struct series_entry entries[SERIES_ROOM];
static struct time_series series;
static struct slos slos;
static struct outcome outcome;

/* Returns a random number above 0 and below 1. */
static double
draw(struct random *random)
{
    return ((double)random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

/* Returns a random number of the standard normal distribution (Box, Muller: "A note on
 * the generation of random normal deviates", 1958). */
static double
draw_normal(struct random *random)
{
    double radius = sqrt(-2 * log(draw(random)));
    return radius * cos(2 * acos(-1) * draw(random));
}

/* The share of values that are larger than Z in the standard normal distribution. */
static double
share_above(double z)
{
    return erfc(z / sqrt(2)) / 2;
}

/* Latencies of known distributions, as multiples of their 99th percentile. */
static double
exponential(double z)
{
    return log(share_above(z)) / log(0.01);
}

static double
lognormal(double z)
{
    return exp(0.3 * (z - 2.3263478740));
}

static double
uniform(double z)
{
    return (1 - share_above(z)) / 0.99;
}

/*
 * Simulates COUNT requests, each of which has a CORRELATION with the one before, and
 * checks p99, which is TRUTH ns, against LIMIT. Returns the answer.
 */
static const struct slo_answer *
simulate(struct random *random, uint64_t count, double (*latency_of)(double z),
         double truth, double correlation)
{
    struct notes notes = {0};
    struct sample sample = {.size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    double z = draw_normal(random);
    outcome = (struct outcome){.slos = &slos, .series = &series, .limits_printed = true};
    series_start(&series, entries, SERIES_ROOM, 1);
    for (uint64_t i = 0; i < count; i++) {
        z = correlation * z + sqrt(1 - correlation * correlation) * draw_normal(random);
        sample.latency = (int64_t)(truth * latency_of(z)) + 1;
        stats_record(&outcome.total, &sample);
        outcome.total.requests = i + 1;
        series_record(&series, (int64_t)i, sample.latency);
    }
    outcome_explain(&outcome, &notes);
    return &outcome.answers[0];
}

#define TRIES 50

/* The first run has 199 requests that count, which are always too few for p99. */
TEST(a_run_with_the_advised_number_is_certain_in_nine_of_ten_cases)
{
    static const struct {
        const char *name;
        double (*latency_of)(double z);
        double truth, correlation; /* truth: p99 as a part of its limit */
    } cases[] = {
        {"exponential, 50 %", exponential, 0.5, 0},
        {"exponential, 80 %", exponential, 0.8, 0},
        {"lognormal, 50 %", lognormal, 0.5, 0},
        {"lognormal, 80 %", lognormal, 0.8, 0},
        {"uniform, 50 %", uniform, 0.5, 0},
        {"uniform, 80 %", uniform, 0.8, 0},
        {"exponential, 50 %, correlated", exponential, 0.5, 0.5},
        {"lognormal, 80 %, correlated", lognormal, 0.8, 0.5},
    };
    struct random random = {7};
    slos.count = 0;
    assert_null(slos_add(&slos, "p99=10ms"));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double truth = cases[i].truth * LIMIT;
        int advised = 0;
        int certain = 0;
        for (int try = 0; try < TRIES; try++) {
            const struct slo_answer *answer =
                simulate(&random, 199, cases[i].latency_of, truth, cases[i].correlation);
            uint64_t needs = answer->samples_for_certainty;
            assert_false(answer->is_certain);
            if (needs == 0)
                continue; /* too close to call, or too dependent */
            assert_in_range(needs, 200, 100 * ADVICE_MAX);
            advised++;
            answer = simulate(&random, needs, cases[i].latency_of, truth,
                              cases[i].correlation);
            certain += answer->is_certain ? 1 : 0;
        }
        if (advised < TRIES / 3 || certain * 10 < advised * 9)
            fail_msg("%s: %d advised, %d certain", cases[i].name, advised, certain);
    }
}

/* A percentile at its limit is certain with no number of requests. Most runs say so, or
 * ask for more than ten thousand. */
TEST(a_percentile_at_its_limit_is_too_close_to_call)
{
    struct random random = {3};
    int close = 0;
    slos.count = 0;
    assert_null(slos_add(&slos, "p99=10ms"));
    for (int try = 0; try < TRIES; try++) {
        const struct slo_answer *answer = simulate(&random, 2000, exponential, LIMIT, 0);
        bool is_large = answer->samples_for_certainty > 10000;
        close += answer->is_close || is_large ? 1 : 0;
    }
    assert_in_range(close, TRIES / 2, TRIES);
}
