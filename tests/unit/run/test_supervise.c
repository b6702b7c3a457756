/* Reports of workers to the run, in any order that threads may come in. */
#include "support.h"

#include "base/time.h"
#include "run/run_private.h"

#define START SECOND

static int64_t times[8];
static int64_t due_times[8], end_times[8];
static int count, begins;
static int status_of_begin;

static int
on_record(void *self, const struct job *one, const struct run_record *record)
{
    (void)self, (void)one;
    assert_int_equal(record->kind, RECORD_PERIOD);
    assert_in_range(count, 0, 7);
    due_times[count] = record->due_at;
    end_times[count] = record->ended_at;
    times[count++] = record->duration;
    return 0;
}

/* The target has its names by now. */
static int
on_begin(void *self, const struct job *one)
{
    (void)self;
    assert_string_equal(one->target.description.device, "unknown");
    assert_int_equal(count, 0);
    begins++;
    return status_of_begin;
}

static const struct run_observer observer = {.begin = on_begin, .record = on_record};

/* One run with one job. */
static struct job one_job;
static struct run one_run;
static struct run *const run = &one_run;
static struct job *const job = &one_job;
static struct worker worker;

static void
begin(int64_t print_count, int64_t print_interval)
{
    count = begins = status_of_begin = 0;
    memset(&worker, 0, sizeof(worker));
    one_job = (struct job){.target.fd = -1,
                           .active_plan.io.threads = 1,
                           .active_plan.output = {.print_count = print_count,
                                                  .print_interval = print_interval,
                                                  .any_periods = true}};
    one_run = (struct run){.task = {.jobs = &one_job, .count = 1, .observer = &observer},
                           .lock = os_lock_make()};
    assert_non_null(run->lock);
    assert_int_equal(job_prepare(job, run), 0);
    supervise_begin(run, START);
}

static void
end(void)
{
    job_close(job);
    os_lock_free(run->lock);
}

/* One worker was slower to come here than to do its request. */
TEST(a_request_may_be_told_after_one_that_ended_later)
{
    static const int ends[] = {100, 300, 200, 400};
    int64_t sum = 0;
    begin(1, 0);
    for (int i = 0; i < 4; i++) {
        struct sample sample = {.index = (uint64_t)i + 1,
                                .start = START + (ends[i] - 50) * MS,
                                .latency = 50 * MS,
                                .verdict = VERDICT_NONE};
        assert_int_equal(notify_sample(job, &worker, &sample), 0);
    }
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        if (times[i] < 0)
            fail_msg("period %d took %lld ns", i + 1, (long long)times[i]);
        sum += times[i];
    }
    assert_int_equal(sum, 400 * MS);
    end();
}

/* At 120 and 110 ms, of which the second comes too late for the point of 100 ms. */
TEST(only_the_first_to_come_ends_a_period)
{
    begin(0, 100 * MS);
    assert_int_equal(notify_end_due_period(job, START + 99 * MS), 0);
    assert_int_equal(count, 0);
    assert_int_equal(notify_end_due_period(job, START + 120 * MS), 0);
    assert_int_equal(notify_end_due_period(job, START + 110 * MS), 0);
    assert_int_equal(count, 1);
    assert_int_equal(times[0], 120 * MS);
    assert_int_equal(notify_end_due_period(job, START + 200 * MS), 0);
    assert_int_equal(count, 2);
    assert_int_equal(times[1], 80 * MS);
    assert_int_equal(end_times[1], START + 200 * MS);
    end();
}

/* A period that is too late for the points of 100 and 200 ms was due at the last one. */
TEST(a_period_says_when_it_was_due)
{
    begin(0, 100 * MS);
    assert_int_equal(notify_end_due_period(job, START + 250 * MS), 0);
    assert_int_equal(end_times[0], START + 250 * MS);
    assert_int_equal(due_times[0], START + 200 * MS);
    job->active_plan.output.emit_partial_period = true;
    job->period.stats.missed = 1;
    assert_int_equal(notify_end_last_periods(job, START + 270 * MS), 0);
    assert_int_equal(end_times[1], START + 270 * MS);
    assert_int_equal(due_times[1], START + 300 * MS);
    end();
}

TEST(a_period_that_requests_may_end_is_not_due)
{
    begin(9, 100 * MS);
    assert_int_equal(notify_end_due_period(job, START + 120 * MS), 0);
    assert_int_equal(end_times[0], START + 120 * MS);
    assert_int_equal(due_times[0], 0);
    end();
}

/* Both kinds: a worker that is due at 100 ms comes after a request that ended later. */
TEST(a_point_may_be_told_after_a_request_that_ended_later)
{
    struct sample sample = {.index = 1,
                            .start = START + 50 * MS,
                            .latency = 80 * MS,
                            .verdict = VERDICT_NONE};
    begin(1, 100 * MS);
    assert_int_equal(notify_sample(job, &worker, &sample), 0);
    assert_int_equal(notify_end_due_period(job, START + 101 * MS), 0);
    assert_true(count >= 1);
    assert_int_equal(times[0], 130 * MS);
    for (int i = 1; i < count; i++)
        if (times[i] < 0)
            fail_msg("period %d took %lld ns", i + 1, (long long)times[i]);
    end();
}

/* Each of those that may be the first, and then all. */
TEST(the_begin_is_told_once_by_whoever_is_first)
{
    struct sample sample = {.index = 1, .start = START, .verdict = VERDICT_NONE};
    for (int first = 0; first < 3; first++) {
        begin(0, 100 * MS);
        for (int i = 0; i < 3; i++) {
            int who = (first + i) % 3;
            if (who == 0)
                assert_int_equal(notify_sample(job, &worker, &sample), 0);
            else if (who == 1)
                assert_int_equal(notify_end_due_period(job, START + 100 * MS), 0);
            else
                supervise(run); /* the run has no workers */
            assert_int_equal(begins, 1);
        }
        assert_int_equal(count, 1);
        end();
    }
}

TEST(a_begin_that_fails_ends_the_run)
{
    struct sample sample = {.index = 1, .start = START, .verdict = VERDICT_NONE};
    begin(0, 100 * MS);
    status_of_begin = -1;
    assert_int_equal(notify_sample(job, &worker, &sample), -1);
    end();
    begin(0, 100 * MS);
    status_of_begin = -1;
    assert_int_equal(notify_end_due_period(job, START + 100 * MS), -1);
    assert_int_equal(count, 0);
    end();
    begin(0, 100 * MS);
    status_of_begin = -1;
    assert_false(atomic_load(&job->group.is_stopped));
    supervise(run);
    assert_true(atomic_load(&job->group.is_stopped));
    end();
}
