/*
 * Exported files: each is replaced as a whole, or grows, while a run goes on. Reports
 * make the text. A thread of its own, the writer, writes the text, because a file system
 * may be slow or hang.
 *
 *   supervisor, workers                  writer (write_all)
 *     export_add       first version
 *     export_start  ------------------->  starts, waits
 *     export_write_first     first version
 *                      is written
 *     export_hand_over: next ---------->  text = next; writes text without the lock
 *     export_take_failures <-- unreported --  an error
 *     export_end: ending -------------->  writes the rest
 *        joins         <-- ended -------  ends
 *
 * All members of a file are guarded by one lock, which is not held during a write. The
 * writer touches nothing but its struct export_writer. If a write never returns, that
 * struct is deliberately not freed, because the thread still uses it.
 */
#include "report/export.h"

#include "base/deadlines.h"
#include "base/units.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "os/thread.h"
#include "report/outputs.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Maximum size of the text that waits for one file, in bytes. Lines beyond it are lost,
 * and a larger version is not written; both count as a failure for lack of memory. */
#define WAITING_MOST (16 << 20)

struct export_file {
    const char *path;
    /* of the kind of output (report/outputs.h) */
    const char *magic, *magic_description;
    bool is_growing; /* texts after the first version are added at its end */
    /* first version; a growing file that was moved away begins with it again */
    struct buffer first_version;
    struct buffer next; /* not written yet: the newest version, or lines */
    struct buffer text; /* being written; only the writer uses it then */
    bool has_next;      /* `next` is to be written */
    bool durable;       /* `next` is the last text: it must survive a crash */
    bool is_writing;    /* the writer is writing `text` */
    /* when the oldest text not yet written was handed over, ns, monotonic */
    int64_t handed_over_at;
    int error; /* errno of the latest write; 0 if it succeeded */
    /* errno of a failure that export_take_failures has not taken; 0 if none */
    int unreported;
    bool has_lost_lines; /* lines were lost because memory or WAITING_MOST was exceeded */
};

struct export_writer {
    struct os_thread thread;
    bool started;                /* the thread was started and must be joined */
    struct os_lock *lock;        /* guards the members below */
    struct os_thread supervisor; /* woken when a write fails, and at the end */
    export_write_function *replace, *append;
    struct export_file files[OUTPUTS_MOST]; /* in the order of export_add */
    int file_count;
    bool is_ending; /* nothing is handed over any more */
    /* A file has `unreported`. Set under the lock, read without it. */
    atomic_bool any_unreported;
    atomic_bool has_ended; /* the writer has written everything and ends */
};

/* Stores the result of a write: errno ERROR, or 0. Of several failures in a row only the
 * first is to be reported. */
static void
note_result(struct export_writer *writer, struct export_file *file, int error)
{
    if (error && !file->error) {
        file->unreported = error;
        atomic_store(&writer->any_unreported, true);
        os_thread_wake(&writer->supervisor);
    }
    file->error = error;
}

/* Writes TEXT by the function WRITE, which replaces the file or adds to it. Returns 0, or
 * an errno. */
static int
put(export_write_function *write, const struct export_file *file,
    const struct buffer *text, bool durable)
{
    int status = write(file->path, text->text, text->length, file->magic, durable);

    return status < 0 ? errno : 0;
}

/* Adds MORE to TEXT and frees MORE. Returns 0, or ENOMEM if memory is short or TEXT would
 * be too long; TEXT is unchanged then. */
static int
join(struct buffer *text, struct buffer *more)
{
    bool fits = !more->failed && text->length + more->length <= WAITING_MOST;

    if (fits && more->length)
        buffer_add(text, more->text, more->length);
    fits &= !text->failed;
    text->failed = false;

    buffer_free(more);
    return fits ? 0 : ENOMEM;
}

/* Adds the lines of a growing FILE at its end. If the file does not exist any more,
 * because somebody has moved it away (log rotation), a new one begins with its head.
 * Returns 0, or an errno. */
static int
append(const struct export_file *file, export_write_function *add,
       export_write_function *replace, bool durable)
{
    const struct buffer *text = &file->text;
    struct buffer whole = {0};

    int error = put(add, file, text, durable);
    if (error != ENOENT)
        return error;

    buffer_add(&whole, file->first_version.text, file->first_version.length);
    if (text->length)
        buffer_add(&whole, text->text, text->length);

    error = whole.failed ? ENOMEM : put(replace, file, &whole, durable);
    buffer_free(&whole);
    return error;
}

/* Writes the next text of FILE. Lines that cannot be written are put in front of those
 * that came meanwhile, and wait with them. The lock is held by the caller, and released
 * during the write. */
