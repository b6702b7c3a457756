/*
 * Options become a plan here, one group after another; later ones build upon the earlier.
 * Sequences of random numbers: each target and each step of a sweep gets a seed derived
 * from that of the plan, so that none repeats the offsets of another.
 */
#include "plan/plan.h"

#include "base/deadlines.h"
#include "base/random.h"
#include "base/units.h"
#include "cli/cli.h"
#include "os/os.h"
#include "resolve.h"

#include <stdio.h>
#include <string.h>

/* Mixed into the seed of a target, as workers derive theirs from the seed itself. */
#define TARGET_SALT 0x5555555555555555

/* Limits only ever slow down, so the largest interval wins. */
static void
resolve_interval(const struct options *options, struct plan *plan)
{
    bool rate = plan_given(options, OPTION_RATE_LIMIT);
    bool speed = plan_given(options, OPTION_SPEED_LIMIT);
    bool at_once =
        rate || speed || plan_given(options, OPTION_RAPID) || plan->mode & MODE_SWEEP;
    int64_t together =
        units_scale(plan->pace.burst, plan->io.threads, 1); /* at a grid point */
    int64_t bytes = units_scale(together, plan->workload.request_size, 1);
    int64_t own =
        at_once && !plan_given(options, OPTION_INTERVAL) ? 0 : options->interval;
    plan->pace.interval = own;
    if (rate)
        plan->pace.interval =
            time_later(own, units_scale(together, SECOND, options->rate_limit));
    if (speed)
        plan->pace.interval = time_later(
            plan->pace.interval, units_scale(bytes, SECOND, options->speed_limit));
    plan->pace.limited = plan->pace.interval > own;
}

static void
resolve_requests(const struct options *options, uint64_t seed, struct plan *plan)
{
    bool rapid = plan_given(options, OPTION_RAPID);
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!option->workload || !plan_given(options, option->id))
            continue;
        operation_mix_find(option->workload, &plan->workload.mix);
        plan->workload.destroy_confirmed += options->given[option->id];
    }
    plan->workload.append = plan_given(options, OPTION_APPEND);
    plan->workload.linear = plan_given(options, OPTION_LINEAR) || plan->workload.append;
    plan->workload.seed = options->entropy ? (uint64_t)options->entropy : seed;
    plan->workload.request_size = options->size;
    if (plan_given(options, OPTION_LINEAR) && !plan_given(options, OPTION_SIZE))
        plan->workload.request_size = PLAN_LINEAR_SIZE;
    plan->workload.work_size = options->work_size;
    plan->workload.scratch_size = options->work_size;
    if (!plan->workload.scratch_size) {
        bool large = rapid || plan->workload.append || plan->mode & MODE_SWEEP;
        plan->workload.scratch_size = large ? 64 << 20 : 1 << 20;
        if (plan->workload.scratch_size < plan->workload.request_size)
            plan->workload.scratch_size = plan->workload.request_size;
    }
    plan->workload.work_offset = options->work_offset;
}

static void
resolve_pace(const struct options *options, struct plan *plan)
{
    plan->pace.burst = options->burst ? options->burst : 1;
    resolve_interval(options, plan);
    plan->ends.count = options->count ? (uint64_t)options->count : UINT64_MAX;
    plan->ends.work_time = options->work_time ? options->work_time : INT64_MAX;
    if (plan_given(options, OPTION_RAPID) && !plan_given(options, OPTION_WORK_TIME))
        plan->ends.work_time = 3 * SECOND;
    plan->pace.awake = plan_given(options, OPTION_AWAKE);
    plan->ends.ignore_error = plan_given(options, OPTION_IGNORE_ERROR);
    plan->statistics.limits.warmup = (uint64_t)options->warmup;
    plan->statistics.limits.fastest = options->min_time;
    plan->statistics.limits.slowest = options->max_time;
}

/* Turns what the user says of it into how long what may never come is waited for. */
static void
resolve_deadlines(const struct options *options, struct plan *plan)
{
    bool checks = plan->mode == MODE_CHECK;
    plan->ends.hang = options->hang;
    plan->ends.timeout = checks && !plan_given(options, OPTION_TIMEOUT)
                             ? DEADLINE_CHECK
                             : options->timeout;
    plan->ends.grace =
        options->hang ? time_later(options->hang, DEADLINE_GRACE) : DEADLINE_ENDING;
    plan->ends.patience = plan->ends.timeout < INT64_MAX ? plan->ends.timeout
                          : options->work_time
                              ? time_add(options->work_time, plan->ends.grace)
                              : INT64_MAX;
}

