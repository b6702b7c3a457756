/*
 * The answer of a plot: its result in a few words, for a reader who looks at the plot for
 * five seconds. Each kind of plot has its own answer.
 */
#include "draw.h"
#include "stats/comparison.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The knee of the curve of bandwidth is the first request size that reaches this share of
 * the highest bandwidth, in percent. */
#define KNEE_PERCENT 90

/* Adds BEFORE, NAME and the value of PERCENTILE in LATENCIES, such as ", read 248 µs".
 * Returns false, and adds nothing, if too few requests count to know the percentile. */
static bool
add_named(struct buffer *text, const char *before, const char *name,
          const struct latencies *latencies, const struct percentile *percentile)
{
    int64_t value = latencies_known_percentile(latencies, percentile);

    if (latencies->moments->count == 0 || value < 0)
        return false;

    buffer_format(text, "%s%s ", before, name);
    plot_add_value(text, "", UNITS_TIME, value, "");
    return true;
}

/* Adds the limits SLOS with VERDICT, the worst verdict of them: "p99 <= 1 ms: OK (302
 * µs)". If there is one limit on a time, its figure in STATS follows, unless it is not
 * known. */
static void
add_run_verdict(struct buffer *text, const struct slos *slos, enum slo_verdict verdict,
                const struct stats *stats)
{
    plot_add_limits(text, slos);
    buffer_format(text, ": %s", slo_verdict_name(verdict));

    if (slos->count != 1 || slo_is_rate(&slos->list[0]) || verdict == SLO_UNKNOWN)
        return;

    const struct slo_answer answer = slo_answer(&slos->list[0], stats);
    if (answer.count > 0 && slo_is_known(&answer))
        plot_add_value(text, " (", UNITS_TIME, answer.value, ")");
}

/* Returns the worst verdict of all limits of JOB. A limit of a phase is checked against
 * the requests of that phase. Its verdict is SLO_UNKNOWN if the phase has not begun. */
static enum slo_verdict
check_phases(const struct job *job)
{
    const struct slos *slos = &job->plan.statistics.slos;
    enum slo_verdict worst = SLO_MET;

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        const struct stats *stats = job->stats;
        enum slo_verdict verdict = SLO_UNKNOWN;

        if (slo->phase)
            stats = job_phase_stats(job, slo->phase);
        if (stats)
            verdict = slo_answer(slo, stats).verdict;
        worst = verdict > worst ? verdict : worst;
    }

    return worst;
}

/* Adds the verdict on the limits of JOB, if there are limits, and p99 of each phase:
 * "p99: idle 248 µs, under load 3 ms". If any phase has too few requests for p99, adds
 * p50 of each phase instead. */
static void
add_phases(struct buffer *text, const struct job *job)
{
    const struct percentile *percentile = &percentiles_common.list[1];
    const char *before = ": ";

    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(job, phase);
        if (stats && stats->latency.count < percentile_min_samples(percentile))
            percentile = &percentiles_common.list[0];
    }

    if (job->plan.statistics.slos.count > 0) {
        plot_add_limits(text, &job->plan.statistics.slos);
        buffer_format(text, ": %s; ", slo_verdict_name(check_phases(job)));
    }

    buffer_format(text, "p%s", percentile->name);
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(job, phase);
        if (!stats)
            continue;
        const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
        if (add_named(text, before, phase_label(phase), &latencies, percentile))
            before = ", ";
    }
}

/* Two medians are called about equal if their ratio is below this. */
#define EQUAL_RATIO 1.05

/* Compares p50 of the two operations of STATS: "write p50 416 µs, 1.6x the 261 µs of
 * read". Returns false, and adds nothing, if there are not two operations, or if a p50 is
 * not known. */
static bool
add_slower_operation(struct buffer *text, const struct stats *stats)
{
    enum scope scopes[2] = {SCOPE_ALL, SCOPE_ALL};
    int64_t medians[2] = {-1, -1};
    int count = 0;

    for (enum scope scope = scope_first(stats); scope < SCOPE_SYNC;
         scope = scope_next(stats, scope), count++) {
        const struct latencies latencies = latencies_of(stats, scope);
        if (count == 2)
            return false;
        scopes[count] = scope;
        medians[count] =
            latencies_known_percentile(&latencies, &percentiles_common.list[0]);
    }

    if (count < 2 || medians[0] <= 0 || medians[1] <= 0)
        return false;

    int slow = medians[0] > medians[1] ? 0 : 1;
    int fast = 1 - slow;
    double ratio = (double)medians[slow] / (double)medians[fast];
    buffer_text(text, scope_name(scopes[slow]));
    plot_add_value(text, " p50 ", UNITS_TIME, medians[slow], ", ");
    if (ratio < EQUAL_RATIO)
        buffer_text(text, "about");
    else
        plot_add_factor(text, ratio);
    plot_add_value(text, " the ", UNITS_TIME, medians[fast], " of ");
    buffer_text(text, scope_name(scopes[fast]));
    return true;
}

