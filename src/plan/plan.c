/*
 * Options become a plan here: its mode is chosen, and what means nothing in that refused,
 * by the column of the option table; then one group follows another, and later ones build
 * upon the earlier.
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

/* Returns the last option of the table that OPTIONS give and that selects one of MODES;
 * NULL: none does. */
static const struct cli_option *
find_selector(const struct options *options, int modes)
{
    const struct cli_option *found = NULL;
    for (int i = 0; i < OPTION_IDS; i++)
        if (cli_options[i].sets_modes & modes && options->given[cli_options[i].id])
            found = &cli_options[i];
    return found;
}

/* Refuses OPTION if it means nothing in MODES, or without one that it needs. Returns 0,
 * or -1 with ERROR. */
static int
check_option(const struct cli_option *option, const struct options *options, int modes,
             struct error *error)
{
    char what[32], needs[96] = "";
    const struct cli_option *needed = NULL; /* one that is given, if there is any */
    for (int i = 0; i < CLI_NEEDS && option->needs[i]; i++) {
        const char *name = option->needs[i];
        const struct cli_option *one = cli_find(name, strcspn(name, " "));
        size_t used = strlen(needs);
        if (!needed || options->given[one->id])
            needed = one;
        snprintf(needs + used, sizeof(needs) - used, "%s-%s", i ? " or " : "", name);
    }
    const char *at = (const char *)options + option->offset;
    bool least =
        option->min_only_modes && *(const int64_t *)(const void *)at == option->min_value;
    int wrong = modes & ~option->modes & ~(least ? option->min_only_modes : 0);
    const struct cli_option *other = find_selector(options, wrong);
    snprintf(what, sizeof(what), "-%s", option->name);
    if (other && other != needed)
        return error_set(error, EXIT_USAGE, NULL, "%s and -%s cannot be combined%s%s",
                         what, other->name, other->conflict_reason ? ": " : "",
                         other->conflict_reason ? other->conflict_reason : "");
    if (wrong || (needed && !options->given[needed->id]))
        return error_set(error, EXIT_USAGE, NULL, "%s works only with %s", what, needs);
    return 0;
}

/*
 * Chooses the mode, and is the only one to refuse options for others that are given: what
 * follows knows that they go together. Returns 0, or -1 with ERROR.
 */
static int
choose_mode(const struct options *options, struct plan *plan, struct error *error)
{
    int modes = 0, allowed = 0;
    for (int i = 0; i < OPTION_IDS; i++) {
        bool given = options->given[cli_options[i].id];
        modes |=
            given ? cli_options[i].sets_modes : 0; /* more than one mode is refused */
        allowed |= given ? cli_options[i].clears_modes : 0;
    }
    modes &= ~allowed;
    if (modes & MODE_SWEEP)
        modes = (modes & ~MODE_SWEEP) | 1 << options->sweep.kind;
    modes |= modes & MODE_ANY ? 0 : MODE_RUN;
    /* First what chooses a mode: whether the rest goes with it is of no interest if that
     * itself has to go. */
    for (int i = 0; i < 2 * OPTION_IDS; i++) {
        const struct cli_option *option = cli_option((enum option_id)(i % OPTION_IDS));
        bool chooses = option->sets_modes & MODE_ANY;
        if (options->given[option->id] && chooses == (i < OPTION_IDS) &&
            check_option(option, options, modes, error) < 0)
            return -1;
    }
    plan->mode = (enum cli_mode)(modes & MODE_ANY);
    return 0;
}

static void
resolve_workload(const struct options *options, uint64_t seed, struct plan *plan)
{
    struct plan_workload *workload = &plan->workload;
    bool append = options->given[OPTION_APPEND], linear = options->given[OPTION_LINEAR];
    bool large = linear && !options->given[OPTION_SIZE];
    *workload = (struct plan_workload){
        .linear = linear || append,
        .append = append,
        .keep = options->given[OPTION_KEEP],
        .seed = options->entropy ? (uint64_t)options->entropy : seed,
        .request_size = large ? PLAN_LINEAR_SIZE : options->size,
        .work_size = options->work_size,
        .scratch_size = options->work_size,
        .work_offset = options->work_offset,
    };
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!option->workload || !options->given[option->id])
            continue;
        operation_mix_find(option->workload, &workload->mix);
        workload->destroy_confirmed += options->given[option->id];
    }
    if (workload->scratch_size)
        return;
    large = options->given[OPTION_RAPID] || append || plan->mode & MODE_SWEEP;
    workload->scratch_size = large ? 64 << 20 : 1 << 20;
    if (workload->scratch_size < workload->request_size)
        workload->scratch_size = workload->request_size;
}

