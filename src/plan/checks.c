/*
 * The checks that refuse a command line.
 *
 * The first half is about options that cannot be given together. Each rule is one `if`
 * with its whole message. A rule that holds for many options uses the column `modes` of
 * the option table (cli/cli.h).
 *
 * The second half is about the limits of -slo and -warn, and the figures of -print. A
 * limit or figure is refused before the run starts if the run does not measure it. A
 * percentile is also refused if it needs more requests than -c allows.
 */
#include "checks.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* Returns the name of option ID, which is given, as the user wrote it: "J" or "json". A
 * letter is stored in LETTER, which has two bytes. */
static const char *
find_written_name(const struct options *options, enum option_id id, char *letter)
{
    letter[0] = options->letters[id];
    letter[1] = '\0';
    return letter[0] ? letter : cli_option(id)->name;
}

/*
 * Refuses option -NAME together with -OTHER, because of REASON. ADVICE says what the user
 * can do; NULL means to leave out -NAME. Always returns -1, with ERROR.
 */
static int
refuse_pair(const char *name, const char *other, const char *reason, const char *advice,
            struct error *error)
{
    char leave_out[64];

    error_set(error, EXIT_USAGE, NULL, "-%s and -%s cannot be combined: %s", name, other,
              reason);
    if (advice)
        return error_advise(error, advice);

    snprintf(leave_out, sizeof(leave_out), "leave out -%s", name);
    return error_advise(error, leave_out);
}

/* Reasons why options are refused, and advice, for more than one pair. */
static const char only_reads[] = "-compare reads recorded runs and measures nothing";
static const char both_formats[] = "each is a format of the results";
static const char choose_one[] = "choose one of them";

/*
 * Refuses two options that each choose a mode. These conflicts come first, because a
 * message about any other option would be misleading. Returns 0, or -1 with ERROR.
 */
static int
check_single_mode(const struct options *options, struct error *error)
{
    static const enum option_id choosers[] = {OPTION_SWEEP, OPTION_LOAD, OPTION_DIAGNOSE,
                                              OPTION_CHECK, OPTION_COMPARE};
    const int count = sizeof(choosers) / sizeof(choosers[0]);

    for (int i = 0; i < count; i++)
        for (int k = count - 1; k > i; k--) {
            if (!options->given[choosers[i]] || !options->given[choosers[k]])
                continue;

            const char *reason = "each is a run of its own";
            if (choosers[k] == OPTION_COMPARE)
                reason = only_reads;
            return refuse_pair(cli_option(choosers[i])->name,
                               cli_option(choosers[k])->name, reason, choose_one, error);
        }
    return 0;
}

/*
 * Returns true if option ID cannot be combined with -record. With -record, the file gets
 * the raw line of each request and the screen gets the usual report. The options that are
 * refused would change the contents of the file or of the screen. The periods of -csv and
 * -influx are not refused here: check_results refuses these formats themselves.
 */
static bool
conflicts_with_record(enum option_id id, const struct options *options)
{
    if (id == OPTION_PRINT_COUNT || id == OPTION_PRINT_INTERVAL)
        return !options->given[OPTION_CSV] && !options->given[OPTION_INFLUX];
    return id == OPTION_BATCH || id == OPTION_JSON || id == OPTION_OUTPUT;
}

/* Returns true if option ID asks for results in another format than -influx. */
static bool
conflicts_with_influx(enum option_id id)
{
    return id == OPTION_JSON || id == OPTION_CSV || id == OPTION_RECORD;
}

/*
 * Returns an option that is given and asks for results in another format than -print.
 * Returns NULL if there is none, or if -output sends these results to a file, so that
 * standard output is free for -print.
 */
static const struct cli_option *
find_other_results(const struct options *options)
{
    static const enum option_id others[] = {OPTION_BATCH, OPTION_JSON, OPTION_INFLUX,
                                            OPTION_CSV};
    if (options->output)
        return NULL;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (options->given[others[i]])
            return cli_option(others[i]);
    return NULL;
}

/*
 * Returns true if option ID cannot be combined with -check, although the column `modes`
 * accepts it. -check prints one line and no periods, so -P is accepted only if it says
 * how often files are exported.
 */
static bool
conflicts_with_check(enum option_id id, const struct options *options)
{
    bool exports = options->given[OPTION_PROMETHEUS] || options->given[OPTION_HDR];
    return id == OPTION_PRINT_INTERVAL && !exports;
}

/*
 * Returns true if option ID, with the value that is given, cannot be combined with
 * -sweep, although the column `modes` accepts the option. A sweep that accepts -i sends
 * requests back to back, so the value of -i can only be 0.
 */
