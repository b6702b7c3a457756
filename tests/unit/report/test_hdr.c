/*
 * The log of histograms: what stands in it, and what a reader makes of each line. The
 * reader here follows the documents of HdrHistogram and the RFCs alone.
 */
#include "golden.h"
#include "mix.h"

#include "base/time.h"
#include "report/writers.h"

#include <inttypes.h>

#define STEPS 8192 /* more than there are */

static struct job jobs[4];

static struct report report;
static int64_t now, wall;

static int64_t
get_now(void)
{
    return now;
}

static int64_t
get_wall(void)
{
    return wall;
}

/* Opens the log of COUNT of the jobs, at NS by the monotonic clock, which is ON_WALL. */
static struct report *
open_at(int count, int64_t ns, int64_t on_wall)
{
    now = ns;
    wall = on_wall;
    report = (struct report){
        .jobs = jobs, .job_count = count, .monotonic_now = get_now, .wall_now = get_wall};
    report_hdr.open(&report);
    assert_false(report.text.failed);
    return &report;
}

/* Moves what the log has added to TEXT. */
static void
take(struct report *log, struct buffer *text)
{
    if (log->text.length)
        buffer_add(text, log->text.text, log->text.length);
    buffer_clear(&log->text);
}

static void
add_lines(struct report *log, struct buffer *text, const struct job *some, int count,
          int64_t until, bool last)
{
    buffer_clear(&log->text);
    report_hdr.tick(log, some, count, until, last);
    take(log, text);
}

static void
begin_part(struct report *log, const struct job *job, const char *name)
{
    report_hdr.part(log, job, &(struct run_part){.name = name});
}

static void
close_log(struct report *log)
{
    report_hdr.close(log);
    buffer_free(&log->text);
}

/* Makes COUNT jobs of these PATHS, all of whose times are 0. */
static struct report *
open_log(const char *const *paths, int count)
{
    memset(jobs, 0, sizeof(jobs));
    for (int i = 0; i < count; i++) {
        jobs[i].index = i;
        jobs[i].target.description.path = paths[i];
    }
    return open_at(count, 5 * SECOND, NS_2026);
}

static void
record(struct job *job, int64_t latency)
{
    histogram_record(&job->progress.total.latencies, latency);
    job->progress.total.requests++;
}

static void
check(struct buffer *text, const char *expected)
{
    assert_false(text->failed);
    assert_string_equal(text->length ? text->text : "", expected);
    buffer_free(text);
}

/* What a line says. */
struct line {
    char tag[256];
    double start, length, max;
    uint64_t counts[STEPS];
    uint64_t count;
};

static size_t
decode_base64(const char *text, unsigned char *bytes)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0, bits = 0;
    uint32_t held = 0;
    for (; *text && *text != '=' && *text != '\n'; text++) {
        const char *digit = strchr(digits, *text);
        assert_non_null(digit);
        held = held << 6 | (uint32_t)(digit - digits);
        bits += 6;
        if (bits >= 8)
            bytes[size++] = (unsigned char)(held >> (bits -= 8));
    }
    return size;
}

static uint64_t
number_at(const unsigned char **at, int size)
{
    uint64_t number = 0;
    while (size-- > 0)
        number = number << 8 | *(*at)++;
    return number;
}

