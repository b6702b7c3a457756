/*
 * The breakdown: divides the time of each request into parts, and collects the parts of
 * all requests. include/stats/breakdown.h defines the parts.
 *
 * The intervals of block requests may overlap. Therefore a division sorts the intervals
 * by their beginnings and goes over them once. `covered` is the time up to which the
 * intervals have been counted. It only moves forward, so that each moment counts once.
 */
#include "stats/breakdown.h"

#include "base/time.h"
#include "stats/percentile.h"
#include "stats/stats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *
part_name(enum part part)
{
    return scope_name(SCOPE_SUBMIT + (enum scope)part);
}

static int
compare_issued(const void *left, const void *right)
{
    const struct breakdown_interval *a = left;
    const struct breakdown_interval *b = right;
    return (a->issued_at > b->issued_at) - (a->issued_at < b->issued_at);
}

void
breakdown_divide(int64_t start, int64_t end, int64_t queued,
                 struct breakdown_interval *intervals, int count, int64_t part[PARTS])
{
    int64_t first = time_later(start, time_earlier(queued, end));
    int64_t covered = first;
    int64_t device = 0;

    qsort(intervals, (size_t)count, sizeof(*intervals), compare_issued);
    for (int i = 0; i < count; i++) {
        int64_t from = time_later(covered, time_earlier(intervals[i].issued_at, end));
        covered = time_later(from, time_earlier(intervals[i].completed_at, end));
        device += covered - from;
    }

    part[PART_SUBMIT] = first - start;
    part[PART_STACK] = 0;
    part[PART_QUEUE] = covered - first - device;
    part[PART_DEVICE] = device;
    part[PART_RETURN] = end - covered;
}

static int
compare_queued(const void *left, const void *right)
{
    const struct breakdown_interval *a = left;
    const struct breakdown_interval *b = right;
    return (a->queued_at > b->queued_at) - (a->queued_at < b->queued_at);
}

/* Adds to TOTAL the part of the time from BEGIN to END that is after COVERED. Moves
 * COVERED to END if END is later. All times are in ns. */
static void
cover_interval(int64_t begin, int64_t end, int64_t *covered, int64_t *total)
{
    int64_t from = time_later(*covered, begin);
    if (end <= from)
        return;
    *total += end - from;
    *covered = end;
}

void
breakdown_divide_stack(int64_t start, int64_t end, int64_t queued, int64_t complete,
                       struct breakdown_interval *intervals, int count,
                       int64_t part[PARTS])
{
    int64_t first = time_later(start, time_earlier(queued, end));
    int64_t last = time_later(first, time_earlier(complete, end));
    int64_t covered = first;
    int64_t device = 0;
    /* The time in which a block request is queued or in flight at a bottom device, ns. */
    int64_t bottom = 0;

    qsort(intervals, (size_t)count, sizeof(*intervals), compare_issued);
    for (int i = 0; i < count; i++)
        cover_interval(intervals[i].issued_at,
                       time_earlier(intervals[i].completed_at, last), &covered, &device);

    covered = first;
    qsort(intervals, (size_t)count, sizeof(*intervals), compare_queued);
    for (int i = 0; i < count; i++)
        cover_interval(intervals[i].queued_at,
                       time_earlier(intervals[i].completed_at, last), &covered, &bottom);

    part[PART_SUBMIT] = first - start;
    part[PART_STACK] = last - first - bottom;
    part[PART_QUEUE] = bottom - device;
    part[PART_DEVICE] = device;
    part[PART_RETURN] = end - last;
}

/* Returns whether REQUEST must replace SLOWEST as the slowest request: it is slower, or
 * equally slow and earlier. */
static bool
is_slower(const struct breakdown_request *request,
          const struct breakdown_request *slowest)
{
    if (!slowest->index)
        return true;
    if (request->latency != slowest->latency)
        return request->latency > slowest->latency;
    return request->index < slowest->index;
}

/* Makes REQUEST the slowest request of BREAKDOWN if it is slower than the slowest one so
 * far. Does nothing if REQUEST is empty. */
static void
keep_slowest(struct breakdown *breakdown, const struct breakdown_request *request)
{
    if (request->index && is_slower(request, &breakdown->slowest))
        breakdown->slowest = *request;
}

void
breakdown_record(struct breakdown *breakdown, const struct sample *sample)
{
    const struct split *split = &sample->split;

    switch (split->result) {
    case SPLIT_NOT_TRIED:
        return;
    case SPLIT_NO_DEVICE_IO:
        breakdown->no_device_io++;
        return;
    case SPLIT_LOST:
        breakdown->lost++;
        return;
    case SPLIT_AMBIGUOUS:
        breakdown->ambiguous++;
        return;
    case SPLIT_DONE:
        break;
    }

    breakdown->total_time += sample->latency;
    breakdown->total_sync += sample->sync;
    for (int i = 0; i < PARTS; i++) {
        if (i == PART_STACK && !split->is_stacked)
            continue;
        distribution_record(&breakdown->parts[i], split->part[i]);
        moments_record(&breakdown->operations[sample->operation][i], split->part[i]);
    }
    if (split->sync_device)
        distribution_record(&breakdown->parts[PART_FLUSH], split->sync_device);

    struct breakdown_request request = {
        .index = sample->index,
        .latency = sample->latency,
        .sync = sample->sync,
        .is_stacked = split->is_stacked,
    };
    memcpy(request.part, split->part, sizeof(request.part));
    keep_slowest(breakdown, &request);
}

void
breakdown_merge(struct breakdown *breakdown, const struct breakdown *more)
{
    /* If MORE has no requests, memory that was never used stays untouched. */
    if (!more->total_time && !more->no_device_io && !more->lost && !more->ambiguous)
        return;

    for (int i = 0; i <= PART_FLUSH; i++)
        distribution_merge(&breakdown->parts[i], &more->parts[i]);
    for (int i = 0; i < OPERATIONS; i++)
        for (int j = 0; j < PARTS; j++)
            moments_merge(&breakdown->operations[i][j], &more->operations[i][j]);

    breakdown->no_device_io += more->no_device_io;
    breakdown->lost += more->lost;
    breakdown->ambiguous += more->ambiguous;
    breakdown->total_time += more->total_time;
    breakdown->total_sync += more->total_sync;
    keep_slowest(breakdown, &more->slowest);
}

void
breakdown_clear(struct breakdown *breakdown)
{
    if (breakdown->total_time)
        for (int i = 0; i <= PART_FLUSH; i++)
            distribution_clear(&breakdown->parts[i]);
    memset(breakdown, 0, offsetof(struct breakdown, parts));
}

const char *
breakdown_culprit(const struct breakdown *breakdown, int *percent)
{
    const struct breakdown_request *slowest = &breakdown->slowest;
    const char *name = "sync";
    int64_t longest = slowest->sync;

    for (int i = 0; i < PARTS; i++)
        if (slowest->part[i] > longest) {
            longest = slowest->part[i];
            name = part_name((enum part)i);
        }

    /* The product comes before the division, so that 29 of 100 ns are 29 % and not 28 %.
     */
    double hundredfold = (double)longest * 100;
    *percent = slowest->latency > 0 ? (int)(hundredfold / (double)slowest->latency) : 0;
    return name;
}
