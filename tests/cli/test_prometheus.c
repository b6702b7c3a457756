/* The file of metrics: when it is made, what it contains, and that no other file is
 * left. */
/* Marks: races valgrind posix chroot */
#include "support.h"

GROUP_SETUP(make_files)
FIXTURE(make_folder, NULL)

static const struct expected runs[] = {
    {"everybody_may_read_it_whatever_the_umask", "", 0,
     "644 regular file\n644 regular file\n644 regular "
     "file\n644 regular file\nx.prom\n"},
    /* The last line of the file is the last that is written. It is replaced meanwhile. */
    {"a_reader_never_sees_a_part_of_it", "", 0,
     " 150 # HELP ioping_request_duration_seconds Time of the requests that "
     "count.\n 150 ioping_build_info\n0\nx.prom\n"},
    /* Somebody puts it there between two looks at the name. */
    {"a_fifo_in_its_place_is_not_waited_for", "faults", 2, "x.prom\n",
     "ioping: x.prom: is a device or a pipe; name a file\n"},
    {"a_folder_without_the_right_to_write_ends_it_too", "users", 2, "",
     "ioping: x.prom: Permission denied; name a file in a directory where you may "
     "write\n",
     "cp \"$IOPING\" f/ioping && cd f && mkdir mine && chown 65534 mine && exec "
     "setpriv --reuid=65534 --clear-groups ./ioping -prometheus x.prom mine"},
    /* The disk has four pages, the file two. */
    {"a_full_disk_leaves_the_last_version", "mounts", 0,
     "3\nioping: small/x.prom: No space left on "
     "device\nioping_build_info\nfill\nx.prom\nioping: small/y: No space left on "
     "device; free some space, or name a file on another disk\n2\nfill\nx.prom\n"},
    /* Against the JSON of the same run: failures, points that passed, warm-up. */
    {"final_counts_are_those_of_the_summary", "faults jq", 0,
     "~^3\n(0\\.[2-9]|[1-9]\\.[0-9])[0-9]{8}\n11\n14\n2\n([5-9]|[1-9][0-9]+)"
     "\n11\n1\n$"},
    /* One request took 1.1 s: it is in no bucket below, and in all above, unless the
     * machine was late by a second. */
    {"a_slow_request_is_in_its_bucket", "faults", 0, "8 9 9\n"},
    {"the_last_request_has_its_time", "", 0, "~^[0-9]{10}\\.[0-9]{6}\n1\n$"},
    {"labels_of_odd_paths_are_escaped", "", 0,
     "target=\"a\\\"b\\\\c d\\n\xc3\xa9\xef\xbf\xbdz\" 3\n"},
    {"promtool_finds_nothing_to_say", "promtool", 0, "", ""},
    /* A collector reads all files of a folder as one, which must not name a series twice.
     */
    {"files_of_two_targets_have_no_series_in_common", "", 0, "", NULL,
     "cd f; \"$IOPING\" -q -i 0 -c 3 -prometheus x.prom ../data >../o; \"$IOPING\" "
     "-q -i 0 -c 3 -prometheus y.prom ../d >../o; "
     "cat x.prom y.prom | grep -v '^#' | sed 's/ [^ ]*$//' | sort | uniq -d"},
    {"it_is_there_with_zeros_before_the_first_request", "faults", 0,
     "3\n 47 0\n 1 0.000000\n 1 0.000000000\n 1 1\n0\n1\n0\n"
     "x.prom\ny\n"},
    {"it_goes_on_being_kept_while_a_request_hangs", "faults", 0, "2\n2\n3\n3\n"},
    {"the_last_version_is_given_up_after_its_time", "faults", 3,
     "~^min/avg[^\n]*\nx\\.prom\n0\n$",
     "~^ioping: x\\.prom: still not written after [1-9][0-9.]* s; given up\n$"},
    {"a_file_that_can_be_written_again_is_no_failure", "", 0,
     "0\nioping: d/x.prom: No such file or directory\n"},
    /* The later one wins; the file is whole, and neither run fails. */
    {"two_runs_with_one_file_do_not_disturb_each_other", "", 0,
     "ioping_build_info\n100\nx.prom\n"},
    /* With the statistics so far in the file, and the temporary one gone. */
    {"an_interrupt_leaves_the_file", "faults", 0, "0\nioping_build_info\nx.prom\n", NULL,
     "every_end_leaves_the_file_and_nothing_else '' 'request=4' o INT"},
    {"sigterm_leaves_the_file", "faults", 0, "143\nioping_build_info\nx.prom\n", NULL,
     "every_end_leaves_the_file_and_nothing_else '' 'request=4' o TERM"},
    {"sighup_leaves_the_file", "faults", 0, "129\nioping_build_info\nx.prom\n", NULL,
     "every_end_leaves_the_file_and_nothing_else '' 'request=4' o HUP"},
    {"a_failure_leaves_the_file", "faults", 0, "3\nioping_build_info\nx.prom\n", NULL,
     "every_end_leaves_the_file_and_nothing_else 'pread:5:5' 'request=4' o "},
    {"an_interrupt_while_one_hangs_leaves_the_file", "faults", 0,
     "3\nioping_build_info\nx.prom\n", NULL,
     "every_end_leaves_the_file_and_nothing_else 'pread:5:hang' 'request 5 has had no "
     "answer' e INT"},
};

