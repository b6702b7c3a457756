/* Where the time of requests went, in all formats: to the byte. */
#include "golden.h"
#include "mix.h"

#include "base/time.h"
#include "report/writers.h"

/* A request of INDEX whose parts take 1 us, 2 us, DEVICE ns and 4 us. */
static struct sample
split_of(uint64_t index, int64_t device)
{
    struct sample sample = {.index = index,
                            .latency = 7 * US + device,
                            .size = 4096,
                            .bytes = 4096,
                            .verdict = VERDICT_NONE};
    sample.split = (struct split){.result = SPLIT_DONE,
                                  .part = {[PART_SUBMIT] = US,
                                           [PART_QUEUE] = 2 * US,
                                           [PART_DEVICE] = device,
                                           [PART_RETURN] = 4 * US}};
    return sample;
}

/* A write with a flush of 10 us after it, for which the device took FLUSHED ns. */
static struct sample
synced_of(uint64_t index, int64_t device, int64_t flushed)
{
    struct sample sample = split_of(index, device);
    sample.operation = OPERATION_WRITE;
    sample.latency += 10 * US;
    sample.sync = 10 * US;
    sample.split.sync_device = flushed;
    return sample;
}

/* The same on a stack of devices, which has 3 us of its time more. */
static struct sample
stacked_of(uint64_t index, int64_t device)
{
    struct sample sample = split_of(index, device);
    sample.latency += 3 * US;
    sample.split.is_stacked = true;
    sample.split.part[PART_STACK] = 3 * US;
    return sample;
}

static struct sample
unsplit_of(uint64_t index, int64_t latency, enum split_result result)
{
    struct sample sample = split_of(index, 0);
    sample.latency = latency;
    sample.split = (struct split){.result = result};
    return sample;
}

static void
add(struct stats *stats, struct sample sample)
{
    stats_record(stats, &sample);
    breakdown_record(&stats->breakdown, &sample);
}

/* As many, of 1 us in the device, 2 us, and so on. */
static struct stats
rising(int count)
{
    struct stats stats = {0};
    for (int i = 1; i <= count; i++)
        add(&stats, split_of((uint64_t)i, i * US));
    return stats;
}

/* 12 of 100, the slowest of which is not the slowest of all. */
static struct stats
sparse(void)
{
    struct stats stats = rising(12);
    for (uint64_t i = 13; i <= 92; i++)
        add(&stats, unsplit_of(i, 30 * US, SPLIT_NO_DEVICE_IO));
    for (uint64_t i = 93; i <= 100; i++)
        add(&stats, unsplit_of(i, 20 * US, SPLIT_LOST));
    return stats;
}

/* Twelve, whose device was sent four flushes. */
static struct stats
flushed(void)
{
    struct stats stats = {0};
    for (int i = 1; i <= 12; i++)
        add(&stats, synced_of((uint64_t)i, i * US, i % 3 ? 0 : 5 * US));
    return stats;
}

static void
begin(enum format format)
{
    golden_prepare(format);
    golden.plan.statistics.has_breakdown = true;
    golden.plan.output.percentiles = percentiles_default;
    golden_begin();
}

TEST(a_line_has_the_parts_before_the_verdict)
{
    struct sample slow = split_of(2, 388 * US);
    slow.latency += 11897 * US;
    slow.split.part[PART_QUEUE] += 11897 * US;
    slow.verdict = VERDICT_SLOW;
    begin(FORMAT_HUMAN);
    golden_sample(split_of(1, 388 * US));
    golden_sample(slow);
    golden_sample(synced_of(3, 61 * US, 0));
    golden_sample(synced_of(4, 61 * US, 9 * US));
    golden_end("breakdown_lines");
}

/* No line is wider than the terminal; what does not fit goes on in a further line. */
TEST(the_parts_fit_a_terminal)
{
    struct sample slow = split_of(2, 388 * US);
    slow.slow_above = 1;
    begin(FORMAT_HUMAN);
    golden.report->is_terminal = true;
    golden.report->columns = 80;
    golden_sample(slow);
    golden.report->columns = 40;
    golden_sample(synced_of(4, 61 * US, 9 * US));
    golden_end("breakdown_lines_terminal");
}

TEST(a_request_that_was_not_split_has_the_line_without)
{
    static const enum split_result results[] = {SPLIT_NOT_TRIED, SPLIT_NO_DEVICE_IO,
                                                SPLIT_LOST};
    begin(FORMAT_HUMAN);
    for (uint64_t i = 0; i < 3; i++)
        golden_sample(unsplit_of(i + 1, 30 * US, results[i]));
    golden_end("breakdown_lines_unsplit");
}

