#ifndef REPORT_OUTPUTS_H
#define REPORT_OUTPUTS_H

#include "base/error.h"
#include "cli/options.h"
#include "run/run.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The table of outputs: each kind of output is one row. Everything in which kinds differ
 * stands in the row, or in the functions of the kind, which have a file of their own.
 *
 * The plan lists the outputs of a run (struct plan_output). output_choice.c chooses them
 * from the rows of the table.
 */

struct report;

/*
 * The functions of a kind of output. Each function adds to the text of the report, which
 * report.c then writes as a whole. A function may be NULL; then nothing is added.
 *
 * A kind that is printed has the functions from `begin` to `records`. They are about one
 * target: the target of report->job. A kind that is written or drawn at intervals, or
 * once at the end, has `tick`, and may have `part`. The plug-in (-check) has none of
 * these functions, because it writes nothing before its answer (`answer` of the row).
 *
 * A worker or the supervisor calls `begin`, `sample` and the record of a period while it
 * has the lock of the run. The supervisor calls `part`, `tick` and all other records
 * without that lock. The supervisor adds these records only after the workers have ended
 * or were abandoned. With -compare there is no run, and one thread, the reader, calls all
 * functions.
 */
struct report_format {
    /* Adds the head of the output. Called once, before all others. */
    void (*open)(struct report *report);
    /* Called once for each target, before the first request or record is added. */
    void (*begin)(struct report *report);
    /* Adds a request. */
    void (*sample)(struct report *report, const struct sample *sample);
    /* Each adds a record of one kind; indexed by enum record_kind. */
    void (*records[RECORDS])(struct report *report, const struct run_record *record);

    /* Called when a step or phase of JOB begins. */
    void (*part)(struct report *report, const struct job *job,
                 const struct run_part *part);
    /* Called when an interval of COUNT jobs has ended at NOW (ns, monotonic). LAST is
     * true for the last interval of the run or, for a growing file, of the sweep of one
     * target.
     *
     * If the output is SINK_REPLACED, report_begin calls this function as well, with NOW
     * 0 and on its own thread, to make the first version of the file. */
    void (*tick)(struct report *report, const struct job *jobs, int count, int64_t now,
                 bool last);
    /* Frees the memory that the other functions allocated. */
    void (*close)(struct report *report);
    /* The bracket that closes the one that `open` wrote; 0 if `open` writes none. It is
     * written at the end of the output, with a newline, even if a second SIGINT ends the
     * program (os_signals_set_closing_byte). */
    char closing;
};

/* Where the text of an output goes. */
enum output_sink {
    /* to standard output, or to the file of -output instead */
    SINK_PRINTED,
    /* to a file that each tick replaces as a whole */
    SINK_REPLACED,
    /* to the end of a file, which begins with the text of `open` */
    SINK_GROWING,
    /* to standard output, once, by the last tick; standard output then gets no other
     * text */
    SINK_STDOUT_AT_END,
    /* nowhere: each tick draws the status line on the terminal */
    SINK_STATUS_LINE,
    /* nowhere: each tick draws the live screen on the terminal */
    SINK_LIVE_SCREEN,
};

/* A kind of output: one row of the table. */
struct output_kind {
    /* The option that asks for this output. If the output is enabled by default, the
     * option disables it. If the output is exported, the value of the option is the path
     * of the file. */
    enum option_id option;
    /* How often `option` must be given, at least, so that the results of the run have
     * this kind (plan_results): 1 for -json, 2 for -json -json. 0: `option` does not
     * choose the kind of the results. */
    int min_given;
    enum output_sink sink;
    const struct report_format *format;
    /* Returns true if a run of PLAN has this output when its option is not given. The
     * answer may depend on the printed outputs, so PLAN must already list them. NULL if
     * the output is not enabled by default. */
    bool (*enabled_by_default)(const struct plan *plan);
    /* Opens what the output needs of the system before the process splits in two
     * (os_monitor_start). Returns 0, or -1 with ERROR. NULL if there is nothing. */
    int (*prepare)(struct error *error);

