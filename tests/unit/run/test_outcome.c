/* The messages at the end of a run, and its exit status. */
#include "mix.h"
#include "support.h"

#include "base/buffer.h"
#include "base/random.h"
#include "base/time.h"
#include "run/outcome.h"
#include "stats/track.h"

/* The notes on OUTCOME are TEXT, a line each, without "ioping: " before it, and its
 * status is STATUS. NAME is told where they are not. */
static void
check(const char *name, struct outcome *outcome, const char *text, int status)
{
    struct notes notes = {0};
    char lines[1024] = "";
    outcome_explain(outcome, &notes);
    for (int i = 0; i < notes.count; i++) {
        assert_true(strncmp(notes.lines[i], "ioping: ", 8) == 0);
        strcat(lines, notes.lines[i] + 8);
    }
    if (strcmp(lines, text) != 0 || outcome_status(outcome) != status)
        fail_msg("%s: status %d, not %d, and notes:\n%snot:\n%s", name,
                 outcome_status(outcome), status, lines, text);
}

#define NO_SPACE                                                            \
    {                                                                       \
        .index = 7, .verdict = VERDICT_ERROR, .error = ENOSPC, .size = 4096 \
    }
#define SHORT(...)                                                                    \
    {                                                                                 \
        .index = 3, .verdict = VERDICT_SHORT, .bytes = 512, .size = 4096, __VA_ARGS__ \
    }
#define FAILED "request 7 failed: ENOSPC (No space left on device)\n"
#define ANSWERED(count) count " requests were answered from memory, not by the device; "
#define WARM_UP "no request counted: all were warm-up; use -warmup 0 to count them\n"
#define LONGER \
    "fewer than one request per worker completed in that step; use a longer -w\n"

/* A value that -print could not give is a failure, which a broken limit does not hide. */
TEST(a_value_that_is_lacking_is_worse_than_a_limit)
{
    struct slos slos = {0};
    assert_null(slos_add(&slos, "iops=1k"));
    struct outcome outcome = {
        .total = {.requests = 2, .latency = {.count = 1, .sum = SECOND}}, .slos = &slos};
    assert_int_equal(outcome_status(&outcome), EXIT_LIMIT);
    outcome.lacks_figures = true;
    assert_int_equal(outcome_status(&outcome), EXIT_RUNTIME);
    outcome.slos = NULL;
    assert_int_equal(outcome_status(&outcome), EXIT_RUNTIME);
}

