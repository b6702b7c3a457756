/*
 * Reads raw lines of ioping, and adds each line to the statistics of its row. Accepts
 * only lines of a single request, and lines of no request that counts (for example,
 * because all requests failed). Any other line is refused.
 *
 * The columns of a raw line (ioping-output(5), RAW LINES) are: number of requests that
 * count, sum of their latencies, IOPS, bytes per second, minimum, average and maximum
 * latency, deviation, number of all requests since the line before, and clock time since
 * the line before. The name of a target or phase may follow. All times are ns.
 *
 * A raw line has no time stamp. The request of a line ended at the sum of the clock times
 * of all lines up to and including its own, and it started one latency earlier.
 */
#include "recorded_runs.h"

#include "base/time.h"
#include "base/units.h"
#include "os/process.h"
#include "run/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum field { COUNT, SUM, IOPS, BPS, MIN, AVG, MAX, MDEV, REQUESTS, CLOCK, FIELDS };

#define DIGITS 19            /* decimal digits of INT64_MAX */
#define MOST (INT64_MAX / 2) /* limit of every sum, so that sums cannot overflow */
#define DELETE '\x7f'

/*
 * The series of at most this number of rows are as long as the plan says. Further rows,
 * or all rows if there are more files, get a quarter of that length. This keeps all
 * series together below 45 MiB.
 */
#define ROWS_LONG 8

/* A line, split into columns. Its pointers point into the text of the line. */
struct recorded_line {
    int64_t fields[FIELDS];
    const char *requests_at; /* start of the column REQUESTS */
    const char *label;       /* name of a target or phase; not terminated by NUL */
    size_t length;           /* length of `label`, bytes; 0 if it is absent */
};

int
recorded_runs_open(struct recorded_runs *runs, const struct plan *plan,
                   struct error *error)
{
    memset(runs, 0, sizeof(*runs));

    runs->plan = *plan;
    runs->plan.targets = runs->names;
    runs->plan.target_count = TARGETS_MOST;
    runs->files = plan->target_count;
    if (runs->files > ROWS_LONG)
        runs->plan.statistics.series_capacity /= 4;

    runs->jobs = os_memory_zeroed(TARGETS_MOST * sizeof(struct job));
    if (runs->jobs)
        return 0;
    return error_set(error, EXIT_PREPARE, NULL, "not enough memory for the comparison");
}

void
recorded_runs_begin(struct recorded_runs *runs, const char *path)
{
    runs->path = path;
    runs->first_row = runs->count;
    runs->line_number = 0;
    buffer_clear(&runs->partial_line);
}

const char *
recorded_runs_source(const struct recorded_runs *runs)
{
    return strcmp(runs->path, "-") == 0 ? "standard input" : runs->path;
}

/*
 * Splits the line from AT to END into LINE. The columns must be non-negative integers as
 * "%" PRId64 prints them, without leading zeros. Returns false if they are not.
 */
static bool
read_line(const char *at, const char *end, struct recorded_line *line)
{
    for (int i = 0; i < FIELDS; i++) {
        if (i > 0 && (at == end || *at++ != ' '))
            return false;

        const char *from = at;
        uint64_t value = 0;
        for (; at < end && is_digit(*at) && at - from < DIGITS; at++)
            value = value * 10 + (uint64_t)(*at - '0');

        if (at == from || (*from == '0' && at - from > 1) || value > INT64_MAX)
            return false;

        line->fields[i] = (int64_t)value;
        if (i == REQUESTS)
            line->requests_at = from;
    }

    line->label = at == end ? at : at + 1;
    line->length = (size_t)(end - line->label);
    return at == end || (*at == ' ' && line->length > 0);
}

/* Returns false if the columns contradict each other (for example, minimum > average). */
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

/* Refuses the present line of LENGTH bytes, with a hint if the file is UTF-16. Returns -1
 * with ERROR. */
static int
refuse_line(const struct recorded_runs *runs, const char *bytes, size_t length,
            struct error *error)
{
    bool marked =
        runs->line_number == 1 && length >= 2 &&
        (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);

    error_set(error, EXIT_PREPARE, recorded_runs_source(runs),
              "line %llu: not a raw line%s", (unsigned long long)runs->line_number,
              marked ? ": the file is UTF-16, as PowerShell writes it" : "");
    return error_advise(error, marked ? "record it with cmd, or convert it to UTF-8"
                                      : "ioping -record FILE writes raw lines");
}

