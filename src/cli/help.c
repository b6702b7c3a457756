#include "cli/cli.h"

#include <stdio.h>

static const struct {
    const char *title;
    enum option_id ids[16];
    int count;
} groups[] = {
    {"requests",
     {OPTION_SIZE, OPTION_WORK_SIZE, OPTION_WORK_OFFSET, OPTION_LINEAR, OPTION_WRITE,
      OPTION_READ_WRITE, OPTION_ENTROPY, OPTION_KEEP},
     8},
    {"way to the device",
     {OPTION_DIRECT, OPTION_CACHED, OPTION_SYNC, OPTION_DSYNC, OPTION_NOWAIT,
      OPTION_HIPRI},
     6},
    {"at the same time",
     {OPTION_THREADS, OPTION_DEPTH, OPTION_ASYNC, OPTION_URING, OPTION_SWEEP},
     5},
    {"pace and end",
     {OPTION_COUNT, OPTION_INTERVAL, OPTION_WORK_TIME, OPTION_BURST, OPTION_SPEED_LIMIT,
      OPTION_RATE_LIMIT, OPTION_RAPID, OPTION_IGNORE_ERROR, OPTION_HANG},
     9},
    {"statistics",
     {OPTION_WARMUP, OPTION_MIN_TIME, OPTION_MAX_TIME, OPTION_PERCENTILES,
      OPTION_HISTOGRAM, OPTION_CORRECTED, OPTION_SLO},
     7},
    {"output",
     {OPTION_QUIET, OPTION_BATCH, OPTION_JSON, OPTION_PRINT_COUNT, OPTION_PRINT_INTERVAL,
      OPTION_TIME, OPTION_PROMETHEUS, OPTION_PLOT, OPTION_COLOR, OPTION_NO_STATUS,
      OPTION_HELP, OPTION_VERSION},
     12},
};

static void
add_option(struct buffer *text, const struct cli_option *option)
{
    char left[64], letter[] = "    ";
    const char *format = option->takes == CLI_ATTACHED   ? "%s-%s[%s]"
                         : option->takes == CLI_REQUIRED ? "%s-%s <%s>"
                                                         : "%s-%s%s";
    if (option->letter)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    snprintf(left, sizeof(left), format, letter, option->name,
             option->argument ? option->argument : "");
    buffer_format(text, "  %-28s %s\n", left, option->help);
}

void
cli_usage(struct buffer *text)
{
    buffer_text(text, "Usage: ioping [options] directory|file|device...\n"
                      "       ioping -h | -v\n");
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        buffer_format(text, "\n%s:\n", groups[i].title);
        for (int k = 0; k < groups[i].count; k++)
            add_option(text, &cli_options[groups[i].ids[k]]);
    }
    buffer_text(
        text, "\nTimes: ns us ms s min hour, none = s. Sizes: B k m g t p e (powers of\n"
              "1024), sector, page. Counts: da k M G T P E. Also 0.5, 1/100, /4.\n"
              "See ioping(1) for the output, field by field.\n");
}

void
cli_version(struct buffer *text)
{
    buffer_text(text, "ioping " IOPING_VERSION "\n");
}
