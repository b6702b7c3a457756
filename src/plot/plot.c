/*
 * The document of a plot. It has three headings (title, workload, result), the panels
 * (run.c or sweep.c), and the legend with the table (targets.c). For people who do not
 * see the picture, it also has a description in words: workload, result, and the figures
 * of each target.
 */
#include "plot/plot.h"

#include "base/units.h"
#include "draw.h"

#include <inttypes.h>
#include <limits.h>

/* If there are more targets than this, their names are shortened in the description, so
 * that the description does not become huge. */
#define MAX_UNSHORTENED 4
#define SHORTENED_COLUMNS 16384 /* columns for all shortened names together */

/*
 * The style sheet. The colours t0 to t7 are those of Okabe and Ito ("Color Universal
 * Design", 2008), which colour-blind people can distinguish. Two of their colours, black
 * and yellow, are replaced by colours that are visible on the background, which is light
 * or dark as the viewer prefers. The dashes d1 to d7 distinguish targets if there are
 * more targets than colours. The fonts come from the viewer's system. Classes that begin
 * with k- are for the legend.
 */
static const char style[] =
    "<style>\n"
    "text{font-family:system-ui,\"DejaVu Sans\",sans-serif;fill:#24292f}\n"
    ".paper{fill:#fff}\n"
    ".title{font-weight:600}\n"
    ".dim{fill:#57606a}\n"
    ".plot{fill:none;stroke:#8c959f}\n"
    ".grid{fill:none;stroke:#d8dee4}\n"
    ".load{fill:#8c959f;fill-opacity:.18}\n"
    ".t0{color:#0072b2}.t1{color:#d55e00}.t2{color:#009e73}.t3{color:#cc79a7}\n"
    ".t4{color:#e69f00}.t5{color:#56b4e9}.t6{color:#24292f}.t7{color:#a89b00}\n"
    ".mark,.bar,.part,.k-mark,.k-part{fill:currentColor}\n"
    ".mark{fill-opacity:.75}.bar{fill-opacity:.6}\n"
    ".band,.k-band{fill:currentColor;fill-opacity:.2}\n"
    ".b2{fill-opacity:.15}.b4{fill-opacity:.1}.b8{fill-opacity:.06}\n"
    ".mean,.p50,.p99,.max,.outline,.fail,.missed,.lead,.limit,.knee,.ring,"
    ".k-mean,.k-p50,.k-p99,.k-max,.k-fail,.k-missed,.k-limit,.k-knee,.k-ring"
    "{fill:none;stroke:currentColor;stroke-width:1.5;stroke-linejoin:round}\n"
    ".lead{stroke-width:2}\n"
    ".p50,.k-p50{stroke-dasharray:9 4}.curve{stroke-dasharray:none}\n"
    ".d1{stroke-dasharray:8 3}.d2{stroke-dasharray:2 2}.d3{stroke-dasharray:8 3 2 3}\n"
    ".d4{stroke-dasharray:14 4}.d5{stroke-dasharray:4 6}"
    ".d6{stroke-dasharray:12 3 2 3 2 3}.d7{stroke-dasharray:1 5}\n"
    ".limit,.k-limit{stroke-dasharray:12 3 2 3}.knee,.k-knee{stroke-dasharray:2 2}\n"
    ".p99,.k-p99{stroke-dasharray:3 3}.max,.k-max{stroke-dasharray:1 3}\n"
    ".open,.mark.d1,.mark.d3,.mark.d5,.mark.d7,.k-mark.d1,.k-mark.d3,.k-mark.d5,.k-mark."
    "d7"
    "{fill:none;stroke:currentColor;stroke-dasharray:none}\n"
    "@media screen and (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}.dim{fill:#9da7b1}.paper{fill:#0d1117}\n"
    ".plot{stroke:#6e7681}.grid{stroke:#262c34}\n"
    ".t0{color:#2b8fd6}.t6{color:#e6edf3}.t7{color:#f0e442}}\n"
    "@media print{.paper{fill:#fff}}\n"
    "</style>\n";

/* Adds BEFORE, VALUE formatted by units_format with KIND, and AFTER. */
static void
add_quantity(struct buffer *text, const char *before, enum units_kind kind, int64_t value,
             const char *after)
{
    buffer_text(text, before);
    units_add(text, kind, value);
    buffer_text(text, after);
}

