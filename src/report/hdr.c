/*
 * A log of histograms, one line for each interval and target, and for each distribution
 * that this tells apart, in the format that HdrHistogram's tools share (javadoc of
 * org.HdrHistogram.HistogramLogReader, version 1.3). What a line has is the histogram "V2
 * compressed" (AbstractHistogram's encodeIntoCompressedByteBuffer) in base64 (RFC 4648):
 * counts in ZigZag LEB128, runs of zeros as one negative number, in a stream of zlib (RFC
 * 1950). Its blocks are stored as they are (RFC 1951), which any inflater reads.
 *
 * Two significant digits are 128 steps an octave there too, so that each of our steps has
 * its count at the same index, and there are as many of them. But theirs end below a
 * value that ours end with. From 256 ns on, what is recorded as N ns is so N - 1 ns for
 * them where a bin ends, and in the same bin; the middle of the bin, which we report
 * as a percentile, is their median equivalent value, and their highest equivalent value
 * is what we call its end, less 1 ns. Steps below are of a single value, which is 1 ns
 * less than ours.
 */
#include "base/buffer.h"
#include "base/time.h"
#include "report/outputs.h"
#include "report/report.h"
#include "run/job.h"
#include "stats/stats.h"
#include "writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The cookies of both layers, whose last digits but one say that counts have no fixed
 * size. */
#define COMPRESSED 0x1c849314
#define ENCODED 0x1c849313
#define DIGITS 2
#define RATIO 0x3ff0000000000000 /* 1.0: values are what they are */
#define COUNT_MOST 9             /* bytes */
#define STORED_MOST 65535        /* bytes of a block */
#define HEAD 40                  /* bytes before the counts */

_Static_assert(HEAD + HISTOGRAM_BINS * COUNT_MOST <= STORED_MOST, "one block has it all");

struct hdr_target {
    struct buffer name; /* the path, and a number where others have the same */
    struct buffer tag;  /* the name, and the part of the run */
    uint64_t before;    /* requests of the parts before */
    /* What earlier intervals of the part have had; untouched memory where nothing was. */
    struct histogram seen[SCOPES];
};

struct hdr_log {
    int64_t epoch; /* of the monotonic clock, ns since 1970 */
    int64_t start; /* of the log, likewise */
    int64_t began; /* the present interval, monotonic; 0: there is none */
    int count;
    struct histogram own; /* of one line */
    struct buffer tag;    /* likewise */
    struct hdr_target targets[];
};

/* Adds NUMBER, SIZE bytes of it, the highest first. */
static void
add_big(struct buffer *bytes, uint64_t number, int size)
{
    while (size-- > 0)
        buffer_add(bytes, &(char){(char)(number >> 8 * size)}, 1);
}

static void
add_little(struct buffer *bytes, unsigned number)
{
    add_big(bytes, number & 0xff, 1);
    add_big(bytes, number >> 8, 1);
}

/* Adds a count, or as a negative number how many in a row are 0. The ninth byte, the last
 * there can be, has eight bits of it, the others seven. */
static void
add_count(struct buffer *bytes, int64_t count)
{
    uint64_t left = count < 0 ? ~((uint64_t)count << 1) : (uint64_t)count << 1;
    for (int i = 1; i < COUNT_MOST && left > 0x7f; i++) {
        add_big(bytes, left | 0x80, 1);
        left >>= 7;
    }
    add_big(bytes, left, 1);
}

/* Returns the last bin with a count, 0 of nothing. */
static int
last_bin(const struct histogram *histogram)
{
    int last = HISTOGRAM_BINS - 1;
    while (last > 0 && !histogram->bins[last])
        last--;
    return last;
}

static void
add_counts(struct buffer *bytes, const struct histogram *histogram)
{
    int last = last_bin(histogram);
    for (int i = 0, zeros = 0; i <= last; i++) {
        zeros += histogram->bins[i] == 0;
        if (zeros && (i == last || histogram->bins[i + 1])) {
            add_count(bytes, -zeros);
            zeros = 0;
        } else if (!zeros) {
            add_count(bytes, (int64_t)histogram->bins[i]);
        }
    }
}

static void
add_encoded(struct buffer *bytes, const struct histogram *histogram)
{
    struct buffer counts = {0};
    add_counts(&counts, histogram);
    add_big(bytes, ENCODED, 4);
    add_big(bytes, counts.length, 4);
    add_big(bytes, 0, 4); /* how far the indices are moved */
    add_big(bytes, DIGITS, 4);
    add_big(bytes, 1, 8); /* the lowest value that differs from 0 */
    add_big(bytes, HISTOGRAM_MOST - 1, 8);
    add_big(bytes, RATIO, 8);
    if (counts.text)
        buffer_add(bytes, counts.text, counts.length);
    bytes->failed |= counts.failed;
    buffer_free(&counts);
}