static int64_t
count_at(const unsigned char **at)
{
    uint64_t number = 0;
    int shift = 0;
    for (; shift < 56 && **at & 0x80; shift += 7)
        number |= (uint64_t)(*(*at)++ & 0x7f) << shift;
    number |= (uint64_t) * (*at)++ << shift;
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

/* Reads the counts of V2, SIZE bytes. */
static void
read_counts(struct line *line, const unsigned char *at, size_t size)
{
    const unsigned char *end = at + size;
    int index = 0;
    while (at < end) {
        int64_t count = count_at(&at);
        assert_true(index < STEPS);
        if (count < 0) {
            index += (int)-count;
        } else {
            line->counts[index++] = (uint64_t)count;
            line->count += (uint64_t)count;
        }
    }
    assert_ptr_equal(at, end);
}

static void
read_histogram(struct line *line, const char *base64)
{
    static unsigned char bytes[65536];
    size_t size = decode_base64(base64, bytes);
    const unsigned char *at = bytes;
    assert_int_equal(number_at(&at, 4), 0x1c849314);
    assert_int_equal(number_at(&at, 4), size - 8);
    assert_int_equal(number_at(&at, 2) % 31, 0);
    assert_int_equal(bytes[8] & 15, 8);
    assert_int_equal(number_at(&at, 1), 1); /* the last block, stored */
    size_t length = at[0] | (size_t)at[1] << 8;
    assert_int_equal(length ^ 0xffff, at[2] | (size_t)at[3] << 8);
    at += 4;
    assert_int_equal(size, 8 + 2 + 5 + length + 4);
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < length; i++)
        b = (b + (a = (a + at[i]) % 65521)) % 65521;
    const unsigned char *sum = at + length;
    assert_int_equal(number_at(&sum, 4), b << 16 | a);
    assert_int_equal(number_at(&at, 4), 0x1c849313);
    assert_int_equal(number_at(&at, 4), length - 40);
    assert_int_equal(number_at(&at, 4), 0);
    assert_int_equal(number_at(&at, 4), 2);
    assert_int_equal(number_at(&at, 8), 1);
    assert_int_equal(number_at(&at, 8), (1LL << 42) - 1);
    assert_int_equal(number_at(&at, 8), 0x3ff0000000000000); /* 1.0 */
    read_counts(line, at, length - 40);
}

/* Reads the line that TEXT begins with. Returns what follows it. */
static const char *
read_line(struct line *line, const char *text)
{
    char base64[65536];
    memset(line, 0, sizeof(*line));
    assert_int_equal(sscanf(text, "Tag=%255[^,],%lf,%lf,%lf,%65535s", line->tag,
                            &line->start, &line->length, &line->max, base64),
                     5);
    read_histogram(line, base64);
    return strchr(text, '\n') + 1;
}

/* The bounds of HdrHistogram's values with two significant digits: 256 sub-buckets, of
 * which all but the first bucket use the upper half. */
static void
bounds_of(int index, int64_t *lowest, int64_t *highest)
{
    int bucket = (index >> 7) - 1, sub = (index & 127) + 128;
    if (bucket < 0) {
        bucket = 0;
        sub -= 128;
    }
    *lowest = (int64_t)sub << bucket;
    *highest = *lowest + ((int64_t)1 << bucket) - 1;
}

TEST(the_head_says_who_wrote_it_and_when_it_began)
{
    struct buffer text = {0};
    struct report *log = open_log((const char *const[]){"/tmp"}, 1);
    take(log, &text);
    close_log(log);
    check(&text, "#[Logged by ioping " IOPING_VERSION "]\n"
                 "#[Histogram log format version 1.3]\n"
                 "#[StartTime: 1795247457.055 (seconds since epoch), "
                 "2026-11-21T07:50:57Z]\n"
                 "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                 "\"Interval_Compressed_Histogram\"\n");
}

TEST(dates_are_those_of_the_calendar)
{
    static const struct {
        int64_t seconds;
        const char *date;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},          {951782399, "2000-02-28T23:59:59Z"},
        {951782400, "2000-02-29T00:00:00Z"},  {951868800, "2000-03-01T00:00:00Z"},
        {1709164800, "2024-02-29T00:00:00Z"}, {1767225599, "2025-12-31T23:59:59Z"},
        {1767225600, "2026-01-01T00:00:00Z"}, {4107542400, "2100-03-01T00:00:00Z"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct buffer text = {0};
        close_log(open_log((const char *const[]){"/tmp"}, 1));
        struct report *log = open_at(1, 0, cases[i].seconds * SECOND);
        take(log, &text);
        close_log(log);
        if (!strstr(text.text, cases[i].date))
            fail_msg("not %s: %s", cases[i].date, text.text);
        buffer_free(&text);
    }
}

/* Written by hand: 40 bytes, then 0x03 for two zeros and 0x06 for a count of 3. */
TEST(a_line_is_that_of_the_format)
{
    struct buffer text = {0};
    struct histogram histogram = {0};
    for (int i = 0; i < 3; i++)
        histogram_record(&histogram, 3);
    buffer_text(&text, "Tag=/tmp,");
    hdr_line(&text, NS_2026, NS_2026 + 1500 * MS, &histogram);
    check(&text,
          "Tag=/tmp,1795247457.055062,1.500000,0.000002,"
          "HISTFAAAADV4AQEqANX/HISTEwAAAAIAAAAAAAAAAgAAAAAAAAABAAAD//////8/8AAAAAAA"
          "AAMGgDMHgg==\n");
}

