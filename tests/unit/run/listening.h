#ifndef RUN_LISTENING_H
#define RUN_LISTENING_H

/* Runs of several workers on the fake engine, and an observer that records its calls. */
#include "setup.h"

#include "os/process.h"
#include "run/run.h"

#include <stdatomic.h>

#define REQUESTS 4096
#define SAID 16

/* The record of the observer's calls. */
struct told {
    atomic_bool inside; /* a call that must be the only one */
    bool together;      /* one came while another was there */
    int samples, summaries, interims, hangs, periods, steps;
    uint8_t times[REQUESTS];             /* by request */
    struct sample slowest, first_failed; /* by its end */
    int64_t warmups;                     /* OR-ed bits of the requests that were */
    int late;                            /* requests that missed points of their grid */
    uint64_t since_period;
    bool uneven;         /* a period was not what was told since the last */
    uint64_t period_sum; /* requests in all of them */
    uint64_t missed_sum; /* missed requests in all of them; by operation */
    uint64_t missed_sums[OPERATION_TURNS];
    bool backwards;       /* one had a negative time */
    int enough_periods;   /* then what is held goes on, as after interim statistics */
    bool (*enough)(void); /* likewise when it is true; NULL: by periods alone */
    bool end_with_enough; /* no more periods can be written then */
    int64_t period_times[SAID];
    uint64_t period_requests[SAID];
    int empty_periods; /* since the last that had a request */
    struct stats summary, interim, merged;
    struct job_in_flight meanwhile, left; /* with the interim statistics; in the end */
    int64_t summary_time;
    uint64_t hang_index[SAID];
    int64_t hang_time[SAID];
    int64_t values[SAID], step_times[SAID];
    struct stats step; /* the last */
    struct io_config step_config;
    int step_requests[SAID]; /* that the first worker had sent until its end */
    int stepping;            /* steps that have begun */
    int judged, highest;     /* calls, and the step of the last; -1: none */
    int count_of_steps;      /* that there should be, as it was told */
    int64_t value_of_step;
    bool out_of_order;     /* steps did not begin and end in turn */
    void (*at_hang)(void); /* NULL: nothing */
    int (*at_step)(void);
};

static inline void
enter(struct told *told)
{
    told->together |= atomic_exchange(&told->inside, true);
}

static inline int
leave(struct told *told)
{
    atomic_store(&told->inside, false);
    return 0;
}

static inline bool
let_go_if_enough(const struct told *told)
{
    bool enough = told->enough && told->enough();
    if (enough)
        atomic_store(&fake_engine.go, true);
    return enough;
}

static inline int
on_sample(void *self, const struct job *job, const struct sample *sample)
{
    struct told *told = self;
    (void)job;
    enter(told);
    told->samples++;
    told->since_period++;
    if (sample->index < REQUESTS)
        told->times[sample->index]++;
    if (sample->verdict == VERDICT_WARMUP)
        told->warmups |= 1LL << (sample->index < 63 ? sample->index : 63);
    told->late += sample->missed > 0;
    if (sample->latency > told->slowest.latency)
        told->slowest = *sample;
    int64_t end = told->first_failed.start + told->first_failed.latency;
    if (sample->error && (!end || sample->start + sample->latency < end))
        told->first_failed = *sample;
    return leave(told);
}

static inline int
on_period(void *self, const struct job *job, const struct stats *stats, int64_t time)
{
    struct told *told = self;
    (void)job;
    enter(told);
    told->uneven |= stats->requests != told->since_period;
    told->since_period = 0;
    told->period_sum += stats->requests;
    told->missed_sum += stats->missed;
    for (int i = 0; i < OPERATION_TURNS; i++)
        told->missed_sums[i] += stats->operations[i].missed;
    told->backwards |= time < 0;
    told->empty_periods = stats->requests ? 0 : told->empty_periods + 1;
    if (told->periods < SAID) {
        told->period_requests[told->periods] = stats->requests;
        told->period_times[told->periods] = time;
    }
    told->periods++;
    if (told->periods == told->enough_periods)
        atomic_store(&fake_engine.go, true);
    bool ends = let_go_if_enough(told) && told->end_with_enough;
    leave(told);
    return ends ? -1 : 0;
}

static inline int
on_summary(void *self, const struct job *job)
{
    struct told *told = self;
    enter(told);
    told->summary = job->outcome.total;
    told->left = job->in_flight;
    told->summary_time = job->outcome.duration;
    told->summaries++;
    return leave(told);
}

