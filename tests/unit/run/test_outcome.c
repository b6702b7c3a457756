/* The messages at the end of a run, and its exit status. */
#include "support.h"

#include "base/buffer.h"
#include "base/random.h"
#include "run/outcome.h"
#include "stats/series.h"

#include <errno.h>

static void
check_status(const struct outcome *outcome, int expected)
{
    assert_int_equal(outcome_status(outcome), expected);
}

/* The notes on OUTCOME are these lines, NULL for none. */
static void
check_notes(struct outcome *outcome, const char *first, const char *second)
{
    const char *const lines[] = {first, second};
    struct notes notes = {0};
    outcome_explain(outcome, &notes);
    for (int i = 0; i < 2 && lines[i]; i++) {
        assert_true(notes.count > i);
        assert_string_equal(notes.line[i], lines[i]);
    }
    assert_int_equal(notes.count, (first != NULL) + (second != NULL));
}

TEST(a_good_run_says_nothing)
{
    struct outcome outcome = {.total = {.requests = 10, .latency = {.count = 9}}};
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 0);
}

TEST(a_failed_request_is_named)
{
    struct outcome outcome = {
        .total = {.requests = 7, .failed = 1, .latency = {.count = 5}},
        .failed = {.index = 7, .verdict = VERDICT_ERROR, .error = ENOSPC, .size = 4096},
    };
    check_notes(&outcome, "ioping: request 7 failed: ENOSPC (No space left on device)\n",
                NULL);
    check_status(&outcome, 3);
}

TEST(a_short_request_is_a_failure)
{
    struct outcome outcome = {
        .total = {.requests = 3, .failed = 1, .latency = {.count = 1}},
        .failed = {.index = 3, .verdict = VERDICT_SHORT, .bytes = 512, .size = 4096},
    };
    check_notes(&outcome, "ioping: request 3 failed: short (512 of 4096 bytes)\n", NULL);
    outcome.failed.gone = true;
    check_notes(&outcome, "ioping: request 3 failed: the device is gone\n", NULL);
    check_status(&outcome, 3);
}

TEST(a_request_without_an_answer_has_no_errno)
{
    struct outcome outcome = {
        .total = {.requests = 5, .failed = 1, .latency = {.count = 3}},
        .failed = {.index = 5, .verdict = VERDICT_TIMEOUT, .latency = 2000300000},
        .waiting = 750000000,
        .left = 2,
        .stuck = true,
    };
    check_notes(&outcome, "ioping: request 5 failed: no answer for 2.00 s (timeout)\n",
                "ioping: 2 requests still waiting after 750 ms\n");
    check_status(&outcome, 3);
}

TEST(a_first_request_that_fails_is_all_there_is_to_say)
{
    struct outcome outcome = {
        .total = {.requests = 1, .failed = 1},
        .failed = {.index = 1, .verdict = VERDICT_ERROR, .error = ENOSPC},
    };
    check_notes(&outcome, "ioping: request 1 failed: ENOSPC (No space left on device)\n",
                NULL);
    check_status(&outcome, 3);
}

TEST(requests_that_would_have_waited_are_no_failure)
{
    struct outcome outcome = {
        .total = {.requests = 10, .failed = 4, .latency = {.count = 5}},
    };
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 0);
}

TEST(lost_output_makes_the_run_fail)
{
    struct outcome outcome = {
        .total = {.requests = 10, .latency = {.count = 9}},
        .output = "standard output",
        .output_error = ENOSPC,
    };
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 3);
}

TEST(output_lost_before_anything_counted_leaves_nothing_to_say)
{
    struct outcome outcome = {
        .total = {.requests = 1}, .output = "standard output", .output_error = ENOSPC};
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 3);
}

TEST(requests_from_the_page_cache_are_counted_and_advised_upon)
{
    struct outcome outcome = {
        .total = {.requests = 100, .cached = 12, .latency = {.count = 87}},
        .shape = "-s 4k",
    };
    check_notes(&outcome,
                "ioping: 12 of 100 requests were answered by the page cache, not the "
                "device; use -s 4k (direct I/O), or use -C to measure the cache\n",
                NULL);
    check_status(&outcome, 0);
}

