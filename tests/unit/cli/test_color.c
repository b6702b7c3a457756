/* The arguments of -color. */
#include "support.h"

#include "cli/cli.h"

/* Returns why -color refuses TEXT, NULL if it does not. */
static const char *
parse_color(const char *text, enum color *color)
{
    struct options options = {.color = *color};
    const struct cli_option *option = cli_option(OPTION_COLOR);
    const char *wrong = option->set(option, &options, text);
    *color = options.color;
    return wrong;
}

TEST(the_three_words_are_read)
{
    static const struct {
        const char *text;
        enum color color;
    } cases[] = {{"always", COLOR_ALWAYS}, {"never", COLOR_NEVER}, {"auto", COLOR_AUTO}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (int before = COLOR_AUTO; before <= COLOR_NEVER; before++) {
            enum color color = (enum color)before;
            assert_null(parse_color(cases[i].text, &color));
            assert_int_equal(color, cases[i].color);
        }
}

TEST(all_else_is_refused_and_changes_nothing)
{
    static const char *const texts[] = {"",    "Always", "alway", "always ",  " auto",
                                        "yes", "0",      "NEVER", "autonever"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        enum color color = COLOR_NEVER;
        const char *wrong = parse_color(texts[i], &color);
        if (!wrong || strcmp(wrong, "must be always, never or auto") != 0)
            fail_msg("'%s': %s", texts[i], wrong ? wrong : "taken");
        assert_int_equal(color, COLOR_NEVER);
    }
}

TEST(nothing_said_is_auto)
{
    struct options options;
    options_init(&options);
    assert_int_equal(options.color, COLOR_AUTO);
}