#define SWEEP_DEEPEST 64 /* requests in flight, where -sweep depth has no range */

/*
 * Chooses an engine that can have more than one request in flight, where the command line
 * needs that and names none: the first of the table of engines that can be opened here.
 * Returns 0, or -1 with ERROR if there is none.
 */
static int
choose_engine(const struct options *options, struct plan *plan, struct error *error)
{
    bool sweeps = options->sweep.kind == SWEEP_DEPTH;
    int64_t most = options->depth;
    if (sweeps)
        most = options->sweep.to ? options->sweep.to : SWEEP_DEEPEST;
    if (plan->io.engine_name || (most < 2 && !sweeps))
        return 0;

    int depth;
    struct plan_io *io = &plan->io;
    const struct io_engine *engine = io_engine_deep((int)most, &depth, &io->missing);
    const char *what = sweeps ? "-sweep depth" : "-depth";
    if (!engine && io->missing.name)
        error_set(error, EXIT_PREPARE, what, "%s is not available here: %s",
                  io->missing.name, strerror(io->missing.code));
    else if (!engine)
        error_set(error, EXIT_PREPARE, what,
                  "this system has no way to keep several requests in flight");
    if (!engine)
        return error_advise(error, "use -threads, which needs none");
    io->engine = engine;
    io->engine_name = engine->name;
    io->chosen_for = what;
    return 0;
}

/* Takes the engine of the last option that names one. */
static void
resolve_engine(const struct options *options, struct plan *plan)
{
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!option->engine || !options->given[option->id])
            continue;
        plan->io.engine = io_engine_of(option->letter);
        plan->io.engine_name = plan->io.engine->name;
        if (!plan->io.engine_name)
            plan->io.engine_name = option->engine;
    }
}

static int
resolve_io(const struct options *options, struct plan *plan, struct error *error)
{
    plan->io = (struct plan_io){
        .engine = io_engine_of(0),
        .threads = options->threads ? (int)options->threads : 1,
        .depth = options->depth ? (int)options->depth : 1,
        .direct = options->given[OPTION_DIRECT],
        .cached = options->given[OPTION_CACHED],
        .open_flags = (options->given[OPTION_SYNC] ? OS_OPEN_SYNC : 0) |
                      (options->given[OPTION_DSYNC] ? OS_OPEN_DSYNC : 0),
        .rw_flags = (options->given[OPTION_HIPRI] ? OS_RW_HIPRI : 0) |
                    (options->given[OPTION_NOWAIT] ? OS_RW_NOWAIT : 0),
    };
    resolve_engine(options, plan);
    if (options->sweep.kind == SWEEP_RATE)
        plan_resolve_slots(options, plan);
    if (options->sweep.kind == SWEEP_RATE && plan->io.depth == 1)
        return 0;
    return choose_engine(options, plan, error);
}

/* Limits only ever slow down, so the largest interval wins, and it is rounded up: with
 * one that is a fraction of a nanosecond too short, one more request may begin in time.
 */
static void
resolve_pace(const struct options *options, struct plan *plan)
{
    struct plan_pace *pace = &plan->pace;
    bool rate = options->given[OPTION_RATE_LIMIT];
    bool speed = options->given[OPTION_SPEED_LIMIT];
    bool at_once =
        rate || speed || options->given[OPTION_RAPID] || plan->mode & MODE_SWEEP;
    pace->keep_awake = options->given[OPTION_AWAKE];
    pace->burst = options->burst ? options->burst : 1;
    int64_t together =
        units_scale(pace->burst, plan->io.threads, 1); /* at a grid point */
    int64_t bytes = units_scale(together, plan->workload.request_size, 1);
    int64_t own = at_once && !options->given[OPTION_INTERVAL] ? 0 : options->interval;
    int64_t least = rate ? units_scale_up(together, SECOND, options->rate_limit) : 0;
    pace->given_by = rate ? "-r" : NULL;
    if (speed) {
        int64_t least_by_speed = units_scale_up(bytes, SECOND, options->speed_limit);
        if (least_by_speed > least)
            pace->given_by = "-l";
        least = time_later(least, least_by_speed);
    }
    pace->interval = time_later(own, least);
    pace->from_limit = least > own;
    if (!pace->from_limit)
        pace->given_by = own > 0 ? "-i" : NULL;
}

