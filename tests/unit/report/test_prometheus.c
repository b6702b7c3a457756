/* The metrics, to the byte, and the file that they are put into. */
#include "golden.h"
#include "mix.h"

#include "report/export.h"
#include "report/writers.h"

#define NS_1970 1795247457055062999LL
#define LARGE 9000000000000000000LL

/* The figures of a target; its last request ended at LAST, ns since 1970; 0: none did. */
struct shown {
    const struct description *description;
    const struct stats *stats;
    int64_t last;
};

/* Jobs of which this is seen, by a clock that began in 1970. Live until the next call. */
static const struct job *
jobs_of(const struct shown *list, int count)
{
    static struct job jobs[4];
    static struct stats stats[4];
    assert_in_range(count, 1, 4);
    for (int i = 0; i < count; i++) {
        stats[i] = *list[i].stats;
        stats[i].last_end = list[i].last;
        jobs[i].target.description = *list[i].description;
        jobs[i].stats = &stats[i];
    }
    return jobs;
}

static void
format_all(struct buffer *text, const struct plan *plan, const struct shown *list,
           int count)
{
    golden_metrics(text, plan, jobs_of(list, count), count, 0, 0);
}

/* Formats the metrics of one target. */
static void
format(struct buffer *text, const struct stats *stats, int64_t last)
{
    const struct shown shown = {&golden.job.target.description, stats, last};
    format_all(text, &golden.plan, &shown, 1);
}

static struct export_file *metrics_file; /* of the export that was begun last */

/* Begins the file, at the begin of 1970. */
static int
begin_export(struct export *export, const struct shown *list, int count,
             struct error *error)
{
    struct buffer text = {0};
    const struct job *jobs = jobs_of(list, count);
    metrics_file = NULL;
    export_begin(export, &golden.plan, jobs, count);
    golden_metrics(&text, &golden.plan, jobs, count, 0, 0);
    bool has_file = golden.plan.output.count > 1;
    if (has_file)
        metrics_file = export_add(export, &golden.plan.output.list[1], &text, error);
    buffer_free(&text);
    if ((has_file && !metrics_file) || export_start(export, error) < 0)
        return -1;
    return export_write_first(export, error);
}

static int
begin_all(const struct shown *list, int count, struct error *error)
{
    struct export export;
    int status = begin_export(&export, list, count, error);
    export_end(&export, &(struct notes){0});
    return status;
}

static int
begin(struct error *error)
{
    struct stats nothing = {0};
    const struct shown shown = {&golden.job.target.description, &nothing, 0};
    return begin_all(&shown, 1, error);
}

static void
keep_all(const struct shown *list, int count)
{
    struct export export;
    struct error error;
    struct buffer text = {0};
    assert_int_equal(begin_export(&export, list, count, &error), 0);
    format_all(&text, &golden.plan, list, count);
    export_hand_over(&export, metrics_file, &text, true);
    assert_true(export_end(&export, &(struct notes){0}));
    assert_int_equal(export.error_number, 0);
}

static void
keep(const struct stats *stats, int64_t last)
{
    const struct shown shown = {&golden.job.target.description, stats, last};
    keep_all(&shown, 1);
}

static struct sample
sample_of(int64_t latency, int64_t sync, enum verdict verdict)
{
    return (struct sample){.latency = latency,
                           .sync = sync,
                           .missed = latency / 1000000000,
                           .size = 4096,
                           .bytes = 4096,
                           .verdict = verdict};
}

/* Bounds, what is beside them, what is beyond all; and what does not count. */
static struct stats
mixed_stats(bool flushed)
{
    static const int64_t latencies[] = {1,    1000,        1001,        2000,
                                        2001, 33554432000, 33554432001, 7777777};
    struct stats stats = {0};
    for (size_t i = 0; i < LENGTH(latencies); i++) {
        struct sample sample =
            sample_of(latencies[i], flushed ? latencies[i] / 2 : 0, VERDICT_NONE);
        stats_record(&stats, &sample);
    }
    struct sample warmup = sample_of(500, 0, VERDICT_WARMUP);
    struct sample failed = sample_of(500, 0, VERDICT_ERROR);
    stats_record(&stats, &warmup);
    stats_record(&stats, &failed);
    return stats;
}

/* Fails unless TEXT, which is freed, is exactly what tests/golden/NAME has. */
static void
compare(struct buffer *text, const char *name)
{
    assert_false(text->failed);
    golden_compare(text->text, text->length, name);
    buffer_free(text);
}

