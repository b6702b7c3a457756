/*
 * Attribution: the logs of requests that wait for its thread, and what has become of the
 * requests of each target. Which records are those of a request is found by request.c.
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

/* A record that another one has interrupted is visible only after that: what is missing
 * is looked for again, so often and after so long (ns), for all of a log at a time. */
#define LOOKS 3
#define LOOK_PAUSE (50 * US)

/* Attributes records to the requests of LOG of which records are missing so far; LAST:
 * they come no more. Returns how many are missing still. */
static int
attribute_missing(struct attribution *attribution, const struct attribution_log *log,
                  struct sample *samples, int count, bool last)
{
    const struct trace_target *target = &attribution->targets[log->index].known;
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

/* Attributes records to COUNT requests of the worker whose LOG it is, and records those
 * that count. The caller has the lock. PAUSE (ns): before it looks again. */
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
        if (!target->known.tracked)
            continue;
        if (!target->track.began_at)
            track_start(&target->track, log->began_at, log->slot_interval);
        track_split(&target->track, &samples[i]);
    }
}

/* Returns the number of the calling thread in the records. A PID namespace has numbers of
 * its own for threads, so a mark tells what the trace takes this one for. */
static int
find_thread(struct records *records)
{
    const struct trace_source *source = &records->source;
    int64_t mark = os_clock_now();
    bool marked = source->mark && source->mark(source->trace, (uint64_t)mark) == 0;
    for (int look = 0; look < LOOKS && marked; look++) {
        records_read(records);
        for (int i = records_find(records, records->count, mark - MS); i < records->count;
             i++)
            if (records->list[i].trace.kind == OS_TRACE_MARK &&
                records->list[i].trace.sector == (uint64_t)mark)
                return records->list[i].trace.thread;
        os_sleep_until(os_clock_now() + LOOK_PAUSE);
    }
    return os_thread_number();
}

void
attribution_begin(struct attribution *attribution, struct attribution_log *log)
{
    os_lock_acquire(attribution->lock);
    log->thread = find_thread(&attribution->records);
    records_add_own(&attribution->records, log->thread);
    os_lock_release(attribution->lock);
}

void
attribution_record(struct attribution *attribution, const struct attribution_log *log,
                   struct sample *sample)
{
    bool single = attribution->targets[log->index].known.single;
    os_lock_acquire(attribution->lock);
    attribute_requests(attribution, log, sample, 1, single ? LOOK_PAUSE : 0);
    os_lock_release(attribution->lock);
}

/* Attributes records to all requests of LOG, under the lock, which the caller has. */
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
    bool fits = attribution->queued < ATTRIBUTION_QUEUED;
    if (fits) {
        int last = (attribution->first + attribution->queued++) % ATTRIBUTION_QUEUED;
        size_t size = offsetof(struct attribution_log, list) +
                      (size_t)log->count * sizeof(log->list[0]);
        memcpy(&attribution->queue[last], log, size);
        log->count = 0;
        os_lock_notify(attribution->queue_lock);
    }
    os_lock_release(attribution->queue_lock);
    if (fits)
        return;
    os_lock_acquire(attribution->lock); /* the thread does not keep up */
    attribute_log(attribution, log);
    os_lock_release(attribution->lock);
}

/* Attributes records to the first log that waits, under the lock, which the caller has.
 * Returns false if there is none. */
static bool
attribute_next(struct attribution *attribution)
{
    os_lock_acquire(attribution->queue_lock);
    bool any = attribution->queued > 0;
    os_lock_release(attribution->queue_lock);
    if (!any)
        return false;
    attribute_log(attribution, &attribution->queue[attribution->first]);
    os_lock_acquire(attribution->queue_lock);
    attribution->first = (attribution->first + 1) % ATTRIBUTION_QUEUED;
    attribution->queued--;
    os_lock_release(attribution->queue_lock);
    return true;
}

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
    if (track && target->known.tracked)
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

/* The body of the thread: waits for logs and attributes them, those that are left at the
 * end as well. Others may be faster. */
static void *
attribute_all(void *argument)
{
    struct attribution *attribution = argument;
    for (bool more = true; more;) {
        os_lock_acquire(attribution->queue_lock);
        while (!attribution->queued && !attribution->ending)
            os_lock_wait(attribution->queue_lock);
        more = attribution->queued > 0;
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
    attribution->threaded =
        attribution->lock && attribution->queue_lock &&
        os_thread_start(&attribution->thread, attribute_all, attribution) == 0;
    if (attribution->threaded)
        return attribution;
    int code = errno;
    attribution_close(attribution);
    errno = code;
    return NULL;
}

/* The thread attributes what waits before it ends. */
void
attribution_close(struct attribution *attribution)
{
    if (!attribution)
        return;
    if (attribution->threaded) {
        os_lock_acquire(attribution->queue_lock);
        attribution->ending = true;
        os_lock_notify(attribution->queue_lock);
        os_lock_release(attribution->queue_lock);
        os_thread_join(&attribution->thread);
    }
    os_trace_close(attribution->trace);
    for (int i = 0; i < attribution->target_count; i++)
        os_layout_free(&attribution->targets[i].known.layout);
    os_lock_free(attribution->queue_lock);
    os_lock_free(attribution->lock);
    free(attribution);
}

/* Notes that a limit on the time of a stack cannot be known of a target without one. */
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

/* Finds where the target of JOB lies. Returns 0, or -1 with ERROR. */
static int
find_layout(struct trace_target *target, const struct attribution_job *job,
            struct notes *notes, struct error *error)
{
    const struct plan *plan = job->plan;
    struct os_layout *layout = &target->layout;
    int64_t length = /* what is appended has no place yet */
        plan->workload.append ? 0 : job->target->work_size;
    if (os_layout_find(job->target->fd, plan->path, plan->workload.work_offset, length,
                       layout, error) < 0)
        return -1;
    target->syncs = plan->io.open_flags & (OS_OPEN_SYNC | OS_OPEN_DSYNC);
    target->direct = job->target->is_direct;
    target->tracked = job->needs_track;
    if (layout->is_stacked)
        notes_add(notes, plan->path, "breakdown of %s (%s)", layout->name, layout->legs);
    else
        note_limits(plan, layout, notes);
    target->single = plan->io.depth == 1 && plan->sweep.kind != SWEEP_DEPTH;
    if (layout->known || target->single)
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
        struct trace_target *target = &attribution->targets[found].known;
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
