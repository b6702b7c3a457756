#include "cli/cli.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "plan/outcome.h"
#include "plan/plan.h"
#include "probe/prepare.h"
#include "probe/run.h"
#include "report/console.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

static int
probe(const struct plan *plan, struct target *target, struct notes *notes,
      struct outcome *outcome)
{
    struct report report;
    struct error error;
    int status = report_begin(&report, plan, &target->description, &error);
    struct run_observer observer = report_observer(&report);
    if (status == 0)
        status = run_execute(plan, engine_of(plan->engine), target, &observer, outcome,
                             &error);
    report_end(&report, outcome);
    if (status < 0) {
        target_discard(target, plan);
        return console_error(&error);
    }
    if (!outcome->waiting)
        target_close(target);
    outcome_explain(outcome, notes);
    console_notes(notes);
    return outcome_status(outcome);
}

static int
execute(const struct plan *plan)
{
    struct target target;
    struct notes notes;
    struct error error;
    struct outcome *outcome = os_memory_zeroed(sizeof(*outcome));
    if (!outcome)
        return EXIT_PREPARE;
    int status = prepare_target(&target, plan, &notes, console_slow, outcome, &error);
    console_notes(&notes);
    status = status < 0 ? console_error(&error) : probe(plan, &target, &notes, outcome);
    if (outcome->waiting)
        os_process_end(status); /* a thread is in the kernel, with what is here */
    os_memory_release(outcome, sizeof(*outcome));
    return status;
}

int
main(int argc, char *argv[])
{
    struct options options = {0};
    struct plan plan;
    struct error error = {0};
    os_stream_guard();
    if (os_privileges_drop() < 0 &&
        error_set(&error, EXIT_PREPARE, "set-user-ID", "%s", strerror(errno)) < 0)
        return console_error(&error);
    if (argc < 2)
        return console_text(cli_usage, EXIT_USAGE);
    if (cli_parse(argc, argv, &options, &error) < 0)
        return console_error(&error);
    if (options.given[OPTION_HELP] || options.given[OPTION_VERSION])
        return console_text(options.given[OPTION_HELP] ? cli_usage : cli_version,
                            EXIT_DONE);
    if (plan_make(&options, (uint64_t)os_clock_wall(), &plan, &error) < 0)
        return console_error(&error);
    os_signals_install();
    return execute(&plan);
}
