/* Sweeps: a run for each step, whose row is printed when the step ends. */
/* Marks: 30s races */
#include "running.h"
#include "support.h"

#define TOGETHER(name)                                                               \
    "ioping: " name " and -sweep cannot be combined: a sweep sets how requests are " \
    "sent, and prints a row for each step; leave out " name "\n"
GROUP_SETUP(make_files)

/* The first column, and how many others there are. */
TEST(values_double_between_the_ends)
{
    static const struct {
        const char *arguments, *values;
    } cases[] = {
        {"-sweep size=512..8k data", "512 1024 2048 4096 8192 "},
        {"-sweep size=4k..20k data", "4096 8192 16384 20480 "},
        {"-sweep size=3000..3000 data", "3000 "},
        {"--sweep=size=1sector..1page data", "512 1024 2048 4096 "},
        {"-sweep size -S 16k data", "512 1024 2048 4096 8192 16384 "},
        {"-sweep size -S 5000 -D data", "512 1024 2048 4096 "},
        {"-sweep size=4k..8k -S 8k d", "4096 8192 "},
        {"-sweep size=4k..8k -W -o 1m -S 1m d", "4096 8192 "},
        {"-sweep threads=1..6 data", "1 2 4 6 "},
        {"-sweep threads=3..20 data", "3 6 12 20 "},
        {"-sweep threads=5..5 data", "5 "},
        {"-sweep threads -C data", "1 2 4 8 16 32 64 "},
        {"-sweep depth=1..6 -U data", "1 2 4 6 "},
        {"-sweep depth -U -C data", "1 2 4 8 16 32 64 "},
        {"-sweep depth=1..4 -A data", "1 2 4 "},
        {"-sweep depth=2..2 -U -threads 2 data", "2 "},
        {"-sweep threads=2..4 -A -depth 3 data", "2 4 "},
        {"-i 0 -sweep threads=1..2 data", "1 2 "},
    };
    need("uring direct");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result =
            command_status(0, "values_double_between_the_ends %s", cases[i].arguments);
        if (strcmp(result.out, cases[i].values) != 0)
            fail_msg("%s: %s", cases[i].arguments, result.out);
        command_free(&result);
    }
}

/* TEXT without what depends on time. */
static void
assert_masked(const char *text, const char *expected)
{
    char *shown = masked(text);
    for (char *at = shown; *at; at++)
        while (at[0] == ' ' && at[1] == ' ')
            memmove(at, at + 1, strlen(at));
    assert_string_equal(shown, expected);
    free(shown);
}

TEST(the_table_has_a_head_and_aligned_rows)
{
    static const struct {
        const char *arguments, *head, *row;
        int rows;
    } cases[] = {
        {"-sweep size=512..2k",
         "      size     iops     bandwidth        avg        p50        p99        max",
         " # # #/s # # # #", 3},
        {"-sweep threads=1..4",
         "   threads     iops     bandwidth        avg        p50        p99        max",
         " # # #/s # # # #", 3},
        {"-sweep depth=1..2 -U",
         "     depth     iops     bandwidth        avg        p50        p99        max",
         " # # #/s # # # #", 2},
        {"-sweep threads=1..2 -percentiles 10,90,99.5",
         "   threads     iops     bandwidth        avg        p10        p90      p99.5"
         "        max",
         " # # #/s # # # # #", 2},
        {"-sweep threads=1..2 -percentiles none",
         "   threads     iops     bandwidth        avg        max", " # # #/s # #", 2},
    };
    need_uring();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            0, "the_table_has_a_head_and_aligned_rows %s", cases[i].arguments);
        char expected[512], *rows = strstr(result.out, "\n\n");
        assert_non_null(rows);
        *rows = '\0';
        snprintf(expected, sizeof(expected), "\n--- data () ioping statistics ---\n%s",
                 cases[i].head);
        assert_string_equal(result.out, expected);
        snprintf(expected, sizeof(expected), "\n%zu\n%zu\n", strlen(cases[i].head),
                 strlen(cases[i].head));
        assert_memory_equal(rows + 1, expected, strlen(expected));
        char all[512] = "";
        for (int row = 0; row < cases[i].rows; row++)
            sprintf(all + strlen(all), "%s\n", cases[i].row);
        assert_masked(rows + 1 + strlen(expected), all);
        assert_string_equal(result.err, "");
        command_free(&result);
    }
}

