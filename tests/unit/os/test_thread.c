#include "support.h"

#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"

#include <pthread.h>
#include <signal.h>

#define LONG 30000000000

static atomic_bool woken;

static void *
sleep_long(void *argument)
{
    *(int *)argument = os_sleep_until(os_clock_now() + LONG);
    atomic_store(&woken, true);
    return argument;
}

static void
a_poke_ends_a_sleep(void **state)
{
    (void)state;
    struct os_thread thread;
    int status = 0;
    os_signals_install();
    assert_int_equal(os_thread_start(&thread, sleep_long, &status), 0);
    while (!atomic_load(&woken)) {
        os_thread_poke(&thread);
        os_sleep_until(os_clock_now() + 1000000);
    }
    os_thread_join(&thread);
    assert_int_equal(status, -1);
}

static const atomic_bool never;

/* Often, as the first may come before the wait. */
static void *
poke_the_other(void *argument)
{
    while (!atomic_load(&woken)) {
        os_sleep_until(os_clock_now() + 20000000);
        os_thread_poke(argument);
    }
    return NULL;
}

static void
a_poke_ends_a_wait(void **state)
{
    (void)state;
    struct os_thread thread, self = os_thread_self();
    os_signals_install();
    atomic_store(&woken, false);
    int64_t until = os_clock_now() + LONG;
    assert_int_equal(os_thread_start(&thread, poke_the_other, &self), 0);
    os_signals_wait(until, &never);
    assert_true(os_clock_now() < until);
    atomic_store(&woken, true);
    os_thread_join(&thread);
}

static void *
list_held(void *argument)
{
    pthread_sigmask(SIG_BLOCK, NULL, argument);
    return NULL;
}

static void
signals_of_users_do_not_reach_it(void **state)
{
    static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1};
    static const int let_in[] = {SIGALRM, SIGPIPE, SIGSEGV};
    (void)state;
    struct os_thread thread;
    sigset_t set, own;
    assert_int_equal(os_thread_start(&thread, list_held, &set), 0);
    os_thread_join(&thread);
    pthread_sigmask(SIG_BLOCK, NULL, &own);
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
        assert_true(sigismember(&set, held[i]));
        assert_false(sigismember(&own, held[i]));
    }
    for (size_t i = 0; i < sizeof(let_in) / sizeof(let_in[0]); i++)
        assert_false(sigismember(&set, let_in[i]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_poke_ends_a_sleep),
        cmocka_unit_test(a_poke_ends_a_wait),
        cmocka_unit_test(signals_of_users_do_not_reach_it),
    };
    return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
