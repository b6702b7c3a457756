/*
 * A sweep: one job in steps, each a run of its own with another size, another number of
 * threads, another depth, another interval, or another rate.
 *
 * A step of rates is an open loop. All that was due within its work time is sent and
 * waited for, so that the requests are as many as were due; the time that this takes says
 * whether the target keeps up. It is the time from when the first of them could have been
 * answered, which is that of the fastest, and no less than the work time.
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

/* Of the requests that are due, so many at least are answered in the same time by a
 * target that keeps up. */
#define SHARE_LEAST 0.95
/* A sweep of rates begins with this part of the rate of one request after another. */
#define RATE_PART 16

/* A sweep of sizes ends here, unless the user asks for more. */
#define SIZE_MOST (256 << 20)

/* The sizes from one end to the other, which the target decides: the smallest is a
 * logical block, but nothing larger than what is known to fit and to be possible. */
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

/* The values from one end to the other, which the plan or the target decides. */
static struct sweep
ends_of(const struct job *job)
{
    const struct plan *plan = &job->plan;
    return plan->sweep.from ? plan->sweep : ends_of_target(plan, &job->target);
}

/* Returns the part of the work time of the present step, an open loop, in which the
 * process was not stopped. */
static int64_t
running_of(const struct job *job)
{
    const struct plan *step = &job->active_plan;
    int64_t passed =
        time_multiply(step->pace.interval, (int64_t)job->progress.total.skipped_stopped);
    return passed < step->ends.work_time ? step->ends.work_time - passed : 1;
}

/* Returns the time of the present step whose requests took TIME: where they have an
 * interval, the wait after the last of them is a part of it. */
static int64_t
time_of(const struct job *job, int64_t time)
{
    const struct plan *step = &job->active_plan;
    if (step->pace.open_loop) {
        int64_t running = running_of(job), passed = step->ends.work_time - running;
        return time_later(running, time - passed - job->progress.total.latency.min);
    }
    return step->pace.interval ? time_later(step->ends.work_time, time) : time;
}

/* Returns the share of the requests that were due in the present step which were answered
 * in the same time, if it took TIME. */
static double
share_of(const struct job *job, int64_t time)
{
    const struct stats *stats = &job->progress.total;
    double due = (double)(stats->requests + stats->missed);
    return due > 0
               ? (double)stats->requests / due * (double)running_of(job) / (double)time
               : 0;
}

/* Judges the present step. One that a request without success ended, FAILED, or in which
 * one failed, meets no limit; but with -N a request that would have to wait has had its
 * answer. */
static enum slo_verdict
judge(const struct job *job, int64_t time, bool failed)
{
    const struct plan *plan = &job->plan;
    failed |= job->outcome.error_count > 0;
    if ((plan->statistics.slos.count || job->active_plan.pace.open_loop) && failed)
        return SLO_BROKEN;
    if (job->active_plan.pace.open_loop && share_of(job, time) < SHARE_LEAST)
        return SLO_BROKEN;
    return slos_check(&plan->statistics.slos, &job->progress.total);
}

/* Returns how much of a rate was answered: all of it if less than one request is lacking.
 * At random fewer may have been due. */
static int64_t
rate_of(const struct job *job, int64_t rate, int64_t time)
{
    double share = job->active_plan.pace.open_loop ? share_of(job, time) : 0;
    double due = (double)(job->progress.total.requests + job->progress.total.missed);
    double offered = job->active_plan.pace.poisson
                         ? fmin(stats_rate(due, running_of(job)), (double)rate)
                         : (double)rate;
    bool all = (1 - share) * due < 1;
    if (all && offered >= (double)rate)
        return rate;
    return search_round(all ? offered : offered * share, 3);
}

/* Adds a step to those of the job, which rise; one of the same value is replaced. */
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

/* Notifies of the step that did VALUE and began after all others had taken BEFORE.
 * Returns whether there is to be another. */
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
    bool stopped = os_signals_stop() && !failed; /* the step is not complete */
    if (early && !stopped)
        outcome->early_step = value;
    if (early || stopped)
        return false;
    if (!failed ||
        job->active_plan.pace.open_loop) /* else the step ended before its time */
        time = time_of(job, time);
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    const struct job_step step = {
        .value = value,
        .answered_rate = rate_of(job, value, time),
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

/* Finds the highest step that meets the limits, and notifies of the end and of that step,
 * after the last of COUNT steps. One that a signal or a failure left out may have met
 * them. */
static void
conclude(const struct run_task *task, int count)
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

/* The state of a sweep. */
struct sweeping {
    const struct run_task *task;
    struct job *job;
    int index; /* of the next step, from 0 */
    int count; /* of all steps; -1: not known */
    struct error *error;
};

/* Returns whether the process was stopped at the end of the work time of the present step
 * or after it: in an open loop nobody knows then how long the last requests took. */
static bool
ends_stopped(const struct job *job)
{
    const struct plan *step = &job->active_plan;
    int64_t end = job->group.begin_at + step->ends.settle_time + step->ends.work_time;
    return step->pace.open_loop && !job_has_failed(job) && os_process_resumed() > end &&
           !os_signals_stop();
}

/* Does the step of VALUE, again if its end cannot be known. Returns 1 if there is to be
 * another, 0 if not, or -1 with the error when it could not begin. */
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

/* Does the steps from one end to the other. Returns 0, or -1 with the error. */
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

/* Starts the search for the highest rate of JOB at the rate FROM. */
static struct search
start_search(const struct job *job, int64_t from)
{
    int64_t to = job->plan.sweep.to;
    struct search search;
    search_start(&search, from, to ? to : RATE_MOST);
    return search;
}

/* Finds the rate to begin with: a part of that which one request after another has.
 * Returns as do_step does. */
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

/* Searches for the highest rate that is met. Returns 0, or -1 with the error. */
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
    run_cancel_first(job); /* the output failed before it began */
    if (status < 0 && sweeping.index > 1)
        error->status = EXIT_RUNTIME; /* others have sent requests */
    if (status < 0 && job->target_count > 1)
        error_prefix(error, job->plan.path);
    job->stats = &job->outcome.total;
    conclude(task, sweeping.count);
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
