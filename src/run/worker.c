/*
 * A worker: its memory and its queue, what becomes of a sample, and what others may ask
 * of it while it waits in the kernel. The loop stands in loop.c.
 */
#include "worker.h"

#include "base/units.h"
#include "os/os.h"
#include "os/process.h"
#include "run_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEDUPLICATION_UNIT 4096
/* Shorter times (ns) are not examined for a stop of the process. */
#define STOP_SHORTEST MS

int64_t
worker_size(const struct plan *plan)
{
    size_t unused =
        plan->workload.load == LOAD_READ_WRITE ? 0 : 2 * sizeof(struct stats_operation);
    return (int64_t)(sizeof(struct worker) - unused +
                     (plan->output.track ? sizeof(struct track) : 0) +
                     (size_t)(plan->statistics.series / plan->io.threads) *
                         sizeof(struct series_entry));
}

#define SERIES_LEAST 64

int
worker_open_series(struct time_series *series, const struct plan *plan, int workers)
{
    if (plan->statistics.series == 0)
        return 0;
    int most = plan->statistics.series / workers / 2 * 2;
    most = most > SERIES_LEAST ? most : SERIES_LEAST;
    struct series_entry *entries = os_memory_zeroed((size_t)most * sizeof(*entries));
    if (!entries)
        return -1;
    series_start(series, entries, most, plan->workload.seed);
    return 0;
}

void
worker_close_series(struct time_series *series)
{
    os_memory_release(series->entries,
                      (size_t)series->most * sizeof(struct series_entry));
    *series = (struct time_series){0};
}

/* Names the options that need less memory. */
static int
advise(const struct plan *plan, struct error *error)
{
    enum sweep_kind swept = plan->sweep.kind;
    char advice[sizeof(error->advice)];
    const char *threads = swept == SWEEP_THREADS ? "threads" : "-threads";
    if (plan->io.threads > 1 &&
        plan->io.depth * plan->workload.request_size < worker_size(plan)) {
        snprintf(advice, sizeof(advice), "use fewer %s", threads);
        return error_advise(error, advice);
    }
    snprintf(advice, sizeof(advice), "use a smaller %s%s%s%s",
             swept == SWEEP_SIZE ? "size" : "-s",
             plan->io.depth == 1    ? ""
             : swept == SWEEP_DEPTH ? " or depth"
                                    : " or -depth",
             plan->io.threads == 1 ? "" : ", or fewer ",
             plan->io.threads == 1 ? "" : threads);
    return error_advise(error, advice);
}

int
worker_refuse(const struct plan *plan, int64_t requests, int64_t left,
              struct error *error)
{
    char what[64] = "a request", have[UNITS_TEXT] = "";
    if (requests > 1)
        snprintf(what, sizeof(what), "%lld requests", (long long)requests);
    if (left < INT64_MAX)
        units_format(UNITS_SIZE, left, have);
    error_set(error, EXIT_PREPARE, NULL, "no memory for %s of %lld bytes%s%s%s", what,
              (long long)plan->workload.request_size, *have ? " in the " : "", have,
              *have ? " that are left" : "");
    return advise(plan, error);
}

/* Makes the log of the requests that records are to be attributed to, if any are. */
static int
take_log(struct worker *worker, struct error *error)
{
    if (!worker->attribution)
        return 0;
    int room = ATTRIBUTION_LOGS / (worker->plan->io.threads * worker->job->targets);
    worker->log = os_memory_unshared(sizeof(*worker->log));
    if (!worker->log)
        return worker_refuse(worker->plan, ATTRIBUTION_LOG_MOST, INT64_MAX, error);
    worker->log->index = worker->job->index;
    worker->log->room = room < 1                      ? 1
                        : room > ATTRIBUTION_LOG_MOST ? ATTRIBUTION_LOG_MOST
                                                      : room;
    return 0;
}

static void
free_memory(struct worker *worker)
{
    os_memory_free(worker->log);
    os_memory_free(worker->memory);
    inflight_close(&worker->inflight);
}

/* Takes the buffers of all requests, each with the alignment of the first. */
static int
take_memory(struct worker *worker, struct io_config *config, struct error *error)
{
    size_t depth = (size_t)config->depth,
           size = (size_t)worker->plan->workload.request_size;
    size_t alignment = (size_t)worker->target->alignment;
    config->size = (size + alignment - 1) / alignment * alignment;
    if (inflight_open(&worker->inflight, config->depth,
                      worker->plan->workload.request_size) == 0 &&
        config->size <= SIZE_MAX / depth &&
        (worker->memory = os_memory_aligned(alignment, depth * config->size))) {
        config->memory = worker->memory;
        return 0;
    }
    free_memory(worker);
    return worker_refuse(worker->plan, config->depth, INT64_MAX, error);
}