/* Each latency is in the step that ours is in. Where a step has several values, their
 * median equivalent value is the percentile of ours. */
TEST(every_step_is_one_of_theirs)
{
    static struct histogram histogram;
    static struct line line;
    struct buffer text = {0};
    memset(&histogram, 0, sizeof(histogram));
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        histogram.count += histogram.bins[i] = (uint64_t)i + 1;
    buffer_text(&text, "Tag=a,");
    hdr_line(&text, 0, SECOND, &histogram);
    read_line(&line, text.text);
    buffer_free(&text);
    assert_int_equal(line.count, histogram.count);
    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        int64_t low, high, below = histogram_below(i), end = histogram_upto(i);
        struct histogram *one = &histogram;
        memset(one, 0, sizeof(*one));
        histogram_record(one, end);
        bounds_of(i, &low, &high);
        assert_int_equal(line.counts[i], i + 1);
        assert_int_equal(low, below);
        assert_int_equal(high, end - 1);
        assert_int_equal(low + (high - low + 1) / 2,
                         histogram_value(one, 1) - (end <= 256));
    }
}

/* Zeros before, between and after, large numbers, and all of nothing. */
TEST(counts_of_any_size_come_back)
{
    static const struct {
        int step;
        uint64_t count;
    } cases[] = {{0, 1},
                 {1, 63},
                 {3, 64},
                 {300, 8191},
                 {301, 8192},
                 {302, UINT64_C(1) << 32},
                 {4000, (UINT64_C(1) << 62) - 1},
                 {HISTOGRAM_BINS - 1, 1}};
    static struct histogram histogram;
    static struct line line;
    struct buffer text = {0};
    memset(&histogram, 0, sizeof(histogram));
    for (size_t i = 0; i <= LENGTH(cases); i++) {
        buffer_text(&text, "Tag=a,");
        hdr_line(&text, 0, SECOND, &histogram);
        read_line(&line, text.text);
        buffer_free(&text);
        assert_memory_equal(line.counts, histogram.bins, sizeof(histogram.bins));
        if (i < LENGTH(cases)) {
            histogram.bins[cases[i].step] = cases[i].count;
            histogram.count += cases[i].count;
        }
    }
}

/* Which is what any reader calls the highest value. */
TEST(the_maximum_is_the_end_of_its_step_in_ms)
{
    static const struct {
        int64_t latency;
        double max;
    } cases[] = {{1, 0},
                 {1000, .000999},
                 {1000000, .999423},
                 {HISTOGRAM_MAX_LATENCY, 4398046.511103}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        static struct line line;
        struct histogram histogram = {0};
        struct buffer text = {0};
        int64_t low, high;
        histogram_record(&histogram, cases[i].latency);
        buffer_text(&text, "Tag=a,");
        hdr_line(&text, 0, SECOND, &histogram);
        read_line(&line, text.text);
        buffer_free(&text);
        bounds_of(histogram_bin(cases[i].latency), &low, &high);
        assert_int_equal((int64_t)(line.max * 1e6 + .5), high);
        assert_true(high + 1 >= cases[i].latency);
    }
}

TEST(each_line_has_what_is_new_since_the_one_before)
{
    static struct line line;
    struct buffer text = {0};
    struct report *log = open_log((const char *const[]){"/a", "/b"}, 2);
    log->interval_began_at = 6 * SECOND;
    record(&jobs[0], 1000);
    record(&jobs[1], 7000);
    record(&jobs[1], 7000);
    add_lines(log, &text, jobs, 2, 7 * SECOND, false);
    const char *next = read_line(&line, text.text);
    assert_string_equal(line.tag, "/a");
    assert_int_equal(line.count, 1);
    assert_int_equal(line.counts[histogram_bin(1000)], 1);
    assert_int_equal((int64_t)(line.start * 1e6 + .5), NS_2026 / US + 1000000);
    next = read_line(&line, next);
    assert_string_equal(line.tag, "/b");
    assert_int_equal(line.counts[histogram_bin(7000)], 2);
    assert_string_equal(next, "");
    buffer_clear(&text);
    record(&jobs[0], 1000);
    record(&jobs[0], 3000);
    add_lines(log, &text, jobs, 2, 9500 * MS, false);
    next = read_line(&line, text.text);
    assert_int_equal(line.count, 2);
    assert_int_equal(line.counts[histogram_bin(1000)], 1);
    assert_int_equal(line.counts[histogram_bin(3000)], 1);
    assert_int_equal((int64_t)(line.start * 1e6 + .5), NS_2026 / US + 2000000);
    assert_int_equal((int64_t)(line.length * 1e6 + .5), 2500000);
    read_line(&line, next);
    assert_string_equal(line.tag, "/b"); /* without a request, and there all the same */
    assert_int_equal(line.count, 0);
    assert_int_equal((int64_t)(line.length * 1e6 + .5), 2500000);
    buffer_free(&text);
    close_log(log);
}