/* Returns true if all targets of PLOT have the same I/O mode. */
static bool
have_same_mode(const struct plot *plot)
{
    enum io_mode mode = plot->jobs[0].target.description.mode;

    for (int i = 1; i < plot->count; i++)
        if (plot->jobs[i].target.description.mode != mode)
            return false;

    return true;
}

/* Returns the access pattern of PLAN, such as "random ", with a space at the end. Returns
 * "" if the requests move no data, so that their offsets do not matter. */
static const char *
find_access_pattern(const struct plan *plan)
{
    if (!plan_does(plan, OPERATION_MOVES))
        return "";
    if (plan->workload.is_log)
        return "appended ";
    if (plan->workload.linear)
        return "sequential ";

    return "random ";
}

/* Adds when requests were sent, such as ", every 1 ms". Adds nothing if they were sent
 * back to back. */
static void
add_pace(struct buffer *text, const struct plan *plan)
{
    const struct plan_pace *pace = &plan->pace;

    if (plan->sweep.kind == SWEEP_INTERVAL)
        buffer_text(text, ", at rising intervals");
    if (plan->sweep.kind == SWEEP_RATE)
        buffer_text(text, pace->is_poisson ? ", due at random" : ", when they are due");

    if (pace->interval <= 0)
        return;
    if (pace->burst > 1)
        buffer_format(text, ", %" PRId64 " every ", pace->burst);
    else
        buffer_text(text, ", every ");
    units_add(text, UNITS_TIME, pace->interval);
}

/* Adds the workload: which requests were sent, and how, such as "random reads of 4 KiB,
 * direct". The I/O mode is left out if the targets have different modes. */
static void
add_workload(struct buffer *text, const struct plot *plot)
{
    const struct plan *plan = plot->plan;
    enum sweep_kind swept = plan->sweep.kind;

    if (plan->mode == MODE_COMPARE) {
        buffer_text(text, "read from raw lines");
        return;
    }

    buffer_format(text, "%s%s", find_access_pattern(plan),
                  operation_mix_noun(&plan->workload.mix));
    if (swept == SWEEP_SIZE)
        buffer_text(text, " of rising size");
    else if (plan_does(plan, OPERATION_MOVES))
        add_quantity(text, " of ", UNITS_SIZE, plan->workload.request_size, "");

    if (have_same_mode(plot))
        buffer_format(text, ", %s", io_mode_name(plot->jobs[0].target.description.mode));

    add_pace(text, plan);

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
    if (plan->workload.mix.extra_count)
        buffer_text(text, "; drawn together");
}

/* Adds numbers of requests, such as "99 requests counted, 1 failed". FAILED and MISSED
 * are left out if they are 0. */
static void
add_request_counts(struct buffer *text, uint64_t count, uint64_t failed, uint64_t missed)
{
    add_quantity(text, "", UNITS_COUNT, (int64_t)count,
                 count == 1 ? " request counted" : " requests counted");
    if (failed)
        add_quantity(text, ", ", UNITS_COUNT, (int64_t)failed, " failed");
    if (missed)
        add_quantity(text, ", ", UNITS_COUNT, (int64_t)missed, " missed");
}

/* Adds the result of all targets together, such as "99 requests counted, 1 failed; limit
 * p99 < 1 ms". */
static void
add_result(struct buffer *text, const struct plot *plot)
{
    bool is_sweep = plot->plan->sweep.kind != SWEEP_NONE;
    uint64_t count = 0;
    uint64_t failed = 0;
    uint64_t missed = 0;

    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];

        for (int k = 0; k < job->sweep.count; k++) {
            count += job->sweep.steps[k].requests;
            failed += job->sweep.steps[k].failed;
        }
        if (!is_sweep) {
            count += job->stats->latency.count;
            failed += job->stats->failed;
            missed += job->stats->missed;
        }
    }

    add_request_counts(text, count, failed, missed);
    if (is_sweep && plot->plan->statistics.slos.count) {
        buffer_text(text, "; limit ");
        slos_text(&plot->plan->statistics.slos, text);
    }

    if (plot->plan->statistics.corrected_interval)
        buffer_text(text,
                    "; percentiles and histogram corrected for those that were not sent");
}

