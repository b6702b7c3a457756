/* Times at which a request that does not return is reported. */
#include "support.h"

#include "base/time.h"
#include "run/run_private.h"
#include "run/worker_thread.h"

#define LIMIT 5000

/* The request is looked at at each of these times; what is said then. */
struct look {
    int64_t since, now, said;
};

static void
assert_looks(int64_t limit, const struct look *looks, int count)
{
    struct stall stall;
    stall_start(&stall, limit);
    for (int i = 0; i < count; i++) {
        int64_t said = stall_check(&stall, looks[i].since, looks[i].now);
        if (said != looks[i].said)
            fail_msg("look %d: %lld, not %lld", i, (long long)said,
                     (long long)looks[i].said);
    }
}

TEST(a_stuck_request_is_told_of_at_each_doubling)
{
    static const struct look looks[] = {
        {100, 100, 0},   {100, 5099, 0},      {100, 5100, 5000},   {100, 5101, 0},
        {100, 10099, 0}, {100, 10101, 10001}, {100, 20099, 0},     {100, 20100, 20000},
        {100, 40099, 0}, {100, 40100, 40000}, {100, 80100, 80000},
    };
    assert_looks(LIMIT, looks, LENGTH(looks));
}

TEST(a_look_that_comes_late_tells_once)
{
    static const struct look looks[] = {
        {100, 25100, 25000}, {100, 25101, 0}, {100, 40099, 0}, {100, 40100, 40000}};
    assert_looks(LIMIT, looks, LENGTH(looks));
}

TEST(each_request_is_watched_anew)
{
    static const struct look looks[] = {{100, 5100, 5000}, {200, 5150, 0},
                                        {200, 5200, 5000}, {-2, 90000, 0},
                                        {90000, 94999, 0}, {90000, 95000, 5000}};
    assert_looks(LIMIT, looks, LENGTH(looks));
}

TEST(no_limit_is_silence)
{
    static const struct look looks[] = {{1, INT64_MAX, 0}, {1, INT64_MAX, 0}};
    assert_looks(0, looks, 2);
}

TEST(it_knows_when_to_look_again)
{
    struct stall stall;
    stall_start(&stall, LIMIT);
    stall_check(&stall, -2, 100);
    assert_int_equal(stall_due(&stall, -2, 100), 5100);
    stall_check(&stall, 50, 100);
    assert_int_equal(stall_due(&stall, 50, 100), 5050);
    stall_check(&stall, 50, 5050);
    assert_int_equal(stall_due(&stall, 50, 5050), 10050);
    assert_int_equal(stall_due(&stall, 5050, 5050), 10050); /* another request */
    stall_start(&stall, 0);
    stall_check(&stall, 50, 100);
    assert_true(stall_due(&stall, 50, 100) == INT64_MAX);
    assert_true(stall_due(&stall, -2, 100) == INT64_MAX);
}

/* A worker whose request began at 100 s, in a process that was stopped meanwhile. */
TEST(a_stop_is_not_part_of_the_wait)
{
    uint64_t index;
    int64_t again, start = 100 * SECOND;
    static const struct job job;
    struct inflight_request oldest = {.sample.index = 7};
    struct worker_thread *thread = worker_thread_make(&job);
    assert_non_null(thread);
    thread->worker.queue.inflight.ring.older =
        thread->worker.queue.inflight.ring.younger = &oldest;
    stall_start(&thread->stall, SECOND);
    handoff_release(&thread->worker.handoff, start);
    assert_int_equal(worker_thread_find_stall(thread, start + 5 * SECOND,
                                              start + 5 * SECOND, &index, &again),
                     0);
    assert_int_equal(again, start + 6 * SECOND);
    assert_int_equal(worker_thread_find_stall(thread, start + 5 * SECOND,
                                              start + 6 * SECOND, &index, &again),
                     SECOND);
    assert_int_equal(again, start + 7 * SECOND);
    handoff_acquire(&thread->worker.handoff, start);
    handoff_release(&thread->worker.handoff, start + 10 * SECOND);
    assert_int_equal(worker_thread_find_stall(thread, start + 5 * SECOND,
                                              start + 13 * SECOND, &index, &again),
                     3 * SECOND);
    assert_int_equal(index, 7);
    oldest.sample.index = 0; /* it looks at the target itself, and no request waits */
    assert_int_equal(worker_thread_find_stall(thread, start + 5 * SECOND,
                                              start + 23 * SECOND, &index, &again),
                     0);
    worker_thread_free(thread);
}
