/* Requests without answer do not hold up a run: -timeout, and the end of -w. */
#include "running.h"
#include "support.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define FAILED "ioping: request [0-9]+ failed: no answer for [0-9.]+ m?s \\(timeout\\)\n"

static void
a_server_that_stops_ends_the_run(void **state)
{
    static const char *const options[] = {"", "-threads 8", "-A", "-U", "-U -depth 8"};
    (void)state;
    mount_fuse("fs", "uncached,hang_file=%s/hang", scratch());
    for (size_t i = 0; i < LENGTH(options); i++) {
        if (i == 2)
            need_aio();
        if (i == 3)
            need_uring();
        struct result result =
            command_status(3, "behind_a_server -timeout 1s %s", options[i]);
        assert_matches(result.out, "^[1-9]\n1\n$");
        assert_matches(result.err, FAILED);
        command_free(&result);
    }
}

static void
a_server_that_stops_outlasts_the_work_time(void **state)
{
    static const char *const options[] = {"", "-threads 4"};
    (void)state;
    mount_fuse("fs", "uncached,hang_file=%s/hang", scratch());
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result =
            command_status(3, "behind_a_server -w 2 -hang 1s %s", options[i]);
        assert_matches(result.out, "^0\n1\n$");
        assert_matches(result.err,
                       "ioping: [1-4] requests? still waiting after [0-9.]+ s\n");
        command_free(&result);
    }
}

/* Also with -hang 0, which the command has. */
static void
what_is_under_way_has_five_seconds(void **state)
{
    (void)state;
    need_faults();
    struct result result =
        command_status(3, "faulty pread:2:hang -C -B -i 0 -w 100ms data");
    assert_matches(result.out, "^0 0 0 0 0 0 0 0 2 5[0-9]{9}\n$");
    assert_matches(result.err, "^ioping: 1 request still waiting after 5[0-9.]* s\n$");
    command_free(&result);
}

static void
with_ignore_whatever_can_goes_on(void **state)
{
    static const char *const arguments[] = {"pread:3:hang -threads 4 -i 20ms -c 120",
                                            "uring:3:hang -U -depth 4 -i 20ms -c 80"};
    (void)state;
    need_faults();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(arguments); i++) {
        if (i == 1)
            need_uring();
        struct result result = command_status(3, "the_others_go_on %s", arguments[i]);
        assert_string_equal(result.out,
                            i == 0 ? "[true,true]\n120\n" : "[true,true]\n80\n");
        assert_matches(result.err, FAILED);
        command_free(&result);
    }
}

static void
with_ignore_it_ends_when_nothing_can_go_on(void **state)
{
    static const char *const arguments[] = {"pread:3-:hang -threads 4",
                                            "uring:3-:hang -U -depth 4"};
    (void)state;
    need_faults();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(arguments); i++) {
        if (i == 1)
            need_uring();
        struct result result =
            command_status(3, "the_others_go_on %s -i 20ms", arguments[i]);
        assert_string_equal(result.out, "[true,true]\n6\n");
        assert_matches(result.err, FAILED);
        command_free(&result);
    }
}

static void
the_other_target_goes_on_only_with_ignore(void **state)
{
    (void)state;
    need_faults();
    need_program("jq");
    for (int i = 0; i < 2; i++) {
        struct result result = command_status(3, "of_two_targets -w 2 %s", i ? "-E" : "");
        assert_string_equal(result.out, i ? "[[3,1]]\n[true]\n" : "[[3,1]]\n[false]\n");
        assert_matches(result.err, "^ioping: other: request 3 failed: no answer for ");
        command_free(&result);
    }
}

static void
the_time_of_a_stop_is_no_wait(void **state)
{
    (void)state;
    need_faults();
    need_bare("the tool's own threads are stopped as well");
    need_native("an emulator takes its time to tell of signals");
    struct result result = command_status(3, "while_stopped");
    assert_string_equal(result.out, "1\n");
    command_free(&result);
}

static void
json_has_its_age(void **state)
{
    (void)state;
    need_faults();
    need_program("jq");
    struct result result = command_status(3, "json_has_the_age pread:3:hang -C");
    assert_string_equal(result.out, "[3,true,0,true,false]\n[1,3,1]\n");
    assert_matches(result.err, "^" FAILED "$");
    command_free(&result);
}

/* The third write is there, its flush is not; the first flush is that of the target. */
static void
a_flush_is_a_part_of_its_write(void **state)
{
    (void)state;
    need_faults();
    need_program("jq");
    struct result result = command_status(3, "json_has_the_age fdatasync:3:hang -WWW");
    assert_matches(result.out, "^\\[[23],true,0,true,true\\]\n\\[[01],[23],1\\]\n$");
    command_free(&result);
}

static void
a_sweep_ends_with_its_step(void **state)
{
    (void)state;
    need_faults();
    struct result result = command_status(
        3, "faulty pread:30:hang -C -sweep threads=1..4 -w 200ms -timeout 500ms data");
    assert_matches(result.out, "\n  *1  *[0-9][^\n]*\n$");
    assert_matches(result.err, "^" FAILED "$");
    command_free(&result);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_stops_ends_the_run),
        cmocka_unit_test(a_server_that_stops_outlasts_the_work_time),
        cmocka_unit_test(what_is_under_way_has_five_seconds),
        cmocka_unit_test(with_ignore_whatever_can_goes_on),
        cmocka_unit_test(with_ignore_it_ends_when_nothing_can_go_on),
        cmocka_unit_test(the_other_target_goes_on_only_with_ignore),
        cmocka_unit_test(the_time_of_a_stop_is_no_wait),
        cmocka_unit_test(json_has_its_age),
        cmocka_unit_test(a_flush_is_a_part_of_its_write),
        cmocka_unit_test(a_sweep_ends_with_its_step),
    };
    return cmocka_run_group_tests_name("timeout", tests, make_files, unmount_all);
}
