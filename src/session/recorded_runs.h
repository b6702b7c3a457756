#ifndef SESSION_RECORDED_RUNS_H
#define SESSION_RECORDED_RUNS_H

#include "base/buffer.h"
#include "base/error.h"
#include "cli/options.h"
#include "plan/plan.h"

#include <stddef.h>
#include <stdint.h>

struct job;

/*
 * Recorded runs: raw lines (ioping-output(5)) of one request each become jobs, which
 * reports and plots show like those of a run. Memory does not grow with the lines.
 */

/* The longest line, bytes without its end: an escaped path has four for each. */
#define RECORDED_LINE 32768

/* All rows so far, and the file that is being read. */
struct recorded_runs {
    struct plan plan; /* a copy of the user's plan, with the rows as targets */
    int files;
    struct job *jobs; /* a row each */
    int count;
    const char *names[TARGETS_MOST]; /* of the rows, once their file is over */
    char *labels[TARGETS_MOST]; /* in the eleventh column; empty: their lines have ten */

    const char *path;    /* "-": standard input */
    int first;           /* of its rows; those after it are its own */
    uint64_t line;       /* number of the last that was read */
    struct buffer begun; /* a line whose end is yet to come */
};

/* Begins with no rows, for PLAN, whose targets are the files; it must outlive RUNS.
 * Returns 0, or -1 with ERROR without memory. recorded_runs_close must be called in any
 * case. */
int recorded_runs_open(struct recorded_runs *runs, const struct plan *plan,
                       struct error *error);

/* Begins the file PATH, which must outlive RUNS, after the end of the one before. */
void recorded_runs_begin(struct recorded_runs *runs, const char *path);

/* Returns the name of the present file for messages: its path, or "standard input". */
const char *recorded_runs_source(const struct recorded_runs *runs);

/*
 * Adds the next SIZE BYTES of the file, which may end anywhere. Returns 0, or -1 with
 * ERROR, which names the file and the line, if a line is none of a single request.
 */
int recorded_runs_add(struct recorded_runs *runs, const char *bytes, size_t size,
                      struct error *error);

/*
 * Ends the file, whose last line may lack its newline, and names its rows: by the file,
 * or where it has several by the eleventh column. Returns 0, or -1 with ERROR, also if
 * there was no line at all.
 */
int recorded_runs_end(struct recorded_runs *runs, struct error *error);

/* Completes the rows, after the last file: `jobs` and `count` can be reported. */
void recorded_runs_finish(struct recorded_runs *runs);

/* Frees the rows. */
void recorded_runs_close(struct recorded_runs *runs);

#endif
