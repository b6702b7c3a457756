/* The program as a plug-in of a monitoring system: its line and its status. */
/* Marks: valgrind posix */
#include "support.h"

/* The published grammar of a line, as a regular expression: text, and figures
 * 'label'=value[UOM];[warn];[crit] with ranges of numbers. */
#define LABEL "('[^'=|\n]+'|[^' =|\n]+)"
#define RANGE "[0-9]+(\\.[0-9]+)?:?"
#define FIGURE LABEL "=(U|[0-9]+(\\.[0-9]+)?(s|c|B)?)(;(" RANGE ")?(;" RANGE ")?)?"
#define TEXT(state) "^IOPING " state " - [^|\n]+"
#define LINE(state) TEXT(state) " \\|( " FIGURE ")+\n$"
#define TIME "[0-9.]+ (ns|us|ms|s)"
#define SPEED "[0-9.]+ ([KMG]i)?B/s"

enum { OK, WARNING, CRITICAL, UNKNOWN };

static void
need_parser(void)
{
    need_program("perl");
    struct result result = command("has_parser");
    int status = result.status;
    command_free(&result);
    if (status != 0)
        skip_because("has no Monitoring::Plugin::Performance");
}

GROUP_SETUP(make_files)

TEST(each_state_has_its_line_and_status)
{
    static const struct {
        int status;
        const char *arguments, *text;
    } cases[] = {
        {OK, "-c 9 -i 0 data", "^IOPING OK - data avg " TIME ", max " TIME " \\|"},
        {OK, "-c 200 -i 0 data", "^IOPING OK - data p99 " TIME " \\|"},
        {OK, "-c 200 -i 0 -q -R -warn p99=1h -slo p99=2h data",
         "^IOPING OK - data p99 " TIME " \\| p50=[0-9.]+s p99=[0-9.]+s;3600;7200 max="},
        {WARNING, "-c 9 -i 0 -warn avg=0 -slo avg=1h data",
         "^IOPING WARNING - data avg " TIME " \\(limit 0 ns\\) \\|"},
        {WARNING, "-c 9 -i 0 -warn iops=1T -slo max=1h data",
         "^IOPING WARNING - data iops [0-9.]+( [kM])? \\(limit 1 T\\), max " TIME " \\|"},
        {CRITICAL, "-c 9 -i 0 -warn avg=0 -slo max=0 data",
         "^IOPING CRITICAL - data max " TIME " \\(limit 0 ns\\), avg " TIME
         " \\(limit 0 ns\\) \\|"},
        {CRITICAL, "-a 0 -w 50ms -i 10ms -slo p99=1s -slo max=0 data",
         "^IOPING CRITICAL - data max " TIME
         " \\(limit 0 ns\\), p99 unknown: needs 99 requests, got [0-9]+ \\|"},
        {UNKNOWN, "-a 0 -w 50ms -i 10ms -warn p99=1s data",
         "^IOPING UNKNOWN - data p99 unknown: needs 99 requests, got [0-9]+ \\| "
         "p50=[0-9.]+s p99=U;1 "},
        {CRITICAL, "-a 0 -w 50ms -i 10ms -slo p99=0 data",
         "^IOPING CRITICAL - data p99 above 0 ns \\(([1-5]) of \\1 requests? took "
         "longer\\) \\| p50=[0-9.]+s p99=U;;0 "},
        {WARNING, "-c 3 -i 0 -warn bps=1p -slo bps=1 data",
         "^IOPING WARNING - data bps " SPEED " \\(limit 1 PiB/s\\) \\| p50=.* "
         "bps=[0-9]+B;1125899906842624:;1: failed=0c\n$"},
        {UNKNOWN, "-c 1 -i 0 -slo max=1s data",
         "^IOPING UNKNOWN - data no request counted: all were warm-up; use -warmup 0 to "
         "count them \\| p50=U p99=U max=U;;1 iops=U failed=0c\n$"},
    };
    static const char *const lines[] = {LINE("OK"), LINE("WARNING"), LINE("CRITICAL"),
                                        LINE("UNKNOWN")};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result =
            command_status(cases[i].status, "ioping -C -check %s", cases[i].arguments);
        assert_matches(result.out, lines[cases[i].status]);
        assert_matches(result.out, cases[i].text);
        command_free(&result);
    }
}

TEST(several_targets_have_one_line_with_the_worst_first)
{
    need_faults();
    struct result result = command_status(
        CRITICAL,
        "faulty pread@copy/:1-:20ms -check -C -i 0 -c 9 -slo min=18ms data copy");
    assert_matches(result.out, LINE("CRITICAL"));
    assert_matches(result.out,
                   "^IOPING CRITICAL - copy min [0-9.]+ m?s \\(limit 18 ms\\); data min "
                   "[^|;]* \\| 'data p50'=");
    assert_matches(result.out, " 'copy min'=[0-9.]+s;;0\\.018 ");
    command_free(&result);
}

