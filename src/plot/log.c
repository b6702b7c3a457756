/*
 * The plot of one log of histograms: a heat map with lines of percentiles.
 *
 *   +------------------------------------------+
 *   |     .     max                            |
 *   |  ..' `...........      ...........       |   shades: the share of the requests of a
 *   |  _ _   _ _ _ _ p99     _ _ _ _ _ _       |   column that took this long
 *   |  ___________ p50        __________       |   no shade: a gap, without requests
 *   +------------------------------------------+
 *     12:00      18:00     Nov 3      06:00       UTC
 *
 * A column is a span of time, and a cell of a column is a span of latencies. The darkness
 * of a cell is a step on a log scale, so that rare slow requests are visible. Cells of
 * equal darkness are one path, so that the picture stays small.
 */
#include "draw.h"

#include "base/time.h"
#include "stats/time_map.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define WIDTH (PLOT_WIDTH - PLOT_LEFT - PLOT_MARGIN)
#define CELLS 45         /* cells of a column */
#define SHADES 6         /* shades of cells */
#define MAX_TIME_TICKS 8 /* ticks of the time axis */
#define TICK_DROP 16     /* from the panel to the base line of a tick */
#define TITLE_DROP 36    /* from the panel to the base line of the title */
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* A cell has shade N if its share of the requests of the column is above this, in
 * percent. Each shade is about 4 times the one before. */
static const double min_shares[SHADES] = {0, 0.1, 0.4, 1.6, 6.4, 25};

/* The plot while it is drawn. */
struct log_picture {
    struct buffer *text;
    const struct time_map *map;
    struct plot_panel panel;
    uint8_t shades[TIME_MAP_COLUMNS][CELLS]; /* 0: no requests; else the shade + 1; cells
                                                are from the bottom up */
};

/* Finds the shortest and the longest latency of the map, in ns. */
static void
find_map_range(const struct time_map *map, int64_t *min, int64_t *max)
{
    int lowest = HISTOGRAM_BINS - 1;
    int highest = 0;

    for (int column = 0; column < map->column_count; column++) {
        if (!map->counts[column])
            continue;
        int first = time_map_bin(map, column, 1);
        int last = time_map_bin(map, column, map->counts[column]);
        lowest = first < lowest ? first : lowest;
        highest = last > highest ? last : highest;
    }
    *min = histogram_below(lowest) + 1;
    *max = histogram_upto(highest);
}

/* Returns the x at which COLUMN begins. */
static double
find_x(const struct log_picture *log, int column)
{
    double offset = (double)column * (double)time_map_width(log->map);
    return plot_axis_position(&log->panel.x_axis, offset);
}

/* Returns the index of the cell that has the middle of BIN. */
static int
find_cell(const struct log_picture *log, int bin)
{
    double y = plot_axis_position(&log->panel.y_axis, (double)histogram_middle(bin));
    double part = (plot_panel_bottom(&log->panel) - y) / log->panel.height;
    return (int)fmin(part * CELLS, CELLS - 1);
}

/* Fills the shades of COLUMN. */
static void
fill_shades(struct log_picture *log, int column)
{
    const struct time_map *map = log->map;
    double counts[CELLS] = {0};

    for (int bin = 0; bin < HISTOGRAM_BINS; bin++)
        if (map->bins[column][bin])
            counts[find_cell(log, bin)] += map->bins[column][bin];

    for (int cell = 0; cell < CELLS; cell++)
        for (int shade = 0; shade < SHADES; shade++)
            if (counts[cell] * 100 > min_shares[shade] * (double)map->counts[column])
                log->shades[column][cell] = (uint8_t)(shade + 1);
}

/* Draws the cells of SHADE as one path. Cells of a column that touch are one rectangle.
 */
static void
draw_shade(const struct log_picture *log, int shade)
{
    double height = log->panel.height / CELLS;
    double bottom = plot_panel_bottom(&log->panel);
    char role[16];
    bool is_open = false;

    snprintf(role, sizeof(role), "heat heat%d", shade);
    const struct plot_class class = plot_class(role, PLOT_INK);
    for (int column = 0; column < log->map->column_count; column++)
        for (int cell = 0; cell < CELLS; cell++) {
            int first = cell;
            while (cell < CELLS && log->shades[column][cell] == shade + 1)
                cell++;
            if (cell == first)
                continue;

            if (!is_open)
                svg_path(log->text, class.text);
            is_open = true;
            svg_point(log->text, 'M', find_x(log, column), bottom - first * height);
            svg_line(log->text, 'H', find_x(log, column + 1));
            svg_line(log->text, 'V', bottom - cell * height);
            svg_line(log->text, 'H', find_x(log, column));
            svg_close(log->text);
        }
    if (is_open)
        svg_end(log->text);
}

/* Returns the latency of COLUMN that is drawn as a line, in ns: PERCENTILE or, if it is
 * NULL, the maximum. */
static double
find_latency(const struct time_map *map, int column, const struct percentile *percentile)
{
    uint64_t count = map->counts[column];
    if (!percentile)
        return (double)histogram_upto(time_map_bin(map, column, count));
    uint64_t rank = percentile_rank(percentile, count);
    return (double)histogram_middle(time_map_bin(map, column, rank));
}

/* Draws the line of PERCENTILE, or of the maximum, as steps. A column without requests is
 * a gap. A column with too few requests for PERCENTILE is a gap too. */
