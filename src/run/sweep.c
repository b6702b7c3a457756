/*
 * A sweep (-sweep): one job in steps. Each step is a run with a different request size,
 * number of threads, queue depth, interval or rate. A sweep of rates searches for the
 * highest rate at which the target keeps up (search.h). Any other sweep goes from its
 * first value to its last value and doubles the value in each step.
 *
 * Each step of a sweep of rates is an open loop. All requests that are due within its
 * work time are sent, and the step waits for them, so their number does not depend on the
 * target. The time T that they take shows whether the target keeps up:
 *
 *     begin                                      end of the work time
 *       |------------------ work time W -----------------|         last answer
 *       |<- fastest latency ->|<---------------- T --------------->|
 *
 *     T     = max(W, elapsed time - fastest latency)
 *     share = requests / (requests + missed) * W / T
 *
 * T begins when the first request could have been answered. The target keeps up with a
 * rate if the share is at least MIN_SHARE. If the process was stopped during the step,
 * the time of the stop is subtracted from W and from the elapsed time.
 */
#include "cli/options.h"
#include "os/os.h"
#include "os/process.h"
#include "run_private.h"
#include "search.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A target keeps up if it answers at least this share of the due requests in time. */
#define MIN_SHARE 0.95
/* A sweep of rates for which the user gives no first rate begins with 1/RATE_PART of the
 * rate that is possible with one request in flight. */
#define RATE_PART 16

/* A sweep of sizes ends at this size (bytes), unless the user asks for more. */
#define MAX_SIZE (256 << 20)

/*
 * Returns the first and the last size of a sweep of sizes for which the user gives no
 * sizes. The first size is a logical block of TARGET; if that is unknown or larger than
 * the working set, it is the default request size, halved until it fits. The last size is
 * the first size, doubled as long as it exceeds neither the working set nor MAX_SIZE.
 */
static struct sweep
choose_sizes(const struct plan *plan, const struct target *target)
{
    int64_t max_size = target->work_size < MAX_SIZE ? target->work_size : MAX_SIZE;
    int64_t first_size = plan_opening_size(plan, target->work_size);
    int64_t block = target_logical_block(target);

    if (block > 0 && (block < first_size || block <= target->work_size))
        first_size = block;
    struct sweep sweep = {SWEEP_SIZE, first_size, first_size};
    while (sweep.to <= max_size / 2)
        sweep.to *= 2;

    return sweep;
}

/* Returns the first and the last value of the sweep of JOB: as the user gave them, or
 * else as they fit the target. */
static struct sweep
find_ends(const struct job *job)
{
    const struct plan *plan = &job->plan;
    return plan->sweep.from ? plan->sweep : choose_sizes(plan, &job->target);
}

/* Returns the work time of the present step, in ns, without the time in which the process
 * was stopped. The step must be an open loop. */
static int64_t
running_ns(const struct job *job)
{
    const struct plan *step = &job->active_plan;
    int64_t stopped =
        time_multiply(step->pace.interval, (int64_t)job->progress.total.skipped_stopped);
    return stopped < step->end.work_time ? step->end.work_time - stopped : 1;
}

/* Returns the time, in ns, over which the rates (per second) of the present step are
 * computed. ELAPSED is the time from the start of the step to its last answer. In an open
 * loop, the result is the time T at the top of this file. In a closed loop with an
 * interval, the result includes the wait after the last request. */
static int64_t
step_ns(const struct job *job, int64_t elapsed)
{
    const struct plan *step = &job->active_plan;

    if (step->pace.is_open_loop) {
        int64_t running = running_ns(job);
        int64_t stopped = step->end.work_time - running;
        return time_later(running, elapsed - stopped - job->progress.total.latency.min);
    }

    return step->pace.interval ? time_later(step->end.work_time, elapsed) : elapsed;
}

/* Returns the share of the due requests of the present step that were answered in time:
 * see the top of this file. TIME is the time of the step from step_ns. */
static double
answered_share(const struct job *job, int64_t time)
{
    const struct stats *stats = &job->progress.total;
    double due = (double)(stats->requests + stats->missed);
    return due > 0
               ? (double)stats->requests / due * (double)running_ns(job) / (double)time
               : 0;
}

/* Returns whether the present step, whose time is TIME (ns), meets the limits. A step
 * with a failed request meets no limit; FAILED says that a failure has ended the job.
 * With -N, the error EAGAIN is an expected answer and no failure. */
