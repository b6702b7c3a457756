/* The histogram of latencies in lines of text, and the bars in it. */
#include "writers.h"

#include "base/units.h"
#include "stats/distribution.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROWS_FEW 16 /* with fewer, rows are halved */
#define BAR_LEAST 4

/* Rows are equal numbers of bins of the histogram, hence equal fractions of octaves. */
struct rows {
    const struct histogram *histogram;
    int bins;        /* in a row */
    int first, last; /* rows that are not empty */
    uint64_t most;   /* requests in any row */
    int digits;      /* of that number */
};

static uint64_t
count_row(const struct rows *rows, int row)
{
    uint64_t count = 0;
    for (int i = row * rows->bins; i < (row + 1) * rows->bins; i++)
        count += rows->histogram->bins[i];
    return count;
}

/* Returns true if no two bounds in a row are the same when printed. */
static bool
is_legible(int bins, int first, int last)
{
    char texts[2][UNITS_TEXT] = {""};
    for (int i = 0, row = first / bins; row <= last / bins + 1; row++, i = !i) {
        units_format(UNITS_TIME, histogram_below(row * bins), texts[i]);
        if (strcmp(texts[0], texts[1]) == 0)
            return false;
    }
    return true;
}

static struct rows
choose_rows(const struct histogram *histogram)
{
    struct rows rows = {.histogram = histogram, .bins = 1 << HISTOGRAM_BITS};
    int first = 0, last = HISTOGRAM_BINS - 1;
    while (!histogram->bins[first])
        first++;
    while (!histogram->bins[last])
        last--;
    while (rows.bins > 1 && last / (rows.bins / 2) - first / (rows.bins / 2) < ROWS_FEW &&
           is_legible(rows.bins / 2, first, last))
        rows.bins /= 2;
    rows.first = first / rows.bins;
    rows.last = last / rows.bins;
    for (int row = rows.first; row <= rows.last; row++) {
        uint64_t count = count_row(&rows, row);
        rows.most = count > rows.most ? count : rows.most;
    }
    rows.digits = snprintf(NULL, 0, "%" PRIu64, rows.most);
    return rows;
}

void
text_histogram_bar(struct buffer *text, int length, int width, const char *rest,
                   bool utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int units = text_histogram_units(utf8);
    int whole = length / units, fraction = length % units;
    for (int i = 0; i < whole; i++)
        buffer_text(text, utf8 ? "█" : "#");
    buffer_text(text, eighths[fraction]);
    for (int i = whole + (fraction > 0); i < width; i++)
        buffer_text(text, rest);
}

static double
percent(uint64_t share, uint64_t whole)
{
    return 100 * (double)share / (double)whole;
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
        units_format(UNITS_TIME, histogram_below(row * rows.bins), from);
        units_format(UNITS_TIME, histogram_below((row + 1) * rows.bins), to);
        buffer_format(text, "%9s - %9s  %*" PRIu64 "  %5.1f %%  ", from, to, digits,
                      count, percent(count, histogram->count));
        int length =
            (int)((double)count / (double)rows.most * width * text_histogram_units(utf8) +
                  0.5); /* a count above 0 stays visible */
        text_histogram_bar(text, count && !length ? 1 : length, width, " ", utf8);
        buffer_format(text, "  %5.1f %%\n", percent(sum, histogram->count));
    }
}
