/*
 * Exported files. Reports make the texts of a file while a run goes on. A separate
 * thread, the writer, writes the texts, because a file system may be slow or hang.
 *
 *   leader, supervisor                       writer (write_all)
 *     export_add: checks the file
 *     export_start  ----------------------->  starts, waits
 *     export_write_first: writes the
 *     first version
 *     export_hand_over: `next`  ----------->  moves `next` to `text` and writes `text`,
 *                                             without holding the lock
 *     export_take_failures  <---------------  `unreported_error`
 *     export_end: `is_ending`  ------------>  writes the texts that wait
 *       joins the thread  <-----------------  `has_ended`
 *
 * All members of a file are guarded by one lock. The writer touches nothing but its
 * struct export_writer. If a write never returns, that struct is deliberately not freed,
 * because the thread still uses it.
 */
#include "report/export.h"

#include "base/deadlines.h"
#include "base/units.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "os/thread.h"
#include "report/output_file.h"
#include "report/outputs.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Maximum size of the text that waits for one file, in bytes. Lines beyond this size are
 * lost, and a larger version is not written. Both count as failures with ENOMEM. */
#define MAX_WAITING_SIZE (16 << 20)

struct export_file {
    const char *path;
    /* copied from the kind of output (report/outputs.h) */
    const char *magic, *magic_description;
    bool is_growing; /* texts after the first version are added at the end of the file */
    /* The first version of a replaced file, or the head of a growing one. If somebody
     * moves a growing file away, a new file begins with the head. */
    struct buffer first_version;
    struct buffer next; /* the newest version, or the lines, that wait for the writer */
    struct buffer text; /* the text that is being written; used by the writer alone */
    bool has_next;      /* `next` must be written, even if it is empty */
    bool is_durable; /* `next` is the last text, and must survive a crash of the system */
    bool is_writing; /* the writer is writing `text` */
    /* When the oldest text that is not written yet began to wait, ns, monotonic. A text
     * begins to wait when it is handed over. If an earlier text of this file is being
     * written then, the new text begins to wait when that write ends. */
    int64_t handed_over_at;
    int error;            /* errno of the latest write; 0 if it succeeded */
    int unreported_error; /* errno that export_take_failures must report; 0: none */
    /* Lines of a growing file, or the newest version of a replaced file, were lost
     * because of MAX_WAITING_SIZE or missing memory. */
    bool has_lost_text;
};

struct export_writer {
    struct os_thread thread;
    bool is_started;      /* the thread was started, and must be joined */
    int file_count;       /* no file is added after the thread has started */
    struct os_lock *lock; /* guards the members below */
    /* the thread to wake when a write fails, and at the end */
    struct os_thread supervisor;
    export_write_function *replace, *append;
    struct export_file files[OUTPUTS_MAX]; /* in the order of export_add */
    bool is_ending;                        /* no text will be handed over any more */
    /* Some file has an unreported_error. Set under the lock, read without it. */
    atomic_bool has_unreported;
    atomic_bool has_ended; /* all texts are written, and the thread is about to end */
};

/* Stores the result of a write: errno ERROR, or 0. After several failures in a row only
 * the first must be reported. */
static void
note_result(struct export_writer *writer, struct export_file *file, int error)
{
    if (error && !file->error) {
        file->unreported_error = error;
        atomic_store(&writer->has_unreported, true);
        os_thread_wake(&writer->supervisor);
    }

    file->error = error;
}

/* Writes TEXT to FILE by WRITE_FILE, which replaces the file or adds to it. Returns 0, or
 * an errno. */
static int
write_text(export_write_function *write_file, const struct export_file *file,
           const struct buffer *text, bool durable)
{
    int status = write_file(file->path, text->text, text->length, file->magic, durable);

    return status < 0 ? errno : 0;
}

