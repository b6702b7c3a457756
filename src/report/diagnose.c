/*
 * Prints a diagnosis (-diagnose): as text for people, and as JSON. The text begins with
 * the answer; each block after it rests on the one before:
 *
 *   answer    one sentence
 *   target    its properties, from the system
 *   figures   the measurements
 *   uses      uses that it suits, each with the figure that decides
 *   unknown   things that were not measured or seen
 *   try       a command
 *
 * Each block is added with lines of any length. Then fold_lines breaks the long ones.
 */
#include "base/units.h"
#include "cli/options.h"
#include "fold.h"
#include "os/disk.h"
#include "report/console.h"
#include "report/diagnosis.h"
#include "report/report.h"
#include "run/run.h"
#include "writers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LABEL_WIDTH 11  /* columns of the names at the start of lines */
#define USE_WIDTH 14    /* columns of the names of uses */
#define VERDICT_WIDTH 9 /* columns of OK, FAIL or UNKNOWN, with the gap after it */
#define ANSWER_INDENT 4 /* columns before the further lines of the answer */

/* Adds the name at the start of a line. */
static void
add_line_label(struct buffer *text, const char *name)
{
    buffer_format(text, "%-*s", LABEL_WIDTH, name);
}

/* Adds NAME and TIME, in ns, or "unknown" for -1. */
static void
add_named_time(struct buffer *text, const char *name, int64_t time)
{
    buffer_format(text, "%s ", name);
    if (time < 0)
        buffer_text(text, "unknown");
    else
        units_add(text, UNITS_TIME, time);
}

/* Adds the p50, p99 and maximum of TIMES. */
static void
add_part_times(struct buffer *text, const struct diagnosis_times *times)
{
    add_named_time(text, "p50", times->p50);
    add_named_time(text, ", p99", times->p99);
    add_named_time(text, ", max", times->max);
}

/* Adds the line about the path and its file system. */
static void
add_target_line(struct buffer *text, const struct diagnosis_facts *facts)
{
    static const char *const kinds[] = {[OS_DIRECTORY] = "directory",
                                        [OS_FILE] = "file",
                                        [OS_BLOCK] = "block device",
                                        [OS_CHARACTER] = "character device",
                                        [OS_OTHER] = "file"};

    add_line_label(text, "target");
    buffer_escaped(text, facts->path);
    buffer_format(text, ": %s", kinds[facts->kind]);
    if (facts->kind == OS_DIRECTORY || facts->kind == OS_FILE) {
        buffer_format(text, " on %s, device ", facts->fstype);
        buffer_escaped(text, facts->device);
    }
    buffer_format(text, ", mode %s\n", io_mode_name(facts->mode));
}

/* Adds a word about a property that may be unknown (-1). */
static void
add_property(struct buffer *text, int value, const char *word)
{
    if (value < 0)
        buffer_format(text, ", %s unknown", word);
    else
        buffer_format(text, ", %s%s", value ? "" : "not ", word);
}

/* Returns TEXT, or "unknown" if it is empty. */
static const char *
text_or_unknown(const char *text)
{
    return text[0] ? text : "unknown";
}

/* Adds the lines about the disk and the devices above it. */
static void
add_disk(struct buffer *text, const struct diagnosis_facts *facts)
{
    const struct os_disk *disk = facts->disk;

    add_line_label(text, "disk");
    if (!facts->has_disk) {
        buffer_text(text, "unknown\n");
        return;
    }

    buffer_escaped(text, disk->path);
    buffer_format(text, ", model %s", disk->model[0] ? "" : "unknown");
    buffer_escaped(text, disk->model);
    buffer_format(text, ", %s",
                  disk->transport[0] ? disk->transport : "transport unknown");
    add_property(text, disk->is_rotational, "rotational");
    if (disk->is_removable == 1)
        buffer_text(text, ", removable");
    if (disk->is_virtual)
        buffer_text(text, ", virtual");
    buffer_text(text, "\n");

    if (disk->machine[0]) {
        add_line_label(text, "machine");
        buffer_escaped(text, disk->machine);
        buffer_text(text, "\n");
    }
    if (disk->stack[0]) {
        add_line_label(text, "stack");
        buffer_escaped(text, disk->stack);
        buffer_text(text, "\n");
    }

    add_line_label(text, "queue");
    buffer_format(text, "scheduler %s", text_or_unknown(disk->scheduler));
    if (disk->queue_size >= 0)
        buffer_format(text, ", %" PRId64 " requests", disk->queue_size);
    buffer_format(text, ", write cache %s\n", text_or_unknown(disk->write_cache));
}

