/*
 * Opens a target. The steps are the same for all kinds of targets:
 *
 *   what is at the path?         a directory, file, block device or character device
 *   would data be lost?          refused without -WWW
 *   open it                      in a directory, the working file is opened instead
 *   describe it                  file system and device, sizes
 *   measure it                   working set and request size must fit
 *   fill the working file        in a directory only
 *   choose the I/O mode          io_mode.c
 *
 * Each step that may wait for the file system first calls target_advance, so that the
 * supervisor sees progress and gives up an opening only if a single step takes too long.
 */
#include "base/deadlines.h"
#include "base/units.h"
#include "cli/options.h"
#include "os/process.h"
#include "os/storage.h"
#include "plan/plan.h"
#include "target_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Pause between two attempts to open a device that is in use, ns. */
#define CLAIM_PAUSE (10 * MS)

/* Refuses the target because of errno CODE. Returns -1 with ERROR. */
static int
refuse(const struct plan *plan, int code, struct error *error)
{
    error_set(error, EXIT_PREPARE, plan->path, "%s", strerror(code));
    error->broken = error_is_broken(code);

    if (code == EBUSY)
        return error_advise(error, "it is in use, perhaps mounted");
    return -1;
}

/* Refuses a path that does not exist or cannot be opened, because of errno CODE. Returns
 * -1 with ERROR. */
static int
refuse_path(const struct plan *plan, int code, struct error *error)
{
    bool has_time = plan->options && plan->options->given[OPTION_TIME];

    refuse(plan, code, error);
    if (code == ENOENT && has_time && plan->path[0] == '%')
        error_advise(error, "attach the format to its option: -I%T");
    return -1;
}

/* Refuses to write to a file or device without -WWW, and to append to it at all. Returns
 * 0, or -1 with ERROR. */
static int
check_confirmed(const struct target *target, const struct plan *plan, struct error *error)
{
    if (target->kind != OS_DIRECTORY && plan->workload.append)
        return error_set(error, EXIT_PREPARE, plan->path,
                         "-append extends a file of its own; name a directory");

    if (target->kind == OS_DIRECTORY || !plan_does(plan, OPERATION_CHANGES) ||
        plan->workload.destroy_confirmed >= 3)
        return 0;

    error_set(error, EXIT_PREPARE, plan->path, "writing would destroy its data");
    if (plan->options->given[OPTION_READ_WRITE])
        return error_advise(error, "give -GWW if that is what you want");
    return error_advise(error, "give -WWW if that is what you want");
}

/*
 * Returns whether an earlier target is the same block device. Such a device is not opened
 * exclusively once more, because that would fail as long as this process has it open. The
 * device number comes from the path; open_existing checks it again after opening.
 */
static bool
is_claimed(const struct target *target)
{
    const struct target *other = target->opened_before;

    while (other && (other->kind != OS_BLOCK || other->device != target->device))
        other = other->opened_before;

    return other != NULL;
}

/*
 * Opens the device at PATH exclusively. If it is in use, tries again for DEADLINE_CLAIM,
 * because the system may hold a device for a moment after another program has closed it
 * (io_uring does so after a flush). Returns the descriptor, or -1 with errno.
 */
static int
open_claimed(struct target *target, const char *path, unsigned flags)
{
    for (int tries = 1;; tries++) {
        target_advance(target);
        int fd = os_file_open(path, flags);
        if (fd >= 0 || errno != EBUSY || tries == DEADLINE_CLAIM / CLAIM_PAUSE ||
            os_signals_stop())
            return fd;
        os_sleep_until(os_clock_now() + CLAIM_PAUSE);
    }
}

/* Opens a file or device, which may have been replaced since its kind was determined. A
 * block device that is written to is opened exclusively. Returns 0, or -1 with ERROR. */
