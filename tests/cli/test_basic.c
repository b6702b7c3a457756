/* The main uses of the program, as the README shows them. */
/* Marks: races valgrind posix each hardened */
#include "support.h"

#define NUMBER "[0-9]+(\\.[0-9]+)?"
#define TIME NUMBER " (ns|us|ms|s|min)"
#define RATE NUMBER " ([kMGT] )?iops, " NUMBER " ([KMGT]i)?B/s\n"
#define EXTREMES "min/avg/max/mdev = " TIME " / " TIME " / " TIME " / " TIME "\n$"

GROUP_SETUP(make_files)

#define LABEL "\\([a-z0-9]+ [^ ]+ " NUMBER " [KMGTP]iB\\)"
#define LINES "([^\n]*\n)"

static const struct expected runs[] = {
    {"ten_requests_to_a_directory", "", 0,
     "~^4 KiB <<< d " LABEL ": request=1 time=" TIME " \\(warmup\\)\n" LINES
     "{8}4 KiB <<< d " LABEL ": request=10 time=" TIME "( \\((fast|slow)\\))?\n\n"
     "--- d " LABEL " ioping statistics ---\n"
     "9 requests completed in " TIME ", 36 KiB read, " RATE
     "generated 10 requests in " TIME ", 40 KiB, " RATE EXTREMES,
     "", "ioping -c 10 -i 0 d"},
    {"ten_requests_to_a_file", "", 0,
     "~^4 KiB <<< data " LABEL ": request=1 time=" TIME " \\(warmup\\)\n" LINES
     "{11}9 requests completed in " TIME ", 36 KiB read, " RATE LINES "{2}$",
     "", "ioping -c 10 -i 0 data"},
    {"a_character_device_is_read", "", 0,
     "~^4 KiB <<< /dev/zero \\(character device[^)]*\\): request=1" LINES
     "{5}2 requests completed in " TIME ", 8 KiB read, " LINES "{3}$",
     "", "ioping -c 3 -i 0 /dev/zero"},
    {"ten_requests_of_a_mebibyte", "", 0,
     "~^1 MiB <<< d " LINES "{12}9 requests completed in " TIME ", 9 MiB read, " RATE
     "generated 10 requests in " TIME ", 10 MiB, ",
     "", "ioping -c 10 -s 1M -i 0 d"},
    {"a_rapid_run_gives_its_speed_to_awk", "", 0, "~^[1-9][0-9]*\n$", "",
     "ioping -RLB d >line && awk '{print $4}' line && "
     "awk '$10 < 3000000000 { print \"too short:\", $10 }' line"},
};

EXPECT_EACH(runs)

TEST(nine_raw_lines_and_nothing_else)
{
    struct result result = command_status(0, "ioping -print-count 1 -c 10 -i 0 -quiet d");
    assert_string_equal(result.err, "");
    const char *rest = result.out;
    for (int i = 0; i < 9; i++) {
        long long field[10];
        int length = 0;
        assert_int_equal(
            sscanf(rest, "%lld %lld %lld %lld %lld %lld %lld %lld %lld %lld%n", &field[0],
                   &field[1], &field[2], &field[3], &field[4], &field[5], &field[6],
                   &field[7], &field[8], &field[9], &length),
            10);
        assert_int_equal(field[0], 1);
        assert_true(field[1] > 0 && field[2] == llround(1e9 / (double)field[1]));
        assert_true(field[4] == field[1] && field[5] == field[1] && field[6] == field[1]);
        assert_int_equal(field[7], 0);
        assert_int_equal(field[8], i == 0 ? 2 : 1);
        assert_true(field[9] >= field[1]);
        assert_int_equal(rest[length], '\n');
        rest += length + 1;
    }
    assert_string_equal(rest, "");
    command_free(&result);
}

TEST(gnuplot_draws_the_raw_lines)
{
    need_program("gnuplot");
    struct result result = command_status(
        0, "ioping -print-count 1 -c 10 -i 0 -quiet d >raw.txt && "
           "gnuplot -e \"set terminal dumb; set output 'plot.txt'; "
           "plot 'raw.txt' using (column(0)):(\\$6/1000)\" && test -s plot.txt");
    assert_lacks(result.err, "no valid points");
    command_free(&result);
}

