/* The document of a plot: its elements and attributes are those of SVG 1.1, and it is
 * below 200 KB, whatever the run was. */
/* Marks: apart native */
#include "diagnosed.h"
#include "seeded.h"

#define MAX_BYTES 200000
#define SEEDS 200
#define DIAGNOSES 40

/* The examples are the pictures of the README and the tour. */
TEST(plots_of_all_kinds_and_the_examples_are_valid)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct buffer text = seeded_draw(seed);
        plotted_write(&text, formatted("seed%d.svg", (int)seed));
        buffer_free(&text);
    }
    for (uint64_t seed = 0; seed < DIAGNOSES; seed++) {
        struct buffer text = diagnosed_draw(diagnosed_seeded(seed));
        plotted_write(&text, formatted("seed_diagnosis%d.svg", (int)seed));
        buffer_free(&text);
    }
    expect(0, "", "", "validate seed*.svg \"$tests\"/../man/examples/*.svg");
}

/* Changes that make a plot invalid: all that matches FROM becomes TO. */
static const struct change {
    const char *name, *from, *to, *problem;
} changes[] = {
    {"element", "<rect class=.plot.", "<box", "No declaration for element box"},
    {"attribute", "<text class", "<text colour=\"red\" class",
     "No declaration for attribute colour of element text"},
    {"missing_attribute", " d=\"[^\"]*\"", "", "Element path does not carry attribute d"},
    {"value", "\"middle\"", "\"centre\"", "Value \"centre\" for attribute text-anchor"},
    {"child", "<rect class=.paper.*",
     "<rect width=\"1\" height=\"1\"><path d=\"\"/></rect>",
     "Element rect content does not follow the DTD"},
    {"text", "</svg>", "end</svg>", "Element svg content does not follow the DTD"},
    {"reference", "ioping-title ioping-desc", "ioping-title no",
     "references an unknown ID \"no\""},
    {"second_id", "id=\"ioping-desc\"", "id=\"ioping-title\"",
     "ID ioping-title already defined"},
    {"style", "<style[^>]*", "<style", "Element style does not carry attribute type"},
};

TEST_EACH(an_invalid_plot_is_refused, changes)
{
    const struct change *change = *state;
    struct buffer text = seeded_draw(0);
    plotted_write(&text, "valid.svg");
    buffer_free(&text);
    struct result result = command("sed 's|%s|%s|' valid.svg >invalid.svg; "
                                   "validate invalid.svg",
                                   change->from, change->to);
    if (result.status == LACKS)
        skip_because(result.err);
    assert_int_equal(result.status, 3); /* a validation error */
    assert_contains(result.err, change->problem);
    command_free(&result);
}

/* Targets have the longest names, of units that become several bytes in the document. */
static const struct name {
    const char *name;
    const char *unit;
} names[] = {
    {"letters", "a"},
    /* six bytes in the document */
    {"double_quotes", "\""},
    /* four characters where a shell reads them in quotes */
    {"quotes", "'"},
    {"invalid_bytes", "\xff"},
    {"wide_characters", "\xe6\x97\xa5"},
};

static struct options options;
static char *words[1 + PLOTTED_TARGETS];
static char long_name[4096];

/* Gives all targets the longest NAME, and the names to the command line. */
static void
lengthen(struct plotted *plotted, const struct name *name)
{
    size_t length = strlen(name->unit);
    for (size_t i = 0; i + length < sizeof(long_name); i += length)
        memcpy(long_name + i, name->unit, length + 1);
    words[0] = "ioping";
    for (int i = 0; i < plotted->plot.count; i++) {
        plotted->jobs[i].target.description.path = long_name;
        words[1 + i] = long_name;
    }
    options.words = words;
    options.word_count = 1 + plotted->plot.count;
    plotted->plan.options = &options;
    plotted->plot.host =
        "a-host-whose-name-has-the-63-bytes-that-a-label-can-have-abcdef";
}

/* Fails unless the plot is below the limit with each of the names. WHAT is for the
 * message. */
static void
assert_below_limit(struct plotted *plotted, const char *what)
{
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct buffer text = {0};
        lengthen(plotted, &names[i]);
        plot_format(&text, &plotted->plot);
        assert_false(text.failed);
        if (text.length >= MAX_BYTES)
            fail_msg("%zu bytes: %s of %d targets called %s", text.length, what,
                     plotted->plot.count, names[i].name);
        buffer_free(&text);
    }
}

TEST(random_plots_are_below_the_limit_whatever_the_names_are)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct seeded seeded;
        seeded_make(&seeded, seed);
        assert_below_limit(seeded.plotted, formatted("seed %d", (int)seed));
        seeded_free(&seeded);
    }
}

