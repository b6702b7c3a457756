/* tests/run: the line that it prints for each program, and its counts. */
/* Marks: apart native */
#include "support.h"
#include "terminal.h"

/* Scripts that take the place of test programs, and end in all the ways that these do. */
static int
make_programs(void **state)
{
    (void)state;
    shell(
        "mkdir -p tests/cli; cd tests/cli\n"
        "make() { { echo '#!/bin/sh'; echo 'cd \"${0%%/*}\"'; cat; } >$1; chmod 755 "
        "$1; }\n"
        "make good <<'END'\n"
        "echo 'this is well'; echo '[  PASSED  ] 2 test(s).'\n"
        "END\n"
        "make skips <<'END'\n"
        "echo 'skipped: needs the moon'; echo '[  PASSED  ] 1 test(s).'\n"
        "echo '[  SKIPPED ] 1 test(s), listed below:'\n"
        "END\n"
        "make bad <<'END'\n"
        "echo '[ RUN      ] a'; echo '[       OK ] a'\n"
        "echo '[ RUN      ] b'; echo 'this is wrong'; echo '[  FAILED  ] b'\n"
        "echo '[ RUN      ] c'; echo '[  PASSED  ] 4 test(s).'\n"
        "echo '[  FAILED  ] 1 test(s), listed below:'; exit 1\n"
        "END\n"
        "make breaks <<'END'\n"
        "echo 'this is worse'; kill -KILL $$\n"
        "END\n"
        /* flaky1 to flaky9 fail in the first try and pass in the second. */
        "for i in 1 2 3 4 5 6 7 8 9; do make flaky$i <<'END'\n"
        "name=${0##*/}; [ -e $name.tried ] && { echo '[  PASSED  ] 2 test(s).'; exit; }\n"
        ": >$name.tried; echo '[ RUN      ] early'; echo '[       OK ] early'\n"
        "echo '[ RUN      ] late'; echo \"$name was late\"; echo '[  FAILED  ] late'\n"
        "echo '[  PASSED  ] 1 test(s).'; echo '[  FAILED  ] 1 test(s), listed below:'\n"
        "echo '[  FAILED  ] late'; exit 1\n"
        "END\n"
        "done\n"
        /* Each of these crashes or leaves a report in the first try. It would pass in the
         * second. */
        "passed=\"echo '[  PASSED  ] 1 test(s).'\"\n"
        "failed=\"echo '[  FAILED  ] 1 test(s), listed below:'; exit 1\"\n"
        "make_crashing() { { echo \"[ ! -e \\$0.tried ] || { $passed; exit; }; : "
        ">\\$0.tried\"; cat; } | make $1; }\n"
        "make_crashing signal <<'END'\n"
        "kill -SEGV $$\n"
        "END\n"
        "make_crashing exception <<END\n"
        "echo 'Test failed with exception: Segmentation fault(11)'; $failed\n"
        "END\n"
        "make_crashing command <<END\n"
        "echo 'crashed: signal 6'; $failed\n"
        "END\n"
        "make_crashing early <<'END'\n"
        "echo '[ RUN      ] a'\n"
        "END\n"
        "make_crashing leak <<END\n"
        "echo '==1==ERROR: LeakSanitizer: detected memory leaks' "
        ">\\${ASAN_OPTIONS##*log_path=}.1; $failed\n"
        "END\n"
        "make_crashing undefined <<END\n"
        "echo 'a.c:1:2: runtime error: division by zero' "
        ">\\${UBSAN_OPTIONS##*log_path=}.1; $passed\n"
        "END\n"
        "make_crashing race <<END\n"
        "echo 'WARNING: ThreadSanitizer: data race' "
        ">\\${TSAN_OPTIONS##*log_path=}.1; $passed\n"
        "END\n"
        "make_crashing memory <<END\n"
        "file=\\${IOPING_RUNNER#log=}/valgrind; echo '--1-- a warning' >\\$file.1\n"
        "echo '==2== Invalid read of size 1' >\\$file.2; : >\\$file.3; $passed\n"
        "END\n"
        "make warning <<END\n"
        "echo '--1-- a warning' >\\${IOPING_RUNNER#log=}/valgrind.1; $passed\n"
        "END\n"
        "make late_report <<'END'\n"
        "file=${ASAN_OPTIONS##*log_path=}.1; cd ..\n"
        "setsid sh -c \"until [ -e cli/last.began ]; do sleep 0.01; done\n"
        "echo '==1==ERROR: AddressSanitizer: late' >$file; : >cli/reported\" >/dev/null "
        "2>&1 &\n"
        "echo '[  PASSED  ] 1 test(s).'\n"
        "END\n"
        "make last <<'END'\n"
        ": >last.began; until [ -e reported ]; do sleep 0.01; done\n"
        "echo '[  PASSED  ] 1 test(s).'\n"
        "END\n"
        "make lost <<'END'\n"
        "kill -KILL $(cut -d' ' -f4 /proc/$PPID/stat)\n"
        "END\n"
        "make one <<'END'\n"
        ": >one.began; until [ -e two.began ]; do sleep 0.01; done\n"
        "echo '[  PASSED  ] 1 test(s).'\n"
        "END\n"
        "make two <<'END'\n"
        ": >two.began; until [ -e one.began ]; do sleep 0.01; done\n"
        "echo '[  PASSED  ] 1 test(s).'\n"
        "END\n"
        "make lasts <<'END'\n"
        "echo $$ >new.pid; mv new.pid pid; exec sleep 1000\n"
        "END\n"
        "mkdir bin; make bin/timeout <<'END'\n"
        "shift 3\n"
        "exec setsid sh -c 'trap \"exit 143\" TERM; \"$@\" & wait' sh \"$@\"\n"
        "END\n");
    return 0;
}

