/* Limits of a sweep. Reads of the server take 10 ms or 300 ms, depending on how many
 * are in flight. The limits are so far from both times that a busy machine makes no
 * difference. */
/* Marks: 25s */
#include "support.h"

/* A read takes longer if two others or more are in flight. */
#define CROWDED "many=2,many_us=300000,few_us=10000"
/* A read takes longer if no other is in flight: at depth 1 there are less than four reads
 * a second, and about a hundred with more. */
#define LONELY "many=1,many_us=10000,few_us=300000"

TEST(steps_that_break_a_limit_are_marked_and_the_highest_is_named)
{
    static const struct {
        const char *server, *arguments, *out, *err;
        int status;
    } cases[] = {
        {CROWDED, "-U -sweep depth=1..8 -slo p50=150ms",
         "1 OK\n2 OK\n4 FAIL\n8 FAIL\nhighest depth with p50 <= 150 ms: 2\n", "", 0},
        {CROWDED, "-sweep threads=2..4 -slo p50=150ms -slo max=1h",
         "2 OK\n4 FAIL\nhighest number of threads with p50 <= 150 ms, max <= 1 hour: 2\n",
         "", 0},
        {LONELY, "-U -sweep depth=1..4 -slo iops=10",
         "1 FAIL\n2 OK\n4 OK\nhighest depth with iops >= 10: at least 4\n", "", 0},
        {LONELY, "-U -sweep depth=1..2 -slo min=9ms",
         "1 FAIL\n2 FAIL\nhighest depth with min <= 9 ms: none\n",
         "ioping: highest depth with min <= 9 ms: none\n", 5},
        {CROWDED, "-sweep size=4k..8k -slo p50=1h",
         "4 OK\n8 OK\nlargest size with p50 <= 1 hour: at least 8 KiB\n", "", 0},
    };
    need_uring();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *line = strrchr(cases[i].out, '\n');
        while (line > cases[i].out && line[-1] != '\n')
            line--;
        serve(cases[i].server);
        expect(cases[i].status, cases[i].out, cases[i].err, "rows '%.*s' %s",
               (int)strcspn(line, "\n"), line, cases[i].arguments);
    }
}

TEST(pipes_have_a_line_of_its_own_kind)
{
    need_uring();
    serve(CROWDED);
    expect(0, "11 2 1\n11 4 1\n4 highest 0\n", "",
           "sweep_limited 'highest depth 2' -B -U -sweep depth=2..4 -slo p50=150ms && "
           "awk '{ print NF, $1, /^[0-9 ]+$/ }' o");
    expect(5, "highest depth - max=1ns,p50=1ms\n",
           "ioping: highest depth with max <= 1 ns, p50 <= 1 ms: none\n",
           "sweep_limited 'highest depth -' -B -U -sweep depth=1..1 "
           "-slo max=1ns -slo p50=1ms; status=$?; tail -1 o; "
           "exit $status");
}

TEST(records_agree_with_their_own_figures)
{
    need("jq uring");
    serve(CROWDED);
    expect(0,
           "[[2,true,true],[4,false,true],[8,false,true]]\n"
           "{\"depth\":2,\"limit\":\"p50=150ms\"}\n"
           "[\"highest\",\"localtime\",\"target\",\"timestamp\"]\n",
           "", "records '\"depth\": 2,' -JJ -U -sweep depth=2..8 -slo p50=150ms");
}

/* At most 200 requests in the time of a step. */
TEST(too_few_requests_to_know_are_said_to_be)
{
    need_uring();
    serve(CROWDED);
    expect(5, "1 UNKNOWN\n2 UNKNOWN\nhighest UNKNOWN\n",
           "ioping: -sweep: too few requests count at depth 1 to check the limits; "
           "use a longer -w\n"
           "ioping: highest depth with p99.9 <= 1 hour: UNKNOWN\n",
           "ioping -hang 0 -w 1 -U -sweep depth=1..2 -slo p99.9=1h fs/f >o; status=$?; "
           "awk 'NR > 3 { print $1, $NF }' o; exit $status");
}

/* Interrupted after the first row, long before the last step. */
TEST(an_interrupted_sweep_says_that_its_answer_is_of_the_steps_so_far)
{
    need("jq uring");
    serve(CROWDED);
    expect(0, "highest depth with p50 <= 1 hour: at least LAST; interrupted\n",
           "ioping: -sweep: interrupted; the results are of the steps so far\n",
           "interrupted_sweep -w 1 -slo p50=1h && text_answer");
    expect(0,
           "{\"depth\":\"LAST\",\"limit\":\"p50=1hour\",\"at_least\":true,"
           "\"interrupted\":true}\n",
           "ioping: -sweep: interrupted; the results are of the steps so far\n",
           "interrupted_sweep -w 1 -JJ -slo p50=1h && json_answer");
}
