/*
 * Reads raw lines of ioping, and adds each line to the statistics of its row. A line is
 * accepted only if at most one of its requests counts. In some lines no request counts,
 * for example because all requests of the line failed.
 *
 * The columns of a raw line (ioping-output(5), RAW LINES) are: number of requests that
 * count, that is, are in the statistics; sum of their latencies; IOPS; bytes per second;
 * minimum, average and maximum latency; standard deviation; number of all requests since
 * the previous line; and clock time since the previous line. The name of a target or
 * phase may follow. All times are in ns.
 *
 * A raw line has no time stamp. The request of a line ended at the sum of the clock times
 * of all lines up to and including this line, and it started one latency earlier.
 */
#include "recorded_raw.h"

#include "base/time.h"
#include "base/units.h"
#include "recorded_rows.h"
#include "run/job.h"

#include <stdio.h>
#include <string.h>

enum field { COUNT, SUM, IOPS, BPS, MIN, AVG, MAX, MDEV, REQUESTS, CLOCK, FIELDS };

#define DIGITS 19     /* decimal digits of INT64_MAX */
#define SHOWN 16      /* bytes of a line that a message quotes */
#define DELETE '\x7f' /* the only control character above the printable ones */

/* A line, split into columns. Its pointers point into the text of the line. */
struct recorded_line {
    int64_t fields[FIELDS];    /* the first ten columns, by enum field */
    const char *requests_text; /* beginning of the column REQUESTS */
    const char *label;         /* name of a target or phase; not terminated by NUL */
    size_t label_length;       /* bytes; 0 if the line has no label */
};

/*
 * Splits the line from AT to END into LINE. The first ten columns must be non-negative
 * integers as "%" PRId64 prints them, without leading zeros. Returns false if they are
 * not, or if a label is empty.
 */
static bool
split_line(const char *at, const char *end, struct recorded_line *line)
{
    for (int i = 0; i < FIELDS; i++) {
        if (i > 0) {
            if (at == end || *at != ' ')
                return false;
            at++;
        }

        const char *digits = at;
        uint64_t value = 0;
        while (at < end && is_digit(*at) && at - digits < DIGITS) {
            value = value * 10 + (uint64_t)(*at - '0');
            at++;
        }

        if (at == digits || value > INT64_MAX)
            return false;
        if (*digits == '0' && at - digits > 1) /* a leading zero */
            return false;

        line->fields[i] = (int64_t)value;
        if (i == REQUESTS)
            line->requests_text = digits;
    }

    if (at == end) {
        line->label = end;
        line->label_length = 0;
        return true;
    }

    line->label = at + 1;
    line->label_length = (size_t)(end - line->label);
    return *at == ' ' && line->label_length > 0;
}

/* Returns whether the ten columns of a raw line can be true together. They cannot if, for
 * example, the minimum latency is above the average. */
static bool
is_consistent(const int64_t *fields)
{
    int64_t sum = fields[SUM];

    if (fields[REQUESTS] < fields[COUNT])
        return false;
    if (fields[COUNT] > 1)
        return fields[MIN] <= fields[AVG] && fields[AVG] <= fields[MAX] &&
               fields[MAX] <= sum;
    if (fields[COUNT] == 0 && (sum || fields[IOPS] || fields[BPS]))
        return false;
    return fields[MIN] == sum && fields[AVG] == sum && fields[MAX] == sum &&
           fields[MDEV] == 0;
}

/* Returns whether the LENGTH bytes at BYTES begin with two columns of digits, like a raw
 * line that was damaged. */
static bool
begins_with_numbers(const char *bytes, size_t length)
{
    size_t digits = 0;
    while (digits < length && is_digit(bytes[digits]))
        digits++;
    return digits > 0 && digits + 1 < length && bytes[digits] == ' ' &&
           is_digit(bytes[digits + 1]);
}

/*
 * Writes into TEXT, a buffer of SIZE bytes, what the first line of a file is, such as
 * "begins with 'date,value'". The line has LENGTH bytes at BYTES.
 */
static void
describe_line(const char *bytes, size_t length, char *text, size_t size)
{
    bool is_binary = false;
    int shown = SHOWN;

    /* Do not cut a UTF-8 character. */
    while ((int)length > shown && shown > 0 && (bytes[shown] & 0xc0) == 0x80)
        shown--;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\r')
            is_binary = true;

    if (length == 0)
        snprintf(text, size, "is empty");
    else if (is_binary)
        snprintf(text, size, "is binary");
    else if (length <= SHOWN)
        snprintf(text, size, "is '%.*s'", (int)length, bytes);
    else
        snprintf(text, size, "begins with '%.*s'", shown, bytes);
}

/* Refuses a file whose first line, of LENGTH bytes at BYTES, has no format that -compare
 * reads. Always returns -1, with ERROR. */
static int
refuse_format(const char *source, const char *bytes, size_t length, struct error *error)
{
    char found[SHOWN + 32];

    describe_line(bytes, length, found, sizeof(found));
    error_set(error, EXIT_PREPARE, source,
              "has neither raw lines, nor JSON, nor an HdrHistogram log: line 1 %s",
              found);
    return error_advise(error, "name a file that -record, -J or -hdr has written");
}

