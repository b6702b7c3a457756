/* Two reports of one run: one in the file of -output, the other for people on stdout. */
#include "golden.h"

static const char *
file_path(void)
{
    static char path[1100];
    snprintf(path, sizeof(path), "%s/file", scratch());
    return path;
}

/* Prepares two reports, the first in FORMAT and PATH; the test may change the plan. */
static void
prepare(enum format format, const char *path)
{
    golden_prepare(format);
    golden.plan.target_count = 1;
    golden.plan.output.list[0].path = path;
    golden.plan.output.list[1] =
        (struct output){.kind = &output_kinds[FORMAT_HUMAN], .has_summary = true};
    golden.plan.output.count = golden.plan.output.stream_count = 2;
    golden.job.target.fd = -1;
}

static void
begin(void)
{
    struct error error = {0};
    if (output_file_open(&golden.reports.file, &golden.plan, &error) < 0 ||
        output_file_check(&golden.reports.file, &golden.plan, &golden.job, &error) < 0)
        fail_msg("%s", error.why);
    golden_begin();
    golden.reports.list[1].wall_now = golden_wall;
}

static void
assert_same(const char *path, const char *name)
{
    size_t size;
    char *text = golden_read(path, &size);
    golden_compare(text, size, name);
    free(text);
}

TEST(each_has_what_it_would_have_alone)
{
    struct stats stats = golden_stats();
    stats.latency.sum = 4500000;
    prepare(FORMAT_RAW, file_path());
    begin();
    assert_int_equal(golden.reports.report_count, 2);
    golden_sample((struct sample){.index = 1, .size = 512, .bytes = 512});
    golden_period(&stats, 1000);
    golden_summary(&stats, 2000);
    report_explain(&golden.reports, &golden.job, 1);
    golden_end("file_screen");
    assert_same(file_path(), "raw_report");
    assert_true(golden.job.outcome.legacy_summary);
}

/* A terminal is where people are. */
TEST(what_a_terminal_shows_is_not_in_the_file)
{
    struct stats stats = golden_stats();
    prepare(FORMAT_HUMAN, "/dev/null");
    begin();
    golden.reports.list[1].is_terminal = true;
    assert_false(golden.reports.list[0].is_terminal);
    assert_false(golden.reports.list[0].has_color);
    golden_summary(&stats, 2000);
    report_explain(&golden.reports, &golden.job, 1);
    report_end(&golden.reports, &golden.outcome);
    dup2(golden.saved, 1);
    close(golden.saved);
    assert_false(golden.job.outcome.legacy_summary);
}

/* FILE fails at once, and stdout has its summary. */
TEST(a_failure_of_one_ends_the_run_and_not_the_other)
{
    struct stats stats = golden_stats();
    stats.latency.sum = 4500000;
    prepare(FORMAT_RAW, "/dev/full");
    begin();
    assert_int_equal(golden_record(&golden.job, (struct run_record){.kind = RECORD_PERIOD,
                                                                    .stats = &stats,
                                                                    .duration = 1}),
                     -1);
    assert_true(golden.reports.print_status);
    assert_int_equal(golden_summary(&stats, 2000), -1);
    report_end(&golden.reports, &golden.outcome);
    dup2(golden.saved, 1);
    close(golden.saved);
    assert_same(golden.path, "file_screen");
    assert_int_equal(golden.outcome.output_error, ENOSPC);
    assert_string_equal(golden.outcome.failed_output, "/dev/full");
}

TEST(json_is_closed_when_the_screen_has_failed)
{
    struct stats stats = golden_stats();
    struct stat info;
    char last[8] = "";
    prepare(FORMAT_JSON, file_path());
    begin();
    golden.reports.list[1].stream = open("/dev/full", O_WRONLY);
    assert_int_equal(golden_summary(&stats, 2000), -1);
    report_end(&golden.reports, &golden.outcome);
    dup2(golden.saved, 1);
    close(golden.saved);
    close(golden.reports.list[1].stream);
    int fd = open(file_path(), O_RDONLY);
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(pread(fd, last, 4, info.st_size - 4), 4);
    close(fd);
    assert_string_equal(last, "\n}]\n");
    assert_string_equal(golden.outcome.failed_output, "standard output");
    assert_int_equal(golden.outcome.output_error, ENOSPC);
}

TEST(a_file_that_is_a_target_keeps_what_it_has)
{
    struct error error;
    int fd = open(file_path(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, "kept", 4), 4);
    prepare(FORMAT_JSON, file_path());
    golden.job.target.fd = fd;
    assert_int_equal(output_file_open(&golden.reports.file, &golden.plan, &error), 0);
    assert_int_equal(
        output_file_check(&golden.reports.file, &golden.plan, &golden.job, &error), -1);
    assert_int_equal(error.status, EXIT_PREPARE);
    assert_string_equal(error.why, "is also a target; name another file for -output");
    assert_int_equal(lseek(fd, 0, SEEK_END), 4);
    close(fd);
}

TEST(a_file_keeps_what_it_has_until_it_is_claimed)
{
    struct error error;
    size_t size;
    int fd = open(file_path(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, "kept", 4), 4);
    close(fd);
    prepare(FORMAT_JSON, file_path());
    assert_int_equal(output_file_open(&golden.reports.file, &golden.plan, &error), 0);
    assert_int_equal(
        output_file_check(&golden.reports.file, &golden.plan, &golden.job, &error), 0);
    assert_int_equal(report_begin(&golden.reports, &golden.plan, &golden.job, 1, &error),
                     0);
    char *text = golden_read(file_path(), &size);
    assert_int_equal(size, 4);
    assert_memory_equal(text, "kept", 4);
    free(text);
    assert_int_equal(report_claim(&golden.reports, &golden.plan, &error), 0);
    free(golden_read(file_path(), &size));
    assert_int_equal(size, 0);
    report_end(&golden.reports, &golden.outcome);
}

TEST(files_are_named_in_one_text)
{
    static const struct {
        const char *file, *prometheus, *plot, *text;
    } cases[] = {
        {NULL, NULL, NULL, ""},
        {"a", NULL, NULL, "a"},
        {NULL, "b", "c", "b or c"},
        {"a", NULL, "c", "a or c"},
        {"a", "b", "a-very-long-name", "a or b or a-ver"},
        {"a-very-long-name", "b", "c", "a-very-long-nam"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = {.output.count = 0};
        output_add(&plan, FORMAT_HUMAN, cases[i].file);
        output_add(&plan, FORMAT_PROMETHEUS, cases[i].prometheus);
        output_add(&plan, FORMAT_PLOT, cases[i].plot);
        char text[16];
        output_file_names(&plan, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
    }
}
