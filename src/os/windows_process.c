/*
 * Clocks, the process, its memory, and console keys in place of signals, on Windows.
 *
 * For a key such as Ctrl-C the system calls on_control, on a new thread. on_control sets
 * flags and an event. The event wakes the signal thread, which is the one thread that
 * reads the flags. There is no monitor, because a process that is stuck in the kernel
 * does not keep its parent waiting.
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

/* The beginning of 1970, in the unit of the system: 100 ns since 1601. */
#define UNIX_EPOCH 116444736000000000LL

/* The frequency is usually 10 MHz, and then a tick is 100 ns. Otherwise whole seconds and
 * the rest are converted separately, because the product of ticks and ns would
 * overflow. */
int64_t
os_clock_now(void)
{
    LARGE_INTEGER counter;
    LARGE_INTEGER frequency;
    QueryPerformanceCounter(&counter);
    QueryPerformanceFrequency(&frequency);

    int64_t ticks = counter.QuadPart;
    int64_t ticks_per_second = frequency.QuadPart;
    if (ticks_per_second == SECOND / 100)
        return ticks * 100;
    int64_t seconds = ticks / ticks_per_second;
    int64_t rest_ticks = ticks % ticks_per_second;
    return seconds * SECOND + rest_ticks * SECOND / ticks_per_second;
}