int
worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
            int number, struct error *error)
{
    const struct plan *plan = &job->active;
    const struct target *target = &job->target;
    struct io_config config = {.fd = target->fd,
                               .kind = target->kind,
                               .rw_flags = target->rw_flags,
                               .poll = target->poll,
                               .depth = plan->io.depth};
    worker->job = job;
    worker->plan = plan;
    worker->target = target;
    worker->group = &job->group;
    worker->number = number;
    atomic_init(&worker->over, INT64_MAX);
    worker->total.every = plan->statistics.corrected;
    worker->total.both = plan->workload.load == LOAD_READ_WRITE;
    if (take_log(worker, error) < 0 || take_memory(worker, &config, error) < 0)
        return -1;
    worker->engine = engine;
    worker->buffer_size = config.size;
    worker->queue = io_open(engine, plan->io.engine_name, &config, error);
    if (!worker->queue) {
        free_memory(worker);
        return -1;
    }
    pattern_start(&worker->pattern, plan, target->work_size, number);
    worker->appended = -1;
    random_seed(&worker->data, random_derive(~plan->workload.seed, (uint64_t)number));
    size_t bytes = config.size * (size_t)plan->io.depth;
    if (plan->workload.load == LOAD_READ)
        memset(worker->memory, 1, bytes); /* no page is new to a request */
    else
        random_fill(&worker->data, worker->memory, bytes);
    return 0;
}

void
worker_close(struct worker *worker)
{
    if (io_close(worker->engine, worker->queue))
        os_memory_free(worker->memory);
    os_memory_free(worker->log);
    inflight_close(&worker->inflight);
}

void
worker_refresh(struct worker *worker, const struct inflight_request *entry)
{
    int64_t size = entry->sample.size;
    char *buffer = worker->memory + worker->buffer_size * (size_t)entry->request.slot;
    for (int64_t at = 0; at < size; at += DEDUPLICATION_UNIT) {
        int64_t left = size - at;
        random_fill(&worker->data, buffer + at, left < 8 ? (size_t)left : 8);
    }
}

/* One that fails leaves a hole behind it, but those that follow extend the file too. */
void
worker_append(struct worker *worker, struct inflight_request *entry, int64_t now)
{
    const struct sample *sample = &entry->sample;
    bool extends = worker->appended >= 0 && sample->offset >= worker->appended;
    entry->unsent = 0;
    worker->appended = sample->offset + sample->size;
    if (extends)
        return;
    handoff_release(&worker->handoff, now);
    entry->unsent = target_empty(worker->target);
    handoff_acquire(&worker->handoff, now);
    schedule_skip(&worker->schedule, os_clock_now());
    if (!entry->unsent)
        return;
    entry->request.operation = IO_FLUSH;
    worker->appended = -1;
}

int64_t
worker_until(const struct worker *worker, int64_t now)
{
    return worker_group_until(worker->group, time_earlier(now, worker->schedule.end));
}

void
worker_extend(struct worker *worker, int64_t when)
{
    if (worker->total.requests >= worker->plan->ends.least)
        return;
    worker->schedule.end = time_add(when, 1);
    atomic_store_explicit(&worker->over, worker->schedule.end, memory_order_relaxed);
}

void
worker_miss(struct worker *worker, struct sample *sample, uint64_t count)
{
    const struct schedule *schedule = &worker->schedule;
    if (count == 0 || os_process_stopped(schedule->missed_since))
        return;
    if (sample) {
        sample->missed += count;
        return;
    }
    stats_miss(&worker->total, worker->pattern.operation, count);
    if (worker->track)
        track_miss(worker->track, schedule->missed_since - schedule->interval, count);
}

bool
worker_pass_stopped(struct worker *worker, int64_t when, int64_t now)
{
    struct schedule *schedule = &worker->schedule;
    if (!schedule->stays || !worker_was_stopped(when, now))
        return false;
    int64_t resumed = os_process_resumed();
    worker->total.passed += schedule_stopped(schedule, resumed > when ? resumed : now);
    return true;
}

void
worker_miss_rest(struct worker *worker, int64_t now, bool last)
{
    int64_t due = schedule_next(&worker->schedule, now);
    if (last)
        worker_pass_stopped(worker, due, now);
    worker_miss(worker, NULL,
                schedule_end(&worker->schedule, worker_until(worker, now), last));
}