/* Compares the operations of STATS by p50, and adds p99 of each operation. If any
 * operation has too few requests for p99, and the operations are not compared, adds p50
 * of each operation instead. */
static void
add_operations(struct buffer *text, const struct stats *stats)
{
    const struct percentile *percentile = &percentiles_common.list[1];
    bool knows_all = true;
    const char *before = ": ";

    for (enum scope scope = scope_first(stats); scope < SCOPE_SYNC;
         scope = scope_next(stats, scope))
        if (latencies_of(stats, scope).moments->count <
            percentile_min_samples(percentile))
            knows_all = false;

    bool is_compared = add_slower_operation(text, stats);
    if (is_compared && !knows_all)
        return;
    if (is_compared)
        buffer_text(text, "; ");
    if (!knows_all)
        percentile = &percentiles_common.list[0];

    buffer_format(text, "p%s", percentile->name);
    for (enum scope scope = scope_first(stats); scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        const struct latencies latencies = latencies_of(stats, scope);
        if (add_named(text, before, scope_name(scope), &latencies, percentile))
            before = ", ";
    }
}

double
plot_part_sum(const struct stats *stats, int part)
{
    const struct latencies latencies = latencies_of(stats, plot_part_scope(part));

    return (double)latencies.moments->count * (double)moments_average(latencies.moments);
}

/* Returns the part with the longest p50, which is the largest part of a typical request.
 */
static int
find_typical_part(const struct plot *plot)
{
    const struct stats *stats = plot->jobs[0].stats;
    const struct percentile *p50 = &percentiles_common.list[0];
    int64_t longest = -1;
    int typical = 0;

    for (int i = 0; i < PLOT_PARTS; i++) {
        if (!plot_has_part(plot, i))
            continue;

        const struct latencies latencies = latencies_of(stats, plot_part_scope(i));
        int64_t value = latencies_known_percentile(&latencies, p50);
        if (value > longest) {
            longest = value;
            typical = i;
        }
    }

    return typical;
}

/* Adds which part of the time of all requests was the largest: "device took 72 % of the
 * time". If another part has the longest p50, adds its name, because then a few slow
 * requests decide what all requests together wait for. */
static void
add_largest_part(struct buffer *text, const struct plot *plot)
{
    const struct stats *stats = plot->jobs[0].stats;
    double total = 0;
    int largest = 0;
    int typical = find_typical_part(plot);

    for (int i = 0; i < PLOT_PARTS; i++) {
        if (!plot_has_part(plot, i))
            continue;
        total += plot_part_sum(stats, i);
        if (plot_part_sum(stats, i) > plot_part_sum(stats, largest))
            largest = i;
    }

    if (total <= 0)
        return;
    buffer_format(text, "%s took %.0f %% of the time",
                  scope_name(plot_part_scope(largest)),
                  plot_part_sum(stats, largest) / total * 100);
    if (typical != largest)
        buffer_format(text, " of all requests together; of a typical request, %s",
                      scope_name(plot_part_scope(typical)));
}

/* Adds the answer of a run. */
static void
add_run_answer(struct buffer *text, const struct plot *plot)
{
    const struct job *job = &plot->jobs[0];
    const struct slos *slos = &plot->plan->statistics.slos;

    if (plot->count > 1) {
        if (plot->rows)
            plot_add_comparison(text, plot);
    } else if (!plot_has_data(job)) {
        return;
    } else if (job->phases) {
        add_phases(text, job);
    } else if (plot_has_parts(plot)) {
        add_largest_part(text, plot);
    } else if (plot->plan->workload.mix.extra_count > 0) {
        add_operations(text, job->stats);
    } else if (plot_is_log(plot)) {
        if (slos->count > 0)
            add_run_verdict(text, slos, slos_check(slos, job->stats), job->stats);
        plot_log_add_answer(text, plot);
    } else if (slos->count > 0) {
        add_run_verdict(text, slos, slos_check(slos, job->stats), job->stats);
    }
}

/* Adds a rate in requests per second. */
static void
add_rate(struct buffer *text, double iops)
{
    plot_add_value(text, "", UNITS_COUNT, (int64_t)(iops + 0.5), " requests per second");
}

