/*
 * Opens a target. The steps are the same for all kinds of targets:
 *
 *   1. find its kind             a directory, file, block device or character device
 *   2. check for -WWW            required if writes would destroy data of the user
 *   3. open it                   in a directory, open the working file instead
 *   4. describe it               file system, device and their sizes
 *   5. compare sizes             working set and requests must fit into the target
 *   6. fill the working file     only in a directory
 *   7. choose the I/O mode       see io_mode.c
 *
 * Each step that may wait for the file system first calls target_note_progress, so that
 * the supervisor sees progress and gives up an opening only if a single step takes too
 * long.
 */
#include "base/deadlines.h"
#include "base/units.h"
#include "cli/cli.h"
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

/* What the user can do if a target cannot be opened because of an errno value. */
static const struct {
    int code;
    const char *advice;
} advices[] = {
    {ENOENT, "name a directory, file or device that exists"},
    {ENOTDIR, "check the path: a name before a / is not a directory"},
    {EROFS, "leave out -W or -G to measure reads"},
    {EBUSY, "it is in use, perhaps mounted: end that use, or measure a directory in it"},
    {EMFILE, "allow more open files (ulimit -n)"},
};

/* Refuses the target because of errno CODE. Returns -1 with ERROR. */
static int
refuse_by_errno(const struct plan *plan, int code, struct error *error)
{
    error_set(error, EXIT_PREPARE, plan->path, "%s", strerror(code));
    error->storage_failed = error_is_broken(code);

    for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
        if (advices[i].code == code)
            return error_advise(error, advices[i].advice);
    return -1;
}

/* Returns true if PATH looks like the value of an option, such as "10", "4k" or "2s". */
static bool
is_value(const char *path)
{
    int64_t value;

    return is_digit(path[0]) && (!units_parse(UNITS_COUNT, path, &value) ||
                                 !units_parse(UNITS_SIZE, path, &value) ||
                                 !units_parse(UNITS_TIME, path, &value));
}

/* Returns the option that WORD ends with: "-i", "-qi" and "-interval" all mean -interval.
 * Returns NULL if there is none. */
static const struct cli_option *
find_last_option(const char *word)
{
    size_t length = strlen(word);
    if (length < 2 || word[0] != '-')
        return NULL;

    const char *name = word + strspn(word, "-");
    const struct cli_option *option = cli_find(name, strlen(name));
    if (option && length > 2)
        return option;

    for (int i = 0; i < OPTION_IDS; i++)
        if (cli_options[i].letter == word[length - 1])
            return &cli_options[i];
    return NULL;
}

/*
 * Returns the number that PATH, the name of a unit, belongs to: the word before it, which
 * must be the value of an option. So in "-i 5 ms .", the path "ms" belongs to "5".
 * Returns NULL if PATH is no unit, or belongs to no number.
 */
static const char *
find_number_before(const struct options *options, const char *path)
{
    char joined[64];
    int64_t value;
    int index = 3;

    while (index < options->word_count && options->words[index] != path)
        index++;
    if (index >= options->word_count)
        return NULL;

    const char *number = options->words[index - 1];
    const struct cli_option *option = find_last_option(options->words[index - 2]);
    bool is_number = *number && strspn(number, "0123456789./") == strlen(number);
    if (!is_number || strchr("0123456789./", path[0]) || !option || !option->max_value)
        return NULL;

    snprintf(joined, sizeof(joined), "%.30s%.30s", number, path);
    return units_parse(option->units, joined, &value) ? NULL : number;
}

/*
 * Advises what the user can do if the path of PLAN does not exist, because it is probably
 * not meant as a target. Leaves ERROR as it is if the path looks like any other.
 */
