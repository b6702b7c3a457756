/* JSON of reports: to the byte, and as jq reads it. */
#include "golden.h"
#include "mix.h"

/* The target of the example in section 5 of the contract. */
static void
prepare(void)
{
    golden_prepare(FORMAT_JSON);
    golden.job.target.description.path = ".";
    snprintf(golden.job.target.description.device,
             sizeof(golden.job.target.description.device), "/dev/vda");
    golden.job.target.description.size = 270553174016;
}

static struct sample
sample_of(uint64_t index, enum verdict verdict)
{
    return (struct sample){.index = index,
                           .offset = 8192,
                           .size = 4096,
                           .bytes = 4096,
                           .latency = 121240,
                           .verdict = verdict};
}

static struct stats
contract_stats(void)
{
    return (struct stats){.latency = {.count = 2,
                                      .sum = 162436,
                                      .min = 77926,
                                      .max = 84510,
                                      .mean = 81218,
                                      .squares = 2 * 3292.0 * 3292.0},
                          .bytes = 8192,
                          .requests = 3,
                          .all_bytes = 12288};
}

TEST(a_request_is_that_of_the_contract)
{
    prepare();
    golden_begin();
    golden_sample(sample_of(1, VERDICT_WARMUP));
    golden_end("json_io");
    assert_jq("length == 1 and .[0].io.notice == \"warmup\"");
}

TEST(statistics_are_those_of_the_contract)
{
    struct stats stats = contract_stats();
    prepare();
    golden_begin();
    golden_summary(&stats, 20158762);
    golden_end("json_stat");
    assert_jq("length == 1 and .[0].stat.count == 2 and .[0].load.count == 3");
}

TEST(an_empty_array_is_closed)
{
    prepare();
    golden_begin();
    golden_end("json_empty");
    assert_jq("length == 0");
}

TEST(records_are_separated)
{
    struct stats stats = contract_stats();
    prepare();
    golden_begin();
    golden_sample(sample_of(1, VERDICT_WARMUP));
    golden_period(&stats, 20158762);
    golden_summary(&stats, 20158762);
    golden_end("json_three");
    assert_jq("length == 3 and .[0].io and .[1].stat and .[2].stat");
}

TEST(a_request_has_notice_only_if_there_is_one)
{
    struct sample failed = sample_of(3, VERDICT_ERROR);
    struct sample written = sample_of(1, VERDICT_NONE);
    struct sample late = sample_of(4, VERDICT_TIMEOUT);
    prepare();
    golden.job.target.description.mode = IO_MODE_NOCACHE;
    golden_begin();
    written.operation = OPERATION_WRITE;
    golden_sample(written);
    golden_sample(sample_of(2, VERDICT_SLOW));
    failed.error = EIO;
    failed.bytes = late.bytes = 0;
    golden_sample(failed);
    golden_sample(late);
    golden_end("json_notices");
    assert_jq("map(.io.ignored) == [false, false, true, true]");
}

TEST(failures_and_modes_are_told)
{
    struct stats stats = {.requests = 2, .failed = 2, .missed = 31};
    prepare();
    golden.job.target.description.mode = IO_MODE_CACHED;
    golden_begin();
    golden_summary(&stats, 0);
    golden_end("json_failed");
    assert_jq(".[0].load.failed == 2 and .[0].target.mode == \"cached\"");
}

/* 2e9 / 3 and 5e9 / 7 bytes a second; ioping 1.3 rounds to the nearest. */
TEST(bytes_per_second_are_rounded)
{
    struct stats stats = {.latency = {.count = 1, .sum = 3, .min = 3, .max = 3},
                          .bytes = 2,
                          .requests = 1,
                          .all_bytes = 5};
    stats.latency.mean = 3;
    prepare();
    golden_begin();
    golden_summary(&stats, 7);
    golden_end("json_rounded");
}

TEST(texts_are_escaped)
{
    prepare();
    golden.job.target.description.path =
        "q\" b\\ n\n t\t e\x1b d\x7f u\xc3\xa9 \xf0\x9f\x98\x80 x\xff "
        "c\xc3 s\xed\xa0\x80 o\xc0\xaf k\xc2\x9b /";
    snprintf(golden.job.target.description.fstype,
             sizeof(golden.job.target.description.fstype), "a\"b");
    snprintf(golden.job.target.description.device,
             sizeof(golden.job.target.description.device), "host:/\\\n");
    golden_begin();
    golden_sample(sample_of(1, VERDICT_NONE));
    golden_end("json_escapes");
    assert_jq(".[0].target.device == \"host:/\\\\\\n\"");
}

