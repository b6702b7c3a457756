#ifndef RUN_SCHEDULE_H
#define RUN_SCHEDULE_H

#include "base/random.h"
#include "base/time.h"
#include "io/operations.h"
#include "stats/busy.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct plan;
struct schedule;

/* Data that all workers of one job share. The requests of a job are numbered from 1; the
 * number of a request is its ordinal. Workers write `ordinals_taken` and `next_arrival`
 * often, and the other fields rarely. So the padding keeps these two fields off the cache
 * lines of the fields above them. */
struct worker_group {
    int size;               /* number of workers */
    uint64_t max_requests;  /* highest ordinal of a request; UINT64_MAX: no limit */
    atomic_bool is_stopped; /* workers must send no more requests; any thread sets it */
    /* due time of the last request of the job, ns, monotonic; 0 until it is known that no
     * more requests follow */
    _Atomic int64_t last_due_at;
    int64_t begin_at; /* when requests begin, ns, monotonic, the same for all workers */
    /* when the first worker started, ns, monotonic; 0 if no worker has started */
    _Atomic int64_t started_at;
    /* end of the current period (-P), ns, monotonic; INT64_MAX without -P */
    _Atomic int64_t period_end;
    /* guards `busy`; NULL if the job has one request in flight at most, because its busy
     * time is then the sum of the latencies */
    struct os_lock *busy_lock;
    /* time during which any worker had a request in flight (stats/busy.h) */
    struct busy busy;
    char padding[64]; /* keeps the fields below off the cache lines above */
    /* ordinals that workers have taken; some of these requests may never be sent */
    _Atomic uint64_t ordinals_taken;
    /* open loop: due time of the first request that no worker has claimed, in ns after
     * the start */
    _Atomic int64_t next_arrival;
};

/* Takes up to WANTED consecutive ordinals for requests that are due at WHEN (ns,
 * monotonic). Stores the lowest of them in FIRST and returns how many were taken. Returns
 * 0 if `max_requests` of GROUP is reached. Any worker may call it. */
uint64_t worker_group_take_ordinals(struct worker_group *group, uint64_t wanted,
                                    int64_t when, uint64_t *first);

/* Registers that a worker starts at NOW (ns, monotonic). Returns the time at which the
 * first worker of GROUP started, which is NOW if this worker is the first. Each worker
 * calls it once. */
int64_t worker_group_start(struct worker_group *group, int64_t now);

/* Stops GROUP at NOW (ns, monotonic): its workers send no further requests. Any thread
 * may call it. */
void worker_group_stop(struct worker_group *group, int64_t now);

/* Returns the due time of the last request of GROUP, but NOW (ns, monotonic) if that time
 * is unknown or later than NOW. Any thread may call it. */
static inline int64_t
worker_group_last_due(const struct worker_group *group, int64_t now)
{
    int64_t last_due_at = atomic_load(&group->last_due_at);
    return last_due_at ? time_earlier(last_due_at, now) : now;
}

/* Decides the offset and the operation of each request of a worker. It reads no clock and
 * does no I/O. */
struct pattern {
    struct random random;
    int64_t offset, size; /* start of the working set; size of a request; in bytes */
    uint64_t block_count, next_block;
    bool linear;
    struct operation_mix mix;
    int turn; /* index in `mix.turns` of the operation of the next request */
};

/*
 * Starts PATTERN for worker INDEX, from 0. The working set has WORK_SIZE bytes and starts
 * at the plan's offset. It is divided into blocks of the request size; an incomplete last
 * block is not used, and at least one block must be complete. If the offsets are random,
 * each worker has a different sequence. If they are linear, the workers start at evenly
 * spaced blocks.
 */
void pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size,
                   int index);

/* Returns the offset of the next request, in bytes from the start of the target, and
 * stores its operation in OPERATION. */
