/*
 * A sweep: one job in steps. Each step is a run with another request size, number of
 * threads, queue depth, interval or rate. A sweep of rates searches for the highest rate
 * that the target meets (search.h); the other sweeps double the value from one end to the
 * other.
 *
 * Each step of a sweep of rates is an open loop. Everything that was due within its work
 * time is sent and waited for, so the number of requests does not depend on the target.
 * The time T that the requests take shows whether the target keeps up:
 *
 *     begin                                      end of the work time
 *       |------------------ work time W -----------------|         last answer
 *       |<- fastest latency ->|<---------------- T --------------->|
 *
 *     T     = max(W, elapsed time - fastest latency)
 *     share = requests / (requests + missed) * W / T
 *
 * T begins when the first request could have been answered. The target keeps up with a
 * rate if the share is at least SHARE_LEAST. If the process was stopped during the step,
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
#define SHARE_LEAST 0.95
/* A sweep of rates without a first rate begins with 1/RATE_PART of the rate of one
 * request after another. */
#define RATE_PART 16

/* A sweep of sizes ends at this size (bytes), unless the user asks for more. */
#define SIZE_MOST (256 << 20)

/*
 * Returns the ends of a sweep of sizes that the target decides. The first size is a
 * logical block; if a block does not fit into the working set, it is the default request
 * size, halved until it fits. The last size is the first size, doubled as long as it
 * exceeds neither the working set nor SIZE_MOST.
 */
static struct sweep
ends_of_target(const struct plan *plan, const struct target *target)
{
    int64_t most = target->work_size < SIZE_MOST ? target->work_size : SIZE_MOST;
    int64_t least = plan_first(plan, target->work_size);
    int64_t block = target_logical_block(target);

    if (block > 0 && (block < least || block <= target->work_size))
        least = block;
    struct sweep sweep = {SWEEP_SIZE, least, least};
    while (sweep.to <= most / 2)
        sweep.to *= 2;

    return sweep;
}

/* Returns the first and the last value, from the plan or from the target. */
static struct sweep
ends_of(const struct job *job)
{
    const struct plan *plan = &job->plan;
    return plan->sweep.from ? plan->sweep : ends_of_target(plan, &job->target);
}

/* Returns the part of the work time of the present step, which is an open loop, during
 * which the process was not stopped, in ns. */
static int64_t
running_ns(const struct job *job)
{
    const struct plan *step = &job->active_plan;
    int64_t passed =
        time_multiply(step->pace.interval, (int64_t)job->progress.total.skipped_stopped);
    return passed < step->end.work_time ? step->end.work_time - passed : 1;
}

/* Returns the time of the present step, in ns, which its rates refer to; its requests
 * took TIME. With an interval the time includes the wait after the last request. */
static int64_t
step_ns(const struct job *job, int64_t time)
{
    const struct plan *step = &job->active_plan;

    if (step->pace.open_loop) {
        int64_t running = running_ns(job);
        int64_t passed = step->end.work_time - running;
        return time_later(running, time - passed - job->progress.total.latency.min);
    }

    return step->pace.interval ? time_later(step->end.work_time, time) : time;
}

/* Returns the share of the due requests of the present step that were answered in the
 * same time: see the top of this file. The step took TIME, in ns. */
static double
answered_share(const struct job *job, int64_t time)
{
    const struct stats *stats = &job->progress.total;
    double due = (double)(stats->requests + stats->missed);
    return due > 0
               ? (double)stats->requests / due * (double)running_ns(job) / (double)time
               : 0;
}

/* Returns the verdict on the present step, which took TIME. A step with a failed request
 * meets no limit, nor does a step that FAILED. With -N, EAGAIN is an answer and no
 * failure. */
static enum slo_verdict
judge(const struct job *job, int64_t time, bool failed)
{
    const struct plan *plan = &job->plan;

    failed |= job->outcome.error_count > 0;
    if ((plan->statistics.slos.count || job->active_plan.pace.open_loop) && failed)
        return SLO_BROKEN;
    if (job->active_plan.pace.open_loop && answered_share(job, time) < SHARE_LEAST)
        return SLO_BROKEN;

    return slos_check(&plan->statistics.slos, &job->progress.total);
}

/* Returns how much of RATE was answered, in requests per second: all of it if less than
 * one request is missing. With random arrivals fewer requests than RATE may have been
 * due. */
static int64_t
achieved_rate(const struct job *job, int64_t rate, int64_t time)
{
    double share = job->active_plan.pace.open_loop ? answered_share(job, time) : 0;
    double due = (double)(job->progress.total.requests + job->progress.total.missed);
    double offered = job->active_plan.pace.poisson
                         ? fmin(stats_rate(due, running_ns(job)), (double)rate)
                         : (double)rate;
    bool all = (1 - share) * due < 1;

    if (all && offered >= (double)rate)
        return rate;
    return search_round(all ? offered : offered * share, 3);
}

