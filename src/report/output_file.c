/*
 * The file of -output or -record.
 *
 * Writing to this file would destroy a target, a recorded run or the file of another
 * output, if it is the same file. So whether it is the same file is asked twice. When the
 * outputs are chosen (output_choice.c) only paths can be compared, since nothing is open
 * yet. Two different paths may lead to one file, and a path may lead to another file
 * later. So the identity of the open file is compared here, after the targets are open
 * and before the content that the file had is destroyed.
 */
#include "report/output_file.h"

#include "cli/cli.h"
#include "os/os.h"
#include "os/output.h"
#include "report/outputs.h"
#include "run/job.h"
#include "target/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STANDARD_INPUT 0
#define STANDARD_OUTPUT 1

enum option_id
output_file_option(const struct plan *plan)
{
    return plan->options->record ? OPTION_RECORD : OPTION_OUTPUT;
}

void
output_file_names(const struct plan *plan, char *text, size_t size)
{
    const struct plan_output *output = &plan->output;
    size_t used = 0;
    text[0] = '\0';

    for (int i = 0; i < output->count && used < size; i++)
        if (output->list[i].path)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " or " : "",
                                     output->list[i].path);
}

/* Fills ERROR: PATH is a device. Returns -1. */
static int
refuse_device(const char *path, struct error *error)
{
    return error_set(error, EXIT_PREPARE, path,
                     "output would destroy the data of this device; name a file");
}

/* Returns the output of PLAN that takes all of standard output; NULL if absent. */
static const struct output *
last_of(const struct plan *plan)
{
    const struct output *screen = plan_screen(plan);

    return screen->kind->sink == SINK_STDOUT_AT_END ? screen : NULL;
}

/* Checks the type of PATH before opening, because opening a device may have side effects.
 * Checks the open file too, because the path may have changed meanwhile, and because some
 * systems have disks that are character devices. */
int
output_file_open(struct output_file *file, const struct plan *plan, struct error *error)
{
    const char *path = plan_printed(plan)->path;
    struct os_info info;

    if (!path)
        return 0;

    if (last_of(plan) && os_stream_terminal(STANDARD_OUTPUT))
        return error_set(error, EXIT_PREPARE, "standard output",
                         "is a terminal, which cannot show a plot; redirect it, as in "
                         "-plot - >x.svg");

    bool there = os_path_info(path, &info) == 0;
    if (there && info.kind == OS_BLOCK)
        return refuse_device(path, error);
    if (there && info.kind == OS_DIRECTORY)
        return error_set(error, EXIT_PREPARE, path, "%s", strerror(EISDIR));

    int stream = os_stream_open(path);
    if (stream < 0 && errno == EEXIST)
        return error_set(error, EXIT_PREPARE, path,
                         "belongs to another user, or is a link, in a directory where "
                         "anyone may write; name a file in a directory of your own");
    if (stream < 0)
        return error_set(error, EXIT_PREPARE, path, "%s", strerror(errno));

    file->stream = stream;
    file->is_new = !there;

    if (os_file_info(stream, &info) == 0 &&
        (info.kind == OS_BLOCK ||
         (info.kind == OS_CHARACTER && os_device_is_disk(stream))))
        return refuse_device(path, error);

    return 0;
}

void
output_file_discard(const struct output_file *file, const struct plan *plan)
{
    if (file->is_new)
        os_stream_discard(file->stream, plan_printed(plan)->path);
}

/* Fills ERROR: the file of -output or -record IS also something else, such as "a target".
 * Returns -1. */
static int
refuse_output(const struct plan *plan, const char *is, struct error *error)
{
    return error_set(error, EXIT_PREPARE, plan_printed(plan)->path,
                     "is also %s; name another file for -%s", is,
                     cli_option(output_file_option(plan))->name);
}

int
output_file_check_working_file(const struct output_file *file, const struct plan *plan,
                               const struct plan *target, struct error *error)
{
    char path[TARGET_PATH];

    if (!file->stream || !target->workload.keep ||
        target_working_path(target, path) < 0 || !os_stream_is_path(file->stream, path))
        return 0;

    return refuse_output(plan, "a target", error);
}

/* Returns true if STREAM goes to the file of recorded runs that -compare has read from
 * PATH. The path "-" is standard input. */
static bool
is_recorded_run(int stream, const char *path)
{
    if (strcmp(path, "-") == 0)
        return os_stream_is_file(stream, STANDARD_INPUT);
    return os_stream_is_path(stream, path);
}

int
output_file_check(const struct output_file *file, const struct plan *plan,
                  const struct job *jobs, struct error *error)
{
    const struct output *list = plan->output.list;
    char is[48] = "";
    int count = plan->target_count + (plan->mode == MODE_PHASES);
    int stream = file->stream;

    if (!stream)
        return 0;

    if (last_of(plan) && os_stream_is_file(stream, STANDARD_OUTPUT))
        return refuse_output(plan, "the standard output of -plot", error);

    /* If several files match, a target is named first, then the first output of the
     * list. */
    for (int i = plan->output.count; --i > 0;)
        if (list[i].path && os_stream_is_path(stream, list[i].path))
            snprintf(is, sizeof(is), "the file of -%s",
                     cli_option(list[i].kind->option)->name);

    for (int i = 0; i < count; i++)
        if (plan->mode == MODE_COMPARE ? is_recorded_run(stream, plan->targets[i])
                                       : os_stream_is_file(stream, jobs[i].target.fd))
            snprintf(is, sizeof(is), "a target");

    return is[0] ? refuse_output(plan, is, error) : 0;
}

int
output_file_empty(const struct output_file *file, const struct plan *plan,
                  struct error *error)
{
    if (file->stream && os_stream_empty(file->stream) < 0)
        return error_set(error, EXIT_PREPARE, plan_printed(plan)->path, "%s",
                         strerror(errno));

    return 0;
}
