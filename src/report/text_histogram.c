/*
 * The histogram of latencies as rows of text, each with a bar. A row has the latencies
 * between two powers of two of ns (an octave). If the histogram would have few rows, each
 * row has only a half, a quarter, and so on of an octave.
 */
#include "writers.h"

#include "base/units.h"
#include "stats/distribution.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Rows are split in half only if there are at most this many rows afterwards. */
#define MAX_ROWS 16
#define MIN_BAR_WIDTH 4 /* minimum width of the longest bar, in columns */
/* Columns that a row needs besides the bar and the count: for bounds, shares and gaps. */
#define OTHER_WIDTH 43
#define MIN_COUNT_DIGITS 5 /* minimum width of the counts: the length of their header */

/* Returns the number of latencies in row ROW, counted from 0, if each row has
 * BINS_PER_ROW bins. */
static uint64_t
count_row(const struct histogram *histogram, int bins_per_row, int row)
{
    uint64_t count = 0;

    for (int i = row * bins_per_row; i < (row + 1) * bins_per_row; i++)
        count += histogram->bins[i];

    return count;
}

/* Returns true if the two bounds of each row differ in print. Each row has BINS_PER_ROW
 * bins. The first row has the bin FIRST, and the last row has the bin LAST. */
static bool
has_distinct_bounds(int bins_per_row, int first, int last)
{
    char from[UNITS_TEXT];
    char to[UNITS_TEXT];

    for (int row = first / bins_per_row; row <= last / bins_per_row; row++) {
        units_format(UNITS_TIME, histogram_below(row * bins_per_row), from);
        units_format(UNITS_TIME, histogram_below((row + 1) * bins_per_row), to);
        if (strcmp(from, to) == 0)
            return false;
    }

    return true;
}

/* Returns how many bins a row has: a power of two, so that each row has the same fraction
 * of an octave. FIRST and LAST are the bins with the shortest and the longest latency. */
static int
choose_bins_per_row(int first, int last)
{
    int bins = 1 << HISTOGRAM_BITS;

    while (bins > 1) {
        int half = bins / 2;
        bool is_short = last / half - first / half < MAX_ROWS;

        if (!is_short || !has_distinct_bounds(half, first, last))
            break;
        bins = half;
    }

    return bins;
}

void
text_histogram_bar(struct buffer *text, int length, int width, const char *padding,
                   bool utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

    int units = text_histogram_units(utf8);
    int full_columns = length / units;
    int fraction = length % units;
    int used_columns = fraction > 0 ? full_columns + 1 : full_columns;

    for (int i = 0; i < full_columns; i++)
        buffer_text(text, utf8 ? "█" : "#");

    buffer_text(text, eighths[fraction]);

    for (int i = used_columns; i < width; i++)
        buffer_text(text, padding);
}

void
text_histogram_add(struct buffer *text, const struct histogram *histogram, bool corrected,
                   int columns, bool utf8)
{
    char from[UNITS_TEXT];
    char to[UNITS_TEXT];
    uint64_t max_count = 0;
    uint64_t sum = 0;

    if (histogram->count == 0)
        return;

    int first = histogram_bin(histogram_value(histogram, 1));
    int last = histogram_bin(histogram_value(histogram, histogram->count));
    int bins = choose_bins_per_row(first, last);

    for (int row = first / bins; row <= last / bins; row++) {
        uint64_t count = count_row(histogram, bins, row);
        max_count = count > max_count ? count : max_count;
    }

    int digits = snprintf(NULL, 0, "%" PRIu64, max_count);
    if (digits < MIN_COUNT_DIGITS)
        digits = MIN_COUNT_DIGITS;
    int bar_width = columns - OTHER_WIDTH - digits;
    if (bar_width < MIN_BAR_WIDTH)
        bar_width = MIN_BAR_WIDTH;

    buffer_text(text, corrected ? "\ncorrected for requests that were not sent\n" : "\n");
    buffer_format(text, "%9s   %9s  %*s    share  %*s   so far\n", "above", "up to",
                  digits, "count", bar_width, "");

    for (int row = first / bins; row <= last / bins; row++) {
        uint64_t count = count_row(histogram, bins, row);
        double fraction = (double)count / (double)max_count;
        double total = (double)histogram->count;
        int length = (int)(fraction * bar_width * text_histogram_units(utf8) + 0.5);
        /* A row with latencies has a bar that can be seen, even if its share is tiny. */
        if (count > 0 && length == 0)
            length = 1;

        sum += count;
        units_format(UNITS_TIME, histogram_below(row * bins), from);
        units_format(UNITS_TIME, histogram_below((row + 1) * bins), to);
        buffer_format(text, "%9s - %9s  %*" PRIu64 "  %5.1f %%  ", from, to, digits,
                      count, 100 * (double)count / total);
        text_histogram_bar(text, length, bar_width, " ", utf8);
        buffer_format(text, "  %5.1f %%\n", 100 * (double)sum / total);
    }
}
