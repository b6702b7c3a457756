/*
 * The document of a plot. It has four headings, the panels (run.c or
 * sweep.c), and the legend with the table (targets.c). For people who do not
 * see the picture, it also has a description in words: workload, result, and the figures
 * of each target.
 */
#include "plot/plot.h"

#include "base/units.h"
#include "diagnosis.h"
#include "draw.h"
#include "words.h"

#include <inttypes.h>
#include <string.h>

/* The description shortens the labels of all targets together, and the origin, to this
 * many columns. Otherwise it could have several megabytes. MAX_LABEL_COLUMNS is enough
 * for the longest path of a single target, which has 4095 bytes. If there are more than
 * PLOT_MAX_DETAILED targets, the picture itself is large, and there is less room. */
#define MAX_LABEL_COLUMNS 4352
#define MAX_MANY_LABELS_COLUMNS 2560
#define MAX_ORIGIN_COLUMNS 1024

/* If all sweeps together have more steps than this, the description leaves out the
 * figures of the steps. */
#define MAX_DESCRIBED_STEPS 128

/* The font size of the answer, in pixels; and the font size of an answer that is too wide
 * for the first. */
#define ANSWER_FONT 15
#define LONG_ANSWER_FONT 12

#define ANSWER_Y 94          /* the base line of the answer */
#define ANSWER_LINE 20       /* from one line of the answer of a diagnosis to the next */
#define MAX_SENTENCE_LINES 3 /* maximum number of these lines */

/*
 * The style sheet. The colours t0 to t7 of targets come from the palette of Okabe and
 * Ito ("Color Universal Design", 2008), which colour-blind people can distinguish. Their
 * vermilion stands for limits only; black and yellow are replaced by colours that are
 * visible on the background, which is light or dark as the viewer prefers. Percentiles
 * are steps of the colour of their target: the higher, the fainter. The fonts come from
 * the viewer's system. Classes that begin with k- are for the legend.
 */
static const char style[] =
    "<style type=\"text/css\">\n"
    "text{font-family:system-ui,\"DejaVu Sans\",sans-serif;fill:#24292f}\n"
    ".paper{fill:#fff}\n"
    ".title,.answer,.panel{font-weight:600}\n"
    ".dim{fill:#57606a}.bad{fill:#b34700;font-weight:600}\n"
    ".halo{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\n"
    ".plot{fill:none;stroke:#8c959f}\n"
    ".grid{fill:none;stroke:#d8dee4}\n"
    ".load,.k-load{fill:#8c959f;fill-opacity:.18}\n"
    ".t0{color:#0072b2}.t1{color:#e69f00}.t2{color:#009e73}.t3{color:#cc79a7}\n"
    ".t4{color:#8c510a}.t5{color:#56b4e9}.t6{color:#24292f}.t7{color:#a89b00}\n"
    ".part0{color:#74a9cf}.part1{color:#8c510a}.part2{color:#d8a24a}\n"
    ".part3{color:#35978f}.part4{color:#7b3294}.part5{color:#8c959f}\n"
    ".mark,.bar,.part,.k-mark,.k-part{fill:currentColor}\n"
    ".mark{fill-opacity:.6}.bar{fill-opacity:.6}.small{fill-opacity:.5}\n"
    ".band,.k-band{fill:currentColor;fill-opacity:.2}\n"
    ".mean,.p50,.p90,.p99,.max,.outline,.fail,.missed,.lead,.limit,.knee,.ring,"
    ".k-mean,.k-p50,.k-p90,.k-p99,.k-max,.k-fail,.k-missed,.k-limit,.k-knee,.k-ring"
    "{fill:none;stroke:currentColor;stroke-width:1.5;stroke-linejoin:round}\n"
    ".p50,.p90,.p99,.k-p50,.k-p90,.k-p99,.outline{stroke-width:2}\n"
    ".p90,.k-p90{stroke-opacity:.8;stroke-dasharray:14 4}\n"
    ".p99,.k-p99{stroke-opacity:.75;stroke-dasharray:6 3}\n"
    ".max,.k-max{stroke-opacity:.6;stroke-dasharray:1 3}\n"
    ".limit,.k-limit,.ring,.k-ring{stroke:#d55e00}\n"
    ".limit,.k-limit{stroke-dasharray:12 3 2 3}.knee,.k-knee{stroke-dasharray:2 2}\n"
    ".open{fill:#fff;fill-opacity:1;stroke:currentColor;stroke-width:1.5}\n"
    ".past,.k-past{fill:#8c959f;stroke:#8c959f;fill-opacity:1}\n"
    ".heat{fill:currentColor;stroke:none}.heat0{fill-opacity:.05}"
    ".heat1{fill-opacity:.1}\n"
    ".heat2{fill-opacity:.17}.heat3{fill-opacity:.25}.heat4{fill-opacity:.35}"
    ".heat5{fill-opacity:.5}\n"
    "@media screen and (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}.dim{fill:#9da7b1}.paper,.open{fill:#0d1117}\n"
    ".bad{fill:#ff8c42}.halo{stroke:#0d1117}.past,.k-past{fill:#8c959f}\n"
    ".plot{stroke:#6e7681}.grid{stroke:#262c34}.part4{color:#b07cc6}\n"
    ".band,.k-band{fill-opacity:.32}.limit,.k-limit,.ring,.k-ring{stroke:#ff8c42}\n"
    ".max,.k-max{stroke-opacity:.8}.small{fill-opacity:.8}\n"
    ".t0{color:#4aa3e0}.t4{color:#b5793c}.t6{color:#e6edf3}.t7{color:#f0e442}}\n"
    "@media print{.paper{fill:#fff}}\n"
    "</style>\n";