/* Turns what the user says of it into how long what may never come is waited for, too. */
static void
resolve_ends(const struct options *options, struct plan *plan)
{
    struct plan_ends *ends = &plan->ends;
    bool rapid = options->given[OPTION_RAPID] && !options->given[OPTION_WORK_TIME];
    bool checks = plan->mode == MODE_CHECK && !options->given[OPTION_TIMEOUT];
    int64_t work_time = options->work_time ? options->work_time : INT64_MAX;
    ends->count = options->count ? (uint64_t)options->count : UINT64_MAX;
    ends->work_time = rapid ? 3 * SECOND : work_time;
    ends->ignore_error = options->given[OPTION_IGNORE_ERROR];
    ends->hang = options->hang;
    ends->timeout = checks ? DEADLINE_CHECK : options->timeout;
    ends->grace = ends->hang ? time_later(ends->hang, DEADLINE_GRACE) : DEADLINE_ENDING;
    ends->open_timeout =
        ends->timeout < INT64_MAX ? ends->timeout : time_add(work_time, ends->grace);
}

/* Limits the time of a check, as who calls it waits for a minute at most and then knows
 * nothing: that of a run without an end, or of a count that a slow disk could make take
 * for ever. */
static int
resolve_check(const struct options *options, struct plan *plan, struct error *error)
{
    int64_t needs = 0;
    int64_t together = units_scale(plan->pace.burst, plan->io.threads, 1);
    (void)error;
    if (plan->ends.count != UINT64_MAX)
        needs = units_scale_up(options->count, plan->pace.interval, together);
    if (plan->ends.work_time == INT64_MAX)
        plan->ends.work_time = time_add(needs, DEADLINE_CHECK_RUN);
    return 0;
}

/* Refuses limits of what raw lines do not tell, and to read standard input twice. */
static int
resolve_compare(const struct options *options, struct plan *plan, struct error *error)
{
    int streams = 0;
    char name[SLO_NAME];
    for (int i = 0; i < options->slos.count; i++) {
        const struct slo *slo = &options->slos.list[i];
        if (slo->scope == SCOPE_ALL && !slo->phase)
            continue;
        return error_set(error, EXIT_USAGE, "-slo",
                         "%s: recorded runs have only the whole time of each request; "
                         "use a limit such as p99=1ms",
                         slo_name(slo, name));
    }
    for (int i = 0; i < options->target_count; i++)
        streams += strcmp(options->targets[i], "-") == 0;
    if (streams > 1)
        return error_set(error, EXIT_USAGE, "-compare",
                         "standard input can be read only once; give - once");
    plan->workload.seed = 1; /* of long files a rerun chooses the same requests */
    return 0;
}

/* Resolves what the mode decides, when most of the plan is. Returns 0, or -1 with ERROR
 * when a value is of no use in it. */
static int
resolve_mode(const struct options *options, struct plan *plan, struct error *error)
{
    static const struct {
        int modes;
        int (*resolve)(const struct options *, struct plan *, struct error *);
    } own[] = {{MODE_SWEEP, plan_resolve_sweep},
               {MODE_PHASES, plan_resolve_phases},
               {MODE_CHECK, resolve_check},
               {MODE_COMPARE, resolve_compare}};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if ((int)plan->mode & own[i].modes)
            return own[i].resolve(options, plan, error);
    return 0;
}

/* Returns why PLAN has nothing that SLO is about, with what to do about it; NULL: it has.
 */
