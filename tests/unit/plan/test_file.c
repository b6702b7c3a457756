/* The two outputs of -output: the file has what was asked for, the screen what people
 * read. */
#include "planned.h"

TEST(the_screen_is_as_without_a_format)
{
    static const struct {
        const char *line;
        enum format format;   /* of the file */
        bool requests, shown; /* in the file, and on the screen */
        bool status;
    } cases[] = {
        {".", FORMAT_HUMAN, true, true, false},
        {"-q .", FORMAT_HUMAN, false, false, true},
        {"-R .", FORMAT_HUMAN, false, false, true},
        {"-J .", FORMAT_JSON, true, true, false},
        {"-JJ -q .", FORMAT_NDJSON, false, false, true},
        {"-csv .", FORMAT_CSV, false, true, false},
        {"-csv -q -P 1 .", FORMAT_CSV, false, false, true},
        {"-B .", FORMAT_RAW, false, false, true},
        {"-q -p 1 .", FORMAT_HUMAN, false, false, true},
        {"-p 1 -P 1 .", FORMAT_HUMAN, true, true, false},
        {"-JJ -sweep size .", FORMAT_NDJSON, false, false, true},
        {"-q -no-status .", FORMAT_HUMAN, false, false, false},
        {"-live .", FORMAT_HUMAN, true, false, false},
        {"-live -q .", FORMAT_HUMAN, false, false, false},
        {"-live -JJ .", FORMAT_NDJSON, true, false, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[64];
        snprintf(line, sizeof(line), "-output x %s", cases[i].line);
        struct plan plan = planned(line);
        const struct output *file = &plan.output.list[0], *screen = file + 1;
        assert_int_equal(plan.output.stream_count, 2);
        assert_string_equal(file->path, "x");
        if (format_of(&plan) != cases[i].format ||
            file->has_requests != cases[i].requests ||
            screen->has_requests != cases[i].shown ||
            !output_of(&plan, FORMAT_STATUS).kind == cases[i].status)
            fail_msg("ioping %s", line);
        assert_ptr_equal(screen->kind, &output_kinds[FORMAT_HUMAN]);
        assert_true(screen->has_summary);
        assert_null(screen->path);
        assert_false(screen->has_periods);
    }
}

/* The file has what another option asks for, and standard output has the values. */
TEST(values_take_the_screen_if_the_file_has_something_else)
{
    static const struct {
        const char *line;
        enum format format; /* of the file */
        bool periods;       /* in the file */
    } cases[] = {
        {"-record x -print p99 .", FORMAT_HUMAN, true},
        {"-output x -J -print p99 .", FORMAT_JSON, false},
        {"-print p99 -output x -csv -P 1 a b", FORMAT_CSV, true},
        {"-output x -influx -print p99 .", FORMAT_INFLUX, true},
        {"-output x -B -print p99 .", FORMAT_RAW, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        const struct output *file = &plan.output.list[0], *screen = file + 1;
        if (plan.output.stream_count != 2 || format_of(&plan) != cases[i].format ||
            file->has_periods != cases[i].periods ||
            screen->kind != &output_kinds[FORMAT_PRINT] || screen->has_periods ||
            screen->has_requests || !screen->has_summary)
            fail_msg("ioping %s", cases[i].line);
    }
}

TEST(values_alone_are_the_results_and_go_to_the_file)
{
    struct plan plan = planned("-output x -print p99 -P 1 .");
    const struct output *file = &plan.output.list[0], *screen = file + 1;
    assert_int_equal(format_of(&plan), FORMAT_PRINT);
    assert_string_equal(file->path, "x");
    assert_true(file->has_periods);
    assert_ptr_equal(screen->kind, &output_kinds[FORMAT_HUMAN]);
    assert_true(screen->has_requests && screen->has_summary && !screen->has_periods);
}

TEST(without_it_there_is_one_output)
{
    struct plan plan = planned("-q -p 1 .");
    assert_null(plan.output.list[0].path);
    assert_int_equal(plan.output.count, 1);
    assert_false(plan.output.any_requests || plan.output.any_summary);
}

TEST(what_one_of_them_has_is_told)
{
    struct plan plan = planned("-q -p 1 -output x .");
    assert_false(plan.output.list[0].has_summary || plan.output.any_requests);
    assert_true(plan.output.any_summary);
    plan = planned("-output x -J .");
    assert_true(plan.output.any_requests);
}

/* In place of the lines for people, which would make it no SVG. */
TEST(a_plot_may_be_all_that_standard_output_has)
{
    static const char *const lines[] = {
        "-output x -plot - .",
        "-record x -plot - .",
        "-sweep size -output x -plot - .",
        "-compare -output x -plot - a b",
        "-load read -c 9 -J -output x -plot - .",
    };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        struct plan plan = planned(lines[i]);
        const struct output *list = plan.output.list;
        assert_int_equal(plan.output.stream_count, 2);
        assert_string_equal(list[0].path, "x");
        assert_ptr_equal(list[1].kind, &output_kinds[FORMAT_PLOT_STREAM]);
        assert_null(list[1].path);
        assert_int_equal(list[1].tick_interval, 0);
        assert_false(list[1].has_summary || list[1].has_requests || list[1].has_periods);
        assert_true(plan.output.needs_track && plan.output.needs_names);
        assert_null(output_of(&plan, FORMAT_PLOT).kind);
    }
}

TEST(a_plot_on_standard_output_beside_others_is_refused)
{
    static const char *const lines[] = {
        "-plot - .",
        "-q -plot - .",
        "-B -plot - .",
        "-J -plot - .",
        "-influx -plot - .",
        "-sweep size -plot - .",
        "-compare -plot - a b",
    };
    for (size_t i = 0; i < LENGTH(lines); i++)
        planned_refused(lines[i], "ioping: -plot -: standard output has the results; add "
                                  "-output FILE, or name a file such as x.svg\n");
    planned_refused("-check -slo max=1s -plot - .",
                    "ioping: -plot -: standard output has the line of -check; name a "
                    "file such as x.svg\n");
    planned_refused("-print p99 -plot - .",
                    "ioping: -plot -: standard output has the results; add -output "
                    "FILE, or name a file such as x.svg\n");
    planned_refused("-record x -print p99 -plot - .",
                    "ioping: -plot -: standard output has the values of -print; name a "
                    "file such as x.svg\n");
    planned_refused("-csv -output x -print p99 -plot - .",
                    "ioping: -plot -: standard output has the values of -print; name a "
                    "file such as x.svg\n");
    planned("-output x -print p99 -plot - .");
    planned_refused(
        "-every 3s -output x -plot - .",
        "ioping: -every: -plot - writes once, at the end; leave out -every\n");
    planned("-every 3s -output x -plot - -hdr y .");
}

TEST(a_load_has_none)
{
    struct plan plan = planned("-output x -c 1 -load write ."), load;
    plan_background(&plan, &load);
    assert_false(load.output.any_requests || load.output.any_summary);
    assert_int_equal(load.output.count, 0);
}

TEST(another_file_of_that_name_is_refused)
{
    planned_refused("-output x a x",
                    "ioping: -output: x is also a target; name another file\n");
    planned_refused("-output x -c 1 -load write,path=x a",
                    "ioping: -output: x is also a target; name another file\n");
    planned_refused(
        "-output x -prometheus x a",
        "ioping: -output: x is also the file of -prometheus; name another file\n");
    planned_refused("-output x -plot x a",
                    "ioping: -output: x is also the file of -plot; name another file\n");
    planned_refused("-output x -hdr x a",
                    "ioping: -output: x is also the file of -hdr; name another file\n");
    planned_refused(
        "-output y -hdr x -plot x -prometheus y a",
        "ioping: -output: y is also the file of -prometheus; name another file\n");
}
