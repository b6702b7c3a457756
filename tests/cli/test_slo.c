/* Limits that set the exit status. */
#include "support.h"
#include "terminal.h"

#define TIME "[0-9]+(\\.[0-9]+)? (ns|us|ms|s)"
#define ADVICE "(use -c [0-9]+|run longer)"
#define DOUBT                                                                          \
    " so far \\(" TIME "\\); (p50 may be (as (high|low) as " TIME                      \
    "|higher|lower)|(too few independent requests|[0-9]+ requests are too few) to be " \
    "sure), " ADVICE
#define COUNT "[0-9]+(\\.[0-9]+)?( [kM])?"
#define SPEED "[0-9]+(\\.[0-9]+)? ([KMG]i)?B/s"
/* The answer OK, certain or not. */
#define PERHAPS                                                                     \
    "OK( so far)? \\(" TIME "\\)(; (p[0-9]+ may be (as high as " TIME               \
    "|higher)|too few independent requests to be sure|[0-9]+ requests are too few " \
    "to be sure), " ADVICE ")?"
#define NO_NAME \
    "unknown figure; use min, avg, max, mdev, iops, bps or a percentile such as p99"
#define NO_LIMIT "a limit is missing, as in p99=10ms"
#define NO_TIME "not a time such as 10ms, 0.5s or 2min"
#define NO_COUNT "not a count such as 10, 5k or 1M"

GROUP_SETUP(make_files)

static const struct expected runs[] = {
    /* Into a pipe as on a terminal, above the last line; and nothing is said elsewhere.
     */
    {"each_limit_that_is_kept_has_its_line", "", 0,
     "~\ngenerated [^\n]*\nmin < 1 hour: OK \\(" TIME "\\)\navg < 1 min: OK \\(" TIME
     "\\)\nmax < 1 hour: OK \\(" TIME "\\)\nmdev < 1 hour: OK \\(" TIME
     "\\)\np50 < 1.50 ms: " PERHAPS "\np90 < 1 hour: " PERHAPS "\niops > 0: OK \\(" COUNT
     "\\)\nbps > 4 KiB/s: OK \\(" SPEED "\\)\nmin/avg/max/mdev = [^\n]*\n$",
     "",
     "ioping -q -C -i 0 -c 5000 -slo min=1h -slo avg=60s -slo max=1h -slo mdev=1h "
     "-slo p50=1.5ms -slo=p90=1h --slo=iops=0 -slo bps=4k data"},
    {"json_has_an_answer_to_each", "faults jq", 0,
     "~^\\[\"p99\",3600000000000,99,true,true,false,(\"more\"|null)\\]\n"
     "\\[\"max\",0,99,true,false,true,null\\]\n"
     "\\[\"bps\",4096,99,true,true,true,null\\]\n"
     "\\[\"max\",3600000000000,0,false,null,false,1\\]\n"
     "\\[\"p99\",0,5,false,false,true,null\\]\n"
     "\\[\"loaded-p50\",3600000000000,9,true,true,true,null\\]\n1\n$"},
    {"an_interrupt_does_not_skip_them", "", 5,
     "~^ioping: max < 0 ns: FAIL \\(" TIME "\\)\n$"},
    {"sixteen_limits_are_enough", "", 1,
     "~^(ioping: max < [0-9]+ ns: FAIL \\(" TIME "\\)\n){16}5\n$",
     "ioping: -slo 'max=17s': there can be at most 16 limits\n"},
    /* One of 20 took 300 ms. If the machine held up another as well, it is tried again.
     */
    {"one_slow_request_breaks_what_it_should", "faults", 5, NULL,
     "~^ioping: max < 299 ms: FAIL \\(([3-9][0-9]{2}(\\.[0-9])? ms|[0-9.]+ s)\\)\n$",
     "break_one pread:12:300ms -q -C -a 0 -i 0 -c 20 -slo p95=290ms "
     "-slo max=299ms -slo min=290ms -slo iops=1"},
    /* A second of a stall, 100 ms apart, is ten waits. A machine that is late by more
     * tries again. */
    {"limits_are_on_what_is_corrected", "faults", 5, NULL,
     "~^ioping: p75 \\(corrected\\) < 400 ms: FAIL( so far)? "
     "\\(([4-9][0-9]{2}(\\.[0-9])? ms|[0-9.]+ s)\\).*\n$",
     "break_one pread:3:1000ms -q -C -corrected -a 0 -i 100ms -c 12 "
     "-slo p75=400ms -slo p90=2s"},
    {"lost_output_goes_before_a_limit", "", 3, NULL,
     "~^ioping: max < 0 ns: FAIL \\(" TIME
     "\\)\nioping: standard output: No space left on device\n$",
     "ioping -q -i 0 -c 9 -slo max=0 data >/dev/full"},
};