static const char *
find_missing(const struct plan *plan, const struct slo *slo)
{
    bool checks = plan->mode == MODE_CHECK;
    if (slo->is_relative && plan->mode != MODE_COMPARE)
        return checks ? "is relative to another run, which needs -compare; give a time"
                      : "is relative to another run, which needs -compare; add -compare "
                        "and two files, or give a time";
    if (slo->phase && plan->mode != MODE_PHASES)
        return checks ? "needs -load; leave out the prefix to limit the whole run"
                      : "needs -load; add it, or leave out the prefix to limit the whole "
                        "run";
    if (slo->scope >= SCOPE_SUBMIT)
        return plan->statistics.breakdown ? NULL
                                          : "needs -breakdown; add it, or leave out the "
                                            "prefix to limit the whole time";
    if (slo->scope == SCOPE_SYNC && plan_does(plan, OPERATION_FLUSHED))
        return plan->io.cached ? "needs flushes, which -C turns off; leave out -C, or "
                                 "leave out the prefix to limit the whole time"
                               : NULL;
    if (slo->scope == SCOPE_SYNC)
        return "needs writes, which are flushed; add -W or -G, or leave out the prefix "
               "to limit the whole time";
    return slo->scope == SCOPE_ALL || plan->workload.mix.extra_count
               ? NULL
               : "needs -G; leave out the prefix to limit all requests";
}

/* Returns how many requests fewer than a whole number of rounds are enough, where
 * operations take turns, for as many of SCOPE as there are rounds, behind so many of the
 * WARMUP. A thread may begin with any. */
static uint64_t
find_odd(const struct plan *plan, enum scope scope, uint64_t warmup)
{
    const struct operation_mix *mix = &plan->workload.mix;
    uint64_t more = (uint64_t)mix->extra_count,
             first = 0; /* the turn of the first that counts */
    if (plan->io.threads > 1 || plan->mode == MODE_PHASES)
        return (uint64_t)plan->io.threads * more;
    while (scope == SCOPE_SYNC &&
           !(operations[mix->turns[first]].flags & OPERATION_FLUSHED))
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
    char name[SLO_NAME];
    bool all = plan->mode == MODE_PHASES && slo->phase == PHASE_NONE;
    int more = slo_is_of_operation(slo) ? plan->workload.mix.extra_count : 0;
    unsigned long long count = plan->ends.count, phases = all ? PHASES - 1 : 1,
                       warmup =
                           slo->phase > PHASE_IDLE ? 0 : plan->statistics.limits.warmup,
                       odd = more ? find_odd(plan, slo->scope, warmup) : 0,
                       needs = percentile_needs(&slo->percentile) * ((uint64_t)more + 1);
    if (slo->metric != SLO_PERCENTILE || plan->mode == MODE_COMPARE ||
        count >= needs + warmup || count * phases + odd >= needs + warmup)
        return 0;
    return error_set(error, EXIT_USAGE, option,
                     "%s needs %llu %s, but -c %llu gives at most %llu; use -c %llu",
                     slo_name(slo, name), needs,
                     units_plural(needs, "request that counts", "requests that count"),
                     count, count * phases > warmup ? count * phases - warmup : 0,
                     (needs + warmup + phases - 1) / phases);
}

/* Checks that PLAN has what the limits that OPTION gave are about. */
static int
check_limits(const struct plan *plan, const struct slos *slos, const char *option,
             struct error *error)
{
    char name[SLO_NAME];
    enum sweep_kind swept = plan->sweep.kind;
    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        const char *why = find_missing(plan, slo);
        if (slo_is_rate(slo) && (swept == SWEEP_RATE || swept == SWEEP_INTERVAL))
            return error_set(error, EXIT_USAGE, option,
                             "-sweep %s sets %s itself; limit a time, such as p99=1ms",
                             sweep_kinds[swept].name, slo_name(slo, name));
        if (why)
            return error_set(error, EXIT_USAGE, option, "%s %s", slo_name(slo, name),
                             why);
        if (!(plan->mode & MODE_SWEEP) && check_enough(plan, slo, option, error) < 0)
            return -1;
    }
    return 0;
}

/* Refuses a warning that comes only when its limit of -slo has been broken already.
 * Returns 0, or -1 with ERROR. */
