/* The thread that writes exported files: which versions, and for how long it is awaited.
 */
#include "golden.h"

#include "base/time.h"
#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"
#include "report/console.h"
#include "report/export.h"
#include "stats/track.h"

#include <stdatomic.h>

#define HOUR (3600 * SECOND)
#define WRITTEN 8 /* at most */

/* What the thread was told to write, and by whom it is held up. */
static struct {
    atomic_bool hold; /* a writing does not end */
    atomic_int begun; /* writings that were */
    atomic_int error; /* of writings that end; 0: they succeed */
    atomic_int count; /* of those that ended */
    struct written {
        const char *path;
        bool durable;
        int requests; /* in the metrics */
    } list[WRITTEN];
} told;

static int
requests_in(const char *text)
{
    const char *line = strstr(text, "\nioping_requests_total{");
    return line ? atoi(strstr(line, "} ") + 2) : -1;
}

static int
fake_replace(const char *path, const char *bytes, size_t size, const char *start,
             bool durable)
{
    (void)size, (void)start;
    atomic_fetch_add(&told.begun, 1);
    while (atomic_load(&told.hold))
        os_sleep_until(os_clock_now() + MS);
    int number = atomic_load(&told.count);
    told.list[number] = (struct written){path, durable, requests_in(bytes)};
    errno = atomic_load(&told.error);
    int status = errno ? -1 : 0;
    atomic_store(&told.count, number + 1);
    return status;
}

static void
until(const atomic_int *value, int least)
{
    while (atomic_load(value) < least)
        os_sleep_until(os_clock_now() + MS);
}

static struct track track; /* empty */

static struct {
    struct stats stats;
    struct export export;
    char metrics[1100], plot[1100];
} setup;

static struct export_file *files[OUTPUTS_MAX]; /* of the outputs of the plan */

/* Adds the text that the output with NUMBER of the plan begins with. */
static void
add_first(struct buffer *text, int number)
{
    struct report report = {.plan = &golden.plan,
                            .jobs = &golden.job,
                            .job_count = 1,
                            .monotonic_now = os_clock_now,
                            .wall_now = golden_wall};
    const struct report_format *format = golden.plan.output.list[number].kind->format;
    if (format->open)
        format->open(&report);
    else
        format->tick(&report, &golden.job, 1, 0, false);
    if (format->close)
        format->close(&report);
    *text = report.text;
}

static void
begin_export(struct export *export)
{
    struct error error;
    export_begin(export, &golden.plan, &golden.job, 1);
    for (int i = 1; i < golden.plan.output.count; i++) {
        struct buffer text;
        add_first(&text, i);
        files[i] = export_add(export, &golden.plan.output.list[i], &text, &error);
        assert_non_null(files[i]);
    }
    assert_int_equal(export_start(export, &error), 0);
    assert_int_equal(export_write_first(export, &error), 0);
}

/* Ends EXPORT and prints its notes on stderr, as a report does. */
static bool
end_export(struct export *export)
{
    struct notes notes = {0};
    bool ended = export_end(export, &notes);
    console_notes(&notes);
    return ended;
}

static void
print_failures(struct export *export)
{
    struct notes notes = {0};
    export_take_failures(export, &notes);
    console_notes(&notes);
}

enum { METRICS = 1, PLOT, LOG = 1 }; /* outputs of a plan */

/* Hands over the next version, or the LAST, of a file that is replaced. */
static void
hand_over_file(int number, bool last)
{
    struct buffer text;
    add_first(&text, number);
    export_hand_over(&setup.export, files[number], &text, last);
}

static void
hand_over_last(void)
{
    hand_over_file(METRICS, true);
    hand_over_file(PLOT, true);
}

