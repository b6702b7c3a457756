/*
 * The session of -compare: reads recorded runs and prints how they compare, without any
 * target. A file may be a pipe that nobody writes to, or may be
 * on a file system that hangs. Therefore a second thread, the reader, reads the files and
 * writes the reports. The first thread is the supervisor here, unlike in session.c: it
 * waits for signals. If a signal comes while files are read, the first thread ends the
 * program at once. If a signal comes while reports are written, the first thread ends the
 * program only if they are not complete after DEADLINE_GRACE.
 */
#include "base/deadlines.h"
#include "base/units.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "os/thread.h"
#include "recorded_runs.h"
#include "report/comparison.h"
#include "report/console.h"
#include "report/report.h"
#include "run/job.h"
#include "session/session.h"
#include "stats/comparison.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (256 << 10) /* bytes to read at a time */
#define STANDARD_INPUT 0

/*
 * The state that the first thread and the reader share. If the reader is stuck in the
 * kernel, the process ends without freeing this memory, because the reader may use it.
 */
struct compare {
    const struct plan *plan;
    struct os_thread supervisor; /* the first thread, which receives the signals */
    struct recorded_runs runs;
    /* One for each row of `runs`; NULL if no limit is relative to the first run. */
    struct comparison_row *rows;
    struct reports reports;
    char block[BLOCK];
    /* name of the file that is being read, for messages, see recorded_source; before
     * the first file, the path of the plan */
    _Atomic(const char *) source;
    atomic_bool has_output; /* -output is open, or was not given */
    atomic_bool is_reading; /* files are being read. The thread that changes this to
                             * false reports how the reading has ended. */
    atomic_bool is_done;    /* the reader has finished, and `status` is set */
    int status;             /* exit status of the program */
};

/* Refuses the file PATH, which cannot be opened because of errno CODE. Returns -1 with
 * ERROR. */
static int
refuse_unopened(const char *path, int code, struct error *error)
{
    error_set(error, EXIT_PREPARE, path, "%s", strerror(code));
    if (code == ENOENT)
        return error_advise(error, "name a file that -record, -hdr or -J has written");
    return -1;
}

/* Reads all of the file PATH, or standard input if PATH is "-". Returns 0, or -1 with
 * ERROR. */
static int
read_recorded_file(struct compare *compare, const char *path, struct error *error)
{
    struct recorded_runs *runs = &compare->runs;
    struct os_info info;
    int64_t length = 0;
    int status = 0;

    recorded_runs_begin(runs, path);
    const char *source = recorded_source(runs);
    atomic_store(&compare->source, source);

    bool is_standard_input = strcmp(path, "-") == 0;
    int fd = is_standard_input ? STANDARD_INPUT : os_file_open(path, OS_OPEN_READ);
    if (fd < 0)
        return refuse_unopened(path, errno, error);

    if (os_file_info(fd, &info) == 0 && info.kind == OS_DIRECTORY)
        status = error_set(error, EXIT_PREPARE, source,
                           "is a directory, and -compare reads recorded runs; leave out "
                           "-compare to measure it");

    while (status == 0) {
        length = os_stream_read(fd, compare->block, BLOCK);
        if (length <= 0)
            break;
        status = recorded_runs_add(runs, compare->block, (size_t)length, error);
    }
    if (length < 0)
        status = error_set(error, EXIT_PREPARE, source, "%s", strerror(errno));

    if (!is_standard_input)
        os_file_close(fd);
    return status < 0 ? -1 : recorded_runs_end(runs, error);
}

/* Returns the first limit that is relative to the first run, or NULL. */
static const struct slo *
find_relative_limit(const struct slos *slos)
{
    for (int i = 0; i < slos->count; i++)
        if (slos->list[i].is_relative)
            return &slos->list[i];
    return NULL;
}

/*
 * Opens the file of -output and reads all recorded runs. If a limit is relative to the
 * first run, also compares all runs with the first run. Returns 0, or -1 with ERROR.
 */
