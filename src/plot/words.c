/* The words in a plot: its headings, and its description for people who do not see it. */
#include "base/units.h"
#include "draw.h"

#include <inttypes.h>

/* Names are shortened in the description of more targets, so that it stays small. */
#define NAMES_WHOLE 4
#define NAMES_ROOM 16384 /* columns of all names together */

static void
add_size(struct buffer *text, const struct plan *plan)
{
    if (plan->sweep.kind == SWEEP_SIZE) {
        buffer_text(text, " of rising size");
        return;
    }
    buffer_text(text, " of ");
    units_add(text, UNITS_SIZE, plan->workload.request_size);
}

/* Adds the mode, unless targets differ in it. */
static void
add_mode(struct buffer *text, const struct plot *plot)
{
    enum io_mode mode = plot->jobs[0].target.description.mode;
    for (int i = 1; i < plot->count; i++)
        if (plot->jobs[i].target.description.mode != mode)
            return;
    buffer_format(text, ", %s", description_mode(mode));
}

static void
add_pace(struct buffer *text, const struct plan *plan)
{
    if (plan->sweep.kind == SWEEP_INTERVAL)
        buffer_text(text, ", at rising intervals");
    if (plan->sweep.kind == SWEEP_RATE)
        buffer_text(text, plan->pace.poisson ? ", due at random" : ", when they are due");
    if (plan->pace.interval <= 0)
        return;
    buffer_text(text, ", ");
    if (plan->pace.burst > 1)
        buffer_format(text, "%" PRId64 " ", plan->pace.burst);
    buffer_text(text, "every ");
    units_add(text, UNITS_TIME, plan->pace.interval);
}

static void
add_concurrency(struct buffer *text, const struct plan *plan)
{
    enum sweep_kind swept = plan->sweep.kind;
    if (swept == SWEEP_THREADS)
        buffer_text(text, ", by more and more threads");
    else if (plan->io.threads > 1)
        buffer_format(text, ", %d threads", plan->io.threads);
    if (swept == SWEEP_DEPTH)
        buffer_text(text, ", at rising depth");
    else if (plan->io.depth > 1)
        buffer_format(text, ", depth %d", plan->io.depth);
    if (plan->io.engine_name)
        buffer_format(text, " (%s)", plan->io.engine_name);
}

void
plot_words_sent(struct buffer *text, const struct plot *plot)
{
    static const char *const loads[] = {[LOAD_READ] = "reads",
                                        [LOAD_WRITE] = "writes",
                                        [LOAD_READ_WRITE] = "writes and reads in turn"};
    const struct plan *plan = plot->plan;
    if (plan->mode == MODE_COMPARE) {
        buffer_text(text, "read from raw lines");
        return;
    }
    buffer_format(text, "%s %s",
                  plan->workload.append   ? "appended"
                  : plan->workload.linear ? "sequential"
                                          : "random",
                  loads[plan->workload.load]);
    add_size(text, plan);
    add_mode(text, plot);
    add_pace(text, plan);
    add_concurrency(text, plan);
    if (plot_has_both(plot))
        buffer_text(text, "; drawn together");
}

/* Adds ", 3 failed", nothing for a COUNT of 0. */
static void
add_exception(struct buffer *text, uint64_t count, const char *what)
{
    if (count == 0)
        return;
    buffer_text(text, ", ");
    units_add(text, UNITS_COUNT, (int64_t)count);
    buffer_format(text, " %s", what);
}

static void
add_counts(struct buffer *text, uint64_t count, uint64_t failed, uint64_t missed)
{
    units_add(text, UNITS_COUNT, (int64_t)count);
    buffer_text(text, count == 1 ? " request counted" : " requests counted");
    add_exception(text, failed, "failed");
    add_exception(text, missed, "missed");
}

void
plot_words_done(struct buffer *text, const struct plot *plot)
{
    uint64_t count = 0, failed = 0, missed = 0;
    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];
        for (int k = 0; k < job->step_count; k++) {
            count += job->steps[k].requests;
            failed += job->steps[k].failed;
        }
        if (!job->stats || plot->plan->sweep.kind != SWEEP_NONE)
            continue;
        count += job->stats->latency.count;
        failed += job->stats->failed;
        missed += job->stats->missed;
    }
    add_counts(text, count, failed, missed);
    if (plot->plan->sweep.kind != SWEEP_NONE && plot->plan->statistics.slos.count) {
        buffer_text(text, "; limit ");
        slos_text(&plot->plan->statistics.slos, text);
    }
    if (plot->plan->statistics.corrected)
        buffer_text(text,
                    "; percentiles and histogram corrected for those that were not sent");
}

static void
add_times(struct buffer *text, int64_t p50, int64_t p99, int64_t max)
{
    buffer_text(text, ", p50 ");
    units_add(text, UNITS_TIME, p50);
    buffer_text(text, ", p99 ");
    units_add(text, UNITS_TIME, p99);
    buffer_text(text, ", max ");
    units_add(text, UNITS_TIME, max);
}