/* Adds percentiles and the maximum, in ns. A percentile that is unknown (negative) is
 * left out. */
static void
add_percentiles_and_max(struct buffer *text, int64_t p50, int64_t p99, int64_t max)
{
    if (p50 >= 0)
        plot_add_value(text, ", p50 ", UNITS_TIME, p50, "");
    if (p99 >= 0)
        plot_add_value(text, ", p99 ", UNITS_TIME, p99, "");
    plot_add_value(text, ", max ", UNITS_TIME, max, "");
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
        plot_add_counts(text, moments->count, counts.failed, counts.missed);
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
        /* Part 0 (submit) is shown whenever any part is shown, so it is the first in the
         * list. */
        buffer_format(text, "%s%s ", i ? ", " : ", on average ", scope_name(scope));
        plot_add_value(text, "", UNITS_TIME, moments_average(part.moments), "");
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
        char value[PLOT_TEXT];

        if (!step->requests)
            continue;

        buffer_format(text, "%s%s %s", separator, sweep_kinds[kind].name,
                      plot_swept_value(kind, step->value, value));
        plot_add_value(text, ": ", UNITS_COUNT, (int64_t)step->iops, " iops");
        plot_add_value(text, ", ", UNITS_SIZE, (int64_t)step->bps, "/s");
        add_percentiles_and_max(text, step->p50, step->p99, step->max);
        if (step->verdict == SLO_BROKEN)
            buffer_text(text, ", limit broken");
        separator = "; ";
    }
}

/* Adds the text in PLAIN, shortened to MAX_COLUMNS, and frees PLAIN. If PLAIN->failed is
 * true, adds no text, and sets TEXT->failed. */
static void
add_shortened(struct buffer *text, struct buffer *plain, int max_columns)
{
    text->failed |= plain->failed;
    if (!plain->failed)
        svg_shorten(text, plain->text, max_columns);
    buffer_free(plain);
}

/* Returns the number of steps of all targets together. */
static int
count_steps(const struct plot *plot)
{
    int count = 0;

    for (int i = 0; i < plot->count; i++)
        count += plot->jobs[i].sweep.count;

    return count;
}

/* Describes the target of JOB in a sentence: its label, and the figures of its run or of
 * the steps of its sweep. */
static void
describe_target(struct buffer *text, const struct plot *plot, const struct job *job)
{
    enum sweep_kind kind = plot->plan->sweep.kind;
    bool is_many = plot->count > PLOT_MAX_DETAILED;
    int max_columns = is_many ? MAX_MANY_LABELS_COLUMNS : MAX_LABEL_COLUMNS;
    struct buffer label = {0};

    description_label(&job->target.description, &label);
    buffer_text(text, " ");
    add_shortened(text, &label, max_columns / plot->count);
    buffer_text(text, ": ");

    if (kind == SWEEP_NONE) {
        describe_stats(text, job->stats);
        describe_parts(text, plot, job);
        if (job->phases)
            describe_phases(text, plot, job);
    } else if (plot_has_data(job)) {
        if (count_steps(plot) > MAX_DESCRIBED_STEPS)
            buffer_format(text, "%d steps", job->sweep.count);
        else
            describe_steps(text, kind, &job->sweep);
    } else {
        buffer_text(text, "no request counted");
    }

    buffer_text(text, ".");
}

/* Describes PART of a diagnosis in a sentence: its figures and what they decide, or why
 * it has none. */
