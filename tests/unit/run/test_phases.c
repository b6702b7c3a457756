/* The three runs of a job with a load beside it. */
#include "listening.h"

#include "os/thread.h"

/* What was told of phases. */
struct phases {
    enum phase begun[SAID], ended[SAID];
    int begins, ends;
    uint64_t requests[SAID]; /* of the phase */
    uint64_t numbered;       /* the highest number so far */
    bool again;              /* a number came twice */
};

static struct phases phases; /* too large for a stack */
static struct job jobs[2];   /* likewise: the second is the load */

static int
on_numbered(void *self, const struct job *job, const struct sample *sample)
{
    (void)self;
    assert_int_equal(job->plan.mode, MODE_PHASES);
    phases.again |= sample->index <= phases.numbered;
    phases.numbered = sample->index;
    return 0;
}

static int
on_phase_begin(void *self, const struct job *job, const struct run_part *part)
{
    (void)self;
    assert_int_equal(job->phases->current, part->phase);
    phases.begun[phases.begins++] = part->phase;
    return 0;
}

static int
on_phase(void *self, const struct job *job, const struct run_record *record)
{
    enum phase phase = job->phases->current;
    if (record->kind != RECORD_PHASE)
        return on_record(self, job, record);
    assert_true(job->phases->list[phase].has_ended);
    assert_ptr_equal(record->background, phase == PHASE_LOADED ? &jobs[1] : NULL);
    phases.requests[phases.ends] = record->stats->requests;
    phases.ended[phases.ends++] = phase;
    return 0;
}

/* The first phase is opened before the others, as the session does. */
static bool opens_first;

/* Runs setup with a load of TEXT; returns what became of that. */
static int
try_phases(const char *text)
{
    struct error error;
    struct run_observer observer = observer_of();
    memset(&phases, 0, sizeof(phases));
    memset(jobs, 0, sizeof(jobs));
    observer.sample = on_numbered;
    observer.part = on_phase_begin;
    observer.record = on_phase;
    setup.options.given[OPTION_LOAD] = 1;
    assert_null(background_parse(text, &setup.options.background));
    assert_int_equal(plan_make(&setup.options, 1, &setup.plan, &error), 0);
    assert_int_equal(outputs_choose(&setup.options, &setup.plan, &error), 0);
    setup.plan.output.any_requests = true;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(job_init(&jobs[i], &setup.plan, i), 0);
        jobs[i].target = setup.target;
        jobs[i].plan.io.engine = jobs[i].active_plan.io.engine = &engine_fake;
    }
    struct run_task task = {
        .jobs = jobs, .count = 1, .background = &jobs[1], .observer = &observer};
    os_signals_install();
    if (opens_first) {
        struct os_thread self = os_thread_self();
        assert_int_equal(run_open_first(&task, &self, &error), 0);
        assert_int_equal(fake_engine.opened, jobs[0].plan.io.threads);
        assert_int_equal(phases.begins, 0);
        assert_int_equal(sent_by_all(), 0);
    }
    return run_execute(&task, &error);
}

/* The same, which ends well; returns the job. */
static struct job *
run_phases(const char *text)
{
    assert_int_equal(try_phases(text), 0);
    return jobs;
}

static void
assert_phases(int count)
{
    assert_int_equal(phases.begins, count);
    assert_int_equal(phases.ends, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(phases.begun[i], PHASE_IDLE + i);
        assert_int_equal(phases.ended[i], PHASE_IDLE + i);
    }
}

