/* Logs of histograms that become jobs: their values, rows and units, and the lines that
 * are refused. The logs of ioping are made by its own writer. */
#include "support.h"

#include "base/buffer.h"
#include "report/writers.h"
#include "run/job.h"
#include "session/hdr_histogram.h"
#include "session/recorded_runs.h"

#define OURS HDR_START " 2.0]\n"

static struct options options;
static struct plan plan;
static struct recorded_runs runs;
static struct error error;
static struct histogram histogram;
static struct buffer text;

/* Reads TEXT as one of two files, in blocks of BLOCK bytes. Returns 0, or -1 with
 * `error`. */
static int
read_blocks(const char *bytes, size_t size, size_t block)
{
    options_init(&options);
    memset(&plan, 0, sizeof(plan));
    plan.options = &options;
    plan.target_count = 2;
    plan.output.needs_track = true;
    plan.statistics.series_capacity = 128;
    assert_int_equal(recorded_runs_open(&runs, &plan, &error), 0);
    recorded_runs_begin(&runs, "log");
    for (size_t at = 0; at < size; at += block) {
        size_t more = size - at < block ? size - at : block;
        if (recorded_runs_add(&runs, bytes + at, more, &error) < 0)
            return -1;
    }
    return recorded_runs_end(&runs, &error);
}

static int
clear(void **state)
{
    (void)state;
    recorded_runs_close(&runs);
    memset(&runs, 0, sizeof(runs));
    memset(&histogram, 0, sizeof(histogram));
    buffer_free(&text);
    return 0;
}

FIXTURE(clear, clear)

TEST(each_bin_of_ours_becomes_the_same_bin)
{
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        histogram.bins[bin] = (uint64_t)bin % 5;
        histogram.count += histogram.bins[bin];
    }
    buffer_text(&text, OURS "Tag=a%20b%25%0A,");
    hdr_line(&text, 0, 5000000000, &histogram);
    if (read_blocks(text.text, text.length, 1000) < 0)
        fail_msg("%s", error.why);
    recorded_runs_finish(&runs);
    const struct outcome *outcome = &runs.jobs[0].outcome;
    assert_int_equal(outcome->total.latencies.count, histogram.count);
    assert_memory_equal(outcome->total.latencies.bins, histogram.bins,
                        sizeof(histogram.bins));
    assert_int_equal(outcome->total.latency.count, histogram.count);
    assert_int_equal(outcome->total.latency.min, 2);
    assert_int_equal(outcome->total.latency.max, histogram_upto(HISTOGRAM_BINS - 1));
    assert_int_equal(outcome->duration, 5000000000);
    assert_int_equal(runs.jobs[0].track->request_count, histogram.count);
    assert_string_equal(runs.labels[0], "a b%%0A");
    assert_int_equal(runs.notes.count, 0);
}

/* Adds a line of ours with COUNT latencies of about LATENCY ns. */
static void
add_line(const char *tag, int64_t start, int64_t latency, uint64_t count)
{
    memset(&histogram, 0, sizeof(histogram));
    histogram.bins[histogram_bin(latency)] = count;
    histogram.count = count;
    buffer_format(&text, "Tag=%s,", tag);
    hdr_line(&text, start, start + 1000000000, &histogram);
}

TEST(each_tag_is_a_row_and_blocks_may_end_anywhere)
{
    static const size_t blocks[] = {1, 2, 7, 1 << 20};
    for (size_t i = 0; i < LENGTH(blocks); i++) {
        buffer_clear(&text);
        buffer_text(&text, OURS);
        add_line("x", 7000000000, 1000, 3);
        add_line("y#read", 7000000000, 5000, 2);
        add_line("x", 9000000000, 1000, 4);
        add_line("x", 10000000000, 1000, 0);
        assert_int_equal(read_blocks(text.text, text.length, blocks[i]), 0);
        recorded_runs_finish(&runs);
        assert_int_equal(runs.row_count, 2);
        assert_string_equal(runs.row_names[0], "log: x");
        assert_string_equal(runs.row_names[1], "log: y#read");
        assert_int_equal(runs.jobs[0].outcome.total.latency.count, 7);
        assert_int_equal(runs.jobs[0].outcome.duration, 3000000000);
        const struct track *track = runs.jobs[0].track;
        assert_int_equal(track->columns[0].count, 3);
        assert_int_equal(track->columns[2000000000 >> track->shift].count, 4);
        assert_true(1ll << track->shift >= 1000000000);
        recorded_runs_close(&runs);
    }
}