/* A shell function: run OPTIONS PROGRAM... by the script, with a folder of its own. */
#define RUN                                                                          \
    "unset RUNNER PROGRAM MAKEFLAGS MAKELEVEL CHECK_JOBS V; own=$PWD; cd "           \
    "\"$IOPING_SOURCE\"; export "                                                    \
    "BUILDDIR=\"$own\" RESULTS=\"$own/results\"\n"                                   \
    "run() { options=$1; shift; for name; do shift; set -- \"$@\" \"$own/tests/cli/" \
    "$name\"; done; exec tests/run $options \"$@\"; }\n"

GROUP_SETUP(make_programs)

TEST(each_has_a_line_and_one_that_failed_all_of_its_own)
{
    struct result result =
        command_status(1, RUN "(run '-j 2' good bad skips breaks); s=$?; cat "
                              "\"$own/results/log\" >\"$own/log\"; exit $s");
    assert_matches(result.out, "(^|\n)ok      cli/good  +[0-9.]+ s  2 passed\n");
    assert_matches(result.out, "(^|\n)FAILED  cli/bad  +[0-9.]+ s  4 passed, 1 failed\n"
                               "--- first try of cli/bad:\n"
                               "    \\[ RUN      \\] b\n    this is wrong\n"
                               "    \\[  FAILED  \\] b\n    \\[ RUN      \\] c\n"
                               "    \\[  PASSED  \\] 4");
    assert_matches(result.out,
                   "(^|\n)ok      cli/skips  +[0-9.]+ s  1 passed, 1 skipped\n");
    assert_matches(result.out,
                   "(^|\n)FAILED  cli/breaks  +[0-9.]+ s  0 passed, 1 failed\n"
                   "    this is worse\n");
    assert_lacks(result.out, "this is well");
    assert_matches(result.out,
                   "\nskipped: needs the moon \\(1\\)\n4 programs in [0-9.]+ s\n"
                   "7 passed, 2 failed, 1 skipped\n$");
    assert_contains(result.err, "failed programs: ");
    assert_contains(result.err, " cli/bad");
    assert_contains(result.err, " cli/breaks");
    command_free(&result);
    expect(0, "3\n", NULL, "grep -c '^this is ' log");
}

/* Forgets which programs have been tried. */
static void
forget_tries(void)
{
    shell("rm -f tests/cli/*.tried");
}

TEST(a_program_that_passes_alone_is_flaky_and_fails_nothing)
{
    forget_tries();
    struct result result = command_status(0, RUN "run '' flaky1 good flaky2");
    assert_matches(result.out,
                   "(^|\n)retry   cli/flaky1  +[0-9.]+ s  1 passed, 1 failed\n");
    assert_matches(result.out, "\nflaky   cli/flaky1  +[0-9.]+ s  2 passed\n"
                               "--- first try of cli/flaky1:\n"
                               "    \\[ RUN      \\] late\n    flaky1 was late\n");
    assert_matches(result.out, "\nflaky: cli/flaky1 \\(late\\)\n");
    assert_matches(result.out, "\nflaky: cli/flaky2 \\(late\\)\n");
    assert_matches(result.out,
                   "\n3 programs in [0-9.]+ s\n6 passed, 0 failed, 0 skipped\n$");
    assert_string_equal(result.err, "");
    command_free(&result);
}

