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

/* What the workers of a job share. The padding gives `ordinals_taken` and `next_arrival`
 * a cache line separate from the other fields: workers change these two all the time, and
 * read the others all the time. */
struct worker_group {
    int size;               /* number of workers */
    uint64_t max_requests;  /* highest ordinal they may take; UINT64_MAX: no limit */
    atomic_bool is_stopped; /* send no more requests; any thread may set it */
    /* due time of the last request, ns, monotonic; 0 while more requests follow */
    _Atomic int64_t last_due_at;
    int64_t begin_at; /* when requests begin, ns, monotonic, the same for all workers */
    /* when the first worker started, ns, monotonic; 0 if none has started */
    _Atomic int64_t started_at;
    /* end of the current period, ns, monotonic; INT64_MAX if there are no periods */
    _Atomic int64_t period_end;
    struct os_lock *busy_lock; /* guards `busy`; NULL with one worker and one slot */
    struct busy busy;          /* busy time of all workers together */
    char padding[64];          /* one cache line */
    /* ordinals handed out to workers, which may not send all of them */
    _Atomic uint64_t ordinals_taken;
    _Atomic int64_t next_arrival; /* see struct schedule */
};

/* Takes up to WANTED ordinals for requests that are due at WHEN (ns, monotonic). Returns
 * how many were taken and stores the first of them in FIRST; the ordinals are
 * consecutive. Returns 0 if the limit of the group is reached. Any worker may call it. */
uint64_t worker_group_take(struct worker_group *group, uint64_t wanted, int64_t when,
                           uint64_t *first);

/* Registers that a worker starts at NOW. Returns when the first worker of GROUP started,
 * which is NOW if this worker is the first. Each worker calls it once. */
int64_t worker_group_start(struct worker_group *group, int64_t now);

/* Stops GROUP at NOW: its workers send no further request. Any thread may call it. */
void worker_group_stop(struct worker_group *group, int64_t now);

/* Returns until when requests were due: the due time of the last request if that is known
 * and before NOW, else NOW. Any thread may call it. */
static inline int64_t
worker_group_until(const struct worker_group *group, int64_t now)
{
    int64_t over = atomic_load(&group->last_due_at);
    return over ? time_earlier(over, now) : now;
}

/* The order of blocks and operations. It reads no clock and does no I/O. */
struct pattern {
    struct random random;
    int64_t offset, size; /* start of the working set; size of a request; in bytes */
    uint64_t blocks, next_block;
    bool linear;
    struct operation_mix mix;
    int turn; /* index in `mix.turns` of the next request */
};

/*
 * Starts PATTERN for worker INDEX, from 0. The pattern covers the whole request-sized
 * blocks, at least one, of a working set of WORK_SIZE bytes that starts at the plan's
 * offset. At random each worker has a sequence different from the others'; linear workers
 * start evenly spaced.
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
        if (pattern->next_block == pattern->blocks)
            pattern->next_block = 0;
    } else {
        block = random_below(&pattern->random, pattern->blocks);
    }

    return pattern->offset + (int64_t)block * pattern->size;
}

/* In an open loop with one worker, the worker spins for this long (ns) before a request
 * is due: it polls the clock and the engine instead of sleeping, because a sleep would
 * overshoot. */
#define SCHEDULE_SPIN (100 * US)

/* One kind of arrival process: a row of the table in schedule.c. All times are ns of the
 * clock that the schedule was started on. A function that has nothing to do may be NULL.
 */
struct arrivals {
    /* Open loop: a due request stays due until some worker sends it or the run ends,
     * whatever happens to earlier requests. If false, a grid point that passes unused is
     * skipped. */
    bool is_open_loop;
    /* Returns when the next request is due. In an open loop this claims the due time for
     * the calling worker, so the worker must have a free slot. NULL: a request is always
     * due at once. */
    int64_t (*due)(struct schedule *schedule, int64_t now);
    /* Notes that the request that `due` returned is sent at NOW. Returns the time from
     * which its latency counts: its due time, or 0 for the moment it is sent. Stores in
     * MISSED the number of grid points that were missed before the request. */
    int64_t (*sent)(struct schedule *schedule, int64_t now, uint64_t *missed);
    /* Notes that a request was completed at NOW while all slots were taken. Returns the
     * number of grid points before UNTIL that were missed because no slot was free. */
    uint64_t (*freed)(struct schedule *schedule, int64_t until, int64_t now);
    /* Gives up whatever was due before UNTIL and not sent. With LAST, also gives up the
     * requests that no worker has claimed. Returns the number of missed requests or grid
     * points. */
    uint64_t (*pass)(struct schedule *schedule, int64_t until, bool last);
    /* Open loop only: returns the gap between the arrival AT (ns after the begin) and the
     * next arrival. The gap depends on AT and the seed alone, so all workers compute the
     * same arrivals. */
    int64_t (*gap)(const struct schedule *schedule, int64_t at);
};

