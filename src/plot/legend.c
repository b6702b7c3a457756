/* A row with what the lines mean, above the table of the targets. */
#include "parts.h"

#include <stdio.h>

#define SPACE 10 /* pixels between what stands side by side */

/* Of what there may be in a picture, what there is, a bit for each. */
enum thing {
    THING_MARK,
    THING_BAND,
    THING_MEAN,
    THING_P50,
    THING_P99,
    THING_MAX,
    THING_FAIL,
    THING_MISSED,
    THING_VALUE,
    THINGS,
};

static const struct {
    const char *class, *line, *name;
} things[THINGS] = {
    [THING_MARK] = {"k-mark", "", "request"},
    [THING_BAND] = {"k-band", "", "min to max"},
    [THING_MEAN] = {"k-mean", "", "mean"},
    [THING_P50] = {"k-p50", "p50", "p50"},
    [THING_P99] = {"k-p99", "p99", "p99"},
    [THING_MAX] = {"k-max", "max", "max"},
    [THING_FAIL] = {"k-fail", "fail", "failed"},
    [THING_MISSED] = {"k-missed", "missed", "due but not sent"},
    [THING_VALUE] = {NULL, "", ""},
};

static unsigned
things_of_run(const struct plot *plot)
{
    unsigned found = 0;
    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];
        const struct stats *stats = job->stats;
        if (stats && stats->failed)
            found |= 1u << THING_FAIL;
        if (stats && stats->missed)
            found |= 1u << THING_MISSED;
        if (plot_has_data(job))
            found |= 1u << THING_MEAN | (unsigned)plot_run_marks(plot, i) << THING_MARK;
    }
    if (found & 1u << THING_MEAN && plot_is_clear(plot))
        found |= 1u << THING_BAND | 1u << THING_P50 | 1u << THING_P99;
    return found;
}

static unsigned
things_of(const struct plot *plot)
{
    enum sweep_kind kind = plot->plan->sweep.kind;
    if (kind == SWEEP_NONE)
        return things_of_run(plot);
    if (kind == SWEEP_SIZE)
        return 0;
    for (int i = 0; i < plot->count; i++)
        if (plot_has_data(&plot->jobs[i]))
            return 1u << THING_P50 | 1u << THING_VALUE |
                   (plot_is_clear(plot) ? 1u << THING_P99 | 1u << THING_MAX : 0);
    return 0;
}

/* As it looks in the picture, PLOT_SWATCH wide, on a line of text at Y. */
static void
draw_swatch(struct buffer *text, enum thing thing, const char *class, double x, double y)
{
    double middle = x + PLOT_SWATCH / 2.0, above = y - 4;
    switch (thing) {
    case THING_MARK:
        svg_circle(text, class, middle, above, 2.5);
        break;
    case THING_BAND:
        svg_rect(text, class, x, y - 9, PLOT_SWATCH, 10);
        break;
    case THING_FAIL:
        plot_cross(text, class, middle, y);
        break;
    case THING_MISSED:
        plot_triangle(text, class, middle, y);
        break;
    default:
        svg_path(text, class);
        svg_point(text, 'M', x, above);
        svg_line(text, 'H', x + PLOT_SWATCH);
        svg_end(text);
    }
}

/* With several targets, what holds for all of them has the colour of text. */
#define COLOUR_OF_ALL 6

/* A line of a run, or a curve with its mark. */
static void
draw_key(struct buffer *text, const struct plot *plot, enum thing thing, double x,
         double y)
{
    static const struct {
        const char *role, *mark;
        double radius;
    } curves[THINGS] = {[THING_P50] = {"k-p50 curve", "k-mark", 3},
                        [THING_P99] = {"k-p99", "k-mark open", 3},
                        [THING_MAX] = {"k-max", "k-mark", 2}};
    bool sweep = plot->plan->sweep.kind != SWEEP_NONE;
    int target = plot->count > 1 ? COLOUR_OF_ALL : 0;
    char class[PLOT_CLASS];
    plot_class(class, plot, sweep ? curves[thing].role : things[thing].class,
               things[thing].line, target);
    draw_swatch(text, thing, class, x, y);
    if (sweep)
        svg_circle(
            text, plot_class(class, plot, curves[thing].mark, things[thing].line, target),
            x + PLOT_SWATCH / 2.0, y - 4, curves[thing].radius);
}

static void
draw_things(struct buffer *text, const struct plot *plot, unsigned found, double y)
{
    const struct svg_font font = {.size = PLOT_FONT, .class = "key"};
    char value[64];
    double x = PLOT_MARGIN;
    for (enum thing thing = 0; thing < THINGS; thing++) {
        const char *name = things[thing].name;
        if (!(found & 1u << thing))
            continue;
        if (thing == THING_VALUE) {
            snprintf(value, sizeof(value), "numbers: %s",
                     sweep_name(plot->plan->sweep.kind));
            name = value;
        } else {
            draw_key(text, plot, thing, x, y);
            x += PLOT_SWATCH + SPACE / 2.0;
        }
        svg_text(text, x, y, &font, name);
        x += svg_width(name, PLOT_FONT) + 2 * SPACE;
    }
}

double
plot_legend_height(const struct plot *plot)
{
    return (plot->count + (things_of(plot) ? 3.5 : 2)) * PLOT_ROW;
}

/* The colour, dashes and mark that are the target's. */
static void
draw_target_swatch(struct buffer *text, const struct plot *plot, int target, double y)
{
    char class[PLOT_CLASS];
    plot_class(class, plot, "k-mean", "", target);
    draw_swatch(text, THING_MEAN, class, PLOT_MARGIN, y);
    plot_class(class, plot, "k-mark", "", target);
    draw_swatch(text, THING_MARK, class, PLOT_MARGIN, y);
}

void
plot_legend_draw(struct buffer *text, const struct plot *plot, double y)
{
    unsigned found = things_of(plot);
    y += PLOT_ROW;
    if (found) {
        draw_things(text, plot, found, y);
        y += 1.5 * PLOT_ROW;
    }
    plot_targets_draw(text, plot, found & 1u << THING_FAIL, found & 1u << THING_MISSED,
                      y);
    for (int i = 0; plot->count > 1 && i < plot->count; i++)
        draw_target_swatch(text, plot, i, y + (i + 1) * PLOT_ROW);
}
