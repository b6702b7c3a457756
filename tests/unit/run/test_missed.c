/* Until when requests were due, and what a worker missed that was stuck when the last
 * request of all was sent. */
#include "setup.h"

#include "os/process.h"
#include "run/run.h"

/* Whoever takes the last number says when, and of several the latest holds. */
TEST(a_group_ends_with_its_last_number_or_its_stop)
{
    struct worker_group group = {.size = 2, .count = 3};
    uint64_t first;
    assert_int_equal(worker_group_take(&group, 2, 10, &first), 2);
    assert_int_equal(worker_group_until(&group, 50), 50);
    assert_int_equal(worker_group_take(&group, 2, 20, &first), 1);
    assert_int_equal(worker_group_until(&group, 50), 20);
    assert_int_equal(worker_group_until(&group, 15), 15);
    assert_int_equal(worker_group_take(&group, 2, 30, &first), 0);
    worker_group_stop(&group, 40);
    assert_int_equal(worker_group_until(&group, 50), 20);
    struct worker_group stopped = {.size = 2, .count = 3};
    worker_group_stop(&stopped, 40);
    worker_group_stop(&stopped, 45);
    assert_int_equal(worker_group_until(&stopped, 50), 40);
}

#define INTERVAL (20 * MS)

/* One is stuck from its second request until all numbers are long taken. Its points that
 * another has sent nothing for are missed up to when the last was sent. */
TEST(a_worker_that_is_stuck_to_the_end_misses_its_points)
{
    const struct run_observer observer = {.self = &setup, .sample = setup_listen};
    struct error error;
    setup_begin(&setup, 30);
    setup.options.interval = INTERVAL;
    setup.options.threads = 2;
    setup.options.depth = 1;
    setup.options.hang = 0;
    setup.options.given[OPTION_CORRECTED] = 1;
    fake_engine.gather = 2;
    fake_engine.queues[0].scripted = true;
    fake_engine.queues[0].answers[2].takes = 1500 * MS;
    os_signals_install();
    struct run_task task = setup_task(&setup, &observer);
    assert_int_equal(run_execute(&task, &error), 0);
    assert_int_equal(setup.seen_count, 30);
    const struct sample *stuck = &setup.seen[29];
    int64_t last = 0;
    for (int i = 0; i < 30; i++)
        last = time_later(last, setup.seen[i].start);
    /* The last was sent when it was due, or later. */
    int64_t due = (stuck->latency - stuck->idle) / INTERVAL;
    assert_true(stuck->latency >= 1500 * MS);
    assert_true(stuck->latency - stuck->idle <= last - stuck->start);
    assert_in_range(due, 20, 100);
    /* The stuck one was due an interval after the begin, and sent then, or later. */
    int64_t late = (stuck->start - setup.job->group.begin) / INTERVAL - 1;
    assert_in_range(stuck->missed, due - 1, due + late + 1);
    due = (int64_t)stuck->missed;
    /* The waits are evenly between its time and what was left of it at the end. */
    const struct histogram *corrected = stats_distribution(&setup.job->progress.total);
    assert_in_range(corrected->count, 30 + due - 2, 30 + due + 2);
    int64_t most = histogram_value(corrected, corrected->count);
    int64_t least = histogram_value(corrected, corrected->count - (uint64_t)due + 2);
    assert_in_range(most, 1400 * MS, stuck->latency * 11 / 10);
    assert_in_range(least, (stuck->idle - INTERVAL) * 9 / 10,
                    (stuck->idle + 4 * INTERVAL) * 11 / 10);
}
