/* The ends of runs: by signals, by errors of the target and of the output. */
/* Marks: races posix each */
#include "running.h"
#include "support.h"

GROUP_SETUP(make_files)

TEST(a_signal_ends_a_sleep_with_the_summary)
{
    for (size_t i = 0; i < LENGTH(endings); i++)
        expect(endings[i].died,
               "~\n1 requests completed in [^\n]*\ngenerated 1 requests in [^\n]*\n"
               "min/avg/max/mdev = ",
               "", "a_signal_ends_a_sleep_with_the_summary %s", endings[i].name);
}

TEST(a_signal_ends_a_busy_run_with_the_summary)
{
    for (size_t i = 0; i < LENGTH(endings); i++)
        expect(endings[i].died,
               "~^--- d \\(.*\\) ioping statistics ---\n.*requests completed in "
               ".*\ngenerated .*\nmin/avg/max/mdev = .*\n$",
               "", "a_signal_ends_a_busy_run_with_the_summary %s", endings[i].name);
}

static const struct expected runs[] = {
    {"a_signal_leaves_valid_json", "jq", 0, "[2,1,1,1]\n"},
    {"the_run_goes_on_after_interim_statistics", "", 0,
     "1\n requests completed\ngenerated  requests\n"},
    {"a_reader_that_leaves_ends_the_run", "", 0, "4 KiB <<< data\n[{", NULL,
     "ioping -C -i 0 data | head -1 | cut -c1-14; ioping -J -C -i 0 d | head -c 2"},
    {"a_failed_request_leaves_valid_json", "faults jq", 3,
     "[8,7,\"EIO\",true,5,7,1,24576]\n",
     "ioping: request 7 failed: EIO (Input/output error)\n"},
    {"a_paced_run_keeps_its_interval", "", 0, "11 1\n", NULL,
     "ioping -C -B -i 30ms -c 11 data | awk '{ print $9, ($10 >= 300000000) }'"},
    {"a_limit_on_file_sizes_has_its_line", "", 2, "",
     "ioping: .: cannot create a temporary file here: File too large; use a smaller -S, "
     "or name an existing file in it instead\n",
     "ulimit -f 100; ioping -c 2 ."},
    /* Starts at 0, 50, then 200 (late), 250 and 300 ms: never a burst to catch up. */
    {"a_late_request_moves_the_grid", "faults", 0, "5 1 1\n", NULL,
     "faulty pread:2:150ms -C -B -i 50ms -c 5 data | awk '{ print "
     "$9, ($10 >= 300000000), ($7 >= 150000000) }'"},
};

EXPECT_EACH(runs)

TEST(statistics_can_be_asked_for_on_the_way)
{
    need_direct_io();
    struct result result = command_status(0, "statistics_can_be_asked_for_on_the_way");
    char *lines = masked(result.err);
    assert_string_equal(lines, "# requests, min/avg/max/mdev = # / # / # / #\n"
                               "# requests, min/avg/max/mdev = # / # / # / #\n");
    assert_matches(result.err, "^1 requests, [^\n]*\n1 requests, ");
    assert_string_equal(result.out, "1\n1\n1\n");
    free(lines);
    command_free(&result);
}

TEST(one_interrupt_waits_for_the_request_and_ends_well)
{
    need_faults();
    expect(0, "~\n2 requests completed in [^\n]*\ngenerated 3 requests in ", "",
           "one_interrupt_waits_for_the_request_and_ends_well");
}

TEST(a_second_interrupt_ends_at_once)
{
    need_faults();
    struct result result = command_status(4, "a_second_interrupt_ends_at_once");
    assert_string_equal(result.err, "");
    assert_contains(result.out, "request=2 ");
    assert_lacks(result.out, "request=3 ");
    assert_lacks(result.out, "statistics");
    command_free(&result);
}

TEST(a_second_interrupt_leaves_valid_json)
{
    static const struct variant cases[] = {
        {"-J", 4, "[2,2]\n", ""},
        {"-Jq", 4, "[0,null]\n", ""},
        {"-Jqp1", 4, "[1,null]\n", ""},
    };
    need("faults jq");
    expect_variants(cases, LENGTH(cases), "a_second_interrupt_leaves_valid_json %s");
}

