/*
 * The console tells of its keys on a thread that the system makes for it. What it says is
 * kept in flags, and an event wakes the one thread that looks at them.
 */
#include "os/process.h"

#include "base/error.h"
#include "os/os.h"
#include "windows_thread.h"

#include <signal.h>

#define SAME 20000000LL /* ns: so soon after each other two Ctrl-C are one */
#define PATIENCE 100    /* ms for the last words */

static atomic_int stop_signal;
static atomic_llong interrupted; /* when by Ctrl-C first; 0: not yet */
static atomic_bool report_wanted;
static atomic_int farewell_byte;
static HANDLE arrived; /* set by each of these; NULL: none is expected */

static DWORD WINAPI
say_farewell(void *argument)
{
    char last[2] = {(char)atomic_load(&farewell_byte), '\n'};
    DWORD written;
    (void)argument;
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), last, sizeof(last), &written, NULL);
    return 0;
}

/* By a thread of their own: nobody may read any more. */
static void
end_at_once(void)
{
    HANDLE speaker = NULL;
    if (atomic_load(&farewell_byte))
        speaker = CreateThread(NULL, 0, say_farewell, NULL, 0, NULL);
    if (speaker)
        WaitForSingleObject(speaker, PATIENCE);
    TerminateProcess(GetCurrentProcess(), EXIT_INTERRUPTED);
}

static void
on_interrupt(void)
{
    int64_t now = os_clock_now(), before = atomic_load(&interrupted);
    if (before && now - before > SAME)
        end_at_once();
    if (!before)
        atomic_store(&interrupted, now);
    atomic_store(&stop_signal, SIGINT);
    SetEvent(arrived);
}

/* The system ends the program as soon as this returns, or after some seconds. */
static void
on_close(void)
{
    atomic_store(&stop_signal, SIGTERM);
    SetEvent(arrived);
    Sleep(INFINITE);
}

static BOOL WINAPI
on_control(DWORD event)
{
    switch (event) {
    case CTRL_C_EVENT:
        on_interrupt();
        return TRUE;
    case CTRL_BREAK_EVENT:
        atomic_store(&report_wanted, true);
        SetEvent(arrived);
        return TRUE;
    case CTRL_CLOSE_EVENT:
    case CTRL_LOGOFF_EVENT:
    case CTRL_SHUTDOWN_EVENT:
        on_close();
        return TRUE;
    default:
        return FALSE;
    }
}

void
os_signals_install(void)
{
    arrived = CreateEventW(NULL, FALSE, FALSE, NULL);
    SetConsoleCtrlHandler(on_control, TRUE);
}

/* They come to none of the program's threads. */
unsigned
os_signals_block(void)
{
    return 0;
}

void
os_signals_unblock(unsigned given)
{
    (void)given;
}

void
os_signals_wait(int64_t when, const atomic_bool *unless)
{
    if (!atomic_load(unless))
        windows_thread_wait(when, arrived);
}

int
os_signals_stop(void)
{
    return atomic_load_explicit(&stop_signal, memory_order_relaxed);
}

/* Nothing stops a process here but a debugger. */
unsigned
os_process_continues(void)
{
    return 0;
}

bool
os_process_stopped(unsigned before)
{
    (void)before;
    return false;
}

bool
os_signals_report(void)
{
    return atomic_exchange(&report_wanted, false);
}

void
os_signals_farewell(int byte)
{
    atomic_store(&farewell_byte, byte);
}

/* No process ends by a signal here. */
int
os_signals_end(int status)
{
    return status;
}
