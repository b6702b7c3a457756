/* Progress of a run, and the estimate of its remaining time. */
#include "mix.h"
#include "support.h"

#include "base/time.h"
#include "report/outputs.h"
#include "report/report.h"
#include "report/status.h"
#include "run/job.h"

#define BEGAN (5 * SECOND) /* by the clock of the tests */

/* One target after so many requests of 1 ms, 2 ms, and so on, and others that failed. */
static struct stats *
seen(int count, int failed)
{
    struct stats *stats = calloc(1, sizeof(*stats));
    assert_non_null(stats);
    for (int i = 1; i <= count + failed; i++) {
        struct sample sample = {.latency = i * MS, .size = 1, .bytes = 1};
        sample.verdict = i <= count ? VERDICT_NONE : VERDICT_ERROR;
        stats_record(stats, &sample);
    }
    return stats;
}

/* A plan with neither interval nor end. */
static struct plan
plain(void)
{
    return (struct plan){.io.threads = 1,
                         .pace.burst = 1,
                         .end.max_requests = UINT64_MAX,
                         .end.work_time = INT64_MAX};
}

/* Jobs with these statistics, COUNT of them; too large for a stack, so they live until
 * the next call. */
static struct job *
jobs_of(const struct stats *const *stats, int count)
{
    static struct job jobs[8];
    assert_in_range(count, 1, 8);
    memset(jobs, 0, sizeof(jobs));
    for (int i = 0; i < count; i++)
        jobs[i].stats = stats[i];
    return jobs;
}

/* The time by the clock of reports. */
static int64_t clock_now;

static int64_t
read_clock(void)
{
    return clock_now;
}

/* Begins PART of target INDEX at NOW. */
static void
begin_part(struct status *status, int index, const struct run_part *part, int64_t now)
{
    static struct job job; /* too large for a stack */
    struct report report = {.status = status, .monotonic_now = read_clock};
    clock_now = now;
    job.index = index;
    report_status.part(&report, &job, part);
}

/* Facts of so many targets with the same statistics, NOW ns after the beginning. */
static struct status_facts
gathered(const struct plan *plan, const struct stats *stats, int targets, int64_t now)
{
    struct status_facts facts;
    const struct stats *all[8];
    struct status *status = status_open(plan, targets, BEGAN);
    for (int i = 0; i < targets; i++)
        all[i] = stats;
    status_gather(status, jobs_of(all, targets), targets, BEGAN + now, &facts);
    status_close(status);
    return facts;
}

TEST(a_run_without_an_end_has_no_share_and_no_rest)
{
    struct plan plan = plain();
    struct stats *stats = seen(3, 1);
    plan.pace.interval = SECOND;
    struct status_facts facts = gathered(&plan, stats, 1, 7 * SECOND);
    assert_true(facts.share < 0);
    assert_int_equal(facts.remaining_ns, -1);
    assert_int_equal(facts.elapsed_ns, 7 * SECOND);
    assert_int_equal(facts.sweep_kind, SWEEP_NONE);
    assert_true(facts.is_endless);
    plan.end.max_requests = 100;
    assert_false(gathered(&plan, stats, 1, SECOND).is_endless);
    plan.end.max_requests = UINT64_MAX;
    plan.end.work_time = SECOND;
    assert_false(gathered(&plan, stats, 1, SECOND).is_endless);
    free(stats);
}

TEST(the_oldest_request_of_all_targets_is_waited_for)
{
    struct plan plan = plain();
    struct status_facts facts;
    struct stats *stats = seen(3, 0);
    const struct stats *all[] = {stats, stats, stats};
    struct job *jobs = jobs_of(all, 3);
    struct status *status = status_open(&plan, 3, BEGAN);
    status_gather(status, jobs, 3, BEGAN + 3 * SECOND, &facts);
    assert_int_equal(facts.oldest_age_ns, 0);
    jobs[0].in_flight.oldest_sent_at = BEGAN + SECOND;
    jobs[2].in_flight.oldest_sent_at = BEGAN + 500 * MS;
    status_gather(status, jobs, 3, BEGAN + 3 * SECOND, &facts);
    assert_int_equal(facts.oldest_age_ns, 2500 * MS);
    status_close(status);
    free(stats);
}

