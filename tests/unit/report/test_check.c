/* The line of a monitoring plug-in, to the byte. */
#include "support.h"

#include "base/time.h"
#include "plan/plan.h"
#include "report/check.h"
#include "run/job.h"

#include <errno.h>

/* Jobs with limits, of requests that tests record. */
struct setup {
    struct job jobs[2];
    int count;
};

static void
set_up(struct setup *setup, const char *first, const char *second)
{
    memset(setup, 0, sizeof(*setup));
    setup->count = second ? 2 : 1;
    for (int i = 0; i < setup->count; i++) {
        setup->jobs[i].targets = setup->count;
        setup->jobs[i].plan.path = i ? second : first;
        setup->jobs[i].target.description.path = i ? second : first;
    }
}

static void
limit(struct setup *setup, const char *warning, const char *critical)
{
    for (int i = 0; i < setup->count; i++) {
        struct plan *plan = &setup->jobs[i].plan;
        if (warning)
            assert_null(slos_add(&plan->statistics.warnings, warning));
        if (critical)
            assert_null(slos_add(&plan->statistics.slos, critical));
    }
}

/* Records COUNT requests of LATENCY ns. */
static void
record(struct job *job, int count, int64_t latency)
{
    struct sample sample = {.latency = latency, .verdict = VERDICT_NONE};
    for (int i = 0; i < count; i++)
        stats_record(&job->outcome.total, &sample);
}

/* The jobs are answered with STATE and LINE. */
static void
answers(const struct setup *setup, enum check_state state, const char *line)
{
    struct buffer text = {0};
    assert_int_equal(check_add(&text, setup->jobs, setup->count), state);
    assert_string_equal(text.text, line);
    buffer_free(&text);
}

TEST(without_limits_it_is_p99)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    record(&setup.jobs[0], 200, 1000 * 1000);
    answers(&setup, CHECK_OK,
            "IOPING OK - /data p99 1 ms | p50=0.001s p99=0.001s max=0.001s iops=1000 "
            "failed=0c\n");
}

TEST(of_few_requests_it_is_the_average_and_the_maximum)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    record(&setup.jobs[0], 1, 1);
    record(&setup.jobs[0], 1, 1234567891);
    answers(&setup, CHECK_OK,
            "IOPING OK - /data avg 617.3 ms, max 1.23 s | p50=0.000000001s p99=U "
            "max=1.234567891s iops=1.62 failed=0c\n");
}

TEST(limits_that_are_kept_stand_beside_their_figures)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    limit(&setup, "p99=5ms", "p99=20ms");
    limit(&setup, "iops=500", "iops=100");
    limit(&setup, NULL, "avg=1h");
    record(&setup.jobs[0], 200, 1000 * 1000);
    answers(&setup, CHECK_OK,
            "IOPING OK - /data p99 1 ms, iops 1 k, avg 1 ms | p50=0.001s "
            "p99=0.001s;0.005;0.02 max=0.001s iops=1000;500:;100: avg=0.001s;;3600 "
            "failed=0c\n");
}

TEST(a_limit_that_warns_is_named)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    limit(&setup, "p50=900us", "p50=1");
    limit(&setup, "max=1", NULL);
    record(&setup.jobs[0], 200, 1000 * 1000);
    answers(&setup, CHECK_WARNING,
            "IOPING WARNING - /data p50 1 ms (limit 900 us), max 1 ms | "
            "p50=0.001s;0.0009;1 p99=0.001s max=0.001s;1 iops=1000 failed=0c\n");
}

TEST(the_worst_figure_comes_first)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    limit(&setup, "p50=1us", NULL);
    limit(&setup, "min=1", NULL);
    limit(&setup, NULL, "p99.99=1s");
    limit(&setup, NULL, "iops=2k");
    record(&setup.jobs[0], 200, 1000 * 1000);
    answers(&setup, CHECK_CRITICAL,
            "IOPING CRITICAL - /data iops 1 k (limit 2 k), p50 1 ms (limit 1 us), "
            "p99.99 is not known: 200 requests count, and it takes 9999, min 1 ms | "
            "p50=0.001s;0.000001 p99=0.001s max=0.001s iops=1000;;2000: min=0.001s;1 "
            "p99.99=U;;1 failed=0c\n");
}

