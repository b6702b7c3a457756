/*
 * The reports as the observer of a run: each notification of the run is passed on to all
 * outputs whose format has a function for it. That function adds to the text of its
 * report, and flush_report() takes the text away:
 *
 *   begin, sample, record of a period    other records, part, tick, end
 *   (a worker or the supervisor,         (the supervisor, without
 *   with the lock of the run)            the lock of the run)
 *                     |
 *                     v
 *      the format adds to report->text
 *                     |  flush_report
 *         +-----------+--------------------------+
 *         v                                      v
 *   SINK_PRINTED, SINK_STDOUT_AT_END       SINK_REPLACED, SINK_GROWING
 *   os_stream_write: at once,              export_hand_over: the writer's
 *   in one write for each record           thread writes the text later
 *
 * The status line (SINK_STATUS_LINE) and the live screen (SINK_LIVE_SCREEN) draw
 * themselves and leave no text.
 *
 * When a run ends (on_end), stderr and stdout get their last texts in a fixed order:
 * exported files are completed, remarks are written to stderr, and then the run notifies
 * the reports of the summaries, which go to stdout.
 */
#include "report/report.h"

#include "base/time.h"
#include "live.h"
#include "messages.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "report/console.h"
#include "report/outputs.h"
#include "run/job.h"
#include "run/run.h"
#include "status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STANDARD_OUTPUT 1
#define STANDARD_ERROR 2
#define DEFAULT_COLUMNS 80 /* width of a text that does not go to a terminal */

/* Returns true if the text of REPORT goes to SINK. */
static bool
has_sink(const struct report *report, enum output_sink sink)
{
    return report->output->kind->sink == sink;
}

/* Returns true if REPORT goes to the terminal while the live screen is open there. */
static bool
is_covered(const struct reports *reports, const struct report *report)
{
    return report->is_terminal && live_is_open(reports->live);
}

/* Writes waiting notes to stderr, and then the text of REPORT to its stream, with the
 * status line erased if the stream may be the same terminal. While the live screen is
 * there, the text stays in the report. After an error the text is dropped. */
static void
print_text(struct reports *reports, struct report *report)
{
    struct buffer *text = &report->text;
    struct status *status = report->output->path ? NULL : reports->status;

    messages_write_notes(reports, report->notes);
    if (is_covered(reports, report))
        return;

    if (text->failed && !report->error)
        report->error = ENOMEM;

    if (text->length && !report->error) {
        status_pause(status);
        if (os_stream_write(report->stream, text->text, text->length) < 0)
            report->error = errno;
        status_resume(status);
    }

    buffer_clear(text);
    if (report->error)
        reports->print_status = -1;
}

/* Takes the text of REPORT away: prints it, or hands it to the writer of exported files.
 * After the writer has ended, the text for a file stays in the report. */
static void
flush_report(struct reports *reports, struct report *report)
{
    struct buffer *text = &report->text;
    bool has_text = text->length || text->failed;

    if (output_is_printed(report->output))
        print_text(reports, report);
    else if (report->file && reports->export.writer && has_text)
        export_hand_over(&reports->export, report->file, text, false);
}

/* Makes JOB the job that REPORT is about. */
static void
select_job(struct report *report, const struct job *job)
{
    report->job = job;
    report->target = &job->target.description;
    report->phase = job->phases ? job->phases->current : PHASE_NONE;
}

/* Makes the first version of the exported file of REPORT, or the head of a growing file,
 * and checks that the file can be written. Returns 0, or -1 with ERROR. */
static int
prepare_file(struct reports *reports, struct report *report, struct error *error)
{
    const struct report_format *format = report->format;

    if (format->open)
        format->open(report);
    if (has_sink(report, SINK_REPLACED))
        format->tick(report, report->jobs, report->job_count, 0, false);

    report->is_open = true;
    report->file = export_add(&reports->export, report->output, &report->text, error);

    return report->file ? 0 : -1;
}

