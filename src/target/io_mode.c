/*
 * Decides how requests reach the device: the I/O mode, the flags of requests, and
 * polling.
 *
 * direct: direct I/O, O_DIRECT on Linux. If the kernel tells which alignment direct I/O
 * needs, it is trusted. Otherwise (btrfs, NFS, old kernels) direct I/O is tried. Some
 * file systems accept every direct read and silently serve it through the page cache. So
 * two requests with the size and offset of the run are made. If their pages are in the
 * page cache afterwards, the reads were not direct.
 *
 * nocache: buffered I/O, but the data of a request must not be in the page cache when
 * the request is sent. At the start the cache is written back and dropped once, and
 * read-ahead is turned off. Before each read its pages are looked up in the cache:
 *
 *   - Pages that are found are dropped. The cache stores pages in folios of up to 2 MiB
 *     and more, and a folio stays if only a part of it is to be dropped. So the whole
 *     aligned window around the request is dropped. If pages stay nevertheless, dirty
 *     data is written back and the window is dropped again.
 *   - The file system may have other caches, and the process may not be allowed to look
 *     pages up. So the kernel's count of sectors that this thread has read from devices
 *     is compared before and after each read. If the count stays the same, the read was
 *     cached. (RWF_NOWAIT could not tell: it starts to read a missing page.)
 *
 * cached: buffered I/O through the page cache as it is, with -C or because neither of
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

#define PAGE 4096
/* Dirty data is written back in about WRITE_BACK_CHUNKS chunks, or in fewer chunks of
 * WRITE_BACK_CHUNK_MIN bytes. */
#define WRITE_BACK_CHUNKS 256
#define WRITE_BACK_CHUNK_MIN (64LL << 20)

/* Drops all folios that hold a part of the range from the page cache, by dropping the
 * aligned windows of the largest folio size around it. Returns 0, or -1 with errno. */
static int
drop_window(const struct target *target, int64_t offset, int64_t size)
{
    int64_t window = os_file_folio_max();
    int64_t start = offset / window * window;
    int64_t end = offset + size;

    int64_t beyond = (window - end % window) % window;
    if (beyond > INT64_MAX - end)
        beyond = INT64_MAX - end;

    return os_file_drop(target->fd, start, end - start + beyond);
}

bool
target_evict(const struct target *target, int64_t offset, int64_t size)
{
    if (!target->find_resident) {
        drop_window(target, offset, size);
        return false;
    }
    if (target->find_resident(target->fd, offset, size) != 1)
        return false;

    drop_window(target, offset, size);
    if (target->find_resident(target->fd, offset, size) != 1)
        return false;

    /* The pages may be dirty, or another process is reading them at this moment. A flush
     * writes them back, and gives the other process time to finish. */
    os_file_flush(target->fd);
    drop_window(target, offset, size);
    return target->find_resident(target->fd, offset, size) == 1;
}

/*
 * Sets `find_resident`: chooses a way to look up the pages of TARGET that gives the
 * right answer for the page at OFFSET, which this function reads through the page cache
 * first and drops in the end.
 */
static void
look_up_pages(struct target *target, int64_t offset)
{
    char byte;

    target_advance(target);
    if (os_file_read(target->fd, &byte, 1, offset, 0) == 1)
        target->find_resident = os_resident_choose(target->fd, offset);

    drop_window(target, offset, 1);
}

/* Adds a note that mode nocache is used instead of direct I/O, for REASON, and notes on
 * what that mode cannot do here. */
static void
note_fallback(struct target *target, const struct plan *plan, const char *reason,
              struct notes *notes)
{
    if (!plan_does(plan, OPERATION_READS)) {
        notes_add(notes, plan->path,
                  "%s: flushing the page cache after each request instead", reason);
        return;
    }

    notes_add(notes, plan->path,
              "%s: evicting the page cache before each request instead", reason);