static bool
conflicts_with_sweep(enum option_id id, const struct options *options)
{
    return id == OPTION_INTERVAL && options->interval > 0;
}

/*
 * Returns true if option ID, with the value that is given, cannot be combined with
 * -append. The requests of -append write a log: the file is empty at the start, the first
 * write goes to offset 0, there are no reads, and only one write is in flight at a time.
 */
static bool
conflicts_with_append(enum option_id id, const struct options *options)
{
    switch (id) {
    case OPTION_READ_WRITE:
    case OPTION_KEEP:
        return true;
    case OPTION_WORK_OFFSET:
        return options->work_offset > 0;
    case OPTION_THREADS:
        return options->threads > 1;
    case OPTION_DEPTH:
        return options->depth > 1;
    default:
        return false;
    }
}

/*
 * Checks that OPTION, which is given, can be combined with the other options about the
 * results that are given. Returns 0, or -1 with ERROR.
 */
static int
check_results(const struct cli_option *option, const struct options *options,
              struct error *error)
{
    enum option_id id = option->id;
    char letter[2];
    const char *name = find_written_name(options, id, letter);
    char advice[64];

    if (options->given[OPTION_INFLUX] && conflicts_with_influx(id))
        return refuse_pair(name, "influx", both_formats, choose_one, error);
    if (options->given[OPTION_CSV] && (id == OPTION_JSON || id == OPTION_RECORD))
        return refuse_pair(name, "csv", both_formats, choose_one, error);

    const struct cli_option *other = find_other_results(options);
    if (id != OPTION_PRINT || !other)
        return 0;
    char other_letter[2];
    const char *other_name = find_written_name(options, other->id, other_letter);
    snprintf(advice, sizeof(advice), "add -output FILE for -%s", other_name);
    return refuse_pair(name, other_name, "both would print to standard output", advice,
                       error);
}

/* Returns why -load refuses option ID. */
static const char *
explain_load(enum option_id id)
{
    if (id == OPTION_KEEP)
        return "the load would use the same file ioping.tmp";
    return "-load has no use for it";
}

/* Returns why -diagnose refuses option ID. */
static const char *
explain_diagnose(enum option_id id)
{
    if (id == OPTION_COUNT)
        return "-w says how long -diagnose may take";
    if (cli_option(id)->workload)
        return "-diagnose writes only to files of its own";
    if (id == OPTION_CSV || id == OPTION_PRINT || id == OPTION_BATCH ||
        id == OPTION_INFLUX)
        return "-J is the format of -diagnose for programs";
    return "-diagnose chooses its requests and its report itself";
}

/* Returns why -sweep refuses option ID. */
static const char *
explain_sweep(enum option_id id)
{
    if (id == OPTION_COUNT)
        return "-w says how long each step takes";
    return "a sweep sets how requests are sent, and prints a row for each step";
}

/*
 * Checks that OPTION, which is given, can be combined with MODE and with the other
 * options that are given. If several options conflict with OPTION, the message names the
 * first of them in the order below. Returns 0, or -1 with ERROR.
 */
static int
check_conflicts(const struct cli_option *option, const struct options *options,
                enum cli_mode mode, struct error *error)
{
    enum option_id id = option->id;
    char letter[2];
    char async_letter[2];
    const char *name = find_written_name(options, id, letter);
    bool wrong_mode = !(option->modes & (int)mode);

    if (mode == MODE_COMPARE && wrong_mode)
        return refuse_pair(name, "compare", only_reads, NULL, error);
    if (options->given[OPTION_RECORD] && conflicts_with_record(id, options))
        return refuse_pair(name, "record",
                           "the file gets a line for each request, and the screen the "
                           "usual report",
                           NULL, error);
    if (mode == MODE_CHECK && (wrong_mode || conflicts_with_check(id, options)))
        return refuse_pair(name, "check", "-check prints one line and nothing else", NULL,
                           error);
    if (check_results(option, options, error) < 0)
        return -1;
    if (mode == MODE_PHASES && wrong_mode)
        return refuse_pair(name, "load", explain_load(id), NULL, error);
    if (mode == MODE_DIAGNOSE && wrong_mode)
        return refuse_pair(name, "diagnose", explain_diagnose(id), NULL, error);
    if (mode & MODE_SWEEP && (wrong_mode || conflicts_with_sweep(id, options)))
        return refuse_pair(name, "sweep", explain_sweep(id), NULL, error);
    if (options->given[OPTION_ASYNC] && id == OPTION_URING)
        return refuse_pair(name, find_written_name(options, OPTION_ASYNC, async_letter),
                           "each is a way to send requests", choose_one, error);
    if (options->given[OPTION_APPEND] && conflicts_with_append(id, options))
        return refuse_pair(name, "append",
                           "a log begins empty, and each write waits for the one before",
                           NULL, error);
    return 0;
}