TEST(json_has_an_object_per_request_and_one_for_the_run)
{
    need_program("jq");
    expect(
        0,
        "[\"io\",\"localtime\",\"target\",\"timestamp\"]\n[\"io\",\"localtime\","
        "\"target\",\"timestamp\"]\n[\"io\",\"localtime\",\"target\",\"timestamp\"]\n["
        "\"load\",\"localtime\",\"stat\",\"target\",\"timestamp\"]\n[\"device\",\"device_"
        "size\",\"fstype\",\"mode\",\"path\"]\n[\"ignored\",\"notice\",\"offset\","
        "\"operation\",\"request\",\"size\",\"time\"]\n[\"ignored\",\"offset\","
        "\"operation\",\"request\",\"size\",\"time\"]\n[\"avg\",\"bps\",\"count\","
        "\"iops\",\"max\",\"mdev\",\"min\",\"percentiles\",\"size\",\"time\"]\n[\"bps\","
        "\"count\",\"failed\",\"iops\",\"missed\",\"size\",\"time\"]\n[\"warmup\",null,"
        "null,null]\n[true,false,false,null]\n[\"d\",\"d\",\"d\",\"d\"]\n",
        NULL,
        "ioping -J -c 3 -i 0 d >run.json && jq -c 'map(keys)[],(map(.target | keys) | "
        "unique[]), (.[0,1].io | keys), (.[3] | (.stat, .load) | keys), map(.io.notice), "
        "map(.io.ignored), map(.target.path)' run.json");
}

/* Each filter must give true. */
static const char *const consistent[] = {
    ".[0:3] | map(.io.request) == [1, 2, 3]",
    ".[0:3] | map(.io | .operation == \"read\" and .size == 4096 and .time > 0) | all",
    ".[3].stat.time == .[1].io.time + .[2].io.time",
    ".[3].stat.min == (.[1:3] | map(.io.time) | min)",
    ".[3].stat.max == (.[1:3] | map(.io.time) | max)",
    ".[3].stat | .count == 2 and .size == 8192",
    ".[3].stat | (.avg - .time / 2 | fabs) <= 1 and (.mdev - (.max - .min) / 2 | fabs) "
    "<= 1",
    ".[3].stat | (.iops - 2e9 / .time | fabs) < 0.01 and (.bps - 8192e9 / .time | fabs) "
    "< 1",
    ".[3].load | .count == 3 and .failed == 0 and .size == 12288",
    ".[3].load | (.iops - 3e9 / .time | fabs) < 0.01",
    ".[3].load.time >= (.[0:3] | map(.io.time) | add)",
    "map(.target.mode | IN(\"direct\", \"nocache\", \"cached\")) | all",
    "map(.target.device_size > 0) | all",
    "map((now - .timestamp) | . >= 0 and . < 60) | all",
    "map(.localtime | test(\"^20[0-9-]{8}T[0-9:]{8}\\\\+0000$\")) | all",
    "map(.timestamp - (.localtime | sub(\"\\\\+0000\"; \"Z\") | fromdate) | . >= 0 and . "
    "< 1)"
    " | all",
};

TEST(json_values_agree_with_each_other)
{
    need_program("jq");
    expect(0, NULL, "", "ioping -J -c 3 -i 0 d >run.json");
    for (size_t i = 0; i < LENGTH(consistent); i++)
        expect(0, "true\n", NULL, "jq '%s' run.json", consistent[i]);
}

TEST(help_and_version_go_to_stdout)
{
    struct result help = command_status(0, "ioping -h");
    struct result all = command_status(0, "ioping -h all");
    struct result none = command_status(1, "ioping");
    struct result version = command_status(0, "ioping -v");
    assert_matches(help.out,
                   "^Usage: ioping \\[options\\] directory\\|file\\|device\\.\\.\\.\n");
    assert_contains(help.out, "--count <n>");
    assert_string_equal(help.err, "");
    assert_null(strstr(help.out, "-ignore-error"));
    assert_contains(all.out, "-ignore-error");
    assert_string_equal(all.err, "");
    assert_string_equal(none.out, help.out);
    assert_string_equal(none.err, "");
    assert_string_equal(version.out, "ioping " IOPING_VERSION "\n");
    assert_string_equal(version.err, "");
    command_free(&help);
    command_free(&all);
    command_free(&none);
    command_free(&version);
}