/* The first versions are real, the others are told of. */
static void
begin(void)
{
    memset(&setup, 0, sizeof(setup));
    memset(&told, 0, sizeof(told));
    golden_prepare(FORMAT_HUMAN);
    snprintf(setup.metrics, sizeof(setup.metrics), "%s/a.prom", scratch());
    snprintf(setup.plot, sizeof(setup.plot), "%s/a.svg", scratch());
    output_add(&golden.plan, FORMAT_PROMETHEUS, setup.metrics);
    output_add(&golden.plan, FORMAT_PLOT, setup.plot);
    golden.plan.end.timeout = INT64_MAX;
    golden.plan.end.grace = HOUR;
    golden.job.stats = &setup.stats;
    golden.job.track = &track;
    begin_export(&setup.export);
    setup.export.replace = fake_replace;
}

/* Hands over metrics with so many REQUESTS. */
static void
hand_over(uint64_t requests)
{
    setup.stats.requests = requests;
    hand_over_file(METRICS, false);
}

GROUP_SETUP(hear_wake_ups)

static void
assert_written(int number, const char *path, int requests, bool durable)
{
    const struct written *written = &told.list[number];
    assert_string_equal(written->path, path);
    assert_int_equal(written->requests, requests);
    assert_int_equal(written->durable, durable);
}

TEST(without_files_there_is_no_thread)
{
    struct export export;
    golden_prepare(FORMAT_HUMAN);
    begin_export(&export);
    assert_null(export.writer);
    assert_true(end_export(&export));
    assert_int_equal(export.error_number, 0);
}

/* The first file could be replaced, and what refuses the run is the second. */
TEST(earlier_files_stay_until_all_are_tried)
{
    struct export export;
    struct error error;
    struct buffer text;
    struct stat before, after;
    begin();
    assert_true(end_export(&setup.export));
    assert_int_equal(stat(setup.plot, &before), 0);
    snprintf(setup.metrics, sizeof(setup.metrics), "%s/none/a.prom", scratch());
    export_begin(&export, &golden.plan, &golden.job, 1);
    add_first(&text, PLOT);
    assert_non_null(export_add(&export, &golden.plan.output.list[PLOT], &text, &error));
    add_first(&text, METRICS);
    assert_null(export_add(&export, &golden.plan.output.list[METRICS], &text, &error));
    assert_int_equal(error.status, EXIT_PREPARE);
    assert_string_equal(error.why, strerror(ENOENT));
    assert_true(end_export(&export));
    assert_int_equal(stat(setup.plot, &after), 0);
    assert_int_equal(after.st_ino, before.st_ino);
}

TEST(the_newest_version_takes_the_place_of_one_that_waits)
{
    begin();
    atomic_store(&told.hold, true);
    hand_over(1);
    until(&told.begun, 1);
    for (uint64_t requests = 2; requests < 100; requests++)
        hand_over(requests);
    atomic_store(&told.hold, false);
    assert_true(end_export(&setup.export));
    assert_int_equal(atomic_load(&told.count), 2);
    assert_written(0, setup.metrics, 1, false);
    assert_written(1, setup.metrics, 99, false);
}

TEST(the_last_version_alone_is_durable)
{
    begin();
    hand_over(1);
    until(&told.count, 1);
    hand_over_file(PLOT, false);
    until(&told.count, 2);
    setup.stats.requests = 2;
    hand_over_last();
    assert_true(end_export(&setup.export));
    assert_int_equal(atomic_load(&told.count), 4);
    assert_written(0, setup.metrics, 1, false);
    assert_written(1, setup.plot, -1, false);
    for (int i = 2; i < 4; i++)
        assert_true(told.list[i].durable);
    assert_string_not_equal(told.list[2].path, told.list[3].path);
}

/* Metrics that are handed over more often than they can be written. */
TEST(each_file_has_its_turn)
{
    begin();
    atomic_store(&told.hold, true);
    hand_over(1);
    until(&told.begun, 1);
    hand_over_file(PLOT, false);
    hand_over(2);
    atomic_store(&told.hold, false);
    until(&told.count, 2);
    assert_written(1, setup.plot, -1, false);
    assert_true(end_export(&setup.export));
    assert_written(2, setup.metrics, 2, false);
}

