/*
 * Scripts for ioping 1.3 read a pipe and look for lines by their first words and numbers.
 * A pipe gets these lines alone; a terminal or an option adds the others.
 */
#include "running.h"
#include "support.h"
#include "terminal.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* As a public benchmark does it. */
static void
the_last_line_but_one_is_that_of_the_rates(void **state)
{
    (void)state;
    need_direct("data");
    struct result result =
        command_status(0, "ioping -DRL -w 0.3 . | tail -n 2 | head -n 1");
    assert_matches(result.out, "^generated [^\n]*\n$");
    command_free(&result);
}

static void
a_quiet_summary_has_five_lines(void **state)
{
    static const char *const options[] = {"-RL",  "-RC",  "-RW",
                                          "-RAL", "-RWL", "-q -i 0 -c 2000"};
    (void)state;
    need_aio();
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result = command_status(
            0, "rm -f log; ioping %s -w 0.2 . 2>e | tee -a log >o; wc -l <log",
            options[i]);
        assert_string_equal(result.out, "5\n");
        command_free(&result);
    }
}

static void
a_stall_does_not_move_the_first_word(void **state)
{
    (void)state;
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

static void
a_stall_is_told_in_the_summary_on_a_terminal(void **state)
{
    static struct terminal terminal;
    (void)state;
    need_faults();
    terminal_start(&terminal, 200, "stall -no-status data");
    terminal_end(&terminal, 0);
    assert_matches(terminal.bytes,
                   "B/s\r\n[0-9]+ missed, generated 24 requests in [^\n]*\n"
                   "p50/p90 = [^\n]*\nmin/avg/max/mdev = [^\n]*\n$");
    terminal_free(&terminal);
}

/* Its average is 100 ms and more then, while no other request takes less than 20. */
static void
one_slow_request_makes_all_others_fast_in_a_pipe_alone(void **state)
{
    static struct terminal terminal;
    (void)state;
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

static void
a_stall_is_told_of_its_target(void **state)
{
    (void)state;
    need_faults();
    struct result result =
        command_status(0, "faulty pread@copy/:5:320ms -C -q -i 10ms -c 24 data copy 2>e "
                          "| grep -c ^generated; grep copy e >&2");
    assert_string_equal(result.out, "2\n");
    assert_matches(result.err,
                   "^ioping: copy: [0-9]+ requests were missed: due, and not sent\n$");
    command_free(&result);
}

/* JSON has load.missed, raw lines the numbers that were asked for. */
static void
where_there_is_no_summary_nothing_is_told(void **state)
{
    static const char *const options[] = {"-J", "-JJ", "-B", "-P 100ms", "-p 10"};
    (void)state;
    need_faults();
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result = command_status(0, "stall %s data >o", options[i]);
        assert_string_equal(result.err, "");
        command_free(&result);
    }
}

/* The lines stand where a terminal has them. */
static void
what_an_option_names_is_shown(void **state)
{
    (void)state;
    static const struct {
        const char *options, *lines; /* after that of the rates */
    } cases[] = {
        {"-percentiles 50,99", "p50/p99 = [^\n]*\nmin[^\n]*\n$"},
        {"-percentiles 50 -W", "fdatasync [^\n]*\np50 = [^\n]*\nmin[^\n]*\n$"},
        {"-percentiles none -W", "min[^\n]*\n$"},
        {"-corrected -i 50ms", "p50/p90 \\(corrected\\) = [^\n]*\nmin[^\n]*\n$"},
        {"-histogram", "min[^\n]*\n\n +above "},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char expected[256];
        struct result result =
            command_status(0, "ioping -q -i 0 -c 16 %s . | cat", cases[i].options);
        snprintf(expected, sizeof(expected),
                 "B/s\n([0-9]+ missed, )?generated [^\n]*\n%s", cases[i].lines);
        assert_matches(result.out, expected);
        command_free(&result);
    }
}

/* So it is in the line, and told once. */
static void
missed_is_named_by_corrected(void **state)
{
    (void)state;
    need_faults();
    struct result result = command_status(0, "stall -corrected data | tail -3 | head -1");
    assert_matches(result.out, "^[0-9]+ missed, generated 24 requests in [^\n]*\n$");
    assert_string_equal(result.err, "");
    command_free(&result);
}

static void
failures_that_are_ignored_are_told_by_their_number(void **state)
{
    (void)state;
    need_faults();
    struct result result = command_status(
        0, "faulty pread:3-6:5 -C -E -q -i 0 -c 12 data | tail -n 2 | head -n 1");
    assert_matches(result.out, "^generated 12 requests in [^\n]*\n$");
    assert_string_equal(result.err, "ioping: request 3 failed: EIO (Input/output error)\n"
                                    "ioping: 4 of 12 requests failed\n");
    command_free(&result);
}

/* Which prints nothing until it is terminated. */
static void
a_quiet_run_in_the_background_dies_by_what_it_is_sent(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(endings); i++) {
        struct result result = command_status(
            endings[i].died, "a_quiet_run_in_the_background_dies_by_what_it_is_sent %s",
            endings[i].name);
        assert_string_equal(result.out, "1\n");
        command_free(&result);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_line_but_one_is_that_of_the_rates),
        cmocka_unit_test(a_quiet_summary_has_five_lines),
        cmocka_unit_test(a_stall_does_not_move_the_first_word),
        cmocka_unit_test(a_stall_is_told_in_the_summary_on_a_terminal),
        cmocka_unit_test(one_slow_request_makes_all_others_fast_in_a_pipe_alone),
        cmocka_unit_test(a_stall_is_told_of_its_target),
        cmocka_unit_test(where_there_is_no_summary_nothing_is_told),
        cmocka_unit_test(what_an_option_names_is_shown),
        cmocka_unit_test(missed_is_named_by_corrected),
        cmocka_unit_test(failures_that_are_ignored_are_told_by_their_number),
        cmocka_unit_test(a_quiet_run_in_the_background_dies_by_what_it_is_sent),
    };
    return cmocka_run_group_tests_name("pipe", tests, make_files, unmount_all);
}
