/*
 * The observer of a run: passes its records to the format of the output, its progress to
 * the status line and to the exported files. Each record is written by one flush.
 */
#include "report/report.h"

#include "base/time.h"
#include "base/units.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "report/console.h"
#include "run/job.h"
#include "run/run.h"
#include "status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct report_format *const formats[] = {
    [FORMAT_HUMAN] = &report_human,
    [FORMAT_RAW] = &report_raw,
    [FORMAT_JSON] = &report_json,
    [FORMAT_NDJSON] = &report_ndjson,
};

/* Writes the text. Once the output has failed, nothing more is written to it. */
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

/* Selects the current target. */
static struct report *
select_job(void *self, const struct job *job)
{
    struct report *report = self;
    report->target = &job->target.description;
    report->label = &report->labels[job->number];
    report->phase = job->phases ? job->phases->current : PHASE_NONE;
    return report;
}

int
report_begin(struct report *report, const struct plan *plan, const struct job *jobs,
             int count, struct error *error)
{
    const struct plan_output *output = &plan->output;
    memset(report, 0, sizeof(*report));
    report->format = formats[output->format];
    report->plan = report->export.plan = plan;
    report->output = output;
    report->load = plan->load;
    report->stream = 1;
    report->wall = os_clock_wall;
    report->terminal = os_stream_terminal(report->stream);
    report->columns = os_stream_columns(report->stream);
    report->columns = report->columns ? report->columns : 80;
    report->utf8 = os_locale_utf8();
    report->color = color_wanted(plan->options->color, report->stream);
    report->labels = calloc((size_t)count, sizeof(*report->labels));
    if (!report->labels)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for the report");
    report->jobs = jobs;
    report->count = count;
    if (status_wanted(plan))
        report->status = status_open(plan, count, os_clock_now());
    report->timers[TIMER_METRICS].every =
        output->prometheus ? output->export_interval : 0;
    report->timers[TIMER_PLOT].every = output->plot ? EXPORT_PLOT_INTERVAL : 0;
    report->timers[TIMER_STATUS].every = report->status ? STATUS_INTERVAL : 0;
    return export_begin(&report->export, plan, jobs, count, report->status, error);
}

static int
on_begin(void *self, const struct job *job)
{
    struct report *report = select_job(self, job);
    if (!report->begun && report->format->open)
        report->format->open(report);
    if (report->format->begin)
        report->format->begin(report);
    os_signals_closing(report->format->closing);
    report->begun = true;
    return flush(report);
}

static int
on_sample(void *self, const struct job *job, const struct sample *sample)
{
    struct report *report = select_job(self, job);
    if (report->format->sample)
        report->format->sample(report, sample);
    report->records++;
    return flush(report);
}

static int
on_period(void *self, const struct job *job, const struct stats *stats, int64_t time)
{
    struct report *report = select_job(self, job);
    report->format->period(report, stats, time);
    report->records++;
    return flush(report);
}

static int
on_summary(void *self, const struct job *job)
{
    struct report *report = select_job(self, job);
    if (job->phases && report->format->phase)
        return 0;
    report->format->summary(report, &job->outcome.total, job->outcome.time);
    report->records++;
    return flush(report);
}

static int
on_step(void *self, const struct job *job, const struct job_step *step,
        const struct stats *stats, int64_t time)
{
    struct report *report = select_job(self, job);
    report->format->step(report, step, stats, time);
    report->records++;
    return flush(report);
}

static int
on_phase(void *self, const struct job *job, enum phase phase)
{
    struct report *report = select_job(self, job);
    const struct job *load = phase == PHASE_LOADED ? job->phases->load : NULL;
    if (!report->format->phase)
        return 0;
    report->format->phase(report, &job->phases->list[phase], load);
    report->records++;
    return flush(report);
}

static void
on_highest(void *self, const struct job *job)
{
    struct report *report = select_job(self, job);
    report->format->highest(report, job);
    report->records++;
    flush(report);
}

static void
write_notes(struct report *report, struct notes *notes)
{
    status_pause(report->status);
    console_notes(notes);
    status_resume(report->status);
}

/* Interim statistics go to stderr, whatever the format: stdout has only records. Those of
 * phases together would be of no load at all. */
static void
on_interim(void *self, const struct job *job)
{
    struct report *report = self;
    struct buffer text = {0};
    if (!job->phases)
        human_interim(&text, job_name(job), job->stats);
    for (enum phase phase = PHASE_IDLE; job->phases && phase < PHASES; phase++)
        if (job_phase_stats(job, phase))
            human_interim(&text, phase_name(phase), job_phase_stats(job, phase));
    status_pause(report->status);
    if (!text.failed)
        os_stream_write(2, text.text, text.length);
    status_resume(report->status);
    buffer_free(&text);
}

