/* Requests that take long or never return. */
/* Marks: 40s races */
#include "running.h"
#include "support.h"

#include <stdlib.h>

GROUP_SETUP(make_files)

TEST(a_stuck_request_is_told_of_and_printed_when_it_returns)
{
    need_faults();
    struct result result =
        command_status(0, "a_stuck_request_is_told_of_and_printed_when_it_returns");
    /* A slow machine may hold up other requests, the opening and the closing. */
    assert_matches(result.err,
                   SLOW "(ioping: request [124] has [^\n]*\n)*"
                        "(ioping: request 3 has had no answer for [0-9.]+ m?s\n)+"
                        "(ioping: (request 4 has|data: not ready after) [^\n]*\n)*$");
    assert_matches(result.out, ": request=3 time=[0-9.]+ s\n[^\n]*: request=4 ");
    assert_matches(result.out, "\n3 requests completed in [0-9.]+ s");
    command_free(&result);
}

/* When the limit, its double and so on are over; the numbers are rounded. */
TEST(it_is_told_again_at_each_doubling)
{
    need_faults();
    struct result result =
        command_status(0, "faulty pread:1:1700ms -C -B -a 0 -i 0 -c 1 -hang 100ms data");
    double due = 100;
    const char *line = strstr(result.err, "ioping: request ");
    for (; line && *line; line += strcspn(line, "\n") + 1) {
        char unit[3] = "";
        double time;
        if (sscanf(line, "ioping: request 1 has had no answer for %lf %2[ms]", &time,
                   unit) != 2)
            continue; /* of the closing, which a slow machine may hold up */
        time *= unit[0] == 's' ? 1000 : 1;
        if (time < due * 0.995)
            fail_msg("%g ms, before %g ms", time, due);
        for (due *= 2; due * 1.005 <= time; due *= 2)
            ;
    }
    assert_true(due > 100);
    command_free(&result);
}

TEST(nothing_is_told_below_the_limit_or_without_one)
{
    static const char *const options[] = {"-hang 0", "-hang 1h", ""};
    need_faults();
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result =
            command_status(0,
                           "IOPING_SCRIPT=pread:2:600ms LD_PRELOAD=\"$IOPING_FAULTS\" "
                           "ioping -C -B -i 0 -c 2 %s data",
                           options[i]);
        /* Without one it is 5 s, which a machine may be late. */
        assert_matches(result.err,
                       options[i][0]
                           ? "^$"
                           : "^(ioping: [^\n]* after ([5-9]|[1-9][0-9]+)[.0-9]* "
                             "s\n|ioping: [^\n]* for ([5-9]|[1-9][0-9]+)[.0-9]* s\n)*$");
        command_free(&result);
    }
}

static const struct expected runs[] = {
    {"time_between_requests_is_not_told", "", 0, NULL, ""},
    {"json_is_whole_then", "faults jq", 3, "[3,1,3,0,true]\n"},
    {"a_second_interrupt_does_not_wait", "faults", 4, ""},
    {"periods_come_while_a_request_hangs", "faults", 3, "2\n"},
    /* 3.2 s at 1 s: due and not sent 1, 2 and 3 s after its start. If the machine was
     * late there may be more, but no more than points in the time of the run; of these
     * one was served. */
    {"points_without_a_request_are_counted", "faults jq", 0, "1\ntrue\n"},
    {"an_interrupt_ends_the_output_though_a_request_never_returns", "faults", 3,
     "~^--- data \\(.*\\) ioping statistics ---\n"
     "1 requests completed in .* 4 KiB read, .*\n"
     "generated 3 requests in .* 8 KiB, .*\n"
     "min/avg/max/mdev = .*\n$",
     "~^ioping: 1 request still waiting after [0-9.]+ m?s\n" MISSED "$"},
    /* As calls to some file systems are. Made again, it would take forever. */
    {"an_interrupt_does_not_interrupt_the_request", "faults", 0, "3 3\n"},
    {"a_target_that_takes_long_is_told_of_and_used", "faults", 0, "2 3\n",
     "~^(ioping: d: not ready after [0-9.]+ m?s\n)+"
     "(ioping: request [^\n]*\n)*$"},
    {"a_kept_file_outlives_a_signal_while_it_is_filled", "faults", 0, "2\nioping.tmp\n"},
    {"a_signal_before_the_first_request_ends_it_without_one", "faults", 0,
     "~^generated 0 requests ", "ioping: no request was sent\n"},
};

EXPECT_EACH(runs)

TEST(every_signal_that_ends_a_run_does_so)
{
    need_faults();
    for (size_t i = 0; i < LENGTH(endings); i++)
        expect(endings[i].died ? endings[i].died : 3, "1 3\n", NULL,
               "every_signal_that_ends_a_run_does_so %s", endings[i].name);
}

