/*
 * Attribution: the logs of requests that wait for its thread, and what has become of the
 * requests of each target. Which records are those of a request is found by request.c.
 */
#include "trace/attribution.h"

#include "trace_private.h"

#include "base/time.h"
#include "cli/options.h"
#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define QUEUED_MOST 32 /* logs that wait */
/* A record that another one has interrupted is visible only after that, so what is
 * missing is looked for again, so often and after so long (ns), for all of a log at a
 * time.
 */
#define LOOKS 3
#define LOOK_PAUSE (50 * US)

struct attribution_target {
    struct trace_target known;
    struct breakdown breakdown;
    struct track *track; /* of its parts alone; NULL: not wanted */
};

struct attribution {
    struct os_trace *trace; /* NULL: it is a test's */
    struct os_lock *lock;   /* of all up to the queue */
    struct records records;
    struct attribution_target *targets;
    int target_count;

    struct os_lock *queue_lock;    /* of all that follows; acquired after the other */
    struct attribution_log *queue; /* a ring of logs that wait for the thread */
    int first, queued;
    bool ending;

    struct os_thread thread;
    bool threaded;
};

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

/* Records what a sample was split into, if it counts. */
static void
record(struct attribution_target *target, const struct attribution_log *log,
       const struct sample *sample)
{
    if (!sample_counts(sample))
        return;
    breakdown_record(&target->breakdown, sample);
    if (target->track && !target->track->began)
        track_start(target->track, log->began, log->every);
    if (target->track)
        track_split(target->track, sample);
}

/* Attributes records to COUNT requests of the worker whose LOG it is, under the lock,
 * which the caller has, with a PAUSE (ns) before it looks again. */
static void
attribute_and_record(struct attribution *attribution, const struct attribution_log *log,
                     struct sample *samples, int count, int64_t pause)
{
    for (int look = 0;
         attribute_missing(attribution, log, samples, count, look == LOOKS) > 0 &&
         look < LOOKS;
         look++)
        if (pause)
            os_sleep_until(os_clock_now() + pause);
    for (int i = 0; i < count; i++)
        record(&attribution->targets[log->index], log, &samples[i]);
}

/* Returns the number of the calling thread in the records. A PID namespace has numbers of
 * its own for threads, so a mark tells what the trace takes this one for. */
static int
find_thread(struct records *records)
{
    const struct trace_source *source = &records->source;
    int64_t mark = os_clock_now();
    bool marked = source->mark && source->mark(source->self, (uint64_t)mark) == 0;
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
    attribute_and_record(attribution, log, sample, 1, single ? LOOK_PAUSE : 0);
    os_lock_release(attribution->lock);
}

/* Attributes records to all requests of LOG, under the lock, which the caller has. */
static void
attribute_log(struct attribution *attribution, struct attribution_log *log)
{
    attribute_and_record(attribution, log, log->list, log->count, LOOK_PAUSE);
    log->count = 0;
}

