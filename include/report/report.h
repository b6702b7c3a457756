#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buffer.h"
#include "base/error.h"
#include "plan/description.h"
#include "plan/outcome.h"
#include "plan/plan.h"
#include "probe/run.h"
#include "stats/stats.h"

#include <stdint.h>

struct report;

/*
 * One way to write things down: each adds to the report's text, which is then
 * flushed as a whole. BEGIN, SAMPLE and END may be NULL, for nothing to say.
 */
struct report_format {
    void (*begin)(struct report *report);
    void (*sample)(struct report *report, const struct sample *sample);
    void (*period)(struct report *report, const struct stats *stats, int64_t time);
    void (*summary)(struct report *report, const struct stats *stats, int64_t time);
    void (*step)(struct report *report, int64_t value, const struct stats *stats,
                 int64_t time);
    void (*end)(struct report *report);
    char farewell; /* closes what begin opened, see os_signals_farewell; or 0 */
};

extern const struct report_format report_human, report_raw, report_json, report_ndjson;

struct report {
    const struct report_format *format;
    const struct description *target;
    const struct plan *plan;
    const struct plan_output *output; /* the plan's */
    enum plan_load load;              /* likewise */
    int stream;                       /* as os_stream_write has it */
    int64_t (*wall)(void);            /* ns since 1970 */
    struct buffer text;               /* of the record that is being written */
    struct buffer label;              /* of the target, in the human format */
    uint64_t records;                 /* written before it; JSON */
    bool begun;     /* what comes before all records is written, or lost */
    int columns;    /* of the terminal, 80 without one */
    bool utf8;      /* it shows UTF-8 */
    int error;      /* errno of the first failure of the output */
    int keep_error; /* errno if the file that is kept is not up to date */
};

/*
 * Starts a report of a run of PLAN on TARGET, both of which must outlive it, on
 * stdout. Puts the file of -prometheus in place. Returns 0, or -1 with ERROR if
 * that cannot be done. report_end must be called in any case.
 */
int report_begin(struct report *report, const struct plan *plan,
                 const struct description *target, struct error *error);

/* The functions that a run calls. */
struct run_observer report_observer(struct report *report);

/*
 * Writes what comes after all records and frees the report. Notes in OUTCOME
 * the first failure of the output since report_begin, or that the file that is
 * kept could not be written in the end.
 */
void report_end(struct report *report, struct outcome *outcome);

/* Adds the ten integers of a raw line (ioping(1), Raw line) and a newline. */
void raw_line(struct buffer *text, const struct stats *stats, int64_t time);

/* Adds the line of interim statistics that a signal asks for. */
void human_interim(struct buffer *text, const struct stats *stats);

#endif