TEST(output_that_cannot_be_written_is_an_error)
{
    static const char *const options[] = {"", "-q", "-B", "-J", "-Jq", "-qp1", "-qP 1ms"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(3, NULL,
               "~^(ioping: [^\n]* missed: not sent in time, because earlier ones were "
               "still in flight\n)?ioping: standard output: "
               "No space left on device\n$",
               "ioping -c 3 -i 10ms %s data >/dev/full", options[i]);
}

TEST(help_that_cannot_be_written_is_an_error)
{
    expect(-1, "3\n3\n3\n", NULL,
           "ioping -h >/dev/full; echo $?; ioping -v >/dev/full; "
           "echo $?; ioping >/dev/full; echo $?");
}

TEST(a_closed_stdout_is_an_error_and_not_the_target)
{
    static const char *const options[] = {"d",       "-C d",    "data",
                                          "-C data", "-B -C d", "-J -C d"};
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result = command("ioping -c 3 -i 0 %s >&-", options[i]);
        if (result.status != 3 || !strstr(result.err, "ioping: standard output: "))
            fail_msg("%s: status %d\nstderr: %s", options[i], result.status, result.err);
        command_free(&result);
    }
}

/* The working set is the last 4 KiB; what is before it must stay. */
TEST(closed_streams_do_not_spill_into_what_is_written)
{
    static const char *const streams[] = {">&-", "2>&-", "<&- >&- 2>&-"};
    for (size_t i = 0; i < LENGTH(streams); i++) {
        struct result result = command("cp data w; ioping -c 1 -i 0 -CWWW -o 1020k w %s; "
                                       "cmp -n 1044480 data w && stat -c %%s w",
                                       streams[i]);
        if (!strstr(result.out, "\n1048576\n") && strcmp(result.out, "1048576\n") != 0)
            fail_msg("%s: %s%s", streams[i], result.out, result.err);
        command_free(&result);
    }
}

/* Faults, the request that ends the run, and its messages. */
static const struct {
    const char *script, *options, *verdict, *err, *completed, *generated;
} failures[] = {
    {"pread:7:5", "", "0 B <<< request=7 (EIO)",
     "ioping: request 7 failed: EIO (Input/output error)\n", "5 requests completed",
     "generated 7 requests"},
    {"pread:3:short", "", "2 KiB <<< request=3 (short)",
     "ioping: request 3 failed: short (2048 of 4096 bytes)\n", "1 requests completed",
     "generated 3 requests"},
    {"pread:3:zero", "", "0 B <<< request=3 (short)",
     "ioping: request 3 failed: short (0 of 4096 bytes)\n", "1 requests completed",
     "generated 3 requests"},
    {"pread:2:524", "-a 0", "0 B <<< request=2 (E524)",
     "ioping: request 2 failed: E524 (Unknown error 524)\n", "1 requests completed",
     "generated 2 requests"},
    {"pwrite:3:28", "-WWW", "0 B >>> request=3 (ENOSPC)",
     "ioping: request 3 failed: ENOSPC (No space left on device)\n",
     "1 requests completed", "generated 3 requests"},
    {"pwrite:3:short", "-WWW", "2 KiB >>> request=3 (short)",
     "ioping: request 3 failed: short (2048 of 4096 bytes)\n", "1 requests completed",
     "generated 3 requests"},
    {"pwrite:2:30", "-GWW", "0 B >>> request=3 (EROFS)",
     "ioping: request 3 failed: EROFS (Read-only file system)\n", "1 requests completed",
     "generated 3 requests"},
    {"pread:4-:5", "-E", "0 B <<< request=10 (EIO)",
     "ioping: request 4 failed: EIO (Input/output error)\n"
     "ioping: 7 of 10 requests failed\n",
     "2 requests completed", "generated 10 requests"},
    {"pread:1:5", "-E", "4 KiB <<< request=10 ",
     "ioping: request 1 failed: EIO (Input/output error)\n", "9 requests completed",
     "generated 10 requests"},
};

