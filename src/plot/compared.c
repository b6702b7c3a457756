/*
 * How the targets or recorded runs of a plot compare: the verdict in its answer, and the
 * change of each row of its table.
 */
#include "draw.h"
#include "stats/comparison.h"
#include "words.h"

#include <math.h>

/* A ratio of at least this, or at most its inverse, is shown as a factor ("28x"). Other
 * ratios are shown as a change in percent. */
#define MIN_FACTOR 2
/* The bounds of a ratio near 1 are narrow if the ratio or its inverse is at most this. */
#define NARROW_FACTOR 1.25

const struct comparison_row *
plot_find_row(const struct plot *plot, int target)
{
    const struct job *job = &plot->jobs[target];

    if (!plot->rows)
        return NULL;

    /* The rows may be sorted by speed, so they are not in the order of the jobs. */
    for (int i = 0; i < plot->count; i++)
        if (plot->rows[i].stats == job->stats ||
            plot->rows[i].stats == &job->outcome.total)
            return &plot->rows[i];

    return NULL;
}

/* Adds the name of the target of ROW, shortened. */
static void
add_compared_name(struct buffer *text, const struct comparison_row *row)
{
    svg_shorten(text, row->name, PLOT_ANSWER_NAME);
    if (row->ordinal)
        buffer_format(text, " #%d", row->ordinal);
}

void
plot_add_factor(struct buffer *text, double ratio)
{
    buffer_format(text, "%.*fx", ratio < 9.95 ? 1 : 0, ratio);
}

/* Adds RATIO as a change in percent, such as "+12" or "-0.4", without the sign %. */
static void
add_percent(struct buffer *text, double ratio)
{
    double percent = (ratio - 1) * 100;

    buffer_format(text, "%+.*f", fabs(percent) < 9.95 ? 1 : 0, percent + 0.0);
}

/* Returns true if a ratio with these BOUNDS is shown as a factor, not as a change in
 * percent. */
static bool
is_factor(const struct interval *bounds)
{
    return bounds->high >= MIN_FACTOR || bounds->low <= 1.0 / MIN_FACTOR;
}

/* Adds BOUNDS, the confidence interval of a ratio of at least 1, as factors: "28x to 39x"
 * or "at least 12x". */
static void
add_factors(struct buffer *text, const struct interval *bounds)
{
    if (isinf(bounds->high)) {
        buffer_text(text, "at least ");
        plot_add_factor(text, bounds->low);
    } else {
        plot_add_factor(text, bounds->low);
        buffer_text(text, " to ");
        plot_add_factor(text, bounds->high);
    }
}

/* Adds BOUNDS, the confidence interval of a ratio: "28x to 39x", "28x to 39x lower", "at
 * least 12x" or "+9 to +27 %". The interval must not include 1. */
static void
add_bounds(struct buffer *text, const struct interval *bounds)
{
    if (is_factor(bounds) && bounds->high < 1) {
        /* 1 / 0 is INFINITY: the latency is lower by any factor from 1 / high on. */
        const struct interval inverse = {true, 1 / bounds->high, 1 / bounds->low};
        add_factors(text, &inverse);
        buffer_text(text, " lower");
    } else if (is_factor(bounds)) {
        add_factors(text, bounds);
    } else {
        add_percent(text, bounds->low);
        buffer_text(text, " to ");
        add_percent(text, bounds->high);
        buffer_text(text, " %");
    }
}

void
plot_add_change(struct buffer *text, const struct comparison_figure *figure)
{
    const struct interval *bounds = &figure->bounds;

    if (figure->ratio <= 0 || !interval_has_bound(bounds))
        buffer_text(text, "unknown");
    else if (!interval_differs(bounds))
        buffer_text(text, "may be noise");
    else
        add_bounds(text, bounds);
}

/* Returns true if BOUNDS, the confidence interval of a ratio, exclude a large change. */
static bool
is_narrow(const struct interval *bounds)
{
    return bounds->low >= 1 / NARROW_FACTOR && bounds->high <= NARROW_FACTOR;
}

/* Returns true if figure INDEX of ROW can be compared: enough requests count in ROW and
 * in the first row to know its percentile, and it is not 0. */
