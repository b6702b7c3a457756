/* Requests without an answer do not delay the end of a run: -timeout, and the end of
 * -w. */
/* Marks: 31s */
#include "running.h"
#include "support.h"

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
        expect(3, "~^[1-9]\n1\n$", "~" FAILED, "behind_a_server -timeout 1s %s",
               options[i]);
    }
}

TEST(a_server_that_stops_outlasts_the_work_time)
{
    static const char *const options[] = {"", "-threads 4"};
    mount_fuse("fs", "uncached,hang_file=%s/hang", scratch());
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(3, "~^0\n1\n$", "~ioping: [1-4] requests? still waiting after [0-9.]+ s\n",
               "behind_a_server -w 2 -hang 1s %s", options[i]);
}

TEST(with_ignore_whatever_can_goes_on)
{
    static const char *const arguments[] = {"pread:3:hang -threads 4 -i 20ms -c 120",
                                            "uring:3:hang -U -depth 4 -i 20ms -c 80"};
    need("faults jq");
    for (size_t i = 0; i < LENGTH(arguments); i++) {
        if (i == 1)
            need_uring();
        expect(3, i == 0 ? "[true,true]\n120\n" : "[true,true]\n80\n", "~" FAILED,
               "the_others_go_on %s", arguments[i]);
    }
}

TEST(with_ignore_it_ends_when_nothing_can_go_on)
{
    static const char *const arguments[] = {"pread:3-:hang -threads 4",
                                            "uring:3-:hang -U -depth 4"};
    need("faults jq");
    for (size_t i = 0; i < LENGTH(arguments); i++) {
        if (i == 1)
            need_uring();
        expect(3, "[true,true]\n6\n", "~" FAILED, "the_others_go_on %s -i 20ms",
               arguments[i]);
    }
}

TEST(the_other_target_goes_on_only_with_ignore)
{
    need("faults jq");
    for (int i = 0; i < 2; i++)
        expect(3, i ? "[[3,1]]\n[true]\n" : "[[3,1]]\n[false]\n",
               "~^ioping: other: request 3 failed: no answer for ", "of_two_targets %s",
               i ? "2 -E" : "60");
}

TEST(the_time_of_a_stop_is_no_wait)
{
    need_faults();
    need_bare("the tool's own threads are stopped as well");
    need_native("an emulator takes its time to tell of signals");
    expect(3, "1\n", NULL, "while_stopped");
}

static const struct expected runs[] = {
    {"json_has_its_age", "faults jq", 3, "[3,true,0,true,false]\n[1,3,1]\n",
     "~^" FAILED "$", "json_has_the_age pread:3:hang -C"},
    /* The third write is there, its flush is not; the first flush is that of the target.
     */
    {"a_flush_is_a_part_of_its_write", "faults jq", 3,
     "~^\\[[23],true,0,true,true\\]\n\\[[01],[23],1\\]\n$", NULL,
     "json_has_the_age fdatasync:3:hang -WWW"},
    {"a_sweep_ends_with_its_step", "faults", 3, "~\n  *1  *[0-9][^\n]*\n$",
     "~^" FAILED "(ioping: -sweep: no request completed in [^\n]+\n)?$",
     "faulty pread:30:hang -C -sweep threads=1..4 -w 200ms -timeout 500ms data"},
    /* Also with -hang 0, which the command has. */
    {"what_is_under_way_has_five_seconds", "faults", 3,
     "~^0 0 0 0 0 0 0 0 2 [5-9][0-9]{9}\n$",
     "~^ioping: 1 request still waiting after [5-9][0-9.]* s\n$",
     "faulty pread:2:hang -C -B -i 0 -w 100ms data"},
};

EXPECT_EACH(runs)