/* No other program runs beside the second try. */
TEST(the_second_try_begins_after_all_others)
{
    forget_tries();
    static const char *const others[] = {"ok      cli/one ", "ok      cli/two "};
    struct result result = command_status(0, RUN "run '' good flaky1 one two");
    const char *second = strstr(result.out, "\nflaky   cli/flaky1 ");
    assert_non_null(second);
    for (int i = 0; i < 2; i++) {
        const char *other = strstr(result.out, others[i]);
        assert_true(other && other < second);
    }
    command_free(&result);
}

TEST(a_program_that_fails_again_has_failed)
{
    forget_tries();
    struct result result = command_status(1, RUN "run '' bad flaky1");
    assert_matches(result.out, "(^|\n)retry   cli/bad  ");
    assert_matches(result.out, "\nFAILED  cli/bad  [^\n]*\n--- first try of cli/bad:\n"
                               "    \\[ RUN      \\] b\n    this is wrong\n");
    assert_matches(result.out, "\n--- second try of cli/bad:\n"
                               "    \\[ RUN      \\] b\n    this is wrong\n");
    assert_matches(result.out, "\n6 passed, 1 failed, 0 skipped\n$");
    assert_string_equal(result.err, "failed programs: cli/bad\n");
    command_free(&result);
}

TEST(more_than_four_flaky_programs_fail_the_run)
{
    forget_tries();
    shell(RUN "run '' flaky1 flaky2 flaky3 flaky4");
    forget_tries();
    expect(1, "~\n10 passed, 0 failed, 0 skipped\n$",
           "5 flaky programs: more than 4 are not chance\n",
           RUN "run '' flaky1 flaky2 flaky3 flaky4 flaky5");
}

/* All nine would pass in a second try. */
TEST(many_that_fail_have_no_second_try)
{
    forget_tries();
    struct result result =
        command_status(1, RUN "run '' flaky1 flaky2 flaky3 flaky4 flaky5 "
                              "flaky6 flaky7 flaky8 flaky9");
    assert_matches(result.out, "\n9 passed, 9 failed, 0 skipped\n$");
    assert_matches(result.out,
                   "\nFAILED  cli/flaky9  [^\n]*\n    \\[ RUN      \\] late\n");
    assert_lacks(result.out, "\nflaky ");
    command_free(&result);
}

/* RUNNER tells the program where valgrind would write. */
TEST(a_crash_or_a_report_is_never_retried)
{
    static const struct {
        const char *program, *printed;
        int passed;
    } cases[] = {{"signal", "", 0},
                 {"exception", "    Test failed with exception", 0},
                 {"command", "    crashed: signal 6", 0},
                 {"early", "    [ RUN      ] a", 0},
                 {"leak", "    ==1==ERROR: LeakSanitizer", 0},
                 {"undefined", "    a.c:1:2: runtime error: division by zero", 1},
                 {"race", "    WARNING: ThreadSanitizer: data race", 1},
                 {"memory", "    ==2== Invalid read", 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[64];
        forget_tries();
        struct result result = command_status(
            1, RUN "export RUNNER=log=@REPORTS@\nrun '' %s good", cases[i].program);
        snprintf(line, sizeof(line), "FAILED  cli/%s  ", cases[i].program);
        assert_contains(result.out, line);
        snprintf(line, sizeof(line), " s  %d passed, 1 failed\n", cases[i].passed);
        assert_contains(result.out, line);
        assert_contains(result.out, cases[i].printed);
        assert_lacks(result.out, "retry");
        assert_lacks(result.out, "flaky");
        assert_contains(result.err, cases[i].program);
        command_free(&result);
    }
}

/* Valgrind writes warnings where it writes its reports. */
TEST(a_warning_of_valgrind_is_no_report)
{
    shell(RUN "export RUNNER=log=@REPORTS@\nrun '' warning");
}

/* The report is written by a process that outlives its test. */
TEST(a_report_after_the_end_of_a_test_fails_the_run)
{
    struct result result = command_status(1, RUN "run '-j 1' late_report last");
    assert_contains(result.out, "report after the end of cli/late_report/report.1:\n"
                                "==1==ERROR: AddressSanitizer: late\n");
    assert_string_equal(result.err, "reports after the end of a test: 1\n");
    command_free(&result);
}

TEST(all_that_pass_are_well)
{
    expect(0, "~\n3 passed, 0 failed, 1 skipped\n$", "", RUN "run '' good skips");
}

/* As when the system has no memory left, and ends what has to tell of one. */
TEST(one_of_which_nothing_is_heard_has_failed)
{
    struct result result = command_status(1, RUN "run '-j 1' lost good");
    assert_matches(result.out, "\n0 passed, 2 failed, 0 skipped\n$");
    assert_contains(result.err, " and 2 that have no end\n");
    command_free(&result);
}

/* The programs wait for each other. */
TEST(they_run_side_by_side)
{
    shell(RUN "run '-j 2' one two");
}

/* Waits until the one that lasts has begun. */
static void
await_the_one_that_lasts(void)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/tests/cli/pid", scratch());
    for (int ms = 0; access(path, R_OK) < 0; ms++) {
        assert_true(ms < 60000);
        usleep(1000);
    }
}

