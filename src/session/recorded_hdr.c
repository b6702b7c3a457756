/*
 * Reads a log of histograms in the format of HdrHistogram, and adds each histogram to the
 * statistics of its row. src/report/hdr.c describes the lines. Logs of other programs may
 * lack tags and comments, and may have any resolution.
 *
 * Values. The middle of a bin (its median equivalent value in HdrHistogram) stands for
 * all values of the bin. In logs of ioping, values appear up to 1 ns smaller than they
 * were; this is undone here, so that each bin becomes the bin of ioping that it was made
 * from.
 *
 * Units. A log does not say the unit of its values. Logs of ioping have ns. In any other
 * log, the column MAX is the largest value of the histogram after it, divided by a number
 * that the program chooses. By convention the result is in ms (the default of
 * org.HdrHistogram.HistogramLogWriter divides by 1000000, from ns to ms). So the quotient
 * of the largest value and MAX tells the unit: ns, us or ms. A program with other values
 * that does not change the default looks like a program with ns. Therefore a
 * note says which unit was assumed.
 */
#include "recorded_hdr.h"

#include "base/time.h"
#include "hdr_histogram.h"
#include "os/process.h"
#include "recorded_rows.h"
#include "run/job.h"
#include "stats/histogram_series.h"
#include "stats/time_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char our_start[] = "#[Logged by ioping";
static const char tag_start[] = "Tag=";

/* The units that values may have. */
static const struct {
    const char *name;
    int64_t ns;
} units[] = {{"ns", 1}, {"us", US}, {"ms", MS}};

#define YEAR (365 * 24 * 3600 * SECOND)
#define UNIT_COUNT 3
#define ALL_UNITS ((1u << UNIT_COUNT) - 1)

/* A line of an interval. Its pointers point into the text of the line. */
struct hdr_line {
    const char *tag;   /* without "Tag="; not terminated by NUL */
    size_t tag_length; /* bytes; 0 without a tag */
    int64_t start;     /* ns */
    int64_t length;    /* ns */
    double max;        /* the column MAX */
    const char *histogram;
    size_t histogram_length;
};

/* Returns whether the LENGTH bytes at BYTES begin with PREFIX, or are its beginning. */
static bool
agrees_with(const char *bytes, size_t length, const char *prefix)
{
    size_t prefix_length = strlen(prefix);
    if (length == 0)
        return false;
    return memcmp(bytes, prefix, length < prefix_length ? length : prefix_length) == 0;
}

bool
recorded_hdr_is_line(const char *bytes, size_t length)
{
    size_t digits = 0;
    if (length > 0 && (*bytes == '#' || *bytes == '"'))
        return true;
    if (agrees_with(bytes, length, tag_start))
        return true;

    /* A raw line has a space after its first number. */
    while (digits < length &&
           ((bytes[digits] >= '0' && bytes[digits] <= '9') || bytes[digits] == '.'))
        digits++;
    return digits > 0 && digits < length && bytes[digits] == ',' &&
           memchr(bytes, '.', length);
}

/* Refuses the present line because of PROBLEM. Always returns -1, with ERROR. */
static int
refuse_interval(const struct recorded_runs *runs, const char *problem,
                struct error *error)
{
    error_set(error, EXIT_PREPARE, recorded_source(runs), "line %llu: %s",
              (unsigned long long)runs->line_number, problem);
    return error_advise(error, "remove this line, or record the run again");
}

int
recorded_hdr_refuse(const struct recorded_runs *runs, const char *bytes, size_t length,
                    struct error *error)
{
    (void)bytes, (void)length;
    return refuse_interval(
        runs, "longer than 4 MiB, so it is not a line of an HdrHistogram log", error);
}

/*
 * Reads a decimal number that ends with a comma, at *AT, and moves *AT behind the comma.
 * Stores the number in VALUE, and in BILLIONTHS cut to whole billionths, or INT64_MAX if
 * that is too large. Returns false if there is no such number before END.
 */
static bool
read_column(const char **at, const char *end, double *value, int64_t *billionths)
{
    const char *digits = *at;
    double scale = 0; /* of the next decimal; 0 before the point */
    int64_t whole_part = 0;
    int64_t fraction = 0;
    int64_t place = SECOND; /* of the last decimal, in billionths */

    *value = 0;
    for (; *at < end && **at != ','; ++*at) {
        if (**at == '.' && scale == 0 && *at > digits) {
            scale = 0.1;
            continue;
        }
        if (**at < '0' || **at > '9')
            return false;

        int digit = **at - '0';
        if (scale == 0) {
            *value = *value * 10 + digit;
            whole_part = time_add(time_multiply(whole_part, 10), digit);
        } else {
            *value += digit * scale;
            scale /= 10;
            place /= 10;
            fraction += digit * place;
        }
    }

    if (*at == digits || *at == end)
        return false;
    ++*at;
    *billionths = time_add(time_multiply(whole_part, SECOND), fraction);
    return true;
}

