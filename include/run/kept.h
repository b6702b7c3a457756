#ifndef RUN_KEPT_H
#define RUN_KEPT_H

#include "base/buffer.h"
#include "base/error.h"
#include "plan/plan.h"

#include <stddef.h>
#include <stdint.h>

struct job;

/*
 * Kept runs: raw lines (ioping(1), Raw line) of one request each become jobs, which
 * reports and plots show like those of a run. Memory does not grow with the lines.
 */

/* The longest line, bytes without its end: an escaped path has four for each. */
#define KEPT_LINE 32768

/* The name of a row in the eleventh column. */
struct kept_label {
    char *text; /* NULL: the lines of the row have ten columns */
    size_t length;
};

/* All rows so far, and the file that is being read. */
struct kept {
    struct plan plan; /* that of the user, with the names of the rows as targets */
    int files;
    struct job *jobs; /* a row each */
    int count;
    const char *names[TARGETS_MOST]; /* of the rows, once their file is over */
    struct kept_label labels[TARGETS_MOST];

    const char *path;    /* "-": standard input */
    int first;           /* of its rows; those after it are its own */
    int last;            /* the row of the line before; COUNT: there was none */
    uint64_t line;       /* number of the last that was read */
    struct buffer begun; /* a line whose end is yet to come */
};

/* Begins with no rows, for PLAN, whose targets are the files; it must outlive KEPT.
 * Returns 0, or -1 with ERROR without memory. kept_close must be called in any case. */
int kept_open(struct kept *kept, const struct plan *plan, struct error *error);

/* Begins the file PATH, which must outlive KEPT, after the end of the one before. */
void kept_begin(struct kept *kept, const char *path);

/* Returns what messages call the present file: its path, or that it is standard input. */
const char *kept_source(const struct kept *kept);

/*
 * Adds the next SIZE BYTES of the file, which may end anywhere. Returns 0, or -1 with
 * ERROR, which names the file and the line, if a line is none of a single request.
 */
int kept_add(struct kept *kept, const char *bytes, size_t size, struct error *error);

/*
 * Ends the file, whose last line may lack its newline, and names its rows: by the file,
 * or where it has several by the eleventh column. Returns 0, or -1 with ERROR, also if
 * there was no line at all.
 */
int kept_end(struct kept *kept, struct error *error);

/* Completes the rows, after the last file: `jobs` and `count` can be reported. */
void kept_finish(struct kept *kept);

/* Frees the rows. */
void kept_close(struct kept *kept);

#endif
