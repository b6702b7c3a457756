#ifndef PLOT_SEEDED_H
#define PLOT_SEEDED_H

/* Plots of random data, which a seed decides: of every kind, with narrow, wide, tiny and
 * huge values, with few and many requests, and with limits anywhere. */
#include "plotted.h"

#include "base/time.h"
#include "cli/options.h"
#include "stats/comparison.h"

enum seeded_kind {
    SEEDED_RUN,
    SEEDED_TARGETS,
    SEEDED_COMPARE,
    SEEDED_LOAD,
    SEEDED_OPERATIONS,
    SEEDED_PARTS,
    SEEDED_SIZE,
    SEEDED_DEPTH,
    SEEDED_RATE,
    SEEDED_INTERVAL,
    SEEDED_KINDS
};

/* A plot and what it refers to, besides what plotted_free frees. */
struct seeded {
    struct plotted *plotted;
    struct random random;
    struct comparison_row *rows;
    struct job *load;
    struct job_phases *phases;
};

static struct options seeded_options;
static char *seeded_words[] = {"ioping", "-slo",  "p99<1ms", "-i",
                               "10ms",   "-plot", "x.svg",   "a b c",
                               "-count", "12345", "WWWW",    "/mnt/disk"};

/* Returns a random number from 0 to BELOW - 1. */
static inline int
seeded_below(struct seeded *seeded, int below)
{
    return (int)random_below(&seeded->random, (uint64_t)below);
}

/* Returns 10 to the power of a random number between LOW and HIGH. */
static inline double
seeded_power(struct seeded *seeded, double low, double high)
{
    double share = (double)(random_next(&seeded->random) >> 11) / 0x1p53;
    return pow(10, low + share * (high - low));
}

/* Records the requests of TARGET: around SCALE ns, over SPREAD decades. */
static inline void
seeded_record(struct seeded *seeded, int target, int count, double scale, double spread)
{
    struct plotted *plotted = seeded->plotted;
    struct stats *stats = &plotted->stats[target];
    int64_t start = PLOTTED_BEGAN;
    stats->mix = plotted->plan.workload.mix;
    track_start(&plotted->tracks[target], start, 0);
    for (int i = 0; i < count; i++) {
        struct sample sample = {.index = (uint64_t)i + 1,
                                .size = 4096,
                                .bytes = 4096,
                                .start = start,
                                .operation = stats->mix.turns[i % 2],
                                .verdict = VERDICT_NONE};
        sample.latency = (int64_t)(scale * seeded_power(seeded, 0, spread)) + 1;
        if (seeded_below(seeded, 40) == 0)
            sample.verdict = VERDICT_ERROR;
        start += sample.latency + (int64_t)scale;
        stats_record(stats, &sample);
        track_record(&plotted->tracks[target], &sample);
        if (!plotted->plan.statistics.has_breakdown || sample.verdict != VERDICT_NONE)
            continue;
        sample.split.result = SPLIT_DONE;
        sample.split.is_stacked = true;
        for (int part = 0; part < PARTS; part++)
            sample.split.part[part] = sample.latency / PARTS;
        breakdown_record(&stats->breakdown, &sample);
        track_split(&plotted->tracks[target], &sample);
    }
}

/* Makes phases of all three kinds, or only of the first ones. */
static inline void
seeded_phases(struct seeded *seeded)
{
    struct job *job = &seeded->plotted->jobs[0];
    const struct track *track = job->track;
    int64_t span = (int64_t)(track->column_count + 1) << track->shift;
    seeded->load = calloc(1, sizeof(*seeded->load));
    seeded->phases = calloc(1, sizeof(*seeded->phases));
    assert_true(seeded->load && seeded->phases);
    job->phases = seeded->phases;
    seeded->phases->background = seeded->load;
    seeded->phases->current = (enum phase)(1 + seeded_below(seeded, 3));
    seeded->load->plan = (struct plan){.mode = MODE_BACKGROUND,
                                       .workload.mix = mix_of("write"),
                                       .workload.request_size = 1 << 20,
                                       .io.depth = 8};
    seeded->load->group.begin_at =
        PLOTTED_BEGAN + span / 10 * (1 + seeded_below(seeded, 8));
    seeded->load->outcome.ended_at =
        seeded->load->group.begin_at + span / 10 * seeded_below(seeded, 3);
    seeded->load->has_ended = seeded->phases->current == PHASE_RECOVERED;
    for (enum phase phase = PHASE_IDLE; phase <= seeded->phases->current; phase++) {
        seeded->phases->list[phase].has_ended = true;
        stats_merge(&seeded->phases->list[phase].stats, job->stats);
    }
}

/* Compares the targets, with random changes. */
static inline void
seeded_compare(struct seeded *seeded)
{
    struct plotted *plotted = seeded->plotted;
    int count = plotted->plot.count;
    seeded->rows = calloc((size_t)count, sizeof(*seeded->rows));
    assert_non_null(seeded->rows);
    for (int i = 0; i < count; i++) {
        struct comparison_row *row = &seeded->rows[i];
        row->name = plotted->paths[i];
        row->stats = plotted->jobs[i].stats;
        for (int k = 0; k < COMPARISON_FIGURES; k++) {
            double ratio = seeded_power(seeded, -3, 3);
            double width = seeded_power(seeded, 0, 1);
            row->figures[k] = (struct comparison_figure){
                .count = row->stats->latency.count,
                .ratio = ratio,
                .bounds = {seeded_below(seeded, 5) > 0, ratio / width, ratio * width}};
        }
    }
    plotted->plot.rows = seeded->rows;
}

