/*
 * The working file: the file in a directory that requests go to. The file has no name and
 * disappears when it is closed. With -keep, the file is called ioping.tmp and stays. An
 * existing ioping.tmp is reused only if checks show that nobody is harmed when it is
 * overwritten. If the file has holes in the working set, the working set is filled with
 * random data, because reading a hole touches no device.
 */
#include "target_private.h"

#include "base/random.h"
#include "base/time.h"
#include "base/units.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "plan/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WRITE_SIZE (128 << 10) /* bytes per write; fits into a processor's cache */

/*
 * The file is filled in batches, each of which is flushed. The size of a batch (bytes)
 * adapts to the amount that the disk flushes in BATCH_TIME (ns), so that even a slow disk
 * shows progress to the supervisor.
 */
#define BATCH_MIN (1 << 20)
#define BATCH_MAX (16 << 20)
#define BATCH_TIME (250 * MS)

int64_t
working_file_holes(struct target *target, int fd, int64_t offset, int64_t end)
{
    int64_t holes = 0;

    while (offset < end) {
        int64_t data_start;
        int64_t data_end;

        target_note_progress(target);
        bool has_data = os_file_data(fd, offset, &data_start, &data_end) == 0;
        if (!has_data && errno != ENXIO)
            return -1;

        /* Without data up to END, the rest of the range is a hole. */
        if (!has_data || data_start >= end)
            return holes + end - offset;

        /* The answers of the file system contradict each other. With such answers, this
         * loop might never end. */
        if (data_start < offset || data_end <= data_start)
            return -1;

        holes += data_start - offset;
        offset = data_end;
    }

    return holes;
}

int
target_keep_path(const struct plan *plan, char path[TARGET_PATH])
{
    const char *separator = os_path_separator(plan->path);
    int length = snprintf(path, TARGET_PATH, "%s%sioping.tmp", plan->path, separator);

    return length < TARGET_PATH ? 0 : os_fail(ENAMETOOLONG);
}

/* Refuses the directory of PLAN, because a working file in it cannot be made or filled
 * (errno CODE). Returns -1 with ERROR. */
static int
refuse_directory(const struct plan *plan, int code, struct error *error)
{
    if (os_path_is_generated(plan->path)) {
        error_set(error, EXIT_PREPARE, plan->path,
                  "not storage: the kernel generates its contents");
        return error_advise(error, "name a directory on a disk");
    }

    error_set(error, EXIT_PREPARE, plan->path, "cannot create a temporary file here: %s",
              strerror(code));
    error->storage_failed = error_is_broken(code);

    if (plan->workload.is_log)
        return error_advise(error, "name another directory");
    if (error_is_no_space(code))
        return error_advise(error,
                            "use a smaller -S, or name an existing file in it instead");
    if (!error->storage_failed && code != ENOMEM)
        error_advise(error, "name an existing file in it instead");
    return -1;
}

/* Refuses to reuse the file NAME for -keep, for the reason WHY. Returns -1 with ERROR. */
static int
refuse_reuse(const char *name, const char *why, struct error *error)
{
    return error_set(error, EXIT_PREPARE, name, "%s; remove it, or leave out -k", why);
}

/*
 * Opens the file NAME for -keep, or makes it. Stores the descriptor in TARGET, or -1 with
 * errno. os_leftover_begin is called before the file is made, so that a new file is
 * removed if the process ends early, even if the system call that makes it is stuck then.
 */
static void
open_or_make_file(struct target *target, const char *name, unsigned flags)
{
    struct os_info info;

    flags |= OS_OPEN_WRITE | OS_OPEN_CREATE | OS_OPEN_NO_WAIT;
    target_note_progress(target);
    if (os_path_info(name, &info) < 0 && errno == ENOENT && os_leftover_begin(name) < 0)
        return;

    target_note_progress(target);
    target->fd = os_file_open(name, flags | OS_OPEN_EXCLUSIVE);
    target->is_new_file = target->fd >= 0;
    if (target->is_new_file)
        os_leftover_made();
    else
        os_leftover_end();

    target_note_progress(target);
    if (target->fd < 0 && errno == EEXIST)
        target->fd = os_file_open(name, flags);
}

