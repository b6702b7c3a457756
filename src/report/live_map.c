/*
 * The heat map of the live screen. A column is an interval of time, the newest on the
 * right. A line is a range of latencies, and the shade of a cell says how many requests
 * it has. Both the latency axis and the shades are logarithmic: a single slow request is
 * seen beside many fast ones.
 *
 * A line has 1, 2, 4, 8, ... bins of the history. It is the smallest number with which
 * the map shows all latencies of its columns.
 */
#include "live_screen.h"

#include "base/time.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_WIDTH 7 /* columns of the latency axis, with a blank */

/* Columns from one label of the time axis to the next, for each of live_scales. So labels
 * are 15 s, 30 s, 1 min, 2 min, 10 min or 15 min apart. */
static const int label_steps[LIVE_SCALES] = {15, 15, 12, 12, 20, 15};

/* The colours of cells with requests, from few to many. On a dark screen, they are from
 * dark to bright. 16 colours are numbers for SGR; 256 colours are palette indices. */
static const int colors_256[] = {17, 18, 54, 90, 126, 161, 197, 203, 209, 215, 221, 228};
static const int colors_16[] = {44, 45, 41, 43, 47};
static const char characters[] = ".:-=+*#%@";

/* The number of shades of cells with requests. */
static const int shade_counts[] = {
    [LIVE_CHARACTERS] = sizeof(characters) - 1,
    [LIVE_16_COLORS] = sizeof(colors_16) / sizeof(colors_16[0]),
    [LIVE_256_COLORS] = sizeof(colors_256) / sizeof(colors_256[0]),
};

/* What a map shows. */
struct map {
    const struct live_facts *facts;
    enum live_shades shades;
    int width, height; /* in cells */
    int bins_per_line; /* a power of two */
    int lowest_line;   /* the bottom line begins with bin lowest_line * bins_per_line */
    uint64_t largest_sum; /* of any cell; 0: no requests */
};

/* Returns the counts of the column that is AGE columns older than the newest one, NULL if
 * there are none. */
static const uint16_t *
map_column(const struct map *map, int age)
{
    const struct live_facts *facts = map->facts;
    return live_history_column(facts->history, facts->scale, facts->elapsed, age);
}

/* Finds the lowest and the highest bin with requests in the columns of MAP. Without any
 * requests, stores the bins around 100 us. */
static void
find_bins(const struct map *map, int *low, int *high)
{
    *low = LIVE_BINS;
    *high = -1;

    for (int age = 0; age < map->width; age++) {
        const uint16_t *column = map_column(map, age);
        if (!column)
            break;

        for (int bin = 0; bin < LIVE_BINS; bin++) {
            if (!column[bin])
                continue;
            *low = bin < *low ? bin : *low;
            *high = bin > *high ? bin : *high;
        }
    }

    if (*high < 0)
        *low = *high = histogram_bin(100 * US) >> LIVE_BIN_SHIFT;
}

/* Chooses which bins the lines of MAP have. Lines that are not needed are put above and
 * below the latencies. */
static void
choose_lines(struct map *map)
{
    int low;
    int high;

    find_bins(map, &low, &high);

    map->bins_per_line = 1;
    while (high / map->bins_per_line - low / map->bins_per_line >= map->height)
        map->bins_per_line *= 2;

    int first = low / map->bins_per_line;
    int used = high / map->bins_per_line - first + 1;
    int top_limit = LIVE_BINS / map->bins_per_line - map->height;

    first -= (map->height - used) / 2;
    if (first > top_limit)
        first = top_limit;
    map->lowest_line = first > 0 ? first : 0;
}

/* Returns the number of requests in the cell of COLUMN in LINE, counted from the
 * bottom. */
static uint64_t
cell_sum(const struct map *map, const uint16_t *column, int line)
{
    int first = (map->lowest_line + line) * map->bins_per_line;
    uint64_t sum = 0;

    for (int bin = first; bin < first + map->bins_per_line && bin < LIVE_BINS; bin++)
        sum += column[bin];

    return sum;
}

/* Stores the largest sum of a cell. */
static void
find_largest_sum(struct map *map)
{
    for (int age = 0; age < map->width; age++) {
        const uint16_t *column = map_column(map, age);

        for (int line = 0; column && line < map->height; line++) {
            uint64_t sum = cell_sum(map, column, line);
            if (sum > map->largest_sum)
                map->largest_sum = sum;
        }
    }
}

/* Returns the shade of a cell with SUM requests: 0 for none, up to the number of
 * shades. */