/* Returns whether ioping may have printed LABEL. It never prints control characters. */
static bool
is_label(const char *label, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)label[i] < ' ' || label[i] == DELETE)
            return false;
    return true;
}

/* Returns whether all columns are zero: no request was made, and no time passed. No run
 * prints such a line for a target. */
static bool
is_all_zero(const int64_t *fields)
{
    for (int i = 0; i < FIELDS; i++)
        if (fields[i] != 0)
            return false;
    return true;
}

/*
 * Returns whether LINE, the bytes from START to END, consists of the beginning of a line
 * that was cut short and another line behind it.
 *
 * A writer that is killed, or whose disk is full, may stop in the middle of a line. The
 * next line follows without a newline, so the rest of it looks like columns or a label.
 * A label of digits and spaces proves nothing, because a target may be called "2024 01".
 * A line is considered cut only if a complete and consistent line of at most one request
 * begins inside it.
 *
 * If the first line was cut before its ninth column, its columns contradict each other
 * together with those of the next line, and is_consistent has refused it. So the search
 * starts at the ninth column. But two lines of zeros stay consistent wherever the
 * first line was cut. So, if all columns are zero, the search starts at the second byte.
 */
static bool
is_cut(const char *start, const char *end, const struct recorded_line *line)
{
    struct recorded_line next;
    if (line->length == 0)
        return false;

    const char *at = is_all_zero(line->fields) ? start + 1 : line->requests_at;
    for (; at < end; at++)
        if (is_digit(*at) && read_line(at, end, &next) && next.fields[COUNT] <= 1 &&
            is_consistent(next.fields))
            return true;
    return false;
}

/*
 * Returns the index of the row of LINE, or -1 with ERROR. Makes the row if it is absent.
 */
static int
find_row(struct recorded_runs *runs, const struct recorded_line *line,
         struct error *error)
{
    struct job *job = &runs->jobs[runs->count];

    for (int i = runs->first_row; i < runs->count; i++)
        if (strncmp(runs->labels[i], line->label, line->length) == 0 &&
            runs->labels[i][line->length] == '\0')
            return i;

    if (runs->count == TARGETS_MOST)
        return error_set(
            error, EXIT_PREPARE, recorded_runs_source(runs),
            "line %llu: more than %d targets in all; compare fewer at a time",
            (unsigned long long)runs->line_number, TARGETS_MOST);

    if (runs->count == ROWS_LONG && runs->files <= ROWS_LONG)
        runs->plan.statistics.series_capacity /= 4;

    char *label = runs->labels[runs->count] = calloc(1, line->length + 1);
    if (!label || job_init(job, &runs->plan, runs->count) < 0)
        return error_set(error, EXIT_PREPARE, NULL,
                         "not enough memory for the comparison");

    memcpy(label, line->label, line->length);
    job->stats = &job->outcome.total;
    if (job->track)
        track_start(job->track, 0, 0);
    return runs->count++;
}

