#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buffer.h"
#include "base/error.h"
#include "plan/plan.h"
#include "report/export.h"
#include "report/output_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comparison_row;
struct description;
struct diagnosis;
struct job;
struct live;
struct outcome;
struct run_record;
struct report_format;
struct run_observer;
struct status;

/*
 * The reports of a run: one report for each output of its plan. They are used in this
 * order:
 *
 *   output_file_open     opens the file of -output, before the targets are opened
 *   report_begin         prepares everything; nothing is destroyed
 *   report_claim         empties or replaces earlier files
 *   report_observer      the run then notifies the reports by this observer
 *   report_compare       adds the comparison of several targets
 *   report_end           completes and closes all outputs
 *
 * With -compare there is no run: report_explain and report_recorded take the place of the
 * observer and of report_compare.
 */

/* One output of a run while the run goes on. The members up to `job_count` are
 * constant. */
struct report {
    const struct report_format *format; /* the functions of this kind of output */
    const struct output *output;        /* its entry in the list of outputs of the plan */
    const struct plan *plan;
    const struct job *jobs;
    int job_count;
    /* The rows of a comparison, one for each job, filled; NULL if the jobs are not
     * compared yet. */
    const struct comparison_row *rows;
    /* the same rows if this report has allocated them, else NULL */
    struct comparison_row *owned_rows;
    const struct diagnosis *diagnosis; /* NULL without -diagnose, and before its end */
    void *state; /* memory that the format keeps between its functions, or NULL */
    /* the job that the current function of the format is about */
    const struct job *job;
    const struct description *target; /* the target of `job` */
    enum phase phase;                 /* the phase that `job` is in */
    /* for os_stream_write; used only if the output is printed (output_is_printed) */
    int stream;
    /* NULL if the output is not exported (output_is_exported) */
    struct export_file *file;
    /* time from one call of the format's tick function to the next, in ns; 0: no ticks */
    int64_t tick_interval;
    /* When the next tick is due, ns, monotonic. 0: not known yet; the next call of
     * on_next_tick sets it. The tick is then due one tick_interval after that call. If
     * the first request is delayed (start_delay of a job), it is due one tick_interval
     * after the end of the delay. */
    int64_t next_tick_at;
    /* When the current interval began, ns, monotonic; 0: not known yet. Set for every
     * output, but only HDR logs use it. */
    int64_t interval_began_at;
    int64_t (*monotonic_now)(void); /* ns; a test replaces this clock */
    int64_t (*wall_now)(void);      /* ns since 1970; a test replaces this clock */
    struct buffer text;             /* text that is not written or handed over yet */
    /* where functions of the format add remarks; they are written to stderr before the
     * text */
    struct notes *notes;
    /* -print: the figures that were unknown at least once, as a set of bits */
    unsigned unknown_figures;
    /* CSV: the times of rows (csv.c). `wall_offset` is the wall clock minus the monotonic
     * clock, ns. `shared_time` is the time of the rows of the current last period, ns,
     * monotonic; 0 before the first such row. `shared_due_at` is when that period was due
     * to end, ns, monotonic. */
    int64_t wall_offset, shared_time, shared_due_at;
    /* JSON: the array has an element already, so the next element needs a comma */
    bool needs_comma;
    /* the output has begun: the format's `open`, if any, was called */
    bool is_open;
    /* The output goes to a terminal. Otherwise the summary for people is the one of
     * ioping 1.3, because scripts parse that. */
    bool is_terminal;
    int columns;         /* width of the terminal; 80 without a terminal */
    bool has_utf8;       /* the text may have characters beyond ASCII */
    bool has_color;      /* the text may have colours */
    int error;           /* errno of the first write that failed; 0: none failed */
    bool error_reported; /* a note about `error` was written to stderr */
    /* The status line, in the report that draws it. NULL in all other reports, and if the
     * run has no status line. */
    struct status *status;
    /* The live screen, in the report that draws it. NULL in all other reports, and if the
     * run has no live screen. */
    struct live *live;
};

