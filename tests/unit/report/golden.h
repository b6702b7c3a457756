#ifndef REPORT_GOLDEN_H
#define REPORT_GOLDEN_H

/* A report with a fixed clock whose stdout is caught, and expected bytes. */
#include "formats.h"
#include "support.h"

#include "cli/options.h"
#include "os/process.h"
#include "report/report.h"
#include "run/job.h"
#include "run/run.h"

#define NS_2026 1795247457055062000LL /* 2026-11-21 07:50:57.055062 */

struct golden {
    struct options options;
    struct plan plan;
    struct job job;
    struct reports reports;
    struct report *report; /* the first of them */
    struct run_observer observer;
    struct outcome outcome; /* as the report left it in the end */
    int saved;              /* the real stdout */
    char path[1100];
};

static struct golden golden; /* that of the test that runs */

static inline int64_t
golden_wall(void)
{
    return NS_2026;
}

static int64_t golden_wall_now;

static inline int64_t
golden_get_wall(void)
{
    return golden_wall_now;
}

/* Adds the metrics of COUNT jobs at NOW, when the clock on the wall shows WALL. */
static inline void
golden_metrics(struct buffer *text, const struct plan *plan, const struct job *jobs,
               int count, int64_t now, int64_t wall)
{
    struct report report = {.plan = plan,
                            .jobs = jobs,
                            .job_count = count,
                            .text = *text,
                            .wall_now = golden_get_wall};
    golden_wall_now = wall;
    report_prometheus.tick(&report, jobs, count, now, false);
    *text = report.text;
}

static inline void
golden_format(enum format format)
{
    golden.plan.output.list[0].kind = &output_kinds[format];
}

/* The test then changes plan and target, before golden_begin. */
static inline void
golden_prepare(enum format format)
{
    golden = (struct golden){0};
    void (*const *records)(struct report *, const struct run_record *) =
        output_kinds[format].format->records;
    golden.plan.options = &golden.options;
    golden.plan.output = (struct plan_output){
        .list = {{.has_requests = output_kinds[format].format->sample,
                  .has_periods = records[RECORD_PERIOD],
                  .has_summary = records[RECORD_SUMMARY]}},
        .count = 1,
        .stream_count = 1,
        .print_count = 1,
        .buckets = &buckets_default};
    golden_format(format);
    golden.job.target_count = 1;
    golden.job.target.description =
        (struct description){.path = "/tmp",
                             .fstype = "ext4",
                             .device = "/dev/vda1",
                             .size = 42198053683, /* 39.3 GiB */
                             .mode = IO_MODE_DIRECT};
}

/* Begins the report of COUNT JOBS, which stay the caller's. */
static inline void
golden_begin_of(const struct job *jobs, int count)
{
    struct error error;
    snprintf(golden.path, sizeof(golden.path), "%s/output", scratch());
    int fd = open(golden.path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    fflush(stdout);
    golden.saved = dup(1);
    dup2(fd, 1);
    close(fd);
    assert_int_equal(report_begin(&golden.reports, &golden.plan, jobs, count, &error), 0);
    assert_int_equal(report_claim(&golden.reports, &golden.plan, &error), 0);
    golden.report = &golden.reports.list[0];
    golden.report->wall_now = golden_wall;
    golden.observer = report_observer(&golden.reports);
    for (int i = 0; i < count; i++)
        golden.observer.begin(&golden.reports, &jobs[i]);
}

static inline void
golden_begin(void)
{
    golden_begin_of(&golden.job, 1);
}

/* Tells of a record of JOB. */
static inline int
golden_record(const struct job *job, struct run_record record)
{
    return golden.observer.record(&golden.reports, job, &record);
}

static inline void
golden_sample(struct sample sample)
{
    golden.observer.sample(&golden.reports, &golden.job, &sample);
}

static inline void
golden_period(const struct stats *stats, int64_t time)
{
    golden_record(&golden.job,
                  (struct run_record){RECORD_PERIOD, stats, time, NULL, NULL});
}

static inline int
golden_summary(const struct stats *stats, int64_t time)
{
    golden.job.outcome.total = *stats;
    golden.job.outcome.duration = time;
    return golden_record(
        &golden.job,
        (struct run_record){RECORD_SUMMARY, &golden.job.outcome.total, time, NULL, NULL});
}

static inline int
golden_end_step(const struct job_step *step, const struct stats *stats, int64_t time)
{
    return golden_record(&golden.job,
                         (struct run_record){RECORD_STEP, stats, time, step, NULL});
}

static inline int
golden_step(int64_t value, const struct stats *stats, int64_t time)
{
    return golden_end_step(&(struct job_step){.value = value}, stats, time);
}

/* Tells of the highest step of the job. */
static inline void
golden_highest(void)
{
    golden_record(&golden.job, (struct run_record){.kind = RECORD_HIGHEST});
}

/* Ends PHASE of the job, beside BACKGROUND if that is not NULL. */
static inline int
golden_phase(enum phase phase, const struct job *background)
{
    const struct job_phase *ended = &golden.job.phases->list[phase];
    return golden_record(&golden.job,
                         (struct run_record){RECORD_PHASE, &ended->stats, ended->duration,
                                             NULL, background});
}

static inline char *
golden_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 65536);
    assert_non_null(file);
    assert_non_null(text);
    *size = fread(text, 1, 65535, file);
    fclose(file);
    return text;
}

/* Fails unless SIZE bytes of TEXT are exactly what tests/golden/NAME has. */
static inline void
golden_compare(const char *text, size_t size, const char *name)
{
    char path[1100];
    size_t expected_size;
    const char *source = getenv("IOPING_SOURCE");
    snprintf(path, sizeof(path), "%s/tests/golden/%s", source ? source : ".", name);
    char *expected = golden_read(path, &expected_size);
    if (size != expected_size || memcmp(text, expected, size) != 0)
        fail_msg("%s: expected:\n%s\nwritten:\n%s", name, expected, text);
    free(expected);
}

/* Ends the report. Returns what it wrote, SIZE bytes, which the caller frees. */
static inline char *
golden_take(size_t *size)
{
    report_end(&golden.reports, &golden.outcome);
    dup2(golden.saved, 1);
    close(golden.saved);
    assert_int_equal(golden.outcome.output_error, 0);
    return golden_read(golden.path, size);
}

/* Ends the report; fails unless it wrote exactly what tests/golden/NAME has. */
static inline void
golden_end(const char *name)
{
    size_t size;
    char *text = golden_take(&size);
    golden_compare(text, size, name);
    free(text);
}

/* The statistics of the whole run in section 5 of the contract. */
static inline struct stats
golden_stats(void)
{
    return (struct stats){.latency = {.count = 9,
                                      .sum = 5614200,
                                      .min = 590800,
                                      .max = 685012,
                                      .mean = 623800,
                                      .squares = 9 * 26501.0 * 26501.0},
                          .bytes = 9 * 4096,
                          .requests = 10,
                          .all_bytes = 10 * 4096};
}

/* Fails unless a filter of jq yields true for the records, in a list or a line each. */
static inline void
assert_jq(const char *filter)
{
    need_program("jq");
    expect(0, NULL, NULL, "jq -s -e 'flatten | %s' output", filter);
}

/* Wakes end the waits of a test then. */
static inline int
hear_wake_ups(void **state)
{
    (void)state;
    os_signals_install();
    return 0;
}

#endif