/* Adds the line about the limit of a control group, if there is one. */
static void
add_limit_line(struct buffer *text, const struct diagnosis_facts *facts)
{
    const struct os_disk_limit *limit = &facts->disk->limit;
    if (!facts->has_disk || !limit->group[0])
        return;

    add_line_label(text, "limit");
    buffer_text(text, "cgroup ");
    buffer_escaped(text, limit->group);
    buffer_text(text, ":");
    if (limit->requests_per_s) {
        buffer_text(text, " ");
        units_add(text, UNITS_COUNT, limit->requests_per_s);
        buffer_text(text, " reads/s");
    }
    if (limit->bytes_per_s) {
        buffer_text(text, " ");
        units_add(text, UNITS_SIZE, limit->bytes_per_s);
        buffer_text(text, "/s");
    }
    buffer_text(text, "\n");
}

/* Returns why something that a part measures is not known. */
static const char *
why_not_measured(const struct diagnosis_facts *facts, bool was_interrupted)
{
    if (facts->failure[0])
        return "a request failed";
    if (was_interrupted)
        return "the run was interrupted";
    return "too few requests";
}

/* Adds the lines about the knee of the sweep. */
static void
add_knee(struct buffer *text, const struct diagnosis_facts *facts,
         const struct diagnosis_findings *findings)
{
    const struct job_step *knee = findings->knee;

    add_line_label(text, "knee");
    if (!knee) {
        bool was_interrupted = facts->was_interrupted && !facts->has_swept;
        buffer_format(text, "unknown: %s\n", why_not_measured(facts, was_interrupted));
        return;
    }

    const char *prefix = findings->is_knee_reached ? "" : "none up to ";
    const char *format =
        facts->uses_threads ? "%s%" PRId64 " threads (" : "%sdepth %" PRId64 " (";
    buffer_format(text, format, prefix, knee->value);
    units_add(text, UNITS_COUNT, (int64_t)knee->iops);
    add_named_time(text, " iops, p99", knee->p99);
    if (findings->is_knee_reached)
        buffer_text(text, "): with more reads in flight, p99 is more than twice that of "
                          "single reads\n");
    else
        buffer_format(text,
                      "): with %" PRId64 " %s in flight, p99 is still at most twice that "
                      "of single reads\n",
                      knee->value, units_plural((uint64_t)knee->value, "read", "reads"));
    if (findings->slots > 0) {
        add_line_label(text, "");
        buffer_format(text,
                      "more than about %" PRId64
                      " in flight only wait: the rate does not rise\n",
                      findings->slots);
    }
}

/* Adds the line about where the time of the paused reads goes. */
static void
add_shares(struct buffer *text, const struct diagnosis_facts *facts)
{
    const char *gap = "";

    add_line_label(text, "time");
    if (!facts->has_shares)
        buffer_text(text, "unknown");
    else
        for (enum part part = 0; part < PARTS; part++) {
            if (part == PART_STACK && facts->shares[part] == 0)
                continue;
            buffer_format(text, "%s%s %d %%", gap, part_name(part), facts->shares[part]);
            gap = ", ";
        }
    buffer_text(text, "\n");

    if (facts->other_rate >= 0) {
        add_line_label(text, "others");
        buffer_format(text,
                      "%.0f requests/s during the idle reads; disk busy %d %% of the "
                      "time\n",
                      facts->other_rate, facts->disk_busy);
    }
}

/* Adds the line about the reads with pauses. */
static void
add_idle(struct buffer *text, const struct diagnosis_facts *facts)
{
    uint64_t count = facts->paused.count;

    add_line_label(text, "idle");
    if (count == 0) {
        bool is_cached = facts->cached > 0 && !facts->failure[0];
        const char *why = why_not_measured(facts, facts->was_interrupted);
        buffer_format(text, "unknown: %s\n",
                      is_cached ? "no read reached the disk" : why);
        return;
    }

    /* If reads take longer than the pause, they are further apart. */
    bool is_on_time = facts->paused.average < facts->pause;
    add_part_times(text, &facts->paused);
    buffer_format(text, " (%" PRIu64 " %s of ", count,
                  units_plural(count, "read", "reads"));
    units_add(text, UNITS_SIZE, facts->request_size);
    add_named_time(text, is_on_time ? ", one every" : ", at most one every",
                   facts->pause);
    buffer_text(text, ")\n");
}

/* Adds the line about the times that are typical of the class. A slow target has the
 * class that was expected. */
