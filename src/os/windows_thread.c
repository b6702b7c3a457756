/*
 * Threads and locks on Windows. Each thread has a timer, and an event by which other
 * threads wake it. The event stays set until the thread waits, so no wake-up is lost.
 */
#include "os/thread.h"

#include "os/os.h"
#include "windows_common.h"

#include <process.h>
#include <stdlib.h>

#define STACK_SIZE (512 << 10) /* bytes; as on Unix */

struct thread {
    HANDLE handle;
    HANDLE wake;  /* an event; os_thread_wake sets it */
    HANDLE timer; /* ends the waits of this thread */
    void *(*body)(void *);
    void *argument;
};

/* The first thread of the program, which os_thread_start has not started. */
static struct thread first_thread;

/* The calling thread. In the first thread it is NULL until current_thread is called. */
static _Thread_local struct thread *current;

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
windows_thread_alarm(HANDLE timer, int64_t delay, PTIMERAPCROUTINE body, void *argument)
{
    /* in units of 100 ns, rounded up; negative because it is a delay from now on */
    LARGE_INTEGER due = {.QuadPart = -(delay / 100 + 1)};
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
current_thread(void)
{
    if (current)
        return current;
    current = &first_thread;
    init_thread(current);
    return current;
}

int
windows_thread_wait(int64_t when, HANDLE event)
{
    const struct thread *self = current_thread();
    HANDLE handles[3] = {self->timer, self->wake, event};
    DWORD handle_count = event ? 3 : 2;
    for (;;) {
        int64_t remaining = when - os_clock_now();
        if (remaining <= 0)
            return 0;

        DWORD result = WAIT_FAILED;
        if (windows_thread_alarm(self->timer, remaining, NULL, NULL) == 0)
            result = WaitForMultipleObjects(handle_count, handles, FALSE, INFINITE);
        if (result == WAIT_FAILED)
            Sleep(1); /* otherwise callers that wait in a loop would use up a processor */
        if (result != WAIT_OBJECT_0) /* a handle other than the timer ended the wait */
            return -1;
    }
}

int
os_sleep_until(int64_t when)
{
    return windows_thread_wait(when, NULL) < 0 ? os_fail(EINTR) : 0;
}

/* The function with which the system starts each thread. */
static unsigned __stdcall run_thread(void *argument)
{
    current = argument;
    current->body(current->argument);
    return 0;
}

int
os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument)
{
    struct thread *started = calloc(1, sizeof(*started));
    if (!started)
        return -1;

    started->body = body;
    started->argument = argument;
    if (init_thread(started) == 0) {
        started->handle = (HANDLE)_beginthreadex(NULL, STACK_SIZE, run_thread, started,
                                                 STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
        thread->id = (uintptr_t)started;
        if (started->handle)
            return 0;
    }

    int code = errno;
    free_thread(started);

    return os_fail(code);
}

struct os_thread
os_thread_self(void)
{
    return (struct os_thread){(uintptr_t)current_thread()};
}

void
os_thread_wake(const struct os_thread *thread)
{
    SetEvent(((const struct thread *)thread->id)->wake);
}

void
os_thread_join(const struct os_thread *thread)
{
    struct thread *joined = (struct thread *)thread->id;
    WaitForSingleObject(joined->handle, INFINITE);
    CloseHandle(joined->handle);
    free_thread(joined);
}

struct os_lock {
    SRWLOCK lock;
    CONDITION_VARIABLE notified;
};

/* No other initialisation is needed: SRWLOCK_INIT and CONDITION_VARIABLE_INIT are all
 * zero. */
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