static void
summarize(const struct stats *stats, bool terminal, const char *name)
{
    begin(FORMAT_HUMAN);
    golden.report->is_terminal = terminal;
    golden_summary(stats, SECOND);
    golden_end(name);
}

TEST(the_parts_stand_before_the_extremes_and_in_a_pipe_as_well)
{
    struct stats stats = rising(100);
    summarize(&stats, true, "breakdown_terminal");
    summarize(&stats, false, "breakdown_pipe");
}

/* 1, 9 and 10 requests: the median at least, then the percentiles that they suffice for.
 */
TEST(of_one_request_the_median_is_shown)
{
    begin(FORMAT_HUMAN);
    for (int count = 1; count <= 10; count += count == 1 ? 8 : 1) {
        struct stats stats = rising(count);
        golden_summary(&stats, SECOND);
    }
    golden_end("breakdown_few");
}

TEST(the_parts_have_the_percentiles_asked_for)
{
    struct stats stats = rising(3);
    golden_prepare(FORMAT_HUMAN);
    golden.plan.statistics.has_breakdown = true;
    assert_null(percentiles_parse("99.9,25", &golden.plan.output.percentiles));
    golden_begin();
    golden_summary(&stats, SECOND);
    assert_null(percentiles_parse("none", &golden.plan.output.percentiles));
    golden_summary(&stats, SECOND);
    golden_end("breakdown_percentiles");
}

TEST(flushes_of_the_device_are_aligned_with_the_parts)
{
    struct stats stats = flushed();
    summarize(&stats, false, "breakdown_sync");
}

/* 29 of 100, which no binary fraction is. */
TEST(a_share_in_whole_percent_is_told_as_that)
{
    struct stats stats = {0};
    struct sample sample = split_of(1, 29 * US);
    int percent;
    sample.latency = 100 * US;
    sample.split.part[PART_SUBMIT] = 24 * US;
    sample.split.part[PART_QUEUE] = 23 * US;
    sample.split.part[PART_RETURN] = 24 * US;
    add(&stats, sample);
    assert_string_equal(breakdown_culprit(&stats.breakdown, &percent), "device");
    assert_int_equal(percent, 29);
}

TEST(those_that_were_not_split_are_counted)
{
    struct stats stats = sparse();
    summarize(&stats, false, "breakdown_sparse");
}

TEST(if_none_was_split_there_are_no_parts)
{
    struct stats stats = {0};
    add(&stats, unsplit_of(1, 30 * US, SPLIT_NO_DEVICE_IO));
    add(&stats, unsplit_of(2, 30 * US, SPLIT_LOST));
    summarize(&stats, false, "breakdown_none");
}

TEST(of_no_requests_nothing_is_told)
{
    struct stats stats = {0};
    begin(FORMAT_HUMAN);
    golden_summary(&stats, 0);
    golden_end("human_summary_empty");
}

/* Steps of 1, 99 and 100 requests, and one without. */
/* Of a request whose stack has most of the time, and of one whose stack has none. */
TEST(a_stack_has_its_part_behind_submit)
{
    struct stats stats = {0};
    struct sample slow = stacked_of(1, 5 * US), fast = stacked_of(2, 5 * US);
    slow.latency += 20 * MS;
    slow.split.part[PART_STACK] += 20 * MS;
    fast.latency -= fast.split.part[PART_STACK];
    fast.split.part[PART_STACK] = 0;
    add(&stats, slow);
    add(&stats, fast);
    begin(FORMAT_HUMAN);
    golden_sample(slow);
    golden_sample(fast);
    golden_summary(&stats, SECOND);
    golden_end("breakdown_stack");
    begin(FORMAT_NDJSON);
    golden_sample(slow);
    golden_summary(&stats, SECOND);
    golden_end("breakdown_ndjson_stack");
    assert_jq("map(.io // .stat | .breakdown | has(\"stack\")) == [true, true]");
    assert_jq(".[1].stat.breakdown.slowest.stack == 20003000");
}

TEST(a_row_of_a_sweep_has_the_device)
{
    static const int counts[] = {1, 99, 100, 0};
    golden_prepare(FORMAT_HUMAN);
    golden.plan.statistics.has_breakdown = true;
    golden.plan.sweep.kind = SWEEP_DEPTH;
    golden.plan.output.percentiles = percentiles_default;
    golden_begin();
    for (int i = 0; i < 4; i++) {
        struct stats stats = rising(counts[i]);
        golden_step(1 << i, &stats, SECOND);
    }
    golden_end("breakdown_sweep");
}

