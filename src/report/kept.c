#include "report/kept.h"

#include "os/os.h"
#include "report/console.h"
#include "report/prometheus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    return prometheus_begin(plan, targets, count, error);
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
    return count;
}

const char *
kept_failure(const struct kept *kept, int *error)
{
    const struct plan_output *output = &kept->plan->output;
    *error = kept->metrics_error;
    return output->prometheus;
}