static int
check_warnings(const struct plan_statistics *statistics, struct error *error)
{
    const struct slos *warnings = &statistics->warnings;
    const struct slos *slos = &statistics->slos;
    for (int i = 0; i < warnings->count; i++)
        for (int k = 0; k < slos->count; k++) {
            const struct slo *warning = &warnings->list[i];
            const struct slo *slo = &slos->list[k];
            char name[SLO_NAME], slo_text[SLO_NAME];
            char warning_limit[UNITS_TEXT], slo_limit_text[UNITS_TEXT];
            slo_name(warning, name);
            bool looser = slo_is_rate(slo) ? warning->limit < slo->limit
                                           : warning->limit > slo->limit;
            if (!looser || strcmp(name, slo_name(slo, slo_text)) != 0)
                continue;
            return error_set(error, EXIT_USAGE, "-warn",
                             "%s=%s is looser than -slo %s=%s, so it would never warn; "
                             "exchange the two limits",
                             name, slo_limit(warning, warning_limit), name,
                             slo_limit(slo, slo_limit_text));
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
        plan->statistics.series_capacity = SERIES_ALL;
    else if ((plan->target_count > 1 || ranked) &&
             !(plan->mode & (MODE_SWEEP | MODE_PHASES)))
        plan->statistics.series_capacity = plan->target_count > SERIES_ALL / SERIES_MOST
                                               ? SERIES_ALL / plan->target_count
                                               : SERIES_MOST;
}

static int
resolve_corrected(const struct options *options, struct plan *plan, struct error *error)
{
    if (!options->given[OPTION_CORRECTED])
        return 0;
    if (plan->io.depth > 1)
        return error_set(error, EXIT_USAGE, NULL,
                         "-corrected and -depth cannot be combined: requests in flight "
                         "together do not wait for each other");
    plan->statistics.corrected_interval = plan->pace.from_limit ? 0 : plan->pace.interval;
    if (plan->statistics.corrected_interval)
        return 0;
    if (plan->pace.from_limit)
        return error_set(error, EXIT_USAGE, "-corrected",
                         "needs an interval of -i; give -i instead of -r or -l");
    return error_set(error, EXIT_USAGE, "-corrected",
                     "needs an interval; give one with -i");
}

int
plan_make(const struct options *options, uint64_t seed, struct plan *plan,
          struct error *error)
{
    *plan = (struct plan){
        .options = options,
        .path = options->targets[0],
        .targets = options->targets,
        .target_count = options->target_count,
        .statistics = {.limits = {.warmup = (uint64_t)options->warmup,
                                  .fastest = options->min_time,
                                  .slowest = options->max_time},
                       .slos = options->slos,
                       .warnings = options->warnings,
                       .breakdown = options->given[OPTION_BREAKDOWN]},
    };
    if (choose_mode(options, plan, error) < 0)
        return -1;
    resolve_workload(options, seed, plan);
    if (resolve_io(options, plan, error) < 0)
        return -1;
    resolve_pace(options, plan);
    resolve_ends(options, plan);
    if (resolve_mode(options, plan, error) < 0 ||
        check_limits(plan, &plan->statistics.slos, "-slo", error) < 0 ||
        check_limits(plan, &plan->statistics.warnings, "-warn", error) < 0 ||
        check_warnings(&plan->statistics, error) < 0)
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
    one->io.missing = (struct io_missing){0}; /* both are noted once */
    one->io.chosen_for = NULL;
}

/* Notes which engine the program has chosen, and which it would rather have. */
static void
note_engine(const struct plan *plan, const char *what, struct notes *notes)
{
    const struct plan_io *io = &plan->io;
    char instead[32];
    snprintf(instead, sizeof(instead), "%d thread%s", io->threads,
             io->threads == 1 ? "" : "s");
    const char *name = io->engine->queues_requests ? io->engine->name : instead;
    if (io->missing.name)
        notes_add(notes, what, "%s is not available here (%s); using %s instead",
                  io->missing.name, strerror(io->missing.code), name);
    else if (io->chosen_for)
        notes_add(notes, what, "using %s", name);
}

/* Notes that the format of -time has nothing that changes, because it is probably meant
 * for another option. */
static void
note_time_format(const struct options *options, struct notes *notes)
{
    int64_t time;
    const char *format = options->time_format;
    if (!options->given[OPTION_TIME] || strchr(format, '%'))
        return;
    if (units_parse(UNITS_TIME, format, &time) == NULL)
        notes_add(notes, NULL,
                  "-time is a format for time stamps; -work-time stops after %s", format);
    else
        notes_add(notes, "-time",
                  "'%s' has no %%, so each line begins with the same text", format);
}

void
plan_note(const struct plan *plan, struct notes *notes)
{
    bool background = plan->mode == MODE_BACKGROUND;
    const char *what = background ? "-load" : "-sweep";
    if (plan->io.chosen_for)
        what = plan->io.chosen_for;
    note_engine(plan, what, notes);
    if (plan->path == plan->targets[0] && !background)
        note_time_format(plan->options, notes);
}
