/* The histogram in lines of text, to the byte. */
#include "golden.h"

#include "base/time.h"
#include "report/writers.h"
#include "stats/distribution.h"

struct bin {
    int64_t latency;
    uint64_t count;
};

static const struct bin few[] = {{300 * US, 7}, {500 * US, 40}, {1100 * US, 3}, {0}};

/* One more than 1 us, 2 us, 4 us, and so on, to half a second. */
static const struct bin many[] = {
    {1000 + 1, 1},
    {2000 + 1, 3},
    {4000 + 1, 10},
    {8000 + 1, 40},
    {16000 + 1, 90},
    {32000 + 1, 160},
    {64000 + 1, 300},
    {128000 + 1, 250},
    {256000 + 1, 120},
    {512000 + 1, 60},
    {1024000 + 1, 20},
    {2048000 + 1, 9},
    {4096000 + 1, 4},
    {8192000 + 1, 2},
    {131072000 + 1, 1},
    {524288000 + 1, 1},
    {0},
};

/* BINS until a latency of 0. */
static struct histogram
histogram_of(const struct bin *bins)
{
    struct histogram histogram = {0};
    for (; bins->latency; bins++) {
        histogram.count += bins->count;
        histogram.bins[histogram_bin(bins->latency)] += bins->count;
    }
    return histogram;
}

static char *
draw(const struct bin *bins, bool corrected, int columns, bool utf8)
{
    struct buffer text = {0};
    struct histogram histogram = histogram_of(bins);
    text_histogram_add(&text, &histogram, corrected, columns, utf8);
    assert_false(text.failed);
    return text.text;
}

static const struct bin one[] = {{123456, 1}, {0}},
                        huge[] = {{400 * US, 18446744073709551u},
                                  {900 * US, 1},
                                  {1800 * US, 9999999999999999u},
                                  {0}};

/* Each is drawn as tests/golden/text_histogram_NAME has it. */
static const struct drawn {
    const char *name;
    const struct bin *bins; /* NULL: thirty octaves */
    bool corrected, utf8;
    int columns;
} drawings[] = {
    {"one_value", one, false, false, 80},
    {"finer", few, false, false, 80},    /* few octaves have finer rows */
    {"octaves", many, false, false, 80}, /* many have a row each */
    {"thirty", NULL, false, false, 80},
    {"huge", huge, false, false, 80}, /* counts take their room from the bar */
    {"corrected", few, true, false, 80},
    {"utf8", few, false, true, 80},    /* blocks are in eighths */
    {"narrow", few, false, false, 40}, /* the bar has four columns at least */
    {"wide", many, false, true, 200},
};

TEST_EACH(histogram, drawings)
{
    const struct drawn *drawn = *state;
    struct bin thirty[31] = {{0}};
    char name[64];
    for (int i = 0; i < 30; i++)
        thirty[i] = (struct bin){1LL << (i + 4), (uint64_t)i + 5};
    snprintf(name, sizeof(name), "text_histogram_%s", drawn->name);
    char *text = draw(drawn->bins ? drawn->bins : thirty, drawn->corrected,
                      drawn->columns, drawn->utf8);
    golden_compare(text, strlen(text), name);
    free(text);
}

TEST(an_empty_histogram_has_no_rows)
{
    static const struct bin none[] = {{0}};
    assert_null(draw(none, false, 80, false));
}

/* Returns the width of the widest line, in characters. */
static int
widest_line(const char *text)
{
    int widest = 0, width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
        if (*text == '\n')
            width = 0;
        widest = width > widest ? width : widest;
    }
    return widest;
}

TEST(no_line_is_wider_than_the_terminal)
{
    static const struct bin thousands[] = {
        {9 * US, 99999}, {59 * 60000 * MS, 1}, {70 * 60000 * MS, 899999}, {0}};
    const struct bin *const histograms[] = {few, many, thousands};
    for (int columns = 60; columns <= 300; columns++)
        for (int i = 0; i < 6; i++) {
            char *text = draw(histograms[i / 2], false, columns, i % 2);
            assert_int_equal(widest_line(text), columns);
            free(text);
        }
}

/* The head is as wide as the rows. */
TEST(counts_of_eight_digits_fit_into_sixty_columns)
{
    static const struct bin bins[] = {{400 * US, 12345678}, {900 * US, 1}, {0}};
    char *text = draw(bins, false, 60, false);
    assert_in_range(widest_line(text), 1, 60);
    free(text);
}

/* Each row's count is what the row's bounds hold, and the last share is all. */
TEST(counts_add_up_and_the_shares_end_in_all)
{
    static const struct {
        const struct bin *bins;
        unsigned long long sum;
    } cases[] = {{few, 50}, {many, 1071}};
    for (int i = 0; i < 2; i++) {
        char *text = draw(cases[i].bins, false, 80, false), *rest;
        unsigned long long sum = 0, count;
        double share = 0, before = 0;
        for (char *line = strtok_r(text, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest)) {
            if (sscanf(line, "%*f %*s - %*f %*s %llu", &count) != 1)
                continue;
            sum += count;
            assert_int_equal(sscanf(strrchr(line, '%') - 6, "%lf", &share), 1);
            assert_true(share >= before);
            before = share;
        }
        assert_true(sum == cases[i].sum);
        assert_true(share > 99.99 && share < 100.01);
        free(text);
    }
}

/* Finer rows would all be "12.1 ms - 12.1 ms". */
TEST(rows_are_as_fine_as_their_bounds_differ_in_print)
{
    static const struct bin close[] = {{12100 * US, 20}, {12200 * US, 20}, {0}};
    char *text = draw(close, false, 80, false);
    assert_contains(text, "\n  12.1 ms -   12.2 ms     20   50.0 %");
    assert_contains(text, "\n  12.2 ms -   12.3 ms     20   50.0 %");
    free(text);
}
