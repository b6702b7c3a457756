#include "report/export.h"

#include "os/os.h"
#include "os/output.h"
#include "report/console.h"
#include "report/prometheus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLOT_INTERVAL 10000000000LL /* ns from one picture to the next */

/* Returns 0, or the errno of what failed. */
static int
write_plot(const struct export *export, const struct run_snapshot *snapshots)
{
    struct buffer text = {0};
    struct plot_target *targets = calloc((size_t) export->count, sizeof(*targets));
    for (int i = 0; targets && i < export->count; i++) {
        targets[i].description = export->descriptions[i];
        if (export->plan->sweep.kind != SWEEP_NONE) {
            targets[i].steps = export->sweeps[i].steps;
            targets[i].count = export->sweeps[i].count;
        } else {
            targets[i].stats = snapshots[i].stats;
            targets[i].track = snapshots[i].track;
        }
    }
    struct plot plot = {export->plan, targets, export->count};
    if (targets)
        plot_format(&text, &plot);
    int failed = !targets || text.failed ? ENOMEM : 0;
    if (!failed && os_file_replace(export->plan->output.plot, text.text, text.length,
                                   PLOT_START) < 0)
        failed = errno;
    buffer_free(&text);
    free(targets);
    return failed;
}

/* Of nothing so far. Returns 0, or the errno of what failed. */
static int
write_empty_plot(const struct export *export)
{
    struct stats *stats = calloc(1, sizeof(*stats));
    struct track *track = calloc(1, sizeof(*track));
    struct run_snapshot *snapshots = calloc((size_t) export->count, sizeof(*snapshots));
    int failed = stats && track && snapshots ? 0 : ENOMEM;
    for (int i = 0; !failed && i < export->count; i++)
        snapshots[i] = (struct run_snapshot){.stats = stats, .track = track};
    if (!failed)
        failed = write_plot(export, snapshots);
    free(snapshots);
    free(track);
    free(stats);
    return failed;
}

static int
begin_plot(struct export *export, struct error *error)
{
    const char *path = export->plan->output.plot;
    if (!path)
        return 0;
    export->sweeps = calloc((size_t) export->count, sizeof(*export->sweeps));
    int failed = export->sweeps ? write_empty_plot(export) : ENOMEM;
    if (failed == EEXIST)
        return error_set(error, EXIT_PREPARE, path,
                         "is there already, and not a plot of ioping");
    return failed ? error_set(error, EXIT_PREPARE, path, "%s", strerror(failed)) : 0;
}

int
export_begin(struct export *export, const struct plan *plan,
             const struct description *const *targets, int count, struct status *status,
             struct error *error)
{
    *export = (struct export){.plan = plan,
                              .descriptions = targets,
                              .count = count,
                              .wall = os_clock_wall,
                              .status = status};
    if (prometheus_begin(plan, targets, count, error) < 0)
        return -1;
    return begin_plot(export, error);
}

void
export_step(struct export *export, int number, int64_t value, const struct stats *stats,
            int64_t time)
{
    if (!export->sweeps || export->sweeps[number].count == EXPORT_STEPS)
        return;
    struct export_sweep *sweep = &export->sweeps[number];
    sweep->steps[sweep->count++] =
        (struct plot_step){.value = value,
                           .requests = stats->latency.count,
                           .failed = stats->failed,
                           .iops = stats_rate((double)stats->requests, time),
                           .bps = stats_rate((double)stats->all_bytes, time),
                           .p50 = stats_p50(stats),
                           .p99 = stats_p99(stats),
                           .max = stats->latency.max};
}

/* Said once in a row: the next version may well be written. */
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

static void
keep_metrics(void *self, const struct run_snapshot *snapshots, int count, int64_t now)
{
    struct export *export = self;
    struct prometheus_target *targets = calloc((size_t)count, sizeof(*targets));
    int before = export->metrics_error;
    for (int i = 0; targets && i < count; i++) {
        int64_t last = snapshots[i].stats->last;
        targets[i] =
            (struct prometheus_target){.description = export->descriptions[i],
                                       .stats = snapshots[i].stats,
                                       .last = last ? export->wall() - (now - last) : 0};
    }
    export->metrics_error =
        targets ? prometheus_keep(export->plan, targets, count) : ENOMEM;
    free(targets);
    note_failure(export, export->plan->output.prometheus, export->metrics_error, before);
}

static void
keep_plot(void *self, const struct run_snapshot *snapshots, int count, int64_t now)
{
    struct export *export = self;
    int before = export->plot_error;
    (void)count, (void)now;
    export->plot_error = write_plot(export, snapshots);
    note_failure(export, export->plan->output.plot, export->plot_error, before);
}

int
export_tickers(struct export *export, struct run_ticker *tickers)
{
    const struct plan_output *output = &export->plan->output;
    int count = 0;
    if (output->prometheus)
        tickers[count++] = (struct run_ticker){.self = export,
                                               .every = output->keep_interval,
                                               .last = true,
                                               .tick = keep_metrics};
    if (output->plot)
        tickers[count++] = (struct run_ticker){
            .self = export, .every = PLOT_INTERVAL, .last = true, .tick = keep_plot};
    return count;
}

const char *
export_failure(const struct export *export, int *error)
{
    const struct plan_output *output = &export->plan->output;
    *error = export->metrics_error ? export->metrics_error : export->plot_error;
    return export->metrics_error ? output->prometheus : output->plot;
}

void
export_end(struct export *export)
{
    free(export->sweeps);
    export->sweeps = NULL;
}
