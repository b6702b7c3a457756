#include "cli/cli.h"

#include <stddef.h>

static const char *
set_flag(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option, (void)options, (void)value;
    return NULL; /* that it was given is all there is to know */
}

static const char *
set_number(const struct cli_option *option, struct options *options, const char *value)
{
    int64_t *number = (int64_t *)(void *)((char *)options + option->at);
    int64_t parsed;
    const char *wrong = units_parse(option->units, value, &parsed);
    if (wrong)
        return wrong;
    if (parsed < option->least)
        return "must be more than 0";
    if (parsed > option->most)
        return option->beyond;
    *number = parsed;
    return NULL;
}

static const char *
set_text(const struct cli_option *option, struct options *options, const char *value)
{
    if (value)
        *(const char **)(void *)((char *)options + option->at) = value;
    return NULL;
}

static const char *
set_path(const struct cli_option *option, struct options *options, const char *value)
{
    return *value ? set_text(option, options, value) : "a file needs a name";
}

static const char *
set_percentiles(const struct cli_option *option, struct options *options,
                const char *value)
{
    (void)option;
    return percentiles_parse(value, &options->percentiles);
}

static const char *
set_sweep(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option;
    return sweep_parse(value, &options->sweep);
}

static const char *
set_color(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option;
    return color_parse(value, &options->color);
}

static const char *
add_slo(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option;
    return slos_add(&options->slos, value);
}

/* clang-format off */
#define COUNT(field, smallest) CLI_REQUIRED, "count", \
    .set = set_number, .at = offsetof(struct options, field), .units = UNITS_COUNT, \
    .least = (smallest), .most = INT64_MAX
#define SEED(field) CLI_REQUIRED, "seed", \
    .set = set_number, .at = offsetof(struct options, field), .units = UNITS_COUNT, \
    .most = INT64_MAX
#define SIZE(field, smallest, largest) CLI_REQUIRED, "size", \
    .set = set_number, .at = offsetof(struct options, field), .units = UNITS_SIZE, \
    .least = (smallest), .most = (largest)
#define TIME(field) CLI_REQUIRED, "time", \
    .set = set_number, .at = offsetof(struct options, field), .units = UNITS_TIME, \
    .most = INT64_MAX
#define FLAG CLI_NONE, .set = set_flag
#define NUMBER(field, largest) CLI_REQUIRED, "count", \
    .set = set_number, .at = offsetof(struct options, field), .units = UNITS_COUNT, \
    .least = 1, .most = (largest)

