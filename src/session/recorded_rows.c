/*
 * The rows of recorded runs.
 */
#include "recorded_rows.h"

#include "run/job.h"

#include <stdlib.h>
#include <string.h>

/*
 * Each row keeps a time series: a sample of its requests, for confidence intervals. The
 * first MAX_LONG_SERIES rows have a series of the capacity that the plan says. The series
 * of further rows have a quarter of that capacity. If there are more than MAX_LONG_SERIES
 * files, the series of all rows have a quarter. So all series together need less than 45
 * MiB.
 */
#define MAX_LONG_SERIES 8

void
recorded_share_memory(struct recorded_runs *runs)
{
    if (runs->file_count > MAX_LONG_SERIES)
        runs->plan.statistics.series_capacity /= 4;
}

const char *
recorded_source(const struct recorded_runs *runs)
{
    return strcmp(runs->path, "-") == 0 ? "standard input" : runs->path;
}

int
recorded_row(struct recorded_runs *runs, const char *name, size_t length,
             struct error *error)
{
    struct job *job = &runs->jobs[runs->row_count];

    for (int i = runs->first_row; i < runs->row_count; i++)
        if (strncmp(runs->labels[i], name, length) == 0 &&
            runs->labels[i][length] == '\0')
            return i;

    /* No other line has this name, so perhaps it was cut. The name in a log was not cut,
     * because the histogram behind it is whole. */
    if (runs->lacks_newline && runs->format == RECORDED_RAW &&
        runs->row_count > runs->first_row) {
        runs->is_malformed = true;
        return error_set(error, EXIT_PREPARE, recorded_source(runs),
                         "line %llu: its name may be incomplete",
                         (unsigned long long)runs->line_number);
    }

    if (runs->row_count == TARGETS_MAX)
        return error_set(
            error, EXIT_PREPARE, recorded_source(runs),
            "line %llu: more than %d targets in all; compare fewer at a time",
            (unsigned long long)runs->line_number, TARGETS_MAX);

    if (runs->row_count == MAX_LONG_SERIES && runs->file_count <= MAX_LONG_SERIES)
        runs->plan.statistics.series_capacity /= 4;

    char *label = calloc(1, length + 1);
    runs->labels[runs->row_count] = label;
    if (!label || job_init(job, &runs->plan, runs->row_count) < 0)
        return error_set(error, EXIT_PREPARE, NULL,
                         "not enough memory for the comparison");

    memcpy(label, name, length);
    job->stats = &job->outcome.total;
    if (job->track)
        track_start(job->track, 0, 0);
    return runs->row_count++;
}