/*
 * Checks option ID, which is given: if this option works only with another option, the
 * other option must be given, too. Returns 0, or -1 with ERROR.
 */
static int
check_needed(enum option_id id, const struct options *options, enum cli_mode mode,
             struct error *error)
{
    const uint16_t *given = options->given;
    bool exports = given[OPTION_PROMETHEUS] || given[OPTION_HDR] || given[OPTION_PLOT];

    if (id == OPTION_APPEND && !given[OPTION_WRITE])
        return error_set(error, EXIT_USAGE, NULL, "-append works only with -write");
    if (id == OPTION_POISSON && mode != MODE_RATES)
        return error_set(error, EXIT_USAGE, NULL, "-poisson works only with -sweep rate");
    if (id == OPTION_WARN && mode != MODE_CHECK)
        return error_set(error, EXIT_USAGE, NULL, "-warn works only with -check");
    if (id == OPTION_BUCKETS && !given[OPTION_PROMETHEUS])
        return error_set(error, EXIT_USAGE, NULL, "-buckets works only with -prometheus");
    if (id == OPTION_EVERY && !exports)
        return error_set(error, EXIT_USAGE, NULL,
                         "-every works only with -prometheus or -hdr or -plot");
    return 0;
}

int
plan_check_options(const struct options *options, enum cli_mode mode, struct error *error)
{
    if (check_single_mode(options, error) < 0)
        return -1;

    for (int i = 0; i < OPTION_IDS; i++) {
        enum option_id id = (enum option_id)i;
        if (!options->given[id])
            continue;
        if (check_conflicts(cli_option(id), options, mode, error) < 0)
            return -1;
        if (check_needed(id, options, mode, error) < 0)
            return -1;
    }
    return 0;
}

/*
 * Returns NULL if the run of PLAN measures the figure to which SLO applies. Otherwise
 * returns the second part of a message whose first part is the name of SLO. The second
 * part names the missing condition, and says how the user can go on. -check cannot be
 * combined with -compare or -load, so the messages for -check do not suggest these
 * options.
 */
static const char *
find_missing_condition(const struct plan *plan, const struct slo *slo)
{
    bool is_check = plan->mode == MODE_CHECK;

    if (slo->is_relative && is_check)
        return "is relative to another run, which needs -compare; give a time";
    if (slo->is_relative && plan->mode != MODE_COMPARE)
        return "is relative to another run, which needs -compare; add -compare and two "
               "files, or give a time";

    if (slo->phase && is_check)
        return "needs -load; leave out the prefix to measure the whole run";
    if (slo->phase && plan->mode != MODE_PHASES)
        return "needs -load; add it, or leave out the prefix to measure the whole run";

    if (slo->scope >= SCOPE_SUBMIT && plan->mode == MODE_DIAGNOSE)
        return "is about a part of the time, which -diagnose may not know; leave out the "
               "prefix to limit the whole time";
    if (slo->scope >= SCOPE_SUBMIT && !plan->statistics.has_breakdown)
        return "needs -breakdown; add it, or leave out the prefix to measure the whole "
               "time";

    if (slo->scope == SCOPE_SYNC && plan->mode == MODE_DIAGNOSE)
        return NULL;
    if (slo->scope == SCOPE_SYNC && !plan_does(plan, OPERATION_FLUSHED))
        return "needs writes, which are flushed; add -W or -G, or leave out the prefix "
               "to measure the whole time";
    if (slo->scope == SCOPE_SYNC && plan->io.uses_cache)
        return "needs flushes, which -C turns off; leave out -C, or leave out the prefix "
               "to measure the whole time";

    if (scope_is_operation(slo->scope) && plan->workload.mix.extra_count == 0)
        return "needs -G; leave out the prefix to measure all requests";
    return NULL;
}

/* Returns true if a request of OPERATION has the figure to which SLO applies. */
static bool
has_limited_figure(enum operation operation, const struct slo *slo)
{
    if (slo->scope == SCOPE_SYNC)
        return operations[operation].flags & OPERATION_FLUSHED;
    if (slo_is_of_operation(slo))
        return operation == scope_operation(slo->scope);
    return true;
}

/*
 * Returns how many of the first COUNT requests of a worker have the figure to which SLO
 * applies. The operations of MIX take turns: with two operations, requests 1, 3, 5 and so
 * on are of the first operation, requests 2, 4, 6 and so on are of the second operation.
 */
