/* A run with several workers has the same results as one with a single worker. */
/* Marks: 23s races */
#include "running.h"
#include "support.h"

#include <sys/resource.h>

static const char *const engines[] = {"", "-A", "-U", "-A -depth 3", "-U -depth 3"};

static void
need_engines(void)
{
    need("uring aio");
}

GROUP_SETUP(make_files)

TEST(counts_hold_for_all_of_them_together)
{
    static const char *const cases[][2] = {
        {"-threads 2 -c 1", "0 1\n"},
        {"-threads 3 -c 31", "30 31\n"},
        {"-threads 8 -c 5", "4 5\n"},
        {"-threads 3 -a 7 -c 20", "13 20\n"},
        {"-threads 3 -a 0 -c 20", "20 20\n"},
        {"-threads 5 -a 40 -c 20", "0 20\n"},
        {"-threads 16 -c 1000", "999 1000\n"},
        {"-threads 3 -b 4 -i 1ms -c 30", "29 30\n"},
        {"-threads 3 -i 1ms -c 30", "29 30\n"},
        {"-threads 1 -c 9", "8 9\n"},
        {"-threads 0.003k -c 9", "8 9\n"},
        {"-threads=2 -C -c 5000", "4999 5000\n"},
    };
    need_engines();
    for (size_t i = 0; i < LENGTH(cases) * LENGTH(engines); i++) {
        const char *const *row = cases[i / LENGTH(engines)];
        struct result result = command_status(
            0, "ioping -B -i 0 %s %s data 2>e >o; s=$?; cut -d' ' -f1,9 o; exit $s",
            engines[i % LENGTH(engines)], row[0]);
        if (strcmp(result.out, row[1]) != 0)
            fail_msg("%s %s: %s", engines[i % LENGTH(engines)], row[0], result.out);
        command_free(&result);
    }
}

/* Lines and JSON have the same numbers; the warm-up has the first. */
TEST(numbers_are_those_of_the_run)
{
    need_engines();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(engines); i++)
        expect(0,
               "1 2 3 4 5 35 requests completed\ngenerated 40 "
               "requests\n[true,[1,2,3,4,5],5]\n",
               NULL, "numbers_are_those_of_the_run %s", engines[i]);
}

/* Rates are over the time in which requests were under way: no longer than the run, and
 * no shorter than the longest of them. */
TEST(sums_are_those_of_all_records)
{
    need_engines();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(engines); i++)
        expect(0, "[59,true,true,true,true,59,60,true]\n", NULL,
               "sums_are_those_of_all_records %s", engines[i]);
}

TEST(a_seed_gives_each_worker_its_offsets)
{
    need_engines();
    need_program("jq");
    struct result first = command_status(0, "offsets_of_fifteen");
    for (size_t i = 0; i < LENGTH(engines); i++)
        expect(0, first.out, NULL, "offsets_of_fifteen %s", engines[i]);
    struct result result = command_status(0, "one_of_three_has_the_offsets_of_one");
    /* Two of the fifteen may be the same of 256 blocks: by this seed, none are. */
    assert_matches(result.out, "^\\[5,15,\\[\\],1[2-5]\\]\n$");
    command_free(&result);
    command_free(&first);
}

TEST(linear_workers_begin_side_by_side)
{
    static const struct {
        const char *arguments, *blocks;
    } cases[] = {
        {"-threads 4 -S 64k -c 4", "[0,4,8,12]\n"},
        {"-threads 3 -S 64k -o 32k -c 3", "[8,13,18]\n"},
        {"-threads 4 -S 16k -b 3 -c 12", "[0,0,0,1,1,1,2,2,2,3,3,3]\n"},
        {"-threads 4 -S 8k -c 4", "[0,0,1,1]\n"},
        {"-threads 2 -S 64k -b 8 -c 16", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]\n"},
    };
    need_engines();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(cases) * LENGTH(engines); i++) {
        const char *engine = engines[i % LENGTH(engines)];
        struct result result = command_status(
            0,
            "ioping -L -s 4k -i 1h -J %s %s data | jq -c '[.[] | .io | select(.) | "
            ".offset / 4096] | sort'",
            cases[i / LENGTH(engines)].arguments, engine);
        if (strcmp(result.out, cases[i / LENGTH(engines)].blocks) != 0)
            fail_msg("%s %s: %s", cases[i / LENGTH(engines)].arguments, engine,
                     result.out);
        command_free(&result);
    }
}