/* A request of each kind: with a flush, with none, a read, and a flush that failed. */
TEST(a_write_has_the_time_of_its_flush)
{
    struct sample flushed = sample_of(1, VERDICT_NONE), bare, failed;
    flushed.operation = OPERATION_WRITE;
    bare = failed = flushed;
    bare.index = 2;
    failed.index = 4;
    flushed.sync = 80120;
    failed.sync = 121239;
    failed.verdict = VERDICT_ERROR;
    failed.error = EIO;
    failed.bytes = 0;
    prepare();
    golden_begin();
    golden_sample(flushed);
    golden_sample(bare);
    golden_sample(sample_of(3, VERDICT_NONE));
    golden_sample(failed);
    golden_end("json_sync");
    assert_jq("map(.io.sync) == [80120, null, null, 121239]");
}

/* Adds COUNT requests of LATENCY ns, below 256, where a step is one ns. */
static void
add(struct histogram *histogram, int latency, uint64_t count)
{
    histogram->bins[latency - 1] += count;
    histogram->count += count;
}

/* COUNT requests, of 1 ns but for one of 20 and one of 100, as far as there are so many.
 */
static struct stats
stats_of(uint64_t count)
{
    uint64_t rare = count > 2 ? 2 : count;
    struct stats stats = {.latency = {.count = count, .min = 1, .max = 100}};
    add(&stats.latencies, 100, rare > 0);
    add(&stats.latencies, 20, rare > 1);
    add(&stats.latencies, 1, count - rare);
    return stats;
}

static void
summarize(struct stats stats)
{
    golden_summary(&stats, 1000);
}

/* They take 1, 9, 99 and 999 requests. */
TEST(percentiles_are_those_that_are_known)
{
    static const uint64_t counts[] = {0, 1, 8, 9, 98, 99, 998, 999, 1000};
    prepare();
    golden_format(FORMAT_NDJSON);
    golden.plan.output.percentiles = percentiles_default;
    golden_begin();
    for (size_t i = 0; i < LENGTH(counts); i++)
        summarize(stats_of(counts[i]));
    golden_end("ndjson_percentiles");
    assert_jq("map(.stat.percentiles | length) == [0, 1, 1, 2, 2, 3, 3, 4, 4]");
}

/* Percentiles keep the order and the words of the list, however few requests there are.
 */
TEST(percentiles_are_those_of_the_list)
{
    prepare();
    golden_format(FORMAT_NDJSON);
    assert_null(percentiles_parse("99.9999999,5,50.0", &golden.plan.output.percentiles));
    golden_begin();
    for (uint64_t count = 0; count < 4; count++)
        summarize(stats_of(count));
    golden_end("ndjson_percentiles_list");
    assert_jq("map(.stat.percentiles.\"50.0\") == [null, 100, 20, 20]");
}

TEST(there_may_be_no_percentiles)
{
    prepare();
    golden_format(FORMAT_NDJSON);
    assert_null(percentiles_parse("none", &golden.plan.output.percentiles));
    golden_begin();
    summarize(stats_of(1000));
    golden_end("ndjson_percentiles_none");
    assert_jq("map(.stat.percentiles) == [null]");
}

/* Steps of one ns, of 8 (around 1500), and the last, from 2^42 - 2^34. */
TEST(the_histogram_has_the_steps_that_are_not_empty)
{
    struct stats stats = stats_of(12);
    stats.latencies.bins[3 * 128 + 1496 / 8] = 18000000000000000000u;
    stats.latencies.bins[HISTOGRAM_BINS - 1] = 3;
    prepare();
    golden.options.given[OPTION_HISTOGRAM] = 1;
    golden_begin();
    summarize(stats);
    golden_end("json_histogram");
    assert_jq(".[0].stat.histogram | map(.le) == [1, 20, 100, 1504, 4398046511104]");
}

TEST(what_is_empty_is_closed)
{
    struct stats none = {0};
    prepare();
    golden.plan.output.percentiles = percentiles_default;
    golden.options.given[OPTION_HISTOGRAM] = 1;
    golden_begin();
    golden_summary(&none, 0);
    golden_end("json_empty_stat");
    assert_jq(".[0].stat | .percentiles == {} and .histogram == []");
}

