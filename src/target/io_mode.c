/*
 * Decides how requests reach the device: the I/O mode, the flags of requests, and
 * polling.
 *
 * direct: direct I/O, O_DIRECT on Linux. If the kernel tells which alignment direct I/O
 * needs, its answer is trusted. Otherwise (btrfs, NFS, old kernels) direct I/O is tried.
 * Some file systems accept every direct read and silently serve it through the page
 * cache. So the trial makes two reads with the size and offset of the run. If their pages
 * are in the page cache afterwards, the reads were not direct.
 *
 * nocache: buffered I/O, but the data of a request must not be in the page cache when the
 * request is sent. At the start, dirty pages are written back, the working set is dropped
 * from the page cache, and read-ahead is turned off. The pages of each read are dropped
 * again before it is sent. page_cache.c explains how, and how a read from a cache is
 * detected.
 *
 * cached: buffered I/O through the page cache as it is, because -C is given or neither of
 * the other modes is possible.
 *
 * The first line that applies decides:
 *
 *   a character device                                           direct
 *   -C is given, without -direct                                 cached
 *   -direct is given, and direct I/O fails                       error
 *   the target is in memory, or a loop device reads from cache   cached
 *   direct I/O works                                             direct
 *   the page cache can be emptied, or the run only writes        nocache
 *   otherwise                                                    cached
 */
#include "target_private.h"

#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "plan/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096 /* bytes; smallest alignment of the buffers of requests */
#define LARGEST_ALIGNMENT (1 << 20) /* bytes; more than any storage needs */

/* Returns whether the target, which has refused a direct read, accepts a direct read
 * whose size and offset are multiples of LARGEST_ALIGNMENT. A target may accept O_DIRECT
 * and then refuse every read, as overlayfs on squashfs does. */
static bool
accepts_aligned_read(struct target *target)
{
    void *buffer = os_memory_aligned(LARGEST_ALIGNMENT, LARGEST_ALIGNMENT);

    target_note_progress(target);
    bool accepts =
        buffer && os_file_read(target->fd, buffer, LARGEST_ALIGNMENT, 0, 0) >= 0;

    os_memory_free(buffer);
    return accepts;
}

/*
 * Returns whether successful direct reads count as direct without a proof. To be called
 * if the page cache gives no proof, because pages stay in it or cannot be looked up.
 * Direct reads are trusted in two cases:
 * - A server serves every direct read of the file.
 * - Requests are aligned to blocks, and the data is stored plainly. Direct reads of other
 *   files go through the page cache only if the requests are unaligned or the data is
 *   stored in another way: no other reasons are known.
 */
static bool
trusts_direct_read(const struct target *target, const struct plan *plan)
{
    const struct plan_workload *workload = &plan->workload;

    if (os_file_is_served(target->fd))
        return true;

    return target->fs_block_size > 0 &&
           workload->request_size % target->fs_block_size == 0 &&
           workload->work_offset % target->fs_block_size == 0 &&
           os_file_storage(target->fd, workload->work_offset, target->work_size) == 0;
}

/* Makes a read of the plan's size at OFFSET while direct I/O is on, and looks for its
 * pages in the page cache. Returns NULL if the read was direct, else why it was not. */
static const char *
try_direct_read(struct target *target, const struct plan *plan, int64_t offset)
{
    const struct plan_workload *workload = &plan->workload;
    size_t size = (size_t)workload->request_size;
    void *buffer = os_memory_aligned((size_t)target->alignment, size);
    int code = ENOMEM;

    target_note_progress(target);
    bool pages_stay = target_evict(target, offset, workload->request_size);
    target_note_progress(target);

    if (buffer) {
        /* btrfs falls back to a buffered read if the buffer is not in memory yet. */
        memset(buffer, 1, size);
        code = os_file_read(target->fd, buffer, size, offset, 0) < 0 ? errno : 0;
    }
    os_memory_free(buffer);

    target_note_progress(target);
    if (code == EINVAL || code == EOPNOTSUPP || code == ENOTSUP) {
        if (accepts_aligned_read(target))
            return "direct I/O of this size and offset not supported";
        return "direct I/O not supported";
    }

    int resident;
    if (target->find_resident)
        resident = target->find_resident(target->fd, offset, workload->request_size);
    else
        resident = os_file_resident_try(target->fd, offset);

    if ((pages_stay || resident < 0) && trusts_direct_read(target, plan))
        return NULL;
    if (pages_stay)
        return "its pages stay in the page cache";
    if (resident < 0)
        return "cannot tell whether I/O is direct";
    if (resident)
        return "direct I/O goes through the page cache here";
    return NULL;
}

