#ifndef PROBE_SETUP_H
#define PROBE_SETUP_H

/* A worker on the fake engine, for the tests of its loop. */
#include "support.h"

#include "fake_engine.h"
#include "run/run.h"
#include "run/worker.h"

#define MS 1000000LL
#define SIZE 4096
#define SEEN 64

struct setup {
    struct options options; /* no interval, all requests count */
    struct plan plan;
    struct target target; /* no device, 16 blocks */
    struct worker_group group;
    struct worker worker;
    struct sample seen[SEEN];
    int seen_count;
    int stop_after; /* samples; 0: the listener never ends the run */
};

static inline int
setup_listen(void *self, const struct sample *sample)
{
    struct setup *setup = self;
    assert_in_range(setup->seen_count, 0, SEEN - 1);
    setup->seen[setup->seen_count++] = *sample;
    return setup->seen_count == setup->stop_after ? -1 : 0;
}

/* The test then changes what it is about, before setup_open. */
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
    setup->options.given[OPTION_INTERVAL] = 1;
    setup->target = (struct target){.fd = -1,
                                    .kind = OS_FILE,
                                    .size = 16 * SIZE,
                                    .work_size = 16 * SIZE,
                                    .alignment = SIZE,
                                    .flush = true,
                                    .description = {.mode = MODE_DIRECT}};
    fake_engine_reset();
}

/* A run of what is set up, as ONE describes it then, which is to stay. */
static inline struct run_task
setup_task(struct setup *setup, const struct run_observer *observer,
           struct outcome *outcome, struct run_target *one)
{
    *one = (struct run_target){.plan = &setup->plan,
                               .target = &setup->target,
                               .observer = *observer,
                               .outcome = outcome};
    return (struct run_task){.engine = &engine_fake, .targets = one, .count = 1};
}

static inline void
setup_open(struct setup *setup)
{
    struct error error;
    assert_int_equal(plan_make(&setup->options, 1, &setup->plan, &error), 0);
    setup->group = (struct worker_group){
        .size = 1, .count = setup->plan.count, .begin = 1, .due = INT64_MAX};
    assert_int_equal(worker_open(&setup->worker, &setup->plan, &setup->target,
                                 &engine_fake, &setup->group, 0, &error),
                     0);
    setup->worker.listener.self = setup;
    setup->worker.listener.sample = setup_listen;
}

static inline void
setup_run(struct setup *setup)
{
    setup_open(setup);
    worker_run(&setup->worker);
    worker_close(&setup->worker);
}

#endif
