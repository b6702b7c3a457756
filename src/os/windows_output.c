#include "os/output.h"

#include "windows_error.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 4096 /* bytes for a console at a time */

static HANDLE
stream_handle(int stream)
{
    return GetStdHandle(stream == 1 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

static bool
is_console(HANDLE handle)
{
    DWORD mode;
    return GetConsoleMode(handle, &mode);
}

/* Whether this console now obeys what terminals do; what is none need not. */
static bool
make_able(int stream)
{
    DWORD mode;
    HANDLE handle = stream_handle(stream);
    return !GetConsoleMode(handle, &mode) ||
           SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT |
                                      ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

/* The number of a handle that nobody gave this process may become that of a file. */
static void
forget_missing(DWORD stream)
{
    SetLastError(NO_ERROR);
    if (GetFileType(GetStdHandle(stream)) == FILE_TYPE_UNKNOWN &&
        GetLastError() != NO_ERROR)
        SetStdHandle(stream, NULL);
}

void
os_stream_guard(void)
{
    forget_missing(STD_OUTPUT_HANDLE);
    forget_missing(STD_ERROR_HANDLE);
    make_able(1);
    make_able(2);
}

/* The end of the last character that is whole, if there is one. */
static size_t
whole_of(const char *bytes, size_t size)
{
    size_t end = size;
    while (end > 0 && ((unsigned char)bytes[end] & 0xc0) == 0x80)
        end--;
    return end > 0 ? end : size;
}

static int
write_characters(HANDLE console, const WCHAR *text, DWORD count)
{
    while (count > 0) {
        DWORD done;
        if (!WriteConsoleW(console, text, count, &done, NULL))
            return windows_error_fail();
        text += done;
        count -= done;
    }
    return 0;
}

/* As the console has it, whatever its code page. */
static int
write_console(HANDLE console, const char *bytes, size_t size)
{
    WCHAR text[PIECE];
    while (size > 0) {
        size_t piece = size <= PIECE ? size : whole_of(bytes, PIECE);
        int count = MultiByteToWideChar(CP_UTF8, 0, bytes, (int)piece, text, PIECE);
        if (write_characters(console, text, (DWORD)count) < 0)
            return -1;
        bytes += piece;
        size -= piece;
    }
    return 0;
}

/* A pipe that somebody made non-blocking takes nothing when it is full. */
static int
write_bytes(HANDLE file, const char *bytes, size_t size)
{
    while (size > 0) {
        DWORD done, most = size < 1 << 30 ? (DWORD)size : 1 << 30;
        if (!WriteFile(file, bytes, most, &done, NULL))
            return windows_error_fail();
        if (done == 0)
            Sleep(1);
        bytes += done;
        size -= done;
    }
    return 0;
}

int
os_stream_write(int stream, const char *bytes, size_t size)
{
    HANDLE handle = stream_handle(stream);
    return is_console(handle) ? write_console(handle, bytes, size)
                              : write_bytes(handle, bytes, size);
}

bool
os_stream_terminal(int stream)
{
    return is_console(stream_handle(stream));
}

/* There are no jobs in the background of a console. */
bool
os_terminal_ours(int stream)
{
    (void)stream;
    return true;
}

bool
os_terminal_plain(void)
{
    const char *name = getenv("TERM");
    if (name && strcmp(name, "dumb") == 0)
        return true;
    return !make_able(1) || !make_able(2);
}

int
os_stream_columns(int stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(stream_handle(stream), &info))
        return 0;
    return info.srWindow.Right - info.srWindow.Left + 1;
}

/* What goes to a console is converted; who reads files and pipes takes them for text of
 * the console's code page. */
bool
os_locale_utf8(void)
{
    return is_console(stream_handle(1)) || GetConsoleOutputCP() == CP_UTF8;
}
