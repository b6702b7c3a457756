/*
 * The file of -output: opened before anything is measured, and emptied once it is known
 * to be no other that the run uses. A name alone does not tell: there are links, and more
 * than one path to a file.
 */
#include "report/report.h"

#include "os/os.h"
#include "os/output.h"
#include "run/job.h"
#include "target/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void
report_files(const struct plan *plan, char *text, size_t size)
{
    const struct plan_output *output = &plan->output;
    const char *const files[] = {output->file, output->prometheus, output->plot,
                                 output->hdr};
    const char *joint = "";
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && used < size; i++) {
        if (!files[i])
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", joint, files[i]);
        joint = " or ";
    }
}

static int
refuse_device(const char *path, struct error *error)
{
    error_set(error, EXIT_PREPARE, path, "output would destroy the data of this device");
    return error_advise(error, "name a file");
}

/* The device is looked at before it is opened, as that alone may have effects. */
int
report_open(struct reports *reports, const struct plan *plan, struct error *error)
{
    const char *path = plan->output.file;
    struct os_info info;
    if (!path)
        return 0;
    bool there = os_path_info(path, &info) == 0;
    if (there && info.kind == OS_BLOCK)
        return refuse_device(path, error);
    if (there && info.kind == OS_DIRECTORY)
        return error_set(error, EXIT_PREPARE, path, "%s", strerror(EISDIR));
    int stream = os_stream_open(path);
    if (stream < 0 && errno == EEXIST) {
        error_set(error, EXIT_PREPARE, path,
                  "is another user's, or another name of a file, where all may write");
        return error_advise(error, "name a file in a directory of your own");
    }
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
        os_stream_discard(reports->file, plan->output.file);
}

static int
refuse_other(const char *path, const char *is, struct error *error)
{
    error_set(error, EXIT_PREPARE, path, "it is %s too", is);
    return error_advise(error, "name another file for -output");
}

int
report_claim(const struct reports *reports, const struct plan *plan,
             const struct job *jobs, struct error *error)
{
    const struct plan_output *output = &plan->output;
    const struct {
        const char *path, *is;
    } files[] = {{output->prometheus, "the file of -prometheus"},
                 {output->plot, "the file of -plot"},
                 {output->hdr, "the file of -hdr"}};
    int count = plan->target_count + (plan->mode == MODE_PHASES);
    int stream = reports->file;
    if (!stream)
        return 0;
    for (int i = 0; i < count; i++)
        if (plan->mode == MODE_COMPARE ? os_stream_is_path(stream, plan->targets[i])
                                       : os_stream_is_file(stream, jobs[i].target.fd))
            return refuse_other(output->file, "a target", error);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (files[i].path && os_stream_is_path(stream, files[i].path))
            return refuse_other(output->file, files[i].is, error);
    if (os_stream_empty(stream) < 0)
        return error_set(error, EXIT_PREPARE, output->file, "%s", strerror(errno));
    return 0;
}
