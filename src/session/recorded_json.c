/*
 * Reads the JSON of -J and -JJ: an array of records, or a record per line. A record is an
 * object. Records of requests have a member "io"; each is added to the statistics of its
 * row. Other records are statistics of these requests, and are skipped.
 *
 * A record has the time at which it was made, "timestamp", which is the end of its
 * request. The request started "time" earlier.
 */
#include "recorded_json.h"

#include "base/time.h"
#include "base/units.h"
#include "json_scan.h"
#include "recorded_rows.h"
#include "run/job.h"
#include "stats/slo.h"

#include <string.h>

#define MAX_RECORD (1 << 20) /* bytes of the longest record */
#define MAX_DIGITS 18        /* decimal digits of a number that never overflows */

/* What a record says. */
struct json_record {
    bool has_io;           /* it is about a request */
    bool has_stat;         /* it is about statistics */
    int64_t end;           /* when the request ended, ns since 1970; -1 if missing */
    int64_t latency;       /* ns; -1 if missing */
    int64_t size;          /* bytes; -1 if missing */
    struct json_item path; /* of the target; `length` is 0 if missing */
    struct json_item phase;
    bool is_ignored; /* the request does not count */
    bool has_ignored;
};

/*
 * Reads a number without a sign or an exponent, as a multiple of 1 / SCALE. SCALE is a
 * power of ten; further decimals are cut. Returns -1 if the number has another form or is
 * too large.
 */
static int64_t
read_scaled(const struct json_item *item, int64_t scale)
{
    int64_t value = 0;
    int digit_count = 0;
    bool has_point = false;

    if (item->kind != JSON_NUMBER)
        return -1;
    for (size_t i = 0; i < item->length; i++) {
        char byte = item->text[i];
        if (byte == '.') {
            has_point = true;
            continue;
        }
        if (!is_digit(byte))
            return -1;
        if (has_point && scale == 1)
            continue;

        if (has_point)
            scale /= 10;
        if (++digit_count > MAX_DIGITS)
            return -1;
        value = value * 10 + (byte - '0');
    }

    value = time_multiply(value, scale);
    return value <= RECORDED_MAX_SUM ? value : -1;
}

/* Stores the member at PATH in CONTEXT, a record. */
static void
take_member(void *context, const char *path, const struct json_item *item)
{
    struct json_record *record = context;

    if (strcmp(path, "io") == 0) {
        record->has_io = item->kind == JSON_OBJECT;
    } else if (strcmp(path, "stat") == 0) {
        record->has_stat = item->kind == JSON_OBJECT;
    } else if (strcmp(path, "timestamp") == 0) {
        record->end = read_scaled(item, SECOND);
    } else if (strcmp(path, "io.time") == 0) {
        record->latency = read_scaled(item, 1);
    } else if (strcmp(path, "io.size") == 0) {
        record->size = read_scaled(item, 1);
    } else if (strcmp(path, "io.ignored") == 0) {
        record->has_ignored = item->kind == JSON_LITERAL && *item->text != 'n';
        record->is_ignored = *item->text == 't';
    } else if (strcmp(path, "target.path") == 0 && item->kind == JSON_STRING) {
        record->path = *item;
    } else if (strcmp(path, "phase") == 0 && item->kind == JSON_STRING) {
        record->phase = *item;
    }
}

/* Refuses the present record, which began in line NUMBER, because of PROBLEM. Always
 * returns -1, with ERROR. */
static int
refuse_record(const struct recorded_runs *runs, uint64_t number, const char *problem,
              struct error *error)
{
    error_set(error, EXIT_PREPARE, recorded_source(runs), "line %llu: %s",
              (unsigned long long)number, problem);
    if (!runs->json.has_record)
        return error_advise(error, "name a file that -record, -J or -hdr has written");
    return error_advise(error, "remove this record, or record the run again");
}

/* Adds the name of the row of RECORD to NAME: its target and, with -load, its phase.
 * Returns false if the name is not valid. */
static bool
add_row_label(struct buffer *name, const struct json_record *record)
{
    if (!json_scan_string(name, &record->path))
        return false;

    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
        const char *label = phase_label(phase);
        if (record->phase.length == strlen(label) &&
            memcmp(record->phase.text, label, record->phase.length) == 0)
            buffer_format(name, "#%s", phase_name(phase));
    }
    return true;
}

/* Adds the request of RECORD to JOB. Returns false if a sum would become too large. */
static bool
record_request(struct recorded_runs *runs, struct job *job,
               const struct json_record *record)
{
    struct stats *total = &job->outcome.total;
    int64_t start = time_later(record->end - record->latency, 0);

    if (runs->json.request_count == 0)
        runs->json.first_at = start;
    runs->json.request_count++;
    job->outcome.duration =
        time_later(job->outcome.duration, record->end - runs->json.first_at);
    if (record->is_ignored) {
        total->requests++;
        return true;
    }
    if (record->latency > RECORDED_MAX_SUM - total->latency.sum ||
        record->size > RECORDED_MAX_SUM - total->bytes)
        return false;

    const struct sample sample = {.start = time_later(start - runs->json.first_at, 0),
                                  .latency = record->latency,
                                  .size = record->size,
                                  .bytes = record->size,
                                  .verdict = VERDICT_NONE};
    stats_record(total, &sample);
    series_record(&job->series, sample.start, sample.latency);
    if (job->track)
        track_record(job->track, &sample);
    return true;
}