static void
on_hang(void *self, const struct job *job, uint64_t index, int64_t waited)
{
    struct notes notes = {0};
    char text[UNITS_TEXT];
    notes_add(&notes, job_name(job), "request %llu has had no answer for %s",
              (unsigned long long)index, units_format(UNITS_TIME, waited, text));
    write_notes(self, &notes);
}

static void
on_fail(void *self, const struct job *job)
{
    struct notes notes = {0};
    outcome_explain_failure(&job->outcome.failed, job_name(job), &notes);
    write_notes(self, &notes);
}

static void
on_step_begin(void *self, const struct job *job, int64_t value, int number, int count)
{
    struct report *report = self;
    if (report->status)
        status_step(report->status, job->number, value, number, count, os_clock_now());
}

static void
on_phase_begin(void *self, const struct job *job, enum phase phase)
{
    struct report *report = self;
    (void)job;
    if (report->status)
        status_phase(report->status, phase, os_clock_now());
}

static int64_t
on_due(void *self, int64_t now)
{
    struct report *report = self;
    int64_t next = INT64_MAX;
    for (int i = 0; i < REPORT_TIMERS; i++) {
        struct report_timer *timer = &report->timers[i];
        if (timer->every && !timer->due)
            timer->due = time_add(now, timer->every);
        if (timer->every)
            next = time_earlier(next, timer->due);
    }
    return export_has_news(&report->export) ? now : next;
}

/* Returns true if a timer has run down at NOW; it then starts again. */
static bool
has_run_down(struct report_timer *timer, int64_t now)
{
    if (!timer->every || now < timer->due)
        return false;
    timer->due = time_next_point(timer->due, timer->every, now);
    return true;
}

static void
on_tick(void *self, const struct job *jobs, int count, int64_t now)
{
    struct report *report = self;
    if (export_has_news(&report->export))
        export_tell(&report->export);
    if (has_run_down(&report->timers[TIMER_METRICS], now))
        export_metrics(&report->export, now);
    if (has_run_down(&report->timers[TIMER_PLOT], now))
        export_plot(&report->export);
    if (has_run_down(&report->timers[TIMER_STATUS], now))
        status_tick(report->status, jobs, count, now);
}

static void
on_interrupt(void *self)
{
    struct report *report = self;
    if (!report->export.stopped)
        report->export.stopped = os_clock_now();
    status_erase(report->status);
}

static void
on_end(void *self, const struct job *jobs, int count, int64_t now)
{
    struct report *report = self;
    (void)jobs, (void)count, (void)now;
    report->over = true;
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
        .hang = on_hang,
        .fail = on_fail,
        .step_begin = on_step_begin,
        .step = on_step,
        .highest = on_highest,
        .phase_begin = on_phase_begin,
        .phase = on_phase,
        .due = on_due,
        .tick = on_tick,
        .interrupt = on_interrupt,
        .end = on_end,
    };
}

void
report_compare(struct report *report)
{
    bool several = report->count > 1 || report->plan->compare;
    if (!several || !report->output->summary || !report->format->compare)
        return;
    report->format->compare(report);
    flush(report);
}

void
report_kept(struct report *report)
{
    for (int i = 0; i < report->count && report->format != &report_human; i++) {
        on_begin(report, &report->jobs[i]);
        on_summary(report, &report->jobs[i]);
    }
    report_compare(report);
}

void
report_end(struct report *report, struct outcome *outcome)
{
    if (report->over)
        export_last(&report->export, os_clock_now());
    if (report->begun && report->format->end)
        report->format->end(report);
    flush(report);
    os_signals_closing(0);
    outcome->brief = report->format == &report_human && report->output->summary &&
                     report->plan->sweep.kind == SWEEP_NONE && !report->error &&
                     (!report->terminal || report->plan->phased);
    for (int i = 0; i < report->count; i++)
        buffer_free(&report->labels[i]);
    free(report->labels);
    report->labels = NULL;
    report->count = 0;
    buffer_free(&report->text);
    outcome->stuck |= !export_end(&report->export);
    outcome->output = report->export.failed;
    outcome->output_error = report->export.error;
    outcome->output_told = report->error == 0;
    status_close(report->status);
    report->status = NULL;
    if (report->error) {
        outcome->output = "standard output";
        outcome->output_error = report->error;
    }
}
