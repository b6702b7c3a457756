/* What people see of a run with reads and writes in turn, each apart: to the byte. */
#include "golden.h"
#include "mix.h"

#include "base/time.h"
#include "report/writers.h"
#include "stats/comparison.h"

static struct job_phases phases; /* too large for a stack */
static struct job load;          /* likewise */

/* COUNT reads of 100 us, 101 us ... and as many writes, each with a flush in it, that
 * take ten times as long; as they are, or with the waits of a grid of EVERY ns. */
static struct stats
both(int count, int64_t every)
{
    struct stats stats = {.mix = mix_of("rw"), .corrected_interval = every};
    for (int i = 0; i < 2 * count; i++) {
        int64_t us = 100 + i / 2;
        bool writes = i % 2 == 1;
        struct sample sample = {.latency = (writes ? 10 * us : us) * US,
                                .sync = writes ? us * US : 0,
                                .size = 4096,
                                .bytes = 4096,
                                .operation = writes ? OPERATION_WRITE : OPERATION_READ,
                                .verdict = VERDICT_NONE};
        sample.split = (struct split){.result = SPLIT_DONE, .part[PART_DEVICE] = US};
        stats_record(&stats, &sample);
        breakdown_record(&stats.breakdown, &sample);
    }
    return stats;
}

static void
begin(void)
{
    golden_prepare(FORMAT_HUMAN);
    golden.options.given[OPTION_HISTOGRAM] = true;
    golden.plan.workload.mix = mix_of("rw");
    golden.plan.output.percentiles = percentiles_default;
}

/* Its last step has too few writes for a p99, and the one before nothing that counts. */
TEST(a_step_has_a_row_for_each_operation)
{
    struct stats stats = both(100, 0), nothing = {.mix = mix_of("rw"), .requests = 1};
    begin();
    golden.plan.sweep.kind = SWEEP_SIZE;
    golden_begin();
    golden_step(4096, &stats, SECOND);
    golden_step(8192, &nothing, SECOND);
    stats = both(60, 0);
    golden_step(16384, &stats, SECOND);
    golden_end("apart_sweep");
}

/* The device's columns are of both. */
TEST(a_rate_has_them_below_its_own_columns)
{
    struct stats stats = both(100, 10 * MS);
    begin();
    golden.plan.sweep.kind = SWEEP_RATE;
    golden.plan.statistics.has_breakdown = true;
    golden_begin();
    golden_end_step(&(struct job_step){.value = 100, .answered_rate = 200}, &stats,
                    SECOND);
    golden_end("apart_rate");
}

static void
end_phase(enum phase phase, int count)
{
    phases.list[phase].has_ended = true;
    phases.list[phase].stats = both(count, 0);
    assert_int_equal(
        golden_phase(phase, phase == PHASE_LOADED ? phases.background : NULL), 0);
}

/* Ratios are those of the same operation. */
TEST(a_phase_has_a_row_and_a_histogram_for_each_operation)
{
    begin();
    golden.plan.mode = MODE_PHASES;
    golden.job.phases = &phases;
    phases.background = &load;
    load.plan = (struct plan){.path = "/mnt",
                              .mode = MODE_BACKGROUND,
                              .workload.mix = mix_of("write"),
                              .workload.request_size = 1 << 20,
                              .io.depth = 1,
                              .io.threads = 1};
    golden_begin();
    end_phase(PHASE_IDLE, 100);
    end_phase(PHASE_LOADED, 200);
    end_phase(PHASE_RECOVERED, 50);
    golden_summary(&phases.list[PHASE_IDLE].stats, SECOND);
    golden_end("apart_phases");
}

TEST(each_operation_has_a_histogram)
{
    struct stats stats = both(10, 0);
    begin();
    golden_begin();
    golden_summary(&stats, SECOND);
    golden_end("apart_histogram");
}

/* Reads have waited for writes. */
TEST(histograms_of_both_are_corrected)
{
    struct stats stats = both(10, 400 * US);
    begin();
    golden.plan.output.percentiles.count = 0;
    golden_begin();
    golden_summary(&stats, SECOND);
    golden_end("apart_corrected");
}

/* In a file and on a narrow terminal; one target has no write that counts. */
TEST(a_target_has_a_line_for_each_operation)
{
    static struct stats stats[2];
    static const struct slos none;
    stats[0] = both(100, 0);
    stats[1] = (struct stats){.mix = mix_of("rw")};
    struct sample read = {.latency = 50 * US, .bytes = 4096, .verdict = VERDICT_NONE};
    stats_record(&stats[1], &read);
    struct comparison_row rows[] = {{.name = "/mnt", .stats = &stats[0]},
                                    {.name = "/tmp", .stats = &stats[1]}};
    assert_int_equal(comparison_fill(rows, 2, &none, true), 0);
    begin();
    golden_begin();
    struct report *report = golden.report;
    report->job_count = 2;
    comparison_format(report, rows);
    report->is_terminal = true;
    report->columns = 60;
    comparison_format(report, rows);
    report->job_count = 1;
    report->is_terminal = false;
    golden_end("apart_comparison");
}
