/* System calls that are interrupted, fail now and then, or are forbidden. */
/* Marks: posix chroot native */
#include "support.h"

/* Scripts of faults, and the run that must not notice them. */
static const struct {
    const char *script, *arguments;
} interruptions[] = {
    {"open@data:1:4", "data"},
    {"open@copy:1-3:4", "-WWW copy"},
    {"open@d:1:4", "d"},
    {"open@ioping.tmp:1:4", "-k d"},
    {"open@mountinfo:1:4", "data"},
    {"pread:2:4", "data"},
    {"pread:2-9:4", "-C data"},
    {"pread:2-/2:4", "data"},
    {"pread:2:4", "-G d"},
    {"pwrite:1:4", "d"},
    {"pwrite:2-4:4", "-WWW copy"},
    {"pwrite:2:4", "-CWWW copy"},
    {"fdatasync:1:4", "data"},
    {"fdatasync:1:4", "d"},
    {"fdatasync:3-4:4", "-WWW copy"},
    {"clock_nanosleep:1-3:4", "-r 200 data"},
    {"clock_nanosleep:1-/2:4", "-b 2 -r 400 data"},
};

GROUP_SETUP(make_files)

TEST(interrupted_calls_are_repeated)
{
    need("names faults");
    const char *wrong = is_mount_listed() ? "unknown" : "no label";
    int failures = 0;
    for (size_t i = 0; i < LENGTH(interruptions); i++) {
        struct result result =
            command("interrupted_calls_are_repeated '%s' %s %s", wrong,
                    interruptions[i].script, interruptions[i].arguments);
        bool same =
            strcmp(result.out, "5 requests completed\ngenerated 5 requests\n") == 0;
        if (result.status != 0 || result.err[0] || !same) {
            print_error("%s %s: status %d\nstdout: %s\nstderr: %s\n",
                        interruptions[i].script, interruptions[i].arguments,
                        result.status, result.out, result.err);
            failures++;
        }
        command_free(&result);
    }
    assert_int_equal(failures, 0);
}

TEST(awake_it_holds_the_processors_awake_as_long_as_it_runs)
{
    expect(-1, "held\n0\n", "", "awake_it_holds_the_processors_awake_as_long_as_it_runs");
}

TEST(without_the_right_to_that_it_says_so_and_goes_on)
{
    need_faults();
    expect(
        -1, "5\n",
        "ioping: -awake: has no effect: cannot keep processors awake: Permission denied; "
        "run ioping as root\n",
        "without_the_right_to_that_it_says_so_and_goes_on");
}

/* Who waits for a flush of a device that is dead waits for it to be opened. */
TEST(a_run_that_only_reads_flushes_no_device)
{
    static const char *const targets[] = {"ext4/f",         "xfs/f",        "btrfs/f",
                                          "ext4/f -s 1000", "xfs/f -o 100", "DEVICE",
                                          "DEVICE -s 1000"};
    need("faults loops");
    for (int i = 0; i < 3; i++)
        mount_once((const char *[]){"ext4", "xfs", "btrfs"}[i]);
    for (size_t i = 0; i < LENGTH(targets); i++) {
        struct result result =
            command("a_run_that_only_reads_flushes_no_device %s", targets[i]);
        if (result.status != 0)
            fail_msg("%s: %s%s", targets[i], result.out, result.err);
        assert_lacks(result.err, "flushing");
        command_free(&result);
    }
}

