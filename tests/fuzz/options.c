/*
 * A command line, its words parted by newlines or NULs. It may not be refused
 * without one clean line and the status of wrong usage; and if it is taken,
 * nothing in the options and the plan may be outside of its range.
 */
#include "fuzz.h"

#include "cli/cli.h"
#include "plan/plan.h"

#define WORDS_MAX 64
#define SECOND 1000000000LL
#define REQUEST_MOST 2147479552

/* Each word has memory of its own, as fuzz_text gives it. Returns argc. */
static int
split_words(const uint8_t *data, size_t size, char **argv)
{
    int argc = 0;
    argv[argc++] = fuzz_text((const uint8_t *)"ioping", 6);
    while (size > 0 && argc < WORDS_MAX) {
        size_t length = 0;
        while (length < size && data[length] != '\n' && data[length] != '\0')
            length++;
        argv[argc++] = fuzz_text(data, length);
        length += length < size;
        data += length;
        size -= length;
    }
    argv[argc] = NULL;
    return argc;
}

static void
check_refusal(const struct error *error)
{
    char line[ERROR_LINE];
    MUST(error->status == EXIT_USAGE);
    MUST(error->why[0]);
    int length = error_format(error, line, sizeof(line));
    MUST(length > 0 && length == (int)strlen(line));
    MUST(line[length - 1] == '\n');
    line[length - 1] = '\0';
    MUST(fuzz_is_clean(line));
}

static void
check_options(const struct options *options, char *const *argv)
{
    bool known = false;
    for (; *argv; argv++)
        known |= *argv == options->target;
    bool done = options->given[OPTION_HELP] || options->given[OPTION_VERSION];
    MUST(options->target ? known : done);
    MUST(options->time_format);
    MUST(options->warmup >= 0 && options->burst >= 0 && options->count >= 0);
    MUST(options->entropy >= 0 && options->print_count >= 0);
    MUST(options->interval >= 0 && options->work_time >= 0);
    MUST(options->min_time >= 0 && options->max_time >= 0);
    MUST(options->print_interval >= 0 && options->hang >= 0);
    MUST(!options->given[OPTION_RATE_LIMIT] || options->rate_limit >= 1);
    MUST(!options->given[OPTION_SPEED_LIMIT] || options->speed_limit >= 1);
    MUST(options->size >= 1 && options->size <= REQUEST_MOST);
    MUST(options->work_size >= 0 && options->work_offset >= 0);
}

/* Whether INTERVAL is enough for AMOUNT at LIMIT per second, if that can be said. */
static bool
keeps_limit(int64_t interval, int64_t amount, int64_t limit)
{
    return amount > INT64_MAX / SECOND || interval >= amount * SECOND / limit;
}

static void
check_pace(const struct options *options, const struct plan *plan)
{
    bool rate = options->given[OPTION_RATE_LIMIT];
    bool speed = options->given[OPTION_SPEED_LIMIT];
    MUST(plan->interval >= 0);
    MUST(plan->burst >= 1);
    MUST(plan->count >= 1);
    MUST(plan->work_time >= 1);
    MUST(plan->hang >= 0);
    MUST(!options->given[OPTION_INTERVAL] || plan->interval >= options->interval);
    MUST(!rate || keeps_limit(plan->interval, plan->burst, options->rate_limit));
    if (speed && plan->burst <= INT64_MAX / plan->request_size)
        MUST(keeps_limit(plan->interval, plan->burst * plan->request_size,
                         options->speed_limit));
}

static void
check_plan(const struct options *options, const struct plan *plan)
{
    bool writes = options->given[OPTION_WRITE] || options->given[OPTION_READ_WRITE];
    MUST(plan->path == options->target);
    MUST((plan->load != LOAD_READ) == writes);
    MUST((plan->consent > 0) == writes);
    MUST(plan->request_size >= 1 && plan->request_size <= REQUEST_MOST);
    MUST(plan->work_size >= 0 && plan->work_offset >= 0);
    MUST(plan->scratch_size >= 1);
    MUST(options->work_size || plan->scratch_size >= plan->request_size);
    MUST(plan->limits.fastest >= 0 && plan->limits.slowest >= 0);
    MUST(plan->output.burst >= 0);
    MUST(plan->output.print_count >= 0 && plan->output.print_interval >= 0);
    MUST(!plan->output.time_format == !options->given[OPTION_TIME]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[WORDS_MAX + 1];
    int argc = split_words(data, size, argv);
    struct options options;
    struct error error = {.status = -1};
    struct plan plan;
    if (cli_parse(argc, argv, &options, &error) < 0) {
        check_refusal(&error);
    } else if (plan_make(&options, 1, &plan, &error) < 0) {
        check_options(&options, argv);
        check_refusal(&error);
    } else {
        check_options(&options, argv);
        check_pace(&options, &plan);
        check_plan(&options, &plan);
    }
    while (argc > 0)
        free(argv[--argc]);
    return 0;
}