static int
open_existing(struct target *target, const struct plan *plan, struct error *error)
{
    unsigned flags = plan->io.open_flags | (target->kind == OS_BLOCK ? 0 : OS_OPEN_NOW);
    struct os_info info;

    target_advance(target);
    if (plan_does(plan, OPERATION_CHANGES))
        flags |=
            OS_OPEN_WRITE |
            (target->kind == OS_BLOCK && !is_claimed(target) ? OS_OPEN_EXCLUSIVE : 0);

    target->fd = flags & OS_OPEN_EXCLUSIVE ? open_claimed(target, plan->path, flags)
                                           : os_file_open(plan->path, flags);

    if (target->fd < 0 || os_file_info(target->fd, &info) < 0)
        return refuse_path(plan, errno, error);

    bool same = info.kind == target->kind;
    if (target->kind == OS_CHARACTER && os_device_is_disk(target->fd))
        target->kind = OS_BLOCK;
    if (!same || (target->kind == OS_BLOCK && info.device != target->device))
        return error_set(error, EXIT_PREPARE, plan->path,
                         "was replaced while it was opened; try again");

    target->size = info.size;
    return 0;
}

/* Fills the description and the size of a device. Returns 0, or -1 with ERROR. */
static int
describe_device(struct target *target, const struct plan *plan, struct error *error)
{
    struct description *description = &target->description;
    bool is_block = target->kind == OS_BLOCK;
    int64_t unit;

    target_advance(target);
    target->size = 0;
    if (is_block && os_device_size(target->fd, &target->size, &unit) < 0)
        return refuse(plan, errno, error);
    if (is_block && plan_does(plan, OPERATION_CHANGES) && os_device_read_only(target->fd))
        return refuse(plan, EROFS, error);

    snprintf(description->fstype, sizeof(description->fstype), "%s",
             is_block ? "block" : "character");
    snprintf(description->device, sizeof(description->device), "device");

    description->size = target->size;
    return 0;
}

void
target_name(struct target *target)
{
    struct description *description = &target->description;
    struct os_mount mount = {.device = "unknown"};
    if (description->device[0])
        return;

    memcpy(mount.fstype, description->fstype, sizeof(mount.fstype));
    /* ENOENT: this system has no /proc, so its names stay unknown. */
    if (os_mount_name(target->fd, &mount) < 0 && errno != ENOENT)
        target->naming_error = errno;

    memcpy(description->fstype, mount.fstype, sizeof(description->fstype));
    snprintf(description->device, sizeof(description->device), "%s", mount.device);
}

/*
 * Measures the file system of a file or directory. Returns 0, or -1 with errno.
 *
 * The working file in a directory was removed while it is open. Some FUSE file systems
 * answer no question about such a file; then the directory is asked instead.
 */
static int
measure_mount(const struct target *target, const struct plan *plan,
              struct os_mount *mount)
{
    if (os_mount_measure(target->fd, mount) == 0)
        return 0;
    if (target->kind != OS_DIRECTORY)
        return -1;

    int code = errno;
    int directory = os_file_open(plan->path, OS_OPEN_READ | OS_OPEN_NOW);
    if (directory < 0)
        return os_fail(code);
    int status = os_mount_measure(directory, mount);
    os_file_close(directory);
    return status < 0 ? os_fail(code) : 0;
}

/* Describes the file system. Stores its free space in AVAILABLE, bytes, or -1 if it is
 * unknown. Returns 0, or -1 with ERROR. */
static int
describe_file(struct target *target, const struct plan *plan, int64_t *available,
              struct error *error)
{
    struct description *description = &target->description;
    struct os_mount mount;

    target_advance(target);
    if (measure_mount(target, plan, &mount) < 0)
        return refuse(plan, errno, error);

    memcpy(description->fstype, mount.fstype, sizeof(description->fstype));
    if (strcmp(mount.device, "unknown") != 0) /* otherwise target_name finds it later */
        memcpy(description->device, mount.device, sizeof(description->device));
    description->size = mount.size;
    target->is_in_memory = mount.memory;

    target->fs_block_size = mount.block;
    *available = mount.size > 0 ? mount.available : -1;

    target_advance(target);
    /* The name of such a device may be a path on another file system, which may hang. So
     * it is looked up here, where a deadline holds. */
    if (mount.anonymous)
        target_name(target);
    return 0;
}

int64_t
target_logical_block(const struct target *target)
{
    int64_t other;
    int64_t block = 0;
    int status = target->kind == OS_BLOCK ? os_device_size(target->fd, &other, &block)
                                          : os_file_alignment(target->fd, &other, &block);

    return status == 0 ? block : 0;
}