static uint64_t
count_in_turns(const struct operation_mix *mix, const struct slo *slo, uint64_t count)
{
    uint64_t turns = (uint64_t)mix->extra_count + 1;
    uint64_t sum = 0;

    for (uint64_t turn = 0; turn < turns; turn++)
        if (count > turn && has_limited_figure(mix->turns[turn], slo))
            sum += (count - turn - 1) / turns + 1;

    return sum;
}

/*
 * Returns the maximum number of counted requests that have the figure to which SLO
 * applies, in one phase. The phase has as many requests as -c says, and the first WARMUP
 * of them do not count. A run without -load is one phase.
 */
static uint64_t
count_in_phase(const struct plan *plan, const struct slo *slo, uint64_t warmup)
{
    const struct operation_mix *mix = &plan->workload.mix;
    uint64_t count = plan->end.max_requests;

    if (count <= warmup)
        return 0;
    if (plan->io.threads == 1 || !slo_is_of_operation(slo))
        return count_in_turns(mix, slo, count) - count_in_turns(mix, slo, warmup);

    /*
     * The operations take turns in each thread, and one round has one request of each
     * operation. A thread may end just after the operation that SLO is about. Then its
     * last round lacks the requests of the other operations. To get the maximum, assume
     * that all threads end like this, and add the requests that are lacking. Then all
     * rounds are complete, and the number of rounds is the number of requests that SLO is
     * about.
     */
    uint64_t counted = count - warmup;
    uint64_t extra_turns = (uint64_t)mix->extra_count;
    uint64_t lacking = (uint64_t)plan->io.threads * extra_turns;
    uint64_t rounds = (counted + lacking) / (extra_turns + 1);
    return rounds < counted ? rounds : counted;
}

/*
 * Returns the maximum number of counted requests that have the figure to which SLO
 * applies, in all phases that SLO is about. Only the idle phase of -load has a warm-up.
 */
static uint64_t
count_in_run(const struct plan *plan, const struct slo *slo)
{
    uint64_t with_warmup = count_in_phase(plan, slo, plan->statistics.limits.warmup);
    uint64_t without_warmup = count_in_phase(plan, slo, 0);

    if (plan->mode != MODE_PHASES || slo->phase == PHASE_IDLE)
        return with_warmup;
    if (slo->phase != PHASE_NONE)
        return without_warmup;
    if (without_warmup > UINT64_MAX / 3) /* the sum below could overflow */
        return UINT64_MAX;
    return with_warmup + without_warmup + without_warmup;
}

/*
 * Returns a value for -c with which the run can know the percentile of SLO: at least
 * NEEDS counted requests then have the figure to which SLO applies. The value is the
 * warm-up plus the requests of one phase, because -c limits each phase. If SLO is about
 * one operation of -G, the value allows for whole rounds of turns.
 */
static uint64_t
find_sufficient_count(const struct plan *plan, const struct slo *slo, uint64_t needs)
{
    bool is_of_all_phases = plan->mode == MODE_PHASES && slo->phase == PHASE_NONE;
    uint64_t phases = is_of_all_phases ? PHASES - 1 : 1; /* PHASE_NONE is not a phase */
    uint64_t needs_per_phase = (needs + phases - 1) / phases;
    uint64_t warmup = slo->phase > PHASE_IDLE ? 0 : plan->statistics.limits.warmup;
    uint64_t extra_turns = (uint64_t)plan->workload.mix.extra_count;

    if (!slo_is_of_operation(slo))
        return warmup + needs_per_phase;

    /* With several threads, the last round of each thread may be incomplete. */
    uint64_t threads = (uint64_t)plan->io.threads;
    uint64_t incomplete = threads > 1 ? threads * extra_turns : 0;
    return warmup + needs_per_phase * (extra_turns + 1) + incomplete;
}

/*
 * Checks that -c, if given, allows enough requests to know the percentile of SLO, a limit
 * or figure of OPTION. Returns 0, or -1 with ERROR.
 */
static int
check_count(const struct plan *plan, const struct slo *slo, const char *option,
            struct error *error)
{
    if (slo->metric != SLO_PERCENTILE || plan->end.max_requests == UINT64_MAX)
        return 0;

    uint64_t needs = percentile_min_samples(&slo->percentile);
    uint64_t possible = count_in_run(plan, slo);
    if (possible >= needs)
        return 0;