/* Percentiles and histogram are then those with the waits. */
TEST(corrected_is_said)
{
    struct stats stats = stats_of(2);
    stats.corrected_interval = 30;
    stats.longest_corrected = stats.latency.max;
    add(&stats.corrected, 100, 1);
    add(&stats.corrected, 70, 1);
    add(&stats.corrected, 40, 1);
    add(&stats.corrected, 20, 1);
    add(&stats.corrected, 10, 1);
    prepare();
    golden.plan.output.percentiles = percentiles_default;
    golden.options.given[OPTION_HISTOGRAM] = 1;
    golden_begin();
    summarize(stats);
    golden_end("json_corrected");
    assert_jq(".[0].stat | .corrected and .percentiles == {\"50\": 40}");
}

/* The records of json_three. */
TEST(records_may_have_a_line_each)
{
    struct stats stats = contract_stats();
    prepare();
    golden_format(FORMAT_NDJSON);
    golden_begin();
    golden_sample(sample_of(1, VERDICT_WARMUP));
    golden_period(&stats, 20158762);
    golden_summary(&stats, 20158762);
    golden_end("ndjson_three");
    assert_jq("length == 3 and .[0].io and .[1].stat and .[2].stat");
}

/* Eight at a time, for the requests alone. */
TEST(rates_of_stat_are_over_the_busy_time)
{
    struct stats stats = contract_stats();
    stats.busy_time = stats.latency.sum / 8;
    prepare();
    golden_begin();
    golden_summary(&stats, 20158762);
    golden_end("json_busy");
    assert_jq(".[0].load.iops == 148.818663");
}

static void
step_twice(enum format format, enum sweep_kind kind, int64_t first, int64_t second,
           const char *name)
{
    struct stats stats = contract_stats();
    prepare();
    golden_format(format);
    golden.plan.sweep.kind = kind;
    golden_begin();
    golden_step(first, &stats, 20158762);
    golden_step(second, &stats, 20158762);
    golden_end(name);
}

TEST(a_step_has_what_was_swept)
{
    step_twice(FORMAT_JSON, SWEEP_SIZE, 4096, 2147479552, "json_sweep");
    assert_jq("map(.sweep) == [{size: 4096}, {size: 2147479552}]");
}

TEST(a_step_may_be_a_line)
{
    step_twice(FORMAT_NDJSON, SWEEP_THREADS, 1, 1024, "ndjson_sweep_threads");
    assert_jq("map(.sweep) == [{threads: 1}, {threads: 1024}]");
    step_twice(FORMAT_NDJSON, SWEEP_DEPTH, 3, 128, "ndjson_sweep_depth");
    assert_jq("map(.sweep) == [{depth: 3}, {depth: 128}]");
    step_twice(FORMAT_NDJSON, SWEEP_INTERVAL, 1000000, 16000000, "ndjson_sweep_interval");
    assert_jq("map(.sweep) == [{interval: 1000000}, {interval: 16000000}]");
}

TEST(a_line_has_no_line_breaks_from_texts)
{
    struct stats stats = {0};
    prepare();
    golden_format(FORMAT_NDJSON);
    golden.options.given[OPTION_HISTOGRAM] = 1;
    golden.job.target.description.path = "a\nb\r\"\xe2\x80\xa8";
    golden_begin();
    golden_summary(&stats, 0);
    golden_end("ndjson_escapes");
    assert_jq("length == 1 and (.[0].target.path | startswith(\"a\\nb\\r\\\"\"))");
}

/* No brackets, no empty line. */
TEST(no_record_is_no_line)
{
    prepare();
    golden_format(FORMAT_NDJSON);
    golden_begin();
    golden_end("empty");
}

static void
step_judged(enum format format, int highest, bool is_lower_bound, const char *name)
{
    static const enum slo_verdict verdicts[] = {SLO_MET, SLO_BROKEN, SLO_UNKNOWN};
    struct stats stats = contract_stats();
    prepare();
    golden_format(format);
    golden.plan.sweep.kind = SWEEP_DEPTH;
    assert_null(slos_add(&golden.plan.statistics.slos, "p99=1ms"));
    assert_null(slos_add(&golden.plan.statistics.slos, "max=10ms"));
    golden_begin();
    for (int i = 0; i < 3; i++) {
        struct job_step *step = &golden.job.sweep.steps[i];
        *step = (struct job_step){.value = 1 << i, .verdict = verdicts[i]};
        golden_end_step(step, &stats, 20158762);
    }
    golden.job.sweep.highest_index = highest;
    golden.job.sweep.is_lower_bound = is_lower_bound;
    golden.job.sweep.was_interrupted = is_lower_bound;
    golden_highest();
    golden_end(name);
}