static void
add_typical_line(struct buffer *text, enum storage_class class)
{
    const struct storage_range *range = &storage_ranges[class];
    if (class == CLASS_UNKNOWN || class == CLASS_MEMORY)
        return;

    add_line_label(text, "typical");
    buffer_format(text, "%s: p50 ", range->name);
    units_add(text, UNITS_TIME, range->p50_from);
    buffer_text(text, " to ");
    units_add(text, UNITS_TIME, range->p50_to);
    add_named_time(text, ", p99 up to", range->p99_to);
    buffer_text(text, "\n");
}

/* Adds the block with the measurements. */
static void
add_figures(struct buffer *text, const struct diagnosis *diagnosis)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    const char *why = why_not_measured(facts, facts->was_interrupted);

    add_idle(text, facts);
    add_typical_line(text, diagnosis->findings.class);
    add_knee(text, facts, &diagnosis->findings);

    add_line_label(text, "stream");
    if (facts->stream.count == 0) {
        buffer_format(text, "unknown: %s\n", why);
    } else {
        units_add(text, UNITS_SIZE, (int64_t)facts->stream_bps);
        buffer_format(text, "/s (%" PRIu64 " sequential %s of ", facts->stream.count,
                      units_plural(facts->stream.count, "read", "reads"));
        units_add(text, UNITS_SIZE, facts->stream_size);
        buffer_text(text, ")\n");
    }

    add_line_label(text, "flush");
    if (facts->kind != OS_DIRECTORY) {
        buffer_text(text, "unknown: flushes are measured in directories only\n");
    } else if (facts->flush.count == 0) {
        buffer_format(text, "unknown: %s\n", why);
    } else {
        add_part_times(text, &facts->flush);
        buffer_format(text, " (%" PRIu64 " %s)\n", facts->flush.count,
                      units_plural(facts->flush.count, "write, with a flush",
                                   "writes, each with a flush"));
    }
    add_shares(text, facts);
}

/* Adds VALUE, the figure of NEED or its limit. */
static void
add_use_value(struct buffer *text, const struct storage_need *need, int64_t value)
{
    units_add(text, need->is_rate ? UNITS_SIZE : UNITS_TIME, value);
    buffer_text(text, need->is_rate ? "/s" : "");
}

static const char *const verdicts[] = {
    [SLO_MET] = "OK", [SLO_BROKEN] = "FAIL", [SLO_UNKNOWN] = "UNKNOWN"};

/* Adds the block about the uses that the target suits. */
static void
add_uses(struct report *report, const struct diagnosis_findings *findings)
{
    struct buffer *text = &report->text;

    for (enum storage_use use = 0; use < STORAGE_USES; use++) {
        const struct storage_need *need = &storage_needs[use];
        const struct use_finding *finding = &findings->uses[use];
        bool is_red = report->has_color && finding->verdict == SLO_BROKEN;

        buffer_format(text, "%-*s", USE_WIDTH, need->name);
        color_add(text, is_red ? COLOR_FAILED : NULL, verdicts[finding->verdict]);
        buffer_format(text, "%*s",
                      (int)(VERDICT_WIDTH - strlen(verdicts[finding->verdict])), "");
        if (finding->why_unknown) {
            buffer_format(text, "%s\n", finding->why_unknown);
            continue;
        }

        buffer_format(text, "%s ", need->figure);
        add_use_value(text, need, finding->value);
        buffer_text(text, need->is_rate ? ", needs at least " : ", needs below ");
        add_use_value(text, need, need->limit);
        buffer_format(text, " (%s)\n", need->source);
    }
}

void
diagnosis_print(struct report *report, const struct run_record *record)
{
    const struct diagnosis *diagnosis = record->diagnosis;
    const struct diagnosis_facts *facts = &diagnosis->facts;
    struct buffer *text = &report->text;
    size_t block = text->length;

    diagnosis_answer(diagnosis, text);
    buffer_text(text, "\n\n");
    fold_lines(text, block, ANSWER_INDENT, false);

    block = text->length;
    add_target_line(text, facts);
    add_disk(text, facts);
    add_limit_line(text, facts);
    buffer_text(text, "\n");
    add_figures(text, diagnosis);
    buffer_text(text, "\n");
    fold_lines(text, block, LABEL_WIDTH, false);

    block = text->length;
    add_uses(report, &diagnosis->findings);
    buffer_text(text, "\n");
    fold_lines(text, block, USE_WIDTH + VERDICT_WIDTH, false);

    block = text->length;
    for (int i = 0;; i++) {
        size_t start = text->length;
        add_line_label(text, i == 0 ? "not known" : "");
        if (!diagnosis_unknown(diagnosis, i, text)) {
            text->length = start;
            break;
        }
        buffer_text(text, "\n");
    }
    fold_lines(text, block, LABEL_WIDTH, false);

    block = text->length;
    add_line_label(text, "try");
    diagnosis_advice(diagnosis, text);
    buffer_text(text, "\n");
    fold_lines(text, block, LABEL_WIDTH, true);

    block = text->length;
    for (int i = 0; i < report->job_count; i++)
        outcome_add_limits(&report->jobs[i].outcome, NULL, text);
    fold_lines(text, block, ANSWER_INDENT, false);
}