TEST(each_phase_has_all_requests)
{
    setup_begin(&setup, 5);
    fake_engine.default_duration =
        20 * MS; /* a busy machine lets the load begin meanwhile */
    struct job *job = run_phases("read,threads=2");
    assert_phases(3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(phases.requests[i], 5);
    assert_int_equal(job->outcome.total.requests, 15);
    assert_int_equal(phases.numbered, 15);
    assert_false(phases.again);
    assert_int_equal(told->summaries, 1);
    assert_int_equal(told->summary.requests, 15);
    assert_int_equal(job->outcome.failed_sample.index, 0);
    assert_int_equal(jobs[1].outcome.failed_sample.index, 0);
    assert_true(jobs[1].outcome.total.requests > 0);
    assert_int_equal(fake_engine.opened, 3 + 2);
    assert_int_equal(fake_engine.closed, 3 + 2);
    job_free(&jobs[0]);
    job_free(&jobs[1]);
}

TEST(a_first_phase_that_was_opened_before_is_like_any)
{
    static const int threads[] = {1, 3};
    for (size_t i = 0; i < LENGTH(threads); i++) {
        told_begin(NULL);
        setup_begin(&setup, 6);
        setup.options.threads = threads[i];
        fake_engine.default_duration = 20 * MS;
        opens_first = true;
        run_phases("read");
        opens_first = false;
        assert_phases(3);
        for (int k = 0; k < 3; k++)
            assert_int_equal(phases.requests[k], 6);
        assert_int_equal(fake_engine.opened, 3 * threads[i] + 1);
        assert_int_equal(fake_engine.closed, 3 * threads[i] + 1);
        job_free(&jobs[0]);
        job_free(&jobs[1]);
    }
}

/* Of 5 requests in each phase the last makes no period of two: it is not carried over to
 * the next phase, which would have three periods then. */
TEST(a_period_has_only_requests_of_its_own_phase)
{
    static const int threads[] = {1, 4};
    for (size_t i = 0; i < LENGTH(threads); i++) {
        told_begin(NULL);
        setup_begin(&setup, 5);
        setup.options.threads = threads[i];
        setup.options.print_count = 2;
        fake_engine.default_duration = MS;
        run_phases("read");
        assert_phases(3);
        assert_int_equal(told->periods, 3 * 2);
        for (int k = 0; k < told->periods; k++)
            assert_int_equal(told->period_requests[k], 2);
        job_free(&jobs[0]);
        job_free(&jobs[1]);
    }
}

/* What it does in the second before is none of its figures. A thread that begins late has
 * less time. */
TEST(a_load_settles_before_it_is_measured)
{
    setup_begin(&setup, 40);
    setup.options.interval = 10 * MS;
    fake_engine.default_duration = MS;
    run_phases("read,rate=100");
    int64_t began = jobs[1].group.begin_at, load = jobs[1].outcome.duration;
    assert_true(jobs[0].phases->list[PHASE_LOADED].duration >= 390 * MS);
    assert_true(load > 0);
    assert_true(jobs[1].outcome.ended_at - began >= SECOND + load);
    assert_true(jobs[1].outcome.total.requests <= (uint64_t)(load / (10 * MS)) + 2);
    job_free(&jobs[0]);
    job_free(&jobs[1]);
}

/* The 11th begins as it has settled, and outlasts the phase. */
TEST(a_load_is_measured_until_it_is_stopped)
{
    setup_begin(&setup, 20);
    setup.options.interval = 10 * MS;
    fake_engine.default_duration = MS;
    fake_engine.queues[1].scripted = true;
    fake_engine.queues[1].answers[11].min_duration = 3 * SECOND;
    run_phases("read,rate=10");
    const struct outcome *load = &jobs[1].outcome;
    assert_true(load->total.latency.max >= 3 * SECOND);
    assert_true(load->duration > 0);
    assert_true(load->ended_at - jobs[1].group.begin_at >= 2 * SECOND + load->duration);
    job_free(&jobs[0]);
    job_free(&jobs[1]);
}

/* The load has the second queue of those that are open. */
TEST(a_load_that_fails_ends_all)
{
    setup_begin(&setup, 0);
    setup.options.work_time = 100 * MS;
    setup.options.given[OPTION_WORK_TIME] = 1;
    setup.options.interval = MS;
    fake_engine.default_duration = MS;
    fake_engine.queues[1].scripted = true;
    fake_engine.queues[1].answers[3].error = EIO;
    run_phases("read,rate=100");
    assert_phases(2);
    assert_int_equal(jobs[0].outcome.failed_sample.index, 0);
    assert_int_equal(jobs[1].outcome.failed_sample.index, 3);
    assert_int_equal(outcome_status(&jobs[1].outcome), EXIT_RUNTIME);
    assert_true(jobs[1].was_tried);
    job_free(&jobs[0]);
    job_free(&jobs[1]);
}

TEST(a_failure_of_a_request_ends_all)
{
    setup_begin(&setup, 5);
    fake_engine.queues[0].scripted = true;
    fake_engine.queues[0].answers[3].error = EIO;
    run_phases("read,rate=100");
    assert_phases(1);
    assert_int_equal(jobs[0].outcome.failed_sample.index, 3);
    assert_false(jobs[1].was_tried);
    assert_int_equal(told->summaries, 1);
    job_free(&jobs[0]);
    job_free(&jobs[1]);
}

/* The metrics and the plot in the end have what there was, and nothing of the load. */
TEST(a_phase_that_cannot_begin_has_no_statistics)
{
    setup_begin(&setup, 5);
    fake_engine.broken = true;
    fake_engine.openable_queues = 1;
    assert_int_equal(try_phases("read,rate=100"), -1);
    assert_int_equal(phases.ends, 1);
    assert_int_equal(told->summary.requests, 5);
    assert_int_equal(jobs[0].phases->current, PHASE_IDLE);
    assert_non_null(job_phase_stats(&jobs[0], PHASE_IDLE));
    assert_null(job_phase_stats(&jobs[0], PHASE_LOADED));
    job_free(&jobs[0]);
    job_free(&jobs[1]);
}

TEST(limits_of_a_phase_are_about_its_statistics)
{
    static struct job_phase list[PHASES];
    struct outcome outcome = {.phases = list};
    struct slos slos = {0};
    assert_null(slos_add(&slos, "loaded-max=2s"));
    outcome.slos = &slos;
    outcome.total.latency.count = 9;
    outcome.total.latency.max = 5 * SECOND;
    list[PHASE_LOADED].stats.latency.count = 3;
    list[PHASE_LOADED].stats.latency.max = SECOND;
    assert_int_equal(outcome_status(&outcome), EXIT_DONE);
    list[PHASE_LOADED].stats.latency.max = 3 * SECOND;
    assert_int_equal(outcome_status(&outcome), EXIT_LIMIT);
    list[PHASE_LOADED].stats.latency.count = 0;
    assert_int_equal(outcome_status(&outcome), EXIT_LIMIT);
}
