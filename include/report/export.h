#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct export_writer;
struct hdr_log;
struct job;
struct plan;
struct status;

/* Like os_file_replace and os_file_append. */
typedef int export_write_function(const char *path, const char *bytes, size_t size,
                                  const char *start, bool durable);

/*
 * The files that are written while a run goes on: metrics and a plot, which are replaced
 * again and again, and a log, which gets lines at its end. Each exists, whole, before the
 * first request. What follows is written by a thread of their own: of versions only the
 * newest of those that wait, of lines all; those that cannot be written now are tried
 * again with the next. All functions but export_begin are for the supervisor's thread,
 * which waits in export_end alone.
 */
struct export
{
    const struct plan *plan;
    const struct job *jobs;
    int count;
    struct status *status; /* the status line; NULL: none */
    int64_t stopped;       /* when a signal asked to stop, monotonic; 0: not yet */
    int64_t (*wall)(void); /* ns since 1970 */
    export_write_function *replace, *append; /* os_file_replace, os_file_append */
    struct hdr_log *log;                     /* NULL: there is none */
    struct export_writer *writer; /* NULL: there are no files, or export_end is done */
    const char *failed;           /* the file whose last version could not be written */
    int error;                    /* its errno; 0: there is none */
};

/*
 * Writes the files that PLAN names, without a request, for COUNT jobs; these must stay,
 * and STATUS, which is erased while a note is written; NULL: there is none. Then starts
 * the thread. Returns 0, or -1 with ERROR. export_end must be called in any case.
 */
int export_begin(struct export *export, const struct plan *plan, const struct job *jobs,
                 int count, struct status *status, struct error *error);

/* Hands over the metrics as they are at NOW, monotonic ns. */
void export_metrics(struct export *export, int64_t now);

/* Hands over the plot. */
void export_plot(struct export *export);

/* Hands over LINES of the log and their memory, at NOW, monotonic ns. */
void export_lines(struct export *export, struct buffer *lines, int64_t now);

/* Hands over the last version, as it is at NOW, of all. These are made durable. */
void export_last(struct export *export, int64_t now);

/* Returns true if a file could not be written and export_tell is to say so. */
bool export_has_news(const struct export *export);

/* Notes on stderr what could not be written, but not again while that lasts. */
void export_tell(struct export *export);

/*
 * Waits until all that was handed over is written, and ends the thread; but not longer
 * than the plan gives a request without answer, and than DEADLINE_GRACE once a signal has
 * asked to stop or if a request has no answer. What is not written then has failed
 * with ETIMEDOUT, and the thread with what it writes must stay in memory until the
 * program ends; a second call waits again. Returns whether it has ended.
 */
bool export_end(struct export *export);

#endif