/* Otherwise the line would say that 1 ms exceeds 1 ms. */
TEST(digits_show_by_how_little_a_limit_is_broken)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    limit(&setup, NULL, "max=10ms");
    record(&setup.jobs[0], 2, 10 * MS + 1);
    answers(&setup, CHECK_CRITICAL,
            "IOPING CRITICAL - /data max 10000001ns (limit 10 ms) | p50=0.010000001s "
            "p99=U max=0.010000001s;;0.01 iops=99.999 failed=0c\n");
}

TEST(of_several_limits_on_a_figure_the_strictest_is_shown)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    limit(&setup, "p99=5ms", "p99.0=30ms");
    limit(&setup, "p99=3ms", "p99=20ms");
    limit(&setup, "iops=5", "iops=1");
    limit(&setup, "iops=9", "iops=2");
    record(&setup.jobs[0], 200, 1000 * 1000);
    answers(&setup, CHECK_OK,
            "IOPING OK - /data p99 1 ms, iops 1 k | p50=0.001s p99=0.001s;0.003;0.02 "
            "max=0.001s iops=1000;9:;2: failed=0c\n");
}

TEST(a_limit_that_is_not_known_is_unknown)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    limit(&setup, "p99=1", NULL);
    record(&setup.jobs[0], 9, 1000 * 1000);
    answers(&setup, CHECK_UNKNOWN,
            "IOPING UNKNOWN - /data p99 is not known: 9 requests count, and it takes 99 "
            "| p50=0.001s p99=U;1 max=0.001s iops=1000 failed=0c\n");
}

TEST(a_failed_request_is_critical)
{
    struct setup setup;
    char line[256];
    set_up(&setup, "/data", NULL);
    limit(&setup, NULL, "p50=2ms");
    record(&setup.jobs[0], 3, 1000 * 1000);
    setup.jobs[0].outcome.total.failed = 2;
    setup.jobs[0].outcome.failed =
        (struct sample){.index = 4, .verdict = VERDICT_ERROR, .error = EIO};
    snprintf(line, sizeof(line),
             "IOPING CRITICAL - /data request 4 failed: EIO (%s), p50 1 ms | "
             "p50=0.001s;;0.002 p99=U max=0.001s iops=1000 failed=2c\n",
             strerror(EIO));
    answers(&setup, CHECK_CRITICAL, line);
}

TEST(requests_without_answer_are_critical_and_failed)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    struct outcome *outcome = &setup.jobs[0].outcome;
    outcome->waiting = 2 * SECOND;
    outcome->left = 3;
    answers(&setup, CHECK_CRITICAL,
            "IOPING CRITICAL - /data no answer to 3 requests for 2 s | p50=U p99=U max=U "
            "iops=U failed=3c\n");
    outcome->left = 0;
    answers(&setup, CHECK_CRITICAL,
            "IOPING CRITICAL - /data no answer to 1 request for 2 s | p50=U p99=U max=U "
            "iops=U failed=1c\n");
}

TEST(when_nothing_counts_it_is_unknown_why)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    limit(&setup, "p50=2ms", "p50=3ms");
    struct stats *total = &setup.jobs[0].outcome.total;
    total->requests = 1;
    answers(&setup, CHECK_UNKNOWN,
            "IOPING UNKNOWN - /data no request counted: all were warm-up; use -warmup 0 "
            "to count them | p50=U;0.002;0.003 p99=U max=U iops=U failed=0c\n");
    total->requests = total->cached = 4;
    answers(&setup, CHECK_UNKNOWN,
            "IOPING UNKNOWN - /data 4 of 4 requests were answered by the page cache, not "
            "the device; name another file, or use -C to measure the cache | "
            "p50=U;0.002;0.003 p99=U max=U iops=U failed=0c\n");
}

TEST(a_file_that_was_not_written_is_unknown)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    record(&setup.jobs[0], 200, 1000 * 1000);
    setup.jobs[0].outcome.output = "a|b.svg";
    setup.jobs[0].outcome.output_error = ENOSPC;
    answers(&setup, CHECK_UNKNOWN,
            "IOPING UNKNOWN - /data a\\174b.svg: No space left on device, p99 1 ms | "
            "p50=0.001s p99=0.001s max=0.001s iops=1000 failed=0c\n");
}

