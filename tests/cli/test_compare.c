/* Comparisons of recorded runs (-compare), which are files of raw lines. */
/* Marks: valgrind posix */
#include "peer.h"
#include "support.h"
#include "svg_check.h"

#define LINE "1 580777 1722 7052621 580777 580777 580777 0 2 1000832419"
#define ADVICE "; ioping -record FILE writes raw lines\n"

GROUP_SETUP(make_files)

static const struct expected runs[] = {
    {"figures_are_those_of_the_lines", "jq", 0, ""},
    {"each_of_several_targets_is_a_row", "", 0,
     "11 copy\n11 data\n"
     "11 both: copy\n11 both: data\n5 gp2\n"},
    {"a_target_that_is_named_again_is_another_row", "", 0,
     "11 .\n11 .#2\n6 data\n6 data#2\n6 data#3\nd d#2 data\n", ""},
    {"targets_that_are_called_numbers_are_rows", "", 0, "20 2024 01\n20 2024 02\n", ""},
    {"files_are_rows_of_a_table", "", 0,
     "1\n0\ngp2 1000\ngp3 1001\ngp2 1000\n- 1000\ngp3 1001\n", ""},
    {"json_is_an_array_of_the_rows", "jq", 0,
     "[[{\"path\":\"gp2\"},30,30,[\"count\",\"iops\",\"time\"]],[{\"path\":\"gp3\"}"
     ",20,20,[\"count\",\"iops\",\"time\"]]]\n",
     NULL,
     "made 30 1 >gp2; made 20 2 >gp3; ioping -J -histogram -compare gp2 gp3 >o; jq "
     "-c 'map([.target, .stat.count, (.stat.histogram | map(.count) | add), (.load "
     "| keys)])' o"},
    {"what_options_ask_for_follows_the_table", "", 0,
     "~^gp2: p50/p99.5 = [0-9.]+ .s /\ngp3: p50/p99.5 = [0-9.]+ .s "
     "/\ngp2:\nall\ngp3:\nall\n$"},
    {"json_has_the_changes_of_the_table", "jq", 0,
     "gp3 N % (N..N) N % (N..N)\nsame N % (~) N % (~)\n"
     "few N % (?) -\nopen N % (N..N) N % "
     "(N..)\n[\"gp2\",{\"reference\":\"gp2\"}]\n[\"none\",{\"reference\":\"gp2\"}]\n"},
    {"json_has_no_bounds_if_both_are_open", "jq", 0, "{\"ratio\":1,\"differs\":null}\n",
     NULL,
     "made 100 3 >hundred; ioping -JJ -compare hundred hundred | jq -c "
     "'.change.p99 // empty'"},
    {"a_rerun_prints_the_same", "jq", 0, " 4 {\"reference\"\n 4 {\"reference\"\n"},
    {"a_closed_standard_input_is_an_error", "", 2, "",
     "~^ioping: standard input: [^\n]*\n$", "ioping -compare - <&-"},
    {"a_file_that_must_not_be_read_is_an_error", "bound", 2, NULL,
     "ioping: secret: Permission denied\n",
     "echo '" LINE "' >secret; chmod 0 secret; as_user \"$IOPING\" -compare secret"},
    {"runs_of_which_nothing_counts_are_told", "", 0, "0 0 0 0 0 0 0 0 3 500\n",
     "ioping: none of the 3 requests counted\nioping: gp2: none of the 3 requests "
     "counted\nioping: gp2: none of the 3 requests counted\n",
     "echo '0 0 0 0 0 0 0 0 3 500' >gp2; ioping -B -compare gp2; ioping -compare "
     "gp2 gp2 -percentiles 50 -histogram -plot x.svg >o"},
    {"names_cannot_drive_a_terminal", "", 0,
     "1 580777 1722 7052621 580777 580777 580777 0 2 "
     "1000832419 a\\033[31mb\n1 580777 1722 7052621 580777 "
     "580777 580777 0 2 1000832419 a\\033[31mb#2\n"
     "a\\033[31mb\n",
     NULL,
     "name=$(printf 'a\\033[31mb'); echo '" LINE
     "' >\"$name\"; ioping -compare \"$name\" \"$name\" -B -slo max=1ns; ioping "
     "-compare \"$name\" | grep -o '^a[^ ]*'"},
    {"a_signal_ends_the_opening", "", 0,
     "2\nioping: other: interrupted before it was read\n"},
    {"a_picture_that_cannot_be_written_is_an_error", "", 0,
     "ioping: mine: exists and is not an ioping plot, so it is not overwritten; remove "
     "it, or name another file\n2\nioping: "
     "missing/x.svg: No such file or directory; make its directory first\n2\n"},
    {"output_may_have_the_name_of_a_row", "", 0, "--- comparison with a ---\n"},
};

