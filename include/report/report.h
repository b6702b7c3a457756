#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buffer.h"
#include "base/error.h"
#include "report/export.h"
#include "report/status.h"
#include "run/run.h"
#include "stats/stats.h"

#include <stdint.h>

struct report;

/*
 * One way to write things down: each adds to the report's text, which is then
 * flushed as a whole. OPEN, BEGIN, SAMPLE, COMPARE and END may be NULL, for nothing to
 * say. What lies between BEGIN and STEP is about the report's present target.
 */
struct report_format {
    void (*open)(struct report *report);  /* once */
    void (*begin)(struct report *report); /* once for each target */
    void (*sample)(struct report *report, const struct sample *sample);
    void (*period)(struct report *report, const struct stats *stats, int64_t time);
    void (*summary)(struct report *report, const struct stats *stats, int64_t time);
    void (*step)(struct report *report, int64_t value, const struct stats *stats,
                 int64_t time);
    void (*compare)(struct report *report); /* of all jobs, if there are several */
    void (*end)(struct report *report);
    char farewell; /* closes what open opened, see os_signals_closing; or 0 */
};

extern const struct report_format report_human, report_raw, report_json, report_ndjson;

/* What is brought up to date while a run goes on. */
enum report_timer_kind { TIMER_METRICS, TIMER_PLOT, TIMER_STATUS, REPORT_TIMERS };

struct report_timer {
    int64_t every; /* ns; 0: never */
    int64_t due;   /* monotonic; 0: EVERY after the begin of the run */
};

struct report {
    const struct report_format *format;
    const struct plan *plan;
    const struct plan_output *output; /* the plan's */
    enum plan_load load;              /* likewise */
    const struct job *jobs;           /* all targets */
    int count;
    struct buffer *labels;            /* of the human format, one for each job */
    const struct description *target; /* the one that is told of */
    struct buffer *label;             /* likewise */
    int stream;                       /* as os_stream_write has it */
    int64_t (*wall)(void);            /* ns since 1970 */
    struct buffer text;               /* of the record that is being written */
    uint64_t records;                 /* written before it; JSON */
    bool begun;    /* what comes before all records is written, or lost */
    bool terminal; /* it goes to one; else the summary is that of ioping 1.3 */
    int columns;   /* of the terminal, 80 without one */
    bool utf8;     /* it shows UTF-8 */
    bool color;    /* verdicts have colours */
    int error;     /* errno of the first failure of the output */
    struct export export;
    struct status *status; /* the line; NULL: none is wanted */
    struct report_timer timers[REPORT_TIMERS];
};

/*
 * Starts a report on stdout of a run of PLAN, which has COUNT JOBS; both must outlive it.
 * Puts the exported files in place. Returns 0, or -1 with ERROR if that cannot be done.
 * report_end must be called in any case.
 */
int report_begin(struct report *report, const struct plan *plan, const struct job *jobs,
                 int count, struct error *error);

/* The functions that a run calls. */
struct run_observer report_observer(struct report *report);

/* Writes what is to be said of the jobs together, after all summaries. */
void report_compare(struct report *report);

/*
 * Writes what comes after all records and frees the report. Notes in OUTCOME
 * the first failure of the output since report_begin, or that a file that is
 * kept could not be written in the end; and whether summaries were brief.
 */
void report_end(struct report *report, struct outcome *outcome);

/* Adds a raw line (ioping(1), Raw line): ten integers and, if there are several, the
 * target that REPORT tells of. */
void raw_line(struct report *report, const struct stats *stats, int64_t time);

/* Adds the line of interim statistics that a signal asks for, of TARGET; NULL: there are
 * no others. */
void human_interim(struct buffer *text, const char *target, const struct stats *stats);

#endif
