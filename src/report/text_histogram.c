#include "text_histogram.h"

#include "bar.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROWS_FEW 16 /* below that, rows are halved */
#define BAR_LEAST 4

/* Rows are equal numbers of steps, which is what makes them parts of an octave. */
struct rows {
    const struct histogram *histogram;
    int steps;       /* of a row */
    int first, last; /* rows */
    uint64_t most;   /* in a row */
    int digits;      /* of that */
};

static uint64_t
count_row(const struct rows *rows, int row)
{
    uint64_t count = 0;
    for (int i = row * rows->steps; i < (row + 1) * rows->steps; i++)
        count += rows->histogram->steps[i];
    return count;
}

/* Whether all bounds can be told apart as they are printed. */
static bool
is_legible(int steps, int first, int last)
{
    char texts[2][UNITS_TEXT] = {""};
    for (int i = 0, row = first / steps; row <= last / steps + 1; row++, i = !i) {
        units_format(UNITS_TIME, histogram_below(row * steps), texts[i]);
        if (strcmp(texts[0], texts[1]) == 0)
            return false;
    }
    return true;
}

static struct rows
choose_rows(const struct histogram *histogram)
{
    struct rows rows = {.histogram = histogram, .steps = 1 << HISTOGRAM_BITS};
    int first = 0, last = HISTOGRAM_STEPS - 1;
    while (!histogram->steps[first])
        first++;
    while (!histogram->steps[last])
        last--;
    while (rows.steps > 1 &&
           last / (rows.steps / 2) - first / (rows.steps / 2) < ROWS_FEW &&
           is_legible(rows.steps / 2, first, last))
        rows.steps /= 2;
    rows.first = first / rows.steps;
    rows.last = last / rows.steps;
    for (int row = rows.first; row <= rows.last; row++) {
        uint64_t count = count_row(&rows, row);
        rows.most = count > rows.most ? count : rows.most;
    }
    rows.digits = snprintf(NULL, 0, "%" PRIu64, rows.most);
    return rows;
}

/* COUNT of MOST, padded to WIDTH columns; what is not zero can be seen. */
static void
add_bar(struct buffer *text, uint64_t count, uint64_t most, int width, bool utf8)
{
    double share = (double)count / (double)most;
    int length = (int)(share * width * bar_parts(utf8) + 0.5);
    bar_add(text, count && !length ? 1 : length, width, " ", utf8);
}

static double
percent(uint64_t part, uint64_t whole)
{
    return 100 * (double)part / (double)whole;
}

void
text_histogram_add(struct buffer *text, const struct histogram *histogram, bool corrected,
                   int columns, bool utf8)
{
    if (histogram->count == 0)
        return;
    char from[UNITS_TEXT], to[UNITS_TEXT];
    struct rows rows = choose_rows(histogram);
    int digits = rows.digits > 5 ? rows.digits : 5;
    int width = columns - 43 - digits; /* without the bar */
    width = width > BAR_LEAST ? width : BAR_LEAST;
    buffer_text(text, corrected ? "\ncorrected for requests that were not sent\n" : "\n");
    buffer_format(text, "%9s   %9s  %*s    share  %*s   so far\n", "above", "up to",
                  digits, "count", width, "");
    uint64_t sum = 0;
    for (int row = rows.first; row <= rows.last; row++) {
        uint64_t count = count_row(&rows, row);
        sum += count;
        units_format(UNITS_TIME, histogram_below(row * rows.steps), from);
        units_format(UNITS_TIME, histogram_below((row + 1) * rows.steps), to);
        buffer_format(text, "%9s - %9s  %*" PRIu64 "  %5.1f %%  ", from, to, digits,
                      count, percent(count, histogram->count));
        add_bar(text, count, rows.most, width, utf8);
        buffer_format(text, "  %5.1f %%\n", percent(sum, histogram->count));
    }
}
