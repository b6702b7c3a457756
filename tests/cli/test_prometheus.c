/* The file of metrics: the time of its making, its contents, and no other file left. */
/* Marks: races valgrind posix chroot */
#include "support.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

GROUP_SETUP(make_files)
FIXTURE(make_folder, NULL)

TEST(it_is_there_with_zeros_before_the_first_request)
{
    need_faults();
    struct result result =
        command_status(0, "it_is_there_with_zeros_before_the_first_request");
    assert_string_equal(result.out,
                        "3\n 47 0\n 1 0.000000\n 1 0.000000000\n 1 1\n0\n1\n0\n"
                        "x.prom\ny\n");
    command_free(&result);
}

TEST(everybody_may_read_it_whatever_the_umask)
{
    struct result result = command_status(0, "everybody_may_read_it_whatever_the_umask");
    assert_string_equal(result.out, "644 regular file\n644 regular file\n644 regular "
                                    "file\n644 regular file\nx.prom\n");
    command_free(&result);
}

/* The last line of the file is the last that is written. It is replaced meanwhile. */
TEST(a_reader_never_sees_a_part_of_it)
{
    struct result result = command_status(0, "a_reader_never_sees_a_part_of_it");
    assert_string_equal(
        result.out,
        " 150 # HELP ioping_request_duration_seconds Time of the requests that count.\n"
        " 150 ioping_build_info\n0\nx.prom\n");
    command_free(&result);
}

/* With the statistics so far in the file, and the temporary one gone. */
TEST(every_end_leaves_the_file_and_nothing_else)
{
    need_faults();
    static const struct {
        const char *faults, *shown, *file, *signal;
        int status;
    } cases[] = {
        {"", "request=4", "o", "INT", 0},
        {"", "request=4", "o", "TERM", 143},
        {"", "request=4", "o", "HUP", 129},
        {"pread:5:5", "request=4", "o", "", 3},
        {"pread:5:hang", "request 5 has had no answer", "e", "INT", 3},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char expected[64];
        struct result result = command_status(
            0, "every_end_leaves_the_file_and_nothing_else '%s' '%s' %s %s",
            cases[i].faults, cases[i].shown, cases[i].file, cases[i].signal);
        snprintf(expected, sizeof(expected), "%d\nioping_build_info\nx.prom\n",
                 cases[i].status);
        assert_string_equal(result.out, expected);
        command_free(&result);
    }
}

/* What is exported at an interval, its own or theirs, takes nothing away from them. */
TEST(raw_lines_are_printed_all_the_same)
{
    static const char *const exports[] = {"-prometheus x.prom", "-hdr x.hlog",
                                          "-prometheus x.prom -every 1h"};
    for (size_t i = 0; i < LENGTH(exports); i++) {
        struct result result =
            command_status(0, "raw_lines_are_printed_all_the_same %s", exports[i]);
        if (strcmp(result.out, "-q 1 0\n-B 1 0\ntrue\n") != 0)
            fail_msg("%s: %s%s", exports[i], result.out, result.err);
        command_free(&result);
    }
}

TEST(it_goes_on_being_kept_while_a_request_hangs)
{
    need_faults();
    struct result result =
        command_status(0, "it_goes_on_being_kept_while_a_request_hangs");
    assert_string_equal(result.out, "2\n2\n3\n3\n");
    command_free(&result);
}

/* Of one of two targets, while the other goes on. */
TEST(the_gauges_rise_while_a_request_hangs_and_fall_afterwards)
{
    mount_fuse("fs", "uncached,hang_file=$PWD/hang");
    struct result result =
        command_status(0, "the_gauges_rise_while_a_request_hangs_and_fall_afterwards");
    assert_string_equal(result.out, "1\n0\n0 0.000000\n0 0.000000\n");
    command_free(&result);
}

