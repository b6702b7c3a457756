/*
 * The busy time is the length of a union of spans, computed in constant memory.
 *
 *     first_start                horizon                                   last_end
 *     |                          |                                                |
 *     [== settled_time, a sum ===][span]   [===span===]     [span]   [====span====]
 *
 * Spans that overlap or touch are joined, so the spans in the list are disjoint and in
 * order. When the list is full, its older half settles: the lengths of these spans go
 * into settled_time, the spans leave the list, and the horizon moves to the end of the
 * last one. Spans arrive almost in the order of their ends. So only a request that lasted
 * longer than half a list of spans can begin before the horizon.
 */
#include "stats/busy.h"

#include <stddef.h>
#include <string.h>

/* Returns the total length, in ns, of those of COUNT spans that count. */
static int64_t
sum_lengths(const struct busy_span *list, int count)
{
    int64_t length = 0;
    for (int i = 0; i < count; i++)
        if (list[i].has_counted)
            length += list[i].end - list[i].start;
    return length;
}

/* Removes COUNT spans from the list, beginning at index FIRST. */
static void
remove_spans(struct busy *busy, int first, int count)
{
    struct busy_span *list = busy->list;
    busy->count -= count;
    memmove(list + first, list + first + count,
            (size_t)(busy->count - first) * sizeof(*list));
}

void
busy_add(struct busy *busy, int64_t start, int64_t end, bool counts)
{
    struct busy_span *list = busy->list;
    if (end <= start)
        return;

    busy->first_start =
        busy->last_end == 0 || start < busy->first_start ? start : busy->first_start;
    busy->last_end = end > busy->last_end ? end : busy->last_end;
    if (busy->count == BUSY_SPANS) { /* the older half settles */
        busy->settled_time += sum_lengths(list, BUSY_SPANS / 2);
        busy->horizon = list[BUSY_SPANS / 2 - 1].end;
        remove_spans(busy, 0, BUSY_SPANS / 2);
    }

    /* The part before the horizon is added as if no settled span overlapped it. */
    if (start < busy->horizon) {
        int64_t until = end < busy->horizon ? end : busy->horizon;
        busy->settled_time += counts ? until - start : 0;
        start = until;
    }
    if (start == end)
        return;

    /* The new span joins the spans from index FIRST up to, but not including, AFTER. */
    int after = busy->count;
    while (after > 0 && list[after - 1].start > end)
        after--;
    int first = after;
    while (first > 0 && list[first - 1].end >= start)
        first--;

    if (first == after) { /* there is no span to join */
        memmove(list + first + 1, list + first,
                (size_t)(busy->count++ - first) * sizeof(*list));
        list[first] = (struct busy_span){start, end, counts};
        return;
    }

    for (int i = first; i < after; i++)
        counts |= list[i].has_counted;
    start = start < list[first].start ? start : list[first].start;
    end = end > list[after - 1].end ? end : list[after - 1].end;
    list[first] = (struct busy_span){start, end, counts};
    remove_spans(busy, first + 1, after - first - 1);
}

int64_t
busy_time(const struct busy *busy)
{
    int64_t time = busy->settled_time + sum_lengths(busy->list, busy->count);
    int64_t most = busy->last_end - busy->first_start;
    return time < most ? time : most;
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
