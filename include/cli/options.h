#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/mode.h"
#include "io/operations.h"
#include "stats/slo.h"

#include <stdbool.h>
#include <stdint.h>

/* The maximum size of a request, in bytes: Linux moves no more in one read(2). */
#define REQUEST_MAX 2147479552

#define TARGETS_MAX 64    /* maximum number of targets on a command line */
#define THREADS_MAX 1024  /* maximum value of -threads */
#define DEPTH_MAX 4096    /* maximum value of -depth */
#define RATE_MAX 10000000 /* maximum value of -sweep rate, in requests per second */

/*
 * The options. Messages about an ambiguous abbreviation list the options in this order.
 * For the options of ioping 1.3, it is also their order in the messages of ioping 1.3.
 */
enum option_id {
    OPTION_WARMUP,
    OPTION_BURST,
    OPTION_COUNT,
    OPTION_ENTROPY,
    OPTION_INTERVAL,
    OPTION_SPEED_LIMIT,
    OPTION_RATE_LIMIT,
    OPTION_MIN_TIME,
    OPTION_MAX_TIME,
    OPTION_SIZE,
    OPTION_WORK_SIZE,
    OPTION_WORK_OFFSET,
    OPTION_WORK_TIME,
    OPTION_PRINT_COUNT,
    OPTION_PRINT_INTERVAL,
    OPTION_ASYNC,
    OPTION_URING,
    OPTION_THREADS,
    OPTION_DEPTH,
    OPTION_SWEEP,
    OPTION_POISSON,
    OPTION_LOAD,
    OPTION_BATCH,
    OPTION_CACHED,
    OPTION_DIRECT,
    OPTION_IGNORE_ERROR,
    OPTION_AWAKE,
    OPTION_HANG,
    OPTION_TIMEOUT,
    OPTION_READ_WRITE,
    OPTION_HIPRI,
    OPTION_NOWAIT,
    OPTION_TIME,
    OPTION_JSON,
    OPTION_LINEAR,
    OPTION_RAPID,
    OPTION_WRITE,
    OPTION_SYNC,
    OPTION_DSYNC,
    OPTION_KEEP,
    OPTION_APPEND,
    OPTION_QUIET,
    OPTION_PERCENTILES,
    OPTION_HISTOGRAM,
    OPTION_CORRECTED,
    OPTION_BREAKDOWN,
    OPTION_SLO,
    OPTION_PROMETHEUS,
    OPTION_BUCKETS,
    OPTION_HDR,
    OPTION_PLOT,
    OPTION_EVERY,
    OPTION_COMPARE,
    OPTION_OUTPUT,
    OPTION_RECORD,
    OPTION_INFLUX,
    OPTION_CSV,
    OPTION_PRINT,
    OPTION_CHECK,
    OPTION_DIAGNOSE,
    OPTION_WARN,
    OPTION_COLOR,
    OPTION_NO_COLOR,
    OPTION_NO_STATUS,
    OPTION_LIVE,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_IDS,
};

/* Whether verdicts are coloured. COLOR_AUTO: only if the output goes to a terminal. */
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/*
 * The value of -load: the background load that runs beside the measured requests in the
 * second phase of the run. A number is 0 if the value of -load does not set it.
 */
struct background_options {
    struct operation_mix mix;     /* the operations, which take turns */
    bool random, linear;          /* the order of offsets; both false: not given */
    int64_t size, depth, threads; /* request size in bytes, queue depth, threads */
    int64_t rate, speed;          /* limits: requests per second, bytes per second */
    const char *path;  /* target of the load; NULL: the target of the measured requests */
    char refusal[192]; /* holds the reason that background_parse returns */
};

/*
 * Reads TEXT, the value of -load such as "write,size=1m,depth=8", into BACKGROUND. The
 * first word names the operations. Further words are separated by commas; "path=" takes
 * the rest of TEXT, commas included. BACKGROUND->path points into TEXT. Returns NULL, or
 * the reason to refuse TEXT. The reason quotes the word that is wrong, and is stored in
 * BACKGROUND, whose other fields are undefined then.
 */
const char *background_parse(const char *text, struct background_options *background);

/*
 * The command line. Each value is converted and checked by itself; plan_make
 * (plan/plan.h) checks how the values fit together. An option that is not given has its
 * default value, as set by options_init. Times are in ns; sizes and offsets are in bytes.
 * A field has the name of its option, such as `warmup` for -warmup, unless a comment says
 * more.
 */
struct options {
    const char *targets[TARGETS_MAX];
    int target_count;
    /* The words of the command line, the name of the program first. A plot shows them. */
    int word_count;
    char *const *words;
    const char *time_format;             /* -time: a format of strftime(3) */
    const char *prometheus, *plot, *hdr; /* paths of exported files; NULL: not given */
    const char *output;                  /* path of a file; NULL: not given */
    const char *record; /* path of a file for one raw line per request; NULL: not given */
    int64_t warmup, burst, count, entropy, rate_limit, print_count;
    int64_t interval, min_time, max_time, work_time, print_interval, hang;
    int64_t export_interval; /* -every, in ns; 0: not given */
    int64_t timeout;         /* INT64_MAX: not given */
    int64_t speed_limit;     /* bytes per second; 0: not given */
    int64_t size, work_size, work_offset;
    int64_t threads, depth; /* 0: not given */
    struct sweep sweep;
    struct background_options background; /* -load */
    enum color color;
    struct percentiles percentiles;
    struct slos slos, warnings; /* limits of -slo and of -warn */
    struct slos figures;        /* -print: names of figures, without limits */
    struct buckets buckets;
    uint16_t given[OPTION_IDS]; /* how often each option was given */
    /* the letter of the last use of each option, such as 'J'; 0 if the last use was by
     * name, or if there was none */
    char letters[OPTION_IDS];
    bool help_all; /* -h all */
};

/* Fills OPTIONS with the defaults: no option and no target is given. */
void options_init(struct options *options);

#endif
