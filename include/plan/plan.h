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
 * A plan tells the rest of the program everything about the run that the command line
 * decides. Every default is filled in, and options that contradict each other have been
 * refused. outputs_choose (report/output_choice.h) adds the outputs; then the plan of the
 * run is complete and does not change any more. A part of the program that needs other
 * values makes its own copy and changes that. The main copies are:
 *
 *   plan_make ---> plan of the run --+-- plan_target ------> plan of each target
 *                                    +-- plan_background --> plan of the load of -load
 *
 *   plan of a target --+-- plan_step ---> plan of each step of a sweep
 *                      +-- plan_phase --> plan of each phase of -load
 *
 *   plan of the run -- plan_part --> plan of each part of -diagnose
 *
 * The plans of targets, steps, phases and the load have different seeds, so that they use
 * different random offsets.
 */

/* One output of a run, such as the JSON on standard output or the file of -plot. */
struct output {
    const struct output_kind *kind; /* row of the table of outputs (report/outputs.h) */
    const char *path;      /* file to write; NULL: standard output or the terminal */
    int64_t tick_interval; /* ns between two calls of tick (report/outputs.h); 0: none */
    bool has_requests;     /* shows each request */
    bool has_periods;      /* shows each period (-p, -P) */
    bool has_summary;      /* shows the statistics at the end */
};

#define OUTPUTS_MAX 15 /* maximum number of outputs of a run; outputs.c checks it */

/*
 * The outputs of a run, and the settings that all outputs share. outputs_choose
 * (report/output_choice.h) fills this struct. The list starts with the output that an
 * option such as -json has chosen. If this output goes to a file (-output or -record),
 * the second entry is the output for standard output. The status line and the exported
 * files, such as the file of -plot, come last.
 */
struct plan_output {
    struct output list[OUTPUTS_MAX];
    int count; /* entries of `list` */
    /* Number of entries of `list` before the status line and the exported files: 1, or 2
     * with -output or -record. The last of these entries is for standard output. */
    int stream_count;
    /* At least one output has the field has_requests, has_periods or has_summary set. */
    bool any_requests, any_periods, any_summary;
    bool needs_track;        /* some output needs the tracks of the run (stats/track.h) */
    bool needs_names;        /* some output needs target names before the first request */
    const char *time_format; /* strftime(3) format of the time before lines, or NULL */
    int64_t burst;           /* a blank line follows this many requests; 0: never */
    /* A period ends as soon as it has `print_count` requests that count, or after
     * `print_interval` ns, whichever comes first. 0: there is no such limit. */
    int64_t print_count, print_interval;
    bool emit_partial_period;       /* show the incomplete period at the end of the run */
    struct percentiles percentiles; /* the percentiles to show */
    const struct buckets *buckets;  /* buckets of -prometheus; part of struct options */
    const struct slos *figures;     /* figures of -print; part of struct options */
};

/* What the requests do, and in which part of the target. Sizes and offsets in bytes. */
struct plan_workload {
    struct operation_mix mix; /* the operations, which take turns */
    int destroy_confirmed;    /* number of -W and -G given; 3 or more may destroy data */
    bool linear;              /* offsets are sequential, not random */
    bool is_log;     /* each write extends the working file, which starts empty */
    bool keeps_file; /* the working file stays after the run (-k) */
    uint64_t seed;   /* seed of the random offsets and data */
    int64_t request_size;
    int64_t work_size; /* size of the working set; 0: the whole file or device */
    /* Size of the working set if the target has no size. Such a target is a directory, in
     * which the program creates a working file. */
    int64_t scratch_size;
    int64_t work_offset; /* where the working set starts */
};

/* How requests are sent. */
struct plan_io {
    const struct io_engine *engine;
    const char *engine_name;   /* for messages and plots; NULL: the default engine, which
                                * needs no mention */
    struct io_missing missing; /* the better engine that is not available here, if any */
    /* "-depth" or "-sweep depth" if the program chose the engine because of this option,
     * else NULL. Also NULL for targets after the first, so that plan_note adds its note
     * about the engine once. */
    const char *chosen_for;
    int threads;         /* number of workers */
    int depth;           /* maximum number of requests in flight per worker */
    bool needs_direct;   /* direct I/O is required (-D) */
    bool uses_cache;     /* the page cache is used (-C) */
    unsigned open_flags; /* flags for opening the target: OR-ed enum os_open */
    int rw_flags;        /* flags of each read and write: OR-ed enum os_rw */
};

/* When requests start. */
struct plan_pace {
    /* Time from one request (or burst) to the next, in ns; 0: back to back. In a closed
     * loop, each worker sends one request per interval. In an open loop, all workers
     * together send one request per interval. */
    int64_t interval;
    /* The option that set the interval: "-i", "-r" or "-l"; NULL: no option. */
    const char *given_by;
    /* Each request starts when it is due, even if earlier ones are still in flight. */
    bool is_open_loop;
    bool is_poisson; /* open loop with random gaps; their mean is `interval` */
    /* The interval comes from -r or -l. These options only limit the rate: a request may
     * start later than the interval says, and no request counts as late or missed. */
    bool from_limit;
    int64_t burst;   /* requests per interval, at least 1 */
    bool keep_awake; /* keep idle processors out of sleep states (-awake) */
};

/*
 * When the run ends, and how long the program waits for events that may never happen.
 * base/deadlines.h has further limits, which no option changes.
 */