TEST(the_last_interval_is_as_long_as_it_was)
{
    static struct line line;
    struct buffer text = {0};
    struct report *log = open_log((const char *const[]){"/a"}, 1);
    add_lines(log, &text, jobs, 1, SECOND, true); /* nothing has begun */
    check(&text, "");
    log->interval_began_at = 6 * SECOND;
    record(&jobs[0], 1000);
    add_lines(log, &text, jobs, 1, 6250 * MS, false);
    buffer_clear(&text);
    add_lines(log, &text, jobs, 1, 6200 * MS, true); /* the last request ended earlier */
    check(&text, "");
    log->interval_began_at = 7 * SECOND;
    record(&jobs[0], 1000);
    add_lines(log, &text, jobs, 1, 7125 * MS, true);
    read_line(&line, text.text);
    assert_int_equal(line.count, 1);
    assert_int_equal((int64_t)(line.length * 1e6 + .5), 125000);
    buffer_free(&text);
    close_log(log);
}

/* The total of a part is nothing in the beginning; but one that cannot begin has that of
 * the part before. */
TEST(parts_of_a_run_are_not_mixed)
{
    static struct line line;
    struct buffer text = {0};
    struct report *log = open_log((const char *const[]){"/a"}, 1);
    begin_part(log, &jobs[0], "size=512");
    log->interval_began_at = 6 * SECOND;
    record(&jobs[0], 1000);
    record(&jobs[0], 1000);
    jobs[0].has_ended = true;
    jobs[0].outcome.total.requests = 2;
    add_lines(log, &text, jobs, 1, 7 * SECOND, true);
    read_line(&line, text.text);
    assert_string_equal(line.tag, "/a#size=512");
    assert_int_equal(line.count, 2);
    buffer_clear(&text);
    begin_part(log, &jobs[0], "size=1024");
    memset(&jobs[0].progress.total, 0, sizeof(jobs[0].progress.total));
    log->interval_began_at = 8 * SECOND;
    record(&jobs[0], 1000);
    jobs[0].outcome.total.requests = 3;
    add_lines(log, &text, jobs, 1, 9 * SECOND, true);
    read_line(&line, text.text);
    assert_string_equal(line.tag, "/a#size=1024");
    assert_int_equal(line.count, 1);
    buffer_clear(&text);
    begin_part(log, &jobs[0], "size=2048");
    log->interval_began_at = 10 * SECOND;
    add_lines(log, &text, jobs, 1, 11 * SECOND, true);
    check(&text, "");
    close_log(log);
}

/* Records a write of 1000 ns, with a flush of 600, or a read of 200, whose device took
 * half of that; with waits where it is corrected. */
static void
record_both(struct job *job, enum operation operation)
{
    bool writes = operation == OPERATION_WRITE;
    struct sample sample = {.latency = writes ? 1000 : 200,
                            .sync = writes ? 600 : 0,
                            .operation = operation,
                            .verdict = VERDICT_NONE,
                            .split = {.result = SPLIT_DONE,
                                      .part = {[PART_SUBMIT] = 10,
                                               [PART_QUEUE] = 20,
                                               [PART_DEVICE] = 100,
                                               [PART_RETURN] = 30},
                                      .sync_device = writes ? 500 : 0}};
    stats_record(&job->progress.total, &sample);
    breakdown_record(&job->progress.total.breakdown, &sample);
}

/* Fails unless TEXT, which is emptied, has a line of a second for each of these tags,
 * with the one value; 0: with none. */
static void
check_tags(struct buffer *text, const char *const *tags, const int64_t *values)
{
    static struct line line;
    const char *next = text->text;
    for (int i = 0; tags[i]; i++) {
        next = read_line(&line, next);
        assert_string_equal(line.tag, tags[i]);
        assert_int_equal(line.count, values[i] ? 1 : 0);
        if (values[i])
            assert_int_equal(line.counts[histogram_bin(values[i])], 1);
        assert_int_equal((int64_t)(line.length * 1e6 + .5), 1000000);
    }
    assert_string_equal(next, "");
    buffer_clear(text);
}