EXPECT_EACH(runs)

static void
check_lines_of(const char *program)
{
    expect(0,
           "[{\"path\":\"gp2\"},11,12]\n[{\"path\":\"gp3\"},21,22]\n"
           "11 12 gp2\n21 22 gp3\n",
           NULL, "lines_that_print_count_keeps_can_be_compared %s", program);
}

TEST(lines_of_this_program_can_be_compared)
{
    need_program("jq");
    check_lines_of("ours");
}

TEST(lines_of_ioping_1_3_can_be_compared)
{
    need_program("jq");
    need_peer();
    check_lines_of(PEER);
}

TEST(limits_hold_for_each_row)
{
    static const struct variant cases[] = {
        {"-slo max=3ms -slo iops=333", 0, NULL, ""},
        {"-slo max=2ms", 5, NULL, "ioping: gp3: max < 2 ms: FAIL (3 ms)\n"},
        {"-slo iops=1k", 5, NULL, "ioping: gp3: iops > 1 k: FAIL (333)\n"},
        {"-B -slo avg=500us", 5, NULL,
         "ioping: gp2: avg < 500 us: FAIL (1 ms)\nioping: gp3: avg < 500 us: FAIL (3 "
         "ms)\n"},
        {"-slo p80=1h", 5, NULL,
         "ioping: gp2: p80 < 1 hour: UNKNOWN: 1 request counts, and it takes 4; record a "
         "run of 4 requests, or 30 requests to be sure\n"
         "ioping: gp3: p80 < 1 hour: UNKNOWN: 1 request counts, and it takes 4; record a "
         "run of 4 requests, or 30 requests to be sure\n"},
    };
    expect_variants(cases, LENGTH(cases), "limits_hold_for_each_row %s");
}

/* Nothing is above the limit, but of 100 something may be; of 14 nothing is known. */
TEST(limits_of_few_requests_are_not_certain)
{
    static const struct variant cases[] = {
        {"100 -slo p99=1h", 0, NULL,
         "~^ioping: p99 < 1 hour: OK so far \\([0-9.]+ [mu]s\\); .*, record a (longer "
         "run|run of [0-9]+ requests)\n$"},
        {"100 -slo p50=1h", 0, NULL, "~^$"},
        {"14 -slo p50=1h", 0, NULL,
         "~^ioping: p50 < 1 hour: OK so far \\([0-9.]+ [mu]s\\); too few independent "
         "requests to be sure, record a longer run\n$"},
        {"1000 -slo p99=1h", 0, NULL, "~^$"},
    };
    expect_variants(cases, LENGTH(cases), "limits_of_few_requests_are_not_certain %s");
}

/* Before the table, whose last line stays the last; JSON has them in each record. */
TEST(each_file_has_a_line_for_each_limit)
{
    need_program("jq");
#define CHANGE ", \\+[0-9.]+ % \\(\\+[0-9.]+\\.\\.\\+[0-9.]+\\)\n"
    expect(0,
           "~^gp2: max < 1 hour: OK \\([0-9.]+ ms\\)\ngp3: max < 1 hour: OK \\([0-9.]+ "
           "ms\\)\ngp3: p50 < \\+10%: FAIL" CHANGE "gp3: p50 < \\+150%: OK" CHANGE
           "gp3: p50 < \\+60.5%: UNKNOWN" CHANGE "--- comparison with gp2 "
           "---\n\\[\\[\"max\",true,true,false\\]\\]\n\\[\\[\"max\",true,true,false\\],"
           "\\[\"p50\",false,true,true\\],\\[\"p50\",true,true,true\\],\\[\"p50\",null,"
           "false,true\\]\\]\n$",
           NULL, "each_file_has_a_line_for_each_limit");
}

