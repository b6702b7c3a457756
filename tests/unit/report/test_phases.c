/* What the formats, the metrics and the status line have of phases. */
#include "golden.h"
#include "mix.h"

#include "base/time.h"
#include "report/status.h"
#include "report/writers.h"

static struct job_phases phases; /* too large for a stack */
static struct job load;          /* likewise */

/* Adds COUNT requests of SIZE, of which each takes US more than the one before. */
static void
record(struct stats *stats, int count, int64_t size, int64_t us)
{
    for (int i = 1; i <= count; i++) {
        struct sample sample = {.index = (uint64_t)i,
                                .latency = i * us * US,
                                .size = size,
                                .bytes = size,
                                .verdict = VERDICT_NONE};
        stats_record(stats, &sample);
    }
}

/* Prepares a report of a job with phases, none of which has begun. */
static void
prepare(enum format format)
{
    golden_prepare(format);
    memset(&phases, 0, sizeof(phases));
    memset(&load, 0, sizeof(load));
    golden.plan.mode = MODE_PHASES;
    golden.plan.end.max_requests = 100;
    golden.plan.end.work_time = INT64_MAX;
    golden.plan.io.threads = golden.plan.pace.burst = 1;
    golden.plan.output.percentiles = percentiles_default;
    golden.job.stats = &golden.job.progress.total;
    golden.job.phases = &phases;
    phases.background = &load;
    load.plan = (struct plan){.path = "/mnt/a \"b\"",
                              .mode = MODE_BACKGROUND,
                              .workload.mix = mix_of("write"),
                              .workload.request_size = 1 << 20,
                              .io.depth = 8,
                              .io.threads = 1};
}

/* Ends PHASE with COUNT requests, and tells of it. */
static void
end_phase(enum phase phase, int count, int64_t us)
{
    struct job_phase *past = &phases.list[phase];
    phases.current = phase;
    past->has_ended = true;
    past->duration = 5 * SECOND;
    record(&past->stats, count, 4096, us);
    if (phase == PHASE_LOADED) {
        record(&load.outcome.total, 122, 1 << 20, 10);
        load.outcome.duration = 2 * SECOND;
    }
    assert_int_equal(
        golden_phase(phase, phase == PHASE_LOADED ? phases.background : NULL), 0);
}

static void
end_all(void)
{
    end_phase(PHASE_IDLE, 100, 1);
    end_phase(PHASE_LOADED, 200, 100);
    end_phase(PHASE_RECOVERED, 99, 2);
}

TEST(records_have_the_phase)
{
    prepare(FORMAT_JSON);
    golden_begin();
    phases.current = PHASE_IDLE;
    golden_sample((struct sample){.index = 1,
                                  .latency = 1000,
                                  .size = 4096,
                                  .bytes = 4096,
                                  .verdict = VERDICT_NONE});
    end_all();
    golden_summary(&phases.list[PHASE_IDLE].stats, SECOND);
    golden_end("phases_json");
}

TEST(raw_lines_end_with_the_phase)
{
    prepare(FORMAT_RAW);
    golden_begin();
    phases.current = PHASE_IDLE;
    golden_period(&(struct stats){.requests = 3}, SECOND);
    end_all();
    golden_summary(&phases.list[PHASE_IDLE].stats, SECOND);
    golden_end("phases_raw");
}

TEST(a_table_has_a_row_for_each_phase)
{
    prepare(FORMAT_HUMAN);
    golden_begin();
    end_all();
    golden_summary(&phases.list[PHASE_IDLE].stats, SECOND);
    golden_end("phases_human");
}

/* Without what tells least of a phase. */
TEST(a_terminal_has_the_columns_that_fit)
{
    static const struct {
        const char *has, *lacks;
        int columns;
        bool breakdown;
    } cases[] = {
        {"phase         requests        p50 ", "\nphase\n", 84, false},
        {"phase       requests        p50 ", "\nphase\n", 80, false},
        {"load bandwidth", "requests", 79, false},
        {"\nphase\n        p50 ", "requests", 69, false},
        {"\nphase\n        p50 ", "bandwidth", 80, true},
    };
    prepare(FORMAT_HUMAN);
    golden_begin();
    end_all();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct report report = {.plan = &golden.plan,
                                .jobs = &golden.job,
                                .is_terminal = true,
                                .columns = cases[i].columns};
        golden.plan.statistics.has_breakdown = cases[i].breakdown;
        buffer_text(&report.text, "\n");
        table_phases(&report);
        const struct buffer text = report.text;
        assert_contains(text.text, cases[i].has);
        assert_contains(text.text, "p99 vs idle");
        assert_contains(text.text, "\nrecovered");
        assert_lacks(text.text, cases[i].lacks);
        for (const char *at = text.text; *at; at += strcspn(at, "\n") + 1)
            if ((int)strcspn(at, "\n") > cases[i].columns)
                fail_msg("wider than %d: %s", cases[i].columns, text.text);
        buffer_free(&report.text);
    }
    golden.plan.statistics.has_breakdown = false;
    golden_summary(&phases.list[PHASE_IDLE].stats, SECOND);
    golden_end("phases_human");
}