static int
resolve_concurrency(const struct options *options, struct plan *plan, struct error *error)
{
    bool deep = options->depth > 1 || options->sweep.kind == SWEEP_DEPTH;
    bool open = options->sweep.kind == SWEEP_RATE;
    plan->io.threads = options->threads ? (int)options->threads : 1;
    plan->io.depth = options->depth ? (int)options->depth : 1;
    plan->io.engine = io_engine_of(0);
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!option->engine || !plan_given(options, option->id))
            continue;
        plan->io.engine = io_engine_of(option->letter);
        plan->io.engine_name =
            plan->io.engine->name ? plan->io.engine->name : option->engine;
    }
    if (open)
        plan_resolve_slots(options, plan);
    if (!deep || plan->io.engine->many || (open && plan->io.depth == 1))
        return 0;
    error_set(error, EXIT_USAGE, options->depth > 1 ? "-depth" : "-sweep",
              "system calls that wait do one request at a time");
    return io_advise_many(error);
}

static void
resolve_io_mode(const struct options *options, struct plan *plan)
{
    plan->io.direct = plan_given(options, OPTION_DIRECT);
    plan->io.cached = plan_given(options, OPTION_CACHED);
    plan->workload.keep = plan_given(options, OPTION_KEEP);
    plan->io.open_flags = (plan_given(options, OPTION_SYNC) ? OS_OPEN_SYNC : 0) |
                          (plan_given(options, OPTION_DSYNC) ? OS_OPEN_DSYNC : 0);
    plan->statistics.breakdown = plan_given(options, OPTION_BREAKDOWN);
    plan->io.rw_flags = (plan_given(options, OPTION_HIPRI) ? OS_RW_HIPRI : 0) |
                        (plan_given(options, OPTION_NOWAIT) ? OS_RW_NOWAIT : 0);
}

/* Returns why PLAN has nothing that SLO is about, with what to do about it; NULL: it has.
 */
static const char *
find_missing(const struct plan *plan, const struct slo *slo, const char **advice)
{
    bool checks = plan->mode == MODE_CHECK;
    *advice = checks ? "give a time" : "add -compare and two files, or give a time";
    if (slo->relative && plan->mode != MODE_COMPARE)
        return "is relative, and needs -compare";
    *advice = checks ? "limit the whole run" : "add -load, or limit the whole run";
    if (slo->phase && plan->mode != MODE_PHASES)
        return "needs -load";
    *advice = "add -breakdown, or limit the whole time";
    if (slo->scope >= SCOPE_SUBMIT)
        return plan->statistics.breakdown ? NULL : "needs -breakdown";
    if (slo->scope == SCOPE_SYNC && plan_does(plan, OPERATION_FLUSHED)) {
        *advice = "leave out -C, or limit the whole time";
        return plan->io.cached ? "needs flushes, and -C does without" : NULL;
    }
    *advice = "add -W or -G, or limit the whole time";
    if (slo->scope == SCOPE_SYNC)
        return "needs writes, which are flushed";
    *advice = "add -G, or limit all requests";
    return slo->scope == SCOPE_ALL || plan->workload.mix.more ? NULL : "needs -G";
}

/* Returns how many requests fewer than a whole number of rounds are enough, where
 * operations take turns, for as many of SCOPE as there are rounds, behind so many of the
 * WARMUP. A thread may begin with any. */
static uint64_t
find_odd(const struct plan *plan, enum scope scope, uint64_t warmup)
{
    const struct operation_mix *mix = &plan->workload.mix;
    uint64_t more = (uint64_t)mix->more,
             first = 0; /* the turn of the first that counts */
    if (plan->io.threads > 1 || plan->mode == MODE_PHASES)
        return (uint64_t)plan->io.threads * more;
    while (scope == SCOPE_SYNC &&
           !(operations[mix->turns[first]].does & OPERATION_FLUSHED))
        first++;
    if (scope != SCOPE_SYNC)
        first = (uint64_t)operation_mix_turn(mix, scope_operation(scope));
    return more - (first + more + 1 - warmup % (more + 1)) % (more + 1);
}

/* Checks that the percentile of SLO, which OPTION limits, can have enough requests. */
static int
check_enough(const struct plan *plan, const struct slo *slo, const char *option,
             struct error *error)
{
    int more = slo_is_of_operation(slo) ? plan->workload.mix.more : 0;
    uint64_t needs = percentile_needs(&slo->percentile) * (uint64_t)(more + 1),
             warmup = slo->phase > PHASE_IDLE ? 0 : plan->statistics.limits.warmup,
             phases =
                 plan->mode == MODE_PHASES && slo->phase == PHASE_NONE ? PHASES - 1 : 1,
             odd = more ? find_odd(plan, slo->scope, warmup) : 0;
    char name[SLO_NAME], advice[64];
    if (slo->metric != SLO_PERCENTILE || plan->mode == MODE_COMPARE ||
        plan->ends.count >= needs + warmup ||
        plan->ends.count * phases + odd >= needs + warmup)
        return 0;
    uint64_t count = plan->ends.count * phases;
    error_set(error, EXIT_USAGE, option,
              "%s takes %llu requests that count, and -c %llu gives %llu at most",
              slo_name(slo, name), (unsigned long long)needs,
              (unsigned long long)plan->ends.count,
              (unsigned long long)(count > warmup ? count - warmup : 0));
    snprintf(advice, sizeof(advice), "use -c %llu",
             (unsigned long long)((needs + warmup + phases - 1) / phases));
    return error_advise(error, advice);
}