TEST(limits_may_be_relative_to_the_first)
{
#define BY ", \\+[0-9.]+ % \\(\\+[0-9.]+\\.\\.\\+[0-9.]+\\)\n"
    static const struct variant cases[] = {
        {"gp2 gp3 -slo p50=+150% -slo max=1h", 0, NULL, "~^$"},
        {"gp2 gp3 -slo p50=+10%", 5, NULL, "~^ioping: gp3: p50 < \\+10%: FAIL" BY "$"},
        {"gp3 gp2 -slo p50=-10%", 0, NULL, "~^$"},
        {"gp2 gp3 -slo p50=+60.5%", 6, NULL,
         "~^ioping: gp3: p50 < \\+60.5%: UNKNOWN" BY "$"},
        {"gp2 gp3 -slo p50=+60% -slo p90=+10%", 5, NULL,
         "~^ioping: gp3: p50.*: UNKNOWN, .*\nioping: gp3: p90.*: FAIL, .*\n$"},
        {"gp2 gp3 -slo p50=+60% -slo max=1ns", 5, NULL, "~UNKNOWN.*FAIL|FAIL.*UNKNOWN"},
        {"gp2 few -slo p50=+150%", 6, NULL, "~^ioping: few: p50 < \\+150%: UNKNOWN.*\n$"},
        {"gp2 hundred -slo p99=+10000%", 6, NULL,
         "~^ioping: hundred: p99 < \\+10000%: UNKNOWN, .*\n$"},
        {"hundred hundred -slo p99=+10%", 6,
         "~^hundred #2: p99 < \\+10%: UNKNOWN, \\+0.0 % \\([?]\\)\n--- ",
         "ioping: hundred: p99 < +10%: UNKNOWN: too few independent requests; record "
         "longer runs\n"},
        {"gp2 short -slo p99=+10000%", 6,
         "~^short: p99 < \\+10000%: UNKNOWN\n--- .*\nshort .* - +- .* UNKNOWN\n",
         "ioping: short: p99 < +10000%: UNKNOWN: a run of 60 requests is too short, "
         "because "
         "it takes 99; record longer runs\n"},
        {"short gp2 -slo p99=-99%", 6, NULL,
         "ioping: gp2: p99 < -99%: UNKNOWN: a run of 60 requests is too short, because "
         "it takes 99; record longer runs\n"},
        {"gp2 slow -slo p99=+10%", 5,
         "~^slow: p99 < \\+10%: FAIL \\([0-9.]+x\\.\\.\\)\n--- .*\nslow .* - +- .* "
         "FAIL\n",
         "~^ioping: slow: p99 < \\+10%: FAIL \\([0-9.]+x\\.\\.\\)\n$"},
        {"none gp2 -slo p50=+10%", 6, NULL,
         "~^ioping: gp2: p50 < \\+10%: UNKNOWN: the first run has 0 ns, so there is no "
         "change in percent; give a time\n$"},
        {"gp2 -slo p50=+10%", 1, NULL,
         "~^ioping: -slo: p50 compares with another run, but there is only one;"},
    };
    expect_variants(cases, LENGTH(cases), "limits_may_be_relative_to_the_first %s");
}

/* A limit on the size of files plays a full disk. */
TEST(a_full_disk_leaves_whole_lines)
{
    static const char *const outputs[] = {"-record full", "-p 1 -q -output full",
                                          "-JJ -output full", "-p 1 -q >full"};
    need_program("prlimit");
    need_bare("valgrind and sanitizers have files of their own");
    for (size_t i = 0; i < LENGTH(outputs); i++)
        expect(0, "3\nwhole\n0\n", "", "a_full_disk_leaves_whole_lines '%s'", outputs[i]);
}

