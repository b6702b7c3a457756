/* The plans of the parts of -diagnose. */
#include "planned.h"

#include "base/time.h"
#include "plan/parts.h"

static struct plan parts[PLAN_PARTS];

static void
plan_parts(const char *line)
{
    struct plan plan = planned(line);
    for (enum plan_part part = 0; part < PLAN_PARTS; part++)
        plan_part(&plan, part, &parts[part]);
}

TEST(all_parts_together_take_the_work_time)
{
    static const struct {
        const char *line;
        int64_t time;
    } cases[] = {{"-diagnose .", 20 * SECOND}, {"-diagnose -w 4s .", 4 * SECOND}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t sum = 0;
        plan_parts(cases[i].line);
        for (enum plan_part part = 0; part < PLAN_PARTS; part++) {
            const struct plan *one = &parts[part];
            int64_t steps = 0;
            for (int64_t value = one->sweep.from; value;
                 value = sweep_next(value, one->sweep.to))
                steps++;
            sum += (one->end.work_time + one->end.settle_time) * (steps ? steps : 1);
        }
        assert_in_range(sum, cases[i].time - MS, cases[i].time);
    }
}

/* After a longer pause, reads may take longer: runs of any length must have the same. */
TEST(pauses_are_the_same_for_any_work_time)
{
    static const char *const lines[] = {"-diagnose -w 500ms .", "-diagnose -w 3s .",
                                        "-diagnose .", "-diagnose -w 1h ."};
    for (size_t i = 0; i < LENGTH(lines); i++) {
        plan_parts(lines[i]);
        assert_int_equal(parts[PART_OF_PAUSES].pace.interval, 10 * MS);
    }
}

TEST(each_part_measures_one_thing)
{
    plan_parts("-diagnose -s 8k .");
    assert_int_equal(parts[PART_OF_PAUSES].pace.interval, 10 * MS);
    assert_true(parts[PART_OF_PAUSES].pace.from_limit);
    assert_true(parts[PART_OF_PAUSES].statistics.has_breakdown);
    assert_false(parts[PART_OF_DEPTHS].statistics.has_breakdown);
    assert_int_equal(parts[PART_OF_DEPTHS].sweep.from, 1);
    assert_int_equal(parts[PART_OF_DEPTHS].sweep.to, 32);
    assert_int_equal(parts[PART_OF_DEPTHS].pace.interval, 0);
    assert_true(parts[PART_OF_STREAM].workload.linear);
    assert_int_equal(parts[PART_OF_STREAM].workload.request_size, 256 << 10);
    assert_true(parts[PART_OF_FLUSHES].workload.is_log);
    for (enum plan_part part = 0; part < PLAN_PARTS; part++) {
        const struct plan *one = &parts[part];
        assert_int_equal(plan_does(one, OPERATION_CHANGES) != 0, part == PART_OF_FLUSHES);
        assert_false(one->output.any_summary);
        if (part != PART_OF_STREAM)
            assert_int_equal(one->workload.request_size, 8 << 10);
        for (enum plan_part other = 0; other < part; other++)
            assert_true(one->workload.seed != parts[other].workload.seed);
    }
}

/* Other engines may send one request at a time, as if the target could do no more. */
TEST(depths_need_an_engine_that_really_has_them)
{
    plan_parts("-diagnose .");
    const struct plan *depths = &parts[PART_OF_DEPTHS];
    if (depths->sweep.kind == SWEEP_DEPTH)
        assert_ptr_equal(depths->io.engine, io_find_engine('U'));
    else
        assert_ptr_equal(depths->io.engine, io_find_engine(0));
}

TEST(each_limit_is_on_one_part)
{
    plan_parts("-diagnose -slo p99=1ms -slo sync-p99=2ms -slo max=3ms .");
    assert_int_equal(parts[PART_OF_PAUSES].statistics.slos.count, 2);
    assert_int_equal(parts[PART_OF_PAUSES].statistics.slos.list[1].limit, 3 * MS);
    assert_int_equal(parts[PART_OF_DEPTHS].statistics.slos.count, 0);
    assert_int_equal(parts[PART_OF_STREAM].statistics.slos.count, 0);
    assert_int_equal(parts[PART_OF_FLUSHES].statistics.slos.count, 1);
    assert_int_equal(parts[PART_OF_FLUSHES].statistics.slos.list[0].limit, 2 * MS);
}