int
recorded_raw_refuse(const struct recorded_runs *runs, const char *bytes, size_t length,
                    struct error *error)
{
    const char *source = recorded_source(runs);
    unsigned long long number = runs->line_number;

    bool is_utf16 =
        number == 1 && length >= 2 &&
        (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
    if (is_utf16) {
        error_set(
            error, EXIT_PREPARE, source,
            "line %llu: not a raw line: the file is UTF-16, as PowerShell writes it",
            number);
        return error_advise(error, "record it with cmd, or convert it to UTF-8");
    }

    if (number == 1 && !begins_with_numbers(bytes, length))
        return refuse_format(source, bytes, length, error);

    error_set(error, EXIT_PREPARE, source, "line %llu: not a raw line", number);
    if (number > 1)
        return error_advise(error, "remove this line, or record the run again");
    return error_advise(error, "ioping -record FILE writes raw lines");
}

/* Returns whether LABEL, of LENGTH bytes, has no control characters. ioping never prints
 * any in a raw line. */
static bool
is_label(const char *label, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)label[i] < ' ' || label[i] == DELETE)
            return false;
    return true;
}

/* Returns whether all ten columns are zero: no request was made, and no time passed. No
 * run prints such a line for a target. */
static bool
is_all_zero(const int64_t *fields)
{
    for (int i = 0; i < FIELDS; i++)
        if (fields[i] != 0)
            return false;
    return true;
}

/*
 * Returns whether the bytes from START to END, which were split into LINE, are in fact
 * two lines: the beginning of a line that was cut short, and behind it a complete line.
 *
 * A writer that is killed, or whose disk is full, may stop in the middle of a line. The
 * next line then follows without a newline, so its columns look like the missing columns
 * and the label of the first line. A label of digits and spaces alone proves nothing,
 * because a target may be called "2024 01". So this function returns true only if a
 * complete and consistent line begins somewhere between START and END. This line must be
 * about one request, or about none.
 *
 * The search starts at the ninth column. It need not start earlier: if the first line was
 * cut before that column, its own columns contradict those of the next line, and
 * is_consistent has already refused the line. There is one exception: if all columns are
 * zero, nothing contradicts, wherever the first line was cut. Then the search starts at
 * the second byte.
 */
static bool
is_joined(const char *start, const char *end, const struct recorded_line *line)
{
    struct recorded_line next;
    if (line->label_length == 0)
        return false;

    const char *at = is_all_zero(line->fields) ? start + 1 : line->requests_text;
    for (; at < end; at++)
        if (is_digit(*at) && split_line(at, end, &next) && next.fields[COUNT] <= 1 &&
            is_consistent(next.fields))
            return true;
    return false;
}

/* Adds the ten columns of a line to the statistics of JOB. Returns false if a sum would
 * exceed RECORDED_MAX_SUM. */
static bool
record_fields(struct job *job, const int64_t *fields)
{
    struct stats *total = &job->outcome.total;
    int64_t latency = fields[SUM];
    int64_t requests = fields[REQUESTS];
    double bytes = (double)fields[BPS] * (double)latency / 1e9 + 0.5;

    if (fields[CLOCK] > RECORDED_MAX_SUM - job->outcome.duration ||
        latency > RECORDED_MAX_SUM - total->latency.sum ||
        requests > RECORDED_MAX_SUM - (int64_t)total->requests ||
        bytes > (double)(RECORDED_MAX_SUM - total->bytes))
        return false;

    job->outcome.duration += fields[CLOCK];
    total->requests += (uint64_t)(requests - fields[COUNT]);
    if (!fields[COUNT])
        return true;

    const struct sample sample = {.start = time_later(job->outcome.duration - latency, 0),
                                  .latency = latency,
                                  .size = (int64_t)bytes,
                                  .bytes = (int64_t)bytes,
                                  .verdict = VERDICT_NONE};

    stats_record(total, &sample);
    series_record(&job->series, sample.start, sample.latency);
    if (job->track)
        track_record(job->track, &sample);
    return true;
}

int
recorded_raw_line(struct recorded_runs *runs, const char *bytes, size_t length,
                  struct error *error)
{
    struct recorded_line line;

    if (length > 0 && bytes[length - 1] == '\r')
        length--;
    if (length > RECORDED_LINE || !split_line(bytes, bytes + length, &line) ||
        !is_label(line.label, line.label_length) || !is_consistent(line.fields) ||
        is_joined(bytes, bytes + length, &line)) {
        runs->is_malformed = true;
        return recorded_raw_refuse(runs, bytes, length, error);
    }

    if (line.fields[COUNT] > 1) {
        long long count = line.fields[COUNT];
        return error_set(error, EXIT_PREPARE, recorded_source(runs),
                         "line %llu is about %lld requests, as -p %lld prints, but "
                         "percentiles need a line for each; record with -record FILE",
                         (unsigned long long)runs->line_number, count, count);
    }

    int row = recorded_row(runs, line.label, line.label_length, error);
    if (row < 0)
        return -1;
    if (!record_fields(&runs->jobs[row], line.fields))
        return recorded_raw_refuse(runs, bytes, length, error);
    return 0;
}
