/*
 * The line of a request for people: "4 KiB <<< /tmp (ext4 /dev/vda1 39.3 GiB): request=1
 * time=423.2 us (warmup)", as in ioping 1.3.
 */
#include "base/units.h"
#include "os/os.h"
#include "report/console.h"
#include "report/report.h"
#include "stats/stats.h"
#include "writers.h"

#include <string.h>
#include <time.h>

static void
add_time(struct report *report)
{
    char text[512];
    struct tm local;
    os_clock_local(report->wall(), &local);
    size_t length =
        strftime(text, sizeof(text), report->plan->output.time_format, &local);
    buffer_add(&report->text, text, length);
    buffer_text(&report->text, " ");
}

/* Adds the parts of a request, which add up to its time with the flush after a write. */
static void
add_split(struct buffer *text, const struct sample *sample)
{
    const struct split *split = &sample->split;
    char time[UNITS_TEXT];
    for (enum part part = 0; part < PARTS; part++) {
        if (part == PART_STACK && !split->is_stacked)
            continue;
        buffer_format(text, " %s=%s", part_name(part),
                      units_format(UNITS_TIME, split->part[part], time));
    }
    if (sample->sync)
        buffer_format(text, " sync=%s", units_format(UNITS_TIME, sample->sync, time));
    if (split->sync_device)
        buffer_format(text, " sync-device=%s",
                      units_format(UNITS_TIME, split->sync_device, time));
}

/*
 * Sets the verdict that a terminal shows for a SAMPLE that counts. It is by the median,
 * so that one very slow request does not hide the next one. A fast request needs no
 * word. Anywhere else the verdict is by the average, as in ioping 1.3.
 */
static void
judge_for_terminal(struct sample *sample)
{
    if (!sample_counts(sample))
        return;
    bool is_slow = sample->slow_above && sample->latency > sample->slow_above;
    sample->verdict = is_slow ? VERDICT_SLOW : VERDICT_NONE;
}

void
request_line_add(struct report *report, const char *label, const struct sample *sample)
{
    const struct plan_output *output = &report->plan->output;
    struct buffer *text = &report->text;
    struct sample judged = *sample;
    char name[16], size[UNITS_TEXT], time[UNITS_TEXT];
    bool split = sample->split.result == SPLIT_DONE;
    const char *end =
        output->burst && sample->index % (uint64_t)output->burst == 0 ? "\n\n" : "\n";
    if (report->terminal)
        judge_for_terminal(&judged);
    const char *notice = sample_notice(&judged, name);
    if (output->time_format)
        add_time(report);
    buffer_format(
        text, "%s %s %s: request=%llu time%c%s%s",
        units_format(UNITS_SIZE, sample->bytes, size),
        operations[sample->operation].arrow, label, (unsigned long long)sample->index,
        sample->verdict == VERDICT_TIMEOUT ? '>' : '=',
        units_format(UNITS_TIME, sample->latency, time), split || notice ? "" : end);
    if (split)
        add_split(text, sample);
    if (notice) {
        buffer_text(text, " (");
        color_add(text, report->color ? color_of(judged.verdict) : NULL, notice);
        buffer_text(text, ")");
    }
    if (split || notice)
        buffer_text(text, end);
}