int64_t
os_clock_wall(void)
{
    FILETIME time;
    GetSystemTimePreciseAsFileTime(&time);
    int64_t now = (int64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return (now - UNIX_EPOCH) * 100;
}

/* The C library calls this for an invalid parameter, such as an unknown letter after % in
 * a time format. Without it, the library would end the program. */
static void
ignore_invalid_parameter(const wchar_t *expression, const wchar_t *function,
                         const wchar_t *file, unsigned line, uintptr_t reserved)
{
    (void)expression;
    (void)function;
    (void)file;
    (void)line;
    (void)reserved;
}

/* main's arguments are in the code page of the system, which lacks many characters. The C
 * library also has the arguments in UTF-16. This function also turns off the dialogs that
 * the system shows for a drive without a disk, because it is the first function that
 * runs. */
int
os_process_arguments(int *argc, char ***argv)
{
    _set_invalid_parameter_handler(ignore_invalid_parameter);
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

void
os_host_name(char *name, size_t size)
{
    DWORD length = (DWORD)size;
    if (!GetComputerNameA(name, &length))
        *name = '\0';
}

/* A program file brings no privileges on this system. */
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

/* Nothing is done about files that a killed process leaves. Temporary files vanish with
 * their handle, however late the kernel closes it. A file with a name stays: its removal
 * could take as long as the request that the program has given up. */
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

/* SIGINT or SIGTERM, whichever last asked to stop; 0: none did. Written on the thread of
 * on_control. */
static atomic_int stop_signal;

/* When the first stop was asked for and when the first Ctrl-C came, in ns, monotonic; 0:
 * not yet. Written on the thread of on_control. */
static atomic_llong stop_asked_at;
static atomic_llong first_interrupt_at;

/* Set on the thread of on_control; cleared by os_signals_take_report_request. */
static atomic_bool report_is_wanted;

/* An event. on_control sets it when it has written stop_signal or report_is_wanted.
 * Created by os_signals_install. */
static HANDLE signal_has_arrived;

/* The byte that a second Ctrl-C writes to closing_stream before it ends the program; 0:
 * no byte. Written by os_signals_set_closing_byte; read on the thread of on_control. */
static atomic_int closing_byte;
static atomic_int closing_stream;

/* Written by os_process_set_last_line. The thread that writes the line takes it by an
 * exchange with NULL, so the line is written only once. */
static _Atomic(const char *) last_line;
static atomic_int last_status = EXIT_INTERRUPTED; /* exit status after a second Ctrl-C */

/* Body of a thread: writes the closing byte of an open JSON array and the final line of a
 * plug-in. */
static DWORD WINAPI
run_last_output(void *argument)
{
    char bytes[2] = {(char)atomic_load(&closing_byte), '\n'};
    const char *line = atomic_exchange(&last_line, NULL);

    (void)argument;
    if (bytes[0])
        os_stream_write(atomic_load(&closing_stream), bytes, sizeof(bytes));
    if (line)
        os_stream_write(1, line, strlen(line));

    return 0;
}

static void
ask_to_stop(int signo)
{
    long long never = 0;
    atomic_compare_exchange_strong(&stop_asked_at, &never, os_clock_now());
    atomic_store(&stop_signal, signo);
    SetEvent(signal_has_arrived);
}

/* A second Ctrl-C ends the program. A separate thread writes the last output, because
 * that may block if nobody reads it. */
static void
on_ctrl_c(void)
{
    int64_t now = os_clock_now();
    int64_t first_at = atomic_load(&first_interrupt_at);

    if (first_at && now - first_at > OS_SIGINT_SAME) {
        HANDLE writer = CreateThread(NULL, 0, run_last_output, NULL, 0, NULL);
        WaitForSingleObject(writer, DEADLINE_TIDYING / MS);
        TerminateProcess(GetCurrentProcess(), (UINT)atomic_load(&last_status));
    }
    if (!first_at)
        atomic_store(&first_interrupt_at, now);
    ask_to_stop(SIGINT);
}

static BOOL WINAPI
on_control(DWORD event)
{
    switch (event) {
    case CTRL_C_EVENT:
        on_ctrl_c();
        return TRUE;
    case CTRL_BREAK_EVENT:
        atomic_store(&report_is_wanted, true);
        SetEvent(signal_has_arrived);
        return TRUE;
    case CTRL_CLOSE_EVENT:
    case CTRL_LOGOFF_EVENT:
    case CTRL_SHUTDOWN_EVENT:
        ask_to_stop(SIGTERM);
        /* If this function returned, the system would end the program at once. So this
         * function never returns, while the program ends in its own way. The system
         * allows some seconds for that. */
        Sleep(INFINITE);
        return TRUE;
    default:
        return FALSE;
    }
}

void
os_signals_install(void)
{
    signal_has_arrived = CreateEventW(NULL, FALSE, FALSE, NULL);
    SetConsoleCtrlHandler(on_control, TRUE);
}

/* No monitor is needed, because a process that is stuck in the kernel keeps nobody
 * waiting. There is no fork(2) either. */
OS_ANSWER(int, os_monitor_start, (void), 0)
OS_ANSWER(void, os_monitor_limit, (int64_t when), )
OS_ANSWER(void, os_monitor_limit_at_most, (int64_t when), )

/* The system handles console keys on a thread of its own, so the threads of the program
 * have nothing to block. */
OS_ANSWER(unsigned, os_signals_block, (void), 0)
OS_ANSWER(void, os_signals_unblock, (unsigned set), )

void
os_signals_wait(int64_t when, const atomic_bool *unless)
{
    if (!atomic_load(unless))
        windows_thread_wait(when, signal_has_arrived);
}

int
os_signals_stop_signal(void)
{
    return atomic_load_explicit(&stop_signal, memory_order_relaxed);
}

int64_t
os_signals_stop_asked_at(void)
{
    return atomic_load(&stop_asked_at);
}

/* Only a debugger stops a process on this system, and that is not detected. */
OS_ANSWER(void, os_signals_see_freezes, (void), )
OS_ANSWER(int64_t, os_process_resumed_at, (void), 0)
OS_ANSWER(int64_t, os_signals_check_resumed_at, (void), 0)
OS_ANSWER(bool, os_process_was_stopped, (int64_t since), false)
OS_ANSWER(bool, os_process_was_late, (int64_t since), false)

bool
os_signals_take_report_request(void)
{
    return atomic_exchange(&report_is_wanted, false);
}

void
os_signals_set_closing_byte(int stream, int byte)
{
    atomic_store(&closing_stream, stream);
    atomic_store(&closing_byte, byte);
}

void
os_process_set_last_line(const char *line, int status)
{
    atomic_store(&last_line, line);
    atomic_store(&last_status, status);
}

/* A process cannot end by a signal on this system. */
int
os_signals_end(int status)
{
    return status;
}
