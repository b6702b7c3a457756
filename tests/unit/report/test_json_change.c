/* JSON of several targets, or recorded runs: how each differs from the reference. */
#include "golden.h"

#define ROOM 2002

/* A target whose requests all take LATENCY, so that the bounds of a ratio are those of
 * the two steps of the histogram. */
static const struct {
    const char *name;
    int count;
    int64_t latency;
} devices[] = {
    {"slow", 2000, 600000}, {"fast", 2000, 500000}, {"same", 1000, 500000},
    {"few", 99, 500000},    {"fewer", 14, 250000},  {"none", 0, 0},
};

static struct job jobs[LENGTH(devices)];

static void
fill_job(int number, bool recorded)
{
    static struct time_series series[LENGTH(devices)];
    static struct series_entry entries[LENGTH(devices)][ROOM];
    struct job *job = &jobs[number];
    memset(job, 0, sizeof(*job));
    series_start(&series[number], entries[number], ROOM, 1);
    for (int i = 0; i < devices[number].count; i++) {
        struct sample sample = {.start = (int64_t)i * 1000000,
                                .latency = devices[number].latency,
                                .bytes = 4096,
                                .verdict = VERDICT_NONE};
        stats_record(&job->outcome.total, &sample);
        series_record(&series[number], sample.start, sample.latency);
    }
    job->index = number;
    job->target_count = LENGTH(devices);
    job->target.description = (struct description){.path = devices[number].name,
                                                   .fstype = "xfs",
                                                   .device = "/dev/vda",
                                                   .size = 1 << 30,
                                                   .mode = IO_MODE_DIRECT,
                                                   .is_recorded = recorded};
    job->outcome.series = &series[number];
    job->outcome.duration = 2000000000;
}

static void
begin(enum format format, bool recorded)
{
    for (int i = 0; i < (int)LENGTH(devices); i++)
        fill_job(i, recorded);
    golden_prepare(format);
    golden.plan.statistics.series_capacity = ROOM;
    golden.plan.mode = recorded ? MODE_COMPARE : MODE_RUN;
    golden_begin_of(jobs, LENGTH(devices));
}

TEST(each_target_has_its_change_from_the_fastest)
{
    begin(FORMAT_JSON, false);
    for (size_t i = 0; i < LENGTH(devices); i++)
        golden_record(&jobs[i],
                      (struct run_record){.kind = RECORD_SUMMARY,
                                          .stats = &jobs[i].outcome.total,
                                          .duration = jobs[i].outcome.duration});
    report_compare(&golden.reports);
    golden_end("json_change");
}

/* As a line each. */
TEST(each_recorded_run_has_its_change_from_the_first)
{
    begin(FORMAT_NDJSON, true);
    report_recorded(&golden.reports, NULL);
    golden_end("ndjson_change");
}

TEST(periods_have_no_change)
{
    begin(FORMAT_NDJSON, false);
    for (size_t i = 0; i < LENGTH(devices); i++)
        golden_record(&jobs[i], (struct run_record){.kind = RECORD_PERIOD,
                                                    .stats = &jobs[i].outcome.total,
                                                    .duration = 1});
    size_t size;
    char *text = golden_read(golden.path, &size);
    assert_non_null(strstr(text, "\"stat\""));
    assert_null(strstr(text, "change"));
    free(text);
    report_end(&golden.reports, &golden.outcome);
    dup2(golden.saved, 1);
    close(golden.saved);
}
