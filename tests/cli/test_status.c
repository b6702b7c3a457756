/* The status line, on the screen of a terminal. */
/* Marks: 26s races native */
#include "running.h"
#include "terminal.h"

#include <signal.h>
#include <unistd.h>

/* A text of the status line that no other line has. */
#define LINE " requests  p50 "
/* As wide as the longest line of a summary may need. */
#define WIDE 250

static struct terminal terminal;

/*
 * Runs a command until TEXT has been on the screen, and to its end. Where a late machine
 * left no time for that, or too little for a step of a sweep, of which something is said
 * then, it is tried again with more: $n is 1, 6 and 36.
 */
static void
run_until_shown(int columns, const char *text, const char *script)
{
    for (int n = 1;; n *= 6) {
        terminal_start(&terminal, columns, "n=%d; %s", n, script);
        bool shown = terminal_await(&terminal, text);
        terminal_end(&terminal, 0);
        if (shown && !terminal_count(&terminal, "ioping: "))
            return;
        if (n == 36)
            fail_msg("%s: not shown: %s", script, text);
        terminal_free(&terminal);
    }
}

/* Nothing of the line is there, and nothing wrapped. */
static char *
clean_text(void)
{
    char *text = screen_text(&terminal.screen);
    assert_int_equal(terminal.screen.wraps, 0);
    assert_lacks(text, LINE);
    assert_lacks(text, "[");
    assert_lacks(text, " left");
    return text;
}

/* The clean screen matches EXPRESSION, and is closed. */
static void
assert_left(const char *expression)
{
    char *text = clean_text();
    assert_matches(text, expression);
    free(text);
    terminal_free(&terminal);
}

#define SUMMARY                                                                          \
    "^\n--- data \\([^\n]*\n[0-9.kM ]+ requests completed [^\n]*\n([0-9.k ]+ missed, )?" \
    "generated [^\n]*\n(p[^\n]*\n)?min/avg/max/mdev = [^\n]*\n"
#define ROW(first) " +" first " +[^\n]*\n"

GROUP_SETUP(make_files)

/* The lines of stdout remain, from the first column on. */
TEST(it_is_drawn_while_a_run_goes_on_and_erased_at_the_end)
{
    static const struct {
        const char *arguments, *shown, *left;
    } cases[] = {
        {"-q -i 10ms -w $((n * 500))ms data", "%  ", SUMMARY "$"},
        {"-q -i 10ms -c $((n * 50)) data", " left", SUMMARY "$"},
        {"-q -i 10ms -c $((n * 50)) -histogram data", " left", SUMMARY "\n +above "},
        {"-R -w $((n * 500))ms data", " left", SUMMARY "$"},
        {"-B -i 10ms -w $((n * 500))ms data", "] ", "^[0-9]+( [0-9]+){9}\n$"},
        {"-J -q -i 10ms -w $((n * 500))ms data >o", "] ", "^$"},
        {"-sweep threads=1..2 -w $((n * 600))ms -C data", "threads 2 (2/2)  [",
         "^\n--- data \\([^\n]*\n" ROW("threads") ROW("1") ROW("2") "$"},
        {"-sweep size=4k..8k -w $((n * 600))ms -C data", "size 8 KiB (2/2)  [",
         "^\n--- data \\([^\n]*\n" ROW("size") ROW("4 KiB") ROW("8 KiB") "$"},
    };
    need_direct_io();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char script[256];
        snprintf(script, sizeof(script), "ioping -hang 0 %s", cases[i].arguments);
        run_until_shown(WIDE, cases[i].shown, script);
        assert_true(terminal_count(&terminal, LINE) > 0);
        assert_left(cases[i].left);
    }
}

/* Which has no progress, but goes on. All of the line is there when its end is. */
TEST(a_run_without_an_end_shows_its_time)
{
    need_direct_io();
    terminal_start(&terminal, 80,
                   "exec $IOPING_RUNNER \"$IOPING\" -hang 0 -q -i 10ms data");
    terminal_wait(&terminal, " s  ");
    terminal_wait(&terminal, "  max ");
    char *text = screen_text(&terminal.screen);
    assert_matches(text, "^[0-9]+ s  [0-9]+" LINE "(-|[0-9.]+ [num]?s)  p99 ");
    assert_lacks(text, "%");
    free(text);
    terminal_type(&terminal, "\003");
    terminal_end(&terminal, 0);
    terminal_free(&terminal);
}

