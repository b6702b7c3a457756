/* Until when requests were due, and what a worker missed that was stuck when the last
 * request of all was sent. */
#include "setup.h"

#include "os/process.h"
#include "run/run.h"

/* Whoever takes the last number says when, and of several the latest holds. */
TEST(a_group_ends_with_its_last_number_or_its_stop)
{
    struct worker_group group = {.size = 2, .max_requests = 3};
    uint64_t first;
    assert_int_equal(worker_group_take_ordinals(&group, 2, 10, &first), 2);
    assert_int_equal(worker_group_last_due(&group, 50), 50);
    assert_int_equal(worker_group_take_ordinals(&group, 2, 20, &first), 1);
    assert_int_equal(worker_group_last_due(&group, 50), 20);
    assert_int_equal(worker_group_last_due(&group, 15), 15);
    assert_int_equal(worker_group_take_ordinals(&group, 2, 30, &first), 0);
    worker_group_stop(&group, 40);
    assert_int_equal(worker_group_last_due(&group, 50), 20);
    struct worker_group stopped = {.size = 2, .max_requests = 3};
    worker_group_stop(&stopped, 40);
    worker_group_stop(&stopped, 45);
    assert_int_equal(worker_group_last_due(&stopped, 50), 40);
}

#define INTERVAL (20 * MS)
#define COUNT 30
/* How long the stuck request takes. All others end long before that, unless the machine
 * is very late. */
#define TAKES (1500 * MS)

/* Lets the stuck request go when the other worker has done all others. */
static int
let_go_after_the_others(void *self, const struct job *job, const struct sample *sample)
{
    int status = setup_listen(self, job, sample);
    if (setup.seen_count == COUNT - 1)
        atomic_store(&fake_engine.go, true);
    return status;
}

/* Returns when the last of the requests before the stuck one was due, if the first was at
 * FIRST: each is due an interval after the one before, or at its end. */
static int64_t
last_due(int64_t first)
{
    int64_t due = first;
    for (int i = 1; i < COUNT - 1; i++) {
        const struct sample *before = &setup.seen[i - 1];
        due = time_later(due + INTERVAL, before->start + before->latency);
    }
    return due;
}

/* Returns how many points there are from FIRST on that are before UNTIL. */
static uint64_t
points_between(int64_t first, int64_t until)
{
    return until > first ? (uint64_t)((until - first - 1) / INTERVAL + 1) : 0;
}

/* Returns the corrected histogram, computed from the stamps of the requests: the latency
 * of each, and one wait for each point that passed while it was in flight, as long as
 * there were requests left to send. */
static const struct histogram *
expected_waits(void)
{
    static struct histogram waits;
    memset(&waits, 0, sizeof(waits));
    for (int i = 0; i < COUNT; i++) {
        const struct sample *sample = &setup.seen[i];
        histogram_record(&waits, sample->latency);
        for (int64_t wait = sample->latency - INTERVAL; wait > sample->tail_after_end;
             wait -= INTERVAL)
            histogram_record(&waits, wait);
    }
    return &waits;
}

/* One worker is stuck in its first request until the other has sent all that are left. It
 * misses its points until the last of those was due. Both workers may start late, so
 * their first points are known up to that. */
TEST(a_worker_that_is_stuck_to_the_end_misses_its_points)
{
    const struct run_observer observer = {.self = &setup,
                                          .sample = let_go_after_the_others};
    struct error error;
    setup_begin(&setup, COUNT);
    setup.options.interval = INTERVAL;
    setup.options.threads = 2;
    setup.options.depth = 1;
    setup.options.hang = 0;
    setup.options.given[OPTION_CORRECTED] = 1;
    fake_engine.min_senders = 2;
    fake_engine.queues[0].scripted = true;
    fake_engine.queues[0].answers[1].held = true;
    fake_engine.queues[0].answers[1].min_duration = TAKES;
    os_signals_install();
    struct run_task task = setup_task(&setup, &observer);
    assert_int_equal(run_execute(&task, &error), 0);
    assert_int_equal(setup.seen_count, COUNT);
    assert_int_equal(fake_engine.queues[0].requests, 1);
    const struct sample *stuck = &setup.seen[COUNT - 1];
    int64_t begin = setup.job->group.begin_at;
    assert_true(begin <= stuck->start && begin <= setup.seen[0].start);
    assert_true(stuck->latency >= TAKES);
    int64_t until = stuck->start + stuck->latency - stuck->tail_after_end;
    assert_true(until >= last_due(begin) && until <= last_due(setup.seen[0].start));
    assert_true(until <= setup.seen[COUNT - 2].start);
    assert_in_range(stuck->missed, points_between(stuck->start + INTERVAL, until),
                    points_between(begin + INTERVAL, until));
    /* The waits are evenly between its time and what was left of it at the end. */
    const struct histogram *corrected = &setup.job->progress.total.corrected;
    const struct histogram *expected = expected_waits();
    assert_int_equal(corrected->count, expected->count);
    assert_memory_equal(corrected->bins, expected->bins, sizeof(expected->bins));
}
