/* The document of a plot: headings, panels, legend and the description of them all. */
#include "plot/plot.h"

#include "draw.h"

/*
 * The colours of Okabe and Ito ("Color Universal Design", 2008), which colour-blind
 * people can distinguish; black and yellow are replaced by colours that are visible on
 * the paper. Fonts are those of the viewer's system.
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

/* Adds an element that contains PLAIN. */
static void
add_element(struct buffer *text, const char *name, const struct buffer *plain)
{
    buffer_format(text, "<%s id=\"ioping-%s\">", name, name);
    svg_escape(text, plain->failed ? "" : plain->text);
    buffer_format(text, "</%s>\n", name);
    text->failed |= plain->failed;
}

/* Adds a line at the top, shortened to fit. */
static void
add_heading(struct buffer *text, double y, int size, const char *class,
            const struct buffer *plain)
{
    struct buffer line = {0};
    const struct svg_font font = {.size = size, .class = class};
    int columns = (int)((PLOT_WIDTH - 2 * PLOT_MARGIN) / (SVG_GLYPH * size));
    if (!plain->failed)
        svg_shorten(&line, plain->text, columns);
    if (plain->failed || line.failed)
        text->failed = true;
    else
        svg_text(text, PLOT_MARGIN, y, &font, line.text);
    buffer_free(&line);
}

static void
add_title(struct buffer *text, const struct plot *plot)
{
    if (plot->count > 1) {
        buffer_format(text, "ioping: %d %s", plot->count,
                      plot->plan->mode == MODE_COMPARE ? "kept runs" : "targets");
        return;
    }
    buffer_text(text, "ioping ");
    description_label(&plot->jobs[0].target.description, text);
}

static void
add_headings(struct buffer *text, const struct plot *plot, const struct buffer *title)
{
    struct buffer line = {0};
    add_heading(text, 30, 17, "title", title);
    plot_words_sent(&line, plot);
    add_heading(text, 51, 13, "sent", &line);
    buffer_clear(&line);
    plot_words_done(&line, plot);
    add_heading(text, 69, 13, "dim", &line);
    buffer_free(&line);
}

void
plot_format(struct buffer *text, const struct plot *plot)
{
    const double below = PLOT_TOP + PLOT_HEIGHT + 56;
    int height = (int)(below + plot_targets_height(plot));
    struct buffer title = {0}, words = {0};
    add_title(&title, plot);
    plot_words_all(&words, plot);
    buffer_format(text,
                  PLOT_START "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                             "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                             "role=\"img\" aria-labelledby=\"ioping-title ioping-desc\">"
                             "\n",
                  PLOT_WIDTH, height, PLOT_WIDTH, height);
    add_element(text, "title", &title);
    add_element(text, "desc", &words);
    buffer_text(text, style);
    svg_rect(text, "paper", 0, 0, PLOT_WIDTH, height);
    add_headings(text, plot, &title);
    if (plot->plan->sweep.kind == SWEEP_NONE)
        plot_run_draw(text, plot);
    else
        plot_sweep_draw(text, plot);
    plot_targets_draw(text, plot, below);
    buffer_text(text, "</svg>\n");
    buffer_free(&title);
    buffer_free(&words);
}