static int
read_and_compare(struct compare *compare, struct error *error)
{
    const struct plan *plan = compare->plan;
    const struct slos *slos = &plan->statistics.slos;
    struct recorded_runs *runs = &compare->runs;
    char name[SLO_NAME_SIZE];

    if (output_file_open(&compare->reports.file, plan, error) < 0)
        return -1;
    atomic_store(&compare->has_output, true);
    if (recorded_runs_open(runs, plan, error) < 0)
        return -1;

    for (int i = 0; i < plan->target_count; i++)
        if (read_recorded_file(compare, plan->targets[i], error) < 0)
            return -1;
    recorded_runs_finish(runs);

    const struct slo *limit = find_relative_limit(slos);
    if (!limit)
        return 0;

    if (runs->row_count < 2)
        return error_set(error, EXIT_USAGE, "-slo",
                         "%s compares with another run, but there is only one; name a "
                         "second file, or give a time",
                         slo_name(limit, name));

    compare->rows = comparison_make(runs->jobs, runs->row_count, slos, false);
    if (compare->rows)
        return 0;
    return error_set(error, EXIT_PREPARE, NULL, "not enough memory for the comparison");
}

/*
 * Adds a note that ROW does not meet SLO, a limit that is relative to the row FIRST.
 * FIGURE holds the ratio of ROW to FIRST, the bounds of that ratio, and the verdict.
 */
static void
note_unmet_limit(struct notes *notes, const struct comparison_row *first,
                 const struct comparison_row *row, const struct slo *slo,
                 const struct comparison_figure *figure)
{
    char name[SLO_NAME_SIZE];
    char limit[UNITS_TEXT];
    char change[COMPARISON_TEXT];
    char bounds[COMPARISON_TEXT];
    const char *verdict = slo_verdict_name(figure->verdict);
    bool is_shown = comparison_is_shown(figure, &slo->percentile);
    bool is_first_zero = first->stats->latency.count &&
                         stats_percentile(first->stats, &slo->percentile) == 0;

    slo_name(slo, name);
    slo_limit(slo, limit);
    comparison_describe(figure->ratio, &figure->bounds, change, bounds);

    if (is_first_zero)
        notes_add(notes, row->name,
                  "%s < %s: UNKNOWN: the first run has 0 ns, so there is no change "
                  "in percent; give a time",
                  name, limit);
    else if (interval_has_bound(&figure->bounds) && is_shown)
        notes_add(notes, row->name, "%s < %s: %s, %s %s", name, limit, verdict, change,
                  bounds);
    else if (figure->verdict == SLO_BROKEN)
        notes_add(notes, row->name, "%s < %s: %s %s", name, limit, verdict, bounds);
    else if (is_shown && figure->min_intervals > 0)
        notes_add(notes, row->name,
                  "%s < %s: UNKNOWN: %" PRIu64
                  " %s too few to be sure; record at least %" PRIu64,
                  name, limit, figure->interval_count,
                  units_plural(figure->interval_count, "interval is", "intervals are"),
                  figure->min_intervals);
    else if (is_shown)
        notes_add(notes, row->name,
                  "%s < %s: UNKNOWN: too few independent requests; record longer runs",
                  name, limit);
    else
        notes_add(notes, row->name,
                  "%s < %s: UNKNOWN: a run of %" PRIu64
                  " %s is too short, because it takes "
                  "%" PRIu64 "; record longer runs",
                  name, limit, figure->count,
                  units_plural(figure->count, "request", "requests"),
                  percentile_min_samples(&slo->percentile));
}

/* Prints a note for each relative limit that a row does not meet. Returns the exit status
 * that follows from these limits. */
static int
note_unmet_limits(const struct compare *compare)
{
    const struct slos *slos = &compare->plan->statistics.slos;
    const struct comparison_row *first = compare->rows;
    struct notes notes = {0};
    int status = EXIT_DONE;

    if (!first)
        return status;

    for (int k = 1; k < compare->runs.row_count; k++)
        for (int i = 0; i < slos->count; i++) {
            const struct slo *slo = &slos->list[i];
            const struct comparison_figure *figure =
                &first[k].figures[COMPARISON_FIGURES + i];
            if (!slo->is_relative || figure->verdict == SLO_MET)
                continue;

            note_unmet_limit(&notes, first, &first[k], slo, figure);
            console_notes(&notes);

            int failure = figure->verdict == SLO_BROKEN ? EXIT_LIMIT : EXIT_UNCERTAIN;
            status = outcome_worse(status, failure);
        }
    return status;
}