/* The last has a timeout that forgets its child, as the real one does in a race. */
TEST(a_signal_ends_all_that_was_begun)
{
    static const struct {
        const char *key; /* or else a signal */
        int signal, status;
        const char *path;
    } cases[] = {{"\003", 0, 130, ""},
                 {NULL, SIGTERM, 143, ""},
                 {NULL, SIGHUP, 129, ""},
                 {NULL, SIGTERM, 143, "$own/tests/cli/bin:"}};
    static struct terminal terminal;
    for (int i = 0; i < 4; i++) {
        terminal_start(&terminal, 80, RUN "PATH=%s$PATH\nrun '-j 1' lasts good",
                       cases[i].path);
        await_the_one_that_lasts();
        if (cases[i].key)
            terminal_type(&terminal, cases[i].key);
        else
            terminal_signal(&terminal, cases[i].signal);
        terminal_end(&terminal, cases[i].status);
        terminal_free(&terminal);
        expect(
            -1, "0\n", NULL,
            "read -r pid <tests/cli/pid; rm tests/cli/pid\n"
            /* A zombie has ended: who inherits it need not be quick to notice. */
            "lives() { read -r _ _ state _ <\"/proc/$pid/stat\" && [ $state != Z ]; }\n"
            "n=0; while lives && [ $n -lt 6000 ]; do n=$((n + 1)); sleep 0.01; done\n"
            "lives && echo it lasts\n"
            "grep -c . results/rows; ls results/scratch");
    }
}

/* Before anything is built. */
TEST(a_name_that_is_none_is_refused)
{
    static const char *const names[] = {"stats/test_histogrm", "histogram",
                                        "test_color no"};
    if (access("Makefile", R_OK) < 0)
        skip_because("needs the Makefile");
    for (int i = 0; i < 3; i++) {
        struct result result = command_status(2, RUN "make -n check T='%s'", names[i]);
        assert_string_equal(result.out, "");
        assert_contains(result.err, ": no test program has this name.");
        command_free(&result);
    }
    expect(0, "b/tests/unit/stats/test_histogram\n", NULL,
           RUN "make -n check T=stats/test_histogram BUILDDIR=b | tail -n 1 | xargs");
}

/* The command counts its tries, and succeeds in try number `passes`. */
TEST(a_fetch_that_fails_is_tried_three_times)
{
    static const struct {
        int passes, status;
        const char *tries;
    } cases[] = {{1, 0, "1\n"}, {3, 0, "1\n2\n3\n"}, {4, 7, "1\n2\n3\n"}};
    for (int i = 0; i < 3; i++)
        expect(cases[i].status, cases[i].tries, NULL,
               "rm -f tries; FETCH_PAUSE=0 \"$IOPING_SOURCE\"/tests/fetch sh -c 'echo "
               ">>tries; "
               "wc -l <tries; [ $(wc -l <tries) = %d ] || exit 7'",
               cases[i].passes);
}

/* With a package manager that has none of them yet. */
TEST(without_root_or_sudo_the_packages_are_listed)
{
    static const char *const ways[] = {"SUDO=no-such-sudo", "SUDO="};
    if (access("Makefile", R_OK) < 0)
        skip_because("needs the Makefile");
    for (int i = 0; i < 2; i++) {
        expect(2, "",
               "~(^|\n)make deps: not installed, for root to do: "
               "libcmocka-dev jq [-a-z0-9 ]*\n",
               "rm -rf bin; mkdir bin; echo false >bin/dpkg; cp bin/dpkg bin/apt-get; "
               "chmod 755 bin/*; bin=$PWD/bin; " RUN "PATH=$bin:$PATH make deps check %s",
               ways[i]);
    }
}

TEST(a_mark_that_is_none_is_refused)
{
    expect(1, "", "tests/marked: no mark 'lnog'\n",
           "\"$IOPING_SOURCE\"/tests/marked lnog");
}

/* In another order than that of their names. */
TEST(those_that_take_longest_come_first)
{
    shell("\"$IOPING_SOURCE\"/tests/marked long >long && cd \"$IOPING_SOURCE\"/tests && "
          "sed 's/.*/&.c/' \"$OLDPWD/long\" | xargs sed -n 's/.*Marks: "
          "\\([0-9]*\\)s.*/\\1/p' "
          "| sort -rnc && ! sort -c \"$OLDPWD/long\" 2>/dev/null");
}
