/*
 * Attribution: decides when, and in which thread, the records of a request are searched.
 * Adds up the parts of the requests to each target (times in the queue, at the device and
 * so on). request.c attributes a single request.
 *
 * Requests are attributed in three ways:
 *
 * - A worker that prints every request calls attribution_record, which attributes the
 *   request at once.
 * - Any other worker collects requests in a log, and calls attribution_take for a full
 *   log, which puts the log into the queue. If the queue is full, the worker attributes
 *   the log itself.
 *
 *       worker ---> [log][log][log] ---> thread of the attribution
 *
 * - A thread that needs the results calls attribution_add or attribution_reset, which
 *   first attribute the logs in the queue.
 *
 * Two locks are used. `lock` protects the trace, the records and the targets. It is held
 * while requests are attributed, which takes long. `queue_lock` protects the queue and is
 * held only briefly, so a worker can add a log to the queue while another log is
 * attributed. A log is removed from the queue only after it was attributed. A thread that
 * needs both locks acquires `lock` first.
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

/* While the kernel is writing a record, an interrupt may write other records. The records
 * of the interrupt become readable only after the interrupted record is complete. So the
 * program searches for missing records again, up to RETRIES times. RETRY_PAUSE is the
 * pause before each retry, in ns. */
#define RETRIES 3
#define RETRY_PAUSE (50 * US)

/* Reads new records from the trace, and tries to attribute the COUNT requests in SAMPLES,
 * which the worker that owns LOG has sent. Skips requests that were attributed by an
 * earlier call. IS_LAST says that there will be no retry. Returns the number of requests
 * whose records are still missing. */
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

/* Returns the TID that the records of the trace have for the calling thread. In a PID
 * namespace, os_thread_number returns another TID. So the function writes a numbered
 * record into the trace (os_trace_mark), and reads the TID from this record. If the
 * record cannot be written or is not found, returns os_thread_number. */
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

/* If the worker may have other requests in flight, it does not pause before a retry,
 * because it could not receive their completions during the pause. */
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

    /* The queue is full, because workers add logs faster than the separate thread
     * attributes them. So the worker attributes the requests of its log itself. */
    os_lock_acquire(attribution->lock);
    attribute_log(attribution, log);
    os_lock_release(attribution->lock);
}

/* Attributes the requests of the oldest log in the queue, and then removes the log.
 * Returns false if the queue is empty. The caller must hold `lock`. */
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

/* The loop attributes at most as many logs as fit into the queue. Without this limit, it
 * might never end, because workers may add logs to the queue faster than the loop removes
 * them. */
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

/* The body of the separate thread: waits for logs in the queue, and attributes them. Ends
 * when `is_ending` is set and the queue is empty. While this thread waits for `lock`,
 * another thread may empty the queue. Then attribute_next_log does nothing. */
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

/* Before the separate thread ends, it attributes all logs that are still in the queue. */
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

/* Called for a target that is on a single device, not on a stack of devices. Requests to
 * a single device spend no time in a stack. So if the user has set a limit (-slo) on the
 * time in the stack, adds a note to NOTES. */
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

/* Fills TARGET from JOB: the layout of the target, and how requests are sent to it. May
 * add notes for the user to NOTES. Returns 0, or -1 with ERROR. */
static int
prepare_traced_target(struct trace_target *target, const struct attribution_job *job,
                      struct notes *notes, struct error *error)
{
    const struct plan *plan = job->plan;
    struct os_layout *layout = &target->layout;
    int64_t length = job->target->work_size;

    if (plan->workload.is_log)
        /* Requests append to the file. The sectors of the appended blocks are not known
         * yet, so the layout is read for 0 bytes and gets no extents. */
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