TEST(all_from_the_page_cache_leaves_nothing_to_count)
{
    struct outcome outcome = {.total = {.requests = 2, .cached = 2}, .shape = ""};
    check_notes(&outcome,
                "ioping: 2 of 2 requests were answered by the page cache, not the "
                "device; name another file, or use -C to measure the cache\n",
                "ioping: no request counted of 2\n");
    check_status(&outcome, 3);
    outcome.total.requests = 3; /* one was warm-up */
    check_status(&outcome, 3);
}

TEST(what_does_not_count_for_other_reasons_too_is_no_failure)
{
    struct outcome outcome = {.total = {.requests = 9, .cached = 2, .too_fast = 1}};
    check_status(&outcome, 0);
    outcome = (struct outcome){.total = {.requests = 9, .cached = 2, .too_slow = 1}};
    check_status(&outcome, 0);
}

TEST(all_warm_up_names_the_option)
{
    struct outcome outcome = {.total = {.requests = 1}};
    check_notes(&outcome,
                "ioping: no request counted: all were warm-up; use -warmup 0 to count "
                "them\n",
                NULL);
    check_status(&outcome, 0);
}

TEST(limits_that_leave_nothing_are_not_called_warm_up)
{
    struct outcome outcome = {.total = {.requests = 5, .too_fast = 4}};
    check_notes(&outcome, "ioping: no request counted of 5\n", NULL);
    outcome = (struct outcome){.total = {.requests = 6, .too_slow = 5}};
    check_notes(&outcome, "ioping: no request counted of 6\n", NULL);
    check_status(&outcome, 0);
}

TEST(a_run_that_sent_nothing_says_so)
{
    struct outcome outcome = {0};
    check_notes(&outcome, "ioping: no request was sent\n", NULL);
    check_status(&outcome, 0);
}

TEST(a_request_without_an_answer_is_a_failure)
{
    struct outcome outcome = {
        .total = {.requests = 1},
        .waiting = 8300000000,
    };
    check_notes(&outcome, "ioping: 1 request still waiting after 8.30 s\n", NULL);
    check_status(&outcome, 3);
}

TEST(all_requests_without_an_answer_are_counted)
{
    struct outcome outcome = {
        .total = {.requests = 40, .latency = {.count = 36}},
        .waiting = 1200000000,
        .left = 3,
    };
    check_notes(&outcome, "ioping: 3 requests still waiting after 1.20 s\n", NULL);
    check_status(&outcome, 3);
    outcome.left = 1;
    check_notes(&outcome, "ioping: 1 request still waiting after 1.20 s\n", NULL);
    check_status(&outcome, 3);
}

TEST(a_sweep_that_ends_early_says_where_and_is_no_failure)
{
    struct outcome outcome = {
        .total = {.requests = 500, .latency = {.count = 500}},
        .early = 64 << 20,
    };
    check_notes(&outcome,
                "ioping: -sweep: ended at 64 MiB: fewer than one request per worker in "
                "its time; use a longer -w\n",
                NULL);
    check_status(&outcome, 0);
    outcome.total.cached = 20;
    outcome.early = 1536;
    check_notes(&outcome,
                "ioping: 20 of 500 requests were answered by the page cache, not the "
                "device; name another file, or use -C to measure the cache\n",
                "ioping: -sweep: ended at 1.50 KiB: fewer than one request per worker in "
                "its time; use a longer -w\n");
    check_status(&outcome, 0);
}

/* No message adds that nothing was sent. */
TEST(a_sweep_that_ends_at_its_first_step_says_just_that)
{
    struct outcome outcome = {.swept = SWEEP_SIZE, .early = 4096};
    check_notes(&outcome,
                "ioping: -sweep: ended at 4 KiB: fewer than one request per worker in "
                "its time; use a longer -w\n",
                NULL);
    check_status(&outcome, 0);
}

/* An empty step is no failure, even if all steps are empty, and is named beside failures.
 */