/* Adds a report for the next output of PLAN, about COUNT JOBS. */
static void
add_report(struct reports *reports, const struct plan *plan, const struct job *jobs,
           int count)
{
    const struct output *output = &plan->output.list[reports->report_count];
    struct report *report = &reports->list[reports->report_count++];
    enum color color = plan->options->color;

    *report = (struct report){
        .format = output->kind->format,
        .output = output,
        .plan = plan,
        .jobs = jobs,
        .job_count = count,
        .tick_interval = output->tick_interval,
        .monotonic_now = os_clock_now,
        .wall_now = os_clock_wall,
        .notes = &reports->notes,
        .columns = DEFAULT_COLUMNS,
        .has_utf8 = os_locale_is_utf8(),
    };

    /* A file of -output is not treated as a terminal, even if it is one (/dev/tty). */
    if (output->path) {
        report->stream = reports->file.stream;
        report->has_color = color == COLOR_ALWAYS;
    } else {
        int columns = os_stream_columns(STANDARD_OUTPUT);

        report->stream = STANDARD_OUTPUT;
        report->is_terminal = os_stream_is_terminal(STANDARD_OUTPUT);
        report->has_color = color_wanted(color, STANDARD_OUTPUT);
        if (columns > 0)
            report->columns = columns;
    }

    if (has_sink(report, SINK_STATUS_LINE)) {
        report->status = reports->status;
        if (!report->status)
            report->tick_interval = 0;
    }

    if (has_sink(report, SINK_LIVE_SCREEN)) {
        report->live = reports->live;
        if (!report->live)
            report->tick_interval = 0;
    }
}

/* Opens the status line of COUNT targets if PLAN has one and a terminal can show it, and
 * the live screen if PLAN has one. */
static void
open_drawn(struct reports *reports, const struct plan *plan, int count)
{
    const struct plan_output *outputs = &plan->output;

    for (int i = outputs->stream_count; i < outputs->count; i++) {
        enum output_sink sink = outputs->list[i].kind->sink;

        if (sink == SINK_STATUS_LINE && status_possible())
            reports->status = status_open(plan, count, os_clock_now());
        if (sink == SINK_LIVE_SCREEN)
            reports->live = live_open(plan);
    }

    if (reports->status)
        reports->status->has_color = color_wanted(plan->options->color, STANDARD_ERROR);
}

int
report_begin(struct reports *reports, const struct plan *plan, const struct job *jobs,
             int count, struct error *error)
{
    open_drawn(reports, plan, count);
    export_begin(&reports->export, plan, jobs, count);

    for (int i = 0; i < plan->output.count; i++)
        add_report(reports, plan, jobs, count);

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];

        if (has_sink(report, SINK_PRINTED))
            reports->last_printed = report;
        if (output_is_exported(report->output) &&
            prepare_file(reports, report, error) < 0)
            return -1;
    }

    return export_start(&reports->export, error);
}

/* The file of -output is emptied last: it is already open, so emptying it is the least
 * likely step to fail, and if an earlier step fails, the file keeps its content. */
int
report_claim(struct reports *reports, const struct plan *plan, struct error *error)
{
    if (export_write_first(&reports->export, error) < 0)
        return -1;

    return output_file_empty(&reports->file, plan, error);
}

void
report_early_note(struct reports *reports, const char *note)
{
    messages_early_note(reports, note);
}

/* Begins the section of REPORT about JOB. */
static void
begin_job(struct reports *reports, struct report *report, const struct job *job)
{
    const struct report_format *format = report->format;

    select_job(report, job);

    if (!report->is_open && format->open)
        format->open(report);
    if (format->begin)
        format->begin(report);
    if (format->closing)
        os_signals_set_closing_byte(report->stream, format->closing);

    report->is_open = true;
    flush_report(reports, report);
}

