/*
 * Makes the plan of a run from the options. plan_make, near the end of the file, is the
 * table of contents. It fills the parts of struct plan one by one. Some parts need the
 * values of earlier parts, so the order matters:
 *
 *   find_mode            the mode
 *   plan_check_options   refuses options that cannot be given together (checks.c)
 *   resolve_workload     operations, sizes, seed        (needs the mode)
 *   resolve_io           engine, threads, depth         (needs mode, request size)
 *   resolve_pace         interval and burst             (needs mode, size, threads)
 *   resolve_end          work time and timeouts         (needs the mode)
 *   resolve_mode         values that depend on the mode (needs all of the above)
 *   plan_check_limits    refuses limits that this run could never decide (checks.c)
 *   resolve_series       room for the latencies in the order of the requests
 *   resolve_corrected    interval of -corrected
 *
 * Which options can be given together is checked first, by the table of options
 * (cli/cli.h) and by checks.c. Values that contradict each other are refused by the later
 * steps, here and in sweep.c, phases.c and diagnose.c.
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

/* The seed of a target is derived from the seed of the run XOR this salt. The seeds of
 * workers are derived without the salt, so the two kinds of seeds are different. */
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
 * Returns the mode that the options choose. If several modes are chosen, returns one of
 * them; plan_check_options refuses such a command line.
 */
static enum cli_mode
find_mode(const struct options *options)
{
    if (options->given[OPTION_SWEEP])
        return find_sweep_mode(options->sweep.kind);
    if (options->given[OPTION_LOAD])
        return MODE_PHASES;
    if (options->given[OPTION_DIAGNOSE])
        return MODE_DIAGNOSE;
    if (options->given[OPTION_CHECK])
        return MODE_CHECK;
    if (options->given[OPTION_COMPARE])
        return MODE_COMPARE;
    return MODE_RUN;
}

/*
 * Stores in WORKLOAD the operations that the options select, and how often such options
 * (-write, -read-write) were given. Without such an option, the requests are reads.
 */
static void
resolve_operations(const struct options *options, struct plan_workload *workload)
{
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!option->workload || !options->given[option->id])
            continue;
        operation_mix_find(option->workload, &workload->mix);
        workload->destroy_confirmed += options->given[option->id];
    }
}

/* Default sizes of a working file, in bytes. Runs that send many requests in a short time
 * get the large one. */
#define SCRATCH_SIZE (1 << 20)
#define SCRATCH_SIZE_LARGE (64 << 20)

/* Returns the size of a working file in bytes. Needs the mode and the request size. */
static int64_t
find_scratch_size(const struct options *options, const struct plan *plan)
{
    bool sends_many = options->given[OPTION_RAPID] || options->given[OPTION_APPEND] ||
                      plan->mode & (MODE_SWEEP | MODE_DIAGNOSE);
    int64_t size = sends_many ? SCRATCH_SIZE_LARGE : SCRATCH_SIZE;

    if (options->work_size)
        return options->work_size;
    return size > plan->workload.request_size ? size : plan->workload.request_size;
}

static void
resolve_workload(const struct options *options, uint64_t seed, struct plan *plan)
{
    struct plan_workload *workload = &plan->workload;
    bool append = options->given[OPTION_APPEND];
    bool linear = options->given[OPTION_LINEAR];

    *workload = (struct plan_workload){
        .linear = linear || append,
        .is_log = append,
        .keeps_file = options->given[OPTION_KEEP],
        .seed = options->entropy ? (uint64_t)options->entropy : seed,
        .request_size = options->size,
        .work_size = options->work_size,
        .work_offset = options->work_offset,
    };
    if (linear && !options->given[OPTION_SIZE])
        workload->request_size = PLAN_LINEAR_SIZE;

    resolve_operations(options, workload);
    workload->scratch_size = find_scratch_size(options, plan);
}

/*
 * Stores the engine that the command line names in PLAN. If the command line names
 * several engines, takes the last one in the order of the option table.
 */
