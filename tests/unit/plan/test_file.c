/* The two outputs of -output: the file has what was asked for, the screen what people
 * read. */
#include "planned.h"

TEST(the_screen_is_as_without_a_format)
{
    static const struct {
        const char *line;
        enum plan_format format; /* of the file */
        bool requests, shown;    /* in the file, and on the screen */
        bool status;
    } cases[] = {
        {".", FORMAT_HUMAN, true, true, false},
        {"-q .", FORMAT_HUMAN, false, false, true},
        {"-R .", FORMAT_HUMAN, false, false, true},
        {"-J .", FORMAT_JSON, true, true, false},
        {"-JJ -q .", FORMAT_NDJSON, false, false, true},
        {"-B .", FORMAT_RAW, false, false, true},
        {"-q -p 1 .", FORMAT_HUMAN, false, false, true},
        {"-p 1 -P 1 .", FORMAT_HUMAN, true, true, false},
        {"-JJ -sweep size .", FORMAT_NDJSON, false, false, true},
        {"-q -no-status .", FORMAT_HUMAN, false, false, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[64];
        snprintf(line, sizeof(line), "-output x %s", cases[i].line);
        struct plan plan = planned(line);
        assert_string_equal(plan.output.file, "x");
        if (plan.output.format != cases[i].format ||
            plan.output.requests != cases[i].requests ||
            plan.screen.requests != cases[i].shown ||
            plan.output.status != cases[i].status)
            fail_msg("ioping %s", line);
        assert_int_equal(plan.screen.format, FORMAT_HUMAN);
        assert_true(plan.screen.summary);
        assert_null(plan.screen.file);
        assert_int_equal(plan.screen.print_count, 0);
        assert_int_equal(plan.screen.print_interval, 0);
    }
}

TEST(without_it_there_is_one_output)
{
    struct plan plan = planned("-q -p 1 .");
    assert_null(plan.output.file);
    assert_false(plan.screen.requests || plan.screen.summary);
    assert_false(plan_has_requests(&plan) || plan_has_summary(&plan));
}

TEST(what_one_of_them_has_is_told)
{
    struct plan plan = planned("-q -p 1 -output x .");
    assert_false(plan.output.summary || plan_has_requests(&plan));
    assert_true(plan_has_summary(&plan));
    plan = planned("-output x -J .");
    assert_true(plan_has_requests(&plan));
}

TEST(a_load_has_none)
{
    struct plan plan = planned("-output x -c 1 -load write ."), load;
    plan_background(&plan, &load);
    assert_false(plan_has_requests(&load) || plan_has_summary(&load));
    assert_null(load.output.file);
}

TEST(how_lines_look_is_the_same_in_both)
{
    struct plan plan = planned("-output x -I%s -b 3 -percentiles 50 .");
    assert_string_equal(plan.screen.time_format, "%s");
    assert_int_equal(plan.screen.burst, 3);
    assert_int_equal(plan.screen.percentiles.count, 1);
}

TEST(another_file_of_that_name_is_refused)
{
    planned_refused("-output x a x",
                    "ioping: -output: x is a target too; name another file\n");
    planned_refused("-output x -c 1 -load write,path=x a",
                    "ioping: -output: x is a target too; name another file\n");
    planned_refused(
        "-output x -prometheus x a",
        "ioping: -output: x is the file of -prometheus too; name another file\n");
    planned_refused("-output x -plot x a",
                    "ioping: -output: x is the file of -plot too; name another file\n");
    planned_refused("-output x -hdr x a",
                    "ioping: -output: x is the file of -hdr too; name another file\n");
}
