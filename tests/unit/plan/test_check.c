/* Plans of -check: one line, and an end whatever happens. */
#include "planned.h"

#include "base/time.h"

TEST(a_check_prints_nothing_but_its_line)
{
    static const char *const lines[] = {"-check .", "-check -R .", "-check -q -I .",
                                        "-check -prometheus a -P 1 -plot b ."};
    for (size_t i = 0; i < LENGTH(lines); i++) {
        struct plan plan = planned(lines[i]);
        assert_int_equal(format_of(&plan), FORMAT_CHECK);
        assert_false(plan.output.requests);
        assert_false(plan.output.summary);
        assert_null(output_of(&plan, FORMAT_STATUS).kind);
        assert_int_equal(plan.output.print_interval, 0);
    }
}

TEST(a_check_always_ends)
{
    static const struct {
        const char *line;
        int64_t work_time, timeout;
    } cases[] = {
        {"-check .", 10 * SECOND, 10 * SECOND},
        {"-check -w 0 .", 10 * SECOND, 10 * SECOND},
        {"-check -w 7 -timeout 2s .", 7 * SECOND, 2 * SECOND},
        {"-check -w 7 -c 3 .", 7 * SECOND, 10 * SECOND},
        {"-check -R .", 3 * SECOND, 10 * SECOND},
        {"-check -c 100 .", 110 * SECOND, 10 * SECOND},
        {"-check -c 100 -i 10ms .", 11 * SECOND, 10 * SECOND},
        {"-check -c 100 -i 0 .", 10 * SECOND, 10 * SECOND},
        {"-check -c 100 -b 10 .", 20 * SECOND, 10 * SECOND},
        {"-check -c 9E .", INT64_MAX, 10 * SECOND},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        if (plan.ends.work_time != cases[i].work_time ||
            plan.ends.timeout != cases[i].timeout ||
            plan.ends.patience != cases[i].timeout)
            fail_msg("ioping %s: %lld, %lld, %lld", cases[i].line,
                     (long long)plan.ends.work_time, (long long)plan.ends.timeout,
                     (long long)plan.ends.patience);
    }
    assert_true(planned("-q .").ends.work_time == INT64_MAX);
    assert_true(planned("-q .").ends.timeout == INT64_MAX);
}

TEST(warnings_are_limits_of_their_own)
{
    struct plan plan = planned("-check -warn p99=5ms -slo p99=20ms -warn iops=9 .");
    assert_int_equal(plan.statistics.slos.count, 1);
    assert_int_equal(plan.statistics.slos.list[0].limit, 20 * MS);
    assert_int_equal(plan.statistics.warnings.count, 2);
    assert_int_equal(plan.statistics.warnings.list[0].limit, 5 * MS);
    assert_int_equal(plan.statistics.warnings.list[1].metric, SLO_IOPS);
}

TEST(other_outputs_are_refused)
{
    static const struct {
        const char *given, *name;
    } cases[] = {{"-J", "json"},           {"-B", "batch"},
                 {"-p 1", "print-count"},  {"-P 1", "print-interval"},
                 {"-influx", "influx"},    {"-output a", "output"},
                 {"-sweep size", "sweep"}, {"-load write -c 1", "load"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[64], expected[128];
        snprintf(line, sizeof(line), "-check %s .", cases[i].given);
        snprintf(expected, sizeof(expected),
                 "ioping: -%s: cannot be done together with -check; leave out one of "
                 "them\n",
                 cases[i].name);
        planned_refused(line, expected);
    }
}

TEST(a_warning_needs_a_check)
{
    planned_refused("-warn p99=1 .",
                    "ioping: -warn: needs -check; add it, or leave this out\n");
}

TEST(what_a_warning_is_about_has_to_be_there)
{
    planned_refused("-check -warn device-p99=1ms .",
                    "ioping: -warn: device-p99 needs -breakdown; add -breakdown, or "
                    "limit the whole time\n");
    planned_refused("-check -warn loaded-p99=1ms .",
                    "ioping: -warn: loaded-p99 needs -load; limit the whole run\n");
    planned_refused("-check -slo idle-p99=1ms .",
                    "ioping: -slo: idle-p99 needs -load; limit the whole run\n");
    planned_refused("-check -warn p99=+10% .",
                    "ioping: -warn: p99 is relative, and needs -compare; give a time\n");
}
