/* The plot file of a run: when it is made, what it contains, and that no other file is
 * left. */
/* Marks: 20s valgrind */
#include "support.h"
#include "svg_check.h"
#include "terminal.h"

GROUP_SETUP(make_files)
FIXTURE(make_folder, NULL)

static const struct expected runs[] = {
    {"it_shows_each_request_that_counts", "", 0, "x.svg\n<!-- ioping -->\n20\n1\n", NULL,
     "cd f; ioping -q -i 0 -c 21 -plot x.svg ../data >../o; ls -A; head -1 x.svg; "
     "marks; grep -c '20 requests counted</text>' x.svg"},
    /* The plot shows the requests of all workers. */
    {"what_all_workers_did_is_in_it", "", 0, "40\n", NULL,
     "cd f; ioping -q -i 0 -c 41 -threads 4 -plot x.svg ../data >../o; marks"},
    {"several_targets_are_told_apart", "", 0, "20\n10\n10\n1\n../d (\n../data (\n"},
    /* The plot says that no request has counted yet. */
    {"it_is_there_before_the_first_request", "faults", 0,
     "3\n0\ny:1\nx.svg:1\nx.svg\ny\n"},
    /* Long before there are so many that it has no marks any more. */
    {"an_interrupted_run_has_one", "", 0, "0\nsame\n"},
    /* Another target goes on for much longer: its marks end in the first quarter of a
     * panel that is 528 wide and begins at 84. */
    {"a_target_is_drawn_as_long_as_it_was_there", "faults", 0, "3 1\n"},
    {"an_older_picture_is_replaced", "", 0, "2\n5\nx.svg\n"},
    /* The folder is gone by then. */
    {"one_that_is_lost_in_the_end_is_a_failure", "", 0,
     "3\nioping: g/x.svg: No such file or directory\n"},
    {"a_name_may_have_as_many_bytes_as_the_file_system_allows", "", 0,
     "0\n0\n0\n0\n4 files\n"},
    {"the_metrics_may_be_kept_as_well", "", 0, "4\n5\n", NULL,
     "cd f; ioping -q -i 0 -c 5 -plot x.svg -prometheus x.prom ../data >../o; "
     "marks; sed -n 's/^ioping_requests_total.* //p' x.prom"},
    {"a_failed_run_has_one_and_shows_the_failure", "faults", 0, "3\n6\n1\n"},
    {"standard_output_may_be_a_pipe_that_nobody_reads", "", 0,
     "3\nioping: standard output: Broken pipe\n4\n"},
    /* The results in the file are those for people, and stay as they would be. */
    {"standard_output_has_the_picture_and_the_file_the_results", "", 0,
     "0\n10\n10 requests completed\n0\n10\n}]\n0\n10\n10\n"},
    {"an_interrupted_run_has_one_on_standard_output", "", 0, "0\n1\nsame\n"},
    {"the_results_cannot_go_to_standard_output_as_well", "", 0,
     "2\nioping: /dev/stdout: is also the standard output of -plot; name another file "
     "for -output\n2\nioping: picture: is also the standard output of -plot; name "
     "another file for -output\n0\n"},
    /* The missed grid points are on the axis, which goes on to the end. */
    {"a_request_without_answer_shows_by_what_was_missed", "faults", 0, "3\nmissed\n"},
};

EXPECT_EACH(runs)

/* Nothing changes it after that until the end of the first interval; and it is whole. */
TEST(a_long_run_draws_it_again)
{
    struct svg_check check;
    struct result result = command_status(0, "a_long_run_draws_it_again");
    svg_check_begin(&check, result.out, result.out_size);
    if (check.problems.length)
        fail_msg("%s", check.problems.text);
    svg_check_end(&check);
    command_free(&result);
}

TEST(standard_output_has_all_of_a_picture_and_nothing_else)
{
    static const char *const arguments[] = {
        "-i 0 -c 21 -q data",
        "-i 0 -c 21 data d",
        "-sweep threads=1..2 -C -w 100ms data",
        "-load read -c 21 -i 1ms data",
        "-compare runs runs",
    };
    for (size_t i = 0; i < LENGTH(arguments); i++) {
        struct svg_check check;
        struct result result = command_status(
            0, "standard_output_has_all_of_a_picture_and_nothing_else %s", arguments[i]);
        svg_check_begin(&check, result.out, result.out_size);
        if (check.problems.length)
            fail_msg("%s: %s", arguments[i], check.problems.text);
        svg_check_end(&check);
        command_free(&result);
    }
}

TEST(a_terminal_is_not_filled_with_a_picture)
{
    static struct terminal terminal;
    terminal_start(&terminal, 200, "ioping -i 0 -c 3 -plot - -output made data");
    terminal_end(&terminal, 2);
    assert_contains(terminal.bytes,
                    "ioping: standard output: is a terminal, which cannot "
                    "show a plot; redirect it, as in -plot - >x.svg");
    assert_lacks(terminal.bytes, "<svg");
    terminal_free(&terminal);
    expect(0, "", NULL, "ls made 2>/dev/null || :");
}

/* Where a busy machine did nothing in a step it is tried again. */
TEST(a_sweep_has_a_point_for_each_step)
{
    static const struct {
        const char *options;
        int points;
    } cases[] = {
        {"-sweep size=4k..32k", 12},           /* p50, p99 and bandwidth */
        {"-sweep threads=1..4", 9},            /* p50, p99 and maximum */
        {"-sweep threads=1..4 -B ../data", 18} /* of two targets */
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result =
            command_status(0, "a_sweep_has_a_point_for_each_step %s", cases[i].options);
        assert_int_equal(atoi(result.out), cases[i].points);
        command_free(&result);
    }
}

TEST(a_place_where_it_cannot_be_is_an_error_before_any_request)
{
    static const struct {
        const char *path, *error;
    } cases[] = {
        {"nowhere/x.svg",
         "ioping: nowhere/x.svg: No such file or directory; make its directory first\n"},
        {"d", "ioping: d: is a directory; name a file in it\n"},
        {"data",
         "ioping: data: exists and is not an ioping plot, so it is not overwritten; "
         "remove it, or name another file\n"},
        {"/dev/null", "ioping: /dev/null: is a device or a pipe; name a file\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            0, "a_place_where_it_cannot_be_is_an_error_before_any_request %s",
            cases[i].path);
        char expected[256];
        snprintf(expected, sizeof(expected), "%s2\nsame\n", cases[i].error);
        assert_string_equal(result.out, expected);
        command_free(&result);
    }
    expect(1, NULL, "ioping: -plot '': the name of the file is empty\n",
           "ioping -c 1 -plot '' data");
}