TEST(latencies_are_known_once_there_are_enough)
{
    static const struct {
        int count, failed;
        int64_t p50, p99, max;
    } cases[] = {
        {0, 0, -1, -1, -1}, {0, 2, -1, -1, -1},  {1, 0, 1, -1, 1},
        {2, 1, 1, -1, 2},   {98, 0, 49, -1, 98}, {99, 0, 50, 99, 99},
    };
    struct plan plan = plain();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct stats *stats = seen(cases[i].count, cases[i].failed);
        struct status_facts facts = gathered(&plan, stats, 1, SECOND);
        assert_int_equal(facts.requests, cases[i].count + cases[i].failed);
        assert_int_equal(facts.failed, cases[i].failed);
        assert_int_equal(facts.max_latency, cases[i].max < 0 ? -1 : cases[i].max * MS);
        const int64_t told[] = {facts.p50[0], facts.p99[0]},
                      right[] = {cases[i].p50, cases[i].p99};
        for (int k = 0; k < 2; k++)
            if (right[k] < 0 ? told[k] != -1
                             : llabs(told[k] - right[k] * MS) > right[k] * 4 * US)
                fail_msg("case %zu: %lld", i, (long long)told[k]);
        assert_false(facts.is_corrected);
        free(stats);
    }
}

/* Two with 100 requests of 1 to 100 ms, one with 200 of a second: half of all 400. */
TEST(several_targets_are_taken_together)
{
    struct plan plan = plain();
    struct status_facts facts;
    struct stats *both = seen(100, 1), *slow = seen(0, 0);
    struct sample sample = {.latency = SECOND, .verdict = VERDICT_NONE};
    for (int i = 0; i < 200; i++)
        stats_record(slow, &sample);
    const struct stats *const all[] = {both, slow, both};
    const struct job *jobs = jobs_of(all, 3);
    struct status *status = status_open(&plan, 3, BEGAN);
    for (int again = 0; again < 3; again++) {
        status_gather(status, jobs, 3, BEGAN + SECOND, &facts);
        assert_int_equal(facts.requests, 402);
        assert_int_equal(facts.failed, 2);
        assert_int_equal(facts.max_latency, SECOND);
        assert_in_range(facts.p50[0], 99 * MS, 101 * MS);
        assert_in_range(facts.p99[0], 996 * MS, SECOND);
        assert_int_equal(status->merged.requests, 402); /* not more each time */
    }
    status_close(status);
    free(both);
    free(slow);
}

/* One target has failed after two of 100 requests; the other has done 50. */
TEST(one_that_is_done_is_not_waited_for)
{
    struct plan plan = plain();
    struct status_facts facts;
    struct stats *early = seen(1, 1), *late = seen(49, 1);
    const struct stats *const all[] = {early, late};
    struct job *jobs = jobs_of(all, 2);
    jobs[0].has_ended = true;
    plan.end.max_requests = 100;
    struct status *status = status_open(&plan, 2, BEGAN);
    status_gather(status, jobs, 2, BEGAN + 10 * SECOND, &facts);
    assert_true(facts.share == 0.75);
    assert_int_equal(facts.remaining_ns, 10 * SECOND);
    status_close(status);
    free(early);
    free(late);
}

/* 100 reads of 1 ms, 99 writes of 2 ms with or without waits; together twice of each. */
TEST(reads_and_writes_are_apart)
{
    struct plan plan = plain();
    struct stats *stats = seen(0, 0);
    stats->mix = mix_of("rw");
    for (int i = 0; i < 197; i++) {
        bool writes = i % 2 == 1;
        struct sample sample = {.latency = writes ? 2 * MS : MS,
                                .operation = writes ? OPERATION_WRITE : OPERATION_READ,
                                .verdict = VERDICT_NONE};
        stats_record(stats, &sample);
    }
    for (int targets = 1; targets <= 2; targets++) {
        struct status_facts facts = gathered(&plan, stats, targets, SECOND);
        assert_int_equal(facts.extra_count, 1);
        assert_int_equal(facts.requests, 197 * targets);
        assert_int_equal(facts.p50[0], MS);
        assert_int_equal(facts.p99[0], MS);
        assert_int_equal(facts.p50[1], 2 * MS);
        assert_int_equal(facts.p99[1], targets == 1 ? -1 : 2 * MS);
        assert_int_equal(facts.max_latency, 2 * MS);
    }
    free(stats);
}

TEST(corrected_statistics_give_corrected_percentiles)
{
    struct plan plan = plain();
    struct stats *stats = seen(0, 0);
    stats->corrected_interval = 100 * MS;
    struct sample sample = {.latency = SECOND, .verdict = VERDICT_NONE};
    stats_record(stats, &sample); /* waits of 100, 200 ... 900 ms beside it */
    sample.latency = 10 * MS;
    for (int i = 0; i < 2; i++)
        stats_record(stats, &sample);
    for (int targets = 1; targets <= 2; targets++) {
        struct status_facts facts = gathered(&plan, stats, targets, SECOND);
        assert_true(facts.is_corrected);
        assert_in_range(facts.p50[0], 398 * MS, 402 * MS);
    }
    free(stats);
}

