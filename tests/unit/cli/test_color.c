/* The arguments of -color. */
#include "support.h"

#include "cli/cli.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

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

static void
the_three_words_are_read(void **state)
{
    (void)state;
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

static void
all_else_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "Always", "alway", "always ",  " auto",
                                        "yes", "0",      "NEVER", "autonever"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        enum color color = COLOR_NEVER;
        const char *wrong = parse_color(texts[i], &color);
        if (!wrong || strcmp(wrong, "neither always, never nor auto") != 0)
            fail_msg("'%s': %s", texts[i], wrong ? wrong : "taken");
        assert_int_equal(color, COLOR_NEVER);
    }
}

static void
nothing_said_is_auto(void **state)
{
    (void)state;
    struct options options;
    options_init(&options);
    assert_int_equal(options.color, COLOR_AUTO);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_words_are_read),
        cmocka_unit_test(all_else_is_refused_and_changes_nothing),
        cmocka_unit_test(nothing_said_is_auto),
    };
    return cmocka_run_group_tests_name("color", tests, NULL, NULL);
}