/* Moves the busy spans to those of the group, for a moment under their lock. */
static void
share_busy(struct worker *worker)
{
    struct worker_group *group = worker->group;
    if (!group->busy_lock || worker->busy.count == 0)
        return;
    os_lock_acquire(group->busy_lock);
    busy_log_move(&worker->busy, &group->busy);
    os_lock_release(group->busy_lock);
}

void
worker_share(struct worker *worker)
{
    share_busy(worker);
    if (worker->attribution)
        attribution_take(worker->attribution, worker->log);
}

/* Has records attributed to SAMPLE, which is judged: at once if it is reported, else some
 * time. */
static void
attribute(struct worker *worker, struct sample *sample)
{
    struct attribution_log *log = worker->log;
    if (sample_failed(sample))
        return;
    if (worker->reports) {
        attribution_record(worker->attribution, log, sample);
    } else if (sample_counts(sample)) {
        log->list[log->count++] = *sample;
        if (log->count == log->room)
            attribution_take(worker->attribution, log);
    }
}

/* Adds a sample to the statistics. */
static void
record(struct worker *worker, const struct sample *sample)
{
    stats_record(&worker->total, sample);
    if (!worker->group->busy_lock || !sample_is_busy(sample))
        return;
    if (worker->busy.count == BUSY_LOG)
        share_busy(worker);
    busy_log_add(&worker->busy, sample->start, sample->start + sample->latency,
                 sample_counts(sample));
}

bool
worker_was_stopped(int64_t start, int64_t now)
{
    return now - start >= STOP_SHORTEST && os_process_stopped(start);
}

bool
worker_digest(struct worker *worker, struct sample *sample)
{
    stats_judge(&worker->plan->statistics.limits, sample);
    if (sample->start >= worker->began) {
        record(worker, sample);
        if (worker->attribution)
            attribute(worker, sample);
    }
    if (worker->track)
        track_record(worker->track, sample);
    if (sample_counts(sample) && sample->start >= worker->began)
        series_record(&worker->series, sample->start, sample->latency);
    if (worker->reports)
        stats_compare(&worker->total, sample);
    sample->median = worker->medians ? stats_median(&worker->total, sample) : 0;
    if (!sample_failed(sample))
        return true;
    if (sample->error == EAGAIN && worker->plan->io.rw_flags & OS_RW_NOWAIT)
        return true;
    if (worker->failed.index == 0)
        worker->failed = *sample;
    if (sample->timed_out && !worker->plan->ends.ignore_error)
        atomic_store(&worker->job->run->timed_out, true);
    return worker->plan->ends.ignore_error;
}

bool
worker_time_out_request(struct worker *worker, struct inflight_request *entry,
                        int64_t start, int64_t now)
{
    struct sample *sample = &entry->sample;
    sample->start = start;
    sample->latency = now - start;
    sample->sync = entry->written ? now - entry->written : 0;
    sample->bytes = 0;
    sample->error = 0;
    sample->stopped = false;
    sample->timed_out = true;
    if (worker->inflight.under_way == worker->inflight.count)
        worker_miss(worker, sample,
                    schedule_skip(&worker->schedule, worker_until(worker, now)));
    inflight_lose(&worker->inflight, entry);
    inflight_count_from_due(entry, now);
    return worker_digest(worker, sample);
}

void
worker_take_late(struct worker *worker, struct inflight_request *entry, int64_t now)
{
    int64_t until = worker_until(worker, now);
    if (worker->inflight.under_way == worker->inflight.count)
        worker_miss(worker, NULL, schedule_freed(&worker->schedule, until, now));
    inflight_regain(&worker->inflight, entry);
}

void
worker_abandon(struct worker *worker, int64_t now)
{
    const struct inflight_request *ends = &worker->inflight.ends;
    for (const struct inflight_request *entry = ends->younger; entry != ends;
         entry = entry->younger) {
        int64_t start = entry->sample.start;
        if ((start ? start : now) >= worker->began)
            stats_abandon(&worker->total, &entry->sample);
    }
    if (worker->sending) /* else nothing was due any more */
        worker_miss_rest(worker, now,
                         atomic_load(&worker->group->stop) ||
                             now >= worker->schedule.deadline);
    if (!worker->ended) /* else all that it sent has */
        worker->ended = now;
    if (worker->began > now)
        worker->began = now;
}
