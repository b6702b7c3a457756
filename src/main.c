/*
 * The program from its start to its exit status: command line, options, plan, monitor,
 * session. Each step is one call; src/README.md is the map of the files behind the calls.
 */
#include "base/deadlines.h"
#include "cli/cli.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "plan/plan.h"
#include "report/console.h"
#include "report/output_choice.h"
#include "report/outputs.h"
#include "session/session.h"

#include <errno.h>
#include <string.h>

/* Prints the text of -h or -v. Returns STATUS, or EXIT_RUNTIME if printing fails. */
static int
print_information(const struct options *options, int status)
{
    if (options->help_all)
        return console_text(cli_usage_all, status);
    if (options->given[OPTION_HELP])
        return console_text(cli_usage, status);
    return console_text(cli_version, status);
}

int
main(int argc, char *argv[])
{
    static struct options options; /* static to keep main's stack frame small */
    struct plan plan;
    struct error error = {0};
    struct notes notes = {0};

    os_stream_guard();
    int arguments_status = os_process_arguments(&argc, &argv);
    int arguments_code = errno;
    const struct output_kind *output = outputs_find(argc, argv);
    if (arguments_status < 0)
        error_set(&error, EXIT_PREPARE, NULL, "cannot read the command line: %s",
                  strerror(arguments_code));
    else if (os_privileges_drop() < 0)
        error_set(&error, EXIT_PREPARE, NULL, "cannot drop privileges: %s",
                  strerror(errno));
    if (error.status)
        return output->refuse(&error);

    if (argc < 2)
        return console_text(cli_usage, EXIT_USAGE);
    if (cli_parse(argc, argv, &options, &error) < 0)
        return output->refuse(&error);
    if (options.given[OPTION_HELP] || options.given[OPTION_VERSION])
        return print_information(&options, output->early_exit_status);

    if (plan_make(&options, (uint64_t)os_clock_wall(), &plan, &error) < 0 ||
        outputs_choose(&options, &plan, &error) < 0 || outputs_prepare(&plan, &error) < 0)
        return output->refuse(&error);

    output = plan_results(&plan)->kind;
    if (output->early_exit_line) {
        os_process_set_last_line(output->early_exit_line, output->early_exit_status);
        /* -check must end soon even if nobody reads what it prints before the run. */
        os_monitor_limit(time_add(os_clock_now(), DEADLINE_GRACE));
    }

    os_signals_install();
    if (os_monitor_start() < 0)
        notes_add(&notes, NULL,
                  "cannot start a second process (%s): if the disk hangs, ioping cannot "
                  "return to the shell",
                  strerror(errno));

    console_notes(&notes);
    int status =
        plan.mode == MODE_COMPARE ? session_compare(&plan) : session_execute(&plan);
    return os_signals_end(status);
}