/* Splits the line from AT to END into LINE. Returns NULL, or why it is refused. */
static const char *
split_interval(const char *at, const char *end, struct hdr_line *line)
{
    double seconds;
    int64_t max;

    *line = (struct hdr_line){.tag = at};
    if ((size_t)(end - at) >= strlen(tag_start) &&
        memcmp(at, tag_start, strlen(tag_start)) == 0) {
        line->tag = at + strlen(tag_start);
        const char *comma = memchr(line->tag, ',', (size_t)(end - line->tag));
        if (!comma)
            return "its tag does not end";
        line->tag_length = (size_t)(comma - line->tag);
        at = comma + 1;
    }

    if (!read_column(&at, end, &seconds, &line->start) ||
        !read_column(&at, end, &seconds, &line->length) ||
        !read_column(&at, end, &line->max, &max))
        return "not a line of an HdrHistogram log";
    if (line->start > RECORDED_MAX_SUM || line->length > RECORDED_MAX_SUM)
        return "its time is out of range";
    if (memchr(line->tag, '\0', (size_t)(end - line->tag)))
        return "not a line of an HdrHistogram log";

    line->histogram = at;
    line->histogram_length = (size_t)(end - at);
    return NULL;
}

/* Returns the value of the hexadecimal DIGIT, or -1. */
static int
find_hex_digit(char digit)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *found = digit ? strchr(digits, digit) : NULL;
    return found ? (int)(found - digits) : -1;
}

/*
 * Copies the tag of LINE into NAME. In a log of ioping, a percent escape becomes the byte
 * that it stands for. The escape of a control character stays as it is, so that NAME has
 * none. Returns NULL, or why the tag is refused.
 */
static const char *
copy_tag(struct buffer *name, const struct hdr_line *line, bool is_ours)
{
    const char *end = line->tag + line->tag_length;

    for (const char *at = line->tag; at < end; at++) {
        char byte = *at;
        if ((unsigned char)byte < ' ' || byte == '\x7f')
            return "its tag has a control character";

        if (is_ours && byte == '%' && end - at > 2) {
            int high = find_hex_digit(at[1]);
            int low = find_hex_digit(at[2]);
            int code = 16 * high + low;
            if (high >= 0 && low >= 0 && code >= ' ' && code != 0x7f) {
                byte = (char)code;
                at += 2;
            }
        }
        buffer_add(name, &byte, 1);
    }
    return NULL;
}

/* Returns the set of the units in which BIN, the highest bin of a histogram, agrees with
 * the column MAX, in ms. Some programs cut MAX to a whole number. */
static unsigned
find_units(const struct hdr_bin *bin, double max)
{
    unsigned set = 0;

    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        double low = (double)bin->low * (double)units[i].ns / MS;
        double high = (double)(bin->low + bin->width) * (double)units[i].ns / MS;
        bool is_whole = floor(max) == max;
        if (is_whole)
            low = floor(low);
        if (max >= low - 0.001 && max <= high + 0.001)
            set |= 1u << i;
    }
    return set;
}

/*
 * Chooses the unit of the present file from its first histogram, whose highest bin is
 * BIN, and checks the unit of each further histogram. Returns NULL, or why the line is
 * refused: it contradicts the unit that was chosen.
 */
static const char *
check_unit(struct recorded_hdr *hdr, const struct hdr_bin *bin, double max)
{
    if (hdr->is_ours)
        return NULL;

    unsigned set = find_units(bin, max);
    if (!hdr->has_unit) {
        hdr->has_unit = true;
        hdr->units = set ? set : ALL_UNITS;
        while (!(hdr->units & 1u << hdr->unit))
            hdr->unit++;
    } else if (set && !(set & 1u << hdr->unit)) {
        return "its Interval_Max contradicts the unit of the lines before it";
    }
    return NULL;
}

/* Adds BIN to the statistics TOTAL. NS is the unit of its values. Stores the time that
 * stands for all its values in LATENCY, in ns. Returns NULL, or why it is refused. */
