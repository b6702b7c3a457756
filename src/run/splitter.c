/*
 * The splitter: the logs of requests that wait for its thread, and what has become of the
 * requests of each target. Which records are those of a request is for the matcher to
 * find.
 */
#include "attribution.h"

#include "base/time.h"
#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"
#include "run/run.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES 32 /* logs that wait, at most */
/* A record that another one has interrupted is visible only after that, so what is
 * missing is looked for again, so often and after so long (ns), for all of a log at a
 * time.
 */
#define LOOKS 3
#define LOOK_PAUSE (50 * US)

/* A log that waits for the thread, or is free. */
struct batch {
    struct split_log log;
    struct batch *next;
};

struct split_target {
    struct splitter_target known;
    struct breakdown breakdown;
    struct track *track; /* of its parts alone; NULL: not wanted */
};

struct splitter {
    struct os_trace *trace; /* NULL: it is a test's */
    struct os_lock *lock;   /* of all up to the queue */
    struct records records;
    struct split_target *targets;
    int target_count;

    struct os_lock *queue_lock; /* of all that follows; acquired after the other */
    struct batch *free, *first, **last;
    struct batch *batches;
    bool ending;

    struct os_thread thread;
    bool threaded;
};

/* Splits the requests of LOG of which records are missing so far; LAST: they come no
 * more. Returns how many are missing still. */
static int
split_missing(struct splitter *splitter, const struct split_log *log,
              struct sample *samples, int count, bool last)
{
    const struct splitter_target *target = &splitter->targets[log->number].known;
    int missing = 0;
    records_read(&splitter->records);
    bool complete = last && (!splitter->trace || os_trace_lost(splitter->trace) == 0);
    for (int i = 0; i < count; i++) {
        enum split_result result = samples[i].split.result;
        if (result == SPLIT_NOT_TRIED || result == SPLIT_LOST)
            matcher_split(&splitter->records, target, log->thread, complete, &samples[i]);
        missing += samples[i].split.result == SPLIT_LOST;
    }
    return missing;
}