TEST(what_is_answered_late_is_not_in_flight)
{
    struct result gone = command("umount fs 2>/dev/null");
    command_free(&gone);
    mount_fuse("fs", "uncached,hang_at=100,hang_s=2");
    struct result result = command_status(0, "what_is_answered_late_is_not_in_flight");
    /* The other thread may have one under way too. */
    assert_matches(result.out, "^[12]\n0 0\\.000000\n$");
    command_free(&result);
}

/* The file is left as it was, with nothing beside it, even if that is made only when the
 * program has ended. */
TEST(a_file_that_hangs_is_given_up_after_a_signal)
{
    mount_fuse("slow", "hang_create=%s/hang", scratch());
    struct result result =
        command_status(0, "a_file_that_hangs_is_given_up_after_a_signal");
    assert_matches(result.out, "^min/avg/max/mdev \n3\nx\\.prom\nioping_build_info\n$");
    assert_matches(result.err,
                   "^ioping: slow/x\\.prom: not written after [0-9.]+ m?s\n$");
    command_free(&result);
}

TEST(the_last_version_is_given_up_after_its_time)
{
    need_faults();
    struct result result =
        command_status(3, "the_last_version_is_given_up_after_its_time");
    assert_matches(result.err, "^ioping: x\\.prom: not written after [1-9][0-9.]* s\n$");
    assert_matches(result.out, "^min/avg[^\n]*\nx\\.prom\n0\n$");
    command_free(&result);
}

TEST(a_file_that_cannot_be_kept_ends_it_before_the_first_request)
{
    static const struct {
        const char *file, *line;
        int status;
    } cases[] = {
        {"", "ioping: -prometheus '': a file needs a name\n", 1},
        {"missing/x", "ioping: missing/x: No such file or directory\n", 2},
        {"folder", "ioping: folder: is there already, and not a file of metrics\n", 2},
        {"plain/x", "ioping: plain/x: Not a directory\n", 2},
        {"/proc/x", "ioping: /proc/x: No such file or directory\n", 2},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            cases[i].status,
            "cd f; mkdir -p folder; : >plain; \"$IOPING\" -prometheus '%s' folder",
            cases[i].file);
        assert_string_equal(result.err, cases[i].line);
        assert_string_equal(result.out, "");
        command_free(&result);
        result = command("cd f; find . | sort");
        assert_string_equal(result.out, ".\n./folder\n./plain\n");
        command_free(&result);
    }
}

/* Somebody puts it there between two looks at the name. */
TEST(a_fifo_in_its_place_is_not_waited_for)
{
    need_faults();
    struct result result = command_status(2, "a_fifo_in_its_place_is_not_waited_for");
    assert_string_equal(result.out, "x.prom\n");
    assert_string_equal(result.err,
                        "ioping: x.prom: is there already, and not a file of metrics\n");
    command_free(&result);
}

TEST(a_folder_without_the_right_to_write_ends_it_too)
{
    need_users();
    struct result result = command_status(
        2, "cp \"$IOPING\" f/ioping && cd f && mkdir mine && chown 65534 mine && exec "
           "setpriv --reuid=65534 --clear-groups ./ioping -prometheus x.prom mine");
    assert_string_equal(result.err, "ioping: x.prom: Permission denied\n");
    assert_string_equal(result.out, "");
    command_free(&result);
}

/* A pipe, and, for root, a device would be gone. */
TEST(what_is_no_file_is_not_replaced)
{
    struct result result = command("cd f; mkfifo x; \"$IOPING\" -q -i 0 -c 2 -prometheus "
                                   "x /dev/zero >../o; echo $?; "
                                   "stat -c %%F x; ls -A");
    assert_string_equal(result.out, "2\nfifo\nx\n");
    command_free(&result);
}

/* Said when it happens, not at each interval, and not again at the end. */
TEST(a_run_goes_on_without_its_file)
{
    need_direct_io(); /* or a note stands among the lines that are counted */
    struct result result = command_status(0, "a_run_goes_on_without_its_file");
    assert_string_equal(result.out,
                        "1\n3\nioping: d/x.prom: No such file or directory\nmin\n");
    command_free(&result);
}