static const char *
add_bin(struct stats *total, const struct hdr_bin *bin, int64_t ns, bool is_ours,
        int64_t *latency)
{
    int64_t extra = is_ours ? 1 : 0; /* ns that values appear smaller */
    if (bin->low + bin->width > RECORDED_MAX_SUM / ns)
        return "it has a value that is too large";

    int64_t value = (bin->low + (bin->width + extra) / 2) * ns;
    uint64_t count = bin->count;
    uint64_t max_count = (uint64_t)(RECORDED_MAX_SUM - total->latency.sum) /
                         (uint64_t)time_later(value, 1);
    if (count > max_count || count > RECORDED_MAX_SUM - total->requests)
        return "its counts are too large";

    const struct moments moments = {.count = count,
                                    .sum = (int64_t)count * value,
                                    .min = (bin->low + extra) * ns,
                                    .max = (bin->low + bin->width - 1 + extra) * ns,
                                    .mean = (double)value};
    moments_merge(&total->latency, &moments);
    total->latencies.bins[histogram_bin(value)] += count;
    total->latencies.count += count;
    total->requests += count;
    *latency = value;
    return NULL;
}

/* Adds all bins of HISTOGRAM to row INDEX, and sums them up in COLUMN. Returns NULL, or
 * why the line is refused. */
static const char *
add_histogram(struct recorded_runs *runs, int index, struct hdr_histogram *histogram,
              const struct hdr_line *line, struct track_column *column)
{
    int64_t offset = time_later(line->start - runs->hdr.first_at, 0);
    struct recorded_hdr *hdr = &runs->hdr;
    struct job *job = &runs->jobs[index];
    struct histogram_series *series = runs->histograms[index];
    struct hdr_bin bin;
    int64_t latency;

    for (;;) {
        const char *problem = hdr_histogram_next(histogram, &bin);
        if (problem || bin.count == 0)
            return problem;
        problem = add_bin(&job->outcome.total, &bin, units[hdr->unit].ns, hdr->is_ours,
                          &latency);
        if (problem)
            return problem;

        if (job->series.capacity)
            histogram_series_add(series, hdr->intervals, histogram_bin(latency),
                                 bin.count);
        if (job->time_map)
            time_map_add(runs->time_map, offset, line->length, histogram_bin(latency),
                         bin.count);
        if (column->count == 0)
            column->min = latency;
        column->max = latency;
        column->count += bin.count;
        column->sum += (double)latency * (double)bin.count;
    }
}

/* Finds the highest bin of the histogram that LENGTH bytes at TEXT encode, and opens
 * HISTOGRAM at its first bin. Returns NULL, or why it is refused. */
static const char *
open_histogram(struct hdr_histogram *histogram, const char *text, size_t length,
               struct hdr_bin *highest)
{
    struct hdr_bin bin;
    const char *problem = hdr_histogram_open(histogram, text, length);
    size_t first = histogram->position;

    *highest = (struct hdr_bin){0};
    while (!problem) {
        problem = hdr_histogram_next(histogram, &bin);
        if (problem || bin.count == 0)
            break;
        *highest = bin;
    }
    histogram->position = first;
    histogram->index = 0;
    return problem;
}

/* Finds or makes the row of LINE. Returns its index, or -1 with ERROR. */
static int
find_row(struct recorded_runs *runs, const struct hdr_line *line, struct error *error)
{
    struct buffer name = {0};
    int index = -1;

    const char *problem = copy_tag(&name, line, runs->hdr.is_ours);
    if (problem)
        refuse_interval(runs, problem, error);
    else if (name.failed)
        error_set(error, EXIT_PREPARE, NULL, "not enough memory for the comparison");
    else
        index = recorded_row(runs, name.text ? name.text : "", name.length, error);
    buffer_free(&name);
    if (index < 0 || runs->histograms[index])
        return index;

    runs->histograms[index] = os_memory_zeroed(sizeof(struct histogram_series));
    bool needs_map = index == 0;
    if (needs_map)
        runs->time_map = os_memory_zeroed(sizeof(struct time_map));
    if (!runs->histograms[index] || (needs_map && !runs->time_map))
        return error_set(error, EXIT_PREPARE, NULL,
                         "not enough memory for the comparison");
    if (needs_map)
        runs->jobs[index].time_map = runs->time_map;
    runs->jobs[index].series.histograms = runs->histograms[index];
    runs->jobs[index].outcome.total.lacks_sizes = true;
    return index;
}

/* Adds LINE with its histogram to the row of LINE. Returns 0, or -1 with ERROR. */
static int
add_interval(struct recorded_runs *runs, const struct hdr_line *line,
             struct hdr_histogram *histogram, struct error *error)
{
    struct recorded_hdr *hdr = &runs->hdr;
    struct track_column column = {0};
    int index = find_row(runs, line, error);
    if (index < 0)
        return -1;

