#ifndef PLOT_DIAGNOSED_H
#define PLOT_DIAGNOSED_H

/* Plots of -diagnose. Their parts were made up: by hand, or from the random numbers of a
 * seed. */
#include "plotted.h"

#include "base/time.h"
#include "cli/options.h"

/* A plot and all that it refers to. */
struct diagnosed {
    struct plan plan;
    struct job jobs[PLAN_PARTS];
    struct stats stats[PLAN_PARTS];
    struct track tracks[PLAN_PARTS];
    struct plot_diagnosis result;
    struct plot plot;
};

/* Adds a request of LATENCY ns, of which SYNC ns were a flush, to PART. It began at
 * OFFSET ns after the start of the part. */
static inline void
diagnosed_record(struct diagnosed *diagnosed, enum plan_part part, int64_t offset,
                 int64_t latency, int64_t sync)
{
    struct sample sample = {.index = diagnosed->stats[part].requests + 1,
                            .size = diagnosed->jobs[part].plan.workload.request_size,
                            .start = PLOTTED_BEGAN + offset,
                            .latency = latency,
                            .sync = sync,
                            .verdict = VERDICT_NONE};
    sample.bytes = sample.size;
    stats_record(&diagnosed->stats[part], &sample);
    track_record(&diagnosed->tracks[part], &sample);
}

/* Adds a failed request to PART. */
static inline void
diagnosed_fail(struct diagnosed *diagnosed, enum plan_part part, int64_t offset)
{
    struct sample sample = {.index = diagnosed->stats[part].requests + 1,
                            .size = 4096,
                            .start = PLOTTED_BEGAN + offset,
                            .error = EIO,
                            .verdict = VERDICT_ERROR};
    stats_record(&diagnosed->stats[part], &sample);
    track_record(&diagnosed->tracks[part], &sample);
}

/* Adds a step to the sweep of depths. */
static inline void
diagnosed_step(struct diagnosed *diagnosed, int64_t depth, double iops, int64_t p50,
               int64_t p99)
{
    struct job_sweep *sweep = &diagnosed->jobs[PART_OF_DEPTHS].sweep;
    sweep->steps[sweep->count++] = (struct job_step){.value = depth,
                                                     .requests = 1000,
                                                     .iops = iops,
                                                     .bps = iops * 4096,
                                                     .p50 = p50,
                                                     .p99 = p99,
                                                     .max = p50 * 9};
}

/* Makes a plot without requests. */
static inline struct diagnosed *
diagnosed_make(void)
{
    static const struct plot_use uses[] = {
        {"etcd", PART_OF_FLUSHES, SLO_MET, 10 * MS},
        {"database log", PART_OF_FLUSHES, SLO_UNKNOWN, 0},
        {"desktop", PART_OF_PAUSES, SLO_MET, 100 * MS},
        {"streaming", PART_OF_STREAM, SLO_BROKEN, 16000000},
    };
    struct diagnosed *diagnosed = calloc(1, sizeof(*diagnosed));
    assert_non_null(diagnosed);
    struct plan *plan = &diagnosed->plan;
    *plan = (struct plan){.mode = MODE_DIAGNOSE,
                          .workload.mix = mix_of("read"),
                          .workload.request_size = 4096,
                          .io.threads = 1,
                          .io.depth = 1,
                          .pace.burst = 1};

    for (int part = 0; part < PLAN_PARTS; part++) {
        struct job *job = &diagnosed->jobs[part];
        job->plan = *plan;
        job->target.description = (struct description){.path = "/mnt/disk",
                                                       .fstype = "ext4",
                                                       .device = "/dev/vda1",
                                                       .size = 42198053683,
                                                       .mode = IO_MODE_DIRECT};
        job->stats = &diagnosed->stats[part];
        if (part != PART_OF_DEPTHS)
            job->track = &diagnosed->tracks[part];
        track_start(&diagnosed->tracks[part], PLOTTED_BEGAN, 0);
    }
    diagnosed->jobs[PART_OF_PAUSES].plan.pace.interval = 10 * MS;
    diagnosed->jobs[PART_OF_DEPTHS].plan.sweep.kind = SWEEP_DEPTH;
    diagnosed->jobs[PART_OF_STREAM].plan.workload.request_size = 256 << 10;
    diagnosed->jobs[PART_OF_FLUSHES].plan.workload.mix = mix_of("write");

    diagnosed->result = (struct plot_diagnosis){.answer = "This disk is a brick.",
                                                .use_count = (int)LENGTH(uses)};
    memcpy(diagnosed->result.uses, uses, sizeof(uses));
    diagnosed->plot = (struct plot){.plan = plan,
                                    .jobs = diagnosed->jobs,
                                    .count = PLAN_PARTS,
                                    .diagnosis = &diagnosed->result};
    return diagnosed;
}

