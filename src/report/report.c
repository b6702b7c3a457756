/*
 * The reports as the observer of a run: each notification of the run is passed on to all
 * outputs whose format has a function for it. That function adds to the text of its
 * report, and flush() takes the text away:
 *
 *   run, any thread, under its lock:   begin, sample, record
 *   run, supervisor's thread:          part, tick, end
 *                     |
 *                     v
 *      the format adds to report->text
 *                     |  flush
 *         +-----------+--------------------------+
 *         v                                      v
 *   SINK_PRINTED, SINK_STDOUT_AT_END       SINK_REPLACED, SINK_GROWING
 *   os_stream_write: at once,              export_hand_over: the writer's
 *   in one write for each record           thread writes the text later
 *
 * The status line (SINK_STATUS_LINE) draws itself and leaves no text.
 *
 * When a run ends (on_end), stderr and stdout get their last texts in a fixed order:
 * exported files are completed, remarks are written to stderr, and then the run notifies
 * of the summaries, which are written to stdout.
 */
#include "report/report.h"

#include "base/time.h"
#include "base/units.h"
#include "human.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "report/console.h"
#include "report/outputs.h"
#include "run/job.h"
#include "run/run.h"
#include "status.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if the text of REPORT goes to SINK. */
static bool
has_sink(const struct report *report, enum output_sink sink)
{
    return report->output->kind->sink == sink;
}

/* Takes the text of REPORT away: writes it to the stream of a printed output, or hands it
 * to the writer of exported files, unless the writer has ended and freed the file. After
 * an error of a printed output, its text is dropped. */
static void
flush(struct reports *reports, struct report *report)
{
    struct buffer *text = &report->text;
    struct status *status = report->output->path ? NULL : reports->status;

    if (!output_is_printed(report->output)) {
        if (report->file && reports->export.writer && (text->length || text->failed))
            export_hand_over(&reports->export, report->file, text, false);
        return;
    }

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

/* Fills the next report of the list. A file of -output is never treated as a terminal,
 * even if it is one, such as /dev/tty. */
static void
fill_report(struct reports *reports, const struct plan *plan, const struct job *jobs,
            int count)
{
    const struct output *output = &plan->output.list[reports->report_count];
    struct report *report = &reports->list[reports->report_count++];
    bool file = output->path != NULL;
    int stream = file ? reports->file.stream : 1;
    int columns = file ? 0 : os_stream_columns(stream);
    bool is_status = output->kind->sink == SINK_STATUS_LINE;
    bool idle = is_status && !reports->status;

    *report =
        (struct report){.format = output->kind->format,
                        .output = output,
                        .plan = plan,
                        .jobs = jobs,
                        .job_count = count,
                        .tick_interval = idle ? 0 : output->tick_interval,
                        .stream = stream,
                        .monotonic_now = os_clock_now,
                        .wall_now = os_clock_wall,
                        .is_terminal = !file && os_stream_terminal(stream),
                        .columns = columns ? columns : 80,
                        .has_utf8 = os_locale_utf8(),
                        .has_color = file ? plan->options->color == COLOR_ALWAYS
                                          : color_wanted(plan->options->color, stream),
                        .status = is_status ? reports->status : NULL};
}

int
report_begin(struct reports *reports, const struct plan *plan, const struct job *jobs,
             int count, struct error *error)
{
    int outputs = plan->output.count;
    int printed = plan->output.stream_count;

    for (int i = printed; i < outputs; i++)
        if (plan->output.list[i].kind->sink == SINK_STATUS_LINE && status_possible())
            reports->status = status_open(plan, count, os_clock_now());
    if (reports->status)
        reports->status->color = color_wanted(plan->options->color, 2);

    export_begin(&reports->export, plan, jobs, count);
    for (int i = 0; i < outputs; i++)
        fill_report(reports, plan, jobs, count);
    for (int i = 0; i < printed; i++)
        if (has_sink(&reports->list[i], SINK_PRINTED))
            reports->screen = &reports->list[i];

    for (int i = printed; i < outputs; i++)
        if (output_is_exported(&plan->output.list[i]) &&
            prepare_file(reports, &reports->list[i], error) < 0)
            return -1;

    return export_start(&reports->export, error);
}

/* The file of -output is emptied last: it is already open, so emptying it is the least
 * likely step to fail, and a failure before leaves its content as it was. */
int
report_claim(struct reports *reports, const struct plan *plan, struct error *error)
{
    if (export_write_first(&reports->export, error) < 0)
        return -1;

    return output_file_empty(&reports->file, plan, error);
}

/* Begins the part of REPORT that is about JOB. */
static void
begin_job(struct reports *reports, struct report *report, const struct job *job)
{
    select_job(report, job);
    if (!report->is_open && report->format->open)
        report->format->open(report);

    if (report->format->begin)
        report->format->begin(report);

    if (report->format->closing)
        os_signals_closing(report->stream, report->format->closing);

    report->is_open = true;
    flush(reports, report);
}

static int
on_begin(void *self, const struct job *job)
{
    struct reports *reports = self;
    int unnamed = job->target.naming_error;
    struct notes notes = {0};

    if (unnamed) {
        notes_add(&notes, job_name(job), "cannot read the mount table: %s%s",
                  strerror(unnamed),
                  unnamed == EMFILE ? "; allow more open files (ulimit -n)" : "");
        status_notes(reports->status, &notes);
    }

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
        if (!report->output->has_requests)
            continue;

        select_job(report, job);
        report->format->sample(report, sample);
        flush(reports, report);
    }

    return reports->print_status;
}