/* Adds MORE to TEXT and frees MORE. Returns 0. Returns ENOMEM, with TEXT unchanged, if
 * memory is short or TEXT would be larger than MAX_WAITING_SIZE. */
static int
join_texts(struct buffer *text, struct buffer *more)
{
    bool fits = !more->failed && text->length + more->length <= MAX_WAITING_SIZE;

    if (fits && more->length)
        buffer_add(text, more->text, more->length);
    if (text->failed)
        fits = false;

    text->failed = false;
    buffer_free(more);
    return fits ? 0 : ENOMEM;
}

/* Replaces TEXT by NEWER, which becomes empty. Returns 0. Returns ENOMEM, with TEXT
 * unchanged, if NEWER is incomplete because memory was short, or is larger than
 * MAX_WAITING_SIZE. */
static int
replace_text(struct buffer *text, struct buffer *newer)
{
    if (newer->failed || newer->length > MAX_WAITING_SIZE) {
        buffer_free(newer);
        return ENOMEM;
    }

    buffer_free(text);
    *text = *newer;
    *newer = (struct buffer){0};
    return 0;
}

/* Calls APPEND to write the field `text` of FILE to the end of the file on disk, which is
 * a growing file. If the file on disk does not exist any more, because somebody has moved
 * it away (log rotation), calls REPLACE to make a new one that begins with the head.
 * Returns 0, or an errno. */
static int
append_text(const struct export_file *file, export_write_function *append,
            export_write_function *replace, bool durable)
{
    const struct buffer *text = &file->text;
    struct buffer whole = {0};

    int error = write_text(append, file, text, durable);
    if (error != ENOENT)
        return error;

    buffer_add(&whole, file->first_version.text, file->first_version.length);
    if (text->length)
        buffer_add(&whole, text->text, text->length);

    error = whole.failed ? ENOMEM : write_text(replace, file, &whole, durable);
    buffer_free(&whole);
    return error;
}

/* Writes the next text of FILE. If lines cannot be written, they are put in front of the
 * lines that came meanwhile, and wait together with them. The caller holds the lock,
 * which is released during the write. */
static void
write_next(struct export_writer *writer, struct export_file *file)
{
    export_write_function *replace = writer->replace;
    export_write_function *append = writer->append;
    bool durable = file->is_durable;
    int error;

    file->text = file->next;
    file->next = (struct buffer){0};
    file->has_next = false;
    file->is_writing = true;

    os_lock_release(writer->lock);
    if (file->is_growing)
        error = append_text(file, append, replace, durable);
    else
        error = write_text(replace, file, &file->text, durable);
    os_lock_acquire(writer->lock);

    file->is_writing = false;
    if (error && file->is_growing) {
        if (join_texts(&file->text, &file->next) != 0)
            file->has_lost_text = true;
        file->next = file->text;
        file->text = (struct buffer){0};
    }

    buffer_free(&file->text);
    file->handed_over_at = os_clock_now();
    note_result(writer, file, error);
}

/* The body of the writer's thread: writes texts as they are handed over, until the end.
 * Wakes the supervisor before it ends. */
