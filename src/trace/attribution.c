/*
 * Attribution: who does it and when, and the parts of the requests of each target so far.
 * request.c finds the parts of a single request.
 *
 * There are three ways:
 *
 * - attribution_record: a worker that reports every request attributes each request
 *   itself.
 * - attribution_take: other workers collect requests in a log, and put a full log into
 *   the queue. If the queue is full, the worker attributes the log itself.
 *
 *       worker ---> [log][log][log] ---> thread of the attribution
 *
 * - attribution_add and attribution_reset: whoever needs the results attributes all logs
 *   in the queue first.
 *
 * `lock` protects the trace, the records and the targets. It is held while requests are
 * attributed, which takes long. `queue_lock` protects the queue, and is held only
 * briefly, so a worker can hand over a log while another log is attributed. A log leaves
 * the queue only after it was attributed. If both locks are needed, `lock` is acquired
 * first.
 *
 * The result of a request goes through these states:
 *
 *     SPLIT_NOT_TRIED
 *         |
 *         v                records are missing
 *     request_attribute ------------------------> SPLIT_LOST
 *         |          ^                                 |
 *         |          +------- up to LOOKS times -------+
 *         v
 *     SPLIT_DONE, SPLIT_NO_DEVICE_IO or SPLIT_AMBIGUOUS
 *
 * In the last look, if the trace has lost no record, a request without records becomes
 * SPLIT_NO_DEVICE_IO: it did not reach a device. Otherwise SPLIT_LOST is final.
 */
#include "trace/attribution.h"

#include "trace_private.h"

#include "base/time.h"
#include "cli/options.h"
#include "os/os.h"
#include "os/thread.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* An interrupt may write records while another record is being written. Such records
 * become readable only after the other record is complete. So missing records are looked
 * for again, up to LOOKS times and LOOK_PAUSE ns apart, for all requests of a log
 * together. */
#define LOOKS 3
#define LOOK_PAUSE (50 * US)

/* Reads new records, and attributes them to those of COUNT requests of LOG that were not
 * tried or lack records. LAST says that this is the last look. Returns how many requests
 * still lack records. */
static int
attribute_missing(struct attribution *attribution, const struct attribution_log *log,
                  struct sample *samples, int count, bool last)
{
    const struct trace_target *target = &attribution->targets[log->index].target;
    int missing = 0;

    records_read(&attribution->records);
    bool complete =
        last && (!attribution->trace || os_trace_lost(attribution->trace) == 0);

    for (int i = 0; i < count; i++) {
        enum split_result result = samples[i].split.result;
        if (result == SPLIT_NOT_TRIED || result == SPLIT_LOST)
            request_attribute(&attribution->records, target, log->thread, complete,
                              &samples[i]);
        missing += samples[i].split.result == SPLIT_LOST;
    }
    return missing;
}

/* Attributes records to COUNT requests of the worker that owns LOG, and adds the requests
 * that count to the results of the target. Waits PAUSE ns between two looks. The caller
 * must hold `lock`. */
static void
attribute_requests(struct attribution *attribution, const struct attribution_log *log,
                   struct sample *samples, int count, int64_t pause)
{
    struct attribution_target *target = &attribution->targets[log->index];
    for (int look = 0;
         attribute_missing(attribution, log, samples, count, look == LOOKS) > 0 &&
         look < LOOKS;
         look++)
        if (pause)
            os_sleep_until(os_clock_now() + pause);

    for (int i = 0; i < count; i++) {
        if (!sample_counts(&samples[i]))
            continue;
        breakdown_record(&target->breakdown, &samples[i]);
        if (!target->target.needs_track)
            continue;
        if (!target->track.began_at)
            track_start(&target->track, log->began_at, log->slot_interval);
        track_split(&target->track, &samples[i]);
    }
}

/* Returns the number that the calling thread has in records. In a PID namespace this is
 * not the number that the thread knows. So the thread writes a mark into the trace and
 * looks for it: the record of the mark has the number. */
static int
find_thread(struct records *records)
{
    const struct trace_source *source = &records->source;
    int64_t mark = os_clock_now();
    bool marked = source->mark && source->mark(source->trace, (uint64_t)mark) == 0;

    for (int look = 0; look < LOOKS && marked; look++) {
        records_read(records);
        for (int i = records_find(records, records->entry_count, mark - MS);
             i < records->entry_count; i++)
            if (records->entries[i].record.kind == OS_TRACE_MARK &&
                records->entries[i].record.sector == (uint64_t)mark)
                return records->entries[i].record.thread;
        os_sleep_until(os_clock_now() + LOOK_PAUSE);
    }

    return os_thread_number();
}