/* Opens the file of -keep. Refuses it unless it is a regular file that belongs to this
 * user and has no other names. Returns 0, or -1 with ERROR. */
static int
open_keep_file(struct target *target, const struct plan *plan, struct error *error)
{
    char name[TARGET_PATH];
    struct os_info info;

    if (target_keep_path(plan, name) < 0)
        return refuse_directory(plan, errno, error);

    open_or_make_file(target, name, plan->io.open_flags);
    if (target->fd < 0 && errno == ELOOP)
        return refuse_reuse(name, "is a symbolic link", error);
    if (target->fd < 0 && (errno == EISDIR || errno == ENXIO || errno == EOPNOTSUPP))
        return refuse_reuse(name, "is not a regular file", error);
    if (target->fd < 0)
        return refuse_directory(plan, errno, error);

    target_note_progress(target);
    if (os_file_info(target->fd, &info) < 0)
        return error_set(error, EXIT_PREPARE, name, "%s", strerror(errno));

    target->size = info.size;

    if (info.kind != OS_FILE)
        return refuse_reuse(name, "is not a regular file", error);
    if (!info.is_owned)
        return refuse_reuse(name, "belongs to another user", error);
    if (info.links != 1)
        return refuse_reuse(name, "has other names (hard links)", error);
    if (os_mount_differs(target->fd, plan->path))
        return error_set(error, EXIT_PREPARE, name,
                         "is a mount of another file; unmount it, or leave out -k");
    return 0;
}

int
working_file_open(struct target *target, const struct plan *plan, struct error *error)
{
    if (plan->workload.keeps_file)
        return open_keep_file(target, plan, error);

    target_note_progress(target);
    target->fd = os_file_temporary(plan->path, plan->io.open_flags, target->removed_path,
                                   sizeof(target->removed_path));
    target->size = 0;
    return target->fd < 0 ? refuse_directory(plan, errno, error) : 0;
}

/* Refuses a working set that does not fit into AVAILABLE bytes. Returns -1 with ERROR. */
static int
refuse_space(const struct plan *plan, int64_t available, struct error *error)
{
    char need[UNITS_TEXT];
    char have[UNITS_TEXT];

    error_set(error, EXIT_PREPARE, plan->path,
              "a working set of %s does not fit into the %s that are free",
              units_format(UNITS_SIZE, plan->workload.scratch_size, need),
              units_format(UNITS_SIZE, available, have));

    /* Not even the smallest working set, a single request, would fit. */
    bool is_full = available < plan_largest_size(plan);

    if (plan->mode == MODE_BACKGROUND)
        return error_advise(error, "name an existing file in it with path=");
    if (plan->workload.is_log)
        return error_advise(error, is_full ? "free some space" : "use a smaller -S");
    if (is_full)
        return error_advise(error,
                            "free some space, or name an existing file in it instead");
    return error_advise(error,
                        "use a smaller -S, or name an existing file in it instead");
}

/* Writes SIZE bytes of DATA at OFFSET, in several writes if necessary. Returns 0, or -1
 * with errno. */