/* Each has the first of its grid at once, so the first come on top. */
TEST(limits_hold_for_the_sum)
{
    static const char *const cases[][2] = {
        {"-threads 4 -r 100 -w 1", "4"},
        {"-threads 4 -l 400k -w 1", "4"},
        {"-threads 3 -r 90 -i 1ms -w 1", "3"},
        {"-threads 2 -b 2 -r 100 -w 1", "4"},
        {"-threads 4 -r 100 -w 1 -U -depth 2", "4"},
    };
    need_engines();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(0,
                                              "ioping -B -C %s data 2>e | awk '{ print "
                                              "($9 <= 100 * $10 / 1e9 + %s), ($9 >= "
                                              "%s) }'",
                                              cases[i][0], cases[i][1], cases[i][1]);
        if (strcmp(result.out, "1 1\n") != 0)
            fail_msg("%s: %s", cases[i][0], result.out);
        command_free(&result);
    }
}

/* At 0, 400 and 800 ms each; none at 1200. */
TEST(the_interval_and_the_end_are_those_of_each)
{
    need_engines();
    for (size_t i = 0; i < LENGTH(engines); i++)
        expect(0, "1 1\n9 9 1\n", NULL, "the_interval_and_the_end_are_those_of_each %s",
               engines[i]);
}

/* A period is that of the records since the one before. */
TEST(periods_add_up)
{
    static const char *const options[] = {"-p 7", "-P 15ms", "-p 5 -P 20ms"};
    need_engines();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(engines) * LENGTH(options); i++)
        expect(0, "[true,true]\n", NULL, "periods_add_up %s %s",
               options[i % LENGTH(options)], engines[i / LENGTH(options)]);
}

TEST(raw_lines_after_so_many_requests_of_all)
{
    need_engines();
    for (size_t i = 0; i < LENGTH(engines); i++)
        expect(0, "5 5 5 5 5 5 5 5 5 5 1\n", NULL,
               "raw_lines_after_so_many_requests_of_all %s", engines[i]);
}

TEST(writes_in_a_directory_leave_nothing)
{
    static const char *const options[] = {"-W", "-WL", "-WC", "-G", "-WY", "-Ws3000"};
    need_engines();
    for (size_t i = 0; i < LENGTH(options) * LENGTH(engines); i++)
        expect(0, "29 30\n", NULL,
               "ioping -B %s -threads 3 -c 30 -i 0 %s d 2>e | cut -d' ' -f1,9; ls -A d",
               options[i / LENGTH(engines)], engines[i % LENGTH(engines)]);
}

TEST(a_signal_wakes_all_that_sleep)
{
    need_engines();
    for (size_t i = 0; i < LENGTH(engines); i++) {
        const struct ending *ending = &endings[i % LENGTH(endings)];
        expect(ending->died, "5 requests completed\ngenerated 5 requests\n", "",
               "a_signal_wakes_all_that_sleep %s %s", ending->name, engines[i]);
    }
}

TEST(interim_statistics_are_of_all)
{
    need_engines();
    for (size_t i = 0; i < LENGTH(engines); i++)
        expect(0, "~^4 requests, min/avg/max/mdev = [^\n]*\n$", NULL,
               "interim_statistics_are_of_all %s", engines[i]);
}

