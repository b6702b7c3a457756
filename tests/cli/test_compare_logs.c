/* Comparisons of logs of histograms (-compare): those of ioping, and those of PyPI's
 * hdrhistogram, whose figures are the reference. */
/* Marks: valgrind posix */
#include "support.h"
#include "svg_check.h"

static void
need_library(void)
{
    struct result result = command("hdr_python");
    bool found = result.status == 0;
    command_free(&result);
    if (!found)
        skip_because("needs PyPI's hdrhistogram, which .ci/run installs");
}

GROUP_SETUP(make_files)
FIXTURE(make_folder, NULL)

TEST(our_logs_have_the_figures_of_the_library)
{
    need_library();
    expect(0,
           "ours_ns 8000\n../d 400\n../d 400\n../d#read 200\n../d#read 200\n../d#sync "
           "200\n../d#sync 200\n"
           "../d#write 200\n../d#write 200\n",
           NULL, "our_logs_have_the_figures_of_the_library");
}

TEST(logs_of_the_library_have_its_figures)
{
    need_library();
    expect(0,
           "./digits1_ns 8000\n./digits2_ns 8000\n./digits3_ns 8000\n"
           "./digits4_ns 8000\n./digits5_ns 8000\n./seen_ms 8000\n./seen_us 8000\n"
           "./whole_ns 8000\n"
           "ioping: ./digits1_ns; taken for ns, because Interval_Max is then in ms\n"
           "ioping: ./digits2_ns; taken for ns, because Interval_Max is then in ms\n"
           "ioping: ./digits3_ns; taken for ns, because Interval_Max is then in ms\n"
           "ioping: ./digits4_ns; taken for ns, because Interval_Max is then in ms\n"
           "ioping: ./digits5_ns; taken for ns, because Interval_Max is then in ms\n"
           "ioping: ./seen_ms; taken for ms, because Interval_Max is then in ms\n"
           "ioping: ./seen_us; taken for us, because Interval_Max is then in ms\n"
           "ioping: ./whole_ns; taken for ns\n",
           NULL, "logs_of_the_library_have_its_figures");
}

TEST(files_of_all_kinds_compare)
{
    need_library();
    expect(0,
           "999 raw\n8000 crlf_ns\n8000 tag_ns\n8000 bare_ns\n8000 two_ns: A\n"
           "8000 two_ns: B%20c\n999 ours\n999 -\n1\n",
           NULL, "files_of_all_kinds_compare");
}

#define CUT "ioping: bad: the last line is incomplete, left out\n7800\n"
#define DAMAGED(line)                                                                \
    "ioping: bad: line " line ": its zlib stream is not as long as it says; remove " \
    "this line, or record the run again\n2\n"

/* Each of the 40 lines has 200 values. A line in the middle is not left out. */
TEST(a_log_that_was_cut_short_loses_its_last_line)
{
    need_library();
    expect(0,
           CUT CUT CUT CUT DAMAGED("5")
               DAMAGED("42") "ioping: bad: is a log without a histogram\n2\n",
           NULL, "a_log_that_was_cut_short_loses_its_last_line");
}

TEST(a_small_log_takes_little_memory)
{
    need_library();
    need_bare("measures the memory of the program");
    expect(0,
           "2\nioping: bad: line 22: it is too large when decompressed; remove this "
           "line, or record the run again\nlittle\n",
           NULL, "a_small_log_takes_little_memory");
}

TEST(json_has_the_figures_of_its_run)
{
    need_program("jq");
    expect(0,
           "same\nsame\nsame\nsame\n999 1000 lines\n999 1000 array\n999 999 ours\n"
           "999 1000 -\n",
           NULL, "json_has_the_figures_of_its_run");
}

TEST(json_of_several_has_a_row_for_each)
{
    expect(2,
           "19 phases: ../d#idle\n19 several: ../d\n19 several: ../data\n20 phases: "
           "../d#loaded\n20 phases: ../d#recovered\n",
           "ioping: quiet: has statistics, but no requests; record with -record FILE, or "
           "with -J without -q\n",
           "json_of_several_has_a_row_for_each");
}

TEST(a_week_is_a_small_picture)
{
    static const char *const shown[] = {
        "Nov 02", "Nov 08",  "UTC, from 2026-11-02 00:00:00", "p50", "p99",
        "max",    "darker: "};
    struct svg_check check;
    need_library();
    struct result result = command_status(0, "a_week_is_a_small_picture");
    assert_string_equal(result.err, "small\n");
    svg_check_begin(&check, result.out, result.out_size);
    if (check.problems.length)
        fail_msg("%s", check.problems.text);
    for (size_t i = 0; i < LENGTH(shown); i++)
        if (!svg_check_shows(&check, shown[i]))
            fail_msg("%s is missing", shown[i]);
    assert_in_range(svg_check_count(&check, "heat"), 3, 6);
    svg_check_end(&check);
    command_free(&result);
}

TEST(a_short_log_says_how_many_intervals_it_needs)
{
    need_library();
    expect(1,
           "ioping: short: p50 < +20%: UNKNOWN: 1 interval is too few to be sure; record "
           "at least 10\n"
           "? unsure: 1 interval is too few (record at least 10)\n"
           "ioping: short: p50 < +20%: UNKNOWN: 9 intervals are too few to be sure; "
           "record at least 10\n"
           "? unsure: 9 intervals are too few (record at least 10)\n",
           "", "a_short_log_says_how_many_intervals_it_needs");
}

TEST(columns_have_the_sums_of_their_intervals)
{
    need_library();
    expect(0, "191958\n1\n", "", "columns_have_the_sums_of_their_intervals");
}

TEST(a_log_of_few_requests_has_no_p99)
{
    expect(0, ">no line of p99\n1\n", "", "a_log_of_few_requests_has_no_p99");
}

TEST(a_log_has_no_bandwidth)
{
    expect(0, "199 -\ncount,bytes,bytes_per_second\n199,,\n0\n199 -\n3\n5\nUNKNOWN\n",
           "ioping: -print bps: a log of histograms has no sizes; name a file of "
           "-record or -J instead\n"
           "ioping: bps > 1 B/s: UNKNOWN: a log of histograms has no sizes; name a "
           "file of -record or -J instead\n",
           "a_log_has_no_bandwidth");
}

TEST(lines_break_only_at_gaps)
{
    need_library();
    expect(0, "     28 M\nMM\nMM\n", "", "lines_break_only_at_gaps");
}

TEST(a_picture_says_how_many_intervals_it_needs)
{
    need_library();
    expect(0,
           "unsure: 5 intervals are too few (record at least 10)\n"
           "short against a_ns: unsure: 5 intervals are too few (record at least 10)\n",
           "", "a_picture_says_how_many_intervals_it_needs");
}
