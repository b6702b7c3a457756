#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/time.h"
#include "cli/mode.h"
#include "io/io.h"
#include "stats/slo.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

struct options;
struct output_kind;

/* One output of a run. */
struct output {
    const struct output_kind *kind; /* its row in the table of outputs */
    const char *path;               /* of its file; NULL: it has none of its own */
    int64_t tick_interval;          /* ns from one tick to the next; 0: it has none */
    bool has_requests;              /* it has each request, */
    bool has_periods;               /* each period, */
    bool has_summary;               /* and the statistics at the end */
};

#define OUTPUTS_MOST 8

/* The outputs of a run, filled by outputs_plan, and what they have in common. */
struct plan_output {
    struct output list[OUTPUTS_MOST]; /* first the printed one; if it goes to a file, then
                                       * the one on standard output; exported files; the
                                       * rest */
    int count;
    int stream_count; /* those that are printed, the first of all; the last on stdout */
    bool any_requests, any_periods, any_summary; /* one of them has these */
    bool needs_track;         /* one needs tracks of the run (stats/track.h), */
    bool needs_names;         /* and one names of targets before the first request */
    const char *time_format;  /* strftime(3) format before each line; NULL: none */
    int64_t burst;            /* a blank line after so many requests; 0: never */
    int64_t print_count;      /* a period ends after so many that count; 0: never */
    int64_t print_interval;   /* and every so many ns; 0: never */
    bool emit_partial_period; /* what is left of a period when all has ended is one too */
    struct percentiles percentiles;
    const struct buckets *buckets; /* of histograms; the options' */
};

/* What requests do, and to what of the target. Sizes and offsets are bytes. */
struct plan_workload {
    struct operation_mix mix;
    int destroy_confirmed; /* data may be lost: how often -W and -G were given */
    bool linear;
    bool append; /* each write extends the working file, which begins empty */
    bool keep;   /* the working file */
    uint64_t seed;
    int64_t request_size;
    int64_t work_size;    /* 0: the whole file or device */
    int64_t scratch_size; /* the same for a target that has no size of its own */
    int64_t work_offset;
};

/* How they are sent. */
struct plan_io {
    const struct io_engine *engine;
    const char *engine_name;   /* for messages and plots; NULL: the default engine */
    struct io_missing missing; /* one that the program would have chosen */
    const char *chosen_for;    /* the option that made the program choose the engine */
    int threads;               /* workers side by side */
    int depth;                 /* requests under way at a time, per worker */
    bool direct;               /* fail rather than fall back */
    bool cached;
    unsigned open_flags; /* OR-ed enum os_open */
    int rw_flags;        /* OR-ed enum os_rw */
};

/* When they start. */
struct plan_pace {
    int64_t interval;     /* ns; 0: as fast as possible */
    const char *given_by; /* option that the interval comes from; NULL: none does */
    bool open_loop;       /* requests start when they are due, answered or not */
    bool poisson;    /* and are due at random: the interval is the mean of the gaps */
    bool from_limit; /* the interval comes from a limit, so no request is ever due */
    int64_t burst;   /* requests per interval, at least 1 */
    bool keep_awake; /* idle processors must not sleep */
};

/* When all of it ends, and what is waited for how long, ns. */
struct plan_ends {
    uint64_t count;        /* UINT64_MAX: no limit */
    int64_t work_time;     /* INT64_MAX: no limit */
    int64_t settle_time;   /* before the work time, in which no request counts */
    uint64_t min_requests; /* requests that each worker sends in it; it waits for them; 0:
                              any */
    bool ignore_error;
    int64_t hang;         /* after which a request is reported to be stuck; 0: never */
    int64_t timeout;      /* after which a request has failed; INT64_MAX: none does */
    int64_t grace;        /* for what is under way when the work time is over */
    int64_t open_timeout; /* for an opening or closing to advance; INT64_MAX: no limit */
};

/* What is computed of the requests, and judged. */
struct plan_statistics {
    struct stats_limits limits;
    int64_t corrected_interval; /* ns: the interval to correct percentiles for; 0: none */
    struct slos slos, warnings; /* these of -check */
    int series_capacity;        /* entries of the series of a target; 0: there is none */
    bool breakdown; /* the time of each request is split, see stats/breakdown.h */
};

/* The run to do, with every default and conflict resolved. Nothing changes a plan once it
 * is made. */
struct plan {
    const struct options *options; /* for what needs no resolving */
    enum cli_mode mode;            /* one of them */
    const char *path;              /* of its target; of several, the first */
    const char *const *targets;    /* all of them */
    int target_count;
    struct plan_workload workload;
    struct plan_io io;
    struct sweep sweep; /* its ends are 0 where the target decides them */
    struct plan_pace pace;
    struct plan_ends ends;
    struct plan_statistics statistics;
    struct plan_output output;
};

/*
 * Resolve OPTIONS, which must outlive the plan, in all but its outputs; SEED is used
 * where they give none. Returns 0, or -1 with ERROR when options contradict each other.
 */
int plan_make(const struct options *options, uint64_t seed, struct plan *plan,
              struct error *error);

/*
 * Store in ONE the plan for target INDEX of PLAN, from 0. Each has a random
 * sequence of its own, the first that which it would have alone.
 */
void plan_target(const struct plan *plan, int index, struct plan *one);

/* Returns whether some of its requests do what DOES says. */
static inline bool
plan_does(const struct plan *plan, enum operation_does does)
{
    return operation_mix_does(&plan->workload.mix, does);
}

/* Adds to NOTES what the user should know of PLAN, that of a target or of a background.
 */
void plan_note(const struct plan *plan, struct notes *notes);

/*
 * Returns the request size, bytes, to open a target for whose working set has WORK_SIZE
 * bytes, 0: not known. It fits if sizes are swept whose ends the target decides.
 */
int64_t plan_first(const struct plan *plan, int64_t work_size);

/* Returns the size of the largest request that PLAN names, bytes. */
int64_t plan_largest(const struct plan *plan);

/* Returns how long the step with VALUE of PLAN, which sweeps, lasts with what comes
 * before its work time, ns. */
int64_t plan_step_time(const struct plan *plan, int64_t value);

/*
 * Store in STEP the plan for VALUE, step INDEX from 0 of PLAN, which sweeps. Each
 * has a random sequence of its own. A sweep of rates has PLAN_ALONE too: requests one
 * after another, for a second at most.
 */
#define PLAN_ALONE 0
void plan_step(const struct plan *plan, int64_t value, int index, struct plan *step);

/*
 * Store in ACTIVE the plan for PHASE of PLAN, which has phases. Each has a random
 * sequence of its own; requests warm up in the first only.
 */
void plan_phase(const struct plan *plan, enum phase phase, struct plan *active);

/* ns from the begin of a background to that of the requests beside it: so long it
 * settles. */
#define PLAN_SETTLE SECOND

/*
 * Store in ONE the plan of the background of the second phase of PLAN. It has no end, no
 * output and no limits; nothing counts that began before it had settled. Many at a time
 * are sent by an engine that can be opened at this time, or each by a thread.
 */
void plan_background(const struct plan *plan, struct plan *one);

/* Adds to TEXT what the background of such a plan is, as in "write 1 MiB depth 8". */
void plan_background_name(const struct plan *one, struct buffer *text);

#endif