static const struct expected runs[] = {
    /* All requests take 20 ms: fewer than 100 have no 99th percentile, nor five a median.
     */
    {"percentiles_of_too_few_requests_are_not_shown", "faults", 0,
     "~^ +1 +[0-9]+ +[0-9.]+ KiB/s +[0-9.]+ ms +"
     "([0-9.]+ ms|-) +- +[0-9.]+ ms\n$"},
    /* Only the size decides how long a request takes, if it takes that long. No worker
     * has time for two, and most have not for one. */
    {"other_sweeps_do_not_end_early", "faults", 0, "1 1\n2 1\n4 1\n", NULL,
     "faulty pread:1-:300ms -C -B -w 200ms -sweep threads=1..4 data "
     "| awk '{ print $1, $2 <= $1 }'"},
    /* Told of four times, it is not one that a busy machine held up for a moment. */
    {"a_request_that_hangs_in_a_step_is_told_of_and_left", "faults", 3,
     "~^1\n2\n(4\n(8\n)?)?$",
     "~" SLOW "(ioping: request [0-9]+ has had no answer for [0-9.]+ m?s\n)+"
     "ioping: 1 request still waiting after [0-9.]+ m?s\n$"},
};

EXPECT_EACH(runs)

TEST(json_has_a_record_per_step)
{
    static const struct {
        const char *arguments, *sweeps, *size;
    } cases[] = {
        {"-sweep size=1k..4k", "[{\"size\":1024},{\"size\":2048},{\"size\":4096}]",
         ".sweep.size"},
        {"-sweep size=1k..2k -threads 2", "[{\"size\":1024},{\"size\":2048}]",
         ".sweep.size"},
        {"-sweep threads=1..3", "[{\"threads\":1},{\"threads\":2},{\"threads\":3}]",
         "4096"},
        {"-sweep depth=1..4 -U", "[{\"depth\":1},{\"depth\":2},{\"depth\":4}]", "4096"},
        {"-sweep depth=2..4 -U -threads 3 -L", "[{\"depth\":2},{\"depth\":4}]", "262144"},
    };
    need("uring jq");
    for (size_t i = 0; i < LENGTH(cases) * 2; i++)
        expect(0, formatted("%s\ntrue\n", cases[i / 2].sweeps), NULL,
               "json_has_a_record_per_step %s %s %s", cases[i / 2].size,
               i % 2 ? "-JJ" : "-J", cases[i / 2].arguments);
}

/* Times of 50 ms and more have the unit that tells which column is which. */
TEST(columns_are_those_of_the_raw_line_and_json)
{
    need("faults jq");
    expect(0,
           "table 1 1 1 1 1 1\ntable 2 1 1 1 1 1\nraw 1 1 1 1 1 1\nraw 2 1 1 1 1 1\njson "
           "1 1 1 1 1 1\njson 2 1 1 1 1 1\n",
           NULL, "columns_are_those_of_the_raw_line_and_json");
}

/* A few requests of 80 ms, then slower ones: a step that has one of these as its first
 * gets none, unless the machine is so late that the step has begun. */
TEST(a_slow_device_ends_a_size_sweep_early)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"4\n", "4096\n"},
        {"4\n8\n", "4096\n8192\n"},
        {"4\n8\n16\n", "4096\n8192\n16384\n"},
        {"4\n8\n16\n32\n", "4096\n8192\n16384\n32768\n"}};
    need_faults();
    for (int i = 0; i < 2; i++) {
        char line[160];
        size_t count = 0;
        struct result result = command_status(
            0, "a_slow_device_ends_a_size_sweep_early %s", i ? "1 -B" : "4");
        while (count < LENGTH(rows) && strcmp(result.out, rows[count][i]) != 0)
            count++;
        if (count == LENGTH(rows))
            fail_msg("%s", result.out);
        snprintf(line, sizeof(line),
                 "ioping: -sweep: ended at %d KiB: fewer than one request per worker "
                 "completed in that step; use a longer -w\n",
                 4 << count);
        assert_string_equal(result.err, line);
        command_free(&result);
    }
}

