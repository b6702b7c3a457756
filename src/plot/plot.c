/*
 * The document of a plot, from the top down: title, headings, panels (run.c or sweep.c),
 * and the legend with the table (targets.c). It also has a description in words, for
 * people who do not see the picture: the load, the results, and the figures of each
 * target.
 */
#include "plot/plot.h"

#include "base/units.h"
#include "draw.h"

#include <inttypes.h>
#include <limits.h>

/* With more targets, names are shortened in the description, so that it stays small. */
#define NAMES_WHOLE 4
#define NAMES_ROOM 16384 /* columns of all shortened names together */

/*
 * The style sheet. The colours t0 to t7 are those of Okabe and Ito ("Color Universal
 * Design", 2008), which colour-blind people can distinguish; black and yellow are
 * replaced by colours that are visible on the paper. The dashes d1 to d7 distinguish more
 * targets than there are colours. Fonts are those of the viewer's system.
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

/* Adds VALUE in the unit of KIND, between the texts BEFORE and AFTER. */
static void
add_value(struct buffer *text, const char *before, enum units_kind kind, int64_t value,
          const char *after)
{
    buffer_text(text, before);
    units_add(text, kind, value);
    buffer_text(text, after);
}

/* Adds what was sent, such as "random reads of 4 KiB, direct". The I/O mode is left out
 * if targets differ in it. */
static void
add_sent(struct buffer *text, const struct plot *plot)
{
    const struct plan *plan = plot->plan;
    enum sweep_kind swept = plan->sweep.kind;
    enum io_mode mode = plot->jobs[0].target.description.mode;
    int alike = 1;

    if (plan->mode == MODE_COMPARE) {
        buffer_text(text, "read from raw lines");
        return;
    }

    bool moves = plan_does(plan, OPERATION_MOVES);
    buffer_format(text, "%s%s",
                  !moves                  ? ""
                  : plan->workload.append ? "appended "
                  : plan->workload.linear ? "sequential "
                                          : "random ",
                  operation_mix_noun(&plan->workload.mix));

    if (swept == SWEEP_SIZE)
        buffer_text(text, " of rising size");
    else if (moves)
        add_value(text, " of ", UNITS_SIZE, plan->workload.request_size, "");

    while (alike < plot->count && plot->jobs[alike].target.description.mode == mode)
        alike++;
    if (alike == plot->count)
        buffer_format(text, ", %s", description_mode(mode));

    if (swept == SWEEP_INTERVAL)
        buffer_text(text, ", at rising intervals");
    if (swept == SWEEP_RATE)
        buffer_text(text, plan->pace.poisson ? ", due at random" : ", when they are due");

    if (plan->pace.interval > 0 && plan->pace.burst > 1)
        buffer_format(text, ", %" PRId64, plan->pace.burst);
    if (plan->pace.interval > 0)
        add_value(text, plan->pace.burst > 1 ? " every " : ", every ", UNITS_TIME,
                  plan->pace.interval, "");

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

/* Adds "99 requests counted, 1 failed". */
static void
add_counts(struct buffer *text, uint64_t count, uint64_t failed, uint64_t missed)
{
    add_value(text, "", UNITS_COUNT, (int64_t)count,
              count == 1 ? " request counted" : " requests counted");
    if (failed)
        add_value(text, ", ", UNITS_COUNT, (int64_t)failed, " failed");
    if (missed)
        add_value(text, ", ", UNITS_COUNT, (int64_t)missed, " missed");
}

/* Adds the result of all targets together, such as "99 requests counted, 1 failed; limit
 * p99 < 1 ms". */
static void
add_done(struct buffer *text, const struct plot *plot)
{
    bool sweep = plot->plan->sweep.kind != SWEEP_NONE;
    uint64_t count = 0;
    uint64_t failed = 0;
    uint64_t missed = 0;

    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];
        for (int k = 0; k < job->sweep.count; k++) {
            count += job->sweep.steps[k].requests;
            failed += job->sweep.steps[k].failed;
        }
        count += sweep ? 0 : job->stats->latency.count;
        failed += sweep ? 0 : job->stats->failed;
        missed += sweep ? 0 : job->stats->missed;
    }

    add_counts(text, count, failed, missed);
    if (sweep && plot->plan->statistics.slos.count) {
        buffer_text(text, "; limit ");
        slos_text(&plot->plan->statistics.slos, text);
    }

    if (plot->plan->statistics.corrected_interval)
        buffer_text(text,
                    "; percentiles and histogram corrected for those that were not sent");
}

