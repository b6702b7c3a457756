/* Plans of sweeps: the settings of all steps, and those of each. */
#include "planned.h"

#include "base/time.h"

TEST(each_kind_has_its_ends)
{
    static const struct {
        const char *line;
        struct sweep sweep;
    } cases[] = {
        {"-sweep size .", {SWEEP_SIZE, 0, 0}},
        {"-sweep size=512..1m .", {SWEEP_SIZE, 512, 1048576}},
        {"-sweep threads .", {SWEEP_THREADS, 1, 64}},
        {"-sweep threads=3..9 .", {SWEEP_THREADS, 3, 9}},
        {"-U -sweep depth .", {SWEEP_DEPTH, 1, 64}},
        {"-A -sweep depth=128..4096 .", {SWEEP_DEPTH, 128, 4096}},
        {"-sweep interval .", {SWEEP_INTERVAL, 1000000, 1000000000}},
        {"-sweep interval=4us..2 .", {SWEEP_INTERVAL, 4000, 2000000000}},
        {"-sweep rate .", {SWEEP_RATE, 0, 0}},
        {"-sweep rate=1k..50k -poisson .", {SWEEP_RATE, 1000, 50000}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct sweep sweep = planned(cases[i].line).sweep;
        if (sweep.kind != cases[i].sweep.kind || sweep.from != cases[i].sweep.from ||
            sweep.to != cases[i].sweep.to)
            fail_msg("ioping %s: %lld to %lld", cases[i].line, (long long)sweep.from,
                     (long long)sweep.to);
    }
}

TEST(steps_have_no_delay_and_no_lines_of_requests)
{
    static const char *const lines[] = {"-sweep size .",          "-sweep threads .",
                                        "-U -sweep depth .",      "-sweep threads -i 0 .",
                                        "-J -sweep size .",       "-B -sweep size .",
                                        "-R -sweep size -t 1us ."};
    for (size_t i = 0; i < LENGTH(lines); i++) {
        struct plan plan = planned(lines[i]);
        if (plan.pace.interval != 0 || plan.pace.from_limit || plan.output.any_requests ||
            plan.pace.burst != 1)
            fail_msg("ioping %s", lines[i]);
        assert_true(plan.end.max_requests == UINT64_MAX);
        assert_int_equal(plan.statistics.corrected_interval, 0);
    }
}

/* Nothing is smaller than 512 bytes, whether it fits or not. */
TEST(the_first_size_fits_unless_it_is_given)
{
    static const struct {
        const char *line;
        int64_t work_size, size;
    } cases[] = {
        {"-sweep size .", 0, 4096},
        {"-sweep size .", INT64_MAX, 4096},
        {"-sweep size .", 4096, 4096},
        {"-sweep size .", 4095, 2048},
        {"-sweep size .", 2048, 2048},
        {"-sweep size -L .", 1025, 1024},
        {"-sweep size .", 512, 512},
        {"-sweep size .", 511, 512},
        {"-sweep size .", 1, 512},
        {"-sweep size -S 2k .", 1048576, 2048},
        {"-sweep size -S 2k .", 600, 512},
        {"-sweep size=4k..8k .", 600, 4096},
        {"-sweep size=16..8k .", 600, 16},
        {"-sweep threads .", 600, 4096},
        {"-U -sweep depth -s 8k .", 600, 8192},
        {"-L .", 600, 262144},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        int64_t size = plan_opening_size(&plan, cases[i].work_size);
        if (size != cases[i].size)
            fail_msg("ioping %s, %lld: %lld", cases[i].line,
                     (long long)cases[i].work_size, (long long)size);
    }
}

TEST(what_is_not_swept_stays_as_given)
{
    struct plan plan =
        planned("-sweep size -A -depth 8 -threads 3 -W -LD -e 9 -o 1m -hang 1 -E -k .");
    assert_ptr_equal(plan.io.engine, io_find_engine('A'));
    assert_int_equal(plan.io.depth, 8);
    assert_int_equal(plan.io.threads, 3);
    assert_string_equal(operation_mix_word(&plan.workload.mix), "write");
    assert_true(plan.workload.linear && plan.io.needs_direct && plan.end.ignore_error &&
                plan.workload.keeps_file);
    assert_int_equal(plan.workload.seed, 9);
    assert_int_equal(plan.workload.work_offset, 1048576);
    assert_int_equal(plan.end.hang, 1000000000);
    assert_int_equal(planned("-sweep threads -U -depth 8 .").io.depth, 8);
    assert_int_equal(planned("-U -sweep depth -threads 5 .").io.threads, 5);
}

/* But for its value and its seed a step is the plan, byte by byte. */
static void
check_step(const struct plan *plan, int64_t value, int number, const struct plan *same)
{
    struct plan step, expected = *same;
    memset(&step, 0xee, sizeof(step));
    plan_step(plan, value, number, &step);
    expected.workload.seed = step.workload.seed;
    assert_memory_equal(&step, &expected, sizeof(step));
}

TEST(a_step_changes_only_what_is_swept)
{
    struct plan plan = planned("-sweep size -threads 3 -A -depth 5 -W -w 7 .");
    struct plan expected = plan;
    expected.workload.request_size = 2147479552;
    check_step(&plan, 2147479552, 4, &expected);
    plan = expected = planned("-sweep threads -U -depth 5 -s 8k -L .");
    expected.io.threads = 1024;
    check_step(&plan, 1024, 0, &expected);
    plan = expected = planned("-sweep depth -U -threads 5 -s 8k -J .");
    expected.io.depth = 4096;
    check_step(&plan, 4096, 2, &expected);
}

/* A step's seed is the same each time, differs from step to step and from that of a run.
 */
TEST(each_step_has_a_seed_of_its_own)
{
    static const char *const lines[] = {"-sweep size .", "-sweep threads -e 1 .",
                                        "-U -sweep depth -e 2 ."};
    uint64_t seeds[LENGTH(lines) * 30];
    size_t count = 0;
    for (size_t i = 0; i < LENGTH(lines); i++) {
        struct plan plan = planned(lines[i]), step, again;
        for (int number = 0; number < 29; number++) {
            plan_step(&plan, 4, number, &step);
            plan_step(&plan, 8, number, &again);
            assert_true(step.workload.seed == again.workload.seed);
            seeds[count++] = step.workload.seed;
        }
        seeds[count++] = plan.workload.seed;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(seeds[i] != seeds[k]);
}

TEST(limits_hold_for_each_step)
{
    struct plan plan = planned("-U -sweep depth -slo p99=1ms -slo iops=1k ."), step;
    plan_step(&plan, 4, 2, &step);
    assert_int_equal(step.statistics.slos.count, 2);
    assert_int_equal(step.statistics.slos.list[0].limit, 1000000);
    planned_refused("-sweep size -slo device-p99=1ms .",
                    "ioping: -slo: device-p99 needs -breakdown; add it, or leave out the "
                    "prefix to measure the whole time\n");
}

/* After one interval. */
TEST(a_step_of_an_interval_has_thirty_requests_and_two_seconds)
{
    static const struct {
        const char *line;
        int64_t interval, work_time;
    } cases[] = {
        {"-sweep interval .", 1000000, 2000000000},
        {"-sweep interval .", 64000000, 2000000000},
        {"-sweep interval .", 128000000, 3840000000},
        {"-sweep interval -R .", 1000000000, 30000000000},
        {"-sweep interval -w 5 .", 64000000, 5000000000},
        {"-sweep interval -w 100ms -threads 9 .", 4000000, 120000000},
        {"-sweep interval=1ns..1000000h .", INT64_MAX / 20, INT64_MAX},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line), step;
        assert_int_equal(plan.pace.interval, 0);
        plan_step(&plan, cases[i].interval, 3, &step);
        assert_int_equal(step.pace.interval, cases[i].interval);
        assert_int_equal(step.end.settle_time, cases[i].interval);
        assert_int_equal(step.end.min_requests, 30);
        assert_false(step.pace.from_limit);
        if (step.end.work_time < cases[i].work_time - cases[i].interval ||
            step.end.work_time > cases[i].work_time)
            fail_msg("ioping %s: %lld", cases[i].line, (long long)step.end.work_time);
        if (step.end.work_time < INT64_MAX / 2) {
            assert_int_equal(step.end.work_time, cases[i].work_time);
            assert_int_equal(plan_step_time(&plan, cases[i].interval),
                             cases[i].work_time + cases[i].interval);
        }
    }
    assert_int_equal(planned("-sweep threads .").end.min_requests, 0);
}

/* All of whose times are whole intervals, and of which 30 count. */
TEST(a_step_of_a_rate_is_an_open_loop)
{
    static const struct {
        int64_t rate, interval, work_time, settle;
    } cases[] = {
        {1000, MS, 2 * SECOND, 200 * MS},
        {3, 333333334, 30 * 333333334LL, 3 * 333333334LL},
        {10000000, 100, 2 * SECOND, 200 * MS},
        {7000, 142858, 14000 * 142858LL, 1400 * 142858LL},
    };
    for (int poisson = 0; poisson < 2; poisson++) {
        struct plan plan = planned(poisson ? "-sweep rate -poisson ." : "-sweep rate ."),
                    step;
        assert_false(plan.pace.is_open_loop);
        for (size_t i = 0; i < LENGTH(cases); i++) {
            plan_step(&plan, cases[i].rate, 1, &step);
            assert_true(step.pace.is_open_loop);
            assert_int_equal(step.pace.is_poisson, poisson);
            assert_int_equal(step.pace.interval, cases[i].interval);
            assert_int_equal(step.end.work_time, cases[i].work_time);
            assert_int_equal(step.end.settle_time, cases[i].settle);
            assert_int_equal(step.io.threads, plan.io.threads);
            assert_int_equal(step.io.depth, plan.io.depth);
        }
        plan_step(&plan, PLAN_RATE_ALONE, 0, &step);
        assert_false(step.pace.is_open_loop);
        assert_int_equal(step.io.threads, 1);
        assert_int_equal(step.io.depth, 1);
        assert_int_equal(step.end.work_time, SECOND);
        assert_int_equal(step.pace.interval, 0);
    }
}

/* But a step is not ten times as long for it. */
TEST(percentiles_of_limits_make_a_step_of_a_rate_longer)
{
    static const struct {
        const char *line;
        int64_t rate, count;
    } cases[] = {
        {"-sweep rate .", 10, 30},
        {"-sweep rate -slo p99=1ms .", 10, 99},
        {"-sweep rate -slo p99=1ms -threads 4 .", 10, 99},
        {"-sweep rate -slo p99=1ms .", 2, 40},
        {"-sweep rate -slo p99=1ms .", 1, 30},
        {"-sweep rate -slo p99.9=1ms -w 1 .", 20, 200},
        {"-sweep rate -slo p99.9=1ms .", 1000, 2000},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line), step;
        plan_step(&plan, cases[i].rate, 1, &step);
        assert_int_equal(step.end.work_time / step.pace.interval, cases[i].count);
        assert_int_equal(step.end.min_requests, 0);
    }
}

