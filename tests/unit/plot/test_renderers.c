/*
 * Chromium and librsvg, with which many other programs draw, draw the same plots. A page
 * measures how much the two images of a plot differ: see tests/support/tools/compare.js.
 *
 * The limits lie between the differences of the same plot, which come from the smoothing
 * of edges and the hinting of fonts, and the differences that the deliberate changes
 * below make. With Chromium 156 and librsvg 2.54, the largest differences of 207 plots
 * are 7.7, 15 blocks, 0.07 and 1.9 pixels. Each change exceeds a limit by a quarter or
 * more.
 */
/* Marks: 20s apart native */
#include "browser.h"
#include "diagnosed.h"
#include "seeded.h"

#define MAX_DIFFERENCE 12.0
#define MAX_BLOCKS 40
#define MAX_SHARE 0.14
#define MAX_DISTANCE 2.5

/* How much the two images of a plot differ. */
struct difference {
    int texts;       /* number of texts in the plot */
    double largest;  /* largest difference of the average colours of a block, 0 to 255 */
    int blocks;      /* number of blocks that differ, even if only a little */
    double share;    /* largest difference of the amount of ink of a text, 0 to 1 */
    double distance; /* largest distance of the centres of that ink, in pixels */
};

/* Adds to PAGE the plot SHOWN, and the image that librsvg makes of the plot CONVERTED. */
static void
add_pair(FILE *page, const struct buffer *shown, const struct buffer *converted)
{
    plotted_write(converted, "plot.svg");
    struct result image = command_status(0, "rsvg-convert -z 2 -b white plot.svg");
    assert_string_equal(image.err, "");
    page_add(page, shown->text, shown->length);
    page_add(page, image.out, image.out_size);
    command_free(&image);
}

/* Stores in FOUND the differences of the COUNT pairs of the page NAME. */
static void
compare(const char *name, struct difference *found, int count)
{
    struct result result = page_open(name, "");
    for (int i = 0; i < count; i++) {
        const char *start = formatted("\npair %d ", i);
        const char *line = strstr(result.out, start);
        if (!line || sscanf(line + strlen(start), "%d %lf %d %lf %lf", &found[i].texts,
                            &found[i].largest, &found[i].blocks, &found[i].share,
                            &found[i].distance) != 5)
            fail_msg("no line of pair %d: %s", i, result.out);
    }
    command_free(&result);
}

static bool
is_same(const struct difference *found)
{
    return found->largest <= MAX_DIFFERENCE && found->blocks <= MAX_BLOCKS &&
           found->share <= MAX_SHARE && found->distance <= MAX_DISTANCE;
}

/* Prints a row of a table, which shows how far the differences are from the limits. */
static void
print_difference(const struct difference *found, const char *name)
{
    print_message("%5.1f %5d %5.2f %5.1f  %s\n", found->largest, found->blocks,
                  found->share, found->distance, name);
}

/* Plots with what those of seeds lack: the dashes of many targets, and missed requests.
 */
static const struct plotted_case cases[] = {
    {SWEEP_NONE, 1, 3000, PLOTTED_MISSING}, {SWEEP_NONE, 6, 60, PLOTTED_FAILING},
    {SWEEP_NONE, 8, 400, PLOTTED_DECADES},  {SWEEP_NONE, 64, 400, PLOTTED_NARROW},
    {SWEEP_SIZE, 64, 18, PLOTTED_DECADES},  {SWEEP_DEPTH, 6, 7, PLOTTED_EXTREME},
    {SWEEP_NONE, 1, 0, PLOTTED_EQUAL},
};

#define SEEDS 30 /* three plots of each kind */
#define DIAGNOSES 6
#define PLOTS (SEEDS + (int)LENGTH(cases) + DIAGNOSES)

/* Returns plot INDEX: first those of seeds, then the cases, then the diagnoses. */
static struct buffer
draw_plot(int index)
{
    int case_index = index - SEEDS;
    int diagnosis_index = case_index - (int)LENGTH(cases);

    if (case_index < 0)
        return seeded_draw((uint64_t)index);
    if (diagnosis_index < 0)
        return plotted_draw(&cases[case_index]);
    return diagnosed_draw(diagnosed_seeded((uint64_t)diagnosis_index));
}

