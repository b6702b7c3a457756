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

/*
 * A plan is the command line with every default filled in and every conflict refused: all
 * that the rest of the program needs to know about the run. Nothing changes a plan once
 * it is made. A run has several plans; each is a copy of an earlier one, with changes:
 *
 *   plan_make ---> plan of the run --+-- plan_target ------> plan of each target
 *                                    +-- plan_background --> plan of the load of -load
 *
 *   plan of a target --+-- plan_step ---> plan of each step of a sweep
 *                      +-- plan_phase --> plan of each phase of -load
 *
 * The plans of targets, steps, phases and the load have different seeds, so they use
 * different random offsets.
 */

/* One output of a run: an entry of the list in struct plan_output. */
struct output {
    const struct output_kind *kind; /* row of the table of outputs (report/outputs.h) */
    const char *path;      /* file of this output; NULL: none, or the file of -output */
    int64_t tick_interval; /* ns between calls of the tick function; 0: never called */
    bool has_requests;     /* shows each request */
    bool has_periods;      /* shows each period (-p, -P) */
    bool has_summary;      /* shows the statistics at the end */
};

#define OUTPUTS_MOST 8

/*
 * The outputs of a run, and settings that all outputs share. outputs_plan fills this
 * struct. The list has the printed output first. If the printed output goes to a file
 * (-output or -record), the second is the one for standard output. Exported files and
 * other outputs follow.
 */
struct plan_output {
    struct output list[OUTPUTS_MOST];
    int count;
    int stream_count; /* printed outputs, 1 or 2; the last is on standard output */
    bool any_requests, any_periods, any_summary; /* some output has has_requests etc. */
    bool needs_track;        /* some output needs tracks of the run (stats/track.h) */
    bool needs_names;        /* some output needs target names before the first request */
    const char *time_format; /* strftime(3) format before each line; NULL: none */
    int64_t burst;           /* requests between two blank lines; 0: no blank lines */
    int64_t print_count;     /* requests that count in a period; 0: no such limit */
    int64_t print_interval;  /* length of a period in ns; 0: no such limit */
    bool emit_partial_period; /* the incomplete period at the end of the run is shown */
    struct percentiles percentiles;
    const struct buckets *buckets; /* of the Prometheus histogram; points into options */
};

/* What the requests do, and in which part of the target. Sizes and offsets in bytes. */
struct plan_workload {
    struct operation_mix mix;
    int destroy_confirmed; /* number of -W and -G given; 3 or more: may destroy data */
    bool linear;           /* sequential offsets, not random ones */
    bool append;   /* each write extends the working file, which is empty at first */
    bool keep;     /* the working file stays after the run (-k) */
    uint64_t seed; /* of random offsets and data */
    int64_t request_size;
    int64_t work_size;    /* size of the working set; 0: the whole file or device */
    int64_t scratch_size; /* size of the working set if the target has no size, as for the
                           * working file in a directory */
    int64_t work_offset;  /* where the working set starts */
};

/* How requests are sent. */
struct plan_io {
    const struct io_engine *engine;
    const char *engine_name;   /* for messages and plots; NULL: the default engine */
    struct io_missing missing; /* engine that would have been used if it was available */
    /* The option because of which the program chose the engine, such as "-depth"; NULL if
     * the user named the engine, or if it is the default. */
    const char *chosen_for;
    int threads;         /* workers */
    int depth;           /* requests in flight, at most, per worker */
    bool direct;         /* direct I/O is required (-D) */
    bool cached;         /* the page cache is used (-C) */
    unsigned open_flags; /* OR-ed enum os_open */
    int rw_flags;        /* OR-ed enum os_rw */
};

/* When requests start. */
struct plan_pace {
    /* The time from one request (or burst) to the next in ns; 0: back to back. Each
     * worker keeps this interval. In an open loop, all workers together do. */
    int64_t interval;
    const char *given_by; /* origin of the interval: "-i", "-r" or "-l"; NULL: none */
    /* Requests start when they are due, even if earlier ones are still in flight. */
    bool open_loop;
    bool poisson; /* open loop with random arrivals: the interval is their mean gap */
    /* The interval comes from -r or -l, so it is only a lower bound: a request that
     * starts later is not late, and no request is ever missed. */
    bool from_limit;
    int64_t burst;   /* requests per interval, at least 1 */
    bool keep_awake; /* keep idle processors out of sleep states (-awake) */
};

