/* The rows of -csv: Python's csv reads them back, and they have the figures of the run.
 */
/* Marks: valgrind posix */
#include "support.h"

GROUP_SETUP(make_files)

static const struct expected runs[] = {
    {"paths_come_back_from_their_fields", "python3", 0, "same\n"},
    {"figures_are_those_of_the_requests", "python3", 0,
     "14 figures of 999 requests\n14 figures of 98 requests\n"},
    {"what_is_left_of_a_period_is_the_last_row", "python3", 0,
     "10\n10\n5\n10\n10\n25\n25\n"},
    {"operations_add_up", "python3", 0, "same\n"},
    {"phases_have_a_row_each", "python3", 0, "idle 20\nloaded 20\nrecovered 20\n"},
    {"steps_have_a_row_each", "python3", 0, "1 true\n2 true\n4 true\n"},
    {"recorded_runs_have_a_row_each", "python3", 0, "r all 20\ns all 9\nr#2 all 20\n"},
    {"times_are_those_of_the_clock_and_rise", "python3", 0, ""},
    {"targets_share_the_times_of_periods", "python3", 0, "1\n1\n", ""},
    {"the_last_row_has_its_own_duration", "python3", 0, "rest\n", ""},
    {"failures_are_counted", "faults python3", 0, "3\n7 2\n"},
    {"nothing_else_is_printed", "", 0, "2\n2\n2\n2\n2\n2\n"},
    {"a_file_has_the_rows_and_the_screen_the_report", "python3", 0,
     "data all 8\n8 requests completed\n"},
    {"rows_come_one_by_one", "", 0, "open\n0\n"},
};

EXPECT_EACH(runs)

TEST(all_rows_together_have_all_requests)
{
    need_program("python3");
    expect(0, "several\n300\n", NULL,
           "all_rows_together_have_all_requests -c 300 -P 20ms");
    expect(0, "several\n300\n", NULL, "all_rows_together_have_all_requests -c 300 -p 70");
    expect(0, "several\n300\n", NULL,
           "all_rows_together_have_all_requests -c 300 -P 20ms -threads 4");
    expect(0, "several\n300\n", NULL,
           "all_rows_together_have_all_requests -c 100 -P 20ms -load read,rate=9");
}

TEST(what_a_signal_cuts_off_is_a_row_too)
{
    need_program("python3");
    expect(0, "0\nsame\n", NULL, "what_a_signal_cuts_off_is_a_row_too INT");
    expect(0, "143\nsame\n", NULL, "what_a_signal_cuts_off_is_a_row_too TERM");
}