/* Tries direct I/O, which must be on, with the first two requests of the plan, unless the
 * way in which the data is stored makes direct I/O impossible. Returns NULL if the reads
 * were direct, else why they were not. */
static const char *
try_first_requests(struct target *target, const struct plan *plan)
{
    const struct plan_workload *workload = &plan->workload;
    int64_t size = workload->request_size;
    target_note_progress(target);

    int storage = os_file_storage(target->fd, workload->work_offset, target->work_size);
    if (storage > 0 && storage & OS_STORAGE_ENCODED)
        return "compressed data goes through the page cache";
    if (storage > 0)
        return "inline data goes through the page cache";

    const char *reason = try_direct_read(target, plan, workload->work_offset);
    bool has_second = target->work_size - size >= size;
    if (!reason && has_second)
        reason = try_direct_read(target, plan, workload->work_offset + size);
    return reason;
}

/* The size of the buffer for a reason with a number. All other reasons are string
 * literals. */
#define REASON_ROOM 128

/* Turns direct I/O on and returns NULL. If that is impossible, leaves it off and returns
 * the reason, which may be stored in TEXT, a buffer of REASON_ROOM bytes. */
static const char *
turn_direct_on(struct target *target, const struct plan *plan, char *text)
{
    const struct plan_workload *workload = &plan->workload;
    int64_t memory = 0; /* alignment of buffers, bytes */
    int64_t unit = 0;   /* alignment of offsets and sizes, bytes */
    int64_t unused;
    target_note_progress(target);

    bool known = os_file_alignment(target->fd, &memory, &unit) == 0;
    if (!known && target->kind == OS_BLOCK)
        known = os_device_size(target->fd, &unused, &unit) == 0;
    if (known && !unit)
        return "direct I/O not supported";

    if (known && (workload->request_size % unit || plan_largest_size(plan) % unit ||
                  workload->work_offset % unit)) {
        snprintf(
            text, REASON_ROOM,
            "direct I/O needs a request size and an offset that are multiples of %lld",
            (long long)unit);
        return text;
    }

    if (memory > target->alignment)
        target->alignment = memory;
    if (!known)
        page_cache_choose_lookup(target, workload->work_offset);

    if (os_file_direct(target->fd, true) < 0)
        return "direct I/O not supported";

    const char *reason = known ? NULL : try_first_requests(target, plan);
    if (reason)
        os_file_direct(target->fd, false);
    return reason;
}

/* Adds a note that reads of the loop device NAME come from the page cache of its backing
 * file, with the remedy that suits BACKING. */
static void
note_loop_device(const struct plan *plan, enum os_backing backing, const char *name,
                 struct notes *notes)
{
    if (backing == OS_BACKING_CACHED)
        notes_add(notes, plan->path,
                  "reads go through the page cache of the loop device's backing file; "
                  "run losetup --direct-io=on %s",
                  name);
    else if (backing == OS_BACKING_PARTLY)
        notes_add(
            notes, plan->path,
            "some of the backing file of %s is compressed: reads of it may be as fast "
            "as memory; use a file that is not compressed",
            name);
    else
        notes_add(notes, plan->path,
                  "%s reads through the page cache of its backing file even with direct "
                  "I/O, because that file is compressed or journaled; use another file",
                  name);
}