/* Adds percentiles and maximum, in ns. A negative percentile is unknown and left out. */
static void
add_times(struct buffer *text, int64_t p50, int64_t p99, int64_t max)
{
    if (p50 >= 0)
        add_value(text, ", p50 ", UNITS_TIME, p50, "");
    if (p99 >= 0)
        add_value(text, ", p99 ", UNITS_TIME, p99, "");
    add_value(text, ", max ", UNITS_TIME, max, "");
}

/* Adds the figures of all requests and, if operations are mixed, of each operation. */
static void
add_figures(struct buffer *text, const struct stats *stats)
{
    const struct percentile *list = percentiles_common.list;

    for (enum scope scope = SCOPE_ALL; scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        const struct latencies latencies = latencies_of(stats, scope);
        const struct scope_counts counts = scope_counts_of(stats, scope);
        const struct moments *moments = latencies.moments;

        if (scope != SCOPE_ALL)
            buffer_format(text, "; %s: ", scope_name(scope));
        add_counts(text, moments->count, counts.failed, counts.missed);
        if (moments->count)
            add_times(text, latencies_known_percentile(&latencies, &list[0]),
                      latencies_known_percentile(&latencies, &list[1]), moments->max);
    }
}

/* Adds the description of a target: of a run its figures, the mean times of the parts,
 * such as ", on average submit 2 us, queue 1 us", and the figures of its phases; of a
 * sweep the figures of each step. */
static void
add_target(struct buffer *text, const struct plot *plot, const struct job *job)
{
    enum sweep_kind kind = plot->plan->sweep.kind;
    bool run = kind == SWEEP_NONE;
    struct buffer label = {0};

    description_label(&job->target.description, &label);
    text->failed |= label.failed;

    buffer_text(text, " ");
    if (!label.failed)
        svg_shorten(text, label.text,
                    plot->count <= NAMES_WHOLE ? INT_MAX : NAMES_ROOM / plot->count);
    buffer_free(&label);
    buffer_text(text, ": ");

    if (run)
        add_figures(text, job->stats);
    else if (!plot_has_data(job))
        buffer_text(text, "no request counted");

    for (int i = 0; i < PLOT_PARTS; i++) {
        if (!plot_has_part(plot, i))
            continue;

        enum scope scope = plot_part_scope(i);
        const struct latencies part = latencies_of(job->stats, scope);
        buffer_format(text, "%s%s ", i ? ", " : ", on average ", scope_name(scope));
        units_add(text, UNITS_TIME, moments_average(part.moments));
    }

    for (enum phase phase = PHASE_IDLE; run && job->phases && phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(job, phase);

        if (!stats)
            continue;

        buffer_text(text, "; ");
        plot_phase_name(text, plot, phase);
        buffer_text(text, ": ");
        add_figures(text, stats);
    }

    const char *between = "";
    for (int i = 0; i < job->sweep.count; i++) {
        const struct job_step *step = &job->sweep.steps[i];
        char value[UNITS_TEXT];

        if (!step->requests)
            continue;

        buffer_format(text, "%s%s %s", between, sweep_kinds[kind].name,
                      sweep_format(kind, step->value, value));
        add_value(text, ": ", UNITS_COUNT, (int64_t)step->iops, " iops");
        add_value(text, ", ", UNITS_SIZE, (int64_t)step->bps, "/s");
        add_times(text, step->p50, step->p99, step->max);
        if (step->verdict == SLO_BROKEN)
            buffer_text(text, ", limit broken");
        between = "; ";
    }

    buffer_text(text, ".");
}

