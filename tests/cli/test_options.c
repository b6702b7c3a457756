/* The effect of each option, as a user sees it. */
/* Marks: posix hardened */
#include "support.h"

/* A command and exactly what it prints; nothing else goes to stderr than ERR. */
struct expectation {
    const char *name, *command, *out, *err;
};

static const struct expectation plain[] = {
    {"warmup_keeps_the_first_out",
     "ioping -a 3 -c 5 -i 0 data >o; verdicts <o; "
     "grep -o '^2 requests completed' o",
     "1(warmup)\n2(warmup)\n3(warmup)\n4\n5\n2 requests completed\n", ""},
    {"warmup_of_none_counts_all", "ioping -a 0 -c 2 -i 0 -B data | cut -d' ' -f1,9",
     "2 2\n", ""},
    {"burst_ends_with_a_blank_line",
     "ioping -b 3 -c 7 -i 0 data | sed -n 's/.*request=\\([0-9]*\\).*/\\1/; /^--/q; p'",
     "1\n2\n3\n\n4\n5\n6\n\n7\n\n", ""},
    {"burst_does_not_wait_within", "ioping -b 3 -i 1h -c 3 -B data | cut -d' ' -f9",
     "3\n", ""},
    {"count_stops_the_run", "ioping -c 4 -i 0 -B data | cut -d' ' -f1,9", "3 4\n", ""},
    {"interval_is_not_waited_after_the_last", "ioping -c 1 -a 0 -i 1h -B data | wc -l",
     "1\n", ""},
    {"min_time_leaves_out_the_faster",
     "ioping -t 1h -c 3 -i 0 data >o; verdicts <o; grep -o '.*generated 3' o",
     "1(warmup)\n2(too fast)\n3(too fast)\n2 too fast, generated 3\n",
     "ioping: none of the 3 requests counted: 2 faster than -t, 1 warm-up\n"},
    {"max_time_leaves_out_the_slower",
     "ioping -T 1ns -c 5 -i 0 data >o; verdicts <o; grep -o '.*generated 5' o",
     "1(warmup)\n2(too slow)\n3(too slow)\n4(too slow)\n5(too slow)\n"
     "4 too slow, generated 5\n",
     "ioping: none of the 5 requests counted: 4 slower than -T, 1 warm-up\n"},
    {"limits_that_all_keep_leave_no_trace",
     "ioping -t 1ns -T 1h -c 3 -i 0 data >o; verdicts <o; grep -o '.*generated 3' o",
     "1(warmup)\n2\n3\ngenerated 3\n", ""},
    {"size_is_that_of_a_request",
     "ioping -s 8k -c 2 -i 0 data | grep -oE '^8 KiB <<<|, (8|16) KiB( read)?,'",
     "8 KiB <<<\n8 KiB <<<\n, 8 KiB read,\n, 16 KiB,\n", ""},
    {"work_time_stops_before_the_next_request",
     "ioping -w 500ms -i 1h -a 0 -B data | cut -d' ' -f9", "1\n", ""},
    {"print_count_counts_only_what_counts",
     "ioping -p 3 -c 10 -i 0 -q . | cut -d' ' -f1,9", "3 4\n3 3\n3 3\n", ""},
    {"print_count_stands_between_the_requests",
     "ioping -p 2 -c 5 -i 0 . | sed 's/.*request=//; s/ .*//; /^--/q'",
     "1\n2\n3\n2\n4\n5\n2\n\n---\n", ""},
    {"print_interval_needs_no_request",
     "ioping -P 50ms -i 1s -c 3 -q -C data | awk '{ sum += $10 } "
     "END { print (NR >= 3), (sum >= NR * 50000000), NF }'",
     "1 1 10\n", ""},
    {"batch_is_one_raw_line",
     "ioping -B -c 3 -i 0 data | grep -cE '^2( [0-9]+){7} 3 [0-9]+$'", "1\n", ""},
    {"time_has_a_default_format", "show_default_time", "2\n---\n", ""},
    {"time_takes_an_attached_format", "show_given_time", "now\nat %, 4 KiB <<< d\n", ""},
    {"rapid_is_quiet_and_needs_no_pause",
     "ioping -hang 0 -R -w 0.2 . >o; grep -c request= o; sed -n '2s/ .*//p' o; "
     "sed -n 's/ requests completed.*//p' o | grep -c .",
     "0\n---\n1\n", ""},
    {"rapid_yields_to_a_given_interval",
     "ioping -hang 0 -R -w 0.2 -i 1h -a 0 -B . | cut -d' ' -f9", "1\n", ""},
    {"rapid_has_a_working_set_of_64m",
     "mkdir rapid; ioping -hang 0 -RkB -w 0.1 rapid >o; stat -c %s rapid/ioping.tmp; "
     "ioping -hang 0 -RkB -w 0.1 -S 1m d >o; stat -c %s d/ioping.tmp; rm d/ioping.tmp",
     "67108864\n1048576\n", ""},
    {"write_in_a_directory_needs_no_consent",
     "ioping -W -c 3 -i 0 . | grep -oE '^4 KiB >>> \\.|8 KiB written|, 12 KiB,'",
     "4 KiB >>> .\n4 KiB >>> .\n4 KiB >>> .\n8 KiB written\n, 12 KiB,\n", ""},
    {"write_three_times_changes_a_file", "write_three_times", "2\nsame\nother\nother\n",
     ""},
    {"keep_leaves_a_private_file_and_reuses_it", "keep_twice",
     "1048576 600 1\n2097152 600\nioping.tmp\n", ""},
    {"keep_fills_a_file_with_holes_anew",
     "mkdir holes; truncate -s 1m holes/ioping.tmp; chmod 600 holes/ioping.tmp; "
     "ioping -k -c 2 -i 0 -B holes >o; tr -d '\\0' <holes/ioping.tmp | wc -c | "
     "awk '{ print ($1 > 1000000) }'",
     "1\n", ""},
    {"entropy_makes_the_same_data", "fill_by_seeds", "differ\n", ""},
    {"quiet_leaves_the_summary", "ioping -q -c 3 -i 0 data | sed 's/ .*//'",
     "\n---\n2\ngenerated\nmin/avg/max/mdev\n", ""},
    {"quiet_with_print_interval_leaves_no_summary",
     "ioping -q -P 1h -c 3 -i 0 data | wc -c", "0\n", ""},
    {"options_have_many_spellings", "count_three | cut -d' ' -f9 | uniq -c | tr -s ' '",
     " 10 3\n", ""},
    {"options_may_follow_the_target",
     "ioping -c 2 data -i 0 -B | wc -l; ioping -i 0 -q -c 20 data -C | wc -l; "
     "cp data ./-C; ioping -c 2 -i 0 -q -- -C | cut -d' ' -f1,2 | sed -n 2p",
     "1\n5\n--- -C\n", ""},
    {"rapid_linear_cached_file",
     "ioping -RLC -w 0.2 data | grep -oE '^$|^--- data|requests "
     "completed|generated|/mdev'",
     "--- data\nrequests completed\ngenerated\n/mdev\n", ""},
    {"rapid_linear_directory",
     "ioping -RL -a 0 -w 0.2 . | grep -cE '^generated [0-9.]+( k)? requests in '", "1\n",
     ""},
    {"batch_linear_with_a_count",
     "ioping -BL -c 11 -i 0 . | awk '{ print $1, $9, int($4 * $2 / 1e9 / $1 / 1024 + "
     "0.5) }'",
     "10 11 256\n", ""},
    {"quiet_with_a_bundled_count",
     "ioping -qc 5 -i 0 d | grep -oE '^(---|4|generated 5)'", "---\n4\ngenerated 5\n",
     ""},
    {"linear_writes", "ioping -WL -c 2 -i 0 d | grep -oE '^256 KiB >>>|256 KiB written'",
     "256 KiB >>>\n256 KiB >>>\n256 KiB written\n", ""},
    {"mixed_load_names_no_direction_in_the_summary",
     "ioping -GW -c 3 -i 0 d | sed -n 's/^4 KiB \\(...\\).*/\\1/p; s/.*, 8 KiB, .*/8/p'",
     ">>>\n<<<\n>>>\n8\n", ""},
    {"hipri_works_or_is_not_supported", "poll", "", NULL},
    {"nowait_reads_what_is_cached",
     "cat data >/dev/null; ioping -N -C -c 3 -i 0 data >o; echo $?; grep -o 'generated "
     "3' o",
     "0\ngenerated 3\n", NULL},
};