/* Adds the bandwidth BPS, in bytes per second. */
static void
add_bandwidth(struct buffer *text, double bps)
{
    plot_add_value(text, "", UNITS_SIZE, (int64_t)(bps + 0.5), "/s");
}

int
plot_find_knee(const struct job_sweep *sweep)
{
    double highest = 0;

    for (int i = 0; i < sweep->count; i++)
        if (sweep->steps[i].requests)
            highest = fmax(highest, sweep->steps[i].bps);

    for (int i = 0; i < sweep->count; i++)
        if (sweep->steps[i].requests &&
            sweep->steps[i].bps * 100 >= highest * KNEE_PERCENT)
            return i;

    return -1;
}

int
plot_find_answer(const struct plot *plot, int target)
{
    const struct job_sweep *sweep = &plot->jobs[target].sweep;
    int highest = sweep->highest_index;
    bool has_limits = plot->plan->statistics.slos.count > 0;

    if (plot->plan->sweep.kind == SWEEP_SIZE)
        return plot_find_knee(sweep);
    if (!has_limits && plot->plan->sweep.kind != SWEEP_RATE)
        return -1;
    if (highest < 0 || highest >= sweep->count || !sweep->steps[highest].requests)
        return -1;

    return highest;
}

/* Adds the name of a step of a sweep of KIND, from the swept value VALUE: "16 threads",
 * "depth 32" or "interval 10 ms". */
static void
add_step_name(struct buffer *text, enum sweep_kind kind, int64_t value)
{
    char number[PLOT_TEXT];

    plot_swept_value(kind, value, number);
    if (kind == SWEEP_THREADS)
        buffer_format(text, "%s %s", number, value == 1 ? "thread" : "threads");
    else
        buffer_format(text, "%s %s", sweep_kinds[kind].name, number);
}

/* Compares the targets at the steps that are their answers (plot_find_answer). Returns
 * the target with the most requests per second at that step. Returns -1 if no target has
 * an answer. */
static int
find_best_target(const struct plot *plot)
{
    int best = -1;
    double best_iops = 0;

    for (int i = 0; i < plot->count; i++) {
        int answer = plot_find_answer(plot, i);
        if (answer < 0)
            continue;

        double iops = plot->jobs[i].sweep.steps[answer].iops;
        if (best >= 0 && iops <= best_iops)
            continue;
        best = i;
        best_iops = iops;
    }

    return best;
}

/* Adds the step that is the answer of TARGET: the highest that meets the limits. */
static void
add_highest_step(struct buffer *text, const struct plot *plot, int target)
{
    const struct slos *slos = &plot->plan->statistics.slos;
    enum sweep_kind kind = plot->plan->sweep.kind;
    const struct job_sweep *sweep = &plot->jobs[target].sweep;
    const struct job_step *step = &sweep->steps[plot_find_answer(plot, target)];

    if (sweep->is_lower_bound)
        buffer_text(text, "at least ");
    if (kind == SWEEP_RATE) {
        plot_add_value(text, "", UNITS_COUNT, step->answered_rate,
                       " requests per second");
        buffer_text(text, slos->count ? ", the highest rate that meets "
                                      : ", the highest rate");
        plot_add_limits(text, slos);
    } else {
        add_step_name(text, kind, step->value);
        buffer_text(text,
                    kind == SWEEP_THREADS && step->value > 1 ? " meet " : " meets ");
        plot_add_limits(text, slos);
        buffer_text(text, ", ");
        add_rate(text, step->iops);
    }

    if (job_is_highest_measured(sweep) && !sweep->was_interrupted)
        buffer_text(text, "; no higher one was measured");
}

/* Adds the answer of a sweep of rates or a sweep with limits: the highest step that meets
 * the limits. If there are several targets, adds the step of the best target
 * (find_best_target). */
static void
add_highest(struct buffer *text, const struct plot *plot)
{
    const struct slos *slos = &plot->plan->statistics.slos;
    int target = find_best_target(plot);

    if (target < 0) {
        buffer_text(text, slos->count ? "no step meets " : "no rate was answered");
        plot_add_limits(text, slos);
        return;
    }
    if (plot->count > 1) {
        svg_shorten(text, plot->jobs[target].target.description.path, PLOT_ANSWER_NAME);
        buffer_text(text, ": ");
    }

    add_highest_step(text, plot, target);
}

/* Compares p50 of the first and of the last step of SWEEP in which p50 is known: "at an
 * interval of 1 s, p50 is 5.2x as long as at 1 ms: 333 µs against 63 µs". */