/* Adds percentiles and maximum, in ns. A negative percentile is unknown and left out. */
static void
add_percentiles_and_max(struct buffer *text, int64_t p50, int64_t p99, int64_t max)
{
    if (p50 >= 0)
        add_quantity(text, ", p50 ", UNITS_TIME, p50, "");
    if (p99 >= 0)
        add_quantity(text, ", p99 ", UNITS_TIME, p99, "");
    add_quantity(text, ", max ", UNITS_TIME, max, "");
}

/* Describes the figures of all requests and, if operations are mixed, those of each
 * operation. */
static void
describe_stats(struct buffer *text, const struct stats *stats)
{
    const struct percentile *list = percentiles_common.list;

    for (enum scope scope = SCOPE_ALL; scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        const struct latencies latencies = latencies_of(stats, scope);
        const struct scope_counts counts = scope_counts_of(stats, scope);
        const struct moments *moments = latencies.moments;

        if (scope != SCOPE_ALL)
            buffer_format(text, "; %s: ", scope_name(scope));
        add_request_counts(text, moments->count, counts.failed, counts.missed);
        if (moments->count)
            add_percentiles_and_max(
                text, latencies_known_percentile(&latencies, &list[0]),
                latencies_known_percentile(&latencies, &list[1]), moments->max);
    }
}

/* Describes the mean time of each part that PLOT shows, such as ", on average submit 2
 * us, queue 1 us". */
static void
describe_parts(struct buffer *text, const struct plot *plot, const struct job *job)
{
    for (int i = 0; i < PLOT_PARTS; i++) {
        if (!plot_has_part(plot, i))
            continue;

        enum scope scope = plot_part_scope(i);
        const struct latencies part = latencies_of(job->stats, scope);
        /* Part 0, submit, is always shown if any part is shown. */
        buffer_format(text, "%s%s ", i ? ", " : ", on average ", scope_name(scope));
        units_add(text, UNITS_TIME, moments_average(part.moments));
    }
}

/* Describes the figures of each phase of JOB that has begun. */
static void
describe_phases(struct buffer *text, const struct plot *plot, const struct job *job)
{
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(job, phase);
        if (!stats)
            continue;

        buffer_text(text, "; ");
        plot_phase_name(text, plot, phase);
        buffer_text(text, ": ");
        describe_stats(text, stats);
    }
}

/* Describes the figures of each step of SWEEP in which a request counts. */
static void
describe_steps(struct buffer *text, enum sweep_kind kind, const struct job_sweep *sweep)
{
    const char *separator = "";

    for (int i = 0; i < sweep->count; i++) {
        const struct job_step *step = &sweep->steps[i];
        char value[UNITS_TEXT];

        if (!step->requests)
            continue;

        buffer_format(text, "%s%s %s", separator, sweep_kinds[kind].name,
                      sweep_format(kind, step->value, value));
        add_quantity(text, ": ", UNITS_COUNT, (int64_t)step->iops, " iops");
        add_quantity(text, ", ", UNITS_SIZE, (int64_t)step->bps, "/s");
        add_percentiles_and_max(text, step->p50, step->p99, step->max);
        if (step->verdict == SLO_BROKEN)
            buffer_text(text, ", limit broken");
        separator = "; ";
    }
}

/* Describes the target of JOB in a sentence: its label, and the figures of its run or of
 * the steps of its sweep. */
static void
describe_target(struct buffer *text, const struct plot *plot, const struct job *job)
{
    enum sweep_kind kind = plot->plan->sweep.kind;
    int max_columns = INT_MAX;
    struct buffer label = {0};

    if (plot->count > MAX_UNSHORTENED)
        max_columns = SHORTENED_COLUMNS / plot->count;

    description_label(&job->target.description, &label);
    text->failed |= label.failed;
    buffer_text(text, " ");
    if (!label.failed)
        svg_shorten(text, label.text, max_columns);
    buffer_free(&label);
    buffer_text(text, ": ");

    if (kind == SWEEP_NONE) {
        describe_stats(text, job->stats);
        describe_parts(text, plot, job);
        if (job->phases)
            describe_phases(text, plot, job);
    } else if (plot_has_data(job)) {
        describe_steps(text, kind, &job->sweep);
    } else {
        buffer_text(text, "no request counted");
    }

    buffer_text(text, ".");
}