/* Times of the requests alone, also where these are corrected; of what had nothing in an
 * interval there is no line. */
TEST(what_is_apart_has_a_tag_of_its_own)
{
    struct buffer text = {0};
    struct report *log = open_log((const char *const[]){"/a"}, 1);
    jobs[0].progress.total.mix = mix_of("rw");
    jobs[0].progress.total.corrected_interval = 100;
    begin_part(log, &jobs[0], "loaded");
    log->interval_began_at = 6 * SECOND;
    record_both(&jobs[0], OPERATION_WRITE);
    add_lines(log, &text, jobs, 1, 7 * SECOND, false);
    check_tags(&text,
               (const char *const[]){"/a#loaded", "/a#loaded#write", "/a#loaded#sync",
                                     "/a#loaded#submit", "/a#loaded#queue",
                                     "/a#loaded#device", "/a#loaded#return",
                                     "/a#loaded#sync_device", NULL},
               (const int64_t[]){1000, 1000, 600, 10, 20, 100, 30, 500});
    record_both(&jobs[0], OPERATION_READ);
    add_lines(log, &text, jobs, 1, 8 * SECOND, false);
    check_tags(&text,
               (const char *const[]){"/a#loaded", "/a#loaded#read", "/a#loaded#submit",
                                     "/a#loaded#queue", "/a#loaded#device",
                                     "/a#loaded#return", NULL},
               (const int64_t[]){200, 200, 10, 20, 100, 30});
    add_lines(log, &text, jobs, 1, 9 * SECOND, false);
    check_tags(&text, (const char *const[]){"/a#loaded", NULL}, (const int64_t[]){0});
    begin_part(log, &jobs[0], "recovered");
    log->interval_began_at = 9 * SECOND;
    stats_clear(&jobs[0].progress.total);
    record_both(&jobs[0], OPERATION_WRITE);
    add_lines(log, &text, jobs, 1, 10 * SECOND, true);
    check_tags(&text,
               (const char *const[]){
                   "/a#recovered", "/a#recovered#write", "/a#recovered#sync",
                   "/a#recovered#submit", "/a#recovered#queue", "/a#recovered#device",
                   "/a#recovered#return", "/a#recovered#sync_device", NULL},
               (const int64_t[]){1000, 1000, 600, 10, 20, 100, 30, 500});
    buffer_free(&text);
    close_log(log);
}

TEST(tags_are_paths_as_a_uri_has_them)
{
    static const struct {
        const char *path, *tag;
    } cases[] = {{"/mnt/a-b_c.d~e", "/mnt/a-b_c.d~e"},
                 {"a b,c\nd\r\te", "a%20b%2Cc%0Ad%0D%09e"},
                 {"100%#1\x7f", "100%25%231%7F"},
                 {"\xc3\xa9\xff", "%C3%A9%FF"},
                 {"\\\\.\\PhysicalDrive1", "\\\\.\\PhysicalDrive1"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        static struct line line;
        struct buffer text = {0};
        struct report *log = open_log(&cases[i].path, 1);
        log->interval_began_at = 6 * SECOND;
        add_lines(log, &text, jobs, 1, 7 * SECOND, true);
        read_line(&line, text.text);
        assert_string_equal(line.tag, cases[i].tag);
        buffer_free(&text);
        close_log(log);
    }
}

TEST(the_same_path_again_has_a_number)
{
    static const char *const paths[] = {"/a", "/b", "/a", "/a"}, *const tags[] = {
                                                                     "/a", "/b", "/a#2",
                                                                     "/a#3"};
    static struct line line;
    struct buffer text = {0};
    struct report *log = open_log(paths, 4);
    log->interval_began_at = 6 * SECOND;
    add_lines(log, &text, jobs, 4, 7 * SECOND, false);
    const char *next = text.text;
    for (int i = 0; i < 4; i++) {
        next = read_line(&line, next);
        assert_string_equal(line.tag, tags[i]);
    }
    buffer_clear(&text);
    begin_part(log, &jobs[2], "size=512");
    log->interval_began_at = 7 * SECOND;
    add_lines(log, &text, &jobs[2], 1, 8 * SECOND, true);
    read_line(&line, text.text);
    assert_string_equal(line.tag, "/a#2#size=512");
    buffer_free(&text);
    close_log(log);
}