/* Adds a note that the target lives in memory. NAME is the name of the file system or
 * device. */
static void
note_memory(const struct plan *plan, const char *name, struct notes *notes)
{
    notes_add(notes, plan->path,
              "%s lives in memory: these times say nothing about a disk", name);
}

/*
 * Sets the only mode that is possible for the target. The mode of a character device is
 * direct, because the device has no page cache. The mode of a file system in memory is
 * cached, because the file system consists of the page cache. MEMORY is the name of that
 * file system, or NULL for a character device. With -direct, also turns direct I/O on,
 * which some systems accept even for a file in memory. Returns 0, or -1 with ERROR if
 * -direct is given and direct I/O is impossible.
 */
static int
set_only_mode(struct target *target, const struct plan *plan, const char *memory,
              struct notes *notes, struct error *error)
{
    target->description.mode = memory ? IO_MODE_CACHED : IO_MODE_DIRECT;

    if (plan->io.needs_direct && os_file_direct(target->fd, true) < 0)
        return error_set(error, EXIT_PREPARE, plan->path,
                         "direct I/O not supported; leave out -D to measure it anyway");
    if (memory)
        note_memory(plan, memory, notes);
    return 0;
}

/* Writes OPTION with BYTES, such as "-s 4k", into TEXT of SIZE bytes. Returns the
 * length. */
static int
format_size_option(char *text, size_t size, const char *option, int64_t bytes)
{
    if (bytes % 1024 == 0)
        return snprintf(text, size, "%s %lldk", option, (long long)(bytes / 1024));
    return snprintf(text, size, "%s %lld", option, (long long)bytes);
}

/*
 * Finds out whether direct reads would work if the size and the offset of the plan were
 * rounded up to the alignment that direct I/O needs. Stores the options for that in
 * `direct_io_hint` of TARGET. Leaves the hint empty if size and offset are aligned, or if
 * direct reads still fail.
 */
static void
find_direct_io_hint(struct target *target, const struct plan *plan)
{
    char reason[REASON_ROOM];
    char *text = target->direct_io_hint;
    int64_t unused;
    int64_t unit = 0;
    struct plan rounded = *plan;
    int64_t *size = &rounded.workload.request_size;
    int64_t *offset = &rounded.workload.work_offset;

    if (os_file_alignment(target->fd, &unused, &unit) < 0 &&
        (target->kind != OS_BLOCK || os_device_size(target->fd, &unused, &unit) < 0))
        unit = target->fs_block_size;

    if (unit <= 0 || plan->sweep.kind == SWEEP_SIZE)
        return;

    *size = (*size + unit - 1) / unit * unit;
    *offset = (*offset + unit - 1) / unit * unit;

    bool is_larger = *size > plan->workload.request_size;
    bool is_moved = *offset > plan->workload.work_offset;
    if (!is_larger && !is_moved)
        return;

    int64_t needed = plan->workload.work_size ? plan->workload.work_size : *size;
    if (*size > needed ||
        (target->kind != OS_DIRECTORY && *offset > target->size - needed))
        return;

    if (turn_direct_on(target, &rounded, reason))
        return;
    os_file_direct(target->fd, false);

    size_t room = sizeof(target->direct_io_hint) / 2; /* half for -s, half for -o */
    if (is_larger)
        text += format_size_option(text, room, "-s", *size);
    if (is_moved)
        format_size_option(text, room, is_larger ? " -o" : "-o", *offset);
}

/*
 * Refuses a target that must use direct I/O, because direct I/O is impossible for REASON.
 * The target must use it if -direct is given, or if it is a device that has only direct
 * I/O (RAW). Returns -1 with ERROR. Advises to leave out -direct only if mode nocache
 * would work, which needs pages that can be dropped from the page cache.
 */
