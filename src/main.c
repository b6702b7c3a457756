#include "base/notes.h"
#include "cli/cli.h"
#include "os/os.h"
#include "plan/outcome.h"
#include "plan/plan.h"
#include "probe/run.h"
#include "probe/target.h"
#include "report/report.h"

#include <string.h>

static int
print(int stream, void (*write_text)(struct buffer *text), int status)
{
    struct buffer text = {0};
    write_text(&text);
    if (text.failed || os_stream_write(stream, text.text, text.length) < 0)
        status = EXIT_RUNTIME;
    buffer_free(&text);
    return status;
}

static int
fail(const struct error *error)
{
    char line[1200];
    os_stream_write(2, line, (size_t)error_format(error, line, sizeof(line)));
    return error->usage ? print(2, cli_usage, error->status) : error->status;
}

static void
tell(struct notes *notes)
{
    for (int i = 0; i < notes->count; i++)
        os_stream_write(2, notes->line[i], strlen(notes->line[i]));
    notes->count = 0;
}

static int
probe(const struct plan *plan, struct target *target, struct error *error)
{
    struct report report;
    struct outcome outcome = {0};
    struct notes notes = {0};
    report_begin(&report, plan, &target->description);
    struct run_observer observer = report_observer(&report);
    int status = run_execute(plan, target, &observer, &outcome, error);
    outcome.output_error = report_end(&report);
    if (status < 0)
        return fail(error);
    outcome_explain(&outcome, &notes);
    tell(&notes);
    return outcome_status(&outcome);
}

int
main(int argc, char *argv[])
{
    struct options options = {0};
    struct plan plan;
    struct target target;
    struct notes notes = {0};
    struct error error = {0};
    if (argc < 2)
        return print(1, cli_usage, EXIT_USAGE);
    if (cli_parse(argc, argv, &options, &error) < 0)
        return fail(&error);
    if (options.given[OPTION_HELP])
        return print(1, cli_usage, EXIT_DONE);
    if (options.given[OPTION_VERSION])
        return print(1, cli_version, EXIT_DONE);
    plan_make(&options, (uint64_t)os_clock_wall(), &plan);
    os_signals_install();
    if (target_open(&target, &plan, &notes, &error) < 0)
        return tell(&notes), fail(&error);
    tell(&notes);
    int status = probe(&plan, &target, &error);
    target_close(&target);
    return status;
}