static enum slo_verdict
judge_step(const struct job *job, int64_t time, bool failed)
{
    const struct plan *plan = &job->plan;

    if (job->outcome.error_count > 0)
        failed = true;
    if ((plan->statistics.slos.count || job->active_plan.pace.is_open_loop) && failed)
        return SLO_BROKEN;
    if (job->active_plan.pace.is_open_loop && answered_share(job, time) < MIN_SHARE)
        return SLO_BROKEN;

    return slos_check(&plan->statistics.slos, &job->progress.total);
}

/*
 * Returns how many requests per second were answered in a step with RATE: RATE times the
 * share of requests that were answered in time (answered_share). The share counts as 1 if
 * less than one request is missing. If arrivals are random, fewer requests may have been
 * due than RATE says; then the rate of the due requests takes the place of RATE. TIME is
 * the time of the step, in ns.
 */
static int64_t
achieved_rate(const struct job *job, int64_t rate, int64_t time)
{
    double share = job->active_plan.pace.is_open_loop ? answered_share(job, time) : 0;
    double due = (double)(job->progress.total.requests + job->progress.total.missed);
    double due_rate = job->active_plan.pace.is_poisson
                          ? fmin(stats_rate(due, running_ns(job)), (double)rate)
                          : (double)rate;
    bool is_complete = (1 - share) * due < 1;

    if (is_complete && due_rate >= (double)rate)
        return rate;
    return search_round(is_complete ? due_rate : due_rate * share, 3);
}

/* Adds STEP to the steps of JOB, which are sorted by value. If JOB already has a step
 * with the same value, STEP replaces it. */
static void
insert_step(struct job *job, const struct job_step *step)
{
    int index = job->sweep.count;

    while (index > 0 && job->sweep.steps[index - 1].value > step->value)
        index--;
    if (index > 0 && job->sweep.steps[index - 1].value == step->value) {
        job->sweep.steps[index - 1] = *step;
        return;
    }
    if (job->sweep.count == JOB_STEPS)
        return;
    memmove(job->sweep.steps + index + 1, job->sweep.steps + index,
            (size_t)(job->sweep.count++ - index) * sizeof(*step));
    job->sweep.steps[index] = *step;
}

/* Ends the step with VALUE: computes its figures and reports them to the observer. BEFORE
 * is the duration of all earlier steps, in ns. Returns true if another step may follow.
 */
static bool
end_step(struct job *job, const struct run_observer *observer, int64_t value,
         int64_t before)
{
    const struct stats *stats = &job->progress.total;
    struct outcome *outcome = &job->outcome;
    int64_t time = outcome->duration - before;
    bool failed = job_has_failed(job);
    bool is_early = job->plan.sweep.kind == SWEEP_SIZE && !failed &&
                    stats->requests < (uint64_t)job->active_plan.io.threads;
    /* a signal has made the step incomplete */
    bool was_stopped = os_signals_stop_signal() && !failed;

    if (is_early && !was_stopped)
        outcome->early_step = value;
    if (is_early || was_stopped)
        return false;
    /* A failure ends a closed loop before the end of its work time. Then the time of the
     * step is the elapsed time, without a wait after it. */
    if (!failed || job->active_plan.pace.is_open_loop)
        time = step_ns(job, time);

    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    const struct job_step step = {
        .value = value,
        .answered_rate = achieved_rate(job, value, time),
        .requests = stats->latency.count,
        .failed = stats->failed,
        .iops = stats_rate((double)stats->requests, time),
        .bps = stats_rate((double)stats->all_bytes, time),
        .p50 = latencies_known_percentile(&latencies, &percentiles_common.list[0]),
        .p99 = latencies_known_percentile(&latencies, &percentiles_common.list[1]),
        .max = stats->latency.max,
        .verdict = judge_step(job, time, failed)};

    insert_step(job, &step);
    const struct run_record record = {
        .kind = RECORD_STEP, .stats = stats, .duration = time, .step = &step};
    int status = observer->record(observer->self, job, &record);
    if (status < 0 || failed)
        return false;

    if (!outcome->empty_step && !outcome->is_diagnosed && stats->requests == 0)
        outcome->empty_step = value;

    return true;
}

int64_t
job_find_highest(struct job_sweep *sweep)
{
    int64_t unknown = 0;

    sweep->highest_index = -1;
    sweep->is_lower_bound = false;
    for (int i = 0; i < sweep->count; i++) {
        enum slo_verdict verdict = sweep->steps[i].verdict;
        if (verdict == SLO_BROKEN && sweep->highest_index >= 0) {
            sweep->is_lower_bound = false;
            break;
        }
        if (verdict == SLO_MET) {
            sweep->highest_index = i;
            sweep->is_lower_bound = true;
            unknown = 0;
        } else if (verdict == SLO_UNKNOWN && !unknown) {
            unknown = sweep->steps[i].value;
        }
    }

    return unknown;
}