static const struct expectation json[] = {
    {"entropy_makes_the_same_offsets", "draw_offsets", "2\n1\n3\n", ""},
    {"interval_is_a_second_by_default", "ioping -c 2 -Jq data | lasts 1000000000",
     "yes\n", ""},
    {"interval_spaces_the_starts", "ioping -i 50ms -c 4 -Jq data | lasts 150000000",
     "yes\n", ""},
    {"burst_waits_one_interval_after_each",
     "ioping -b 2 -i 60ms -c 5 -Jq data | lasts 120000000", "yes\n", ""},
    {"speed_limit_spaces_the_starts", "ioping -l 80k -c 4 -Jq data | lasts 150000000",
     "yes\n", ""},
    {"speed_limit_counts_a_burst", "ioping -l 80k -b 2 -c 5 -Jq data | lasts 200000000",
     "yes\n", ""},
    {"speed_limit_leaves_no_default_interval",
     "ioping -l 1g -c 60 -w 50 -Jq data | loads", "60\n", ""},
    {"speed_limit_yields_to_a_larger_interval",
     "ioping -l 1g -i 50ms -c 4 -Jq data | lasts 150000000", "yes\n", ""},
    {"rate_limit_spaces_the_starts", "ioping -r 20 -c 4 -Jq data | lasts 150000000",
     "yes\n", ""},
    {"rate_limit_beats_a_smaller_interval",
     "ioping -r 20 -i 1ms -c 4 -Jq data | lasts 150000000", "yes\n", ""},
    {"rate_limit_leaves_no_default_interval",
     "ioping -r 1000 -c 60 -w 50 -Jq data | loads", "60\n", ""},
    {"ignored_requests_are_marked",
     "ioping -t 1h -c 2 -i 0 -J data | "
     "jq -c '.[] | [.io.notice, .io.ignored, .stat.count, .load.count]'",
     "[\"warmup\",true,null,null]\n[\"too fast\",true,null,null]\n[null,null,0,2]\n",
     "ioping: none of the 2 requests counted: 1 faster than -t, 1 warm-up\n"},
    {"size_stands_in_json",
     "ioping -s 64k -c 2 -i 0 -J data | "
     "jq -c '[.[].io.size, .[-1].stat.size, .[-1].load.size]'",
     "[65536,65536,null,65536,131072]\n", ""},
    {"random_offsets_reach_all_of_the_file",
     "ioping -e 1 -s 64k -c 400 -i 0 -J data | jq -c '[.[].io.offset | values] | unique "
     "| "
     "[length, min, max, (map(. % 65536) | max)]'",
     "[16,0,983040,0]\n", ""},
    {"work_size_and_offset_bound_the_offsets",
     "ioping -e 1 -S 64k -o 128k -c 400 -i 0 -JC data | jq -c '[.[].io.offset | values] "
     "| "
     "unique | [length, min, max, (map(. % 4096) | max)]'",
     "[16,131072,192512,0]\n", ""},
    {"work_offset_alone_goes_to_the_end",
     "ioping -e 1 -s 64k -o 512k -c 400 -i 0 -JC data | jq -c '[.[].io.offset | values] "
     "| "
     "unique | [length, min, max]'",
     "[8,524288,983040]\n", ""},
    {"work_size_leaves_out_a_part_of_a_block",
     "ioping -e 1 -S 65535 -c 400 -i 0 -JC data | jq -c '[.[].io.offset | values] | "
     "unique | [length, max]'",
     "[15,57344]\n", ""},
    {"work_offset_holds_in_a_directory",
     "ioping -S 64k -o 64k -k -L -s 32k -c 3 -i 0 -J d | offsets; "
     "stat -c %s d/ioping.tmp; rm d/ioping.tmp",
     "[65536,98304,65536]\n131072\n", ""},
    {"work_time_stops_the_run",
     "ioping -w 1s -i 100ms -JqC data | jq -c '.[0].load | .count <= 10 and .time >= "
     "9e8'",
     "true\n", ""},
    {"rapid_yields_to_a_given_time", "ioping -R -w 0.3 -J . | lasts 300000000", "yes\n",
     ""},
    {"periods_stand_in_json",
     "ioping -p 2 -c 5 -i 0 -JC data | "
     "jq -c '[.[] | if .io then .io.request else [.stat.count, .load.count] end]'",
     "[1,2,3,[2,3],4,5,[2,2],[4,5]]\n", ""},
    {"json_when_quiet_is_one_object", "ioping -Jq -c 3 -i 0 data | jq length", "1\n", ""},
    {"cached_is_named_in_json",
     "ioping -C -c 2 -i 0 -J data | jq -c '[.[].target.mode] | unique'", "[\"cached\"]\n",
     ""},
    {"linear_offsets_follow_each_other_and_wrap",
     "ioping -L -c 6 -i 0 -J data | offsets; "
     "ioping -L -s 4k -S 12k -o 8k -c 5 -i 0 -J data | offsets",
     "[0,262144,524288,786432,0,262144]\n[8192,12288,16384,8192,12288]\n", ""},
    {"linear_requests_are_larger_unless_told",
     "ioping -L -c 2 -i 0 -J data | jq .[0].io.size; "
     "ioping -s 8k -L -c 2 -i 0 -J data | jq .[0].io.size",
     "262144\n8192\n", ""},
    {"read_write_takes_turns",
     "ioping -G -c 5 -i 0 -J . | "
     "jq -c '[.[].io.operation | values]'",
     "[\"write\",\"read\",\"write\",\"read\",\"write\"]\n", ""},
    {"sync_and_dsync_runs_end_well", "run_synced", "[2,0]\n[2,0]\n[2,0]\n[2,0]\n", ""},
};

