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
        assert_false(plan.output.any_requests);
        assert_false(plan.output.any_summary);
        assert_null(output_of(&plan, FORMAT_STATUS).kind);
        assert_int_equal(plan.output.print_interval, 0);
    }
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

static const struct planned_row plans[] = {
    /* A check always ends. */
    {"-check .", "work_time=10000000000 open_timeout=10000000000"},
    {"-check -w 0 .", "work_time=10000000000 open_timeout=10000000000"},
    {"-check -w 7 -timeout 2s .", "work_time=7000000000 open_timeout=2000000000"},
    {"-check -w 7 -c 3 .", "work_time=7000000000 open_timeout=10000000000"},
    {"-check -R .", "work_time=3000000000 open_timeout=10000000000"},
    {"-check -c 100 .", "work_time=110000000000 open_timeout=10000000000"},
    {"-check -c 100 -i 10ms .", "work_time=11000000000 open_timeout=10000000000"},
    {"-check -c 100 -i 0 .", "work_time=10000000000 open_timeout=10000000000"},
    {"-check -c 100 -b 10 .", "work_time=20000000000 open_timeout=10000000000"},
    {"-check -c 100 -i 100ms -threads 10 .",
     "work_time=11000000000 open_timeout=10000000000"},
    {"-check -c 100 -i 1 -b 5 -threads 2 .",
     "work_time=20000000000 open_timeout=10000000000"},
    {"-check -c 9E .", "work_time=max open_timeout=10000000000"},
    {"-check -warn p99=5ms -slo p99=5ms -slo p90=1ms .", "work_time=10000000000"},
    {"-q .", "work_time=max timeout=max"},
};

TEST(options_become_a_plan)
{
    for (size_t i = 0; i < LENGTH(plans); i++)
        planned_has(plans[i].line, plans[i].expected);
}

static const struct planned_row refusals[] = {
    /* A warning comes before what is critical. */
    {"-check -warn p99=20ms -slo p99=5ms .",
     "ioping: -warn: p99=20ms is looser than -slo p99=5ms, so it would never warn; "
     "exchange the two limits\n"},
    {"-check -warn iops=9 -slo avg=1s -slo iops=1k .",
     "ioping: -warn: iops=9 is looser than -slo iops=1k, so it would never warn; "
     "exchange the two limits\n"},
    /* A warning needs a check. */
    {"-warn p99=1s .", "ioping: -warn works only with -check\n"},
    /* What a warning is about has to be there. */
    {"-check -warn device-p99=1ms .",
     "ioping: -warn: device-p99 needs -breakdown; add it, or leave out the prefix to "
     "measure the whole time\n"},
    {"-check -warn loaded-p99=1ms .", "ioping: -warn: loaded-p99 needs -load; leave out "
                                      "the prefix to measure the whole run\n"},
    {"-check -slo idle-p99=1ms .", "ioping: -slo: idle-p99 needs -load; leave out the "
                                   "prefix to measure the whole run\n"},
    {"-check -warn p99=+10% .", "ioping: -warn: p99 is relative to another run, which "
                                "needs -compare; give a time\n"},
};

TEST(what_cannot_be_planned_is_refused)
{
    for (size_t i = 0; i < LENGTH(refusals); i++)
        planned_refused(refusals[i].line, refusals[i].expected);
}
