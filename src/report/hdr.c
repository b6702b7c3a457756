/*
 * A log of histograms in the format of HdrHistogram, which many tools read (-hdr). Each
 * interval has a line for each target and scope. A scope is all requests, one operation,
 * or a part of the time of requests.
 *
 *   Tag=TARGET[#PART][#SCOPE],START,LENGTH,MAX,HISTOGRAM
 *
 * PART is the step or phase. START and LENGTH are in s, MAX is in ms.
 *
 * Sources: for the lines, the javadoc of org.HdrHistogram.HistogramLogReader, version
 * 1.3; for the histogram, encodeIntoCompressedByteBuffer of AbstractHistogram, the
 * encoding "V2 compressed". The layers of HISTOGRAM, from the outside:
 *
 *   base64 (RFC 4648)
 *     COMPRESSED, size
 *     a zlib stream (RFC 1950) with one stored block (RFC 1951)
 *       ENCODED, size, five further numbers
 *       the count of each bin as a ZigZag LEB128 number; one number -N for N empty bins
 *
 * The block is stored, not compressed. Every program that can decompress zlib reads such
 * a block.
 *
 * Bins. A histogram of HdrHistogram with two significant digits has 128 bins in each
 * octave. A histogram of ioping has the same bins at the same indices. The two histograms
 * differ only in which of its two bounds a bin includes. The values v of a bin from a to
 * b are
 *
 *   a <= v < b in HdrHistogram
 *   a < v <= b in ioping
 *
 * Therefore values appear up to 1 ns smaller to the reader of a log:
 * - From 256 ns on, a value at the upper bound b of a bin appears as b - 1. The middle of
 *   a bin, which ioping reports as a percentile, is the median equivalent value of
 *   HdrHistogram. The upper bound minus 1 ns is the highest equivalent value of
 *   HdrHistogram.
 * - Below 256 ns a bin has a single value, which appears 1 ns smaller.
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

/* The magic numbers ("cookies") of the two layers. The digit 1 before the last digit says
 * that counts have a variable length (LEB128). */
#define COMPRESSED 0x1c849314
#define ENCODED 0x1c849313
#define DIGITS 2                 /* significant digits of values */
#define RATIO 0x3ff0000000000000 /* the bits of the double 1.0: values are not scaled */
#define MAX_COUNT_SIZE 9         /* bytes of the longest count */
#define MAX_STORED_SIZE 65535    /* bytes of the largest stored block */
#define HEAD_SIZE 40             /* bytes before the counts in the layer ENCODED */
#define WRAPPER_SIZE 11          /* bytes that zlib adds to the content of one block */

_Static_assert(HEAD_SIZE + HISTOGRAM_BINS * MAX_COUNT_SIZE <= MAX_STORED_SIZE,
               "any histogram fits into one block");

/* The log of one target. */
struct hdr_target {
    /* path of the target, with percent escapes. If targets have the same path, a number
     * such as "#2" follows the path of each but the first. */
    struct buffer name;
    /* "#" and the name of the current step or phase; empty without steps and phases */
    char part[48];
    /* number of requests of the job in all earlier steps or phases */
    uint64_t requests_before;
    /* For each scope, the counts that are in the log already. They are counts of the
     * current step or phase. If a scope has no requests, its histogram is never written
     * to, so that its pages take no memory. */
    struct histogram logged[SCOPES];
};

struct hdr_log {
    int64_t epoch;                   /* wall clock minus monotonic clock, in ns */
    struct histogram line_histogram; /* the counts of the line that is being made */
    struct hdr_target targets[];     /* one for each job, in their order */
};

/* Adds the low SIZE bytes of NUMBER, in big-endian order. */
static void
add_big_endian(struct buffer *bytes, uint64_t number, int size)
{
    while (size-- > 0)
        buffer_add(bytes, &(char){(char)(number >> 8 * size)}, 1);
}

/*
 * Adds COUNT in ZigZag LEB128: the count of a bin or, if negative, minus the number of
 * empty bins in a row. Each byte has seven bits of the number, from the low bits up, and
 * a flag in its top bit if a further byte follows. A ninth byte is always the last, so it
 * has eight bits of the number and no flag.
 */
static void
add_leb128(struct buffer *bytes, int64_t count)
{
    /* ZigZag: the sign goes into the lowest bit, so that small negative numbers are short
     * too. */
    uint64_t doubled = (uint64_t)count << 1;
    uint64_t bits = count < 0 ? ~doubled : doubled;

    for (int i = 1; i < MAX_COUNT_SIZE && bits > 0x7f; i++) {
        add_big_endian(bytes, bits | 0x80, 1);
        bits >>= 7;
    }

    add_big_endian(bytes, bits, 1);
}