static void
resolve_named_engine(const struct options *options, struct plan *plan)
{
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!option->engine || !options->given[option->id])
            continue;
        plan->io.engine = io_find_engine(option->letter);
        plan->io.engine_name = plan->io.engine->name;
        if (!plan->io.engine_name)
            plan->io.engine_name = option->engine;
    }
}

/* Returns the highest depth that the command line asks for; 0 if it names no depth. */
static int
find_highest_depth(const struct options *options)
{
    if (options->sweep.kind != SWEEP_DEPTH)
        return (int)options->depth;
    return options->sweep.to ? (int)options->sweep.to : PLAN_SWEEP_END;
}

/*
 * Chooses an engine for a command line that needs several requests in flight, by -depth
 * or -sweep depth, but names no engine: the first engine of the table of engines that can
 * be opened on this system. Returns 0, or -1 with ERROR if no engine can be opened.
 */
static int
choose_engine(const struct options *options, struct plan *plan, struct error *error)
{
    struct plan_io *io = &plan->io;
    bool sweeps_depth = options->sweep.kind == SWEEP_DEPTH;
    int highest_depth = find_highest_depth(options);
    if (io->engine_name || (!sweeps_depth && highest_depth < 2))
        return 0;

    int depth; /* how many requests the engine can have in flight. Not used: if it is less
                * than the highest depth, opening the engine fails with a message. */
    const char *what = sweeps_depth ? "-sweep depth" : "-depth";
    const struct io_engine *engine =
        io_find_queueing_engine(highest_depth, &depth, &io->missing);
    if (engine) {
        io->engine = engine;
        io->engine_name = engine->name;
        io->chosen_for = what;
        return 0;
    }

    if (io->missing.name)
        error_set(error, EXIT_PREPARE, what, "%s is not available here: %s",
                  io->missing.name, strerror(io->missing.open_errno));
    else
        error_set(error, EXIT_PREPARE, what,
                  "this system has no way to keep several requests in flight");
    return error_advise(error, "use -threads, which needs none");
}

/* Resolves how requests are sent. Returns 0, or -1 with ERROR if an engine is missing. */
static int
resolve_io(const struct options *options, struct plan *plan, struct error *error)
{
    struct plan_io *io = &plan->io;
    *io = (struct plan_io){
        .engine = io_find_engine(0),
        .threads = 1,
        .depth = 1,
        .needs_direct = options->given[OPTION_DIRECT],
        .uses_cache = options->given[OPTION_CACHED],
    };

    if (options->threads)
        io->threads = (int)options->threads;
    if (options->depth)
        io->depth = (int)options->depth;
    if (options->given[OPTION_SYNC])
        io->open_flags |= OS_OPEN_SYNC;
    if (options->given[OPTION_DSYNC])
        io->open_flags |= OS_OPEN_DSYNC;
    if (options->given[OPTION_HIPRI])
        io->rw_flags |= OS_RW_HIPRI;
    if (options->given[OPTION_NOWAIT])
        io->rw_flags |= OS_RW_NOWAIT;

    resolve_named_engine(options, plan);
    if (plan->mode == MODE_RATES) {
        plan_resolve_slots(options, plan);
        if (io->depth == 1)
            return 0; /* one request in flight per thread: any engine will do */
    }
    return choose_engine(options, plan, error);
}

/*
 * Resolves when requests start. -i, -r and -l each ask for an interval; the longest one
 * is taken, because -r and -l may only slow a run down. Intervals are rounded up. If an
 * interval were too short by a fraction of a nanosecond, one request more than the limit
 * allows could start within the work time.
 *
 * In each interval, all workers together send REQUESTS = burst * threads. So a limit of R
 * requests per second needs an interval of REQUESTS / R seconds.
 */
