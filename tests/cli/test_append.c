/* The writes of a log (-append): each write extends the file, and its flush commits
 * the new size. */
/* Marks: posix */
#include "support.h"

#define COUNT 60

GROUP_SHELL("mkdir d; echo precious >data")

static const struct expected runs[] = {
    {"each_write_extends_the_file_and_a_full_one_is_emptied", "faults", 0,
     "0\n4096\n8192\n12288\n0\n4096\n8192\n"},
    {"emptying_is_in_no_time_and_nothing_is_missed", "faults", 0, "true\ntrue\ntrue\n"},
    {"a_log_that_does_not_fit_is_not_begun", "", 2, NULL,
     "~^ioping: d: a working set of 1 PiB does not fit into the [^\n]* that are "
     "free; use a smaller -S\n$",
     "ioping -W -append -S 1p d"},
    {"each_size_of_a_sweep_has_a_row", "", 0,
     "[4096,0,true]\n[8192,0,true]\n[16384,0,true]\n", NULL, "each_size_has_a_row"},
};

EXPECT_EACH(runs)

TEST(offsets_follow_each_other_and_begin_anew)
{
    static const struct variant cases[] = {
        {"-S 14k", 0, "0 4096 8192 0 4096 8192 0 4096 8192 "},
        {"-s 2300 -S 5k", 0, "0 2300 0 2300 0 2300 0 2300 0 "},
        {"-s 8k -S 8k", 0, "0 0 0 0 0 0 0 0 0 "},
        {"-L -s 1k -S 5k", 0, "0 1024 2048 3072 4096 0 1024 2048 3072 "},
        {"-C -S 14k", 0, "0 4096 8192 0 4096 8192 0 4096 8192 "},
        {"-y -S 14k -e 7", 0, "0 4096 8192 0 4096 8192 0 4096 8192 "},
        {"-b 4 -S 14k", 0, "0 4096 8192 0 4096 8192 0 4096 8192 "},
        {"", 0, "0 4096 8192 12288 16384 20480 24576 28672 32768 "},
    };
    expect_variants(cases, LENGTH(cases), "offsets %s");
}

TEST(each_engine_appends)
{
    need_aio();
    expect(0, "0 4096 8192 0 4096 8192 0 4096 8192 ", NULL, "offsets -S 14k -A");
    need_uring();
    expect(0, "0 4096 8192 0 4096 8192 0 4096 8192 ", NULL, "offsets -S 14k -U");
}

TEST(a_file_is_left_alone)
{
    static const char *const options[] = {"-W", "-WWW", "-WWW -C"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(2, "",
               "ioping: data: -append extends a file of its own; name a directory\n",
               "file_is_left_alone %s", options[i]);
}

/* The second request waits for the fourth flush, that of the file it begins. */
TEST(an_emptying_that_hangs_is_a_request_that_hangs)
{
    need_faults();
    expect(3, "~generated 2 requests in ", "~ioping: request 2 failed: no answer for ",
           "faulty fdatasync:4:hang -W -append -s 4k -S 4k -c 3 -i 0 -q "
           "-timeout 3s d");
}

TEST(a_file_that_cannot_be_emptied_is_not_written)
{
    need_faults();
    expect(3, "~generated 2 requests in [^\n]*, 4 KiB, ",
           "~ioping: request 2 failed: EIO ",
           "faulty fdatasync:4:5 -W -append -s 4k -S 4k -c 3 -i 0 -q d");
}

/* Reads the two numbers that COMMAND prints. Skips the test where nobody counts. */
static void
count_transactions(int numbers[2], const char *format, const char *options)
{
    mount_once("ext4");
    struct result result = command("count_transactions");
    bool counted = result.status == 0 && result.out[0];
    command_free(&result);
    if (!counted)
        skip_because("needs the counts of ext4's journal");
    result = command_status(0, format, COUNT, options);
    if (sscanf(result.out, "%d %d", &numbers[0], &numbers[1]) != 2)
        fail_msg("%s%s", result.out, result.err);
    command_free(&result);
}

/* A journal also commits every few seconds, by itself. */
TEST(an_append_is_a_transaction_of_the_journal_and_an_overwrite_is_none)
{
    static const char *const options[] = {"", "-s 2300", "-S 40k", "-y"};
    for (size_t i = 0; i < LENGTH(options); i++) {
        int numbers[2];
        count_transactions(numbers, "an_append_is_a_transaction %d %s", options[i]);
        assert_in_range(numbers[0], COUNT, 2 * COUNT);
        assert_in_range(numbers[1], 0, COUNT / 2);
    }
}

/* It does not flush the last of them. */
TEST(fio_takes_as_many_transactions)
{
    static const char *const options[] = {"", "--fallocate=none"};
    need_program("fio");
    for (size_t i = 0; i < LENGTH(options); i++) {
        int numbers[2];
        count_transactions(numbers, "fio_takes_as_many %d %s", options[i]);
        assert_in_range(numbers[0], COUNT - 1, 2 * COUNT);
        assert_in_range(numbers[1], COUNT, 2 * COUNT);
    }
}

TEST(a_full_file_system_is_a_failed_request)
{
    need_faults();
    mount_image("ext4", 24, "full");
    expect(3,
           "~ioping: request # failed: ENOSPC [^\n]*\n([4-9]|[0-9][0-9]+)\n1\nENOSPC\n$",
           NULL, "a_full_file_system_is_a_failed_request");
}

TEST(nothing_is_left)
{
    expect(0, "0\n", NULL, "nothing_is_left -c 5 -S 8k");
    expect(0, "0\n", NULL, "nothing_is_left_after_a_signal");
}
