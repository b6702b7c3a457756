/* The values of -print: plain integers for scripts, with the figures of the run. */
/* Marks: valgrind posix */
#include "support.h"

/* The arguments of a run of at most two requests, which is not known before it ends, and
 * the reason that it gives for an unknown p99. */
#define SHORT "-C -a 0 -w 20ms -i 10ms"
#define TOO_FEW "[0-9]+ requests? counts?, and it takes 99; (use -w [0-9]+s|run longer)\n"

GROUP_SETUP(make_files)

static const struct expected runs[] = {
    {"a_script_takes_a_percentile_as_a_number", "", 0, "integer\nless\n", ""},
    {"values_are_those_of_the_raw_lines", "", 0,
     "199 same\np50 near\np90 near\np99 near\n199 same\n"},
    {"values_are_those_of_json", "jq", 0, "same\n"},
    {"each_target_has_a_line_in_order", "", 0, "9\n9\n9\n"},
    {"operations_have_values_of_their_own", "", 0, "30 30 30 60\nsame\n"},
    {"phases_have_values_of_their_own", "", 0, "3 integers\n"},
    {"without_a_phase_a_value_is_of_all_phases", "", 0, "60\nsame\n", ""},
    {"lines_of_periods_come_one_by_one", "", 0, "open\n0\n50\n50\n50\n"},
    {"nothing_else_is_printed", "", 0, "8\n8\n8\n8\n8\n"},
    {"failures_are_counted", "faults", 3, "7 2\n",
     "ioping: request 3 failed: EIO (Input/output error)\n",
     "faulty pread:3:5,pread:5:5 -print count,failed -E -C -a 0 -i 0 -c 9 data"},
    {"a_value_before_a_failure_is_printed", "faults", 3, "2\n",
     "ioping: request 3 failed: EIO (Input/output error)\n",
     "faulty pread:3:5 -print count -C -a 0 -i 0 -c 9 data"},
    {"an_interruption_is_the_reason_of_an_unknown_value", "", 3, "~^(-|[0-9]+)\n$",
     "~^ioping: -print p99: [0-9]+ requests? counts?, and it takes 99; the run was "
     "interrupted: let it run to its end\n$"},
    {"an_unknown_value_has_a_reason_and_a_status", "", 3, "~^[0-9]+ -\n$",
     "~^ioping: -print p99: " TOO_FEW "$", "ioping " SHORT " -print count,p99 data"},
    {"failures_may_make_a_value_unknown", "faults", 3, "98 -\n",
     "ioping: request 3 failed: EIO (Input/output error)\n"
     "ioping: -print p99: 98 requests count, and it takes 99; use -c 102\n",
     "faulty pread:3:5,pread:5:5 -E -C -a 0 -i 0 -c 100 -print count,p99 data"},
    {"one_reason_is_enough_if_no_request_counted", "", 3, "0 - - -\n",
     "ioping: none of the 9 requests counted: 9 faster than -t\n"
     "ioping: -print max: no request counted\n",
     "ioping -C -a 0 -t 1h -i 0 -c 9 -print count,max,iops,p50 data"},
    {"the_reason_comes_before_the_value", "", 0, "-\n", "",
     "ioping " SHORT " -print p99 data 2>&1 | tail -n 1"},
    {"a_low_percentile_has_a_note", "", 0, "~^[0-9]+ [0-9]+\n$",
     "ioping: -print: 91 % of the requests take longer than p9; for slow requests, use "
     "p90 or p99\n",
     "ioping -C -i 0 -c 9 -print p9,p9.0 data"},
    {"a_low_percentile_of_reads_has_a_note_about_reads", "", 0, "~^[0-9]+\n$",
     "ioping: -print: 91 % of the reads take longer than read-p9; for slow reads, use "
     "read-p90 or read-p99\n",
     "ioping -C -G -i 0 -c 40 -print read-p9 ."},
    {"advice_that_is_followed_is_enough", "", 0, "99\n", "",
     "ioping -C -i 0 -c 100 -print p99,count data | cut -d' ' -f2"},
    {"the_first_unknown_period_has_the_reason", "", 3, "~^(-\n)+$",
     "~^ioping: -print p99: in a period, [0-9]+ requests? counts?, and it takes 99; use "
     "a "
     "longer -P\n$",
     "ioping -C -i 5ms -a 0 -w 50ms -P 10ms -print p99 data"},
    {"a_run_without_a_whole_period_has_no_line", "", 0, "", "",
     "ioping -C -i 0 -c 9 -P 1h -print max data"},
    {"each_target_has_a_reason_of_its_own", "", 3, "-\n-\n",
     "~^ioping: data: -print p99: " TOO_FEW "ioping: d: -print p99: " TOO_FEW "$",
     "ioping " SHORT " -print p99 data d"},
    {"a_broken_limit_keeps_its_status", "", 5, "8\n",
     "~^ioping: max < 0 ns: FAIL \\([0-9.]+ [num]?s\\)\n$",
     "ioping -C -i 0 -c 9 -slo max=0 -print count data"},
    {"an_unknown_value_is_worse_than_a_broken_limit", "", 3, "-\n",
     "~^ioping: max < 0 ns: FAIL \\([0-9.]+ [num]?s\\)\n"
     "ioping: -print p99: " TOO_FEW "$",
     "ioping " SHORT " -slo max=0 -print p99 data"},
    {"output_that_is_lost_is_a_failure", "", 3, NULL,
     "ioping: standard output: No space left on device\n",
     "ioping -C -i 0 -c 9 -print count data >/dev/full"},
    {"a_recorded_run_has_values", "", 0, "20\n9\n", "",
     "ioping -C -a 0 -i 0 -c 20 -record r data >o; "
     "ioping -C -a 0 -i 0 -c 9 -record s data >o; ioping -compare -print count r s"},
    {"a_short_recording_has_too_few", "", 3, "-\n",
     "ioping: -print p99: 9 requests count, and it takes 99; record a run of 99 "
     "requests\n",
     "ioping -C -a 0 -i 0 -c 9 -record s data >o; ioping -compare -print p99 s"},
    {"a_file_has_the_values_and_the_screen_the_report", "", 0,
     "8\n8 requests completed\n", "",
     "ioping -output v -C -c 9 -i 0 -print count data >o; cat v; "
     "grep -o '^8 requests completed' o"},
    {"a_file_has_rows_and_the_screen_the_values", "", 0, "8\n2\n", "",
     "ioping -csv -output v -C -c 9 -i 0 -print count data; wc -l <v"},
};