static const struct expectation faulty[] = {
    {"ignore_error_goes_on_and_is_remembered",
     "faulty pread:3-4:5 -E -C -c 6 -i 0 data >o; echo $?; verdicts <o; "
     "grep -oE '^3 requests completed|^generated 6' o",
     "3\n1(warmup)\n2\n3(EIO)\n4(EIO)\n5\n6\n"
     "3 requests completed\ngenerated 6\n",
     "ioping: request 3 failed: EIO (Input/output error)\n"
     "ioping: 2 of 6 requests failed\n"},
    {"nowait_goes_on_after_eagain",
     "faulty pread:3:11,pread:1-2:fast,pread:4-:fast -N -C -c 5 -i 0 data >o; echo $?; "
     "verdicts <o; grep -oE '^3 requests completed|^generated 5' o",
     "0\n1(warmup)\n2\n3(EAGAIN)\n4\n5\n3 requests completed\ngenerated 5\n",
     "ioping: 1 of 5 requests failed\n"},
    {"eagain_without_nowait_ends_the_run",
     "faulty pread:3:11 -C -c 5 -i 0 data >o; echo $?; grep -o '^generated 3' o",
     "3\ngenerated 3\n",
     "ioping: request 3 failed: EAGAIN (Resource temporarily unavailable)\n"},
    {"writes_are_flushed",
     "cp data w; faulty fdatasync:1-:30ms -WWW -c 3 -i 0 -B -a 0 w | "
     "awk '{ print ($5 >= 30000000) }'",
     "1\n", ""},
    {"cached_writes_are_not_flushed",
     "cp data w; faulty fdatasync:1-:5 -WWWC -c 3 -i 0 -B w | cut -d' ' -f1,9", "2 3\n",
     ""},
};

