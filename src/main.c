#include "cli/cli.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "plan/plan.h"
#include "report/console.h"
#include "report/outputs.h"
#include "session/session.h"

#include <errno.h>
#include <string.h>

int
main(int argc, char *argv[])
{
    struct options options = {0};
    struct plan plan;
    struct error error = {0};
    os_stream_guard();
    if (os_process_arguments(&argc, &argv) < 0 &&
        error_set(&error, EXIT_PREPARE, "command line", "%s", strerror(errno)) < 0)
        return outputs_refuse(argc, argv, &error);
    if (os_privileges_drop() < 0 &&
        error_set(&error, EXIT_PREPARE, "privileges", "%s", strerror(errno)) < 0)
        return outputs_refuse(argc, argv, &error);
    if (argc < 2)
        return console_text(cli_usage, EXIT_USAGE);
    if (cli_parse(argc, argv, &options, &error) < 0)
        return outputs_refuse(argc, argv, &error);
    if (options.given[OPTION_HELP] || options.given[OPTION_VERSION])
        return console_text(options.all                  ? cli_usage_all
                            : options.given[OPTION_HELP] ? cli_usage
                                                         : cli_version,
                            outputs_help_status(argc, argv));
    if (plan_make(&options, (uint64_t)os_clock_wall(), &plan, &error) < 0 ||
        outputs_plan(&options, &plan, &error) < 0)
        return outputs_refuse(argc, argv, &error);
    outputs_prepare(&plan);
    os_signals_install();
    if (os_monitor_start() < 0)
        console_alone(errno);
    return os_signals_end(plan.mode == MODE_COMPARE ? session_compare(&plan)
                                                    : session_execute(&plan));
}
