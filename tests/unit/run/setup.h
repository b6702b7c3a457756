#ifndef RUN_SETUP_H
#define RUN_SETUP_H

/* A worker on the fake engine, for the tests of its loop. */
#include "support.h"

#include "base/time.h"
#include "cli/options.h"
#include "fake_engine.h"
#include "report/output_choice.h"
#include "report/outputs.h"
#include "run/run_private.h"

#define SIZE 4096
#define SEEN 64

struct setup {
    struct options options; /* no interval, all requests count */
    struct plan plan;
    struct target target; /* no device, 16 blocks */
    struct job *job;      /* lives until the next setup_job */
    struct run_observer observer;
    struct run run;
    struct worker worker;
    struct sample seen[SEEN];
    int seen_count;
    int stop_after; /* samples; 0: the observer never ends the run */
};

static inline int
setup_listen(void *self, const struct job *job, const struct sample *sample)
{
    struct setup *setup = self;
    (void)job;
    assert_in_range(setup->seen_count, 0, SEEN - 1);
    setup->seen[setup->seen_count++] = *sample;
    return setup->seen_count == setup->stop_after ? -1 : 0;
}

/* Prepares COUNT requests; the test changes the fields that it is about, before
 * setup_open. */
static inline void
setup_begin(struct setup *setup, int64_t count)
{
    memset(setup, 0, sizeof(*setup));
    setup->options.targets[0] = "nowhere";
    setup->options.target_count = 1;
    setup->options.size = SIZE;
    setup->options.count = count;
    setup->options.entropy = 1;
    setup->options.max_time = INT64_MAX;
    setup->options.timeout = INT64_MAX;
    setup->options.given[OPTION_INTERVAL] = 1;
    setup->target = (struct target){.fd = -1,
                                    .kind = OS_FILE,
                                    .size = 16 * SIZE,
                                    .work_size = 16 * SIZE,
                                    .alignment = SIZE,
                                    .flushes_writes = true,
                                    .description = {.mode = IO_MODE_DIRECT}};
    fake_engine_reset();
}

/* Likewise, of several workers, or requests at a time. */
static inline void
setup_begin_workers(struct setup *setup, int64_t count, int threads, int depth)
{
    setup_begin(setup, count);
    setup->options.threads = threads;
    setup->options.depth = depth;
    setup->options.given[OPTION_URING] = 1;
}

/* Makes the plan and the job, without a run. Too large for a stack. */
static inline void
setup_job(struct setup *setup)
{
    static struct job job;
    struct error error;
    assert_int_equal(plan_make(&setup->options, 1, &setup->plan, &error), 0);
    assert_int_equal(outputs_choose(&setup->options, &setup->plan, &error), 0);
    memset(&job, 0, sizeof(job));
    assert_int_equal(job_init(&job, &setup->plan, 0), 0);
    job.target = setup->target;
    job.plan.io.engine = job.active_plan.io.engine = &engine_fake;
    setup->job = &job;
}

/* Returns the task of a run; the set-up must outlive it. */
static inline struct run_task
setup_task(struct setup *setup, const struct run_observer *observer)
{
    setup_job(setup);
    return (struct run_task){.jobs = setup->job, .count = 1, .observer = observer};
}

/* Fails unless ERROR is that of a fake engine that cannot be opened. */
static inline void
assert_broken(const struct error *error)
{
    char why[128];
    snprintf(why, sizeof(why), "broken: %s", strerror(EIO));
    assert_string_equal(error->why, why);
}

/* Opens a worker alone, in a run without a supervisor. */
static inline void
setup_open(struct setup *setup)
{
    struct error error;
    setup->observer = (struct run_observer){.self = setup, .sample = setup_listen};
    setup->run.task = setup_task(setup, &setup->observer);
    setup->run.lock = os_lock_make();
    struct job *job = setup->job;
    job->run = &setup->run;
    job->active_plan.output.any_requests = true; /* the observer is told of each */
    job->group = (struct worker_group){.size = 0,
                                       .max_requests = setup->plan.end.max_requests,
                                       .begin_at = 1,
                                       .period_end = INT64_MAX};
    assert_int_equal(worker_open(&setup->worker, job, &engine_fake, 0, &error), 0);
    setup->worker.reports_requests = true;
}

static inline void
setup_close(struct setup *setup)
{
    worker_close(&setup->worker);
    os_lock_free(setup->run.lock);
}

static inline void
setup_run(struct setup *setup)
{
    setup_open(setup);
    worker_run(&setup->worker);
    setup_close(setup);
}

static struct setup setup; /* of the test that runs */

#endif
