/*
 * The line of a request for people, as in ioping 1.3:
 *
 *   4 KiB <<< /tmp (ext4 /dev/vda1 39.3 GiB): request=1 time=423.2 us (warmup)
 *   SIZE, ARROW, LABEL of the target, ordinal, latency, NOTICE
 *
 * The line is made from the left to the right. If it is too wide for the terminal, the
 * label is shortened; with -breakdown, the parts of the time continue on further lines.
 * Off a terminal a line may have any width.
 */
#include "base/buffer.h"
#include "base/units.h"
#include "os/os.h"
#include "report/console.h"
#include "report/report.h"
#include "stats/stats.h"
#include "target/target.h"
#include "writers.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Adds the time of day in the format of -time. */
static void
add_time(struct report *report)
{
    char text[512];
    struct tm local;

    os_clock_local(report->wall_now(), &local);
    size_t length =
        strftime(text, sizeof(text), report->plan->output.time_format, &local);

    buffer_add(&report->text, text, length);
    buffer_text(&report->text, " ");
}

/* A line that is being made. */
struct request_line {
    struct buffer *text;
    int columns; /* width of the terminal; INT_MAX if the width does not matter */
    int column;  /* where the next character stands, from 0 */
};

#define INDENT "    " /* at the beginning of a further line */

/* Begins a field of WIDTH columns: adds a space, or a new line if the field would not fit
 * into this one. */
static void
begin_field(struct request_line *line, int width)
{
    if (line->column + 1 + width <= line->columns) {
        buffer_text(line->text, " ");
        line->column += 1 + width;
        return;
    }

    buffer_text(line->text, "\n" INDENT);
    line->column = (int)strlen(INDENT) + width;
}

/* Adds "NAME=TIME"; TIME is in ns. */
static void
add_part(struct request_line *line, const char *name, int64_t time)
{
    char field[64];
    char number[UNITS_TEXT];
    int width = snprintf(field, sizeof(field), "%s=%s", name,
                         units_format(UNITS_TIME, time, number));

    begin_field(line, width);
    buffer_text(line->text, field);
}

/* Adds the parts of the time of a request. Together with the flush after a write they add
 * up to its latency. */
static void
add_split(struct request_line *line, const struct sample *sample)
{
    const struct split *split = &sample->split;

    for (enum part part = 0; part < PARTS; part++) {
        if (part == PART_STACK && !split->is_stacked)
            continue;
        add_part(line, part_name(part), split->part[part]);
    }

    if (sample->sync)
        add_part(line, "sync", sample->sync);
    if (split->sync_device)
        add_part(line, "sync-device", split->sync_device);
}

/* Returns the number of columns of the text that was added to TEXT since it had BEGIN
 * bytes. Returns 0 off a terminal, where the width does not matter. */
static int
columns_since(const struct report *report, const struct buffer *text, size_t begin)
{

    if (!report->is_terminal || text->failed)
        return 0;
    return escape_count(text->text + begin);
}

/* Adds the characters from index FIRST to before index END of CHARACTERS. */
static void
add_characters(struct buffer *text, const char *characters, int first, int end)
{
    struct escape_character character;

    for (int i = 0; i < end && escape_next(&characters, &character); i++)
        if (i >= first)
            buffer_add(text, character.bytes, character.length);
}

/* Adds PATH in at most COLUMNS columns. Characters in the middle of a longer path are
 * replaced by an ellipsis. */
static void
add_path(struct buffer *text, const char *path, int columns, bool utf8)
{
    const char *mark = utf8 ? "\xe2\x80\xa6" : "..."; /* U+2026 */
    int count = escape_count(path);

    if (count <= columns) {
        buffer_text(text, path);
        return;
    }
    int shown = columns - escape_count(mark);
    int head = shown / 2;
    add_characters(text, path, 0, head);
    buffer_text(text, mark);
    add_characters(text, path, count - (shown - head), count);
}