/* Records what a sample was split into, if it counts. */
static void
record(struct split_target *target, const struct split_log *log,
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

/* Splits COUNT requests of the worker whose LOG it is, under the lock, which the caller
 * has, with a PAUSE (ns) before it looks again. */
static void
split_and_record(struct splitter *splitter, const struct split_log *log,
                 struct sample *samples, int count, int64_t pause)
{
    for (int look = 0;
         split_missing(splitter, log, samples, count, look == LOOKS) > 0 && look < LOOKS;
         look++)
        if (pause)
            os_sleep_until(os_clock_now() + pause);
    for (int i = 0; i < count; i++)
        record(&splitter->targets[log->number], log, &samples[i]);
}

/* Returns the number of the calling thread in the records. A PID namespace has numbers of
 * its own for threads, so a mark tells what the trace takes this one for. */
static int
find_thread(struct records *records)
{
    const struct splitter_source *source = &records->source;
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
splitter_begin(struct splitter *splitter, struct split_log *log)
{
    os_lock_acquire(splitter->lock);
    log->thread = find_thread(&splitter->records);
    records_add_own(&splitter->records, log->thread);
    os_lock_release(splitter->lock);
}

void
splitter_split(struct splitter *splitter, const struct split_log *log,
               struct sample *sample)
{
    bool single = splitter->targets[log->number].known.single;
    os_lock_acquire(splitter->lock);
    split_and_record(splitter, log, sample, 1, single ? LOOK_PAUSE : 0);
    os_lock_release(splitter->lock);
}

/* Splits all requests of LOG, under the lock, which the caller has. */
static void
split_log(struct splitter *splitter, struct split_log *log)
{
    split_and_record(splitter, log, log->list, log->count, LOOK_PAUSE);
    log->count = 0;
}

void
splitter_take(struct splitter *splitter, struct split_log *log)
{
    if (log->count == 0)
        return;
    os_lock_acquire(splitter->queue_lock);
    struct batch *batch = splitter->free;
    if (batch) {
        size_t size =
            offsetof(struct split_log, list) + (size_t)log->count * sizeof(log->list[0]);
        splitter->free = batch->next;
        memcpy(&batch->log, log, size);
        batch->next = NULL;
        *splitter->last = batch;
        splitter->last = &batch->next;
        log->count = 0;
        os_lock_notify(splitter->queue_lock);
    }
    os_lock_release(splitter->queue_lock);
    if (batch)
        return;
    os_lock_acquire(splitter->lock); /* the thread does not keep up */
    split_log(splitter, log);
    os_lock_release(splitter->lock);
}

/* Splits the first log that waits, under the lock, which the caller has. Returns false if
 * there is none. */
static bool
split_next(struct splitter *splitter)
{
    os_lock_acquire(splitter->queue_lock);
    struct batch *batch = splitter->first;
    if (batch)
        splitter->first = batch->next;
    if (!splitter->first)
        splitter->last = &splitter->first;
    os_lock_release(splitter->queue_lock);
    if (!batch)
        return false;
    split_log(splitter, &batch->log);
    os_lock_acquire(splitter->queue_lock);
    batch->next = splitter->free;
    splitter->free = batch;
    os_lock_release(splitter->queue_lock);
    return true;
}

bool
splitter_add(struct splitter *splitter, int number, struct stats *stats,
             struct track *track, bool wait)
{
    const struct split_target *target = &splitter->targets[number];
    if (wait)
        os_lock_acquire(splitter->lock);
    else if (!os_lock_try(splitter->lock))
        return false;
    for (int i = 0; i < BATCHES && split_next(splitter); i++)
        ;
    breakdown_merge(&stats->breakdown, &target->breakdown);
    if (track && target->track)
        track_merge(track, target->track);
    os_lock_release(splitter->lock);
    return true;
}

void
splitter_reset(struct splitter *splitter, int number)
{
    struct split_target *target = &splitter->targets[number];
    os_lock_acquire(splitter->lock);
    while (split_next(splitter))
        ;
    breakdown_clear(&target->breakdown);
    os_lock_release(splitter->lock);
}

/* Returns whether there is a log to split; waits for that, or for the end. */
static bool
wait_for_log(struct splitter *splitter)
{
    os_lock_acquire(splitter->queue_lock);
    while (!splitter->first && !splitter->ending)
        os_lock_wait(splitter->queue_lock);
    bool more = splitter->first != NULL;
    os_lock_release(splitter->queue_lock);
    return more;
}

static void *
split_all(void *argument)
{
    struct splitter *splitter = argument;
    while (wait_for_log(splitter)) {
        os_lock_acquire(splitter->lock);
        split_next(splitter);
        os_lock_release(splitter->lock);
    }
    return NULL;
}

/* Takes what SPLITTER needs besides itself. Returns 0, or -1 with errno. */
static int
prepare(struct splitter *splitter, const struct splitter_target *targets,
        const struct splitter_source *source)
{
    size_t count = (size_t)splitter->target_count;
    bool all = records_open(&splitter->records, source) == 0;
    splitter->lock = os_lock_make();
    splitter->queue_lock = os_lock_make();
    splitter->batches = os_memory_zeroed(BATCHES * sizeof(struct batch));
    splitter->targets = os_memory_zeroed(count * sizeof(struct split_target));
    if (!splitter->lock || !splitter->queue_lock || !splitter->batches ||
        !splitter->targets)
        return -1;
    splitter->last = &splitter->first;
    for (int i = 0; i < BATCHES; i++) {
        splitter->batches[i].next = splitter->free;
        splitter->free = &splitter->batches[i];
    }
    for (size_t i = 0; i < count; i++) {
        struct split_target *target = &splitter->targets[i];
        target->known = targets[i];
        if (targets[i].tracked)
            target->track = os_memory_zeroed(sizeof(*target->track));
        all &= !targets[i].tracked || target->track;
    }
    return all ? os_thread_start(&splitter->thread, split_all, splitter) : -1;
}

struct splitter *
splitter_make(const struct splitter_target *targets, int count,
              const struct splitter_source *source)
{
    struct splitter *splitter = calloc(1, sizeof(*splitter));
    if (!splitter)
        return NULL;
    splitter->target_count = count;
    if (prepare(splitter, targets, source) == 0) {
        splitter->threaded = true;
        return splitter;
    }
    int number = errno;
    for (int i = 0; splitter->targets && i < count; i++) /* they stay the caller's */
        splitter->targets[i].known.layout = (struct os_layout){0};
    splitter_close(splitter);
    errno = number;
    return NULL;
}

/* Ends the thread, which splits what waits first. */
static void
end_thread(struct splitter *splitter)
{
    os_lock_acquire(splitter->queue_lock);
    splitter->ending = true;
    os_lock_notify(splitter->queue_lock);
    os_lock_release(splitter->queue_lock);
    os_thread_join(&splitter->thread);
}

void
splitter_close(struct splitter *splitter)
{
    if (!splitter)
        return;
    if (splitter->threaded)
        end_thread(splitter);
    os_trace_close(splitter->trace);
    for (int i = 0; splitter->targets && i < splitter->target_count; i++) {
        struct split_target *target = &splitter->targets[i];
        os_layout_free(&target->known.layout);
        os_memory_release(target->track, sizeof(*target->track));
    }
    os_memory_release(splitter->targets,
                      (size_t)splitter->target_count * sizeof(*splitter->targets));
    os_memory_release(splitter->batches, BATCHES * sizeof(struct batch));
    records_close(&splitter->records);
    os_lock_free(splitter->queue_lock);
    os_lock_free(splitter->lock);
    free(splitter);
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
find_layout(struct splitter_target *target, const struct job *job, struct notes *notes,
            struct error *error)
{
    const struct plan *plan = &job->plan;
    struct os_layout *layout = &target->layout;
    int64_t length =
        plan->workload.append ? 0 : job->target.work_size; /* it has no place yet */
    if (os_layout_find(job->target.fd, plan->path, plan->workload.work_offset, length,
                       layout, error) < 0)
        return -1;
    target->syncs = plan->io.open_flags & (OS_OPEN_SYNC | OS_OPEN_DSYNC);
    target->direct = job->target.direct;
    target->tracked = job->track != NULL;
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

/* Starts the trace of all TARGETS, and the splitter. Returns NULL with ERROR. */
static struct splitter *
open_targets(const struct splitter_target *targets, int count, struct error *error)
{
    const struct os_layout *layouts[TARGETS_MOST] = {NULL};
    for (int i = 0; i < count; i++)
        layouts[i] = &targets[i].layout;
    struct os_trace *trace = os_trace_open(layouts, count, error);
    if (!trace)
        return NULL;
    const struct splitter_source source = {read_trace, mark_trace, trace};
    struct splitter *splitter = splitter_make(targets, count, &source);
    if (splitter) {
        splitter->trace = trace;
        return splitter;
    }
    refuse(error);
    os_trace_close(trace);
    return NULL;
}

struct splitter *
splitter_open(const struct job *jobs, int count, struct notes *notes, struct error *error)
{
    const size_t size = (size_t)count * sizeof(struct splitter_target);
    struct splitter_target *targets = os_memory_zeroed(size);
    struct splitter *splitter = NULL;
    int found = 0;
    if (!targets) {
        refuse(error);
        return NULL;
    }
    while (found < count && find_layout(&targets[found], &jobs[found], notes, error) == 0)
        found++;
    if (found == count)
        splitter = open_targets(targets, count, error);
    for (int i = 0; !splitter && i < count; i++)
        os_layout_free(&targets[i].layout);
    os_memory_release(targets, size);
    return splitter;
}