TEST(a_failed_request_ends_the_run_with_the_summary)
{
    need_faults();
    for (size_t i = 0; i < LENGTH(failures); i++) {
        struct result result =
            command("a_failed_request_ends_the_run_with_the_summary %s %s",
                    failures[i].script, failures[i].options);
        char expected[256];
        snprintf(expected, sizeof(expected), "%s\n%s\n%s\n", failures[i].verdict,
                 failures[i].completed, failures[i].generated);
        if (result.status != 3 || strcmp(result.err, failures[i].err) != 0 ||
            strcmp(result.out, expected) != 0)
            fail_msg("%s %s: status %d\nstdout: %s\nstderr: %s", failures[i].script,
                     failures[i].options, result.status, result.out, result.err);
        command_free(&result);
    }
}

TEST(a_failed_flush_is_a_failed_write)
{
    need_faults();
    struct result result = command_status(
        3, "cp data w; sync w; faulty pwrite:2:20ms,fdatasync:3:5 -WWW -a 0 -c 5 -i 0 w");
    assert_matches(result.err,
                   "^ioping: request 2 failed: EIO \\(Input/output error\\)\n$");
    assert_matches(result.out, "\n0 B >>> w [^\n]* time=[0-9.]+ ms \\(EIO\\)\n\n---");
    assert_contains(result.out, "\ngenerated 2 requests in ");
    command_free(&result);
}

TEST(a_failure_during_warmup_is_a_failure)
{
    need_faults();
    struct result result = command_status(3, "faulty pread:1:5 -C -c 5 -i 0 data");
    assert_matches(result.err,
                   "^ioping: request 1 failed: EIO \\(Input/output error\\)\n");
    assert_lacks(result.err, "warm-up");
    assert_contains(result.out, ": request=1 time=");
    assert_contains(result.out, " (EIO)\n\n--- data ");
    assert_contains(result.out, "\ngenerated 1 requests in ");
    command_free(&result);
}

TEST(a_run_without_a_result_says_why)
{
    static const char *const options[] = {"-c 1", "-c 3 -a 3", "-c 1 -B", "-c 1 -J"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(
            0, NULL,
            "ioping: no request counted: all were warm-up; use -warmup 0 to count them\n",
            "ioping -i 0 %s data", options[i]);
}

/* No request is due for an hour, and nobody else would notice. */
TEST(lost_output_ends_a_run_that_waits)
{
    static const char *const options[] = {"-q -P 50ms -i 1h", "-J -q -i 1h"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(3, NULL, "ioping: standard output: No space left on device\n",
               "ioping %s . >/dev/full", options[i]);
}

TEST(a_second_interrupt_ends_a_run_whose_output_is_blocked)
{
    static const char *const options[] = {"", "-J", "-p 1 -q"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(4, NULL, NULL, "a_second_interrupt_ends_a_run_whose_output_is_blocked %s",
               options[i]);
}

/* The kernel tells of it once, and it would have told somebody else. */
TEST(a_flush_that_fails_before_the_run_is_told)
{
    need_faults();
    expect(0, "~generated 2 requests",
           "~ioping: lost: cannot flush data that was written before: EIO "
           "\\(Input/output error\\)\n",
           "head -c 64k /dev/zero >lost; "
           "LD_PRELOAD=\"$IOPING_FAULTS\" IOPING_SCRIPT=fdatasync:1:5 "
           "ioping -WWW -q -c 2 -i 0 lost");
}

/* A run that reads leaves the cache of the device alone; dirty pages reach the device all
 * the same. */
TEST(a_run_that_only_reads_flushes_no_device)
{
    need_faults();
    mount_once("ext4");
    expect(0, "~generated 2 requests", "",
           "head -c 64k /dev/urandom >ext4/g; "
           "LD_PRELOAD=\"$IOPING_FAULTS\" IOPING_SCRIPT=fdatasync:1-:5 "
           "ioping -q -c 2 -i 0 ext4/g");
}
