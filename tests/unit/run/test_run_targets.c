/* Several targets at once: each has workers, a count and statistics of its own. */
#include "listening.h"

#define TARGETS 3

static struct {
    struct job jobs[TARGETS];
    struct run_observer observer;
    struct run_task task;
    int64_t due; /* when the next look is */
    int looks, rests, fails;
    int enough_looks;       /* then what is held goes on; 0: not by looks */
    uint64_t seen[TARGETS]; /* requests, at the last look */
    struct sample failed;
    bool interrupted;
    bool backwards; /* a look with fewer than the one before */
    char order[64]; /* of the summaries */
} all;

/* One for each target, so that the calls of all can be told apart. */
static struct told each_told[TARGETS];
static atomic_bool inside;

static int
tell_alone(void *self, const struct job *job, const struct sample *sample)
{
    struct told *one = &each_told[job->index];
    (void)self;
    one->together |= atomic_exchange(&inside, true);
    int status = on_sample(one, job, sample);
    atomic_store(&inside, false);
    return status;
}

static int
tell_summary(void *self, const struct job *job, const struct run_record *record)
{
    char digit[2] = {(char)('0' + job->index), '\0'};
    (void)self;
    assert_int_equal(record->kind, RECORD_SUMMARY);
    strcat(all.order, digit);
    return on_summary(&each_told[job->index], job);
}

static void
tell_hang(void *self, const struct job *job, uint64_t index, int64_t waited)
{
    (void)self;
    on_hang(&each_told[job->index], job, index, waited);
}

static void
on_fail(void *self, const struct job *job)
{
    (void)self;
    all.failed = job->outcome.failed_sample;
    all.fails++;
    atomic_store(&fake_engine.go, true);
}

static void
on_look(void *self, const struct job *jobs, int count, int64_t now)
{
    (void)self;
    assert_int_equal(count, TARGETS);
    assert_true(now > 0);
    for (int i = 0; i < count; i++) {
        all.backwards |= jobs[i].stats->requests < all.seen[i];
        all.seen[i] = jobs[i].stats->requests;
    }
    all.looks++;
    if (all.looks == all.enough_looks)
        atomic_store(&fake_engine.go, true);
}

static void
on_end(void *self, struct job *jobs, int count, int64_t now)
{
    on_look(self, jobs, count, now);
}

static void
on_tick(void *self, const struct job *jobs, int count, int64_t now)
{
    on_look(self, jobs, count, now);
    all.due = now + 2 * MS;
}

static int64_t
on_due(void *self, int64_t now)
{
    (void)self;
    if (!all.due)
        all.due = now + 2 * MS;
    return all.due;
}

static void
on_rest(void *self)
{
    (void)self;
    all.rests++;
}

static void
begin(int64_t count)
{
    for (int i = 0; i < TARGETS; i++)
        job_free(&all.jobs[i]);
    memset(&all, 0, sizeof(all));
    memset(each_told, 0, sizeof(each_told));
    setup_begin(&setup, count);
    setup.options.targets[1] = setup.options.targets[2] = "nowhere";
    setup.options.target_count = TARGETS;
    setup.options.hang = 0;
}

static int
execute(struct error *error)
{
    all.observer = (struct run_observer){
        .sample = tell_alone,
        .record = tell_summary,
        .hang = tell_hang,
        .fail = on_fail,
        .next_tick = on_due,
        .tick = on_tick,
        .interrupt = on_rest,
        .end = on_end,
    };
    assert_int_equal(plan_make(&setup.options, 1, &setup.plan, error), 0);
    assert_int_equal(outputs_choose(&setup.options, &setup.plan, error), 0);
    for (int i = 0; i < TARGETS; i++) {
        assert_int_equal(job_init(&all.jobs[i], &setup.plan, i), 0);
        all.jobs[i].target = setup.target;
        all.jobs[i].active_plan.io.engine = &engine_fake;
    }
    all.task =
        (struct run_task){.jobs = all.jobs, .count = TARGETS, .observer = &all.observer};
    os_signals_install();
    return run_execute(&all.task, error);
}

static void
run_all(void)
{
    struct error error;
    assert_int_equal(execute(&error), 0);
}

TEST(the_count_is_that_of_each)
{
    begin(50);
    setup.options.threads = 2;
    run_all();
    for (int i = 0; i < TARGETS; i++) {
        assert_int_equal(each_told[i].samples, 50);
        assert_int_equal(each_told[i].summaries, 1);
        assert_int_equal(each_told[i].summary.requests, 50);
        assert_int_equal(all.jobs[i].outcome.total.requests, 50);
        assert_int_equal(all.jobs[i].outcome.waiting_age, 0);
        for (int k = 1; k <= 50; k++)
            assert_int_equal(each_told[i].times[k], 1);
        assert_false(each_told[i].together);
    }
    assert_string_equal(all.order, "012");
    assert_int_equal(fake_engine.opened, 2 * TARGETS);
    assert_int_equal(fake_engine.closed, 2 * TARGETS);
    assert_int_equal(all.fails, 0);
}

