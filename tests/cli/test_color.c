/* Colours of verdicts, on a terminal and elsewhere. */
#include "terminal.h"

static struct terminal terminal;

/* On the terminal. */
static void
run_until_slow(const char *options)
{
    for (int try = 1;; try++) {
        terminal_start(&terminal, 200, "slow_and_failed %s data", options);
        terminal_end(&terminal, 3);
        if (terminal_count(&terminal, "slow"))
            return;
        if (try == 5)
            fail_msg("none is slow: %s", terminal.bytes);
        terminal_free(&terminal);
    }
}

GROUP_SETUP(make_files)

TEST(verdicts_have_their_colour_on_a_terminal)
{
    static const char *const options[] = {"", "-color auto", "-color=always",
                                          "-color never -color always"};
    need_faults();
    for (size_t i = 0; i < LENGTH(options); i++) {
        run_until_slow(options[i]);
        assert_int_equal(screen_color(&terminal.screen, "slow"), 33);
        assert_int_equal(screen_color(&terminal.screen, "EIO"), 31);
        assert_int_equal(screen_color(&terminal.screen, "(warmup)"), 0);
        assert_int_equal(screen_color(&terminal.screen, "4 KiB <<< data ("), 0);
        assert_int_equal(screen_color(&terminal.screen, ": request=8 time="), 0);
        assert_int_equal(screen_color(&terminal.screen, "--- data ("), 0);
        assert_int_equal(terminal.screen.color, 0);
        terminal_free(&terminal);
    }
}

TEST(a_terminal_without_colours_gets_none)
{
    static const char *const settings[][2] = {
        {"NO_COLOR=1", ""},
        {"NO_COLOR=0", "-color auto"},
        {"TERM=dumb", ""},
        {"TERM=", ""},
        {"NO_COLOR=", "-color never"},
        {"TERM=xterm", "-color always -color=never"},
    };
    need_faults();
    for (size_t i = 0; i < LENGTH(settings); i++) {
        terminal_start(&terminal, 200, "export %s; slow_and_failed %s data",
                       settings[i][0], settings[i][1]);
        terminal_end(&terminal, 3);
        if (terminal_count(&terminal, "\033"))
            fail_msg("%s %s: %s", settings[i][0], settings[i][1], terminal.bytes);
        assert_int_equal(screen_color(&terminal.screen, "(EIO)"), 0);
        terminal_free(&terminal);
    }
}

/* Which says nothing: https://no-color.org. */
TEST(an_empty_no_color_is_none)
{
    need_faults();
    terminal_start(&terminal, 200, "export NO_COLOR=; slow_and_failed data");
    terminal_end(&terminal, 3);
    assert_int_equal(screen_color(&terminal.screen, "EIO"), 31);
    terminal_free(&terminal);
}

TEST(what_is_no_terminal_gets_plain_bytes)
{
    static const char *const options[] = {"", "-color auto", "-color never"};
    need_faults();
    for (size_t i = 0; i < LENGTH(options); i++) {
        terminal_start(&terminal, 200, "slow_and_failed %s data | cat", options[i]);
        terminal_end(&terminal, 0);
        assert_int_equal(terminal_count(&terminal, "\033[3"), 0);
        assert_int_equal(screen_color(&terminal.screen, "(EIO)"), 0);
        terminal_free(&terminal);
    }
}

TEST(always_colours_whatever_reads_it)
{
    static const char *const settings[] = {"", "export NO_COLOR=1; ",
                                           "export TERM=dumb; "};
    need_faults();
    for (size_t i = 0; i < LENGTH(settings); i++) {
        struct result result =
            command_status(3, "%salways_colours_whatever_reads_it", settings[i]);
        assert_matches(result.out,
                       "request=8 time=[0-9.]+ m?s \\(?\033\\[33m\\(?slow\\)?\033\\[0m");
        assert_matches(
            result.out,
            "request=9 time=[0-9.]+ [num]?s \\(?\033\\[31m\\(?EIO\\)?\033\\[0m");
        assert_matches(result.err, "request=8 time=[0-9.]+ m?s \\(slow\\)\n");
        assert_matches(result.err, "request=9 time=[0-9.]+ [num]?s \\(EIO\\)\n");
        assert_lacks(result.err, "\033");
        command_free(&result);
    }
}

TEST(machines_get_no_colours)
{
    static const char *const options[] = {"-J", "-JJ", "-B", "-q -p 2"};
    need_faults();
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result =
            command_status(3, "slow_and_failed -color always %s data", options[i]);
        assert_lacks(result.out, "\033");
        command_free(&result);
    }
}

TEST(other_words_are_refused)
{
    static const char *const words[] = {"", "yes", "Always", "1"};
    for (size_t i = 0; i < LENGTH(words); i++)
        expect(
            1, "",
            formatted("ioping: -color '%s': must be always, never or auto\n", words[i]),
            "ioping -color '%s' missing", words[i]);
}