/* Adds the element NAME with the content PLAIN, and an id that the document refers to. */
static void
add_element(struct buffer *text, const char *name, const struct buffer *plain)
{
    buffer_format(text, "<%s id=\"ioping-%s\">", name, name);
    svg_escape(text, plain->failed ? "" : plain->text);
    buffer_format(text, "</%s>\n", name);
}

/* Adds a heading with its base line at Y, in a font of SIZE pixels. A heading that is too
 * wide is shortened. */
static void
add_heading(struct buffer *text, double y, int size, const char *class,
            const struct buffer *plain)
{
    struct buffer line = {0};

    svg_shorten(&line, plain->failed ? "" : plain->text,
                (int)((PLOT_WIDTH - 2 * PLOT_MARGIN) / (SVG_GLYPH * size)));
    svg_buffer(text, PLOT_MARGIN, y, SVG_START, size, class, &line);
}

void
plot_format(struct buffer *text, const struct plot *plot)
{
    static const char *const kinds[] = {
        [SWEEP_NONE] = "Latency over time, and how it is distributed",
        [SWEEP_SIZE] = "IOPS and bandwidth against the size of requests",
        [SWEEP_THREADS] = "Latency against IOPS, with more and more threads",
        [SWEEP_DEPTH] = "Latency against IOPS, at rising queue depth",
        [SWEEP_INTERVAL] = "Latency against the interval between requests",
        [SWEEP_RATE] = "Latency against IOPS, at rising rate"};
    enum { TITLE, SENT, DONE, WORDS, BODY, TEXTS };
    struct buffer texts[TEXTS] = {{0}};
    struct buffer *words = &texts[WORDS];
    struct buffer *body = &texts[BODY];

    if (plot->count > 1)
        buffer_format(&texts[TITLE], "ioping: %d %s", plot->count,
                      plot->plan->mode == MODE_COMPARE ? "recorded runs" : "targets");
    else {
        buffer_text(&texts[TITLE], "ioping ");
        description_label(&plot->jobs[0].target.description, &texts[TITLE]);
    }

    add_sent(&texts[SENT], plot);
    add_done(&texts[DONE], plot);

    buffer_format(words, "%s%s: ", kinds[plot->plan->sweep.kind],
                  plot_has_parts(plot) ? ", with the parts of the time as stacked columns"
                                       : "");
    add_sent(words, plot);
    buffer_text(words, "; ");
    add_done(words, plot);
    buffer_text(words, ".");
    for (int i = 0; i < plot->count; i++)
        add_target(words, plot, &plot->jobs[i]);

    add_heading(body, 30, 17, "title", &texts[TITLE]);
    add_heading(body, 51, 13, "sent", &texts[SENT]);
    add_heading(body, 69, 13, "dim", &texts[DONE]);

    unsigned entries = plot->plan->sweep.kind == SWEEP_NONE ? plot_run_draw(body, plot)
                                                            : plot_sweep_draw(body, plot);
    int height = (int)plot_targets_draw(body, plot, entries, PLOT_BOTTOM + 56);

    buffer_format(text,
                  PLOT_START "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                             "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                             "role=\"img\" aria-labelledby=\"ioping-title ioping-desc\">"
                             "\n",
                  PLOT_WIDTH, height, PLOT_WIDTH, height);

    add_element(text, "title", &texts[TITLE]);
    add_element(text, "desc", words);
    buffer_text(text, style);
    svg_rect(text, "paper", 0, 0, PLOT_WIDTH, height);

    buffer_text(text, body->failed ? "" : body->text);
    buffer_text(text, "</svg>\n");

    for (int i = 0; i < TEXTS; i++) {
        text->failed |= texts[i].failed;
        buffer_free(&texts[i]);
    }
}
