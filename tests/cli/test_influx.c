/* The lines of -influx: they follow the grammar of InfluxDB's line protocol, there is
 * one for each period, and they have the figures of the run. */
/* Marks: valgrind posix */
#include "support.h"

GROUP_SETUP(make_files)

static const struct expected runs[] = {
    {"lines_keep_to_the_grammar", "", 0, "phase=idle\nphase=loaded\nphase=recovered\n"},
    {"what_is_apart_adds_up", "", 0, "same\n"},
    {"paths_come_back_from_their_tags", "", 0, "same\n"},
    {"what_is_left_of_a_period_is_the_last_line", "", 0, "10\n10\n5\n10\n10\n25\n25\n"},
    {"figures_are_those_of_the_metrics", "", 0, "99\n1\n"},
    {"a_period_of_one_is_that_request", "", 0, " 9 1 1 1 1i 1 1 1\n"},
    {"periods_without_a_request_have_counts", "", 0, "0\n"},
    {"lines_come_one_by_one", "", 0, "open\n0\n"},
    {"times_are_those_of_the_clock_and_rise", "", 0, ""},
    {"failures_are_counted", "faults", 0, "3\n7\n2\n"},
    {"nothing_else_is_printed", "", 0, ""},
    {"steps_have_lines_of_their_own", "", 0,
     "threads=1i\nthreads=2i\nthreads=4i\nhighest_threads=4i\n3\n"},
    {"two_targets_have_a_line_each", "", 0,
     "ioping,path=d,operation=read,mode=cached\n"
     "ioping,path=data,operation=read,mode=cached\n"
     "ioping,path=data,operation=read,mode=cached,number=2\n57\n"},
};

EXPECT_EACH(runs)

TEST(parts_are_those_of_the_metrics)
{
    need_bare("valgrind and emulators do not know all calls to the kernel's trace");
    mount_tracefs();
    struct result result = command("ioping -breakdown -q -c 1 -i 0 d");
    bool able = result.status == 0;
    command_free(&result);
    if (!able)
        skip_because("needs a build folder on a disk");
    expect(0, "device 1 1 1\nqueue 1 1 1\nreturn 1 1 1\nsubmit 1 1 1\n", NULL,
           "parts_are_those_of_the_metrics");
}

TEST(all_lines_together_have_all_requests)
{
    expect(0, "several\n300\n", NULL,
           "all_lines_together_have_all_requests -c 300 -P 20ms");
    expect(0, "several\n300\n", NULL,
           "all_lines_together_have_all_requests -c 300 -p 70");
    expect(0, "several\n300\n", NULL,
           "all_lines_together_have_all_requests -c 300 -P 20ms -threads 4");
    expect(0, "several\n300\n", NULL,
           "all_lines_together_have_all_requests -c 100 -P 20ms -load read,rate=9");
}

TEST(what_a_signal_cuts_off_is_a_line_too)
{
    expect(0, "0\nsame\n", NULL, "what_a_signal_cuts_off_is_a_line_too INT");
    expect(0, "143\nsame\n", NULL, "what_a_signal_cuts_off_is_a_line_too TERM");
}