    if (!target->find_resident && !target->counts_sectors && !target->charges_reads)
        notes_add(notes, plan->path,
                  "cannot tell whether reads come from the page cache; compare with -C");
    if (plan->io.rw_flags & OS_RW_NOWAIT)
        notes_add(notes, plan->path,
                  "-nowait without cached or direct I/O can only fail (EAGAIN); add -C, "
                  "or leave out -nowait");
}

/* Adds a note that mode cached is used, because direct I/O is impossible for REASON and
 * the page cache cannot be emptied. */
static void
note_cached(const struct target *target, const struct plan *plan, const char *reason,
            struct notes *notes)
{
    char raw[256];

    if (target->kind == OS_BLOCK && os_path_raw(plan->path, raw, sizeof(raw)))
        notes_add(notes, plan->path,
                  "reads go through the buffer cache; name the raw device %s", raw);
    else
        notes_add(notes, plan->path,
                  "%s, and this system cannot empty the page cache: reads may be as fast "
                  "as memory; name a disk instead",
                  reason);
}

/* Adds a note on errno if that means that earlier written data was lost. The kernel
 * reports such an error only once, so it must not be ignored. */
static void
note_lost(const struct plan *plan, struct notes *notes)
{
    char name[16];

    if (errno != EINVAL && errno != EROFS && errno != ENOTSUP && errno != EOPNOTSUPP)
        notes_add(notes, plan->path, "cannot flush data that was written before: %s (%s)",
                  error_name(errno, name), strerror(errno));
}

/* Writes all dirty data back. Also flushes the device, if the run writes or the system
 * cannot write data back without such a flush. */
static void
flush_all(struct target *target, const struct plan *plan, struct notes *notes)
{
    bool changes = plan_does(plan, OPERATION_CHANGES);

    target_advance(target);
    if ((changes ? os_file_flush(target->fd) : os_file_write_back(target->fd, 0, 0)) < 0)
        note_lost(plan, notes);

    target->is_flushed = true;
}

/*
 * Writes all dirty data back, so that no request has to wait for that. There may be much
 * dirty data. So, if an opening without progress is given up at some time, the data is
 * written in chunks, each of which counts as progress. Direct reads do not need a flush
 * of the device, and such a flush may take long, so only a run that writes makes one.
 */
static void
write_back(struct target *target, const struct plan *plan, struct notes *notes)
{
    int64_t part = target->size / WRITE_BACK_CHUNKS > WRITE_BACK_CHUNK_MIN
                       ? target->size / WRITE_BACK_CHUNKS
                       : WRITE_BACK_CHUNK_MIN;
    int status = 0;

    if (plan->end.open_timeout == INT64_MAX)
        part = target->size;

    for (int64_t at = 0; at < target->size && status == 0; at += part) {
        target_advance(target);
        status = os_file_write_back(target->fd, at, part);
    }

    bool parted = status == 0 || errno != ENOTSUP;
    if (status < 0 && parted)
        note_lost(plan, notes);

    if (!parted || plan_does(plan, OPERATION_CHANGES))
        flush_all(target, plan, notes);
}

/*
 * Sets `counts_sectors` if the sectors that are charged to a worker's thread between two
 * time stamps belong to a single read. That is not so if several requests are in flight
 * or an engine reads in other threads. With several threads, one may wait for data that
 * another has asked the device for.
 */
static void
count_sectors(struct target *target, const struct plan *plan)
{
    bool single = plan->io.depth <= 1 && plan->io.threads <= 1 &&
                  plan->sweep.kind != SWEEP_DEPTH && plan->sweep.kind != SWEEP_THREADS;

    if (!plan->io.engine->charges_sender || !single)
        return;

    target_advance(target);
    target->counts_sectors =
        target->charges_reads ||
        os_thread_counts_reads(target->fd, plan->workload.work_offset);
    drop_window(target, plan->workload.work_offset, 1);
}

