#ifndef REPORT_OUTPUTS_H
#define REPORT_OUTPUTS_H

#include "base/error.h"
#include "cli/options.h"
#include "run/run.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The table of outputs: a row for each kind of what a run prints or keeps. The plan has a
 * list of those that a command line asks for; all else about a kind is its row, and the
 * functions in a file of its own.
 */

struct report;

/*
 * The functions of an output: each adds to the report's text, which is then flushed as a
 * whole; NULL: nothing is added. Those from BEGIN to RECORDS are about the report's
 * current target.
 */
struct report_format {
    void (*open)(struct report *report);  /* once */
    void (*begin)(struct report *report); /* once for each target */
    void (*sample)(struct report *report, const struct sample *sample);
    void (*records[RECORDS])(struct report *report, const struct run_record *record);

    /* On the supervisor's thread: a part of JOB begins; the interval, or the LAST, of
     * JOBS has ended at NOW, ns, monotonic. An output has either these or those that any
     * thread calls. */
    void (*part)(struct report *report, const struct job *job,
                 const struct run_part *part);
    void (*tick)(struct report *report, const struct job *jobs, int count, int64_t now,
                 bool last);
    void (*close)(struct report *report); /* frees what OPEN took */
    char closing; /* closes the output of OPEN, with a newline; 0: nothing does */
};

/* Where the text of an output goes. */
enum output_goes {
    OUTPUT_STREAM,   /* to standard output, or to the file of -output in its place */
    OUTPUT_REPLACED, /* to a file that is replaced as a whole by each tick */
    OUTPUT_GROWING,  /* to a file, at its end; the text of OPEN is its head */
    OUTPUT_LAST, /* to standard output instead of lines for people, by the last tick */
    OUTPUT_TERMINAL, /* nowhere: a tick draws on the terminal by itself */
};

/* A kind of output. */
struct output_kind {
    /* Asks for it, that of a file by its path; or keeps CHOSEN from being asked. */
    enum option_id option;
    int min_given; /* so often it is to be given for a stream; the last such row is
                      printed */
    enum output_goes sink;
    const struct report_format *format;
    /* Decides where no option asks for it; the streams of the plan are known. */
    bool (*enabled_by_default)(const struct plan *plan);

    bool for_people;            /* they read it */
    bool summary_after_periods; /* it has the summary even if it has periods and no
                                   requests */
    bool emit_partial_period; /* what is left of a period when all has ended is one too */
    bool uses_print_interval; /* -P is its interval where -every is not given */
    int64_t default_interval; /* ns from one period, or tick, to the next if no option
                                 says so */
    bool needs_track;         /* it needs tracks of the run (stats/track.h) */
    bool needs_names;         /* and the names of targets before the first request */

    /* Of a file: its first bytes, and what it is if it has them. */
    const char *magic, *magic_description;

    /* What is printed: says ERROR to the caller; and of COUNT JOBS that have ended the
     * answer that a caller waits for whose plug-in this is; NULL: none does. Both return
     * the exit status of the program. */
    int (*refuse)(const struct error *error);
    int (*answer)(const struct job *jobs, int count);
    const char *early_exit_line; /* the line, if it ends before that; NULL: none */
    int early_exit_status;       /* the status then, and after -h and -v */
};

extern const struct output_kind output_kinds[];
extern const int output_kind_count;

/* The functions of each, in the file of its name. */
extern const struct report_format report_human, report_raw, report_json, report_ndjson,
    report_influx, report_check, report_prometheus, report_hdr, report_status;

/*
 * Fills the outputs of PLAN, which is made but for them, as OPTIONS ask for. Returns 0,
 * or -1 with ERROR when a file of one is another of the run.
 */
int outputs_plan(const struct options *options, struct plan *plan, struct error *error);

/* Returns the row that is printed, whose caller has to hear of an error, by the words
 * of a command line that may be wrong. That of a plan is the first of its outputs. */
const struct output_kind *outputs_find(int argc, char *const argv[]);

#endif
