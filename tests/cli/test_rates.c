/* Rates of requests when some workers are busier than others, compared with the log of
 * a file system, which has the begin, the end and the result of each read. */
/* Marks: 43s native */
#include "support.h"

/* Each way to have eight or 64 under way, with the need for it. */
static const struct {
    const char *eight, *many;
    void (*need)(void);
} engines[] = {
    {"-threads 8", "-threads 64", NULL},
    {"-U -depth 8", "-U -depth 64", need_uring},
    {"-U -depth 4 -threads 2", "-U -depth 8 -threads 8", need_uring},
    {"-A -depth 8", "-A -depth 64", need_linux_aio},
};

/* Sets SERVED to the rate of the last COUNT reads in the log. */
#define SERVED(count) \
    "SERVED=$(\"$IOPING_SOURCE/tests/support/shells/served\" fs.log " count ");"

/* The server sees less of each read than its client does. */
static void
assert_rate(const char *arguments, const char *count, int status, const char *limits)
{
    expect(0, "true\n", NULL,
           "status=0; ioping -J -i 0 -a 0 %s -c %s fs/f >o 2>e || status=$?; [ $status = "
           "%d ] || { cat e; exit 9; }; " SERVED(
               "%s") "jq -c --argjson served $SERVED '.[-1] as $r | [$r.stat.iops, "
                     "$r.load.iops, $served] as [$own, $clock, $served] | if %s then "
                     "true else [$own, $clock, $served] end' o",
           arguments, count, status, count, limits);
}

/* Checks the rates with each way to have eight requests under way, or MANY. */
static void
assert_rates(bool many, const char *server, const char *options, const char *count,
             int status, const char *limits)
{
    need_program("jq");
    for (size_t i = 0; i < LENGTH(engines); i++) {
        char arguments[128];
        if (engines[i].need)
            engines[i].need();
        snprintf(arguments, sizeof(arguments), "-q %s %s", options,
                 many ? engines[i].many : engines[i].eight);
        serve(server);
        assert_rate(arguments, count, status, limits);
    }
}

/* One of 128 reads of 10 ms takes two seconds: some 63 a second, and a limit is broken.
 */
TEST(one_that_hangs_is_in_the_rate)
{
    assert_rates(true, "delay_us=10000,hang_at=100,hang_s=2", "-slo iops=500", "128", 5,
                 "$own <= $served * 1.01 and $own <= $clock * 1.05 and $own >= $clock * "
                 "0.95 and $own < 64");
}

/* Every second one. */
TEST(those_that_fail_are_not_in_the_rate)
{
    assert_rates(false, "delay_us=10000,fail_every=2", "-E", "400", 3,
                 "$own <= $served * 1.01 and $own >= $clock / 2 * 0.98");
}

/* Requests above 15 ms wait for one of the two slots of the server. */
TEST(those_that_are_too_slow_are_not_in_the_rate)
{
    assert_rates(false, "delay_us=5000,slots=2", "-T 15ms", "200", 0,
                 "$own <= $clock * 1.05");
}

/* -a leaves the hanging requests out; the other workers go on meanwhile. The first reads,
 * three at most, examine the file before the run. Those that count take a third of a
 * second, and may take a whole one on a busy machine. */
TEST(warmup_is_not_in_the_rate)
{
    assert_rates(false, "delay_us=10000,hang_at=4,hang_count=5,hang_s=2", "-a 8", "108",
                 0, "$clock < 55 and $own > $clock * 1.5");
}

/*
 * Seven of eight hang for two seconds: in each period the third field is by the clock of
 * the tenth, also in the one in which they return. Again, if a busy machine made pauses.
 */
TEST(each_period_has_its_own_rate)
{
    need_bare("the tool makes long pauses between requests");
    for (size_t i = 0; i < LENGTH(engines); i++) {
        if (engines[i].need)
            engines[i].need();
        bool well = false;
        for (int try = 0; try < 5 && !well; try++) {
            serve("delay_us=10000,hang_at=300,hang_count=7,hang_s=2");
            struct result result =
                command_status(0,
                               "ioping -i 0 -a 0 -q -P 0.5 -w 4 %s fs/f 2>/dev/null | "
                               "\"$IOPING_SOURCE/tests/support/shells/period-rates\" 150",
                               engines[i].eight);
            well = strcmp(result.out, "0 1 1\n") == 0;
            if (!well)
                printf("%s: %s", engines[i].eight, result.out);
            command_free(&result);
        }
        assert_true(well);
    }
}

/* Four at each point of a grid are under way together, whoever sends them. With the
 * pauses there would be a tenth of what is served. */
TEST(pauses_are_not_in_the_rate)
{
    static const char *const four[] = {"-threads 4", "-U -depth 4 -b 4"};
    need_program("jq");
    for (size_t i = 0; i < LENGTH(four); i++) {
        if (i == 1)
            need_uring();
        serve("delay_us=30000");
        expect(0, "true\n", NULL,
               "ioping -J -q -i 300ms -a 0 -c 40 %s fs/f 2>/dev/null >o; " SERVED(
                   "40") "jq -c --argjson served $SERVED '.[-1].stat.iops as $own | if "
                         "$own <= $served * 1.01 "
                         "and $own > $served / 3 then true else [$own, $served] end' o",
               four[i]);
    }
}

/* As ioping 1.3 has it: the time of the requests, one after the other. */
TEST(one_at_a_time_has_the_rate_of_its_times)
{
    need_program("jq");
    serve("delay_us=1000,hang_at=20,hang_s=1");
    expect(0, "true\n", NULL,
           "ioping -J -q -i 5ms -c 60 fs/f 2>/dev/null | jq '.[-1].stat | (.count * 1e9 "
           "/ .time / .iops - 1 | fabs) < 1e-6'");
}
