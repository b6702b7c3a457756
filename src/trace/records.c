/*
 * The list of records: records are read from the trace on request, sorted by time, and
 * forgotten when there are too many.
 *
 * The trace has one buffer for each processor, and each buffer is in the order of time.
 * So new records may be older than records that were read before. After each reading, the
 * list is sorted from the oldest new record on.
 */
#include "trace_private.h"

#include "base/time.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_READ 64 /* records read in one call */

void
records_add_thread(struct records *records, int thread)
{
    if (thread >= 0 && thread < RECORD_THREADS)
        records->program_threads[thread / 8] |= (unsigned char)(1 << thread % 8);
}

/* Sorts by time. At equal times, the order is that of a block request: queued, remapped,
 * issued, requeued, complete. */
static int
compare_times(const void *one, const void *other)
{
    const struct os_trace_record *a = &((const struct listed_record *)one)->record;
    const struct os_trace_record *b = &((const struct listed_record *)other)->record;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

/* Forgets records if there is no room for another reading. From the older half of the
 * list, the used records go first. If that does not remove half of the older half, all of
 * it goes: the rest are mostly records of other processes, which are never used. */
static void
make_room(struct records *records)
{
    struct listed_record *list = records->entries;
    int half = records->entry_count / 2;
    int left = 0;
    if (records->entry_count + RECORDS_READ <= RECORDS_MAX)
        return;

    for (int i = 0; i < half; i++)
        if (list[i].use != RECORD_ATTRIBUTED)
            list[left++] = list[i];
    if (left > half / 2)
        left = 0;

    memmove(list + left, list + half,
            (size_t)(records->entry_count - half) * sizeof(*list));
    records->entry_count += left - half;
}

int
records_find(const struct records *records, int count, int64_t time)
{
    int low = 0;
    int high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (records->entries[middle].record.time < time)
            low = middle + 1;
        else
            high = middle;
    }

    return low;
}

void
records_read(struct records *records)
{
    struct os_trace_record read[RECORDS_READ];
    int64_t least = INT64_MAX;
    int got;

    make_room(records);
    int old = records->entry_count;
    while (records->entry_count + RECORDS_READ <= RECORDS_MAX &&
           (got = records->source.read(records->source.trace, read, RECORDS_READ)) > 0)
        for (int i = 0; i < got; i++) {
            records->entries[records->entry_count++] =
                (struct listed_record){.record = read[i]};
            least = time_earlier(least, read[i].time);
        }

    int from = records_find(records, old, least);
    qsort(records->entries + from, (size_t)(records->entry_count - from),
          sizeof(struct listed_record), compare_times);
}
