/* The main job, as the README shows it. */
#include "support.h"

static void
ten_requests_to_a_directory(void **state)
{
    (void)state;
    struct result result = command_status(0, "ioping -c 10 -i 0 .");
    char *lines = masked(result.out);
    assert_string_equal(result.err, "");
    assert_contains(lines, "# <<< . (");
    assert_contains(lines, "): request=# time=# (warmup)\n");
    assert_contains(lines, "# requests completed in #, # read, # iops, #/s\n"
                           "generated # requests in #, #, # iops, #/s\n"
                           "min/avg/max/mdev = # / # / # / #\n");
    free(lines);
    command_free(&result);
}

static void
raw_lines_with_one_letter_dash_words(void **state)
{
    (void)state;
    struct result result =
        command_status(0, "ioping -print-count 1 -count 10 -i 0 -quiet .");
    int lines = 0;
    for (char *at = result.out; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 9);
    assert_matches(result.out,
                   "^1 [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+ 0 2 [0-9]+\n");
    command_free(&result);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_requests_to_a_directory),
        cmocka_unit_test(raw_lines_with_one_letter_dash_words),
    };
    return cmocka_run_group_tests_name("basic", tests, NULL, unmount_all);
}