TEST(a_step_without_a_request_is_named)
{
    struct outcome outcome = {.swept = SWEEP_THREADS, .empty = 1};
    check_notes(&outcome,
                "ioping: -sweep: no request ended in the time of threads=1; use a longer "
                "-w\n",
                NULL);
    check_status(&outcome, 0);
    outcome = (struct outcome){.swept = SWEEP_RATE, .empty = 10000000};
    check_notes(&outcome,
                "ioping: -sweep: no request ended in the time of rate=10 M; begin with a "
                "lower one\n",
                NULL);
    outcome = (struct outcome){
        .total = {.requests = 9, .failed = 1, .latency = {.count = 8}},
        .failed = {.index = 7, .verdict = VERDICT_ERROR, .error = ENOSPC, .size = 4096},
        .swept = SWEEP_DEPTH,
        .empty = 4096,
    };
    check_notes(&outcome, "ioping: request 7 failed: ENOSPC (No space left on device)\n",
                "ioping: -sweep: no request ended in the time of depth=4096; use a "
                "longer -w\n");
    check_status(&outcome, 3);
}

/* 1 ms, 2 ms, and so on to 100 ms. */
static struct outcome
outcome_of_limits(struct slos *slos, const char *const *limits, int64_t every)
{
    struct outcome outcome = {.total.every = every, .slos = slos};
    struct sample sample = {.size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    for (int i = 1; i <= 100; i++) {
        sample.latency = i * 1000000;
        stats_record(&outcome.total, &sample);
    }
    *slos = (struct slos){0};
    for (; *limits; limits++)
        assert_null(slos_add(slos, *limits));
    return outcome;
}

TEST(limits_that_are_kept_are_not_told)
{
    static const char *const limits[] = {
        "min=1ms", "avg=50.5ms", "max=100ms", "mdev=29ms", "p99=100ms", "iops=19", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, limits, 0);
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 0);
}

