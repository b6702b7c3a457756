/* The plot of a run: the time of its making, its contents, and no other file left. */
/* Marks: 20s valgrind */
#include "support.h"
#include "svg_check.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

GROUP_SETUP(make_files)
FIXTURE(make_folder, NULL)

TEST(it_shows_each_request_that_counts)
{
    struct result result = command_status(
        0, "cd f; ioping -q -i 0 -c 21 -plot x.svg ../data >../o; ls -A; head -1 x.svg; "
           "marks; grep -c '20 requests counted</text>' x.svg");
    assert_string_equal(result.out, "x.svg\n<!-- ioping -->\n20\n1\n");
    command_free(&result);
}

/* The plot shows the requests of all workers. */
TEST(what_all_workers_did_is_in_it)
{
    struct result result = command_status(
        0, "cd f; ioping -q -i 0 -c 41 -threads 4 -plot x.svg ../data >../o; marks");
    assert_string_equal(result.out, "40\n");
    command_free(&result);
}

TEST(several_targets_are_told_apart)
{
    struct result result = command_status(0, "several_targets_are_told_apart");
    assert_string_equal(result.out, "20\n10\n10\n1\n../d (\n../data (\n");
    command_free(&result);
}

/* The plot says that no request has counted yet. */
TEST(it_is_there_before_the_first_request)
{
    need_faults();
    struct result result = command_status(0, "it_is_there_before_the_first_request");
    assert_string_equal(result.out, "3\n0\ny:1\nx.svg:1\nx.svg\ny\n");
    command_free(&result);
}

/* Long before there are so many that it has no marks any more. */
TEST(an_interrupted_run_has_one)
{
    struct result result = command_status(0, "an_interrupted_run_has_one");
    assert_string_equal(result.out, "0\nsame\n");
    command_free(&result);
}

TEST(a_failed_run_has_one_and_shows_the_failure)
{
    need_faults();
    struct result result =
        command_status(0, "a_failed_run_has_one_and_shows_the_failure");
    assert_string_equal(result.out, "3\n6\n1\n");
    command_free(&result);
}

/* The missed grid points are on the axis, which goes on to the end. */
TEST(a_request_without_answer_shows_by_what_was_missed)
{
    need_faults();
    struct result result =
        command_status(0, "a_request_without_answer_shows_by_what_was_missed");
    assert_string_equal(result.out, "3\nmissed\n");
    command_free(&result);
}

/* Another target goes on for much longer: its band ends in the first quarter of a panel
 * that is 560 wide and begins at 92. */
TEST(a_target_is_drawn_as_long_as_it_was_there)
{
    need_faults();
    struct result result = command_status(0, "a_target_is_drawn_as_long_as_it_was_there");
    assert_string_equal(result.out, "3 1\n");
    command_free(&result);
}

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

/* Where a busy machine did nothing in a step it is tried again. */
TEST(a_sweep_has_a_point_for_each_step)
{
    static const struct {
        const char *options;
        int points;
    } cases[] = {
        {"-sweep size=4k..32k", 8},            /* requests, and bandwidth */
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
        {"nowhere/x.svg", "ioping: nowhere/x.svg: No such file or directory\n"},
        {"d", "ioping: d: is there already, and not a plot of ioping\n"},
        {"data", "ioping: data: is there already, and not a plot of ioping\n"},
        {"/dev/null", "ioping: /dev/null: is there already, and not a plot of ioping\n"},
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
    struct result result = command_status(1, "ioping -c 1 -plot '' data");
    assert_string_equal(result.err, "ioping: -plot '': a file needs a name\n");
    command_free(&result);
}

TEST(an_older_picture_is_replaced)
{
    struct result result = command_status(0, "an_older_picture_is_replaced");
    assert_string_equal(result.out, "2\n5\nx.svg\n");
    command_free(&result);
}

/* The folder is gone by then. */
TEST(one_that_is_lost_in_the_end_is_a_failure)
{
    struct result result = command_status(0, "one_that_is_lost_in_the_end_is_a_failure");
    assert_string_equal(result.out, "3\nioping: g/x.svg: No such file or directory\n");
    command_free(&result);
}

TEST(the_metrics_may_be_kept_as_well)
{
    struct result result = command_status(
        0, "cd f; ioping -q -i 0 -c 5 -plot x.svg -prometheus x.prom ../data >../o; "
           "marks; sed -n 's/^ioping_requests_total.* //p' x.prom");
    assert_string_equal(result.out, "4\n5\n");
    command_free(&result);
}
