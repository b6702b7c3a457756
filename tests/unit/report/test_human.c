/* Lines and summaries for people, to the byte. */
#include "golden.h"
#include "mix.h"

#include "cli/cli.h"
#include "report/human.h"
#include "report/output_choice.h"

static struct sample
sample_of(uint64_t index, enum operation operation, int64_t latency, enum verdict verdict)
{
    return (struct sample){.index = index,
                           .operation = operation,
                           .latency = latency,
                           .size = 4096,
                           .bytes = 4096,
                           .verdict = verdict};
}

static struct sample
read_of(uint64_t index, int64_t latency)
{
    return sample_of(index, OPERATION_READ, latency, VERDICT_NONE);
}

TEST(a_line_names_the_verdict)
{
    static const enum verdict verdicts[] = {
        VERDICT_WARMUP, VERDICT_NONE, VERDICT_TOO_FAST, VERDICT_TOO_SLOW,
        VERDICT_CACHED, VERDICT_FAST, VERDICT_SLOW};
    static const int64_t latencies[] = {423200,    636900, 999,        10000000,
                                        123456789, 1,      61000000000};
    golden_prepare(FORMAT_HUMAN);
    golden_begin();
    for (uint64_t i = 0; i < 7; i++)
        golden_sample(sample_of(i + 1, OPERATION_READ, latencies[i], verdicts[i]));
    golden_end("human_verdicts");
}