/* Adds the figures of all requests, and those of each operation where both are mixed. */
static void
add_figures(struct buffer *text, const struct stats *stats)
{
    for (enum scope scope = SCOPE_ALL; scope <= SCOPE_WRITE;
         scope = scope_next(stats, scope)) {
        struct plot_figures figures = plot_figures_of(stats, scope);
        if (scope != SCOPE_ALL)
            buffer_format(text, "; %s: ", scope_name(scope));
        add_counts(text, figures.count, figures.failed, figures.missed);
        if (figures.count)
            add_times(text, figures.p50, figures.p99, figures.max);
    }
}

/* Adds the means of the parts, such as ", on average submit 2 us, queue 1 us ...". */
static void
add_parts(struct buffer *text, const struct plot *plot, const struct stats *stats)
{
    for (int i = 0; i < plot_parts(plot); i++) {
        const struct moments *part =
            i < PARTS ? &stats->breakdown.parts[i].moments : &stats->sync;
        buffer_format(text, "%s%s ", i ? ", " : ", on average ", plot_part_name(i));
        units_add(text, UNITS_TIME, moments_average(part));
    }
}

void
plot_words_background(struct buffer *text, const struct plot *plot)
{
    buffer_text(text, "under load: ");
    plan_background_name(&plot->jobs[0].phases->background->plan, text);
}

void
plot_words_phase(struct buffer *text, const struct plot *plot, enum phase phase)
{
    if (phase == PHASE_LOADED)
        plot_words_background(text, plot);
    else
        buffer_text(text, phase == PHASE_IDLE ? "idle" : "recovered");
}

/* Adds the figures of each phase. */
static void
add_phases(struct buffer *text, const struct plot *plot)
{
    const struct job *job = &plot->jobs[0];
    for (enum phase phase = PHASE_IDLE; job->phases && phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(job, phase);
        if (!stats)
            continue;
        buffer_text(text, "; ");
        plot_words_phase(text, plot, phase);
        buffer_text(text, ": ");
        add_figures(text, stats);
    }
}

static void
add_run(struct buffer *text, const struct plot *plot, const struct stats *stats)
{
    add_figures(text, stats);
    add_parts(text, plot, stats);
    add_phases(text, plot);
}

static void
add_step(struct buffer *text, const struct plan *plan, const struct job_step *step)
{
    char value[UNITS_TEXT];
    buffer_format(text, "%s %s: ", sweep_name(plan->sweep.kind),
                  sweep_format(plan->sweep.kind, step->value, value));
    units_add(text, UNITS_COUNT, (int64_t)step->iops);
    buffer_text(text, " iops, ");
    units_add(text, UNITS_SIZE, (int64_t)step->bps);
    buffer_text(text, "/s");
    add_times(text, step->p50, step->p99, step->max);
    if (step->verdict == SLO_BROKEN)
        buffer_text(text, ", limit broken");
}

static void
add_target(struct buffer *text, const struct plot *plot, int number)
{
    const struct job *job = &plot->jobs[number];
    struct buffer label = {0};
    description_label(&job->target.description, &label);
    buffer_text(text, " ");
    text->failed |= label.failed;
    if (!label.failed && plot->count <= NAMES_WHOLE)
        buffer_text(text, label.text);
    else if (!label.failed)
        svg_shorten(text, label.text, NAMES_ROOM / plot->count);
    buffer_free(&label);
    buffer_text(text, ": ");
    if (plot->plan->sweep.kind == SWEEP_NONE && job->stats)
        add_run(text, plot, job->stats);
    else if (!plot_has_data(job))
        buffer_text(text, "no request counted");
    const char *between = "";
    for (int i = 0; i < job->step_count; i++) {
        if (!job->steps[i].requests)
            continue;
        buffer_text(text, between);
        add_step(text, plot->plan, &job->steps[i]);
        between = "; ";
    }
    buffer_text(text, ".");
}

void
plot_words_all(struct buffer *text, const struct plot *plot)
{
    static const char *const kinds[] = {
        [SWEEP_NONE] = "Latency over time, and how it is distributed",
        [SWEEP_SIZE] = "IOPS and bandwidth against the size of requests",
        [SWEEP_THREADS] = "Latency against IOPS, with more and more threads",
        [SWEEP_DEPTH] = "Latency against IOPS, at rising queue depth",
        [SWEEP_INTERVAL] = "Latency against the interval between requests",
        [SWEEP_RATE] = "Latency against IOPS, at rising rate"};
    buffer_format(text, "%s%s: ", kinds[plot->plan->sweep.kind],
                  plot_parts(plot) ? ", with the parts of the time as stacked columns"
                                   : "");
    plot_words_sent(text, plot);
    buffer_text(text, "; ");
    plot_words_done(text, plot);
    buffer_text(text, ".");
    for (int i = 0; i < plot->count; i++)
        add_target(text, plot, i);
}
