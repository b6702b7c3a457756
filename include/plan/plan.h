#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/error.h"
#include "cli/options.h"
#include "io/io.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

enum plan_load { LOAD_READ, LOAD_WRITE, LOAD_READ_WRITE };

enum plan_format { FORMAT_HUMAN, FORMAT_RAW, FORMAT_JSON, FORMAT_NDJSON };

struct plan_output {
    enum plan_format format;
    bool requests;           /* a line per request */
    bool summary;            /* the statistics at the end */
    const char *time_format; /* strftime(3) format before each line; NULL: none */
    int64_t burst;           /* a blank line after so many requests; 0: never */
    int64_t print_count;     /* a raw line after so many that count; 0: never */
    int64_t print_interval;  /* a raw line every so many ns; 0: never */
    struct percentiles percentiles;
    const char *prometheus;  /* path of a file of metrics; NULL: none */
    int64_t export_interval; /* ns from one version of it to the next */
    const char *plot;        /* path of a plot; NULL: none */
    bool status;             /* a status line, if stderr goes to a terminal */
};

/*
 * The run to do, with every default and conflict resolved. Nothing changes a plan once it
 * is made. Times are ns, sizes and offsets bytes.
 */
struct plan {
    const struct options *options; /* for what needs no resolving */
    const char *path;              /* of its target; of several, the first */
    const char *const *targets;    /* all of them */
    int target_count;

    enum plan_load load;
    int consent; /* to destroy data: how often -W and -G were given */
    bool linear;
    uint64_t seed;
    int64_t request_size;
    int64_t work_size;    /* 0: the whole file or device */
    int64_t scratch_size; /* the same for a target that has no size of its own */
    int64_t work_offset;

    const struct io_engine *engine;
    const char *engine_name; /* for messages and plots; NULL: the default engine */
    int threads;             /* workers side by side */
    int depth;               /* requests under way at a time, per worker */
    struct sweep sweep;      /* its ends are 0 where the target decides them */

    int64_t interval;
    bool limited;      /* the interval comes from a limit, so no request is ever due */
    int64_t burst;     /* requests per interval, at least 1 */
    uint64_t count;    /* UINT64_MAX: no limit */
    int64_t work_time; /* INT64_MAX: no limit */
    int64_t settle;    /* ns before the work time, in which no request counts */
    bool ignore_error;
    int64_t hang; /* ns after which a request is reported to be stuck; 0: never */

    bool direct; /* fail rather than fall back */
    bool cached;
    bool keep;           /* the working file */
    unsigned open_flags; /* OR-ed enum os_open */
    int rw_flags;        /* OR-ed enum os_rw */

    struct stats_limits limits;
    int64_t corrected; /* ns: the interval to correct percentiles for; 0: none */
    struct slos slos;
    struct plan_output output;
};

/*
 * Resolve OPTIONS, which must outlive the plan; SEED is used where they give none.
 * Returns 0, or -1 with ERROR when options contradict each other.
 */
int plan_make(const struct options *options, uint64_t seed, struct plan *plan,
              struct error *error);

/*
 * Store in ONE the plan for the NUMBERth target of PLAN, from 0. Each has a random
 * sequence of its own, the first that which it would have alone.
 */
void plan_target(const struct plan *plan, int number, struct plan *one);

/*
 * Returns the request size, bytes, to open a target for whose working set has WORK_SIZE
 * bytes, 0: not known. It fits if sizes are swept whose ends the target decides.
 */
int64_t plan_first(const struct plan *plan, int64_t work_size);

/* Returns the size of the largest request that PLAN names, bytes. */
int64_t plan_largest(const struct plan *plan);

/*
 * Store in STEP the plan for VALUE, the NUMBERth step from 0 of PLAN, which sweeps. Each
 * has a random sequence of its own.
 */
void plan_step(const struct plan *plan, int64_t value, int number, struct plan *step);

#endif