static void
check(const struct expectation *expected)
{
    if (strstr(expected->command, "faulty "))
        need_faults();
    if (strcmp(expected->command, "poll") == 0 || strstr(expected->command, " -N ")) {
        need_flags();
        need_native("needs an emulator that has preadv2(2)");
    }
    struct result result = command("%s", expected->command);
    if (expected->err)
        assert_string_equal(result.err, expected->err);
    assert_string_equal(result.out, expected->out);
    command_free(&result);
}

GROUP_SETUP(make_files)

TEST_EACH(option, plain)
{
    check(*state);
}

TEST_EACH(option_in_json, json)
{
    need_program("jq");
    check(*state);
}

TEST_EACH(option_with_faults, faulty)
{
    check(*state);
}

/* The flags of the descriptor through which OPTIONS make the target open. */
static int
open_flags(const char *options)
{
    struct result result = command("open_flags %s", options);
    char *end;
    long flags = strtol(result.out, &end, 8);
    if (end == result.out || *end != '\n')
        fail_msg("%s: %s%s", options, result.out, result.err);
    command_free(&result);
    return (int)flags;
}

TEST(files_are_opened_as_the_options_say)
{
    static const struct {
        const char *options;
        int mask, flags;
    } cases[] = {
        {"-I", O_SYNC, 0},           {"-I", O_ACCMODE, O_RDONLY},
        {"-C", O_DIRECT, 0},         {"-Y", O_SYNC, O_SYNC},
        {"-y", O_SYNC, O_DSYNC},     {"-GWW", O_ACCMODE, O_RDWR},
        {"-WWW", O_ACCMODE, O_RDWR},
    };
    shell("cp data flags");
    for (size_t i = 0; i < LENGTH(cases); i++)
        if ((open_flags(cases[i].options) & cases[i].mask) != cases[i].flags)
            fail_msg("%s: flags %o", cases[i].options, open_flags(cases[i].options));
}

TEST(direct_io_is_the_default_and_can_be_demanded)
{
    need("direct jq");
    expect(0, "[\"direct\"]\n[\"direct\"]\n[\"direct\"]\n", "", "measure_directly");
    assert_int_equal(open_flags("-a 1") & O_DIRECT, O_DIRECT);
    assert_int_equal(open_flags("-D") & O_DIRECT, O_DIRECT);
}