static void
write_next(struct export_writer *writer, struct export_file *file)
{
    export_write_function *replace = writer->replace, *add = writer->append;
    bool durable = file->durable;

    file->text = file->next;
    file->next = (struct buffer){0};
    file->has_next = false;
    file->is_writing = true;

    os_lock_release(writer->lock);
    int error = file->is_growing ? append(file, add, replace, durable)
                                 : put(replace, file, &file->text, durable);

    os_lock_acquire(writer->lock);

    file->is_writing = false;
    if (error && file->is_growing) {
        file->has_lost_lines |= join(&file->text, &file->next) != 0;
        file->next = file->text;
        file->text = (struct buffer){0};
    }

    buffer_free(&file->text);
    file->handed_over_at = os_clock_now();
    note_result(writer, file, error);
}

/* The writer's thread: writes texts as they are handed over, until the end. Wakes the
 * supervisor before it ends. */
static void *
write_all(void *argument)
{
    struct export_writer *writer = argument;
    bool some = true;

    os_lock_acquire(writer->lock);
    while (some || !writer->is_ending) {
        if (!some)
            os_lock_wait(writer->lock);
        some = false;

        for (int i = 0; i < writer->file_count; i++) {
            if (writer->files[i].has_next) {
                write_next(writer, &writer->files[i]);
                some = true;
            }
        }
    }

    struct os_thread supervisor = writer->supervisor;
    os_lock_release(writer->lock);
    atomic_store(&writer->has_ended, true);
    os_thread_wake(&supervisor);
    return NULL;
}

void
export_begin(struct export *export, const struct plan *plan, const struct job *jobs,
             int count)
{
    *export = (struct export){.plan = plan,
                              .jobs = jobs,
                              .count = count,
                              .replace = os_file_replace,
                              .append = os_file_append};
}

/* Fills ERROR: FILE cannot be written because of errno CODE. Returns -1. */
static int
refuse_file(const struct export_file *file, int code, struct error *error)
{
    if (code == EEXIST)
        return error_set(error, EXIT_PREPARE, file->path,
                         "exists and is not %s; not overwritten",
                         file->magic_description);
    return error_set(error, EXIT_PREPARE, file->path, "%s", strerror(code));
}

/* Makes a writer without files, whose thread is not started. Returns NULL if memory is
 * short. */
static struct export_writer *
make_writer(void)
{
    struct export_writer *writer = calloc(1, sizeof(*writer));

    if (!writer)
        return NULL;

    writer->lock = os_lock_make();
    if (writer->lock)
        return writer;

    free(writer);
    return NULL;
}

struct export_file *
export_add(struct export *export, const struct output *output, struct buffer *text,
           struct error *error)
{
    const struct output_kind *kind = output->kind;

    if (!export->writer)
        export->writer = make_writer();
    if (!export->writer) {
        error_set(error, EXIT_PREPARE, NULL, "not enough memory to write files");
        return NULL;
    }

    struct export_file *file = &export->writer->files[export->writer->file_count++];
    *file = (struct export_file){
        .path = output->path,
        .magic = kind->magic,
        .magic_description = kind->magic_description,
        .is_growing = kind->sink == SINK_GROWING,
        .first_version = *text,
    };
    *text = (struct buffer){0};

    if (file->first_version.failed) {
        refuse_file(file, ENOMEM, error);
        return NULL;
    }

    os_file_clean(file->path, file->magic);
    if (os_file_try(file->path, file->first_version.text, file->first_version.length,
                    file->magic) < 0) {
        refuse_file(file, errno, error);
        return NULL;
    }

    return file;
}

int
export_write_first(struct export *export, struct error *error)
{
    const struct export_writer *writer = export->writer;

    if (!writer)
        return 0;

    for (int i = 0; i < writer->file_count; i++) {
        const struct export_file *file = &writer->files[i];
        int failure = put(export->replace, file, &file->first_version, false);

        if (failure)
            return refuse_file(file, failure, error);
    }

    return 0;
}

int
export_start(struct export *export, struct error *error)
{
    struct export_writer *writer = export->writer;
    if (!writer)
        return 0;

    writer->supervisor = os_thread_self();
    writer->started = os_thread_start(&writer->thread, write_all, writer) == 0;

    return writer->started ? 0
                           : error_set(error, EXIT_PREPARE, NULL,
                                       "cannot start a thread that writes files: %s",
                                       strerror(errno));
}

bool
export_supervise(struct export *export)
{
    struct export_writer *writer = export->writer;
    if (!writer)
        return false;

    os_lock_acquire(writer->lock);
    writer->supervisor = os_thread_self();
    os_lock_release(writer->lock);
    return atomic_load(&writer->any_unreported);
}

void
export_hand_over(struct export *export, struct export_file *file, struct buffer *text,
                 bool durable)
{
    struct export_writer *writer = export->writer;

    os_lock_acquire(writer->lock);
    writer->replace = export->replace;
    writer->append = export->append;

    if (!file->is_growing && !text->failed)
        buffer_free(&file->next);

    int failed = join(&file->next, text);
    if (failed) {
        file->has_lost_lines |= file->is_growing;
        note_result(writer, file, failed);
    } else {
        file->durable = durable;
        if (!file->has_next && !file->is_writing)
            file->handed_over_at = os_clock_now();
        file->has_next = true;
        os_lock_notify(writer->lock);
    }

    os_lock_release(writer->lock);
}

