/*
 * Attribution: decides when, and in which thread, the records of a request are found, and
 * adds up the parts of the requests of each target. request.c handles a single request.
 *
 * Other files call it in three ways:
 *
 * - attribution_record: a worker that prints every request attributes each request
 *   itself.
 * - attribution_take: any other worker collects requests in a log and puts full logs into
 *   the queue. If the queue is full, the worker attributes the log itself.
 *
 *       worker ---> [log][log][log] ---> thread of the attribution
 *
 * - attribution_add and attribution_reset: the thread that needs the results attributes
 *   the logs in the queue first.
 *
 * Two locks are used. `lock` protects the trace, the records and the targets. It is held
 * while requests are attributed, which takes long. `queue_lock` protects the queue and is
 * held only briefly, so a worker can hand over a log while another log is attributed. A
 * log leaves the queue only after it was attributed. A thread that needs both locks
 * acquires `lock` first.
 *
 * The result of a request goes through these states:
 *
 *     SPLIT_NOT_TRIED
 *         |
 *         v                records are missing
 *     request_attribute ------------------------> SPLIT_LOST
 *         |          ^                                 |
 *         |          +----- up to RETRIES times -------+
 *         v
 *     SPLIT_DONE, SPLIT_NO_DEVICE_IO or SPLIT_AMBIGUOUS
 *
 * After the last retry, records can only be missing if the trace has lost some. If it has
 * lost none, and nothing shows that the request may have reached a device, the request
 * becomes SPLIT_NO_DEVICE_IO. Otherwise it stays SPLIT_LOST.
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

/* An interrupt may write records while the kernel is writing another record. The records
 * of the interrupt become readable only after the interrupted record is complete. So
 * missing records are searched again, up to RETRIES times, RETRY_PAUSE ns apart. */
#define RETRIES 3
#define RETRY_PAUSE (50 * US)

/* Reads new records from the trace, and tries to attribute the COUNT requests in SAMPLES.
 * Skips requests that were attributed by an earlier call. The requests were sent by the
 * worker that owns LOG. IS_LAST says that there will be no retry. Returns how many
 * requests still lack records. */
static int
attribute_unfinished(struct attribution *attribution, const struct attribution_log *log,
                     struct sample *samples, int count, bool is_last)
{
    const struct trace_target *target = &attribution->targets[log->target_index].target;
    int lost_count = 0;

    records_read(&attribution->records);
    bool has_all_records =
        is_last && (!attribution->trace || os_trace_lost(attribution->trace) == 0);

    for (int i = 0; i < count; i++) {
        struct split *split = &samples[i].split;
        if (split->result == SPLIT_NOT_TRIED || split->result == SPLIT_LOST)
            request_attribute(&attribution->records, target, log->thread, has_all_records,
                              &samples[i]);
        if (split->result == SPLIT_LOST)
            lost_count++;
    }
    return lost_count;
}

/* Attributes the COUNT requests in SAMPLES, which the worker that owns LOG has sent. Adds
 * the requests that count (sample_counts) to the results of the target. Waits PAUSE ns
 * before each retry. The caller must hold `lock`. */
static void
attribute_requests(struct attribution *attribution, const struct attribution_log *log,
                   struct sample *samples, int count, int64_t pause)
{
    struct attribution_target *target = &attribution->targets[log->target_index];