/* Where no request ended, that is; on a late machine one may be sent when the step has
 * begun. Of each such row the value, and whether the rest is right. */
TEST(a_step_in_which_no_request_ends_is_named_and_has_a_row)
{
    static const struct {
        const char *script, *arguments, *name, *rows;
    } cases[] = {
        {"pread:1-:150ms", "-B -sweep threads=1..2", "threads", "raw"},
        {"pread:1-:150ms", "-sweep threads=1..2", "threads", "table"},
        {"pread:1-:150ms", "-JJ -sweep threads=1..2", "threads", "json"},
        {"uring:1-:150ms", "-JJ -U -sweep depth=1..2", "depth", "json"},
        {"pread:1-4:20ms,pread:5-:400ms", "-B -sweep threads=1..2", "threads", "raw"},
    };
    need("faults uring jq");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[128] = "";
        struct result result =
            command_status(0, "faulty %s -C -w 100ms %s data >o || exit; empty_%s",
                           cases[i].script, cases[i].arguments, cases[i].rows);
        assert_matches(result.out, "^(1 1\n)?(2 1\n)?$");
        if (result.out[0])
            snprintf(line, sizeof(line),
                     "ioping: -sweep: no request completed in the step %s=%c; use a "
                     "longer -w\n",
                     cases[i].name, result.out[0]);
        assert_string_equal(result.err, line);
        command_free(&result);
    }
}

/* The first step fits in memory, the last one does not; the system decides on the others.
 */
TEST(a_step_without_memory_ends_it_with_the_rows_so_far)
{
    static const char *const cases[][2] = {
        {"table", ""},
        {"raw", "-B"},
        {"json", "-J"},
    };
    need_bare("valgrind and sanitizers need more memory than is allowed here");
    need("prlimit jq");
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(3, "~^1\n(2\n(4\n)?)?$",
               "~^(ioping: -sweep: no request completed in [^\n]+\n)*ioping: "
               "(not enough memory|cannot start a thread) for [^\n]+\n$",
               "a_step_without_memory_ends_it_with_the_rows_so_far %s %s", cases[i][0],
               cases[i][1]);
    expect(
        2, "",
        "ioping: not enough memory for a request of 1073741824 bytes; use a smaller -s\n",
        "prlimit --as=100000000 \"$IOPING\" -C -s 1g -sweep threads=1..2 /dev/zero");
}

#define INTERRUPTED "ioping: -sweep: interrupted; the results are of the steps so far\n"

TEST(an_interrupt_leaves_the_rows_so_far)
{
    need_program("jq");
    for (size_t i = 0; i < LENGTH(endings); i++)
        expect(endings[i].died, "~^1\n2\n(4\n(8\n(16\n)?)?)?$", INTERRUPTED,
               "an_interrupt_leaves_the_rows_so_far %s", endings[i].name);
    expect(0,
           "~^\\[\\{\"threads\":1\\},\\{\"threads\":2\\}(,\\{\"threads\":(4|8|16)\\})*\\]"
           "\n$",
           INTERRUPTED, "an_interrupt_leaves_the_records_so_far");
}

/* Requests of 20 ms: the failure is in the second step, or later if they are slower; then
 * it may be of those that are not counted. */
TEST(a_failure_ends_it_with_the_rows_so_far)
{
    need("faults jq");
    expect(3, "[true,true,true,true]\n",
           "~^ioping: request [0-9]+ failed: EIO \\(Input/output error\\)\n$",
           "a_failure_ends_it_with_the_rows_so_far");
}

TEST(failures_that_are_ignored_end_nothing)
{
    need("faults jq");
    expect(3, "[[1,2,4],true,true]\n",
           "~^ioping: request [0-9]+ failed: EIO \\(Input/output error\\)\n$",
           "failures_that_are_ignored_end_nothing");
}

