/*
 * Exported files: each is replaced as a whole, or grows, while a run goes on. Reports
 * make the text; a thread of its own writes that, since a file system may take its time,
 * or hang. The thread touches nothing but its struct export_writer, which stays in memory
 * if it does not come back.
 */
#include "report/export.h"

#include "base/deadlines.h"
#include "base/units.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "os/thread.h"
#include "report/outputs.h"
#include "status.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Lines that wait are no more bytes than that; later ones are lost. */
#define WAITING_MOST (16 << 20)

struct export_file {
    const char *path, *start; /* of the output and its kind; NULL: it has no file */
    bool grows;               /* what follows the first version is added to it */
    struct buffer first;      /* its first version, if it grows; constant */
    struct buffer next;       /* the newest version, or lines, which is not written */
    struct buffer text;       /* the one that is being written */
    bool waits;               /* there is one */
    bool durable;             /* it is to be */
    bool writing;             /* another, older one is being written */
    int64_t since;  /* the oldest of these was handed over then, ns, monotonic */
    int error;      /* errno of the latest writing; 0: it succeeded */
    int unreported; /* errno of a failure that nobody knows of; 0: none */
    bool lost;      /* lines were, for want of memory */
};

struct export_writer {
    struct os_thread thread;
    bool started;                /* the thread is */
    struct os_lock *lock;        /* of all that follows */
    struct os_thread supervisor; /* that has to hear of a failure, and of the end */
    export_write_function *replace, *append;
    struct export_file files[OUTPUTS_MOST]; /* as the outputs of the plan */
    bool ending;                            /* no more versions are to come */
    atomic_bool any_unreported; /* a file has `unreported`; changed under the lock */
    atomic_bool ended;          /* and all are written */
};

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

/* Writes TEXT to or in place of a file. Returns 0, or errno. */
static int
put(export_write_function *write, const struct export_file *file,
    const struct buffer *text, bool durable)
{
    int status = write(file->path, text->text, text->length, file->start, durable);
    return status < 0 ? errno : 0;
}

/* Adds MORE, which is freed, to TEXT. Returns 0, or ENOMEM with TEXT as it was. */
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

/* Adds lines to a file that grows. One that has gone meanwhile, as somebody put it
 * elsewhere, begins again. Returns 0, or errno. */
static int
append(const struct export_file *file, export_write_function *add,
       export_write_function *replace, bool durable)
{
    const struct buffer *text = &file->text;
    struct buffer whole = {0};
    int error = put(add, file, text, durable);
    if (error != ENOENT)
        return error;
    buffer_add(&whole, file->first.text, file->first.length);
    if (text->length)
        buffer_add(&whole, text->text, text->length);
    error = whole.failed ? ENOMEM : put(replace, file, &whole, durable);
    buffer_free(&whole);
    return error;
}

/* Writes the newest version of a file, or what it grows by: lines that cannot be written
 * wait with those that follow. The lock is acquired, but released meanwhile. */
static void
write_next(struct export_writer *writer, struct export_file *file)
{
    export_write_function *replace = writer->replace, *add = writer->append;
    bool durable = file->durable;
    file->text = file->next;
    file->next = (struct buffer){0};
    file->waits = false;
    file->writing = true;
    os_lock_release(writer->lock);
    int error = file->grows ? append(file, add, replace, durable)
                            : put(replace, file, &file->text, durable);
    os_lock_acquire(writer->lock);
    file->writing = false;
    if (error && file->grows) {
        file->lost |= join(&file->text, &file->next) != 0;
        file->next = file->text;
        file->text = (struct buffer){0};
    }
    buffer_free(&file->text);
    file->since = os_clock_now();
    note_result(writer, file, error);
}

static void *
write_all(void *argument)
{
    struct export_writer *writer = argument;
    bool some = true;
    os_lock_acquire(writer->lock);
    while (some || !writer->ending) {
        if (!some)
            os_lock_wait(writer->lock);
        some = false;
        for (int i = 0; i < OUTPUTS_MOST; i++) {
            if (writer->files[i].waits) {
                write_next(writer, &writer->files[i]);
                some = true;
            }
        }
    }
    struct os_thread supervisor = writer->supervisor;
    os_lock_release(writer->lock);
    atomic_store(&writer->ended, true);
    os_thread_wake(&supervisor);
    return NULL;
}

void
export_begin(struct export *export, const struct plan *plan, const struct job *jobs,
             int count, struct status *status)
{
    *export = (struct export){.plan = plan,
                              .jobs = jobs,
                              .count = count,
                              .replace = os_file_replace,
                              .append = os_file_append,
                              .status = status};
}

/* Fills ERROR: the file of OUTPUT cannot be written because of CODE. Returns -1. */
static int
refuse_file(const struct output *output, int code, struct error *error)
{
    if (code == EEXIST)
        return error_set(error, EXIT_PREPARE, output->path,
                         "exists and is not %s; not overwritten",
                         output->kind->magic_description);
    return error_set(error, EXIT_PREPARE, output->path, "%s", strerror(code));
}

int
export_add(struct export *export, int index, struct buffer *text, struct error *error)
{
    const struct output *output = &export->plan->output.list[index];
    const struct output_kind *kind = output->kind;
    struct export_writer *writer = export->writer;
    if (!writer && (writer = calloc(1, sizeof(*writer))) &&
        !(writer->lock = os_lock_make())) {
        free(writer);
        writer = NULL;
    }
    export->writer = writer;
    if (!writer)
        return error_set(error, EXIT_PREPARE, NULL, "not enough memory to write files");
    struct export_file *file = &writer->files[index];
    file->path = output->path;
    file->start = kind->magic;
    file->grows = kind->sink == OUTPUT_GROWING;
    file->first = *text;
    *text = (struct buffer){0};
    if (file->first.failed)
        return refuse_file(output, ENOMEM, error);
    os_file_clean(file->path, file->start);
    if (os_file_try(file->path, file->first.text, file->first.length, file->start) < 0)
        return refuse_file(output, errno, error);
    return 0;
}