static bool
is_comparable(const struct comparison_row *row, int index)
{
    const struct comparison_figure *figure = &row->figures[index];
    return figure->ratio > 0 &&
           comparison_is_shown(figure, &percentiles_common.list[index]);
}

/* Adds BEFORE, and the change of figure INDEX of ROW with the name of its percentile,
 * such as "p99 28x to 39x" or "no significant difference in p99". Adds nothing if the
 * figure cannot be compared. */
static void
add_figure_change(struct buffer *text, const char *before,
                  const struct comparison_row *row, int index)
{
    const struct comparison_figure *figure = &row->figures[index];
    const char *name = percentiles_common.list[index].name;
    const struct interval *bounds = &figure->bounds;

    if (!is_comparable(row, index))
        return;

    buffer_text(text, before);
    if (!interval_has_bound(bounds)) {
        buffer_format(text, "p%s unsure: ", name);
        comparison_add_reason(text, figure, row->stats);
    } else if (interval_differs(bounds)) {
        buffer_format(text, "p%s ", name);
        add_bounds(text, bounds);
        if (is_factor(bounds) && bounds->low > 1)
            buffer_text(text, " higher");
    } else if (is_narrow(bounds)) {
        buffer_format(text, "no significant difference in p%s", name);
    } else {
        buffer_format(text, "not certain whether p%s differs", name);
    }
}

/* Adds how LAST, the last of several recorded runs, differs from FIRST, the first of
 * them. If no difference is known, adds why, once. */
static void
add_recorded_change(struct buffer *text, const struct comparison_row *first,
                    const struct comparison_row *last)
{
    const struct comparison_figure *p50 = &last->figures[0];
    const struct comparison_figure *p99 = &last->figures[1];
    bool knows_p99 = is_comparable(last, 1) && interval_has_bound(&p99->bounds);

    add_compared_name(text, last);
    buffer_text(text, " against ");
    add_compared_name(text, first);
    buffer_text(text, ": ");
    if (interval_has_bound(&p50->bounds) || knows_p99) {
        add_figure_change(text, "", last, 0);
        add_figure_change(text, ", ", last, 1);
        return;
    }

    bool is_longer = is_comparable(last, 1) && p99->min_intervals > p50->min_intervals;
    buffer_text(text, "unsure: ");
    comparison_add_reason(text, is_longer ? p99 : p50, last->stats);
}

/* Adds how much faster the target FIRST is than the target NEXT: "a is 28x to 39x faster
 * than b (p50)", or "a is faster than b: p50 -21 to -8 %". FIRST is the fastest of COUNT
 * targets. */
static void
add_fastest(struct buffer *text, const struct comparison_row *first,
            const struct comparison_row *next, int count)
{
    const struct interval *bounds = &next->figures[0].bounds;
    const struct interval inverse = {true, 1 / bounds->high, 1 / bounds->low};

    add_compared_name(text, first);
    if (is_factor(bounds)) {
        buffer_text(text, count > 2 ? " is the fastest, " : " is ");
        add_bounds(text, bounds);
        buffer_text(text, " faster than ");
        add_compared_name(text, next);
        buffer_text(text, " (p50)");
        return;
    }

    buffer_text(text, count > 2 ? " is the fastest; against " : " is faster than ");
    add_compared_name(text, next);
    buffer_text(text, ": p50 ");
    add_bounds(text, &inverse);
}

void
plot_add_comparison(struct buffer *text, const struct plot *plot)
{
    bool is_recorded = plot->plan->mode == MODE_COMPARE;
    const struct comparison_row *first = &plot->rows[0];
    const struct comparison_row *other = &plot->rows[is_recorded ? plot->count - 1 : 1];

    if (first->stats->latency.count == 0 || other->stats->latency.count == 0)
        return;
    if (!is_comparable(other, 0))
        return;

    if (is_recorded) {
        add_recorded_change(text, first, other);
        return;
    }

    /* The rows are sorted by speed, so the second row is not faster than the first. */
    if (interval_differs(&other->figures[0].bounds) && other->figures[0].ratio > 1) {
        add_fastest(text, first, other, plot->count);
        return;
    }

    add_compared_name(text, first);
    buffer_text(text, " and ");
    add_compared_name(text, other);
    buffer_text(text, ": ");
    add_figure_change(text, "", other, 0);
}