TEST(a_file_that_can_be_written_again_is_no_failure)
{
    struct result result =
        command_status(0, "a_file_that_can_be_written_again_is_no_failure");
    assert_string_equal(result.out, "0\nioping: d/x.prom: No such file or directory\n");
    command_free(&result);
}

/* The disk has four pages, the file two. */
TEST(a_full_disk_leaves_the_last_version)
{
    need_mounts();
    struct result result = command_status(0, "a_full_disk_leaves_the_last_version");
    assert_string_equal(result.out,
                        "3\nioping: small/x.prom: No space left on device\n"
                        "ioping_build_info\nfill\nx.prom\n"
                        "ioping: small/y: No space left on device\n2\nfill\nx.prom\n");
    command_free(&result);
}

/* Against the JSON of the same run: failures, points that passed, warm-up. */
TEST(final_counts_are_those_of_the_summary)
{
    need_faults();
    need_program("jq");
    struct result result = command_status(0, "final_counts_are_those_of_the_summary");
    assert_matches(result.out, "^3\n(0\\.[2-9]|[1-9]\\.[0-9])[0-9]{8}\n11\n14\n2\n"
                               "([5-9]|[1-9][0-9]+)\n11\n1\n$");
    command_free(&result);
}

/* One request took 1.1 s: it is in no bucket below, and in all above, unless the machine
 * was late by a second. */
TEST(a_slow_request_is_in_its_bucket)
{
    need_faults();
    struct result result = command_status(0, "a_slow_request_is_in_its_bucket");
    assert_string_equal(result.out, "8 9 9\n");
    command_free(&result);
}

TEST(only_flushed_writes_have_their_histogram)
{
    static const struct {
        const char *options, *expected;
    } cases[] = {
        {"-W", "9\n9\n"},
        {"-G", "5\n4\n4\n"}, /* reads, writes */
        {"-WC", "9\n"},
        {"-c 10", "9\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            0,
            "cd f; \"$IOPING\" -q -i 0 -c 10 %s -prometheus x.prom ../d >../o; "
            "value request_duration_seconds_count; value sync_duration_seconds_count",
            cases[i].options);
        assert_string_equal(result.out, cases[i].expected);
        command_free(&result);
    }
}

TEST(the_last_request_has_its_time)
{
    struct result result = command_status(0, "the_last_request_has_its_time");
    assert_matches(result.out, "^[0-9]{10}\\.[0-9]{6}\n1\n$");
    command_free(&result);
}

TEST(labels_of_odd_paths_are_escaped)
{
    struct result result = command_status(0, "labels_of_odd_paths_are_escaped");
    assert_string_equal(result.out,
                        "target=\"a\\\"b\\\\c d\\n\xc3\xa9\xef\xbf\xbdz\" 3\n");
    command_free(&result);
}

TEST(promtool_finds_nothing_to_say)
{
    need_program("promtool");
    struct result result = command_status(0, "promtool_finds_nothing_to_say");
    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "");
    command_free(&result);
}

/* The later one wins; the file is whole, and neither run fails. */
TEST(two_runs_with_one_file_do_not_disturb_each_other)
{
    struct result result =
        command_status(0, "two_runs_with_one_file_do_not_disturb_each_other");
    assert_string_equal(result.out, "ioping_build_info\n100\nx.prom\n");
    command_free(&result);
}

/* A collector reads all files of a folder as one, which must not name a series twice. */
TEST(files_of_two_targets_have_no_series_in_common)
{
    struct result result = command_status(
        0, "cd f; \"$IOPING\" -q -i 0 -c 3 -prometheus x.prom ../data >../o; "
           "\"$IOPING\" -q -i 0 -c 3 -prometheus y.prom ../d >../o; "
           "cat x.prom y.prom | grep -v '^#' | sed 's/ [^ ]*$//' | sort | uniq -d");
    assert_string_equal(result.out, "");
    command_free(&result);
}