/* Returns 10 to the power of a random number between LOW and HIGH. */
static inline double
diagnosed_power(struct random *random, double low, double high)
{
    double share = (double)(random_next(random) >> 11) / 0x1p53;
    return pow(10, low + share * (high - low));
}

/* Fills the sweep of depths with random steps. */
static inline void
diagnosed_sweep(struct diagnosed *diagnosed, struct random *random, double scale)
{
    int count = (int)random_below(random, 7);
    double iops = diagnosed_power(random, 0, 7);
    double latency = scale;

    for (int i = 0; i < count; i++) {
        bool knows_tail = random_below(random, 5) > 0;
        diagnosed_step(diagnosed, 1LL << i, iops, (int64_t)latency + 1,
                       knows_tail ? (int64_t)(latency * 3) + 1 : -1);
        latency *= diagnosed_power(random, 0, 0.8);
        iops *= diagnosed_power(random, -0.1, 0.4);
    }
    if (count > 1)
        diagnosed->result.knee = 1LL << random_below(random, (uint64_t)count - 1);
}

/* Makes the plot of SEED: each part with none, few or many requests of all scales. */
static inline struct diagnosed *
diagnosed_seeded(uint64_t seed)
{
    static const char *const answers[] = {
        NULL,
        "This NVMe disk is as fast as it should be (p50 81 us, p99 140 us).",
        "Cannot tell: a file system of type fuse.something does not say where its data "
        "is (p50 16.2 ms, p99 17.0 ms); with more than about 4 in flight, reads only "
        "wait; try ioping -q -c 1000 -i 10ms '/a path/with blanks/and more blanks/in "
        "it/that is long'.",
    };
    static const char *const reasons[] = {
        NULL, "measured in directories only",
        "request 1 failed: EREMOTEIO (Remote I/O error) on a disk with a long story"};
    static char *words[] = {"ioping", "-diagnose", "-plot", "x.svg", "/mnt/disk"};
    static struct options options = {.words = words, .word_count = (int)LENGTH(words)};
    struct random random;
    struct diagnosed *diagnosed = diagnosed_make();
    random_seed(&random, seed + 77);
    double scale = diagnosed_power(&random, 1.5, 9);

    diagnosed->plan.options = &options;
    diagnosed->plot.host = "a-machine-with-a-name.example.com";
    diagnosed->plot.made_at = 1795934126 * SECOND;
    diagnosed->result.answer = answers[random_below(&random, LENGTH(answers))];
    if (random_below(&random, 4) == 0)
        diagnosed->plot.count = PART_OF_FLUSHES;
    for (int i = 0; i < diagnosed->result.use_count; i++)
        diagnosed->result.uses[i].verdict = (enum slo_verdict)random_below(&random, 3);

    if (seed % 3 == 0)
        diagnosed->jobs[PART_OF_DEPTHS].plan.sweep.kind = SWEEP_THREADS;
    diagnosed_sweep(diagnosed, &random, scale);
    for (enum plan_part part = 0; part < PLAN_PARTS; part++) {
        double spread = diagnosed_power(&random, -3, 0.6);
        int count = (int)diagnosed_power(&random, -1, 3.4);
        int64_t offset = 0;

        diagnosed->result.missing[part] = reasons[random_below(&random, LENGTH(reasons))];
        for (int i = 0; i < count && part != PART_OF_DEPTHS; i++) {
            int64_t latency = (int64_t)(scale * diagnosed_power(&random, 0, spread)) + 2;
            if (random_below(&random, 40) == 0)
                diagnosed_fail(diagnosed, part, offset);
            else
                diagnosed_record(diagnosed, part, offset, latency,
                                 part == PART_OF_FLUSHES ? latency - 1 : 0);
            offset += latency + (part == PART_OF_PAUSES ? (int64_t)scale : 0);
        }
    }
    return diagnosed;
}

/* Returns the plot of DIAGNOSED, and frees DIAGNOSED. The plot is to be freed. */
static inline struct buffer
diagnosed_draw(struct diagnosed *diagnosed)
{
    struct buffer text = {0};
    plot_format(&text, &diagnosed->plot);
    assert_false(text.failed);
    free(diagnosed);
    return text;
}

#endif