TEST(a_json_request_has_the_parts_beside_its_time)
{
    begin(FORMAT_JSON);
    golden_sample(split_of(1, 388 * US));
    golden_sample(synced_of(2, 61 * US, 0));
    golden_sample(synced_of(3, 61 * US, 9 * US));
    golden_sample(unsplit_of(4, 30 * US, SPLIT_LOST));
    golden_end("breakdown_json_io");
    assert_jq("map(.io | .breakdown | values | .sync_device) == [null, null, 9000]");
    assert_jq("map(.io | select(.breakdown) | .time - ((.breakdown | del(.sync_device) "
              "| add) + .sync)) == [0, 0, 0]");
}

TEST(json_statistics_have_the_parts)
{
    struct stats stats = flushed();
    begin(FORMAT_JSON);
    golden_summary(&stats, SECOND);
    golden_end("breakdown_json_stat");
    assert_jq(".[0].stat | .breakdown.sync_device.count == 4 and .breakdown.count == 12 "
              "and .time - 120000 == ([.breakdown[] | objects | .time] | add) - 20000 - "
              ".breakdown.slowest.time");
}

/* 12 of 100, a step of those, and a run in which none was. */
TEST(json_lines_count_what_was_not_split)
{
    struct stats some = sparse(), none = {0};
    add(&none, unsplit_of(1, 30 * US, SPLIT_NO_DEVICE_IO));
    golden_prepare(FORMAT_NDJSON);
    golden.plan.statistics.has_breakdown = true;
    golden.plan.sweep.kind = SWEEP_DEPTH;
    assert_null(percentiles_parse("99.9,25", &golden.plan.output.percentiles));
    golden_begin();
    golden_step(1, &some, SECOND);
    golden_summary(&none, SECOND);
    assert_null(percentiles_parse("none", &golden.plan.output.percentiles));
    golden_summary(&some, SECOND);
    golden_end("breakdown_ndjson");
    assert_jq("map(.stat.breakdown | [.count, .unasked, .lost]) == "
              "[[12, 80, 8], [0, 1, 0], [12, 80, 8]]");
    assert_jq("map(.stat.breakdown.slowest.request) == [12, null, 12]");
}

/* Of two targets, the second of which has not begun. */
static void
write_metrics(const char *name)
{
    struct stats first = flushed();
    static struct stats second;
    static struct job jobs[2];
    jobs[0].stats = &first;
    jobs[1].stats = &second;
    begin(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("write");
    jobs[0].target.description = jobs[1].target.description =
        golden.job.target.description;
    golden_metrics(&golden.report->text, &golden.plan, jobs, 2, 0, 0);
    golden_end(name);
}

TEST(metrics_have_sum_and_count_of_each_part)
{
    write_metrics("breakdown_prometheus");
    need_program("promtool");
    struct result result = command("promtool check metrics <output");
    if (result.status != 0 || *result.err)
        fail_msg("promtool: %d: %s%s", result.status, result.out, result.err);
    command_free(&result);
}

/* Requests of a device that is no stack have no such series. */
TEST(metrics_of_a_stack_have_its_part)
{
    struct stats stacked = {0}, plain = rising(3);
    struct job jobs[] = {{.stats = &stacked}, {.stats = &plain}};
    add(&stacked, stacked_of(1, 5 * US));
    for (int i = 0; i < 2; i++) {
        struct buffer text = {0};
        begin(FORMAT_HUMAN);
        jobs[i].target.description = golden.job.target.description;
        golden_metrics(&text, &golden.plan, &jobs[i], 1, 0, 0);
        golden_end("empty");
        if (i == 0)
            assert_contains(text.text, ",part=\"stack\"} 0.000003000\n");
        else
            assert_lacks(text.text, "stack");
        buffer_free(&text);
    }
}

/* As they have no flushes. */
TEST(metrics_of_reads_have_no_flushes_of_the_device)
{
    struct stats stats = rising(3);
    struct job job = {.stats = &stats};
    struct buffer text = {0};
    begin(FORMAT_HUMAN);
    job.target.description = golden.job.target.description;
    golden_metrics(&text, &golden.plan, &job, 1, 0, 0);
    golden_end("empty");
    assert_contains(text.text, ",part=\"return\"} 3\n");
    assert_contains(text.text, "\nioping_requests_split_total{");
    assert_lacks(text.text, "ioping_sync_device_seconds");
    buffer_free(&text);
}
