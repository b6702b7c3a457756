/*
 * The busy time is the length of a union of spans, computed in constant memory:
 *
 *     first_start                horizon                                   last_end
 *     |                          |                                                |
 *     [== settled_time, a sum ===][span]   [===span===]     [span]   [====span====]
 *
 * Spans that overlap or touch are joined, so the spans in the list are disjoint and in
 * order. When the list is full, its older half is removed. The lengths of the removed
 * spans are added to settled_time, and the horizon moves to the end of the last of them.
 * Spans arrive almost in the order of their ends. So only a request that lasted longer
 * than half a list of spans can begin before the horizon.
 */
#include "stats/busy.h"

#include <stddef.h>
#include <string.h>

/* Returns the total length, in ns, of the spans in LIST that belong to the busy time.
 * LIST has COUNT spans. */
static int64_t
sum_lengths(const struct busy_span *list, int count)
{
    int64_t sum = 0;

    for (int i = 0; i < count; i++)
        if (list[i].has_counted)
            sum += list[i].end - list[i].start;
    return sum;
}

/* Removes COUNT spans, beginning at index FIRST, from the list of BUSY. */
static void
remove_spans(struct busy *busy, int first, int count)
{
    struct busy_span *list = busy->list;
    busy->count -= count;
    memmove(list + first, list + first + count,
            (size_t)(busy->count - first) * sizeof(*list));
}

/* Replaces the older half of the list, which is full, by the sum of its lengths. */
static void
settle_older_half(struct busy *busy)
{
    busy->settled_time += sum_lengths(busy->list, BUSY_SPANS / 2);
    busy->horizon = busy->list[BUSY_SPANS / 2 - 1].end;
    remove_spans(busy, 0, BUSY_SPANS / 2);
}

/* Adds SPAN, which is not before the horizon, to the list, which is not full. */
static void
insert_span(struct busy *busy, struct busy_span span)
{
    struct busy_span *list = busy->list;

    /* The new span joins the spans from index FIRST up to, but not including, AFTER. */
    int after = busy->count;
    while (after > 0 && list[after - 1].start > span.end)
        after--;
    int first = after;
    while (first > 0 && list[first - 1].end >= span.start)
        first--;

    if (first == after) { /* there is no span to join */
        memmove(list + first + 1, list + first,
                (size_t)(busy->count - first) * sizeof(*list));
        busy->count++;
        list[first] = span;
        return;
    }

    for (int i = first; i < after; i++)
        span.has_counted |= list[i].has_counted;
    span.start = time_earlier(span.start, list[first].start);
    span.end = time_later(span.end, list[after - 1].end);
    list[first] = span;
    remove_spans(busy, first + 1, after - first - 1);
}

void
busy_add(struct busy *busy, int64_t start, int64_t end, bool counts)
{
    if (end <= start)
        return;

    if (busy->last_end == 0 || start < busy->first_start)
        busy->first_start = start;
    if (end > busy->last_end)
        busy->last_end = end;
    if (busy->count == BUSY_SPANS)
        settle_older_half(busy);

    /* Spans before the horizon are no longer known. So the part of the new span before
     * the horizon is added as if no earlier span overlapped it. */
    if (start < busy->horizon) {
        int64_t until = time_earlier(end, busy->horizon);
        if (counts)
            busy->settled_time += until - start;
        start = until;
    }
    if (start < end)
        insert_span(busy, (struct busy_span){start, end, counts});
}

int64_t
busy_time(const struct busy *busy)
{
    int64_t time = busy->settled_time + sum_lengths(busy->list, busy->count);
    return time_earlier(time, busy->last_end - busy->first_start);
}

void
busy_clear(struct busy *busy)
{
    memset(busy, 0, offsetof(struct busy, list));
}

void
busy_log_move(struct busy_log *log, struct busy *busy)
{
    if (log->count == 0)
        return;

    for (int i = 0; i < log->count; i++)
        busy_add(busy, log->list[i].start, log->list[i].end, log->list[i].has_counted);
    const struct busy_span *last = &log->list[log->count - 1];
    log->list[0] = (struct busy_span){last->end, last->end, last->has_counted};
    log->count = 1;
}
