#ifndef STATS_BREAKDOWN_H
#define STATS_BREAKDOWN_H

#include "io/operations.h"
#include "stats/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Where the time of requests went, in the words of biosnoop(8) and fio(1). A request is
 * made of block requests: submit is its time until the first of them is queued, device
 * each moment from then on at which at least one is at a device, queue every other until
 * the last is complete, and return the rest. They add up to the latency, or for a write
 * with a flush after it to the latency without that.
 *
 * A request to a stack of devices (dm, md, loop) has a fifth part. Its submit ends when
 * the first block request is queued at the top device, and its return begins when the
 * last one of the top device is complete. In between, queue is only the moments at which
 * one is queued at a bottom device and none is at a device, and stack is the rest.
 */
enum part { PART_SUBMIT, PART_STACK, PART_QUEUE, PART_DEVICE, PART_RETURN, PARTS };

#define PART_FLUSH PARTS /* the device's time for the flush after a write */

enum split_result {
    SPLIT_NOT_TRIED,
    SPLIT_DONE,
    SPLIT_UNASKED, /* no device was asked for it, as far as is known */
    SPLIT_LOST,    /* some of its records were not found */
    SPLIT_SHARED,  /* others had its blocks under way: whose records are which? */
};

/* The parts of one request; all times are 0 unless it is SPLIT_DONE. */
struct split {
    enum split_result result;
    bool is_stacked;     /* it went through a stack, so it has PART_STACK */
    int64_t part[PARTS]; /* ns */
    int64_t sync_device; /* ns, the device's for the flush after a write; 0: none */
};

/* One of the requests, as it was split. */
struct breakdown_request {
    uint64_t index;  /* 0: none */
    int64_t latency; /* ns */
    int64_t sync;    /* ns, of the latency */
    bool is_stacked; /* it has PART_STACK */
    int64_t part[PARTS];
};

/* The parts of all requests that count and could be split. All zero is the empty set; it
 * can be copied like any value. */
struct breakdown {
    uint64_t no_device_io, lost,
        ambiguous;                    /* requests that count and could not be split */
    int64_t total_time, total_sync;   /* of those that could, ns: the latencies, and the
                             flushes in them */
    struct breakdown_request slowest; /* of them; the first, if there are several */
    struct moments operations[OPERATIONS][PARTS]; /* of each, all that it has */
    struct distribution parts[PARTS + 1]; /* each has all of them, but PART_STACK only
                                             those of stacks, and PART_FLUSH flushes */
};

/* While a block request is at a device, monotonic ns: it was issued to it, and then
 * completed or requeued. Before that it waited in the queue of the device, since it was
 * queued or requeued. */
struct breakdown_interval {
    int64_t issued_at, completed_at;
    int64_t queued_at; /* matters only for a stack */
};

/* Divides the time of a request from START to END by COUNT intervals of its block
 * requests, the last to end being that of the last completion; they are put into order.
 * QUEUED is when the first was queued. What is outside of the request does not count. */
void breakdown_divide(int64_t start, int64_t end, int64_t queued,
                      struct breakdown_interval *intervals, int count,
                      int64_t part[PARTS]);

/* Divides the time of a request to a stack of devices from START to END (ns) into PART.
 * The first of its block requests was queued at the top device at QUEUED, and the last
 * one was complete there at COMPLETE. The COUNT intervals are those of bottom devices, in
 * any order; they are put into order. What is outside of the request does not count. */
void breakdown_divide_stack(int64_t start, int64_t end, int64_t queued, int64_t complete,
                            struct breakdown_interval *intervals, int count,
                            int64_t part[PARTS]);

struct sample;

/* Returns the name of a part: submit, stack, queue, device or return. */
const char *part_name(enum part part);

/* Returns how many requests were split. */
static inline uint64_t
breakdown_count(const struct breakdown *breakdown)
{
    return breakdown->parts[PART_SUBMIT].moments.count;
}

/* Adds a sample that counts: its parts, or why it could not be split. */
void breakdown_record(struct breakdown *breakdown, const struct sample *sample);

/* Adds all that MORE has recorded. */
void breakdown_merge(struct breakdown *breakdown, const struct breakdown *more);

/* Makes it the empty set; memory that holds nothing stays untouched. */
void breakdown_clear(struct breakdown *breakdown);

/* Returns what took the largest share of the slowest request, of which there must be one:
 * a part's name, or "sync". PERCENT becomes the share, rounded down. */
const char *breakdown_culprit(const struct breakdown *breakdown, int *percent);

#endif