/* Decides which request of a worker is next, when it is due, and which requests are
 * missed, which means that no worker has sent or will send them. It reads no clock: the
 * caller passes the time. */
struct schedule {
    struct pattern pattern;
    uint64_t ordinal;       /* ordinal of the next request */
    uint64_t ordinal_count; /* ordinals that the worker has taken and not used yet */
    bool is_sending;        /* false once the worker sends no more requests */

    const struct arrivals *arrivals;
    int64_t begin_at;   /* due time of the first request; above 0 */
    int64_t settle_end; /* requests that are due before it settle the load: none counts */
    int64_t end_at;     /* no request is due at this time or later */
    /* no request is sent at this time or later; INT64_MAX for a closed loop, which
     * `end_at` ends */
    int64_t deadline;
    int64_t interval; /* ns between two due times; in the mean if they are random */
    /* due time of the first of the requests that were missed most recently */
    int64_t missed_since;
    bool is_open_loop; /* copied from the row */

    /* Closed loop: the next grid point; requests per point; requests not yet sent at this
     * point. */
    int64_t next_slot_at, burst, burst_left;
    int64_t slot_free_at; /* when a slot became free for the next request */
    bool from_limit; /* the interval is an upper limit on the rate: no point is missed */
    bool has_single_slot; /* the queue depth is 1 */

    /* Open loop only. */
    uint64_t seed; /* the same seed gives the same random gaps */
    /* the first arrival that no worker has claimed, in ns after the begin; shared by all
     * workers */
    _Atomic int64_t *next_arrival;
    bool has_single_worker; /* there is only one worker */
    /* the worker was idle and slept until the next request was due, or longer */
    bool has_overslept;
    int64_t claimed_due; /* due time that the worker has claimed; 0: none */
    int64_t spin_time;   /* SCHEDULE_SPIN, or 0 if the worker never spins */
};

/*
 * Starts SCHEDULE, whose pattern has been started, for worker INDEX, from 0, of PLAN. The
 * worker is ready at NOW. The times of the plan count from BEGIN, which is the same for
 * all workers, so that all of them end at the same time. SHARED becomes `next_arrival`:
 * all workers of a job share it, and it starts as 0.
 */
void schedule_start(struct schedule *schedule, const struct plan *plan, int index,
                    _Atomic int64_t *shared, int64_t begin, int64_t now);

/* The functions of the row, with a default if the row has none: see struct arrivals. */
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

/* Gives up the grid points that passed before UNTIL while the worker could send nothing.
 * Returns how many were missed. In an open loop it does nothing and returns 0, as due
 * requests stay due. */
uint64_t schedule_skip(struct schedule *schedule, int64_t until);

/* In an open loop, gives up the requests that were due before RESUMED, when the process
 * went on after a stop: nobody can tell how long they would have waited. Returns how
 * many. In a closed loop it does nothing and returns 0. */
uint64_t schedule_stopped(struct schedule *schedule, int64_t resumed);

/*
 * Ends the schedule of a worker. Returns how many requests were due before UNTIL and will
 * not be sent by this worker; with LAST, requests that no worker has claimed are
 * included. READY says that the worker still had a free slot: then no
 * grid point was missed, since the points passed only after the run had ended; but the
 * points that passed during a burst count as missed.
 */
uint64_t schedule_end(struct schedule *schedule, int64_t until, bool last, bool ready);

/* Returns when the next request is due that some worker may send once it has a free slot.
 * On a grid that is NOW. Claims nothing. */
int64_t schedule_next(const struct schedule *schedule, int64_t now);

#endif
