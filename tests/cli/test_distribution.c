/* Printed percentiles, corrected percentiles, figures of flushes and the text
 * histogram. */
#include "support.h"
#include "terminal.h"

#define TIME "[0-9]+(\\.[0-9]+)? (ns|us|ms|s)"
#define EXTREMES "\nmin/avg/max/mdev = " TIME " / " TIME " / " TIME " / " TIME "\n$"
#define NO_PERCENTILE "not a percentile between 0 and 100"

/* Returns the output of a run on a terminal, allocated. */
static char *
on_terminal(const char *options)
{
    static struct terminal terminal;
    terminal_start(&terminal, 200, "$IOPING_RUNNER \"$IOPING\" %s 2>e", options);
    terminal_end(&terminal, 0);
    char *text = strdup(terminal.bytes), *to = text;
    for (const char *from = text; *from; from++)
        if (*from != '\r')
            *to++ = *from;
    *to = '\0';
    terminal_free(&terminal);
    return text;
}

GROUP_SETUP(make_files)

/* One request of each is warm-up. */
TEST(percentiles_come_with_the_requests)
{
    static const struct {
        int count;
        const char *line; /* NULL: none */
    } cases[] = {
        {10, NULL},
        {11, "\np50/p90 = " TIME " / " TIME EXTREMES},
        {99, "\np50/p90 = " TIME " / " TIME EXTREMES},
        {100, "\np50/p90/p99 = " TIME " / " TIME " / " TIME EXTREMES},
        {1000, "\np50/p90/p99/p99.9 = " TIME " / " TIME " / " TIME " / " TIME EXTREMES},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char options[64];
        snprintf(options, sizeof(options), "-q -i 0 -c %d data", cases[i].count);
        char *text = on_terminal(options);
        if (cases[i].line)
            assert_matches(text, cases[i].line);
        else
            assert_lacks(text, "p50");
        assert_matches(text, "B/s\n(p[^\n]*\n)?min/avg/max/mdev = [^\n]*\n$");
        free(text);
    }
}

/* However it is written; the last list counts. */
TEST(none_drops_the_line)
{
    static const char *const options[] = {"-percentiles none", "--percentiles=none",
                                          "-percentiles=none", "-perc none",
                                          "-percentiles 50 -percentiles none"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0, "~B/s\nmin/avg/max/mdev = [^\n]*\n$", NULL,
               "ioping -q -i 0 -c 20 %s data", options[i]);
}