void
attribution_begin(struct attribution *attribution, struct attribution_log *log)
{
    os_lock_acquire(attribution->lock);
    log->thread = find_thread(&attribution->records);
    records_add_thread(&attribution->records, log->thread);
    os_lock_release(attribution->lock);
}

/* Does not wait for missing records if the worker has other requests in flight, because
 * these would wait too. */
void
attribution_record(struct attribution *attribution, const struct attribution_log *log,
                   struct sample *sample)
{
    bool single = attribution->targets[log->index].target.is_single;
    os_lock_acquire(attribution->lock);
    attribute_requests(attribution, log, sample, 1, single ? LOOK_PAUSE : 0);
    os_lock_release(attribution->lock);
}

/* Attributes records to all requests of LOG, and empties LOG. The caller must hold
 * `lock`. */
static void
attribute_log(struct attribution *attribution, struct attribution_log *log)
{
    attribute_requests(attribution, log, log->list, log->count, LOOK_PAUSE);
    log->count = 0;
}

void
attribution_take(struct attribution *attribution, struct attribution_log *log)
{
    if (log->count == 0)
        return;

    os_lock_acquire(attribution->queue_lock);
    bool fits = attribution->log_count < ATTRIBUTION_QUEUED;
    if (fits) {
        int last =
            (attribution->first_log + attribution->log_count++) % ATTRIBUTION_QUEUED;
        size_t size = offsetof(struct attribution_log, list) +
                      (size_t)log->count * sizeof(log->list[0]);
        memcpy(&attribution->queue[last], log, size);
        log->count = 0;
        os_lock_notify(attribution->queue_lock);
    }
    os_lock_release(attribution->queue_lock);
    if (fits)
        return;

    /* The thread does not keep up: the worker does the work itself. */
    os_lock_acquire(attribution->lock);
    attribute_log(attribution, log);
    os_lock_release(attribution->lock);
}

/* Attributes records to the oldest log in the queue, and removes it. Returns false if the
 * queue is empty. The caller must hold `lock`. */
static bool
attribute_next(struct attribution *attribution)
{
    os_lock_acquire(attribution->queue_lock);
    bool any = attribution->log_count > 0;
    os_lock_release(attribution->queue_lock);
    if (!any)
        return false;

    attribute_log(attribution, &attribution->queue[attribution->first_log]);

    os_lock_acquire(attribution->queue_lock);
    attribution->first_log = (attribution->first_log + 1) % ATTRIBUTION_QUEUED;
    attribution->log_count--;
    os_lock_release(attribution->queue_lock);
    return true;
}

/* Attributes at most as many logs as the queue has room for, because workers may hand
 * over new logs meanwhile, without end. */
bool
attribution_add(struct attribution *attribution, int index, struct stats *stats,
                struct track *track, bool wait)
{
    const struct attribution_target *target = &attribution->targets[index];
    if (wait)
        os_lock_acquire(attribution->lock);
    else if (!os_lock_try(attribution->lock))
        return false;

    for (int i = 0; i < ATTRIBUTION_QUEUED && attribute_next(attribution); i++)
        ;
    breakdown_merge(&stats->breakdown, &target->breakdown);
    if (track && target->target.needs_track)
        track_merge(track, &target->track);
    os_lock_release(attribution->lock);
    return true;
}

void
attribution_reset(struct attribution *attribution, int index)
{
    struct attribution_target *target = &attribution->targets[index];
    os_lock_acquire(attribution->lock);
    while (attribute_next(attribution))
        ;
    breakdown_clear(&target->breakdown);
    os_lock_release(attribution->lock);
}

/* The body of the thread: waits for logs and attributes them. Ends once `ending` is set
 * and the queue is empty. Another thread may have emptied the queue before this thread
 * has the lock. */
static void *
attribute_all(void *argument)
{
    struct attribution *attribution = argument;
    for (bool more = true; more;) {
        os_lock_acquire(attribution->queue_lock);
        while (!attribution->log_count && !attribution->is_ending)
            os_lock_wait(attribution->queue_lock);
        more = attribution->log_count > 0;
        os_lock_release(attribution->queue_lock);

        os_lock_acquire(attribution->lock);
        attribute_next(attribution);
        os_lock_release(attribution->lock);
    }
    return NULL;
}