    for (int retry = 0; retry <= RETRIES; retry++) {
        bool is_last = retry == RETRIES;
        if (attribute_unfinished(attribution, log, samples, count, is_last) == 0)
            break;
        if (!is_last && pause)
            os_sleep_until(os_clock_now() + pause);
    }

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

/* Returns the TID that trace records have for the calling thread. In a PID namespace,
 * this is not the TID that os_thread_number returns. So the function writes a mark into
 * the trace and looks for the record of this mark, which has the TID. If there is no such
 * record, returns os_thread_number. */
static int
find_thread(struct records *records)
{
    const struct trace_source *source = &records->source;
    int64_t mark = os_clock_now();
    bool is_marked = source->mark && source->mark(source->trace, (uint64_t)mark) == 0;
    if (!is_marked)
        return os_thread_number();

    for (int retry = 0; retry < RETRIES; retry++) {
        records_read(records);
        int i = records_find(records, records->entry_count, mark - MS);
        for (; i < records->entry_count; i++) {
            const struct os_trace_record *record = &records->entries[i].record;
            if (record->kind == OS_TRACE_MARK && record->sector == (uint64_t)mark)
                return record->thread;
        }
        os_sleep_until(os_clock_now() + RETRY_PAUSE);
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

/* If the worker may have other requests in flight, there is no pause before a retry: the
 * worker could not receive their completions during the pause. */
void
attribution_record(struct attribution *attribution, const struct attribution_log *log,
                   struct sample *sample)
{
    bool is_single = attribution->targets[log->target_index].target.is_single;
    int64_t pause = is_single ? RETRY_PAUSE : 0;

    os_lock_acquire(attribution->lock);
    attribute_requests(attribution, log, sample, 1, pause);
    os_lock_release(attribution->lock);
}

/* Attributes all requests of LOG, and empties LOG. The caller must hold `lock`. */
static void
attribute_log(struct attribution *attribution, struct attribution_log *log)
{
    attribute_requests(attribution, log, log->samples, log->count, RETRY_PAUSE);
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
        int last = (attribution->first_log + attribution->log_count) % ATTRIBUTION_QUEUED;
        size_t size = offsetof(struct attribution_log, samples) +
                      (size_t)log->count * sizeof(log->samples[0]);
        memcpy(&attribution->queue[last], log, size);
        attribution->log_count++;
        log->count = 0;
        os_lock_notify(attribution->queue_lock);
    }
    os_lock_release(attribution->queue_lock);
    if (fits)
        return;

    /* The queue is full: the thread of the attribution does not keep up, so the worker
     * attributes its log itself. */
    os_lock_acquire(attribution->lock);
    attribute_log(attribution, log);
    os_lock_release(attribution->lock);
}

/* Attributes the oldest log in the queue, and removes it. Returns false if the queue is
 * empty. The caller must hold `lock`. */
static bool
attribute_next_log(struct attribution *attribution)
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

/* The number of logs that are attributed here is limited, because workers may hand over
 * new logs faster than they are attributed. */
bool
attribution_add(struct attribution *attribution, int index, struct stats *stats,
                struct track *track, bool wait)
{
    const struct attribution_target *target = &attribution->targets[index];
    if (wait)
        os_lock_acquire(attribution->lock);
    else if (!os_lock_try(attribution->lock))
        return false;

    for (int i = 0; i < ATTRIBUTION_QUEUED; i++)
        if (!attribute_next_log(attribution))
            break;
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
    bool has_more = true;
    while (has_more)
        has_more = attribute_next_log(attribution);
    breakdown_clear(&target->breakdown);
    os_lock_release(attribution->lock);
}

/* The body of the thread: waits for logs and attributes them. Ends once `is_ending` is
 * set and the queue is empty. Another thread may empty the queue before this thread has
 * acquired `lock`; then there is nothing to do. */
static void *
attribute_logs(void *argument)
{
    struct attribution *attribution = argument;
    bool has_more = true;

    while (has_more) {
        os_lock_acquire(attribution->queue_lock);
        while (!attribution->log_count && !attribution->is_ending)
            os_lock_wait(attribution->queue_lock);
        has_more = attribution->log_count > 0;
        os_lock_release(attribution->queue_lock);

        os_lock_acquire(attribution->lock);
        attribute_next_log(attribution);
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
        os_thread_start(&attribution->thread, attribute_logs, attribution) == 0;
    if (attribution->has_thread)
        return attribution;

    int code = errno;
    attribution_close(attribution);
    errno = code;
    return NULL;
}

/* Before the thread ends, it attributes all logs that are still in the queue. */
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

/* Called for a target on a single device. Adds a note to NOTES if the user asks for a
 * limit (-slo) on the part "stack", which requests to a single device do not have. */
static void
note_useless_stack_limit(const struct plan *plan, const struct os_layout *layout,
                         struct notes *notes)
{
    for (int i = 0; i < plan->statistics.slos.count; i++) {
        if (plan->statistics.slos.list[i].scope != SCOPE_STACK)
            continue;
        notes_add(notes, plan->path,
                  "a limit on stack needs a stack of devices, such as LVM or RAID, "
                  "but %s is a single device",
                  layout->name);
        return;
    }
}

/* Fills TARGET from JOB: the layout of the target, and how its requests are sent. May add
 * notes for the user to NOTES. Returns 0, or -1 with ERROR. */
static int
prepare_traced_target(struct trace_target *target, const struct attribution_job *job,
                      struct notes *notes, struct error *error)
{
    const struct plan *plan = job->plan;
    struct os_layout *layout = &target->layout;
    int64_t length = job->target->work_size;

    if (plan->workload.is_log)
        /* Requests append to the file, so the blocks that they will write have no sectors
         * yet. With a length of 0, the layout has no extents. */
        length = 0;
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
        note_useless_stack_limit(plan, layout, notes);

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
    const struct os_layout *layouts[TARGETS_MAX] = {NULL};
    struct attribution *attribution = attribution_make(count);
    if (!attribution) {
        error_set(error, EXIT_PREPARE, NULL, "cannot start -breakdown: %s",
                  strerror(errno));
        return NULL;
    }

    int prepared_count = 0;
    for (; prepared_count < count; prepared_count++) {
        struct trace_target *target = &attribution->targets[prepared_count].target;
        layouts[prepared_count] = &target->layout;
        if (prepare_traced_target(target, &jobs[prepared_count], notes, error) < 0)
            break;
    }

    if (prepared_count == count)
        attribution->trace = os_trace_open(layouts, count, error);
    attribution->records.source =
        (struct trace_source){os_trace_read, os_trace_mark, attribution->trace};
    if (attribution->trace)
        return attribution;

    attribution_close(attribution);
    return NULL;
}
