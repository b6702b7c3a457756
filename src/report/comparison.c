/*
 * The comparison of targets. All cells are made before the first line is written: a
 * column is as wide as its widest entry.
 */
#include "writers.h"

#include "base/buffer.h"
#include "base/units.h"
#include "report/console.h"
#include "stats/slo.h"
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { REQUESTS, P50, P99, MAX, AVG, IOPS, RATIO, SLO, COLUMNS };

static const struct {
    const char *head;
    int gap, least; /* spaces before it, and its least width */
} columns[COLUMNS] = {
    [REQUESTS] = {"requests", 3, 8}, [P50] = {"p50", 3, 8}, [P99] = {"p99", 3, 8},
    [MAX] = {"max", 3, 8},           [AVG] = {"avg", 3, 8}, [IOPS] = {"iops", 2, 0},
    [RATIO] = {"vs first", 2, 8},    [SLO] = {"slo", 2, 0},
};

static const char *const marks[] = {
    [SLO_MET] = "ok", [SLO_BROKEN] = "FAIL", [SLO_UNKNOWN] = "?"};

struct line {
    const struct comparison_row *row;
    int64_t p50;          /* ns; 0: no request counts */
    struct buffer target; /* escaped */
    enum slo_verdict slo;
    char cells[COLUMNS][UNITS_TEXT];
};

struct table {
    struct line *lines;
    int count;
    int shown; /* number of columns */
    int target, widths[COLUMNS];
};

static bool
counts(const struct line *line)
{
    return line->row->stats->latency.count > 0;
}

/* Equal lines stay in the order of their rows. */
static int
compare(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (counts(a) != counts(b))
        return counts(a) ? -1 : 1;
    if (a->p50 != b->p50)
        return a->p50 < b->p50 ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Writes P50 / FIRST, rounded half up: to two decimals, from the double of the
 * hundredths and one more, or from 1000 on to none. */
static void
show_ratio(char *cell, int64_t p50, int64_t first)
{
    uint64_t hundredths = ((uint64_t)units_scale(p50, 200, first) + 1) / 2;
    int64_t rest = p50 % first;
    if (hundredths < 100000)
        snprintf(cell, UNITS_TEXT, "%d.%02dx", (int)hundredths / 100,
                 (int)hundredths % 100);
    else
        snprintf(cell, UNITS_TEXT, "%lldx",
                 (long long)p50 / first + (rest >= first - rest));
}

static void
put(char *cell, const char *text)
{
    snprintf(cell, UNITS_TEXT, "%s", text);
}

static void
fill_line(struct line *line, int64_t first, const struct slos *slos)
{
    const struct stats *stats = line->row->stats;
    const struct moments *latency = &stats->latency;
    char(*cells)[UNITS_TEXT] = line->cells;
    for (int i = 0; i < COLUMNS; i++)
        put(cells[i], "-");
    snprintf(cells[REQUESTS], UNITS_TEXT, "%llu", (unsigned long long)latency->count);
    line->slo = slos_check(slos, stats);
    put(cells[SLO], marks[line->slo]);
    if (!counts(line))
        return;
    units_format(UNITS_TIME, line->p50, cells[P50]);
    units_format(UNITS_TIME, stats_p99(stats), cells[P99]);
    units_format(UNITS_TIME, latency->max, cells[MAX]);
    units_format(UNITS_TIME, moments_average(latency), cells[AVG]);
    units_format(UNITS_COUNT, (int64_t)stats_iops(stats), cells[IOPS]);
    if (first > 0)
        show_ratio(cells[RATIO], line->p50, first);
}

static void
widen(int *width, const char *text)
{
    int needed = escape_count(text);
    if (*width < needed)
        *width = needed;
}

/* Finds the widths of the columns; the first line is the head. */
static void
measure(struct table *table)
{
    for (int i = 0; i < COLUMNS; i++)
        table->widths[i] = columns[i].least;
    for (int i = 0; i < table->count; i++) {
        struct line *line = &table->lines[i];
        widen(&table->target, line->target.text);
        for (int k = 0; k < table->shown; k++)
            widen(&table->widths[k], line->cells[k]);
    }
}

static void
add_line(struct buffer *text, const struct table *table, const struct line *line,
         bool color)
{
    enum color_tone tone = line->slo == SLO_BROKEN ? TONE_FAILED : TONE_NONE;
    const char *target = line->target.text;
    buffer_format(text, "%s%*s", target, table->target - escape_count(target), "");
    for (int i = 0; i < table->shown; i++) {
        const char *cell = line->cells[i];
        int room = columns[i].gap + table->widths[i] - (int)strlen(cell);
        buffer_format(text, "%*s", room, "");
        color_add(text, color, i == SLO ? tone : TONE_NONE, cell);
    }
    buffer_text(text, "\n");
}

/* Returns false if memory ran out. */
static bool
fill_table(struct table *table, const struct comparison_row *rows,
           const struct slos *slos)
{
    struct line *head = table->lines, *lines = head + 1;
    int count = table->count - 1;
    bool failed = false;
    buffer_text(&head->target, "target");
    for (int i = 0; i < COLUMNS; i++)
        put(head->cells[i], columns[i].head);
    for (int i = 0; i < count; i++) {
        lines[i].row = &rows[i];
        lines[i].p50 = stats_p50(rows[i].stats);
        buffer_escaped(&lines[i].target, rows[i].target);
        failed |= lines[i].target.failed;
    }
    qsort(lines, (size_t)count, sizeof(*lines), compare);
    for (int i = 0; i < count; i++)
        fill_line(&lines[i], lines[0].p50, slos);
    return !failed && !head->target.failed;
}

void
comparison_format(struct buffer *text, const struct comparison_row *rows, int count,
                  const struct slos *slos, bool color)
{
    struct table table = {.count = count + 1, .shown = slos->count ? COLUMNS : SLO};
    table.lines = calloc((size_t)table.count, sizeof(*table.lines));
    bool filled = table.lines && fill_table(&table, rows, slos);
    text->failed |= !filled;
    if (filled) {
        measure(&table);
        buffer_text(text, "\n--- comparison, fastest first ---\n");
        for (int i = 0; i < table.count; i++)
            add_line(text, &table, &table.lines[i], color);
    }
    for (int i = 0; table.lines && i < table.count; i++)
        buffer_free(&table.lines[i].target);
    free(table.lines);
}
