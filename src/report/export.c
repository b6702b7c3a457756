/* Exported files: metrics and a plot, each replaced as a whole while a run goes on. */
#include "report/export.h"

#include "os/os.h"
#include "os/output.h"
#include "plan/plan.h"
#include "plot/plot.h"
#include "prometheus.h"
#include "report/console.h"
#include "status.h"

#include <errno.h>
#include <string.h>

/* Replaces the plot. Returns 0, or the errno of the failure. */
static int
write_plot(const struct export *export)
{
    const struct plot plot = {export->plan, export->jobs, export->count};
    struct buffer text = {0};
    plot_format(&text, &plot);
    int failed = text.failed ? ENOMEM : 0;
    if (!failed && os_file_replace(export->plan->output.plot, text.text, text.length,
                                   PLOT_START) < 0)
        failed = errno;
    buffer_free(&text);
    return failed;
}

/* Fills ERROR for a file that could not be written; WHAT is its kind. */
static int
refuse(const char *path, const char *what, int failed, struct error *error)
{
    if (failed == EEXIST)
        return error_set(error, EXIT_PREPARE, path, "is there already, and not %s", what);
    return error_set(error, EXIT_PREPARE, path, "%s", strerror(failed));
}

int
export_begin(struct export *export, const struct plan *plan, const struct job *jobs,
             int count, struct status *status, struct error *error)
{
    const struct plan_output *output = &plan->output;
    int failed;
    *export = (struct export){.plan = plan,
                              .jobs = jobs,
                              .count = count,
                              .wall = os_clock_wall,
                              .status = status};
    if (output->prometheus && (failed = prometheus_write(plan, jobs, count, 0)))
        return refuse(output->prometheus, "a file of metrics", failed, error);
    if (output->plot && (failed = write_plot(export)))
        return refuse(output->plot, "a plot of ioping", failed, error);
    return 0;
}

/* Notes a failure, but not again while it lasts: the next version may be written. */
static void
note_failure(const struct export *export, const char *path, int now, int before)
{
    struct notes notes = {0};
    if (!now || before)
        return;
    notes_add(&notes, path, "%s", strerror(now));
    status_pause(export->status);
    console_notes(&notes);
    status_resume(export->status);
}

void
export_metrics(struct export *export, int64_t now)
{
    int before = export->metrics_error;
    export->metrics_error =
        prometheus_write(export->plan, export->jobs, export->count, export->wall() - now);
    note_failure(export, export->plan->output.prometheus, export->metrics_error, before);
}

void
export_plot(struct export *export)
{
    int before = export->plot_error;
    export->plot_error = write_plot(export);
    note_failure(export, export->plan->output.plot, export->plot_error, before);
}

const char *
export_failure(const struct export *export, int *error)
{
    const struct plan_output *output = &export->plan->output;
    *error = export->metrics_error ? export->metrics_error : export->plot_error;
    return export->metrics_error ? output->prometheus : output->plot;
}
