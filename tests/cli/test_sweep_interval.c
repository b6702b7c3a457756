/* Sweeps of intervals show the cost of idleness. Reads of the server take 10 ms longer
 * if it has been idle for 56 ms. So the time rises between the intervals of 40 ms and
 * 80 ms. */
/* Marks: 19s */
#include "support.h"

GROUP_SETUP(make_files)

TEST(each_interval_has_its_time_and_thirty_requests)
{
    need_program("jq");
    serve("idle_ms=56,idle_us=10000");
    expect(0,
           "[[10,true,true,true],[20,true,true,true],[40,true,true,true],[80,true,true,"
           "true],[160,true,true,true]]\n[false,false,false,true,true]\n1 1 1 1 1 ",
           "", "each_interval_has_its_time_and_thirty_requests");
}

TEST(the_longest_that_keeps_a_limit_is_the_last_without_sleep)
{
    need_program("jq");
    serve("idle_ms=56,idle_us=10000");
    expect(0,
           "[10,true]\n[20,true]\n[40,true]\n[80,false]\n[160,false]\n{\"interval\":"
           "40000000,\"limit\":\"p50=8ms\"}\n",
           "", "the_longest_that_keeps_a_limit_is_the_last_without_sleep");
}

/* Percentiles that few requests give are left out, as in any table. */
TEST(the_table_begins_with_the_interval)
{
    expect(0,
           "  interval     iops     bandwidth        avg        p50        p99        "
           "max\nlongest interval with max <= 1 hour: at least 3 ms, the highest that "
           "was measured\n"
           "1 ms 1\n2 ms 1\n3 ms 1\n",
           NULL,
           "ioping -hang 0 -C -w 40ms -sweep interval=1ms..3ms -slo max=1h data >o && "
           "sed -n '3p; $p' o && awk 'NR > 3 && /^ / { print $1, $2, $3 * ($4 == \"k\" ? "
           "1000 : 1) * $1 <= 1100 && $4 != \"M\" }' o");
}
