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
    bool histogram;
    const char *prometheus; /* path of a file to keep; NULL: none */
    int64_t keep_interval;  /* ns from one version of it to the next */
    const char *plot;       /* path of a picture; NULL: none */
    bool status;            /* a status line, if stderr goes to a terminal */
    enum color color;
};

/*
 * What will be done, with every default and conflict resolved. Nothing changes
 * it once it is made. Times are ns, sizes and offsets bytes.
 */
struct plan {
    const char *path;           /* of its target; of several, the first */
    const char *const *targets; /* all of them */
    int target_count;

    enum plan_load load;
    int consent; /* how often -W and -G were given */
    bool linear;
    uint64_t seed;
    int64_t request_size;
    int64_t work_size;    /* 0: the whole file or device */
    int64_t scratch_size; /* the same for a target that has no size of its own */
    int64_t work_offset;

    const struct io_engine *engine;
    const char *engine_name; /* for messages and plots; NULL: the default engine */
    int threads;             /* workers side by side */
    int depth;               /* requests under way at a time, of each */
    struct sweep sweep;      /* its ends are 0 where the target decides them */

    int64_t interval;
    bool limited;      /* it comes from a limit, so nothing is due */
    int64_t burst;     /* requests per interval, at least 1 */
    uint64_t count;    /* UINT64_MAX: no limit */
    int64_t work_time; /* INT64_MAX: no limit */
    int64_t settle;    /* ns before that, of which nothing is counted */
    bool ignore_error;
    int64_t hang; /* a request is said to be stuck after so long; 0: never */

    bool direct; /* fail rather than fall back */
    bool cached;
    bool keep;
    unsigned open_flags; /* OR-ed enum os_open */
    int rw_flags;        /* OR-ed enum os_rw */

    struct stats_limits limits;
    int64_t corrected; /* ns: the interval to correct percentiles for; 0: none */
    struct slos slos;
    struct plan_output output;
};

/*
 * Resolves OPTIONS; SEED is used where they give none. Texts stay theirs.
 * Returns 0, or -1 with ERROR when they contradict each other.
 */
int plan_make(const struct options *options, uint64_t seed, struct plan *plan,
              struct error *error);

/*
 * Makes ONE what PLAN does with its NUMBERth target, from 0: each has a sequence of its
 * own, the first that which it would have alone.
 */
void plan_target(const struct plan *plan, int number, struct plan *one);

/*
 * The request to open a target for, bytes, whose working set has WORK_SIZE of them; 0:
 * that is not known. One that fits, if sizes are swept whose ends the target decides.
 */
int64_t plan_first(const struct plan *plan, int64_t work_size);

/* The largest request that PLAN names, bytes. */
int64_t plan_largest(const struct plan *plan);

/*
 * Makes STEP what PLAN, which sweeps, does with VALUE, as the NUMBERth step from
 * 0: each has a sequence of its own.
 */
void plan_step(const struct plan *plan, int64_t value, int number, struct plan *step);

#endif