TEST(a_request_that_fails_is_critical)
{
    static const struct {
        const char *script, *arguments, *text;
    } cases[] = {
        {"pread:3:5", "-c 9",
         "request 3 failed: EIO \\(Input/output error\\), [^|]* \\|"},
        {"pread:3:5", "-c 9 -E -slo max=1h",
         "request 3 failed: EIO \\(Input/output error\\), max " TIME " \\|"},
        {"pread:3:short", "-c 9", "request 3 failed: short \\(2048 of 4096 bytes\\), "},
        {"pread:3:hang", "-c 9 -timeout 2s",
         "request 3 failed: no answer for [0-9.]+ m?s \\(timeout\\), "},
        {"pread:1:hang", "-w 300ms -hang 300ms -timeout 1h",
         "no answer to 1 request for [0-9.]+ m?s \\| p50=U p99=U max=U iops=U "},
        {"fdatasync:2:28", "-W -c 9 d", "request 1 failed: ENOSPC "},
    };
    need_faults();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        bool named = cases[i].arguments[strlen(cases[i].arguments) - 1] == 'd';
        struct result result =
            command_status(CRITICAL, "faulty %s -check %s -i 0 %s %s", cases[i].script,
                           named ? "" : "-C", cases[i].arguments, named ? "" : "data");
        assert_matches(result.out, LINE("CRITICAL"));
        assert_matches(result.out, cases[i].text);
        assert_matches(result.out, " failed=1c\n$");
        assert_contains(result.err, "ioping: ");
        command_free(&result);
    }
}

/* EAGAIN of -N is no failure of the disk, and counts all the same. */
TEST(a_request_that_would_have_waited_is_not_critical)
{
    need("faults flags");
    struct result result =
        command_status(OK, "faulty pread:3:11 -check -N -C -i 0 -c 9 data");
    assert_matches(result.out, LINE("OK"));
    assert_matches(result.out, " failed=1c\n$");
    command_free(&result);
}

TEST(a_target_that_is_not_ready_is_unknown)
{
    static const struct {
        const char *command, *text;
    } cases[] = {
        {"ioping -check nothing", "^IOPING UNKNOWN - nothing: No such file or directory"},
        {"ioping -check -c 2 data nothing", "^IOPING UNKNOWN - nothing: No such file "},
        {"ioping -check -S 1g data", "^IOPING UNKNOWN - data: target is too small "},
        {"ioping -check -W data", "^IOPING UNKNOWN - data: "},
        {"ioping -check -c 2 -plot d data", "^IOPING UNKNOWN - d: "},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(UNKNOWN, "%s", cases[i].command);
        assert_matches(result.out, TEXT("UNKNOWN") "\n$");
        assert_matches(result.out, cases[i].text);
        assert_contains(result.err, "ioping: ");
        command_free(&result);
    }
}

TEST(an_opening_that_hangs_is_critical)
{
    static const char *const scripts[] = {"open@data:1:hang", "pwrite:3:hang"};
    need_faults();
    for (size_t i = 0; i < LENGTH(scripts); i++)
        expect(CRITICAL,
               "~^IOPING CRITICAL - (d|data): still not ready after [0-9.]+ m?s\n$", NULL,
               "faulty %s -check -timeout 300ms d data", scripts[i]);
}

/* The storage has answered then; what may not be asked of it is another thing. */
TEST(an_opening_that_fails_is_critical)
{
    static const struct {
        const char *script, *target;
        int number;
        bool critical;
    } cases[] = {
        {"open@data:1-", "data", EIO, true},     {"open@data:1-", "data", ESTALE, true},
        {"open@data:1-", "data", EACCES, false}, {"open@data:1-", "data", EMFILE, false},
        {"open@d:1-", "d", EIO, true},           {"open@d:1-", "d", EROFS, false},
        {"pwrite:3-", "d", EIO, true},           {"pwrite:3-", "d", ENOSPC, false},
        {"fdatasync:1-", "d", EIO, true},
    };
    need_faults();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            cases[i].critical ? CRITICAL : UNKNOWN, "faulty %s:%d -check -i 0 -c 9 %s",
            cases[i].script, cases[i].number, cases[i].target);
        assert_contains(result.out, cases[i].critical ? "CRITICAL - d" : "UNKNOWN - d");
        assert_contains(result.out, strerror(cases[i].number));
        command_free(&result);
    }
}

TEST(a_closing_that_hangs_keeps_the_answer)
{
    need_bare("it holds on to the file that hangs");
    mount_fuse("closing", "hang_flush=%s/hang", scratch());
    expect(OK, "~" LINE("OK"), "~while closing it",
           "head -c 1m /dev/zero >closing.files/f; : >hang; "
           "ioping -check -C -i 0 -c 9 -timeout 2s closing/f; status=$?; "
           "rm -f hang; exit $status");
}

#define EARLY "IOPING UNKNOWN - ended before there was a result\n"