/* When the run ends, and how long the program waits for things that may not happen. */
struct plan_end {
    uint64_t count;      /* requests; UINT64_MAX: no limit */
    int64_t work_time;   /* ns; INT64_MAX: no limit */
    int64_t settle_time; /* ns before the work time, in which no request counts */
    /* The work time goes on until each worker has sent this many requests; 0: it does not
     * depend on requests. */
    uint64_t min_requests;
    bool ignore_error;    /* a failed request does not end the run (-E) */
    int64_t hang;         /* ns after which a request is reported as stuck; 0: never */
    int64_t timeout;      /* ns after which a request has failed; INT64_MAX: never */
    int64_t grace;        /* ns to wait for requests in flight after the work time */
    int64_t open_timeout; /* ns to open or close a target without progress; INT64_MAX: no
                           * limit */
};

/* Which statistics are computed, and which limits they must meet. */
struct plan_statistics {
    struct stats_limits limits; /* which requests count */
    int64_t corrected_interval; /* ns, for the correction of -corrected; 0: none */
    struct slos slos, warnings; /* limits of -slo and of -warn */
    int series_capacity;        /* entries of the series of a target; 0: no series */
    bool breakdown;             /* the time of requests is split (stats/breakdown.h) */
};

/* The plan of a run, a target, a step, a phase or a background load: see the top. */
struct plan {
    const struct options *options; /* for values that need no resolving */
    enum cli_mode mode;            /* exactly one MODE_ */
    const char *path;              /* path of the target, or of the first target */
    const char *const *targets;    /* paths of all targets */
    int target_count;
    struct plan_workload workload;
    struct plan_io io;
    struct sweep sweep; /* from and to are 0 if the target decides them */
    struct plan_pace pace;
    struct plan_end end;
    struct plan_statistics statistics;
    struct plan_output output;
};

/*
 * Makes PLAN from OPTIONS, which must outlive the plan; outputs_plan must fill its
 * outputs later. SEED is the seed of random numbers if the options have none. Returns 0,
 * or -1 with ERROR if options contradict each other or an engine is missing.
 */
int plan_make(const struct options *options, uint64_t seed, struct plan *plan,
              struct error *error);

/*
 * Stores in ONE the plan for target INDEX of PLAN, from 0. The first target has the same
 * random offsets as in a run without the other targets.
 */
void plan_target(const struct plan *plan, int index, struct plan *one);

/* Returns true if some requests of PLAN have the property DOES. */
static inline bool
plan_does(const struct plan *plan, enum operation_does does)
{
    return operation_mix_does(&plan->workload.mix, does);
}

/*
 * Adds to NOTES what the user should know about PLAN, the plan of a target or of a
 * background load: for example which I/O engine the program has chosen.
 */
void plan_note(const struct plan *plan, struct notes *notes);

/*
 * Returns the request size, in bytes, with which to open a target whose working set has
 * WORK_SIZE bytes (0: not known). This is the size in the plan, with one exception: in a
 * sweep of sizes without a range, the size is halved until it fits into the working set.
 */
int64_t plan_first(const struct plan *plan, int64_t work_size);

/* Returns the largest request size that PLAN names, in bytes. */
int64_t plan_largest(const struct plan *plan);

/*
 * Returns how long the step with VALUE of PLAN, the plan of a sweep, takes as planned, in
 * ns: its settling and its work time.
 */
int64_t plan_step_time(const struct plan *plan, int64_t value);

/*
 * Stores in STEP the plan of the step with VALUE, the step number INDEX from 0, of PLAN,
 * the plan of a sweep. A sweep of rates also has a step with the value PLAN_ALONE, to
 * measure the rate without concurrency: one request after another, for at most one
 * second.
 */
#define PLAN_ALONE 0
void plan_step(const struct plan *plan, int64_t value, int index, struct plan *step);

/*
 * Stores in ACTIVE the plan of PHASE of PLAN, a plan with phases (-load). Only the first
 * phase has a warm-up.
 */
void plan_phase(const struct plan *plan, enum phase phase, struct plan *active);

/* How long the background load runs alone before the requests beside it begin, in ns. The
 * requests of the load in this time do not count. */
#define PLAN_SETTLE SECOND

/*
 * Stores in ONE the plan of the background load in the second phase of PLAN. The load has
 * no end time, no output and no limits. For a depth above 1 the load uses an engine
 * that can have that many requests in flight, if one can be opened now; otherwise it uses
 * a thread for each request.
 */
void plan_background(const struct plan *plan, struct plan *one);

/*
 * Adds to TEXT a description of the background load of ONE, as in "write 1 MiB depth 8".
 */
void plan_background_name(const struct plan *one, struct buffer *text);

#endif