/*
 * Ends the sweep, which should have COUNT steps: finds the highest step that meets the
 * limits, and reports the end and that step to the observer. If steps are missing because
 * of a signal or a failure, and no other step met the limits, the verdict is unknown,
 * because a missing step might have met them.
 */
static void
end_sweep(const struct run_task *task, int count)
{
    const struct run_observer *observer = task->observer;
    struct job *job = &task->jobs[0];
    bool is_complete =
        job->sweep.count == count || (job->sweep.count && job->outcome.early_step);
    bool has_ended = is_complete || job->outcome.rates_given_up || job_has_failed(job);

    job->outcome.undecided_step = job_find_highest(&job->sweep);
    job->sweep.was_interrupted = os_signals_stop_signal() && !has_ended;
    job->outcome.was_interrupted = job->sweep.was_interrupted;
    /* The higher rates that failed in a search might not fail when tried again. */
    if (job->sweep.was_interrupted && job->plan.sweep.kind == SWEEP_RATE)
        job->sweep.is_lower_bound = job->sweep.highest_index >= 0;
    if (job->sweep.highest_index >= 0)
        job->outcome.verdict = SLO_MET;
    else if (is_complete && !job->outcome.undecided_step)
        job->outcome.verdict = SLO_BROKEN;
    else
        job->outcome.verdict = SLO_UNKNOWN;

    bool has_limits =
        job->plan.statistics.slos.count || job->plan.sweep.kind == SWEEP_RATE;
    run_end(task);
    if (has_limits && job->sweep.count)
        observer->record(observer->self, job,
                         &(struct run_record){.kind = RECORD_HIGHEST});
}

/* A sweep while it runs. */
struct running_sweep {
    const struct run_task *task;
    struct job *job;
    int index; /* index of the next step, from 0 */
    int count; /* number of steps that the sweep should have; -1: not known yet */
    struct error *error;
};

/* Returns true if the present step is an open loop, and the process was stopped at or
 * after the end of its work time. Then the time that the last requests took is unknown.
 */
static bool
was_end_stopped(const struct job *job)
{
    const struct plan *step = &job->active_plan;
    int64_t end = job->group.begin_at + step->end.settle_time + step->end.work_time;
    return step->pace.is_open_loop && !job_has_failed(job) &&
           os_process_resumed_at() > end && !os_signals_stop_signal();
}

/* Runs the step with VALUE. Repeats the step if it is unknown how long its last requests
 * took, because the process was stopped at or after the end of its work time. Returns 1
 * if another step may follow, 0 if not, or -1 with the error of SWEEP if the step could
 * not begin. */
static int
run_step(struct running_sweep *sweep, int64_t value)
{
    const struct run_observer *observer = sweep->task->observer;
    struct job *job = sweep->job;
    int64_t before;
    char name[48];
    const struct run_part part = {name, PHASE_NONE, value, sweep->index++, sweep->count};

    snprintf(name, sizeof(name), "%s=%" PRId64, sweep_kinds[job->plan.sweep.kind].name,
             value);
    if (observer->part && observer->part(observer->self, job, &part) < 0)
        return 0;
    if (!job->held_run)
        plan_step(&job->plan, value, part.index, &job->active_plan);
    do {
        before = job->outcome.duration;
        if (run_once(sweep->task, sweep->error) < 0)
            return -1;
    } while (was_end_stopped(job));

    return end_step(job, observer, value, before);
}

/* Runs the steps from the first to the last value. Returns a status like run_step. */
static int
run_values(struct running_sweep *sweep)
{
    struct sweep ends = find_ends(sweep->job);
    int status = 1;

    sweep->count = 0;
    for (int64_t value = ends.from; value; value = sweep_next(value, ends.to))
        sweep->count++;
    for (int64_t value = ends.from; value && status > 0;
         value = sweep_next(value, ends.to))
        status = run_step(sweep, value);

    return status;
}

/* Returns a search for the highest rate of JOB that begins with the rate FROM. */
static struct search
start_search(const struct job *job, int64_t from)
{
    int64_t to = job->plan.sweep.to;
    struct search search;
    search_start(&search, from, to ? to : RATE_MAX);
    return search;
}

/* Chooses the first rate of a search, and stores it in RATE: a part of the rate that is
 * possible with one request in flight. This function measures the possible rate in a run.
 * Returns a status like run_step. */