TEST(a_limit_that_is_broken_is_told_with_what_there_is)
{
    static const struct {
        const char *limit, *line;
    } cases[] = {
        {"min=999us", "ioping: min = 1 ms exceeds 999 us\n"},
        {"avg=50ms", "ioping: avg = 50.5 ms exceeds 50 ms\n"},
        {"max=10ms", "ioping: max = 100 ms exceeds 10 ms\n"},
        {"mdev=0", "ioping: mdev = 28.9 ms exceeds 0 ns\n"},
        {"p99=10ms", "ioping: p99 = 98.8 ms exceeds 10 ms\n"},
        {"p50=1us", "ioping: p50 = 49.9 ms exceeds 1 us\n"},
        {"iops=1.5k", "ioping: iops = 19 falls below 1.50 k\n"},
        {"p99.9=1s",
         "ioping: p99.9 is not known: 100 requests count, and it takes 999\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const limits[] = {cases[i].limit, NULL};
        struct slos slos;
        struct outcome outcome = outcome_of_limits(&slos, limits, 0);
        check_notes(&outcome, cases[i].line, NULL);
        check_status(&outcome, 5);
    }
}

static void
check_answers(struct outcome *outcome, const char *target, const char *expected)
{
    struct notes notes = {0};
    struct buffer text = {0};
    outcome_limits(outcome, target, &text);
    assert_null(text.text); /* nobody has asked yet */
    outcome_explain(outcome, &notes);
    outcome_limits(outcome, target, &text);
    assert_string_equal(text.text, expected);
    buffer_free(&text);
}

/* Of 100 requests of 1 to 100 ms. */
TEST(each_limit_has_its_answer)
{
    static const struct {
        const char *limit, *line;
    } cases[] = {
        {"min=999us", "limit min < 999 us: 1 ms, broken\n"},
        {"min=1ms", "limit min < 1 ms: 1 ms, kept\n"},
        {"max=100ms", "limit max < 100 ms: 100 ms, kept\n"},
        {"max=99999999ns", "limit max < 100.0 ms: 100 ms, broken\n"},
        {"p99=100ms",
         "limit p99 < 100 ms: 98.8 ms, kept (not certain: 299 requests would be)\n"},
        {"p99=99ms", "limit p99 < 99 ms: 98.8 ms, kept (not certain)\n"},
        {"p50=1us", "limit p50 < 1 us: 49.9 ms, broken\n"},
        {"p99.9=1s",
         "limit p99.9 < 1 s: not known: 100 requests count, and it takes 999\n"},
        {"p99.9=50ms", "limit p99.9 < 50 ms: 99.9 ms, broken\n"},
        {"iops=1.5k", "limit iops > 1.50 k: 19, broken\n"},
        {"iops=19", "limit iops > 19: 19, kept\n"},
        {"bps=1k", "limit bps > 1 KiB/s: 19 B/s, broken\n"},
        {"device-p50=1", "limit device-p50 < 1 s: not known: 0 requests could be split, "
                         "and it takes 1\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const limits[] = {cases[i].limit, NULL};
        struct slos slos;
        struct outcome outcome = outcome_of_limits(&slos, limits, 0);
        check_answers(&outcome, NULL, cases[i].line);
    }
}

/* One that is relative to another run has none here. With the waits of requests that are
 * due every 10 ms 496 of 550 values are up to 72 ms. */
TEST(answers_may_name_their_target)
{
    static const char *const limits[] = {"max=1s", "p50=+5%", "p90=0", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, limits, 10000000);
    check_answers(&outcome, "a\tb",
                  "a\\011b: limit max < 1 s: 100 ms, kept\n"
                  "a\\011b: limit p90 (corrected) < 0 ns: 72.1 ms, broken\n");
}

/* Who reads the answers is told of no limit beside them. */
TEST(answers_that_are_read_need_no_remark)
{
    static const char *const limits[] = {"max=1ms", "p99.9=1s", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, limits, 0);
    outcome.answered = true;
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 5);
}

/* Every one of them, in the order in which they were given; the first is kept. */
TEST(all_limits_that_are_broken_are_told)
{
    static const char *const limits[] = {"p50=1s", "max=1ms", "avg=1s", "p90=2ms", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, limits, 0);
    check_notes(&outcome, "ioping: max = 100 ms exceeds 1 ms\n",
                "ioping: p90 = 89.9 ms exceeds 2 ms\n");
    check_status(&outcome, 5);
}

/* Of 100 that count, 20 were split: 1 ms in the device and so on; parts are as they were
 * measured, with -corrected too. */
TEST(a_limit_of_a_part_is_told_by_its_name)
{
    static const char *const limits[] = {"device-p50=5ms", "device-p99=1s", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, limits, 10000000);
    for (int i = 1; i <= 20; i++) {
        struct sample sample = {.index = (uint64_t)i, .split = {.result = SPLIT_DONE}};
        sample.split.part[PART_DEVICE] = i * 1000000;
        breakdown_record(&outcome.total.breakdown, &sample);
    }
    check_notes(&outcome, "ioping: device-p50 = 9.99 ms exceeds 5 ms\n",
                "ioping: device-p99 is not known: 20 requests could be split, and it "
                "takes 99\n");
    check_status(&outcome, 5);
}

/* Reads in turn with writes, of which each takes 300 ms where 100 are the interval. */
static struct outcome
outcome_of_both(struct slos *slos, const char *const *limits)
{
    struct outcome outcome = {.slos = slos, .total = {.both = true, .every = 100000000}};
    *slos = (struct slos){0};
    for (; *limits; limits++)
        assert_null(slos_add(slos, *limits));
    for (int i = 0; i < 40; i++) {
        struct sample sample = {.latency = i % 2 ? 1000000 : 300000000,
                                .sync = i % 2 ? 0 : 50000000,
                                .operation = i % 2 ? OPERATION_READ : OPERATION_WRITE,
                                .verdict = VERDICT_NONE};
        stats_record(&outcome.total, &sample);
    }
    return outcome;
}

/* Of 20 reads and 20 waits of 200 ms for writes. Flushes wait for nothing. */
TEST(a_limit_of_an_operation_says_if_it_is_corrected)
{
    static const char *const reads[] = {"read-p90=100ms", "read-max=0", NULL},
                             *const flushes[] = {"sync-p90=1ms", "write-max=1ms", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_both(&slos, reads);
    check_notes(&outcome, "ioping: read-p90 (corrected) = 199.8 ms exceeds 100 ms\n",
                "ioping: read-max = 1 ms exceeds 0 ns\n");
    outcome = outcome_of_both(&slos, flushes);
    check_notes(&outcome, "ioping: sync-p90 = 50 ms exceeds 1 ms\n",
                "ioping: write-max = 300 ms exceeds 1 ms\n");
    check_status(&outcome, 5);
}

TEST(what_a_limit_would_take_is_told_in_its_own_words)
{
    static const char *const both[] = {"read-p99=1s", "write-p99=1s", NULL},
                             *const flushes[] = {"sync-p99=1s", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_both(&slos, both);
    check_notes(&outcome,
                "ioping: read-p99 is not known: 20 reads count, and it takes 99\n",
                "ioping: write-p99 is not known: 20 writes count, and it takes 99\n");
    outcome = outcome_of_both(&slos, flushes);
    check_notes(&outcome,
                "ioping: sync-p99 is not known: 20 flushes count, and it takes 99\n",
                NULL);
}

/* Only percentiles are; the waits of up to 90 ms every 10 ms push them down. */
TEST(a_corrected_limit_says_so)
{
    static const char *const limits[] = {"p50=1ms", "max=1ms", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, limits, 10000000);
    check_notes(&outcome, "ioping: p50 (corrected) = 31.0 ms exceeds 1 ms\n",
                "ioping: max = 100 ms exceeds 1 ms\n");
    check_status(&outcome, 5);
}

TEST(a_failure_goes_before_a_limit_and_both_are_told)
{
    static const char *const limits[] = {"max=1ms", NULL};
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, limits, 0);
    outcome.failed =
        (struct sample){.index = 7, .verdict = VERDICT_ERROR, .error = ENOSPC};
    check_notes(&outcome, "ioping: request 7 failed: ENOSPC (No space left on device)\n",
                "ioping: max = 100 ms exceeds 1 ms\n");
    check_status(&outcome, 3);
    outcome.failed.index = 0;
    outcome.waiting = 8300000000;
    check_notes(&outcome, "ioping: 1 request still waiting after 8.30 s\n",
                "ioping: max = 100 ms exceeds 1 ms\n");
    check_status(&outcome, 3);
    outcome.waiting = 0;
    outcome.output = "x.prom";
    outcome.output_error = ENOSPC;
    check_notes(&outcome, "ioping: max = 100 ms exceeds 1 ms\n", NULL);
    check_status(&outcome, 3);
}

/* Nothing counted, which needs no words of its own then. */
TEST(a_limit_on_nothing_is_not_kept)
{
    struct slos slos = {0};
    struct outcome outcome = {.total = {.requests = 1}, .slos = &slos};
    assert_null(slos_add(&slos, "max=1h"));
    check_notes(&outcome, "ioping: max is not known: 0 requests count, and it takes 1\n",
                "ioping: no request counted: all were warm-up; use -warmup 0 to count "
                "them\n");
    check_status(&outcome, 5);
}

#define SERIES 1000

/* SERIES requests, each of which takes 1 to 101 ms at random: the median is known to
 * about 3 ms. */
static struct outcome
outcome_of_series(const char *limit, int count)
{
    static struct series_entry entries[SERIES + 2];
    static struct time_series series;
    static struct slos slos;
    struct random random = {1};
    struct outcome outcome = {.slos = &slos, .series = &series};
    struct sample sample = {.size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    series_start(&series, entries, SERIES + 2, 1);
    for (int i = 0; i < count; i++) {
        sample.latency = 1000000 + (int64_t)random_below(&random, 100000000);
        stats_record(&outcome.total, &sample);
        series_record(&series, i, sample.latency);
    }
    slos = (struct slos){0};
    assert_null(slos_add(&slos, limit));
    return outcome;
}

#define DOUBT "p50 is not certain: 44.8 ms to 50.1 ms (95 %)\n"

/* The status is what it is without. */
TEST(a_limit_that_more_requests_might_keep_or_break_is_not_certain)
{
    struct outcome outcome = outcome_of_series("p50=49ms", SERIES);
    check_notes(&outcome, "ioping: " DOUBT, NULL);
    check_status(&outcome, 0);
    outcome = outcome_of_series("p50=46ms", SERIES);
    outcome.target = "/a";
    check_notes(&outcome, "ioping: /a: p50 = 47.8 ms exceeds 46 ms\n",
                "ioping: /a: " DOUBT);
    check_status(&outcome, 5);
}

TEST(a_limit_outside_of_all_doubt_is_not_called_uncertain)
{
    struct outcome outcome = outcome_of_series("p50=60ms", SERIES);
    check_notes(&outcome, NULL, NULL);
    outcome = outcome_of_series("p50=40ms", SERIES);
    check_notes(&outcome, "ioping: p50 = 47.8 ms exceeds 40 ms\n", NULL);
}

/* Nothing else is in the series: no other time, waits, nor the steps of a sweep. */
TEST(only_a_percentile_of_all_requests_as_measured_is_doubted)
{
    static const char *const limits[] = {"avg=51ms", "p50=+10%", "loaded-p50=49ms"};
    struct outcome outcome;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        outcome = outcome_of_series(limits[i], SERIES);
        if (i == 2)
            outcome.series = NULL; /* as where a run has phases */
        check_notes(&outcome, NULL, NULL);
    }
    outcome = outcome_of_series("device-p50=1ms", SERIES);
    check_notes(
        &outcome,
        "ioping: device-p50 is not known: 0 requests could be split, and it takes 1\n",
        NULL);
    outcome = outcome_of_series("p50=49ms", SERIES);
    outcome.swept = SWEEP_RATE;
    check_notes(&outcome, NULL, NULL);
    outcome = outcome_of_series("p50=49ms", SERIES);
    outcome.total.every = 1000000000;
    check_notes(&outcome, NULL, NULL);
}

/* What is too little to know anything needs no words of its own. */
TEST(too_few_requests_are_not_doubted)
{
    struct outcome outcome = outcome_of_series("p99=99ms", 20);
    check_notes(&outcome,
                "ioping: p99 is not known: 20 requests count, and it takes 99\n", NULL);
    outcome = outcome_of_series("p50=90ms", 29);
    check_notes(&outcome, NULL, NULL);
}

/* 10 ms would read as if nothing were wrong. */
TEST(a_limit_missed_by_a_hair_is_told_in_full)
{
    struct slos slos = {0};
    struct outcome outcome = {.total.requests = 1, .slos = &slos};
    struct sample sample = {
        .latency = 10114000, .size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    stats_record(&outcome.total, &sample);
    assert_null(slos_add(&slos, "max=10.11ms"));
    check_notes(&outcome, "ioping: max = 10114000 ns exceeds 10.1 ms\n", NULL);
}

/* A terminal has it in the summary. */
TEST(what_a_brief_summary_left_out_is_told)
{
    struct outcome outcome = {
        .total = {.requests = 40, .failed = 12, .missed = 93, .latency = {.count = 5}},
    };
    check_notes(&outcome, NULL, NULL);
    outcome.brief = true;
    check_notes(&outcome, "ioping: 12 of 40 requests failed\n",
                "ioping: 93 requests were missed: due, and not sent\n");
    outcome.target = "a\tb";
    outcome.total.failed = 0;
    outcome.total.missed = 1;
    check_notes(&outcome, "ioping: a\\011b: 1 request was missed: due, and not sent\n",
                NULL);
}

/* One that is named is all of one. */
TEST(a_brief_summary_is_told_of_the_failures_beside_the_named)
{
    struct outcome outcome = {
        .total = {.requests = 9, .failed = 1, .latency = {.count = 5}},
        .failed = {.index = 7, .verdict = VERDICT_ERROR, .error = ENOSPC},
        .brief = true,
    };
    const char *first = "ioping: request 7 failed: ENOSPC (No space left on device)\n";
    check_notes(&outcome, first, NULL);
    outcome.total.failed = 2;
    check_notes(&outcome, first, "ioping: 2 of 9 requests failed\n");
}

/* -corrected puts them into the line. */
TEST(what_was_missed_is_not_told_twice)
{
    struct outcome outcome = {
        .total = {.requests = 40, .missed = 93, .every = 1, .latency = {.count = 5}},
        .brief = true,
    };
    check_notes(&outcome, NULL, NULL);
}

/* Whose COUNT requests that count were split but for those. */
static struct outcome
split_but(uint64_t count, uint64_t unasked, uint64_t lost)
{
    struct outcome outcome = {
        .total = {.requests = count + 1, .latency = {.count = count}},
        .breakdown = true,
    };
    outcome.total.breakdown.unasked = unasked;
    outcome.total.breakdown.lost = lost;
    outcome.total.breakdown.parts[PART_SUBMIT].moments.count = count - unasked - lost;
    return outcome;
}

TEST(few_that_could_be_split_are_told_with_the_reasons)
{
    struct outcome outcome = split_but(100, 80, 8);
    check_notes(&outcome,
                "ioping: only 12 of 100 requests could be split: 80 asked no device, "
                "records of 8 were not found\n",
                NULL);
    check_status(&outcome, 0);
    outcome = split_but(100, 6, 0);
    check_notes(&outcome,
                "ioping: only 94 of 100 requests could be split: 6 asked no device\n",
                NULL);
    outcome = split_but(100, 0, 100);
    outcome.target = "/dev/vda";
    check_notes(&outcome,
                "ioping: /dev/vda: only 0 of 100 requests could be split: records of "
                "100 were not found\n",
                NULL);
    outcome = split_but(100, 1, 0);
    outcome.total.breakdown.shared = 29;
    outcome.total.breakdown.parts[PART_SUBMIT].moments.count = 70;
    check_notes(&outcome,
                "ioping: only 70 of 100 requests could be split: 1 asked no device, "
                "blocks of 29 were under way for others too\n",
                NULL);
}

TEST(few_that_could_be_split_for_no_known_reason_are_told)
{
    struct outcome outcome = split_but(100, 0, 0);
    outcome.total.breakdown.parts[PART_SUBMIT].moments.count = 50;
    check_notes(&outcome, "ioping: only 50 of 100 requests could be split\n", NULL);
}

TEST(enough_that_were_split_are_not_told)
{
    struct outcome outcome = split_but(100, 4, 1);
    check_notes(&outcome, NULL, NULL);
    outcome = split_but(100, 100, 0);
    outcome.breakdown = false;
    check_notes(&outcome, NULL, NULL);
}

TEST(a_sweep_breaks_its_limits_if_no_step_keeps_them)
{
    struct slos slos = {0};
    assert_null(slos_add(&slos, "p99=1ms"));
    assert_null(slos_add(&slos, "max=1s"));
    struct outcome outcome = {.swept = SWEEP_DEPTH, .slos = &slos};
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 0);
    outcome.verdict = SLO_BROKEN;
    check_notes(&outcome, "ioping: no depth keeps p99=1ms,max=1s\n", NULL);
    check_status(&outcome, 5);
    outcome.target = "/mnt/a";
    outcome.unknown = 4;
    outcome.verdict = SLO_UNKNOWN;
    check_notes(&outcome,
                "ioping: /mnt/a: -sweep: too few requests count at depth 4 to check the "
                "limits; use a longer -w\n",
                "ioping: /mnt/a: no depth is known to keep p99=1ms,max=1s\n");
    check_status(&outcome, 5);
    outcome.swept = SWEEP_SIZE;
    outcome.verdict = SLO_MET;
    check_notes(&outcome,
                "ioping: /mnt/a: -sweep: too few requests count at size 4 B to check "
                "the limits; use a longer -w\n",
                NULL);
    check_status(&outcome, 0);
    outcome.failed.index = 3;
    outcome.failure_notified = true;
    outcome.unknown = 0;
    outcome.verdict = SLO_BROKEN;
    check_notes(&outcome, "ioping: /mnt/a: no size keeps p99=1ms,max=1s\n", NULL);
    check_status(&outcome, 3);
}