/* Plan, what has been done of it, and how much that is. */
struct course {
    uint64_t count; /* 0: no end */
    int64_t work_time, interval, burst;
    int threads, targets, done;
    int64_t now;
    double share;
    int64_t left;
};

static void
check_course(const struct course *course)
{
    struct plan plan = plain();
    struct stats *stats = seen(course->done, 0);
    plan.end.max_requests = course->count ? course->count : UINT64_MAX;
    plan.end.work_time = course->work_time ? course->work_time : INT64_MAX;
    plan.pace.interval = course->interval;
    plan.pace.burst = course->burst;
    plan.io.threads = course->threads;
    struct status_facts facts = gathered(&plan, stats, course->targets, course->now);
    if (facts.remaining_ns != course->left || facts.share < course->share - 1e-6 ||
        facts.share > course->share + 1e-6)
        fail_msg("%llu, %d done after %lld: %f, %lld left",
                 (unsigned long long)course->count, course->done, (long long)course->now,
                 facts.share, (long long)facts.remaining_ns);
    free(stats);
}

#define YEARS (INT64_MAX / 4)

TEST(the_end_is_that_of_the_clock_or_of_the_last_request)
{
    static const struct course cases[] = {
        /* Limited by time. */
        {0, 4 * SECOND, 0, 1, 1, 1, 9, SECOND, 0.25, 3 * SECOND},
        {0, 4 * SECOND, SECOND, 1, 1, 3, 0, 4 * SECOND, 1, 0},
        {0, 4 * SECOND, 0, 1, 1, 1, 9, 9 * SECOND, 1, 0},
        {0, YEARS, 0, 1, 1, 1, 9, 0, 0, YEARS},
        /* At the rate so far. */
        {100, 0, 0, 1, 1, 1, 25, SECOND, 0.25, 3 * SECOND},
        {100, 0, 0, 1, 4, 1, 25, SECOND, 0.25, 3 * SECOND},
        {100, 0, 0, 1, 1, 2, 50, SECOND, 0.5, SECOND},
        {100, 0, 0, 1, 1, 1, 0, SECOND, 0, -1},
        {100, 0, 0, 1, 1, 1, 100, SECOND, 1, 0},
        {INT64_MAX, 0, 0, 1, 1, 1, 1, 3600 * SECOND, 0, INT64_MAX},
        /* On a grid, also after a stall. */
        {10, 0, SECOND, 1, 1, 1, 4, 3500 * MS, 0.4, 6 * SECOND},
        {10, 0, SECOND, 1, 1, 1, 0, 0, 0, 10 * SECOND},
        {10, 0, SECOND, 1, 1, 1, 4, 8 * SECOND, 0.4, 6 * SECOND},
        {40, 0, SECOND, 5, 1, 1, 10, 1500 * MS, 0.25, 6 * SECOND},
        {40, 0, SECOND, 5, 2, 1, 10, 500 * MS, 0.25, 3 * SECOND},
        {40, 0, SECOND, 5, 2, 3, 10, 500 * MS, 0.25, 3 * SECOND},
        /* Limited by both: the first counts. */
        {100, 10 * SECOND, 0, 1, 1, 1, 25, SECOND, 0.25, 3 * SECOND},
        {100, 2 * SECOND, 0, 1, 1, 1, 25, SECOND, 0.5, SECOND},
        {100, 2 * SECOND, 0, 1, 1, 1, 0, SECOND, 0.5, SECOND},
        {100, 2 * SECOND, 0, 1, 1, 1, 100, SECOND, 1, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_course(&cases[i]);
}

/* The last of them ends the run; one that has not begun to answer may take for ever. */
TEST(the_slowest_target_decides_what_is_left)
{
    struct plan plan = plain();
    struct status_facts facts;
    struct stats *stats[] = {seen(50, 0), seen(20, 0), seen(0, 0)};
    struct job *jobs = jobs_of((const struct stats *const *)stats, 2);
    plan.end.max_requests = 100;
    struct status *status = status_open(&plan, 2, BEGAN);
    status_gather(status, jobs, 2, BEGAN + SECOND, &facts);
    assert_int_equal(facts.remaining_ns, 4 * SECOND);
    assert_true(facts.share > 0.3499 && facts.share < 0.3501);
    jobs[0].stats = stats[1];
    jobs[1].stats = stats[0];
    status_gather(status, jobs, 2, BEGAN + SECOND, &facts);
    assert_int_equal(facts.remaining_ns, 4 * SECOND);
    jobs[0].stats = stats[2];
    status_gather(status, jobs, 2, BEGAN + SECOND, &facts);
    assert_int_equal(facts.remaining_ns, -1);
    status_close(status);
    for (int i = 0; i < 3; i++)
        free(stats[i]);
}

/* Each of three phases lasts 4 s; the load of the second settles for a second before. */
TEST(what_is_left_of_phases_is_not_known_while_a_load_settles)
{
    static const struct run_part part = {.phase = PHASE_LOADED};
    struct plan plan = plain();
    struct stats *stats = seen(1, 0);
    struct status_facts facts;
    plan.end.work_time = 4 * SECOND;
    struct status *status = status_open(&plan, 1, BEGAN);
    struct job *jobs = jobs_of((const struct stats *const *)&stats, 1);
    begin_part(status, 0, &part, BEGAN);
    status_gather(status, jobs, 1, BEGAN, &facts);
    assert_int_equal(facts.remaining_ns, -1);
    status_gather(status, jobs, 1, BEGAN + 2 * SECOND, &facts);
    assert_int_equal(facts.remaining_ns, 7 * SECOND);
    status_close(status);
    free(stats);
}

/* Steps of 2.2 s, their beginning included. */
TEST(a_sweep_goes_through_all_steps_of_all_targets)
{
    static const struct {
        int targets, target, index, count;
        int64_t since;
        double share;
        int64_t left;
    } cases[] = {
        {1, 0, 0, 4, 0, 0, 8800 * MS},     {1, 0, 0, 4, 1100 * MS, 0.125, 7700 * MS},
        {1, 0, 3, 4, 0, 0.75, 2200 * MS},  {1, 0, 3, 4, 2200 * MS, 1, 0},
        {1, 0, 3, 4, 9 * SECOND, 1, 0},    {1, 0, 0, 4, 9 * SECOND, 0.25, 6600 * MS},
        {2, 0, 2, 4, 0, 0.25, 13200 * MS}, {2, 1, 2, 4, 1100 * MS, 0.8125, 3300 * MS},
        {1, 0, 0, 0, 0, -1, -1},
    };
    struct plan plan = plain();
    struct stats *stats = seen(5, 0);
    struct job snapshot = {.stats = stats};
    plan.sweep.kind = SWEEP_DEPTH;
    plan.end.work_time = 2 * SECOND;
    plan.end.settle_time = 200 * MS;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct status_facts facts;
        int64_t now = BEGAN + 100 * SECOND;
        struct status *status = status_open(&plan, cases[i].targets, BEGAN);
        if (cases[i].count)
            begin_part(status, cases[i].target,
                       &(struct run_part){
                           .value = 8, .index = cases[i].index, .count = cases[i].count},
                       now - cases[i].since);
        status_gather(status, &snapshot, 1, now, &facts);
        if (facts.remaining_ns != cases[i].left || facts.share < cases[i].share - 1e-6 ||
            facts.share > cases[i].share + 1e-6)
            fail_msg("case %zu: %f, %lld left", i, facts.share,
                     (long long)facts.remaining_ns);
        assert_int_equal(facts.requests, 5);
        assert_int_equal(facts.max_latency, 5 * MS);
        assert_int_equal(facts.target_count, cases[i].targets);
        assert_int_equal(facts.place.value, cases[i].count ? 8 : 0);
        status_close(status);
    }
    free(stats);
}

/* Of 1, 2 and 4 ms, each with 30 requests after one. */
TEST(steps_of_a_sweep_of_intervals_differ_in_length)
{
    struct plan plan = plain();
    struct stats *stats = seen(5, 0);
    struct job snapshot = {.stats = stats};
    plan.sweep = (struct sweep){SWEEP_INTERVAL, MS, 4 * MS};
    plan.end.min_requests = 30;
    plan.end.work_time = MS;
    for (int number = 0; number < 3; number++) {
        static const int64_t before[] = {0, 31 * MS, 93 * MS};
        struct status_facts facts;
        int64_t now = BEGAN + 100 * SECOND;
        struct status *status = status_open(&plan, 2, BEGAN);
        begin_part(status, 1,
                   &(struct run_part){.value = MS << number, .index = number, .count = 3},
                   now - 10 * MS);
        status_gather(status, &snapshot, 1, now, &facts);
        assert_int_equal(facts.remaining_ns, 217 * MS - before[number] - 10 * MS);
        assert_in_range(facts.share * 434, 217 + before[number] / MS + 9,
                        217 + before[number] / MS + 11);
        status_close(status);
    }
    free(stats);
}