/* Returns the index of the last bin that is not empty. Returns 0 if all are empty. */
static int
last_bin(const struct histogram *histogram)
{
    int last = HISTOGRAM_BINS - 1;
    while (last > 0 && !histogram->bins[last])
        last--;
    return last;
}

/* Adds the counts of all bins up to the last bin that is not empty. Empty bins in a row
 * are added as one negative number. */
static void
add_bin_counts(struct buffer *bytes, const struct histogram *histogram)
{
    int end = last_bin(histogram) + 1;
    int bin = 0;

    while (bin < end) {
        int empty_count = 0;
        while (bin < end && histogram->bins[bin] == 0) {
            empty_count++;
            bin++;
        }

        if (empty_count > 0) {
            add_leb128(bytes, -empty_count);
        } else {
            add_leb128(bytes, (int64_t)histogram->bins[bin]);
            bin++;
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

/* Adds HISTOGRAM as the layers COMPRESSED and ENCODED (see the top). The zlib stream has
 * only one block. The size of the content stands twice in front of the content, the
 * second time with all bits inverted. Both sizes are in little-endian order (RFC 1951,
 * section 3.2.4). */
static void
add_encoded(struct buffer *bytes, const struct histogram *histogram)
{
    struct buffer counts = {0};
    add_bin_counts(&counts, histogram);
    uint64_t size = HEAD_SIZE + counts.length;
    uint64_t swapped_size = (size & 0xff) << 8 | size >> 8;

    add_big_endian(bytes, COMPRESSED, 4);
    add_big_endian(bytes, WRAPPER_SIZE + size, 4);
    /* the header of zlib: deflate, window of 32 KiB, fastest level */
    add_big_endian(bytes, 0x7801, 2);
    add_big_endian(bytes, 1, 1); /* this block is the last one, and is stored */
    add_big_endian(bytes, swapped_size, 2);
    add_big_endian(bytes, ~swapped_size, 2);

    size_t begin = bytes->length;
    add_big_endian(bytes, ENCODED, 4);
    add_big_endian(bytes, counts.length, 4);
    add_big_endian(bytes, 0, 4); /* normalizing index offset: bins are not shifted */
    add_big_endian(bytes, DIGITS, 4);
    add_big_endian(bytes, 1, 8); /* lowest value that is distinguished from 0 */
    add_big_endian(bytes, HISTOGRAM_MAX_LATENCY - 1, 8); /* highest value */
    add_big_endian(bytes, RATIO, 8);
    if (counts.text)
        buffer_add(bytes, counts.text, counts.length);
    bytes->failed |= counts.failed;

    add_big_endian(bytes, adler32(bytes, begin), 4);
    buffer_free(&counts);
}

/* Adds BYTES in base64 (RFC 4648, section 4): each 3 bytes become 4 digits. If the last
 * group has fewer than 3 bytes, "=" stands for the missing digits. */
static void
add_base64(struct buffer *text, const struct buffer *bytes)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < bytes->length; i += 3) {
        size_t available = bytes->length - i;
        uint32_t bits = 0;
        char group[4];

        for (size_t k = 0; k < 3; k++) {
            bits <<= 8;
            if (k < available)
                bits |= (unsigned char)bytes->text[i + k];
        }
        /* A group of N bytes has N + 1 digits. */
        for (size_t k = 0; k < 4; k++)
            group[k] = k <= available ? digits[bits >> (18 - 6 * k) & 63] : '=';
        buffer_add(text, group, 4);
    }
}

void
hdr_line(struct buffer *text, int64_t start, int64_t end,
         const struct histogram *histogram)
{
    struct buffer bytes = {0};
    /* The highest value, as it appears to a reader of the log (see the top). */
    int64_t max = histogram->count ? histogram_upto(last_bin(histogram)) - 1 : 0;
    /* START and END are rounded down to whole us, so that intervals join without gaps. */
    int64_t length_us = end / US - start / US;

    add_encoded(&bytes, histogram);
    buffer_format(text, "%" PRId64 ".%06" PRId64 ",%" PRId64 ".%06" PRId64,
                  start / SECOND, start % SECOND / US, length_us / 1000000,
                  length_us % 1000000);

    buffer_format(text, ",%" PRId64 ".%06" PRId64 ",", max / MS, max % MS);
    add_base64(text, &bytes);
    buffer_text(text, "\n");

    text->failed |= bytes.failed;
    buffer_free(&bytes);
}

/* Adds PATH, which is not empty, with percent escapes as in a URI (RFC 3986, section
 * 2.1). The escapes leave only printable ASCII characters in the tag, and none that a
 * reader could take for the end of a field or line. */
static void
add_percent_escaped(struct buffer *tag, const char *path)
{
    for (; *path; path++) {
        if (*path > ' ' && *path <= '~' && !strchr(",%#", *path))
            buffer_add(tag, path, 1);
        else
            buffer_format(tag, "%%%02X", (unsigned)(unsigned char)*path);
    }
}

/* Stores in DIFFERENCE the counts of TOTAL that are not in the log yet. Then adds
 * DIFFERENCE to LOGGED, the counts that are in the log already. */
static void
take_new_counts(struct histogram *difference, struct histogram *logged,
                const struct histogram *total)
{
    difference->count = 0;

    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        uint64_t count = total->bins[i];
        uint64_t logged_count = logged->bins[i];

        difference->bins[i] = count > logged_count ? count - logged_count : 0;
        difference->count += difference->bins[i];
        if (difference->bins[i])
            logged->bins[i] = count;
    }

    logged->count += difference->count;
}

