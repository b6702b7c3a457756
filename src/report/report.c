#include "report/report.h"

#include "base/units.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "report/color.h"
#include "report/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct report_format *const formats[] = {
    [FORMAT_HUMAN] = &report_human,
    [FORMAT_RAW] = &report_raw,
    [FORMAT_JSON] = &report_json,
    [FORMAT_NDJSON] = &report_ndjson,
};

/* Once the output has failed, nothing more is written to it. */
static int
flush(struct report *report)
{
    if (report->text.failed && !report->error)
        report->error = ENOMEM;
    if (report->text.length && !report->error) {
        status_pause(report->status);
        if (os_stream_write(report->stream, report->text.text, report->text.length) < 0)
            report->error = errno;
        status_resume(report->status);
    }
    buffer_clear(&report->text);
    return report->error ? -1 : 0;
}

/* Who is told of from now on. */
static struct report *
turn_to(void *self)
{
    struct report_target *target = self;
    struct report *report = target->report;
    report->target = target->description;
    report->label = &target->label;
    return report;
}

int
report_begin(struct report *report, const struct plan *plan,
             const struct description *const *targets, int count, struct error *error)
{
    memset(report, 0, sizeof(*report));
    report->format = formats[plan->output.format];
    report->plan = report->export.plan = plan;
    report->output = &plan->output;
    report->load = plan->load;
    report->stream = 1;
    report->wall = os_clock_wall;
    report->terminal = os_stream_terminal(report->stream);
    report->columns = os_stream_columns(report->stream);
    report->columns = report->columns ? report->columns : 80;
    report->utf8 = os_locale_utf8();
    report->color = color_wanted(plan->output.color, report->stream);
    report->targets = calloc((size_t)count, sizeof(*report->targets));
    if (!report->targets)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for the report");
    report->count = count;
    for (int i = 0; i < count; i++)
        report->targets[i] =
            (struct report_target){.report = report, .description = targets[i]};
    if (status_wanted(plan))
        report->status = status_open(plan, count, os_clock_now());
    return export_begin(&report->export, plan, targets, count, report->status, error);
}

static int
on_begin(void *self)
{
    struct report *report = turn_to(self);
    if (!report->begun && report->format->open)
        report->format->open(report);
    if (report->format->begin)
        report->format->begin(report);
    os_signals_farewell(report->format->farewell);
    report->begun = true;
    return flush(report);
}

static int
on_sample(void *self, const struct sample *sample)
{
    struct report *report = turn_to(self);
    if (report->format->sample)
        report->format->sample(report, sample);
    report->records++;
    return flush(report);
}

static int
on_period(void *self, const struct stats *stats, int64_t time)
{
    struct report *report = turn_to(self);
    report->format->period(report, stats, time);
    report->records++;
    return flush(report);
}

static int
on_summary(void *self, const struct stats *stats, int64_t time)
{
    struct report *report = turn_to(self);
    report->format->summary(report, stats, time);
    report->records++;
    return flush(report);
}

static int
number_of(const struct report_target *target)
{
    return (int)(target - target->report->targets);
}

static int
on_step(void *self, int64_t value, const struct stats *stats, int64_t time)
{
    struct report *report = turn_to(self);
    report->format->step(report, value, stats, time);
    report->records++;
    export_step(&report->export, number_of(self), value, stats, time);
    return flush(report);
}

/* The name of a target where there are others; else NULL. */
static const char *
name_among(const struct report_target *target)
{
    return target->report->count > 1 ? target->description->path : NULL;
}

static void
say(struct report *report, struct notes *notes)
{
    status_pause(report->status);
    console_notes(notes);
    status_resume(report->status);
}

/* To stderr, whatever the format; it must not disturb what is read from stdout. */
static void
on_interim(void *self, const struct stats *stats)
{
    struct report_target *target = self;
    struct status *status = target->report->status;
    struct buffer text = {0};
    human_interim(&text, name_among(target), stats);
    status_pause(status);
    if (!text.failed)
        os_stream_write(2, text.text, text.length);
    status_resume(status);
    buffer_free(&text);
}

static void
on_hang(void *self, uint64_t index, int64_t waited)
{
    struct report_target *target = self;
    struct notes notes = {0};
    char text[UNITS_TEXT];
    notes_add(&notes, name_among(target), "request %llu has had no answer for %s",
              (unsigned long long)index, units_format(UNITS_TIME, waited, text));
    say(target->report, &notes);
}

static void
on_fail(void *self, const struct sample *failed)
{
    struct report_target *target = self;
    struct notes notes = {0};
    outcome_explain_failure(failed, name_among(target), &notes);
    say(target->report, &notes);
}

static void
on_stepping(void *self, int64_t value, int number, int count)
{
    struct report_target *target = self;
    struct status *status = target->report->status;
    if (status)
        status_step(status, number_of(target), value, number, count, os_clock_now());
}

struct run_observer
report_observer(struct report *report, int number)
{
    return (struct run_observer){
        .self = &report->targets[number],
        .begin = on_begin,
        .sample = on_sample,
        .period = on_period,
        .summary = on_summary,
        .interim = on_interim,
        .hang = on_hang,
        .fail = on_fail,
        .stepping = on_stepping,
        .step = on_step,
    };
}

int
report_tickers(struct report *report, struct run_ticker *tickers)
{
    int count = export_tickers(&report->export, tickers);
    if (report->status)
        tickers[count++] = status_ticker(report->status);
    return count;
}

void
report_compare(struct report *report, const struct outcome *const *outcomes)
{
    if (report->count < 2 || !report->output->summary || !report->format->compare)
        return;
    report->format->compare(report, outcomes);
    flush(report);
}

void
report_end(struct report *report, struct outcome *outcome)
{
    if (report->begun && report->format->end)
        report->format->end(report);
    flush(report);
    os_signals_farewell(0);
    outcome->brief = report->format == &report_human && report->output->summary &&
                     report->plan->sweep.kind == SWEEP_NONE && !report->terminal &&
                     !report->error;
    for (int i = 0; i < report->count; i++)
        buffer_free(&report->targets[i].label);
    free(report->targets);
    report->targets = NULL;
    report->count = 0;
    buffer_free(&report->text);
    outcome->output = export_failure(&report->export, &outcome->output_error);
    outcome->output_told = report->error == 0;
    export_end(&report->export);
    status_close(report->status);
    report->status = NULL;
    if (report->error) {
        outcome->output = "standard output";
        outcome->output_error = report->error;
    }
}