static int
refuse_direct(struct target *target, const struct plan *plan, bool raw,
              const char *reason, struct error *error)
{
    char name[224];
    char advice[sizeof(error->advice)];

    error_set(error, EXIT_PREPARE, plan->path, "%s", reason);
    if (raw)
        return -1;

    if (target->kind == OS_BLOCK && os_path_raw(plan->path, name, sizeof(name))) {
        snprintf(advice, sizeof(advice), "name the raw device %s", name);
        return error_advise(error, advice);
    }

    page_cache_choose_lookup(target, plan->workload.work_offset);
    target_note_progress(target);
    if (!plan_does(plan, OPERATION_READS) ||
        !target_evict(target, plan->workload.work_offset, plan->workload.request_size))
        return error_advise(error, "leave out -D to measure without it");

    find_direct_io_hint(target, plan);
    if (!target->direct_io_hint[0])
        return error_advise(error,
                            "name another file, or use -C instead to measure the cache");
    snprintf(advice, sizeof(advice), "use %s", target->direct_io_hint);
    return error_advise(error, advice);
}

/*
 * Chooses the mode of a file or block device. Some block devices have only direct I/O
 * (`raw`). Two kinds of targets get mode cached even if direct I/O works: a target in
 * memory, and, if the plan reads, a loop device that reads its file through the page
 * cache. If the plan only writes to such a loop device, its writes are flushed to the
 * file, so the mode need not be cached. Returns 0, or -1 with ERROR.
 */
static int
choose_storage_mode(struct target *target, const struct plan *plan, struct notes *notes,
                    struct error *error)
{
    const struct plan_workload *workload = &plan->workload;
    char name[64];
    char text[REASON_ROOM];

    target_note_progress(target);
    bool raw = target->kind == OS_BLOCK && os_device_is_disk(target->fd);
    bool reads = plan_does(plan, OPERATION_READS);
    enum os_backing backing = os_file_backing(target->fd, name, sizeof(name));
    bool is_buffered_loop =
        backing == OS_BACKING_CACHED || backing == OS_BACKING_BUFFERED;
    bool reads_loop = is_buffered_loop && reads;
    bool is_cached = reads_loop || backing == OS_BACKING_MEMORY;

    /* The target is a file system in memory: the name of a device would begin with a
     * slash. */
    if (backing == OS_BACKING_MEMORY && name[0] != '/')
        return set_only_mode(target, plan, name, notes, error);
    if (backing == OS_BACKING_MEMORY)
        note_memory(plan, name, notes);

    bool wants_cached = plan->io.uses_cache && !plan->io.needs_direct && !raw;
    target->description.mode =
        is_cached || wants_cached ? IO_MODE_CACHED : IO_MODE_DIRECT;
    /* Only a linear run with -C is measured with read-ahead. */
    if (!wants_cached || !workload->linear)
        os_file_random(target->fd, workload->work_offset, target->work_size);
    if (wants_cached)
        return 0;

    target_note_progress(target);
    target->charges_reads =
        reads && !is_cached &&
        (plan->io.engine->charges_sender || os_process_charges_workers()) &&
        os_file_charges_reads(target->fd);
    if (reads_loop || (backing == OS_BACKING_PARTLY && reads))
        note_loop_device(plan, backing, name, notes);

    if (!target->is_flushed)
        page_cache_write_back(target, plan, notes);

    const char *reason = turn_direct_on(target, plan, text);
    target->is_direct = !reason;
    if (reason && (plan->io.needs_direct || raw))
        return refuse_direct(target, plan, raw, reason, error);

    if (reason && !is_cached) {
        if (reads)
            find_direct_io_hint(target, plan);
        page_cache_start_nocache(target, plan, reason, notes);
    }
    return 0;
}

/*
 * Decides whether completions are polled for, after the mode was chosen; sets `polls`.
 * Adds a note if -hipri has no effect, and a note if the engine does not really queue
 * requests in this mode although the queue depth is above 1.
 */