    char name[SLO_NAME_SIZE];
    const char *noun = units_plural(needs, "request", "requests");
    if (slo_is_of_operation(slo)) {
        const struct operation_row *operation = &operations[scope_operation(slo->scope)];
        noun = units_plural(needs, operation->word, operation->noun);
    }
    return error_set(error, EXIT_USAGE, option,
                     "%s needs %llu %s that %s, but -c %llu gives at most %llu; use "
                     "-c %llu",
                     slo_name(slo, name), (unsigned long long)needs, noun,
                     units_plural(needs, "counts", "count"),
                     (unsigned long long)plan->end.max_requests,
                     (unsigned long long)possible,
                     (unsigned long long)find_sufficient_count(plan, slo, needs));
}

/*
 * Checks that the run of PLAN can decide SLO, a limit of OPTION (-slo or -warn). Returns
 * 0, or -1 with ERROR.
 */
static int
check_limit(const struct plan *plan, const struct slo *slo, const char *option,
            struct error *error)
{
    char name[SLO_NAME_SIZE];
    slo_name(slo, name);

    /* The steps of these sweeps set the rate, so a limit on the rate decides nothing. */
    enum sweep_kind swept = plan->sweep.kind;
    if (slo_is_rate(slo) && (swept == SWEEP_RATE || swept == SWEEP_INTERVAL))
        return error_set(error, EXIT_USAGE, option,
                         "-sweep %s sets %s itself; limit a time, such as p99=1ms",
                         sweep_kinds[swept].name, name);

    const char *missing_condition = find_missing_condition(plan, slo);
    if (missing_condition)
        return error_set(error, EXIT_USAGE, option, "%s %s", name, missing_condition);

    return check_count(plan, slo, option, error);
}

/* Checks each of SLOS, the limits of OPTION. Returns 0, or -1 with ERROR. */
static int
check_limits(const struct plan *plan, const struct slos *slos, const char *option,
             struct error *error)
{
    for (int i = 0; i < slos->count; i++)
        if (check_limit(plan, &slos->list[i], option, error) < 0)
            return -1;
    return 0;
}

/* Returns true if WARNING and SLO limit the same figure, and WARNING is looser. */
static bool
is_looser(const struct slo *warning, const struct slo *slo)
{
    char warning_name[SLO_NAME_SIZE];
    char name[SLO_NAME_SIZE];

    if (strcmp(slo_name(warning, warning_name), slo_name(slo, name)) != 0)
        return false;
    if (slo_is_rate(slo))
        return warning->limit < slo->limit;
    return warning->limit > slo->limit;
}

/*
 * Refuses WARNING, a limit of -warn, if it is looser than one of SLOS, the limits of
 * -slo: it would never warn, because the limit of -slo is broken first. Returns 0, or -1
 * with ERROR.
 */
static int
check_warning(const struct slo *warning, const struct slos *slos, struct error *error)
{
    char name[SLO_NAME_SIZE];
    char warning_limit[UNITS_TEXT];
    char limit[UNITS_TEXT];

    slo_name(warning, name);
    for (int i = 0; i < slos->count; i++)
        if (is_looser(warning, &slos->list[i]))
            return error_set(error, EXIT_USAGE, "-warn",
                             "%s=%s is looser than -slo %s=%s, so it would never warn; "
                             "exchange the two limits",
                             name, slo_limit(warning, warning_limit), name,
                             slo_limit(&slos->list[i], limit));
    return 0;
}

/* Checks that the run of PLAN measures each figure of -print, and that -c allows enough
 * requests to know it. Returns 0, or -1 with ERROR. */
static int
check_figures(const struct plan *plan, struct error *error)
{
    const struct slos *figures = &plan->options->figures;
    char name[SLO_NAME_SIZE];

    for (int i = 0; i < figures->count; i++) {
        const struct slo *figure = &figures->list[i];
        const char *missing_condition = find_missing_condition(plan, figure);
        if (missing_condition)
            return error_set(error, EXIT_USAGE, "-print", "%s %s", slo_name(figure, name),
                             missing_condition);
        if (check_count(plan, figure, "-print", error) < 0)
            return -1;
    }
    return 0;
}

int
plan_check_limits(const struct plan *plan, struct error *error)
{
    const struct slos *slos = &plan->statistics.slos;
    const struct slos *warnings = &plan->statistics.warnings;

    if (check_limits(plan, slos, "-slo", error) < 0)
        return -1;
    if (check_limits(plan, warnings, "-warn", error) < 0)
        return -1;
    if (check_figures(plan, error) < 0)
        return -1;

    for (int i = 0; i < warnings->count; i++)
        if (check_warning(&warnings->list[i], slos, error) < 0)
            return -1;
    return 0;
}
