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
 * Recorded runs: files of raw lines (ioping-output(5)) in which each line is about one
 * request. They become jobs, which reports and plots show like the jobs of a run. Memory
 * use does not depend on the number of lines.
 *
 * Each job is a row of the comparison. If the lines of a file name a target or phase in
 * their eleventh column, the file has one row for each name. If its lines have only ten
 * columns, it has one row.
 */

/* Length of the longest line that is accepted, in bytes without its newline. Raw lines
 * show the path of a target with control characters escaped, so a byte of the path may
 * take up to four bytes. Any path fits nevertheless. */
#define RECORDED_LINE 32768

/* All rows so far, and the state of the file that is being read. */
struct recorded_runs {
    /* Copy of the user's plan, but its targets are the rows. Until recorded_runs_finish,
     * `target_count` of this plan is TARGETS_MAX, because the number of rows is not
     * known. */
    struct plan plan;
    int file_count;   /* number of files, as the user's plan names them */
    struct job *jobs; /* one per row */
    int row_count;    /* number of rows so far */
    /* Names of the rows. The end of a file sets the names of its rows. */
    const char *row_names[TARGETS_MAX];
    char *labels[TARGETS_MAX]; /* by row: the eleventh column of its lines; empty if its
                                * lines have ten columns */

    const char *path;           /* path of the present file; "-" is standard input */
    int first_row;              /* index of the first row of the present file */
    uint64_t line_number;       /* number of the last line that was read, from 1; 0 before
                                 * the first line of the present file */
    struct buffer partial_line; /* beginning of a line whose end is not read yet */
};

/*
 * Prepares RUNS for PLAN, whose targets are the paths of the files. No file is read yet.
 * PLAN must outlive RUNS. Returns 0, or -1 with ERROR if there is not enough memory. In
 * both cases the caller must call recorded_runs_close.
 */
int recorded_runs_open(struct recorded_runs *runs, const struct plan *plan,
                       struct error *error);

/*
 * Starts a new file, after the end of the file before. PATH is its path, or "-" for
 * standard input, and must outlive RUNS.
 */
void recorded_runs_begin(struct recorded_runs *runs, const char *path);

/* Returns the name of the present file for messages: its path, or "standard input". */
const char *recorded_runs_source(const struct recorded_runs *runs);

/*
 * Adds the next bytes of the present file: SIZE bytes at BYTES, which may end in the
 * middle of a line. Returns 0, or -1 with ERROR in these cases:
 * - A line is not a raw line of at most one request, or a sum over all lines of its row
 *   becomes too large. ERROR names the file and the line.
 * - There are more than TARGETS_MAX rows. ERROR names the file and the line.
 * - There is not enough memory.
 */
int recorded_runs_add(struct recorded_runs *runs, const char *bytes, size_t size,
                      struct error *error);

/*
 * Ends the present file, whose last line may lack its newline, and names its rows. A
 * single row gets the path of the file as its name. Several rows get their eleventh
 * column, after the path of the file if there are several files. Returns 0, or -1 with
 * ERROR if the last line is wrong, the file is empty, or there is not enough memory.
 */
int recorded_runs_end(struct recorded_runs *runs, struct error *error);

/*
 * Completes the rows after the end of the last file. From then on `jobs` and `row_count`
 * can be given to reports.
 */
void recorded_runs_finish(struct recorded_runs *runs);

/* Frees everything that RUNS owns, including its jobs. */
void recorded_runs_close(struct recorded_runs *runs);

#endif
