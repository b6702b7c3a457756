#ifndef REPORT_OUTPUTS_H
#define REPORT_OUTPUTS_H

#include "base/error.h"
#include "cli/options.h"
#include "run/run.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The table of outputs: each kind of output, printed or written to a file of its own, is
 * one row. The plan lists the outputs that a command line asks for (struct plan_output).
 * Everything else that differs between kinds stands in the row, and the functions of a
 * kind stand in a file of their own.
 */

struct report;

/*
 * The functions of a kind of output. Each function adds to the text of the report, which
 * report.c then writes as a whole. A function may be NULL; then nothing is added. The
 * functions from `begin` to `records` are about report->job, the current job, and its
 * target. Any thread may call them, under the lock of the run.
 *
 * A kind has either the functions from `begin` to `records`, or `part` and `tick`.
 */
struct report_format {
    void (*open)(struct report *report); /* once, before all others */
    /* Once for each target, before its first request. */
    void (*begin)(struct report *report);
    void (*sample)(struct report *report, const struct sample *sample);
    /* indexed by enum record_kind */
    void (*records[RECORDS])(struct report *report, const struct run_record *record);

    /* On the supervisor's thread: a step or phase of JOB begins. */
    void (*part)(struct report *report, const struct job *job,
                 const struct run_part *part);
    /* On the supervisor's thread, or the session's first one: an interval of the COUNT
     * jobs ended at NOW, ns, monotonic. LAST: this is the end of the run. */
    void (*tick)(struct report *report, const struct job *jobs, int count, int64_t now,
                 bool last);
    /* Frees what the other functions allocated. */
    void (*close)(struct report *report);
    /* The bracket that closes what `open` opened. It is written at the end of the output,
     * with a newline, even if a second SIGINT ends the program (os_signals_closing). 0 if
     * nothing is to be closed. */
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
    /* to standard output, once, by the last tick; there is no text for people then */
    SINK_STDOUT_AT_END,
    /* nowhere: its tick draws the status line on the terminal */
    SINK_STATUS_LINE,
};

/* A kind of output: one row of the table. */
struct output_kind {
    /* The option that asks for this output. If the output is enabled by default, the
     * option disables it. The value of an option for a file is the path. */
    enum option_id option;
    /* A printed output is chosen if the option was given at least this often (-json,
     * -json -json). If several printed outputs are chosen, the last row wins. 0 for an
     * output that is not chosen this way. */
    int min_given;
    enum output_sink sink;
    const struct report_format *format;
    /* Returns whether the output is part of the run of PLAN unless its option was given.
     * The printed outputs of PLAN are known by then. NULL if only the option decides. */
    bool (*enabled_by_default)(const struct plan *plan);

    bool for_people; /* the text is read by people, not by programs */
    /* Writes the summary in any case. Without this flag, an output that has periods but
     * no request lines omits it. */
    bool summary_after_periods;
    /* When the run ends in the middle of a period, the partial period is reported too. */
    bool emit_partial_period;
    /* The value of -P is the interval of ticks if -every is not given. */
    bool uses_print_interval;
    /* Time from one period, or tick, to the next if no option sets it, in ns; 0 if
     * none. */
    int64_t default_interval_ns;
    bool needs_track; /* needs the tracks of the run (stats/track.h) */
    /* Needs the names of the targets before the first request. */
    bool needs_names;

    /* The first bytes of a file, by which an older file of ioping is recognised before it
     * is replaced; and the words for such a file in a message, such as "an ioping plot".
     * NULL if the output has no file of its own. */
    const char *magic, *magic_description;

    /* Reports ERROR to the caller of the program in the way that the caller expects.
     * Returns the exit status of the program. NULL if the output is not printed. */
    int (*refuse)(const struct error *error);
    /* Writes the answer of a plug-in (-check) when COUNT jobs have ended. Returns the
     * exit status of the program. NULL if the output is no plug-in. */
    int (*answer)(const struct job *jobs, int count);
    /* The line that a plug-in prints if it ends before it has an answer; NULL if the
     * output is no plug-in. */
    const char *early_exit_line;
    /* The exit status of a plug-in in this case, and after -h and -v. */
    int early_exit_status;
};

/* Returns true if an output of KIND is a file of its own, which the writer of exported
 * files replaces or extends (report/export.h). */
static inline bool
output_kind_is_exported(const struct output_kind *kind)
{
    return kind->sink == SINK_REPLACED || kind->sink == SINK_GROWING;
}

/* Returns true if OUTPUT is such an exported file. */
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

/* Returns the output of PLAN that has the results. Its kind reports an error to the
 * caller of the program, and answers the caller at the end. */
static inline const struct output *
plan_printed(const struct plan *plan)
{
    return &plan->output.list[0];
}

/* Returns the output of PLAN on standard output. Without -output and -record, it is the
 * same as plan_printed. */
static inline const struct output *
plan_screen(const struct plan *plan)
{
    return &plan->output.list[plan->output.stream_count - 1];
}

extern const struct output_kind output_kinds[];
extern const int output_kind_count;

/* The functions of each kind. Each stands in the file of its name, such as human.c. */
extern const struct report_format report_human, report_raw, report_json, report_ndjson,
    report_influx, report_check, report_prometheus, report_hdr, report_status;

/* Guesses from a possibly invalid command line which output must report an early error to
 * the caller. Once there is a plan, use the kind of its first output instead. */
const struct output_kind *outputs_find(int argc, char *const argv[]);

#endif