TEST(nothing_is_left_and_nothing_is_changed)
{
    static const char *const arguments[] = {
        "-sweep size=4k..8k -S 1m d",
        "-sweep size=4k..8k -S 1m -W d",
        "-sweep size=4k..8k -S 1m -WL d",
        "-sweep threads=1..2 -S 1m -WC d",
        "-sweep depth=1..2 -S 1m -UWD d",
        "-sweep depth=1..2 -S 1m -AG d",
        "-sweep threads=1..2 -L data",
        "-sweep threads=1..2 -LD data",
        "-sweep size=1k..2k -C data",
        "-sweep depth=1..2 -U data",
        "-sweep threads=1..2 -sweep size=4k..8k data",
        "-sweep size=4k..8k -R data",
    };
    need("uring direct");
    for (size_t i = 0; i < LENGTH(arguments); i++)
        expect(0, "5\n", "", "nothing_is_left_and_nothing_is_changed %s", arguments[i]);
}

/* The working set is the second 4 KiB of a file of 12 KiB. */
TEST(sizes_go_as_far_as_a_small_working_set_and_touch_nothing_else)
{
    static const struct {
        const char *arguments, *values;
        bool writes;
    } cases[] = {
        {"-S 2k d", "512 1024 2048 ", false},
        {"-S 3000 -C d", "512 1024 2048 ", false},
        {"-S 2k -W d", "512 1024 2048 ", false},
        {"-S 2k -WLC d", "512 1024 2048 ", false},
        {"-S 2k -GD d", "512 1024 2048 ", false},
        {"-S 2k -UW -depth 2 d", "512 1024 2048 ", false},
        {"f/copy", "512 1024 2048 4096 8192 ", false},
        {"-L -o 4k -S 4k -threads 2 f/copy", "512 1024 2048 4096 ", false},
        {"-WWW -L -o 4k -S 4k f/copy", "512 1024 2048 4096 ", true},
        {"-WWW -C -o 4k -S 4k f/copy", "512 1024 2048 4096 ", true},
        {"-GGG -o 4k -S 4k f/copy", "512 1024 2048 4096 ", true},
        {"-WWW -A -o 4k -S 4k -depth 2 f/copy", "512 1024 2048 4096 ", true},
    };
    need("uring direct");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char expected[128];
        struct result result = command_status(
            0, "sizes_go_as_far_as_a_small_working_set_and_touch_nothing_else %s",
            cases[i].arguments);
        snprintf(expected, sizeof(expected), "%s%sd: f: copy\n", cases[i].values,
                 cases[i].writes ? "=w=" : "===");
        if (strcmp(result.out, expected) != 0 || result.err[0])
            fail_msg("%s: %s%s", cases[i].arguments, result.out, result.err);
        command_free(&result);
    }
}

/* 511 bytes are less than any logical block; 3000 bytes are no multiple of one. */
TEST(files_smaller_than_a_page_are_swept)
{
    static const struct {
        const char *arguments, *out, *err;
        int size, status;
    } cases[] = {
        {"", "512 direct\n", "", 512, 0},
        {"", "512 direct\n1024 direct\n", "", 1024, 0},
        {"-D", "512 direct\n1024 direct\n2048 direct\n", "", 3000, 0},
        {"", "512 direct\n1024 direct\n2048 direct\n", "", 4095, 0},
        {"-C -L", "512 cached\n1024 cached\n2048 cached\n", "", 4095, 0},
        {"-WWW", "512 direct\n1024 direct\n", "", 2047, 0},
        {"-o 512 -threads 2", "512 direct\n1024 direct\n", "", 2000, 0},
        {"", "",
         "ioping: little: request size is too big for this target: the target has 511 B, "
         "but a request needs 512 B; use a smaller -s, or a larger target\n",
         511, 2},
        {"-C", "",
         "ioping: little: request size is too big for this target: the file is empty; "
         "name a file that has data, or a directory\n",
         0, 2},
    };
    need_native("needs an emulator that tells the alignment of direct I/O");
    need("direct jq");
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(cases[i].status, cases[i].out, cases[i].err, "sweep_file little %d %s",
               cases[i].size, cases[i].arguments);
}