/* Adds STEP to the steps of the job, which are sorted by value. It replaces a step with
 * the same value. */
static void
add_step(struct job *job, const struct job_step *step)
{
    int at = job->sweep.count;

    while (at > 0 && job->sweep.steps[at - 1].value > step->value)
        at--;
    if (at > 0 && job->sweep.steps[at - 1].value == step->value) {
        job->sweep.steps[at - 1] = *step;
        return;
    }
    if (job->sweep.count == JOB_STEPS)
        return;
    memmove(job->sweep.steps + at + 1, job->sweep.steps + at,
            (size_t)(job->sweep.count++ - at) * sizeof(*step));
    job->sweep.steps[at] = *step;
}

/* Ends the step with VALUE: computes its figures and notifies of it. BEFORE is the
 * duration of all earlier steps, in ns. Returns whether another step follows. */
static bool
end_step(struct job *job, const struct run_observer *observer, int64_t value,
         int64_t before)
{
    const struct stats *stats = &job->progress.total;
    struct outcome *outcome = &job->outcome;
    int64_t time = outcome->duration - before;
    bool failed = job_has_failed(job);
    bool early = job->plan.sweep.kind == SWEEP_SIZE && !failed &&
                 stats->requests < (uint64_t)job->active_plan.io.threads;
    bool stopped = os_signals_stop() && !failed; /* the step is incomplete */

    if (early && !stopped)
        outcome->early_step = value;
    if (early || stopped)
        return false;
    /* A closed loop that failed ended before its work time. */
    if (!failed || job->active_plan.pace.open_loop)
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
        .verdict = judge(job, time, failed)};

    add_step(job, &step);
    const struct run_record record = {RECORD_STEP, stats, time, &step, NULL};
    int status = observer->record(observer->self, job, &record);
    if (status < 0 || failed)
        return false;

    if (!outcome->empty_step && stats->requests == 0)
        outcome->empty_step = value;

    return true;
}

int64_t
job_find_highest(struct job_sweep *sweep)
{
    int64_t unknown = 0;

    sweep->highest_index = -1;
    for (int i = 0; i < sweep->count; i++) {
        enum slo_verdict verdict = sweep->steps[i].verdict;
        if (verdict == SLO_BROKEN && sweep->highest_index >= 0)
            break;
        if (verdict == SLO_MET) {
            sweep->highest_index = i;
            unknown = 0;
        } else if (verdict == SLO_UNKNOWN && !unknown) {
            unknown = sweep->steps[i].value;
        }
    }

    return unknown;
}

/*
 * Ends the sweep after the last of COUNT steps: finds the highest step that meets the
 * limits, and notifies of the end and of that step. If a signal or a failure has left
 * out steps, the verdict stays unknown unless a step met the limits, because the missing
 * steps might have met them.
 */
static void
conclude_step(const struct run_task *task, int count)
{
    const struct run_observer *observer = task->observer;
    struct job *job = &task->jobs[0];
    bool all = job->sweep.count == count || (job->sweep.count && job->outcome.early_step);

    job->outcome.undecided_step = job_find_highest(&job->sweep);
    bool known = all && !job->outcome.undecided_step;
    job->outcome.verdict = job->sweep.highest_index >= 0 ? SLO_MET
                           : known                       ? SLO_BROKEN
                                                         : SLO_UNKNOWN;

    bool wanted = job->plan.statistics.slos.count || job->plan.sweep.kind == SWEEP_RATE;
    run_end(task);
    if (wanted && job->sweep.count)
        observer->record(observer->self, job,
                         &(struct run_record){.kind = RECORD_HIGHEST});
}

/* A sweep while it runs. */
struct sweeping {
    const struct run_task *task;
    struct job *job;
    int index; /* of the next step, from 0 */
    int count; /* number of steps; -1 if unknown */
    struct error *error;
};

/* Returns whether the process was stopped at or after the end of the work time of the
 * present step. In an open loop nobody can tell then how long the last requests took. */
static bool
ends_stopped(const struct job *job)
{
    const struct plan *step = &job->active_plan;
    int64_t end = job->group.begin_at + step->end.settle_time + step->end.work_time;
    return step->pace.open_loop && !job_has_failed(job) && os_process_resumed() > end &&
           !os_signals_stop();
}

/* Runs the step with VALUE, and repeats it while its end cannot be known. Returns 1 if
 * another step follows, 0 if none does, or -1 with the error of SWEEPING if the step
 * could not begin. */