static int
catch_errors(void)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/errors", scratch());
    int saved = dup(2), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && file >= 0);
    fflush(stderr);
    dup2(file, 2);
    close(file);
    return saved;
}

/* Returns what was written to stderr; freed by the caller. */
static char *
caught(int saved)
{
    char path[1100];
    size_t size;
    snprintf(path, sizeof(path), "%s/errors", scratch());
    dup2(saved, 2);
    close(saved);
    return golden_read(path, &size);
}

/* Hands over the last version, which does not get written, and frees it later. Returns
 * how long that was waited for. */
static int64_t
wait_for_a_stuck_one(char **errors)
{
    atomic_store(&told.hold, true);
    int saved = catch_errors();
    int64_t began = os_clock_now();
    hand_over_last();
    bool ended = end_export(&setup.export);
    int64_t waited = os_clock_now() - began;
    *errors = caught(saved);
    assert_false(ended);
    assert_int_equal(setup.export.error_number, ETIMEDOUT);
    assert_string_equal(setup.export.failed_path, setup.metrics);
    atomic_store(&told.hold, false);
    golden.plan.end.timeout = INT64_MAX;
    golden.plan.end.grace = HOUR; /* for a machine that is late */
    golden.job.in_flight = (struct job_in_flight){0};
    assert_true(end_export(&setup.export));
    assert_int_equal(setup.export.error_number, 0);
    return waited;
}

TEST(what_is_stuck_is_given_up_and_noted)
{
    static const struct {
        int64_t timeout, grace, least;
    } cases[] = {
        {SECOND, HOUR, SECOND},
        {INT64_MAX, SECOND, SECOND},
        {MS, HOUR, 750 * MS}, /* no file is written in so little time */
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char expected[2400], *errors;
        begin();
        golden.plan.end.timeout = cases[i].timeout;
        golden.plan.end.grace = cases[i].grace;
        int64_t waited = wait_for_a_stuck_one(&errors);
        snprintf(
            expected, sizeof(expected),
            "^ioping: [^\n]*/a\\.svg: still not written after [0-9.]+ m?s; given up\n"
            "ioping: [^\n]*/a\\.prom: still not written after [0-9.]+ m?s; given up\n$");
        assert_matches(errors, expected);
        free(errors);
        assert_true(waited >= cases[i].least);
    }
}

/* What it waits for may be the same disk. */
TEST(after_a_request_without_answer_it_is_not_waited_for_long)
{
    char *errors;
    begin();
    golden.job.in_flight = (struct job_in_flight){1, 1};
    assert_true(wait_for_a_stuck_one(&errors) < HOUR);
    free(errors);
}

static void *
interrupt_once_it_waits(void *process)
{
    os_sleep_until(os_clock_now() + 50 * MS);
    kill(*(pid_t *)process, SIGINT);
    return NULL;
}

/* In a child, as the signal cannot be taken back. */
TEST(a_signal_ends_the_wait)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct os_thread thread;
        pid_t self = getpid();
        os_signals_install();
        begin();
        atomic_store(&told.hold, true);
        hand_over_last();
        if (os_thread_start(&thread, interrupt_once_it_waits, &self) < 0)
            _exit(2);
        int64_t began = os_clock_now();
        catch_errors();
        bool ended = end_export(&setup.export);
        os_thread_join(&thread);
        _exit(ended || os_clock_now() - began < 750 * MS);
    }
    assert_child_succeeds(child);
}

/* Handles what the thread has to tell, once it has done so many writings. */
static void
tell_after(int count, bool news)
{
    until(&told.count, count);
    export_supervise(&setup.export);
    while (news && !export_has_failures(&setup.export))
        os_sleep_until(os_clock_now() + MS);
    assert_int_equal(export_has_failures(&setup.export), news);
    if (news)
        print_failures(&setup.export);
}

