/*
 * Mode nocache: buffered, and nothing of a request may be in the page cache when it is
 * sent. The cache is flushed and dropped once, and read-ahead is off; before each read
 * its pages are looked up. Dropping them alone would not do: the cache holds folios of 2
 * MiB and more, and one that is only partly in the range stays. So the whole aligned
 * window goes, and if that fails, dirty data is written back first. Who may not look them
 * up is told afterwards, by what devices had to read for the request: a look by
 * RWF_NOWAIT would begin to read the page itself.
 */
#include "nocache.h"

#include "os/storage.h"

#include <errno.h>

static int
drop_window(const struct target *target, int64_t offset, int64_t size)
{
    int64_t window = os_file_folio_max();
    int64_t start = offset / window * window, end = offset + size;
    int64_t beyond = (window - end % window) % window;
    if (beyond > INT64_MAX - end)
        beyond = INT64_MAX - end;
    return os_file_drop(target->fd, start, end - start + beyond);
}

bool
target_evict(const struct target *target, int64_t offset, int64_t size)
{
    if (!target->resident) {
        drop_window(target, offset, size);
        return false;
    }
    if (target->resident(target->fd, offset, size) != 1)
        return false;
    drop_window(target, offset, size);
    if (target->resident(target->fd, offset, size) != 1)
        return false;
    os_file_flush(target->fd);
    drop_window(target, offset, size);
    return target->resident(target->fd, offset, size) == 1;
}

void
nocache_look(struct target *target, int64_t offset)
{
    char byte;
    if (os_file_read(target->fd, &byte, 1, offset, 0) == 1)
        target->resident = os_resident_choose(target->fd, offset);
    drop_window(target, offset, 1);
}

static void
note_fallback(struct target *target, const struct plan *plan, const char *reason,
              struct notes *notes)
{
    if (plan->load == LOAD_WRITE) {
        notes_add(notes, plan->path,
                  "%s: flushing the page cache after each request instead", reason);
        return;
    }
    notes_add(notes, plan->path,
              "%s: dropping the page cache before each request instead", reason);
    if (!target->resident && !target->seen)
        notes_add(notes, plan->path,
                  "cannot see whether reads come from the page cache: compare with -C");
    if (plan->rw_flags & OS_RW_NOWAIT)
        notes_add(notes, plan->path,
                  "-nowait without cached or direct I/O can only fail (EAGAIN)");
}

/* Neither direct I/O nor a page cache that can be emptied. */
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
                  "%s, nor can the page cache be emptied on this system: reads may be "
                  "as fast as memory; name a disk instead",
                  reason);
}

/* A queue may leave reads to other threads, or do several at a time. */
static void
choose_seen(struct target *target, const struct plan *plan)
{
    bool alone = plan->depth <= 1 && plan->sweep.kind != SWEEP_DEPTH;
    target->seen = plan->engine->in_thread && alone &&
                   os_thread_counts_reads(target->fd, plan->work_offset);
    drop_window(target, plan->work_offset, 1);
}

void
nocache_start(struct target *target, const struct plan *plan, const char *reason,
              struct notes *notes)
{
    int status = drop_window(target, plan->work_offset, target->work_size);
    if (status < 0 && errno == ENOTSUP && plan->load != LOAD_WRITE) {
        target->description.mode = MODE_CACHED;
        note_cached(target, plan, reason, notes);
        return;
    }
    target->description.mode = MODE_NOCACHE;
    nocache_look(target, plan->work_offset);
    if (!target->resident)
        choose_seen(target, plan);
    note_fallback(target, plan, reason, notes);
}