static const struct expected runs[] = {
    {"every_failure_is_shown_and_counted", "faults", 3,
     "request=4 (EIO)\nrequest=6 (EREMOTEIO)\nrequest=8 (EIO)\nrequest=12 (EIO)\n8 "
     "requests completed\ngenerated 12 requests\n",
     "ioping: request 4 failed: EIO (Input/output error)\nioping: 4 of 12 requests "
     "failed\n"},
    {"failures_stay_out_of_the_statistics", "faults jq", 3,
     "[9,36864,12,3,36864]\n[4,8,12]\n[\"EIO\",\"EIO\",\"EIO\"]\ntrue\ntrue\n"},
    {"a_forbidden_sleep_does_not_hasten_requests", "forbid", 0, "3 1\n", NULL,
     "\"$IOPING_FORBID\" 1 clock_nanosleep \"$IOPING\" -C -B -i 20ms -c 3 data | "
     "awk '{ print $9, ($10 >= 40000000) }'"},
    /* The fifth request is due at 80 ms, however often its sleep ends too soon. */
    {"interrupted_sleeps_keep_the_pace", "faults", 0, "5 1\n", NULL,
     "faulty clock_nanosleep:1-/2:4 -C -B -i 20ms -c 5 data | awk "
     "'{ print $9, ($10 >= 80000000) }'"},
};

EXPECT_EACH(runs)

/*
 * The wall clock is set while the run is under way, after its first record. Time
 * stamps follow; the grid, the times and the end of the run do not. Its last
 * request starts later than 130 ms, as the next would be due at 150 ms or later.
 */
TEST(a_wall_clock_that_is_set_changes_time_stamps_only)
{
    static const char *const steps[][2] = {{"+3600s", "3600"}, {"-3600s", "-3600"}};
    need("faults jq");
    for (size_t i = 0; i < LENGTH(steps); i++)
        expect(0, "true\ntrue\ntrue\n", "",
               "a_wall_clock_that_is_set_changes_time_stamps_only %s %s", steps[i][0],
               steps[i][1]);
}

#define NOT_UNALIGNED \
    "direct I/O needs a request size and an offset that are multiples of 512" DROP
#define NOT_TAKEN "direct I/O of this size and offset not supported" DROP
#define DROP ": evicting the page cache before each request instead\n"
#define BLIND                                                                           \
    "ioping: ext4/f: cannot tell whether reads come from the page cache; compare with " \
    "-C\n"
#define ALL_CACHED                                                                     \
    "ioping: 5 of 5 requests were answered from memory, not by the device; use -s 1k " \
    "(direct I/O), or use -C to measure the cache\nioping: none of the 5 requests "    \
    "counted: 5 came from memory\n"

/* Forbidden system calls, the run, and all of its messages. */
static const struct {
    const char *calls, *arguments, *mode, *err;
} forbidden[] = {
    {"statx", "ext4/f", "direct", ""},
    {"statx,cachestat", "ext4/f", "direct", ""},
    {"statx,cachestat,mincore", "ext4/f", "direct", ""},
    {"statx,cachestat,mincore,preadv2", "ext4/f", "direct", ""},
    {"cachestat", "ext4/f", "direct", ""},
    {"preadv2,pwritev2", "ext4/f", "direct", ""},
    {"fadvise64", "ext4/f", "direct", ""},
    {"ioctl", "ext4/f", "direct", ""},
    {"clock_nanosleep", "-i 1ms ext4/f", "direct", ""},
    {"statx,cachestat,mincore,preadv2,pwritev2,fadvise64", "ext4", "direct", ""},
    {"statx,cachestat,mincore,preadv2,pwritev2,fadvise64", "-W ext4", "direct", ""},
    {"statx,cachestat,mincore,preadv2,pwritev2,fadvise64", "-C ext4/f", "cached", ""},
    {"statx", "-s 1000 ext4/f", "nocache", "ioping: ext4/f: " NOT_TAKEN},
    {"cachestat", "-s 1000 ext4/f", "nocache", "ioping: ext4/f: " NOT_UNALIGNED},
    {"cachestat,mincore", "-s 1000 ext4/f", "nocache", "ioping: ext4/f: " NOT_UNALIGNED},
    {"cachestat,mincore,getrusage", "-s 1000 ext4/f", "nocache",
     "ioping: ext4/f: " NOT_UNALIGNED BLIND},
    {"fadvise64", "-s 1000 ext4/f", "nocache",
     "ioping: ext4/f: " NOT_UNALIGNED ALL_CACHED},
    {"fadvise64,cachestat,mincore", "-s 1000 ext4/f", "nocache",
     "ioping: ext4/f: " NOT_UNALIGNED ALL_CACHED},
    {"fadvise64,cachestat,mincore,getrusage", "-s 1000 ext4/f", "nocache",
     "ioping: ext4/f: " NOT_UNALIGNED BLIND},
};