/* And a record of its own has the highest that did. */
TEST(steps_say_if_they_kept_the_limits)
{
    step_judged(FORMAT_JSON, 0, false, "json_sweep_slo");
    assert_jq("map(.met) == [true, false, null, null] and (.[3] | has(\"met\") | not) "
              "and .[3].highest == {depth: 1, limit: \"p99=1ms,max=10ms\"}");
    step_judged(FORMAT_NDJSON, -1, false, "ndjson_sweep_slo");
    assert_jq(".[3].highest == {depth: null, limit: \"p99=1ms,max=10ms\"}");
    step_judged(FORMAT_NDJSON, 0, true, "ndjson_sweep_slo_interrupted");
    assert_jq(".[3].highest == {depth: 1, limit: \"p99=1ms,max=10ms\", at_least: true, "
              "interrupted: true}");
}

/* A write of 50, 60 ... us of which the flush is 30, then a read of 10, 11 ... us. */
static struct stats
mixed(int count, int64_t every)
{
    struct stats stats = {.mix = mix_of("rw"), .corrected_interval = every};
    for (int i = 0; i < 2 * count; i++) {
        bool writes = i % 2 == 0;
        struct sample sample = sample_of((uint64_t)i + 1, VERDICT_NONE);
        sample.operation = writes ? OPERATION_WRITE : OPERATION_READ;
        sample.latency = writes ? 50000 + i / 2 * 10000 : 10000 + i / 2 * 1000;
        sample.sync = writes ? 30000 : 0;
        sample.bytes = writes ? 4096 : 512;
        stats_record(&stats, &sample);
    }
    return stats;
}

static void
begin_mixed(void)
{
    prepare();
    golden.plan.workload.mix = mix_of("rw");
    golden.plan.output.percentiles = percentiles_default;
    golden.options.given[OPTION_HISTOGRAM] = 1;
    golden_begin();
}

TEST(reads_writes_and_flushes_have_figures_of_their_own)
{
    struct stats stats = mixed(10, 0);
    begin_mixed();
    golden_summary(&stats, 20158762);
    golden_end("json_both");
    assert_jq(".[0].stat | .count == .read.count + .write.count "
              "and .size == .read.size + .write.size "
              "and .time == .read.time + .write.time and .sync.count == 10");
    assert_jq(".[0].stat | [.read, .write, .sync | .min, .avg, .max] == "
              "[10000, 14500, 19000, 50000, 95000, 140000, 30000, 30000, 30000]");
    assert_jq(".[0].stat | [.read, .write] | map(.percentiles[\"50\"]) | "
              ".[0] > 13900 and .[0] < 14100 and .[1] > 89000 and .[1] < 91000");
}

/* Before any request, and where no flush comes after writes. */
TEST(an_operation_may_have_no_requests)
{
    struct stats stats = {.mix = mix_of("rw")};
    begin_mixed();
    golden_period(&stats, 0);
    golden_end("json_both_nothing");
    assert_jq(".[0].stat | .read.count == 0 and .write.max == 0 and .sync == null");
}

/* Each write waits for 40 us and less; flushes do not. */
TEST(corrected_is_said_of_each_operation)
{
    struct stats stats = mixed(2, 40000);
    begin_mixed();
    golden_summary(&stats, 20158762);
    golden_end("json_both_corrected");
    assert_jq(".[0].stat | [.corrected, .read.corrected, .write.corrected, "
              ".sync.corrected] == [true, true, true, null]");
    assert_jq(".[0].stat | (.read.histogram | map(.count) | add) == 4 "
              "and (.sync.histogram | map(.count) | add) == 2");
}

/* Limits or not: a rate is kept if it is answered. */
TEST(rates_say_what_was_due_and_what_was_answered)
{
    for (int limited = 0; limited < 2; limited++) {
        struct stats stats = contract_stats();
        prepare();
        golden_format(FORMAT_NDJSON);
        golden.plan.sweep.kind = SWEEP_RATE;
        if (limited)
            assert_null(slos_add(&golden.plan.statistics.slos, "p99=1ms"));
        golden.job.plan = golden.plan;
        golden_begin();
        struct job_step *step = golden.job.sweep.steps;
        *step = (struct job_step){.value = 49000, .answered_rate = 48000};
        golden_end_step(step, &stats, 20158762);
        golden.job.sweep.count = 1;
        golden.job.sweep.highest_index = 0;
        golden_highest();
        golden_end(limited ? "ndjson_sweep_rate_slo" : "ndjson_sweep_rate");
        assert_jq(limited ? ".[0].sweep == {rate: 49000} and .[0].met and "
                            ".[1].highest == {rate: 48000, limit: \"p99=1ms\"}"
                          : ".[0].sweep == {rate: 49000} and .[0].met and "
                            ".[1].highest == {rate: 48000}");
    }
}
