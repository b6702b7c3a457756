/* An open loop: requests start when they are due, whether earlier ones are answered or
 * not, and their times count from then. */
#include "setup.h"

#include "os/process.h"
#include "run/run.h"

/* What a run told of: its samples in the order of their ends. */
static struct heard {
    struct sample list[SEEN];
    int count;
    int enough; /* then what is held goes on; 0: it does not */
} heard;

static int
hear(void *self, const struct job *job, const struct sample *sample)
{
    (void)self, (void)job;
    assert_in_range(heard.count, 0, SEEN - 1);
    heard.list[heard.count++] = *sample;
    if (heard.count == heard.enough)
        atomic_store(&fake_engine.go, true);
    return 0;
}

static void
begin(int threads, int depth)
{
    os_signals_install();
    memset(&heard, 0, sizeof(heard));
    setup_begin_workers(&setup, 0, threads, depth);
    setup.options.hang = 0;
}

/* Runs an open loop for WORK_TIME. Returns the job, which has ended. */
static const struct job *
run_open_loop(int64_t interval, int64_t work_time)
{
    const struct run_observer observer = {.self = &heard, .sample = hear};
    struct run_task task = setup_task(&setup, &observer);
    struct error error;
    struct plan *plan = &setup.job->active_plan;
    memset(&heard, 0, offsetof(struct heard, enough));
    plan->pace.is_open_loop = true;
    plan->pace.interval = interval;
    plan->end.work_time = work_time;
    plan->output.any_requests = true;
    assert_int_equal(run_execute(&task, &error), 0);
    return setup.job;
}

/* Returns how many requests were missed: none, unless the machine is so late that the run
 * comes to its deadline, which is as far from the end as that from the begin. */
static int
count_missed(const struct job *job)
{
    int missed = (int)job->progress.total.missed;
    assert_true(missed == 0 ||
                job->outcome.duration >= 2 * job->active_plan.end.work_time);
    return missed;
}

/* Fails unless each of the COUNT requests that were due was either reported or missed. */
static void
check_count(const struct job *job, int count)
{
    assert_int_equal(heard.count + count_missed(job), count);
}

/* All that were heard, which are due at intervals from BEGIN on, began at their points
 * or, if a sleep was too long, before the next, and none too early. A machine that is
 * late by an interval makes exceptions. */
static void
check_starts(int64_t begin, int64_t interval)
{
    int in_time = 0;
    for (int i = 0; i < heard.count; i++) {
        int64_t point = begin + i * interval;
        int earlier = 0, earlier_than_next = 0;
        for (int k = 0; k < heard.count; k++) {
            earlier += heard.list[k].start < point;
            earlier_than_next += heard.list[k].start < point + interval;
        }
        assert_in_range(earlier, 0, i);
        in_time += earlier_than_next > earlier;
    }
    assert_in_range(in_time, heard.count / 2, heard.count);
}

/* 20 of them, of which each takes as long as ten intervals. */
TEST(requests_start_when_they_are_due_answered_or_not)
{
    begin(1, 8);
    fake_engine.default_duration = 50 * MS;
    const struct job *job = run_open_loop(20 * MS, 400 * MS);
    check_count(job, 20);
    assert_in_range(fake_engine.most_under_way, heard.count < 2 ? 1 : 2, 8);
    check_starts(job->group.begin_at, 20 * MS);
    for (int i = 0; i < heard.count; i++)
        assert_true(heard.list[i].latency >= 50 * MS);
}

/* Nothing is in flight when a request is due, so the target is not the reason if it is
 * sent late, and the time counts from the sending. There are two exceptions: the request
 * before it ended after it was due, or a late machine sent it an interval late. */
TEST(a_request_that_waits_for_none_counts_from_when_it_is_sent)
{
    begin(1, 1);
    const struct job *job = run_open_loop(10 * MS, 300 * MS);
    check_count(job, 30);
    for (int i = 1; i < heard.count; i++) {
        const struct sample *sample = &heard.list[i], *before = sample - 1;
        int64_t since = sample->start - (job->group.begin_at + i * 10 * MS);
        bool waited = before->start + before->latency >= sample->start;
        assert_true(since >= 0);
        assert_true(since > 0 || waited || sample->latency >= 10 * MS);
    }
}

/* One place: behind a request of 300 ms the others are late, and their times say how
 * much. None of them is lost, though the end has come before they are sent. */
TEST(times_count_from_when_a_request_was_due)
{
    begin(1, 1);
    fake_engine.answers[3].min_duration = 100 * MS; /* far from the deadline */
    const struct job *job = run_open_loop(10 * MS, 200 * MS);
    check_count(job, 20);
    for (int i = 3; i < 12 && i < heard.count; i++) {
        int64_t point = job->group.begin_at + i * 10 * MS;
        assert_true(heard.list[i].start == point);
        assert_true(heard.list[i].latency >= 100 * MS - (i - 2) * 10 * MS);
    }
}

