/* A process that is stopped, as by Ctrl-Z: what passes then is not the disk's time. */
#include "support.h"

#include "running.h"

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

/* Stops $pid for a second, from when all of its threads are. BEFORE lets those come out
 * of the kernel that are in it. */
#define STOP_FOR_A_SECOND(before)                              \
    "kill -STOP $pid; " before                                 \
    "while grep -h '^State:' /proc/$pid/task/*/status | grep " \
    "-qv 'T '; do sleep 0.02; done; sleep 1; kill -CONT $pid; "

/* The process has begun with its requests: its file is there. */
#define BEGUN "until [ -s o ]; do sleep 0.02; done; "

/* A run on mount fs, with one request that is under way until file hang goes. */
#define UNDER_WAY(options)                                                 \
    "head -c 1M /dev/urandom >fs.files/f; rm -f hang hang.waiting; " START \
    "-i 1ms " options " fs/f >o 2>e & pid=$!; " BEGUN                      \
    ": >hang; until [ -e hang.waiting ]; do sleep 0.02; done; "

static void
need_native_process(void)
{
    need_bare("the tool's own threads are stopped and told of it as well");
    need_native("an emulator takes its time to tell of signals");
}

/* The longest of those that count is shorter than the stop. A machine that is late by a
 * second besides is asked again. */
static void
a_stop_is_not_the_longest_latency(void **state)
{
    static const char *const engines[] = {"", "-threads 4", "-U -depth 8", "-A"};
    (void)state;
    need_native_process();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(engines); i++) {
        if (i == 2)
            need_uring();
        if (i == 3)
            need_linux_aio();
        struct result result = command_status(
            0,
            TRY START
            "-JJ -q -P 10ms -i 0 -S 1m %s . >o 2>e & pid=$!; " BEGUN STOP_FOR_A_SECOND(
                "") "kill -INT $pid; wait $pid; s=$(tail -n 1 o | jq '.stat.max < "
                    "1e9'); " AGAIN_UNLESS("true") "echo $s; cat e >&2",
            engines[i]);
        assert_string_equal(result.out, "true\n");
        assert_matches(result.err,
                       "^(ioping: [1-9] of [0-9]+ requests were under way while "
                       "the program was stopped: they do not count\n)?$");
        command_free(&result);
    }
}

/* Behind a server that answers when it may: the request is surely under way. */
static void
a_request_under_way_has_the_verdict(void **state)
{
    (void)state;
    need_native_process();
    need_program("jq");
    mount_fuse("fs", "uncached,hang_file=$PWD/hang");
    struct result result = command_status(
        0, UNDER_WAY("-JJ -c 1000 -a 0") STOP_FOR_A_SECOND("rm hang; ") //
        "wait $pid; s=$?; jq -c 'select(.io.notice == \"stopped\") | .io.ignored' o; "
        "tail -n 1 o | jq -c '[.stat.count, .load.count, .stat.max < 1e9]'; "
        "grep -o 'while the program was stopped' e; exit $s");
    assert_string_equal(result.out,
                        "true\n[999,1000,true]\nwhile the program was stopped\n");
    command_free(&result);
}

/* Stopped between two requests, which are not due as long. */
static void
a_pause_that_becomes_longer_misses_nothing(void **state)
{
    (void)state;
    need_native_process();
    need_program("jq");
    struct result result = command_status(
        0, TRY START
        "-JJ -i 300ms -c 5 -a 0 -S 1m . >o 2>e & pid=$!; " BEGUN STOP_FOR_A_SECOND(
            "") "wait $pid; s=$(tail -n 1 o | jq '[.stat.count, .load.missed] == [5, "
                "0]'); " AGAIN_UNLESS("true") "echo $s; cat e >&2");
    assert_string_equal(result.out, "true\n");
    assert_string_equal(result.err, "");
    command_free(&result);
}

/* timeout(1) sends it to make sure that its first signal is seen. */
static void
a_signal_to_go_on_is_no_stop(void **state)
{
    (void)state;
    need_native_process();
    if (!is_linux_aio())
        skip_because("needs a system that counts the stops of a thread");
    need_program("jq");
    mount_fuse("fs", "uncached,hang_file=$PWD/hang");
    struct result result = command_status(
        0, UNDER_WAY("-JJ -c 100 -a 0") "kill -CONT $pid; sleep 0.3; kill -CONT $pid; "
                                        "sleep 0.3; rm hang; wait $pid; s=$?; tail -n 1 "
                                        "o | jq -c '[.stat.count, "
                                        ".stat.max > 6e8, .load.missed > 500]'; grep "
                                        "stopped o e; exit $s");
    assert_string_equal(result.out, "[100,true,true]\n");
    command_free(&result);
}

/* A third of the time is nobody's, whatever the number of workers. */
static void
rates_are_those_without_the_stop(void **state)
{
    static const char *const engines[] = {"-threads 2", "-U -depth 2"};
    (void)state;
    need_native_process();
    need_program("jq");
    mount_fuse("fs", "uncached,delay_us=5000");
    for (size_t i = 0; i < LENGTH(engines); i++) {
        if (i == 1)
            need_uring();
        struct result result = command_status(
            0,
            "head -c 1M /dev/urandom >fs.files/f; " START
            "-JJ -q -P 10ms -i 0 -a 0 -c 200 %s fs/f >o 2>e & pid=$!; " BEGUN
                STOP_FOR_A_SECOND("") "wait $pid; tail -n 1 o | jq '.stat.iops > "
                                      ".load.iops * 1.5 and .stat.iops < 400'",
            engines[i]);
        assert_string_equal(result.out, "true\n");
        command_free(&result);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_is_not_the_longest_latency),
        cmocka_unit_test(a_request_under_way_has_the_verdict),
        cmocka_unit_test(a_pause_that_becomes_longer_misses_nothing),
        cmocka_unit_test(a_signal_to_go_on_is_no_stop),
        cmocka_unit_test(rates_are_those_without_the_stop),
    };
    return cmocka_run_group_tests_name("stop", tests, NULL, unmount_all);
}
