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
#include "writers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct report_format *const formats[] = {
    [FORMAT_HUMAN] = &report_human, [FORMAT_RAW] = &report_raw,
    [FORMAT_JSON] = &report_json,   [FORMAT_NDJSON] = &report_ndjson,
    [FORMAT_CHECK] = &report_check, [FORMAT_INFLUX] = &report_influx,
};

/* Writes the text. Once the output has failed, nothing more is written to it. */
static void
flush(struct reports *reports, struct report *report)
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
    reports->failed |= report->error != 0;
}

/* Writes the text as a record. */
static void
end_record(struct reports *reports, struct report *report)
{
    report->records++;
    flush(reports, report);
}

/* Returns 0, or -1 if an output has failed. */
static int
status_of(const struct reports *reports)
{
    return reports->failed ? -1 : 0;
}

/* Selects the current target of report NUMBER, which it returns. */
static struct report *
select_job(struct reports *reports, int number, const struct job *job)
{
    struct report *report = &reports->list[number];
    report->job = job;
    report->target = &job->target.description;
    report->label = &report->labels[job->index];
    report->phase = job->phases ? job->phases->current : PHASE_NONE;
    return report;
}

/* Begins the next report, with OUTPUT of PLAN, on STREAM. A file is no terminal, whatever
 * is behind it. Returns 0, or -1 with ERROR. */
static int
begin_report(struct reports *reports, const struct plan *plan,
             const struct plan_output *output, const struct job *jobs, int count,
             int stream, struct error *error)
{
    struct report *report = &reports->list[reports->count++];
    bool file = output->file != NULL;
    report->format = formats[output->format];
    report->plan = plan;
    report->output = output;
    report->load = plan->workload.load;
    report->stream = stream;
    report->wall = os_clock_wall;
    report->terminal = !file && os_stream_terminal(stream);
    report->columns = file ? 0 : os_stream_columns(stream);
    report->columns = report->columns ? report->columns : 80;
    report->utf8 = os_locale_utf8();
    report->color = file ? plan->options->color == COLOR_ALWAYS
                         : color_wanted(plan->options->color, stream);
    report->status = file ? NULL : reports->status;
    report->labels = calloc((size_t)count, sizeof(*report->labels));
    if (!report->labels)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for the report");
    report->jobs = jobs;
    report->count = count;
    return 0;
}

int
report_begin(struct reports *reports, const struct plan *plan, const struct job *jobs,
             int count, struct error *error)
{
    const struct plan_output *output = &plan->output;
    int file = reports->file;
    reports->export.plan = plan;
    if (report_claim(reports, plan, jobs, error) < 0)
        return -1;
    if (status_wanted(plan))
        reports->status = status_open(plan, count, os_clock_now());
    if ((file && begin_report(reports, plan, output, jobs, count, file, error) < 0) ||
        begin_report(reports, plan, file ? &plan->screen : output, jobs, count, 1,
                     error) < 0)
        return -1;
    reports->timers[TIMER_METRICS].every = output->export_interval;
    reports->timers[TIMER_PLOT].every = output->plot_interval;
    reports->timers[TIMER_LOG].every = output->hdr_interval;
    reports->timers[TIMER_STATUS].every = reports->status ? STATUS_INTERVAL : 0;
    return export_begin(&reports->export, plan, jobs, count, reports->status, error);
}

/* Begins the report of its current target. */
static void
begin_job(struct reports *reports, struct report *report)
{
    if (!report->begun && report->format->open)
        report->format->open(report);
    if (report->format->begin)
        report->format->begin(report);
    if (report->format->closing)
        os_signals_closing(report->stream, report->format->closing);
    report->begun = true;
    flush(reports, report);
}

static void
summarize(struct reports *reports, struct report *report, const struct job *job)
{
    report->format->summary(report, &job->outcome.total, job->outcome.time);
    end_record(reports, report);
}

static void
write_notes(struct reports *reports, struct notes *notes)
{
    status_pause(reports->status);
    console_notes(notes);
    status_resume(reports->status);
}

static int
on_begin(void *self, const struct job *job)
{
    struct reports *reports = self;
    int unnamed = job->target.unnamed;
    struct notes notes = {0};
    if (unnamed) {
        notes_add(&notes, job_name(job), "the mount table cannot be read: %s%s",
                  strerror(unnamed), unnamed == EMFILE ? ", see ulimit -n" : "");
        write_notes(reports, &notes);
    }
    for (int i = 0; i < reports->count; i++)
        begin_job(reports, select_job(reports, i, job));
    return status_of(reports);
}

static int
on_sample(void *self, const struct job *job, const struct sample *sample)
{
    struct reports *reports = self;
    for (int i = 0; i < reports->count; i++) {
        struct report *report = select_job(reports, i, job);
        if (!report->output->requests)
            continue;
        if (report->format->sample)
            report->format->sample(report, sample);
        end_record(reports, report);
    }
    return status_of(reports);
}

static int
on_period(void *self, const struct job *job, const struct stats *stats, int64_t time)
{
    struct reports *reports = self;
    for (int i = 0; i < reports->count; i++) {
        struct report *report = select_job(reports, i, job);
        if (!plan_has_periods(report->output))
            continue;
        report->format->period(report, stats, time);
        end_record(reports, report);
    }
    return status_of(reports);
}

