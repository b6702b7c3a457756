/* Conditions of coloured output, and the coloured words. */
#include "support.h"

#include "report/console.h"

static void
set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

TEST(the_option_the_stream_and_the_environment_decide)
{
    static const struct {
        enum color when;
        bool terminal;
        const char *term, *no_color;
        bool wanted;
    } cases[] = {
        {COLOR_AUTO, true, "xterm", NULL, true},
        {COLOR_AUTO, true, "xterm", "", true},
        {COLOR_AUTO, true, "xterm", "1", false},
        {COLOR_AUTO, true, "xterm", "0", false},
        {COLOR_AUTO, true, "dumb", NULL, false},
        {COLOR_AUTO, true, "", NULL, false},
        {COLOR_AUTO, true, NULL, NULL, false},
        {COLOR_AUTO, false, "xterm", NULL, false},
        {COLOR_ALWAYS, true, "xterm", NULL, true},
        {COLOR_ALWAYS, false, "xterm", NULL, true},
        {COLOR_ALWAYS, true, "xterm", "1", true},
        {COLOR_ALWAYS, false, "dumb", "1", true},
        {COLOR_ALWAYS, false, NULL, NULL, true},
        {COLOR_NEVER, true, "xterm", NULL, false},
        {COLOR_NEVER, true, "xterm", "", false},
        {COLOR_NEVER, false, NULL, NULL, false},
    };
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), null = open("/dev/null", O_WRONLY);
    if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0)
        skip_because("needs a pseudo-terminal");
    int screen = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(screen >= 0 && null >= 0);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        set("TERM", cases[i].term);
        set("NO_COLOR", cases[i].no_color);
        int stream = cases[i].terminal ? screen : null;
        if (color_wanted(cases[i].when, stream) != cases[i].wanted)
            fail_msg("case %zu", i);
    }
    close(null);
    close(screen);
    close(terminal);
}

TEST(only_slow_failed_and_cached_requests_have_a_colour)
{
    static const struct {
        enum verdict verdict;
        const char *color;
    } cases[] = {
        {VERDICT_WARMUP, NULL},        {VERDICT_TOO_FAST, NULL},
        {VERDICT_TOO_SLOW, NULL},      {VERDICT_CACHED, COLOR_CACHED},
        {VERDICT_SHORT, COLOR_FAILED}, {VERDICT_ERROR, COLOR_FAILED},
        {VERDICT_NONE, NULL},          {VERDICT_FAST, NULL},
        {VERDICT_SLOW, COLOR_SLOW},    {VERDICT_TIMEOUT, COLOR_FAILED},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        if (cases[i].color)
            assert_string_equal(color_of(cases[i].verdict), cases[i].color);
        else
            assert_null(color_of(cases[i].verdict));
}

TEST(a_word_has_its_colour_around_it)
{
    static const struct {
        const char *color;
        const char *text;
    } cases[] = {
        {COLOR_SLOW, "(\033[33mword\033[0m"},
        {COLOR_FAILED, "(\033[31mword\033[0m"},
        {COLOR_CACHED, "(\033[35mword\033[0m"},
        {NULL, "(word"},
    };
    struct buffer text = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        buffer_clear(&text);
        buffer_text(&text, "(");
        color_add(&text, cases[i].color, "word");
        assert_string_equal(text.text, cases[i].text);
    }
    buffer_free(&text);
}