/* Adds the member NAME with NUMBER, or null if NUMBER is negative. */
static void
add_number_field(struct json *json, const char *name, int64_t number)
{
    if (number < 0)
        json_value(json, name, "null");
    else
        json_value(json, name, "%" PRId64, number);
}

/* Adds the member NAME with VALUE, or null if VALUE is empty. */
static void
add_string(struct json *json, const char *name, const char *value)
{
    if (value[0])
        json_string(json, name, value);
    else
        json_value(json, name, "null");
}

/* Adds the member NAME with a property that may be unknown (-1). */
static void
add_flag(struct json *json, const char *name, int value)
{
    static const char *const words[] = {"null", "false", "true"};
    json_value(json, name, "%s", words[value + 1]);
}

/* Adds the member NAME with a sentence that MAKE makes. */
static void
add_sentence(struct json *json, const char *name, const struct diagnosis *diagnosis,
             void (*make)(const struct diagnosis *diagnosis, struct buffer *text))
{
    struct buffer sentence = {0};

    make(diagnosis, &sentence);
    json->text->failed |= sentence.failed;
    json_string(json, name, sentence.failed ? "" : sentence.text);
    buffer_free(&sentence);
}

/* Adds the object NAME with TIMES. */
static void
add_times_object(struct json *json, const char *name, const struct diagnosis_times *times)
{
    json_open(json, name, '{');
    json_value(json, "count", "%" PRIu64, times->count);
    add_number_field(json, "avg", times->average);
    add_number_field(json, "p50", times->p50);
    add_number_field(json, "p99", times->p99);
    add_number_field(json, "max", times->max);
    json_close(json, '}');
}

/* Adds the object with the typical times of CLASS, or null if there are none. */
static void
add_typical_object(struct json *json, enum storage_class class)
{
    const struct storage_range *range = &storage_ranges[class];
    if (class == CLASS_UNKNOWN || class == CLASS_MEMORY) {
        json_value(json, "typical", "null");
        return;
    }

    json_open(json, "typical", '{');
    json_value(json, "p50_from", "%" PRId64, range->p50_from);
    json_value(json, "p50_to", "%" PRId64, range->p50_to);
    json_value(json, "p99_to", "%" PRId64, range->p99_to);
    json_close(json, '}');
}

/* Adds the object about the disk, or null if it is unknown. */
static void
add_disk_object(struct json *json, const struct diagnosis_facts *facts)
{
    const struct os_disk *disk = facts->disk;
    if (!facts->has_disk) {
        json_value(json, "disk", "null");
        return;
    }

    json_open(json, "disk", '{');
    json_string(json, "path", disk->path);
    add_string(json, "model", disk->model);
    add_string(json, "transport", disk->transport);
    add_flag(json, "rotational", disk->is_rotational);
    add_flag(json, "removable", disk->is_removable);
    add_flag(json, "virtual", disk->is_virtual);
    add_string(json, "machine", disk->machine);
    add_string(json, "stack", disk->stack);
    json_value(json, "disks", "%d", disk->disk_count);
    add_string(json, "scheduler", disk->scheduler);
    add_number_field(json, "queue_size", disk->queue_size);
    add_string(json, "write_cache", disk->write_cache);
    if (!disk->limit.group[0]) {
        json_value(json, "limit", "null");
    } else {
        json_open(json, "limit", '{');
        json_string(json, "group", disk->limit.group);
        add_number_field(json, "iops",
                         disk->limit.requests_per_s ? disk->limit.requests_per_s : -1);
        add_number_field(json, "bps",
                         disk->limit.bytes_per_s ? disk->limit.bytes_per_s : -1);
        json_close(json, '}');
    }
    json_close(json, '}');
}

