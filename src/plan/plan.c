/*
 * Makes the plan of a run from the options. plan_make, near the end of the file, is the
 * table of contents. It fills the plan group by group; a later group may use an earlier
 * one, so the order matters:
 *
 *   find_mode          the mode
 *   plan_check_options refuses options that do not fit together (checks.c)
 *   resolve_workload   operations, sizes, seed
 *   resolve_io         engine, threads, depth         (needs the request size)
 *   resolve_pace       interval and burst             (needs threads and request size)
 *   resolve_ends       work time and timeouts
 *   resolve_mode       values that depend on the mode (needs all of the above)
 *   plan_check_limits  refuses limits that this run could never decide (checks.c)
 *   resolve_series, resolve_corrected
 *
 * The table of options says which mode accepts which option (cli/cli.h). The other rules
 * about which options can be given together are in checks.c. Values that contradict each
 * other are refused here, in sweep.c and in phases.c.
 */
#include "plan/plan.h"

#include "base/deadlines.h"
#include "base/random.h"
#include "base/units.h"
#include "checks.h"
#include "cli/cli.h"
#include "os/os.h"
#include "resolve.h"

#include <stdio.h>
#include <string.h>

/* XORed into the seed before the seed of a target is derived: workers derive their seeds
 * from the same seed without this salt, and must not get the same ones. */
#define TARGET_SALT 0x5555555555555555

static enum cli_mode
find_sweep_mode(enum sweep_kind kind)
{
    static const enum cli_mode modes[] = {
        [SWEEP_NONE] = MODE_RUN,           [SWEEP_SIZE] = MODE_SIZES,
        [SWEEP_THREADS] = MODE_THREADS,    [SWEEP_DEPTH] = MODE_DEPTHS,
        [SWEEP_INTERVAL] = MODE_INTERVALS, [SWEEP_RATE] = MODE_RATES};
    return modes[kind];
}

/*
 * Returns the mode that the options choose. If several options choose one, returns one of
 * these modes; plan_check_options refuses such a command line.
 */
static enum cli_mode
find_mode(const struct options *options)
{
    if (options->given[OPTION_SWEEP])
        return find_sweep_mode(options->sweep.kind);
    if (options->given[OPTION_LOAD])
        return MODE_PHASES;
    if (options->given[OPTION_CHECK])
        return MODE_CHECK;
    if (options->given[OPTION_COMPARE])
        return MODE_COMPARE;
    return MODE_RUN;
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

#define SWEEP_DEEPEST 64 /* the highest depth of -sweep depth without a range */

/*
 * Chooses an engine for a command line that needs several requests in flight, by -depth
 * or -sweep depth, but names no engine: the first engine of the table that can be opened
 * on this system. Returns 0, or -1 with ERROR if no engine can be opened.
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

/* Stores the engine that the command line names, if any; if it names several, the one
 * whose option is last in the option table. */
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

/* Resolves how requests are sent. Returns 0, or -1 with ERROR if an engine is missing. */
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

/*
 * Resolves when requests start. -i, -r and -l each ask for an interval; the longest one
 * is taken, because -r and -l may only slow a run down. Intervals are rounded up: with an
 * interval that is too short by a fraction of a nanosecond, one request too many could
 * start within the work time, above the limit.
 *
 * In each interval, all workers send TOGETHER = burst * threads requests. So a limit of R
 * requests per second needs an interval of TOGETHER / R seconds.
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
        units_scale(pace->burst, plan->io.threads, 1); /* requests per interval */
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

/* Resolves when the run ends, and how long the program waits for things that may never
 * happen: for answers, and for targets to open and close (see base/deadlines.h). */
static void
resolve_ends(const struct options *options, struct plan *plan)
{
    struct plan_end *ends = &plan->end;
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

/*
 * Gives a check (-check) without -w a work time: the time that -c requests take as
 * planned, and DEADLINE_CHECK_RUN. Otherwise a slow disk could make the run take for
 * ever. Monitoring systems kill a plug-in after about a minute, and would learn nothing
 * then.
 */
static int
resolve_check(const struct options *options, struct plan *plan, struct error *error)
{
    int64_t needs = 0;
    int64_t together = units_scale(plan->pace.burst, plan->io.threads, 1);
    (void)error;

    if (plan->end.count != UINT64_MAX)
        needs = units_scale_up(options->count, plan->pace.interval, together);
    if (plan->end.work_time == INT64_MAX)
        plan->end.work_time = time_add(needs, DEADLINE_CHECK_RUN);
    return 0;
}

/*
 * Checks the options of -compare: limits may only concern the whole latency, because the
 * raw lines of a recorded run have nothing else; and only one file may be standard input.
 * Returns 0, or -1 with ERROR.
 */
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

    plan->workload.seed = 1; /* constant, so that a rerun samples a long file equally */
    return 0;
}

/*
 * Resolves the values that depend on the mode. Returns 0, or -1 with ERROR if a value
 * makes no sense in this mode.
 */
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

#define SERIES_MOST 32768 /* entries of the series of one target */
#define SERIES_ALL 131072 /* entries of the series of all targets together */

/*
 * Decides how many latencies are recorded in the order of their requests (stats/track.h).
 * A run needs this series to compare targets with each other, and to say whether the
 * answer to a limit on a percentile is certain. Sweeps and phases have no series, because
 * their requests are not all made under the same conditions.
 */
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

/*
 * Resolves the interval for -corrected. Returns 0, or -1 with ERROR if the run has no
 * interval that requests could miss.
 */
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

    plan->mode = find_mode(options);
    if (plan_check_options(options, plan->mode, error) < 0)
        return -1;
    resolve_workload(options, seed, plan);
    if (resolve_io(options, plan, error) < 0)
        return -1;
    resolve_pace(options, plan);
    resolve_ends(options, plan);
    if (resolve_mode(options, plan, error) < 0 || plan_check_limits(plan, error) < 0)
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
    one->io.missing = (struct io_missing){0}; /* the first target notes both */
    one->io.chosen_for = NULL;
}

/*
 * Adds a note about the engine of PLAN, if the program has chosen it: its name, and which
 * better engine is not available. The note starts with WHAT, an option.
 */
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

/*
 * Adds a note if the format of -time has no conversion such as %T, so that each line
 * would start with the same text. If the format looks like a time, -work-time was
 * probably meant.
 */
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