TEST(json_that_was_cut_short_has_its_requests)
{
    expect(0, "20\n", "ioping: cut: the last record is incomplete, left out\n",
           "ioping -i 0 -c 20 -a 0 -J data >whole; head -c -20 whole >cut; ioping "
           "-compare -print count cut");
}

TEST(the_picture_has_both)
{
    struct svg_check check;
    struct result result = command_status(0, "the_picture_has_both");
    assert_matches(
        result.err,
        "^x.svg\n +100 <circle class=.mark t0\n +100 <circle class=.mark t1\n$");
    svg_check_begin(&check, result.out, result.out_size);
    if (check.problems.length)
        fail_msg("%s", check.problems.text);
    assert_true(svg_check_shows(&check, "ioping: 2 recorded runs"));
    assert_true(svg_check_shows(&check, "each run begins at time 0"));
    assert_true(svg_check_shows(&check, "gp3 against gp2: "));
    assert_true(svg_check_says(&check, "desc", "200 requests counted"));
    assert_true(svg_check_shows(&check, "gp3"));
    assert_false(svg_check_says(&check, "desc", "random"));
    assert_int_equal(svg_check_count(&check, "outline"), 2);
    svg_check_end(&check);
    command_free(&result);
}

#define AE "\303\244"
#define UNKNOWN(name, found)                                                            \
    "ioping: " name ": has neither raw lines, nor JSON, nor an HdrHistogram log: line " \
    "1 " found "; name a file that -record, -J or -hdr has written\n"