/* The checksum of RFC 1950, section 9. */
static uint32_t
adler32(const struct buffer *bytes)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; bytes->text && i < bytes->length; i++) {
        a = (a + (unsigned char)bytes->text[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* Adds a stream of zlib with one block, its last, which is stored. */
static void
add_zlib(struct buffer *stream, const struct buffer *bytes)
{
    add_big(stream, 0x7801, 2); /* deflate, a window of 32 KiB, the fastest */
    add_big(stream, 1, 1);
    add_little(stream, (unsigned)bytes->length);
    add_little(stream, ~(unsigned)bytes->length & 0xffff);
    if (bytes->text)
        buffer_add(stream, bytes->text, bytes->length);
    add_big(stream, adler32(bytes), 4);
    stream->failed |= bytes->failed;
}

static void
add_base64(struct buffer *text, const struct buffer *bytes)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->length; i += 3) {
        size_t left = bytes->length - i;
        uint32_t bits = 0;
        char group[4];
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < left ? (unsigned char)bytes->text[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            group[k] = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
        buffer_add(text, group, 4);
    }
}

void
hdr_line(struct buffer *text, const char *tag, int64_t start, int64_t end,
         const struct histogram *histogram)
{
    struct buffer bytes = {0}, stream = {0};
    int64_t most = histogram->count ? histogram_upto(last_bin(histogram)) - 1 : 0;
    int64_t length = end / US - start / US;
    add_encoded(&bytes, histogram);
    add_zlib(&stream, &bytes);
    buffer_clear(&bytes);
    add_big(&bytes, COMPRESSED, 4);
    add_big(&bytes, stream.length, 4);
    if (stream.text)
        buffer_add(&bytes, stream.text, stream.length);
    buffer_format(text, "Tag=%s,%" PRId64 ".%06" PRId64 ",%" PRId64 ".%06" PRId64, tag,
                  start / SECOND, start % SECOND / US, length / 1000000,
                  length % 1000000);
    buffer_format(text, ",%" PRId64 ".%06" PRId64 ",", most / MS, most % MS);
    add_base64(text, &bytes);
    buffer_text(text, "\n");
    text->failed |= stream.failed || bytes.failed;
    buffer_free(&stream);
    buffer_free(&bytes);
}

/* Adds a PATH, not empty, as a URI has it (RFC 3986, section 2.1), so that the tag has
 * none of what ends a field or a line for any reader, and nothing that depends on a
 * locale. */
static void
add_path(struct buffer *tag, const char *path)
{
    for (; *path; path++)
        if (*path > ' ' && *path <= '~' && !strchr(",%#", *path))
            buffer_add(tag, path, 1);
        else
            buffer_format(tag, "%%%02X", (unsigned)(unsigned char)*path);
}

/* Adds the date of WALL, ns since 1970, in UTC. Years are counted from March, in eras of
 * 400: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. */
static void
add_date(struct buffer *text, int64_t wall)
{
    int64_t seconds = wall / SECOND, days = seconds / 86400 + 719468;
    int64_t era = days / 146097, day = days % 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    int64_t month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5 - 1;
    month += month < 10 ? 3 : -9;
    year += 400 * era + (month <= 2);
    buffer_format(text, "%" PRId64 "-%02" PRId64 "-%02" PRId64, year, month, day);
    buffer_format(text, "T%02" PRId64 ":%02" PRId64 ":%02" PRId64 "Z",
                  seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

/* Makes the own histogram what TOTAL has and SEEN has not, which then has it too. */
static void
take_new(struct histogram *own, struct histogram *seen, const struct histogram *total)
{
    own->count = 0;
    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        uint64_t now = total->bins[i], before = seen->bins[i];
        own->bins[i] = now > before ? now - before : 0;
        own->count += own->bins[i];
        if (own->bins[i])
            seen->bins[i] = now;
    }
    seen->count += own->count;
}

/* Returns whether the total of JOB is that of an earlier part: this one could not begin.
 */
static bool
is_stale(const struct hdr_target *target, const struct job *job)
{
    return job->done && job->progress.total.requests &&
           job->outcome.total.requests == target->before;
}

/* Adds the line of SCOPE of a job, if it has something new, or else is EMPTY_TOO. */
static void
add_scope(struct hdr_log *log, struct buffer *text, struct hdr_target *target,
          const struct stats *stats, enum scope scope, int64_t now, bool empty_too)
{
    struct buffer *tag = &log->tag;
    take_new(&log->own, &target->seen[scope], latencies_of(stats, scope).requests);
    if (!log->own.count && !empty_too)
        return;
    buffer_clear(tag);
    buffer_add(tag, target->tag.text, target->tag.length);
    if (scope != SCOPE_ALL)
        buffer_format(tag, "#%s", scope_name(scope));
    if (!tag->failed)
        hdr_line(text, tag->text, log->epoch + log->began, log->epoch + now, &log->own);
    text->failed |= tag->failed;
}

/* Adds the lines of JOB for the interval that ends at NOW; but none of no time at all. */
static void
add_interval(struct hdr_log *log, struct buffer *text, const struct job *job, int64_t now)
{
    struct hdr_target *target = &log->targets[job->index];
    const struct stats *stats = &job->progress.total;
    text->failed |= target->tag.failed;
    if (is_stale(target, job) || target->tag.failed)
        return;
    for (enum scope scope = SCOPE_ALL; scope < SCOPES; scope = scope_next(stats, scope))
        add_scope(log, text, target, stats, scope, now,
                  scope == SCOPE_ALL && now > log->began);
}

/* Begins PART of a job, whose total begins anew; NULL: all of it. */
static void
set_part(struct hdr_log *log, const struct job *job, const char *part)
{
    struct hdr_target *target = &log->targets[job->index];
    target->before = job->outcome.total.requests;
    for (int i = 0; i < SCOPES; i++)
        if (target->seen[i].count)
            memset(&target->seen[i], 0, sizeof(target->seen[i]));
    buffer_clear(&target->tag);
    buffer_add(&target->tag, target->name.text, target->name.length);
    if (part)
        buffer_format(&target->tag, "#%s", part);
}

static void
add_head(struct buffer *text, const struct hdr_log *log)
{
    int64_t start = log->start;
    buffer_text(text, HDR_START " " IOPING_VERSION "]\n"
                                "#[Histogram log format version 1.3]\n");
    buffer_format(text, "#[StartTime: %" PRId64 ".%03" PRId64 " (seconds since epoch), ",
                  start / SECOND, start % SECOND / MS);
    add_date(text, start);
    buffer_text(text, "]\n\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                      "\"Interval_Compressed_Histogram\"\n");
}

static void
close_log(struct report *report)
{
    struct hdr_log *log = report->state;
    for (int i = 0; log && i < log->count; i++) {
        buffer_free(&log->targets[i].name);
        buffer_free(&log->targets[i].tag);
    }
    if (log)
        buffer_free(&log->tag);
    free(log);
}

/* Opens a log of all jobs, whose targets are described. */
static void
open_log(struct report *report)
{
    size_t targets = (size_t)report->count * sizeof(struct hdr_target);
    struct hdr_log *log = report->state = calloc(1, sizeof(*log) + targets);
    report->text.failed |= !log;
    if (!log)
        return;
    log->start = report->wall();
    log->epoch = log->start - report->now();
    log->count = report->count;
    for (int i = 0; i < log->count; i++) {
        struct hdr_target *target = &log->targets[i];
        int ordinal = job_ordinal(report->jobs, i);
        add_path(&target->name, report->jobs[i].target.description.path);
        if (ordinal > 1)
            buffer_format(&target->name, "#%d", ordinal);
        if (!target->name.failed)
            set_part(log, &report->jobs[i], NULL);
        report->text.failed |= target->name.failed || target->tag.failed;
    }
    add_head(&report->text, log);
}

/* Begins the first interval, unless one has begun. */
static void
start(struct report *report, int64_t first)
{
    struct hdr_log *log = report->state;
    if (!log->began)
        log->began = first;
}

/* Adds a line for each of these jobs, of what their totals have and no line has had yet,
 * for the interval that ends at NOW; the next begins then, unless it was the LAST. Behind
 * it comes one for each other scope (stats/percentile.h) of which there is something new;
 * its tag ends in the scope's name. */
static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    struct hdr_log *log = report->state;
    now = time_later(now, log->began);
    for (int i = 0; log->began && i < count; i++)
        add_interval(log, &report->text, &jobs[i], now);
    if (log->began)
        log->began = last ? 0 : now;
}

static void
begin_part(struct report *report, const struct job *job, const struct report_part *part)
{
    tick(report, job, 1, job->outcome.ended, true);
    set_part(report->state, job, part->name);
}

const struct report_format report_hdr = {.open = open_log,
                                         .start = start,
                                         .part = begin_part,
                                         .tick = tick,
                                         .close = close_log};