/* The words fast and slow, which the average says, are those of 1.3's pipe. */
TEST(a_terminal_shows_what_is_slow_by_the_median)
{
    static const struct {
        int64_t latency, slow_above;
        enum verdict verdict;
        const char *end;
    } cases[] = {{100, 0, VERDICT_NONE, "=100 ns\n"},
                 {100, 300, VERDICT_FAST, "=100 ns\n"},
                 {300, 300, VERDICT_SLOW, "=300 ns\n"},
                 {301, 300, VERDICT_NONE, "=301 ns (slow)\n"},
                 {301, 300, VERDICT_WARMUP, "=301 ns (warmup)\n"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct sample sample =
            sample_of(1, OPERATION_READ, cases[i].latency, cases[i].verdict);
        sample.slow_above = cases[i].slow_above;
        golden_prepare(FORMAT_HUMAN);
        golden_begin();
        golden.report->is_terminal = true;
        golden_sample(sample);
        size_t size;
        char *text = golden_take(&size);
        assert_non_null(strstr(text, cases[i].end));
        free(text);
    }
}

/* Returns what a terminal of COLUMNS shows of SAMPLE. */
static char *
line_on_terminal(struct sample sample, const char *path, int columns)
{
    size_t size;
    golden_prepare(FORMAT_HUMAN);
    golden.job.target.description.path = path;
    golden_begin();
    golden.report->is_terminal = golden.report->has_utf8 = true;
    golden.report->columns = columns;
    golden_sample(sample);
    return golden_take(&size);
}

/* The label is shortened only as far as it must be. */
TEST(a_line_fits_the_terminal)
{
    static const char path[] = "/mnt/very/long/path/to/some/volume/of/a/cloud/data";
    static const struct {
        int columns;
        enum verdict verdict;
        const char *label, *notice;
    } cases[] = {
        {111, VERDICT_NONE,
         "/mnt/very/long/path/to/some/volume/of/a/cloud/data (ext4 /dev/vda1 39.3 GiB)",
         ""},
        {110, VERDICT_NONE,
         "/mnt/very/long/path/to/s…e/volume/of/a/cloud/data (ext4 /dev/vda1 39.3 GiB)",
         ""},
        {80, VERDICT_NONE, "/mnt/very…loud/data (ext4 /dev/vda1 39.3 GiB)", ""},
        {80, VERDICT_CACHED, "/mnt/very/long/pa…me/of/a/cloud/data", " (cached)"},
        {50, VERDICT_NONE, "/mnt/ve…ud/data", ""},
        {30, VERDICT_NONE, "/mnt/…d/data", ""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct sample sample = sample_of(9, OPERATION_READ, 423200, cases[i].verdict);
        char *text = line_on_terminal(sample, path, cases[i].columns);
        char expected[256];
        snprintf(expected, sizeof(expected), "4 KiB <<< %s: request=9 time=423.2 us%s\n",
                 cases[i].label, cases[i].notice);
        assert_string_equal(text, expected);
        free(text);
    }
}

/* Characters are cut whole, and what is escaped counts as it is shown. */
TEST(a_short_label_has_whole_characters)
{
    char *text = line_on_terminal(sample_of(9, OPERATION_READ, 423200, VERDICT_NONE),
                                  "/\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                                  "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n/\xc3\xa9",
                                  50);
    assert_string_equal(
        text,
        "4 KiB <<< /\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xe2\x80\xa6\xc3\xa9"
        "\\012/\xc3\xa9: request=9 time=423.2 us\n");
    free(text);
}

TEST(a_failed_line_names_the_errno_and_what_was_moved)
{
    struct sample sample = sample_of(7, OPERATION_READ, 5000, VERDICT_ERROR);
    golden_prepare(FORMAT_HUMAN);
    golden_begin();
    sample.bytes = 0;
    sample.error = EIO;
    golden_sample(sample);
    sample.error = EAGAIN;
    golden_sample(sample);
    sample.error = 9999;
    golden_sample(sample);
    sample.verdict = VERDICT_SHORT;
    sample.bytes = 512;
    golden_sample(sample);
    golden_end("human_failures");
}

TEST(a_request_without_an_answer_has_an_age)
{
    struct sample sample = sample_of(5, OPERATION_WRITE, 2000300000, VERDICT_TIMEOUT);
    golden_prepare(FORMAT_HUMAN);
    golden_begin();
    sample.bytes = 0;
    golden_sample(sample);
    golden_end("human_timeout");
}

TEST(reads_and_writes_have_arrows)
{
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("rw");
    golden_begin();
    golden_sample(sample_of(1, OPERATION_WRITE, 1250000, VERDICT_NONE));
    golden_sample(sample_of(2, OPERATION_READ, 282600, VERDICT_NONE));
    golden_end("human_operations");
}

TEST(a_time_stamp_stands_first)
{
    static const char *const formats[] = {"%T", "%Y-%m-%d %H:%M", "plain", "%%"};
    golden_prepare(FORMAT_HUMAN);
    golden_begin();
    for (uint64_t i = 0; i < 4; i++) {
        golden.plan.output.time_format = formats[i];
        golden_sample(read_of(i + 1, 1000));
    }
    golden_end("human_time");
}

TEST(the_time_stamp_has_a_default_format)
{
    char *argv[] = {"ioping", "-I", "/tmp", NULL};
    struct options options;
    struct error error;
    golden_prepare(FORMAT_HUMAN);
    assert_int_equal(cli_parse(3, argv, &options, &error), 0);
    assert_int_equal(plan_make(&options, 1, &golden.plan, &error), 0);
    assert_int_equal(outputs_choose(&options, &golden.plan, &error), 0);
    golden_begin();
    golden_sample(read_of(1, 1000));
    golden_end("human_time_default");
}

TEST(a_blank_line_ends_a_burst)
{
    golden_prepare(FORMAT_HUMAN);
    golden.plan.output.burst = 2;
    golden_begin();
    for (uint64_t i = 1; i <= 5; i++)
        golden_sample(read_of(i, 1000));
    golden_end("human_burst");
}

TEST(control_characters_of_a_path_are_shown)
{
    golden_prepare(FORMAT_HUMAN);
    golden.job.target.description.path =
        "/a b\x1b[31m\n\r\t\x7f\x9b|\xff\xc3\xa9\xc2\x9b\"\\'";
    snprintf(golden.job.target.description.device,
             sizeof(golden.job.target.description.device), "host:/x\ty");
    golden_begin();
    golden_sample(read_of(1, 1000));
    golden_end("human_path");
}

TEST(devices_are_labelled_as_such)
{
    golden_prepare(FORMAT_HUMAN);
    golden.job.target.description = (struct description){
        .path = "/dev/sdb", .fstype = "block", .device = "device", .size = 115749158093};
    golden_begin();
    golden_sample(read_of(1, 1000));
    golden_end("human_block");
    golden_prepare(FORMAT_HUMAN);
    golden.job.target.description = (struct description){
        .path = "/dev/zero", .fstype = "character", .device = "device"};
    golden_begin();
    golden_sample(read_of(2, 1000));
    golden_end("human_character");
}

/* On a terminal. */
static void
summarize(const char *load, const struct stats *stats, int64_t time, const char *name)
{
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of(load);
    golden_begin();
    golden.report->is_terminal = true;
    golden_summary(stats, time);
    golden_end(name);
}

/* It says written, and of both operations neither. */
TEST(the_summary_is_that_of_the_contract)
{
    struct stats stats = golden_stats();
    summarize("read", &stats, 9000912345, "human_summary");
    summarize("write", &stats, 9000912345, "human_summary_write");
    summarize("rw", &stats, 9000912345, "human_summary_read_write");
}

static struct stats
exceptional(void)
{
    struct stats stats = golden_stats();
    stats.requests = 1262;
    stats.all_bytes = 1262 * 4096;
    stats.too_fast = 1;
    stats.too_slow = 4;
    stats.cached = 1234;
    stats.stopped = 7;
    stats.failed = 2;
    stats.missed = 3;
    return stats;
}

TEST(exceptions_stand_before_generated)
{
    struct stats stats = exceptional();
    summarize("read", &stats, 9000912345, "human_summary_exceptions");
}

/* Into a file, and whether the report tells the rest on stderr. */
static void
summarize_briefly(const struct stats *stats, const char *name)
{
    golden_prepare(FORMAT_HUMAN);
    golden.plan.output.percentiles = percentiles_default;
    golden_begin();
    assert_false(golden.report->is_terminal);
    golden_summary(stats, 9000912345);
    report_explain(&golden.reports, &golden.job, 1);
    golden_end(name);
    assert_true(golden.job.outcome.legacy_summary);
}

/* One was too slow, or none; so "generated" begins its line where 1.3 begins it so. */
TEST(a_file_gets_the_exceptions_of_1_3_only)
{
    struct stats stats = exceptional();
    summarize_briefly(&stats, "human_brief_exceptions");
    stats.too_fast = stats.too_slow = 0;
    summarize_briefly(&stats, "human_brief");
}

TEST(a_run_without_requests_has_a_summary)
{
    struct stats stats = {0};
    summarize("read", &stats, 0, "human_summary_empty");
}

/* Returns the summary of REQUESTS in 10 s, of which all but one count. */
static char *
summary_of(uint64_t requests, bool terminal, const char *given_by, int64_t interval)
{
    struct stats stats = golden_stats();
    size_t size;
    stats.requests = requests;
    stats.latency.count = requests - 1;
    golden_prepare(FORMAT_HUMAN);
    golden.plan.pace.given_by = given_by;
    golden.plan.pace.interval = interval;
    golden.plan.pace.burst = 1;
    golden.plan.io.threads = 2;
    golden_begin();
    golden.report->is_terminal = terminal;
    golden_summary(&stats, 10 * SECOND);
    return golden_take(&size);
}

/* Two threads have 20 requests in 10 s at one a second each. */
TEST(a_terminal_says_which_option_limits_the_rate)
{
    static const struct {
        uint64_t requests;
        bool terminal;
        const char *given_by;
        int64_t interval;
        const char *end;
    } cases[] = {{20, true, "-i", SECOND, "/s (paced by -i)\n"},
                 {18, true, "-r", SECOND, "/s (paced by -r)\n"},
                 {17, true, "-i", SECOND, "/s\n"},
                 {20, false, "-i", SECOND, "/s\n"},
                 {20, true, NULL, 0, "/s\n"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *text = summary_of(cases[i].requests, cases[i].terminal, cases[i].given_by,
                                cases[i].interval);
        const char *end = strchr(strstr(text, "\ngenerated "), '/');
        assert_memory_equal(end, cases[i].end, strlen(cases[i].end));
        free(text);
    }
}

TEST(one_request_is_no_plural_on_a_terminal)
{
    char *text = summary_of(2, true, NULL, 0);
    assert_non_null(strstr(text, "\n1 request completed in "));
    assert_non_null(strstr(text, "\ngenerated 2 requests in "));
    free(text);
    text = summary_of(2, false, NULL, 0);
    assert_non_null(strstr(text, "\n1 requests completed in "));
    free(text);
}

/* The busy time changes the rates of the requests alone, not those by the clock. */
TEST(the_busy_time_is_that_of_the_first_line_only)
{
    struct stats stats = golden_stats();
    summarize("read", &stats, 9000912345, "human_summary");
    stats.busy_time = stats.latency.sum / 8;
    summarize("read", &stats, 9000912345, "human_summary_busy");
}

TEST(periods_are_raw_lines)
{
    struct stats stats = golden_stats();
    golden_prepare(FORMAT_HUMAN);
    golden_begin();
    golden_period(&stats, 9000912345);
    golden_end("human_period");
}

TEST(interim_statistics_are_one_line)
{
    struct buffer text = {0};
    struct stats stats = golden_stats();
    human_interim(&text, NULL, &stats);
    assert_string_equal(
        text.text,
        "10 requests, min/avg/max/mdev = 590.8 us / 623.8 us / 685.0 us / 26.5 us\n");
    buffer_clear(&text);
    stats.failed = 3;
    human_interim(&text, NULL, &stats);
    assert_string_equal(text.text,
                        "10 requests, 3 failed, min/avg/max/mdev = 590.8 us / 623.8 us / "
                        "685.0 us / 26.5 us\n");
    buffer_free(&text);
}

/* 100 us, 200 us, and so on; FLUSHED: 70, 140 ... us of the first so many. */
static struct stats
rising(int count, int flushed)
{
    struct stats stats = {0};
    for (int i = 1; i <= count; i++) {
        struct sample sample = read_of((uint64_t)i, i * 100000);
        sample.sync = i <= flushed ? i * 70000 : 0;
        stats_record(&stats, &sample);
    }
    return stats;
}

/* The default list, as the command line gives it, unless LIST is one. */
static void
summarize_rising(const char *list, const char *load, const int (*counts)[2],
                 const char *name)
{
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of(load);
    golden.plan.output.percentiles = percentiles_default;
    if (list)
        assert_null(percentiles_parse(list, &golden.plan.output.percentiles));
    golden_begin();
    golden.report->is_terminal = !list;
    for (; (*counts)[0]; counts++) {
        struct stats stats = rising((*counts)[0], (*counts)[1]);
        golden_summary(&stats, 9000912345);
    }
    golden_end(name);
}

/* None of 9, two of 10 and 98, three of 99 and 998, four of 999. */
TEST(a_percentile_is_shown_once_there_are_enough)
{
    static const int counts[][2] = {{9}, {10}, {98}, {99}, {998}, {999}, {0}};
    summarize_rising(NULL, "read", counts, "human_percentiles");
}

TEST(percentiles_asked_for_are_shown_in_their_order)
{
    static const int counts[][2] = {{3}, {0}};
    summarize_rising("99.99,50,0.001,75.5", "read", counts, "human_percentiles_list");
}

TEST(a_file_gets_no_percentiles_of_its_own)
{
    struct stats stats = rising(1000, 1000);
    summarize_briefly(&stats, "human_percentiles_none");
}

/* Flushes have no percentiles either. */
TEST(no_percentiles_is_no_line)
{
    static const int counts[][2] = {{1000, 1000}, {0}};
    summarize_rising("none", "read", counts, "human_percentiles_none");
}

/* Nor does a list of percentiles print a line. */
TEST(percentiles_of_nothing_are_no_line)
{
    struct stats stats = {0};
    golden_prepare(FORMAT_HUMAN);
    assert_null(percentiles_parse("50", &golden.plan.output.percentiles));
    golden_begin();
    golden_summary(&stats, 0);
    golden_end("human_summary_empty");
}

/* 19 of 5 ms and one of a second every 100 ms: waits of 900, 800 ... 100 ms. Into a file,
 * where no other option shows percentiles. */
TEST(corrected_percentiles_say_so)
{
    struct stats stats = {.corrected_interval = 100000000};
    for (uint64_t i = 1; i <= 20; i++) {
        struct sample sample = read_of(i, i < 20 ? 5000000 : 1000000000);
        stats_record(&stats, &sample);
    }
    golden_prepare(FORMAT_HUMAN);
    golden.plan.output.percentiles = percentiles_default;
    golden_begin();
    golden_summary(&stats, 9000912345);
    golden_end("human_percentiles_corrected");
}

/* None of 9. */
TEST(flushes_have_a_line_before_the_percentiles)
{
    static const int counts[][2] = {{9, 9}, {10, 10}, {100, 100}, {0}};
    summarize_rising(NULL, "write", counts, "human_sync");
}

TEST(flushes_of_some_requests_are_counted_for_themselves)
{
    static const int counts[][2] = {{24, 12}, {0}};
    summarize_rising(NULL, "rw", counts, "human_sync_read_write");
}

/* After the line of extremes, as wide as the terminal. */
TEST(the_histogram_is_the_last_of_the_summary)
{
    struct stats stats = {0};
    struct sample sample = read_of(1, 123456);
    stats_record(&stats, &sample);
    golden_prepare(FORMAT_HUMAN);
    golden.options.given[OPTION_HISTOGRAM] = 1;
    golden_begin();
    assert_int_equal(golden.report->columns, 80);
    golden_summary(&stats, 9000912345);
    golden_end("human_histogram");
}

/* COUNT reads of 1, 2 ... ms in turn with writes of 1001, 1002 ... ms. */
static struct stats
mixed(int count, int64_t every)
{
    struct stats stats = {.mix = mix_of("rw"), .corrected_interval = every};
    for (int i = 0; i < 2 * count; i++) {
        struct sample sample =
            read_of((uint64_t)i, (i / 2 + 1 + i % 2 * 1000) * INT64_C(1000000));
        sample.operation = i % 2 ? OPERATION_WRITE : OPERATION_READ;
        stats_record(&stats, &sample);
    }
    return stats;
}

/* From 10 of it on. */
TEST(each_of_both_operations_has_its_line_of_percentiles)
{
    static const int counts[] = {9, 10, 100};
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("rw");
    golden.plan.output.percentiles = percentiles_default;
    golden_begin();
    golden.report->is_terminal = true;
    for (int i = 0; i < 3; i++) {
        struct stats stats = mixed(counts[i], 0);
        golden_summary(&stats, 9000912345);
    }
    golden_end("human_both");
}

/* Into a file, as asked for; waits of reads for writes are the longest. */
TEST(percentiles_of_both_say_if_they_are_corrected)
{
    struct stats stats = mixed(3, 200000000);
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("rw");
    assert_null(percentiles_parse("50,90", &golden.plan.output.percentiles));
    golden_begin();
    golden_summary(&stats, 9000912345);
    golden_end("human_both_corrected");
}

TEST(a_file_gets_no_percentiles_of_both_either)
{
    struct stats stats = mixed(100, 0);
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("rw");
    golden.plan.output.percentiles = percentiles_default;
    golden_begin();
    golden_summary(&stats, 9000912345);
    golden_end("human_both_brief");
}