static void
resolve_pace(const struct options *options, struct plan *plan)
{
    struct plan_pace *pace = &plan->pace;
    bool has_rate = options->given[OPTION_RATE_LIMIT];
    bool has_speed = options->given[OPTION_SPEED_LIMIT];
    bool has_other_pace =
        has_rate || has_speed || options->given[OPTION_RAPID] || plan->mode & MODE_SWEEP;

    pace->keep_awake = options->given[OPTION_AWAKE];
    pace->burst = options->burst ? options->burst : 1;
    pace->interval = options->interval;
    if (has_other_pace && !options->given[OPTION_INTERVAL])
        pace->interval = 0; /* the default of -i, 1 s, is for runs that set no pace */
    pace->given_by = pace->interval > 0 ? "-i" : NULL;

    int64_t requests = units_scale(pace->burst, plan->io.threads, 1);
    int64_t bytes = units_scale(requests, plan->workload.request_size, 1);
    int64_t interval_of_rate = 0;
    int64_t interval_of_speed = 0;
    if (has_rate)
        interval_of_rate = units_scale_up(requests, SECOND, options->rate_limit);
    if (has_speed)
        interval_of_speed = units_scale_up(bytes, SECOND, options->speed_limit);

    if (interval_of_rate > pace->interval) {
        pace->interval = interval_of_rate;
        pace->given_by = "-r";
        pace->from_limit = true;
    }
    if (interval_of_speed > pace->interval) {
        pace->interval = interval_of_speed;
        pace->given_by = "-l";
        pace->from_limit = true;
    }
}

/* Resolves the end of the run. Also resolves how long the program waits for events that
 * may never happen: answers to requests, and the opening and closing of targets. */
static void
resolve_end(const struct options *options, struct plan *plan)
{
    struct plan_end *end = &plan->end;

    end->max_requests = options->count ? (uint64_t)options->count : UINT64_MAX;
    end->work_time = options->work_time ? options->work_time : INT64_MAX;
    end->ignore_error = options->given[OPTION_IGNORE_ERROR];
    end->hang = options->hang;
    end->grace = end->hang ? time_later(end->hang, DEADLINE_GRACE) : DEADLINE_ENDING;

    end->timeout = options->timeout;
    if (plan->mode == MODE_CHECK && !options->given[OPTION_TIMEOUT])
        end->timeout = DEADLINE_CHECK;
    end->open_timeout = end->timeout;
    if (end->timeout == INT64_MAX)
        end->open_timeout = time_add(end->work_time, end->grace);

    /* The default work time of -R is set after open_timeout, because it must not limit
     * how long opening a target may take. */
    if (options->given[OPTION_RAPID] && !options->given[OPTION_WORK_TIME])
        end->work_time = 3 * SECOND;
}

/*
 * Gives a run of -check without -w a work time: the planned duration of its -c requests
 * plus DEADLINE_CHECK_RUN. Without a work time, a slow disk could make the run take for
 * ever. A monitoring system kills a plug-in after about a minute, and would then get no
 * answer.
 */
static void
resolve_check(const struct options *options, struct plan *plan)
{
    int64_t requests_per_interval = units_scale(plan->pace.burst, plan->io.threads, 1);
    int64_t planned_time = 0;

    if (plan->end.work_time < INT64_MAX)
        return;
    if (options->count)
        planned_time =
            units_scale_up(options->count, plan->pace.interval, requests_per_interval);
    plan->end.work_time = time_add(planned_time, DEADLINE_CHECK_RUN);
}

/*
 * Checks that recorded runs have each of FIGURES, the figures of -print. Returns 0, or -1
 * with ERROR.
 */
static int
check_recorded_figures(const struct slos *figures, struct error *error)
{
    for (int i = 0; i < figures->count; i++) {
        char name[SLO_NAME_SIZE];
        const struct slo *figure = &figures->list[i];
        slo_name(figure, name);

        if (figure->scope != SCOPE_ALL || figure->phase)
            return error_set(error, EXIT_USAGE, "-print",
                             "%s: recorded runs have only the whole time of each "
                             "request; leave out the prefix",
                             name);
        if (figure->metric == SLO_FAILED || figure->metric == SLO_MISSED)
            return error_set(error, EXIT_USAGE, "-print",
                             "%s: recorded runs have only requests that count; leave it "
                             "out",
                             name);
    }
    return 0;
}

