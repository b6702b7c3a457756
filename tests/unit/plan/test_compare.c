/* The plans of comparisons, and the options that they refuse. */
#include "planned.h"

static const enum option_id allowed[] = {
    OPTION_COMPARE,     OPTION_BATCH,     OPTION_JSON,   OPTION_QUIET,
    OPTION_PERCENTILES, OPTION_SLO,       OPTION_PLOT,   OPTION_COLOR,
    OPTION_HISTOGRAM,   OPTION_NO_STATUS, OPTION_OUTPUT,
};

/* Returns a value that ID takes. */
static const char *
value_of(enum option_id id)
{
    switch (id) {
    case OPTION_SWEEP:
        return "size";
    case OPTION_LOAD:
        return "write";
    case OPTION_PERCENTILES:
        return "50,99.9";
    case OPTION_SLO:
    case OPTION_WARN:
        return "p99=1ms";
    case OPTION_COLOR:
        return "never";
    default:
        return "1";
    }
}

static bool
is_allowed(enum option_id id)
{
    for (size_t i = 0; i < LENGTH(allowed); i++)
        if (allowed[i] == id)
            return true;
    return false;
}

TEST(nothing_is_measured)
{
    struct plan plan = planned("-compare gp2 gp3 -");
    assert_int_equal(plan.mode, MODE_COMPARE);
    assert_false(plan.output.requests || output_of(&plan, FORMAT_STATUS).kind);
    assert_true(plan.output.summary);
    assert_int_equal(plan.target_count, 3);
    assert_string_equal(plan.targets[1], "gp3");
    assert_int_equal(planned("gp2").mode, MODE_RUN);
}

TEST(options_that_say_how_to_measure_are_refused)
{
    for (int id = 0; id < OPTION_IDS; id++) {
        const struct cli_option *option = cli_option((enum option_id)id);
        bool takes = option->takes == CLI_REQUIRED;
        char line[128], expected[256];
        snprintf(line, sizeof(line), "-%s%s%s -compare gp2", option->name,
                 takes ? " " : "", takes ? value_of(option->id) : "");
        snprintf(expected, sizeof(expected),
                 "ioping: -%s: cannot be done together with -compare: nothing is "
                 "measured; leave out one of them\n",
                 option->name);
        if (id == OPTION_HELP || id == OPTION_VERSION)
            continue;
        if (is_allowed(option->id))
            assert_int_equal(planned(line).mode, MODE_COMPARE);
        else
            planned_refused(line, expected);
    }
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
    assert_true(planned("-compare -q a").output.summary);
    plan = planned("-compare -plot x a");
    assert_string_equal(output_of(&plan, FORMAT_PLOT).path, "x");
}

TEST(limits_are_on_the_whole_time)
{
    static const char *const names[] = {"device-p99", "sync-max",  "read-p99",
                                        "write-avg",  "idle-p99",  "loaded-iops",
                                        "submit-min", "queue-p50", "loaded-read-p99"};
    struct plan plan = planned("-compare -slo p99=1ms -slo min=1 -slo avg=1 -slo max=1 "
                               "-slo mdev=1 -slo iops=9 a");
    assert_int_equal(plan.statistics.slos.count, 6);
    for (size_t i = 0; i < LENGTH(names); i++) {
        char line[128], expected[256];
        snprintf(line, sizeof(line), "-compare -slo max=1 -slo %s=1 a", names[i]);
        snprintf(expected, sizeof(expected),
                 "ioping: -slo: %s: raw lines have the whole time alone; limit that, "
                 "such as p99=1ms\n",
                 names[i]);
        planned_refused(line, expected);
    }
}

TEST(standard_input_is_read_once)
{
    planned_refused("-compare - a -", "ioping: -compare: standard input can be read "
                                      "once; name - once\n");
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
