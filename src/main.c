#include "cli/cli.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "plan/outcome.h"
#include "plan/plan.h"
#include "probe/prepare.h"
#include "probe/run.h"
#include "report/console.h"
#include "report/prometheus.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

static int
probe(const struct plan *plan, const struct target *target, struct outcome *outcome)
{
    struct report report;
    struct notes notes = {0};
    struct error error;
    int status = 0;
    outcome->slos = &plan->slos;
    if (prometheus_begin(plan, &target->description, &error) < 0)
        return console_error(&error);
    if (report_begin(&report, plan, &target->description) == 0) {
        struct run_observer observer = report_observer(&report);
        status = run_execute(plan, &engine_sync, target, &observer, outcome, &error);
    }
    report_end(&report, outcome);
    if (status < 0)
        return console_error(&error);
    outcome_explain(outcome, &notes);
    console_notes(&notes);
    return outcome_status(outcome);
}

static int
run(const struct plan *plan, struct target *target, struct outcome *outcome)
{
    int status = probe(plan, target, outcome);
    if (status == EXIT_PREPARE)
        target_discard(target, plan);
    else if (!outcome->waiting)
        target_close(target);
    return status;
}

int
main(int argc, char *argv[])
{
    struct options options = {0};
    struct plan plan;
    struct target target;
    struct outcome outcome = {0};
    struct notes notes = {0};
    struct error error = {0};
    os_stream_guard();
    if (os_privileges_drop() < 0) {
        error_set(&error, EXIT_PREPARE, "set-user-ID", "%s", strerror(errno));
        return console_error(&error);
    }
    if (argc < 2)
        return console_text(cli_usage, EXIT_USAGE);
    if (cli_parse(argc, argv, &options, &error) < 0)
        return console_error(&error);
    if (options.given[OPTION_HELP])
        return console_text(cli_usage, EXIT_DONE);
    if (options.given[OPTION_VERSION])
        return console_text(cli_version, EXIT_DONE);
    if (plan_make(&options, (uint64_t)os_clock_wall(), &plan, &error) < 0)
        return console_error(&error);
    os_signals_install();
    int status = prepare_target(&target, &plan, &notes, console_slow, &outcome, &error);
    console_notes(&notes);
    status = status < 0 ? console_error(&error) : run(&plan, &target, &outcome);
    if (outcome.waiting)
        os_process_end(status); /* a thread is in the kernel, with what is here */
    return status;
}