/*
 * Checks the options of -compare. Limits may only be on the whole latency, because the
 * raw lines of a recorded run have no other times. Only one file may be standard input.
 * Returns 0, or -1 with ERROR.
 */
static int
check_compare(const struct options *options, struct error *error)
{
    for (int i = 0; i < options->slos.count; i++) {
        char name[SLO_NAME_SIZE];
        const struct slo *slo = &options->slos.list[i];
        if (slo->scope != SCOPE_ALL || slo->phase)
            return error_set(error, EXIT_USAGE, "-slo",
                             "%s: recorded runs have only the whole time of each "
                             "request; use a limit such as p99=1ms",
                             slo_name(slo, name));
    }
    if (check_recorded_figures(&options->figures, error) < 0)
        return -1;

    int standard_inputs = 0;
    for (int i = 0; i < options->target_count; i++)
        if (strcmp(options->targets[i], "-") == 0)
            standard_inputs++;
    if (standard_inputs > 1)
        return error_set(error, EXIT_USAGE, "-compare",
                         "standard input can be read only once; give - once");
    return 0;
}

/*
 * Resolves the values that depend on the mode. Returns 0, or -1 with ERROR if a value
 * makes no sense in this mode.
 */
static int
resolve_mode(const struct options *options, struct plan *plan, struct error *error)
{
    if (plan->mode & MODE_SWEEP)
        return plan_resolve_sweep(options, plan, error);
    if (plan->mode == MODE_PHASES)
        return plan_resolve_phases(options, plan, error);
    if (plan->mode == MODE_DIAGNOSE)
        return plan_resolve_diagnosis(options, plan, error);

    if (plan->mode == MODE_CHECK)
        resolve_check(options, plan);
    if (plan->mode == MODE_COMPARE) {
        /* The seed is constant, so that every comparison of the same files takes the same
         * samples of a long file. */
        plan->workload.seed = 1;
        return check_compare(options, error);
    }
    return 0;
}

/* Maximum capacity of the series of latencies. */
#define SERIES_MAX 32768  /* for one target */
#define SERIES_ALL 131072 /* for all targets together, or for one recorded run */

static bool
has_percentile_limit(const struct slos *slos)
{
    for (int i = 0; i < slos->count; i++)
        if (slos->list[i].metric == SLO_PERCENTILE)
            return true;
    return false;
}

/*
 * Decides how many latencies of a target are recorded in the order of its requests, as a
 * series (stats/track.h). A run needs the series to compare targets with each other, and
 * to tell whether it is certain at 95 % that a percentile meets or breaks its limit.
 * Sweeps and phases have no series, because their requests are not all made under the
 * same conditions.
 */
static void
resolve_series(struct plan *plan)
{
    struct plan_statistics *statistics = &plan->statistics;
    bool needs_series = plan->target_count > 1 || has_percentile_limit(&statistics->slos);

    if (plan->mode == MODE_COMPARE) {
        statistics->series_capacity = SERIES_ALL;
        return;
    }
    if (!needs_series || plan->mode & MODE_SERIES)
        return;

    statistics->series_capacity = SERIES_MAX;
    if (plan->target_count > SERIES_ALL / SERIES_MAX)
        statistics->series_capacity = SERIES_ALL / plan->target_count;
}

/*
 * Resolves the interval for -corrected. Returns 0, or -1 with ERROR if the run has no
 * interval at which requests could be missed.
 */
