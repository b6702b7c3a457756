/*
 * Presses keys on the console while a program runs. Usage:
 *
 *     interrupt PROGRAM [ARGUMENT...] <KEYS
 *
 * KEYS: what is pressed, as soon as it can be read: c for Ctrl-C, b for Ctrl-Break. Ends
 * with the status of PROGRAM, or with 99 if it cannot.
 */
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#define PATIENCE 20000 /* ms, after the last */
#define GIVEN_UP 99

/* Ignores the keys that this program, on the same console, gets too. */
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

/* Returns the words after the first, which has no spaces and no quotes in it. */
static WCHAR *
find_command(WCHAR *line)
{
    WCHAR end = *line == L'"' ? L'"' : L' ';
    WCHAR *rest = wcschr(line + 1, end);
    return rest ? rest + 1 + wcsspn(rest + 1, L" ") : line;
}

/* Where there is no console, what it would do: it starts a thread in this function. */
static BOOL
tell(HANDLE process, DWORD event)
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

/* One that it has ended by may not be known to have been pressed. */
static int
press_all(HANDLE process)
{
    for (int key = getchar(); key != EOF; key = getchar()) {
        DWORD event = key == 'c' ? CTRL_C_EVENT : CTRL_BREAK_EVENT;
        if ((key == 'c' || key == 'b') && !GenerateConsoleCtrlEvent(event, 0) &&
            !tell(process, event) && WaitForSingleObject(process, 1000) == WAIT_TIMEOUT)
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
        WaitForSingleObject(made.hProcess, PATIENCE) != WAIT_OBJECT_0) {
        TerminateProcess(made.hProcess, GIVEN_UP);
        return fail("it does not end");
    }
    GetExitCodeProcess(made.hProcess, &status);
    return (int)status;
}