/* Returns the name of the output of REPORT for messages. */
static const char *
name_of(const struct report *report)
{
    return report->output->path ? report->output->path : "standard output";
}

/* Returns the text of a message about an output that failed with errno CODE. */
static const char *
failure_text(int code)
{
    return code == ETIMEDOUT ? OS_STREAM_STUCK : strerror(code);
}

/* Writes a note to stderr for each printed output that has failed, once. */
static void
note_failures(struct reports *reports)
{

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (report->error && !report->error_reported)
            notes_add(&reports->notes, name_of(report), "%s",
                      failure_text(report->error));
        report->error_reported |= report->error != 0;
    }

    status_notes(reports->status, &reports->notes);
}

/* Returns true if REPORT has a record of KIND of JOB. If the format has records of
 * phases, they replace the summary of a job with phases. */
static bool
has_record(const struct report *report, const struct job *job, enum record_kind kind)
{
    const struct report_format *format = report->format;
    bool by_phases = job->phases && format->records[RECORD_PHASE];

    if (!format->records[kind] || kind == RECORD_STEP || kind == RECORD_HIGHEST)
        return format->records[kind] != NULL;

    return kind == RECORD_PERIOD
               ? report->output->has_periods
               : report->output->has_summary && !(kind == RECORD_SUMMARY && by_phases);
}

/* A record of RECORD_STEP is not flushed: the text waits until the next part begins, or
 * for the next record after the end. A remark on the end of the sweep on stderr thus
 * comes before the line of the last step. */
static int
on_record(void *self, const struct job *job, const struct run_record *record)
{
    struct reports *reports = self;

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (has_record(report, job, record->kind)) {
            select_job(report, job);
            report->format->records[record->kind](report, record);
            if (record->kind != RECORD_STEP)
                flush(reports, report);
        }
        if (record->kind == RECORD_SUMMARY && report < reports->screen)
            /* Standard output comes after the file of -output and ends with the summary,
             * so failures of that file are noted before. */
            note_failures(reports);
    }

    return reports->print_status;
}

/* Interim statistics go to stderr in every format, because stdout has only records. A job
 * with phases has a line for each phase; statistics over all phases would describe none
 * of them. */
static void
on_interim(void *self, const struct job *job)
{
    struct reports *reports = self;
    struct buffer text = {0};

    if (!job->phases)
        human_interim(&text, job_name(job), job->stats);
    for (enum phase phase = PHASE_IDLE; job->phases && phase < PHASES; phase++)
        if (job_phase_stats(job, phase))
            human_interim(&text, phase_label(phase), job_phase_stats(job, phase));

    status_pause(reports->status);
    if (!text.failed)
        os_stream_write(2, text.text, text.length);
    status_resume(reports->status);
    buffer_free(&text);
}