/* Adds the object about the knee of the sweep, or null if it is unknown. */
static void
add_knee_object(struct json *json, const struct diagnosis_facts *facts,
                const struct diagnosis_findings *findings)
{
    const struct job_step *knee = findings->knee;
    if (!knee) {
        json_value(json, "knee", "null");
        return;
    }

    json_open(json, "knee", '{');
    json_value(json, facts->uses_threads ? "threads" : "depth", "%" PRId64, knee->value);
    json_value(json, "iops", "%.6f", knee->iops);
    json_value(json, "p99", "%" PRId64, knee->p99);
    json_value(json, "reached", "%s", findings->is_knee_reached ? "true" : "false");
    json_close(json, '}');
}

/* Adds the array of the steps of the sweep. */
static void
add_depths_array(struct json *json, const struct diagnosis_facts *facts)
{
    json_open(json, "depths", '[');
    for (int i = 0; i < facts->depths->count; i++) {
        const struct job_step *step = &facts->depths->steps[i];
        json_open(json, NULL, '{');
        json_value(json, facts->uses_threads ? "threads" : "depth", "%" PRId64,
                   step->value);
        json_value(json, "count", "%" PRIu64, step->requests);
        json_value(json, "iops", "%.6f", step->iops);
        add_number_field(json, "p50", step->p50);
        add_number_field(json, "p99", step->p99);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Adds the object with the shares of the parts, or null if they are unknown. */
static void
add_shares_object(struct json *json, const struct diagnosis_facts *facts)
{
    if (!facts->has_shares) {
        json_value(json, "shares", "null");
        return;
    }

    json_open(json, "shares", '{');
    for (enum part part = 0; part < PARTS; part++)
        json_value(json, part_name(part), "%d", facts->shares[part]);
    json_close(json, '}');
}

/* Adds the array of the uses. */
static void
add_uses_array(struct json *json, const struct diagnosis_findings *findings)
{
    static const char *const met[] = {
        [SLO_MET] = "true", [SLO_BROKEN] = "false", [SLO_UNKNOWN] = "null"};

    json_open(json, "uses", '[');
    for (enum storage_use use = 0; use < STORAGE_USES; use++) {
        const struct use_finding *finding = &findings->uses[use];
        json_open(json, NULL, '{');
        json_string(json, "use", storage_needs[use].word);
        json_value(json, "met", "%s", met[finding->verdict]);
        json_string(json, "figure", storage_needs[use].figure);
        add_number_field(json, "value", finding->why_unknown ? -1 : finding->value);
        json_value(json, "limit", "%" PRId64, storage_needs[use].limit);
        json_string(json, "source", storage_needs[use].source);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Adds the array of the things that are not known. */
static void
add_unknown_array(struct json *json, const struct diagnosis *diagnosis)
{
    struct buffer line = {0};

    json_open(json, "unknown", '[');
    for (int i = 0; diagnosis_unknown(diagnosis, i, &line); i++) {
        json_string(json, NULL, line.failed ? "" : line.text);
        buffer_clear(&line);
    }
    json_close(json, ']');
    json->text->failed |= line.failed;
    buffer_free(&line);
}

void
diagnosis_add_object(struct json *json, const struct diagnosis *diagnosis)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    const struct diagnosis_findings *findings = &diagnosis->findings;

    json_open(json, "diagnosis", '{');
    add_sentence(json, "answer", diagnosis, diagnosis_answer);
    json_string(json, "state", diagnosis_state_word(findings->state));
    json_string(json, "class", storage_ranges[findings->class].word);
    json_value(json, "likeness", "%s", findings->is_likeness ? "true" : "false");
    json_string(json, "cause", diagnosis_cause_word(findings->cause));
    add_disk_object(json, facts);

    add_times_object(json, "idle", &facts->paused);
    add_typical_object(json, findings->class);
    add_knee_object(json, facts, findings);
    add_number_field(json, "slots", findings->slots ? findings->slots : -1);
    add_depths_array(json, facts);
    json_open(json, "stream", '{');
    json_value(json, "count", "%" PRIu64, facts->stream.count);
    add_number_field(json, "bps",
                     facts->stream.count > 0 ? (int64_t)facts->stream_bps : -1);
    json_close(json, '}');
    add_times_object(json, "commit", &facts->commit);
    add_times_object(json, "flush", &facts->flush);
    add_shares_object(json, facts);
    if (facts->other_rate < 0) {
        json_value(json, "others", "null");
    } else {
        json_open(json, "others", '{');
        json_value(json, "iops", "%.3f", facts->other_rate);
        json_value(json, "busy", "%d", facts->disk_busy);
        json_close(json, '}');
    }

    add_uses_array(json, findings);
    add_unknown_array(json, diagnosis);
    add_sentence(json, "try", diagnosis, diagnosis_advice);
    json_close(json, '}');
}
