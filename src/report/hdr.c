/*
 * A log of histograms in the format that the tools of HdrHistogram share (-hdr): one line
 * for each interval, target and scope (all requests, one operation, a part of their
 * time).
 *
 *   Tag=TARGET[#PART][#SCOPE],START,LENGTH,MAX,HISTOGRAM
 *
 * START and LENGTH are in s, MAX is in ms.
 *
 * Sources: the javadoc of org.HdrHistogram.HistogramLogReader, version 1.3, for the
 * lines; encodeIntoCompressedByteBuffer of AbstractHistogram for the histogram, "V2
 * compressed". The layers of HISTOGRAM, from the outside:
 *
 *   base64 (RFC 4648)
 *     COMPRESSED, size
 *     a zlib stream (RFC 1950) with one stored block (RFC 1951)
 *       ENCODED, size, five further numbers
 *       the count of each bin as a ZigZag LEB128 number; one number -N for N empty bins
 *
 * The block is stored, not deflated; every inflater reads such a block.
 *
 * Bins. A histogram of HdrHistogram with two significant digits has 128 bins in each
 * octave, as ours have, so each of our bins has its count at the same index. The bins
 * differ in which bound they include: theirs are a <= v < b, ours are a < v <= b. A count
 * of ours thus reads as one of values that are up to 1 ns smaller:
 * - From 256 ns on, a value at the upper bound b of a bin reads as b - 1. The middle of a
 *   bin, which we report as percentiles, is their median equivalent value, and the upper
 *   bound less 1 ns is their highest equivalent value.
 * - Below 256 ns a bin has a single value, which reads as 1 ns less than ours.
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

/* The cookies of the two layers. Their last digit but one is 1: counts have variable
 * length (LEB128). */
#define COMPRESSED 0x1c849314
#define ENCODED 0x1c849313
#define DIGITS 2                 /* significant digits of values */
#define RATIO 0x3ff0000000000000 /* the bits of the double 1.0: values are not scaled */
#define COUNT_MOST 9             /* bytes of the longest count */
#define STORED_MOST 65535        /* bytes of the largest stored block */
#define HEAD 40                  /* bytes of the inner layer before the counts */
#define WRAPPED 11               /* bytes of the zlib stream around its block */

_Static_assert(HEAD + HISTOGRAM_BINS * COUNT_MOST <= STORED_MOST, "one block has it all");

/* The log of one target. */
struct hdr_target {
    /* its path as in a URI, with a number if an earlier target has the same path */
    struct buffer name;
    /* "#" and the name of the current step or phase; empty if there is none */
    char part[48];
    uint64_t before; /* requests of the run until the current part began */
    /* The counts that the lines of this part have had so far. Histograms of scopes
     * without requests are never written to, so their pages take no memory. */
    struct histogram seen[SCOPES];
};

struct hdr_log {
    int64_t epoch;                   /* wall clock minus monotonic clock, in ns */
    struct histogram line_histogram; /* the counts of the line that is being made */
    struct hdr_target targets[];     /* in the order of the jobs */
};

/* Adds the low SIZE bytes of NUMBER, in big-endian order. */
static void
add_big(struct buffer *bytes, uint64_t number, int size)
{
    while (size-- > 0)
        buffer_add(bytes, &(char){(char)(number >> 8 * size)}, 1);
}

/* Adds one number of the counts in ZigZag LEB128: COUNT, or if negative, the number of
 * empty bins in a row. Each byte has seven bits, low bits first, and a flag that more
 * follow; a ninth byte is always the last and has eight bits. */
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

/* Returns the index of the last bin with a count; 0 if the histogram is empty. */
static int
last_bin(const struct histogram *histogram)
{
    int last = HISTOGRAM_BINS - 1;
    while (last > 0 && !histogram->bins[last])
        last--;
    return last;
}

/* Adds the counts of all bins up to the last one that is not empty. */
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

/* Returns the Adler-32 checksum (RFC 1950, section 9) of BYTES from index BEGIN on. */
static uint32_t
adler32(const struct buffer *bytes, size_t begin)
{
    uint32_t a = 1;
    uint32_t b = 0;

    for (size_t i = begin; i < bytes->length; i++) {
        a = (a + (unsigned char)bytes->text[i]) % 65521;
        b = (b + a) % 65521;
    }

    return b << 16 | a;
}

/* Adds the two binary layers of HISTOGRAM. The zlib stream has one block, marked as its
 * last; the size of the block stands there twice, the second time inverted, each in
 * little-endian order. */