    bool for_people; /* the text is read by people, not by programs */
    /* If the results of another kind go to a file, this output goes to standard output,
     * in place of the text for people. */
    bool takes_screen;
    /* The output has a summary even if it has periods and no request lines. */
    bool summary_after_periods;
    /* If the run ends in the middle of a period, the partial period is reported too. */
    bool emit_partial_period;
    /* The value of -P is the interval of ticks if -every is not given. */
    bool uses_print_interval;
    /* Length of a period, or time from one tick to the next, in ns, if no option sets it.
     * 0: there are no periods or ticks then. */
    int64_t default_interval_ns;
    bool needs_track; /* needs the tracks of the run (stats/track.h) */
    bool needs_names; /* needs the names of the targets before the first request */

    /* The first bytes of a file. A file at the path of this output is replaced only if it
     * begins with them, because then ioping has written it. NULL if the output is not
     * exported. */
    const char *magic;
    /* what a message calls a file that begins with `magic`, such as "an ioping plot";
     * NULL if the output is not exported */
    const char *magic_description;

    /* Reports ERROR to the caller of the program in the way that the caller expects, and
     * returns the exit status of the program. NULL if the output cannot have the
     * results. */
    int (*refuse)(const struct error *error);
    /* Writes the answer of a plug-in (-check) when COUNT jobs have ended, and returns the
     * exit status of the program. NULL if the output is no plug-in. */
    int (*answer)(const struct job *jobs, int count);
    /* The line that a plug-in prints if it ends before it has an answer; NULL if the
     * output is no plug-in. */
    const char *early_exit_line;
    /* The exit status of a plug-in that ends before it has an answer, or after -h or
     * -v. */
    int early_exit_status;
};

/* Returns true if an output of KIND is a file of its own, which the writer of exported
 * files replaces or extends (report/export.h). */
static inline bool
output_kind_is_exported(const struct output_kind *kind)
{
    return kind->sink == SINK_REPLACED || kind->sink == SINK_GROWING;
}

/* Returns true if OUTPUT is an exported file, see output_kind_is_exported. */
static inline bool
output_is_exported(const struct output *output)
{
    return output_kind_is_exported(output->kind);
}

/* Returns true if OUTPUT goes to standard output or to the file of -output. */
static inline bool
output_is_printed(const struct output *output)
{
    return output->kind->sink == SINK_PRINTED || output->kind->sink == SINK_STDOUT_AT_END;
}

/* Returns the output of PLAN that has the results, in the format that the options ask
 * for, such as JSON; by default it is the text for people. The kind of this output
 * reports errors to the caller of the program, and gives the answer at the end. */
static inline const struct output *
plan_results(const struct plan *plan)
{
    return &plan->output.list[0];
}

/* Returns the output of PLAN on standard output. Without -output and -record, it is the
 * same as plan_results. */
static inline const struct output *
plan_screen(const struct plan *plan)
{
    return &plan->output.list[plan->output.stream_count - 1];
}

/* The table. The first row is the text for people. If the options ask for the results in
 * several kinds, the last of their rows has the results. */
extern const struct output_kind output_kinds[];
extern const int output_kind_count;

/* The functions of each kind. Each kind has a file of its name, such as human.c, but
 * report_ndjson stands in json.c. */
extern const struct report_format report_human, report_raw, report_json, report_ndjson,
    report_influx, report_csv, report_print, report_check, report_prometheus, report_hdr,
    report_status, report_live;

/* Calls `prepare` of each output of PLAN. Called before the process splits in two.
 * Returns 0, or -1 with ERROR. */
int outputs_prepare(const struct plan *plan, struct error *error);

/* Guesses from a command line, which may be invalid, which kind of output must report an
 * early error to the caller. Once there is a plan, use plan_results instead. */
const struct output_kind *outputs_find(int argc, char *const argv[]);

#endif