static void
check(const struct stats *stats, int64_t last, const char *name)
{
    struct buffer text = {0};
    format(&text, stats, last);
    compare(&text, name);
}

TEST(before_the_first_request_all_is_zero)
{
    struct stats stats = {0};
    golden_prepare(FORMAT_HUMAN);
    check(&stats, 0, "prometheus_nothing");
}

TEST(limits_belong_to_their_buckets)
{
    struct stats stats = mixed_stats(false);
    golden_prepare(FORMAT_HUMAN);
    check(&stats, NS_1970, "prometheus_read");
}

/* As a user writes times: in as few digits as say them exactly. Of 1.000001 and 2 ms, in
 * whose steps of 8.2 and 16.4 us a bound of 1.5 and of 2.001 ms lies, none is below. */
TEST(bounds_of_ones_own_are_exact_and_for_all_histograms)
{
    struct stats stats = {0};
    struct buffer text = {0};
    struct sample sample = sample_of(2002000, 1500000, VERDICT_NONE);
    stats_record(&stats, &sample);
    const struct buckets own = {
        6, {1, 1500000, 2001000, 5000000, 1000000000, 3599123456789}};
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("write");
    golden.plan.output.buckets = &own;
    format(&text, &stats, 0);
    assert_matches(text.text, "^[^\n]*\n[^\n]*\n"
                              "[^\n]*,le=\"1e-09\"\\} 0\n"
                              "[^\n]*,le=\"0\\.0015\"\\} 0\n"
                              "[^\n]*,le=\"0\\.002001\"\\} 0\n"
                              "[^\n]*,le=\"0\\.005\"\\} 1\n"
                              "[^\n]*,le=\"1\"\\} 1\n"
                              "[^\n]*,le=\"3599\\.123456789\"\\} 1\n"
                              "[^\n]*,le=\"\\+Inf\"\\} 1\n"
                              "ioping_request_duration_seconds_sum");
    assert_matches(text.text, "ioping_sync_duration_seconds_bucket\\{[^\n]*"
                              ",le=\"0\\.002001\"\\} 1\n");
    buffer_free(&text);
}

TEST(flushes_have_a_histogram_of_their_own)
{
    struct stats stats = mixed_stats(true);
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("write");
    golden.job.target.description.mode = IO_MODE_NOCACHE;
    check(&stats, NS_1970, "prometheus_write");
}

static char *
metrics_of(void)
{
    struct buffer text = {0};
    struct stats stats = {0};
    format(&text, &stats, 0);
    assert_false(text.failed);
    return text.text;
}