static void
advise_mistaken(const struct plan *plan, struct error *error)
{
    const char *path = plan->path;
    bool has_time_option = plan->options && plan->options->given[OPTION_TIME];
    const char *number = plan->options ? find_number_before(plan->options, path) : NULL;
    char advice[64];

    /* The format of -I must be attached to the option. So "-I %T" names a target "%T". */
    if (has_time_option && path[0] == '%')
        error_advise(error, "attach the format to its option: -I%T");
    else if (!path[0])
        error_advise(error, "the name is empty: check the variables in the command");
    else if (strncmp(path, "\xe2\x80\x93", 3) == 0 || /* en dash */
             strncmp(path, "\xe2\x80\x94", 3) == 0)   /* em dash */
        error_advise(error, "begin an option with the hyphen -, not with a longer dash");
    else if (is_value(path))
        error_advise(error, "a value must follow its option, as in -c 10");

    if (number) {
        snprintf(advice, sizeof(advice), "write %.20s%.20s without a blank", number,
                 path);
        error_advise(error, advice);
        return;
    }

    const struct cli_option *option = cli_find(path, strlen(path));
    if (!option || strcmp(option->name, path) != 0)
        return;
    snprintf(advice, sizeof(advice), "did you mean -%s?", option->name);
    error_advise(error, advice);
}

/* Advises what the user can do if the target of PLAN must not be opened (EACCES). */
static void
advise_permission(const struct plan *plan, struct error *error)
{
    struct os_info info;
    bool is_device = os_path_info(plan->path, &info) == 0 &&
                     (info.kind == OS_BLOCK || info.kind == OS_CHARACTER);

    if (is_device)
        error_advise(error, "run ioping as root or administrator, or join the group of "
                            "the device");
    else if (plan_does(plan, OPERATION_CHANGES))
        error_advise(error, "name a file that you may write, or run ioping as root");
    else
        error_advise(error, "name a file that you may read, or run ioping as root");
}

/* Refuses a path that does not exist or cannot be opened, because of errno CODE. Returns
 * -1 with ERROR. */
static int
refuse_path(const struct plan *plan, int code, struct error *error)
{
    refuse_by_errno(plan, code, error);
    if (code == ENOENT)
        advise_mistaken(plan, error);
    if (code == EACCES)
        advise_permission(plan, error);
    return -1;
}

/* Refuses a target that is a pipe, a socket or the like. Returns -1 with ERROR. */
static int
refuse_kind(const struct plan *plan, struct error *error)
{
    error_set(error, EXIT_PREPARE, plan->path, "unsupported destination");
    return error_advise(error, "name a directory, file or device");
}

/* Refuses to write to a file or device unless -WWW is given, and refuses -append to it in
 * any case. Returns 0, or -1 with ERROR. */