/* Adds the record in `json.record`. Returns 0, or -1 with ERROR. */
static int
add_record(struct recorded_runs *runs, struct error *error)
{
    const struct buffer *text = &runs->json.record;
    uint64_t number = runs->json.record_line;
    struct json_record record = {.end = -1, .latency = -1, .size = -1};
    struct buffer name = {0};

    if (text->failed)
        return error_set(error, EXIT_PREPARE, NULL,
                         "not enough memory for the comparison");
    const char *problem = json_scan(text->text, text->length, take_member, &record);
    if (problem)
        return refuse_record(runs, number, problem, error);

    if (record.end < 0 || record.path.length == 0)
        return refuse_record(runs, number, "not a record of ioping -J", error);
    if (record.has_stat)
        runs->json.has_statistics = true;
    if (!record.has_io)
        return 0;
    if (record.latency < 0 || record.size < 0 || !record.has_ignored)
        return refuse_record(runs, number, "not a record of ioping -J", error);

    int index = -1;
    if (!add_row_label(&name, &record))
        refuse_record(runs, number, "its path is not valid", error);
    else if (name.failed)
        error_set(error, EXIT_PREPARE, NULL, "not enough memory for the comparison");
    else
        index = recorded_row(runs, name.text, name.length, error);
    buffer_free(&name);
    if (index < 0)
        return -1;

    if (!record_request(runs, &runs->jobs[index], &record))
        return refuse_record(runs, number, "its times are too large in all", error);
    return 0;
}

/* Adds BYTE, which is inside of a record. Returns 0, or -1 with ERROR. */
static int
add_to_record(struct recorded_runs *runs, char byte, struct error *error)
{
    struct recorded_json *json = &runs->json;

    if (json->record.length == MAX_RECORD)
        return refuse_record(runs, json->record_line, "a record of more than 1 MiB",
                             error);
    buffer_add(&json->record, &byte, 1);

    if (json->is_escaped)
        json->is_escaped = false;
    else if (json->is_in_string && byte == '\\')
        json->is_escaped = true;
    else if (byte == '"')
        json->is_in_string = !json->is_in_string;
    else if (!json->is_in_string && byte == '{')
        json->depth++;
    else if (!json->is_in_string && byte == '}')
        json->depth--;
    if (json->depth > 0)
        return 0;

    int status = add_record(runs, error);
    buffer_clear(&json->record);
    json->has_record = true;
    json->needs_comma = json->is_array;
    return status;
}

/* Adds BYTE, which is not inside of a record. Returns 0, or -1 with ERROR. */
static int
add_between_records(struct recorded_runs *runs, char byte, struct error *error)
{
    struct recorded_json *json = &runs->json;
    bool is_begin = !json->has_record && !json->is_array;

    if (byte == '{' && !json->needs_comma && !json->is_closed) {
        json->record_line = runs->line_number;
        json->has_comma = false;
        return add_to_record(runs, byte, error);
    }
    if (byte == '[' && is_begin) {
        json->is_array = true;
        return 0;
    }
    if (byte == ',' && json->needs_comma && !json->is_closed) {
        json->needs_comma = false;
        json->has_comma = true;
        return 0;
    }
    if (byte == ']' && json->is_array && !json->is_closed && !json->has_comma) {
        json->is_closed = true;
        return 0;
    }
    if (byte && strchr(" \t\r\n", byte))
        return 0;
    return refuse_record(runs, runs->line_number, "not JSON of ioping -J or -JJ", error);
}

int
recorded_json_add(struct recorded_runs *runs, const char *bytes, size_t size,
                  struct error *error)
{
    int status = 0;

    if (runs->line_number == 0)
        runs->line_number = 1;
    for (size_t i = 0; i < size && status == 0; i++) {
        if (runs->json.depth > 0)
            status = add_to_record(runs, bytes[i], error);
        else
            status = add_between_records(runs, bytes[i], error);
        if (bytes[i] == '\n' && status == 0)
            runs->line_number++;
    }
    return status;
}

/* Returns whether the record that does not end has further records in it: then it is not
 * the last one, and its own end is missing. Each record has one time stamp. */
static bool
holds_further_records(const struct buffer *record)
{
    static const char key[] = "\"timestamp\"";
    const char *first = strstr(record->text, key);

    return first && strstr(first + 1, key);
}

/*
 * Ends a file whose JSON ends early, because the run was killed or its disk was full. The
 * record that was cut is left out, with a note, if the file has requests before it.
 * Returns 0, or -1 with ERROR.
 */
static int
end_early(struct recorded_runs *runs, struct error *error)
{
    const struct recorded_json *json = &runs->json;
    const char *source = recorded_source(runs);
    bool is_cut = json->depth > 0;

    if (json->record.failed)
        return error_set(error, EXIT_PREPARE, NULL,
                         "not enough memory for the comparison");
    if (is_cut && holds_further_records(&json->record))
        return refuse_record(runs, json->record_line, "the record does not end", error);
    if (json->request_count == 0)
        return refuse_record(runs, runs->line_number, "the JSON ends early", error);

    if (!is_cut)
        notes_add(&runs->notes, source, "the array has no end: the run was cut short");
    else if (json->is_array)
        notes_add(&runs->notes, source, "the last record is incomplete, left out");
    else
        notes_add(&runs->notes, source, "the last line is incomplete, left out");
    return 0;
}

int
recorded_json_end(struct recorded_runs *runs, struct error *error)
{
    const struct recorded_json *json = &runs->json;
    const char *source = recorded_source(runs);

    if (json->depth > 0 || (json->is_array && !json->is_closed))
        return end_early(runs, error);
    if (json->request_count > 0)
        return 0;
    if (!json->has_statistics)
        return error_set(error, EXIT_PREPARE, source, "has no requests");
    return error_set(error, EXIT_PREPARE, source,
                     "has statistics, but no requests; record with -record FILE, or with "
                     "-J without -q");
}
