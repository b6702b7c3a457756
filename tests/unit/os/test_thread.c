/* Threads: pokes, signals, and descriptors of their own. */
#include "support.h"

#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"

#include <poll.h>
#include <pthread.h>

#define LONG 30000000000

static atomic_bool woken;

static void *
sleep_long(void *argument)
{
    *(int *)argument = os_sleep_until(os_clock_now() + LONG);
    atomic_store(&woken, true);
    return argument;
}

TEST(a_poke_ends_a_sleep)
{
    struct os_thread thread;
    int status = 0;
    os_signals_install();
    assert_int_equal(os_thread_start(&thread, sleep_long, &status), 0);
    while (!atomic_load(&woken)) {
        os_thread_wake(&thread);
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
        os_thread_wake(argument);
    }
    return NULL;
}

TEST(a_poke_ends_a_wait)
{
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

static struct {
    struct os_lock *lock;
    int value; /* under the lock */
} shared;

/* Makes 2 of 1, and ends with 3. */
static void *
answer(void *argument)
{
    os_lock_acquire(shared.lock);
    while (shared.value != 1)
        os_lock_wait(shared.lock);
    shared.value = 2;
    os_lock_notify(shared.lock);
    while (shared.value != 3)
        os_lock_wait(shared.lock);
    os_lock_release(shared.lock);
    return argument;
}

TEST(a_notice_ends_a_wait_with_a_lock)
{
    struct os_thread thread;
    shared.lock = os_lock_make();
    assert_non_null(shared.lock);
    assert_int_equal(os_thread_start(&thread, answer, NULL), 0);
    os_lock_acquire(shared.lock);
    shared.value = 1;
    os_lock_notify(shared.lock);
    while (shared.value != 2)
        os_lock_wait(shared.lock);
    shared.value = 3;
    os_lock_notify(shared.lock);
    os_lock_release(shared.lock);
    os_thread_join(&thread);
    os_lock_free(shared.lock);
}

static void *
list_held(void *argument)
{
    pthread_sigmask(SIG_BLOCK, NULL, argument);
    return NULL;
}

TEST(signals_of_users_do_not_reach_it)
{
    static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1};
    static const int let_in[] = {SIGALRM, SIGPIPE, SIGSEGV};
    struct os_thread thread;
    sigset_t set, own;
    assert_int_equal(os_thread_start(&thread, list_held, &set), 0);
    os_thread_join(&thread);
    pthread_sigmask(SIG_BLOCK, NULL, &own);
    for (size_t i = 0; i < LENGTH(held); i++) {
        assert_true(sigismember(&set, held[i]));
        assert_false(sigismember(&own, held[i]));
    }
    for (size_t i = 0; i < LENGTH(let_in); i++)
        assert_false(sigismember(&set, let_in[i]));
}

/* Writes like the C library, to stderr. */
static void *
unshare_and_write(void *argument)
{
    os_thread_unshare();
    if (write(STDERR_FILENO, "words", 5) == 5)
        atomic_store((atomic_bool *)argument, true);
    return NULL;
}

TEST(a_thread_with_unshared_descriptors_has_standard_error)
{
    char path[1100], text[8] = "";
    atomic_bool written = false;
    struct os_thread thread;
    snprintf(path, sizeof(path), "%s/words", scratch());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), before = dup(STDERR_FILENO);
    assert_true(file >= 0 && before >= 0);
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
    int status = os_thread_start(&thread, unshare_and_write, &written);
    if (status == 0)
        os_thread_join(&thread);
    assert_int_equal(dup2(before, STDERR_FILENO), STDERR_FILENO);
    close(before);
    assert_int_equal(status, 0);
    assert_true(written);
    assert_int_equal(pread(file, text, sizeof(text), 0), 5);
    assert_string_equal(text, "words");
    close(file);
}

static void *
unshare_and_stay(void *argument)
{
    os_thread_unshare();
    atomic_store(&woken, true);
    pause();
    return argument;
}

/* The first thread has closed the streams, as os_process_end does, while the other is
 * stuck. */
TEST(a_thread_with_unshared_descriptors_holds_no_pipe)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    atomic_store(&woken, false);
    pid_t child = fork();
    if (child == 0) {
        struct os_thread thread;
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (os_thread_start(&thread, unshare_and_stay, NULL) < 0)
            _exit(1);
        while (!atomic_load(&woken))
            usleep(1000);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        pause();
    }
    close(ends[1]);
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    bool closed = poll(&end, 1, 60000) == 1 && read(ends[0], &byte, 1) == 0;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    assert_true(closed);
}
