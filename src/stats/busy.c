/*
 * The union of spans, in constant memory. Spans that overlap or touch become one, so the
 * list holds what is apart. When it is full, its older half settles: its length is kept,
 * its places are not. Requests end about in the order in which they are told of, so only
 * one that took longer than half a list of gaps can reach back that far.
 */
#include "stats/busy.h"

#include <stddef.h>
#include <string.h>

/* The length of those that count. */
static int64_t
length_of(const struct busy_span *list, int count)
{
    int64_t length = 0;
    for (int i = 0; i < count; i++)
        if (list[i].counts)
            length += list[i].end - list[i].start;
    return length;
}

/* Removes COUNT spans from place FIRST on. */
static void
remove_spans(struct busy *busy, int first, int count)
{
    struct busy_span *list = busy->list;
    busy->count -= count;
    memmove(list + first, list + first + count,
            (size_t)(busy->count - first) * sizeof(*list));
}

static void
settle(struct busy *busy, int count)
{
    busy->settled += length_of(busy->list, count);
    busy->horizon = busy->list[count - 1].end;
    remove_spans(busy, 0, count);
}

/* Puts a span in its place, where it takes in all that it touches. */
static void
insert(struct busy *busy, int64_t start, int64_t end, bool counts)
{
    struct busy_span *list = busy->list;
    int after = busy->count; /* the first span behind it */
    while (after > 0 && list[after - 1].start > end)
        after--;
    int first = after; /* the first that it touches, if any */
    while (first > 0 && list[first - 1].end >= start)
        first--;
    if (first == after) {
        memmove(list + first + 1, list + first,
                (size_t)(busy->count++ - first) * sizeof(*list));
        list[first] = (struct busy_span){start, end, counts};
        return;
    }
    for (int i = first; i < after; i++)
        counts |= list[i].counts;
    list[first].counts = counts;
    if (start < list[first].start)
        list[first].start = start;
    list[first].end = end > list[after - 1].end ? end : list[after - 1].end;
    remove_spans(busy, first + 1, after - first - 1);
}

void
busy_add(struct busy *busy, int64_t start, int64_t end, bool counts)
{
    if (end <= start)
        return;
    if (busy->last == 0 || start < busy->first)
        busy->first = start;
    if (end > busy->last)
        busy->last = end;
    if (busy->count == BUSY_SPANS)
        settle(busy, BUSY_SPANS / 2);
    if (start < busy->horizon) {
        int64_t until = end < busy->horizon ? end : busy->horizon;
        busy->settled += counts ? until - start : 0;
        start = until;
    }
    if (start < end)
        insert(busy, start, end, counts);
}

int64_t
busy_time(const struct busy *busy)
{
    int64_t time = busy->settled + length_of(busy->list, busy->count);
    int64_t most = busy->last - busy->first;
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
        busy_add(busy, log->list[i].start, log->list[i].end, log->list[i].counts);
    const struct busy_span *last = &log->list[log->count - 1];
    log->list[0] = (struct busy_span){last->end, last->end, last->counts};
    log->count = 1;
}
