/* InfluxDB's line protocol as the program prints it: whole lines of its grammar, a line
 * for each period, with the figures of the run. */
/* Marks: valgrind posix */
#include "support.h"

/* What COMMAND, a function of test_influx.sh, prints. */
static void
assert_prints(const char *shell, const char *expected)
{
    expect(0, expected, NULL, "%s", shell);
}

GROUP_SETUP(make_files)

TEST(lines_keep_to_the_grammar)
{
    assert_prints("lines_keep_to_the_grammar",
                  "phase=idle\nphase=loaded\nphase=recovered\n");
}

TEST(what_is_apart_adds_up)
{
    assert_prints("what_is_apart_adds_up", "same\n");
}

TEST(parts_are_those_of_the_metrics)
{
    need_bare("valgrind and emulators do not know all calls to the kernel's trace");
    mount_tracefs();
    struct result result = command("ioping -breakdown -q -c 1 -i 0 d");
    bool able = result.status == 0;
    command_free(&result);
    if (!able)
        skip_because("needs a build folder on a disk");
    assert_prints("parts_are_those_of_the_metrics",
                  "device 1 1 1\nqueue 1 1 1\nreturn 1 1 1\nsubmit 1 1 1\n");
}

TEST(paths_come_back_from_their_tags)
{
    assert_prints("paths_come_back_from_their_tags", "same\n");
}

TEST(all_lines_together_have_all_requests)
{
    assert_prints("all_lines_together_have_all_requests -c 300 -P 20ms",
                  "several\n300\n");
    assert_prints("all_lines_together_have_all_requests -c 300 -p 70", "several\n300\n");
    assert_prints("all_lines_together_have_all_requests -c 300 -P 20ms -threads 4",
                  "several\n300\n");
    assert_prints("all_lines_together_have_all_requests -c 100 -P 20ms -load read,rate=9",
                  "several\n300\n");
}

TEST(what_is_left_of_a_period_is_the_last_line)
{
    assert_prints("what_is_left_of_a_period_is_the_last_line",
                  "10\n10\n5\n10\n10\n25\n25\n");
}

TEST(what_a_signal_cuts_off_is_a_line_too)
{
    assert_prints("what_a_signal_cuts_off_is_a_line_too INT", "0\nsame\n");
    assert_prints("what_a_signal_cuts_off_is_a_line_too TERM", "143\nsame\n");
}

TEST(figures_are_those_of_the_metrics)
{
    assert_prints("figures_are_those_of_the_metrics", "99\n1\n");
}

TEST(a_period_of_one_is_that_request)
{
    assert_prints("a_period_of_one_is_that_request", " 9 1 1 1 1i 1 1 1\n");
}

TEST(periods_without_a_request_have_counts)
{
    assert_prints("periods_without_a_request_have_counts", "0\n");
}

TEST(lines_come_one_by_one)
{
    assert_prints("lines_come_one_by_one", "open\n0\n");
}

TEST(times_are_those_of_the_clock_and_rise)
{
    assert_prints("times_are_those_of_the_clock_and_rise", "");
}

TEST(failures_are_counted)
{
    need_faults();
    assert_prints("failures_are_counted", "3\n7\n2\n");
}

TEST(nothing_else_is_printed)
{
    assert_prints("nothing_else_is_printed", "");
}

TEST(steps_have_lines_of_their_own)
{
    assert_prints("steps_have_lines_of_their_own",
                  "threads=1i\nthreads=2i\nthreads=4i\nhighest_threads=4i\n3\n");
}

TEST(two_targets_have_a_line_each)
{
    assert_prints("two_targets_have_a_line_each",
                  "ioping,path=d,operation=read,mode=cached\n"
                  "ioping,path=data,operation=read,mode=cached\n"
                  "ioping,path=data,operation=read,mode=cached,number=2\n57\n");
}
