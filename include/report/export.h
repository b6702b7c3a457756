#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct export_file;
struct export_writer;
struct job;
struct notes;
struct output;
struct plan;

/* The type of os_file_replace and os_file_append (os/output.h). */
typedef int export_write_function(const char *path, const char *bytes, size_t size,
                                  const char *start, bool durable);

/*
 * The files that outputs write while a run goes on. There are two kinds: a file that is
 * replaced as a whole by each new version, such as Prometheus metrics or a plot, and a
 * file that grows by lines at its end, such as an HDR log.
 *
 * The first version of each file is written before the first request, and is complete.
 * Later versions and lines are written by a separate thread, the writer. If several
 * versions of a replaced file wait for the writer, only the newest is written. Lines for
 * a growing file are all written. Lines that could not be written are written again,
 * together with the next lines. A version that could not be written is lost; the next one
 * takes its place.
 *
 * The supervisor's thread never waits for the writer, except in export_end.
 */
struct export
{
    const struct plan *plan;
    const struct job *jobs;
    int job_count;
    /* when a signal first asked to stop, ns, monotonic; 0 if no signal did */
    int64_t stopped_at;
    /* os_file_replace and os_file_append; a test replaces them */
    export_write_function *replace, *append;
    struct export_writer *writer; /* NULL without files, and after export_end */
    /* Set by export_end: the first file, in the order of export_add, whose latest content
     * could not be written, and the errno of the failure. NULL and 0 if all files were
     * written. */
    const char *failed_path;
    int error_number;
};

/* Prepares EXPORT for the files of PLAN, whose run has COUNT jobs. PLAN and JOBS must
 * outlive EXPORT. */
void export_begin(struct export *export, const struct plan *plan, const struct job *jobs,
                  int count);

/*
 * Adds the file of OUTPUT. Takes TEXT, and its memory, as the first version of the file,
 * or as the head of a growing file. Checks that the file can be written by writing TEXT
 * beside it; an earlier file at the path stays unchanged until export_write_first.
 * Returns the file, which exists until export_end returns true. Returns NULL with ERROR
 * if the file cannot be written. export_end must be called in both cases.
 */
struct export_file *export_add(struct export *export, const struct output *output,
                               struct buffer *text, struct error *error);

/* Starts the writer's thread; does nothing without files. Returns 0, or -1 with ERROR. */
int export_start(struct export *export, struct error *error);

/* Replaces all earlier files by the first versions. Must come before export_hand_over.
 * Returns 0, or -1 with ERROR; in case of failure, the files that were added before the
 * failed one are already replaced. */
int export_write_first(struct export *export, struct error *error);

/* Registers the calling thread, the supervisor: from now on, the writer wakes this thread
 * when a file cannot be written. */
void export_supervise(struct export *export);

/* Returns true if there is a failure that export_take_failures has not taken yet. */
bool export_has_failures(const struct export *export);

/* Hands TEXT, and its memory, to the writer: as the next version of FILE, or as lines for
 * the end of a growing file. If DURABLE, this is the last text, and it must survive a
 * crash of the system. Any thread may call it. Returns without waiting for the file. */
void export_hand_over(struct export *export, struct export_file *file,
                      struct buffer *text, bool durable);

/* Adds to NOTES which files could not be written, and why. A file whose writes go on
 * failing is noted once, until one of its writes succeeds. */
void export_take_failures(struct export *export, struct notes *notes);

/*
 * Waits until all texts that were handed over are written, ends the writer's thread and
 * frees its memory. Stores the first failure in `failed_path` and `error_number`. Adds
 * the failures that export_take_failures has not taken yet to NOTES.
 *
 * The wait has a limit. Normally, the limit is reached when the oldest text has waited as
 * long as the timeout of the plan or, if the plan has no timeout, as long as its grace
 * time. Normally, the limit is also at least DEADLINE_GRACE after the start of the wait.
 * There are two exceptions:
 * - If a request has no answer, the limit is DEADLINE_GRACE after the start of the wait.
 * - If a signal has asked to stop, the limit is at most DEADLINE_GRACE after the signal.
 * In every case, the limit is at least DEADLINE_GRACE_MIN after the start of the wait.
 *
 * Returns true if the thread has ended. Returns false if the limit was reached first.
 * Then NOTES has a line for each file with a text that is not written, and the stored
 * error number is ETIMEDOUT. The thread is stuck in the kernel, so its memory stays
 * allocated until the program ends. A second call waits again.
 */
bool export_end(struct export *export, struct notes *notes);

#endif