/* Sets mode nocache, instead of direct I/O, for REASON. Sets mode cached if the plan
 * reads and the page cache cannot be emptied. */
static void
start_nocache(struct target *target, const struct plan *plan, const char *reason,
              struct notes *notes)
{
    if (!target->is_flushed)
        flush_all(target, plan, notes);

    target_advance(target);
    int status = drop_window(target, plan->workload.work_offset, target->work_size);
    if (status < 0 && errno == ENOTSUP && plan_does(plan, OPERATION_READS)) {
        target->description.mode = IO_MODE_CACHED;
        note_cached(target, plan, reason, notes);
        return;
    }

    target->description.mode = IO_MODE_NOCACHE;
    look_up_pages(target, plan->workload.work_offset);
    count_sectors(target, plan);
    note_fallback(target, plan, reason, notes);
}

#define ALIGNED_TO_ANY                                              \
    (1 << 20) /* bytes: suits every alignment that storage may need \
               */

/*
 * Returns whether the target accepts a direct read of some size and offset, after it has
 * refused a direct read. A target may accept O_DIRECT and then refuse every read, as
 * overlayfs on squashfs does.
 */
static bool
takes_other_shape(struct target *target)
{
    void *buffer = os_memory_aligned(ALIGNED_TO_ANY, ALIGNED_TO_ANY);

    target_advance(target);
    bool takes = buffer && os_file_read(target->fd, buffer, ALIGNED_TO_ANY, 0, 0) >= 0;

    os_memory_free(buffer);
    return takes;
}

/*
 * Makes a read of the plan's size at OFFSET after direct I/O was turned on, and looks
 * for its pages in the page cache. Returns NULL if the read was direct, else the reason
 * why it was not.
 */
static const char *
try_read(struct target *target, const struct plan *plan, int64_t offset)
{
    const struct plan_workload *workload = &plan->workload;
    size_t size = (size_t)workload->request_size;
    void *buffer = os_memory_aligned((size_t)target->alignment, size);
    int code = ENOMEM;

    target_advance(target);
    bool held = target_evict(target, offset, workload->request_size);
    target_advance(target);

    if (buffer) {
        /* btrfs falls back to a buffered read if the buffer is not in memory yet. */
        memset(buffer, 1, size);
        code = os_file_read(target->fd, buffer, size, offset, 0) < 0 ? errno : 0;
    }
    os_memory_free(buffer);

    target_advance(target);
    if (code == EINVAL || code == EOPNOTSUPP || code == ENOTSUP)
        return takes_other_shape(target)
                   ? "direct I/O of this size and offset not supported"
                   : "direct I/O not supported";

    int resident = target->find_resident
                       ? target->find_resident(target->fd, offset, workload->request_size)
                       : os_file_resident_try(target->fd, offset);
    /*
     * Nothing can be seen in the page cache if the pages stayed there before the read,
     * or if they cannot be looked up. Then the read counts as direct if a server serves
     * every direct read of the file, or if the request is aligned to blocks and the
     * file's data is stored plainly, because nothing else is known to prevent direct
     * I/O.
     */
    if ((held || resident < 0) &&
        (os_file_served(target->fd) ||
         (target->fs_block_size > 0 &&
          workload->request_size % target->fs_block_size == 0 &&
          workload->work_offset % target->fs_block_size == 0 &&
          os_file_storage(target->fd, workload->work_offset, target->work_size) == 0)))
        return NULL;

    return held           ? "its pages stay in the page cache"
           : resident < 0 ? "cannot tell whether I/O is direct"
           : resident     ? "direct I/O goes through the page cache here"
                          : NULL;
}

/*
 * Tries direct I/O with the first two requests of the plan, unless the way in which the
 * data is stored makes direct I/O impossible. Returns NULL if the reads were direct, else
 * the reason why they were not.
 */