/* Makes the steps of TARGET of a sweep. The latencies rise after a random step. */
static inline void
seeded_steps(struct seeded *seeded, int target, double scale)
{
    struct job_sweep *sweep = &seeded->plotted->jobs[target].sweep;
    enum sweep_kind kind = seeded->plotted->plan.sweep.kind;
    int64_t value = kind == SWEEP_SIZE ? 512 : kind == SWEEP_INTERVAL ? MS : 1;
    double iops = seeded_power(seeded, 0, 5), latency = scale;
    int knee = seeded_below(seeded, 14);
    sweep->count = 1 + seeded_below(seeded, 14);
    sweep->highest_index = seeded_below(seeded, sweep->count + 1) - 1;
    for (int i = 0; i < sweep->count; i++) {
        struct job_step *step = &sweep->steps[i];
        *step =
            (struct job_step){.value = value,
                              .requests = seeded_below(seeded, 9) ? 1000 : 0,
                              .iops = iops,
                              .answered_rate = (int64_t)iops,
                              .p50 = (int64_t)latency + 1,
                              .verdict = i > sweep->highest_index ? SLO_BROKEN : SLO_MET};
        step->bps = iops * (kind == SWEEP_SIZE ? (double)value : 4096);
        step->p99 = seeded_below(seeded, 5) ? step->p50 * 2 : -1;
        step->max = step->p50 * (3 + seeded_below(seeded, 50));
        latency *=
            i >= knee ? seeded_power(seeded, 0, 0.8) : seeded_power(seeded, 0, 0.1);
        iops *= i >= knee ? seeded_power(seeded, -0.02, 0.02) : 1.8;
        value = kind == SWEEP_RATE && i >= knee ? value + value / 50 + 1 : value * 2;
    }
}

/* Returns the number of targets of a plot of KIND. */
static inline int
seeded_targets(struct seeded *seeded, enum seeded_kind kind)
{
    static const int counts[] = {1, 2, 3, 4, 5, 8, 9, 33};
    if (kind == SEEDED_TARGETS || kind == SEEDED_COMPARE)
        return counts[1 + seeded_below(seeded, 7)];
    return kind >= SEEDED_SIZE ? counts[seeded_below(seeded, 8)] : 1;
}

static inline void
seeded_make(struct seeded *seeded, uint64_t seed)
{
    static const char *const limits[] = {"p99=1us", "p99=1ms", "max=1s", "p50=100us"};
    enum seeded_kind kind = (enum seeded_kind)(seed % SEEDED_KINDS);
    static const enum sweep_kind sweeps[] = {
        [SEEDED_SIZE] = SWEEP_SIZE,
        [SEEDED_DEPTH] = SWEEP_DEPTH,
        [SEEDED_RATE] = SWEEP_RATE,
        [SEEDED_INTERVAL] = SWEEP_INTERVAL,
    };
    memset(seeded, 0, sizeof(*seeded));
    random_seed(&seeded->random, seed + 1);
    int targets = seeded_targets(seeded, kind);
    enum sweep_kind sweep = kind >= SEEDED_SIZE ? sweeps[kind] : SWEEP_NONE;
    seeded->plotted =
        plotted_make(&(struct plotted_case){sweep, targets, 0, PLOTTED_NARROW});
    struct plotted *plotted = seeded->plotted;
    struct plan *plan = &plotted->plan;
    seeded_options.words = seeded_words;
    seeded_options.word_count = 1 + seeded_below(seeded, (int)LENGTH(seeded_words));
    plan->options = &seeded_options;
    plotted->plot.host = "a-machine-with-a-name.example.com";
    plotted->plot.made_at = 1795934126 * SECOND;
    plan->mode = kind == SEEDED_COMPARE ? MODE_COMPARE : MODE_RUN;
    plan->workload.mix = mix_of(kind == SEEDED_OPERATIONS ? "rw" : "read");
    plan->statistics.has_breakdown = kind == SEEDED_PARTS;
    int limit = seeded_below(seeded, 2 * (int)LENGTH(limits));
    if (limit < (int)LENGTH(limits))
        slos_add(&plan->statistics.slos, limits[limit]);
    double scale = seeded_power(seeded, 0, 9), spread = seeded_power(seeded, -3, 0.8);
    for (int i = 0; i < targets; i++) {
        double own = scale * seeded_power(seeded, 0, seeded_below(seeded, 2) ? 0.01 : 2);
        int count = (int)seeded_power(seeded, 0, 3.4);
        plotted->jobs[i].plan = *plan;
        if (sweep)
            seeded_steps(seeded, i, own);
        else
            seeded_record(seeded, i, count, own, spread);
    }
    if (kind == SEEDED_LOAD)
        seeded_phases(seeded);
    if (kind == SEEDED_COMPARE || (kind == SEEDED_TARGETS && seed % 20 > 9))
        seeded_compare(seeded);
}

static inline void
seeded_free(struct seeded *seeded)
{
    plotted_free(seeded->plotted);
    free(seeded->rows);
    free(seeded->load);
    free(seeded->phases);
}

/* Returns the plot of SEED, to be freed. */
static inline struct buffer
seeded_draw(uint64_t seed)
{
    struct seeded seeded;
    struct buffer text = {0};
    seeded_make(&seeded, seed);
    plot_format(&text, &seeded.plotted->plot);
    assert_false(text.failed);
    seeded_free(&seeded);
    return text;
}

#endif
