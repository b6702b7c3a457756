/* Plots in a browser: the script of a page draws each plot and examines its pixels. */
/* Marks: apart native */
#include "browser.h"
#include "diagnosed.h"
#include "seeded.h"

static const struct plotted_case cases[] = {
    {SWEEP_NONE, 1, 100, PLOTTED_DECADES}, {SWEEP_NONE, 1, 30000, PLOTTED_MISSING},
    {SWEEP_NONE, 2, 100, PLOTTED_NARROW},  {SWEEP_NONE, 2, 30000, PLOTTED_DECADES},
    {SWEEP_NONE, 6, 60, PLOTTED_FAILING},  {SWEEP_NONE, 6, 30000, PLOTTED_EXTREME},
    {SWEEP_NONE, 64, 400, PLOTTED_NARROW}, {SWEEP_NONE, 1, 0, PLOTTED_EQUAL},
    {SWEEP_SIZE, 1, 18, PLOTTED_DECADES},  {SWEEP_SIZE, 2, 18, PLOTTED_NARROW},
    {SWEEP_SIZE, 6, 18, PLOTTED_DECADES},  {SWEEP_THREADS, 1, 7, PLOTTED_DECADES},
    {SWEEP_THREADS, 2, 7, PLOTTED_NARROW}, {SWEEP_THREADS, 6, 7, PLOTTED_DECADES},
    {SWEEP_DEPTH, 1, 7, PLOTTED_DECADES},  {SWEEP_DEPTH, 6, 7, PLOTTED_EXTREME},
    {SWEEP_DEPTH, 2, 1, PLOTTED_EQUAL},
};

#define LOOKED_DIAGNOSES 5 /* plots of -diagnose, after those of the cases */

static int
make_page(void **state)
{
    (void)state;
    FILE *page = page_begin("page.html");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char name[32];
        struct buffer text = plotted_draw(&cases[i]);
        snprintf(name, sizeof(name), "%zu.svg", i);
        plotted_write(&text, name);
        page_add(page, text.text, text.length);
        buffer_free(&text);
    }
    for (uint64_t seed = 0; seed < LOOKED_DIAGNOSES; seed++) {
        struct buffer text = diagnosed_draw(diagnosed_seeded(seed));
        page_add(page, text.text, text.length);
        buffer_free(&text);
    }
    page_end(page, "look.js");
    return 0;
}

/* The findings of the script about a plot. */
struct seen {
    int width, height, colours;
    int drawn; /* per mille of it that is not background */
    int clear; /* pixels that one can see through */
    int light; /* per mille: of the background */
};

static void
read_seen(const char *text, int number, const char *page, struct seen *seen)
{
    char start[64];
    snprintf(start, sizeof(start), "\nplot %d %s ", number, page);
    const char *line = strstr(text, start);
    if (!line ||
        sscanf(line + strlen(start), "%d %d %d %d %d %d", &seen->width, &seen->height,
               &seen->colours, &seen->drawn, &seen->clear, &seen->light) != 6)
        fail_msg("no line of plot %d: %s", number, text);
}

/* Fails unless each is drawn as it should be in SCHEME, 0: dark or 1: light. */
static void
look(int scheme)
{
    struct result result = page_open(
        "page.html", formatted("--blink-settings=preferredColorScheme=%d", scheme));
    for (size_t i = 0; i < LENGTH(cases) + LOOKED_DIAGNOSES; i++) {
        struct seen screen = {0}, paper = {0};
        read_seen(result.out, (int)i, "screen", &screen);
        read_seen(result.out, (int)i, "paper", &paper);
        bool right = screen.width >= 400 && screen.height >= 200 && screen.clear == 0 &&
                     screen.colours >= 16 && screen.drawn >= 5 && screen.drawn < 900 &&
                     (scheme == 0 ? screen.light <= 100 : screen.light >= 800) &&
                     paper.light >= 800 && paper.drawn >= 5;
        if (!right)
            fail_msg("plot %zu is not as it should be: %s", i, result.out);
    }
    command_free(&result);
}

GROUP_SETUP(make_page)

TEST(plots_are_light_in_light_surroundings_and_on_paper)
{
    look(1);
}

TEST(plots_are_dark_in_dark_surroundings_but_not_on_paper)
{
    look(0);
}

#define SEEDS 200
#define DIAGNOSES 60

/* Measures the texts of plots of random data. Prints the seed of a plot with a problem.
 */
TEST(no_two_texts_overlap_in_260_plots_of_all_kinds)
{
    FILE *page = page_begin("overlap.html");
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct buffer text = seeded_draw(seed);
        page_add(page, text.text, text.length);
        buffer_free(&text);
    }
    for (uint64_t seed = 0; seed < DIAGNOSES; seed++) {
        struct buffer text = diagnosed_draw(diagnosed_seeded(seed));
        page_add(page, text.text, text.length);
        buffer_free(&text);
    }
    page_end(page, "overlap.js");
    struct result result = page_open("overlap.html", "");
    assert_contains(result.out, "\n260 plots\ntrue\n");
    command_free(&result);
}

static uint32_t
big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           bytes[3];
}

/* The head of a PNG: https://www.w3.org/TR/png/#5PNG-file-signature and IHDR. */
TEST(a_plot_of_its_own_becomes_a_png)
{
    struct result result = browse("--window-size=640,480 --screenshot=\"$PWD/0.png\" "
                                  "\"file://$PWD/0.svg\"");
    command_free(&result);
    result = command_status(0, "cat 0.png");
    const unsigned char *bytes = (const unsigned char *)result.out;
    assert_true(result.out_size > 8192);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    assert_int_equal(big_endian(bytes + 16), 640);
    assert_int_equal(big_endian(bytes + 20), 480);
    command_free(&result);
}
