#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/mode.h"
#include "io/operations.h"
#include "stats/slo.h"

#include <stdbool.h>
#include <stdint.h>

/* The most bytes that read(2) or write(2) moves on Linux. */
#define REQUEST_MOST 2147479552

#define TARGETS_MOST 64
#define THREADS_MOST 1024
#define DEPTH_MOST 4096
#define RATE_MOST 10000000 /* of a sweep */

/* The options, in the order in which an ambiguous beginning lists them: that of ioping
 * 1.3 as far as it had them. */
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
    OPTION_CHECK,
    OPTION_WARN,
    OPTION_COLOR,
    OPTION_NO_COLOR,
    OPTION_NO_STATUS,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_IDS,
};

/* Verdicts are coloured; COLOR_AUTO: if a terminal shows them. */
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/*
 * The background of -load, which runs beside the requests for a time. Sizes are bytes,
 * limits per second; 0: not given.
 */
struct background_options {
    struct operation_mix mix;
    bool random, linear;
    int64_t size, depth, threads;
    int64_t rate, speed;
    const char *path;  /* of another target; NULL: that of the requests */
    char refused[192]; /* why the text was: room for background_parse */
};

/*
 * Reads TEXT, such as "write,size=1m,depth=8", into BACKGROUND: what it does, then its
 * words with commas between; that of path= goes on to the end and stays in TEXT. Returns
 * NULL, or why it is refused, with the word; then BACKGROUND is undefined.
 */
const char *background_parse(const char *text, struct background_options *background);

/*
 * The command line, converted and checked but not yet resolved. `given` counts how often
 * each option was given; the value of one that was not is its default. Times are ns,
 * sizes and offsets bytes.
 */
struct options {
    const char *targets[TARGETS_MOST];
    int target_count;
    const char *time_format;
    const char *prometheus, *plot, *hdr; /* paths of files; NULL: none */
    const char *output;                  /* likewise; NULL: standard output */
    const char *record;                  /* likewise, of raw lines; NULL: none */
    int64_t warmup, burst, count, entropy, rate_limit, print_count;
    int64_t interval, min_time, max_time, work_time, print_interval, hang;
    int64_t export_interval; /* of exported files; 0: not given */
    int64_t timeout;         /* INT64_MAX: none */
    int64_t speed_limit, size, work_size, work_offset;
    int64_t threads, depth; /* 0: one */
    struct sweep sweep;
    struct background_options background;
    enum color color;
    struct percentiles percentiles;
    struct slos slos, warnings;
    struct buckets buckets;
    uint16_t given[OPTION_IDS];
    bool help_all; /* of -h: all options */
};

/* Fill OPTIONS with the defaults: no option was given. */
void options_init(struct options *options);

#endif