static inline int64_t
pattern_next(struct pattern *pattern, enum operation *operation)
{
    uint64_t block;

    *operation = pattern->mix.turns[pattern->turn];
    if (pattern->mix.extra_count)
        pattern->turn = pattern->turn < pattern->mix.extra_count ? pattern->turn + 1 : 0;
    if (pattern->linear) {
        block = pattern->next_block++;
        if (pattern->next_block == pattern->block_count)
            pattern->next_block = 0;
    } else {
        block = random_below(&pattern->random, pattern->block_count);
    }

    return pattern->offset + (int64_t)block * pattern->size;
}

/* In an open loop with one worker, the worker busy-waits for the last SCHEDULE_SPIN ns
 * before a request is due: it polls the clock and the engine instead of sleeping, because
 * a sleep would overshoot. */
#define SCHEDULE_SPIN (100 * US)

/* A kind of arrival process, which decides when requests are due: a row of the table in
 * schedule.c. In a closed loop with an interval, the due times are the points of a time
 * grid. A slot is room for one request in flight. All times are in ns on the caller's
 * clock. A function that has nothing to do is NULL. */
struct arrivals {
    /* True: a due request stays due until a worker sends it or the run ends, even if
     * earlier requests are still in flight. False: if a worker can send no request when
     * one is due, it skips that request. */
    bool is_open_loop;
    /* Returns the time at which the next request is due. In an open loop this claims the
     * due time for the calling worker, so the worker must have a free slot. NULL: a
     * request is always due at once. */
    int64_t (*due)(struct schedule *schedule, int64_t now);
    /* Notes that the request whose due time `due` returned is sent at NOW. Returns the
     * start of its latency: its due time, or 0 if the latency begins when the request is
     * sent. Stores in MISSED how many due times have passed without a request since the
     * previous request. */
    int64_t (*sent)(struct schedule *schedule, int64_t now, uint64_t *missed);
    /* Notes that a request was completed at NOW, and that no slot was free until then.
     * Returns how many due times before UNTIL have passed without a request because of
     * that. */
    uint64_t (*freed)(struct schedule *schedule, int64_t until, int64_t now);
    /* Gives up the requests that were due before UNTIL and were not sent. If LAST is
     * true, that includes requests that no worker has claimed. Returns how many of them
     * count as missed: in an open loop, all except those due in the settling time; in a
     * closed loop, all, or none if `from_limit` is set. */
    uint64_t (*give_up)(struct schedule *schedule, int64_t until, bool last);
    /* Open loop only: returns the time between the arrival AT (ns after the start) and
     * the next arrival. It depends on AT and the seed alone, so all workers compute the
     * same arrivals. */
    int64_t (*gap)(const struct schedule *schedule, int64_t at);
};

/* Decides which request a worker sends next, when that request is due, and which requests
 * are missed: due, but never sent by any worker. It reads no clock; the caller passes the
 * time. Times are in ns, monotonic, unless a comment says otherwise. */
struct schedule {
    struct pattern pattern;
    uint64_t ordinal;       /* number of the next request, from 1, over all workers */
    uint64_t ordinal_count; /* ordinals that the worker has taken and not used yet */
    bool is_sending;        /* false once the worker sends no more requests */

    const struct arrivals *arrivals;
    int64_t begin_at; /* due time of the first request; above 0 */
    /* end of the settling time (settle_time of the plan): requests that are due before it
     * do not count, because the target may not be in a steady state yet */
    int64_t settle_end;
    int64_t end_at; /* no request is due at this time or later */
    /* no request is sent at this time or later; INT64_MAX in a closed loop, because there
     * requests are sent when they are due, and so `end_at` is enough */
    int64_t deadline;
    int64_t interval; /* ns between two due times; the average if they are random */
    /* whenever requests are missed or skipped, the due time of the earliest of them is
     * stored here */
    int64_t missed_since;
    bool is_open_loop; /* the same as in `arrivals` */