TEST(only_flushed_writes_have_that)
{
    static const struct {
        const char *load;
        bool cached, flushes;
        const char *label;
    } cases[] = {
        {"read", false, false, "operation=\"read\""},
        {"write", false, true, "operation=\"write\""},
        {"rw", false, true, "operation=\"read\""},
        {"write", true, false, "operation=\"write\""},
        {"rw", true, false, "operation=\"write\""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        golden_prepare(FORMAT_HUMAN);
        golden.plan.workload.mix = mix_of(cases[i].load);
        golden.plan.io.uses_cache = cases[i].cached;
        char *text = metrics_of();
        assert_contains(text, cases[i].label);
        if (cases[i].flushes)
            assert_contains(text, "\nioping_sync_duration_seconds_count{");
        else
            assert_lacks(text, "ioping_sync_duration_seconds");
        free(text);
    }
}

TEST(corrections_do_not_change_what_was_measured)
{
    struct stats stats = {.corrected_interval = 1000000};
    struct sample sample = sample_of(50000000, 0, VERDICT_NONE);
    struct buffer text = {0};
    stats_record(&stats, &sample);
    golden_prepare(FORMAT_HUMAN);
    format(&text, &stats, 0);
    assert_contains(text.text, ",le=\"+Inf\"} 1\n");
    buffer_free(&text);
}

/* Quotes, backslashes and newlines; what is no UTF-8 or no character to be seen is
 * replaced. */
TEST(labels_are_escaped)
{
    static const char *const cases[][2] = {
        {"/a b", "{target=\"/a b\",device="},
        {"a\"b\\c\nd", "{target=\"a\\\"b\\\\c\\nd\",device="},
        {"\\n\\\"", "{target=\"\\\\n\\\\\\\"\",device="},
        {"{a=b},#", "{target=\"{a=b},#\",device="},
        {"\xc3\xa9\xe2\x82\xac", "{target=\"\xc3\xa9\xe2\x82\xac\",device="},
        {"a\xff|\xc3|\xed\xa0\x80",
         "{target=\"a\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\t\r\x1b[m", "{target=\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd[m\",device="},
        {"\x7f|\xc2\x9b", "{target=\"\xef\xbf\xbd|\xef\xbf\xbd\",device="},
        {"a\xe2\x80\xae.b", "{target=\"a\xef\xbf\xbd.b\",device="},
        {"", "{target=\"\",device="},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        golden_prepare(FORMAT_HUMAN);
        golden.job.target.description.path = cases[i][0];
        snprintf(golden.job.target.description.device,
                 sizeof(golden.job.target.description.device), "a\"b");
        snprintf(golden.job.target.description.fstype,
                 sizeof(golden.job.target.description.fstype), "c\\d");
        char *text = metrics_of();
        assert_contains(text, cases[i][1]);
        assert_contains(text, ",device=\"a\\\"b\",fstype=\"c\\\\d\",operation=");
        free(text);
    }
}

TEST(modes_are_words)
{
    static const char *const words[] = {[IO_MODE_DIRECT] = ",mode=\"direct\"}",
                                        [IO_MODE_NOCACHE] = ",mode=\"nocache\"}",
                                        [IO_MODE_CACHED] = ",mode=\"cached\"}"};
    for (int i = 0; i < 3; i++) {
        golden_prepare(FORMAT_HUMAN);
        golden.job.target.description.mode = (enum io_mode)i;
        char *text = metrics_of();
        assert_contains(text, words[i]);
        free(text);
    }
}

/* The collector reads the series of all files in its folder together. */
TEST(every_series_names_its_target)
{
    golden_prepare(FORMAT_HUMAN);
    char *text = metrics_of(), *rest;
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (line[0] != '#')
            assert_matches(line, "[{,]target=\"/tmp\",");
    free(text);
}

static const struct description other = {
    .path = "/mnt/b", .fstype = "xfs", .device = "/dev/vdb1", .mode = IO_MODE_DIRECT};

/* The one that has not begun has no time of a last request. */
TEST(a_metric_has_the_series_of_all_targets_in_one_group)
{
    struct stats stats = mixed_stats(true), nothing = {0};
    struct buffer text = {0};
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("write");
    golden.job.target.description.mode = IO_MODE_NOCACHE;
    const struct shown targets[] = {{&golden.job.target.description, &stats, NS_1970},
                                    {&other, &nothing, 0}};
    format_all(&text, &golden.plan, targets, 2);
    compare(&text, "prometheus_two");
}

TEST(the_same_target_again_has_a_number)
{
    struct stats stats = mixed_stats(false), nothing = {0};
    struct buffer text = {0};
    golden_prepare(FORMAT_HUMAN);
    const struct description again = golden.job.target.description;
    const struct shown targets[] = {{&golden.job.target.description, &stats, NS_1970},
                                    {&other, &nothing, 0},
                                    {&golden.job.target.description, &nothing, 0},
                                    {&again, &stats, NS_1970}};
    format_all(&text, &golden.plan, targets, 4);
    compare(&text, "prometheus_same");
}

/* Targets differ by their labels alone. */
TEST(numbers_are_for_labels_that_are_the_same)
{
    static const struct {
        const char *path;
        enum io_mode mode;
        bool numbered;
    } cases[] = {
        {"/a\xff", IO_MODE_DIRECT, true},
        {"/a\xfe", IO_MODE_DIRECT, true},
        {"/a\xff", IO_MODE_CACHED, false},
        {"/a", IO_MODE_DIRECT, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = {.output.buckets = &buckets_default};
        struct stats stats = {0};
        struct buffer text = {0};
        struct description first = {.path = "/a\xff", .mode = IO_MODE_DIRECT},
                           second = {.path = cases[i].path, .mode = cases[i].mode};
        const struct shown targets[] = {{&first, &stats, 0}, {&second, &stats, 0}};
        format_all(&text, &plan, targets, 2);
        if (cases[i].numbered)
            assert_contains(text.text, "mode=\"direct\",number=\"2\"} 0\n");
        else
            assert_lacks(text.text, "number");
        buffer_free(&text);
    }
}

TEST(counters_have_all_their_digits)
{
    struct stats stats = {.requests = UINT64_MAX, .missed = 10000000000000000001u};
    struct buffer text = {0};
    stats.latency.sum = LARGE + 1;
    golden_prepare(FORMAT_HUMAN);
    format(&text, &stats, LARGE + 5000);
    assert_contains(text.text, "\"} 18446744073709551615\n");
    assert_contains(text.text, "\"} 10000000000000000001\n");
    assert_contains(text.text, "\"} 9000000000.000000001\n");
    assert_contains(text.text, "\"} 9000000000.000005\n");
    buffer_free(&text);
}

/* One waits for 2.5 s, the other was sent after the statistics were put together. */
TEST(requests_under_way_have_their_number_and_age)
{
    static struct stats nothing;
    static struct job jobs[2];
    struct buffer text = {0};
    jobs[0].stats = jobs[1].stats = &nothing;
    jobs[0].in_flight = (struct job_in_flight){3, 1000000000};
    jobs[1].in_flight = (struct job_in_flight){1, 3500000001};
    golden_prepare(FORMAT_HUMAN);
    jobs[0].target.description = golden.job.target.description;
    jobs[1].target.description = other;
    golden_metrics(&text, &golden.plan, jobs, 2, 3500000000, NS_1970);
    assert_matches(text.text, "\nioping_requests_in_flight\\{target=\"/tmp\"[^\n]*\\} 3\n"
                              "ioping_requests_in_flight\\{target=\"/mnt/b\"[^\n]* 1\n#");
    assert_matches(text.text,
                   "\nioping_oldest_request_seconds\\{target=\"/tmp\"[^\n]* 2\\.500000\n"
                   "ioping_oldest_request_seconds\\{[^\n]* 0\\.000000\n#");
    buffer_free(&text);
}

TEST(what_cannot_be_exported_is_an_error_of_preparation)
{
    struct error error = {0};
    char path[1100];
    golden_prepare(FORMAT_HUMAN);
    assert_int_equal(begin(&error), 0);
    snprintf(path, sizeof(path), "%s/missing/a.prom", scratch());
    output_add(&golden.plan, FORMAT_PROMETHEUS, path);
    assert_int_equal(begin(&error), -1);
    assert_int_equal(error.status, EXIT_PREPARE);
    assert_string_equal(error.what, path);
    assert_string_equal(error.why, "No such file or directory");
}

TEST(the_file_has_what_is_formatted)
{
    struct error error = {0};
    size_t size;
    char path[1100];
    golden_prepare(FORMAT_HUMAN);
    snprintf(path, sizeof(path), "%s/a.prom", scratch());
    output_add(&golden.plan, FORMAT_PROMETHEUS, path);
    assert_int_equal(begin(&error), 0);
    char *text = golden_read(path, &size), *expected = metrics_of();
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    struct stats stats = {.requests = 12345};
    keep(&stats, NS_1970);
    text = golden_read(path, &size);
    assert_contains(text, "} 12345\n");
    assert_contains(text, "} 1795247457.055062\n");
    free(text);
}

TEST(the_file_has_all_targets_from_the_beginning)
{
    struct error error = {0};
    size_t size;
    char path[1100];
    struct stats stats = {.requests = 12345}, more = {.requests = 67890};
    golden_prepare(FORMAT_HUMAN);
    snprintf(path, sizeof(path), "%s/two.prom", scratch());
    output_add(&golden.plan, FORMAT_PROMETHEUS, path);
    struct stats nothing = {0};
    const struct shown none[] = {{&golden.job.target.description, &nothing, 0},
                                 {&other, &nothing, 0}};
    assert_int_equal(begin_all(none, 2, &error), 0);
    char *text = golden_read(path, &size);
    assert_matches(text, "\nioping_requests_total\\{target=\"/tmp\"[^\n]* 0\n"
                         "ioping_requests_total\\{target=\"/mnt/b\"[^\n]* 0\n#");
    free(text);
    const struct shown targets[] = {{&golden.job.target.description, &stats, NS_1970},
                                    {&other, &more, NS_1970}};
    keep_all(targets, 2);
    text = golden_read(path, &size);
    assert_matches(text, "\nioping_requests_total\\{target=\"/tmp\"[^\n]* 12345\n"
                         "ioping_requests_total\\{target=\"/mnt/b\"[^\n]* 67890\n#");
    free(text);
}
