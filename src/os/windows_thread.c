/*
 * Threads and locks on Windows. Each thread has a timer, and an event by which others
 * wake it. The event stays set until the thread waits, so no wake-up is lost.
 */
#include "os/thread.h"

#include "os/os.h"
#include "windows_common.h"

#include <process.h>
#include <stdlib.h>

#define STACK (512 << 10) /* as on other systems */

struct thread {
    HANDLE handle, wake, timer;
    void *(*body)(void *);
    void *argument;
};

static struct thread initial_thread; /* the initial thread, which was not started here */
static _Thread_local struct thread *current; /* set in the initial thread when needed */

HANDLE
windows_thread_timer(void)
{
    DWORD flags = CREATE_WAITABLE_TIMER_MANUAL_RESET;
    HANDLE timer = CreateWaitableTimerExW(
        NULL, NULL, flags | CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    /* Windows 10 before version 1803 has no high-resolution timers. */
    return timer ? timer : CreateWaitableTimerExW(NULL, NULL, flags, TIMER_ALL_ACCESS);
}

int
windows_thread_alarm(HANDLE timer, int64_t left, PTIMERAPCROUTINE body, void *argument)
{
    LARGE_INTEGER due = {.QuadPart = -(left / 100 + 1)};
    return SetWaitableTimer(timer, &due, 0, body, argument, FALSE) ? 0 : -1;
}

static int
init_thread(struct thread *thread)
{
    thread->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    thread->timer = windows_thread_timer();
    return thread->wake && thread->timer ? 0 : windows_error_fail();
}

static void
free_thread(struct thread *thread)
{
    CloseHandle(thread->wake);
    CloseHandle(thread->timer);
    free(thread);
}

static struct thread *
get_current(void)
{
    if (current)
        return current;
    current = &initial_thread;
    init_thread(current);
    return current;
}

int
windows_thread_wait(int64_t when, HANDLE event)
{
    const struct thread *self = get_current();
    HANDLE handles[3] = {self->timer, self->wake, event};
    for (;;) {
        int64_t left = when - os_clock_now();
        if (left <= 0)
            return 0;

        DWORD got = WAIT_FAILED;
        if (windows_thread_alarm(self->timer, left, NULL, NULL) == 0)
            got = WaitForMultipleObjects(event ? 3 : 2, handles, FALSE, INFINITE);
        if (got == WAIT_FAILED)
            Sleep(1); /* the caller waits again */
        if (got != WAIT_OBJECT_0)
            return -1;
    }
}

int
os_sleep_until(int64_t when)
{
    return windows_thread_wait(when, NULL) < 0 ? os_fail(EINTR) : 0;
}

static unsigned __stdcall run(void *argument)
{
    current = argument;
    current->body(current->argument);
    return 0;
}

int
os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument)
{
    struct thread *made = calloc(1, sizeof(*made));
    if (!made)
        return -1;

    made->body = body;
    made->argument = argument;
    if (init_thread(made) == 0) {
        made->handle = (HANDLE)_beginthreadex(NULL, STACK, run, made,
                                              STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
        thread->id = (uintptr_t)made;
        if (made->handle)
            return 0;
    }

    int failed = errno;
    free_thread(made);

    return os_fail(failed);
}

struct os_thread
os_thread_self(void)
{
    return (struct os_thread){(uintptr_t)get_current()};
}

void
os_thread_wake(const struct os_thread *thread)
{
    SetEvent(((const struct thread *)thread->id)->wake);
}

void
os_thread_join(const struct os_thread *thread)
{
    struct thread *other = (struct thread *)thread->id;
    WaitForSingleObject(other->handle, INFINITE);
    CloseHandle(other->handle);
    free_thread(other);
}

struct os_lock {
    SRWLOCK lock;
    CONDITION_VARIABLE notified;
};

/* calloc suffices, because SRWLOCK_INIT and CONDITION_VARIABLE_INIT are all zero. */
struct os_lock *
os_lock_make(void)
{
    return calloc(1, sizeof(struct os_lock));
}

void
os_lock_free(struct os_lock *lock)
{
    free(lock);
}

void
os_lock_acquire(struct os_lock *lock)
{
    AcquireSRWLockExclusive(&lock->lock);
}

bool
os_lock_try(struct os_lock *lock)
{
    return TryAcquireSRWLockExclusive(&lock->lock);
}

void
os_lock_release(struct os_lock *lock)
{
    ReleaseSRWLockExclusive(&lock->lock);
}

void
os_lock_wait(struct os_lock *lock)
{
    SleepConditionVariableSRW(&lock->notified, &lock->lock, INFINITE, 0);
}

void
os_lock_notify(struct os_lock *lock)
{
    WakeConditionVariable(&lock->notified);
}

void
os_lock_notify_all(struct os_lock *lock)
{
    WakeAllConditionVariable(&lock->notified);
}
