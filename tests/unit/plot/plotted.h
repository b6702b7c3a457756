#ifndef PLOT_PLOTTED_H
#define PLOT_PLOTTED_H

/* Plots of runs and sweeps that were made up, the same each time. */
#include "mix.h"
#include "support.h"

#include "base/random.h"
#include "plot/plot.h"
#include "run/job.h"

#define PLOTTED_TARGETS 64
#define PLOTTED_STEPS 18
#define PLOTTED_BEGAN 86400000000000LL /* monotonic, ns */
#define PLOTTED_HOUR 3600000000000LL

/* Latencies and failures of the requests of a run, or of the steps of a sweep. */
enum plotted_kind {
    PLOTTED_EQUAL,   /* all as long; once a second; steps: at the same point */
    PLOTTED_NARROW,  /* 90 to 110 us; every 200 us; steps: rising a little */
    PLOTTED_DECADES, /* 10 us to 100 ms, one after another; steps: a saturating curve */
    PLOTTED_EXTREME, /* 1 ns to 1 hour, one after another; steps: the widest range */
    PLOTTED_FAILING, /* narrow, one of 7 fails; steps: one of 3 is empty */
    PLOTTED_LOST,    /* all fail; steps: all are empty */
    PLOTTED_MISSING, /* one of 11 misses 4 grid points, and percentiles are corrected */
    PLOTTED_KINDS
};

struct plotted_case {
    enum sweep_kind sweep;
    int targets;
    uint64_t requests; /* of each that count or fail; or its steps */
    enum plotted_kind kind;
};

/* The data of a plot; freed by plotted_free. */
struct plotted {
    struct plan plan;
    char paths[PLOTTED_TARGETS][32];
    struct job *jobs;    /* one for each target */
    struct stats *stats; /* one for each target */
    struct track *tracks;
    struct plot plot;
};

static inline struct sample
plotted_request(enum plotted_kind kind, uint64_t index, struct random *random)
{
    struct sample sample = {
        .index = index, .size = 4096, .bytes = 4096, .verdict = VERDICT_NONE};
    double share = (double)(random_next(random) >> 11) / 0x1p53;
    sample.latency = 90000 + (int64_t)(share * 20000);
    if (kind == PLOTTED_EQUAL)
        sample.latency = 100000;
    if (kind == PLOTTED_DECADES)
        sample.latency = (int64_t)pow(10, 4 + 4 * share);
    if (kind == PLOTTED_EXTREME)
        sample.latency = index == 2   ? 1
                         : index == 3 ? PLOTTED_HOUR
                                      : (int64_t)pow(10, 12.5 * share);
    if (kind == PLOTTED_LOST || (kind == PLOTTED_FAILING && index % 7 == 3))
        sample = (struct sample){.size = 4096, .error = EIO, .verdict = VERDICT_ERROR};
    if (kind == PLOTTED_MISSING && index % 11 == 2) {
        sample.latency = 4900000;
        sample.missed = 4;
    }
    return sample;
}

/* Returns the time from the start of a request to the start of the next, ns. */
static inline int64_t
plotted_pause(enum plotted_kind kind, const struct sample *sample)
{
    if (kind == PLOTTED_DECADES || kind == PLOTTED_EXTREME)
        return sample->latency;
    if (kind == PLOTTED_MISSING)
        return 1000000 * (1 + (int64_t)sample->missed);
    return kind == PLOTTED_EQUAL ? 1000000000 : 200000;
}

/* Records the requests of one target, after a warm-up, which is not drawn. */
static inline void
plotted_run(struct stats *stats, struct track *track, const struct plotted_case *drawn,
            uint64_t seed)
{
    struct random random;
    int64_t start = PLOTTED_BEGAN;
    random_seed(&random, seed);
    stats->corrected_interval = drawn->kind == PLOTTED_MISSING ? 1000000 : 0;
    track_start(track, start, 0);
    for (uint64_t i = 0; i <= drawn->requests; i++) {
        struct sample sample = plotted_request(drawn->kind, i + 1, &random);
        if (i == 0)
            sample.verdict = VERDICT_WARMUP;
        sample.start = start;
        start += plotted_pause(drawn->kind, &sample);
        stats_record(stats, &sample);
        track_record(track, &sample);
    }
}

/* Makes a step of a device that does 8 requests at a time, and a little less with more.
 */
