/* A process that is stopped, as by Ctrl-Z. The time for which it is stopped does not
 * count as latency. */
/* Marks: 23s races posix each */
#include "support.h"

static void
need_native_process(void)
{
    need_bare("the tool's own threads are stopped and told of it as well");
    need_native("an emulator takes its time to tell of signals");
    need_process_states();
}

/* The longest of those that count is shorter than the stop. A machine that is late by a
 * second besides is asked again. */
TEST(a_stop_is_not_the_longest_latency)
{
    static const char *const engines[] = {"", "-threads 4", "-U -depth 8", "-A"};
    need_native_process();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(engines); i++) {
        if (i == 2)
            need_uring();
        if (i == 3)
            need_linux_aio();
        expect(0, "true\n",
               "~^(ioping: [1-9] of [0-9]+ requests (was|were) in flight while the "
               "program was stopped or frozen: (it does|they do) not count\n)?$",
               "a_stop_is_not_the_longest_latency %s", engines[i]);
    }
}

/* Behind a server that answers when it may: the request is surely under way. */
TEST(a_request_under_way_has_the_verdict)
{
    need_native_process();
    need_program("jq");
    mount_fuse("fs", "uncached,hang_file=$PWD/hang");
    expect(0, "true\n[999,1000,true]\nwhile the program was stopped or frozen\n", NULL,
           "a_request_under_way_has_the_verdict");
}

/* Stopped between two requests, which are not due as long. */
TEST(a_pause_that_becomes_longer_misses_nothing)
{
    need_native_process();
    need_program("jq");
    expect(0, "true\n", "", "a_pause_that_becomes_longer_misses_nothing");
}

/* timeout(1) sends it to make sure that its first signal is seen. */
TEST(a_signal_to_go_on_is_no_stop)
{
    need_native_process();
    if (!is_linux_aio())
        skip_because("needs a system that counts the stops of a thread");
    need_program("jq");
    mount_fuse("fs", "uncached,hang_file=$PWD/hang");
    expect(0, "[100,true,true]\n", NULL, "a_signal_to_go_on_is_no_stop");
}

/* A second of the time is nobody's, whatever the number of workers and however long a
 * busy machine takes for the rest; one that is late is asked again. */
TEST(rates_are_those_without_the_stop)
{
    static const char *const engines[] = {"-threads 2", "-U -depth 2"};
    need_native_process();
    need_program("jq");
    mount_fuse("fs", "uncached,delay_us=5000");
    for (size_t i = 0; i < LENGTH(engines); i++) {
        if (i == 1)
            need_uring();
        expect(0, "true\n", NULL, "rates_are_those_without_the_stop %s", engines[i]);
    }
}

/* The stop comes in the middle of a step, or at its end. If its two seconds counted, the
 * 600 requests would be 120 a second. The run is repeated if the machine was late.
 */
TEST(what_was_due_while_stopped_does_not_count)
{
    static const char *const reads[] = {"150", "550"};
    need_native_process();
    need_program("jq");
    for (size_t i = 0; i < LENGTH(reads); i++) {
        expect(-1, NULL, NULL, "umount fs 2>/dev/null");
        mount_fuse("fs", "uncached,delay_us=2000,log=$PWD/fs.log");
        expect(0, "[true,true,true]\n", NULL,
               "what_was_due_while_stopped_does_not_count %s", reads[i]);
    }
}