int
export_first(struct export *export, struct error *error)
{
    for (int i = 0; export->writer && i < OUTPUTS_MOST; i++) {
        const struct export_file *file = &export->writer->files[i];
        int failed = file->path ? put(export->replace, file, &file->first, false) : 0;
        if (failed)
            return refuse_file(&export->plan->output.list[i], failed, error);
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
export_hand_over(struct export *export, int index, struct buffer *text, bool durable)
{
    struct export_writer *writer = export->writer;
    struct export_file *file = &writer->files[index];
    os_lock_acquire(writer->lock);
    writer->replace = export->replace;
    writer->append = export->append;
    if (!file->grows && !text->failed)
        buffer_free(&file->next);
    int failed = join(&file->next, text);
    if (failed) {
        file->lost |= file->grows;
        note_result(writer, file, failed);
    } else {
        file->durable = durable;
        if (!file->waits && !file->writing)
            file->since = os_clock_now();
        file->waits = true;
        os_lock_notify(writer->lock);
    }
    os_lock_release(writer->lock);
}

void
export_report(struct export *export)
{
    struct export_writer *writer = export->writer;
    struct notes notes = {0};
    if (!writer || !atomic_load(&writer->any_unreported))
        return;
    os_lock_acquire(writer->lock);
    for (int i = 0; i < OUTPUTS_MOST; i++) {
        struct export_file *file = &writer->files[i];
        if (file->unreported)
            notes_add(&notes, file->path, "%s", strerror(file->unreported));
        file->unreported = 0;
    }
    atomic_store(&writer->any_unreported, false);
    os_lock_release(writer->lock);
    status_notes(export->status, &notes);
}

/* Returns whether a request has no answer: whatever it waits for may be what the
 * thread waits for. */
static bool
has_unanswered(const struct export *export)
{
    for (int i = 0; i < export->count; i++)
        if (export->jobs[i].in_flight.count || export->jobs[i].outcome.is_stuck)
            return true;
    return false;
}

/* Returns when what has not been written SINCE then is dropped, after a wait that began
 * at BEGAN. */
static int64_t
limit_of(const struct export *export, int64_t since, int64_t began)
{
    const struct plan *plan = export->plan;
    int64_t patience =
        plan->ends.timeout < INT64_MAX ? plan->ends.timeout : plan->ends.grace;
    int64_t limit = time_add(since, patience);
    if (limit < began + DEADLINE_GRACE || has_unanswered(export))
        limit = began + DEADLINE_GRACE;
    if (export->stopped_at)
        limit = time_earlier(limit, export->stopped_at + DEADLINE_GRACE);
    return time_later(limit, began + DEADLINE_GRACE_LEAST);
}

/* Waits for the end of the thread, which has had something to write SINCE then. Returns
 * whether it came in time. */
static bool
wait_for_end(struct export *export, int64_t since)
{
    const struct export_writer *writer = export->writer;
    int64_t began = os_clock_now(), now = began;
    while (!atomic_load(&writer->ended)) {
        began = time_later(began, os_signals_resumed()); /* both were stopped */
        since = time_later(since, os_process_resumed());
        if (os_signals_stop() && !export->stopped_at)
            export->stopped_at = now;
        int64_t limit = limit_of(export, since, began);
        if (now >= limit)
            return false;
        os_signals_wait(limit, &writer->ended);
        now = os_clock_now();
    }
    return true;
}

/* Drops what is not written, which is reported and counts as a failure. Returns false if
 * all is written after all. */
static bool
drop_unwritten(struct export *export)
{
    const struct export_writer *writer = export->writer;
    struct notes notes = {0};
    char text[UNITS_TEXT];
    int64_t now = os_clock_now();
    export_report(export);
    os_lock_acquire(writer->lock);
    for (int i = OUTPUTS_MOST; i-- > 0;) {
        const struct export_file *file = &writer->files[i];
        if (!file->waits && !file->writing)
            continue;
        notes_add(&notes, file->path, "still not written after %s; given up",
                  units_format(UNITS_TIME, now - file->since, text));
        export->failed = file->path;
        export->error_number = ETIMEDOUT;
    }
    os_lock_release(writer->lock);
    status_notes(export->status, &notes);
    return export->error_number != 0;
}

bool
export_end(struct export *export)
{
    struct export_writer *writer = export->writer;
    int64_t since = 0; /* the oldest that is not written waits; 0: there is none */
    if (!writer)
        return true;
    export->error_number = 0;
    os_lock_acquire(writer->lock);
    writer->supervisor = os_thread_self();
    writer->ending = true;
    for (int i = 0; i < OUTPUTS_MOST; i++) {
        const struct export_file *file = &writer->files[i];
        if ((file->waits || file->writing) && (!since || file->since < since))
            since = file->since;
    }
    os_lock_notify(writer->lock);
    os_lock_release(writer->lock);
    if (since && !wait_for_end(export, since) && drop_unwritten(export))
        return false;
    if (writer->started)
        os_thread_join(&writer->thread);
    export_report(export);
    for (int i = 0; i < OUTPUTS_MOST; i++) {
        struct export_file *file = &writer->files[i];
        if (!export->error_number) {
            export->failed = file->path;
            export->error_number = !file->error && file->lost ? ENOMEM : file->error;
        }
        buffer_free(&file->first);
        buffer_free(&file->next);
    }
    os_lock_free(writer->lock);
    free(writer);
    export->writer = NULL;
    return true;
}