/* Adds the element NAME with the content PLAIN, and an id to which an attribute of the
 * document refers (aria-labelledby). */
static void
add_element(struct buffer *text, const char *name, const struct buffer *plain)
{
    buffer_format(text, "<%s id=\"ioping-%s\">", name, name);
    svg_escape(text, plain->failed ? "" : plain->text);
    buffer_format(text, "</%s>\n", name);
}

/* Adds the heading PLAIN with its base line at Y, in a font of SIZE pixels. Shortens the
 * heading if it is too wide. */
static void
add_heading(struct buffer *text, double y, int size, const char *class,
            const struct buffer *plain)
{
    struct buffer line = {0};

    svg_shorten(&line, plain->failed ? "" : plain->text,
                (int)((PLOT_WIDTH - 2 * PLOT_MARGIN) / (SVG_GLYPH * size)));
    svg_buffer(text, PLOT_MARGIN, y, SVG_START, size, class, &line);
}

/* Adds the title: the label of the target, or the number of targets. */
static void
add_title(struct buffer *text, const struct plot *plot)
{
    bool is_recorded = plot->plan->mode == MODE_COMPARE;

    if (plot->count > 1) {
        buffer_format(text, "ioping: %d %s", plot->count,
                      is_recorded ? "recorded runs" : "targets");
    } else {
        buffer_text(text, "ioping ");
        description_label(&plot->jobs[0].target.description, text);
    }
}

/* Adds the description of the whole plot in words. */
static void
describe_plot(struct buffer *text, const struct plot *plot)
{
    static const char *const kinds[] = {
        [SWEEP_NONE] = "Latency over time, and how it is distributed",
        [SWEEP_SIZE] = "IOPS and bandwidth against the size of requests",
        [SWEEP_THREADS] = "Latency against IOPS, with more and more threads",
        [SWEEP_DEPTH] = "Latency against IOPS, at rising queue depth",
        [SWEEP_INTERVAL] = "Latency against the interval between requests",
        [SWEEP_RATE] = "Latency against IOPS, at rising rate"};

    buffer_text(text, kinds[plot->plan->sweep.kind]);
    if (plot_has_parts(plot))
        buffer_text(text, ", with the parts of the time as stacked columns");
    buffer_text(text, ": ");

    add_workload(text, plot);
    buffer_text(text, "; ");
    add_result(text, plot);
    buffer_text(text, ".");

    for (int i = 0; i < plot->count; i++)
        describe_target(text, plot, &plot->jobs[i]);
}

void
plot_format(struct buffer *text, const struct plot *plot)
{
    /* BODY has all visible elements. They are drawn before the document begins, because
     * its first element has the height of the plot. */
    enum { TITLE, WORKLOAD, RESULT, DESCRIPTION, BODY, TEXTS };
    struct buffer texts[TEXTS] = {{0}};
    struct buffer *body = &texts[BODY];
    unsigned entries;

    add_title(&texts[TITLE], plot);
    add_workload(&texts[WORKLOAD], plot);
    add_result(&texts[RESULT], plot);
    describe_plot(&texts[DESCRIPTION], plot);

    add_heading(body, 30, 17, "title", &texts[TITLE]);
    add_heading(body, 51, 13, "sent", &texts[WORKLOAD]);
    add_heading(body, 69, 13, "dim", &texts[RESULT]);

    if (plot->plan->sweep.kind == SWEEP_NONE)
        entries = plot_run_draw(body, plot);
    else
        entries = plot_sweep_draw(body, plot);
    int height = (int)plot_targets_draw(body, plot, entries, PLOT_BOTTOM + 56);

    buffer_format(text,
                  PLOT_START "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                             "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                             "role=\"img\" aria-labelledby=\"ioping-title ioping-desc\">"
                             "\n",
                  PLOT_WIDTH, height, PLOT_WIDTH, height);

    add_element(text, "title", &texts[TITLE]);
    add_element(text, "desc", &texts[DESCRIPTION]);
    buffer_text(text, style);
    svg_rect(text, "paper", 0, 0, PLOT_WIDTH, height);

    buffer_text(text, body->failed ? "" : body->text);
    buffer_text(text, "</svg>\n");

    for (int i = 0; i < TEXTS; i++) {
        text->failed |= texts[i].failed;
        buffer_free(&texts[i]);
    }
}