#define MULTIPLES                                                               \
    "ioping: blocks/f: direct I/O needs a request size and an offset that are " \
    "multiples of 4096"

TEST(a_file_smaller_than_a_block_is_swept_without_direct_io)
{
    static const struct {
        const char *arguments, *out, *err;
        int size, status;
    } cases[] = {
        {"", "4096 direct\n", "", 8191, 0},
        {"", "2048 nocache\n",
         MULTIPLES ": evicting the page cache before each request instead\n", 4095, 0},
        {"-C", "1024 cached\n", "", 2047, 0},
        {"-D", "", MULTIPLES "; leave out -D to measure without it\n", 4095, 2},
    };
    need_direct_io();
    need_native("needs an emulator that tells the alignment of direct I/O");
    need_program("jq");
    mount_image("ext4", 8, "private");
    struct result result =
        command("truncate -s 16M blocks.img && device=$(attach -b 4096 -f --show "
                "blocks.img) && mkfs.ext4 -q -b 4096 $device && mkdir blocks && "
                "mount $device blocks && losetup -d $device");
    if (result.status != 0)
        skip_because("needs a loop device with blocks of 4 KiB");
    command_free(&result);
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(cases[i].status, cases[i].out, cases[i].err, "sweep_file blocks/f %d %s",
               cases[i].size, cases[i].arguments);
}

/* The logical block of a device can be larger than the 4 KiB of other requests. */
TEST(a_size_sweep_begins_at_the_logical_block)
{
    char device[64];
    need_program("jq");
    need_loops();
    struct result result =
        command("head -c 64k /dev/urandom >large.img && sync large.img && "
                "device=$(losetup -b 16384 --direct-io=on "
                "-f --show large.img) && echo $device && "
                "test $(blockdev --getss $device) = 16384 && "
                "grep -q 1 /sys/block/${device#/dev/}/loop/dio");
    snprintf(device, sizeof(device), "%.*s", (int)strcspn(result.out, "\n"), result.out);
    int fd = device[0] ? hold_loop(device) : -1;
    bool able = result.status == 0;
    command_free(&result);
    if (able)
        expect(0, "16384 direct\n32768 direct\n65536 direct\n", "",
               "ioping -JJ -q -w 300ms -sweep size %s 2>&1 >o || exit; "
               "jq -r '\"\\(.sweep.size) \\(.target.mode)\"' o",
               device);
    close(fd);
    if (!able)
        skip_because("needs a loop device with blocks of 16 KiB and direct I/O");
}

TEST(a_directory_has_room_for_the_largest_request)
{
    static const char *const cases[][2] = {
        {"size=4k..8k", "67108864\n"},
        {"threads=1..2", "67108864\n"},
        {"size=64m..80m", "83886080\n"},
        {"size=4k..8k -S 3m", "3145728\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            0,
            "rm -f d/ioping.tmp; ioping -k -w 10ms -sweep %s d 2>&1 >o || exit; "
            "stat -c %%s d/ioping.tmp; rm d/ioping.tmp",
            cases[i][0]);
        assert_contains(result.out, cases[i][1]);
        command_free(&result);
    }
}

TEST(writes_are_refused_without_consent_and_done_with_it)
{
    expect(2, "",
           "ioping: data: writing would destroy its data; give -WWW if that is what you "
           "want\n",
           "ioping -hang 0 -W -w 20ms -sweep threads=1..2 data; s=$?; cmp "
           "data copy; exit $s");
    expect(0, "written\n", NULL,
           "cp data copy && sweep -WWW -sweep threads=1..2 copy; "
           "cmp -s data copy || echo written; exit $status");
}