static void
describe_diagnosed_part(struct buffer *text, const struct plot *plot, enum plan_part part)
{
    const char *reason = plot_why_missing(plot, part);
    const struct job *job = &plot->jobs[part];
    struct buffer verdicts = {0};

    buffer_text(text, " ");
    plot_add_part_title(text, plot, part);
    buffer_text(text, ": ");
    if (reason) {
        buffer_text(text, reason);
    } else if (part == PART_OF_DEPTHS) {
        describe_steps(text, job->plan.sweep.kind, &job->sweep);
        if (plot->diagnosis->knee > 0)
            buffer_format(text, "; knee at %" PRId64, plot->diagnosis->knee);
    } else if (part == PART_OF_STREAM) {
        plot_add_counts(text, job->stats->latency.count, job->stats->failed, 0);
        plot_add_value(text, ", ", UNITS_SIZE, (int64_t)stats_bps(job->stats), "/s");
    } else {
        enum scope scope = part == PART_OF_FLUSHES ? SCOPE_SYNC : SCOPE_ALL;
        const struct latencies latencies = latencies_of(job->stats, scope);
        plot_add_counts(text, latencies.moments->count, job->stats->failed,
                        job->stats->missed);
        add_percentiles_and_max(
            text, latencies_known_percentile(&latencies, &percentiles_common.list[0]),
            latencies_known_percentile(&latencies, &percentiles_common.list[1]),
            latencies.moments->max);
    }

    plot_add_verdicts(&verdicts, plot, part);
    text->failed |= verdicts.failed;
    if (!verdicts.failed && verdicts.length > 0)
        buffer_format(text, "; %s", verdicts.text);
    buffer_free(&verdicts);
    buffer_text(text, ".");
}

/* Adds the element NAME with the content PLAIN. The element gets an id, because the
 * attribute aria-labelledby of the document refers to it. */
static void
add_element(struct buffer *text, const char *name, const struct buffer *plain)
{
    buffer_format(text, "<%s id=\"ioping-%s\">", name, name);
    svg_escape(text, plain->failed ? "" : plain->text);
    buffer_format(text, "</%s>\n", name);
}

/* Adds the title: the label of the target, or the number of targets. */
static void
add_title(struct buffer *text, const struct plot *plot)
{
    bool is_recorded = plot->plan->mode == MODE_COMPARE;

    if (plot->diagnosis) {
        buffer_text(text, "ioping -diagnose ");
        description_label(&plot->jobs[0].target.description, text);
    } else if (plot->count > 1) {
        buffer_format(text, "ioping: %d %s", plot->count,
                      is_recorded ? "recorded runs" : "targets");
    } else {
        buffer_text(text, "ioping ");
        description_label(&plot->jobs[0].target.description, text);
    }
}

/* Describes a diagnosis: the answer, and each part. */
static void
describe_diagnosis(struct buffer *text, const struct plot *plot)
{
    struct buffer answer = {0};

    buffer_text(text, "Diagnosis of a disk: ");
    plot_add_answer(&answer, plot);
    add_shortened(text, &answer, MAX_ORIGIN_COLUMNS);
    for (enum plan_part part = 0; part < PLAN_PARTS; part++)
        describe_diagnosed_part(text, plot, part);
}

/* Describes the results of all targets: the kind of plot, the workload, the answer, and
 * the figures. */
static void
describe_results(struct buffer *text, const struct plot *plot)
{
    static const char *const kinds[] = {
        [SWEEP_NONE] = "Latency over time, and how it is distributed",
        [SWEEP_SIZE] = "Latency and bandwidth against the size of requests",
        [SWEEP_THREADS] = "Latency against IOPS, with more and more threads",
        [SWEEP_DEPTH] = "Latency against IOPS, at rising queue depth",
        [SWEEP_INTERVAL] = "Latency against the interval between requests",
        [SWEEP_RATE] = "Latency against the offered rate"};

    struct buffer answer = {0};

    buffer_text(text, kinds[plot->plan->sweep.kind]);
    if (plot_has_parts(plot))
        buffer_text(text, ", with the shares of the parts of the time");
    buffer_text(text, ": ");

    plot_add_workload(text, plot);
    buffer_text(text, "; ");
    plot_add_total(text, plot);
    buffer_text(text, ".");

    plot_add_answer(&answer, plot);
    text->failed |= answer.failed;
    if (!answer.failed && answer.length > 0)
        buffer_format(text, " %s.", answer.text);
    buffer_free(&answer);

    for (int i = 0; i < plot->count; i++)
        describe_target(text, plot, &plot->jobs[i]);
}

/* Adds the description of the whole plot in words. */
static void
describe_plot(struct buffer *text, const struct plot *plot)
{
    struct buffer origin = {0};

    if (plot->diagnosis)
        describe_diagnosis(text, plot);
    else
        describe_results(text, plot);

    plot_add_origin(&origin, plot);
    buffer_text(text, " Made on ");
    add_shortened(text, &origin, MAX_ORIGIN_COLUMNS);
}

/* Adds a heading with the text PLAIN and its base line at Y, in a font of SIZE pixels.
 * Shortens PLAIN if it is too wide. */
