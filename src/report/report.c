#include "report/report.h"

#include "base/units.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "report/console.h"
#include "report/prometheus.h"

#include <errno.h>
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
    if (report->text.length && !report->error &&
        os_stream_write(report->stream, report->text.text, report->text.length) < 0)
        report->error = errno;
    buffer_clear(&report->text);
    return report->error ? -1 : 0;
}

int
report_begin(struct report *report, const struct plan *plan,
             const struct description *target, struct error *error)
{
    memset(report, 0, sizeof(*report));
    report->format = formats[plan->output.format];
    report->target = target;
    report->plan = plan;
    report->output = &plan->output;
    report->load = plan->load;
    report->stream = 1;
    report->wall = os_clock_wall;
    report->columns = os_stream_columns(report->stream);
    report->columns = report->columns ? report->columns : 80;
    report->utf8 = os_locale_utf8();
    return prometheus_begin(plan, target, error);
}

static int
on_begin(void *self)
{
    struct report *report = self;
    if (report->format->begin)
        report->format->begin(report);
    os_signals_farewell(report->format->farewell);
    report->begun = true;
    return flush(report);
}

static int
on_sample(void *self, const struct sample *sample)
{
    struct report *report = self;
    if (report->format->sample)
        report->format->sample(report, sample);
    report->records++;
    return flush(report);
}

static int
on_period(void *self, const struct stats *stats, int64_t time)
{
    struct report *report = self;
    report->format->period(report, stats, time);
    report->records++;
    return flush(report);
}

static int
on_summary(void *self, const struct stats *stats, int64_t time)
{
    struct report *report = self;
    report->format->summary(report, stats, time);
    report->records++;
    return flush(report);
}

static int
on_step(void *self, int64_t value, const struct stats *stats, int64_t time)
{
    struct report *report = self;
    report->format->step(report, value, stats, time);
    report->records++;
    return flush(report);
}

/* To stderr, whatever the format; it must not disturb what is read from stdout. */
static void
on_interim(void *self, const struct stats *stats)
{
    struct buffer text = {0};
    (void)self;
    human_interim(&text, stats);
    if (!text.failed)
        os_stream_write(2, text.text, text.length);
    buffer_free(&text);
}

static void
on_hang(void *self, uint64_t index, int64_t waited)
{
    struct notes notes = {0};
    char text[UNITS_TEXT];
    (void)self;
    notes_add(&notes, NULL, "request %llu has had no answer for %s",
              (unsigned long long)index, units_format(UNITS_TIME, waited, text));
    console_notes(&notes);
}

/* Said once in a row: the next version may well be written. */
static void
on_keep(void *self, const struct stats *stats, int64_t now)
{
    struct report *report = self;
    struct notes notes = {0};
    int64_t last = stats->last ? report->wall() - (now - stats->last) : 0;
    int before = report->keep_error;
    report->keep_error = prometheus_keep(report->plan, report->target, stats, last);
    if (report->keep_error && !before) {
        notes_add(&notes, report->output->prometheus, "%s", strerror(report->keep_error));
        console_notes(&notes);
    }
}

struct run_observer
report_observer(struct report *report)
{
    return (struct run_observer){
        .self = report,
        .begin = on_begin,
        .sample = on_sample,
        .period = on_period,
        .summary = on_summary,
        .interim = on_interim,
        .keep = on_keep,
        .hang = on_hang,
        .step = on_step,
    };
}

void
report_end(struct report *report, struct outcome *outcome)
{
    if (report->begun && report->format->end)
        report->format->end(report);
    flush(report);
    os_signals_farewell(0);
    buffer_free(&report->label);
    buffer_free(&report->text);
    outcome->output = report->error ? "standard output" : report->output->prometheus;
    outcome->output_error = report->error ? report->error : report->keep_error;
    outcome->output_told = !report->error;
}