/* The list is refused before the target is opened. */
TEST(lists_that_mean_nothing_are_refused)
{
    static const char *const cases[][2] = {
        {"", NO_PERCENTILE},
        {"0", NO_PERCENTILE},
        {"100", NO_PERCENTILE},
        {"101", NO_PERCENTILE},
        {"0.0", NO_PERCENTILE},
        {"abc", NO_PERCENTILE},
        {"50,", NO_PERCENTILE},
        {",50", NO_PERCENTILE},
        {"50,,90", NO_PERCENTILE},
        {"50;90", NO_PERCENTILE},
        {"-1", NO_PERCENTILE},
        {"50%", NO_PERCENTILE},
        {" 50", NO_PERCENTILE},
        {"1e1", NO_PERCENTILE},
        {"50.", NO_PERCENTILE},
        {"none,50", NO_PERCENTILE},
        {"50,none", NO_PERCENTILE},
        {"None", NO_PERCENTILE},
        {"50,50", "a percentile is given twice"},
        {"99,50,99.0", "a percentile is given twice"},
        {"99.99999999", "must have at most seven decimals"},
        {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
         "there can be at most 16 percentiles"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(1, "",
               formatted("ioping: -percentiles '%s': %s\n", cases[i][0], cases[i][1]),
               "ioping -percentiles '%s' missing", cases[i][0]);
}

static const struct expected runs[] = {
    /* One of 20 took 300 ms: the nearest rank of 99 is it, that of 95 is not, unless the
     * machine held up another as well. */
    {"a_slow_request_is_the_last_percentile", "faults jq", 0,
     "[true,[false,true,true]]\n"},
    {"corrected_percentiles_have_the_waits", "faults jq", 0,
     "[true,false]\n[false,true]\n"},
    /* Flushes of 40 ms beside writes of 20 ms at least. */
    {"flushes_are_told_apart_from_writes", "faults", 0,
     "~\nfdatasync p50/p99/max = ([4-9][0-9]|[1-9][0-9]{2})(\\.[0-9])? ms / "
     "- / ([0-9]{2,3}(\\.[0-9])? ms|[0-9.]+ s)\n"
     "p50/p90 = ([6-9][0-9]|[1-9][0-9]{2})(\\.[0-9])? ms / ",
     NULL,
     "cp data w && sync w && faulty pwrite:1-:20fast,fdatasync:1-:40fast -WWW -q "
     "-i 0 -c 12 -percentiles 50,90 w"},
    {"machines_get_no_text_histogram", "", 0, "1\n0\n0\n", NULL,
     "ioping -B -i 0 -c 20 -histogram data | wc -l; ioping -q -p 5 -i 0 -c 20 "
     "-histogram data | grep -vc '^[0-9 ]*$'; ioping -J -q -i 0 -c 20 -histogram "
     "data | grep -c above; :"},
    {"the_list_is_shown_in_its_order_however_few_there_are", "", 0,
     "~B/s\np99\\.99/p50/p0\\.0000001 = " TIME " / " TIME " / " TIME EXTREMES, NULL,
     "ioping -q -i 0 -c 2 -percentiles 99.99,50,0.0000001 data"},
    {"no_counted_request_gives_no_text_histogram", "", 0,
     "~B/s\nmin/avg/max/mdev = 0 ns / 0 ns / 0 ns / 0 ns\n$", NULL,
     "ioping -q -i 0 -c 1 -histogram -percentiles 50 data"},
};

EXPECT_EACH(runs)

TEST(corrected_is_said_wherever_it_is_shown)
{
    expect(0,
           "~B/s\np50/p90 \\(corrected\\) = " TIME " / " TIME
           "\nmin/avg/max/mdev = [^\n]*\n\ncorrected for requests that were not sent\n "
           "+above +up to +count +share +so far\n",
           NULL, "ioping -q -i 1ms -c 20 -corrected -histogram data");
    struct result result = command_status(0, "ioping -q -i 1ms -c 20 -histogram data");
    assert_lacks(result.out, "corrected");
    command_free(&result);
}

TEST(nothing_to_correct_is_refused)
{
    static const char *const options[] = {"-i 0", "-R", "-RB", "-i 0 -J", "-R -c 5"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(1, "", "ioping: -corrected: needs an interval; give one with -i\n",
               "ioping -corrected %s missing", options[i]);
    shell("ioping -corrected -q -R -i 1ms -c 20 data && ioping -corrected -q -i 1ms -r "
          "10k -c 20 data");
    expect(1, NULL,
           "ioping: -corrected: needs an interval of -i; give -i instead of -r or -l\n",
           "ioping -corrected -r 1k missing");
}

TEST(flushes_have_their_line)
{
    static const struct {
        const char *options;
        bool line;
    } cases[] = {
        {"-W -c 11", true},
        {"-W -c 10", false},
        {"-W -C -c 20", false},
        {"-c 20", false},
        {"-G -c 21", true},
        {"-G -c 20", false},
        {"-G -C -c 40", false},
        {"-W -c 20 -Y", true},
        {"-W -c 11 -percentiles none", true},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char options[64];
        snprintf(options, sizeof(options), "-q -i 0 %s d", cases[i].options);
        char *text = on_terminal(options);
        if (cases[i].line)
            assert_matches(text, "\ngenerated [^\n]*\nfdatasync p50/p99/max = " TIME
                                 " / - / " TIME "\n((read |write )?p50[^\n]*\n)*"
                                 "min/avg/max/mdev = [^\n]*\n$");
        else
            assert_lacks(text, "fdatasync");
        free(text);
    }
}

/* Rows of 80 columns, whose counts add up, and whose last share is all. */
TEST(a_text_histogram_follows_the_summary)
{
    shell("ioping -q -i 0 -c 201 -histogram data >o && sed -n '/^min/,$p' o >p && sed -i "
          "'1,2d' p");
    expect(-1,
           "    above       up to  count    share                                     so "
           "far\n200 100.0 %\n80\n0\n",
           NULL,
           "head -1 p; sed 1d p | awk '{ sum += $6 } END { print sum, $(NF - 1), $NF }'; "
           "wc -L <p; LC_ALL=C grep -c '[^ -~]' p");
}

/* Widths in characters. */
TEST(a_text_histogram_is_as_wide_as_the_terminal)
{
    need_program("script");
    static const struct {
        const char *locale;
        int columns, blocks;
    } cases[] = {
        {"C.UTF-8", 60, 1}, {"C.UTF-8", 80, 1}, {"C.UTF-8", 133, 1},
        {"C", 60, 0},       {"C", 200, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result =
            command_status(0, "a_text_histogram_is_as_wide_as_the_terminal %d %s",
                           cases[i].columns, cases[i].locale);
        char expected[32];
        snprintf(expected, sizeof(expected), "%d\n%s\n", cases[i].columns,
                 cases[i].blocks ? "█" : "#");
        assert_string_equal(result.out, expected);
        command_free(&result);
    }
}