TEST(an_outcome_has_its_notes_and_its_status)
{
    static struct {
        const char *name;
        struct outcome outcome;
        const char *notes;
        int status;
    } rows[] = {
        {"a good run says nothing",
         {.total = {.requests = 10, .latency = {.count = 9}}},
         "",
         0},
        {"part of the requests is known to come from memory",
         {.total = {.requests = 10, .latency = {.count = 9}, .from_memory = 4}},
         "at least 4 of the 9 requests that count were answered from memory, not by the "
         "device: the times mix both\n",
         0},
        {"a count of one is singular in each of these",
         {.total = {.requests = 1, .latency = {.count = 1}, .from_memory = 1}},
         "at least 1 of the 1 request that counts was answered from memory, not by the "
         "device: the times mix both\n",
         0},
        {"one that was stopped does not count",
         {.total = {.requests = 9, .latency = {.count = 8}, .stopped = 1}},
         "1 of 9 requests was in flight while the program was stopped or frozen: it does "
         "not count\n",
         0},
        {"several that were stopped do not count",
         {.total = {.requests = 9, .latency = {.count = 7}, .stopped = 2}},
         "2 of 9 requests were in flight while the program was stopped or frozen: they "
         "do not count\n",
         0},
        {"one beside which ioping could not run counts",
         {.total = {.requests = 9, .latency = {.count = 9}, .late_count = 1}},
         "1 of 9 requests was in flight while ioping itself could not run for a second "
         "or more: it counts, but a busy or paused machine, or a freeze, may have added "
         "to its time\n",
         0},
        {"several beside which ioping could not run count",
         {.total = {.requests = 9, .latency = {.count = 9}, .late_count = 9}},
         "9 of 9 requests were in flight while ioping itself could not run for a second "
         "or more: they count, but a busy or paused machine, or a freeze, may have added "
         "to their times\n",
         0},
        {"the only request from the page cache",
         {.total = {.requests = 1, .cached = 1}, .direct_io_hint = ""},
         "1 of 1 request was answered from memory, not by the device; name another file, "
         "or use -C to measure the cache\nthe only request did not count: 1 came from "
         "memory\n",
         3},
        {"the only one that failed",
         {.total = {.requests = 1, .failed = 1}, .legacy_summary = true},
         "1 of 1 request failed\nthe only request did not count: 1 failed\n",
         0},
        {"a search that never settles is given up",
         {.total = {.requests = 10, .latency = {.count = 9}},
          .sweep_kind = SWEEP_RATE,
          .rates_given_up = 64,
          .verdict = SLO_MET},
         "-sweep: ended after 64 rates: too many missed the limits at first and met them "
         "when tried again; repeat when the target is less busy\n",
         0},
        {"a failed request is named",
         {.total = {.requests = 7, .failed = 1, .latency = {.count = 5}},
          .failed_sample = NO_SPACE},
         FAILED,
         3},
        {"a short request is a failure",
         {.total = {.requests = 3, .failed = 1, .latency = {.count = 1}},
          .failed_sample = SHORT(.is_device_gone = false)},
         "request 3 failed: short (512 of 4096 bytes)\n",
         3},
        {"and of a device that is gone",
         {.total = {.requests = 3, .failed = 1, .latency = {.count = 1}},
          .failed_sample = SHORT(.is_device_gone = true)},
         "request 3 failed: the device is gone\n",
         3},
        {"a request without an answer has no errno",
         {.total = {.requests = 5, .failed = 1, .latency = {.count = 3}},
          .failed_sample = {.index = 5,
                            .verdict = VERDICT_TIMEOUT,
                            .latency = 2000300000},
          .waiting_age = 750000000,
          .abandoned_requests = 2,
          .is_stuck = true},
         "request 5 failed: no answer for 2.00 s (timeout)\n"
         "2 requests still waiting after 750 ms\n",
         3},
        {"a first request that fails is all there is to say",
         {.total = {.requests = 1, .failed = 1}, .failed_sample = NO_SPACE},
         FAILED,
         3},
        {"requests that would have waited are no failure",
         {.total = {.requests = 10, .failed = 4, .latency = {.count = 5}}},
         "",
         0},
        {"lost output makes the run fail",
         {.total = {.requests = 10, .latency = {.count = 9}},
          .failed_output = "standard output",
          .output_error = ENOSPC},
         "",
         3},
        {"output lost before anything counted leaves nothing to say",
         {.total = {.requests = 1},
          .failed_output = "standard output",
          .output_error = ENOSPC},
         "",
         3},
        {"requests from the page cache are counted and advised upon",
         {.total = {.requests = 100, .cached = 12, .latency = {.count = 87}},
          .direct_io_hint = "-s 4k"},
         ANSWERED("12 of 100") "use -s 4k (direct I/O), or use -C to measure the cache\n",
         0},
        {"all from the page cache leaves nothing to count",
         {.total = {.requests = 2, .cached = 2}, .direct_io_hint = ""},
         ANSWERED("2 of 2") "name another file, or use -C to measure the cache\n"
                            "none of the 2 requests counted: 2 came from memory\n",
         3},
        {"also where one was warm-up",
         {.total = {.requests = 3, .cached = 2}, .direct_io_hint = ""},
         ANSWERED(
             "2 of 3") "name another file, or use -C to measure the cache\n"
                       "none of the 3 requests counted: 2 came from memory, 1 warm-up\n",
         3},
        {"what is too fast beside is no failure",
         {.total = {.requests = 9, .cached = 2, .too_fast = 1}, .direct_io_hint = ""},
         ANSWERED("2 of 9") "name another file, or use -C to measure the cache\n"
                            "none of the 9 requests counted: 2 came from memory, 1 "
                            "faster than -t, 6 warm-up\n",
         0},
        {"nor is what is too slow",
         {.total = {.requests = 9, .cached = 2, .too_slow = 1}, .direct_io_hint = ""},
         ANSWERED("2 of 9") "name another file, or use -C to measure the cache\n"
                            "none of the 9 requests counted: 2 came from memory, 1 "
                            "slower than -T, 6 warm-up\n",
         0},
        {"all warm-up names the option", {.total = {.requests = 1}}, WARM_UP, 0},
        {"-diagnose has no such option",
         {.total = {.requests = 1}, .is_diagnosed = true},
         "no request counted: all were warm-up; use a longer -w\n",
         0},
        {"limits that leave nothing are not called warm-up",
         {.total = {.requests = 5, .too_fast = 4}},
         "none of the 5 requests counted: 4 faster than -t, 1 warm-up\n",
         0},
        {"limits above too",
         {.total = {.requests = 6, .too_slow = 5}},
         "none of the 6 requests counted: 5 slower than -T, 1 warm-up\n",
         0},
        {"a run that sent nothing says so",
         {.abandoned_requests = 0},
         "no request was sent\n",
         0},
        {"a request without an answer is a failure",
         {.total = {.requests = 1}, .waiting_age = 8300000000},
         "1 request still waiting after 8.30 s\n",
         3},
        {"all requests without an answer are counted",
         {.total = {.requests = 40, .latency = {.count = 36}},
          .waiting_age = 1200000000,
          .abandoned_requests = 3},
         "3 requests still waiting after 1.20 s\n",
         3},
        {"one of them is one",
         {.total = {.requests = 40, .latency = {.count = 36}},
          .waiting_age = 1200000000,
          .abandoned_requests = 1},
         "1 request still waiting after 1.20 s\n",
         3},
        {"a sweep that ends early says where and is no failure",
         {.total = {.requests = 500, .latency = {.count = 500}}, .early_step = 64 << 20},
         "-sweep: ended at 64 MiB: " LONGER,
         0},
        {"after what the page cache answered",
         {.total = {.requests = 500, .cached = 20, .latency = {.count = 500}},
          .early_step = 1536},
         ANSWERED("20 of 500") "name another file, or use -C to measure the cache\n"
                               "-sweep: ended at 1.50 KiB: " LONGER,
         0},
        {"a sweep that ends at its first step says just that",
         {.sweep_kind = SWEEP_SIZE, .early_step = 4096},
         "-sweep: ended at 4 KiB: " LONGER,
         0},
        {"a step without a request is named and no failure, even if all are",
         {.sweep_kind = SWEEP_THREADS, .empty_step = 1},
         "-sweep: no request completed in the step threads=1; use a longer -w\n",
         0},
        {"of a rate the advice is another",
         {.sweep_kind = SWEEP_RATE, .empty_step = 10000000},
         "-sweep: no request completed in the step rate=10 M; start with a lower rate\n",
         0},
        {"it is named beside failures",
         {.total = {.requests = 9, .failed = 1, .latency = {.count = 8}},
          .failed_sample = NO_SPACE,
          .sweep_kind = SWEEP_DEPTH,
          .empty_step = 4096},
         FAILED "-sweep: no request completed in the step depth=4096; use a longer -w\n",
         3},
        {"a terminal has in the summary what is not told",
         {.total = {.requests = 40, .failed = 12, .missed = 93, .latency = {.count = 5}}},
         "",
         0},
        {"what a brief summary left out is told",
         {.total = {.requests = 40, .failed = 12, .missed = 93, .latency = {.count = 5}},
          .legacy_summary = true},
         "12 of 40 requests failed\n93 requests missed: not sent in time, because "
         "earlier ones were still in flight\n",
         0},
        {"one that was missed is one",
         {.total = {.requests = 40, .missed = 1, .latency = {.count = 5}},
          .legacy_summary = true,
          .target_name = "a\tb"},
         "a\\011b: 1 request missed: not sent in time, because earlier ones were still "
         "in flight\n",
         0},
        {"one that is named is all of one",
         {.total = {.requests = 9, .failed = 1, .latency = {.count = 5}},
          .failed_sample = NO_SPACE,
          .legacy_summary = true},
         FAILED,
         3},
        {"a brief summary is told of the failures beside the named",
         {.total = {.requests = 9, .failed = 2, .latency = {.count = 5}},
          .failed_sample = NO_SPACE,
          .legacy_summary = true},
         FAILED "2 of 9 requests failed\n",
         3},
        {"what was missed is not told twice, as -corrected puts it into the line",
         {.total = {.requests = 40,
                    .missed = 93,
                    .corrected_interval = 1,
                    .latency = {.count = 5}},
          .legacy_summary = true},
         "",
         0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check(rows[i].name, &rows[i].outcome, rows[i].notes, rows[i].status);
}

/* LIMITS, with a space between two, become SLOS. */
static void
read_limits(struct slos *slos, const char *limits)
{
    char text[256];
    snprintf(text, sizeof(text), "%s", limits);
    *slos = (struct slos){0};
    for (char *limit = strtok(text, " "); limit; limit = strtok(NULL, " "))
        assert_null(slos_add(slos, limit));
}

/* 1 ms, 2 ms, and so on to 100 ms. Of those, 20 were split: 1 ms in the device and so
 * on. */
static struct outcome
outcome_of_limits(struct slos *slos, const char *limits, int64_t every)
{
    struct outcome outcome = {.total.corrected_interval = every, .slos = slos};
    struct sample sample = {.size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    for (int i = 1; i <= 100; i++) {
        sample.latency = i * 1000000;
        stats_record(&outcome.total, &sample);
    }
    for (int i = 1; i <= 20; i++) {
        sample = (struct sample){.index = (uint64_t)i, .split = {.result = SPLIT_DONE}};
        sample.split.part[PART_DEVICE] = i * 1000000;
        breakdown_record(&outcome.total.breakdown, &sample);
    }
    read_limits(slos, limits);
    return outcome;
}

/* Reads in turn with writes, of which each takes 300 ms where 100 are the interval. */
static struct outcome
outcome_of_both(struct slos *slos, const char *limits)
{
    struct outcome outcome = {
        .slos = slos, .total = {.mix = mix_of("rw"), .corrected_interval = 100000000}};
    for (int i = 0; i < 40; i++) {
        struct sample sample = {.latency = i % 2 ? 1000000 : 300000000,
                                .sync = i % 2 ? 0 : 50000000,
                                .operation = i % 2 ? OPERATION_READ : OPERATION_WRITE,
                                .verdict = VERDICT_NONE};
        stats_record(&outcome.total, &sample);
    }
    read_limits(slos, limits);
    return outcome;
}

/* Every limit that is broken is told with what there is, in the order in which they were
 * given. With -corrected only percentiles of all are corrected, and those of operations:
 * waits of up to 90 ms every 10 ms push them down, 20 waits of 200 ms are added to 20
 * reads. Flushes wait for nothing, and parts are as they were measured. */
TEST(limits_that_are_broken_are_told)
{
    static const struct {
        int every; /* ms; 0: not corrected; 100: of both operations */
        const char *limits, *notes;
    } rows[] = {
        {0, "min=1ms avg=50.5ms max=100ms mdev=29ms p99=100ms iops=19", ""},
        {0, "min=999us", "min < 999 us: FAIL (1 ms)\n"},
        {0, "avg=50ms", "avg < 50 ms: FAIL (50.5 ms)\n"},
        {0, "max=10ms", "max < 10 ms: FAIL (100 ms)\n"},
        {0, "mdev=0", "mdev < 0 ns: FAIL (28.9 ms)\n"},
        {0, "p99=10ms", "p99 < 10 ms: FAIL (98.8 ms)\n"},
        {0, "p50=1us", "p50 < 1 us: FAIL (49.9 ms)\n"},
        {0, "iops=1.5k", "iops > 1.50 k: FAIL (19)\n"},
        {0, "p99.9=1s",
         "p99.9 < 1 s: UNKNOWN: 100 requests count, and it takes 999; use -c 999, or -c "
         "6294 to be sure\n"},
        {0, "p50=1s max=1ms avg=1s p90=2ms",
         "max < 1 ms: FAIL (100 ms)\np90 < 2 ms: FAIL (89.9 ms)\n"},
        {10, "device-p50=5ms device-p99=1s",
         "device-p50 < 5 ms: FAIL (9.99 ms)\ndevice-p99 < 1 s: UNKNOWN: 20 requests "
         "could be split, and it takes 99; use -c 495, or -c 3865 to be sure\n"},
        {10, "p50=1ms max=1ms",
         "p50 (corrected) < 1 ms: FAIL (31.0 ms)\nmax < 1 ms: FAIL (100 ms)\n"},
        {100, "read-p90=100ms read-max=0",
         "read-p90 (corrected) < 100 ms: FAIL so far (199.8 ms); 20 requests are too "
         "few to be sure, run longer\nread-max < 0 ns: FAIL (1 "
         "ms)\n"},
        {100, "sync-p90=1ms write-max=1ms",
         "sync-p90 < 1 ms: FAIL (50 ms)\nwrite-max < 1 ms: FAIL (300 ms)\n"},
        {100, "read-p99=1s write-p99=1s",
         "read-p99 (corrected) < 1 s: UNKNOWN: 20 reads count, and it takes 99; use -c "
         "198, or -c 1546 to be sure\nwrite-p99 (corrected) < 1 s: UNKNOWN: 20 writes "
         "count, and it takes 99; "
         "use -c 198, or -c 1546 to be sure\n"},
        /* Their values are too few to know p99, so they are counted. */
        {100, "read-p99=500us sync-p99=49ms",
         "read-p99 (corrected) < 500 us: FAIL (20 of 20 reads took longer)\n"
         "sync-p99 < 49 ms: FAIL (20 of 20 flushes took longer)\n"},
        {100, "sync-p99=1s",
         "sync-p99 < 1 s: UNKNOWN: 20 flushes count, and it takes 99; use -c 198, or -c "
         "1546 to be sure\n"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct slos slos;
        struct outcome outcome =
            rows[i].every == 100
                ? outcome_of_both(&slos, rows[i].limits)
                : outcome_of_limits(&slos, rows[i].limits, rows[i].every * 1000000LL);
        check(rows[i].limits, &outcome, rows[i].notes, rows[i].notes[0] ? 5 : 0);
    }
}

static void
check_answers(struct outcome *outcome, const char *target, const char *expected)
{
    struct notes notes = {0};
    struct buffer text = {0};
    outcome_add_limits(outcome, target, &text);
    assert_null(text.text); /* nobody has asked yet */
    outcome_explain(outcome, &notes);
    outcome_add_limits(outcome, target, &text);
    assert_string_equal(text.text, expected);
    buffer_free(&text);
}

/* Of 100 requests of 1 to 100 ms. */
TEST(each_limit_has_its_answer)
{
    static const struct {
        const char *limit, *line;
    } cases[] = {
        {"min=999us", "min < 999 us: FAIL (1 ms)\n"},
        {"min=1ms", "min < 1 ms: OK (1 ms)\n"},
        {"max=100ms", "max < 100 ms: OK (100 ms)\n"},
        {"max=99999999ns", "max < 100.0 ms: FAIL (100 ms)\n"},
        {"p99=100ms",
         "p99 < 100 ms: OK so far (98.8 ms); p99 may be higher, too close to call; run "
         "longer\n"},
        {"p99=99ms",
         "p99 < 99 ms: OK so far (98.8 ms); p99 may be higher, too close to call; run "
         "longer\n"},
        {"p99=500ms",
         "p99 < 500 ms: OK so far (98.8 ms); 100 requests are too few to be sure, use -c "
         "773\n"},
        {"p50=1us", "p50 < 1 us: FAIL (49.9 ms)\n"},
        {"p99.9=1s",
         "p99.9 < 1 s: UNKNOWN: 100 requests count, and it takes 999; use -c 999, or -c "
         "6294 to be sure\n"},
        {"p99.9=50ms", "p99.9 < 50 ms: FAIL (50 of 100 requests took longer)\n"},
        {"iops=1.5k", "iops > 1.50 k: FAIL (19)\n"},
        {"iops=19", "iops > 19: OK (19)\n"},
        {"bps=1k", "bps > 1 KiB/s: FAIL (19 B/s)\n"},
        {"device-p50=1s", "device-p50 < 1 s: OK (9.99 ms)\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slos slos;
        struct outcome outcome = outcome_of_limits(&slos, cases[i].limit, 0);
        check_answers(&outcome, NULL, cases[i].line);
    }
}

/* One that is relative to another run has none here. With the waits of requests that are
 * due every 10 ms 496 of 550 values are up to 72 ms. */
TEST(answers_may_name_their_target)
{
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, "max=1s p50=+5% p90=0", 10000000);
    check_answers(&outcome, "a\tb",
                  "a\\011b: max < 1 s: OK (100 ms)\na\\011b: p90 (corrected) < 0 ns: "
                  "FAIL (72.1 ms)\n");
}

TEST(what_else_is_told_beside_a_limit)
{
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, "max=1ms p99.9=1s", 0);
    outcome.limits_printed =
        true; /* who reads the answers is told of no limit beside them */
    check("answered", &outcome, "", 5);
    outcome = outcome_of_limits(&slos, "max=1ms", 0);
    outcome.failed_sample = (struct sample)NO_SPACE;
    check("failed", &outcome, FAILED "max < 1 ms: FAIL (100 ms)\n", 3);
    outcome.failed_sample.index = 0;
    outcome.waiting_age = 8300000000;
    check("waiting", &outcome,
          "1 request still waiting after 8.30 s\nmax < 1 ms: FAIL (100 ms)\n", 3);
    outcome.waiting_age = 0;
    outcome.failed_output = "x.prom";
    outcome.output_error = ENOSPC;
    check("output", &outcome, "max < 1 ms: FAIL (100 ms)\n", 3);
    /* Nothing counted, which needs no words of its own then. */
    read_limits(&slos, "max=1h");
    outcome = (struct outcome){.total = {.requests = 1}, .slos = &slos};
    check("nothing", &outcome,
          "max < 1 hour: UNKNOWN: 0 requests count, and it takes 1; use -c 2\n" WARM_UP,
          5);
    /* 10 ms would read as if nothing were wrong. */
    read_limits(&slos, "max=10.11ms");
    outcome = (struct outcome){.total.requests = 1, .slos = &slos};
    struct sample sample = {
        .latency = 10114000, .size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    stats_record(&outcome.total, &sample);
    check("by a hair", &outcome, "max < 10.1 ms: FAIL (10114000 ns)\n", 5);
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
    read_limits(&slos, limit);
    return outcome;
}

#define MET \
    "p50 < 49 ms: OK so far (47.8 ms); p50 may be as high as 50.1 ms, use -c 7567\n"
#define BROKEN \
    "p50 < 46 ms: FAIL so far (47.8 ms); p50 may be as low as 44.8 ms, use -c 4676\n"

/* The status is what it is without doubt. There is none of what is not in the series: no
 * other time, waits, nor the steps of a sweep; and what is too little to know anything
 * needs no words of its own. */
TEST(a_limit_that_more_requests_might_keep_or_break_is_not_certain)
{
    static const struct {
        const char *limit;
        int count, status;
        const char *notes;
        enum sweep_kind swept;
        int64_t every;
        bool phases;
    } rows[] = {
        {"p50=49ms", SERIES, 0, "/a: " MET},
        {"p50=46ms", SERIES, 5, "/a: " BROKEN},
        {"p50=60ms", SERIES, 0, ""},
        {"p50=40ms", SERIES, 5, "/a: p50 < 40 ms: FAIL (47.8 ms)\n"},
        {"avg=51ms", SERIES, 0, ""},
        {"p50=+10%", SERIES, 0, ""},
        {"loaded-p50=49ms", SERIES, 0, "", SWEEP_NONE, 0, true},
        {"device-p50=1ms", SERIES, 5,
         "/a: device-p50 < 1 ms: UNKNOWN: 0 requests could be split, and it takes 1\n"},
        {"p50=49ms", SERIES, 0, "", SWEEP_RATE},
        {"p50=49ms", SERIES, 0, "", SWEEP_NONE, 1000000000},
        {"p99=99ms", 20, 5,
         "/a: p99 < 99 ms: UNKNOWN: 20 requests count, and it takes 99; use -c 99\n"},
        {"p80=99ms", 1, 5,
         "/a: p80 < 99 ms: UNKNOWN: 1 request counts, and it takes 4; use -c 4, or -c 30 "
         "to be sure\n"},
        {"p50=90ms", 29, 0, ""},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct outcome outcome = outcome_of_series(rows[i].limit, rows[i].count);
        outcome.target_name = "/a";
        outcome.sweep_kind = rows[i].swept;
        outcome.total.corrected_interval = rows[i].every;
        if (rows[i].phases)
            outcome.series = NULL;
        check(rows[i].limit, &outcome, rows[i].notes, rows[i].status);
    }
}

/* How many requests helps is said in the words that the user has for it: the number of a
 * run with -c, the time of one with -w, or the number of one that is recorded. The
 * warm-up stays as it is, and as large a share of the requests as before is expected to
 * fail. */
TEST(advice_suits_the_kind_of_run)
{
    static const struct {
        uint64_t failed, warmup;
        int64_t work_time;
        bool recorded;
        const char *advice;
    } rows[] = {
        {0, 0, 0, false, "use -c 773"},
        {0, 1, 0, false, "use -c 774"},
        {50, 0, 0, false, "use -c 1160"},
        {50, 7, 0, false, "use -c 1167"},
        {0, 0, 10 * SECOND, false, "use -w 78s"},
        {0, 0, 200 * SECOND, false, "use -w 1546s"},
        {0, 0, 0, true, "record a run of 773 requests"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char expected[200];
        struct slos slos;
        struct outcome outcome = outcome_of_limits(&slos, "p99=10s", 0);
        outcome.total.failed = rows[i].failed;
        outcome.total.requests += rows[i].failed + rows[i].warmup;
        outcome.work_time = rows[i].work_time;
        outcome.is_recorded = rows[i].recorded;
        snprintf(expected, sizeof(expected),
                 "p99 < 10 s: OK so far (98.8 ms); 100 requests are too few to be sure, "
                 "%s\n",
                 rows[i].advice);
        check_answers(&outcome, NULL, expected);
    }
}

/* 100 of the 999 requests that it takes were sent in 3 seconds. */
TEST(a_longer_run_is_advised_for_any_answer_and_for_a_sure_one)
{
    struct slos slos;
    struct outcome outcome = outcome_of_limits(&slos, "p99.9=1s", 0);
    outcome.work_time = 3 * SECOND;
    check_answers(&outcome, NULL,
                  "p99.9 < 1 s: UNKNOWN: 100 requests count, and it takes 999; use -w "
                  "30s, or -w 189s to be sure\n");
}

/* An interruption is to blame if the run was planned to be long enough. Otherwise, the
 * advice is as without it; the rate is the one of the time until the interruption. The
 * advice is 773 requests, and 100 were sent. */
TEST(an_interruption_is_told_if_it_is_the_reason)
{
    static const struct {
        uint64_t max_requests;
        int64_t work_time, part_time, duration;
        bool was_interrupted;
        const char *advice;
    } rows[] = {
        {773, 0, 0, SECOND, true, "the run was interrupted: let it run to its end"},
        {772, 0, 0, SECOND, true, "use -c 773"},
        {773, 0, 0, SECOND, false, "use -c 773"},
        {0, 8 * SECOND, 8 * SECOND, SECOND, true,
         "the run was interrupted: let it run to its end"},
        {0, 7 * SECOND, 7 * SECOND, SECOND, true, "use -w 8s"},
        /* A part of 3 seconds (-diagnose) was interrupted after a second. */
        {0, 10 * SECOND, 3 * SECOND, SECOND, true, "use -w 26s"},
        {0, 30 * SECOND, 9 * SECOND, SECOND, true,
         "the run was interrupted: let it run to its end"},
        {0, 10 * SECOND, 3 * SECOND, 3 * SECOND, false, "use -w 78s"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char expected[200];
        struct slos slos;
        struct outcome outcome = outcome_of_limits(&slos, "p99=10s", 0);
        outcome.max_requests = rows[i].max_requests;
        outcome.work_time = rows[i].work_time;
        outcome.part_time = rows[i].part_time;
        outcome.duration = rows[i].duration;
        outcome.was_interrupted = rows[i].was_interrupted;
        snprintf(expected, sizeof(expected),
                 "p99 < 10 s: OK so far (98.8 ms); 100 requests are too few to be sure, "
                 "%s\n",
                 rows[i].advice);
        check_answers(&outcome, NULL, expected);
    }
}

/* A run that -w ended after one request, or before the first, tells no rate. */
TEST(a_run_without_a_rate_is_told_to_run_longer)
{
    for (uint64_t sent = 0; sent < 2; sent++) {
        struct slos slos;
        struct outcome outcome = {
            .slos = &slos, .total.requests = sent, .work_time = SECOND};
        read_limits(&slos, "p99=1s");
        check_answers(
            &outcome, NULL,
            "p99 < 1 s: UNKNOWN: 0 requests count, and it takes 99; run longer\n");
    }
}

/* Of 100 requests that count. */
TEST(few_that_could_be_split_are_told_with_the_reasons)
{
    static const struct {
        uint64_t split, unasked, lost, shared;
        bool breakdown;
        const char *notes;
    } rows[] = {
        {12, 80, 8, 0, true,
         "/dev/vda: only 12 of 100 requests could be split: 80 reached no device, "
         "records of 8 were not found\n"},
        {94, 6, 0, 0, true,
         "/dev/vda: only 94 of 100 requests could be split: 6 reached no device\n"},
        {0, 0, 100, 0, true,
         "/dev/vda: only 0 of 100 requests could be split: records of 100 were not "
         "found\n"},
        {70, 1, 0, 29, true,
         "/dev/vda: only 70 of 100 requests could be split: 1 reached no device, blocks "
         "of 29 were also in flight for other programs\n"},
        {50, 0, 0, 0, true, "/dev/vda: only 50 of 100 requests could be split\n"},
        {95, 4, 1, 0, true, ""},
        {0, 100, 0, 0, false, ""},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct outcome outcome = {
            .total = {.requests = 101, .latency = {.count = 100}},
            .target_name = "/dev/vda",
            .has_breakdown = rows[i].breakdown,
        };
        outcome.total.breakdown.no_device_io = rows[i].unasked;
        outcome.total.breakdown.lost = rows[i].lost;
        outcome.total.breakdown.ambiguous = rows[i].shared;
        outcome.total.breakdown.parts[PART_SUBMIT].moments.count = rows[i].split;
        check("split", &outcome, rows[i].notes, 0);
    }
}

#define STEP(name)                                                                   \
    "/mnt/a: -sweep: too few requests count at " name " to check the limits; use a " \
    "longer -w\n"

TEST(a_sweep_breaks_its_limits_if_no_step_keeps_them)
{
    static const struct {
        struct outcome outcome;
        const char *notes;
        int status;
    } rows[] = {
        {{.sweep_kind = SWEEP_DEPTH}, "", 0},
        {{.sweep_kind = SWEEP_DEPTH, .verdict = SLO_BROKEN},
         "/mnt/a: highest depth with p99 <= 1 ms, max <= 1 s: none\n",
         5},
        {{.sweep_kind = SWEEP_DEPTH, .verdict = SLO_UNKNOWN, .undecided_step = 4},
         STEP("depth 4") "/mnt/a: highest depth with p99 <= 1 ms, max <= 1 s: UNKNOWN\n",
         5},
        {{.sweep_kind = SWEEP_SIZE, .verdict = SLO_MET, .undecided_step = 4},
         STEP("size 4 B"),
         0},
        {{.sweep_kind = SWEEP_SIZE,
          .verdict = SLO_BROKEN,
          .failed_sample = {.index = 3},
          .failure_notified = true},
         "/mnt/a: largest size with p99 <= 1 ms, max <= 1 s: none\n",
         3},
    };
    struct slos slos;
    read_limits(&slos, "p99=1ms max=1s");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct outcome outcome = rows[i].outcome;
        outcome.slos = &slos;
        outcome.target_name = "/mnt/a";
        check("sweep", &outcome, rows[i].notes, rows[i].status);
    }
}