EXPECT_EACH(runs)

/* 99 have a nearest rank for p99, the largest; 299 without one above make certain, but a
 * longer run is advised because one or two may be above the limit. */
TEST(a_line_says_how_many_would_make_it_certain)
{
    static const struct variant cases[] = {
        {"-c 100 -slo p99=1h", 0,
         "~\np99 < 1 hour: OK so far \\(" TIME
         "\\); 99 requests are too few to be sure, " ADVICE "\n"},
        {"-c 299 -slo p99=1h", 0, "~; 298 requests are too few to be sure, " ADVICE "\n"},
        {"-c 300 -slo p99=1h", 0, "~\np99 < 1 hour: " PERHAPS "\n"},
        {"-c 100 -slo p99=0", 5, "~\np99 < 0 ns: FAIL \\(" TIME "\\)\n"},
        {"-a 0 -w 50ms -i 10ms -slo p99=0", 5,
         "~\n([1-5]) requests? completed .*\np99 < 0 ns: FAIL \\(\\1 of \\1 requests? "
         "took longer\\)\n"},
        {"-a 0 -w 50ms -i 10ms -slo p99=1h", 5,
         "~\np99 < 1 hour: UNKNOWN: [0-9]+ requests? counts?, and it takes 99; use -w "
         "[0-9]+s, or -w [0-9]+s to be sure\n"},
        {"-c 9 -corrected -i 1ms -slo p50=1h", 0,
         "~\np50 \\(corrected\\) < 1 hour: OK \\(" TIME "\\)\n"},
        {"-c 100 -load read,rate=100 -slo loaded-p99=1h", 0,
         "~load: read 4 KiB ---\nunder load p99 < 1 hour: OK so far \\("},
    };
    expect_variants(cases, LENGTH(cases), "ioping -q -C -i 0 %s data");
}

/* What a terminal shows is not said beside it, too. */
TEST(a_terminal_has_the_lines_alone)
{
    static struct terminal terminal;
    terminal_start(&terminal, 200, "ioping -no-status -q -C -i 0 -c 9 -slo max=0 data");
    terminal_end(&terminal, 5);
    assert_matches(terminal.bytes, "^\r\n--- ");
    assert_matches(terminal.bytes, "\nmax < 0 ns: FAIL \\(" TIME "\\)\r\nmin/avg");
    terminal_free(&terminal);
}

TEST(a_terminal_has_the_answer_of_a_sweep_once)
{
    static struct terminal terminal;
    terminal_start(&terminal, 200,
                   "ioping -no-status -C -w 200ms -sweep threads=1..2 -slo min=0 data");
    terminal_end(&terminal, 5);
    assert_int_equal(terminal_count(&terminal, "highest number"), 1);
    assert_matches(terminal.bytes, "\nhighest [^\n]*: none\r\n$");
    terminal_free(&terminal);
}

TEST(a_count_that_can_never_be_enough_is_refused)
{
    static const struct variant cases[] = {
        {"-c 99 -slo p99=1h", 1, "",
         "ioping: -slo: p99 needs 99 requests that count, but -c 99 gives at most 98; "
         "use -c 100\n"},
        {"-c 98 -a 0 -slo p99=1h", 1, "",
         "ioping: -slo: p99 needs 99 requests that count, but -c 98 gives at most 98; "
         "use -c 99\n"},
        {"-c 1 -slo p50=1h", 1, "",
         "ioping: -slo: p50 needs 1 request that counts, but -c 1 gives at most 0; use "
         "-c "
         "2\n"},
        {"-c 20 -slo max=1h -slo p99.999=1h", 1, "",
         "ioping: -slo: p99.999 needs 99999 requests that count, but -c 20 gives at most "
         "19; use -c 100000\n"},
        {"-c 50 -G -WW -slo read-p99=1h", 1, "",
         "ioping: -slo: read-p99 needs 99 reads that count, but -c 50 gives at most 25; "
         "use -c 199\n"},
        {"-c 198 -G -WW -slo write-p99=1h", 1, "",
         "ioping: -slo: write-p99 needs 99 writes that count, but -c 198 gives at most "
         "98; use -c 199\n"},
        {"-c 197 -a 0 -G -WW -slo read-p99=1h", 1, "",
         "ioping: -slo: read-p99 needs 99 reads that count, but -c 197 gives at most 98; "
         "use -c 198\n"},
        {"-c 33 -load read -slo p99=1h", 1, "",
         "ioping: -slo: p99 needs 99 requests that count, but -c 33 gives at most 98; "
         "use -c 34\n"},
        {"-c 98 -load read -slo loaded-p99=1h", 1, "",
         "ioping: -slo: loaded-p99 needs 99 requests that count, but -c 98 gives at most "
         "98; use -c 99\n"},
        {"-c 20 -sweep size -slo p99=1h", 1, "",
         "ioping: -c and -sweep cannot be combined: -w says how long each step "
         "takes; leave out -c\n"},
    };
    expect_variants(cases, LENGTH(cases), "ioping %s missing");
}