static int
do_step(struct sweeping *sweeping, int64_t value)
{
    const struct run_observer *observer = sweeping->task->observer;
    struct job *job = sweeping->job;
    int64_t before;
    char name[48];
    const struct run_part part = {name, PHASE_NONE, value, sweeping->index++,
                                  sweeping->count};

    snprintf(name, sizeof(name), "%s=%" PRId64, sweep_kinds[job->plan.sweep.kind].name,
             value);
    if (observer->part && observer->part(observer->self, job, &part) < 0)
        return 0;
    if (!job->held_run)
        plan_step(&job->plan, value, part.index, &job->active_plan);
    do {
        before = job->outcome.duration;
        if (run_once(sweeping->task, sweeping->error) < 0)
            return -1;
    } while (ends_stopped(job));

    return end_step(job, observer, value, before);
}

/* Runs the steps from one end to the other. Returns 0 or 1, or -1 with the error of
 * SWEEPING. */
static int
do_values(struct sweeping *sweeping)
{
    struct sweep ends = ends_of(sweeping->job);
    int status = 1;

    sweeping->count = 0;
    for (int64_t value = ends.from; value; value = sweep_next(value, ends.to))
        sweeping->count++;
    for (int64_t value = ends.from; value && status > 0;
         value = sweep_next(value, ends.to))
        status = do_step(sweeping, value);

    return status;
}

/* Starts the search for the highest rate of JOB, beginning with the rate FROM. */
static struct search
start_search(const struct job *job, int64_t from)
{
    int64_t to = job->plan.sweep.to;
    struct search search;
    search_start(&search, from, to ? to : RATE_MOST);
    return search;
}

/* Finds the first rate: a part of the rate of one request after another, which it
 * measures in a run. Stores it in RATE. Returns a status like do_step. */
static int
find_first(struct sweeping *sweeping, int64_t *rate)
{
    struct job *job = sweeping->job;

    if (!job->held_run)
        plan_step(&job->plan, PLAN_ALONE, 0, &job->active_plan);
    if (run_once(sweeping->task, sweeping->error) < 0)
        return -1;
    double iops = stats_rate((double)job->progress.total.requests, job->outcome.duration);
    *rate = search_round(iops / RATE_PART, 2);

    return !os_signals_stop() && !job_has_failed(job);
}

_Static_assert(SEARCH_RATES <= JOB_STEPS, "each rate of a search is a step of the job");

/* Searches for the highest rate that is met. Returns 0 or 1, or -1 with the error of
 * SWEEPING. */
static int
do_rates(struct sweeping *sweeping)
{
    const struct job *job = sweeping->job;
    const struct sweep *ends = &job->plan.sweep;
    int64_t from = ends->from;
    int status = from ? 1 : find_first(sweeping, &from);
    struct search search = start_search(job, from);

    sweeping->count = -1;
    while (status > 0 && search.next) {
        int64_t rate = search.next;
        status = do_step(sweeping, rate);
        for (int i = 0; status > 0 && i < job->sweep.count; i++)
            if (job->sweep.steps[i].value == rate)
                search_note(&search, job->sweep.steps[i].verdict != SLO_BROKEN,
                            ends->from && 2 * job->sweep.steps[i].answered_rate < rate);
    }
    if (search.given_up)
        sweeping->job->outcome.rates_given_up = job->sweep.count;
    else if (!search.next)
        sweeping->count = job->sweep.count;

    return status;
}

/* Returns the value of the first step. */
static int64_t
first_value(const struct job *job)
{
    const struct sweep *sweep = &job->plan.sweep;
    if (sweep->kind != SWEEP_RATE)
        return ends_of(job).from;
    return sweep->from ? start_search(job, sweep->from).next : PLAN_ALONE;
}

static int
sweep_open_first(const struct run_task *task, const struct os_thread *supervisor,
                 struct error *error)
{
    struct run_task one = *task;
    struct job *job = &task->jobs[0];
    one.count = 1;

    plan_step(&job->plan, first_value(job), 0, &job->active_plan);
    int status = run_hold(&one, supervisor, error);
    if (status < 0 && job->target_count > 1)
        error_prefix(error, job->plan.path);
    return status;
}

static int
sweep_execute(const struct run_task *task, struct error *error)
{
    struct job *job = &task->jobs[0];
    struct sweeping sweeping = {.task = task, .job = job, .error = error};

    job->outcome.sweep_kind = job->plan.sweep.kind;
    int status = job->outcome.sweep_kind == SWEEP_RATE ? do_rates(&sweeping)
                                                       : do_values(&sweeping);
    /* If the output failed before the first step began, that step is still open. */
    run_cancel_first(job);
    if (status < 0 && sweeping.index > 1)
        error->status = EXIT_RUNTIME; /* earlier steps have sent requests */
    if (status < 0 && job->target_count > 1)
        error_prefix(error, job->plan.path);
    job->stats = &job->outcome.total;
    conclude_step(task, sweeping.count);

    return status < 0 ? -1 : 0;
}

int
run_open_first(const struct run_task *task, const struct os_thread *supervisor,
               struct error *error)
{
    if (task->background)
        return phases_open_first(task, supervisor, error);
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
