/* The tour in the documents shows what the program prints, see man/examples/make-tour. */
/* Marks: 35s native */
#include "support.h"

#define MAKE_TOUR "man/examples/make-tour"

GROUP_SETUP(make_files)

static void
need_tools(void)
{
    need_linux();
    need_program("python3");
    need_program("jq");
    need_bare("the tour is about the program as it is installed");
    need_success("[ -z \"$(ioping -D -q -c 2 -i 0 data 2>&1 >o)\" ]",
                 "needs a build folder on a disk");
}

TEST(the_output_in_the_tour_has_the_shape_of_real_output)
{
    need_tools();
    struct result result =
        command("mkdir real && \"$tests\"/../" MAKE_TOUR
                " --check \"$IOPING\" real; s=$?; rm -rf real; exit $s");
    print_message("%s", result.out);
    if (result.status != 0)
        fail_msg("%s", result.err);
    assert_matches(result.out,
                   "(^|\n)[234][0-9] commands compared, [0-9]+ skipped, 0 differ\n$");
    command_free(&result);
}

/* A copy of the tour that has one command, whose output has the line LINE too much. */
static int
check_altered_tour(const char *line)
{
    struct result result =
        command("mkdir -p altered/man/examples real && cp \"$tests\"/../" MAKE_TOUR
                " altered/man/examples &&"
                "printf '```\\n$ ioping -c 2 .\\n%%s```\\n' \"$(cd real && ioping -i 0 "
                "-c 2 .)\n%s\""
                " >altered/man/TOUR.md &&"
                "altered/" MAKE_TOUR
                " --check \"$IOPING\" real; s=$?; rm -rf real altered; exit $s",
                line);
    int status = result.status;
    print_message("%s", result.out);
    command_free(&result);
    return status;
}

TEST(a_line_that_the_program_does_not_print_is_found)
{
    need_tools();
    assert_int_equal(check_altered_tour(""), 0);
    assert_int_equal(check_altered_tour("p99 of this run\n"), 1);
}

TEST(the_plots_are_those_of_the_script_and_the_tour_shows_them)
{
    need_linux();
    need_program("python3");
    struct result result = command("\"$tests\"/../" MAKE_TOUR " --check-plots");
    assert_string_equal(result.out, "12 plots, 0 problems\n");
    assert_int_equal(result.status, 0);
    command_free(&result);
}

/* Each command alters the documents in the folder man. */
static const struct {
    const char *command, *said;
} altered_plots[] = {
    {"rm examples/mixed.svg", "mixed.svg: missing, or made by another command\n"},
    {"sed -i 's/: ioping -q -G /: ioping -q /' examples/mixed.svg",
     "mixed.svg: missing, or made by another command\n"},
    {"sed -i 's/depth.svg disk.img</depth.svg data</' examples/depth.svg",
     "depth.svg: missing, or made by another command\n"},
    {"cp examples/mixed.svg examples/other.svg", "other.svg: not in EXAMPLES\n"},
    {"sed -i '/(examples.load.svg)/d' TOUR.md", "load.svg: not shown in the tour\n"},
    {"sed -i 's/^[$] ioping -sweep size=4k..4m /$ ioping -sweep size /' TOUR.md",
     "$ ioping -sweep size -plot size.svg .: not in EXAMPLES\n"},
};

TEST(a_plot_of_another_command_is_found)
{
    need_linux();
    need_program("python3");
    for (size_t i = 0; i < LENGTH(altered_plots); i++) {
        struct result result = command(
            "mkdir altered && cp -r \"$tests\"/../man altered && cd altered/man && %s &&"
            "examples/make-tour --check-plots; s=$?; cd ../..; rm -rf altered; exit $s",
            altered_plots[i].command);
        if (!strstr(result.out, altered_plots[i].said))
            fail_msg("%s: %s%s", altered_plots[i].command, result.out, result.err);
        assert_matches(result.out, "\n12 plots, 1 problems\n$");
        assert_int_equal(result.status, 1);
        command_free(&result);
    }
}