/* Nothing is printed, nor drawn. */
TEST(a_file_that_cannot_be_compared_is_named)
{
    static const struct {
        const char *before, *files, *err;
    } cases[] = {
        {":", "gone",
         "ioping: gone: No such file or directory; name a file that -record, -hdr or -J "
         "has written\n"},
        {"echo '" LINE "' >gp2", "gp2 gone",
         "ioping: gone: No such file or directory; name a file that -record, -hdr or -J "
         "has written\n"},
        {"mkdir -p d", "d",
         "ioping: d: is a directory, and -compare reads recorded runs; leave out "
         "-compare to measure it\n"},
        {":", "- <d",
         "ioping: standard input: is a directory, and -compare reads recorded runs; "
         "leave out -compare to measure it\n"},
        {": >none", "none", "ioping: none: is empty" ADVICE},
        {":", "- </dev/null", "ioping: standard input: is empty" ADVICE},
        {"yes '" LINE "' | head -n 16 >gp2; echo raw >>gp2; cp gp2 gp3", "gp2 gp3",
         "ioping: gp2: line 17: not a raw line; remove this line, or record the run "
         "again\n"},
        {"echo '" LINE "' >gp2; head -c 1000 /dev/zero >z", "gp2 z",
         UNKNOWN("z", "is binary")},
        {"ioping -i 0 -c 9 -p 4 -q data >gp2", "gp2",
         "ioping: gp2: line 1 is about 4 requests, as -p 4 prints, but percentiles need "
         "a line for each; record with -record FILE\n"},
        {"ioping -i 0 -c 3 -p 1 data >gp2 2>/dev/null", "gp2",
         UNKNOWN("gp2", "begins with '4 KiB <<< data ('")},
        {"ioping -i 0 -c 3 data >gp2 2>/dev/null", "gp2",
         UNKNOWN("gp2", "begins with '4 KiB <<< data ('")},
        {"ioping -q -i 0 -c 3 data >gp2 2>/dev/null", "gp2", UNKNOWN("gp2", "is empty")},
        {"ioping -csv -i 0 -c 3 data >gp2 2>/dev/null", "gp2",
         UNKNOWN("gp2", "begins with 'time,target,scop'")},
        {"printf '\\177ELF\\1\\n\\2' >program", "program",
         UNKNOWN("program", "is binary")},
        {"echo a,b >table", "- <table", UNKNOWN("standard input", "is 'a,b'")},
        /* No character is cut: 17 bytes, of which 15 are shown. */
        {"echo 'a" AE AE AE AE AE AE AE AE "' >table", "table",
         UNKNOWN("table", "begins with 'a" AE AE AE AE AE AE AE "'")},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(2, "", cases[i].err,
               "%s; rm -f x.svg; ioping -compare -plot x.svg %s; status=$?; [ ! -e x.svg "
               "] || echo drawn; exit $status",
               cases[i].before, cases[i].files);
}

/* The first as far as lines may go, the other as far as there is room in the picture. */
TEST(runs_of_ages_can_be_drawn)
{
    struct svg_check check;
    struct result result =
        command_status(0, "ages 4611686018427387903 4611686018427387903 >o && "
                          "ages 360000000000000 4611686018427387903 >o && cat x.svg");
    svg_check_begin(&check, result.out, result.out_size);
    if (check.problems.length)
        fail_msg("%s", check.problems.text);
    svg_check_end(&check);
    command_free(&result);
}

/* By whichever name standard input is read, and the file of -output is called. Only a
 * path may lead to a file that is called "-". */
TEST(output_that_is_an_input_is_refused_unharmed)
{
    static const char same[] = "same\n",
                      refused[] =
                          "ioping: %s: is also a target; name another file for -output\n";
    static const struct {
        const char *arguments, *output; /* NULL: it is none of the inputs */
    } cases[] = {
        {"-output runs - <runs", "runs"},
        {"-output ./runs other - <runs", "./runs"},
        {"-output link - other <runs", "link"},
        {"-output runs - <hard", "runs"},
        {"-J -output hard /dev/stdin <runs", "hard"},
        {"-output link other ./runs", "link"},
        {"-output ././- ./-", "././-"},
        {"-output ./- - <runs", NULL},
        {"-output runs - <other", NULL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        bool is_input = cases[i].output != NULL;
        char line[160] = "";
        if (is_input)
            snprintf(line, sizeof(line), refused, cases[i].output);
        expect(is_input ? 2 : 0, is_input ? same : "", line,
               "output_that_is_an_input_is_refused_unharmed '%s'", cases[i].arguments);
    }
}

TEST(output_that_is_lost_is_a_failure)
{
    static const char *const options[] = {"", "-B", "-J", "-JJ -slo max=1ns"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(
            3, "1\n", NULL,
            "made 9 1 >gp2; ioping -compare gp2 gp2 %s >/dev/full 2>e; status=$?; grep "
            "-c 'ioping: standard output: No space left on device' e; exit $status",
            options[i]);
}

TEST(a_signal_ends_the_reading)
{
    static const struct variant cases[] = {
        {"INT", 0, "2\nioping: standard input: interrupted before it was read\n"},
        {"TERM", 0, "143\nioping: standard input: interrupted before it was read\n"},
        {"HUP", 0, "129\nioping: standard input: interrupted before it was read\n"},
    };
    expect_variants(cases, LENGTH(cases), "a_signal_ends_the_reading %s -");
}

TEST(a_signal_removes_only_an_output_that_is_new)
{
    static const char message[] =
        "ioping: standard input: interrupted before it was read\n";
    expect(0,
           formatted("2\nempty\nmine\nprecious\n%s2\nempty\nmine\nprecious\n%s2\n"
                     "empty\nmine\nprecious\n%s",
                     message, message, message),
           "", "a_signal_removes_the_new_output INT");
}

TEST(memory_does_not_grow_with_the_lines)
{
    need_bare("memory is that of the program alone");
    expect(0, "little\n- 3000000\n", NULL, "memory_does_not_grow_with_the_lines");
}

TEST(memory_does_not_grow_with_the_files)
{
    need_bare("memory is that of the program alone");
    expect(0, "little\n- 140000\n", NULL, "memory_does_not_grow_with_the_files");
}