TEST(plots_of_all_kinds_are_drawn_the_same)
{
    need_program("rsvg-convert");
    struct difference found[PLOTS] = {0};
    FILE *page = page_begin("same.html");
    for (int i = 0; i < PLOTS; i++) {
        struct buffer text = draw_plot(i);
        add_pair(page, &text, &text);
        buffer_free(&text);
    }
    page_end(page, "compare.js");
    compare("same.html", found, PLOTS);

    bool are_same = true;
    print_message("limits: %.1f %d %.2f %.1f\n", MAX_DIFFERENCE, MAX_BLOCKS, MAX_SHARE,
                  MAX_DISTANCE);
    for (int i = 0; i < PLOTS; i++) {
        print_difference(&found[i], formatted("plot %d", i));
        are_same &= is_same(&found[i]) && found[i].texts >= 8;
    }
    assert_true(are_same);
}

/* Changes of the plot of a seed: the first FROM becomes TO in the document for one of the
 * programs, as if this program did not know it, or drew it in another way. */
static const struct {
    const char *name;
    uint64_t seed;
    bool is_for_chromium; /* otherwise the document for librsvg is changed */
    const char *from, *to;
} changes[] = {
    /* An element is missing. */
    {"mark", 22, false, "<circle class=\"mark", "<circle display=\"none\" class=\"mark"},
    {"grid", 0, false, "<path class=\"grid", "<path display=\"none\" class=\"grid"},
    {"frame", 0, false, "<rect class=\"plot", "<rect display=\"none\" class=\"plot"},
    {"band", 0, false, "<path class=\"band", "<path display=\"none\" class=\"band"},
    {"text", 0, false, "<text class=\"dim", "<text display=\"none\" class=\"dim"},
    /* A line has no dashes, other dashes, or another width. */
    {"solid", 0, false, "stroke-dasharray:6 3", "stroke-dasharray:none"},
    {"dashes", 0, false, "stroke-dasharray:6 3", "stroke-dasharray:12 6"},
    {"dots", 0, false, "stroke-dasharray:1 3", "stroke-dasharray:3 1"},
    {"width", 0, false, "stroke-width:2", "stroke-width:1.5"},
    /* A text is somewhere else, or has another size or weight. */
    {"middle", 0, false, " text-anchor=\"middle\"", ""},
    {"end", 0, false, " text-anchor=\"end\"", ""},
    {"baseline", 0, true, "text{", "text{dominant-baseline:middle;"},
    {"shift", 0, false, "<text class=\"dim", "<text dx=\"3\" class=\"dim"},
    {"size", 0, false, "font-size=\"11\"", "font-size=\"13\""},
    {"weight", 0, false, "font-weight:600", "font-weight:400"},
    /* The outline of a text covers the text. */
    {"outline", 17, false, "paint-order:stroke;", ""},
    /* A colour is unknown, is not that of the target, or is less transparent. */
    {"colour", 0, false, "color:#0072b2", "color:unknown"},
    {"target", 0, false, "fill:currentColor", "fill:black"},
    {"opacity", 0, false, "fill-opacity:.2", "fill-opacity:.3"},
    /* The picture is dark. */
    {"dark", 0, true, "@media screen and (prefers-color-scheme:dark)", "@media screen"},
};
#define CHANGES (int)LENGTH(changes)

/* Returns TEXT, with TO instead of the first FROM. */
static struct buffer
replaced(const struct buffer *text, const char *from, const char *to)
{
    struct buffer result = {0};
    const char *found = strstr(text->text, from);
    if (!found)
        fail_msg("%s is not in: %s", from, text->text);
    buffer_add(&result, text->text, (size_t)(found - text->text));
    buffer_text(&result, to);
    buffer_text(&result, found + strlen(from));
    return result;
}

TEST(each_change_of_a_plot_is_found)
{
    need_program("rsvg-convert");
    struct difference found[CHANGES] = {0};
    FILE *page = page_begin("changed.html");
    for (int i = 0; i < CHANGES; i++) {
        struct buffer text = seeded_draw(changes[i].seed);
        struct buffer changed = replaced(&text, changes[i].from, changes[i].to);
        if (changes[i].is_for_chromium)
            add_pair(page, &changed, &text);
        else
            add_pair(page, &text, &changed);
        buffer_free(&text);
        buffer_free(&changed);
    }
    page_end(page, "compare.js");
    compare("changed.html", found, CHANGES);

    bool is_each_found = true;
    for (int i = 0; i < CHANGES; i++) {
        print_difference(&found[i], changes[i].name);
        is_each_found &= !is_same(&found[i]);
    }
    assert_true(is_each_found);
}