static int
check_confirmed(const struct target *target, const struct plan *plan, struct error *error)
{
    if (target->kind != OS_DIRECTORY && plan->workload.is_log)
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
 * exclusively once more, because that would fail while this process has it open. The
 * device number was found by the path; open_existing checks it again after opening.
 */
static bool
is_opened_already(const struct target *target)
{
    const struct target *earlier = target->opened_before;

    for (; earlier; earlier = earlier->opened_before)
        if (earlier->kind == OS_BLOCK && earlier->device == target->device)
            return true;
    return false;
}

/*
 * Opens the device at PATH exclusively. If it is in use, tries again for DEADLINE_CLAIM,
 * because the system may hold a device for a moment after another program has closed it
 * (io_uring does so after a flush). Returns the descriptor, or -1 with errno.
 */
static int
open_exclusively(struct target *target, const char *path, unsigned flags)
{
    for (int tries = 1;; tries++) {
        target_note_progress(target);
        int fd = os_file_open(path, flags);
        if (fd >= 0 || errno != EBUSY || tries == DEADLINE_CLAIM / CLAIM_PAUSE ||
            os_signals_stop_signal())
            return fd;
        os_sleep_until(os_clock_now() + CLAIM_PAUSE);
    }
}

/* Opens a file or device, and checks that it was not replaced since its kind was found. A
 * block device that is written to is opened exclusively. Returns 0, or -1 with ERROR. */
static int
open_existing(struct target *target, const struct plan *plan, struct error *error)
{
    bool is_block = target->kind == OS_BLOCK;
    bool changes = plan_does(plan, OPERATION_CHANGES);
    unsigned flags = plan->io.open_flags;
    struct os_info info;

    target_note_progress(target);
    if (!is_block)
        flags |= OS_OPEN_NO_WAIT;
    if (changes)
        flags |= OS_OPEN_WRITE;

    if (changes && is_block && !is_opened_already(target))
        target->fd = open_exclusively(target, plan->path, flags | OS_OPEN_EXCLUSIVE);
    else
        target->fd = os_file_open(plan->path, flags);

    if (target->fd < 0 || os_file_info(target->fd, &info) < 0)
        return refuse_path(plan, errno, error);

    bool is_same_kind = info.kind == target->kind;
    if (target->kind == OS_CHARACTER && os_device_is_disk(target->fd))
        target->kind = OS_BLOCK;
    if (!is_same_kind || (target->kind == OS_BLOCK && info.device != target->device))
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
    int64_t logical_block;

    target_note_progress(target);
    target->size = 0;
    if (is_block && os_device_size(target->fd, &target->size, &logical_block) < 0)
        return refuse_by_errno(plan, errno, error);
    if (is_block && plan_does(plan, OPERATION_CHANGES) &&
        os_device_is_read_only(target->fd))
        return refuse_by_errno(plan, EROFS, error);

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
    /* ENOENT: this system has no /proc, so the names stay "unknown" without an error. */
    if (os_mount_name(target->fd, &mount) < 0 && errno != ENOENT)
        target->naming_errno = errno;

    memcpy(description->fstype, mount.fstype, sizeof(description->fstype));
    snprintf(description->device, sizeof(description->device), "%s", mount.device);
}

/*
 * Fills MOUNT with the sizes of the file system that the open TARGET is on. Returns 0, or
 * -1 with errno.
 *
 * The working file in a directory has no name. Some FUSE file systems fail every query
 * about such a file. Then the query is about the directory instead.
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
    int directory = os_file_open(plan->path, OS_OPEN_READ | OS_OPEN_NO_WAIT);
    if (directory < 0)
        return os_fail(code);
    int status = os_mount_measure(directory, mount);
    os_file_close(directory);
    return status < 0 ? os_fail(code) : 0;
}

/* Fills the description of a file or directory from its file system. Stores the free
 * space of the file system in AVAILABLE, in bytes, or -1 if it is unknown. Returns 0, or
 * -1 with ERROR. */
static int
describe_file(struct target *target, const struct plan *plan, int64_t *available,
              struct error *error)
{
    struct description *description = &target->description;
    struct os_mount mount;

    target_note_progress(target);
    if (measure_mount(target, plan, &mount) < 0)
        return refuse_by_errno(plan, errno, error);

    memcpy(description->fstype, mount.fstype, sizeof(description->fstype));
    /* If the device is unknown, target_name fills its name later. */
    if (strcmp(mount.device, "unknown") != 0)
        memcpy(description->device, mount.device, sizeof(description->device));
    description->size = mount.size;
    target->is_in_memory = mount.is_in_memory;

    target->fs_block_size = mount.block_size;
    *available = mount.size > 0 ? mount.available : -1;

    /* The device of a file system with an anonymous device number may be a path on
     * another file system, which may hang. So it is looked up now, while the supervisor
     * limits the time of each step. */
    target_note_progress(target);
    if (mount.is_anonymous)
        target_name(target);
    return 0;
}

int64_t
target_logical_block(const struct target *target)
{
    int64_t unused;
    int64_t block = 0;
    int status;

    if (target->kind == OS_BLOCK)
        status = os_device_size(target->fd, &unused, &block);
    else
        status = os_file_alignment(target->fd, &unused, &block);
    return status == 0 ? block : 0;
}

/*
 * Refuses a file or device of 0 bytes. This is not left to refuse_size, because a smaller
 * request would not help. The message for a file begins as in ioping 1.3, because scripts
 * may look for it. Returns -1 with ERROR.
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
 * Refuses an offset (-o) and a working set (-S) that reach beyond the end of the target.
 * SIZE is the size of the target in bytes, or INT64_MAX if the target has no end. Scripts
 * may look for the beginning of the message. Returns -1 with ERROR.
 */
static int
refuse_reach(const struct plan *plan, int64_t size, struct error *error)
{
    char text[UNITS_TEXT];

    if (size == INT64_MAX)
        error_set(error, EXIT_PREPARE, plan->path,
                  "target is too small for this: -o and -S reach beyond its last "
                  "possible offset");
    else
        error_set(error, EXIT_PREPARE, plan->path,
                  "target is too small for this: -o and -S reach beyond its %s",
                  units_format(UNITS_SIZE, size, text));
    return error_advise(error, "use a smaller -o or -S");
}

/*
 * Refuses a request size that is larger than the working set of WORK_SIZE bytes. Scripts
 * may look for the beginning of the message. Returns -1 with ERROR.
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
              units_format(UNITS_SIZE, plan_largest_size(plan), request));
    return error_advise(error, advice);
}

/*
 * Fits the working set and the request size of PLAN to the size of the target. Returns 0,
 * or -1 with ERROR if they do not fit. In a sweep of sizes, the first request size
 * decides the I/O mode of all steps. So, unless the user gave the first size, it is
 * raised to the smallest size that direct I/O accepts.
 */
static int
fit_sizes(struct target *target, struct plan *plan, struct error *error)
{
    bool has_size = target->kind == OS_FILE || target->kind == OS_BLOCK;
    int64_t size = has_size ? target->size : INT64_MAX;
    int64_t work_size = plan->workload.work_size;
    if (!has_size)
        work_size = plan->workload.scratch_size;

    int64_t size_after_offset = size - plan->workload.work_offset;

    if (size == 0)
        return refuse_empty(target, plan, error);
    if (size_after_offset < 0 || work_size > size_after_offset)
        return refuse_reach(plan, size, error);

    target->work_size = work_size ? work_size : size_after_offset;
    plan->workload.request_size = plan_opening_size(plan, target->work_size);

    if (plan->sweep.kind == SWEEP_SIZE && !plan->sweep.from) {
        int64_t block = target_logical_block(target);
        if (block > plan->workload.request_size && block <= target->work_size)
            plan->workload.request_size = block;
    }

    if (target->work_size < plan_largest_size(plan))
        return refuse_size(plan, target->work_size, error);
    return 0;
}

/*
 * Returns how many percent of the working set are holes, or -1 if that is unknown. The
 * working set is in the file FD, from the byte OFFSET on. Holes at or after the byte END
 * of this file do not count. Returns 100 only if the whole working set is a hole, so that
 * a message never rounds another share up to 100 %.
 */
static double
measure_holes(struct target *target, int fd, int64_t offset, int64_t end)
{
    int64_t holes = working_file_holes(target, fd, offset, end);
    if (holes < 0)
        return -1;

    double percent = 100.0 * (double)holes / (double)target->work_size;
    if (holes < target->work_size && percent > 99.9)
        return 99.9;
    return percent;
}

double
target_new_holes(struct target *target, const struct plan *plan)
{
    struct os_info info;
    int64_t end = plan->workload.work_offset + target->work_size;
    bool is_file = target->kind == OS_FILE || target->kind == OS_DIRECTORY;

    if (!is_file || !plan_does(plan, OPERATION_READS) || target->hole_percent < 0 ||
        os_file_info(target->fd, &info) < 0)
        return 0;

    if (info.size < end)
        end = info.size;
    double percent = measure_holes(target, target->fd, plan->workload.work_offset, end);
    return percent > target->hole_percent ? percent - target->hole_percent : 0;
}

/* Adds notes to NOTES on data that can be read without the device: holes, and data that
 * is stored in the metadata. Sets `hole_percent`. */
static void
note_unstored_data(struct target *target, const struct plan *plan, struct notes *notes)
{
    int64_t offset = plan->workload.work_offset;

    target->hole_percent =
        measure_holes(target, target->fd, offset, offset + target->work_size);
    if (target->hole_percent > 0)
        notes_add(notes, plan->path,
                  "%.3g %% of the working set are holes: reading them touches no device",
                  target->hole_percent);

    target_note_progress(target);

    int storage = os_file_storage(target->fd, offset, target->work_size);
    if (storage > 0 && storage & OS_STORAGE_INLINE)
        notes_add(notes, plan->path,
                  "its data is stored in the metadata: reading it touches no device");
}

/* If the target is a loop device, adds a note to NOTES on the holes of its file. Reads
 * after the end of the file fail, so no holes are counted there. Sets `hole_percent`. */
static void
note_holes_of_loop(struct target *target, const struct plan *plan, struct notes *notes)
{
    struct os_info info;
    int64_t start;
    int fd = os_loop_file_open(target->fd, &start);

    if (fd < 0) {
        if (errno != ENOTSUP)
            target->hole_percent = -1;
        return;
    }

    start += plan->workload.work_offset;
    int64_t end = start + target->work_size;
    if (os_file_info(fd, &info) == 0 && info.size < end)
        end = info.size;
    target->hole_percent = measure_holes(target, fd, start, end);
    os_file_close(fd);
    if (target->hole_percent > 0)
        notes_add(notes, plan->path,
                  "%.3g %% of the working set are holes in the loop device's backing "
                  "file: reading them touches no device",
                  target->hole_percent);
}

/* Opens the target of PLAN and fills its description. Stores the free space of its file
 * system in AVAILABLE, in bytes, or -1 if it is unknown. Returns 0, or -1 with ERROR. */
static int
open_and_describe(struct target *target, const struct plan *plan, int64_t *available,
                  struct error *error)
{
    int status;

    *available = -1;
    if (target->kind == OS_DIRECTORY)
        status = working_file_open(target, plan, error);
    else
        status = open_existing(target, plan, error);
    if (status < 0)
        return -1;

    if (target->kind == OS_FILE || target->kind == OS_DIRECTORY)
        return describe_file(target, plan, available, error);
    return describe_device(target, plan, error);
}

/*
 * Opens a target whose kind is known, describes it, fits PLAN to it, fills a working
 * file, and chooses the I/O mode: steps 3 to 7 of the list at the top of this file.
 * Returns 0, or -1 with ERROR; then the caller closes TARGET.
 */
static int
prepare_target(struct target *target, struct plan *plan, struct notes *notes,
               struct error *error)
{
    int64_t available;

    if (open_and_describe(target, plan, &available, error) < 0)
        return -1;
    if (fit_sizes(target, plan, error) < 0)
        return -1;
    if (target->kind == OS_DIRECTORY &&
        working_file_fill(target, plan, available, error) < 0)
        return -1;
    if (io_mode_choose(target, plan, notes, error) < 0)
        return -1;

    if (target->kind == OS_FILE && plan_does(plan, OPERATION_READS))
        note_unstored_data(target, plan, notes);
    if (target->kind == OS_BLOCK && plan_does(plan, OPERATION_READS))
        note_holes_of_loop(target, plan, notes);
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
    target_note_progress(target);

    if (os_path_info(plan->path, &info) < 0)
        return refuse_path(plan, errno, error);

    target->kind = info.kind;
    target->device = info.device;

    if (info.kind == OS_OTHER)
        return refuse_kind(plan, error);

    if (check_confirmed(target, plan, error) < 0)
        return -1;

    target->description.path = plan->path;

    int status = prepare_target(target, &fitted, notes, error);
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

    if (os_file_remove_again(target->removed_path) < 0)
        notes_add(notes, target->removed_path,
                  "the file system has kept the working file: %s; remove it",
                  strerror(errno));
}

const char *
io_mode_name(enum io_mode mode)
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