void
attribution_take(struct attribution *attribution, struct attribution_log *log)
{
    if (log->count == 0)
        return;
    os_lock_acquire(attribution->queue_lock);
    bool fits = attribution->queued < QUEUED_MOST;
    if (fits) {
        int last = (attribution->first + attribution->queued++) % QUEUED_MOST;
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
    attribution->first = (attribution->first + 1) % QUEUED_MOST;
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
    for (int i = 0; i < QUEUED_MOST && attribute_next(attribution); i++)
        ;
    breakdown_merge(&stats->breakdown, &target->breakdown);
    if (track && target->track)
        track_merge(track, target->track);
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

/* Returns whether a log waits; waits for that, or for the end. */
static bool
wait_for_log(struct attribution *attribution)
{
    os_lock_acquire(attribution->queue_lock);
    while (!attribution->queued && !attribution->ending)
        os_lock_wait(attribution->queue_lock);
    bool more = attribution->queued > 0;
    os_lock_release(attribution->queue_lock);
    return more;
}

static void *
attribute_all(void *argument)
{
    struct attribution *attribution = argument;
    while (wait_for_log(attribution)) {
        os_lock_acquire(attribution->lock);
        attribute_next(attribution);
        os_lock_release(attribution->lock);
    }
    return NULL;
}

/* Takes what ATTRIBUTION needs besides itself. Returns 0, or -1 with errno. */
static int
prepare(struct attribution *attribution, const struct trace_target *targets,
        const struct trace_source *source)
{
    size_t count = (size_t)attribution->target_count;
    bool all = records_open(&attribution->records, source) == 0;
    attribution->lock = os_lock_make();
    attribution->queue_lock = os_lock_make();
    attribution->queue = os_memory_zeroed(QUEUED_MOST * sizeof(*attribution->queue));
    attribution->targets = os_memory_zeroed(count * sizeof(struct attribution_target));
    if (!attribution->lock || !attribution->queue_lock || !attribution->queue ||
        !attribution->targets)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct attribution_target *target = &attribution->targets[i];
        target->known = targets[i];
        if (targets[i].tracked)
            target->track = os_memory_zeroed(sizeof(*target->track));
        all &= !targets[i].tracked || target->track;
    }
    return all ? os_thread_start(&attribution->thread, attribute_all, attribution) : -1;
}

struct attribution *
attribution_make(const struct trace_target *targets, int count,
                 const struct trace_source *source)
{
    struct attribution *attribution = calloc(1, sizeof(*attribution));
    if (!attribution)
        return NULL;
    attribution->target_count = count;
    if (prepare(attribution, targets, source) == 0) {
        attribution->threaded = true;
        return attribution;
    }
    int code = errno;
    for (int i = 0; attribution->targets && i < count; i++) /* they stay the caller's */
        attribution->targets[i].known.layout = (struct os_layout){0};
    attribution_close(attribution);
    errno = code;
    return NULL;
}

/* Ends the thread, which attributes what waits first. */
static void
end_thread(struct attribution *attribution)
{
    os_lock_acquire(attribution->queue_lock);
    attribution->ending = true;
    os_lock_notify(attribution->queue_lock);
    os_lock_release(attribution->queue_lock);
    os_thread_join(&attribution->thread);
}

void
attribution_close(struct attribution *attribution)
{
    if (!attribution)
        return;
    if (attribution->threaded)
        end_thread(attribution);
    os_trace_close(attribution->trace);
    for (int i = 0; attribution->targets && i < attribution->target_count; i++) {
        struct attribution_target *target = &attribution->targets[i];
        os_layout_free(&target->known.layout);
        os_memory_release(target->track, sizeof(*target->track));
    }
    os_memory_release(attribution->targets,
                      (size_t)attribution->target_count * sizeof(*attribution->targets));
    os_memory_release(attribution->queue, QUEUED_MOST * sizeof(*attribution->queue));
    records_close(&attribution->records);
    os_lock_free(attribution->queue_lock);
    os_lock_free(attribution->lock);
    free(attribution);
}

static int
read_trace(void *self, struct os_trace_record *records, int room)
{
    return os_trace_read(self, records, room);
}

static int
mark_trace(void *self, uint64_t mark)
{
    return os_trace_mark(self, mark);
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
    target->direct = job->target->direct;
    target->tracked = job->tracked;
    if (layout->lower)
        notes_add(notes, plan->path, "breakdown of %s, below %s", layout->name,
                  layout->above);
    target->single = plan->io.depth == 1 && plan->sweep.kind != SWEEP_DEPTH;
    if (layout->known || target->single)
        return 0;
    error_set(error, EXIT_PREPARE, plan->path,
              "its file system does not tell where its blocks are, so only one request "
              "of a thread can be followed");
    return error_advise(error, "use -threads instead of -depth");
}

/* Fills ERROR by errno. */
static void
refuse(struct error *error)
{
    error_set(error, EXIT_PREPARE, NULL, "no memory or thread for -breakdown: %s",
              strerror(errno));
}

/* Starts the trace of all TARGETS, and the attribution. Returns NULL with ERROR. */
static struct attribution *
open_targets(const struct trace_target *targets, int count, struct error *error)
{
    const struct os_layout *layouts[TARGETS_MOST] = {NULL};
    for (int i = 0; i < count; i++)
        layouts[i] = &targets[i].layout;
    struct os_trace *trace = os_trace_open(layouts, count, error);
    if (!trace)
        return NULL;
    const struct trace_source source = {read_trace, mark_trace, trace};
    struct attribution *attribution = attribution_make(targets, count, &source);
    if (attribution) {
        attribution->trace = trace;
        return attribution;
    }
    refuse(error);
    os_trace_close(trace);
    return NULL;
}

struct attribution *
attribution_open(const struct attribution_job *jobs, int count, struct notes *notes,
                 struct error *error)
{
    const size_t size = (size_t)count * sizeof(struct trace_target);
    struct trace_target *targets = os_memory_zeroed(size);
    struct attribution *attribution = NULL;
    int found = 0;
    if (!targets) {
        refuse(error);
        return NULL;
    }
    while (found < count && find_layout(&targets[found], &jobs[found], notes, error) == 0)
        found++;
    if (found == count)
        attribution = open_targets(targets, count, error);
    for (int i = 0; !attribution && i < count; i++)
        os_layout_free(&targets[i].layout);
    os_memory_release(targets, size);
    return attribution;
}