static int
on_begin(void *self, const struct job *job)
{
    struct reports *reports = self;

    messages_note_unnamed(reports, job);
    for (int i = 0; i < reports->report_count; i++)
        begin_job(reports, &reports->list[i], job);

    return reports->print_status;
}

static int
on_sample(void *self, const struct job *job, const struct sample *sample)
{
    struct reports *reports = self;

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (!report->output->has_requests || is_covered(reports, report))
            continue;

        select_job(report, job);
        report->format->sample(report, sample);
        flush_report(reports, report);
    }

    return reports->print_status;
}

/* Returns true if REPORT shows records of KIND about JOB. */
static bool
has_record(const struct report *report, const struct job *job, enum record_kind kind)
{
    const struct report_format *format = report->format;

    if (!format->records[kind])
        return false;
    if (kind == RECORD_STEP || kind == RECORD_HIGHEST)
        return report->plan->mode != MODE_DIAGNOSE;
    if (kind == RECORD_PERIOD)
        return report->output->has_periods;

    /* Records of phases replace the summary of the job. */
    if (kind == RECORD_SUMMARY && job->phases && format->records[RECORD_PHASE])
        return false;

    return report->output->has_summary;
}

/* Makes the text of the last tick of REPORT. */
static void
make_last_tick(struct report *report)
{
    report->format->tick(report, report->jobs, report->job_count, os_clock_now(), true);
}

/* Writes the output that takes all of standard output at the end, if there is one. */
static void
write_stdout_at_end(struct reports *reports)
{
    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (!has_sink(report, SINK_STDOUT_AT_END))
            continue;

        make_last_tick(report);
        flush_report(reports, report);
    }
}

/* Hands over the last text of each exported file: the last version of the file or, for a
 * growing file, the lines that still wait. There may be no such lines, because on_end has
 * handed over the lines of the last interval already. */
static void
hand_over_last_versions(struct reports *reports)
{
    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (!report->file)
            continue;

        if (has_sink(report, SINK_REPLACED))
            make_last_tick(report);
        export_hand_over(&reports->export, report->file, &report->text, true);
    }
}

/* Completes the exported files and the output of SINK_STDOUT_AT_END, unless that was done
 * already. Then waits for the writer to end. */
static void
end_exports(struct reports *reports)
{
    struct notes notes = {0};

    if (reports->export_stuck)
        return;

    if (reports->export_pending) {
        write_stdout_at_end(reports);
        hand_over_last_versions(reports);
    }

    reports->export_stuck = !export_end(&reports->export, &notes);
    messages_write_notes(reports, &notes);
    reports->export_pending = false;
}

/* Tells all reports the diagnosis, and completes the exported files, which could not be
 * complete without it. */
static void
take_diagnosis(struct reports *reports, const struct diagnosis *diagnosis)
{
    for (int i = 0; i < reports->report_count; i++)
        reports->list[i].diagnosis = diagnosis;

    /* This is done even if the first part could not begin, because the answer is in the
     * picture. */
    reports->export_pending = true;
    end_exports(reports);
    messages_note_failures(reports);
}

/* The line of a step is not flushed at once. It waits in the text of the report until the
 * next step begins, or until the next record after the last step. Thus a remark on stderr
 * about the end of the sweep comes before the line of the last step. */
static int
on_record(void *self, const struct job *job, const struct run_record *record)
{
    struct reports *reports = self;

    if (record->kind == RECORD_DIAGNOSIS)
        take_diagnosis(reports, record->diagnosis);

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];

        bool is_hidden = record->kind == RECORD_PERIOD && is_covered(reports, report);
        if (has_record(report, job, record->kind) && !is_hidden) {
            select_job(report, job);
            report->format->records[record->kind](report, record);
            if (record->kind != RECORD_STEP)
                flush_report(reports, report);
        }

        /* The reports before the last printed one go to a file. Their failures are noted
         * here, because standard output must end with the summary. */
        if (record->kind == RECORD_SUMMARY && report < reports->last_printed)
            messages_note_failures(reports);
    }

    return reports->print_status;
}