static int
write_chunk(struct target *target, const char *data, int64_t size, int64_t offset)
{
    while (size > 0) {
        target_note_progress(target);
        int64_t done = os_file_write(target->fd, data, (size_t)size, offset, 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;

        data += done;
        size -= done;
        offset += done;
    }
    return 0;
}

/*
 * Flushes a batch of BATCH bytes. Returns the size of the next batch in bytes: twice as
 * much if the flush took less than BATCH_TIME, and otherwise half as much. Returns -1
 * with errno if the flush fails.
 */
static int64_t
flush_batch(struct target *target, int64_t batch)
{
    target_note_progress(target);
    int64_t start = os_clock_now();

    if (os_file_flush(target->fd) < 0)
        return -1;

    if (os_clock_now() - start < BATCH_TIME)
        return batch < BATCH_MAX ? 2 * batch : BATCH_MAX;
    return batch > BATCH_MIN ? batch / 2 : BATCH_MIN;
}

/*
 * Returns how many bytes of the working set are to be filled. With -append the requests
 * write all data themselves. Then only the range of two requests is filled, because the
 * I/O mode is tried with two reads.
 */
static int64_t
find_fill_size(const struct plan *plan)
{
    int64_t two_requests = 2 * plan->workload.request_size;

    if (plan->workload.is_log && two_requests < plan->workload.scratch_size)
        return two_requests;
    return plan->workload.scratch_size;
}

/*
 * Writes random data to the working set in batches, and flushes each batch. Sets
 * `is_flushed` if all of it was written and flushed. A signal that asks to stop ends this
 * early, without a flush. Returns 0, also after such a signal, or -1 with errno.
 */
static int
write_random_data(struct target *target, const struct plan *plan)
{
    struct random random;
    int64_t offset = plan->workload.work_offset;
    int64_t end = offset + find_fill_size(plan);
    int64_t batch = BATCH_MIN;
    int64_t batch_end = offset + batch;
    char *data = os_memory_aligned(4096, WRITE_SIZE);
    int status = data ? 0 : -1;

    random_seed(&random, ~plan->workload.seed);

    while (status == 0 && offset < end && !os_signals_stop_signal()) {
        int64_t size = end - offset < WRITE_SIZE ? end - offset : WRITE_SIZE;
        random_fill(&random, data, (size_t)size);

        status = write_chunk(target, data, size, offset);
        offset += size;
        if (status < 0 || (offset < end && offset < batch_end) ||
            os_signals_stop_signal())
            continue;

        batch = flush_batch(target, batch);
        status = batch < 0 ? -1 : 0;
        batch_end = offset + batch;
    }

    target->is_flushed = status == 0 && offset == end && !os_signals_stop_signal();

    int code = errno;
    os_memory_free(data);
    errno = code;
    return status;
}

/* Refuses a working file that could not be filled, because of errno CODE. Returns -1 with
 * ERROR. ENOENT has a message of its own: some FUSE file systems fail with ENOENT if a
 * file without a name is written, although the file exists until it is closed. */
static int
refuse_fill(const struct plan *plan, int code, struct error *error)
{
    if (code != ENOENT || plan->workload.keeps_file)
        return refuse_directory(plan, code, error);

    error_set(error, EXIT_PREPARE, plan->path,
              "this file system cannot write to an unnamed temporary file: %s",
              strerror(code));
    if (plan->workload.is_log)
        return error_advise(error, "name another directory");
    if (plan->mode == MODE_BACKGROUND)
        return error_advise(error, "name an existing file in it with path=");
    return error_advise(error, "use -k, or name an existing file in it instead");
}

int
working_file_fill(struct target *target, const struct plan *plan, int64_t available,
                  struct error *error)
{
    int64_t end = plan->workload.work_offset + find_fill_size(plan);
    int64_t missing =
        working_file_holes(target, target->fd, plan->workload.work_offset, end);

    /* If the holes are unknown, or with -append, the file is filled only if it is too
     * short. Then the free space must have room for the whole working set. With -append,
     * only the beginning of the working set is filled now, but the requests will write
     * all of it. */
    if (missing < 0 || plan->workload.is_log)
        missing = target->size < end ? plan->workload.scratch_size : 0;
    if (missing == 0)
        return 0;

    if (target->is_in_memory && missing > OS_MEMORY_QUERY_MIN) {
        int64_t available_memory = os_memory_available();
        if (available < 0 || available_memory < available)
            available = available_memory;
    }

    if (available >= 0 && missing > available)
        return refuse_space(plan, available, error);

    if (write_random_data(target, plan) < 0)
        return refuse_fill(plan, errno, error);
    if (os_signals_stop_signal())
        return error_set(error, EXIT_PREPARE, plan->path,
                         "interrupted while the working file was filled");

    if (target->size < end)
        target->size = end;
    return 0;
}

int
target_empty(const struct target *target)
{
    if (os_file_truncate(target->fd, 0) < 0 || os_file_flush(target->fd) < 0)
        return errno;
    return 0;
}

void
target_discard(const struct target *target, const struct plan *plan)
{
    char name[TARGET_PATH];
    struct os_info info;

    if (target->is_new_file && target_keep_path(plan, name) == 0)
        os_path_remove(name);
    else if (plan->workload.keeps_file && target->kind == OS_DIRECTORY &&
             target->fd >= 0 && os_file_info(target->fd, &info) == 0 &&
             info.size > target->size)
        os_file_truncate(target->fd, target->size);
}