/* All reports of a run. If writing a printed output fails, the run ends, but the other
 * outputs are still completed. A failure to write an exported file does not end the
 * run. */
struct reports {
    struct report list[OUTPUTS_MAX]; /* in the order of the outputs of the plan */
    int report_count;
    /* The last report in `list` whose text is printed (SINK_PRINTED). The text goes to
     * standard output or, if a plot takes all of standard output, to the file of -output
     * or -record. */
    const struct report *last_printed;
    struct output_file file;
    /* True from the end of a run, or of the sweep of one target, until the last versions
     * of exported files are handed over. */
    bool export_pending;
    bool export_stuck;  /* the writer of exported files is stuck in the kernel */
    int print_status;   /* -1 if writing a printed output failed, else 0 */
    struct notes notes; /* remarks that are not written to stderr yet */
    struct export export;
    struct status *status; /* the status line; NULL if the run has none */
    struct live *live;     /* the live screen (-live); NULL if the run has none */
};

/*
 * Prepares the reports of a run of PLAN, which has COUNT jobs; PLAN and JOBS must outlive
 * REPORTS. Opens the status line. Checks that each exported file can be written; earlier
 * files stay unchanged. REPORTS must be all zero, except `file`, which output_file_open
 * may have filled. Returns 0, or -1 with ERROR. report_end must be called in both cases.
 */
int report_begin(struct reports *reports, const struct plan *plan, const struct job *jobs,
                 int count, struct error *error);

/*
 * Destroys the content of earlier files: replaces each exported file by its first
 * version, and empties the file of -output or -record. PLAN must be the plan that
 * report_begin was given. Call it after everything that can refuse the run, and before
 * the first request. Returns 0, or -1 with ERROR.
 */
int report_claim(struct reports *reports, const struct plan *plan, struct error *error);

/* Tells REPORTS the newest NOTE that is written to stderr without them, a line. The live
 * screen, which would hide the note, begins with it. Call it after report_begin, and
 * before the run begins. */
void report_early_note(struct reports *reports, const char *note);

/* Returns the observer through which a run notifies REPORTS, which must outlive the run.
 * Call it after report_begin. */
struct run_observer report_observer(struct reports *reports);

/* Writes the comparison of the jobs. Call it after all summaries are written. Does
 * nothing if there is only one job, unless the job was read by -compare. */
void report_compare(struct reports *reports);

/* Writes the summaries and the comparison of the jobs of -compare, which were read and
 * not run. ROWS are the filled rows of a comparison of these jobs, which must exist until
 * report_end. If ROWS is NULL, each report fills rows itself. */
void report_recorded(struct reports *reports, const struct comparison_row *rows);

/*
 * Writes remarks on the outcomes of COUNT jobs to stderr. In a sweep, also writes why
 * later steps could not begin. Skips jobs that have not begun.
 *
 * Stores in each outcome which output has failed so far, how the summary for people is
 * shown (`legacy_summary`, `limits_printed`), and, by outcome_explain, the answers to the
 * limits. Summaries depend on these answers. So the observer calls this function when a
 * run ends, before the summaries are written; with -compare, the caller must call it
 * before report_recorded.
 */
void report_explain(struct reports *reports, struct job *jobs, int count);

/*
 * Ends the reports. If a run has ended and the observer has not yet handed over the last
 * versions of exported files (`export_pending`), hands them over. Otherwise, as with
 * -compare or after a refused run, the files stay as they are. Waits for the writer of
 * exported files (export_end), closes the printed outputs and frees the memory of
 * REPORTS. Writes failures to stderr that are not reported yet. Stores in OUTCOME the
 * first output that failed, its errno, and whether the writer is stuck.
 *
 * Call it on the supervisor's thread; if the run was refused, on the thread that opened
 * the run (the leader); with -compare, on the reader.
 */
void report_end(struct reports *reports, struct outcome *outcome);

#endif
