/* The line of a monitoring plug-in, to the byte. */
#include "support.h"

#include "base/time.h"
#include "plan/plan.h"
#include "report/check.h"
#include "run/job.h"

/* Jobs with limits, of requests that tests record. */
static struct job jobs[2];
static int count;

static void
set_up(const char *first, const char *second)
{
    memset(jobs, 0, sizeof(jobs));
    count = second ? 2 : 1;
    for (int i = 0; i < count; i++) {
        jobs[i].target_count = count;
        jobs[i].plan.path = i ? second : first;
        jobs[i].target.description.path = i ? second : first;
    }
}

/* Adds limits of all jobs, with a space between two; NULL: none. */
static void
limit(const char *warnings, const char *criticals)
{
    for (int i = 0; i < count; i++) {
        struct plan *plan = &jobs[i].plan;
        char text[128];
        snprintf(text, sizeof(text), "%s", warnings ? warnings : "");
        for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
            assert_null(slos_add(&plan->statistics.warnings, word));
        snprintf(text, sizeof(text), "%s", criticals ? criticals : "");
        for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
            assert_null(slos_add(&plan->statistics.slos, word));
    }
}

/* Records REQUESTS of LATENCY ns. */
static void
record(struct job *job, int requests, int64_t latency)
{
    struct sample sample = {.latency = latency, .verdict = VERDICT_NONE};
    for (int i = 0; i < requests; i++)
        stats_record(&job->outcome.total, &sample);
}

/* The jobs are answered with STATE and LINE. */
static void
answers(enum check_state state, const char *line)
{
    struct buffer text = {0};
    enum check_state answer = check_add(&text, jobs, count);
    if (answer != state || strcmp(text.text, line) != 0)
        fail_msg("state %d, not %d: %snot: %s", answer, state, text.text, line);
    buffer_free(&text);
}

