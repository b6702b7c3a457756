/* The screen that the tests use behaves like that of a real terminal. */
#include "terminal.h"

static struct screen screen;

static void
show(int columns, const char *bytes)
{
    screen_begin(&screen, columns);
    screen_feed(&screen, bytes, strlen(bytes));
}

static void
check_text(const char *bytes, const char *expected)
{
    char *text = screen_text(&screen);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: shown:\n%s", bytes, text);
    free(text);
}

TEST(text_and_controls_show_as_on_a_terminal)
{
    static const struct {
        int columns;
        const char *bytes, *text;
        int wraps;
    } cases[] = {
        {10, "", "", 0},
        {10, "one", "one\n", 0},
        {10, "one\r\ntwo\r\n", "one\ntwo\n", 0},
        {10, "one\ntwo", "one\n   two\n", 0},
        {10, "one\rT", "Tne\n", 0},
        {10, "\r\n\r\none  ", "\n\none\n", 0},
        {10, "one\b\bN", "oNe\n", 0},
        {10, "a\b\b\bb", "b\n", 0},
        {5, "12345", "12345\n", 0},
        {5, "12345\r\n67", "12345\n67\n", 0},
        {5, "12345\b9", "12395\n", 0},
        {5, "1234567", "12345\n67\n", 1},
        {5, "12345678901", "12345\n67890\n1\n", 2},
        {1, "abc", "a\nb\nc\n", 2},
        {10, "one two\r\033[K", "", 0},
        {10, "one two\rone\033[K", "one\n", 0},
        {10, "one two\rone\033[0Kx", "onex\n", 0},
        {10, "one two\rone\033[1K", "    two\n", 0},
        {10, "one two\r\033[2Kx", "x\n", 0},
        {5, "12345\033[Kx", "1234\nx\n", 1},
        {10, "a\r\nb\r\033[K", "a\n", 0},
        {4, "█▌äé", "█▌äé\n", 0},
        {4, "█▌äé😀", "█▌äé\n😀\n", 1},
        {10, "a\033[31mb\033[0mc", "abc\n", 0},
        {10, "a\033[48;5;17mb\033[45m\033[0mc", "abc\n", 0},
        {10, "one\033[3;2Htwo\033[1;1HO", "One\n\n two\n", 0},
        {10, "one\033[2Jtwo", "   two\n", 0},
        {10, "one\033[?1049h\033[1;1Htwo", "two\n", 0},
        {10, "one\033[?1049h\033[1;1Htwo\033[?1049l!", "one!\n", 0},
        {10, "\033[?1049h\033[?1049htwo\033[?1049l\033[?1049l", "", 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        show(cases[i].columns, cases[i].bytes);
        check_text(cases[i].bytes, cases[i].text);
        assert_int_equal(screen.wraps, cases[i].wraps);
    }
}

TEST(the_cursor_can_be_hidden)
{
    show(10, "a\033[?25l");
    assert_true(screen.is_cursor_hidden);
    screen_feed(&screen, "\033[?25h", 6);
    assert_false(screen.is_cursor_hidden);
}

TEST(bytes_may_come_one_by_one)
{
    static const char bytes[] = "12\r█ä\033[33m3\033[K\033[0m";
    screen_begin(&screen, 10);
    for (size_t i = 0; i < strlen(bytes); i++)
        screen_feed(&screen, bytes + i, 1);
    check_text(bytes, "█ä3\n");
    assert_int_equal(screen_color(&screen, "3"), 33);
}

TEST(at_the_bottom_the_first_row_goes)
{
    show(20, "\033[31mfirst\033[0m");
    for (int i = 0; i < SCREEN_ROWS; i++)
        screen_feed(&screen, "\r\nnext", 6);
    char *text = screen_text(&screen);
    assert_lacks(text, "first");
    assert_int_equal(strlen(text), SCREEN_ROWS * 5);
    assert_int_equal(screen_color(&screen, "next"), 0);
    free(text);
}

TEST(each_character_has_its_colour)
{
    show(30, "plain (\033[33mslow\033[0m) x\033[31mE\033[35mc\033[39md\033[32me\033[me");
    assert_int_equal(screen_color(&screen, "plain ("), 0);
    assert_int_equal(screen_color(&screen, "slow"), 33);
    assert_int_equal(screen_color(&screen, ") x"), 0);
    assert_int_equal(screen_color(&screen, "E"), 31);
    assert_int_equal(screen_color(&screen, "c"), 35);
    assert_int_equal(screen_color(&screen, "d"), 0);
    assert_int_equal(screen_color(&screen, "slow)"), -1);
    screen_feed(&screen, "\r\033[Kslow", 8);
    assert_int_equal(screen_color(&screen, "slow"), 0);
}

TEST(what_is_beyond_a_narrower_screen_is_lost)
{
    show(10, "1234567890");
    screen_resize(&screen, 4);
    check_text("narrower", "1234\n");
    screen_feed(&screen, "\rab\r\ncdefg", 10);
    check_text("narrower", "ab34\ncdef\ng\n");
    assert_int_equal(screen.wraps, 1);
    screen_resize(&screen, 6);
    screen_feed(&screen, "hijkl", 5);
    check_text("wider", "ab34\ncdef\nghijkl\n");
    assert_int_equal(screen.wraps, 1);
}

static struct terminal terminal;

TEST(all_streams_of_a_command_are_on_the_terminal)
{
    terminal_start(&terminal, 77, "tell_streams %s", "error");
    terminal_end(&terminal, 3);
    char *text = screen_text(&terminal.screen);
    assert_matches(text, "^0\n1\n2\n64 77\nerror\n/dev/[^\n]+\nxterm\n$");
    assert_int_equal(terminal_count(&terminal, "err"), 1);
    free(text);
    terminal_free(&terminal);
}

/* A command that waits for a key ends by it, one that waits for ever by a signal. */
TEST(keys_and_signals_reach_the_command)
{
    static const char waits[] = "echo begun; exec sleep 100";
    terminal_start(&terminal, 80, "echo begun; read -r word; echo \"got $word\"");
    terminal_wait(&terminal, "begun");
    terminal_type(&terminal, "key\n");
    terminal_wait(&terminal, "got key");
    terminal_end(&terminal, 0);
    terminal_free(&terminal);
    terminal_start(&terminal, 80, "%s", waits);
    terminal_wait(&terminal, "begun");
    terminal_type(&terminal, "\003");
    terminal_end(&terminal, 128 + SIGINT);
    terminal_free(&terminal);
    terminal_start(&terminal, 80, "%s", waits);
    terminal_wait(&terminal, "begun");
    terminal_signal(&terminal, SIGTERM);
    terminal_end(&terminal, 128 + SIGTERM);
    terminal_free(&terminal);
}

/* All of it may be there before anybody looks. */
TEST(what_was_there_for_a_moment_is_seen_once)
{
    terminal_start(&terminal, 80, "printf 'one\\rtwo\\n'");
    terminal_wait(&terminal, "one");
    terminal_wait(&terminal, "two");
    assert_false(terminal_await(&terminal, "one"));
    terminal_end(&terminal, 0);
    terminal_free(&terminal);
}

TEST(a_command_hears_of_its_width)
{
    terminal_start(&terminal, 80, "tell_width_when_it_changes");
    terminal_wait(&terminal, "begun");
    terminal_resize(&terminal, 33);
    terminal_end(&terminal, 0);
    char *text = screen_text(&terminal.screen);
    assert_string_equal(text, "begun\n64 33\n");
    free(text);
    terminal_free(&terminal);
}