/* Another reason can leave out the lines per request, too. */
TEST(where_it_has_no_place_it_is_not_drawn)
{
    static const char *const commands[] = {
        "ioping -hang 0 -q -i 10ms -w 400ms data 2>e",
        "ioping -R -w 400ms data 2>e",
        "ioping -sweep threads=1..1 -w 400ms -C data 2>&1 | cat",
        "export TERM=dumb; ioping -q -i 10ms -w 400ms data",
        "export TERM=; ioping -q -i 10ms -w 400ms data",
        "unset TERM; ioping -q -i 10ms -w 400ms data",
        "ioping -no-status -q -i 10ms -w 400ms data",
        "ioping -no-status -sweep threads=1..1 -w 400ms -C data",
        "ioping -i 10ms -w 400ms data",
        "ioping -J -i 10ms -w 400ms data >o",
        "ioping -i 10ms -w 400ms -p 10 data",
        "ioping -q -i 10ms -w 400ms -p 10 data",
        "ioping -B -i 10ms -w 400ms -p 10 data",
    };
    for (size_t i = 0; i < LENGTH(commands); i++) {
        terminal_start(&terminal, 200, "%s", commands[i]);
        terminal_end(&terminal, 0);
        if (terminal_count(&terminal, "\033[K"))
            fail_msg("%s", commands[i]);
        terminal_free(&terminal);
        expect(0, "", NULL, ": >>e; cat e; : >e");
    }
}

/* Where stdout goes does not matter. */
TEST(it_is_drawn_while_the_output_goes_elsewhere)
{
    need_direct_io();
    run_until_shown(132, LINE, "ioping -hang 0 -q -r 100 -w $((n * 500))ms data >o");
    assert_left("^$");
    struct result result = command_status(0, "cat o");
    assert_lacks(result.out, "\033");
    assert_matches(result.out, "^\n--- data ");
    command_free(&result);
}

TEST(a_narrow_terminal_cuts_it)
{
    static const struct {
        int columns;
        const char *shown; /* empty: there is no room for anything */
    } cases[] = {{40, " req"}, {20, "%"}, {10, "%"}, {5, "%"}, {3, ""}, {1, ""}};
    need_direct_io();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        run_until_shown(cases[i].columns, cases[i].shown,
                        "ioping -hang 0 -q -r 100 -w $((n * 500))ms data >o");
        assert_left("^$");
    }
}

TEST(it_follows_the_width_of_the_terminal)
{
    need_direct_io();
    terminal_start(&terminal, 20,
                   "exec $IOPING_RUNNER \"$IOPING\" -hang 0 -q -i 10ms -w 60s data");
    terminal_wait(&terminal, "%");
    char *text = screen_text(&terminal.screen);
    assert_lacks(text, "requests");
    free(text);
    terminal_resize(&terminal, WIDE);
    terminal_wait(&terminal, " left");
    terminal_signal(&terminal, SIGINT);
    terminal_end(&terminal, 0);
    assert_left("^\n--- data ");
}

/* The terminal shows ^C too, before it is erased or, if it is late, where it may be,
 * which may be a line of its own at the end. */
TEST(an_interrupt_leaves_a_clean_summary)
{
    static const struct {
        int columns;
        const char *output, *left;
    } cases[] = {{WIDE, "", SUMMARY "\n?$"}, {96, ">o", "^\n?(" MISSED ")?\n?$"}};
    need_direct_io();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        terminal_start(
            &terminal, cases[i].columns,
            "exec $IOPING_RUNNER \"$IOPING\" -hang 0 -q -i 10ms -w 60s data %s",
            cases[i].output);
        terminal_wait(&terminal, " left");
        terminal_type(&terminal, "\003");
        terminal_end(&terminal, 0);
        char *text = clean_text(), *key = strstr(text, "^C");
        if (key)
            memmove(key, key + 2, strlen(key + 2) + 1);
        assert_matches(text, cases[i].left);
        free(text);
        terminal_free(&terminal);
    }
}

/* The terminal shows ^C where the cursor is. Remarks begin below it. */
TEST(remarks_after_an_interrupt_have_lines_of_their_own)
{
    terminal_start(&terminal, 200,
                   "exec $IOPING_RUNNER \"$IOPING\" -hang 0 -C -i 10ms -T 1ns data");
    terminal_wait(&terminal, "request=3 ");
    terminal_type(&terminal, "\003");
    terminal_end(&terminal, 0);
    assert_matches(terminal.bytes,
                   "\\^C([^\n]+\r\n)*\r\nioping: none of the [0-9]+ requests counted");
    terminal_free(&terminal);
}