TEST(a_failure_is_told_once_while_it_lasts)
{
    static const int failures[] = {EIO, EIO, 0, ENOSPC};
    begin();
    int saved = catch_errors();
    for (int i = 0; i < 4; i++) {
        atomic_store(&told.error, failures[i]);
        hand_over(1);
        tell_after(i + 1, i == 0 || i == 3);
    }
    bool ended = end_export(&setup.export);
    char *errors = caught(saved);
    assert_true(ended);
    assert_matches(errors, "^ioping: [^\n]*/a\\.prom: I(nput/output|/O) error\n"
                           "ioping: [^\n]*/a\\.prom: No space left on device\n$");
    assert_int_equal(setup.export.error_number, ENOSPC);
    assert_string_equal(setup.export.failed_path, setup.metrics);
    free(errors);
}

/* Hands over a version that is incomplete, as if memory had been short. */
static void
hand_over_incomplete(void)
{
    struct buffer text;
    add_first(&text, METRICS);
    text.failed = true;
    export_hand_over(&setup.export, files[METRICS], &text, true);
}

TEST(a_version_that_is_lost_leaves_the_one_before_and_is_a_failure)
{
    begin();
    int saved = catch_errors();
    atomic_store(&told.hold, true);
    hand_over(1);
    until(&told.begun, 1);
    hand_over(2);
    hand_over_incomplete();
    atomic_store(&told.hold, false);
    bool ended = end_export(&setup.export);
    char *errors = caught(saved);
    assert_true(ended);
    assert_int_equal(atomic_load(&told.count), 2);
    assert_written(1, setup.metrics, 2, false);
    assert_int_equal(setup.export.error_number, ENOMEM);
    assert_string_equal(setup.export.failed_path, setup.metrics);
    free(errors);
}

TEST(a_version_that_is_lost_is_no_failure_once_a_newer_one_is_written)
{
    begin();
    int saved = catch_errors();
    hand_over_incomplete();
    hand_over(3);
    bool ended = end_export(&setup.export);
    char *errors = caught(saved);
    assert_true(ended);
    assert_int_equal(atomic_load(&told.count), 1);
    assert_written(0, setup.metrics, 3, false);
    assert_int_equal(setup.export.error_number, 0);
    free(errors);
}

TEST(a_failure_at_the_end_is_told_too)
{
    begin();
    int saved = catch_errors();
    atomic_store(&told.error, EIO);
    hand_over_last();
    bool ended = end_export(&setup.export);
    char *errors = caught(saved);
    assert_true(ended);
    assert_matches(errors, "^ioping: [^\n]*/a\\.prom: I(nput/output|/O) error\n"
                           "ioping: [^\n]*/a\\.svg: I(nput/output|/O) error\n$");
    assert_int_equal(setup.export.error_number, EIO);
    free(errors);
}

/* What of a log was written: by which call, and the lines of it, without its head. */
static struct {
    struct export export;
    char path[1100], written[512];
    atomic_int calls, error; /* errno of those that add; 0: they succeed */
} logged;

static int
note_lines(const char *call, const char *bytes, size_t size, int number, bool durable)
{
    size_t length = strlen(logged.written);
    const char *lines = size && bytes[0] == '#' ? strrchr(bytes, '"') + 2 : bytes;
    snprintf(logged.written + length, sizeof(logged.written) - length, "%s%s:%s;", call,
             durable ? "!" : "", size ? lines : "");
    errno = number;
    atomic_fetch_add(&logged.calls, 1);
    return number ? -1 : 0;
}

static int
fake_append(const char *path, const char *bytes, size_t size, const char *start,
            bool durable)
{
    assert_string_equal(path, logged.path);
    assert_string_equal(start, "#[Logged by ioping");
    return note_lines("add", bytes, size, atomic_load(&logged.error), durable);
}