EXPECT_EACH(runs)

/* What is exported at an interval, its own or theirs, takes nothing away from them. */
TEST(raw_lines_are_printed_all_the_same)
{
    static const char *const exports[] = {"-prometheus x.prom", "-hdr x.hlog",
                                          "-prometheus x.prom -every 1h"};
    for (size_t i = 0; i < LENGTH(exports); i++) {
        struct result result =
            command_status(0, "raw_lines_are_printed_all_the_same %s", exports[i]);
        if (strcmp(result.out, "-q 0\n-B 0\ntrue\n") != 0)
            fail_msg("%s: %s%s", exports[i], result.out, result.err);
        command_free(&result);
    }
}

/* Of one of two targets, while the other goes on. */
TEST(the_gauges_rise_while_a_request_hangs_and_fall_afterwards)
{
    mount_fuse("fs", "uncached,hang_file=$PWD/hang");
    expect(0, "1\n0\n0 0.000000\n0 0.000000\n", NULL,
           "the_gauges_rise_while_a_request_hangs_and_fall_afterwards");
}

TEST(what_is_answered_late_is_not_in_flight)
{
    expect(-1, NULL, NULL, "umount fs 2>/dev/null");
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
    expect(0, "~^min/avg/max/mdev \n3\nx\\.prom\nioping_build_info\n$",
           "~^ioping: slow/x\\.prom: still not written after [0-9.]+ m?s; given up\n$",
           "a_file_that_hangs_is_given_up_after_a_signal");
}

TEST(a_file_that_cannot_be_kept_ends_it_before_the_first_request)
{
    static const struct {
        const char *file, *line;
        int status;
    } cases[] = {
        {"", "ioping: -prometheus '': the name of the file is empty\n", 1},
        {"missing/x",
         "ioping: missing/x: No such file or directory; make its directory first\n", 2},
        {"folder", "ioping: folder: is a directory; name a file in it\n", 2},
        {"plain/x",
         "ioping: plain/x: Not a directory; check the path: a name before a / is not a "
         "directory\n",
         2},
        {"/proc/x", "ioping: /proc/x: No such file or directory; name another file\n", 2},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        expect(cases[i].status, "", cases[i].line,
               "cd f; mkdir -p folder; : >plain; \"$IOPING\" -prometheus '%s' folder",
               cases[i].file);
        expect(-1, ".\n./folder\n./plain\n", NULL, "cd f; find . | sort");
    }
}

/* A pipe, and, for root, a device would be gone. */
TEST(what_is_no_file_is_not_replaced)
{
    expect(-1, "2\nfifo\nx\n", NULL,
           "cd f; mkfifo x; \"$IOPING\" -q -i 0 -c 2 -prometheus x /dev/zero >../o; echo "
           "$?; stat -c %%F x; ls -A");
}

/* Said when it happens, not at each interval, and not again at the end. */
TEST(a_run_goes_on_without_its_file)
{
    need_direct_io(); /* or a note stands among the lines that are counted */
    expect(0, "1\n3\nioping: d/x.prom: No such file or directory\nmin\n", NULL,
           "a_run_goes_on_without_its_file");
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
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(0, cases[i].expected, NULL,
               "cd f; \"$IOPING\" -q -i 0 -c 10 %s -prometheus x.prom ../d >../o; value "
               "request_duration_seconds_count; value sync_duration_seconds_count",
               cases[i].options);
}