static const char *
try_shape(struct target *target, const struct plan *plan)
{
    const struct plan_workload *workload = &plan->workload;
    int64_t size = workload->request_size;
    target_advance(target);

    int storage = os_file_storage(target->fd, workload->work_offset, target->work_size);
    if (storage > 0)
        return storage & OS_STORAGE_ENCODED
                   ? "compressed data goes through the page cache"
                   : "inline data goes through the page cache";

    const char *reason = try_read(target, plan, workload->work_offset);
    return reason || target->work_size - size < size
               ? reason
               : try_read(target, plan, workload->work_offset + size);
}

#define REASON_ROOM 128 /* bytes for a reason that is not a constant */

/* Turns direct I/O on and returns NULL, or leaves it off and returns the reason. The
 * reason may be stored in TEXT of REASON_ROOM bytes. */
static const char *
try_direct(struct target *target, const struct plan *plan, char *text)
{
    const struct plan_workload *workload = &plan->workload;
    int64_t memory = 0;
    int64_t unit = 0;
    int64_t bytes;
    target_advance(target);

    bool known = os_file_alignment(target->fd, &memory, &unit) == 0;
    if (!known && target->kind == OS_BLOCK)
        known = os_device_size(target->fd, &bytes, &unit) == 0;
    if (known && !unit)
        return "direct I/O not supported";

    if (known && (workload->request_size % unit || plan_largest(plan) % unit ||
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
        look_up_pages(target, workload->work_offset);

    if (os_file_direct(target->fd, true) < 0)
        return "direct I/O not supported";

    const char *reason = known ? NULL : try_shape(target, plan);
    if (reason)
        os_file_direct(target->fd, false);
    return reason;
}

/* Adds a note that reads of the loop device NAME come from the page cache, because of
 * BACKING. */
static void
note_loop(const struct plan *plan, enum os_backing backing, const char *name,
          struct notes *notes)
{
    if (backing == OS_BACKING_CACHE)
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

/* Adds a note that the target is on memory. WHAT is the name of the file system or
 * device. */
static void
note_memory(const struct plan *plan, const char *what, struct notes *notes)
{
    notes_add(notes, plan->path,
              "%s lives in memory: these times say nothing about a disk", what);
}

/*
 * Chooses the only mode of a character device, which has no page cache (direct), or of a
 * file system in memory, which consists of the page cache (cached). MEMORY is the name
 * of that file system, or NULL for a character device. Returns 0, or -1 with ERROR if
 * -direct is given and direct I/O is impossible. It is possible in memory on some
 * systems.
 */
static int
choose_only(struct target *target, const struct plan *plan, const char *memory,
            struct notes *notes, struct error *error)
{
    target->description.mode = memory ? IO_MODE_CACHED : IO_MODE_DIRECT;

    if (plan->io.direct && os_file_direct(target->fd, true) < 0)
        return error_set(error, EXIT_PREPARE, plan->path, "direct I/O not supported%s",
                         memory ? "; leave out -D to measure it anyway" : "");
    if (memory)
        note_memory(plan, memory, notes);
    return 0;
}

/* Writes OPTION with VALUE, such as 4k, into TEXT of SIZE bytes. Returns the length. */
static int
write_size(char *text, size_t size, const char *option, int64_t value)
{
    bool whole = value % 1024 == 0;

    return snprintf(text, size, "%s %lld%s", option,
                    (long long)(whole ? value / 1024 : value), whole ? "k" : "");
}

/*
 * Finds out whether direct reads work with a larger size and offset, if those of the
 * plan are not aligned. Stores the options for them in `direct_io_hint` of TARGET. It
 * stays empty if alignment is not the reason or direct reads still fail.
 */
static void
find_shape(struct target *target, const struct plan *plan)
{
    char reason[REASON_ROOM];
    char *text = target->direct_io_hint;
    int64_t memory;
    int64_t bytes;
    int64_t unit = 0;
    struct plan other = *plan;
    int64_t *size = &other.workload.request_size;
    int64_t *offset = &other.workload.work_offset;

    if (os_file_alignment(target->fd, &memory, &unit) < 0 &&
        (target->kind != OS_BLOCK || os_device_size(target->fd, &bytes, &unit) < 0))
        unit = target->fs_block_size;

    if (unit <= 0 || plan->sweep.kind == SWEEP_SIZE)
        return;

    *size = (*size + unit - 1) / unit * unit;
    *offset = (*offset + unit - 1) / unit * unit;

    int64_t needed = plan->workload.work_size ? plan->workload.work_size : *size;
    bool larger = *size > plan->workload.request_size;
    bool moved = *offset > plan->workload.work_offset;
    if ((!larger && !moved) || *size > needed ||
        (target->kind != OS_DIRECTORY && *offset > target->size - needed) ||
        try_direct(target, &other, reason))
        return;

    os_file_direct(target->fd, false);

    if (larger)
        text += write_size(text, sizeof(target->direct_io_hint) / 2, "-s", *size);
    if (moved)
        write_size(text, sizeof(target->direct_io_hint) / 2, larger ? " -o" : "-o",
                   *offset);
}

/*
 * Refuses a target for which direct I/O is impossible, for REASON, though -direct is
 * given or the target is a device that has only direct I/O (RAW). Returns -1 with ERROR.
 * The advice is to leave out -direct, but not if the page cache would keep the pages
 * then.
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

    look_up_pages(target, plan->workload.work_offset);
    target_advance(target);
    if (!plan_does(plan, OPERATION_READS) ||
        !target_evict(target, plan->workload.work_offset, plan->workload.request_size))
        return error_advise(error, "leave out -D to measure without it");
    find_shape(target, plan);
    snprintf(advice, sizeof(advice), "use %s", target->direct_io_hint);
    return error_advise(error, target->direct_io_hint[0]
                                   ? advice
                                   : "name another file, or use -C instead to measure "
                                     "the cache");
}

/*
 * Chooses the mode of a file or block device. Some block devices have only direct I/O
 * (`raw`). The mode is cached, even if direct I/O works, for a target in memory and for
 * reads through a loop device that reads its file through the page cache. Writes to such
 * a loop device are flushed to its file, so they are not cached. Returns 0, or -1 with
 * ERROR.
 */
static int
choose_device(struct target *target, const struct plan *plan, struct notes *notes,
              struct error *error)
{
    const struct plan_workload *workload = &plan->workload;
    char name[64];
    char text[REASON_ROOM];

    target_advance(target);
    bool raw = target->kind == OS_BLOCK && os_device_is_disk(target->fd);
    bool reads = plan_does(plan, OPERATION_READS);
    enum os_backing backing = os_file_backing(target->fd, name, sizeof(name));
    bool buffered = backing == OS_BACKING_CACHE || backing == OS_BACKING_BUFFERED;
    bool loops = buffered && reads;
    bool cached = loops || backing == OS_BACKING_MEMORY;

    if (backing == OS_BACKING_MEMORY && name[0] != '/') /* a file system, not a device */
        return choose_only(target, plan, name, notes, error);
    if (backing == OS_BACKING_MEMORY)
        note_memory(plan, name, notes);

    bool asked = plan->io.cached && !plan->io.direct && !raw;
    target->description.mode = cached || asked ? IO_MODE_CACHED : IO_MODE_DIRECT;
    /* No read-ahead, except for a linear run with -C. */
    if (!asked || !workload->linear)
        os_file_random(target->fd, workload->work_offset, target->work_size);
    if (asked)
        return 0;

    target_advance(target);
    target->charges_reads =
        reads && !cached &&
        (plan->io.engine->charges_sender || os_process_charges_workers()) &&
        os_file_charges_reads(target->fd);
    if (loops || (backing == OS_BACKING_PARTLY && reads))
        note_loop(plan, backing, name, notes);

    if (!target->is_flushed)
        write_back(target, plan, notes);

    const char *reason = try_direct(target, plan, text);
    target->is_direct = !reason;
    if (reason && (plan->io.direct || raw))
        return refuse_direct(target, plan, raw, reason, error);

    if (reason && !cached && reads)
        find_shape(target, plan);
    if (reason && !cached)
        start_nocache(target, plan, reason, notes);
    return 0;
}

/*
 * Decides whether completions are polled for, after the mode was chosen; sets `polls`.
 * Adds notes on -hipri without effect, and on the engine's weakness at a depth above 1.
 */
static void
choose_polling(struct target *target, const struct plan *plan, struct notes *notes)
{
    bool waits = target->kind != OS_CHARACTER && !target->is_direct;

    const char *caveat =
        waits ? plan->io.engine->caveat_buffered : plan->io.engine->caveat;
    if (plan->io.depth > 1 && caveat)
        notes_add(notes, plan->path, "%s", caveat);

    if (!plan->io.engine->can_poll || !(plan->io.rw_flags & OS_RW_HIPRI))
        return;

    int polls = waits || target->flushes_writes ? 0 : os_file_polls(target->fd);
    const char *reason = waits                    ? "only direct I/O can be polled"
                         : target->flushes_writes ? "a flush cannot be polled"
                         : polls == 0             ? "the device cannot be polled"
                                      : "cannot tell whether the device can be polled";

    target->polls = polls > 0;
    if (polls <= 0)
        notes_add(notes, plan->path, "%s; continuing without -hipri", reason);
}

/*
 * Tries the flags of requests with reads and writes of 0 bytes. If they fail, -nowait is
 * an error. -hipri is left out with a note, because without it a request does the same.
 * Returns 0, or -1 with ERROR.
 */
static int
choose_flags(struct target *target, const struct plan *plan, struct notes *notes,
             struct error *error)
{
    char name[16];
    int flags = plan->io.rw_flags;

    target_advance(target);
    target->rw_flags = flags;
    if (!flags || ((!plan_does(plan, OPERATION_READS) ||
                    os_file_read(target->fd, name, 0, 0, flags) == 0) &&
                   (!plan_does(plan, OPERATION_CHANGES) ||
                    os_file_write(target->fd, name, 0, 0, flags) == 0)))
        return 0;

    if (plan->io.rw_flags & OS_RW_NOWAIT)
        return error_set(error, EXIT_PREPARE, plan->path,
                         "-nowait is not available here: %s", strerror(errno));

    notes_add(notes, plan->path,
              "-hipri is not available here (%s); continuing without it",
              error_name(errno, name));
    target->rw_flags &= ~OS_RW_HIPRI;
    return 0;
}

/* Sets `flushes_ignored`, and adds a note, if the plan's writes are flushed and the
 * flushes are known not to reach the device. */
static void
check_flushes(struct target *target, const struct plan *plan, struct notes *notes)
{
    char why[256];
    bool is_sync = plan->io.open_flags & (OS_OPEN_SYNC | OS_OPEN_DSYNC);

    if (!target->flushes_writes && !(is_sync && plan_does(plan, OPERATION_CHANGES)))
        return;

    target_advance(target);
    target->flushes_ignored = os_flush_ignored(target->fd, why, sizeof(why));

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
    target->flushes_writes = !plan->io.cached && plan_does(plan, OPERATION_FLUSHED);

    if (choose_flags(target, plan, notes, error) < 0)
        return -1;

    const char *memory = target->is_in_memory ? target->description.fstype : NULL;
    int status = memory || target->kind == OS_CHARACTER
                     ? choose_only(target, plan, memory, notes, error)
                     : choose_device(target, plan, notes, error);
    if (status < 0)
        return -1;

    choose_polling(target, plan, notes);
    check_flushes(target, plan, notes);
    return 0;
}
