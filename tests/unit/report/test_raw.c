/* Raw lines, to the byte and by their fields. */
#include "golden.h"

#include "report/raw.h"

static void
assert_line(const struct stats *stats, int64_t time, const char *line)
{
    struct report report = {.job_count = 1};
    raw_line(&report, &(struct run_record){.stats = stats, .duration = time});
    assert_string_equal(report.text.text, line);
    buffer_free(&report.text);
}

static struct stats
stats_of(uint64_t count, int64_t sum, int64_t bytes)
{
    return (struct stats){.latency = {.count = count,
                                      .sum = sum,
                                      .min = sum,
                                      .max = sum,
                                      .mean = (double)sum},
                          .bytes = bytes,
                          .requests = count,
                          .all_bytes = bytes};
}

TEST(among_others_the_target_comes_last)
{
    struct stats stats = {0};
    struct job *jobs = calloc(3, sizeof(*jobs));
    static const char *const paths[] = {"/mnt/a b\n", "/mnt", "/mnt/a b\n"},
                             *const lines[] = {"0 0 0 0 0 0 0 0 0 7 /mnt/a b\\012\n",
                                               "0 0 0 0 0 0 0 0 0 7 /mnt\n",
                                               "0 0 0 0 0 0 0 0 0 7 /mnt/a b\\012#2\n"};
    assert_non_null(jobs);
    for (int i = 0; i < 3; i++) {
        jobs[i].index = i;
        jobs[i].target.description.path = paths[i];
    }
    for (int i = 0; i < 3; i++) {
        struct report report = {.jobs = jobs,
                                .job_count = 3,
                                .job = &jobs[i],
                                .target = &jobs[i].target.description};
        raw_line(&report, &(struct run_record){.stats = &stats, .duration = 7});
        assert_string_equal(report.text.text, lines[i]);
        buffer_free(&report.text);
    }
    free(jobs);
}

TEST(a_line_is_that_of_the_contract)
{
    struct stats stats = stats_of(1, 580777, 4096);
    stats.requests = 2;
    stats.all_bytes = 8192;
    assert_line(&stats, 1000832419,
                "1 580777 1722 7052621 580777 580777 580777 0 2 1000832419\n");
}

TEST(a_line_has_ten_integers)
{
    struct stats stats = golden_stats();
    stats.latency.sum = 4500000;
    assert_line(&stats, 9000912345,
                "9 4500000 2000 8192000 590800 500000 685012 26501 10 9000912345\n");
}

TEST(nothing_is_all_zero)
{
    struct stats stats = {0};
    assert_line(&stats, 0, "0 0 0 0 0 0 0 0 0 0\n");
}

TEST(failed_requests_count_in_the_ninth_only)
{
    struct stats stats = {.requests = 3, .failed = 2, .all_bytes = 4096};
    assert_line(&stats, 7, "0 0 0 0 0 0 0 0 3 7\n");
}

TEST(large_numbers_are_whole)
{
    struct stats stats = stats_of(1000000000, 1000000000000000000, 4096000000000);
    assert_line(&stats, INT64_MAX,
                "1000000000 1000000000000000000 1 4096 1000000000000000000 1000000000 "
                "1000000000000000000 0 1000000000 9223372036854775807\n");
}

TEST(the_report_has_periods_and_summary_but_no_samples)
{
    struct stats stats = golden_stats();
    stats.latency.sum = 4500000;
    golden_prepare(FORMAT_RAW);
    golden_begin();
    golden_sample((struct sample){.index = 1, .size = 512, .bytes = 512});
    golden_period(&stats, 1000);
    golden_summary(&stats, 2000);
    golden_end("raw_report");
}

/* The third and the fourth field are the rates. */
TEST(rates_are_over_the_busy_time)
{
    struct stats stats = golden_stats();
    stats.latency.sum = 4500000;
    stats.busy_time = 4500000 / 8;
    assert_line(&stats, 9000912345,
                "9 4500000 16000 65536000 590800 500000 685012 26501 10 9000912345\n");
}

TEST(a_step_has_its_value_before_the_ten)
{
    struct stats stats = golden_stats();
    stats.latency.sum = 4500000;
    golden_prepare(FORMAT_RAW);
    golden.plan.sweep.kind = SWEEP_SIZE;
    golden_begin();
    golden_step(512, &stats, 9000912345);
    golden_step(1073741824, &stats, 9000912345);
    golden_end("raw_sweep");
}

/* A descriptor that cannot be written to fails every time; the first is told. */
TEST(a_stream_that_fails_gives_its_errno)
{
    static const enum format formats[] = {FORMAT_HUMAN, FORMAT_RAW, FORMAT_JSON};
    for (size_t i = 0; i < 3; i++) {
        struct stats stats = golden_stats();
        golden_prepare(formats[i]);
        golden_begin();
        dup2(golden.saved, 1);
        close(golden.saved);
        golden.report->stream = open(golden.path, O_RDONLY);
        int first = golden_summary(&stats, 1);
        close(golden.report->stream);
        golden.report->stream = open("/dev/full", O_WRONLY);
        int second = golden_summary(&stats, 1);
        struct outcome outcome = {0};
        report_end(&golden.reports, &outcome);
        close(golden.report->stream);
        assert_int_equal(first, -1);
        assert_int_equal(second, -1);
        assert_int_equal(outcome.output_error, EBADF);
        assert_string_equal(outcome.failed_output, "standard output");
    }
}

TEST(a_full_device_is_told)
{
    struct sample sample = {.index = 1, .size = 512, .bytes = 512};
    golden_prepare(FORMAT_HUMAN);
    golden_begin();
    dup2(golden.saved, 1);
    close(golden.saved);
    golden.report->stream = open("/dev/full", O_WRONLY);
    assert_int_equal(golden.observer.sample(&golden.reports, &golden.job, &sample), -1);
    struct outcome outcome = {0};
    report_end(&golden.reports, &outcome);
    assert_int_equal(outcome.output_error, ENOSPC);
    close(golden.report->stream);
}

TEST(interim_statistics_go_to_stderr)
{
    struct stats stats = golden_stats();
    char path[1100];
    size_t size;
    golden_prepare(FORMAT_RAW);
    golden_begin();
    snprintf(path, sizeof(path), "%s/errors", scratch());
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), saved = dup(2);
    fflush(stderr);
    dup2(fd, 2);
    golden.job.stats = &stats;
    golden.observer.interim(&golden.reports, &golden.job);
    dup2(saved, 2);
    close(saved);
    close(fd);
    golden_end("empty");
    char *text = golden_read(path, &size);
    assert_string_equal(
        text,
        "10 requests, min/avg/max/mdev = 590.8 us / 623.8 us / 685.0 us / 26.5 us\n");
    free(text);
}

TEST(a_highest_rate_without_limits_has_a_dash_in_their_place)
{
    struct stats stats = golden_stats();
    golden_prepare(FORMAT_RAW);
    golden.plan.sweep.kind = SWEEP_RATE;
    golden.job.plan = golden.plan;
    golden_begin();
    struct job_step *step = golden.job.sweep.steps;
    *step = (struct job_step){.value = 49000, .answered_rate = 48000};
    golden.job.sweep.count = 1;
    golden_end_step(step, &stats, 9000912345);
    golden.job.sweep.highest_index = 0;
    golden_highest();
    golden_end("raw_sweep_rate");
}
