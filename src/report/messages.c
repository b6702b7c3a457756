/* Messages on stderr while there are reports. */
#include "messages.h"

#include "base/units.h"
#include "human.h"
#include "live.h"
#include "os/output.h"
#include "os/process.h"
#include "report/outputs.h"
#include "report/report.h"
#include "run/job.h"
#include "status.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define STANDARD_ERROR 2

/* Returns true if messages must be saved, because the live screen is on the terminal. */
static bool
must_save(const struct reports *reports)
{
    return live_is_open(reports->live) && os_stream_is_terminal(STANDARD_ERROR);
}

void
messages_write_notes(struct reports *reports, struct notes *notes)
{
    if (must_save(reports))
        live_save_notes(reports->live, notes);
    else
        status_notes(reports->status, notes);
}

void
messages_early_note(struct reports *reports, const char *note)
{
    if (must_save(reports))
        live_show(reports->live, note);
}

void
messages_note_unnamed(struct reports *reports, const struct job *job)
{
    int code = job->target.naming_errno; /* an errno */
    struct notes notes = {0};

    if (!code)
        return;

    if (code == EMFILE)
        notes_add(&notes, job_name(job),
                  "cannot read the mount table: %s; allow more open files (ulimit -n)",
                  strerror(code));
    else
        notes_add(&notes, job_name(job), "cannot read the mount table: %s",
                  strerror(code));
    messages_write_notes(reports, &notes);
}

const char *
messages_output_name(const struct report *report)
{
    return report->output->path ? report->output->path : "standard output";
}

/* Returns the text of a message about an output that failed with errno CODE. */
static const char *
failure_text(int code)
{
    return code == ETIMEDOUT ? OS_STREAM_STUCK : strerror(code);
}

void
messages_note_failures(struct reports *reports)
{
    for (int i = 0; i < reports->report_count; i++) {
        struct report *report = &reports->list[i];
        if (!report->error || report->error_reported)
            continue;

        notes_add(&reports->notes, messages_output_name(report), "%s",
                  failure_text(report->error));
        report->error_reported = true;
    }

    messages_write_notes(reports, &reports->notes);
}

/* Interim statistics go to stderr in every format, because stdout has only records. */
void
messages_interim(void *self, const struct job *job)
{
    struct reports *reports = self;
    struct buffer text = {0};

    human_interim_job(&text, job);

    if (!text.failed && text.text && must_save(reports)) {
        live_save(reports->live, text.text);
    } else {
        status_pause(reports->status);
        if (!text.failed)
            os_stream_write(STANDARD_ERROR, text.text, text.length);
        status_resume(reports->status);
    }
    buffer_free(&text);
}

void
messages_hang(void *self, const struct job *job, uint64_t index, int64_t waited)
{
    struct reports *reports = self;
    struct notes notes = {0};
    char text[UNITS_TEXT];

    notes_add(&notes, job_name(job), "request %llu has had no answer for %s",
              (unsigned long long)index, units_format(UNITS_TIME, waited, text));
    messages_write_notes(reports, &notes);
}

void
messages_fail(void *self, const struct job *job)
{
    struct reports *reports = self;
    struct notes notes = {0};
    char text[OUTCOME_TEXT];

    notes_add(&notes, job_name(job), "%s",
              outcome_failure_text(&job->outcome.failed_sample, text));
    messages_write_notes(reports, &notes);
}

void
messages_leave_interrupted_line(const struct reports *reports)
{
    bool shows_key = !reports->status && !reports->live;

    if (os_signals_stop_signal() == SIGINT && os_stream_is_terminal(STANDARD_ERROR) &&
        shows_key)
        os_stream_write(STANDARD_ERROR, "\n", 1);
}
