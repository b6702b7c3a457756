/* The elements and attributes of a plot are those of SVG 1.1. */
/* Marks: apart native */
#include "seeded.h"

#define SEEDS 200

/* The examples are the pictures of the README and the tour. */
TEST(plots_of_all_kinds_and_the_examples_are_valid)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct buffer text = seeded_draw(seed);
        plotted_write(&text, formatted("seed%d.svg", (int)seed));
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
