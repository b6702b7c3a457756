/* Workers side by side, requests under way at a time, and their engine. */
#include "planned.h"

#define ADD_ENGINE                                                                     \
    "system calls that wait do one request at a time; add -U (io_uring) or -A (Linux " \
    "AIO)\n"

TEST(nothing_given_is_one_request_at_a_time_that_waits)
{
    struct plan plan = planned(".");
    assert_ptr_equal(plan.io.engine, io_engine_of(0));
    assert_null(plan.io.engine_name);
    assert_int_equal(plan.io.threads, 1);
    assert_int_equal(plan.io.depth, 1);
    assert_int_equal(plan.sweep.kind, SWEEP_NONE);
    assert_int_equal(plan.ends.settle, 0);
}

TEST(engine_threads_and_depth_are_taken_over)
{
    static const struct {
        const char *line;
        char engine; /* its option */
        int threads, depth;
    } cases[] = {
        {"-A .", 'A', 1, 1},
        {"-U .", 'U', 1, 1},
        {"-threads 7 .", 0, 7, 1},
        {"-threads 1024 .", 0, 1024, 1},
        {"-depth 1 .", 0, 1, 1},
        {"-A -depth 1 .", 'A', 1, 1},
        {"-A -depth 32 .", 'A', 1, 32},
        {"-U -depth 4096 .", 'U', 1, 4096},
        {"-depth 2 -threads 3 -U .", 'U', 3, 2},
        {"-AA -threads 1k .", 'A', 1000, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        if (plan.io.engine != io_engine_of(cases[i].engine) ||
            plan.io.threads != cases[i].threads || plan.io.depth != cases[i].depth)
            fail_msg("ioping %s: %s %d %d", cases[i].line, plan.io.engine->name,
                     plan.io.threads, plan.io.depth);
    }
}

TEST(depth_needs_an_engine_that_does_not_wait)
{
    need_built_in(io_engine_of('U')); /* the message names it */
    planned_refused("-depth 2 .", "ioping: -depth: " ADD_ENGINE);
    planned_refused("-R -threads 4 -depth 4096 .", "ioping: -depth: " ADD_ENGINE);
    planned_refused("-sweep depth .", "ioping: -sweep: " ADD_ENGINE);
    planned_refused("-sweep depth=1..1 .", "ioping: -sweep: " ADD_ENGINE);
    planned_refused("-sweep threads -depth 4 .", "ioping: -depth: " ADD_ENGINE);
}

TEST(there_is_one_engine)
{
    static const char expected[] =
        "ioping: -uring: cannot be done together with -async; leave out one of them\n";
    planned_refused("-A -U .", expected);
    planned_refused("-UA -depth 4 .", expected);
}

TEST(limits_are_for_all_workers_together)
{
    static const struct {
        const char *line;
        int64_t interval;
    } cases[] = {
        {"-r 10 -threads 1 .", 100000000},
        {"-r 10 -threads 4 .", 400000000},
        {"-r 3 -threads 2 .", 666666666},
        {"-r 10 -threads 4 -b 5 .", 2000000000},
        {"-l 1m -threads 4 .", 15625000},
        {"-l 1m -s 8k -threads 4 .", 31250000},
        {"-l 1m -threads 4 -b 10 .", 156250000},
        {"-l 1m -r 10 -threads 3 .", 300000000},
        {"-R -r 100 -threads 8 .", 80000000},
        {"-r 1k -threads 1024 .", 1024000000},
        {"-r 10 -threads 4 -i 1s .", 1000000000},
        {"-r 10 -threads 4 -i 100ms .", 400000000},
        {"-r 1 -threads 2 -b 9223372036854775807 .", INT64_MAX},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t interval = planned(cases[i].line).pace.interval;
        if (interval != cases[i].interval)
            fail_msg("ioping %s: %lld", cases[i].line, (long long)interval);
    }
}

TEST(depth_does_not_lengthen_the_interval_of_a_limit)
{
    assert_int_equal(planned("-r 10 -U -depth 16 .").pace.interval, 100000000);
    assert_int_equal(planned("-r 10 -U -depth 16 -threads 2 .").pace.interval, 200000000);
    assert_int_equal(planned("-l 1m -A -depth 16 -b 2 .").pace.interval, 7812500);
}

TEST(an_interval_is_that_of_each_worker)
{
    struct plan plan = planned("-i 5ms -threads 4 .");
    assert_int_equal(plan.pace.interval, 5000000);
    assert_false(plan.pace.limited);
    assert_int_equal(planned("-threads 4 .").pace.interval, 1000000000);
    assert_int_equal(planned("-i 5ms -threads 4 -b 3 .").pace.interval, 5000000);
    assert_int_equal(planned("-i 0 -threads 4 .").pace.interval, 0);
}

/* 100 ms are enough for one worker, and too little for two. */
TEST(what_is_limited_depends_on_the_workers)
{
    assert_false(planned("-i 100ms -r 10 -threads 1 .").pace.limited);
    assert_true(planned("-i 100ms -r 10 -threads 2 .").pace.limited);
    assert_false(planned("-i 200ms -r 10 -threads 2 .").pace.limited);
}

TEST(count_time_and_warmup_are_those_of_the_run)
{
    struct plan plan = planned("-c 10 -w 3 -a 2 -threads 4 -U -depth 8 .");
    assert_int_equal(plan.ends.count, 10);
    assert_int_equal(plan.ends.work_time, 3000000000);
    assert_int_equal(plan.statistics.limits.warmup, 2);
    assert_int_equal(plan.ends.settle, 0);
}

TEST(corrections_are_for_requests_that_wait_for_each_other)
{
    assert_int_equal(planned("-corrected -U -depth 1 .").statistics.corrected,
                     1000000000);
    assert_int_equal(planned("-corrected -threads 4 -i 5ms .").statistics.corrected,
                     5000000);
    static const char expected[] =
        "ioping: -corrected: requests do not wait for each other with -depth; leave out "
        "one of them\n";
    planned_refused("-corrected -U -depth 2 .", expected);
    planned_refused("-A -depth 8 -i 1ms -corrected .", expected);
    planned_refused("-R -U -depth 2 -corrected .", expected);
}

TEST(corrections_under_a_limit_of_all_workers_are_refused)
{
    planned_refused("-corrected -i 100ms -r 10 -threads 2 .",
                    "ioping: -corrected: under a limit no request is ever due; give one "
                    "with -i\n");
    assert_int_equal(
        planned("-corrected -i 200ms -r 10 -threads 2 .").statistics.corrected,
        200000000);
}