static inline struct job_step
plotted_step(const struct plotted_case *drawn, int target, int number)
{
    static const struct {
        double iops, latency;
    } kinds[PLOTTED_KINDS] = {{5000, 200000}, {5000, 200000}, {9000, 110000}, {0, 0},
                              {9000, 110000}, {0, 0},         {9000, 110000}};
    double parallel = ldexp(1, number), speed = kinds[drawn->kind].iops * (1 + target);
    double latency = kinds[drawn->kind].latency;
    struct job_step step = {.value = 1LL << number, .requests = 1000};
    if (drawn->sweep == SWEEP_SIZE)
        step.value *= 512;
    if (drawn->kind == PLOTTED_NARROW)
        speed *= 1 + 0.002 * number;
    if (drawn->kind == PLOTTED_DECADES || drawn->kind == PLOTTED_FAILING) {
        speed *= fmin(parallel, 8) * (1 - 0.01 * fmax(0, number - 3));
        latency *= fmax(1, parallel / 8);
    }
    if (drawn->kind == PLOTTED_EXTREME) {
        speed = pow(10, 0.6 * number - 3);
        latency = number % 2 ? 1 : PLOTTED_HOUR / 4.0;
    }
    step.iops = speed;
    step.bps = speed * (drawn->sweep == SWEEP_SIZE ? (double)step.value : 4096);
    step.p50 = (int64_t)latency;
    step.p99 = drawn->kind == PLOTTED_EQUAL ? step.p50 : step.p50 * 2;
    step.max = drawn->kind == PLOTTED_EQUAL ? step.p50 : step.p50 * 4;
    step.verdict =
        drawn->kind == PLOTTED_NARROW || step.p99 <= 1000000 ? SLO_MET : SLO_BROKEN;
    bool empty = drawn->kind == PLOTTED_LOST ||
                 (drawn->kind == PLOTTED_FAILING && number % 3 == 1);
    return empty ? (struct job_step){.value = step.value} : step;
}

static inline void
plotted_target(struct plotted *plotted, const struct plotted_case *drawn, int i)
{
    struct job *job = &plotted->jobs[i];
    snprintf(plotted->paths[i], sizeof(plotted->paths[i]), "/mnt/disk%d", i);
    job->target.description = (struct description){.path = plotted->paths[i],
                                                   .fstype = "ext4",
                                                   .device = "/dev/vda1",
                                                   .size = 42198053683, /* 39.3 GiB */
                                                   .mode = IO_MODE_DIRECT};
    if (drawn->sweep == SWEEP_NONE) {
        plotted_run(&plotted->stats[i], &plotted->tracks[i], drawn, (uint64_t)i + 1);
        job->stats = &plotted->stats[i];
        job->track = &plotted->tracks[i];
        return;
    }
    for (int k = 0; k < (int)drawn->requests; k++)
        job->sweep.steps[k] = plotted_step(drawn, i, k);
    job->sweep.count = (int)drawn->requests;
    job->sweep.highest_index = job->sweep.count - 1;
}

static inline struct plotted *
plotted_make(const struct plotted_case *drawn)
{
    struct plotted *plotted = calloc(1, sizeof(*plotted));
    assert_non_null(plotted);
    plotted->jobs = calloc((size_t)drawn->targets, sizeof(*plotted->jobs));
    plotted->stats = calloc((size_t)drawn->targets, sizeof(*plotted->stats));
    plotted->tracks = calloc((size_t)drawn->targets, sizeof(*plotted->tracks));
    assert_true(plotted->jobs && plotted->stats && plotted->tracks);
    plotted->plan = (struct plan){.workload.mix = mix_of("read"),
                                  .workload.request_size = 4096,
                                  .io.threads = 1,
                                  .io.depth = 1,
                                  .pace.burst = 1,
                                  .pace.interval = 1000000000,
                                  .end.max_requests = UINT64_MAX,
                                  .end.work_time = INT64_MAX,
                                  .sweep.kind = drawn->sweep};
    if (drawn->sweep != SWEEP_NONE && drawn->kind != PLOTTED_NARROW) {
        slos_add(&plotted->plan.statistics.slos, "p99=1ms");
        slos_add(&plotted->plan.statistics.slos, "max=1min");
    }
    if (drawn->kind == PLOTTED_MISSING)
        plotted->plan.statistics.corrected_interval = plotted->plan.pace.interval =
            1000000;
    if (drawn->sweep == SWEEP_DEPTH)
        plotted->plan.io.engine_name = "io_uring";
    for (int i = 0; i < drawn->targets; i++)
        plotted_target(plotted, drawn, i);
    plotted->plot = (struct plot){
        .plan = &plotted->plan, .jobs = plotted->jobs, .count = drawn->targets};
    return plotted;
}

static inline void
plotted_free(struct plotted *plotted)
{
    free(plotted->jobs);
    free(plotted->stats);
    free(plotted->tracks);
    free(plotted);
}

/* The plot of a case, to be freed. */
static inline struct buffer
plotted_draw(const struct plotted_case *drawn)
{
    struct plotted *plotted = plotted_make(drawn);
    struct buffer text = {0};
    plot_format(&text, &plotted->plot);
    assert_false(text.failed);
    plotted_free(plotted);
    return text;
}

/* Writes the plot to a file NAME in the scratch folder. */
static inline void
plotted_write(const struct buffer *text, const char *name)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->text, 1, text->length, file), text->length);
    assert_int_equal(fclose(file), 0);
}

#endif
