/* Every plot follows the rules of svg_check.h, whatever was measured and whatever the
 * targets are called. */
/* Marks: 15s apart native */
#include "mix.h"
#include "seeded.h"
#include "svg_check.h"

static const int targets[] = {1, 2, 6, 64};

/* Adds the faults of a plot to FOUND, so that a test fails once, with a list. */
static void
add_plot(struct buffer *found, const struct buffer *text, const char *name)
{
    struct svg_check check;
    svg_check_begin(&check, text->text, text->length);
    if (check.panel_count == 0)
        svg_check_problem(&check, "no panel");
    if (check.problems.text)
        buffer_format(found, "%s:\n%.600s\n", name, check.problems.text);
    svg_check_end(&check);
}

static void
add_case(struct buffer *found, const struct plotted_case *drawn)
{
    const char *swept = drawn->sweep ? sweep_kinds[drawn->sweep].name : "run";
    static const char *const kinds[] = {"equal",   "narrow", "decades", "extreme",
                                        "failing", "lost",   "missing"};
    char name[128];
    snprintf(name, sizeof(name), "%s of %d targets, %llu %s", swept, drawn->targets,
             (unsigned long long)drawn->requests, kinds[drawn->kind]);
    struct buffer text = plotted_draw(drawn);
    add_plot(found, &text, name);
    buffer_free(&text);
}

static void
fail_if_any(struct buffer *found)
{
    if (found->text)
        fail_msg("%.20000s", found->text);
    buffer_free(found);
}

/* With as many targets as there may be it takes fewer requests for a band. */
static void
add_runs(struct buffer *found, enum plotted_kind kind)
{
    static const uint64_t requests[] = {0, 1, 3, 400, 12000};
    for (size_t i = 0; i < LENGTH(targets); i++)
        for (size_t k = 0; k < LENGTH(requests); k++) {
            uint64_t most = targets[i] > 6 ? 1500 : requests[k];
            add_case(found, &(struct plotted_case){
                                SWEEP_NONE, targets[i],
                                requests[k] < most ? requests[k] : most, kind});
        }
}

static void
add_sweeps(struct buffer *found, enum plotted_kind kind)
{
    static const int steps[] = {0, 1, 7, PLOTTED_STEPS};
    for (int sweep = SWEEP_SIZE; sweep <= SWEEP_LAST; sweep++)
        for (size_t i = 0; i < LENGTH(targets); i++)
            for (size_t k = 0; k < LENGTH(steps); k++)
                add_case(found, &(struct plotted_case){(enum sweep_kind)sweep, targets[i],
                                                       (uint64_t)steps[k], kind});
}

TEST(every_run_makes_a_sound_plot)
{
    struct buffer found = {0};
    for (int kind = 0; kind < PLOTTED_KINDS; kind++)
        add_runs(&found, (enum plotted_kind)kind);
    fail_if_any(&found);
}

TEST(three_million_requests_make_a_sound_plot)
{
    struct buffer found = {0};
    add_case(&found, &(struct plotted_case){SWEEP_NONE, 1, 3000000, PLOTTED_DECADES});
    add_case(&found, &(struct plotted_case){SWEEP_NONE, 2, 500000, PLOTTED_MISSING});
    add_case(&found, &(struct plotted_case){SWEEP_NONE, 6, 300000, PLOTTED_FAILING});
    add_case(&found, &(struct plotted_case){SWEEP_NONE, 64, 20000, PLOTTED_EXTREME});
    fail_if_any(&found);
}

TEST(every_sweep_makes_a_sound_plot)
{
    struct buffer found = {0};
    for (int kind = 0; kind < PLOTTED_MISSING; kind++)
        add_sweeps(&found, (enum plotted_kind)kind);
    fail_if_any(&found);
}

/* Columns for all of it, each as wide as it can be: "999.9 T". */
TEST(the_largest_numbers_make_a_sound_plot)
{
    struct buffer found = {0};
    for (size_t i = 0; i < LENGTH(targets); i++) {
        struct plotted_case drawn = {SWEEP_NONE, targets[i], 50, PLOTTED_EXTREME};
        struct plotted *plotted = plotted_make(&drawn);
        struct buffer text = {0};
        for (int k = 0; k < targets[i]; k++) {
            plotted->stats[k].requests = plotted->stats[k].failed = 999949999999999;
            plotted->stats[k].missed = 999949999999999;
        }
        plotted->plan.workload.mix = mix_of("rw");
        plotted->plan.workload.request_size = 2147479552;
        plotted->plan.pace.interval = 3599639999999999;
        plotted->plan.pace.burst = INT64_MAX;
        plotted->plan.io.threads = plotted->plan.io.depth = 4096;
        plotted->plan.io.engine_name = "Linux AIO";
        plot_format(&text, &plotted->plot);
        add_plot(&found, &text, "largest numbers");
        buffer_free(&text);
        plotted_free(plotted);
    }
    fail_if_any(&found);
}

TEST(every_kind_makes_a_sound_plot)
{
    struct buffer found = {0};
    for (int kind = 0; kind < PLOTTED_KINDS; kind++) {
        add_case(&found, &(struct plotted_case){SWEEP_NONE, 1, 100, kind});
        add_case(&found, &(struct plotted_case){SWEEP_NONE, 6, 3000, kind});
        add_case(&found, &(struct plotted_case){SWEEP_SIZE, 2, 18, kind});
        add_case(&found, &(struct plotted_case){SWEEP_DEPTH, 6, 7, kind});
    }
    fail_if_any(&found);
}