static const struct expected runs[] = {
    {"wrong_usage_is_answered", "", 0,
     "3 IOPING UNKNOWN - no destination specified; name a directory, file or device, as "
     "in: ioping .\n3 IOPING UNKNOWN - unrecognized "
     "option '-nonsense'\n3 IOPING UNKNOWN - -c 'abc': not a count such as 10, 5k or "
     "1M\n3 IOPING UNKNOWN - -w '-check': not a time such as 10ms, 0.5s or 2min\n3 "
     "IOPING UNKNOWN - option '-check' doesn't allow an argument; leave out '=1'\n3 "
     "IOPING UNKNOWN - "
     "-J and -check cannot be combined: -check prints one line and nothing else; "
     "leave out -J\n3 IOPING UNKNOWN - -warn 'x=1': unknown "
     "figure; use min, avg, max, mdev, iops, bps or a percentile such as p99\n3 IOPING "
     "UNKNOWN - -p and -check cannot be combined: -check prints one line and nothing "
     "else; leave out -p\n"},
    {"without_a_reader_the_status_is_unknown", "", 0,
     "3\nioping: standard output: Broken pipe\n"},
    {"help_and_version_are_unknown", "", 0, "3\n3\n0\n"},
    {"a_second_interrupt_is_unknown", "faults", 0, "3\n" EARLY},
    {"full_stderr_does_not_keep_the_line", "faults", 0,
     "~" TEXT("CRITICAL") " \\|( " FIGURE ")+\n2\n$"},
    {"full_stderr_does_not_keep_the_answer_of_a_refusal", "linux", 0,
     "3 IOPING UNKNOWN - unrecognized option '-badopt'\n3 "
     "IOPING UNKNOWN - no destination specified; name a directory, file or device, as "
     "in: ioping .\n3 IOPING UNKNOWN - -c 'abc': not a "
     "count such as 10, 5k or 1M\n3 IOPING UNKNOWN - nothing: No such file or "
     "directory; name a directory, file or device that exists\n"},
    {"full_streams_do_not_keep_the_status_of_a_refusal", "linux", 0, "3\n3\n"},
    {"a_lost_line_is_unknown", "", 0,
     "3\nioping: standard output: No space left on device\n"},
    {"figures_are_those_of_the_metrics", "", 0, ""},
};

EXPECT_EACH(runs)

TEST(an_interrupt_answers_with_what_is_known)
{
    static const char *const signals[] = {"INT", "TERM", "HUP"};
    need_faults();
    for (size_t i = 0; i < LENGTH(signals); i++)
        expect(0, "~^0\nIOPING OK - data avg [^|\n]+ \\|( " FIGURE ")+\n$", NULL,
               "an_interrupt_answers_with_what_is_known %s", signals[i]);
}

TEST(a_worker_that_is_killed_is_unknown)
{
    need_faults();
    struct result result = command_status(0, "a_worker_that_is_killed_is_unknown");
    if (!result.out[0])
        skip_because("has no monitor");
    assert_string_equal(result.out, "3\n" EARLY);
    command_free(&result);
}

TEST(without_stdout_the_line_is_lost)
{
    need_bare("valgrind takes the place of a closed stdout");
    expect(0, "3\nioping: standard output: Bad file descriptor\n", NULL,
           "without_stdout_the_line_is_lost");
}

TEST(odd_paths_stay_in_one_line)
{
    struct result result = command_status(0, "odd_paths_stay_in_one_line");
    static const char head[] =
        "0\n1\nIOPING OK - x \\047y\\047 \\042z\\042=\\174\\n\\012\303\251 p99 ";
    assert_memory_equal(result.out, head, sizeof(head) - 1);
    assert_matches(result.out + 4, LINE("OK"));
    command_free(&result);
    need_parser();
    result = command_status(0, "sort -u labels | sed '/^data /d'");
#define ODD "x \\047y\\047 \\042z\\042\\075\\174\\n\\012\303\251 "
    assert_string_equal(result.out,
                        ODD "failed\n" ODD "iops\n" ODD "max\n" ODD "p50\n" ODD "p99\n");
    command_free(&result);
}

TEST(a_reader_of_perl_understands_the_figures)
{
    need_faults();
    need_parser();
    struct result result = command_status(0, "a_reader_of_perl_understands_the_figures");
#define SECONDS "[01]\\.[0-9]{9} s "
#define FIGURES(target)                                                                \
    target " p50: " SECONDS "- -\n" target " p99: " SECONDS "3600 7200\n" target       \
           " max: " SECONDS "- -\n" target " iops: [0-9]+\\.[0-9]{9} - 1: 0:\n" target \
           " min: 0\\.00[0-9]{7} s - 3600\n" target " failed: 0\\.0{9} c - -\n"
    assert_matches(result.out, "^" FIGURES("data") FIGURES("d") "$");
    command_free(&result);
}