static int
resolve_corrected(const struct options *options, struct plan *plan, struct error *error)
{
    if (!options->given[OPTION_CORRECTED])
        return 0;
    if (plan->io.depth > 1)
        return error_set(error, EXIT_USAGE, NULL,
                         "-corrected and -depth cannot be combined: requests in flight "
                         "together do not wait for each other; leave out -corrected");
    if (plan->pace.from_limit)
        return error_set(error, EXIT_USAGE, "-corrected",
                         "needs an interval of -i; give -i instead of -r or -l");
    if (plan->pace.interval == 0)
        return error_set(error, EXIT_USAGE, "-corrected",
                         "needs an interval; give one with -i");

    plan->statistics.corrected_interval = plan->pace.interval;
    return 0;
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
                       .has_breakdown = options->given[OPTION_BREAKDOWN]},
    };

    plan->mode = find_mode(options);
    if (plan_check_options(options, plan->mode, error) < 0)
        return -1;
    resolve_workload(options, seed, plan);
    if (resolve_io(options, plan, error) < 0)
        return -1;
    resolve_pace(options, plan);
    resolve_end(options, plan);
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

    /* note_engine adds a note if one of these fields is set. Only the first target keeps
     * them, so that the note appears once. */
    one->io.missing = (struct io_missing){0};
    one->io.chosen_for = NULL;
}

/*
 * Adds a note about the I/O engine of PLAN. If a better engine is not available, the note
 * says why, and names the engine or the number of threads that the run uses instead.
 * Otherwise, the note names the engine if `chosen_for` is set, and there is no note if it
 * is NULL. The note starts with WHAT: the option that made the program choose an engine.
 */
static void
note_engine(const struct plan *plan, const char *what, struct notes *notes)
{
    const struct plan_io *io = &plan->io;
    char threads[32];
    snprintf(threads, sizeof(threads), "%d %s", io->threads,
             units_plural((uint64_t)io->threads, "thread", "threads"));

    const char *name = io->engine->queues_requests ? io->engine->name : threads;
    if (io->missing.name)
        notes_add(notes, what, "%s is not available here (%s); using %s instead",
                  io->missing.name, strerror(io->missing.open_errno), name);
    else if (io->chosen_for)
        notes_add(notes, what, "using %s", name);
}

/*
 * Adds a note if the format of -time has no conversion such as %T: then each line would
 * start with the same text. If the format is a duration such as 5s, the user probably
 * meant -work-time.
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

/*
 * Adds a note for each of SLOS, limits or figures of OPTION, that is one of p1 to p9. The
 * user probably meant a percentile of slow requests, such as p90 or p99. Percentiles
 * written with a point, such as p9.0, have no note.
 */
static void
note_low_percentiles(const struct slos *slos, const char *option, struct notes *notes)
{
    char name[SLO_NAME_SIZE];

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        const char *percent = slo->percentile.name;
        const char *noun = "requests";
        if (slo->metric != SLO_PERCENTILE || strlen(percent) != 1)
            continue;

        if (slo_is_of_operation(slo))
            noun = operations[scope_operation(slo->scope)].noun;
        int prefix_length = (int)(strlen(slo_name(slo, name)) - strlen("p9"));
        notes_add(notes, option,
                  "%d %% of the %s take longer than %s; for slow %s, use %.*sp90 or "
                  "%.*sp99",
                  100 - (percent[0] - '0'), noun, name, noun, prefix_length, name,
                  prefix_length, name);
    }
}

void
plan_note(const struct plan *plan, struct notes *notes)
{
    bool background = plan->mode == MODE_BACKGROUND;
    const char *what = plan->io.chosen_for;
    /* The engine for -load or -sweep rate is chosen without setting `chosen_for`. A note
     * about it says only that a better engine is not available. */
    if (!what)
        what = background ? "-load" : "-sweep";

    note_engine(plan, what, notes);
    if (plan->path != plan->targets[0] || background)
        return;

    note_time_format(plan->options, notes);
    note_low_percentiles(&plan->options->slos, "-slo", notes);
    note_low_percentiles(&plan->options->warnings, "-warn", notes);
    note_low_percentiles(&plan->options->figures, "-print", notes);
}