/* A shortened path must have at least this many columns to be recognized. */
#define PATH_LEAST 12

/* Adds LABEL, "PATH (ext4 /dev/vda 252.0 GiB)", in at most COLUMNS columns if possible:
 * shortens the path or, if that is not enough, leaves out the text after the path too. */
static void
add_label(const struct report *report, struct buffer *text, const char *label,
          int columns)
{
    struct buffer path = {0};
    if (!report->is_terminal || escape_count(label) <= columns) {
        buffer_text(text, label);
        return;
    }

    buffer_escaped(&path, report->target->path);
    if (path.failed || path.length > strlen(label)) {
        text->failed |= path.failed;
        buffer_free(&path);
        return;
    }

    const char *rest = label + path.length;
    int path_columns = columns - escape_count(rest);
    if (path_columns < PATH_LEAST) {
        path_columns = columns < PATH_LEAST ? PATH_LEAST : columns;
        rest = "";
    }
    add_path(text, path.text, path_columns, report->has_utf8);
    buffer_text(text, rest);
    buffer_free(&path);
}

/*
 * Sets the verdict that a terminal shows for SAMPLE, if the sample counts. A request is
 * slow compared to the median, so that one very slow request does not hide the next one;
 * a fast request has no notice. Off a terminal, verdicts are relative to the average, as
 * in ioping 1.3, and this function is not called.
 */
static void
judge_for_terminal(struct sample *sample)
{
    if (!sample_counts(sample))
        return;

    bool is_slow = sample->slow_above && sample->latency > sample->slow_above;
    sample->verdict = is_slow ? VERDICT_SLOW : VERDICT_NONE;
}

/* Adds "4 KiB <<< LABEL: request=1 time=423.2 us", with the time of day in front if
 * requested. RESERVED columns of the line are left free for the text that follows. */
static void
add_start(struct request_line *line, struct report *report, const char *label,
          const struct sample *sample, int reserved)
{
    struct buffer *text = line->text;
    char tail[80];
    char number[UNITS_TEXT];
    int tail_width = snprintf(tail, sizeof(tail), ": request=%llu time%c%s",
                              (unsigned long long)sample->index,
                              sample->verdict == VERDICT_TIMEOUT ? '>' : '=',
                              units_format(UNITS_TIME, sample->latency, number));
    size_t begin = text->length;

    if (report->plan->output.time_format)
        add_time(report);
    buffer_format(text, "%s %s ", units_format(UNITS_SIZE, sample->bytes, number),
                  operations[sample->operation].arrow);

    int head_width = columns_since(report, text, begin);
    add_label(report, text, label, line->columns - head_width - tail_width - reserved);
    buffer_text(text, tail);
    line->column = columns_since(report, text, begin);
}

void
request_line_add(struct report *report, const char *label, const struct sample *sample)
{
    const struct plan_output *output = &report->plan->output;
    struct buffer *text = &report->text;
    struct request_line line = {text, report->is_terminal ? report->columns : INT_MAX, 0};
    struct sample judged = *sample;
    char name[16];
    bool is_split = sample->split.result == SPLIT_DONE;
    bool ends_burst = output->burst && sample->index % (uint64_t)output->burst == 0;

    if (report->is_terminal)
        judge_for_terminal(&judged);
    const char *notice = sample_notice(&judged, name);
    int notice_width = notice ? (int)strlen(notice) + 2 : 0; /* in parentheses */
    int reserved = notice && !is_split ? 1 + notice_width : 0;

    add_start(&line, report, label, sample, reserved);

    if (is_split)
        add_split(&line, sample);

    if (notice) {
        begin_field(&line, notice_width);
        buffer_text(text, "(");
        color_add(text, report->has_color ? color_of(judged.verdict) : NULL, notice);
        buffer_text(text, ")");
    }

    buffer_text(text, ends_burst ? "\n\n" : "\n");
}