static void
add_encoded(struct buffer *bytes, const struct histogram *histogram)
{
    struct buffer counts = {0};
    add_counts(&counts, histogram);
    uint64_t size = HEAD + counts.length;
    uint64_t swapped = (size & 0xff) << 8 | size >> 8;

    add_big(bytes, COMPRESSED, 4);
    add_big(bytes, WRAPPED + size, 4);
    add_big(bytes, 0x7801, 2); /* deflate, window of 32 KiB, fastest level */
    add_big(bytes, 1, 1);      /* final block, stored */
    add_big(bytes, swapped, 2);
    add_big(bytes, ~swapped, 2);

    size_t begin = bytes->length;
    add_big(bytes, ENCODED, 4);
    add_big(bytes, counts.length, 4);
    add_big(bytes, 0, 4); /* offset of the indices */
    add_big(bytes, DIGITS, 4);
    add_big(bytes, 1, 8); /* lowest value that differs from 0 */
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

/* Adds PATH, which is not empty, with percent escapes as in a URI (RFC 3986, section
 * 2.1). The tag then has no character that ends a field or a line for any reader, and
 * does not depend on the locale. */
static void
add_path(struct buffer *tag, const char *path)
{
    for (; *path; path++)
        if (*path > ' ' && *path <= '~' && !strchr(",%#", *path))
            buffer_add(tag, path, 1);
        else
            buffer_format(tag, "%%%02X", (unsigned)(unsigned char)*path);
}

/* Stores the counts that TOTAL has and SEEN lacks in OWN, and adds them to SEEN. */
static void
take_new(struct histogram *own, struct histogram *seen, const struct histogram *total)
{
    own->count = 0;

    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        uint64_t now = total->bins[i];
        uint64_t before = seen->bins[i];
        own->bins[i] = now > before ? now - before : 0;
        own->count += own->bins[i];
        if (own->bins[i])
            seen->bins[i] = now;
    }

    seen->count += own->count;
}

/* Returns true if the statistics of JOB are still those of an earlier part, because the
 * current part could not begin. */
static bool
is_stale(const struct hdr_target *target, const struct job *job)
{
    return job->has_ended && job->progress.total.requests &&
           job->outcome.total.requests == target->before;
}

/* Adds the lines of JOB for the interval that ends at NOW, ns, monotonic: one for each
 * scope with new requests. The line of all requests is also written for an interval
 * without requests, unless its length is 0. */
static void
add_interval(struct report *report, const struct job *job, int64_t now)
{
    struct hdr_log *log = report->state;
    struct buffer *text = &report->text;
    struct hdr_target *target = &log->targets[job->index];
    const struct stats *stats = &job->progress.total;
    enum scope scope = is_stale(target, job) ? SCOPES : SCOPE_ALL;

    for (; scope < SCOPES; scope = scope_next(stats, scope)) {
        take_new(&log->line_histogram, &target->seen[scope],
                 latencies_of(stats, scope).uncorrected);

        if (!log->line_histogram.count &&
            (scope != SCOPE_ALL || now == report->interval_began_at))
            continue;
        buffer_format(text, "Tag=%s%s%s%s,", target->name.text, target->part,
                      scope != SCOPE_ALL ? "#" : "", scope_name(scope));
        hdr_line(text, log->epoch + report->interval_began_at, log->epoch + now,
                 &log->line_histogram);
    }
}

/* Frees the log. */
static void
close_log(struct report *report)
{
    struct hdr_log *log = report->state;

    for (int i = 0; log && i < report->job_count; i++)
        buffer_free(&log->targets[i].name);
    free(log);
}

/* Opens a log for all jobs, whose targets are described by now, and adds the head of the
 * file. */
static void
open_log(struct report *report)
{
    size_t targets = (size_t)report->job_count * sizeof(struct hdr_target);
    struct hdr_log *log = report->state = calloc(1, sizeof(*log) + targets);
    int64_t start = report->wall_now();
    time_t seconds = (time_t)(start / SECOND);
    char date[32];

    report->text.failed |= !log;
    if (!log)
        return;

    log->epoch = start - report->monotonic_now();
    for (int i = 0; i < report->job_count; i++) {
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

/* Ends the interval at NOW: adds the lines of COUNT JOBS for the requests that no line
 * has had yet. The next interval begins at NOW, unless LAST: then it begins with the next
 * part (on_due in report.c). */
static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    now = time_later(now, report->interval_began_at);

    for (int i = 0; report->interval_began_at && i < count; i++)
        add_interval(report, &jobs[i], now);

    if (report->interval_began_at)
        report->interval_began_at = last ? 0 : now;
}

/* Ends the last interval of the previous part, and begins to count for PART. */
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
