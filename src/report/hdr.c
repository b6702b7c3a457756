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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The cookies of both layers, whose last digits but one say that counts have no fixed
 * size. */
#define COMPRESSED 0x1c849314
#define ENCODED 0x1c849313
#define DIGITS 2
#define RATIO 0x3ff0000000000000 /* 1.0: values are what they are */
#define COUNT_MOST 9             /* bytes */
#define STORED_MOST 65535        /* bytes of a block */
#define HEAD 40                  /* bytes before the counts */
#define WRAPPED 11               /* bytes of a stream around its block */

_Static_assert(HEAD + HISTOGRAM_BINS * COUNT_MOST <= STORED_MOST, "one block has it all");

struct hdr_target {
    struct buffer name; /* the path, and a number where others have the same */
    char part[48];      /* of the run, after a '#' */
    uint64_t before;    /* requests of the parts before */
    /* What earlier intervals of the part have had; untouched memory where nothing was. */
    struct histogram seen[SCOPES];
};

struct hdr_log {
    int64_t epoch;        /* of the monotonic clock, ns since 1970 */
    struct histogram own; /* of one line */
    struct hdr_target targets[];
};

/* Adds NUMBER, SIZE bytes of it, the highest first. */
static void
add_big(struct buffer *bytes, uint64_t number, int size)
{
    while (size-- > 0)
        buffer_add(bytes, &(char){(char)(number >> 8 * size)}, 1);
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

/* The checksum of RFC 1950, section 9, of what BYTES have from BEGIN on. */
static uint32_t
adler32(const struct buffer *bytes, size_t begin)
{
    uint32_t a = 1, b = 0;
    for (size_t i = begin; i < bytes->length; i++) {
        a = (a + (unsigned char)bytes->text[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* Adds the histogram in both layers. The stream of zlib is one block, its last, whose
 * size is there twice, the lowest byte first. */
static void
add_encoded(struct buffer *bytes, const struct histogram *histogram)
{
    struct buffer counts = {0};
    add_counts(&counts, histogram);
    uint64_t size = HEAD + counts.length, swapped = (size & 0xff) << 8 | size >> 8;
    add_big(bytes, COMPRESSED, 4);
    add_big(bytes, WRAPPED + size, 4);
    add_big(bytes, 0x7801, 2); /* deflate, a window of 32 KiB, the fastest */
    add_big(bytes, 1, 1);
    add_big(bytes, swapped, 2);
    add_big(bytes, ~swapped, 2);
    size_t begin = bytes->length;
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
    add_big(bytes, adler32(bytes, begin), 4);
    buffer_free(&counts);
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
hdr_line(struct buffer *text, int64_t start, int64_t end,
         const struct histogram *histogram)
{
    struct buffer bytes = {0};
    int64_t most = histogram->count ? histogram_upto(last_bin(histogram)) - 1 : 0;
    int64_t length = end / US - start / US;
    add_encoded(&bytes, histogram);
    buffer_format(text, "%" PRId64 ".%06" PRId64 ",%" PRId64 ".%06" PRId64,
                  start / SECOND, start % SECOND / US, length / 1000000,
                  length % 1000000);
    buffer_format(text, ",%" PRId64 ".%06" PRId64 ",", most / MS, most % MS);
    add_base64(text, &bytes);
    buffer_text(text, "\n");
    text->failed |= bytes.failed;
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
    return job->has_ended && job->progress.total.requests &&
           job->outcome.total.requests == target->before;
}

/* Adds the lines of JOB for the interval that ends at NOW: of each scope that has
 * something new, and of all together unless no time has passed. */
static void
add_interval(struct report *report, const struct job *job, int64_t now)
{
    struct hdr_log *log = report->state;
    struct buffer *text = &report->text;
    struct hdr_target *target = &log->targets[job->index];
    const struct stats *stats = &job->progress.total;
    enum scope scope = is_stale(target, job) ? SCOPES : SCOPE_ALL;
    for (; scope < SCOPES; scope = scope_next(stats, scope)) {
        take_new(&log->own, &target->seen[scope], latencies_of(stats, scope).uncorrected);
        if (!log->own.count && (scope != SCOPE_ALL || now == report->interval_began_at))
            continue;
        buffer_format(text, "Tag=%s%s%s%s,", target->name.text, target->part,
                      scope != SCOPE_ALL ? "#" : "", scope_name(scope));
        hdr_line(text, log->epoch + report->interval_began_at, log->epoch + now,
                 &log->own);
    }
}

static void
close_log(struct report *report)
{
    struct hdr_log *log = report->state;
    for (int i = 0; log && i < report->count; i++)
        buffer_free(&log->targets[i].name);
    free(log);
}

/* Opens a log of all jobs, whose targets are described. */
static void
open_log(struct report *report)
{
    size_t targets = (size_t)report->count * sizeof(struct hdr_target);
    struct hdr_log *log = report->state = calloc(1, sizeof(*log) + targets);
    int64_t start = report->wall_now();
    time_t seconds = (time_t)(start / SECOND);
    char date[32];
    report->text.failed |= !log;
    if (!log)
        return;
    log->epoch = start - report->monotonic_now();
    for (int i = 0; i < report->count; i++) {
        struct buffer *name = &log->targets[i].name;
        int ordinal = job_ordinal(report->jobs, i);
        add_path(name, report->jobs[i].target.description.path);
        if (ordinal > 1)
            buffer_format(name, "#%d", ordinal);
        report->text.failed |= name->failed;
    }
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
    buffer_format(&report->text,
                  HDR_START " " IOPING_VERSION "]\n"
                            "#[Histogram log format version 1.3]\n"
                            "#[StartTime: %" PRId64 ".%03" PRId64
                            " (seconds since epoch), %s]\n"
                            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                            "\"Interval_Compressed_Histogram\"\n",
                  start / SECOND, start % SECOND / MS, date);
}

/* Adds a line for each of these jobs, of what their totals have and no line has had yet,
 * for the interval that ends at NOW; the next begins then, unless it was the LAST. Behind
 * it comes one for each other scope (stats/percentile.h) of which there is something new;
 * its tag ends in the scope's name. */
static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    now = time_later(now, report->interval_began_at);
    for (int i = 0; report->interval_began_at && i < count; i++)
        add_interval(report, &jobs[i], now);
    if (report->interval_began_at)
        report->interval_began_at = last ? 0 : now;
}

static void
begin_part(struct report *report, const struct job *job, const struct run_part *part)
{
    struct hdr_log *log = report->state;
    struct hdr_target *target = &log->targets[job->index];
    tick(report, job, 1, job->outcome.ended_at, true);
    target->before = job->outcome.total.requests;
    for (int i = 0; i < SCOPES; i++)
        if (target->seen[i].count)
            memset(&target->seen[i], 0, sizeof(target->seen[i]));
    snprintf(target->part, sizeof(target->part), "#%s", part->name);
}

const struct report_format report_hdr = {
    .open = open_log, .part = begin_part, .tick = tick, .close = close_log};