TEST(the_worst_target_comes_first)
{
    struct setup setup;
    set_up(&setup, "/a", "/b");
    limit(&setup, NULL, "max=1.5ms");
    record(&setup.jobs[0], 200, 1000 * 1000);
    record(&setup.jobs[1], 200, 2000 * 1000);
    answers(&setup, CHECK_CRITICAL,
            "IOPING CRITICAL - /b max 2 ms (limit 1.50 ms); /a max 1 ms | '/a "
            "p50'=0.001s '/a p99'=0.001s '/a max'=0.001s;;0.0015 '/a iops'=1000 '/a "
            "failed'=0c '/b p50'=0.002s '/b p99'=0.002s '/b max'=0.002s;;0.0015 '/b "
            "iops'=500 '/b failed'=0c\n");
}

TEST(a_target_that_is_named_again_has_a_number)
{
    struct setup setup;
    set_up(&setup, "/a", "/a");
    record(&setup.jobs[0], 200, 1000 * 1000);
    record(&setup.jobs[1], 200, 2000 * 1000);
    answers(&setup, CHECK_OK,
            "IOPING OK - /a p99 1 ms; /a#2 p99 2 ms | '/a p50'=0.001s '/a p99'=0.001s "
            "'/a max'=0.001s '/a iops'=1000 '/a failed'=0c '/a#2 p50'=0.002s '/a#2 "
            "p99'=0.002s '/a#2 max'=0.002s '/a#2 iops'=500 '/a#2 failed'=0c\n");
}

TEST(chosen_percentiles_take_the_place_of_the_usual_ones)
{
    struct setup setup;
    set_up(&setup, "/data", NULL);
    assert_null(percentiles_parse("90,99.9", &setup.jobs[0].plan.output.percentiles));
    record(&setup.jobs[0], 200, 1000 * 1000);
    answers(&setup, CHECK_OK,
            "IOPING OK - /data p99 1 ms | p90=0.001s p99.9=U max=0.001s iops=1000 "
            "failed=0c\n");
}

TEST(odd_paths_are_harmless)
{
    static const struct {
        const char *path, *text, *label;
    } cases[] = {
        {"a b", "a b", "a b"},
        {"a|b", "a\\174b", "a\\174b"},
        {"it's", "it\\047s", "it\\047s"},
        {"\"a\"`b`", "\\042a\\042\\140b\\140", "\\042a\\042\\140b\\140"},
        {"k=v", "k=v", "k\\075v"},
        {"a\nb\n", "a\\012b\\012", "a\\012b\\012"},
        {"\033[1m", "\\033[1m", "\\033[1m"},
        {"d\303\251j\303\240", "d\303\251j\303\240", "d\303\251j\303\240"},
        {"\351", "\\351", "\\351"},
        {"\302\205\342\200\256", "\\302\\205\\342\\200\\256",
         "\\302\\205\\342\\200\\256"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct setup setup;
        struct buffer text = {0};
        char part[128];
        set_up(&setup, cases[i].path, "/b");
        check_add(&text, setup.jobs, 2);
        snprintf(part, sizeof(part), "IOPING UNKNOWN - %s no request was sent; /b no ",
                 cases[i].text);
        assert_contains(text.text, part);
        snprintf(part, sizeof(part), " | '%s p50'=U '%s p99'=U ", cases[i].label,
                 cases[i].label);
        assert_contains(text.text, part);
        buffer_free(&text);
    }
}

TEST(an_error_is_unknown)
{
    static const int statuses[] = {EXIT_USAGE, EXIT_PREPARE};
    (void)state;
    for (size_t i = 0; i < LENGTH(statuses); i++) {
        struct buffer text = {0};
        struct error error;
        error_set(&error, statuses[i], "a|b\n", "not ready");
        error_advise(&error, "wait");
        assert_int_equal(check_add_error(&text, &error), CHECK_UNKNOWN);
        assert_string_equal(text.text,
                            "IOPING UNKNOWN - a\\174b\\012: not ready; wait\n");
        buffer_free(&text);
    }
}