static int
fake_begin_again(const char *path, const char *bytes, size_t size, const char *start,
                 bool durable)
{
    assert_string_equal(path, logged.path);
    assert_memory_equal(bytes, start, strlen(start));
    return note_lines("begin", bytes, size, 0, durable);
}

static void
begin_log(void)
{
    memset(&logged, 0, sizeof(logged));
    golden_prepare(FORMAT_HUMAN);
    snprintf(logged.path, sizeof(logged.path), "%s/a.hlog", scratch());
    output_add(&golden.plan, FORMAT_HDR, logged.path);
    golden.plan.end.timeout = INT64_MAX;
    golden.plan.end.grace = HOUR;
    begin_export(&logged.export);
    logged.export.append = fake_append;
    logged.export.replace = fake_begin_again;
}

static void
end_log(void)
{
    struct buffer none = {0};
    export_hand_over(&logged.export, files[LOG], &none, true);
}

/* Hands over a line, and waits for so many calls, the results of which are noted. */
static void
add_line(const char *line, int calls)
{
    struct buffer text = {0};
    buffer_text(&text, line);
    export_hand_over(&logged.export, files[LOG], &text, false);
    until(&logged.calls, calls);
}

TEST(a_log_grows_by_the_lines_that_are_new)
{
    begin_log();
    add_line("one ", 1);
    add_line("two ", 2);
    end_log();
    assert_true(end_export(&logged.export));
    assert_string_equal(logged.written, "add:one ;add:two ;add!:;");
    assert_int_equal(logged.export.error_number, 0);
}

/* And none is written twice: the file ends where it did when one could not be added. */
TEST(lines_that_could_not_be_added_come_with_the_next)
{
    begin_log();
    int saved = catch_errors();
    atomic_store(&logged.error, ENOSPC);
    add_line("one ", 1);
    export_supervise(&logged.export);
    while (!export_has_failures(&logged.export))
        os_sleep_until(os_clock_now() + MS);
    atomic_store(&logged.error, 0);
    add_line("two ", 2);
    end_log();
    bool ended = end_export(&logged.export);
    free(caught(saved));
    assert_true(ended);
    assert_string_equal(logged.written, "add:one ;add:one two ;add!:;");
    assert_int_equal(logged.export.error_number, 0);
}

TEST(lines_that_cannot_be_added_in_the_end_are_a_failure)
{
    begin_log();
    int saved = catch_errors();
    atomic_store(&logged.error, ENOSPC);
    add_line("one ", 1);
    end_log();
    bool ended = end_export(&logged.export);
    char *errors = caught(saved);
    assert_true(ended);
    assert_matches(errors, "^ioping: [^\n]*/a\\.hlog: No space left on device\n$");
    free(errors);
    assert_string_equal(logged.written, "add:one ;add!:one ;");
    assert_int_equal(logged.export.error_number, ENOSPC);
    assert_string_equal(logged.export.failed_path, logged.path);
}

/* Somebody has moved it away. */
TEST(a_log_that_is_gone_begins_again)
{
    begin_log();
    atomic_store(&logged.error, ENOENT);
    add_line("one ", 2);
    assert_true(end_export(&logged.export));
    assert_string_equal(logged.written, "add:one ;begin:one ;");
    assert_int_equal(logged.export.error_number, 0);
}

/* 16 MiB of them: it is no use to fill the memory instead of the disk. */
TEST(lines_that_wait_have_an_end)
{
    static const char much[1 << 20] = {0};
    begin_log();
    int saved = catch_errors();
    atomic_store(&logged.error, EIO);
    for (int i = 1; i <= 17; i++) {
        struct buffer text = {0};
        buffer_add(&text, much, sizeof(much));
        export_hand_over(&logged.export, files[LOG], &text, false);
        until(&logged.calls, i < 17 ? i : 16);
    }
    atomic_store(&logged.error, 0);
    bool ended = end_export(&logged.export);
    free(caught(saved));
    assert_true(ended);
    assert_int_equal(logged.export.error_number, ENOMEM);
}