/* Of requests that are as long, of one target or two. */
TEST(limits_and_figures_become_a_line)
{
    static const struct {
        const char *warnings, *criticals;
        int requests;
        int64_t latency;
        enum check_state state;
        const char *line, *first, *second; /* paths; NULL: /data, none */
    } rows[] = {
        /* Without limits it is p99. */
        {NULL, NULL, 200, MS, CHECK_OK,
         "IOPING OK - /data p99 1 ms | p50=0.001s p99=0.001s max=0.001s iops=1000 "
         "failed=0c\n"},
        /* Limits that are kept stand beside their figures. */
        {"p99=5ms iops=500", "p99=20ms iops=100 avg=1h", 200, MS, CHECK_OK,
         "IOPING OK - /data p99 1 ms, iops 1 k, avg 1 ms | p50=0.001s "
         "p99=0.001s;0.005;0.02 max=0.001s iops=1000;500:;100: avg=0.001s;;3600 "
         "failed=0c\n"},
        /* A limit that warns is named. */
        {"p50=900us max=1s", "p50=1s", 200, MS, CHECK_WARNING,
         "IOPING WARNING - /data p50 1 ms (limit 900 us), max 1 ms | "
         "p50=0.001s;0.0009;1 p99=0.001s max=0.001s;1 iops=1000 failed=0c\n"},
        /* The worst figure comes first. */
        {"p50=1us min=1s", "p99.99=1s iops=2k", 200, MS, CHECK_CRITICAL,
         "IOPING CRITICAL - /data iops 1 k (limit 2 k), p50 1 ms (limit 1 us), p99.99 "
         "unknown: needs 9999 requests, got 200, min 1 ms | p50=0.001s;0.000001 "
         "p99=0.001s max=0.001s iops=1000;;2000: min=0.001s;1 p99.99=U;;1 failed=0c\n"},
        /* Otherwise the line would say that 10 ms exceeds 10 ms. */
        {NULL, "max=10ms", 2, 10 * MS + 1, CHECK_CRITICAL,
         "IOPING CRITICAL - /data max 10000001ns (limit 10 ms) | p50=0.010000001s "
         "p99=U max=0.010000001s;;0.01 iops=99.999 failed=0c\n"},
        /* Of several limits on a figure the strictest is shown. */
        {"p99=5ms p99=3ms iops=5 iops=9", "p99.0=30ms p99=20ms iops=1 iops=2", 200, MS,
         CHECK_OK,
         "IOPING OK - /data p99 1 ms, iops 1 k | p50=0.001s p99=0.001s;0.003;0.02 "
         "max=0.001s iops=1000;9:;2: failed=0c\n"},
        /* A limit can be broken although the value is not known. */
        {"p99=100us", "p99=500us p90=1us", 5, MS, CHECK_CRITICAL,
         "IOPING CRITICAL - /data p99 above 500 us (5 of 5 requests took longer), p90 "
         "above 1 us (5 of 5 requests took longer) | p50=0.001s p99=U;0.0001;0.0005 "
         "max=0.001s iops=1000 p90=U;;0.000001 failed=0c\n"},
        /* A limit that is not known is unknown. */
        {"p99=1s", NULL, 9, MS, CHECK_UNKNOWN,
         "IOPING UNKNOWN - /data p99 unknown: needs 99 requests, got 9 | p50=0.001s "
         "p99=U;1 max=0.001s iops=1000 failed=0c\n"},
        {"p80=1s", NULL, 1, MS, CHECK_UNKNOWN,
         "IOPING UNKNOWN - /data p80 unknown: needs 4 requests, got 1 | p50=0.001s "
         "p99=U max=0.001s iops=1000 p80=U;1 failed=0c\n"},
        /* The worst target comes first. */
        {NULL, "max=1.5ms", 200, MS, CHECK_CRITICAL,
         "IOPING CRITICAL - /b max 2 ms (limit 1.50 ms); /a max 1 ms | '/a "
         "p50'=0.001s '/a p99'=0.001s '/a max'=0.001s;;0.0015 '/a iops'=1000 '/a "
         "failed'=0c '/b p50'=0.002s '/b p99'=0.002s '/b max'=0.002s;;0.0015 '/b "
         "iops'=500 '/b failed'=0c\n",
         "/a", "/b"},
        /* A target that is named again has a number. */
        {NULL, NULL, 200, MS, CHECK_OK,
         "IOPING OK - /a p99 1 ms; /a#2 p99 2 ms | '/a p50'=0.001s '/a p99'=0.001s "
         "'/a max'=0.001s '/a iops'=1000 '/a failed'=0c '/a#2 p50'=0.002s '/a#2 "
         "p99'=0.002s '/a#2 max'=0.002s '/a#2 iops'=500 '/a#2 failed'=0c\n",
         "/a", "/a"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        set_up(rows[i].first ? rows[i].first : "/data", rows[i].second);
        limit(rows[i].warnings, rows[i].criticals);
        for (int k = 0; k < count; k++) /* the second target is as slow again */
            record(&jobs[k], rows[i].requests, (k + 1) * rows[i].latency);
        answers(rows[i].state, rows[i].line);
    }
}

TEST(of_few_requests_it_is_the_average_and_the_maximum)
{
    set_up("/data", NULL);
    record(&jobs[0], 1, 1);
    record(&jobs[0], 1, 1234567891);
    answers(CHECK_OK,
            "IOPING OK - /data avg 617.3 ms, max 1.23 s | p50=0.000000001s p99=U "
            "max=1.234567891s iops=1.62 failed=0c\n");
}

TEST(a_failed_request_is_critical)
{
    char line[256];
    set_up("/data", NULL);
    limit(NULL, "p50=2ms");
    record(&jobs[0], 3, MS);
    jobs[0].outcome.total.failed = 2;
    jobs[0].outcome.failed_sample =
        (struct sample){.index = 4, .verdict = VERDICT_ERROR, .error = EIO};
    snprintf(line, sizeof(line),
             "IOPING CRITICAL - /data request 4 failed: EIO (%s), p50 1 ms | "
             "p50=0.001s;;0.002 p99=U max=0.001s iops=1000 failed=2c\n",
             strerror(EIO));
    answers(CHECK_CRITICAL, line);
}

TEST(requests_without_answer_are_critical_and_failed)
{
    set_up("/data", NULL);
    struct outcome *outcome = &jobs[0].outcome;
    outcome->waiting_age = 2 * SECOND;
    outcome->abandoned_requests = 3;
    answers(CHECK_CRITICAL,
            "IOPING CRITICAL - /data no answer to 3 requests for 2 s | p50=U p99=U max=U "
            "iops=U failed=3c\n");
    outcome->abandoned_requests = 0;
    answers(CHECK_CRITICAL,
            "IOPING CRITICAL - /data no answer to 1 request for 2 s | p50=U p99=U max=U "
            "iops=U failed=1c\n");
}

TEST(when_nothing_counts_it_is_unknown_why)
{
    set_up("/data", NULL);
    limit("p50=2ms", "p50=3ms");
    struct stats *total = &jobs[0].outcome.total;
    total->requests = 1;
    answers(CHECK_UNKNOWN,
            "IOPING UNKNOWN - /data no request counted: all were warm-up; use -warmup 0 "
            "to count them | p50=U;0.002;0.003 p99=U max=U iops=U failed=0c\n");
    total->requests = total->cached = 4;
    answers(CHECK_UNKNOWN,
            "IOPING UNKNOWN - /data 4 of 4 requests were answered from memory, not by "
            "the device; name another file, or use -C to measure the cache | "
            "p50=U;0.002;0.003 p99=U max=U iops=U failed=0c\n");
}

TEST(a_file_that_was_not_written_is_unknown)
{
    set_up("/data", NULL);
    record(&jobs[0], 200, MS);
    jobs[0].outcome.failed_output = "a|b.svg";
    jobs[0].outcome.output_error = ENOSPC;
    answers(CHECK_UNKNOWN,
            "IOPING UNKNOWN - /data a\\174b.svg: No space left on device, p99 1 ms | "
            "p50=0.001s p99=0.001s max=0.001s iops=1000 failed=0c\n");
}

TEST(chosen_percentiles_take_the_place_of_the_usual_ones)
{
    set_up("/data", NULL);
    assert_null(percentiles_parse("90,99.9", &jobs[0].plan.output.percentiles));
    record(&jobs[0], 200, MS);
    answers(CHECK_OK,
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
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct buffer text = {0};
        char part[128];
        set_up(cases[i].path, "/b");
        check_add(&text, jobs, 2);
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
