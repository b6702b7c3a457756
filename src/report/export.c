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
write_plot(const struct kept *kept, const struct run_sight *sights)
{
    struct buffer text = {0};
    struct plot_target *targets = calloc((size_t)kept->count, sizeof(*targets));
    for (int i = 0; targets && i < kept->count; i++) {
        targets[i].description = kept->descriptions[i];
        if (kept->plan->sweep.kind != SWEEP_NONE) {
            targets[i].steps = kept->sweeps[i].steps;
            targets[i].count = kept->sweeps[i].count;
        } else {
            targets[i].stats = sights[i].stats;
            targets[i].track = sights[i].track;
        }
    }
    struct plot plot = {kept->plan, targets, kept->count};
    if (targets)
        plot_format(&text, &plot);
    int failed = !targets || text.failed ? ENOMEM : 0;
    if (!failed &&
        os_file_replace(kept->plan->output.plot, text.text, text.length, PLOT_START) < 0)
        failed = errno;
    buffer_free(&text);
    free(targets);
    return failed;
}

/* Of nothing so far. Returns 0, or the errno of what failed. */
static int
write_empty_plot(const struct kept *kept)
{
    struct stats *stats = calloc(1, sizeof(*stats));
    struct track *track = calloc(1, sizeof(*track));
    struct run_sight *sights = calloc((size_t)kept->count, sizeof(*sights));
    int failed = stats && track && sights ? 0 : ENOMEM;
    for (int i = 0; !failed && i < kept->count; i++)
        sights[i] = (struct run_sight){.stats = stats, .track = track};
    if (!failed)
        failed = write_plot(kept, sights);
    free(sights);
    free(track);
    free(stats);
    return failed;
}

static int
begin_plot(struct kept *kept, struct error *error)
{
    const char *path = kept->plan->output.plot;
    if (!path)
        return 0;
    kept->sweeps = calloc((size_t)kept->count, sizeof(*kept->sweeps));
    int failed = kept->sweeps ? write_empty_plot(kept) : ENOMEM;
    if (failed == EEXIST)
        return error_set(error, EXIT_PREPARE, path,
                         "is there already, and not a plot of ioping");
    return failed ? error_set(error, EXIT_PREPARE, path, "%s", strerror(failed)) : 0;
}

int
kept_begin(struct kept *kept, const struct plan *plan,
           const struct description *const *targets, int count, struct status *status,
           struct error *error)
{
    *kept = (struct kept){.plan = plan,
                          .descriptions = targets,
                          .count = count,
                          .wall = os_clock_wall,
                          .status = status};
    if (prometheus_begin(plan, targets, count, error) < 0)
        return -1;
    return begin_plot(kept, error);
}

void
kept_step(struct kept *kept, int number, int64_t value, const struct stats *stats,
          int64_t time)
{
    if (!kept->sweeps || kept->sweeps[number].count == KEPT_STEPS)
        return;
    struct kept_sweep *sweep = &kept->sweeps[number];
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
note_failure(const struct kept *kept, const char *path, int now, int before)
{
    struct notes notes = {0};
    if (!now || before)
        return;
    notes_add(&notes, path, "%s", strerror(now));
    status_pause(kept->status);
    console_notes(&notes);
    status_resume(kept->status);
}

static void
keep_metrics(void *self, const struct run_sight *sights, int count, int64_t now)
{
    struct kept *kept = self;
    struct prometheus_target *targets = calloc((size_t)count, sizeof(*targets));
    int before = kept->metrics_error;
    for (int i = 0; targets && i < count; i++) {
        int64_t last = sights[i].stats->last;
        targets[i] =
            (struct prometheus_target){.description = kept->descriptions[i],
                                       .stats = sights[i].stats,
                                       .last = last ? kept->wall() - (now - last) : 0};
    }
    kept->metrics_error = targets ? prometheus_keep(kept->plan, targets, count) : ENOMEM;
    free(targets);
    note_failure(kept, kept->plan->output.prometheus, kept->metrics_error, before);
}

static void
keep_plot(void *self, const struct run_sight *sights, int count, int64_t now)
{
    struct kept *kept = self;
    int before = kept->plot_error;
    (void)count, (void)now;
    kept->plot_error = write_plot(kept, sights);
    note_failure(kept, kept->plan->output.plot, kept->plot_error, before);
}

int
kept_views(struct kept *kept, struct run_view *views)
{
    const struct plan_output *output = &kept->plan->output;
    int count = 0;
    if (output->prometheus)
        views[count++] = (struct run_view){.self = kept,
                                           .every = output->keep_interval,
                                           .last = true,
                                           .look = keep_metrics};
    if (output->plot)
        views[count++] = (struct run_view){
            .self = kept, .every = PLOT_INTERVAL, .last = true, .look = keep_plot};
    return count;
}

const char *
kept_failure(const struct kept *kept, int *error)
{
    const struct plan_output *output = &kept->plan->output;
    *error = kept->metrics_error ? kept->metrics_error : kept->plot_error;
    return kept->metrics_error ? output->prometheus : output->plot;
}

void
kept_end(struct kept *kept)
{
    free(kept->sweeps);
    kept->sweeps = NULL;
}
