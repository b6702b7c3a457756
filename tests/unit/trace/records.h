#ifndef UNIT_TRACE_RECORDS_H
#define UNIT_TRACE_RECORDS_H

/* Records of a kernel's trace whose times are known, and requests that they belong to. */
#include "support.h"

#include "base/time.h"
#include "trace/attribution.h"
#include "trace/trace_private.h"

#define DISK 100
#define PARTITION 101
#define MEMBER 200 /* of a device that is made of others */
#define OTHER 300
#define ME 7 /* a thread, another of the same program, */
#define SIBLING 9
#define STRANGER 20 /* and one of another */

/* A trace whose records are read a few at a time. */
struct os_trace {
    const struct os_trace_record *records;
    int count, at, chunk;
};

static inline int
read_tape(struct os_trace *tape, struct os_trace_record *records, int room)
{
    int left = tape->count - tape->at;
    int count = left < room ? left : room;
    if (tape->chunk && count > tape->chunk)
        count = tape->chunk;
    for (int i = 0; i < count; i++)
        records[i] = tape->records[tape->at++];
    return count;
}

/* Returns what has been read of TAPE so far: nothing. */
static inline struct records *
open_records(struct os_trace *tape)
{
    struct records *records = calloc(1, sizeof(*records));
    assert_non_null(records);
    records->source = (struct trace_source){.read = read_tape, .trace = tape};
    records_add_thread(records, ME);
    records_add_thread(records, SIBLING);
    return records;
}

#define RECORD(what, when, number, first, length)                              \
    {                                                                          \
        .kind = (what), .time = (when), .device = (number), .sector = (first), \
        .sector_count = (length), .thread = ME                                 \
    }
#define QUEUE(when, first) RECORD(OS_TRACE_QUEUE, when, DISK, first, 8)
#define ISSUE(when, first) RECORD(OS_TRACE_ISSUE, when, DISK, first, 8)
#define COMPLETE(when, first) RECORD(OS_TRACE_COMPLETE, when, DISK, first, 8)

/* A file whose offset 0 is in sector 1000 of a disk. */
static inline const struct trace_target *
plain(void)
{
    static struct os_extent extents[] = {{0, 1 << 20, 1000}};
    static struct trace_target target = {
        .layout = {.devices = {{DISK, DISK, 0, true, false}},
                   .device_count = 1,
                   .extents = extents,
                   .extent_count = 1,
                   .extents_known = true},
        .is_direct = true,
        .is_single = true};
    return &target;
}

/* Returns a read of 4 KiB at OFFSET from START to END. */
static inline struct sample
reading(int64_t offset, int64_t start, int64_t end)
{
    return (struct sample){.index = 1,
                           .start = start,
                           .latency = end - start,
                           .offset = offset,
                           .size = 4096,
                           .bytes = 4096,
                           .verdict = VERDICT_NONE};
}

/* Splits SAMPLE by COUNT records, which are read CHUNK at a time. */
static inline struct split
split_by(const struct trace_target *target, struct sample sample,
         const struct os_trace_record *records, int count)
{
    struct os_trace tape = {records, count, 0, 3};
    struct records *store = open_records(&tape);
    records_read(store);
    request_attribute(store, target, ME, true, &sample);
    free(store);
    return sample.split;
}

static inline void
assert_parts(const struct split *split, int64_t submit, int64_t queue, int64_t device,
             int64_t back)
{
    assert_int_equal(split->result, SPLIT_DONE);
    assert_int_equal(split->part[PART_SUBMIT], submit);
    assert_int_equal(split->part[PART_QUEUE], queue);
    assert_int_equal(split->part[PART_DEVICE], device);
    assert_int_equal(split->part[PART_RETURN], back);
}

#endif
