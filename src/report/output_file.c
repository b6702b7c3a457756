/*
 * The file of -output or -record.
 *
 * This file must not be a target, a recorded run or the file of another output, because
 * writing to the file would destroy their data. Two functions check the file. check_files
 * in output_choice.c compares paths, so that most mistakes are found before anything is
 * opened. But two different paths may lead to the same file, and a path may lead to
 * another file later. So output_file_check compares the open file with the open targets,
 * before the earlier content of the file is destroyed.
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

    for (int i = 0; i < output->count; i++) {
        const char *path = output->list[i].path;
        const char *gap = used > 0 ? " or " : "";

        if (!path)
            continue;

        used += (size_t)snprintf(text + used, size - used, "%s%s", gap, path);
        if (used >= size)
            return; /* the text is cut */
    }
}

/* Fills ERROR: PATH is a device. Returns -1. */
static int
refuse_device(const char *path, struct error *error)
{
    return error_set(error, EXIT_PREPARE, path,
                     "output would destroy the data of this device; name a file");
}

/* Returns true if an output of PLAN takes all of standard output, as "-plot -" does. */
static bool
has_stdout_at_end(const struct plan *plan)
{
    return plan_screen(plan)->kind->sink == SINK_STDOUT_AT_END;
}

/* For example, a symbolic link may lead to a missing directory, and no file can be made
 * in /proc. */
int
output_file_refuse(const char *path, int code, struct error *error)
{
    error_set_file(error, path, code);
    if (code == ENOENT && os_path_has_folder(path))
        return error_advise(error, "name another file");
    return -1;
}

/* Checks the type of the file before it is opened, because opening a device may have side
 * effects. Checks the open file too, because the path may lead to another file by then,
 * and because only an open character device can be asked whether it is a disk. */
int
output_file_open(struct output_file *file, const struct plan *plan, struct error *error)
{
    const char *path = plan_results(plan)->path;
    struct os_info info;

    if (!path)
        return 0;

    if (has_stdout_at_end(plan) && os_stream_is_terminal(STANDARD_OUTPUT))
        return error_set(error, EXIT_PREPARE, "standard output",
                         "is a terminal, which cannot show a plot; redirect it, as in "
                         "-plot - >x.svg");

    bool exists = os_path_info(path, &info) == 0;
    if (exists && info.kind == OS_BLOCK)
        return refuse_device(path, error);
    if (exists && info.kind == OS_DIRECTORY)
        return output_file_refuse(path, EISDIR, error);

    int stream = os_stream_open(path);
    if (stream < 0 && errno == EEXIST)
        return error_set(error, EXIT_PREPARE, path,
                         "belongs to another user, or is a link, in a directory where "
                         "anyone may write; name a file in a directory of your own");
    if (stream < 0)
        return output_file_refuse(path, errno, error);

    file->stream = stream;
    file->is_new = !exists;

    if (os_file_info(stream, &info) < 0)
        return 0;
    if (info.kind == OS_BLOCK || (info.kind == OS_CHARACTER && os_device_is_disk(stream)))
        return refuse_device(path, error);

    return 0;
}

void
output_file_discard(const struct output_file *file, const struct plan *plan)
{
    if (file->is_new)
        os_stream_discard(file->stream, plan_results(plan)->path);
}

/* Fills ERROR: the file of -output or -record is also OTHER_USE, such as "a target" or
 * "the file of -plot". Returns -1. */
static int
refuse_output_file(const struct plan *plan, const char *other_use, struct error *error)
{
    return error_set(error, EXIT_PREPARE, plan_results(plan)->path,
                     "is also %s; name another file for -%s", other_use,
                     cli_option(output_file_option(plan))->name);
}

int
output_file_check_working_file(const struct output_file *file, const struct plan *plan,
                               const struct plan *target, struct error *error)
{
    char path[TARGET_PATH];

    if (!file->stream || !target->workload.keeps_file)
        return 0;
    if (target_keep_path(target, path) < 0 || !os_stream_is_path(file->stream, path))
        return 0;

    return refuse_output_file(plan, "a target", error);
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

/* Returns true if STREAM goes to a target of JOBS, to the target of the background load,
 * which is the last of the jobs, or to a file of recorded runs of PLAN. */
static bool
is_target_file(int stream, const struct plan *plan, const struct job *jobs)
{
    int count = plan->target_count;

    if (plan->mode == MODE_PHASES)
        count++;

    for (int i = 0; i < count; i++) {
        bool is_same;

        if (plan->mode == MODE_COMPARE)
            is_same = is_recorded_run(stream, plan->targets[i]);
        else
            is_same = os_stream_is_file(stream, jobs[i].target.fd);
        if (is_same)
            return true;
    }

    return false;
}

int
output_file_check(const struct output_file *file, const struct plan *plan,
                  const struct job *jobs, struct error *error)
{
    int stream = file->stream;

    if (!stream)
        return 0;

    if (has_stdout_at_end(plan) && os_stream_is_file(stream, STANDARD_OUTPUT))
        return refuse_output_file(plan, "the standard output of -plot", error);

    if (is_target_file(stream, plan, jobs))
        return refuse_output_file(plan, "a target", error);

    for (int i = 1; i < plan->output.count; i++) {
        const struct output *other = &plan->output.list[i];
        char other_use[48];

        if (!other->path || !os_stream_is_path(stream, other->path))
            continue;

        snprintf(other_use, sizeof(other_use), "the file of -%s",
                 cli_option(other->kind->option)->name);
        return refuse_output_file(plan, other_use, error);
    }

    return 0;
}

int
output_file_empty(const struct output_file *file, const struct plan *plan,
                  struct error *error)
{
    if (file->stream && os_stream_empty(file->stream) < 0)
        return error_set_file(error, plan_results(plan)->path, errno);

    return 0;
}