/*
 * Refuses a file or device of 0 bytes, with its own advice because a smaller request
 * would not help. The message for a file begins as in ioping 1.3, because scripts know
 * it. Returns -1 with ERROR.
 */
static int
refuse_empty(const struct target *target, const struct plan *plan, struct error *error)
{
    if (target->kind == OS_FILE) {
        error_set(error, EXIT_PREPARE, plan->path,
                  "request size is too big for this target: the file is empty");
        return error_advise(error, "name a file that has data, or a directory");
    }

    error_set(error, EXIT_PREPARE, plan->path,
              "the device has 0 bytes: its medium is missing or empty");
    return error_advise(
        error, "insert or attach a medium that has data, or name another device");
}

/*
 * Refuses an offset (-o) and a working set (-S) that reach beyond the end of a target of
 * SIZE bytes; INT64_MAX is a target without an end. Scripts know the beginning of the
 * message. Returns -1 with ERROR.
 */
static int
refuse_reach(const struct plan *plan, int64_t size, struct error *error)
{
    char text[UNITS_TEXT];
    bool endless = size == INT64_MAX;

    error_set(error, EXIT_PREPARE, plan->path,
              "target is too small for this: -o and -S reach beyond its %s",
              endless ? "last possible offset" : units_format(UNITS_SIZE, size, text));
    return error_advise(error, "use a smaller -o or -S");
}

/*
 * Refuses a request size that is larger than the working set of WORK_SIZE bytes. Scripts
 * know the beginning of the message. Returns -1 with ERROR.
 */
static int
refuse_size(const struct plan *plan, int64_t work_size, struct error *error)
{
    char size[UNITS_TEXT];
    char request[UNITS_TEXT];
    const struct plan_workload *workload = &plan->workload;
    const char *what = "the target has";
    const char *advice = "use a smaller -s, or a larger target";

    if (workload->work_size) {
        what = "the working set has";
        advice = "use a smaller -s or a larger -S";
    } else if (workload->work_offset) {
        what = "the target after -o has";
        advice = "use a smaller -s or -o";
    }

    error_set(error, EXIT_PREPARE, plan->path,
              "request size is too big for this target: %s %s, but a request needs %s",
              what, units_format(UNITS_SIZE, work_size, size),
              units_format(UNITS_SIZE, plan_largest(plan), request));
    return error_advise(error, advice);
}

/*
 * Fits the working set and the request size of PLAN to the size of the target. Returns 0,
 * or -1 with ERROR. In a sweep of sizes the first size decides the I/O mode of all steps.
 * So, unless the user gave the first size, it is raised to the smallest size that direct
 * I/O accepts.
 */
static int
measure_size(struct target *target, struct plan *plan, struct error *error)
{
    bool bounded = target->kind == OS_FILE || target->kind == OS_BLOCK;
    int64_t size = bounded ? target->size : INT64_MAX;
    int64_t rest = size - plan->workload.work_offset;
    int64_t work_size = bounded ? plan->workload.work_size : plan->workload.scratch_size;

    if (size == 0)
        return refuse_empty(target, plan, error);
    if (rest < 0 || work_size > rest)
        return refuse_reach(plan, size, error);

    target->work_size = work_size ? work_size : rest;
    plan->workload.request_size = plan_first(plan, target->work_size);

    if (plan->sweep.kind == SWEEP_SIZE && !plan->sweep.from) {
        int64_t block = target_logical_block(target);
        if (block > plan->workload.request_size && block <= target->work_size)
            plan->workload.request_size = block;
    }

    if (target->work_size < plan_largest(plan))
        return refuse_size(plan, target->work_size, error);
    return 0;
}

/*
 * Returns the share of the working set that is holes, in percent, or -1 if it is
 * unknown. Only holes before the byte END of the target count. Returns 100 only if the
 * whole working set is holes: a smaller share is never rounded up to it.
 */
static double
share_holes(struct target *target, const struct plan *plan, int64_t end)
{
    int64_t holes = working_file_holes(target, plan->workload.work_offset, end);
    double share = 100.0 * (double)holes / (double)target->work_size;

    return holes < 0 ? -1 : holes < target->work_size && share > 99.9 ? 99.9 : share;
}