    struct job *job = &runs->jobs[index];
    if (hdr->intervals == 0)
        hdr->first_at = line->start;
    hdr->intervals++;
    if (line->length > RECORDED_MAX_SUM - job->outcome.duration)
        return refuse_interval(runs, "its time is out of range", error);
    job->outcome.duration += line->length;

    const char *problem = add_histogram(runs, index, histogram, line, &column);
    if (problem)
        return refuse_interval(runs, problem, error);

    int64_t offset = time_later(line->start - hdr->first_at, 0);
    if (job->track && column.count)
        track_add_interval(job->track, offset, line->length, &column);
    if (job->time_map)
        time_map_end_interval(runs->time_map, offset, line->length);
    return 0;
}

/* Reads the time after PREFIX in the comment of LENGTH bytes at BYTES, such as
 * "#[StartTime: 1795943206.847 (seconds since epoch)". Stores it in TIME, in ns. Does
 * nothing if the comment is another. */
static void
read_comment_time(const char *bytes, size_t length, const char *prefix, int64_t *time)
{
    const char *end = bytes + length;
    size_t prefix_length = strlen(prefix);
    char number[40];
    double value;
    int64_t ns;

    if (length < prefix_length || memcmp(bytes, prefix, prefix_length) != 0)
        return;

    bytes += prefix_length;
    while (bytes < end && *bytes == ' ')
        bytes++;
    const char *space = memchr(bytes, ' ', (size_t)(end - bytes));
    if (!space || (size_t)(space - bytes) > sizeof(number) - 2)
        return;

    size_t digits = (size_t)(space - bytes);
    const char *at = number;
    memcpy(number, bytes, digits);
    number[digits] = ',';
    if (read_column(&at, number + digits + 1, &value, &ns) && ns <= RECORDED_MAX_SUM)
        *time = ns;
}

/* Sets the clock of the time map, once the first interval is known. Without BaseTime,
 * times of intervals are since StartTime if they are more than a year before it, as in
 * the javadoc of HistogramLogReader. Otherwise, they are since 1970. */
static void
set_map_clock(struct recorded_runs *runs)
{
    const struct recorded_hdr *hdr = &runs->hdr;
    int64_t base = hdr->base_time;

    if (!base && hdr->first_at < hdr->start_time - YEAR)
        base = hdr->start_time;
    runs->time_map->began_at = time_add(hdr->first_at, base);
    runs->time_map->is_utc =
        runs->time_map->began_at > YEAR && runs->time_map->began_at < RECORDED_MAX_SUM;
}

int
recorded_hdr_line(struct recorded_runs *runs, const char *bytes, size_t length,
                  struct error *error)
{
    struct recorded_hdr *hdr = &runs->hdr;
    struct hdr_histogram histogram = {0};
    struct hdr_bin highest;
    struct hdr_line line;
    int status;

    if (length > 0 && bytes[length - 1] == '\r')
        length--;
    if (length > RECORDED_HDR_LINE)
        return recorded_hdr_refuse(runs, bytes, length, error);
    if (length >= strlen(our_start) && memcmp(bytes, our_start, strlen(our_start)) == 0)
        hdr->is_ours = true;
    read_comment_time(bytes, length, "#[StartTime:", &hdr->start_time);
    read_comment_time(bytes, length, "#[BaseTime:", &hdr->base_time);
    if (length == 0 || *bytes == '#' || *bytes == '"') /* comments, legend of columns */
        return 0;

    const char *problem = split_interval(bytes, bytes + length, &line);
    if (!problem)
        problem =
            open_histogram(&histogram, line.histogram, line.histogram_length, &highest);
    runs->is_malformed = problem != NULL;
    if (!problem && highest.count)
        problem = check_unit(hdr, &highest, line.max);

    status = problem ? refuse_interval(runs, problem, error)
                     : add_interval(runs, &line, &histogram, error);
    hdr_histogram_close(&histogram);
    return status;
}

int
recorded_hdr_end(struct recorded_runs *runs, struct error *error)
{
    const struct recorded_hdr *hdr = &runs->hdr;
    const char *source = recorded_source(runs);

    if (hdr->intervals == 0)
        return error_set(error, EXIT_PREPARE, source, "is a log without a histogram");
    if (runs->first_row == 0 && runs->time_map)
        set_map_clock(runs);
    if (!hdr->has_unit)
        return 0;

    if (hdr->units == ALL_UNITS)
        notes_add(&runs->notes, source,
                  "the log does not say the unit of its values; taken for ns");
    else
        notes_add(&runs->notes, source,
                  "the log does not say the unit of its values; taken for %s, because "
                  "Interval_Max is then in ms",
                  units[hdr->unit].name);
    return 0;
}
