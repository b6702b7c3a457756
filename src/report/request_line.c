/*
 * The line of a request for people, in the layout of ioping 1.3:
 *
 *   4 KiB <<< /tmp (ext4 /dev/vda1 39.3 GiB): request=1 time=423.2 us (warmup)
 *   SIZE  ARROW  LABEL of the target:         ordinal   latency       (NOTICE)
 *
 * The line is made from the left to the right. If the line is too wide for the terminal,
 * the label is shortened. With -breakdown, the parts of the time follow the latency, if
 * necessary on further lines. If the output is not a terminal, a line may have any width.
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

/* Adds the local time in the format of -time, and a space. */
static void
add_local_time(struct report *report)
{
    char text[512];
    struct tm local;

    os_clock_local(report->wall_now(), &local);
    size_t length =
        strftime(text, sizeof(text), report->plan->output.time_format, &local);

    buffer_add(&report->text, text, length);
    buffer_text(&report->text, " ");
}

/* The line of a request while it is made. */
struct request_line {
    struct buffer *text;
    int columns; /* width of the terminal; INT_MAX if the output is not a terminal */
    int column;  /* column of the next character, from 0 */
};

/* starts each further line of the same request */
#define INDENT "    "

/* Begins a field of WIDTH columns: adds a space or, if the field does not fit into the
 * current line, a newline and INDENT. The caller then adds the field. */
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

/* Adds the field "NAME=TIME" for a part of the latency. TIME is in ns. */
static void
add_part_field(struct request_line *line, const char *name, int64_t time)
{
    char field[64];
    char number[UNITS_TEXT];
    int width = snprintf(field, sizeof(field), "%s=%s", name,
                         units_format(UNITS_TIME, time, number));

    begin_field(line, width);
    buffer_text(line->text, field);
}

/* Adds the parts of the latency of SAMPLE. The parts of enum part and the flush after a
 * write ("sync") add up to the latency. "sync-device" is a part of the flush. */
static void
add_part_fields(struct request_line *line, const struct sample *sample)
{
    const struct split *split = &sample->split;

    for (enum part part = 0; part < PARTS; part++) {
        if (part == PART_STACK && !split->is_stacked)
            continue;
        add_part_field(line, part_name(part), split->part[part]);
    }

    if (sample->sync)
        add_part_field(line, "sync", sample->sync);
    if (split->sync_device)
        add_part_field(line, "sync-device", split->sync_device);
}

/* Returns the width of TEXT from byte BEGIN on, in columns of the terminal. Returns 0 if
 * the output is not a terminal, because the width does not matter then. */
static int
count_columns_since(const struct report *report, const struct buffer *text, size_t begin)
{
    if (!report->is_terminal || text->failed)
        return 0;
    return escape_count(text->text + begin);
}

/* Adds a part of CHARACTERS, a UTF-8 text: the characters from the index FIRST to the
 * index END - 1. Indices count characters, not bytes. */
static void
add_characters(struct buffer *text, const char *characters, int first, int end)
{
    struct escape_character character;

    for (int i = 0; i < end && escape_next(&characters, &character); i++)
        if (i >= first)
            buffer_add(text, character.bytes, character.length);
}

/* Adds PATH in at most COLUMNS columns. If PATH is longer, an ellipsis replaces
 * characters in the middle: U+2026 if UTF8, otherwise three dots. */
static void
add_shortened_path(struct buffer *text, const char *path, int columns, bool utf8)
{
    const char *ellipsis = utf8 ? "\xe2\x80\xa6" : "...";
    int count = escape_count(path);

    if (count <= columns) {
        buffer_text(text, path);
        return;
    }

    int shown = columns - escape_count(ellipsis);
    int head = shown / 2;
    int tail = shown - head;

    add_characters(text, path, 0, head);
    buffer_text(text, ellipsis);
    add_characters(text, path, count - tail, count);
}

/* minimum width of a shortened path, in columns: nobody would recognise a shorter one */
#define MIN_PATH_COLUMNS 12

/*
 * Adds LABEL, such as "PATH (ext4 /dev/vda 252.0 GiB)". On a terminal, LABEL gets at most
 * COLUMNS columns if possible: the path is shortened. If the path would get fewer than
 * MIN_PATH_COLUMNS columns, the text after the path is left out as well.
 */
static void
add_fitted_label(const struct report *report, struct buffer *text, const char *label,
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

    const char *suffix = label + path.length;
    int path_columns = columns - escape_count(suffix);
    if (path_columns < MIN_PATH_COLUMNS) {
        path_columns = columns < MIN_PATH_COLUMNS ? MIN_PATH_COLUMNS : columns;
        suffix = "";
    }

    add_shortened_path(text, path.text, path_columns, report->has_utf8);
    buffer_text(text, suffix);
    buffer_free(&path);
}

/*
 * If SAMPLE counts, replaces its verdict by the verdict that a terminal shows. A terminal
 * shows a request as slow if it took much longer than the median (`slow_above`), and
 * shows no request as fast. The average would be a worse measure: a single very slow
 * request raises it, and then the next slow request would not be noticed. Other outputs
 * still show verdicts that are based on the average, as ioping 1.3 does.
 */
static void
judge_for_terminal(struct sample *sample)
{
    if (!sample_counts(sample))
        return;

    bool is_slow = sample->slow_above && sample->latency > sample->slow_above;
    sample->verdict = is_slow ? VERDICT_SLOW : VERDICT_NONE;
}

/* Adds the line up to the latency, such as "4 KiB <<< LABEL: request=1 time=423.2 us".
 * With -time, the local time stands in front. If necessary, LABEL is shortened, so that
 * RESERVED columns stay free for the text that follows. */
static void
add_line_start(struct request_line *line, struct report *report, const char *label,
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
        add_local_time(report);
    buffer_format(text, "%s %s ", units_format(UNITS_SIZE, sample->bytes, number),
                  operations[sample->operation].arrow);

    int head_width = count_columns_since(report, text, begin);
    int label_width = line->columns - head_width - tail_width - reserved;

    add_fitted_label(report, text, label, label_width);
    buffer_text(text, tail);
    line->column = count_columns_since(report, text, begin);
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
    const char *notice = sample_verdict_word(&judged, name);
    /* The notice stands in parentheses, after a space. If the latency is split into
     * parts, the notice may stand on a further line, so no space is reserved for it. */
    int notice_width = notice ? (int)strlen(notice) + 2 : 0;
    int reserved = notice && !is_split ? 1 + notice_width : 0;

    add_line_start(&line, report, label, sample, reserved);
    if (is_split)
        add_part_fields(&line, sample);

    if (notice) {
        begin_field(&line, notice_width);
        buffer_text(text, "(");
        color_add(text, report->has_color ? color_of(judged.verdict) : NULL, notice);
        buffer_text(text, ")");
    }

    buffer_text(text, ends_burst ? "\n\n" : "\n");
}
