#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/color.h"
#include "cli/sweep.h"
#include "stats/percentile.h"

#include <stdbool.h>
#include <stdint.h>

/* What one read(2) or write(2) moves on Linux at the most. */
#define REQUEST_MOST 2147479552

#define TARGETS_MOST 64
#define THREADS_MOST 1024
#define DEPTH_MOST 4096

/* One per row of the option table, in its order. */
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
    OPTION_BATCH,
    OPTION_CACHED,
    OPTION_DIRECT,
    OPTION_IGNORE_ERROR,
    OPTION_HANG,
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
    OPTION_QUIET,
    OPTION_PERCENTILES,
    OPTION_HISTOGRAM,
    OPTION_CORRECTED,
    OPTION_SLO,
    OPTION_PROMETHEUS,
    OPTION_PLOT,
    OPTION_COLOR,
    OPTION_NO_STATUS,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_IDS,
};

/*
 * The command line, converted and checked but not yet resolved. `given` says
 * how often each option stood there; a value not given has its default. Times are ns,
 * sizes and offsets bytes.
 */
struct options {
    const char *targets[TARGETS_MOST];
    int target_count;
    const char *time_format;
    const char *prometheus, *plot; /* paths of files; NULL: none */
    int64_t warmup, burst, count, entropy, rate_limit, print_count;
    int64_t interval, min_time, max_time, work_time, print_interval, hang;
    int64_t speed_limit, size, work_size, work_offset;
    int64_t threads, depth; /* 0: one */
    struct sweep sweep;
    enum color color;
    struct percentiles percentiles;
    struct slos slos;
    uint16_t given[OPTION_IDS];
};

#endif
