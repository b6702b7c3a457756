#include "status_facts.h"

#include "base/later.h"
#include "base/units.h"

/* All targets together; NULL without memory for that. */
static const struct stats *
merge(struct stats *merged, const struct job *jobs, int count)
{
    if (count == 1 || !merged)
        return count == 1 ? jobs[0].stats : NULL;
    stats_clear(merged);
    merged->every = jobs[0].stats->every;
    for (int i = 0; i < count; i++)
        stats_merge(merged, jobs[i].stats);
    return merged;
}

/* Those that there are too few requests for are not known. */
static void
gather_latencies(const struct stats *all, struct status_facts *facts)
{
    unsigned known = all ? stats_shown(all, &percentiles_common) : 0;
    facts->corrected = all && all->every > 0;
    facts->p50 = known & 1 ? stats_p50(all) : -1;
    facts->p99 = known & 2 ? stats_p99(all) : -1;
}

static void
gather_counts(const struct job *jobs, int count, struct status_facts *facts)
{
    facts->max = -1;
    for (int i = 0; i < count; i++) {
        const struct stats *stats = jobs[i].stats;
        facts->requests += stats->requests;
        facts->failed += stats->failed;
        if (stats->latency.count > 0 && stats->latency.max > facts->max)
            facts->max = stats->latency.max;
    }
}

/* What ends a run ends it the sooner the more of it is done, and the less is left. */
static void
note_end(struct status_facts *facts, double share, int64_t left)
{
    if (share > facts->share)
        facts->share = share;
    if (left >= 0 && (facts->left < 0 || left < facts->left))
        facts->left = left;
}

/* How long a step lasts, or the run; INT64_MAX: for ever. */
static int64_t
length_of(const struct plan *plan)
{
    return later(plan->work_time, plan->settle);
}

static void
note_clock(const struct plan *plan, struct status_facts *facts)
{
    int64_t whole = length_of(plan), past = earlier(facts->elapsed, whole);
    if (whole < INT64_MAX)
        note_end(facts, (double)past / (double)whole, whole - past);
}

/* No sooner than the grid allows, which has so many requests at a point, and at the rate
 * so far. */
static int64_t
left_of(const struct plan *plan, const struct stats *stats, int64_t elapsed)
{
    int64_t requests = (int64_t)(plan->count - stats->requests), rate = -1, grid = -1;
    int64_t together = units_scale(plan->burst, plan->threads, 1);
    if (plan->interval > 0)
        grid = units_scale(requests, plan->interval, together);
    if (stats->requests > 0)
        rate = units_scale(requests, elapsed, (int64_t)stats->requests);
    return rate > grid ? rate : grid;
}

/* Targets run side by side, each with its own requests: the last one ends the run. One
 * that has ended before, by a failure, is not waited for. */
static void
note_count(const struct status *status, const struct job *jobs, int count,
           struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    double done = 0, all = (double)plan->count * status->targets;
    int64_t left = 0;
    if (plan->count == UINT64_MAX)
        return;
    for (int i = 0; i < count; i++) {
        const struct job *job = &jobs[i];
        int64_t own = job->done ? 0 : left_of(plan, job->stats, facts->elapsed);
        left = left < 0 || own < 0 ? -1 : own > left ? own : left;
        done += (double)(job->done ? plan->count : job->stats->requests);
    }
    note_end(facts, done / all, left);
}

/* Targets run one after another; as far as is known all have as many steps. */
static void
note_steps(const struct status *status, int64_t now, struct status_facts *facts)
{
    const struct status_place *place = &status->place;
    int64_t whole = length_of(status->plan);
    int64_t past = earlier(now - place->began, whole);
    int64_t steps = units_scale(status->targets, place->count, 1);
    int64_t done = units_scale(place->target, place->count, 1) + place->number;
    double part = (double)past / (double)whole;
    if (place->count > 0)
        note_end(facts, ((double)done + part) / (double)steps,
                 units_scale(whole, steps - done, 1) - past);
}

void
status_gather(const struct status *status, const struct job *jobs, int count, int64_t now,
              struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    *facts = (struct status_facts){.share = -1,
                                   .left = -1,
                                   .swept = plan->sweep.kind,
                                   .place = status->place,
                                   .targets = status->targets,
                                   .elapsed = now - status->began};
    gather_counts(jobs, count, facts);
    gather_latencies(merge(status->merged, jobs, count), facts);
    if (plan->sweep.kind != SWEEP_NONE) {
        note_steps(status, now, facts);
    } else {
        note_clock(plan, facts);
        note_count(status, jobs, count, facts);
    }
}
