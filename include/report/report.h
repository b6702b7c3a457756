#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buffer.h"
#include "base/error.h"
#include "plan/plan.h"
#include "report/export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comparison_row;
struct description;
struct interval;
struct job;
struct outcome;
struct run_record;
struct report_format;
struct run_observer;
struct status;

/* One output of a run at work. */
struct report {
    const struct report_format *format;
    const struct output *output; /* of the plan: its own */
    const struct plan *plan;
    const struct job *jobs;
    int count;
    const struct comparison_row *rows; /* of the jobs, filled; NULL: not yet */
    struct comparison_row *owned_rows; /* the same, if it has filled them itself */
    void *state;                       /* what the format keeps */
    const struct job *job;             /* the current one */
    const struct description *target;  /* its target */
    enum phase phase;                  /* that it is in */
    int stream;                        /* of os_stream_write, if it goes to one */
    int64_t tick_interval; /* ns from one tick to the next; 0: there is none */
    int64_t next_tick_at;  /* of the next, monotonic; 0: an interval after the begin */
    int64_t interval_began_at; /* the interval of a log, monotonic; 0: there is none */
    int64_t (*monotonic_now)(void); /* monotonic, ns */
    int64_t (*wall_now)(void);      /* ns since 1970 */
    struct buffer text;             /* of the current record */
    bool needs_comma;               /* another in the array: JSON */
    bool is_open;                   /* OPEN was called */
    bool terminal; /* the output goes to one; else the summary is that of ioping 1.3 */
    int columns;   /* of the terminal, 80 without one */
    bool utf8;     /* the terminal shows UTF-8 */
    bool color;    /* verdicts have colours */
    int error;     /* errno of the first failure of the output */
    bool error_reported;   /* the user knows of that */
    struct status *status; /* the status line, which it must not write over; or NULL */
};

/* All outputs of a run. A report that is printed and fails ends the run, and the
 * others go on to its end. */
struct reports {
    struct report list[OUTPUTS_MOST]; /* as the outputs of the plan */
    int count;
    const struct report *screen; /* on standard output; if a plot is there, in the file */
    int file_stream;             /* a stream, which the first goes to; 0: there is none */
    bool file_is_new;            /* its file was not there before */
    bool export_pending; /* a run, or a sweep, has come to its end, and exported files
                            have not */
    bool export_stuck;   /* the thread that writes these is */
    int has_failed;      /* -1: one that is printed has an error; else 0 */
    struct notes notes;  /* on the end */
    struct export export;
    struct status *status; /* the status line; NULL: none */
};

/* Stores the names of the files that reports of PLAN go to in TEXT of SIZE bytes, with
 * "or" between them; an empty text if there are none. */
void report_files(const struct plan *plan, char *text, size_t size);

/* Opens the file of -output, if PLAN has one, which may take any time; what it has stays.
 * REPORTS is all zero. Returns 0, or -1 with ERROR. */
int report_open(struct reports *reports, const struct plan *plan, struct error *error);

/* Removes that file, if report_open has made it and it is empty: nothing has begun. */
void report_discard(const struct reports *reports, const struct plan *plan);

/* Checks that this file of PLAN is not the working file that TARGET, the plan of a target
 * that is not yet open, keeps: the opening would fill it. Changes nothing. Returns 0, or
 * -1 with ERROR. */
int report_check_working_file(const struct reports *reports, const struct plan *plan,
                              const struct plan *target, struct error *error);

/* Checks that this file is neither a target of JOBS, which are open, nor another file of
 * PLAN. Changes nothing. Returns 0, or -1 with ERROR. */
int report_check_files(const struct reports *reports, const struct plan *plan,
                       const struct job *jobs, struct error *error);

/*
 * Prepares the reports of a run of PLAN, which has COUNT JOBS; both must outlive them:
 * one on stdout, or in the file of -output and another for people on stdout. REPORTS is
 * all zero but for that file. Tries to write the exported files; earlier ones stay as
 * they are. Returns 0, or -1 with ERROR. report_end must be called in any case.
 */
int report_begin(struct reports *reports, const struct plan *plan, const struct job *jobs,
                 int count, struct error *error);

/*
 * Claims the files of reports that report_begin has prepared for PLAN: replaces earlier
 * exported files by their first versions, and empties the file of -output. It comes after
 * all that may refuse the run, since what these files had is lost, and before the first
 * request. Returns 0, or -1 with ERROR.
 */
int report_claim(struct reports *reports, const struct plan *plan, struct error *error);

/* Returns the functions that a run calls; REPORTS must outlive it. */
struct run_observer report_observer(struct reports *reports);

/* Writes the comparison of the jobs, after all summaries. */
void report_compare(struct reports *reports);

/* Writes the records and the comparison of jobs that were not run but read. ROWS of them
 * are filled and must stay until report_end; NULL: each report fills its own. */
void report_recorded(struct reports *reports, const struct comparison_row *rows);

/* Returns rows of COUNT JOBS that have ended, compared by comparison_fill; the caller
 * frees them. NULL without memory. */
struct comparison_row *comparison_make(const struct job *jobs, int count,
                                       const struct slos *slos, bool ranked);

#define COMPARISON_TEXT 56

/*
 * Writes a RATIO into CHANGE, a change in percent or a factor, and its bounds in the same
 * way into TEXT, both of COMPARISON_TEXT bytes: "+18.8 %" and "(+9.2..+27)", or "18.8x"
 * and "(12.1x..29.9x)"; "(+12..)" has no upper bound, and "(?)" are not known.
 */
void comparison_describe(double ratio, const struct interval *bounds, char *change,
                         char *text);

/*
 * Writes to stderr what there is to say of the outcomes of COUNT JOBS that have begun,
 * and why their later steps could not begin: before the summaries. Stores in each outcome
 * what report_end does, as far as it is known by then.
 */
void report_explain(struct reports *reports, struct job *jobs, int count);

/*
 * Closes the outputs and frees the reports, after the last version of the exported files
 * (export_end), unless the end of the run wrote that. Stores in OUTCOME the first failure
 * of an output, and whether a thread is stuck in one; says on stderr what was not said
 * before. On the supervisor's thread, or the first one if there was no run.
 */
void report_end(struct reports *reports, struct outcome *outcome);

/* Adds a raw line (ioping-output(5)): the value of a step, ten integers and, among
 * several targets, the current one, or with phases the name of the current one. */
void raw_line(struct report *report, const struct run_record *record);

/* Adds the line of interim statistics that a signal asks for. TARGET is NULL if it is the
 * only one. */
void human_interim(struct buffer *text, const char *target, const struct stats *stats);

#endif