TEST(random_data_makes_sound_plots)
{
    struct buffer found = {0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        char name[32];
        struct buffer text = seeded_draw(seed);
        snprintf(name, sizeof(name), "seed %d", (int)seed);
        add_plot(&found, &text, name);
        buffer_free(&text);
    }
    fail_if_any(&found);
}

/* As long as paths can be. */
static const char *
long_name(const char *unit)
{
    static char name[4096];
    size_t length = strlen(unit);
    name[0] = '/';
    for (size_t i = 1; i + 1 < sizeof(name); i++)
        name[i] = unit[(i - 1) % length];
    name[1 + (sizeof(name) - 2) / length * length] = '\0';
    return name;
}

/* A name, and the text of the title that stands for it: NULL for the name itself. */
static const struct {
    const char *name, *unit, *told, *shown;
} names[] = {
    {"/a b/<&\">'</text>", NULL, NULL, NULL},
    {"/a]]>--b", NULL, NULL, NULL},
    {"/&amp;&#60;", NULL, NULL, NULL},
    {"/a\tb\nc\033[31m\177", NULL, "/a\ufffdb\ufffdc\ufffd[31m\ufffd", NULL},
    {"/a\xff\xc0\xbc\xed\xa0\x80z", NULL, "/a\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdz",
     NULL},
    {"/a\xc2\x9bz\xef\xbf\xbf", NULL, "/a\ufffdz", "/a\ufffdz"},
    {"/a\xe6\x97", NULL, "/a\ufffd", NULL},
    {"/\xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x93\x80", NULL, NULL, NULL},
    {"", NULL, "ioping", "ioping"},
    {NULL, "0123456789", "90123456789", "\u2026"},
    {NULL, "\xe6\x97\xa5", "\xe6\x97\xa5\xe6\x97\xa5", "\u2026"},
    {NULL, "W", "WWWWWWWW", "\u2026"},
    {NULL, "<&", "<&<&<&<&", "\u2026"},
    {NULL, "\xff", "\ufffd\ufffd\ufffd", "\u2026"},
};

/* A plot of a case with all targets of this NAME. */
static struct buffer
draw_named(const struct plotted_case *drawn, const char *name)
{
    struct plotted *plotted = plotted_make(drawn);
    struct buffer text = {0};
    for (int i = 0; i < drawn->targets; i++)
        plotted->jobs[i].target.description.path = name;
    plot_format(&text, &plotted->plot);
    plotted_free(plotted);
    return text;
}

static void
add_names(struct buffer *found)
{
    for (size_t i = 0; i < LENGTH(names); i++)
        for (int sweep = SWEEP_NONE; sweep <= SWEEP_LAST; sweep++)
            for (size_t k = 0; k < LENGTH(targets); k++) {
                char title[64];
                struct plotted_case drawn = {(enum sweep_kind)sweep, targets[k], 7,
                                             PLOTTED_DECADES};
                const char *name =
                    names[i].name ? names[i].name : long_name(names[i].unit);
                struct buffer text = draw_named(&drawn, name);
                snprintf(title, sizeof(title), "sweep %d of %d targets named %.20s",
                         sweep, targets[k], name);
                add_plot(found, &text, title);
                buffer_free(&text);
            }
}

TEST(every_name_makes_a_sound_plot)
{
    struct buffer found = {0};
    add_names(&found);
    fail_if_any(&found);
}

TEST(a_name_is_told_whole_and_shown_as_far_as_it_fits)
{
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct plotted_case drawn = {SWEEP_NONE, 1, 3, PLOTTED_NARROW};
        struct svg_check check;
        const char *name = names[i].name ? names[i].name : long_name(names[i].unit);
        const char *told = names[i].told ? names[i].told : name;
        struct buffer text = draw_named(&drawn, name);
        svg_check_begin(&check, text.text, text.length);
        if (!svg_check_says(&check, "title", told) ||
            !svg_check_shows(&check, names[i].shown ? names[i].shown : told))
            fail_msg("%zu: %.3000s", i, text.text);
        svg_check_end(&check);
        buffer_free(&text);
    }
}

/* The examples are the plots of man/examples/make-tour. */
TEST(the_examples_are_such_plots)
{
    static const char *const examples[] = {"run",       "volumes", "depth", "size",
                                           "interval",  "rate",    "load",  "mixed",
                                           "breakdown", "change",  "log"};
    const char *source = getenv("IOPING_SOURCE");
    for (size_t i = 0; i < LENGTH(examples); i++) {
        static char bytes[200000 + 1];
        static struct svg_check check;
        char path[1100];
        snprintf(path, sizeof(path), "%s/man/examples/%s.svg", source ? source : ".",
                 examples[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t length = fread(bytes, 1, sizeof(bytes) - 1, file);
        fclose(file);
        bytes[length] = '\0';
        assert_int_equal(strncmp(bytes, PLOT_START, strlen(PLOT_START)), 0);
        svg_check_begin(&check, bytes, length);
        if (check.problems.text)
            fail_msg("%s: %s", path, check.problems.text);
        assert_in_range(length, 1, 200000);
        assert_true(svg_check_count(&check, "mark") + svg_check_count(&check, "mean") +
                        svg_check_count(&check, "heat") >
                    0);
        svg_check_end(&check);
    }
}
