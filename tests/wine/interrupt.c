/*
 * Presses keys on the console while a program runs. Usage:
 *
 *     interrupt PROGRAM [ARGUMENT...] <KEYS
 *
 * Each c in KEYS presses Ctrl-C and each b presses Ctrl-Break, as soon as it has been
 * read. Ends with the status of PROGRAM, or with 99 if something fails.
 */
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#define MAX_WAIT 20000 /* ms from the last key to the end of PROGRAM */
#define GIVEN_UP 99    /* exit status if something fails */

/* Ignores the keys, because this program on the same console gets them, too. */
static BOOL WINAPI
ignore(DWORD event)
{
    return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
}

static int
fail(const char *what)
{
    fprintf(stderr, "interrupt: %s: error %lu\n", what, GetLastError());
    return GIVEN_UP;
}

/* Returns the part of a command line after its first word. The first word may be quoted,
 * but must contain no quotes and, unless it is quoted, no spaces. */
static WCHAR *
find_command(WCHAR *line)
{
    WCHAR end = *line == L'"' ? L'"' : L' ';
    WCHAR *rest = wcschr(line + 1, end);
    return rest ? rest + 1 + wcsspn(rest + 1, L" ") : line;
}

/* Does what the console does when a key is pressed, for a process without a console:
 * starts a thread of the process that runs the system's function CtrlRoutine. */
static BOOL
start_key_handler(HANDLE process, DWORD event)
{
    HMODULE module = GetModuleHandleW(L"kernelbase.dll");
    FARPROC found = GetProcAddress(module, "CtrlRoutine");
    LPTHREAD_START_ROUTINE body;
    if (!found)
        return FALSE;
    memcpy(&body, &found, sizeof(body));
    HANDLE thread =
        CreateRemoteThread(process, NULL, 0, body, (void *)(UINT_PTR)event, 0, NULL);
    if (!thread)
        return FALSE;
    CloseHandle(thread);
    return TRUE;
}

/* Presses all keys on stdin. Returns 0, or GIVEN_UP on failure. A failure to press a key
 * is ignored if the process ends within 1 s, because then the key may have ended it. */
static int
press_all(HANDLE process)
{
    for (int key = getchar(); key != EOF; key = getchar()) {
        DWORD event = key == 'c' ? CTRL_C_EVENT : CTRL_BREAK_EVENT;
        if ((key == 'c' || key == 'b') && !GenerateConsoleCtrlEvent(event, 0) &&
            !start_key_handler(process, event) &&
            WaitForSingleObject(process, 1000) == WAIT_TIMEOUT)
            return fail("pressing a key");
    }
    return 0;
}

int
main(int argc, char *argv[])
{
    STARTUPINFOW start = {.cb = sizeof(start)};
    PROCESS_INFORMATION made;
    DWORD status = GIVEN_UP;
    if (argc < 2)
        return fail("usage: interrupt PROGRAM [ARGUMENT...]");
    SetConsoleCtrlHandler(ignore, TRUE);
    if (!CreateProcessW(NULL, find_command(GetCommandLineW()), NULL, NULL, TRUE, 0, NULL,
                        NULL, &start, &made))
        return fail(argv[1]);
    if (press_all(made.hProcess) != 0 ||
        WaitForSingleObject(made.hProcess, MAX_WAIT) != WAIT_OBJECT_0) {
        TerminateProcess(made.hProcess, GIVEN_UP);
        return fail("it does not end");
    }
    GetExitCodeProcess(made.hProcess, &status);
    return (int)status;
}
