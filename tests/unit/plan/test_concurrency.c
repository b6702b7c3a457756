/* Workers side by side, requests under way at a time, and their engine. */
#include "planned.h"

TEST(nothing_given_is_one_request_at_a_time_that_waits)
{
    struct plan plan = planned(".");
    assert_ptr_equal(plan.io.engine, io_find_engine(0));
    assert_null(plan.io.engine_name);
    assert_int_equal(plan.io.threads, 1);
    assert_int_equal(plan.io.depth, 1);
    assert_int_equal(plan.sweep.kind, SWEEP_NONE);
    assert_int_equal(plan.end.settle_time, 0);
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
        if (plan.io.engine != io_find_engine(cases[i].engine) ||
            plan.io.threads != cases[i].threads || plan.io.depth != cases[i].depth)
            fail_msg("ioping %s: %s %d %d", cases[i].line, plan.io.engine->name,
                     plan.io.threads, plan.io.depth);
    }
}

/* The first engine that can be opened here, whichever that is. */
TEST(a_depth_chooses_an_engine)
{
    static const char *const lines[] = {
        "-depth 2 .",          "-R -threads 4 -depth 4096 .", "-sweep depth .",
        "-sweep depth=1..1 .", "-sweep threads -depth 4 .",
    };
    int depth;
    struct io_missing missing;
    const struct io_engine *engine = io_find_queueing_engine(2, &depth, &missing);
    if (!engine)
        skip_because("no engine of this system has more than one request in flight");
    for (size_t i = 0; i < LENGTH(lines); i++) {
        struct plan plan = planned(lines[i]);
        if (plan.io.engine != engine || !plan.io.chosen_for)
            fail_msg("ioping %s: %s", lines[i], plan.io.engine->name);
    }
    assert_null(planned("-depth 1 .").io.chosen_for);
    assert_null(planned("-depth 2 -A .").io.chosen_for);
    assert_null(planned("-sweep rate .").io.chosen_for);
}

static const struct planned_row plans[] = {
    /* Limits are for all workers together. */
    {"-r 10 -threads 1 .", "interval=100000000"},
    {"-r 10 -threads 4 .", "interval=400000000"},
    {"-r 3 -threads 2 .", "interval=666666667"},
    {"-r 10 -threads 4 -b 5 .", "interval=2000000000"},
    {"-l 1m -threads 4 .", "interval=15625000"},
    {"-l 1m -s 8k -threads 4 .", "interval=31250000"},
    {"-l 1m -threads 4 -b 10 .", "interval=156250000"},
    {"-l 1m -r 10 -threads 3 .", "interval=300000000"},
    {"-R -r 100 -threads 8 .", "interval=80000000"},
    {"-r 1k -threads 1024 .", "interval=1024000000"},
    {"-r 10 -threads 4 -i 1s .", "interval=1000000000"},
    {"-r 10 -threads 4 -i 100ms .", "interval=400000000"},
    {"-r 1 -threads 2 -b 9223372036854775807 .", "interval=max"},
    /* Depth does not lengthen the interval of a limit. */
    {"-r 10 -U -depth 16 .", "interval=100000000"},
    {"-r 10 -U -depth 16 -threads 2 .", "interval=200000000"},
    {"-l 1m -A -depth 16 -b 2 .", "interval=7812500"},
    /* An interval is that of each worker. */
    {"-i 5ms -threads 4 .", "interval=5000000 from_limit=0"},
    {"-threads 4 .", "interval=1000000000"},
    {"-i 5ms -threads 4 -b 3 .", "interval=5000000"},
    {"-i 0 -threads 4 .", "interval=0"},
    /* What is limited depends on the workers. 100 ms are enough for one worker, and too
       little for two. */
    {"-i 100ms -r 10 -threads 1 .", "from_limit=0"},
    {"-i 100ms -r 10 -threads 2 .", "from_limit=1"},
    {"-i 200ms -r 10 -threads 2 .", "from_limit=0"},
    /* Count time and warmup are those of the run. */
    {"-c 10 -w 3 -a 2 -threads 4 -U -depth 8 .",
     "max_requests=10 work_time=3000000000 warmup=2 settle_time=0"},
    /* Corrections are for requests that wait for each other. */
    {"-corrected -U -depth 1 .", "corrected_interval=1000000000"},
    {"-corrected -threads 4 -i 5ms .", "corrected_interval=5000000"},
    /* Corrections under a limit of all workers are refused. */
    {"-corrected -i 200ms -r 10 -threads 2 .", "corrected_interval=200000000"},
};

TEST(options_become_a_plan)
{
    for (size_t i = 0; i < LENGTH(plans); i++)
        planned_has(plans[i].line, plans[i].expected);
}

static const struct planned_row refusals[] = {
    /* Corrections are for requests that wait for each other. */
    {"-corrected -U -depth 2 .",
     "ioping: -corrected and -depth cannot be combined: requests in flight together do "
     "not wait for each other; leave out -corrected\n"},
    {"-A -depth 8 -i 1ms -corrected .",
     "ioping: -corrected and -depth cannot be combined: requests in flight together do "
     "not wait for each other; leave out -corrected\n"},
    {"-R -U -depth 2 -corrected .",
     "ioping: -corrected and -depth cannot be combined: requests in flight together do "
     "not wait for each other; leave out -corrected\n"},
    /* Corrections under a limit of all workers are refused. */
    {"-corrected -i 100ms -r 10 -threads 2 .",
     "ioping: -corrected: needs an interval of -i; give -i instead of -r or -l\n"},
};

TEST(what_cannot_be_planned_is_refused)
{
    for (size_t i = 0; i < LENGTH(refusals); i++)
        planned_refused(refusals[i].line, refusals[i].expected);
}
