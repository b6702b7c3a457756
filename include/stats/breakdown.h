#ifndef STATS_BREAKDOWN_H
#define STATS_BREAKDOWN_H

#include "io/operations.h"
#include "stats/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Where the time of a request goes, in the words of biosnoop(8) and fio(1). The kernel
 * turns each request into one or more block requests. Here are three, each drawn from its
 * issue to its completion:
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
 * A request to a stack of devices (dm, md, loop) has a fifth part. Submit ends when the
 * first block request is queued at the top device, and return begins when the last block
 * request of the top device is complete. Between these two moments, device is as above;
 * queue is only every moment at which a block request is queued at a bottom device and no
 * block request is in flight at a bottom device; stack is every other moment.
 */
enum part { PART_SUBMIT, PART_STACK, PART_QUEUE, PART_DEVICE, PART_RETURN, PARTS };

#define PART_FLUSH PARTS /* the time of the device for the flush after a write */

enum split_result {
    SPLIT_NOT_TRIED,
    SPLIT_DONE,
    SPLIT_NO_DEVICE_IO, /* as far as is known, the request reached no device */
    SPLIT_LOST,         /* some records of the request were not found */
    SPLIT_AMBIGUOUS,    /* others had the same blocks in flight: it is not certain whose
                        records are whose */
};

/* The parts of one request. All times are 0 unless the result is SPLIT_DONE. */
struct split {
    enum split_result result;
    bool is_stacked;     /* the request went through a stack, so it has PART_STACK */
    int64_t part[PARTS]; /* ns */
    int64_t sync_device; /* ns of the device for the flush after a write; 0 if none */
};

/* A request and its parts. */
struct breakdown_request {
    uint64_t index;      /* from 1; 0 if there is no request */
    int64_t latency;     /* ns, flush included */
    int64_t sync;        /* ns of the latency: the flush after a write */
    bool is_stacked;     /* it has PART_STACK */
    int64_t part[PARTS]; /* ns */
};

/* The parts of all requests that count. All zero is the empty set; it can be copied like
 * any value. */
struct breakdown {
    /* Requests that count and could not be split: SPLIT_NO_DEVICE_IO, _LOST and _SHARED
     */
    uint64_t no_device_io, lost, ambiguous;
    int64_t total_time;               /* ns: latencies of the requests that were split */
    int64_t total_sync;               /* ns of total_time: the flushes */
    struct breakdown_request slowest; /* of the requests that were split; of several
                                         equally slow ones the first */
    struct moments operations[OPERATIONS][PARTS]; /* the parts of each operation */
    struct distribution parts[PARTS + 1]; /* of all requests that were split; PART_STACK
                                             only of requests to stacks, PART_FLUSH only
                                             of requests with a flush */
};

/* The time for which a block request is in flight at a device, monotonic, in ns. */
struct breakdown_interval {
    int64_t issued_at;    /* when it was sent to the device */
    int64_t completed_at; /* when it was complete, or went back into the queue */
    int64_t queued_at;    /* when it began to wait for issued_at: queued or requeued. Used
                             for stacks only */
};

/* Divides the time of a request from START to END (ns) into PART. QUEUED is when its
 * first block request was queued. INTERVALS has one interval for each of its COUNT block
 * requests, in any order; the function sorts them. Time outside of the request does not
 * count. The interval that ends last must be the interval of the last completion. */
void breakdown_divide(int64_t start, int64_t end, int64_t queued,
                      struct breakdown_interval *intervals, int count,
                      int64_t part[PARTS]);

/* Divides the time of a request to a stack of devices from START to END (ns) into PART.
 * The first of its block requests was queued at the top device at QUEUED, and the last
 * one was complete there at COMPLETE. The COUNT intervals are those of bottom devices, in
 * any order; the function sorts them. Time outside of the request does not count. */
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

/* Adds SAMPLE, which must count: its parts, or the reason why it could not be split. */
void breakdown_record(struct breakdown *breakdown, const struct sample *sample);

/* Adds all requests of MORE, as if they had been recorded here. */
void breakdown_merge(struct breakdown *breakdown, const struct breakdown *more);

/* Removes all requests. Leaves memory that was never used untouched. */
void breakdown_clear(struct breakdown *breakdown);

/* Finds the part that took the most time of the slowest request, which must exist.
 * Returns the name of the part, or "sync" for the flush. Stores its share of the latency
 * in PERCENT, rounded down. */
const char *breakdown_culprit(const struct breakdown *breakdown, int *percent);

#endif