/* A step or phase begins. A growing file gets the data of the previous step or phase, and
 * its tick interval starts again. */
static int
on_part(void *self, const struct job *job, const struct run_part *part)
{
    struct reports *reports = self;

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (report->format->part)
            report->format->part(report, job, part);
        if (has_sink(report, SINK_GROWING))
            report->next_tick_at = 0;
        flush_report(reports, report);
    }

    return reports->print_status;
}

/* Returns the time of the next tick, which is NOW if a failure of an exported file must
 * be reported. Intervals that have not begun yet begin when the start delay is over. */
static int64_t
on_next_tick(void *self, int64_t now)
{
    struct reports *reports = self;
    int64_t next = INT64_MAX;
    int64_t start = now + reports->export.jobs[0].start_delay;

    export_supervise(&reports->export);
    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];

        if (!report->interval_began_at)
            report->interval_began_at = start;
        if (!report->tick_interval)
            continue;

        if (!report->next_tick_at)
            report->next_tick_at = time_add(start, report->tick_interval);
        next = time_earlier(next, report->next_tick_at);
    }

    return export_has_failures(&reports->export) ? now : next;
}

static void
on_tick(void *self, const struct job *jobs, int count, int64_t now)
{
    struct reports *reports = self;
    struct notes notes = {0};

    export_take_failures(&reports->export, &notes);
    messages_write_notes(reports, &notes);

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (!report->tick_interval || now < report->next_tick_at)
            continue;

        report->next_tick_at =
            time_next_point(report->next_tick_at, report->tick_interval, now);
        report->format->tick(report, jobs, count, now, false);
        flush_report(reports, report);
    }
}

static void
on_interrupt(void *self)
{
    struct reports *reports = self;

    if (!reports->export.stopped_at)
        reports->export.stopped_at = os_clock_now();
    status_erase(reports->status);
}

/* Stores in OUTCOME the first output that has failed, and whether an output lacks
 * figures. A printed output comes before any exported file. */
static void
store_failure(const struct reports *reports, struct outcome *outcome)
{
    outcome->is_stuck |= reports->export_stuck;

    outcome->failed_output = reports->export.failed_path;
    outcome->output_error = reports->export.error_number;

    for (int i = 0; i < reports->report_count; i++) {
        const struct report *report = &reports->list[i];
        if (report->unknown_figures)
            outcome->lacks_figures = true;
        if (!report->error)
            continue;

        outcome->failed_output = messages_output_name(report);
        outcome->output_error = report->error;
        break;
    }
}

void
report_explain(struct reports *reports, struct job *jobs, int count)
{
    const struct report *report = reports->last_printed;
    const struct plan *plan = report->plan;
    bool has_summary =
        report->output->kind->for_people && report->output->has_summary && !report->error;
    bool has_remarks = false;

    messages_note_failures(reports);
    for (int i = 0; i < count; i++) {
        struct outcome *outcome = &jobs[i].outcome;

        if (job_has_not_begun(&jobs[i]))
            continue;

        store_failure(reports, outcome);

        /* Without a terminal, the summary has only the counts of ioping 1.3; remarks on
         * stderr give the other counts. */
        outcome->legacy_summary = has_summary && plan->sweep.kind == SWEEP_NONE &&
                                  (!report->is_terminal || plan->mode == MODE_PHASES);
        outcome->limits_printed =
            has_summary && (report->is_terminal || outcome->is_diagnosed);

        outcome_explain(outcome, &reports->notes);
        if (reports->notes.count && !has_remarks) {
            messages_leave_interrupted_line(reports);
            has_remarks = true;
        }

        messages_write_notes(reports, &reports->notes);
        if (jobs[i].error.status)
            console_error(&jobs[i].error);
    }
}

