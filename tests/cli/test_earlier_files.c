/* Output files of an earlier run that a new run would replace. If the new run is
 * refused before its first request, for whatever reason, it leaves the files as they
 * were. */
/* Marks: posix */
#include "support.h"

GROUP_SHELL("make_earlier_files")

/* Expects that "ioping ARGUMENTS" ends with status 2 and line ERR, and that no file has
 * changed, come or gone. */
static void
assert_unharmed(const char *way, const char *arguments, const char *err)
{
    expect(2, "same\n", err, "unharmed %s '%s'", way, arguments);
}

/* In the same run or another: a file that cannot be written, which comes last or first.
 */
TEST(another_file_that_cannot_be_written)
{
    static const char *const cases[][2] = {
        {"-J -output old.json -plot missing/x.svg data",
         "ioping: missing/x.svg: No such file or directory; make its directory first\n"},
        {"-J -output old.json -prometheus notes data",
         "ioping: notes: exists and is not a file of metrics, so it is not overwritten; "
         "remove it, or name another file\n"},
        {"-output old.json -hdr folder data",
         "ioping: folder: is a directory; name a file in it\n"},
        {"-output old.json -prometheus /dev/null data",
         "ioping: /dev/null: is a device or a pipe; name a file\n"},
        {"-prometheus old.prom -plot old.svg -hdr notes data",
         "ioping: notes: exists and is not an ioping log, so it is not overwritten; "
         "remove it, or name another file\n"},
        {"-prometheus old.prom -plot data/x -hdr old.hlog data",
         "ioping: data/x: Not a directory; check the path: a name before a / is not a "
         "directory\n"},
        {"-output old.json -hdr old.hlog -plot notes data folder",
         "ioping: notes: exists and is not an ioping plot, so it is not overwritten; "
         "remove it, or name another file\n"},
        {"-J -output old.json -hdr old.hlog -plot link -sweep size=4k..8k data",
         "ioping: link: exists and is not an ioping plot, so it is not overwritten; "
         "remove it, or name another file\n"},
        {"-B -output old.json -plot old.svg -hdr link -c 2 -load read,rate=9 data",
         "ioping: link: exists and is not an ioping log, so it is not overwritten; "
         "remove it, or name another file\n"},
        {"-compare -output old.json -plot notes runs runs",
         "ioping: notes: exists and is not an ioping plot, so it is not overwritten; "
         "remove it, or name another file\n"},
        {"-compare -plot old.svg -output runs ./runs",
         "ioping: runs: is also a target; name another file for -output\n"},
        {"-plot old.svg -hdr old.hlog -output folder/ioping.tmp -k folder",
         "ioping: folder/ioping.tmp: is also a target; name another file for -output\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_unharmed("ioping", cases[i][0], cases[i][1]);
}

/* A limit on the size of files plays a full disk. A log would fit, and metrics do not. */
TEST(another_file_that_has_no_room)
{
    need_program("prlimit");
    need_bare("valgrind and sanitizers have files of their own");
    assert_unharmed("in_little_room",
                    "-output old.json -prometheus old.prom -hdr old.hlog data",
                    "ioping: old.prom: File too large\n");
}

#define FILES "-J -output old.json -prometheus old.prom -plot old.svg -hdr old.hlog "

/* A sweep, which has no file of metrics, and a load begin with a run that decides. */
#define SWEEP_FILES "-J -output old.json -plot old.svg -hdr old.hlog -sweep "
#define LOAD_FILES FILES "-c 9 -load read,rate=9 "

TEST(too_little_memory)
{
    static const char *const cases[] = {
        FILES "-threads 500 data",
        SWEEP_FILES "threads=500..600 data",
        SWEEP_FILES "size=4k..8k -threads 500 data",
        SWEEP_FILES "rate=500..600 -threads 500 data",
        LOAD_FILES "-threads 500 data",
    };
    need_program("prlimit");
    need_bare("valgrind and sanitizers have memory of their own");
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_unharmed(
            "in_little_memory", cases[i],
            "~^ioping: (not enough memory|cannot start a thread) for [^\n]*\n$");
}

TEST(too_few_threads)
{
    static const char *const cases[] = {
        FILES "-threads 9 data",
        SWEEP_FILES "threads=9..16 data",
        LOAD_FILES "-threads 9 data",
    };
    need_users();
    need_bare("valgrind and sanitizers have threads of their own");
    need_program("prlimit");
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_unharmed(
            "as_user_with_few_threads", cases[i],
            "ioping: cannot start a thread for the requests: Resource temporarily "
            "unavailable\n");
}

TEST(too_few_threads_for_the_sweep_of_several_targets)
{
    need_users();
    need_bare("valgrind and sanitizers have threads of their own");
    need_program("prlimit");
    assert_unharmed(
        "as_user_with_few_threads", SWEEP_FILES "threads=9..16 data ./data",
        "ioping: data: cannot start a thread for the requests: Resource temporarily "
        "unavailable\n");
}

TEST(an_engine_that_cannot_be_had)
{
    static const char *const cases[] = {
        FILES "-U -depth 4 data",
        SWEEP_FILES "depth=2..4 -U data",
        SWEEP_FILES "size=4k..8k -U -depth 4 data",
        LOAD_FILES "-U -depth 4 data",
    };
    need_uring();
    need_forbid();
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_unharmed("without_uring", cases[i], "~^ioping: [^\n]*\n$");
}

/* The first steps can begin, and one of the others has too few threads. */
TEST(a_later_step_that_cannot_begin_is_a_failure_of_the_run)
{
    need_users();
    need_bare("valgrind and sanitizers have threads of their own");
    need_program("prlimit");
    expect(3, "0 old.json\n0 old.svg\n", NULL, "a_later_step_cannot_begin");
}

/* The kernel has no records of requests to a file in memory, and does not let everybody
 * have those of others. */
TEST(a_breakdown_that_cannot_be_had)
{
    static const char *const cases[] = {
        FILES "-breakdown /dev/shm",
        "-J -output old.json -plot old.svg -breakdown -sweep size=4k..8k /dev/shm",
        "-JJ -output old.json -plot old.svg -breakdown -c 2 -load read,rate=9 /dev/shm",
    };
    need_linux();
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_unharmed("ioping", cases[i], "~\n$");
}

/* The directory lets everybody make files, and nobody replace those of others. */
TEST(a_file_of_another_user)
{
    need_users();
    expect(2, "same\n", "ioping: shared/x.svg: Operation not permitted\n",
           "a_file_of_another_user");
}

TEST(a_file_that_may_not_change)
{
    expect(2, "same\n", "ioping: fixed.svg: Operation not permitted\n",
           "a_file_that_may_not_change");
}

TEST(they_are_replaced_before_the_first_request)
{
    need_faults();
    expect(0, "0 old.json\n0 old.prom\n0 old.svg\n1 old.hlog\n", NULL,
           "they_are_replaced_before_the_first_request");
}
