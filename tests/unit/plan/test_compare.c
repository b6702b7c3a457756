/* The plans of comparisons, and the options that they refuse. */
#include "planned.h"

TEST(nothing_is_measured)
{
    struct plan plan = planned("-compare gp2 gp3 -");
    assert_int_equal(plan.mode, MODE_COMPARE);
    assert_false(plan.output.any_requests || output_of(&plan, FORMAT_STATUS).kind);
    assert_true(plan.output.any_summary);
    assert_int_equal(plan.target_count, 3);
    assert_string_equal(plan.targets[1], "gp3");
    assert_int_equal(planned("gp2").mode, MODE_RUN);
}

TEST(formats_are_those_of_a_run)
{
    struct plan plan = planned("-compare a");
    assert_int_equal(format_of(&plan), FORMAT_HUMAN);
    plan = planned("-compare -B a");
    assert_int_equal(format_of(&plan), FORMAT_RAW);
    plan = planned("-compare -J a");
    assert_int_equal(format_of(&plan), FORMAT_JSON);
    plan = planned("-compare -JJ -B a");
    assert_int_equal(format_of(&plan), FORMAT_NDJSON);
    assert_true(planned("-compare -q a").output.any_summary);
    plan = planned("-compare -plot x a");
    assert_string_equal(output_of(&plan, FORMAT_PLOT).path, "x");
}

TEST(limits_are_on_the_whole_time)
{
    static const char *const names[] = {"device-p99", "sync-max",  "read-p99",
                                        "write-avg",  "idle-p99",  "loaded-max",
                                        "submit-min", "queue-p50", "loaded-read-p99"};
    struct plan plan =
        planned("-compare -slo p99=1ms -slo min=1s -slo avg=1s -slo max=1s "
                "-slo mdev=1s -slo iops=9 a");
    assert_int_equal(plan.statistics.slos.count, 6);
    for (size_t i = 0; i < LENGTH(names); i++) {
        char line[128], expected[256];
        snprintf(line, sizeof(line), "-compare -slo max=1s -slo %s=1s a", names[i]);
        snprintf(expected, sizeof(expected),
                 "ioping: -slo: %s: recorded runs have only the whole time of each "
                 "request; use a limit such as p99=1ms\n",
                 names[i]);
        planned_refused(line, expected);
    }
}

TEST(standard_input_is_read_once)
{
    planned_refused(
        "-compare - a -",
        "ioping: -compare: standard input can be read only once; give - once\n");
}

TEST(a_rerun_makes_the_same_choices)
{
    struct options options;
    struct plan one, other;
    struct error error;
    char *argv[] = {"ioping", "-compare", "gp2", NULL};
    assert_int_equal(cli_parse(3, argv, &options, &error), 0);
    assert_int_equal(plan_make(&options, 7, &one, &error), 0);
    assert_int_equal(plan_make(&options, 8, &other, &error), 0);
    assert_true(one.workload.seed == other.workload.seed);
    assert_true(planned("gp2").workload.seed == SEED);
}

TEST(recorded_runs_have_few_values)
{
    static const char *const whole[] = {"device-p99", "read-max", "loaded-p50"};
    for (size_t i = 0; i < LENGTH(whole); i++) {
        char line[128], expected[256];
        snprintf(line, sizeof(line), "-compare -print p99,%s a", whole[i]);
        snprintf(expected, sizeof(expected),
                 "ioping: -print: %s: recorded runs have only the whole time of each "
                 "request; leave out the prefix\n",
                 whole[i]);
        planned_refused(line, expected);
    }
    planned_refused("-compare -print failed a",
                    "ioping: -print: failed: recorded runs have only requests that "
                    "count; leave it out\n");
    planned_refused("-compare -print count,missed a",
                    "ioping: -print: missed: recorded runs have only requests that "
                    "count; leave it out\n");
    planned("-compare -print p99,min,avg,max,mdev,iops,bps,count a b");
}