static const char *
name_of(const struct report *report)
{
    return report->output->file ? report->output->file : "standard output";
}

/* Notes the outputs that have failed, each once. */
static void
note_failures(struct reports *reports)
{
    for (int i = 0; i < reports->count; i++) {
        struct report *report = &reports->list[i];
        if (report->error && !report->noted)
            notes_add(&reports->notes, name_of(report), "%s", strerror(report->error));
        report->noted |= report->error != 0;
    }
    write_notes(reports, &reports->notes);
}

static int
on_summary(void *self, const struct job *job)
{
    struct reports *reports = self;
    for (int i = 0; i < reports->count; i++) {
        struct report *report = select_job(reports, i, job);
        if (report->output->summary && (!job->phases || !report->format->phase))
            summarize(reports, report, job);
        if (i + 1 < reports->count) /* people read the last, and no more follows it */
            note_failures(reports);
    }
    return status_of(reports);
}

/* The record is written when the next step begins, or after the remarks on the end. */
static int
on_step(void *self, const struct job *job, const struct job_step *step,
        const struct stats *stats, int64_t time)
{
    struct reports *reports = self;
    for (int i = 0; i < reports->count; i++) {
        struct report *report = select_job(reports, i, job);
        report->format->step(report, step, stats, time);
        report->records++;
    }
    return status_of(reports);
}

static int
on_phase(void *self, const struct job *job, enum phase phase)
{
    struct reports *reports = self;
    const struct job *background = phase == PHASE_LOADED ? job->phases->background : NULL;
    for (int i = 0; i < reports->count; i++) {
        struct report *report = select_job(reports, i, job);
        if (!report->output->summary || !report->format->phase)
            continue;
        report->format->phase(report, &job->phases->list[phase], background);
        end_record(reports, report);
    }
    return status_of(reports);
}

static void
on_highest(void *self, const struct job *job)
{
    struct reports *reports = self;
    for (int i = 0; i < reports->count; i++) {
        struct report *report = select_job(reports, i, job);
        report->format->highest(report, job);
        end_record(reports, report);
    }
}

/* Interim statistics go to stderr, whatever the format: stdout has only records. Those of
 * phases together would be of no load at all. */