static const struct expected runs[] = {
    /* Which ends only by that. Before the others notice they may have sent some more. */
    {"a_failure_of_one_ends_them_all", "faults", 3, "[1,true,true,true]\n",
     "~^ioping: request [0-9]+ failed: EIO \\(Input/output error\\)\n$"},
    /* One of three is stuck; with the others the run goes on. Others that are told of are
     * only late. */
    {"one_that_hangs_does_not_hold_the_others", "faults", 3, "1\n1\n1\n",
     "~" SLOW "(ioping: request [0-9]+ has had no answer for [0-9.]+ "
     "m?s\n)+ioping: 1 request still waiting after [0-9.]+ m?s\n$"},
    {"all_that_hang_are_told_of", "faults", 3,
     "~^ioping: 3 requests still waiting after [0-9.]+ m?s\n1 2 3 4 5 6 "
     "3 requests completed\ngenerated 6 requests\n$"},
    /* Each of three takes three intervals and more, of whatever worker. */
    {"corrected_percentiles_are_those_of_all", "faults jq", 0, "[true,12,true,true]\n"},
};

EXPECT_EACH(runs)

TEST(failures_that_are_ignored_are_counted)
{
    need_faults();
    expect(3,
           "20\n60 requests completed\ngenerated 80 "
           "requests\n",
           "~ioping: 20 of 80 requests failed\n",
           "failures_that_are_ignored_are_counted");
}

/* As many as that need some time to begin together on a small machine. */
TEST(many_begin_and_end)
{
    static const char *const shapes[] = {"", "-U"};
    struct rlimit limit;
    need_uring();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        if (i > 0 && limit.rlim_cur < 1024)
            skip_because("needs a limit of 1024 open files");
        expect(0, "2000 2000\n", "",
               "timeout 120 $IOPING_RUNNER \"$IOPING\" -B -C -hang 0 -a 0 -i 0 -c 2000 "
               "-threads 256 %s data >o; s=$?; cut -d' ' -f1,9 o; exit $s",
               shapes[i]);
    }
}

/* No thread for all of them: no request of any. */
TEST(too_few_threads_are_refused_before_the_first_request)
{
    static const char *const targets[] = {"data", "own", "-W own", "-J data",
                                          "-WWW copy"};
    need_users();
    need_bare("valgrind and sanitizers have threads of their own");
    need_program("prlimit");
    for (size_t i = 0; i < LENGTH(targets); i++) {
        struct result result = command_status(
            2, "too_few_threads_are_refused_before_the_first_request %s", targets[i]);
        assert_string_equal(result.err, "ioping: cannot start a thread for the requests: "
                                        "Resource temporarily unavailable\n");
        if (strcmp(targets[i], "-J data") != 0)
            assert_string_equal(result.out, "");
        else
            assert_lacks(result.out, "request");
        command_free(&result);
    }
}

TEST(what_makes_no_sense_is_refused)
{
    static const char *const cases[][2] = {
        {"-threads 0", "-threads '0': must be more than 0"},
        {"-threads 1025", "-threads '1025': must be at most 1024"},
        {"-threads x", "-threads 'x': not a count such as 10, 5k or 1M"},
        {"-depth 0 -U", "-depth '0': must be more than 0"},
        {"-depth 4097 -U", "-depth '4097': must be at most 4096"},
        {"-A -U", "-U and -A cannot be combined: each is a way to send requests; choose "
                  "one of them"},
        {"-U -depth 2 -corrected",
         "-corrected and -depth cannot be combined: requests "
         "in flight together do not wait for each other; leave out -corrected"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        expect(1, "", formatted("ioping: %s\n", cases[i][1]), "ioping -c 1 %s data",
               cases[i][0]);
    }
}

TEST(a_stuck_worker_misses_its_points)
{
    need_engines();
    need_program("jq");
    for (size_t i = 0; i < 3; i++) { /* of depth one */
        expect(-1, NULL, NULL,
               "umount fs 2>/dev/null; mkdir -p fs.files && cp data fs.files/f");
        mount_fuse("fs", "uncached,delay_us=1000,hang_at=101,hang_s=1,log=$PWD/fs.log");
        expect(0, "[true,true,true]\n", NULL, "a_stuck_worker_misses_its_points %s",
               engines[i]);
    }
}