/* Three phases of a write, a read and a write have six writes, as many as p85 needs. */
TEST(a_count_that_is_just_enough_is_accepted)
{
    static const struct variant cases[] = {
        {"-c 3 -load read", 0,
         "~\nwrite-p85 < 1 hour: OK so far \\(" TIME
         "\\); 6 requests are too few to be sure, "},
        {"-c 11", 0,
         "~\nwrite-p85 < 1 hour: OK so far \\(" TIME
         "\\); 6 requests are too few to be sure, "},
    };
    expect_variants(cases, LENGTH(cases),
                    "ioping -q -C -a 0 -i 0 -G %s -slo write-p85=1h .");
}

TEST(each_limit_that_is_broken_has_its_line)
{
    expect(5, "~\nmin/avg/max/mdev = ",
           "~^ioping: min < 0 ns: FAIL \\(" TIME "\\)\nioping: avg < 0 ns: FAIL \\(" TIME
           "\\)\nioping: max < 0 ns: FAIL \\(" TIME
           "\\)\nioping: mdev < 0 ns: FAIL \\(" TIME
           "\\)\nioping: iops > 1 T: FAIL \\(" COUNT
           "\\)\nioping: p90 < 0 ns: FAIL \\(" TIME "\\)\n$",
           "ioping -i 0 -c 12 -slo min=0 -slo avg=0 -slo p50=1h -slo max=0 -slo mdev=0 "
           "-slo iops=1T -slo p90=0 data");
}

/* The values are those of the summary. */
TEST(values_are_those_of_the_summary)
{
    need_direct_io(); /* or a note stands among the lines that are counted */
    expect(0, "", NULL, "values_are_those_of_the_summary");
}

TEST(percentiles_of_too_few_are_not_known)
{
    static const struct variant cases[] = {
        {"-c 1 -slo max=1h", 5, NULL,
         "~^ioping: max < 1 hour: UNKNOWN: 0 requests count, and it takes 1; use -c 2\n"
         "ioping: no request counted: all were warm-up; use -warmup 0 to count them\n$"},
        {"-a 0 -w 50ms -i 10ms -slo max=1h -slo p99.999=1h", 5, NULL,
         "~^(ioping: [0-9]+ requests? [^\n]*missed: [^\n]*\n)?"
         "ioping: p99.999 < 1 hour: UNKNOWN: [0-9]+ requests count, and it takes 99999; "
         "use -w [0-9]+s\n$"},
        {"-c 5 -t 1h -slo avg=1h -slo iops=0", 5, NULL,
         "~^ioping: avg < 1 hour: UNKNOWN: 0 requests count, and it takes 1; use -c 6\n"
         "ioping: iops > 0: UNKNOWN: 0 requests count, and it takes 1; use -c 6\nioping: "
         "none of the 5 requests "
         "counted: 4 faster than -t, 1 warm-up\n$"},
    };
    expect_variants(cases, LENGTH(cases), "ioping -q -C -i 0 %s data");
}

/* The device is slow for a part of the run: the median would be another of another part.
 * Scripts have the status that they had, and the same output. */
