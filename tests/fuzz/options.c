/*
 * Fuzzes the command line. The input is a command line whose words are separated by
 * newlines or NULs. If it is refused, the message must be one clean line. The status must
 * be that of wrong usage, or EXIT_PREPARE if the system has no engine for several
 * requests in flight. If it is accepted, every value of the options and the plan must be
 * within its range.
 */
#include "fuzz.h"

#include "base/time.h"
#include "cli/cli.h"
#include "formats.h"
#include "report/output_choice.h"

#define WORDS_MAX 64

/* Splits the input into words, each in its own allocation as fuzz_text makes it. Returns
 * argc. */
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
        if (length < size)
            length++;
        data += length;
        size -= length;
    }
    argv[argc] = NULL;
    return argc;
}

/* Returns true if this system cannot keep several requests of one thread in flight. */
static bool
lacks_deep_engine(void)
{
    int depth;
    struct io_missing missing;
    return !io_find_queueing_engine(2, &depth, &missing);
}

static void
check_refusal(const struct error *error)
{
    char line[ERROR_LINE];
    MUST(error->status == EXIT_USAGE ||
         (error->status == EXIT_PREPARE && lacks_deep_engine()));
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
    /* The targets must be words of the command line, in their order. */
    int found = 0;
    for (; *argv && found < options->target_count; argv++)
        if (*argv == options->targets[found])
            found++;
    bool needs_no_target = options->given[OPTION_HELP] || options->given[OPTION_VERSION];
    MUST(found == options->target_count);
    MUST(options->target_count > 0 || needs_no_target);

    MUST(options->time_format);
    MUST(options->warmup >= 0 && options->burst >= 0 && options->count >= 0);
    MUST(options->entropy >= 0 && options->print_count >= 0);
    MUST(options->interval >= 0 && options->work_time >= 0);
    MUST(options->min_time >= 0 && options->max_time >= 0);
    MUST(options->print_interval >= 0 && options->hang >= 0);
    MUST(!options->given[OPTION_RATE_LIMIT] || options->rate_limit >= 1);
    MUST(!options->given[OPTION_SPEED_LIMIT] || options->speed_limit >= 1);
    MUST(options->size >= 1 && options->size <= REQUEST_MAX);
    MUST(options->work_size >= 0 && options->work_offset >= 0);
    MUST(options->threads >= 0 && options->threads <= THREADS_MAX);
    MUST(options->depth >= 0 && options->depth <= DEPTH_MAX);
}

/* Returns true if AMOUNT in each INTERVAL (ns) is at most LIMIT per second, or if that
 * cannot be computed without an overflow. */
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
    MUST(plan->pace.interval >= 0);
    MUST(plan->pace.burst >= 1);
    MUST(plan->end.max_requests >= 1);
    MUST(plan->end.work_time >= 1);
    MUST(plan->end.hang >= 0);
    MUST(!options->given[OPTION_INTERVAL] || plan->pace.interval >= options->interval);
    if (plan->pace.burst > INT64_MAX / plan->workload.request_size / plan->io.threads)
        return;
    int64_t together = plan->pace.burst * plan->io.threads;
    MUST(!rate || keeps_limit(plan->pace.interval, together, options->rate_limit));
    MUST(!speed ||
         keeps_limit(plan->pace.interval, together * plan->workload.request_size,
                     options->speed_limit));
}

static void
check_plan(const struct options *options, const struct plan *plan)
{
    bool writes = options->given[OPTION_WRITE] || options->given[OPTION_READ_WRITE];
    MUST(plan->path == options->targets[0]);
    MUST(plan_does(plan, OPERATION_CHANGES) == writes);
    MUST((plan->workload.destroy_confirmed > 0) == writes);
    MUST(plan->workload.request_size >= 1 && plan->workload.request_size <= REQUEST_MAX);
    MUST(plan->workload.work_size >= 0 && plan->workload.work_offset >= 0);
    MUST(plan->workload.scratch_size >= 1);
    MUST(options->work_size ||
         plan->workload.scratch_size >= plan->workload.request_size);
    MUST(plan->statistics.limits.fastest >= 0 && plan->statistics.limits.slowest >= 0);
    MUST(plan->output.burst >= 0);
    MUST(plan->output.print_count >= 0 && plan->output.print_interval >= 0);
    MUST(!plan->output.time_format == !options->given[OPTION_TIME]);
}

static void
check_concurrency(const struct options *options, const struct plan *plan)
{
    bool async = options->given[OPTION_ASYNC];
    bool uring = options->given[OPTION_URING];
    char letter = 0;
    if (async)
        letter = 'A';
    else if (uring)
        letter = 'U';
    bool deep = plan->io.depth > 1 || plan->sweep.kind == SWEEP_DEPTH;
    MUST(!(async && uring));
    bool chosen = plan->sweep.kind == SWEEP_RATE || plan->io.chosen_for;
    if (!chosen || async || uring) {
        MUST(plan->io.engine == io_find_engine(letter));
        MUST(!plan->io.engine_name == !(async || uring));
    }
    MUST(!plan->io.chosen_for || (deep && plan->io.engine_name));
    MUST(plan->io.threads >= 1 && plan->io.threads <= THREADS_MAX);
    MUST(plan->io.depth >= 1 && plan->io.depth <= DEPTH_MAX);
    MUST(!deep || plan->io.engine->queues_requests);
    MUST(!plan->statistics.corrected_interval || plan->io.depth == 1);
}

