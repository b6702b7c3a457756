/*
 * Reads the files of recorded runs. Each format has a reader of its own, which gets line
 * after line.
 */
#include "recorded_runs.h"

#include "os/process.h"
#include "recorded_hdr.h"
#include "recorded_json.h"
#include "recorded_raw.h"
#include "run/job.h"
#include "stats/histogram_series.h"
#include "stats/time_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
recorded_runs_open(struct recorded_runs *runs, const struct plan *plan,
                   struct error *error)
{
    memset(runs, 0, sizeof(*runs));

    runs->plan = *plan;
    runs->plan.targets = runs->row_names;
    runs->plan.target_count = TARGETS_MAX;
    runs->file_count = plan->target_count;
    recorded_share_memory(runs);
    runs->jobs = os_memory_zeroed(TARGETS_MAX * sizeof(struct job));
    if (runs->jobs)
        return 0;
    return error_set(error, EXIT_PREPARE, NULL, "not enough memory for the comparison");
}

void
recorded_runs_begin(struct recorded_runs *runs, const char *path)
{
    runs->path = path;
    runs->first_row = runs->row_count;
    runs->line_number = 0;
    runs->format = RECORDED_RAW;
    runs->is_malformed = false;
    runs->lacks_newline = false;
    runs->hdr = (struct recorded_hdr){0};
    buffer_free(&runs->json.record);
    runs->json = (struct recorded_json){0};
    buffer_clear(&runs->partial_line);
}

/* The readers of formats that have lines. `add_line` adds a line: LENGTH bytes at BYTES,
 * without its newline. `end` ends a file. `refuse` refuses a line that is too long; its
 * beginning has LENGTH bytes at BYTES. All return 0, or -1 with ERROR; `refuse` always
 * returns -1. */
static const struct reader {
    size_t max_line; /* bytes of the longest line, without its newline */
    int (*add_line)(struct recorded_runs *runs, const char *bytes, size_t length,
                    struct error *error);
    int (*end)(struct recorded_runs *runs, struct error *error);
    int (*refuse)(const struct recorded_runs *runs, const char *bytes, size_t length,
                  struct error *error);
} readers[] = {
    [RECORDED_RAW] = {RECORDED_LINE, recorded_raw_line, NULL, recorded_raw_refuse},
    [RECORDED_HDR] = {RECORDED_HDR_LINE, recorded_hdr_line, recorded_hdr_end,
                      recorded_hdr_refuse},
    [RECORDED_JSON] = {0, NULL, recorded_json_end, NULL},
};

/* Returns the format of a file that begins with LENGTH bytes at BYTES, which are its
 * first line. */
static enum recorded_format
recognize_format(const char *bytes, size_t length)
{
    if (recorded_hdr_is_line(bytes, length))
        return RECORDED_HDR;
    return RECORDED_RAW;
}

/* Adds the next line of the present file: LENGTH bytes at BYTES, without its newline. The
 * first line says which format the file has. Returns 0, or -1 with ERROR. */
static int
add_line(struct recorded_runs *runs, const char *bytes, size_t length,
         struct error *error)
{
    if (runs->line_number == 0)
        runs->format = recognize_format(bytes, length);
    runs->line_number++;
    return readers[runs->format].add_line(runs, bytes, length, error);
}

/* Appends SIZE bytes at BYTES to `partial_line`: the next part of the present line, or
 * its last part without the newline. Returns 0, or -1 with ERROR if the line is too long
 * or there is not enough memory. */
static int
extend_partial_line(struct recorded_runs *runs, const char *bytes, size_t size,
                    struct error *error)
{
    struct buffer *partial = &runs->partial_line;
    enum recorded_format format = runs->format;

    buffer_add(partial, bytes, size);
    if (partial->failed)
        return error_set(error, EXIT_PREPARE, NULL,
                         "not enough memory for the comparison");

    if (runs->line_number == 0)
        format = recognize_format(partial->text, partial->length);
    /* One more byte for a carriage return. */
    if (partial->length <= readers[format].max_line + 1)
        return 0;

    runs->line_number++;
    return readers[format].refuse(runs, partial->text, partial->length, error);
}

int
recorded_runs_add(struct recorded_runs *runs, const char *bytes, size_t size,
                  struct error *error)
{
    struct buffer *partial = &runs->partial_line;
    const char *end = bytes + size;
    bool is_begin = runs->line_number == 0 && partial->length == 0;

