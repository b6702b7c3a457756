/* Scripts for ioping 1.3 read a pipe and look for lines by their first words and
 * numbers. A pipe gets only these lines. Others are printed only on a terminal or if
 * an option asks for them. */
/* Marks: 15s races posix */
#include "running.h"
#include "support.h"
#include "terminal.h"

#include <unistd.h>

GROUP_SETUP(make_files)

static const struct expected runs[] = {
    /* As a public benchmark does it. */
    {"the_last_line_but_one_is_that_of_the_rates", "direct", 0, "~^generated [^\n]*\n$",
     NULL, "ioping -DRL -w 0.3 . | tail -n 2 | head -n 1"},
    {"a_stall_is_told_of_its_target", "faults", 0, "2\n",
     "~^ioping: copy: [0-9]+ requests? missed: not sent in time, because earlier ones "
     "were still in flight\n$",
     "faulty pread@copy/:5:320ms -C -q -i 10ms -c 24 data copy 2>e "
     "| grep -c ^generated; grep copy e >&2"},
    /* So it is in the line, and told once. */
    {"missed_is_named_by_corrected", "faults", 0,
     "~^[0-9]+ missed, generated 24 requests in [^\n]*\n$", "",
     "stall -corrected data | tail -3 | head -1"},
    {"failures_that_are_ignored_are_told_by_their_number", "faults", 0,
     "~^generated 12 requests in [^\n]*\n$",
     "ioping: request 3 failed: EIO (Input/output error)\nioping: 4 of 12 requests "
     "failed\n",
     "faulty pread:3-6:5 -C -E -q -i 0 -c 12 data | tail -n 2 | head -n 1"},
};

EXPECT_EACH(runs)

TEST(a_quiet_summary_has_five_lines)
{
    static const char *const options[] = {"-RL",  "-RC",  "-RW",
                                          "-RAL", "-RWL", "-q -i 0 -c 2000"};
    need_aio();
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0, "5\n", NULL,
               "rm -f log; ioping %s -w 0.2 . 2>e | tee -a log >o; wc -l <log",
               options[i]);
}

TEST(a_stall_does_not_move_the_first_word)
{
    need_faults();
    struct result result =
        command_status(0, "stall data 2>e | grep ^generated; cat e >&2");
    assert_matches(result.out, "^generated 24 requests in [^\n]*\n$");
    assert_matches(result.err, "^" MISSED "$");
    int missed = 0;
    assert_int_equal(sscanf(result.err, "ioping: %d ", &missed), 1);
    assert_true(missed >= 30);
    command_free(&result);
}

TEST(a_stall_is_told_in_the_summary_on_a_terminal)
{
    static struct terminal terminal;
    need_faults();
    terminal_start(&terminal, 200, "stall -no-status data");
    terminal_end(&terminal, 0);
    assert_matches(terminal.bytes,
                   "B/s\r\n[0-9]+ missed, generated 24 requests in [^\n]*\n"
                   "p50/p90 = [^\n]*\nmin/avg/max/mdev = [^\n]*\n$");
    terminal_free(&terminal);
}

/* Waits at most a minute until the file NAME is in the scratch folder. */
static void
wait_for_file(const char *name)
{
    char path[1100];

    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    for (int tries = 0; access(path, F_OK) < 0; tries++) {
        assert_true(tries < 3000);
        usleep(20000);
    }
}

/* Runs LINE on a terminal that is stopped by Ctrl-S until LINE has made the file "seen".
 * The terminal handles Ctrl-S before the shell can read the text that is typed after it.
 * Without -ixany, this text does not start the terminal again. */
static void
run_on_stopped_terminal(struct terminal *terminal, const char *line)
{
    char seen[1100];

    snprintf(seen, sizeof(seen), "%s/seen", scratch());
    unlink(seen);
    terminal_start(terminal, 200, "stty -echo -ixany; echo ready; read -r typed; %s",
                   line);
    terminal_wait(terminal, "ready");
    terminal_type(terminal, "\023go\n");
    wait_for_file("seen");
    terminal_type(terminal, "\021");
    terminal_end(terminal, 0);
}

TEST(a_note_that_nobody_reads_does_not_hold_the_results)
{
    static struct terminal terminal;
    static const char *const cases[][2] = {
        {"stall -JJ -output o data >s; touch seen", "grep -c '\"load\"' o"},
        {"stall data >o; touch seen", "grep -c ^generated o"},
    };
    need_faults();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        run_on_stopped_terminal(&terminal, cases[i][0]);
        assert_int_equal(terminal_count(&terminal, " missed: "), 0);
        terminal_free(&terminal);
        expect(0, "1\n", NULL, "%s", cases[i][1]);
    }
}

/* The summary is on the same terminal. So the user must start the terminal anyway. */
TEST(a_note_waits_for_the_user_as_the_summary_does)
{
    static struct terminal terminal;
    need_faults();
    run_on_stopped_terminal(&terminal, "a_note_waits_for_the_user");
    assert_matches(terminal.bytes,
                   "ioping: request 5 failed: EIO [^$]*\n1 failed, generated 9 ");
    terminal_free(&terminal);
}

/* Its average is 100 ms and more then, while no other request takes less than 20. */
TEST(one_slow_request_makes_all_others_fast_in_a_pipe_alone)
{
    static struct terminal terminal;
    need_faults();
    terminal_start(&terminal, 200, "outlier -no-status -color never data");
    terminal_end(&terminal, 0);
    assert_int_equal(terminal_count(&terminal, "(fast)"), 0);
    assert_matches(terminal.bytes, "request=8 time=[0-9.]+ m?s \\(slow\\)\r\n");
    terminal_free(&terminal);
    struct result result = command_status(0, "outlier data | grep -c '(fast)$'");
    assert_true(atoi(result.out) > 0);
    command_free(&result);
    terminal_start(&terminal, 200, "outlier -J -no-status data");
    terminal_end(&terminal, 0);
    assert_true(terminal_count(&terminal, "\"fast\"") > 0);
    terminal_free(&terminal);
}

/* JSON has load.missed, raw lines the numbers that were asked for. */
TEST(where_there_is_no_summary_nothing_is_told)
{
    static const char *const options[] = {"-J", "-JJ", "-B", "-P 100ms", "-p 10"};
    need_faults();
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0, NULL, "", "stall %s data >o", options[i]);
}

/* The lines stand where a terminal has them. */
TEST(what_an_option_names_is_shown)
{
    static const struct {
        const char *options, *lines; /* after that of the rates */
    } cases[] = {
        {"-percentiles 50,99", "p50/p99 = [^\n]*\nmin[^\n]*\n$"},
        {"-percentiles 50 -W", "fdatasync [^\n]*\np50 = [^\n]*\nmin[^\n]*\n$"},
        {"-percentiles none -W", "min[^\n]*\n$"},
        {"-corrected -i 50ms", "p50/p90 \\(corrected\\) = [^\n]*\nmin[^\n]*\n$"},
        {"-histogram", "min[^\n]*\n\n +above "},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(0,
               formatted("~B/s\n([0-9]+ missed, )?generated [^\n]*\n%s", cases[i].lines),
               NULL, "ioping -q -i 0 -c 16 %s . | cat", cases[i].options);
}

/* Which prints nothing until it is terminated. */
TEST(a_quiet_run_in_the_background_dies_by_what_it_is_sent)
{
    for (size_t i = 0; i < LENGTH(endings); i++)
        expect(endings[i].died, "1\n", NULL,
               "a_quiet_run_in_the_background_dies_by_what_it_is_sent %s",
               endings[i].name);
}