TEST(statistics_come_while_a_request_hangs)
{
    static const char *const signals[] = {"QUIT", "USR1"};
    need_faults();
    for (size_t i = 0; i < LENGTH(signals); i++)
        expect(3, "~^2 requests, min/avg/max/mdev = .* / .* / .* / 0 ns\n$", NULL,
               "statistics_come_while_a_request_hangs %s", signals[i]);
}

/* The stall is in the first of three, and the run ends before the third. A machine that
 * was late tries again. */
TEST(points_are_missed_in_a_burst_too)
{
    static const char *const options[] = {"-w 2900ms", "-c 100"};
    static const char *const faults[] = {"pread:4:3200ms", "pread:4:3200ms,pread:5:5"};
    need_faults();
    for (int i = 0; i < 2; i++)
        expect(-1, i == 0 ? "1 missed\n" : "3 missed\n", NULL,
               "points_are_missed_in_a_burst_too '%d missed' %s %s", i == 0 ? 1 : 3,
               faults[i], options[i]);
}

TEST(nothing_is_due_without_an_interval_or_after_the_end)
{
    static const struct {
        const char *faults, *options;
    } cases[] = {
        {"pread:2:400ms", "-c 4 -i 0"},
        {"pread:2:1200ms", "-b 2 -c 2 -i 1s"},
        {"pread:2:400ms", "-c 4 -r 100"},
        {"pread:1:20ms", "-i 10ms -w 5ms -a 0"},
    };
    need_faults();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result =
            command_status(0, "faulty %s -C %s data", cases[i].faults, cases[i].options);
        assert_contains(result.out, "\ngenerated ");
        assert_lacks(result.err, "missed");
        command_free(&result);
    }
}

/* A write of 300 ms whose flush fails, as of a disk that gives up. */
TEST(the_time_of_a_failed_request_is_shown_and_not_counted)
{
    need("faults jq");
    expect(3, "[\"EIO\",0,true]\n[5,true,1]\n",
           "ioping: request 4 failed: EIO (Input/output error)\n",
           "the_time_of_a_failed_request_is_shown_and_not_counted");
}

/* The working file cannot be written. */
TEST(a_target_that_hangs_is_told_of_and_left)
{
    need_faults();
    for (size_t i = 0; i < LENGTH(endings); i++)
        expect(endings[i].died ? endings[i].died : 2, "",
               "~^(ioping: d: not ready after [0-9.]+ m?s\n)+ioping: d: still not ready "
               "after [0-9.]+ m?s\n$",
               "a_target_that_hangs_is_told_of_and_left %s", endings[i].name);
}

/*
 * Waits in the kernel, where no signal comes, so only a thaw ends the program;
 * but its reader sees the end of the output before.
 */
TEST(a_frozen_file_system_is_told_of_and_left)
{
    need_program("fsfreeze");
    mount_once("ext4");
    expect(3,
           "~^1\nheld\n[0-9]+ requests completed in .* written, .*\ngenerated [0-9]+ "
           "requests in .*\nmin/avg/max/mdev = .*\n$",
           "~" SLOW "(ioping: request [0-9]+ has had no answer for [0-9.]+ "
           "m?s\n)+ioping: 1 request still waiting after [0-9.]+ m?s\n" MISSED "$",
           "a_frozen_file_system_is_told_of_and_left");
}

/* No request may go to the working file, which is short then. A signal that ends the
 * program at its end has a status of its own. */
TEST(a_signal_while_the_working_file_is_filled_leaves_nothing)
{
    static const struct {
        const char *fault, *options;
    } cases[] = {{"pwrite:1:hold,fdatasync:1-:fast", "-S 200m"},
                 {"pwrite:1:hold,fdatasync:1-:fast", "-S 200m -k"},
                 {"pwrite:1:hold,fdatasync:1-:fast", "-S 200m -k -J"},
                 {"fdatasync:1:hold", "-k"}};
    static const char *const signals[] = {"INT", "TERM", "HUP"};
    need_faults();
    for (size_t i = 0; i < LENGTH(cases) * LENGTH(signals); i++) {
        const char *signal = signals[i % LENGTH(signals)];
        struct result result = command_status(
            0, "a_signal_while_the_working_file_is_filled_leaves_nothing %s %s %s",
            signal, cases[i / LENGTH(signals)].fault, cases[i / LENGTH(signals)].options);
        assert_matches(result.out, i % LENGTH(signals) ? "^(2|143|129)\n" : "^2\n");
        assert_string_equal(
            strchr(result.out, '\n'),
            "\nioping: d: interrupted while the working file was filled\n");
        command_free(&result);
    }
}

TEST(a_thawed_file_system_goes_on)
{
    need_program("fsfreeze");
    mount_once("ext4");
    expect(0, "~^1\n" MISSED "$", NULL, "a_thawed_file_system_goes_on");
}