static int
measure_first_rate(struct running_sweep *sweep, int64_t *rate)
{
    struct job *job = sweep->job;

    if (!job->held_run)
        plan_step(&job->plan, PLAN_RATE_ALONE, 0, &job->active_plan);
    if (run_once(sweep->task, sweep->error) < 0)
        return -1;
    double iops = stats_rate((double)job->progress.total.requests, job->outcome.duration);
    *rate = search_round(iops / RATE_PART, 2);

    return !os_signals_stop_signal() && !job_has_failed(job);
}

_Static_assert(SEARCH_RATES <= JOB_STEPS, "each rate of a search is a step of the job");

/* Passes the result of the step with RATE, which has just ended, to SEARCH. Normally, a
 * rate that failed is tried a second time. There is one exception: the user gave the
 * first rate of the search, and fewer than RATE / 2 requests per second were answered.
 * Then RATE is tried only once, because it failed so clearly. */
static void
note_step(struct search *search, const struct job *job, int64_t rate)
{
    const struct job_step *steps = job->sweep.steps;

    for (int i = 0; i < job->sweep.count; i++) {
        bool is_hopeless = job->plan.sweep.from && 2 * steps[i].answered_rate < rate;
        if (steps[i].value == rate)
            search_note(search, steps[i].verdict != SLO_BROKEN, is_hopeless);
    }
}

/* Searches for the highest rate at which the target keeps up and meets the limits.
 * Returns a status like run_step. */
static int
search_rates(struct running_sweep *sweep)
{
    const struct job *job = sweep->job;
    int64_t from = job->plan.sweep.from;
    int status = from ? 1 : measure_first_rate(sweep, &from);
    struct search search = start_search(job, from);

    sweep->count = -1;
    while (status > 0 && search.next_rate) {
        int64_t rate = search.next_rate;
        status = run_step(sweep, rate);
        if (status > 0)
            note_step(&search, job, rate);
    }
    if (search.given_up)
        sweep->job->outcome.rates_given_up = job->sweep.count;
    else if (!search.next_rate)
        sweep->count = job->sweep.count;

    return status;
}

/* Returns the value of the first step; in a sweep of rates without a first rate, this is
 * PLAN_RATE_ALONE, the step that measures the rate with one request in flight. */
static int64_t
first_value(const struct job *job)
{
    const struct sweep *sweep = &job->plan.sweep;
    if (sweep->kind != SWEEP_RATE)
        return find_ends(job).from;
    return sweep->from ? start_search(job, sweep->from).next_rate : PLAN_RATE_ALONE;
}

static int
sweep_open_first(const struct run_task *task, const struct os_thread *supervisor,
                 struct error *error)
{
    struct run_task job_task = *task;
    struct job *job = &task->jobs[0];
    job_task.count = 1;

    plan_step(&job->plan, first_value(job), 0, &job->active_plan);
    int status = run_hold(&job_task, supervisor, error);
    if (status < 0 && job->target_count > 1)
        error_prefix(error, job->plan.path);
    return status;
}

static int
sweep_execute(const struct run_task *task, struct error *error)
{
    struct job *job = &task->jobs[0];
    struct running_sweep sweep = {.task = task, .job = job, .error = error};
    int status;

    job->outcome.sweep_kind = job->plan.sweep.kind;
    if (job->outcome.sweep_kind == SWEEP_RATE)
        status = search_rates(&sweep);
    else
        status = run_values(&sweep);

    /* If the output failed before the first step began, the run of that step is still
     * open. */
    run_cancel_first(job);
    if (status < 0 && sweep.index > 1)
        /* not EXIT_PREPARE, because earlier steps have sent requests */
        error->status = EXIT_RUNTIME;
    if (status < 0 && job->target_count > 1)
        error_prefix(error, job->plan.path);
    job->stats = &job->outcome.total;
    end_sweep(task, sweep.count);

    return status < 0 ? -1 : 0;
}

int
run_open_first(const struct run_task *task, const struct os_thread *supervisor,
               struct error *error)
{
    if (task->background)
        return phases_open_first(task, supervisor, error);
    if (task->jobs[0].plan.sweep.kind == SWEEP_NONE) {
        struct run_task job_task = *task;
        job_task.count = 1;
        return run_hold(&job_task, supervisor, error);
    }
    return sweep_open_first(task, supervisor, error);
}

int
run_execute(const struct run_task *task, struct error *error)
{
    if (task->jobs[0].plan.sweep.kind != SWEEP_NONE)
        return sweep_execute(task, error);
    if (task->background)
        return phases_execute(task, error);
    if (run_once(task, error) < 0)
        return -1;
    run_end(task);
    run_summarize(task);

    return 0;
}
