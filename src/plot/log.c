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
#include "words.h"

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
#define NOTE_DROP 64     /* from the panel to the base line of a note beside the legend */
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
 * a gap. A column with too few requests for PERCENTILE is a gap too. Returns the number
 * of columns that have a step. */
static int
draw_percentile_line(const struct log_picture *log, const char *name,
                     const struct percentile *percentile)
{
    const struct time_map *map = log->map;
    uint64_t min_count = percentile ? percentile_min_samples(percentile) : 1;
    bool is_joined = false; /* the previous column has a step */
    bool is_open = false;
    int step_count = 0;

    for (int column = 0; column < map->column_count; column++) {
        bool has_step = map->counts[column] >= min_count;
        if (has_step) {
            step_count++;
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
    return step_count;
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

#define CLOCK_TEXT 32 /* bytes for the text of a time of day */

/* Writes TIME, in ns since 1970, into TEXT as a time of day in UTC, such as "03:10". TEXT
 * must have CLOCK_TEXT bytes. It has seconds if RESOLUTION is below a minute, and
 * milliseconds if RESOLUTION is below a second. */
static void
format_clock(char *text, int64_t time, int64_t resolution)
{
    time_t seconds = (time_t)(time / SECOND);
    const char *format = resolution < MINUTE ? "%H:%M:%S" : "%H:%M";

    size_t length = strftime(text, CLOCK_TEXT, format, gmtime(&seconds));
    if (resolution < SECOND)
        snprintf(text + length, CLOCK_TEXT - length, ".%03d", (int)(time % SECOND / MS));
}

/* Writes TIME, in ns since 1970, into TEXT as a date in UTC, such as "Nov 02". TEXT must
 * have CLOCK_TEXT bytes. */
static void
format_day(char *text, int64_t time)
{
    time_t seconds = (time_t)(time / SECOND);

    strftime(text, CLOCK_TEXT, "%b %d", gmtime(&seconds));
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
        if (time % DAY == 0)
            format_day(label, time);
        else
            format_clock(label, time, step);
        if (x + svg_width(label, PLOT_SMALL) / 2 > PLOT_WIDTH)
            continue;
        svg_text(log->text, x, bottom + TICK_DROP, SVG_MIDDLE, PLOT_SMALL, "dim", label);
    }

    strftime(label, sizeof(label), "UTC, from %Y-%m-%d %H:%M:%S", gmtime(&began_at));
    svg_text(log->text, middle, bottom + TITLE_DROP, SVG_MIDDLE, PLOT_FONT, "axis",
             label);
}

/* Adds OFFSET, a time in ns since the begin of the log, as a time of day. It has seconds
 * if LENGTH is below a minute. If HAS_DAY, the date stands before it. */
static void
add_clock(struct buffer *text, const struct time_map *map, int64_t offset, int64_t length,
          bool has_day)
{
    char clock[CLOCK_TEXT];
    char day[CLOCK_TEXT];

    format_clock(clock, map->began_at + offset, length);
    format_day(day, map->began_at + offset);
    if (has_day)
        buffer_format(text, "%s ", day);
    buffer_text(text, clock);
}

/* Adds when INTERVAL was: " from 03:10 to 03:11 UTC", or " at 03:10:07 UTC" if it is
 * shorter than a minute. In a log of more than a day, the date stands before the time. If
 * the clock of the log is not known, adds the time since the begin: " after 10 min". */
static void
add_interval_time(struct buffer *text, const struct time_map *map,
                  const struct time_map_interval *interval)
{
    int64_t length = interval->end - interval->begin;
    int64_t began_at = map->began_at + interval->begin;
    bool has_day = map->last.end > DAY;
    char span[UNITS_TEXT];

    if (!map->is_utc) {
        buffer_format(text, " after %s", units_format_span(interval->begin, span));
        return;
    }

    buffer_text(text, length < MINUTE ? " at " : " from ");
    add_clock(text, map, interval->begin, length, has_day);
    if (length >= MINUTE) {
        bool is_same_day = began_at / DAY == (began_at + length) / DAY;
        buffer_text(text, " to ");
        add_clock(text, map, interval->end, length, has_day && !is_same_day);
    }
    buffer_text(text, " UTC");
}

void
plot_log_add_times(struct buffer *text, const struct job *job)
{
    const struct time_map *map = job->time_map;
    bool has_p99 = map->worst.latency > 0;
    int64_t latency = has_p99 ? map->worst.latency : job->stats->latency.max;
    char number[UNITS_TEXT];

    if (map->interval_count > 1) {
        buffer_text(text, "worst");
        add_interval_time(text, map, has_p99 ? &map->worst : &map->longest);
        buffer_format(text, ": %s %s", has_p99 ? "p99" : "max",
                      units_format(UNITS_TIME, latency, number));
    }

    if (map->gap_count > 0)
        buffer_format(text, "; no requests for %s",
                      units_format_span(map->gap_total, number));
    if (map->gap_count > 1)
        buffer_format(text, " in %llu gaps", (unsigned long long)map->gap_count);
}

/* Adds p50 and p99 of the whole log. If it has too few requests for p99, adds the longest
 * latency instead. */
static void
add_log_percentiles(struct buffer *text, const struct stats *stats)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    int64_t p50 = latencies_known_percentile(&latencies, &percentiles_common.list[0]);
    int64_t p99 = latencies_known_percentile(&latencies, &percentiles_common.list[1]);

    if (p50 >= 0)
        plot_add_value(text, "p50 ", UNITS_TIME, p50, ", ");
    if (p99 >= 0)
        plot_add_value(text, "p99 ", UNITS_TIME, p99, "");
    else
        plot_add_value(text, "max ", UNITS_TIME, stats->latency.max, "");
}

void
plot_log_add_answer(struct buffer *text, const struct plot *plot)
{
    const struct stats *stats = plot->jobs[0].stats;

    /* With limits, their verdict has the figure that matters. */
    if (plot->plan->statistics.slos.count == 0)
        add_log_percentiles(text, stats);

    struct buffer times = {0};
    plot_log_add_times(&times, &plot->jobs[0]);
    if (times.text) {
        buffer_text(text, "; ");
        plot_add_micro(text, times.text);
    }
    text->failed |= times.failed;
    buffer_free(&times);
}

/* Writes below the panel why there is no line of p99 or why it has gaps, although there
 * are requests. STEP_COUNT columns have p99, and REQUEST_COUNT columns have requests. */
static void
explain_p99(const struct log_picture *log, int step_count, int request_count)
{
    int min_count = (int)percentile_min_samples(&percentiles_common.list[1]);
    char span[UNITS_TEXT];
    char note[96];

    if (step_count == request_count)
        return;

    units_format_span(time_map_width(log->map), span);
    if (step_count == 0)
        snprintf(note, sizeof(note),
                 "no line of p99: it takes %d requests in a column of %s", min_count,
                 span);
    else
        snprintf(note, sizeof(note), "p99 only where a column of %s has %d requests",
                 span, min_count);
    svg_text(log->text, PLOT_LEFT + WIDTH, PLOT_BOTTOM + NOTE_DROP, SVG_END, PLOT_SMALL,
             "dim", note);
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

    int request_count = draw_percentile_line(&log, "max", NULL);
    int p99_count = draw_percentile_line(&log, "p99", &list[1]);
    draw_percentile_line(&log, "p50", &list[0]);
    explain_p99(&log, p99_count, request_count);
    svg_text(text, PLOT_LEFT + WIDTH, PLOT_TOP - 10, SVG_END, PLOT_SMALL, "dim",
             "darker: a larger share of the requests of this time");
    return BIT(P50) | BIT(MAX) | (p99_count > 0 ? BIT(P99) : 0u);
}