static void *
write_all(void *argument)
{
    struct export_writer *writer = argument;
    /* true at first, so that all files are looked at before the first wait */
    bool has_written = true;

    os_lock_acquire(writer->lock);
    while (has_written || !writer->is_ending) {
        if (!has_written)
            os_lock_wait(writer->lock);
        has_written = false;

        for (int i = 0; i < writer->file_count; i++) {
            if (writer->files[i].has_next) {
                write_next(writer, &writer->files[i]);
                has_written = true;
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
    *export = (struct export){
        .plan = plan,
        .jobs = jobs,
        .job_count = count,
        .replace = os_file_replace,
        .append = os_file_append,
    };
}

/* Fills ERROR: FILE cannot be written because of errno CODE. Returns -1. Nobody is
 * advised to remove a directory or a device. */
static int
refuse_file(const struct export_file *file, int code, struct error *error)
{
    struct os_info info = {.kind = OS_FILE};

    if (code == EEXIST)
        os_path_info(file->path, &info);
    if (info.kind == OS_DIRECTORY)
        return error_set(error, EXIT_PREPARE, file->path,
                         "is a directory; name a file in it");
    if (info.kind != OS_FILE)
        return error_set(error, EXIT_PREPARE, file->path,
                         "is a device or a pipe; name a file");
    if (code == EEXIST)
        return error_set(
            error, EXIT_PREPARE, file->path,
            "exists and is not %s, so it is not overwritten; remove it, or name another "
            "file",
            file->magic_description);

    return output_file_refuse(file->path, code, error);
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
        int failure = write_text(export->replace, file, &file->first_version, false);

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
    if (os_thread_start(&writer->thread, write_all, writer) < 0)
        return error_set(error, EXIT_PREPARE, NULL,
                         "cannot start a thread that writes files: %s", strerror(errno));

    writer->is_started = true;
    return 0;
}

void
export_supervise(struct export *export)
{
    struct export_writer *writer = export->writer;

    if (!writer)
        return;

    os_lock_acquire(writer->lock);
    writer->supervisor = os_thread_self();
    os_lock_release(writer->lock);
}

bool
export_has_failures(const struct export *export)
{
    return export->writer && atomic_load(&export->writer->has_unreported);
}

void
export_hand_over(struct export *export, struct export_file *file, struct buffer *text,
                 bool durable)
{
    struct export_writer *writer = export->writer;

    os_lock_acquire(writer->lock);
    writer->replace = export->replace;
    writer->append = export->append;

    int failure = file->is_growing ? join_texts(&file->next, text)
                                   : replace_text(&file->next, text);
    if (failure) {
        file->has_lost_text = true;
        note_result(writer, file, failure);
    } else {
        if (!file->is_growing)
            file->has_lost_text = false;
        file->is_durable = durable;
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

    if (!export_has_failures(export))
        return;

    os_lock_acquire(writer->lock);
    for (int i = 0; i < writer->file_count; i++) {
        struct export_file *file = &writer->files[i];
        if (file->unreported_error)
            notes_add(notes, file->path, "%s", strerror(file->unreported_error));
        file->unreported_error = 0;
    }

    atomic_store(&writer->has_unreported, false);
    os_lock_release(writer->lock);
}

/* Returns true if a request has no answer. The writer may then be stuck at the same
 * device, and a long wait for it is hopeless. */
static bool
has_unanswered(const struct export *export)
{
    for (int i = 0; i < export->job_count; i++)
        if (export->jobs[i].in_flight.count || export->jobs[i].outcome.is_stuck)
            return true;

    return false;
}

/* Returns the time at which to stop waiting for the writer, as export_end describes. The
 * oldest text that is not written yet has waited since SINCE (`handed_over_at`), and the
 * wait for the writer began at BEGAN. All times are in ns, monotonic. */
static int64_t
find_give_up_time(const struct export *export, int64_t since, int64_t began)
{
    const struct plan *plan = export->plan;
    /* A text gets as much time to be written as a request gets to be answered. */
    int64_t patience = plan->end.timeout;

    if (patience == INT64_MAX)
        patience = plan->end.grace;

    int64_t limit = time_add(since, patience);
    int64_t grace_ends_at = began + DEADLINE_GRACE;
    if (limit < grace_ends_at || has_unanswered(export))
        limit = grace_ends_at;

    if (export->stopped_at)
        limit = time_earlier(limit, export->stopped_at + DEADLINE_GRACE);

    return time_later(limit, began + DEADLINE_GRACE_MIN);
}

/* Waits until the writer has ended. The oldest text that is not written yet has waited
 * since SINCE (`handed_over_at`; ns, monotonic). Returns false if the limit
 * (find_give_up_time) was reached first. */
static bool
wait_for_end(struct export *export, int64_t since)
{
    const struct export_writer *writer = export->writer;
    int64_t began = os_clock_now();
    int64_t now = began;

    while (!atomic_load(&writer->has_ended)) {
        /* Time in which the process was stopped (Ctrl-Z) does not count. */
        began = time_later(began, os_signals_check_resumed_at());
        since = time_later(since, os_process_resumed_at());

        if (os_signals_stop_signal() && !export->stopped_at)
            export->stopped_at = now;

        int64_t limit = find_give_up_time(export, since, began);
        if (now >= limit)
            return false;

        os_signals_wait(limit, &writer->has_ended);
        now = os_clock_now();
    }

    return true;
}

/* Adds a note for each file with a text that is not written yet, and notes the first such
 * file in EXPORT as the failure. Returns false if there is no such file, because the
 * writer has written all texts meanwhile. */
static bool
note_unwritten(struct export *export, struct notes *notes)
{
    const struct export_writer *writer = export->writer;
    char text[UNITS_TEXT];
    int64_t now = os_clock_now();

    export_take_failures(export, notes);
    os_lock_acquire(writer->lock);
    /* The loop goes backwards, so that the first such file is stored last, and stays
     * stored. */
    for (int i = writer->file_count; i-- > 0;) {
        const struct export_file *file = &writer->files[i];
        if (!file->has_next && !file->is_writing)
            continue;

        notes_add(notes, file->path, "still not written after %s; given up",
                  units_format(UNITS_TIME, now - file->handed_over_at, text));
        export->failed_path = file->path;
        export->error_number = ETIMEDOUT;
    }
    os_lock_release(writer->lock);

    return export->error_number != 0;
}

/* Asks the writer to write all texts that are not written yet, and then to end. Returns
 * the time since which the oldest of these texts has waited (`handed_over_at`; ns,
 * monotonic), or 0 if all texts are written. */
static int64_t
request_end(struct export_writer *writer)
{
    int64_t oldest = 0;

    os_lock_acquire(writer->lock);
    writer->supervisor = os_thread_self();
    writer->is_ending = true;

    for (int i = 0; i < writer->file_count; i++) {
        const struct export_file *file = &writer->files[i];
        if (!file->has_next && !file->is_writing)
            continue;
        if (!oldest || file->handed_over_at < oldest)
            oldest = file->handed_over_at;
    }

    os_lock_notify(writer->lock);
    os_lock_release(writer->lock);
    return oldest;
}

/* If the latest content of a file could not be written, notes this file in EXPORT as the
 * failure; if there are several such files, the first. Must be called after the writer's
 * thread has ended. */
static void
store_failed_file(struct export *export)
{
    const struct export_writer *writer = export->writer;

    for (int i = 0; i < writer->file_count; i++) {
        const struct export_file *file = &writer->files[i];
        if (!file->error && !file->has_lost_text)
            continue;

        export->failed_path = file->path;
        export->error_number = file->error ? file->error : ENOMEM;
        return;
    }
}

/* Frees the writer and its files, after its thread has ended or if it never started. */
static void
free_writer(struct export_writer *writer)
{
    for (int i = 0; i < writer->file_count; i++) {
        buffer_free(&writer->files[i].first_version);
        buffer_free(&writer->files[i].next);
    }

    os_lock_free(writer->lock);
    free(writer);
}

bool
export_end(struct export *export, struct notes *notes)
{
    struct export_writer *writer = export->writer;

    if (!writer)
        return true;

    export->failed_path = NULL;
    export->error_number = 0;

    int64_t oldest = request_end(writer);
    if (oldest && !wait_for_end(export, oldest) && note_unwritten(export, notes))
        return false;

    if (writer->is_started)
        os_thread_join(&writer->thread);
    export_take_failures(export, notes);
    store_failed_file(export);

    free_writer(writer);
    export->writer = NULL;
    return true;
}
