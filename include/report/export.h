#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct export_writer;
struct job;
struct plan;
struct status;

/* Like os_file_replace and os_file_append. */
typedef int export_write_function(const char *path, const char *bytes, size_t size,
                                  const char *start, bool durable);

/*
 * The files that outputs keep while a run goes on: some are replaced again and again,
 * others get lines at their end. Each exists, whole, before the first request. What
 * follows is written by a thread of their own: of versions only the newest of those that
 * wait, of lines all; those that cannot be written now are tried again with the next. The
 * supervisor's thread waits in export_end alone.
 */
struct export
{
    const struct plan *plan;
    const struct job *jobs;
    int count;
    struct status *status; /* the status line; NULL: none */
    int64_t stopped_at;    /* when a signal asked to stop, monotonic; 0: not yet */
    export_write_function *replace, *append; /* os_file_replace, os_file_append */
    struct export_writer *writer; /* NULL: there are no files, or export_end is done */
    const char *failed;           /* the file whose last version could not be written */
    int error_number;             /* its errno; 0: there is none */
};

/* Prepares for the files of the outputs of PLAN, which has COUNT JOBS; these must stay,
 * and STATUS, which is erased while a note is written; NULL: there is none. */
void export_begin(struct export *export, const struct plan *plan, const struct job *jobs,
                  int count, struct status *status);

/* Takes TEXT, and its memory, for the first version of the file of output INDEX of the
 * plan, and tries to write it beside an earlier file, which stays as it is. Returns 0, or
 * -1 with ERROR. export_end must be called in any case. */
int export_add(struct export *export, int index, struct buffer *text,
               struct error *error);

/* Starts the thread, if there are files. Returns 0, or -1 with ERROR. */
int export_start(struct export *export, struct error *error);

/* Replaces all earlier files by the first versions, before anything is handed over.
 * Returns 0, or -1 with ERROR; then the files of the outputs before are replaced. */
int export_first(struct export *export, struct error *error);

/* The calling thread hears of failures from now on. Returns true if export_report is to
 * say that a file could not be written. */
bool export_supervise(struct export *export);

/* Hands over TEXT, and its memory: the next version of the file of output INDEX, or
 * lines for its end. Any thread. DURABLE: it is the last. */
void export_hand_over(struct export *export, int index, struct buffer *text,
                      bool durable);

/* Notes on stderr what could not be written, but not again while that lasts. */
void export_report(struct export *export);

/*
 * Waits until all that was handed over is written, and ends the thread; but not longer
 * than the plan gives a request without answer, and than DEADLINE_GRACE once a signal has
 * asked to stop or if a request has no answer. What is not written then has failed
 * with ETIMEDOUT, and the thread with what it writes must stay in memory until the
 * program ends; a second call waits again. Returns whether it has ended.
 */
bool export_end(struct export *export);

#endif