EXPECT_EACH(runs)

TEST(an_interrupt_does_not_lose_the_values)
{
    expect(0, "0\nsame\n", NULL, "an_interrupt_does_not_lose_the_values INT");
    expect(0, "143\nsame\n", NULL, "an_interrupt_does_not_lose_the_values TERM");
}

TEST(parts_have_values_of_their_own)
{
    need_bare("valgrind and emulators do not know all calls to the kernel's trace");
    mount_tracefs();
    struct result result = command("ioping -breakdown -q -c 1 -i 0 d");
    bool able = result.status == 0;
    command_free(&result);
    if (!able)
        skip_because("needs a build folder on a disk");
    expect(0, "less\n", NULL, "parts_have_values_of_their_own");
}

TEST(a_wrong_list_is_refused)
{
#define NAMES                                                                            \
    "use min, avg, max, mdev, iops, bps, count, failed, missed or a percentile such as " \
    "p99\n"
    static const struct variant cases[] = {
        {"p99,iop", 1, "",
         "ioping: -print 'p99,iop': unknown figure 'iop'; did you mean iops?\n"},
        {"xyz", 1, "", "ioping: -print 'xyz': unknown figure 'xyz'; " NAMES},
        {"''", 1, "",
         "ioping: -print '': no figure is named; use -print p99, for example\n"},
        {"p99,", 1, "",
         "ioping: -print 'p99,': no figure follows the last comma; leave out the "
         "comma\n"},
        {"5", 1, "",
         "ioping: -print '5': expected figures such as p99,iops; -print-count and "
         "-print-interval take numbers\n"},
        {"p99=1ms", 1, "", "ioping: -print 'p99=1ms': unknown figure 'p99=1ms'; " NAMES},
        {"read-iops", 1, "",
         "ioping: -print 'read-iops': a rate counts reads and writes together\n"},
        {"p99 -c 20", 1, "",
         "ioping: -print: p99 needs 99 requests that count, but -c 20 gives at most 19; "
         "use -c 100\n"},
        {"write-p99 -G -WW -c 198", 1, "",
         "ioping: -print: write-p99 needs 99 writes that count, but -c 198 gives at most "
         "98; use -c 199\n"},
        {"p99 -load read -c 33", 1, "",
         "ioping: -print: p99 needs 99 requests that count, but -c 33 gives at most 98; "
         "use -c 34\n"},
        {"p50,p99 -p 98", 1, "",
         "ioping: -print: p99 needs 99 requests that count, but -p 98 gives at most 98; "
         "use -p 99\n"},
        {"p99 -sweep size", 1, "",
         "ioping: -print and -sweep cannot be combined: a sweep sets how requests are "
         "sent, and prints a row for each step; leave out -print\n"},
        {"p99 -J", 1, "",
         "ioping: -print and -J cannot be combined: both would print to standard "
         "output; add -output FILE for -J\n"},
    };
    expect_variants(cases, LENGTH(cases), "ioping -print %s missing");
}