/*
 * Order at the end: exported files are completed, then remarks go to stderr, then the run
 * notifies the reports of the summaries, which go to stdout. A reader of both streams
 * expects the summary last. When several targets are swept one after the other, the files
 * are completed after the last one; with -diagnose, when the diagnosis is made.
 */
static void
on_end(void *self, struct job *jobs, int count, int64_t now)
{
    struct reports *reports = self;
    bool has_load = jobs[count - 1].plan.mode == MODE_BACKGROUND;
    int target_count = has_load ? count - 1 : count;

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (!has_sink(report, SINK_GROWING) || !report->format->tick)
            continue;

        report->format->tick(report, jobs, target_count, now, true);
        flush_report(reports, report);
    }

    reports->export_pending = true;
    status_erase(reports->status);
    live_hide(reports->live);
    bool is_last = jobs[target_count - 1].index + 1 == reports->export.job_count;
    if (is_last && reports->export.plan->mode != MODE_DIAGNOSE)
        end_exports(reports);

    report_explain(reports, jobs, count);
}

struct run_observer
report_observer(struct reports *reports)
{
    const struct report *report = reports->last_printed;

    return (struct run_observer){
        .self = reports,
        .needs_slow_above = report->is_terminal && report->output->has_requests,
        .begin = on_begin,
        .sample = on_sample,
        .record = on_record,
        .interim = messages_interim,
        .hang = messages_hang,
        .fail = messages_fail,
        .part = on_part,
        .next_tick = on_next_tick,
        .tick = on_tick,
        .interrupt = on_interrupt,
        .end = on_end,
    };
}

void
report_compare(struct reports *reports)
{
    const struct report *report = &reports->list[0];

    if (report->job_count > 1 || report->plan->mode == MODE_COMPARE)
        on_record(reports, report->jobs, &(struct run_record){.kind = RECORD_COMPARISON});
}

/* Writes the summaries of all jobs of REPORT. */
static void
write_summaries(struct reports *reports, struct report *report)
{
    for (int i = 0; i < report->job_count; i++) {
        const struct outcome *outcome = &report->jobs[i].outcome;
        const struct run_record record = {
            .kind = RECORD_SUMMARY,
            .stats = &outcome->total,
            .duration = outcome->duration,
        };

        begin_job(reports, report, &report->jobs[i]);
        report->format->records[RECORD_SUMMARY](report, &record);
        flush_report(reports, report);
    }
}

void
report_recorded(struct reports *reports, const struct comparison_row *rows)
{
    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];

        report->rows = rows;
        /* People read the comparison instead of summaries. */
        if (report->output->has_summary && !report->output->kind->for_people)
            write_summaries(reports, report);
    }

    report_compare(reports);
    write_stdout_at_end(reports);
}

/* Writes the end of a printed output and closes its file. */
static void
close_printed(struct reports *reports, struct report *report)
{
    flush_report(reports, report);

    if (report->output->path && os_stream_close(report->stream) < 0 && !report->error)
        report->error = errno;
}

/* Closes the output of REPORT and frees the memory of REPORT. */
static void
close_report(struct reports *reports, struct report *report)
{
    const struct report_format *format = report->format;

    if (report->is_open && format->closing)
        buffer_format(&report->text, "%c\n", format->closing);
    if (output_is_printed(report->output))
        close_printed(reports, report);

    if (format->close)
        format->close(report);
    free(report->owned_rows);
    buffer_free(&report->text);
}

void
report_end(struct reports *reports, struct outcome *outcome)
{
    end_exports(reports);
    for (int i = 0; i < reports->report_count; i++)
        close_report(reports, &reports->list[i]);

    os_signals_set_closing_byte(STANDARD_OUTPUT, 0);
    status_close(reports->status);
    reports->status = NULL;
    live_close(reports->live);
    reports->live = NULL;

    messages_note_failures(reports);
    store_failure(reports, outcome);
}