struct attribution *
attribution_make(int count)
{
    size_t targets = (size_t)count * sizeof(struct attribution_target);
    struct attribution *attribution = calloc(1, sizeof(*attribution) + targets);
    if (!attribution)
        return NULL;

    attribution->target_count = count;
    attribution->lock = os_lock_make();
    attribution->queue_lock = os_lock_make();
    attribution->has_thread =
        attribution->lock && attribution->queue_lock &&
        os_thread_start(&attribution->thread, attribute_all, attribution) == 0;
    if (attribution->has_thread)
        return attribution;

    int code = errno;
    attribution_close(attribution);
    errno = code;
    return NULL;
}

/* The thread attributes all logs in the queue before it ends. */
void
attribution_close(struct attribution *attribution)
{
    if (!attribution)
        return;

    if (attribution->has_thread) {
        os_lock_acquire(attribution->queue_lock);
        attribution->is_ending = true;
        os_lock_notify(attribution->queue_lock);
        os_lock_release(attribution->queue_lock);
        os_thread_join(&attribution->thread);
    }

    os_trace_close(attribution->trace);
    for (int i = 0; i < attribution->target_count; i++)
        os_layout_free(&attribution->targets[i].target.layout);
    os_lock_free(attribution->queue_lock);
    os_lock_free(attribution->lock);
    free(attribution);
}

/* Adds a note if PLAN limits the time of the stack, but the target is not on a stack. */
static void
note_limits(const struct plan *plan, const struct os_layout *layout, struct notes *notes)
{
    for (int i = 0; i < plan->statistics.slos.count; i++)
        if (plan->statistics.slos.list[i].scope == SCOPE_STACK) {
            notes_add(notes, plan->path,
                      "a limit on stack needs a stack of devices, such as LVM or RAID, "
                      "but %s is a single device",
                      layout->name);
            return;
        }
}

/* Fills TARGET from JOB: where the target lies, and how its requests can be recognized.
 * May add to NOTES. Returns 0, or -1 with ERROR. */
static int
find_layout(struct trace_target *target, const struct attribution_job *job,
            struct notes *notes, struct error *error)
{
    const struct plan *plan = job->plan;
    struct os_layout *layout = &target->layout;
    int64_t length = /* blocks to be appended are not allocated yet */
        plan->workload.append ? 0 : job->target->work_size;

    if (os_layout_find(job->target->fd, plan->path, plan->workload.work_offset, length,
                       layout, error) < 0)
        return -1;

    target->writes_sync = plan->io.open_flags & (OS_OPEN_SYNC | OS_OPEN_DSYNC);
    target->is_direct = job->target->is_direct;
    target->needs_track = job->needs_track;
    if (layout->is_stacked)
        notes_add(notes, plan->path, "breakdown of %s (%s)", layout->name,
                  layout->members);
    else
        note_limits(plan, layout, notes);

    target->is_single = plan->io.depth == 1 && plan->sweep.kind != SWEEP_DEPTH;
    if (layout->extents_known || target->is_single)
        return 0;
    return error_set(error, EXIT_PREPARE, plan->path,
                     "its file system does not say where its blocks are, so only one "
                     "request per thread can be traced; use -threads instead of -depth");
}

struct attribution *
attribution_open(const struct attribution_job *jobs, int count, struct notes *notes,
                 struct error *error)
{
    const struct os_layout *layouts[TARGETS_MOST] = {NULL};
    struct attribution *attribution = attribution_make(count);
    int found = 0;
    if (!attribution) {
        error_set(error, EXIT_PREPARE, NULL, "cannot start -breakdown: %s",
                  strerror(errno));
        return NULL;
    }

    for (; found < count; found++) {
        struct trace_target *target = &attribution->targets[found].target;
        layouts[found] = &target->layout;
        if (find_layout(target, &jobs[found], notes, error) < 0)
            break;
    }

    if (found == count)
        attribution->trace = os_trace_open(layouts, count, error);
    attribution->records.source =
        (struct trace_source){os_trace_read, os_trace_mark, attribution->trace};
    if (attribution->trace)
        return attribution;
    attribution_close(attribution);
    return NULL;
}
