/* Rates of requests without an interval: nobody pauses between them, so they are those of
 * the clock. */
#include "setup.h"

#include "os/process.h"
#include "run/run.h"

#define PAUSE (3 * MS)

/* The first period, in which the workers begin, is in none of these counts. */
static int periods, busy_periods;
static bool is_first;

/* Takes longer than a request, so none is in flight in the end. */
static int
pause_after(void *self, const struct job *job, const struct sample *sample)
{
    (void)self, (void)job, (void)sample;
    os_sleep_until(os_clock_now() + PAUSE);
    return 0;
}

static int
look_at_period(void *self, const struct job *job, const struct run_record *record)
{
    (void)self, (void)job;
    if (record->kind != RECORD_PERIOD || record->stats->requests == 0)
        return 0;
    assert_true(record->stats->busy_time <= record->duration);
    periods += !is_first;
    busy_periods += !is_first && record->stats->busy_time == record->duration;
    is_first = false;
    return 0;
}

static const struct io_case {
    const char *name;
    int threads, depth;
    int64_t interval;
} cases[] = {{"threads", 2, 1},
             {"a_queue", 1, 4},
             {"queues", 3, 2},
             {"an_interval", 2, 1, 10 * MS}};

static const struct job *
do_run(const struct io_case *row)
{
    const struct run_observer observer = {.sample = pause_after,
                                          .record = look_at_period};
    struct error error;
    setup_begin_workers(&setup, 60, row->threads, row->depth);
    setup.options.interval = row->interval;
    setup.options.print_interval = 40 * MS;
    fake_engine.default_duration = MS;
    periods = busy_periods = 0;
    is_first = true;
    os_signals_install();
    struct run_task task = setup_task(&setup, &observer);
    struct plan_output *output = &setup.job->active_plan.output;
    output->any_requests = output->any_periods = true;
    output->print_interval = 40 * MS;
    assert_int_equal(run_execute(&task, &error), 0);
    return setup.job;
}

/* The whole run is busy time, and so is each period after the first, however late the
 * machine may be. */
TEST_EACH(rates_are_those_of_the_clock_for, cases)
{
    const struct io_case *row = *state;

    const struct job *job = do_run(row);

    const struct stats *total = &job->outcome.total;
    assert_int_equal(total->latency.count, 60);
    if (row->interval) { /* there are pauses then */
        assert_true(total->busy_time < job->outcome.duration);
        return;
    }
    assert_int_equal(total->busy_time, job->outcome.duration);
    assert_true(periods >= 1);
    assert_int_equal(busy_periods, periods);
}

/* Warm-up is left out as before: nothing else is in flight while it ends. */
TEST(warmup_is_no_part_of_the_rates)
{
    const struct run_observer observer = {.sample = pause_after};
    struct error error;
    setup_begin_workers(&setup, 3, 1, 2);
    setup.options.warmup = 2;
    fake_engine.default_duration = MS;
    fake_engine.answers[1].min_duration = fake_engine.answers[2].min_duration = 40 * MS;
    os_signals_install();
    struct run_task task = setup_task(&setup, &observer);
    setup.job->active_plan.output.any_requests = true;
    assert_int_equal(run_execute(&task, &error), 0);
    const struct stats *total = &setup.job->outcome.total;
    assert_int_equal(total->latency.count, 1);
    assert_in_range(total->busy_time, MS, setup.job->outcome.duration - 40 * MS);
}