/* Checks that PLAN has what the limits that OPTION gave are about. */
static int
check_limits(const struct plan *plan, const struct slos *slos, const char *option,
             struct error *error)
{
    char name[SLO_NAME];
    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        enum sweep_kind swept = plan->sweep.kind;
        if (slo_is_rate(slo) && (swept == SWEEP_RATE || swept == SWEEP_INTERVAL)) {
            error_set(error, EXIT_USAGE, option, "-sweep %s decides %s by itself",
                      sweep_name(swept), slo_name(slo, name));
            return error_advise(error, "limit a time, such as p99=1ms");
        }
        const char *advice, *why = find_missing(plan, slo, &advice);
        if (why) {
            error_set(error, EXIT_USAGE, option, "%s %s", slo_name(slo, name), why);
            return error_advise(error, advice);
        }
        if (!(plan->mode & MODE_SWEEP) && check_enough(plan, slo, option, error) < 0)
            return -1;
    }
    return 0;
}

#define SERIES_MOST 32768 /* entries of a target */
#define SERIES_ALL 131072 /* of all targets */

/* Several targets are compared, and limits are certain or not, where requests are of one
 * kind. */
static void
resolve_series(struct plan *plan)
{
    bool ranked = false;
    for (int i = 0; i < plan->statistics.slos.count; i++)
        ranked |= plan->statistics.slos.list[i].metric == SLO_PERCENTILE;
    if (plan->mode == MODE_COMPARE)
        plan->statistics.series = SERIES_ALL;
    else if ((plan->target_count > 1 || ranked) &&
             !(plan->mode & (MODE_SWEEP | MODE_PHASES)))
        plan->statistics.series = plan->target_count > SERIES_ALL / SERIES_MOST
                                      ? SERIES_ALL / plan->target_count
                                      : SERIES_MOST;
}

static int
resolve_corrected(const struct options *options, struct plan *plan, struct error *error)
{
    if (!plan_given(options, OPTION_CORRECTED))
        return 0;
    if (plan->io.depth > 1) {
        error_set(error, EXIT_USAGE, "-corrected",
                  "requests do not wait for each other with -depth");
        return error_advise(error, "leave out one of them");
    }
    plan->statistics.corrected = plan->pace.limited ? 0 : plan->pace.interval;
    if (plan->statistics.corrected)
        return 0;
    error_set(error, EXIT_USAGE, "-corrected", "%s no request is ever due",
              plan->pace.limited ? "under a limit" : "without an interval");
    return error_advise(error, "give one with -i");
}

int
plan_make(const struct options *options, uint64_t seed, struct plan *plan,
          struct error *error)
{
    memset(plan, 0, sizeof(*plan));
    plan->options = options;
    plan->path = options->targets[0];
    plan->targets = options->targets;
    plan->target_count = options->target_count;
    plan->statistics.slos = options->slos;
    plan->statistics.warnings = options->warnings;
    if (plan_choose_mode(options, plan, error) < 0 ||
        resolve_concurrency(options, plan, error) < 0)
        return -1;
    resolve_requests(options, seed, plan);
    resolve_pace(options, plan);
    resolve_deadlines(options, plan);
    resolve_io_mode(options, plan);
    if (plan_resolve_mode(options, plan, error) < 0 ||
        check_limits(plan, &plan->statistics.slos, "-slo", error) < 0 ||
        check_limits(plan, &plan->statistics.warnings, "-warn", error) < 0)
        return -1;
    resolve_series(plan);
    return resolve_corrected(options, plan, error);
}

void
plan_target(const struct plan *plan, int index, struct plan *one)
{
    *one = *plan;
    one->path = plan->targets[index];
    if (index == 0)
        return;
    one->workload.seed =
        random_derive(plan->workload.seed ^ TARGET_SALT, (uint64_t)index);
    one->io.missing = (struct io_missing){0}; /* it is noted once */
}

void
plan_note(const struct plan *plan, struct notes *notes)
{
    bool background = plan->mode == MODE_BACKGROUND;
    const char *what = background ? "-load" : "-sweep";
    char instead[32];
    snprintf(instead, sizeof(instead), "%d thread%s", plan->io.threads,
             plan->io.threads == 1 ? "" : "s");
    if (background && !plan->pace.interval)
        notes_add(notes, what, "as fast as it goes: neither rate= nor speed= limits it");
    if (plan->io.missing.name)
        notes_add(notes, what, "%s is not available here (%s): going with %s",
                  plan->io.missing.name, strerror(plan->io.missing.code),
                  plan->io.engine->many ? plan->io.engine->name : instead);
}