/* As many as there can be, unless an option says how many. */
TEST(an_open_loop_has_many_places)
{
    static const struct {
        const char *line;
        int threads, places;
    } cases[] = {
        {"-sweep rate -threads 3 .", 3, 3},
        {"-sweep rate -depth 7 .", 0, 7},
        {"-sweep rate -depth 100 -s 512m .", 0, 100},
        {"-sweep rate .", 0, 1024},
        {"-sweep rate -s 1m .", 0, 256},
        {"-sweep rate -L .", 0, 1024},
        {"-sweep rate -s 1g .", 0, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        if (cases[i].threads)
            assert_int_equal(plan.io.threads, cases[i].threads);
        assert_in_range(plan.io.threads * plan.io.depth, 1, cases[i].places);
        assert_true(plan.io.depth == 1 || plan.io.engine->queues_requests);
        assert_true(!plan.io.engine_name == (plan.io.engine == io_find_engine(0)));
    }
}

#define NEEDS_RATES "ioping: -poisson works only with -sweep rate\n"

TEST(what_makes_no_sense_with_rates_is_refused)
{
    planned_refused("-poisson .", NEEDS_RATES);
    planned_refused("-poisson -sweep threads .", NEEDS_RATES);
    planned_refused("-sweep interval -slo iops=1k .",
                    "ioping: -slo: -sweep interval sets iops itself; limit a time, such "
                    "as p99=1ms\n");
    planned_refused(
        "-sweep rate -slo p99=1ms -slo iops=1k .",
        "ioping: -slo: -sweep rate sets iops itself; limit a time, such as p99=1ms\n");
}

static const struct planned_row plans[] = {
    /* A step lasts two seconds unless given. */
    {"-sweep size .", "work_time=2000000000 settle_time=200000000"},
    {"-sweep threads -R .", "work_time=2000000000 settle_time=200000000"},
    {"-sweep size -w 10 .", "work_time=10000000000 settle_time=1000000000"},
    {"-w 1/2 -sweep threads .", "work_time=500000000 settle_time=50000000"},
    {"-U -sweep depth -w 1ms .", "work_time=1000000 settle_time=100000"},
    {"-sweep size -w 9ns .", "work_time=9 settle_time=0"},
    {"-sweep size -R -w 3 .", "work_time=3000000000 settle_time=300000000"},
    /* No request of a step is warm up unless given. The time before it is warm-up enough.
     */
    {"-sweep size .", "warmup=0"},
    {"-sweep size -a 5 .", "warmup=5"},
    {"-a 1 -sweep threads .", "warmup=1"},
    {"-a 0 -sweep threads .", "warmup=0"},
    /* The target is opened for the smallest request. */
    {"-sweep size .", "request_size=4096"},
    {"-sweep size -L .", "request_size=4096"},
    {"-sweep size=512..8k .", "request_size=512"},
    {"-L -sweep size=1m..8m .", "request_size=1048576"},
    {"-sweep threads .", "request_size=4096"},
    {"-sweep threads -L .", "request_size=262144"},
    {"-sweep threads -s 64k .", "request_size=65536"},
    {"-U -s 1k -sweep depth .", "request_size=1024"},
    /* A directory has room for the largest request. 64 MiB, or what the largest request
       needs, or as much as the user says. */
    {"-sweep size .", "scratch_size=67108864 work_size=0"},
    {"-sweep threads .", "scratch_size=67108864 work_size=0"},
    {"-U -sweep depth .", "scratch_size=67108864 work_size=0"},
    {"-sweep size=4k..64m .", "scratch_size=67108864 work_size=0"},
    {"-sweep size=4k..256m .", "scratch_size=268435456 work_size=0"},
    {"-sweep size=4k..67108865 .", "scratch_size=67108865 work_size=0"},
    {"-sweep threads -s 128m .", "scratch_size=134217728 work_size=0"},
    {"-sweep size -S 1m .", "scratch_size=1048576 work_size=1048576"},
    {"-sweep size=4k..256m -S 1m .", "scratch_size=1048576 work_size=1048576"},
    {"-S 1g -sweep size=4k..256m .", "scratch_size=1073741824 work_size=1073741824"},
    {"-sweep threads -S 8m .", "scratch_size=8388608 work_size=8388608"},
    {"-sweep size=4k..256m -S 0 .", "scratch_size=268435456 work_size=0"},
    /* Limits on percentiles want as many requests as they need. */
    {"-sweep interval -slo p50=1ms -slo max=1s .", "min_requests=30"},
    {"-sweep interval -slo p99=1ms .", "min_requests=99"},
    {"-sweep interval -slo p99=1ms -threads 3 .", "min_requests=33"},
    {"-sweep interval -slo p99=1ms -threads 8 .", "min_requests=30"},
    {"-sweep interval -slo p99.9=1ms -slo p90=1ms .", "min_requests=999"},
    {"-sweep interval -slo p99.9999=1ms .", "min_requests=1000"},
    {"-sweep threads -slo p99=1ms .", "min_requests=0"},
    {"-sweep interval -slo p99=1ms -a 5 .", "min_requests=104"},
    {"-sweep interval -slo p99=1ms -a 10k .", "min_requests=1000"},
    {"-sweep interval -slo avg=1ms -a 50 .", "min_requests=30"},
    {"-sweep interval -W -slo sync-p99=1ms .", "min_requests=99"},
    {"-sweep interval -G -slo p99=1ms .", "min_requests=100"},
    {"-sweep interval -G -slo read-p99=1ms .", "min_requests=198"},
    {"-sweep interval -G -slo write-p90=1ms -slo sync-p99=1ms .", "min_requests=198"},
    {"-sweep interval -G -slo read-p99=1ms -threads 3 .", "min_requests=66"},
    {"-sweep interval -G -slo read-p99.9=1ms .", "min_requests=1000"},
};

TEST(options_become_a_plan)
{
    for (size_t i = 0; i < LENGTH(plans); i++)
        planned_has(plans[i].line, plans[i].expected);
}
