/*
 * The list of records. New records are read from the trace and sorted by time. When there
 * are too many records, old ones are removed from the list (forgotten).
 *
 * The trace has one buffer for each processor. The records of one buffer are in the order
 * of time, but records of different buffers are not. So new records may be older than
 * records that were read before. After each reading, the list is sorted again from the
 * time of the oldest new record on.
 */
#include "trace_private.h"

#include "base/time.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_READ 64 /* the most records that one read of the trace returns */

void
records_add_thread(struct records *records, int thread)
{
    if (thread >= 0 && thread < RECORD_THREADS)
        records->program_threads[thread / 8] |= (unsigned char)(1 << thread % 8);
}

/* Compares the times of two records for qsort. At equal times, compares their kinds: the
 * values of enum os_trace_kind are in the order in which a block request goes through
 * them. */
static int
compare_times(const void *one, const void *other)
{
    const struct os_trace_record *a = &((const struct listed_record *)one)->record;
    const struct os_trace_record *b = &((const struct listed_record *)other)->record;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

/* If the list has no room for RECORDS_READ more records, removes (forgets) old records.
 * Removes those records in the older half of the list that were attributed to requests.
 * If more than half of the older half remains after that, removes the whole older half:
 * then most of its records are of other processes, and will never be attributed. */
static void
forget_old_records(struct records *records)
{
    struct listed_record *list = records->entries;
    int half = records->entry_count / 2;
    int remaining = 0;
    if (records->entry_count + RECORDS_READ <= RECORDS_MAX)
        return;

    for (int i = 0; i < half; i++)
        if (list[i].use != RECORD_ATTRIBUTED)
            list[remaining++] = list[i];
    if (remaining > half / 2)
        remaining = 0;

    int newer_count = records->entry_count - half;
    memmove(list + remaining, list + half, (size_t)newer_count * sizeof(*list));
    records->entry_count = remaining + newer_count;
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
    const struct trace_source *source = &records->source;
    struct os_trace_record batch[RECORDS_READ];
    int64_t oldest = INT64_MAX;

    forget_old_records(records);
    int old_count = records->entry_count;
    while (records->entry_count + RECORDS_READ <= RECORDS_MAX) {
        int got = source->read(source->trace, batch, RECORDS_READ);
        if (got <= 0)
            break;
        for (int i = 0; i < got; i++) {
            records->entries[records->entry_count++] =
                (struct listed_record){.record = batch[i]};
            oldest = time_earlier(oldest, batch[i].time);
        }
    }

    int from = records_find(records, old_count, oldest);
    qsort(records->entries + from, (size_t)(records->entry_count - from),
          sizeof(struct listed_record), compare_times);
}