void
export_take_failures(struct export *export, struct notes *notes)
{
    struct export_writer *writer = export->writer;

    if (!writer || !atomic_load(&writer->any_unreported))
        return;

    os_lock_acquire(writer->lock);
    for (int i = 0; i < writer->file_count; i++) {
        struct export_file *file = &writer->files[i];
        if (file->unreported)
            notes_add(notes, file->path, "%s", strerror(file->unreported));
        file->unreported = 0;
    }

    atomic_store(&writer->any_unreported, false);
    os_lock_release(writer->lock);
}

/* Returns true if a request has no answer. The writer may then be waiting for the same
 * device, and further waiting is hopeless. */
static bool
has_unanswered(const struct export *export)
{
    for (int i = 0; i < export->count; i++)
        if (export->jobs[i].in_flight.count || export->jobs[i].outcome.is_stuck)
            return true;
    return false;
}

/* Returns until when to wait, at most, for a writer whose oldest text was handed over at
 * SINCE. The wait began at BEGAN. All are ns, monotonic. */
static int64_t
limit_of(const struct export *export, int64_t since, int64_t began)
{
    const struct plan *plan = export->plan;
    int64_t patience =
        plan->end.timeout < INT64_MAX ? plan->end.timeout : plan->end.grace;
    int64_t limit = time_add(since, patience);

    if (limit < began + DEADLINE_GRACE || has_unanswered(export))
        limit = began + DEADLINE_GRACE;

    if (export->stopped_at)
        limit = time_earlier(limit, export->stopped_at + DEADLINE_GRACE);

    return time_later(limit, began + DEADLINE_GRACE_LEAST);
}

/* Waits until the writer has ended. Its oldest text was handed over at SINCE, ns,
 * monotonic. Returns false if the time limit was over first. */
static bool
wait_for_end(struct export *export, int64_t since)
{
    const struct export_writer *writer = export->writer;
    int64_t began = os_clock_now();
    int64_t now = began;

    while (!atomic_load(&writer->has_ended)) {
        /* Time in which the process was stopped (Ctrl-Z) does not count. */
        began = time_later(began, os_signals_resumed());
        since = time_later(since, os_process_resumed());

        if (os_signals_stop() && !export->stopped_at)
            export->stopped_at = now;

        int64_t limit = limit_of(export, since, began);
        if (now >= limit)
            return false;

        os_signals_wait(limit, &writer->has_ended);
        now = os_clock_now();
    }

    return true;
}

/* Adds the texts that are not written to NOTES, and stores them as a failure in EXPORT.
 * Returns false if the writer has written everything meanwhile. */
static bool
drop_unwritten(struct export *export, struct notes *notes)
{
    const struct export_writer *writer = export->writer;
    char text[UNITS_TEXT];
    int64_t now = os_clock_now();

    export_take_failures(export, notes);
    os_lock_acquire(writer->lock);
    /* Backwards, so that the first file that failed is stored in the end. */
    for (int i = writer->file_count; i-- > 0;) {
        const struct export_file *file = &writer->files[i];
        if (!file->has_next && !file->is_writing)
            continue;

        notes_add(notes, file->path, "still not written after %s; given up",
                  units_format(UNITS_TIME, now - file->handed_over_at, text));
        export->failed = file->path;
        export->error_number = ETIMEDOUT;
    }

    os_lock_release(writer->lock);
    return export->error_number != 0;
}

bool
export_end(struct export *export, struct notes *notes)
{
    struct export_writer *writer = export->writer;
    /* when the oldest unwritten text was handed over; 0 if all is written */
    int64_t since = 0;

    if (!writer)
        return true;

    export->failed = NULL;
    export->error_number = 0;
    os_lock_acquire(writer->lock);
    writer->supervisor = os_thread_self();
    writer->is_ending = true;
    for (int i = 0; i < writer->file_count; i++) {
        const struct export_file *file = &writer->files[i];
        if ((file->has_next || file->is_writing) &&
            (!since || file->handed_over_at < since))
            since = file->handed_over_at;
    }

    os_lock_notify(writer->lock);
    os_lock_release(writer->lock);

    if (since && !wait_for_end(export, since) && drop_unwritten(export, notes))
        return false;

    if (writer->started)
        os_thread_join(&writer->thread);
    export_take_failures(export, notes);

    for (int i = 0; i < writer->file_count; i++) {
        struct export_file *file = &writer->files[i];
        int error = file->error;

        if (!error && file->has_lost_lines)
            error = ENOMEM;

        if (error && !export->error_number) {
            export->failed = file->path;
            export->error_number = error;
        }

        buffer_free(&file->first_version);
        buffer_free(&file->next);
    }

    os_lock_free(writer->lock);
    free(writer);
    export->writer = NULL;
    return true;
}
