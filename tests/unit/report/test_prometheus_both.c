/* Metrics of reads and writes that are mixed. */
#include "golden.h"
#include "mix.h"

#include "base/time.h"
#include "report/writers.h"

/* Requests that took 1, 2 ... ms, the first a write with a flush of half that time; each
 * tenth failed, and three points were missed after each. */
static struct stats
mixed(int count)
{
    struct stats stats = {.mix = mix_of("rw")};
    for (int i = 1; i <= count; i++) {
        bool writes = i % 2;
        struct sample sample = {.index = (uint64_t)i,
                                .start = i * SECOND,
                                .latency = i * MS,
                                .sync = writes ? i * MS / 2 : 0,
                                .missed = 3,
                                .bytes = 4096,
                                .operation = writes ? OPERATION_WRITE : OPERATION_READ,
                                .verdict = i % 10 ? VERDICT_NONE : VERDICT_ERROR};
        sample.split.result = SPLIT_DONE;
        sample.split.part[PART_DEVICE] = sample.latency - sample.sync;
        sample.split.sync_device = sample.sync / 2;
        stats_record(&stats, &sample);
        if (sample_counts(&sample))
            breakdown_record(&stats.breakdown, &sample);
    }
    return stats;
}

/* Writes the metrics of two targets of the same name, the second of which has not begun,
 * and compares them with tests/golden/NAME. */
static void
write_metrics(const struct stats *stats, const char *name)
{
    static struct stats nothing;
    static struct job jobs[2];
    golden_prepare(FORMAT_HUMAN);
    golden.plan.workload.mix = mix_of("rw");
    golden.plan.statistics.has_breakdown = true;
    golden_begin();
    jobs[0].stats = stats;
    jobs[0].in_flight = (struct job_in_flight){1, SECOND};
    jobs[1].stats = &nothing;
    jobs[0].target.description = jobs[1].target.description =
        golden.job.target.description;
    golden_metrics(&golden.report->text, &golden.plan, jobs, 2, 3 * SECOND, 3 * SECOND);
    golden_end(name);
}

TEST(each_operation_has_its_series)
{
    struct stats stats = mixed(21);
    write_metrics(&stats, "prometheus_both");
    struct result result = command("grep -v '^#' output | sed 's/ [^ ]*$//' | sort | "
                                   "uniq -d; grep -c '^#' output; grep '^#' output | "
                                   "sort | uniq -d");
    assert_string_equal(result.out, "24\n"); /* of 12 metrics; none is there twice */
    command_free(&result);
}

TEST(promtool_takes_it)
{
    need_program("promtool");
    struct stats stats = mixed(21);
    write_metrics(&stats, "prometheus_both");
    struct result result = command("promtool check metrics <output");
    if (result.status != 0 || *result.err)
        fail_msg("promtool: %d: %s%s", result.status, result.out, result.err);
    command_free(&result);
}