/* Returns true if the current step or phase of JOB could not begin. The statistics of JOB
 * are then still the statistics of an earlier step or phase. */
static bool
is_stale(const struct hdr_target *target, const struct job *job)
{
    return job->has_ended && job->progress.total.requests &&
           job->outcome.total.requests == target->requests_before;
}

/*
 * Adds the lines of JOB for the interval that ends at NOW (ns, monotonic): a line for
 * each scope that has new requests. SCOPE_ALL has a line even without new requests, so
 * that the log shows the interval. An interval of length 0 has no such line.
 */
static void
add_interval_lines(struct report *report, const struct job *job, int64_t now)
{
    struct hdr_log *log = report->state;
    struct buffer *text = &report->text;
    struct hdr_target *target = &log->targets[job->index];
    const struct stats *stats = &job->progress.total;

    if (is_stale(target, job))
        return;

    for (enum scope scope = SCOPE_ALL; scope < SCOPES; scope = scope_next(stats, scope)) {
        bool may_be_empty = scope == SCOPE_ALL && now != report->interval_began_at;

        take_new_counts(&log->line_histogram, &target->logged[scope],
                        latencies_of(stats, scope).uncorrected);
        if (!log->line_histogram.count && !may_be_empty)
            continue;

        buffer_format(text, "Tag=%s%s%s%s,", target->name.text, target->part,
                      scope != SCOPE_ALL ? "#" : "", scope_name(scope));
        hdr_line(text, log->epoch + report->interval_began_at, log->epoch + now,
                 &log->line_histogram);
    }
}

/* Frees the log. */
static void
hdr_close(struct report *report)
{
    struct hdr_log *log = report->state;

    if (!log)
        return;

    for (int i = 0; i < report->job_count; i++)
        buffer_free(&log->targets[i].name);
    free(log);
}

/* Allocates the log of all jobs, and adds the head of the file. The descriptions of all
 * targets must be known. */
static void
hdr_open(struct report *report)
{
    size_t targets_size = (size_t)report->job_count * sizeof(struct hdr_target);
    struct hdr_log *log = calloc(1, sizeof(*log) + targets_size);
    int64_t start = report->wall_now();
    time_t seconds = (time_t)(start / SECOND);
    char date[32];

    report->state = log;
    if (!log) {
        report->text.failed = true;
        return;
    }

    log->epoch = start - report->monotonic_now();
    for (int i = 0; i < report->job_count; i++) {
        struct buffer *name = &log->targets[i].name;
        int ordinal = job_path_ordinal(report->jobs, i);

        add_percent_escaped(name, report->jobs[i].target.description.path);
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

/*
 * Ends the interval at NOW (ns, monotonic): adds the lines of COUNT JOBS for the requests
 * that are not in the log yet. If LAST is false, the next interval begins at NOW. If LAST
 * is true, the next interval begins with the next step or phase, if there is one
 * (`next_tick` of struct run_observer). If no interval has begun yet, does nothing.
 */
static void
hdr_tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    if (!report->interval_began_at)
        return;

    now = time_later(now, report->interval_began_at);
    for (int i = 0; i < count; i++)
        add_interval_lines(report, &jobs[i], now);

    report->interval_began_at = last ? 0 : now;
}

/* Ends the last interval of the previous step or phase. Then begins to count for PART,
 * the step or phase that begins now. */
static void
hdr_part(struct report *report, const struct job *job, const struct run_part *part)
{
    struct hdr_log *log = report->state;
    struct hdr_target *target = &log->targets[job->index];

    hdr_tick(report, job, 1, job->outcome.ended_at, true);
    target->requests_before = job->outcome.total.requests;
    for (int i = 0; i < SCOPES; i++) {
        /* Histograms that were never used stay untouched (see struct hdr_target). */
        if (target->logged[i].count)
            memset(&target->logged[i], 0, sizeof(target->logged[i]));
    }

    snprintf(target->part, sizeof(target->part), "#%s", part->name);
}

const struct report_format report_hdr = {
    .open = hdr_open, .part = hdr_part, .tick = hdr_tick, .close = hdr_close};