/* As after a signal. The ratio is not known, as one of the two is not. */
TEST(a_table_has_the_phases_that_were)
{
    prepare(FORMAT_HUMAN);
    golden.plan.output.percentiles = (struct percentiles){.is_given = true};
    golden_begin();
    end_phase(PHASE_IDLE, 0, 1);
    load.plan.io.threads = 16;
    load.plan.workload.linear = true;
    end_phase(PHASE_LOADED, 200, 100);
    golden_summary(&phases.list[PHASE_IDLE].stats, SECOND);
    golden_end("phases_human_two");
}

/* The present phase is that of the load. */
TEST(metrics_are_those_of_each_phase)
{
    struct buffer text = {0};
    prepare(FORMAT_HUMAN);
    phases.list[PHASE_IDLE].has_ended = true;
    phases.current = PHASE_LOADED;
    phases.list[PHASE_IDLE].stats.requests = 7;
    golden.job.progress.total.requests = 3;
    golden.job.in_flight.count = 1;
    golden_metrics(&text, &golden.plan, &golden.job, 1, 0, 0);
    assert_false(text.failed);
#define LABELS                                                                  \
    "{target=\"/tmp\",device=\"/dev/vda1\",fstype=\"ext4\",operation=\"read\"," \
    "mode=\"direct\",phase="
    assert_contains(text.text, "\nioping_requests_total" LABELS "\"idle\"} 7\n"
                               "ioping_requests_total" LABELS "\"loaded\"} 3\n#");
    assert_contains(text.text,
                    "gauge\nioping_requests_in_flight" LABELS "\"loaded\"} 1\n#");
    buffer_free(&text);
}

/* As in the file that is there before the first request. */
TEST(metrics_begin_with_the_first_phase)
{
    struct buffer text = {0};
    prepare(FORMAT_HUMAN);
    golden_metrics(&text, &golden.plan, &golden.job, 1, 0, 0);
    assert_contains(text.text, "\nioping_requests_total" LABELS "\"idle\"} 0\n#");
    assert_contains(text.text,
                    "gauge\nioping_requests_in_flight" LABELS "\"idle\"} 0\n#");
    assert_lacks(text.text, "loaded");
    buffer_free(&text);
}

static int64_t
ten_seconds(void)
{
    return 10 * SECOND;
}

/* Half of the second phase: it began a second late, and has been there for one. */
TEST(progress_is_that_of_all_phases)
{
    struct status_facts facts;
    struct buffer text = {0};
    prepare(FORMAT_HUMAN);
    phases.current = PHASE_LOADED;
    golden.job.progress.total.requests = 50;
    phases.total.requests = 150;
    golden.job.stats = &phases.total;
    struct status *status = status_open(&golden.plan, 1, 0);
    struct report report = {.status = status, .monotonic_now = ten_seconds};
    report_status.part(&report, &golden.job, &(struct run_part){.phase = PHASE_LOADED});
    status_gather(status, &golden.job, 1, 12 * SECOND, &facts);
    assert_int_equal(facts.place.phase, PHASE_LOADED);
    assert_int_equal(facts.requests, 50);
    assert_true(facts.share > 0.49 && facts.share < 0.51);
    assert_int_equal(facts.remaining_ns, SECOND + 2 * SECOND);
    status_format(&text, &facts, 80, false, false);
    assert_contains(text.text, "under load (2/3)  [");
    assert_contains(text.text, "50%  50 requests");
    buffer_free(&text);
    status_close(status);
}

/* The phase that goes on has the total; one that has not begun has no line. */
TEST(interim_statistics_are_those_of_each_phase)
{
    char path[1100];
    size_t size;
    prepare(FORMAT_RAW);
    golden_begin();
    phases.list[PHASE_IDLE].has_ended = true;
    record(&phases.list[PHASE_IDLE].stats, 2, 4096, 10);
    phases.current = PHASE_LOADED;
    record(&golden.job.progress.total, 1, 4096, 1000);
    snprintf(path, sizeof(path), "%s/errors", scratch());
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), saved = dup(2);
    dup2(fd, 2);
    golden.observer.interim(&golden.reports, &golden.job);
    dup2(saved, 2);
    close(saved);
    close(fd);
    char *text = golden_read(path, &size);
    assert_string_equal(
        text, "idle: 2 requests, min/avg/max/mdev = 10 us / 15 us / 20 us / 5 us\n"
              "under load: 1 requests, min/avg/max/mdev = 1 ms / 1 ms / 1 ms / 0 ns\n");
    free(text);
    golden_end("empty");
}
