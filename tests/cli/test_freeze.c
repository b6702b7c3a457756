/* A control group freezes the process, as "docker pause" does. The time for which it
 * is frozen does not count as latency. The times of a process that is only delayed do
 * count. */
/* Marks: 30s each */
#include "support.h"

/* Where there is no freezer of a version the test of that version is skipped. */
struct freezer {
    const char *name, *version;
};

static const struct freezer freezers[] = {{"v1", "1"}, {"v2", "2"}};

static void
need_freezes(void)
{
    need_bare("the tool's own threads are frozen as well");
    need_native("an emulator takes its time to go on");
    if (!is_linux_aio())
        skip_because("needs a system that tells of freezes");
    need_program("jq");
}

/* The longest request that counts is shorter than the freeze. A machine that is late by a
 * second besides is asked again. */
TEST_EACH(a_freeze_is_not_the_longest_latency, freezers)
{
    static const char *const engines[] = {"-i 0", "-i 0 -threads 4", "-i 10ms",
                                          "-i 0 -U -depth 8"};
    const struct freezer *freezer = *state;
    need_freezes();
    for (size_t i = 0; i < LENGTH(engines); i++) {
        if (i == 3)
            need_uring();
        expect(0, "true\n", NULL,
               "with_group freezer%s a_freeze_is_not_the_longest_latency %s",
               freezer->version, engines[i]);
    }
}

/* Behind a server that answers when it may: the request is surely under way. */
TEST_EACH(a_frozen_request_has_the_verdict, freezers)
{
    const struct freezer *freezer = *state;
    need_freezes();
    expect(-1, NULL, NULL, "umount fs 2>/dev/null");
    mount_fuse("fs", "uncached,hang_file=$PWD/hang");
    expect(0, "true\n[999,1000,true]\nwhile the program was stopped or frozen\n", NULL,
           "with_group freezer%s found_in_five a_frozen_request_has_the_verdict",
           freezer->version);
}

/* Then it counts, and one line says what is not known. */
TEST_EACH(a_freeze_that_cannot_be_seen_is_noted, freezers)
{
    const struct freezer *freezer = *state;
    need_freezes();
    need_forbid();
    expect(-1, NULL, NULL, "umount fs 2>/dev/null");
    mount_fuse("fs", "uncached,hang_file=$PWD/hang");
    expect(0, "[1000,1000,true]\n",
           "~^(ioping: [0-9]+ requests? missed: not sent in time, because earlier ones "
           "were still in flight\n)?ioping: 1 of 1000 requests was in flight while "
           "ioping itself could not run for a second or more: it counts, but a busy or "
           "paused machine, or a freeze, may have added to its time\n$",
           "with_group freezer%s a_freeze_that_cannot_be_seen_is_noted",
           freezer->version);
}

/* All threads share the gaps, and the device takes its time meanwhile. */
TEST(a_limit_on_processor_time_is_no_freeze)
{
    need_freezes();
    expect(-1, NULL, NULL, "umount fs 2>/dev/null");
    mount_fuse("fs", "uncached,delay_us=300000");
    expect(0, "throttled\n[6,true]\n", NULL,
           "with_group cpu a_limit_on_processor_time_is_no_freeze");
}