/* Adds the columns of a line to JOB. Returns false if a sum would exceed MOST. */
static bool
add_fields(struct job *job, const int64_t *fields)
{
    struct stats *total = &job->outcome.total;
    int64_t latency = fields[SUM];
    int64_t requests = fields[REQUESTS];
    double bytes = (double)fields[BPS] * (double)latency / 1e9 + 0.5;

    if (fields[CLOCK] > MOST - job->outcome.duration ||
        latency > MOST - total->latency.sum ||
        requests > MOST - (int64_t)total->requests ||
        bytes > (double)(MOST - total->bytes))
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

/*
 * Adds the next line, of LENGTH bytes without its newline; a carriage return at its end
 * is ignored. Returns 0, or -1 with ERROR.
 */
static int
add_raw_line(struct recorded_runs *runs, const char *bytes, size_t length,
             struct error *error)
{
    struct recorded_line line;

    runs->line_number++;
    if (length > 0 && bytes[length - 1] == '\r')
        length--;
    if (length > RECORDED_LINE || !read_line(bytes, bytes + length, &line) ||
        !is_label(line.label, line.length) || !is_consistent(line.fields) ||
        is_cut(bytes, bytes + length, &line))
        return refuse_line(runs, bytes, length, error);

    if (line.fields[COUNT] > 1) {
        long long count = line.fields[COUNT];
        return error_set(error, EXIT_PREPARE, recorded_runs_source(runs),
                         "line %llu is about %lld requests, as -p %lld prints, but "
                         "percentiles need a line for each; record with -record FILE",
                         (unsigned long long)runs->line_number, count, count);
    }

    int row = find_row(runs, &line, error);
    if (row < 0)
        return -1;
    return add_fields(&runs->jobs[row], line.fields)
               ? 0
               : refuse_line(runs, bytes, length, error);
}

/*
 * Appends SIZE BYTES to the line whose end is not read yet. Returns 0, or -1 with ERROR.
 */
static int
store_partial_line(struct recorded_runs *runs, const char *bytes, size_t size,
                   struct error *error)
{
    struct buffer *begun = &runs->partial_line;

    buffer_add(begun, bytes, size);
    if (begun->failed)
        return error_set(error, EXIT_PREPARE, NULL,
                         "not enough memory for the comparison");

    if (begun->length <= RECORDED_LINE + 1) /* one more for a carriage return */
        return 0;

    runs->line_number++;
    return refuse_line(runs, begun->text, begun->length, error);
}

int
recorded_runs_add(struct recorded_runs *runs, const char *bytes, size_t size,
                  struct error *error)
{
    struct buffer *begun = &runs->partial_line;
    const char *end = bytes + size;
    const char *newline;

    for (; (newline = memchr(bytes, '\n', (size_t)(end - bytes))); bytes = newline + 1) {
        size_t length = (size_t)(newline - bytes);
        if (begun->length == 0) {
            if (add_raw_line(runs, bytes, length, error) < 0)
                return -1;
            continue;
        }

        if (store_partial_line(runs, bytes, length, error) < 0 ||
            add_raw_line(runs, begun->text, begun->length, error) < 0)
            return -1;
        buffer_clear(begun);
    }

    return bytes == end ? 0
                        : store_partial_line(runs, bytes, (size_t)(end - bytes), error);
}

int
recorded_runs_end(struct recorded_runs *runs, struct error *error)
{
    struct buffer *begun = &runs->partial_line;

    if (begun->length && add_raw_line(runs, begun->text, begun->length, error) < 0)
        return -1;
    buffer_clear(begun);

    if (runs->line_number == 0)
        return error_set(error, EXIT_PREPARE, recorded_runs_source(runs),
                         "is empty; ioping -record FILE writes raw lines");

    bool several = runs->count - runs->first_row > 1;
    for (int i = runs->first_row; i < runs->count; i++) {
        char *label = runs->labels[i];
        bool named = several && *label;

        if (named && runs->files > 1) {
            size_t size = strlen(runs->path) + strlen(label) + sizeof(": ");
            runs->labels[i] = malloc(size);
            if (runs->labels[i])
                snprintf(runs->labels[i], size, "%s: %s", runs->path, label);
            free(label);
            if (!runs->labels[i])
                return error_set(error, EXIT_PREPARE, NULL,
                                 "not enough memory for the comparison");
        }
        runs->names[i] = named ? runs->labels[i] : runs->path;
    }
    return 0;
}

void
recorded_runs_finish(struct recorded_runs *runs)
{
    runs->plan.target_count = runs->count;
    runs->plan.path = runs->names[0];

    for (int i = 0; i < runs->count; i++) {
        struct job *job = &runs->jobs[i];

        job->target_count = job->plan.target_count = runs->count;
        job->plan.path = job->active_plan.path = runs->names[i];
        job->target.description =
            (struct description){.path = runs->names[i], .is_recorded = true};
        job->outcome.target = job_name(job);
        job->outcome.is_recorded = true;
        job->has_ended = true;
    }
}

void
recorded_runs_close(struct recorded_runs *runs)
{
    for (int i = 0; i < runs->count; i++)
        job_free(&runs->jobs[i]);
    for (int i = 0; i < TARGETS_MOST; i++)
        free(runs->labels[i]);

    os_memory_release(runs->jobs, TARGETS_MOST * sizeof(struct job));
    buffer_free(&runs->partial_line);
    memset(runs, 0, sizeof(*runs));
}
