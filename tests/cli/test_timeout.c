/* Requests without answer do not hold up a run: -timeout, and the end of -w. */
/* Marks: 31s */
#include "running.h"
#include "support.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define FAILED "ioping: request [0-9]+ failed: no answer for [0-9.]+ m?s \\(timeout\\)\n"

GROUP_SETUP(make_files)

TEST(a_server_that_stops_ends_the_run)
{
    static const char *const options[] = {"", "-threads 8", "-A", "-U", "-U -depth 8"};
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

TEST(a_server_that_stops_outlasts_the_work_time)
{
    static const char *const options[] = {"", "-threads 4"};
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
TEST(what_is_under_way_has_five_seconds)
{
    need_faults();
    struct result result =
        command_status(3, "faulty pread:2:hang -C -B -i 0 -w 100ms data");
    assert_matches(result.out, "^0 0 0 0 0 0 0 0 2 5[0-9]{9}\n$");
    assert_matches(result.err, "^ioping: 1 request still waiting after 5[0-9.]* s\n$");
    command_free(&result);
}

TEST(with_ignore_whatever_can_goes_on)
{
    static const char *const arguments[] = {"pread:3:hang -threads 4 -i 20ms -c 120",
                                            "uring:3:hang -U -depth 4 -i 20ms -c 80"};
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

TEST(with_ignore_it_ends_when_nothing_can_go_on)
{
    static const char *const arguments[] = {"pread:3-:hang -threads 4",
                                            "uring:3-:hang -U -depth 4"};
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

TEST(the_other_target_goes_on_only_with_ignore)
{
    need_faults();
    need_program("jq");
    for (int i = 0; i < 2; i++) {
        struct result result = command_status(3, "of_two_targets -w 2 %s", i ? "-E" : "");
        assert_string_equal(result.out, i ? "[[3,1]]\n[true]\n" : "[[3,1]]\n[false]\n");
        assert_matches(result.err, "^ioping: other: request 3 failed: no answer for ");
        command_free(&result);
    }
}

TEST(the_time_of_a_stop_is_no_wait)
{
    need_faults();
    need_bare("the tool's own threads are stopped as well");
    need_native("an emulator takes its time to tell of signals");
    struct result result = command_status(3, "while_stopped");
    assert_string_equal(result.out, "1\n");
    command_free(&result);
}

TEST(json_has_its_age)
{
    need_faults();
    need_program("jq");
    struct result result = command_status(3, "json_has_the_age pread:3:hang -C");
    assert_string_equal(result.out, "[3,true,0,true,false]\n[1,3,1]\n");
    assert_matches(result.err, "^" FAILED "$");
    command_free(&result);
}

/* The third write is there, its flush is not; the first flush is that of the target. */
TEST(a_flush_is_a_part_of_its_write)
{
    need_faults();
    need_program("jq");
    struct result result = command_status(3, "json_has_the_age fdatasync:3:hang -WWW");
    assert_matches(result.out, "^\\[[23],true,0,true,true\\]\n\\[[01],[23],1\\]\n$");
    command_free(&result);
}

TEST(a_sweep_ends_with_its_step)
{
    need_faults();
    struct result result = command_status(
        3, "faulty pread:30:hang -C -sweep threads=1..4 -w 200ms -timeout 500ms data");
    assert_matches(result.out, "\n  *1  *[0-9][^\n]*\n$");
    assert_matches(result.err, "^" FAILED "$");
    command_free(&result);
}
