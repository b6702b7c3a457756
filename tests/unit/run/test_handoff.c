/* The handoff of a worker's statistics while it waits in the kernel. */
#include "support.h"

#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"
#include "run/queue.h"

#define ROUNDS 20000

TEST(it_can_be_locked_only_where_it_is_released)
{
    struct handoff handoff = {0};
    int64_t since = 7;
    assert_false(handoff_lock(&handoff, &since));
    assert_int_equal(since, 7);
    handoff_release(&handoff, 42);
    assert_int_equal(handoff_peek(&handoff), 42);
    assert_true(handoff_lock(&handoff, &since));
    assert_int_equal(since, 42);
    assert_int_equal(handoff_peek(&handoff), HANDOFF_LOCKED);
    handoff_release(&handoff, since);
    assert_int_equal(handoff_peek(&handoff), 42);
    handoff_acquire(&handoff, 42);
    assert_false(handoff_lock(&handoff, &since));
}

struct shared {
    struct handoff handoff;
    int64_t numbers[2]; /* always the same, for whoever has the handoff */
    atomic_bool done;
};

static void *
count_up(void *argument)
{
    struct shared *shared = argument;
    for (int64_t i = 1; i <= ROUNDS; i++) {
        handoff_release(&shared->handoff, i);
        handoff_acquire(&shared->handoff, i);
        shared->numbers[0]++;
        shared->numbers[1]++;
    }
    handoff_release(&shared->handoff, HANDOFF_IDLE);
    atomic_store(&shared->done, true);
    return NULL;
}

TEST(whoever_locks_it_sees_whole_statistics)
{
    struct shared shared = {0};
    struct os_thread thread;
    int64_t since, last = 0;
    int locked = 0;
    assert_int_equal(os_thread_start(&thread, count_up, &shared), 0);
    for (bool done = false; !done;) {
        done = atomic_load(&shared.done);
        if (!handoff_lock(&shared.handoff, &since))
            continue;
        assert_int_equal(shared.numbers[0], shared.numbers[1]);
        assert_true(shared.numbers[0] >= last);
        if (since > 0)
            assert_int_equal(shared.numbers[0], since - 1);
        last = shared.numbers[0];
        shared.numbers[0] += 1000; /* seen and taken back before it is returned */
        shared.numbers[0] -= 1000;
        handoff_release(&shared.handoff, since);
        locked++;
    }
    os_thread_join(&thread);
    assert_true(locked > 0);
    assert_int_equal(shared.numbers[0], ROUNDS);
    assert_int_equal(shared.numbers[1], ROUNDS);
}

static atomic_bool taken;

static void *
take(void *argument)
{
    handoff_acquire(argument, 5);
    atomic_store(&taken, true);
    return NULL;
}

TEST(the_worker_waits_while_it_is_locked)
{
    struct handoff handoff = {0};
    struct os_thread thread;
    int64_t since;
    handoff_release(&handoff, 5);
    assert_true(handoff_lock(&handoff, &since));
    assert_int_equal(os_thread_start(&thread, take, &handoff), 0);
    while (!atomic_load(&handoff.is_worker_waiting))
        os_sleep_until(os_clock_now() + 1000000);
    assert_false(atomic_load(&taken));
    handoff_release(&handoff, since);
    os_thread_join(&thread);
    assert_true(atomic_load(&taken));
    assert_false(atomic_load(&handoff.is_worker_waiting));
    assert_int_equal(handoff_peek(&handoff), 0);
}
