/*
 * Writes dirty data back before a run, and keeps the data of requests out of the page
 * cache in mode nocache. io_mode.c explains the modes.
 *
 * Dirty data is written back before the first request, so that no request has to wait for
 * that. io_mode.c leaves this step out with -C, and for a file system in memory.
 *
 * In mode nocache, the working set is then dropped from the page cache. But each read
 * brings pages back, and so may other programs. So target_evict looks up the pages of
 * each read in the page cache before the read is sent:
 *
 *   - Pages that are found are dropped. The cache stores pages in folios of up to 2 MiB
 *     and more, and a folio stays if only a part of it is to be dropped. So the whole
 *     aligned window around the request is dropped. If pages still stay, dirty data is
 *     written back and the window is dropped again. If pages cannot be looked
 *     up, the window is dropped before every read.
 *   - The file system may have other caches, and the process may not be allowed to look
 *     pages up. So the worker (run/loop.c) compares the kernel's count of sectors that
 *     its thread has read from devices, before and after each read. If the count stays
 *     the same, the read was cached. (RWF_NOWAIT could not tell, because it starts to
 *     read a missing page.)
 *
 * When the target is opened, page_cache_choose_lookup and choose_sector_count find out
 * which of these two checks are possible. io_mode.c also uses the lookup of pages to test
 * whether direct reads are direct.
 */
#include "target_private.h"

#include "os/os.h"
#include "os/storage.h"
#include "plan/plan.h"

#include <errno.h>
#include <string.h>

/* Dirty data is written back in about WRITE_BACK_CHUNKS chunks, but in fewer chunks if
 * they would be smaller than WRITE_BACK_CHUNK_MIN bytes. */
#define WRITE_BACK_CHUNKS 256
#define WRITE_BACK_CHUNK_MIN (64LL << 20)

/*
 * Drops all folios that hold a part of a range from the page cache: extends the range to
 * multiples of the largest folio size, and drops the pages in it. SIZE and OFFSET of the
 * range are in bytes. Returns 0, or -1 with errno.
 */
static int
drop_window(const struct target *target, int64_t offset, int64_t size)
{
    int64_t window = os_file_folio_max();
    int64_t start = offset / window * window;
    int64_t end = offset + size;

    int64_t padding = (window - end % window) % window;
    if (padding > INT64_MAX - end)
        padding = INT64_MAX - end;

    return os_file_drop(target->fd, start, end - start + padding);
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

    /* Pages stay if they are dirty, or if another process is reading them just now. A
     * flush writes dirty pages back, and gives the other process time to finish. */
    os_file_flush(target->fd);
    drop_window(target, offset, size);
    return target->find_resident(target->fd, offset, size) == 1;
}

void
page_cache_choose_lookup(struct target *target, int64_t offset)
{
    char byte;

    target_note_progress(target);
    if (os_file_read(target->fd, &byte, 1, offset, 0) == 1)
        target->find_resident = os_resident_choose(target->fd, offset);

    drop_window(target, offset, 1);
}

/* Adds a note that mode nocache is used, because direct I/O is impossible for REASON, and
 * notes on the weaknesses of mode nocache here. */
static void
note_nocache(struct target *target, const struct plan *plan, const char *reason,
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

/* Adds a note that dirty data from before the run was lost, unless errno only says that
 * the target cannot be flushed. The kernel reports such an error only once, so the user
 * must see it. */
static void
note_lost_data(const struct plan *plan, struct notes *notes)
{
    char name[16];

    /* These errors only mean that this file or device cannot be flushed. */
    if (errno != EINVAL && errno != EROFS && errno != ENOTSUP && errno != EOPNOTSUPP)
        notes_add(notes, plan->path, "cannot flush data that was written before: %s (%s)",
                  error_name(errno, name), strerror(errno));
}

/* Writes all dirty data back. Also flushes the cache of the device, if the run writes or
 * if the system cannot write data back without such a flush. */
static void
flush_all(struct target *target, const struct plan *plan, struct notes *notes)
{
    bool changes = plan_does(plan, OPERATION_CHANGES);

    target_note_progress(target);
    int status =
        changes ? os_file_flush(target->fd) : os_file_write_back(target->fd, 0, 0);
    if (status < 0)
        note_lost_data(plan, notes);

    target->is_flushed = true;
}

void
page_cache_write_back(struct target *target, const struct plan *plan, struct notes *notes)
{
    int64_t chunk = target->size / WRITE_BACK_CHUNKS;
    if (chunk < WRITE_BACK_CHUNK_MIN)
        chunk = WRITE_BACK_CHUNK_MIN;
    if (plan->end.open_timeout == INT64_MAX)
        chunk = target->size;

    int status = 0;
    for (int64_t offset = 0; offset < target->size; offset += chunk) {
        target_note_progress(target);
        status = os_file_write_back(target->fd, offset, chunk);
        if (status < 0)
            break;
    }

    bool can_write_chunks = status == 0 || errno != ENOTSUP;
    if (status < 0 && can_write_chunks)
        note_lost_data(plan, notes);

    if (!can_write_chunks || plan_does(plan, OPERATION_CHANGES))
        flush_all(target, plan, notes);
}

/*
 * Sets `counts_sectors` if the system counts the sectors that a thread reads from the
 * target, and if this count grows during a request by exactly the sectors of this
 * request. The count is not exact in three cases:
 *
 * - Several requests are in flight.
 * - The engine reads in other threads.
 * - There are several workers. If two workers need the same data, both may wait for one
 *   read of the device, which is charged to only one of them.
 */
static void
choose_sector_count(struct target *target, const struct plan *plan)
{
    bool is_one_at_a_time = plan->io.depth <= 1 && plan->io.threads <= 1 &&
                            plan->sweep.kind != SWEEP_DEPTH &&
                            plan->sweep.kind != SWEEP_THREADS;

    if (!plan->io.engine->charges_sender || !is_one_at_a_time)
        return;

    target_note_progress(target);
    target->counts_sectors =
        target->charges_reads ||
        os_thread_counts_reads(target->fd, plan->workload.work_offset);
    drop_window(target, plan->workload.work_offset, 1);
}

void
page_cache_start_nocache(struct target *target, const struct plan *plan,
                         const char *reason, struct notes *notes)
{
    if (!target->is_flushed)
        flush_all(target, plan, notes);

    target_note_progress(target);
    int status = drop_window(target, plan->workload.work_offset, target->work_size);
    if (status < 0 && errno == ENOTSUP && plan_does(plan, OPERATION_READS)) {
        target->description.mode = IO_MODE_CACHED;
        note_cached(target, plan, reason, notes);
        return;
    }

    target->description.mode = IO_MODE_NOCACHE;
    page_cache_choose_lookup(target, plan->workload.work_offset);
    choose_sector_count(target, plan);
    note_nocache(target, plan, reason, notes);
}