TEST(each_has_offsets_of_its_own)
{
    begin(64);
    run_all();
    assert_memory_not_equal(fake_engine.queues[0].offsets, fake_engine.queues[1].offsets,
                            64 * sizeof(int64_t));
    assert_memory_not_equal(fake_engine.queues[1].offsets, fake_engine.queues[2].offsets,
                            64 * sizeof(int64_t));
}

/* The requests of the first target alone, to compare. */
TEST(the_first_does_what_it_would_do_alone)
{
    static int64_t offsets[64];
    begin(64);
    run_all();
    memcpy(offsets, fake_engine.queues[0].offsets, sizeof(offsets));
    setup_begin(&setup, 64);
    run();
    assert_memory_equal(offsets, fake_engine.queues[0].offsets, sizeof(offsets));
}

TEST(looks_show_all_of_them_and_the_end)
{
    begin(6);
    fake_engine.queues[1].scripted = true;
    fake_engine.queues[1].answers[4].held = true;
    all.enough_looks = 2;
    run_all();
    assert_true(all.looks >= 3);
    assert_false(all.backwards);
    assert_int_equal(all.rests, 0);
    for (int i = 0; i < TARGETS; i++)
        assert_int_equal(all.seen[i], 6);
}

/* The failure is reported at once: held requests go on only then. */
TEST(one_that_fails_leaves_the_others_to_go_on)
{
    begin(9);
    for (int i = 0; i < TARGETS; i++)
        fake_engine.queues[i].scripted = true;
    fake_engine.queues[1].answers[3].error = EIO;
    fake_engine.queues[2].answers[5].held = true;
    run_all();
    assert_int_equal(all.fails, 1);
    assert_int_equal(all.failed.index, 3);
    assert_int_equal(all.failed.error, EIO);
    assert_int_equal(all.jobs[1].outcome.failed_sample.index, 3);
    assert_true(all.jobs[1].outcome.failure_notified);
    assert_int_equal(all.jobs[0].outcome.total.requests, 9);
    assert_int_equal(all.jobs[1].outcome.total.requests, 3);
    assert_int_equal(all.jobs[2].outcome.total.requests, 9);
    assert_int_equal(all.jobs[0].outcome.failed_sample.index, 0);
}

TEST(the_failure_of_the_last_is_left_to_the_end)
{
    begin(2);
    for (int i = 0; i < TARGETS; i++) {
        fake_engine.queues[i].scripted = true;
        fake_engine.queues[i].answers[2].error = EIO;
    }
    run_all();
    for (int i = 0; i < TARGETS; i++)
        assert_int_equal(all.jobs[i].outcome.failed_sample.index, 2);
    int told_at_once = 0;
    for (int i = 0; i < TARGETS; i++)
        told_at_once += all.jobs[i].outcome.failure_notified;
    assert_int_equal(all.fails, told_at_once);
    assert_true(told_at_once < TARGETS);
}

TEST(one_that_cannot_begin_keeps_all_from_it)
{
    struct error error;
    for (int sound = 0; sound < TARGETS; sound++) {
        begin(3);
        fake_engine.broken = true;
        fake_engine.openable_queues = sound;
        assert_int_equal(execute(&error), -1);
        assert_int_equal(error.status, EXIT_PREPARE);
        assert_int_equal(sent_by_all(), 0);
        assert_int_equal(fake_engine.closed, sound);
        assert_int_equal(all.looks, 0);
        assert_string_equal(all.order, "");
    }
}

/* The others have ended, not only sent their last, while one hangs in its second. */
static void
interrupt_when_others_are_done(void)
{
    bool done = fake_engine.queues[1].requests == 2 &&
                all.jobs[0].outcome.total.requests == 4 &&
                all.jobs[2].outcome.total.requests == 4;
    if (done && !all.interrupted)
        raise(SIGINT);
    all.interrupted |= done;
}

TEST_IN_CHILD(one_that_hangs_does_not_hold_up_the_others)
{
    begin(4);
    setup.options.hang = MS;
    for (int i = 0; i < TARGETS; i++)
        fake_engine.queues[i].scripted = true;
    fake_engine.queues[1].answers[2].held = true;
    each_told[1].at_hang = interrupt_when_others_are_done;
    run_all();
    REQUIRE(strcmp(all.order, "012") == 0);
    REQUIRE(each_told[0].samples == 4 && each_told[2].samples == 4);
    REQUIRE(each_told[1].samples == 1);
    REQUIRE(all.jobs[0].outcome.waiting_age == 0 && all.jobs[2].outcome.waiting_age == 0);
    REQUIRE(all.jobs[1].outcome.waiting_age > 0 &&
            all.jobs[1].outcome.abandoned_requests == 1);
    REQUIRE(each_told[1].summary.requests == 2);
    REQUIRE(all.rests == 1);
}
