/* Workers that have lost all of their requests while the run goes on: until it ends they
 * miss what they would have sent, whatever the engine does. */
#include "listening.h"

#define FOR_EVER (3600000 * MS)
#define TIMEOUT (200 * MS)
#define INTERVAL (20 * MS)
#define WORK_TIME (1200 * MS)
#define LOST 0 /* the worker that loses its requests, from the second on */

static const struct losing {
    const char *name;
    int threads, depth;
    bool calls;      /* the engine does one request at a time, in a call that waits */
    bool stuck;      /* the queue does not return from the call that sends */
    int64_t count;   /* requests of all workers; 0: the work time ends the run */
    int64_t burst;   /* at each point of the grid; 0: one */
    int64_t timeout; /* ns; 0: TIMEOUT */
    bool early;      /* the worker is known to be lost in the first half of the run */
} losings[] = {
    /* clang-format off */
    {"calls", 2, 1, .calls = true, .early = true},
    {"a_queue_of_one", 2, 1},
    {"a_queue", 2, 3, .early = true},
    {"a_queue_that_is_stuck", 2, 3, .stuck = true},
    {"calls_to_the_count", 3, 1, .calls = true, .count = 90},
    {"a_queue_to_the_count", 3, 2, .count = 90},
    {"calls_in_bursts", 2, 1, .calls = true, .burst = 3, .early = true},
    {"calls_that_are_lost_late", 2, 1, .calls = true, .timeout = 900 * MS},
    /* clang-format on */
};

static struct io_engine engine;

/* Prepares a run that goes on after requests that were lost. Returns its task. */
static struct run_task
begin_losing(const struct losing *losing, const struct run_observer *observer)
{
    setup_begin_workers(&setup, losing->count, losing->threads, losing->depth);
    setup.options.given[OPTION_TIMEOUT] = 1;
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    setup.options.timeout = losing->timeout ? losing->timeout : TIMEOUT;
    setup.options.interval = INTERVAL;
    setup.options.burst = losing->burst;
    setup.options.work_time = losing->count ? 0 : WORK_TIME;
    setup.options.hang = 0;
    fake_engine.min_senders = losing->threads;
    os_signals_install();
    struct run_task task = setup_task(&setup, observer);
    engine = engine_fake;
    engine.queues_requests = !losing->calls;
    struct plan *active = &setup.job->active_plan;
    active->io.engine = &engine;
    active->output.any_periods = active->output.emit_partial_period = true;
    active->output.print_interval = 100 * MS;
    return task;
}

/* Returns how many points there are from one interval after FIRST on, before UNTIL. */
static int64_t
points_after(int64_t first, int64_t until)
{
    int64_t point = first + INTERVAL;
    return until > point ? (until - point - 1) / INTERVAL + 1 : 0;
}

static uint64_t missed_late; /* in periods after the first half of the run */

static int
note_late(void *self, const struct job *job, const struct run_record *record)
{
    if (record->kind == RECORD_PERIOD &&
        job->period.began_at >= job->group.begin_at + WORK_TIME / 2)
        missed_late += record->stats->missed;
    return on_record(self, job, record);
}

/* When the request that was lost first was sent, ns. */
static int64_t lost_at;

static int
note_lost(void *self, const struct job *job, const struct sample *sample)
{
    if (sample->verdict == VERDICT_TIMEOUT && !lost_at)
        lost_at = sample->start;
    return on_sample(self, job, sample);
}

/* The lost worker misses all points after its last request. All points together are those
 * of the time of the run, and one more for each request that is late: the next one is due
 * at its end. */
static void
check_losing(const struct losing *losing)
{
    struct run_observer observer = observer_of();
    struct error error;
    told_begin(NULL);
    observer.sample = note_lost;
    observer.record = note_late;
    lost_at = 0;
    missed_late = 0;
    struct run_task task = begin_losing(losing, &observer);
    for (int i = 0; i < losing->depth; i++)
        hang(LOST, 2 + i, FOR_EVER);
    fake_engine.queues[LOST].answers[2].late = losing->stuck;
    REQUIRE(run_execute(&task, &error) == 0);

    const struct job *job = setup.job;
    const struct stats *total = &told->summary;
    int64_t over = atomic_load(&job->group.last_due_at);
    int64_t ended = job->outcome.ended_at;
    int64_t end = losing->count ? over : atomic_load(&job->group.started_at) + WORK_TIME;
    int64_t burst = losing->burst ? losing->burst : 1;
    int64_t least = points_after(lost_at, end) - losing->depth;
    int64_t most = losing->threads * points_after(job->group.begin_at - INTERVAL, ended) +
                   told->late;
    fprintf(stderr, "%s: requests %d, missed %d, at least %d; in the second half %d\n",
            losing->name, (int)total->requests, (int)total->missed, (int)least,
            (int)missed_late);

    REQUIRE(lost_at > 0 && least > 5);
    REQUIRE(total->missed >= (uint64_t)least);
    REQUIRE(total->requests + total->missed * (uint64_t)burst <=
            (uint64_t)(most * burst));
    REQUIRE(told->missed_sum == total->missed);
    REQUIRE(told->period_sum == total->requests);
    if (losing->early) /* periods have them as they are missed, not all in the end */
        REQUIRE(missed_late < total->missed);
    REQUIRE(job->outcome.is_stuck);
}

static const struct losing *chosen;

static void
check_chosen(void)
{
    check_losing(chosen);
}

TEST_EACH(points_are_missed_to_the_end_by, losings)
{
    chosen = *state;
    in_child(check_chosen);
}

/* In an open loop any worker sends what is due; when all are lost, none does, and the run
 * ends: what was due until then is missed. */
static void
lose_an_open_loop(bool calls, int depth)
{
    const struct run_observer observer = observer_of();
    const struct losing losing = {"", 2, depth, .calls = calls};
    struct error error;
    told_begin(NULL);
    struct run_task task = begin_losing(&losing, &observer);
    struct plan *active = &setup.job->active_plan;
    active->pace.is_open_loop = true;
    fake_engine.default_duration = FOR_EVER;
    REQUIRE(run_execute(&task, &error) == 0);

    const struct job *job = setup.job;
    const struct stats *total = &told->summary;
    int64_t over = atomic_load(&job->group.last_due_at);
    uint64_t due = (uint64_t)points_after(job->group.begin_at - INTERVAL, over);
    fprintf(stderr, "open loop: requests %d, missed %d, due %d\n", (int)total->requests,
            (int)total->missed, (int)due);
    REQUIRE(over > 0 && total->requests == (uint64_t)(2 * depth));
    REQUIRE(total->missed > 0 && total->requests + total->missed == due);
    REQUIRE(told->missed_sum == total->missed);
}

TEST_IN_CHILD(an_open_loop_of_calls_misses_what_was_due)
{
    lose_an_open_loop(true, 1);
}

TEST_IN_CHILD(an_open_loop_of_queues_misses_what_was_due)
{
    lose_an_open_loop(false, 2);
}

/* No request is due then. */
TEST_IN_CHILD(without_an_interval_nothing_is_missed)
{
    const struct run_observer observer = observer_of();
    const struct losing losing = {"", 2, 1, .calls = true};
    struct error error;
    told_begin(NULL);
    struct run_task task = begin_losing(&losing, &observer);
    setup.job->active_plan.pace.interval = 0;
    fake_engine.default_duration = 5 * MS;
    hang(LOST, 2, FOR_EVER);
    REQUIRE(run_execute(&task, &error) == 0);
    REQUIRE(told->summary.missed == 0 && told->summary.requests > 10);
    REQUIRE(setup.job->outcome.duration >= WORK_TIME);
}
