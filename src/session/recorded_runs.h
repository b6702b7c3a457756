#ifndef SESSION_RECORDED_RUNS_H
#define SESSION_RECORDED_RUNS_H

#include "base/error.h"
#include "recorded_rows.h"

#include <stddef.h>

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

/*
 * Adds the next bytes of the present file: SIZE bytes at BYTES, which may end in the
 * middle of a line. Returns 0, or -1 with ERROR in these cases:
 * - A line is not what its format demands, or a sum over all lines of its row becomes too
 *   large. ERROR names the file and the line.
 * - There are more than TARGETS_MAX rows. ERROR names the file and the line.
 * - There is not enough memory.
 */
int recorded_runs_add(struct recorded_runs *runs, const char *bytes, size_t size,
                      struct error *error);

/*
 * Ends the present file, whose last line may lack its newline, and names its rows. A
 * single row gets the path of the file as its name. Several rows get the names in their
 * lines, after the path of the file if there are several files. Returns 0, or -1 with
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