TEST(what_makes_no_sense_is_refused)
{
    static const struct {
        const char *arguments, *line;
        int status;
    } cases[] = {
        {"-sweep size -c 1",
         "ioping: -c and -sweep cannot be combined: -w says how long each step "
         "takes; leave out -c\n",
         1},
        {"-sweep size -b 2", TOGETHER("-b"), 1},
        {"-sweep size -l 1m", TOGETHER("-l"), 1},
        {"-sweep size -r 10", TOGETHER("-r"), 1},
        {"-sweep size -p 10", TOGETHER("-p"), 1},
        {"-sweep size -P 10", TOGETHER("-P"), 1},
        {"-sweep size -corrected", TOGETHER("-corrected"), 1},
        {"-sweep size -prometheus x", TOGETHER("-prometheus"), 1},
        {"-sweep size -histogram", TOGETHER("-histogram"), 1},
        {"-sweep interval -i 1", TOGETHER("-i"), 1},
        {"-sweep interval -U -depth 2", TOGETHER("-depth"), 1},
        {"-sweep interval=1..1ms",
         "ioping: -sweep 'interval=1..1ms': the end is smaller than the start\n", 1},
        {"-sweep size -i 1ns", TOGETHER("-i"), 1},
        {"-sweep size -s 4k", TOGETHER("-s"), 1},
        {"-sweep threads -threads 2", TOGETHER("-threads"), 1},
        {"-sweep depth -U -depth 2", TOGETHER("-depth"), 1},
        {"-sweep speed",
         "ioping: -sweep 'speed': unknown sweep; use size, threads, depth, interval or "
         "rate\n",
         1},
        {"-sweep ''",
         "ioping: -sweep '': unknown sweep; use size, threads, depth, interval or rate\n",
         1},
        {"-sweep sizes",
         "ioping: -sweep 'sizes': unknown sweep; use size, threads, depth, interval or "
         "rate\n",
         1},
        {"-sweep size=4k",
         "ioping: -sweep 'size=4k': expected FROM..TO, such as 4k..1m\n", 1},
        {"-sweep size=", "ioping: -sweep 'size=': expected FROM..TO, such as 4k..1m\n",
         1},
        {"-sweep threads=4",
         "ioping: -sweep 'threads=4': expected FROM..TO, such as 1..64\n", 1},
        {"-sweep size=8k..4k",
         "ioping: -sweep 'size=8k..4k': the end is smaller than the start\n", 1},
        {"-sweep size=0..4k", "ioping: -sweep 'size=0..4k': must be more than 0\n", 1},
        {"-sweep threads=0..4", "ioping: -sweep 'threads=0..4': must be more than 0\n",
         1},
        {"-sweep threads=1..1025",
         "ioping: -sweep 'threads=1..1025': must be at most 1024\n", 1},
        {"-U -sweep depth=1..4097",
         "ioping: -sweep 'depth=1..4097': must be at most 4096\n", 1},
        {"-sweep size=4k..2g",
         "ioping: -sweep 'size=4k..2g': a request can have at most 2147479552 bytes\n",
         1},
        {"-sweep size=4k..x",
         "ioping: -sweep 'size=4k..x': not a size such as 4096, 4k or 1.5m\n", 1},
        {"-sweep threads=1..4k..8",
         "ioping: -sweep 'threads=1..4k..8': not a count such as 10, 5k or 1M\n", 1},
        {"-sweep size=4k..2m",
         "ioping: data: request size is too big for this target: the target has 1 MiB, "
         "but a request needs 2 MiB; use a smaller -s, or a larger target\n",
         2},
        {"-S 64k -sweep size=4k..128k",
         "ioping: data: request size is too big for this target: the working set has 64 "
         "KiB, but a request needs 128 KiB; use a smaller -s or a larger -S\n",
         2},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        expect(cases[i].status, "", cases[i].line, "ioping %s data", cases[i].arguments);
    }
}

TEST(rows_that_cannot_be_written_end_it)
{
    for (int i = 0; i < 2; i++)
        expect(3, NULL, "ioping: standard output: No space left on device\n",
               "ioping -hang 0 %s -C -w 200ms -sweep threads=1..64 data >/dev/full 2>e; "
               "s=$?; told >&2; exit $s",
               i ? "-B" : "");
}