struct plan_end {
    uint64_t max_requests; /* maximum number of requests; UINT64_MAX: no limit */
    int64_t work_time;     /* the run ends after this time, in ns; INT64_MAX: no limit */
    int64_t settle_time; /* time before the work time, in ns; its requests do not count */
    /* The work time is extended until each worker has sent this many requests; 0: it is
     * not extended. In the plan of a whole sweep of rates, this is the number for all
     * workers together, and plan_step computes the work time of each step from it. */
    uint64_t min_requests;
    bool ignore_error; /* a failed request does not end the run (-E) */
    /* Time in ns after which a request in flight is reported as stuck; 0: never. */
    int64_t hang;
    /* Time in ns after which a request in flight has failed; INT64_MAX: never. */
    int64_t timeout;
    int64_t grace; /* ns to wait for requests in flight at the end of the work time */
    /* Time in ns without progress after which opening or closing a target has failed;
     * INT64_MAX: never. */
    int64_t open_timeout;
};

/* Which statistics are computed, and which limits they must meet. */
struct plan_statistics {
    struct stats_limits limits; /* which requests count */
    /* If percentiles include the waits of missed requests (correction for coordinated
     * omission): time in ns from one due request to the next. Otherwise 0. */
    int64_t corrected_interval;
    struct slos slos, warnings; /* limits of -slo and of -warn */
    /* Number of latencies per target that are recorded in the order of the requests, as
     * a series (stats/track.h); 0: none. */
    int series_capacity;
    bool has_breakdown; /* the time of each request is split into parts (-breakdown) */
};

/* The plan of a run, a target, a step, a phase or a background load: see the top. */
struct plan {
    const struct options *options; /* for values that are used as the user gave them */
    enum cli_mode mode;
    const char *path;           /* the target; in the plan of the run, the first target */
    const char *const *targets; /* paths of all targets of the run */
    int target_count;
    struct plan_workload workload;
    struct plan_io io;
    /* If the user gave no range for a sweep of sizes or rates, `from` and `to` are 0
     * here, because the range depends on the target. */
    struct sweep sweep;
    struct plan_pace pace;
    struct plan_end end;
    struct plan_statistics statistics;
    struct plan_output output;
};

/*
 * Makes PLAN, the plan of the run, from OPTIONS, which must outlive PLAN. Leaves the
 * outputs of PLAN empty; outputs_choose (report/output_choice.h) must fill them later.
 * SEED is the seed of random numbers if OPTIONS have none. Returns 0, or -1 with ERROR if
 * options contradict each other, or if this system lacks an I/O engine that they need.
 */
int plan_make(const struct options *options, uint64_t seed, struct plan *plan,
              struct error *error);

/*
 * Makes the plan of target number INDEX, from 0, and stores it in ONE. PLAN is the plan
 * of the run. The first target has the same random offsets as in a run without other
 * targets.
 */
void plan_target(const struct plan *plan, int index, struct plan *one);

/* Returns true if an operation of PLAN has at least one of the flags in DOES. */
static inline bool
plan_does(const struct plan *plan, enum operation_does does)
{
    return operation_mix_does(&plan->workload.mix, does);
}

/*
 * Adds to NOTES what the user should know about PLAN, the plan of a target or of a
 * background load: that a better I/O engine is not available; which engine was chosen
 * because of `chosen_for`; that a -time format or a percentile is probably a mistake.
 */
void plan_note(const struct plan *plan, struct notes *notes);

/*
 * Returns the request size, in bytes, with which to open a target whose working set has
 * WORK_SIZE bytes (0: unknown). Normally this is the request size of PLAN. In a sweep of
 * sizes without a range, that size is halved until a request fits into the working set or
 * has 512 bytes.
 */
int64_t plan_opening_size(const struct plan *plan, int64_t work_size);

/* Returns the largest request size of PLAN, in bytes; in a sweep of sizes with a range,
 * the end of the range. */
int64_t plan_largest_size(const struct plan *plan);

/* Returns the planned duration of a step in ns: settling plus work time. PLAN is the plan
 * of the sweep. VALUE is the value of the step, in the unit of struct sweep. In a sweep
 * of rates, this is only an estimate: the same for each VALUE. */
int64_t plan_step_time(const struct plan *plan, int64_t value);

/* A special VALUE for plan_step in a sweep of rates. The step with this value measures
 * the rate without concurrency: it sends one request after another, for at most one
 * second. */
#define PLAN_RATE_ALONE 0

/* Makes the plan of step number INDEX, from 0, and stores it in STEP. PLAN is the plan of
 * the sweep. VALUE is the value of the step, in the unit of struct sweep. */
void plan_step(const struct plan *plan, int64_t value, int index, struct plan *step);

/* Makes the plan of one phase (-load), and stores it in ACTIVE. PLAN is the plan of the
 * target. Only the first phase has a warm-up. */
void plan_phase(const struct plan *plan, enum phase phase, struct plan *active);

/* Time in ns that the background load runs alone before the measured requests start. The
 * requests that the load sends in this time do not count. */
#define PLAN_LOAD_SETTLE_TIME SECOND

/*
 * Makes the plan of the background load (-load), and stores it in ONE. PLAN is the plan
 * of the run. The load has no end, no outputs and no limits of -slo. To keep several
 * requests in flight (depth=), the load uses an I/O engine that can do that, if such an
 * engine can be opened now. Otherwise it uses one thread for each request in flight, at
 * most THREADS_MAX.
 */
void plan_background(const struct plan *plan, struct plan *one);

/* Adds to TEXT a description of the background load with the plan ONE, such as "write 1
 * MiB depth 8". */
void plan_describe_background(const struct plan *one, struct buffer *text);

#endif