double
target_new_holes(struct target *target, const struct plan *plan)
{
    struct os_info info;
    int64_t end = plan->workload.work_offset + target->work_size;
    bool stored = target->kind == OS_FILE || target->kind == OS_DIRECTORY;

    if (!stored || !plan_does(plan, OPERATION_READS) || target->hole_percent < 0 ||
        os_file_info(target->fd, &info) < 0)
        return 0;

    double share = share_holes(target, plan, info.size < end ? info.size : end);
    return share > target->hole_percent ? share - target->hole_percent : 0;
}

/* Adds notes to NOTES on data that can be read without a device: holes, and data that is
 * stored in the metadata. */
static void
note_absent(struct target *target, const struct plan *plan, struct notes *notes)
{
    target->hole_percent =
        share_holes(target, plan, plan->workload.work_offset + target->work_size);
    if (target->hole_percent > 0)
        notes_add(notes, plan->path,
                  "%.3g %% of the working set are holes: reading them touches no device",
                  target->hole_percent);

    target_advance(target);

    int storage =
        os_file_storage(target->fd, plan->workload.work_offset, target->work_size);
    if (storage > 0 && storage & OS_STORAGE_INLINE)
        notes_add(notes, plan->path,
                  "its data is stored in the metadata: reading it touches no device");
}

/*
 * Opens what PLAN names, fits PLAN to it, and chooses the I/O mode. Returns 0, or -1 with
 * ERROR; then the caller closes TARGET.
 */
static int
prepare(struct target *target, struct plan *plan, struct notes *notes,
        struct error *error)
{
    bool is_directory = target->kind == OS_DIRECTORY;
    bool is_file = is_directory || target->kind == OS_FILE;
    int64_t available = -1;

    if ((is_directory ? working_file_open(target, plan, error)
                      : open_existing(target, plan, error)) < 0 ||
        (is_file ? describe_file(target, plan, &available, error)
                 : describe_device(target, plan, error)) < 0 ||
        measure_size(target, plan, error) < 0 ||
        (is_directory && working_file_fill(target, plan, available, error) < 0) ||
        io_mode_choose(target, plan, notes, error) < 0)
        return -1;

    if (target->kind == OS_FILE && plan_does(plan, OPERATION_READS))
        note_absent(target, plan, notes);
    return 0;
}

int
target_open(struct target *target, const struct plan *plan, const struct target *before,
            struct notes *notes, struct error *error)
{
    struct plan fitted = *plan;
    struct os_info info;

    target->opened_before = before;
    target->fd = -1;
    target_advance(target);

    if (os_path_info(plan->path, &info) < 0)
        return refuse_path(plan, errno, error);

    target->kind = info.kind;
    target->device = info.device;

    if (info.kind == OS_OTHER)
        return error_set(error, EXIT_PREPARE, plan->path, "unsupported destination");

    if (check_confirmed(target, plan, error) < 0)
        return -1;

    target->description.path = plan->path;

    int status = prepare(target, &fitted, notes, error);
    if (status < 0) {
        target_discard(target, plan);
        target_close(target, notes);
    }

    os_leftover_end();
    return status;
}

void
target_close(struct target *target, struct notes *notes)
{
    if (target->fd < 0)
        return;

    os_file_close(target->fd);
    target->fd = -1;

    if (os_file_vanish(target->removed_path) < 0)
        notes_add(notes, target->removed_path,
                  "the file system has kept the working file: %s; remove it",
                  strerror(errno));
}

const char *
description_mode(enum io_mode mode)
{
    static const char *const modes[] = {[IO_MODE_DIRECT] = "direct",
                                        [IO_MODE_NOCACHE] = "nocache",
                                        [IO_MODE_CACHED] = "cached"};
    return modes[mode];
}

void
description_label(const struct description *description, struct buffer *text)
{
    if (description->is_recorded) {
        buffer_text(text, description->path);
        return;
    }
    buffer_format(text, "%s (%s %s ", description->path, description->fstype,
                  description->device);
    units_add(text, UNITS_SIZE, description->size);
    buffer_text(text, ")");
}