static void
draw_heading(struct buffer *text, double y, int size, const char *class,
             const struct buffer *plain)
{
    struct buffer line = {0};
    const char *whole = plain->failed || !plain->text ? "" : plain->text;

    text->failed |= plain->failed;
    svg_shorten(&line, whole, (int)((PLOT_WIDTH - 2 * PLOT_MARGIN) / (SVG_GLYPH * size)));
    svg_buffer(text, PLOT_MARGIN, y, SVG_START, size, class, &line);
}

/* Adds the result: the answer, if there is one, or else the number of requests. The
 * numbers of failed and missed requests are never left out. */
static void
add_result(struct buffer *text, const struct plot *plot)
{
    size_t before = text->length;

    plot_add_answer(text, plot);
    if (plot->diagnosis)
        return;
    if (text->length == before)
        plot_add_total(text, plot);
    else
        plot_add_losses(text, plot);
}

/* Returns the font size of the fourth heading, the answer RESULT. A long answer has a
 * smaller font, so that none of its figures is left out. */
static int
find_answer_size(const struct buffer *result)
{
    bool is_long = result->text &&
                   svg_width(result->text, ANSWER_FONT) > PLOT_WIDTH - 2 * PLOT_MARGIN;

    return is_long ? LONG_ANSWER_FONT : ANSWER_FONT;
}

/* Draws the answer of a diagnosis, a sentence, in several lines if needed. Returns the y
 * of the last line. */
static double
draw_sentence(struct buffer *text, const struct buffer *sentence)
{
    int columns = (int)((PLOT_WIDTH - 2 * PLOT_MARGIN) / (SVG_GLYPH * ANSWER_FONT));
    const char *rest = sentence->text;
    double y = ANSWER_Y;

    text->failed |= sentence->failed;
    if (sentence->failed)
        return y;

    for (int i = 1; *rest; i++) {
        struct buffer line = {0};

        if (i < MAX_SENTENCE_LINES)
            plot_take_line(&rest, columns, &line);
        else
            buffer_text(&line, rest);
        draw_heading(text, y, ANSWER_FONT, "answer", &line);
        buffer_free(&line);
        if (i == MAX_SENTENCE_LINES || *rest == '\0')
            break;
        y += ANSWER_LINE;
    }

    return y;
}

/* Draws the four headings. TITLE is the text of the first heading. Returns the y of the
 * last line. */
static double
draw_headings(struct buffer *text, const struct plot *plot, const struct buffer *title)
{
    struct buffer workload = {0};
    struct buffer origin = {0};
    struct buffer result = {0};

    plot_add_workload(&workload, plot);
    if (plot_is_log(plot)) {
        buffer_text(&workload, ", ");
        plot_add_total(&workload, plot);
    }
    plot_add_origin(&origin, plot);
    add_result(&result, plot);

    draw_heading(text, 30, 17, "title", title);
    draw_heading(text, 51, 13, "sent", &workload);
    draw_heading(text, 68, PLOT_SMALL, "dim", &origin);
    double bottom = ANSWER_Y;
    if (plot->diagnosis)
        bottom = draw_sentence(text, &result);
    else
        draw_heading(text, ANSWER_Y, find_answer_size(&result), "answer", &result);

    buffer_free(&workload);
    buffer_free(&origin);
    buffer_free(&result);
    return bottom;
}

/* Draws everything below the headings, which end at TOP. Returns the y at which it ends.
 */
static double
draw_contents(struct buffer *text, const struct plot *plot, double top)
{
    bool is_sweep = plot->plan->sweep.kind != SWEEP_NONE;

    if (plot->diagnosis)
        return plot_diagnosis_draw(text, plot, top + PLOT_TOP - ANSWER_Y);

    if (!is_sweep && plot->count > PLOT_MAX_DETAILED)
        return plot_rows_draw(text, plot);

    double bottom = PLOT_BOTTOM;
    unsigned entries;
    if (is_sweep)
        entries = plot_sweep_draw(text, plot, &bottom);
    else if (plot_is_log(plot))
        entries = plot_log_draw(text, plot);
    else
        entries = plot_run_draw(text, plot);

    return plot_targets_draw(text, plot, entries, bottom + 46);
}

void
plot_format(struct buffer *text, const struct plot *plot)
{
    /* BODY has all visible elements. They are drawn before the start of the document is
     * written, because the start contains the height of the plot. */
    enum { TITLE, DESCRIPTION, BODY, TEXTS };
    struct buffer texts[TEXTS] = {{0}};
    struct buffer *body = &texts[BODY];

    add_title(&texts[TITLE], plot);
    describe_plot(&texts[DESCRIPTION], plot);
    double top = draw_headings(body, plot, &texts[TITLE]);
    int height = (int)draw_contents(body, plot, top);

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