static void
choose_polling(struct target *target, const struct plan *plan, struct notes *notes)
{
    bool is_buffered = target->kind != OS_CHARACTER && !target->is_direct;

    const char *caveat = plan->io.engine->caveat;
    if (is_buffered)
        caveat = plan->io.engine->caveat_buffered;
    if (plan->io.depth > 1 && caveat)
        notes_add(notes, plan->path, "%s", caveat);

    if (!plan->io.engine->can_poll || !(plan->io.rw_flags & OS_RW_HIPRI))
        return;

    const char *note = NULL;
    if (is_buffered)
        note = "only direct I/O can be polled; continuing without -hipri";
    else if (target->flushes_writes)
        note = "a flush cannot be polled; continuing without -hipri";
    else {
        int polls = os_file_supports_polling(target->fd);
        target->polls_completions = polls > 0;
        if (polls == 0)
            note = "the device cannot be polled; continuing without -hipri";
        else if (polls < 0)
            note = "cannot tell whether the device can be polled; continuing without "
                   "-hipri";
    }

    if (note)
        notes_add(notes, plan->path, "%s", note);
}

/* Returns whether requests with FLAGS work. Tries a read of 0 bytes if PLAN reads, and a
 * write of 0 bytes if PLAN writes. Returns false with errno if one of them fails. */
static bool
accepts_flags(const struct target *target, const struct plan *plan, int flags)
{
    char byte = 0;

    if (plan_does(plan, OPERATION_READS) &&
        os_file_read(target->fd, &byte, 0, 0, flags) != 0)
        return false;
    if (plan_does(plan, OPERATION_CHANGES) &&
        os_file_write(target->fd, &byte, 0, 0, flags) != 0)
        return false;
    return true;
}

/*
 * Sets `rw_flags`, and tries them. If they do not work, -nowait is an error. -hipri is
 * left out with a note, because a request without it does the same. Returns 0, or -1 with
 * ERROR.
 */
static int
choose_flags(struct target *target, const struct plan *plan, struct notes *notes,
             struct error *error)
{
    char name[16];
    int flags = plan->io.rw_flags;

    target_note_progress(target);
    target->rw_flags = flags;
    if (!flags || accepts_flags(target, plan, flags))
        return 0;

    if (flags & OS_RW_NOWAIT)
        return error_set(error, EXIT_PREPARE, plan->path,
                         "-nowait is not available here: %s; leave out -nowait",
                         strerror(errno));

    notes_add(notes, plan->path,
              "-hipri is not available here (%s); continuing without it",
              error_name(errno, name));
    target->rw_flags &= ~OS_RW_HIPRI;
    return 0;
}

/* If the plan's writes are flushed, and flushes are known not to reach the device, sets
 * `flushes_ignored` and adds a note. */
static void
check_flushes(struct target *target, const struct plan *plan, struct notes *notes)
{
    char why[256];
    bool is_sync = plan->io.open_flags & (OS_OPEN_SYNC | OS_OPEN_DSYNC);

    if (!target->flushes_writes && !(is_sync && plan_does(plan, OPERATION_CHANGES)))
        return;

    target_note_progress(target);
    target->flushes_ignored = os_flush_is_ignored(target->fd, why, sizeof(why));

    if (target->flushes_ignored)
        notes_add(notes, plan->path,
                  "no flush reaches the device, because of %s: the times of flushes say "
                  "nothing about it",
                  why);
}

int
io_mode_choose(struct target *target, const struct plan *plan, struct notes *notes,
               struct error *error)
{
    target->alignment = PAGE;
    target->flushes_writes = !plan->io.uses_cache && plan_does(plan, OPERATION_FLUSHED);

    if (choose_flags(target, plan, notes, error) < 0)
        return -1;

    int status;
    if (target->is_in_memory)
        status = set_only_mode(target, plan, target->description.fstype, notes, error);
    else if (target->kind == OS_CHARACTER)
        status = set_only_mode(target, plan, NULL, notes, error);
    else
        status = choose_storage_mode(target, plan, notes, error);
    if (status < 0)
        return -1;

    choose_polling(target, plan, notes);
    check_flushes(target, plan, notes);
    return 0;
}
