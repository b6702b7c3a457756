/*
 * The file of -output: opened before anything is measured, and emptied once it is known
 * to be no other that the run uses. A name alone does not tell: there are links, and more
 * than one path to a file.
 */
#include "report/report.h"

#include "cli/cli.h"
#include "os/os.h"
#include "os/output.h"
#include "report/outputs.h"
#include "run/job.h"
#include "target/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void
report_files(const struct plan *plan, char *text, size_t size)
{
    const struct plan_output *output = &plan->output;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < output->count && used < size; i++)
        if (output->list[i].path)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " or " : "",
                                     output->list[i].path);
}

static int
refuse_device(const char *path, struct error *error)
{
    return error_set(error, EXIT_PREPARE, path,
                     "output would destroy the data of this device; name a file");
}

/* The device is looked at before it is opened, as that alone may have effects. */
int
report_open(struct reports *reports, const struct plan *plan, struct error *error)
{
    const char *path = plan->output.list[0].path;
    struct os_info info;
    if (!path)
        return 0;
    bool there = os_path_info(path, &info) == 0;
    if (there && info.kind == OS_BLOCK)
        return refuse_device(path, error);
    if (there && info.kind == OS_DIRECTORY)
        return error_set(error, EXIT_PREPARE, path, "%s", strerror(EISDIR));
    int stream = os_stream_open(path);
    if (stream < 0 && errno == EEXIST)
        return error_set(error, EXIT_PREPARE, path,
                         "is another user's, or another name of a file, where all may "
                         "write; name a file in a directory of your own");
    if (stream < 0)
        return error_set(error, EXIT_PREPARE, path, "%s", strerror(errno));
    reports->file = stream;
    reports->made = !there;
    if (os_file_info(stream, &info) == 0 &&
        (info.kind == OS_BLOCK ||
         (info.kind == OS_CHARACTER && os_device_is_disk(stream))))
        return refuse_device(path, error);
    return 0;
}

void
report_discard(const struct reports *reports, const struct plan *plan)
{
    if (reports->made)
        os_stream_discard(reports->file, plan->output.list[0].path);
}

int
report_claim(const struct reports *reports, const struct plan *plan,
             const struct job *jobs, struct error *error)
{
    const struct output *list = plan->output.list;
    char is[48] = "";
    int count = plan->target_count + (plan->mode == MODE_PHASES);
    int stream = reports->file;
    if (!stream)
        return 0;
    for (int i = plan->output.count; --i > 0;) /* a target goes before, and the first */
        if (list[i].path && os_stream_is_path(stream, list[i].path))
            snprintf(is, sizeof(is), "the file of -%s",
                     cli_option(list[i].kind->option)->name);
    for (int i = 0; i < count; i++)
        if (plan->mode == MODE_COMPARE ? os_stream_is_path(stream, plan->targets[i])
                                       : os_stream_is_file(stream, jobs[i].target.fd))
            snprintf(is, sizeof(is), "a target");
    if (is[0])
        return error_set(error, EXIT_PREPARE, list[0].path,
                         "it is %s too; name another file for -output", is);
    if (os_stream_empty(stream) < 0)
        return error_set(error, EXIT_PREPARE, list[0].path, "%s", strerror(errno));
    return 0;
}