static int
shade_of(const struct map *map, uint64_t sum)
{
    int count = shade_counts[map->shades];

    if (sum == 0)
        return 0;
    if (sum >= map->largest_sum)
        return count;

    double share = log((double)sum) / log((double)map->largest_sum);
    return 1 + (int)(share * (count - 1));
}

/* Adds a cell of SHADE. LAST_SHADE is the shade of the cell before it in the line; the
 * colour is changed only if it differs. */
static void
add_shade(struct buffer *text, enum live_shades shades, int shade, int last_shade)
{
    if (shades == LIVE_CHARACTERS) {
        buffer_add(text, shade ? &characters[shade - 1] : " ", 1);
        return;
    }

    if (shade != last_shade && shade == 0)
        buffer_text(text, "\033[0m");
    else if (shade != last_shade && shades == LIVE_16_COLORS)
        buffer_format(text, "\033[%dm", colors_16[shade - 1]);
    else if (shade != last_shade)
        buffer_format(text, "\033[48;5;%dm", colors_256[shade - 1]);
    buffer_text(text, " ");
}

/* Returns the roundest latency above BELOW and up to UPTO, in ns: a power of ten, or 5 or
 * 2 times a power of ten. If several are equally round, returns the
 * shortest. If BELOW is 0, returns the longest, so that the label is near the next one.
 * Returns 0 if there is none. */
static int64_t
find_round(int64_t below, int64_t upto)
{
    static const int factors[] = {1, 5, 2};
    int64_t found = 0;

    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]) && !found; i++)
        for (int64_t power = 1; power * factors[i] <= upto; power *= 10) {
            bool is_wanted = !found || below <= 0;
            if (is_wanted && power * factors[i] > below)
                found = power * factors[i];
        }

    return found;
}

/* Adds the label of LINE, counted from the bottom: a round latency of the line, if there
 * is one. */
static void
add_label(struct buffer *text, const struct map *map, int line)
{
    int bins = map->bins_per_line << LIVE_BIN_SHIFT; /* bins of the histogram */
    int first = (map->lowest_line + line) * bins;
    char label[UNITS_TEXT] = "";

    if (first + bins <= HISTOGRAM_BINS) {
        int64_t latency =
            find_round(histogram_below(first), histogram_upto(first + bins - 1));
        if (latency > 0)
            units_format(UNITS_TIME, latency, label);
    }
    if (strlen(label) >= LABEL_WIDTH)
        label[0] = '\0';

    buffer_format(text, "%*s ", LABEL_WIDTH - 1, label);
}

static void
add_map_line(struct buffer *text, const struct map *map, int line)
{
    int last_shade = 0;

    add_label(text, map, line);
    for (int age = map->width - 1; age >= 0; age--) {
        const uint16_t *column = map_column(map, age);
        int shade = column ? shade_of(map, cell_sum(map, column, line)) : 0;

        add_shade(text, map->shades, shade, last_shade);
        last_shade = shade;
    }
    if (last_shade && map->shades != LIVE_CHARACTERS)
        buffer_text(text, "\033[0m");
    buffer_text(text, "\n");
}

/* Adds the time axis: how long ago the columns were. The last character of a label is
 * below its column. */
static void
add_time_axis(struct buffer *text, const struct map *map)
{
    int64_t column_time = live_scales[map->facts->scale] * SECOND;
    int step = label_steps[map->facts->scale];
    char axis[LIVE_COLUMNS + 1];

    memset(axis, ' ', sizeof(axis));
    axis[map->width] = '\0';
    for (int age = 0; age < map->width; age += step) {
        char time[UNITS_TEXT];
        char label[UNITS_TEXT + 1] = "now";

        if (age > 0)
            snprintf(label, sizeof(label), "-%s",
                     units_format_span(age * column_time, time));

        int length = (int)strlen(label);
        int end = map->width - age;
        if (end >= length)
            memcpy(axis + end - length, label, (size_t)length);
    }

    buffer_format(text, "%*s%s\n", LABEL_WIDTH, "", axis);
}

void
live_map_add(struct buffer *text, const struct live_facts *facts,
             const struct live_style *style, int height)
{
    struct map map = {.facts = facts, .shades = style->shades, .height = height};

    map.width = style->columns - LABEL_WIDTH;
    if (map.width > LIVE_COLUMNS)
        map.width = LIVE_COLUMNS;

    choose_lines(&map);
    find_largest_sum(&map);
    for (int line = height - 1; line >= 0; line--)
        add_map_line(text, &map, line);
    add_time_axis(text, &map);
}