static void
on_interim(void *self, const struct job *job)
{
    struct reports *reports = self;
    struct buffer text = {0};
    if (!job->phases)
        human_interim(&text, job_name(job), job->stats);
    for (enum phase phase = PHASE_IDLE; job->phases && phase < PHASES; phase++)
        if (job_phase_stats(job, phase))
            human_interim(&text, phase_name(phase), job_phase_stats(job, phase));
    status_pause(reports->status);
    if (!text.failed)
        os_stream_write(2, text.text, text.length);
    status_resume(reports->status);
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

/* Adds the lines of jobs to the log, for the interval that ends at NOW. */
static void
add_lines(struct reports *reports, const struct job *jobs, int count, int64_t now,
          bool last)
{
    struct buffer lines = {0};
    if (!reports->export.log)
        return;
    hdr_lines(reports->export.log, &lines, jobs, count, now, last);
    export_lines(&reports->export, &lines, now);
}

/* The log has lines of its own for each part of a run, in intervals that begin anew. */
static void
begin_part(struct reports *reports, const struct job *job, const char *part)
{
    if (!reports->export.log)
        return;
    add_lines(reports, job, 1, job->outcome.ended, true);
    hdr_part(reports->export.log, job, part);
    reports->timers[TIMER_LOG].due = 0;
}

static int
on_step_begin(void *self, const struct job *job, int64_t value, int number, int count)
{
    struct reports *reports = self;
    char part[48];
    snprintf(part, sizeof(part), "%s=%" PRId64, sweep_name(job->plan.sweep.kind), value);
    begin_part(reports, job, part);
    if (reports->status)
        status_step(reports->status, job->index, value, number, count, os_clock_now());
    for (int i = 0; i < reports->count; i++)
        flush(reports, &reports->list[i]);
    return status_of(reports);
}

static void
on_phase_begin(void *self, const struct job *job, enum phase phase)
{
    struct reports *reports = self;
    begin_part(reports, job, phase_name(phase));
    if (reports->status)
        status_phase(reports->status, phase, os_clock_now());
}

static int64_t
on_due(void *self, int64_t now)
{
    struct reports *reports = self;
    int64_t next = INT64_MAX, first = now + reports->export.jobs[0].delay;
    if (reports->export.log)
        hdr_begin(reports->export.log, first);
    for (int i = 0; i < REPORT_TIMERS; i++) {
        struct report_timer *timer = &reports->timers[i];
        if (timer->every && !timer->due)
            timer->due = time_add(i == TIMER_LOG ? first : now, timer->every);
        if (timer->every)
            next = time_earlier(next, timer->due);
    }
    return export_has_news(&reports->export) ? now : next;
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
    struct reports *reports = self;
    if (export_has_news(&reports->export))
        export_tell(&reports->export);
    if (has_run_down(&reports->timers[TIMER_METRICS], now))
        export_metrics(&reports->export, now);
    if (has_run_down(&reports->timers[TIMER_PLOT], now))
        export_plot(&reports->export);
    if (has_run_down(&reports->timers[TIMER_LOG], now))
        add_lines(reports, jobs, count, now, false);
    if (has_run_down(&reports->timers[TIMER_STATUS], now))
        status_tick(reports->status, jobs, count, now);
}

static void
on_interrupt(void *self)
{
    struct reports *reports = self;
    if (!reports->export.stopped)
        reports->export.stopped = os_clock_now();
    status_erase(reports->status);
}

/* Returns whether people read a summary without the counts that ioping 1.3 lacks. */
static bool
is_brief(const struct report *report)
{
    return report->format == &report_human && report->output->summary &&
           report->plan->sweep.kind == SWEEP_NONE && !report->error &&
           (!report->terminal || report->plan->mode == MODE_PHASES);
}

/* Returns whether who reads stderr reads the summary too. */
static bool
has_answers(const struct report *report)
{
    return report->format == &report_human && report->output->summary && !report->error &&
           report->terminal;
}

/* Writes the last versions of the exported files, unless they are written. */
static void
end_exports(struct reports *reports)
{
    if (reports->stuck)
        return;
    if (reports->over)
        export_last(&reports->export, os_clock_now());
    reports->stuck |= !export_end(&reports->export);
    reports->over = false;
}

/* Stores in OUTCOME the first output that has failed: a report before an exported file.
 */
static void
store_failure(const struct reports *reports, struct outcome *outcome)
{
    outcome->stuck |= reports->stuck;
    outcome->output = reports->export.failed;
    outcome->output_error = reports->export.error;
    for (int i = reports->count; i-- > 0;) {
        const struct report *report = &reports->list[i];
        if (!report->error)
            continue;
        outcome->output = name_of(report);
        outcome->output_error = report->error;
    }
}

void
report_explain(struct reports *reports, struct job *jobs, int count)
{
    const struct report *last =
        reports->count ? &reports->list[reports->count - 1] : NULL;
    note_failures(reports);
    for (int i = 0; i < count; i++) {
        struct outcome *outcome = &jobs[i].outcome;
        if (job_has_not_begun(&jobs[i]))
            continue;
        store_failure(reports, outcome);
        outcome->brief = last && is_brief(last);
        outcome->answered = last && has_answers(last);
        outcome_explain(outcome, &reports->notes);
        write_notes(reports, &reports->notes);
        if (jobs[i].error.status)
            console_error(&jobs[i].error);
    }
}

/* The files are exported before remarks on all of it, which come before the summaries:
 * those who read both streams take the last line for the summary's. Of sweeps the last
 * has the files. */
static void
on_end(void *self, struct job *jobs, int count, int64_t now)
{
    struct reports *reports = self;
    int shown = count - (jobs[count - 1].plan.mode == MODE_BACKGROUND);
    add_lines(reports, jobs, shown, now, true);
    reports->over = true;
    status_erase(reports->status);
    if (jobs[shown - 1].index + 1 == reports->export.count)
        end_exports(reports);
    report_explain(reports, jobs, count);
}

struct run_observer
report_observer(struct reports *reports)
{
    const struct report *screen = &reports->list[reports->count - 1];
    return (struct run_observer){
        .self = reports,
        .medians = screen->terminal && screen->output->requests,
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
report_compare(struct reports *reports)
{
    for (int i = 0; i < reports->count; i++) {
        struct report *report = &reports->list[i];
        bool several = report->count > 1 || report->plan->mode == MODE_COMPARE;
        if (!several || !report->output->summary || !report->format->compare)
            continue;
        report->format->compare(report);
        flush(reports, report);
    }
}

void
report_recorded(struct reports *reports, const struct comparison_row *rows)
{
    for (int i = 0; i < reports->count; i++) {
        struct report *report = &reports->list[i];
        report->rows = rows;
        for (int k = 0; report->format != &report_human && k < report->count; k++) {
            begin_job(reports, select_job(reports, i, &report->jobs[k]));
            summarize(reports, report, &report->jobs[k]);
        }
    }
    report_compare(reports);
}

/* Closes the output and frees the report. */
static void
end_report(struct reports *reports, struct report *report)
{
    if (report->begun && report->format->end)
        report->format->end(report);
    flush(reports, report);
    if (report->output->file && os_stream_close(report->stream) < 0 && !report->error)
        report->error = errno;
    reports->failed |= report->error != 0;
    for (int i = 0; i < report->count; i++)
        buffer_free(&report->labels[i]);
    free(report->labels);
    free(report->own);
    report->labels = NULL;
    report->count = 0;
    buffer_free(&report->text);
}

void
report_end(struct reports *reports, struct outcome *outcome)
{
    end_exports(reports);
    for (int i = 0; i < reports->count; i++)
        end_report(reports, &reports->list[i]);
    os_signals_closing(1, 0);
    status_close(reports->status);
    reports->status = NULL;
    note_failures(reports);
    store_failure(reports, outcome);
}