static void
check_sweep(const struct options *options, const struct plan *plan)
{
    struct plan step;
    MUST((plan->sweep.kind != SWEEP_NONE) == (options->given[OPTION_SWEEP] > 0));
    MUST((plan->sweep.kind != SWEEP_NONE) == !!(plan->mode & MODE_SWEEP));
    if (plan->sweep.kind == SWEEP_NONE) {
        MUST(plan->end.settle_time == 0);
        return;
    }
    bool rates = plan->sweep.kind == SWEEP_RATE;
    bool open = (rates || plan->sweep.kind == SWEEP_SIZE) && plan->sweep.from == 0;
    MUST(open || (plan->sweep.from >= 1 && plan->sweep.to >= plan->sweep.from));
    MUST(plan->pace.interval == 0 && plan->pace.burst == 1);
    MUST(plan->end.work_time < INT64_MAX || options->work_time == INT64_MAX);
    MUST(plan->end.settle_time >= 0 && plan->end.settle_time <= plan->end.work_time / 10);
    MUST(options->work_size || plan->sweep.kind != SWEEP_SIZE ||
         plan->workload.scratch_size >= plan->sweep.to);
    plan_step(plan, open ? 4096 : plan->sweep.to, 0, &step);
    MUST(step.pace.is_open_loop == rates && (!rates || step.pace.interval > 0));
    check_concurrency(options, &step);
    MUST(step.workload.request_size >= 1 && step.workload.request_size <= REQUEST_MAX);
}

/* Checks the kind of the run and its outputs. With -check only the line of a plug-in is
 * printed. */
static void
check_kinds(const struct options *options, const struct plan *plan)
{
    bool checks = options->given[OPTION_CHECK];
    bool influx = options->given[OPTION_INFLUX];
    bool compares = options->given[OPTION_COMPARE];
    MUST((plan->mode == MODE_COMPARE) == compares);
    MUST((plan->mode == MODE_CHECK) == checks);
    MUST((plan->mode == MODE_PHASES) == (options->given[OPTION_LOAD] > 0));
    MUST(!compares ||
         (plan->statistics.series_capacity > 0 && !output_of(plan, FORMAT_HDR).kind));
    MUST((format_of(plan) == FORMAT_CHECK) == checks);
    MUST((format_of(plan) == FORMAT_INFLUX) == influx);
    MUST(!checks || !(plan->output.list[0].path || plan->output.any_periods));
    MUST(!checks || plan->end.timeout < INT64_MAX);
    const struct output *printed = &plan->output.list[0];
    MUST(!(checks || influx) || !(printed->has_requests || printed->has_summary));
    MUST(checks || plan->statistics.warnings.count == 0);
    for (int i = 0; i < plan->statistics.slos.count; i++)
        MUST(compares || !plan->statistics.slos.list[i].is_relative);
    for (int i = 0; i < plan->statistics.warnings.count; i++)
        MUST(!plan->statistics.warnings.list[i].is_relative);
}

static void
check_files(const struct options *options, const struct plan *plan)
{
    const struct plan_output *output = &plan->output;
    const struct buckets *buckets = output->buckets;
    const char *file = output->list[0].path;
    const struct output hdr = output_of(plan, FORMAT_HDR),
                        plot = output_of(plan, FORMAT_PLOT),
                        metrics = output_of(plan, FORMAT_PROMETHEUS);
    MUST(file == (options->record ? options->record : options->output));
    MUST(hdr.path == options->hdr);
    bool plots = options->plot && strcmp(options->plot, "-") == 0;
    MUST(plot.path == (plots ? NULL : options->plot));
    MUST(metrics.path == options->prometheus);
    MUST(output->stream_count == (file ? 2 : 1) && output->count <= OUTPUTS_MAX);
    MUST(!plots || (file && output->list[1].kind == &output_kinds[FORMAT_PLOT_STREAM]));
    MUST(!file || (output->list[1].has_summary == !plots && !output->list[1].path));
    MUST(!file || !hdr.path || strcmp(file, hdr.path) != 0);
    MUST(!metrics.path || metrics.tick_interval > 0);
    MUST((hdr.path && plan->sweep.kind == SWEEP_NONE) == (hdr.tick_interval > 0));
    MUST((plot.path != NULL) == (plot.tick_interval > 0));
    MUST(buckets->count >= 1 && buckets->count <= BUCKETS_MAX && buckets->list[0] > 0);
    for (int i = 1; i < buckets->count; i++)
        MUST(buckets->list[i] > buckets->list[i - 1]);
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
    } else if (plan_make(&options, 1, &plan, &error) < 0 ||
               outputs_choose(&options, &plan, &error) < 0) {
        check_options(&options, argv);
        check_refusal(&error);
    } else {
        check_options(&options, argv);
        check_pace(&options, &plan);
        check_plan(&options, &plan);
        check_concurrency(&options, &plan);
        check_sweep(&options, &plan);
        check_kinds(&options, &plan);
        check_files(&options, &plan);
    }
    while (argc > 0)
        free(argv[--argc]);
    return 0;
}