const struct cli_option cli_options[] = {
    [OPTION_WARMUP] = {'a', "warmup", COUNT(warmup, 0),
        .help = "leave the first <count> out of statistics (1)"},
    [OPTION_BURST] = {'b', "burst", COUNT(burst, 0),
        .help = "<count> requests without delay, then wait (0)"},
    [OPTION_COUNT] = {'c', "count", COUNT(count, 0),
        .help = "stop after <count> requests (0: never)"},
    [OPTION_ENTROPY] = {'e', "entropy", SEED(entropy),
        .help = "seed of offsets and data (0: from the clock)"},
    [OPTION_INTERVAL] = {'i', "interval", TIME(interval),
        .help = "time from one request to the next (1s)"},
    [OPTION_SPEED_LIMIT] = {'l', "speed-limit", SIZE(speed_limit, 1, INT64_MAX),
        .help = "at most <size> per second"},
    [OPTION_RATE_LIMIT] = {'r', "rate-limit", COUNT(rate_limit, 1),
        .help = "at most <count> requests per second"},
    [OPTION_MIN_TIME] = {'t', "min-time", TIME(min_time),
        .help = "leave faster requests out of statistics (0)"},
    [OPTION_MAX_TIME] = {'T', "max-time", TIME(max_time),
        .help = "leave slower requests out of statistics"},
    [OPTION_SIZE] = {'s', "size", SIZE(size, 1, REQUEST_MOST),
        .beyond = "more than the system can do in one request (2147479552)",
        .help = "request size (4k; 256k with -L)"},
    [OPTION_WORK_SIZE] = {'S', "work-size", SIZE(work_size, 0, INT64_MAX),
        .help = "working set (1m in a directory, else all of it)"},
    [OPTION_WORK_OFFSET] = {'o', "work-offset", SIZE(work_offset, 0, INT64_MAX),
        .help = "where the working set starts (0)"},
    [OPTION_WORK_TIME] = {'w', "work-time", TIME(work_time),
        .help = "stop after <time> (0: never; 3s with -R)"},
    [OPTION_PRINT_COUNT] = {'p', "print-count", COUNT(print_count, 0),
        .help = "a raw line after <count> requests that count"},
    [OPTION_PRINT_INTERVAL] = {'P', "print-interval", TIME(print_interval),
        .help = "a raw line every <time>"},
    [OPTION_ASYNC] = {'A', "async", FLAG, .engine = "POSIX AIO",
        .help = "the system's asynchronous I/O, as Linux AIO"},
    [OPTION_URING] = {'U', "uring", FLAG, .engine = "io_uring",
        .help = "io_uring"},
    [OPTION_THREADS] = {0, "threads", NUMBER(threads, THREADS_MOST), .newer = true,
        .beyond = "more than 1024",
        .help = "so many workers side by side (1)"},
    [OPTION_DEPTH] = {0, "depth", NUMBER(depth, DEPTH_MOST), .newer = true,
        .beyond = "more than 4096",
        .help = "requests under way per worker; with -A, -U (1)"},
    [OPTION_SWEEP] = {0, "sweep", CLI_REQUIRED, "what", .set = set_sweep, .newer = true,
        .list = sweep_list,
        .help = "a table: size, threads or depth[=from..to]"},
    [OPTION_BATCH] = {'B', "batch", FLAG,
        .help = "no request lines; the summary as a raw line"},
    [OPTION_CACHED] = {'C', "cached", FLAG,
        .help = "cached I/O: no drop, no flush after writes"},
    [OPTION_DIRECT] = {'D', "direct", FLAG,
        .help = "direct I/O or failure: no falling back"},
    [OPTION_IGNORE_ERROR] = {'E', "ignore-error", FLAG, .newer = true,
        .help = "go on after a failed request"},
    [OPTION_HANG] = {0, "hang", TIME(hang), .newer = true,
        .help = "say when a request has no answer for <time> (5s)"},
    [OPTION_READ_WRITE] = {'G', "read-write", FLAG, .repeats = true,
        .help = "write and read in turn; destroys like -W"},
    [OPTION_HIPRI] = {'H', "hipri", FLAG,
        .help = "high priority: RWF_HIPRI, polled completion"},
    [OPTION_NOWAIT] = {'N', "nowait", FLAG,
        .help = "fail rather than wait: RWF_NOWAIT"},
    [OPTION_TIME] = {'I', "time", CLI_ATTACHED, "format", .set = set_text,
        .at = offsetof(struct options, time_format),
        .help = "time stamp before each request (strftime)"},
    [OPTION_JSON] = {'J', "json", FLAG, .repeats = true,
        .help = "print JSON; -JJ: a record per line"},
    [OPTION_LINEAR] = {'L', "linear", FLAG,
        .help = "sequential offsets instead of random ones"},
    [OPTION_RAPID] = {'R', "rapid", FLAG,
        .help = "as -q -i 0 -w 3; -S 64m in a directory"},
    [OPTION_WRITE] = {'W', "write", FLAG, .repeats = true,
        .help = "write; -WWW DESTROYS data of a file or device"},
    [OPTION_SYNC] = {'Y', "sync", FLAG,
        .help = "open with O_SYNC"},
    [OPTION_DSYNC] = {'y', "dsync", FLAG,
        .help = "open with O_DSYNC"},
    [OPTION_KEEP] = {'k', "keep", FLAG,
        .help = "keep and reuse the working file ioping.tmp"},
    [OPTION_QUIET] = {'q', "quiet", FLAG,
        .help = "no line per request; with -p, -P no summary"},
    [OPTION_PERCENTILES] = {0, "percentiles", CLI_REQUIRED, "list",
        .set = set_percentiles, .newer = true, .list = percentiles_list,
        .help = "percentiles to show (50,90,99,99.9), or none"},
    [OPTION_HISTOGRAM] = {0, "histogram", FLAG, .newer = true,
        .help = "a picture of the distribution"},
    [OPTION_CORRECTED] = {0, "corrected", FLAG, .newer = true,
        .help = "percentiles with the waits of missed requests"},
    [OPTION_SLO] = {0, "slo", CLI_REQUIRED, "limit", .set = add_slo, .newer = true,
        .repeats = true, .list = slos_list,
        .help = "exit 5 unless kept: p99=10ms, avg=1ms, iops=1k"},
    [OPTION_PROMETHEUS] = {0, "prometheus", CLI_REQUIRED, "file", .set = set_path,
        .at = offsetof(struct options, prometheus), .newer = true, .file = true,
        .help = "keep metrics in <file>, every -P or 15s"},
    [OPTION_PLOT] = {0, "plot", CLI_REQUIRED, "file", .set = set_path,
        .at = offsetof(struct options, plot), .newer = true, .file = true,
        .help = "draw latency over time, or the sweep, as SVG"},
    [OPTION_COLOR] = {0, "color", CLI_REQUIRED, "when", .set = set_color, .newer = true,
        .list = color_list,
        .help = "colour verdicts: always, never, auto (auto)"},
    [OPTION_NO_STATUS] = {0, "no-status", FLAG, .newer = true,
        .help = "no status line while a quiet run goes on"},
    [OPTION_HELP] = {'h', "help", FLAG,
        .help = "print this and exit"},
    [OPTION_VERSION] = {'v', "version", FLAG,
        .help = "print the version and exit"},
};
/* clang-format on */

_Static_assert(sizeof(cli_options) / sizeof(cli_options[0]) == OPTION_IDS,
               "a row for each option");
