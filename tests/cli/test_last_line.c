/* Scripts read the last line of stdout and stderr together, with "2>&1 | tail -n 1".
 * It must always be the last line of the summary, so remarks must come before the
 * summary. */
/* Marks: posix */
#include "support.h"

#define EXTREMES "min/avg/max/mdev = [^\n]*\n$"

/* Runs LINE, with both streams in one pipe. Fails unless REMARK stands before the first
 * line of a summary, which begins with HEAD, none after it, and LAST is the end. */
static void
check_order(const char *line, const char *head, const char *remark, const char *last)
{
    struct result result = command("{ %s\n} 2>&1", line);
    const char *summary = strstr(result.out, head), *found = strstr(result.out, remark);
    if (!summary || !found || found > summary)
        fail_msg("%s: no \"%s\" before \"%s\" in:\n%s", line, remark, head, result.out);
    assert_lacks(summary, "ioping: ");
    assert_matches(result.out, last);
    command_free(&result);
}

TEST(a_remark_comes_before_the_summary)
{
    need_faults();
    static const char *const cases[][2] = {
        {"faulty pread:5:320ms -C -q -i 10ms -c 24 data", " missed: not sent in time, "},
        {"faulty pread:5:5 -C -q -i 0 -c 9 data", "ioping: request 5 failed: EIO "},
        {"faulty pread:5:5 -C -E -q -i 0 -c 9 data", "ioping: request 5 failed: EIO "},
        {"faulty pread:5:hang -timeout 2s -C -q -i 0 -c 9 data",
         "ioping: request 5 failed: no answer for "},
        {"faulty pread:5:hang -w 2s -hang 10ms -C -q -i 0 data",
         "ioping: 1 request still waiting after "},
        {"ioping -C -q -i 0 -c 9 -slo max=0 data", "ioping: max < "},
        {"ioping -C -q -i 0 -c 1 data", "ioping: no request counted"},
        {"signalled TERM -C -i 1ms -slo max=0 data", "ioping: max < "},
        {"signalled INT -C -i 1ms -slo max=0 data", "ioping: max < "},
        {"ioping -C -q -c 3 -i 0 -output /dev/full data", "ioping: /dev/full: No space "},
        {"unexported -C -i 1ms data", "ioping: exports/m: No such file or directory"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_order(cases[i][0], "\n--- ", cases[i][1], EXTREMES);
}

TEST(remarks_on_several_targets_come_before_all_summaries)
{
    need_faults();
    static const char *const cases[][2] = {
        {"faulty pread@copy:5:5 -C -E -q -i 0 -c 9 copy data",
         "ioping: copy: request 5 failed: EIO "},
        {"ioping -C -q -i 0 -c 9 -slo max=0 copy data", "ioping: data: max < "},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_order(cases[i][0], "\n--- ", cases[i][1], "\n\\? unsure[^\n]*\n$");
}

TEST(remarks_come_before_the_answer_of_other_outputs)
{
    need_faults();
    static const char *const cases[][4] = {
        {"ioping -C -B -i 0 -c 9 -slo max=0 data", "\n8 ", "ioping: max < ",
         "\n([0-9]+ ){9}[0-9]+\n$"},
        {"ioping -C -check -i 0 -c 1 data", "IOPING ", "ioping: no request counted",
         "\nIOPING UNKNOWN [^\n]*\n$"},
        {"ioping -check missing", "IOPING ",
         "ioping: missing: ", "\nIOPING UNKNOWN [^\n]*\n$"},
        {"ioping -C -load read -w 200ms -i 1ms -q -slo max=0 data", "\n--- ",
         "ioping: max < ", "\nrecovered [^\n]*\n$"},
        {"ioping -C -sweep threads=1..2 -w 50ms -slo max=0 data", "\nhighest number ",
         "ioping: highest number of threads with max <= 0 ns: none",
         "\nhighest number [^\n]*\n$"},
        {"faulty pread:9:5 -C -sweep threads=1..2 -w 1min data", "\n         1 ",
         "ioping: request 9 failed: EIO ", "\n +1 [^\n]*\n$"},
        {"ioping -C -q -p 1 -i 0 -c 9 data >a; ioping -compare -slo max=0 a a",
         "--- comparison with ", "ioping: a: max < ", "\n\\? unsure[^\n]*\n$"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_order(cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
}

static int
set_up(void **state)
{
    int status = make_files(state);
    shell("cp data copy");
    return status;
}
GROUP_SETUP(set_up)