    /* The fields from here to `has_single_slot` are only for a closed loop. */
    /* the next due time; during a burst, the due time of the whole burst */
    int64_t next_point_at;
    int64_t burst; /* number of requests that are due at the same time, at least 1 */
    /* number of requests of the present burst that are not sent yet */
    int64_t burst_left;
    int64_t slot_free_at; /* when a slot became free for the next request */
    /* the interval is only an upper limit on the rate (-r, -l): no request is missed */
    bool from_limit;
    bool has_single_slot; /* the queue depth is 1 */

    /* The fields from here on are only for an open loop. */
    /* seed of the random gaps between requests; equal seeds give equal gaps */
    uint64_t seed;
    _Atomic int64_t *next_arrival; /* points to `next_arrival` of the worker_group */
    /* the job has one worker, so `next_arrival` needs no compare-and-swap */
    bool has_single_worker;
    /* the worker had nothing else to do, and slept until the due time of its next request
     * or past it */
    bool has_overslept;
    /* due time that the worker has claimed for its next request; 0: none */
    int64_t claimed_due;
    int64_t spin_time; /* SCHEDULE_SPIN, or 0 if the worker never busy-waits */
};

/*
 * Starts SCHEDULE, whose pattern has been started, for worker INDEX, from 0, of PLAN. The
 * worker is ready at NOW. The times of the plan count from BEGIN, which is the same for
 * all workers, so that all of them end at the same time. NEXT_ARRIVAL is shared by all
 * workers of a job, and is 0 before the first request.
 */
void schedule_start(struct schedule *schedule, const struct plan *plan, int index,
                    _Atomic int64_t *next_arrival, int64_t begin, int64_t now);

/* schedule_due, schedule_sent and schedule_freed call the function `due`, `sent` or
 * `freed` of struct arrivals, which describes them. If the function is NULL, schedule_due
 * returns NOW, and the others return 0. */
static inline int64_t
schedule_due(struct schedule *schedule, int64_t now)
{
    const struct arrivals *arrivals = schedule->arrivals;
    return arrivals->due ? arrivals->due(schedule, now) : now;
}

static inline int64_t
schedule_sent(struct schedule *schedule, int64_t now, uint64_t *missed)
{
    const struct arrivals *arrivals = schedule->arrivals;
    *missed = 0;
    return arrivals->sent ? arrivals->sent(schedule, now, missed) : 0;
}

static inline uint64_t
schedule_freed(struct schedule *schedule, int64_t until, int64_t now)
{
    const struct arrivals *arrivals = schedule->arrivals;
    return arrivals->freed ? arrivals->freed(schedule, until, now) : 0;
}

/* In a closed loop, skips the requests that were due before UNTIL while the worker could
 * not send them. Returns how many of them count as missed. In an open loop it does
 * nothing and returns 0, because due requests stay due. */
uint64_t schedule_skip(struct schedule *schedule, int64_t until);

/* In an open loop, gives up the requests that were due before RESUMED, the time when the
 * process continued after a stop (Ctrl-Z), because it is unknown how long they would have
 * waited. Returns how many it has given up. In a closed loop it does nothing and returns
 * 0. */
uint64_t schedule_give_up_stopped(struct schedule *schedule, int64_t resumed);

/*
 * Ends the schedule of a worker. Returns how many requests were due before UNTIL and
 * count as missed, because no worker will send them. If LAST is true, that includes
 * requests that no worker has claimed. READY says that the worker had a free slot.
 *
 * In a closed loop, a worker with a free slot was only waiting for the next due time, so
 * it has missed nothing, and the result is 0. The exception is a burst that is not
 * complete: the due times that passed during the burst are missed, whatever READY is.
 */
uint64_t schedule_end(struct schedule *schedule, int64_t until, bool last, bool ready);

/* Returns the time at which the next request is due, without claiming the request. In an
 * open loop this is the request that the worker has claimed or, if it has claimed none,
 * the first request that no worker has claimed. In a closed loop returns NOW, because the
 * next request is not due before a slot is free. */
int64_t schedule_next(const struct schedule *schedule, int64_t now);

#endif