    /* Records of JSON need not be lines. */
    if (is_begin && size > 0 && (*bytes == '{' || *bytes == '['))
        runs->format = RECORDED_JSON;
    if (runs->format == RECORDED_JSON)
        return recorded_json_add(runs, bytes, size, error);

    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        if (!newline)
            return extend_partial_line(runs, bytes, (size_t)(end - bytes), error);

        size_t length = (size_t)(newline - bytes);
        if (partial->length == 0) {
            if (add_line(runs, bytes, length, error) < 0)
                return -1;
        } else {
            if (extend_partial_line(runs, bytes, length, error) < 0 ||
                add_line(runs, partial->text, partial->length, error) < 0)
                return -1;
            buffer_clear(partial);
        }
        bytes = newline + 1;
    }
    return 0;
}

/* Names row INDEX by the path of the present file, the label of the row, or both, as
 * recorded_runs_end says. Returns 0, or -1 with ERROR. */
static int
name_row(struct recorded_runs *runs, int index, struct error *error)
{
    bool has_several_rows = runs->row_count - runs->first_row > 1;
    char *label = runs->labels[index];

    if (!has_several_rows || !*label) {
        runs->row_names[index] = runs->path;
        return 0;
    }

    if (runs->file_count > 1) {
        size_t size = strlen(runs->path) + strlen(label) + sizeof(": ");
        char *name = malloc(size);
        if (name)
            snprintf(name, size, "%s: %s", runs->path, label);
        free(label);
        runs->labels[index] = name;
        if (!name)
            return error_set(error, EXIT_PREPARE, NULL,
                             "not enough memory for the comparison");
    }

    runs->row_names[index] = runs->labels[index];
    return 0;
}

/*
 * Adds the last line of the present file, which has no newline. A run that was killed, or
 * whose disk was full, has cut this line. Then the line is left out, with a note, if the
 * file has other lines. Returns 0, or -1 with ERROR.
 */
static int
add_last_line(struct recorded_runs *runs, struct error *error)
{
    const struct buffer *line = &runs->partial_line;
    bool has_rows = runs->row_count > runs->first_row;

    runs->lacks_newline = true;
    if (add_line(runs, line->text, line->length, error) == 0)
        return 0;
    if (!has_rows || !runs->is_malformed)
        return -1;

    notes_add(&runs->notes, recorded_source(runs),
              "the last line is incomplete, left out");
    return 0;
}

int
recorded_runs_end(struct recorded_runs *runs, struct error *error)
{
    struct buffer *partial = &runs->partial_line;

    if (partial->length && add_last_line(runs, error) < 0)
        return -1;
    buffer_clear(partial);

    if (runs->line_number == 0)
        return error_set(error, EXIT_PREPARE, recorded_source(runs),
                         "is empty; ioping -record FILE writes raw lines");
    if (readers[runs->format].end && readers[runs->format].end(runs, error) < 0)
        return -1;

    for (int i = runs->first_row; i < runs->row_count; i++)
        if (name_row(runs, i, error) < 0)
            return -1;
    return 0;
}

void
recorded_runs_finish(struct recorded_runs *runs)
{
    runs->plan.target_count = runs->row_count;
    runs->plan.path = runs->row_names[0];

    for (int i = 0; i < runs->row_count; i++) {
        struct job *job = &runs->jobs[i];

        job->target_count = job->plan.target_count = runs->row_count;
        job->plan.path = job->active_plan.path = runs->row_names[i];
        job->target.description =
            (struct description){.path = runs->row_names[i], .is_recorded = true};
        job->outcome.target_name = job_name(job);
        job->outcome.is_recorded = true;
        job->has_ended = true;
    }
}

void
recorded_runs_close(struct recorded_runs *runs)
{
    for (int i = 0; i < runs->row_count; i++)
        job_free(&runs->jobs[i]);
    for (int i = 0; i < TARGETS_MAX; i++)
        free(runs->labels[i]);
    for (int i = 0; i < TARGETS_MAX; i++)
        if (runs->histograms[i])
            os_memory_release(runs->histograms[i], sizeof(struct histogram_series));

    if (runs->time_map)
        os_memory_release(runs->time_map, sizeof(struct time_map));

    os_memory_release(runs->jobs, TARGETS_MAX * sizeof(struct job));
    buffer_free(&runs->partial_line);
    buffer_free(&runs->json.record);
    memset(runs, 0, sizeof(*runs));
}