static void
draw_percentile_line(const struct log_picture *log, const char *name,
                     const struct percentile *percentile)
{
    const struct time_map *map = log->map;
    uint64_t min_count = percentile ? percentile_min_samples(percentile) : 1;
    bool is_joined = false; /* the previous column has a step */
    bool is_open = false;

    for (int column = 0; column < map->column_count; column++) {
        bool has_step = map->counts[column] >= min_count;
        if (has_step) {
            double y = plot_axis_position(&log->panel.y_axis,
                                          find_latency(map, column, percentile));
            if (!is_open)
                svg_path(log->text, plot_class(name, 0).text);
            is_open = true;
            if (is_joined)
                svg_line(log->text, 'V', y);
            else
                svg_point(log->text, 'M', find_x(log, column), y);
            svg_line(log->text, 'H', find_x(log, column + 1));
        }
        is_joined = has_step;
    }
    if (is_open)
        svg_end(log->text);
}

/* Returns the distance of the ticks of time, in ns: the shortest round time with which
 * SPAN has at most MAX_TIME_TICKS. */
static int64_t
find_tick_step(int64_t span)
{
    static const int64_t steps[] = {
        MS,         10 * MS,     100 * MS, SECOND,   5 * SECOND, 15 * SECOND, MINUTE,
        5 * MINUTE, 15 * MINUTE, HOUR,     3 * HOUR, 6 * HOUR,   12 * HOUR,   DAY,
        2 * DAY,    7 * DAY,     28 * DAY, 91 * DAY, 365 * DAY};
    size_t i = 0;

    while (i + 1 < sizeof(steps) / sizeof(steps[0]) && span / steps[i] > MAX_TIME_TICKS)
        i++;
    return steps[i];
}

/* Writes the text of the tick at TIME, in ns since 1970, into TEXT. At midnight, this is
 * the date. */
static void
format_tick(char *text, size_t size, int64_t time, int64_t step)
{
    time_t seconds = (time_t)(time / SECOND);
    const char *format = "%H:%M";

    if (time % DAY == 0)
        format = "%b %d";
    else if (step < MINUTE)
        format = "%H:%M:%S";
    strftime(text, size, format, gmtime(&seconds));
}

/* Draws the ticks of a log whose clock is known, and the title of the time axis. */
static void
draw_time_axis(const struct log_picture *log)
{
    const struct time_map *map = log->map;
    const struct plot_axis *axis = &log->panel.x_axis;
    double bottom = plot_panel_bottom(&log->panel);
    double middle = log->panel.x + log->panel.width / 2;
    int64_t span = (int64_t)axis->max;
    int64_t step = find_tick_step(span);
    int64_t end = map->began_at + span;
    time_t began_at = (time_t)(map->began_at / SECOND);
    char label[64];

    for (int64_t time = (map->began_at + step - 1) / step * step; time <= end;
         time += step) {
        double x = plot_axis_position(axis, (double)(time - map->began_at));
        svg_rule(log->text, "grid", x, log->panel.top, 'V', bottom);
        format_tick(label, sizeof(label), time, step);
        if (x + svg_width(label, PLOT_SMALL) / 2 > PLOT_WIDTH)
            continue;
        svg_text(log->text, x, bottom + TICK_DROP, SVG_MIDDLE, PLOT_SMALL, "dim", label);
    }

    strftime(label, sizeof(label), "UTC, from %Y-%m-%d %H:%M:%S", gmtime(&began_at));
    svg_text(log->text, middle, bottom + TITLE_DROP, SVG_MIDDLE, PLOT_FONT, "axis",
             label);
}

unsigned
plot_log_draw(struct buffer *text, const struct plot *plot)
{
    const struct time_map *map = plot->jobs[0].time_map;
    const struct percentile *list = percentiles_common.list;
    struct log_picture log = {.text = text, .map = map};
    struct plot_panel *panel = &log.panel;
    int64_t span = map->column_count * time_map_width(map);
    int64_t min;
    int64_t max;

    *panel = (struct plot_panel){.x = PLOT_LEFT,
                                 .width = WIDTH,
                                 .top = PLOT_TOP,
                                 .height = PLOT_HEIGHT,
                                 .x_title = "time since the first request",
                                 .y_title = "latency"};
    panel->x_axis =
        (struct plot_axis){.kind = PLOT_TIME, .from = PLOT_LEFT, .to = PLOT_LEFT + WIDTH};
    panel->y_axis = (struct plot_axis){.kind = PLOT_TIME,
                                       .is_log = true,
                                       .from = PLOT_BOTTOM,
                                       .to = PLOT_TOP,
                                       .min_tick_gap = 20};

    if (map->is_utc)
        panel->x_title = NULL;
    else
        panel->x_axis.min_tick_gap = 64;
    find_map_range(map, &min, &max);
    plot_axis_fit(&panel->x_axis, 0, span, false);
    plot_axis_fit(&panel->y_axis, min, max, true);

    plot_panel_draw(text, panel);
    if (map->is_utc)
        draw_time_axis(&log);

    for (int column = 0; column < map->column_count; column++)
        fill_shades(&log, column);
    for (int shade = 0; shade < SHADES; shade++)
        draw_shade(&log, shade);

    draw_percentile_line(&log, "max", NULL);
    draw_percentile_line(&log, "p99", &list[1]);
    draw_percentile_line(&log, "p50", &list[0]);
    svg_text(text, PLOT_LEFT + WIDTH, PLOT_TOP - 10, SVG_END, PLOT_SMALL, "dim",
             "darker: a larger share of the requests of this time");
    return BIT(P50) | BIT(P99) | BIT(MAX);
}
