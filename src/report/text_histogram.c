/*
 * The histogram of latencies as lines of text, each with a bar. A row stands for a power
 * of two of latencies or, if that would give few rows, for a half, a quarter, and so on
 * of a power of two.
 */
#include "writers.h"

#include "base/units.h"
#include "stats/distribution.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROWS_FEW 16 /* below this number of rows, each row is split into two */
#define BAR_LEAST 4 /* columns of the shortest space for bars */

/* Returns the count of row number ROW, if each row has BINS bins. */
static uint64_t
count_row(const struct histogram *histogram, int bins, int row)
{
    uint64_t count = 0;

    for (int i = row * bins; i < (row + 1) * bins; i++)
        count += histogram->bins[i];

    return count;
}

/* Returns true if no two neighbouring bounds of rows look the same when printed. */
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

void
text_histogram_bar(struct buffer *text, int length, int width, const char *rest,
                   bool utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

    int units = text_histogram_units(utf8);
    int whole = length / units;
    int fraction = length % units;

    for (int i = 0; i < whole; i++)
        buffer_text(text, utf8 ? "█" : "#");

    buffer_text(text, eighths[fraction]);

    for (int i = whole + (fraction > 0); i < width; i++)
        buffer_text(text, rest);
}

/* All rows have the same number of bins, and thus cover equal fractions of octaves. */
void
text_histogram_add(struct buffer *text, const struct histogram *histogram, bool corrected,
                   int columns, bool utf8)
{
    char from[UNITS_TEXT];
    char to[UNITS_TEXT];
    int bins = 1 << HISTOGRAM_BITS;
    uint64_t most = 0;
    uint64_t sum = 0;

    if (histogram->count == 0)
        return;

    int first = histogram_bin(histogram_value(histogram, 1));
    int last = histogram_bin(histogram_value(histogram, histogram->count));

    while (bins > 1 && last / (bins / 2) - first / (bins / 2) < ROWS_FEW &&
           is_legible(bins / 2, first, last))
        bins /= 2;

    for (int row = first / bins; row <= last / bins; row++) {
        uint64_t count = count_row(histogram, bins, row);
        most = count > most ? count : most;
    }

    int digits = snprintf(NULL, 0, "%" PRIu64, most);
    digits = digits > 5 ? digits : 5;
    /* 43 columns are used by everything except the bar and the count. */
    int width = columns - 43 - digits;
    width = width > BAR_LEAST ? width : BAR_LEAST;

    buffer_text(text, corrected ? "\ncorrected for requests that were not sent\n" : "\n");
    buffer_format(text, "%9s   %9s  %*s    share  %*s   so far\n", "above", "up to",
                  digits, "count", width, "");

    for (int row = first / bins; row <= last / bins; row++) {
        uint64_t count = count_row(histogram, bins, row);
        double share = (double)count / (double)most;
        double all = (double)histogram->count;
        int length = (int)(share * width * text_histogram_units(utf8) + 0.5);

        sum += count;
        units_format(UNITS_TIME, histogram_below(row * bins), from);
        units_format(UNITS_TIME, histogram_below((row + 1) * bins), to);
        buffer_format(text, "%9s - %9s  %*" PRIu64 "  %5.1f %%  ", from, to, digits,
                      count, 100 * (double)count / all);
        /* A count above 0 is always visible. */
        text_histogram_bar(text, count && !length ? 1 : length, width, " ", utf8);
        buffer_format(text, "  %5.1f %%\n", 100 * (double)sum / all);
    }
}