TEST(a_limit_that_is_not_certain_is_noted)
{
    need_faults();
    static const struct {
        const char *slow, *expected;
        int status;
    } cases[] = {
        {"62-101", "^(ioping: p50 < 10 ms: OK" DOUBT "\n)?$", 0},
        {"42-101", "^ioping: p50 < 10 ms: FAIL" DOUBT "\n$", 5},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            cases[i].status, "a_limit_that_is_not_certain_is_noted %s", cases[i].slow);
        assert_matches(result.err, cases[i].expected);
        assert_matches(result.out, cases[i].status ? "^p50 < 10 ms: FAIL" DOUBT "\n$"
                                                   : "^p50 < 10 ms: OK" DOUBT "\n$");
        command_free(&result);
    }
}

/* All requests of a step are of one kind, those of all steps are not. */
TEST(limits_of_sweeps_and_phases_are_not_doubted)
{
    static const char *const options[] = {"-sweep size=4k..8k -w 50ms",
                                          "-c 120 -load read"};
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result =
            command("ioping -q -C -i 0 -slo p50=1us -slo p50=20us %s data", options[i]);
        assert_true(result.status == 0 || result.status == 5);
        assert_lacks(result.err, "so far");
        command_free(&result);
    }
}

TEST(a_failure_goes_before_a_limit)
{
    need_faults();
    static const char *const options[] = {"", "-E"};
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result = command_status(
            3, "faulty pread:5:5 -q -C -i 0 -c 100 %s -slo max=0 -slo p99=1s data",
            options[i]);
        assert_matches(
            result.err,
            i ? "^ioping: request 5 failed: EIO \\(Input/output error\\)\nioping: max < "
                "0 ns: FAIL \\(" TIME "\\)\nioping: p99 < 1 s: UNKNOWN: 98 requests "
                "count, and it takes 99; use -c [0-9]+, or -c [0-9]+ to be sure\n$"
              : "^ioping: request 5 failed: EIO \\(Input/output error\\)\nioping: max < "
                "0 ns: FAIL \\(" TIME "\\)\nioping: p99 < 1 s: UNKNOWN: 3 requests "
                "count, and it takes 99; use -c [0-9]+, or -c [0-9]+ to be sure\n$");
        command_free(&result);
    }
}

TEST(every_format_has_them_on_stderr)
{
    static const char *const cases[][2] = {
        {"-q", "~^\n--- .* ioping statistics ---\n"},
        {"-B", "~^4 ([0-9]+ ){8}[0-9]+\n$"},
        {"-q -p 2", "~^(2 ([0-9]+ ){8}[0-9]+\n){2}$"},
        {"-J -q", "~^\\[\\{.*\\}\\]\n$"},
        {"-JJ -q", "~^\\{[^\n]*\\}\n$"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(5, cases[i][1], "~^ioping: max < 0 ns: FAIL \\(" TIME "\\)\n$",
               "ioping -i 0 -c 5 %s -slo max=0 data", cases[i][0]);
}

/* The target is not even looked for. */
TEST(limits_that_mean_nothing_are_refused)
{
    static const char *const cases[][2] = {
        {"", NO_NAME},
        {"x", NO_NAME},
        {"p99", NO_LIMIT},
        {"p99=", NO_TIME},
        {"p100=1ms", "unknown figure 'p100'; did you mean max?"},
        {"P99=1ms", "unknown figure 'P99'; did you mean p99?"},
        {"iop=1k", "unknown figure 'iop'; did you mean iops?"},
        {"mean=1ms", "unknown figure 'mean'; did you mean avg?"},
        {"p000=1", NO_NAME},
        {"=1", NO_NAME},
        {"foo=1ms", NO_NAME},
        {"iops=abc", NO_COUNT},
        {"p99=-1", NO_TIME},
        {"p99=1 0ms", NO_TIME},
        {"p99=10", "10 what? write p99=10ms or p99=10s"},
        {"p99=10ms,max=1s", "one limit at a time; give the option again for each other"},
        {"p99>10ms", "a time can have an upper limit only, as in p99<10ms"},
        {"iops<1k", "a rate can have a lower limit only, as in iops>1k"},
        {"99=10ms", "unknown figure '99'; did you mean p99?"},
        {"iops=0.5", "too small: it would be rounded to 0"},
        {"max=1/0", "division by zero"},
        {"max=300000000h", "out of range"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(1, "", formatted("ioping: -slo '%s': %s\n", cases[i][0], cases[i][1]),
               "ioping -slo max=1s -slo '%s' missing", cases[i][0]);
}