TEST(other_lines_are_refused)
{
    static const struct {
        const char *line, *why;
    } cases[] = {
        {"raw", "not a line of an HdrHistogram log"},
        {"1,2,3", "not a line of an HdrHistogram log"},
        {"1,,3,HIST", "not a line of an HdrHistogram log"},
        {"1,-2,3,HIST", "not a line of an HdrHistogram log"},
        {".5,2,3,HIST", "not a line of an HdrHistogram log"},
        {"1.2.3,2,3,HIST", "not a line of an HdrHistogram log"},
        {"1e3,2,3,HIST", "not a line of an HdrHistogram log"},
        {"Tag=a", "its tag does not end"},
        {"Tag=a\tb,1,2,3,%s", "its tag has a control character"},
        {"99999999999,2,3,HISTFAAA", "its time is out of range"},
        {"1,99999999999999999999999999,3,HISTFAAA", "its time is out of range"},
        {"1,2,3,HIST", "it is too short"},
        {"1,2,3,", "it is too short"},
        {"1,2,3,HISTFAAA", "it is too short"},
        {"1,2,3,HISTFAAAAAE=", "its zlib stream is not as long as it says"},
        {"1,2,3,HISTFAAAAAA=", "its zlib stream ends early"},
        {"1,2,3,HISTFAAA\xff\xff\xff\xff", "it has a character that is not base64"},
        {"1,2,3,HISTEwAAAAA=", "it is not an HdrHistogram in the encoding V2 compressed"},
        {"1,2,3,HISTAgAAAAA=", "it has an encoding older than V2"},
        {"1,2,3,DHISTwAAAAA=", "it is a histogram of decimal numbers, not of integers"},
        {"1,2,3,DHITTwAAAAA=", "it is not an HdrHistogram in the encoding V2 compressed"},
        {"1,2,3,DHISTwAAAAA", "its base64 is incomplete"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char expected[256];
        buffer_clear(&text);
        buffer_text(&text, OURS);
        add_line("x", 0, 1000, 3);
        char *good = strrchr(text.text, ',') + 1;
        struct buffer encoded = {0};
        buffer_add(&encoded, good, strcspn(good, "\n"));
        for (const char *at = cases[i].line; *at; at++)
            if (strncmp(at, "%s", 2) == 0) {
                buffer_text(&text, encoded.text);
                at++;
            } else {
                buffer_add(&text, at, 1);
            }
        buffer_free(&encoded);
        buffer_text(&text, "\n");
        int status = read_blocks(text.text, text.length, 64);
        snprintf(expected, sizeof(expected), "line 3: %s", cases[i].why);
        if (status == 0 || strcmp(error.why, expected) != 0)
            fail_msg("%s: %s", cases[i].line, status ? error.why : "accepted");
        assert_string_equal(error.what, "log");
        assert_int_equal(error.status, EXIT_PREPARE);
        recorded_runs_close(&runs);
    }
}

TEST(a_last_line_that_was_cut_short_is_left_out)
{
    buffer_text(&text, OURS);
    add_line("x", 0, 1000, 3);
    size_t first = text.length;
    add_line("x", 1, 1000, 3);
    size_t whole = text.length - 1;

    for (size_t size = first + 1; size <= whole; size++) {
        if (read_blocks(text.text, size, 1 << 20) < 0)
            fail_msg("%d: %s", (int)size, error.why);
        assert_int_equal(runs.row_count, 1);
        assert_int_equal(runs.jobs[0].outcome.total.latency.count, size == whole ? 6 : 3);
        assert_int_equal(runs.notes.count, size == whole ? 0 : 1);
        if (size < whole)
            assert_string_equal(runs.notes.lines[0],
                                "ioping: log: the last line is incomplete, left out\n");
        recorded_runs_close(&runs);
    }
    assert_int_equal(read_blocks(text.text, first - 2, 1 << 20), -1);
}

/* Adds a line whose histogram has a head of these figures, and COUNTS of SIZE bytes. */
static void
add_made(int digits, uint64_t lowest, const char *counts, unsigned size)
{
    unsigned char bytes[256] = "\x1c\x84\x93\x14\0\0\0\0\x78\x01\x01";
    static const char base64[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned content = 40 + size, a = 1, b = 0;
    bytes[7] = (unsigned char)(11 + content);
    bytes[11] = (unsigned char)content;
    bytes[13] = (unsigned char)~content;
    bytes[14] = 0xff;
    unsigned char *at = bytes + 15;
    memcpy(at, "\x1c\x84\x93\x13", 4);
    at[7] = (unsigned char)size;
    at[15] = (unsigned char)digits;
    for (int i = 0; i < 8; i++)
        at[23 - i] = (unsigned char)(lowest >> 8 * i);
    at[32] = 0x3f;
    at[33] = 0xf0;
    memcpy(at + 40, counts, size);
    for (unsigned i = 0; i < content; i++) {
        a = (a + at[i]) % 65521;
        b = (b + a) % 65521;
    }
    at += content;
    at[0] = (unsigned char)(b >> 8), at[1] = (unsigned char)b;
    at[2] = (unsigned char)(a >> 8), at[3] = (unsigned char)a;

    unsigned length = 15 + content + 4;
    buffer_text(&text, "1.5,2,0,");
    for (unsigned i = 0; i < length; i += 3) {
        unsigned bits =
            (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
        for (unsigned k = 0; k < 4; k++)
            buffer_add(&text, i + k <= length ? &base64[bits >> (18 - 6 * k) & 63] : "=",
                       1);
    }
    buffer_text(&text, "\n");
}

TEST(hostile_histograms_are_refused)
{
    static const struct {
        int digits;
        uint64_t lowest;
        const char *counts;
        unsigned size;
        const char *why;
    } cases[] = {
        {6, 1, "\2", 1, "it has more than 5 significant digits"},
        {2, 0, "\2", 1, "its lowest value is out of range"},
        {2, UINT64_MAX, "\2", 1, "its lowest value is out of range"},
        {2, 1, "\x80", 1, "its last count is incomplete"},
        {2, 1, "\xfe\xff\xff\xff\xff\xff\xff\xff", 8, "its last count is incomplete"},
        /* -2^63 empty bins */
        {2, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9,
         "it has more bins than there are values"},
        {2, 1, "\xd3\x7a\2", 3, "it has a value that is too large"}, /* 7850 bins */
        /* counts of 2^62 and more, of 1 ns */
        {2, 1, "\1\xfe\xff\xff\xff\xff\xff\xff\xff\xff", 10, "its counts are too large"},
        {2, 1, "\1\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\2", 11,
         "its counts are too large"},
        /* 2^40 values of about 2^40 ns */
        {2, 1ull << 40, "\1\x80\x80\x80\x80\x80\x80\1", 8, "its counts are too large"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char expected[256];
        buffer_clear(&text);
        buffer_text(&text, "#\n");
        add_made(cases[i].digits, cases[i].lowest, cases[i].counts, cases[i].size);
        int status = read_blocks(text.text, text.length, 64);
        snprintf(expected, sizeof(expected), "line 2: %s", cases[i].why);
        if (status == 0 || strcmp(error.why, expected) != 0)
            fail_msg("%d: %s", (int)i, status ? error.why : "accepted");
        recorded_runs_close(&runs);
    }
}

/* With 0 digits an octave has a single bin, and lowest values are multiples. */
TEST(bins_are_where_the_head_says)
{
    static const struct {
        int digits;
        uint64_t lowest;
        const char *counts;
        unsigned size;
        int64_t latency;
    } cases[] = {
        {0, 1, "\1\2", 2, 1},      {0, 1, "\3\2", 2, 3},       {0, 1, "\5\2", 2, 6},
        {0, 1000, "\1\2", 2, 768}, {2, 1, "\xff\3\2", 3, 257}, {2, 1, "\1\2", 2, 1},
        {1, 1, "\x7f\2", 2, 132},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        buffer_clear(&text);
        buffer_text(&text, "#\n");
        add_made(cases[i].digits, cases[i].lowest, cases[i].counts, cases[i].size);
        if (read_blocks(text.text, text.length, 64) < 0)
            fail_msg("%d: %s", (int)i, error.why);
        const struct stats *total = &runs.jobs[0].outcome.total;
        assert_int_equal(total->latency.count, 1);
        if (total->latency.sum != cases[i].latency)
            fail_msg("%d: %d", (int)i, (int)total->latency.sum);
        recorded_runs_close(&runs);
    }
}

/* A file of zeros, or one without newlines, is not read into memory completely. */
TEST(a_line_without_end_is_refused)
{
    size_t size = (4 << 20) + 2;
    char *line = calloc(1, size);
    assert_non_null(line);
    line[0] = '#';
    assert_int_equal(read_blocks(line, size, 1 << 18), -1);
    assert_string_equal(
        error.why,
        "line 1: longer than 4 MiB, so it is not a line of an HdrHistogram log");
    free(line);
}