static inline int
on_part(void *self, const struct job *job, const struct run_part *part)
{
    struct told *told = self;
    (void)job;
    told->out_of_order |= part->index != told->stepping || part->index != told->steps ||
                          (told->count_of_steps && part->count != told->count_of_steps);
    told->count_of_steps = part->count;
    told->value_of_step = part->value;
    told->stepping++;
    return 0;
}

static inline int
on_step(void *self, const struct job *job, const struct job_step *step,
        const struct stats *stats, int64_t time)
{
    struct told *told = self;
    (void)job;
    enter(told);
    assert_in_range(told->steps, 0, SAID - 1);
    told->out_of_order |= step->value != told->value_of_step;
    told->values[told->steps] = step->value;
    told->step_times[told->steps] = time;
    told->step_requests[told->steps++] = fake_engine.queues[0].requests;
    told->step = *stats;
    told->step_config = fake_engine.config;
    stats_merge(&told->merged, stats);
    leave(told);
    return told->at_step ? told->at_step() : 0;
}

static inline int
on_highest(void *self, const struct job *job)
{
    struct told *told = self;
    told->highest = job->sweep.highest_index;
    told->judged++;
    return 0;
}

static inline int
on_record(void *self, const struct job *job, const struct run_record *record)
{
    if (record->kind == RECORD_SUMMARY)
        return on_summary(self, job);
    if (record->kind == RECORD_HIGHEST)
        return on_highest(self, job);
    return record->step
               ? on_step(self, job, record->step, record->stats, record->duration)
               : on_period(self, job, record->stats, record->duration);
}

static inline void
on_interim(void *self, const struct job *job)
{
    struct told *told = self;
    told->interim = *job->stats;
    told->meanwhile = job->in_flight;
    told->interims++;
    atomic_store(&fake_engine.go, true);
}

static inline void
on_hang(void *self, const struct job *job, uint64_t index, int64_t waited)
{
    struct told *told = self;
    (void)job;
    if (told->hangs < SAID) {
        told->hang_index[told->hangs] = index;
        told->hang_time[told->hangs] = waited;
    }
    told->hangs++;
    if (told->at_hang)
        told->at_hang();
    let_go_if_enough(told);
}

static struct told *told; /* of the test that runs, empty at its begin */

/* Empties the record. */
static inline int
told_begin(void **state)
{
    static struct told record; /* too large for a stack */
    (void)state;
    told = &record;
    memset(told, 0, sizeof(*told));
    return 0;
}

FIXTURE(told_begin, NULL)

/* Returns an observer that records its calls. */
static inline struct run_observer
observer_of(void)
{
    return (struct run_observer){
        .self = told,
        .sample = on_sample,
        .record = on_record,
        .interim = on_interim,
        .hang = on_hang,
        .part = on_part,
    };
}

static inline struct outcome *
try_run(int status, struct error *error)
{
    const struct run_observer observer = observer_of();
    struct run_task task = setup_task(&setup, &observer);
    os_signals_install();
    assert_int_equal(run_execute(&task, error), status);
    return &setup.job->outcome;
}

static inline struct outcome *
run(void)
{
    struct error error;
    return try_run(0, &error);
}

#define LATE 7 /* exit status */

/* Runs BODY in a child: the signal cannot be taken back, and the worker never ends. A
 * child that was late is tried again. */
static inline void
in_child(void (*body)(void))
{
    int status, tries = 0;
    do {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            body();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
    } while (WIFEXITED(status) && WEXITSTATUS(status) == LATE && ++tries < 5);
    if (WIFSIGNALED(status))
        note_crash(128 + WTERMSIG(status));
    assert_int_equal(status, 0);
}

/* A test whose body runs in a child. */
#define TEST_IN_CHILD(name)         \
    static void name##_there(void); \
    TEST(name)                      \
    {                               \
        in_child(name##_there);     \
    }                               \
    static void name##_there(void)

#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                       \
        }                                                                   \
    } while (0)

/* The NUMBERth request of one WORKER takes so long. */
static inline void
hang(int worker, int number, int64_t time)
{
    fake_engine.queues[worker].scripted = true;
    fake_engine.queues[worker].answers[number].min_duration = time;
}

/* Counts the requests that all workers have sent. */
static inline int
sent_by_all(void)
{
    int sum = 0;
    for (int i = 0; i < FAKE_QUEUES; i++)
        sum += fake_engine.queues[i].requests;
    return sum;
}

/* Sends SIGINT at the first hang and lets held requests go on. */
static inline void
interrupt(void)
{
    if (told->hangs == 1)
        raise(SIGINT);
    atomic_store(&fake_engine.go, true);
}

#endif
