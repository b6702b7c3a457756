/*
 * Clocks, the process, its memory, and console keys in place of signals, on Windows.
 *
 * The system calls on_control for a key, on a thread that it makes for that. The handler
 * sets flags and an event, which wakes the one thread that reads the flags. There is no
 * monitor: a process that is stuck in the kernel does not keep its parent waiting.
 */
#include "base/deadlines.h"
#include "base/error.h"
#include "has.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "windows_common.h"

#include <corecrt_startup.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define UNIX_BEGAN 116444736000000000LL /* 1970, in units of 100 ns since 1601 */

/* The frequency is usually 10 MHz. Otherwise whole seconds and the rest are converted
 * separately, because the product of ticks and ns would overflow. */
int64_t
os_clock_now(void)
{
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&frequency);
    int64_t now = ticks.QuadPart, unit = frequency.QuadPart;
    if (unit == SECOND / 100)
        return now * 100;
    return now / unit * SECOND + now % unit * SECOND / unit;
}

int64_t
os_clock_wall(void)
{
    FILETIME time;
    GetSystemTimePreciseAsFileTime(&time);
    int64_t steps = (int64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return (steps - UNIX_BEGAN) * 100;
}

/* Makes the C library ignore invalid parameters, such as an unknown letter after % in a
 * time format. By default they end the program. */
static void
ignore_invalid(const wchar_t *expression, const wchar_t *function, const wchar_t *file,
               unsigned line, uintptr_t reserved)
{
    (void)expression, (void)function, (void)file, (void)line, (void)reserved;
}

/* main's arguments are in the system's own code page, which does not have all characters.
 * This function also turns off dialogs about a missing disk in a drive, because it is the
 * first one to run. */
int
os_process_arguments(int *argc, char ***argv)
{
    _set_invalid_parameter_handler(ignore_invalid);
    SetErrorMode(SEM_FAILCRITICALERRORS);
    if (_configure_wide_argv(_crt_argv_unexpanded_arguments) != 0)
        return os_fail(ENOMEM);
    char **arguments = calloc((size_t)__argc + 1, sizeof(char *));
    if (!arguments)
        return -1;

    for (int i = 0; i < __argc; i++) {
        arguments[i] = windows_path_utf8(__wargv[i]);
        if (!arguments[i])
            return -1;
    }
    *argc = __argc;
    *argv = arguments;

    return 0;
}

/* Program files bring no privileges. */
OS_ANSWER(int, os_privileges_drop, (void), 0)

_Noreturn void
os_process_end(int status)
{
    CloseHandle(GetStdHandle(STD_OUTPUT_HANDLE));
    CloseHandle(GetStdHandle(STD_ERROR_HANDLE));
    TerminateProcess(GetCurrentProcess(), (UINT)status);
    for (;;)
        Sleep(INFINITE);
}

/* Unnamed files vanish with their handle, however late it is closed. Removing a named
 * file could take as long as the request that the program no longer waits for. */
OS_ANSWER(int, os_leftover_begin, (const char *path), 0)
OS_ANSWER(void, os_leftover_made, (void), )
OS_ANSWER(void, os_leftover_end, (void), )
OS_ANSWER(void, os_leftover_watch, (const char *path), )
OS_ANSWER(void, os_leftover_forget, (const char *path), )

void *
os_memory_aligned(size_t alignment, size_t size)
{
    return _aligned_malloc(size, alignment);
}

void
os_memory_free(void *memory)
{
    _aligned_free(memory);
}

void *
os_memory_zeroed(size_t size)
{
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void
os_memory_release(void *memory, size_t size)
{
    (void)size;
    if (memory)
        VirtualFree(memory, 0, MEM_RELEASE);
}

/* Flags for the reader, written on the thread of on_control; report_wanted is cleared by
 * the reader. asked and interrupted: when the first stop and the first Ctrl-C came, in
 * ns, monotonic; 0: not yet. */
static atomic_int stop_signal;
static atomic_llong asked;
static atomic_llong interrupted;
static atomic_bool report_wanted;
/* Written by the program's threads, read by on_control. The last line is taken with an
 * exchange. */
static atomic_int closing_byte, closing_stream;
static _Atomic(const char *) last_line;
static atomic_int last_status = EXIT_INTERRUPTED;
/* Set with each flag; written by os_signals_install. */
static HANDLE arrived;

static DWORD WINAPI
write_closing(void *argument)
{
    char last[2] = {(char)atomic_load(&closing_byte), '\n'};
    const char *line = atomic_exchange(&last_line, NULL);

    (void)argument;
    if (last[0])
        os_stream_write(atomic_load(&closing_stream), last, sizeof(last));
    if (line)
        os_stream_write(1, line, strlen(line));

    return 0;
}

static void
ask_to_stop(int signo)
{
    long long never = 0;
    atomic_compare_exchange_strong(&asked, &never, os_clock_now());
    atomic_store(&stop_signal, signo);
    SetEvent(arrived);
}

/* A separate thread writes the closing byte and the last line, because that may block if
 * nobody reads them. */
static void
on_interrupt(void)
{
    int64_t now = os_clock_now(), before = atomic_load(&interrupted);

    if (before && now - before > OS_SIGNAL_SAME) {
        HANDLE writer = CreateThread(NULL, 0, write_closing, NULL, 0, NULL);
        WaitForSingleObject(writer, DEADLINE_TIDYING / MS);
        TerminateProcess(GetCurrentProcess(), (UINT)atomic_load(&last_status));
    }
    if (!before)
        atomic_store(&interrupted, now);
    ask_to_stop(SIGINT);
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
        ask_to_stop(SIGTERM);
        /* The program ends when this function returns, or some seconds later. */
        Sleep(INFINITE);
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

/* There is no fork(2), and a process that is stuck in the kernel keeps nobody waiting. */
OS_ANSWER(int, os_monitor_start, (void), 0)
OS_ANSWER(void, os_monitor_limit, (int64_t when), )
OS_ANSWER(void, os_monitor_limit_most, (int64_t when), )

/* No signals reach the threads of the program. */
OS_ANSWER(unsigned, os_signals_block, (void), 0)
OS_ANSWER(void, os_signals_unblock, (unsigned set), )

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

int64_t
os_signals_asked(void)
{
    return atomic_load(&asked);
}

OS_ANSWER(void, os_signals_see_freezes, (void), )

/* Only a debugger stops a process here. */
OS_ANSWER(int64_t, os_process_resumed, (void), 0)
OS_ANSWER(int64_t, os_signals_resumed, (void), 0)
OS_ANSWER(bool, os_process_stopped, (int64_t since), false)
OS_ANSWER(bool, os_process_was_late, (int64_t since), false)

bool
os_signals_report(void)
{
    return atomic_exchange(&report_wanted, false);
}

void
os_signals_closing(int stream, int byte)
{
    atomic_store(&closing_stream, stream);
    atomic_store(&closing_byte, byte);
}

void
os_process_last_line(const char *line, int status)
{
    atomic_store(&last_line, line);
    atomic_store(&last_status, status);
}

/* No process ends by a signal here. */
int
os_signals_end(int status)
{
    return status;
}
