#ifndef STATS_BREAKDOWN_H
#define STATS_BREAKDOWN_H

#include "io/operations.h"
#include "stats/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The parts of the time of a request. Their names are those of biosnoop(8) and fio(1).
 * The kernel turns each request into one or more block requests. This picture has three
 * block requests. Each one is drawn from the moment at which it is sent to the device
 * (issued) to its completion:
 *
 *     start    first queued  first issued                       last complete       end
 *     |-submit-|----queue----|--------device--------|--queue--|--device--|--return--|
 *                            [=== 1 ========]                 [=== 3 ====]
 *                                 [=== 2 ===========]
 *
 *   submit   until the first block request is queued
 *   device   from then on, every moment at which at least one block request is in flight
 *            at a device
 *   queue    every other moment until the last block request is complete
 *   return   from the last completion to the end
 *
 * The parts add up to the latency without the flush after a write.
 *
 * A request to a stack of devices (dm, md, loop) has a fifth part, stack. The part submit
 * ends when the first block request is queued at the top device. The part return begins
 * when the last block request of the top device is complete. The time between these two
 * moments is divided as follows:
 *
 *   device   every moment at which at least one block request is in flight at a bottom
 *            device
 *   queue    every other moment at which a block request is queued at a bottom device
 *   stack    every other moment
 */
enum part { PART_SUBMIT, PART_STACK, PART_QUEUE, PART_DEVICE, PART_RETURN, PARTS };

/* The index of the last element of `parts` in struct breakdown. This element is not about
 * a part, but about the time for which a device works on the flush after a write. */
#define PART_FLUSH PARTS

enum split_result {
    SPLIT_NOT_TRIED,
    SPLIT_DONE,
    SPLIT_NO_DEVICE_IO, /* as far as is known, the request reached no device */
    SPLIT_LOST,         /* some trace records of the request were not found */
    SPLIT_AMBIGUOUS, /* other requests had the same blocks in flight, so it is not certain
                        which trace records belong to which request */
};

/* The parts of one request. All times are 0 unless the result is SPLIT_DONE. */
struct split {
    enum split_result result;
    bool is_stacked;     /* the request went through a stack, so it has PART_STACK */
    int64_t part[PARTS]; /* ns */
    int64_t sync_device; /* ns for which the device worked on the flush after a write; 0
                            if it did not */
};

/* A request and its parts. */
struct breakdown_request {
    uint64_t index;      /* index of the request, from 1; 0 if there is no request */
    int64_t latency;     /* ns, flush included */
    int64_t sync;        /* duration of the flush after a write, ns; included in
                            `latency` */
    bool is_stacked;     /* the request went through a stack, so it has PART_STACK */
    int64_t part[PARTS]; /* ns */
};

/* The parts of all requests that count. All zero is the empty set. It can be copied like
 * any value. */
struct breakdown {
    /* Requests that count and could not be split, because of SPLIT_NO_DEVICE_IO,
     * SPLIT_LOST or SPLIT_AMBIGUOUS. */
    uint64_t no_device_io, lost, ambiguous;
    int64_t total_time; /* sum of the latencies of the requests that were split, ns */
    int64_t total_sync; /* sum of the durations of flushes after writes, ns; included in
                           `total_time` */
    struct breakdown_request slowest; /* the slowest request that was split; the first one
                                         if several are equally slow */
    struct moments operations[OPERATIONS][PARTS]; /* parts of the requests that were
                                                     split, by operation */
    /* The parts of all requests that were split. PART_STACK has only requests to stacks.
     * PART_FLUSH has only requests for which a device worked on the flush. */
    struct distribution parts[PARTS + 1];
};

/* The time for which a block request is in flight at a device. Times are monotonic, in
 * ns. */
struct breakdown_interval {
    int64_t issued_at;    /* when the block request was sent to the device */
    int64_t completed_at; /* when the block request was complete, or went back into the
                             queue */
    /* when the block request last entered the queue before it was issued. It enters the
     * queue at first, and each time it goes back into the queue. Used for stacks only */
    int64_t queued_at;
};

/*
 * Divides the time of a request from START to END into PART. QUEUED is when its first
 * block request was queued. INTERVALS has COUNT intervals, in any order. Each interval is
 * a time for which one block request of this request was at a device. The function sorts
 * the intervals. The interval that ends last must end with the last completion, because
 * PART_RETURN begins there. Time outside of the request does not count. All times are in
 * ns.
 */
void breakdown_divide(int64_t start, int64_t end, int64_t queued,
                      struct breakdown_interval *intervals, int count,
                      int64_t part[PARTS]);

/*
 * Divides the time of a request to a stack of devices from START to END into PART. At the
 * top device, the first block request was queued at QUEUED, and the last block request
 * was complete at COMPLETE. INTERVALS has COUNT intervals of block requests at bottom
 * devices, in any order. The function sorts the intervals. Time outside of the request
 * does not count. All times are in ns.
 */
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

/* Adds the parts of SAMPLE, a request that counts. If SAMPLE could not be split, counts
 * the reason instead. */
void breakdown_record(struct breakdown *breakdown, const struct sample *sample);

/* Adds all requests of MORE to BREAKDOWN, as if they had been recorded there. */
void breakdown_merge(struct breakdown *breakdown, const struct breakdown *more);

/* Removes all requests. Does not touch memory that was never used. */
void breakdown_clear(struct breakdown *breakdown);

/* Finds the part that took the most time of the slowest request, which must exist.
 * Returns the name of the part, or "sync" for the flush. Stores the share of the latency
 * that this part took, in percent and rounded down, in PERCENT. */
const char *breakdown_culprit(const struct breakdown *breakdown, int *percent);

#endif