/* A deadline ends what would never end: it is as far from the end as the end from the
 * begin. */
TEST(what_cannot_be_sent_until_the_deadline_is_missed)
{
    begin(1, 1);
    fake_engine.default_duration = 50 * MS;
    const struct job *job = run_open_loop(10 * MS, 200 * MS);
    assert_in_range(heard.count, 1, 9); /* 400 ms have room for eight */
    assert_int_equal(heard.count + (int)job->progress.total.missed, 20);
    assert_true(job->outcome.duration >= 400 * MS);
}

/* The first request of one of them is held until the others are all done. */
TEST(none_waits_for_a_worker_that_is_busy_while_another_is_free)
{
    begin(2, 1);
    heard.enough = 19;
    fake_engine.queues[0].scripted = true;
    fake_engine.queues[0].answers[1].held = true;
    const struct job *job = run_open_loop(100 * MS, 2 * SECOND);
    assert_int_equal(heard.count, 20);
    assert_int_equal(fake_engine.queues[0].requests, 1);
    assert_int_equal(fake_engine.queues[1].requests, 19);
    assert_int_equal(job->progress.total.missed, 0);
}

TEST(workers_share_the_arrivals)
{
    begin(4, 2);
    fake_engine.default_duration = 15 * MS;
    fake_engine.min_senders = 4;
    const struct job *job = run_open_loop(25 * MS, 400 * MS);
    check_count(job, 16);
    check_starts(job->group.begin_at, 25 * MS);
}

/* What is due before the settling is over does not count, whenever it ends. */
TEST(requests_of_the_settling_do_not_count)
{
    begin(1, 1);
    fake_engine.answers[5].min_duration = 200 * MS;
    const struct run_observer observer = {.self = &heard, .sample = hear};
    struct run_task task = setup_task(&setup, &observer);
    struct error error;
    struct plan *plan = &setup.job->active_plan;
    plan->pace.is_open_loop = true;
    plan->pace.interval = 10 * MS;
    plan->end.settle_time = 100 * MS;
    plan->end.work_time = 300 * MS;
    assert_int_equal(run_execute(&task, &error), 0);
    uint64_t missed = (uint64_t)count_missed(setup.job);
    assert_int_equal(setup.job->progress.total.requests + missed, 30);
    assert_in_range(fake_engine.requests, 1, 40 - missed);
    assert_true(missed > 0 || fake_engine.requests == 40);
    assert_true(setup.job->outcome.duration >= 290 * MS);
}

/* The same requests, whoever sends them. */
TEST(random_arrivals_are_those_of_the_seed)
{
    int64_t starts[2][SEEN] = {{0}};
    int counts[2], due[2];
    for (int i = 0; i < 2; i++) {
        const struct run_observer observer = {.self = &heard, .sample = hear};
        begin(1, 1);
        fake_engine.answers[1].min_duration = 250 * MS; /* all others wait */
        memset(&heard, 0, sizeof(heard));
        struct run_task task = setup_task(&setup, &observer);
        struct error error;
        struct plan *plan = &setup.job->active_plan;
        plan->pace.is_open_loop = plan->pace.is_poisson = plan->output.any_requests =
            true;
        plan->pace.interval = 10 * MS;
        plan->end.work_time = 250 * MS;
        assert_int_equal(run_execute(&task, &error), 0);
        counts[i] = heard.count;
        due[i] = heard.count + count_missed(setup.job);
        for (int k = 0; k < heard.count; k++)
            starts[i][k] = heard.list[k].start - setup.job->group.begin_at;
    }
    assert_in_range(due[0], 5, 60);
    assert_int_equal(due[0], due[1]);
    int last = (counts[0] < counts[1] ? counts[0] : counts[1]) - 1;
    for (int k = 1; k <= last; k++)
        assert_int_equal(starts[0][k], starts[1][k]);
    int64_t gap = starts[0][2] - starts[0][1];
    assert_true(last < 3 || starts[0][3] - starts[0][2] != gap);
}

/* Of eight all but one have nothing to do, and end before the settling does. */
TEST(workers_that_have_nothing_to_do_take_no_time)
{
    const struct run_observer observer = {.self = &heard, .sample = hear};
    struct error error;
    begin(8, 1);
    struct run_task task = setup_task(&setup, &observer);
    struct plan *plan = &setup.job->active_plan;
    plan->pace.is_open_loop = true;
    plan->pace.interval = 150 * MS;
    plan->end.settle_time = 300 * MS;
    plan->end.work_time = 150 * MS;
    assert_int_equal(run_execute(&task, &error), 0);
    assert_int_equal(setup.job->progress.total.requests, 1);
    assert_in_range(setup.job->outcome.duration, 0,
                    setup.job->outcome.ended_at - setup.job->group.begin_at - 300 * MS);
}