static void
on_hang(void *self, const struct job *job, uint64_t index, int64_t waited)
{
    struct reports *reports = self;
    struct notes notes = {0};
    char text[UNITS_TEXT];

    notes_add(&notes, job_name(job), "request %llu has had no answer for %s",
              (unsigned long long)index, units_format(UNITS_TIME, waited, text));
    status_notes(reports->status, &notes);
}

static void
on_fail(void *self, const struct job *job)
{
    struct reports *reports = self;
    struct notes notes = {0};
    char text[OUTCOME_TEXT];

    notes_add(&notes, job_name(job), "%s",
              outcome_failure_text(&job->outcome.failed_sample, text));
    status_notes(reports->status, &notes);
}

/* A growing file gets the data of the part that has ended. Its intervals start again with
 * the new part. */
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
        flush(reports, report);
    }

    return reports->print_status;
}

/* Returns when on_tick is due next, which is NOW if a failure of an exported file is to
 * be reported. Sets the points of time that are not set yet; they count from the end of
 * the start delay. */
static int64_t
on_next_tick(void *self, int64_t now)
{
    struct reports *reports = self;
    int64_t next = INT64_MAX;
    int64_t first = now + reports->export.jobs[0].start_delay;
    bool unreported = export_supervise(&reports->export);

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];

        if (!report->interval_began_at)
            report->interval_began_at = first;
        if (report->tick_interval && !report->next_tick_at)
            report->next_tick_at = time_add(first, report->tick_interval);
        if (report->tick_interval)
            next = time_earlier(next, report->next_tick_at);
    }

    return unreported ? now : next;
}

static void
on_tick(void *self, const struct job *jobs, int count, int64_t now)
{
    struct reports *reports = self;
    struct notes notes = {0};

    export_take_failures(&reports->export, &notes);
    status_notes(reports->status, &notes);

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (!report->tick_interval || now < report->next_tick_at)
            continue;

        report->next_tick_at =
            time_next_point(report->next_tick_at, report->tick_interval, now);
        report->format->tick(report, jobs, count, now, false);
        flush(reports, report);
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

/* Writes the output that takes all of standard output, such as the plot of "-plot -". */
static void
write_last(struct reports *reports)
{
    for (int i = 0; i < reports->report_count; i++) {

        struct report *report = &reports->list[i];
        if (!has_sink(report, SINK_STDOUT_AT_END))
            continue;

        report->format->tick(report, report->jobs, report->job_count, os_clock_now(),
                             true);
        flush(reports, report);
    }
}

/* Makes and hands over the last versions of the exported files, if the end of the run has
 * not done so, and waits for their writer. */
static void
end_exports(struct reports *reports)
{
    struct notes notes = {0};

    if (reports->export_stuck)
        return;

    if (reports->export_pending)
        write_last(reports);

    for (int i = 0; reports->export_pending && i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (has_sink(report, SINK_REPLACED))
            report->format->tick(report, report->jobs, report->job_count, os_clock_now(),
                                 true);
        if (report->file)
            export_hand_over(&reports->export, report->file, &report->text, true);
    }

    reports->export_stuck |= !export_end(&reports->export, &notes);
    status_notes(reports->status, &notes);
    reports->export_pending = false;
}

/* Stores in OUTCOME the first output that has failed. A printed output comes before any
 * exported file. */
static void
store_failure(const struct reports *reports, struct outcome *outcome)
{
    outcome->is_stuck |= reports->export_stuck;

    outcome->failed_output = reports->export.failed;
    outcome->output_error = reports->export.error_number;

    for (int i = reports->report_count; i-- > 0;) {
        const struct report *report = &reports->list[i];

        if (!report->error)
            continue;

        outcome->failed_output = name_of(report);
        outcome->output_error = report->error;
    }
}

/* Ends the line in which the terminal shows ^C, so that remarks start on a line of their
 * own. A status line needs no newline: erasing it removes the ^C too. */
static void
leave_interrupted_line(const struct reports *reports)
{
    if (os_signals_stop() == SIGINT && os_stream_terminal(2) && !reports->status)
        os_stream_write(2, "\n", 1);
}

void
report_explain(struct reports *reports, struct job *jobs, int count)
{
    const struct report *screen = reports->screen;
    const struct output *output = screen->output;
    bool summary = output->kind->for_people && output->has_summary && !screen->error;
    bool remarked = false;

    note_failures(reports);
    for (int i = 0; i < count; i++) {
        struct outcome *outcome = &jobs[i].outcome;

        if (job_has_not_begun(&jobs[i]))
            continue;

        store_failure(reports, outcome);
        /* Off a terminal the summary has only the counts of ioping 1.3; the remarks give
         * the others. */

        outcome->legacy_summary =
            summary && screen->plan->sweep.kind == SWEEP_NONE &&
            (!screen->is_terminal || screen->plan->mode == MODE_PHASES);
        outcome->limits_printed = summary && screen->is_terminal;

        outcome_explain(outcome, &reports->notes);
        if (reports->notes.count && !remarked) {
            leave_interrupted_line(reports);
            remarked = true;
        }

        status_notes(reports->status, &reports->notes);
        if (jobs[i].error.status)
            console_error(&jobs[i].error);
    }
}

/*
 * Order at the end: exported files are completed, then remarks go to stderr, then the run
 * notifies of the summaries, which go to stdout. A reader of both streams expects the
 * summary last. When several targets are swept one after the other, the files are
 * completed after the last one.
 */
static void
on_end(void *self, struct job *jobs, int count, int64_t now)
{
    struct reports *reports = self;
    int shown = count - (jobs[count - 1].plan.mode == MODE_BACKGROUND);

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (!has_sink(report, SINK_GROWING) || !report->format->tick)
            continue;

        report->format->tick(report, jobs, shown, now, true);
        flush(reports, report);
    }

    reports->export_pending = true;
    status_erase(reports->status);
    if (jobs[shown - 1].index + 1 == reports->export.count)
        end_exports(reports);

    report_explain(reports, jobs, count);
}