/* Writes the exported files (a plot) and the notes, and then prints the comparison.
 * Returns the exit status. */
static int
report_runs(struct compare *compare)
{
    struct recorded_runs *runs = &compare->runs;
    struct error error;
    int exit_status = EXIT_DONE;

    int status =
        output_file_check(&compare->reports.file, compare->plan, runs->jobs, &error);
    if (status == 0)
        status = report_begin(&compare->reports, &runs->plan, runs->jobs, runs->row_count,
                              &error);
    if (status == 0)
        status = report_claim(&compare->reports, &runs->plan, &error);

    console_notes(&runs->notes);
    if (status == 0) {
        report_explain(&compare->reports, runs->jobs, runs->row_count);
        exit_status = note_unmet_limits(compare);
        report_recorded(&compare->reports, compare->rows);
    } else {
        output_file_discard(&compare->reports.file, compare->plan);
    }

    report_end(&compare->reports, &runs->jobs[0].outcome);
    if (status < 0)
        return console_error(&error);

    for (int i = 0; i < runs->row_count; i++)
        exit_status = outcome_worse(exit_status, outcome_status(&runs->jobs[i].outcome));
    return exit_status;
}

/* The body of the reader. */
static void *
run_reader(void *argument)
{
    struct compare *compare = argument;
    struct error error;

    int status = read_and_compare(compare, &error);
    if (!atomic_exchange(&compare->is_reading, false))
        return NULL; /* after a signal: the first thread is ending the program */

    if (status < 0) {
        output_file_discard(&compare->reports.file, compare->plan);
        compare->status = console_error(&error);
    } else {
        compare->status = report_runs(compare);
    }

    atomic_store(&compare->is_done, true);
    os_thread_wake(&compare->supervisor);
    return NULL;
}

/* Ends the program after a signal, because a file was not read completely. Removes the
 * file of -output if the program created it. */
static _Noreturn void
end_while_reading(const struct compare *compare)
{
    const char *source = atomic_load(&compare->source);
    struct error error;

    if (atomic_load(&compare->has_output))
        output_file_discard(&compare->reports.file, compare->plan);
    error_set(&error, EXIT_PREPARE, source, "interrupted before it was read");
    os_process_end(console_error(&error));
}

/* Ends the program after a signal, because the reports were not written in time. */
static _Noreturn void
end_while_writing(void)
{
    struct error error;
    error_set(&error, EXIT_RUNTIME, "comparison", "interrupted before it was written");
    os_process_end(console_error(&error));
}

/* Waits for the reader, on the first thread. After a signal no more files are read, and
 * the reports must be written within DEADLINE_GRACE. */
static void
wait_for_reader(struct compare *compare)
{
    int64_t deadline = INT64_MAX;

    while (!atomic_load(&compare->is_done)) {
        bool has_signal = os_signals_stop_signal() != 0;
        if (has_signal && atomic_exchange(&compare->is_reading, false))
            end_while_reading(compare);

        if (has_signal && deadline == INT64_MAX)
            deadline = os_clock_now() + DEADLINE_GRACE;
        if (os_clock_now() >= deadline)
            end_while_writing();

        os_signals_wait(deadline, &compare->is_done);
    }
}

int
session_compare(const struct plan *plan)
{
    struct compare *compare = calloc(1, sizeof(*compare));
    struct os_thread reader;
    struct error error;

    if (!compare) {
        error_set(&error, EXIT_PREPARE, NULL, "not enough memory for the comparison");
        return console_error(&error);
    }

    compare->plan = plan;
    compare->supervisor = os_thread_self();
    atomic_init(&compare->source, plan->path);
    atomic_init(&compare->is_reading, true);

    unsigned signals = os_signals_block();
    int status = os_thread_start(&reader, run_reader, compare);
    int start_errno = errno;
    os_signals_unblock(signals);

    if (status == 0) {
        wait_for_reader(compare);
        os_thread_join(&reader);
    } else {
        error_set(&error, EXIT_PREPARE, NULL,
                  "cannot start a thread for the comparison: %s", strerror(start_errno));
        compare->status = console_error(&error);
    }

    int exit_status = compare->status;

    recorded_runs_close(&compare->runs);
    free(compare->rows);
    free(compare);

    return exit_status;
}
