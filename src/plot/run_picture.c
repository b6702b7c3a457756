/* What the two panels of the plot of a run share. */
#include "run_picture.h"

const char *const plot_percentile_names[PLOT_PERCENTILES] = {"p50", "p99"};

int64_t
run_picture_end(const struct track *track)
{
    int64_t end = (int64_t)track->column_count << track->shift;
    int64_t last = 0;

    if (track->request_count > TRACK_MARKS)
        return end;

    for (uint64_t i = 0; i < track->request_count; i++)
        last = track->marks[i].offset > last ? track->marks[i].offset : last;

    /* Failed and missed requests have no marks. If the last column begins after the last
     * mark, the last request failed or was missed, and its exact time is not known. */
    bool is_in_last_column = end - last <= (int64_t)1 << track->shift;
    return is_in_last_column ? last : end;
}

bool
run_picture_has_marks(const struct plot *plot, int target)
{
    return plot->jobs[target].track->request_count <= TRACK_MARKS / (uint64_t)plot->count;
}

int64_t
run_picture_percentile(const struct stats *stats, int index)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    return latencies_known_percentile(&latencies, &percentiles_common.list[index]);
}

double
run_picture_y(const struct run_picture *run, double latency)
{
    return plot_axis_position(&run->time_panel.y_axis, latency);
}

void
run_picture_draw_percentiles(const struct run_picture *run,
                             const struct plot_panel *panel, int target)
{
    const struct stats *stats = run->plot->jobs[target].stats;

    if (run->plot->count > PLOT_MAX_DETAILED)
        return;

    for (int i = 0; i < PLOT_PERCENTILES; i++) {
        const char *name = plot_percentile_names[i];
        int64_t value = run_picture_percentile(stats, i);

        if (value >= 0)
            svg_rule(run->text, plot_class(run->plot, name, name, target).text, panel->x,
                     run_picture_y(run, (double)value), 'H', panel->x + panel->width);
    }
}