static const int refusals[] = {1 /* EPERM */, 38 /* ENOSYS */};

TEST(forbidden_calls_are_done_without)
{
    need("direct_io forbid");
    mount_once("ext4");
    shell("cp data ext4/f && sync ext4/f && cat ext4/f >/dev/null");
    for (size_t i = 0; i < 2 * LENGTH(forbidden); i++) {
        char text[64];
        struct result result =
            command("cat ext4/f >/dev/null; \"$IOPING_FORBID\" %d %s \"$IOPING\" -J "
                    "-q -a 0 -i 0 -c 5 %s",
                    refusals[i % 2], forbidden[i / 2].calls, forbidden[i / 2].arguments);
        snprintf(text, sizeof(text), "\"mode\": \"%s\"\n", forbidden[i / 2].mode);
        int status = strstr(forbidden[i / 2].err, "requests counted") ? 3 : 0;
        if (result.status != status || strcmp(result.err, forbidden[i / 2].err) != 0 ||
            !strstr(result.out, text) ||
            !strstr(result.out, "\"count\": 5,\n    \"failed\": 0,"))
            fail_msg("%d for %s, %s: status %d\nstdout: %s\nstderr: %s", refusals[i % 2],
                     forbidden[i / 2].calls, forbidden[i / 2].arguments, result.status,
                     result.out, result.err);
        command_free(&result);
    }
}

/* A run with OPTIONS when CALLS are forbidden: STATUS, and one line that matches. */
static void
assert_one_line(int number, const char *calls, const char *arguments, int status,
                const char *line, const char *totals)
{
    struct result result = command("run_forbidden %d %s %s", number, calls, arguments);
    if (result.status != status || strcmp(result.out, totals) != 0)
        fail_msg("%d for %s, %s: status %d\nstdout: %s\nstderr: %s", number, calls,
                 arguments, result.status, result.out, result.err);
    assert_matches(result.err, line);
    command_free(&result);
}

/* Polled completion is faster, but a number means the same without it. */
TEST(priority_that_cannot_be_had_is_done_without)
{
    static const char *const cases[][2] = {
        {"preadv2", "-H data"},          {"preadv2", "-H -C data"},
        {"pwritev2", "-H -WWW copy"},    {"pwritev2", "-H -G d"},
        {"preadv2,pwritev2", "-H -G d"},
    };
    need_forbid();
    for (size_t i = 0; i < 2 * LENGTH(cases); i++)
        assert_one_line(refusals[i % 2], cases[i / 2][0], cases[i / 2][1], 0,
                        "^ioping: [^\n]*(-H|-hipri|RWF_HIPRI)[^\n]*\n$",
                        "4 requests completed\ngenerated 4 requests\n");
}

/* Without it a number would mean something else. */
TEST(not_waiting_that_cannot_be_had_is_refused)
{
    static const char *const cases[][2] = {
        {"preadv2", "-N data"},  {"preadv2", "-N -C data"}, {"pwritev2", "-N -WWW copy"},
        {"pwritev2", "-N -G d"}, {"preadv2", "-N -H data"},
    };
    need_forbid();
    for (size_t i = 0; i < 2 * LENGTH(cases); i++)
        assert_one_line(refusals[i % 2], cases[i / 2][0], cases[i / 2][1], 2,
                        "^ioping: [^\n]*(-N|-nowait|RWF_NOWAIT)[^\n]*\n$", "");
}