static void
add_interval_range(struct buffer *text, const struct job_sweep *sweep)
{
    const struct job_step *first = NULL;
    const struct job_step *last = NULL;

    for (int i = 0; i < sweep->count; i++) {
        const struct job_step *step = &sweep->steps[i];
        if (!step->requests || step->p50 < 0)
            continue;
        if (!first)
            first = step;
        last = step;
    }

    if (!first)
        return;
    if (last == first || first->p50 == 0 || last->p50 == 0) {
        plot_add_value(text, "p50 ", UNITS_TIME, first->p50, "");
        plot_add_value(text, " at an interval of ", UNITS_TIME, first->value, "");
        return;
    }

    const struct job_step *slow = last->p50 >= first->p50 ? last : first;
    const struct job_step *fast = slow == last ? first : last;
    plot_add_value(text, "at an interval of ", UNITS_TIME, slow->value, ", p50 is ");
    plot_add_factor(text, (double)slow->p50 / (double)fast->p50);
    plot_add_value(text, " as long as at ", UNITS_TIME, fast->value, ": ");
    plot_add_value(text, "", UNITS_TIME, slow->p50, "");
    plot_add_value(text, " against ", UNITS_TIME, fast->p50, "");
}

/* Adds the step with the most requests per second, of all steps of all targets. If there
 * are several targets, the name of the target comes first. Adds nothing if no step has a
 * request that counts. */
static void
add_most(struct buffer *text, const struct plot *plot)
{
    enum sweep_kind kind = plot->plan->sweep.kind;
    const struct job_step *best = NULL;
    int target = 0;

    for (int i = 0; i < plot->count; i++) {
        for (int k = 0; k < plot->jobs[i].sweep.count; k++) {
            const struct job_step *step = &plot->jobs[i].sweep.steps[k];
            if (!step->requests || (best && step->iops <= best->iops))
                continue;
            best = step;
            target = i;
        }
    }

    if (!best)
        return;

    if (plot->count > 1) {
        svg_shorten(text, plot->jobs[target].target.description.path, PLOT_ANSWER_NAME);
        buffer_text(text, ": ");
    }
    buffer_text(text, "up to ");
    add_rate(text, best->iops);
    buffer_text(text, kind == SWEEP_THREADS ? " with " : " at ");
    add_step_name(text, kind, best->value);
    if (best->p99 >= 0)
        plot_add_value(text, ", p99 ", UNITS_TIME, best->p99, "");
}

/* Adds the answer of a sweep. For several targets, only some kinds of sweep have an
 * answer. */
static void
add_sweep_answer(struct buffer *text, const struct plot *plot)
{
    const struct job *job = &plot->jobs[0];
    enum sweep_kind kind = plot->plan->sweep.kind;
    char value[PLOT_TEXT];
    bool has_data = false;
    bool was_interrupted = false;

    for (int i = 0; i < plot->count; i++) {
        has_data |= plot_has_data(&plot->jobs[i]);
        was_interrupted |= plot->jobs[i].sweep.was_interrupted;
    }
    if (!has_data)
        return;
    if (was_interrupted)
        buffer_text(text, "interrupted; so far ");

    bool has_limits = kind == SWEEP_RATE || plot->plan->statistics.slos.count > 0;
    if (has_limits && kind != SWEEP_SIZE) {
        add_highest(text, plot);
        return;
    }

    if (plot->count == 1 && kind == SWEEP_SIZE) {
        const struct job_step *knee = &job->sweep.steps[plot_find_knee(&job->sweep)];
        buffer_format(text, "%s reaches %d %% of the highest bandwidth: ",
                      plot_swept_value(kind, knee->value, value), KNEE_PERCENT);
        add_bandwidth(text, knee->bps);
    } else if (plot->count == 1 && kind == SWEEP_INTERVAL) {
        add_interval_range(text, &job->sweep);
    } else if (kind == SWEEP_DEPTH || kind == SWEEP_THREADS) {
        add_most(text, plot);
    }
}

void
plot_add_answer(struct buffer *text, const struct plot *plot)
{
    const struct plot_diagnosis *diagnosis = plot->diagnosis;

    if (diagnosis && diagnosis->answer)
        plot_add_micro(text, diagnosis->answer);
    else if (diagnosis)
        buffer_text(text, "The diagnosis is not complete yet.");
    else if (plot->plan->sweep.kind == SWEEP_NONE)
        add_run_answer(text, plot);
    else
        add_sweep_answer(text, plot);
}