/* Names and answers are as long as they can be. */
TEST(diagnoses_are_below_the_limit)
{
    for (uint64_t seed = 0; seed < DIAGNOSES; seed++)
        for (size_t i = 0; i < LENGTH(names); i++) {
            struct diagnosed *diagnosed = diagnosed_seeded(seed);
            struct plotted plotted = {.jobs = diagnosed->jobs,
                                      .plan = diagnosed->plan,
                                      .plot = diagnosed->plot};
            plotted.plot.plan = &plotted.plan;
            lengthen(&plotted, &names[i]);
            diagnosed->plot = plotted.plot;
            diagnosed->result.answer = long_name;
            struct buffer text = diagnosed_draw(diagnosed);
            assert_in_range(text.length, 4000, MAX_BYTES / 2);
            buffer_free(&text);
        }
}

static const int counts[] = {1, 2, 4, 8, 9, PLOTTED_TARGETS};

/* With 20000 requests, all columns of the picture are full. */
TEST(the_largest_runs_are_below_the_limit)
{
    for (size_t i = 0; i < LENGTH(counts); i++)
        for (int kind = 0; kind < PLOTTED_KINDS; kind++) {
            struct plotted *plotted = plotted_make(&(struct plotted_case){
                SWEEP_NONE, counts[i], 20000, (enum plotted_kind)kind});
            assert_below_limit(plotted, formatted("a run of kind %d", kind));
            plotted_free(plotted);
        }
}

/* Makes STEPS steps of each target, all at other places, with limits that are broken. */
static void
lengthen_sweeps(struct plotted *plotted, int steps)
{
    for (int i = 0; i < plotted->plot.count; i++) {
        struct job_sweep *sweep = &plotted->jobs[i].sweep;
        sweep->count = steps;
        sweep->highest_index = steps - 1;
        for (int k = 0; k < steps; k++)
            sweep->steps[k] =
                (struct job_step){.value = (int64_t)exp2(42.0 * k / steps) + k,
                                  .requests = 1000,
                                  .iops = pow(1.5, k) * (1000 + i),
                                  .bps = pow(1.5, k) * (4096000 + i),
                                  .p50 = (int64_t)pow(1.6, k) + i,
                                  .p99 = (int64_t)pow(1.7, k) + 100 * i,
                                  .max = (int64_t)pow(1.8, k) + 10000 * i,
                                  .verdict = SLO_BROKEN};
    }
}

/* Fails unless the description of 8 targets of STEPS steps each contains FOUND. */
static void
assert_described(int steps, const char *found)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_INTERVAL, 8, 1, PLOTTED_DECADES});
    struct buffer text = {0};
    lengthen_sweeps(plotted, steps);
    plot_format(&text, &plotted->plot);
    assert_contains(text.text, found);
    buffer_free(&text);
    plotted_free(plotted);
}

TEST(the_figures_of_up_to_128_steps_are_described)
{
    assert_described(16, "; interval 7 ns: 1.50 k iops, ");
    assert_described(17, " 39.3 GiB): 17 steps. /mnt/disk1");
}

/* The most steps of each sweep: powers of two from 512 B to 2 GiB and from 1 to 4096,
 * intervals from 1 ns to more than an hour, and more rates than an ordinary search tries.
 */
static const int most_steps[] = {[SWEEP_SIZE] = 23,
                                 [SWEEP_THREADS] = 13,
                                 [SWEEP_DEPTH] = 13,
                                 [SWEEP_INTERVAL] = 43,
                                 [SWEEP_RATE] = 40};

TEST(the_largest_sweeps_are_below_the_limit)
{
    for (int kind = SWEEP_SIZE; kind <= SWEEP_LAST; kind++)
        for (size_t i = 0; i < LENGTH(counts); i++) {
            struct plotted *plotted = plotted_make(&(struct plotted_case){
                (enum sweep_kind)kind, counts[i], 1, PLOTTED_DECADES});
            lengthen_sweeps(plotted, most_steps[kind]);
            assert_below_limit(plotted, sweep_kinds[kind].name);
            plotted_free(plotted);
        }
}

/* A search that is given up has tried JOB_STEPS rates. */
TEST(searches_that_were_given_up_are_below_the_limit)
{
    for (size_t i = 0; i < LENGTH(counts); i++) {
        struct buffer text = {0};
        struct plotted *plotted = plotted_make(
            &(struct plotted_case){SWEEP_RATE, counts[i], 1, PLOTTED_DECADES});
        lengthen_sweeps(plotted, JOB_STEPS);
        plot_format(&text, &plotted->plot);
        assert_in_range(text.length, 20000, MAX_BYTES - 1);
        buffer_free(&text);
        assert_below_limit(plotted, "a search");
        plotted_free(plotted);
    }
}
