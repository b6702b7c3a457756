/* The plans of phases, and of the load beside the second. */
#include "planned.h"

/* The plan of the load of LINE. */
static struct plan
background(const char *line)
{
    struct plan plan = planned(line), one;
    plan_background(&plan, &one);
    return one;
}

TEST(a_load_is_what_its_words_say)
{
    struct plan one =
        background("-c 9 -i 1ms -load write,size=1m,threads=2,linear,path=/b /a");
    assert_true(one.mode == MODE_BACKGROUND);
    assert_string_equal(one.path, "/b");
    assert_string_equal(operation_mix_word(&one.workload.mix), "write");
    assert_int_equal(one.workload.request_size, 1 << 20);
    assert_int_equal(one.io.threads, 2);
    assert_int_equal(one.io.depth, 1);
    assert_true(one.workload.linear);
    one = background("-c 9 -load rw a");
    assert_string_equal(operation_mix_word(&one.workload.mix), "rw");
    one = background("-c 9 -W -load read a");
    assert_string_equal(operation_mix_word(&one.workload.mix), "read");
}

TEST(requests_are_small_unless_they_are_linear)
{
    assert_int_equal(background("-c 9 -s 8k -load read a").workload.request_size, 4096);
    assert_int_equal(background("-c 9 -load read,linear a").workload.request_size,
                     256 << 10);
    assert_int_equal(background("-c 9 -L -load read a").workload.request_size, 4096);
    assert_false(background("-c 9 -L -load read a").workload.linear);
}

/* Nothing of the requests' own pace, limits and output is the load's. */
TEST(a_load_has_no_end_and_no_output)
{
    struct plan one =
        background("-c 9 -w 9 -i 1ms -a 5 -t 1ms -T 2ms -b 3 -P 1 -p 1 -slo "
                   "max=1s -plot p -prometheus m -load read a");
    assert_true(one.end.max_requests == UINT64_MAX);
    assert_int_equal(one.end.work_time, INT64_MAX);
    assert_int_equal(one.pace.interval, 0);
    assert_int_equal(one.pace.burst, 1);
    assert_int_equal(one.end.settle_time, SECOND);
    assert_int_equal(one.statistics.limits.warmup, 0);
    assert_int_equal(one.statistics.limits.fastest, 0);
    assert_int_equal(one.statistics.limits.slowest, INT64_MAX);
    assert_int_equal(one.statistics.corrected_interval, 0);
    assert_int_equal(one.statistics.slos.count, 0);
    assert_false(one.output.any_requests || one.output.any_summary);
    assert_int_equal(one.output.print_count, 0);
    assert_int_equal(one.output.print_interval, 0);
    assert_int_equal(one.output.count, 0);
}

TEST(a_limit_makes_an_interval_of_each_worker)
{
    struct plan one = background("-c 9 -load read,rate=100 a");
    assert_int_equal(one.pace.interval, 10 * MS);
    assert_true(one.pace.from_limit);
    one = background("-c 9 -load read,rate=100,threads=4 a");
    assert_int_equal(one.pace.interval, 40 * MS);
    one = background("-c 9 -load read,size=1m,speed=4m,threads=2 a");
    assert_int_equal(one.pace.interval, 500 * MS);
    assert_false(background("-c 9 -load read a").pace.from_limit);
}

TEST(many_at_a_time_have_an_engine_or_threads)
{
    struct plan one = background("-c 9 -load read,depth=8,threads=2 a");
    assert_int_equal(one.io.threads * one.io.depth, 16);
    assert_true(one.io.depth == 1 || one.io.engine->queues_requests);
    assert_ptr_equal(background("-c 9 -U -load read a").io.engine, io_find_engine(0));
    one = background("-c 9 -U -depth 4 -threads 3 -load read a");
    assert_int_equal(one.io.depth, 1);
    assert_int_equal(one.io.threads, 1);
}

TEST(a_load_goes_to_the_same_part_unless_it_has_a_path)
{
    struct plan one = background("-c 9 -S 1m -o 2m -load read a");
    assert_int_equal(one.workload.work_size, 1 << 20);
    assert_int_equal(one.workload.work_offset, 2 << 20);
    one = background("-c 9 -S 1m -o 2m -load read,path=b a");
    assert_int_equal(one.workload.work_size, 0);
    assert_int_equal(one.workload.work_offset, 0);
    assert_int_equal(one.workload.scratch_size, 64 << 20);
    one = background("-c 9 -load read,size=128m a");
    assert_int_equal(one.workload.scratch_size, 128 << 20);
}

TEST(sequences_differ)
{
    struct plan plan = planned("-c 9 -load read a"), steps[PHASES];
    plan_background(&plan, &steps[PHASE_NONE]);
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
        plan_phase(&plan, phase, &steps[phase]);
    assert_true(steps[PHASE_IDLE].workload.seed == plan.workload.seed);
    for (int i = 0; i < PHASES; i++)
        for (int k = 0; k < i; k++)
            assert_true(steps[i].workload.seed != steps[k].workload.seed);
}

TEST(requests_warm_up_in_the_first_phase_alone)
{
    struct plan plan = planned("-c 9 -a 5 -load read a"), step;
    plan_phase(&plan, PHASE_IDLE, &step);
    assert_int_equal(step.statistics.limits.warmup, 5);
    plan_phase(&plan, PHASE_LOADED, &step);
    assert_int_equal(step.statistics.limits.warmup, 0);
    plan_phase(&plan, PHASE_RECOVERED, &step);
    assert_int_equal(step.statistics.limits.warmup, 0);
}

TEST(percentiles_are_corrected_where_requests_are_due)
{
    assert_int_equal(planned("-c 9 -i 5ms -load read a").statistics.corrected_interval,
                     5 * MS);
    assert_int_equal(
        planned("-c 9 -i 5ms -threads 2 -load read a").statistics.corrected_interval,
        5 * MS);
    assert_int_equal(planned("-c 9 -i 0 -load read a").statistics.corrected_interval, 0);
    assert_int_equal(planned("-R -load read a").statistics.corrected_interval, 0);
    assert_int_equal(planned("-c 9 -r 100 -load read a").statistics.corrected_interval,
                     0);
    assert_int_equal(
        planned("-c 9 -i 5ms -U -depth 2 -load read a").statistics.corrected_interval, 0);
}

TEST(phases_that_cannot_be_are_refused)
{
    planned_refused("-load read a",
                    "ioping: -load: each phase needs an end; give -c or -w\n");
    planned_refused(
        "-c 1 -load read a b",
        "ioping: -load: works with one target only; load another one with path=\n");
    planned_refused("-c 1 -slo recovered-max=1s a",
                    "ioping: -slo: recovered-max needs -load; add it, or leave out the "
                    "prefix to measure the whole run\n");
}

static void
assert_name(const char *line, const char *expected)
{
    struct plan one = background(line);
    struct buffer text = {0};
    plan_describe_background(&one, &text);
    assert_string_equal(text.text, expected);
    buffer_free(&text);
}

TEST(a_load_has_a_name)
{
    assert_name("-c 9 -load read a", "read 4 KiB");
    assert_name("-c 9 -load rw,size=1m,threads=3,linear a", "rw 1 MiB linear threads 3");
}