struct run_observer
report_observer(struct reports *reports)
{
    const struct report *screen = reports->screen;

    return (struct run_observer){
        .self = reports,
        .judges_slow = screen->is_terminal && screen->output->has_requests,
        .begin = on_begin,
        .sample = on_sample,
        .record = on_record,
        .interim = on_interim,
        .hang = on_hang,
        .fail = on_fail,
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
    const struct report *first = &reports->list[0];

    if (first->job_count > 1 || first->plan->mode == MODE_COMPARE)
        on_record(reports, first->jobs, &(struct run_record){.kind = RECORD_COMPARISON});
}

void
report_recorded(struct reports *reports, const struct comparison_row *rows)
{

    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        bool listed = report->output->has_summary && !report->output->kind->for_people;

        report->rows = rows;
        for (int k = 0; listed && k < report->job_count; k++) {

            const struct outcome *outcome = &report->jobs[k].outcome;
            begin_job(reports, report, &report->jobs[k]);
            report->format->records[RECORD_SUMMARY](
                report, &(struct run_record){RECORD_SUMMARY, &outcome->total,
                                             outcome->duration, NULL, NULL});
            flush(reports, report);
        }
    }

    report_compare(reports);
    write_last(reports);
}

/* Writes the end of a printed output and closes its file. Frees the memory of REPORT. */
static void
end_report(struct reports *reports, struct report *report)
{
    bool printed = output_is_printed(report->output);

    if (report->is_open && report->format->closing)
        buffer_format(&report->text, "%c\n", report->format->closing);

    if (printed)
        flush(reports, report);

    if (printed && report->output->path && os_stream_close(report->stream) < 0 &&
        !report->error)
        report->error = errno;

    if (report->format->close)
        report->format->close(report);

    free(report->owned_rows);
    buffer_free(&report->text);
}

void
report_end(struct reports *reports, struct outcome *outcome)
{
    end_exports(reports);
    for (int i = 0; i < reports->report_count; i++)
        end_report(reports, &reports->list[i]);

    os_signals_closing(1, 0);
    status_close(reports->status);
    reports->status = NULL;

    note_failures(reports);
    store_failure(reports, outcome);
}
