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

/* What the workers of a target share. `ordinals_taken` and `next_arrival` have a cache
 * line of their own: they change while the other fields are read all the time. */
struct worker_group {
    int size;               /* workers */
    uint64_t max_requests;  /* requests that all of them may send */
    atomic_bool is_stopped; /* no more requests; set by any thread */
    _Atomic int64_t
        last_due_at;  /* when the last request was due, monotonic; 0: more are */
    int64_t begin_at; /* when all of them begin, monotonic */
    _Atomic int64_t started_at; /* when the first of them did, monotonic; 0: none has */
    _Atomic int64_t period_end; /* when a period ends; INT64_MAX: never */
    struct os_lock *busy_lock;  /* of `busy`; NULL: there is one request at a time */
    struct busy busy;           /* of all workers */
    char padding[64];           /* a cache line */
    _Atomic uint64_t ordinals_taken; /* ordinals of requests, not all of them sent */
    _Atomic int64_t next_arrival;    /* for the schedules of the workers */
};

/* Takes up to WANTED ordinals of requests that are due at WHEN, from FIRST on. Returns
 * how many, 0 if none is left. Any worker. */
uint64_t worker_group_take(struct worker_group *group, uint64_t wanted, int64_t when,
                           uint64_t *first);

/* Returns when the first worker of GROUP started: it is NOW if no other has yet. Called
 * by each worker as it starts. */
int64_t worker_group_start(struct worker_group *group, int64_t now);

/* Has no more requests sent from NOW on. Any thread. */
void worker_group_stop(struct worker_group *group, int64_t now);

/* Returns until when requests were due at NOW: until then, or the end. Any thread. */
static inline int64_t
worker_group_until(const struct worker_group *group, int64_t now)
{
    int64_t over = atomic_load(&group->last_due_at);
    return over ? time_earlier(over, now) : now;
}

/* The order of blocks and operations. Pure. */
struct pattern {
    struct random random;
    int64_t offset, size; /* of the working set; of a request */
    uint64_t blocks, next_block;
    bool linear;
    struct operation_mix mix;
    int turn; /* that of the next request */
};

/*
 * Starts the pattern of PLAN over the whole request-sized blocks of a working set of
 * WORK_SIZE bytes, at least one, at the plan's offset. INDEX is the worker's, from 0:
 * each worker has random offsets of its own, or starts as far from the others as can be.
 */
void pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size,
                   int index);

/* Returns the offset of the next request, in bytes, and sets OPERATION. */
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

/* The clock of a worker alone is looked at, and its engine, for so long (ns) before a
 * request is due that stays due, instead of a sleep: that would end too late. */
#define SCHEDULE_SPIN (100 * US)

/*
 * A kind of arrival process: a row of the table in schedule.c. Times are ns of whatever
 * clock the schedule was started on. A function that is NULL has nothing to do.
 */
struct arrivals {
    /* What is due stays due until it is sent or the run ends, whatever becomes of the
     * requests before it, and any worker may send it; else time passes over it. */
    bool is_open_loop;
    /* Returns when the next request is due, which the worker takes if others could: it
     * must have a slot for it. NULL: at once, always. */
    int64_t (*due)(struct schedule *schedule, int64_t now);
    /* That request is sent at NOW. Returns from when its time counts: from when it was
     * due, or 0: from when it is sent. MISSED becomes what was missed before it. */
    int64_t (*sent)(struct schedule *schedule, int64_t now, uint64_t *missed);
    /* A request was completed at NOW before which no slot was free. Returns what was
     * missed before UNTIL. */
    uint64_t (*freed)(struct schedule *schedule, int64_t until, int64_t now);
    /* Gives up what is due before UNTIL and not sent. LAST: what no worker has taken as
     * well, which none will. Returns how many. */
    uint64_t (*pass)(struct schedule *schedule, int64_t until, bool last);
    /* Of those that stay due: returns the time from one, AT after the first, to the
     * next, which follows from that alone. */
    int64_t (*gap)(const struct schedule *schedule, int64_t at);
};

/* Which requests of a worker are next, when they are due, and which were missed: neither
 * sent nor to be sent. Pure: it runs on whatever clock it is given. */
struct schedule {
    struct pattern pattern;
    uint64_t ordinal;       /* of the next request */
    uint64_t ordinal_count; /* how many the worker has */
    bool is_sending;        /* more requests follow those in flight */

    const struct arrivals *arrivals;
    int64_t begin_at;     /* the first may be due then; above 0 */
    int64_t settle_end;   /* what is due earlier does not count: the settling */
    int64_t end_at;       /* no request is due then or later */
    int64_t deadline;     /* none is sent then or later; INT64_MAX: that is so anyway */
    int64_t interval;     /* ns from one to the next, in the mean */
    int64_t missed_since; /* when the first was due of those that were missed last */
    bool is_open_loop;    /* that of the row */

    /* On a grid: the point at which requests are due, and how many still are there. */
    int64_t next_slot_at, burst, burst_left;
    int64_t slot_free_at; /* when there was a slot for the next request */
    bool from_limit;      /* the grid is a limit, so nothing is missed on it */
    bool single_slot;     /* there is one slot */

    /* Of those that stay due. */
    uint64_t seed; /* the same one has the same random gaps */
    _Atomic int64_t
        *next_arrival;   /* the first that no worker has taken, ns after the begin */
    bool single_worker;  /* there is one worker */
    bool has_overslept;  /* until the next was due or later, with nothing else to do */
    int64_t claimed_due; /* when that was due which the worker has taken; 0: none */
    int64_t spin_time;   /* SCHEDULE_SPIN or 0 */
};

/*
 * Starts SCHEDULE, whose pattern has started, for worker INDEX, from 0, of PLAN, which is
 * ready at NOW. The times of the plan count from BEGIN, the same for all workers, so that
 * all of them end at the same time. SHARED belongs to all of them and is 0 at first.
 */
void schedule_start(struct schedule *schedule, const struct plan *plan, int index,
                    _Atomic int64_t *shared, int64_t begin, int64_t now);

/* Returns when the next request is due; see struct arrivals, like the next two. */
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

/* Passes over what was due before UNTIL while the worker could send nothing, unless that
 * stays due. Returns how many. */
uint64_t schedule_skip(struct schedule *schedule, int64_t until);

/* Passes over what stays due though it was due before the process went on after a stop,
 * at RESUMED: how long it would have waited is not known. Returns how many. */
uint64_t schedule_stopped(struct schedule *schedule, int64_t resumed);

/* Returns how many requests were due before UNTIL and will not be sent by this worker;
 * LAST: by none. It has ended then. READY: it had a slot for the next, so that points of
 * a grid passed since others have ended the run, and are not missed. */
uint64_t schedule_end(struct schedule *schedule, int64_t until, bool last, bool ready);

/* Returns when the next request is due that some worker may send once it has a slot;
 * NOW: at once, on a grid. Nothing is taken. */
int64_t schedule_next(const struct schedule *schedule, int64_t now);

#endif