/* The program's own time, from the first request on, is the measure. */
TEST(it_is_drawn_ten_times_a_second_at_most)
{
    static const char *const scripts[] = {
        "ioping -hang 0 -q -r 100 -w $((n * 2))s data >o",
        "ioping -hang 0 -q -i 0 -C -w $((n * 2))s data >o"};
    need_direct_io();
    for (size_t i = 0; i < LENGTH(scripts); i++) {
        double seconds = 0;
        run_until_shown(200, LINE, scripts[i]);
        struct result result = command_status(
            0, "sed -nE 's/.*generated .* requests in ([0-9.]+) s, .*/\\1/p' o");
        assert_int_equal(sscanf(result.out, "%lf", &seconds), 1);
        int redraws = terminal_count(&terminal, LINE);
        if (redraws < 1 || redraws > seconds * 10 + 1)
            fail_msg("%d redraws in %f s", redraws, seconds);
        command_free(&result);
        terminal_free(&terminal);
    }
}

/* Waits until the call of a "hold" has begun, and lets it go on. */
static void
release(void)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/held", scratch());
    for (int ms = 0; unlink(path) < 0; ms++) {
        assert_true(ms < 60000);
        usleep(1000);
    }
}

/* Each is written at the beginning of a line that has nothing else in it. */
TEST(other_messages_do_not_mix_with_it)
{
    need_faults();
    terminal_start(
        &terminal, WIDE,
        "rm -f held; exec_faulty pread:40:hold -hang 500ms -C -q -i 10ms -c 60 data");
    terminal_wait(&terminal, " request 40 has had no answer for ");
    terminal_wait(&terminal, LINE);
    terminal_signal(&terminal, SIGUSR1);
    terminal_wait(&terminal, "min/avg/max/mdev");
    terminal_wait(&terminal, LINE);
    release();
    terminal_end(&terminal, 0);
    assert_left("^((ioping: request [0-9]+ has had no answer for [^\n]*|"
                "ioping: data: not ready after [^\n]*|"
                "[0-9.k ]+ requests, min/avg/max/mdev = [^\n]*)\n)+\n--- data ");
}

/* The status line comes back below a raw line. */
TEST(raw_lines_do_not_mix_with_it)
{
    need_direct_io();
    run_until_shown(WIDE, "\n[",
                    "ioping -hang 0 -q -i 10ms -w $((n * 2))s -P 230ms data");
    assert_true(terminal_count(&terminal, LINE) > 0);
    assert_left("^(([0-9]+ ){9}[0-9]+\n)+$");
}

TEST(a_failure_is_told_on_a_line_of_its_own)
{
    need_faults();
    terminal_start(
        &terminal, WIDE,
        "rm -f held; faulty pread:30:hold,pread:60:5 -C -q -i 10ms -w 60s data");
    terminal_wait(&terminal, LINE);
    release();
    terminal_end(&terminal, 3);
    char *text = clean_text();
    assert_matches(text, "^ioping: [^\n]*\n\n--- data ");
    assert_matches(text, "\nmin/avg/max/mdev = [^\n]*\n$");
    free(text);
    terminal_free(&terminal);
}

TEST(failures_are_counted_in_it)
{
    need_faults();
    terminal_start(&terminal, WIDE,
                   "exec_faulty pread:3-5:5 -E -C -q -i 10ms -w 60s data");
    terminal_wait(&terminal, "  3 failed  ");
    terminal_signal(&terminal, SIGINT);
    terminal_end(&terminal, 3);
    assert_left("\n3 failed, ([0-9.k ]+ missed, )?generated ");
}

TEST(several_targets_have_one_line)
{
    need_direct_io();
    run_until_shown(WIDE, LINE, "ioping -hang 0 -q -i 10ms -c $((n * 50)) data copy");
    char *text = clean_text();
    assert_matches(text, "^\n--- data ");
    assert_contains(text, "\n--- copy ");
    free(text);
    terminal_free(&terminal);
}

TEST(blocks_are_for_terminals_with_utf8)
{
    static const struct {
        const char *locale;
        bool blocks;
    } cases[] = {{"C.UTF-8", true}, {"C", false}};
    need_direct_io();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char script[256];
        snprintf(script, sizeof(script),
                 "export LC_ALL=%s; ioping -hang 0 -q -i 10ms -w $((n * 500))ms data",
                 cases[i].locale);
        run_until_shown(WIDE, cases[i].blocks ? "[█" : "[##", script);
        assert_int_equal(terminal_count(&terminal, "█") > 0, cases[i].blocks);
        assert_int_equal(terminal_count(&terminal, "#") > 0, !cases[i].blocks);
        free(clean_text());
        terminal_free(&terminal);
    }
}
