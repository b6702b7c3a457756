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
struct job;
struct outcome;
struct run_record;
struct report_format;
struct run_observer;
struct status;

/* One output of a run while the run goes on. The first members are constant. */
struct report {
    const struct report_format *format; /* its functions */
    const struct output *output;        /* its entry in the list of outputs of the plan */
    const struct plan *plan;
    const struct job *jobs;
    int job_count; /* of jobs */
    /* one row for each job, filled; NULL if not compared yet */
    const struct comparison_row *rows;
    /* the same rows if this report has allocated them, else NULL */
    struct comparison_row *owned_rows;
    void *state; /* memory that the format keeps between its functions, or NULL */
    /* the job that the current function of the format is about */
    const struct job *job;
    const struct description *target; /* the target of that job */
    enum phase phase;                 /* the phase that this job is in */
    int stream;               /* of a printed output: the stream for os_stream_write */
    struct export_file *file; /* of an exported output, else NULL */
    /* from one tick to the next, in ns; 0 if there are no ticks */
    int64_t tick_interval;
    /* When the next tick is due, in ns, monotonic; 0 if a whole interval is to begin
     * first. */
    int64_t next_tick_at;
    /* When the current interval of an HDR log began, in ns, monotonic; 0 if not yet
     * known. */
    int64_t interval_began_at;
    /* the monotonic clock, in ns; tests set another */
    int64_t (*monotonic_now)(void);
    /* the wall clock, in ns since 1970; tests set another */
    int64_t (*wall_now)(void);
    struct buffer text; /* the record being made; not written yet */
    /* JSON: the array has an element, so the next one needs a comma */
    bool needs_comma;
    bool is_open; /* `open` was called, unless the format has no `open` */
    /* The output goes to a terminal. Elsewhere the summary for people is that of ioping
     * 1.3, which scripts parse. */
    bool is_terminal;
    int columns;         /* width of the terminal; 80 without a terminal */
    bool has_utf8;       /* text may have UTF-8 characters beyond ASCII */
    bool has_color;      /* text may have colours */
    int error;           /* errno of the first write that failed; 0 if none did */
    bool error_reported; /* the user was informed of that error */
    /* of the report of the status line: what it draws, or NULL if it draws nothing; NULL
     * in other reports */
    struct status *status;
};

/* All outputs of a run. If writing a printed output fails, the run ends, but the other
 * outputs are still completed. A failure to write an exported file does not end the
 * run. */
struct reports {
    struct report list[OUTPUTS_MOST]; /* in the order of the outputs of the plan */
    int report_count;
    /* The report on standard output. If a plot takes all of standard output, the report
     * in the file of -output or -record. */
    const struct report *screen;
    struct output_file file;
    /* The run, or all of a sweep, has ended, and the last versions of exported files are
     * not written yet. */
    bool export_pending;
    bool export_stuck;  /* the writer of exported files is stuck in the kernel */
    int print_status;   /* -1 if writing a printed output failed, else 0 */
    struct notes notes; /* remarks that are not written to stderr yet */
    struct export export;
    struct status *status; /* the status line; NULL if absent */
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
 * Destroys the earlier content of all files of reports that report_begin prepared for
 * PLAN: replaces exported files by their first versions, and empties the file of -output
 * or -record. Call it after everything that can refuse the run, and before the first
 * request. Returns 0, or -1 with ERROR.
 */
int report_claim(struct reports *reports, const struct plan *plan, struct error *error);

/* Returns the observer of a run that writes REPORTS. REPORTS must outlive the run. */
struct run_observer report_observer(struct reports *reports);

/* Writes the comparison of the jobs, after all summaries; does nothing for a single job
 * that was run. */
void report_compare(struct reports *reports);

/* Writes the summaries and the comparison of jobs that were read by -compare, instead of
 * run. ROWS are the filled rows of a comparison of these jobs, which must stay until
 * report_end; NULL if each report is to fill rows itself. */
void report_recorded(struct reports *reports, const struct comparison_row *rows);

/*
 * Writes the remarks on the outcomes of COUNT jobs to stderr, and for a sweep why its
 * later steps could not begin. Skips jobs that have not begun. Comes before the
 * summaries. Stores in each outcome which output has failed so far, as report_end does at
 * the end.
 */
void report_explain(struct reports *reports, struct job *jobs, int count);

/*
 * Ends the reports: writes the last versions of exported files, unless the end of the run
 * has written them, waits for their writer (export_end), closes the printed outputs and
 * frees the memory of REPORTS. Stores in OUTCOME the first output that failed, its errno,
 * and whether the writer is stuck. Writes failures to stderr that are not reported yet.
 * Call it on the supervisor's thread, or on the first thread if there was no run.
 */
void report_end(struct reports *reports, struct outcome *outcome);

#endif
