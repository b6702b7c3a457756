/*
 * Standard streams, a file in place of standard output, consoles, and files that are
 * replaced as a whole, on Windows.
 */
#include "base/deadlines.h"
#include "beside.h"
#include "has.h"
#include "os/os.h"
#include "os/output.h"
#include "windows_common.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CONSOLE_BYTES 4096 /* bytes that are converted for a console at once */

static bool
is_console(HANDLE handle)
{
    DWORD mode;
    return GetConsoleMode(handle, &mode);
}

/* Makes the console that STREAM goes to obey escape sequences, as a terminal does.
 * Returns true if the console obeys them, or if the stream goes to no console. */
static bool
enable_sequences(int stream)
{
    DWORD mode;
    HANDLE handle = windows_handle_stream(stream);
    return !GetConsoleMode(handle, &mode) ||
           SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT |
                                      ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

/* The handle of a closed standard stream is cleared, because its number may later become
 * the handle of a file. */
void
os_stream_guard(void)
{
    static const DWORD streams[] = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    for (int i = 0; i < 2; i++) {
        SetLastError(NO_ERROR);
        if (GetFileType(GetStdHandle(streams[i])) == FILE_TYPE_UNKNOWN &&
            GetLastError() != NO_ERROR)
            SetStdHandle(streams[i], NULL);
        enable_sequences(i + 1);
    }
}

/* Returns how many of SIZE bytes to convert for a console at once. The cut is between two
 * characters of UTF-8. In invalid text, in which no character begins, the cut may be at
 * any byte. */
static size_t
console_chunk(const char *bytes, size_t size)
{
    if (size <= MAX_CONSOLE_BYTES)
        return size;
    size_t end = MAX_CONSOLE_BYTES;
    while (end > 0 && ((unsigned char)bytes[end] & 0xc0) == 0x80)
        end--;
    return end > 0 ? end : MAX_CONSOLE_BYTES;
}

/* Writes UTF-16, so that the code page of the console does not matter. */
static int
write_console(HANDLE console, const char *bytes, size_t size)
{
    WCHAR text[MAX_CONSOLE_BYTES];
    while (size > 0) {
        size_t chunk = console_chunk(bytes, size);
        DWORD count = (DWORD)MultiByteToWideChar(CP_UTF8, 0, bytes, (int)chunk, text,
                                                 MAX_CONSOLE_BYTES);
        DWORD written = 0;
        while (written < count) {
            DWORD done;
            if (!WriteConsoleW(console, text + written, count - written, &done, NULL))
                return windows_error_fail();
            written += done;
        }
        bytes += chunk;
        size -= chunk;
    }
    return 0;
}

/* A full pipe that another process has made non-blocking accepts 0 bytes without an
 * error; then the write is tried again after a pause. */
static int
write_handle(HANDLE file, const char *bytes, size_t size)
{
    while (size > 0) {
        DWORD chunk = size < 1 << 30 ? (DWORD)size : 1 << 30;
        DWORD written;
        if (!WriteFile(file, bytes, chunk, &written, NULL))
            return windows_error_fail();
        if (written == 0)
            Sleep(1);
        bytes += written;
        size -= written;
    }
    return 0;
}

int
os_stream_write(int stream, const char *bytes, size_t size)
{
    HANDLE handle = windows_handle_stream(stream);
    return is_console(handle) ? write_console(handle, bytes, size)
                              : write_handle(handle, bytes, size);
}

/* ERROR_BROKEN_PIPE means that the other end of a pipe was closed. This is the end of the
 * input, so the result is 0. */
int64_t
os_stream_read(int fd, char *bytes, size_t size)
{
    HANDLE handle = fd == 0 ? GetStdHandle(STD_INPUT_HANDLE) : windows_handle_of(fd);
    DWORD got;
    if (ReadFile(handle, bytes, (DWORD)size, &got, NULL))
        return got;
    return GetLastError() == ERROR_BROKEN_PIPE ? 0 : windows_error_fail();
}

int
os_stream_open(const char *path)
{
    struct windows_file file = {.access = GENERIC_WRITE};
    file.handle = windows_path_open(path, file.access, OPEN_ALWAYS, 0);
    return windows_handle_add(&file);
}

void
os_stream_discard(int stream, const char *path)
{
    struct os_info info;
    if (os_stream_is_path(stream, path) && os_file_info(stream, &info) == 0 &&
        info.kind == OS_FILE && info.size == 0)
        os_path_remove(path);
}

int
os_stream_close(int stream)
{
    os_file_close(stream);
    return 0;
}

bool
os_stream_is_terminal(int stream)
{
    return is_console(windows_handle_stream(stream));
}

/* No process runs in the background of a console. */
OS_ANSWER(bool, os_terminal_is_foreground, (int stream), true)

bool
os_terminal_is_dumb(void)
{
    const char *name = getenv("TERM");
    if (name && strcmp(name, "dumb") == 0)
        return true;
    return !enable_sequences(1) || !enable_sequences(2);
}

int
os_stream_columns(int stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(windows_handle_stream(stream), &info))
        return 0;
    return info.srWindow.Right - info.srWindow.Left + 1;
}

/* Text for a console is converted, so UTF-8 always works there. Programs that read a file
 * or a pipe expect the code page of the console. */
bool
os_locale_is_utf8(void)
{
    return is_console(windows_handle_stream(1)) || GetConsoleOutputCP() == CP_UTF8;
}

/* Checks that an open file is regular and begins with START. Returns 0, or errno: ENOENT
 * if the file is empty, EEXIST if it is a link, a directory or a file of another program,
 * which must not be lost. */
static int
check_file_start(HANDLE file, const char *start)
{
    BY_HANDLE_FILE_INFORMATION status;
    char head[64];
    DWORD length = (DWORD)strlen(start);
    DWORD got = 0;
    if (!GetFileInformationByHandle(file, &status) ||
        status.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE |
                                   FILE_ATTRIBUTE_REPARSE_POINT))
        return EEXIST;
    if (!ReadFile(file, head, length, &got, NULL))
        return windows_error_code(GetLastError());

    bool is_ours = got == length && memcmp(head, start, length) == 0;
    if (is_ours)
        return 0;
    return got == 0 ? ENOENT : EEXIST;
}

/* Returns true if PATH may be replaced: nothing is there, or an empty file, or a file
 * that begins with START. */
static bool
is_replaceable(const char *path, const char *start)
{
    HANDLE file =
        windows_path_open(path, GENERIC_READ, OPEN_EXISTING,
                          FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    int code = file == INVALID_HANDLE_VALUE ? errno : check_file_start(file, start);
    CloseHandle(file);
    return code == 0 || code == ENOENT;
}

/* Writes SIZE bytes, and makes them durable if DURABLE. Returns 0, or -1 with errno. */
static int
write_and_flush(HANDLE file, const char *bytes, size_t size, bool durable)
{
    if (write_handle(file, bytes, size) < 0)
        return -1;
    if (durable && !FlushFileBuffers(file))
        return windows_error_fail();
    return 0;
}

#define RENAME_PAUSE (10 * MS) /* ns, between two attempts to rename a file */

/* Renames the file FROM to TO, in place of an older file. If the system refuses, tries
 * again for DEADLINE_CLAIM, because a reader may have the older file open for a moment.
 * Returns 0, or errno. */
static int
rename_over(const WCHAR *from, const WCHAR *to, bool durable)
{
    DWORD flags = MOVEFILE_REPLACE_EXISTING | (durable ? MOVEFILE_WRITE_THROUGH : 0);
    for (int attempts = 1;; attempts++) {
        if (MoveFileExW(from, to, flags))
            return 0;
        DWORD error = GetLastError();
        bool may_be_in_use =
            error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION;
        if (!may_be_in_use || attempts == DEADLINE_CLAIM / RENAME_PAUSE)
            return windows_error_code(error);
        Sleep(RENAME_PAUSE / MS);
    }
}

/* Returns the index at which the last component of PATH begins. */
static size_t
find_name_start(const char *path)
{
    size_t name_at = strlen(path);
    while (name_at > 0 && !strchr("/\\:", path[name_at - 1]))
        name_at--;
    return name_at;
}

/* Writes the temporary file for os_file_replace. Returns the path of the temporary file,
 * or NULL with errno. The caller frees the path when the file is renamed or deleted. */
static WCHAR *
write_beside(const char *path, const char *bytes, size_t size, const char *start,
             bool durable)
{
    char name[4096];
    WCHAR *beside;

    if (!is_replaceable(path, start)) {
        errno = EEXIST;
        return NULL;
    }

    size_t name_at = find_name_start(path);
    size_t length = name_at + beside_length(path + name_at, BESIDE_NAME_MAX);
    if (snprintf(name, sizeof(name), "%.*s.XXXXXX", (int)length, path) >=
        (int)sizeof(name)) {
        errno = ENAMETOOLONG;
        return NULL;
    }

    HANDLE file = windows_path_create(name, GENERIC_WRITE, 0, &beside);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;

    int code = write_and_flush(file, bytes, size, durable) < 0 ? errno : 0;
    CloseHandle(file);
    if (!code)
        return beside;
    DeleteFileW(beside);
    free(beside);
    errno = code;

    return NULL;
}

int
os_file_try(const char *path, const char *bytes, size_t size, const char *start)
{
    WCHAR *beside = write_beside(path, bytes, size, start, false);
    if (!beside)
        return -1;
    DeleteFileW(beside);
    free(beside);
    return 0;
}

int
os_file_replace(const char *path, const char *bytes, size_t size, const char *start,
                bool durable)
{
    WCHAR *beside = write_beside(path, bytes, size, start, durable);
    if (!beside)
        return -1;

    WCHAR *wide = windows_path_wide(path);
    int code = wide ? rename_over(beside, wide, durable) : errno;
    if (code)
        DeleteFileW(beside);
    free(beside);
    free(wide);

    return code ? os_fail(code) : 0;
}

/* Temporary files of killed runs stay here until the user removes them. */
OS_ANSWER(void, os_file_clean, (const char *path, const char *start), )

int
os_file_append(const char *path, const char *bytes, size_t size, const char *start,
               bool durable)
{
    LARGE_INTEGER end;
    HANDLE file = windows_path_open(path, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING,
                                    FILE_FLAG_OPEN_REPARSE_POINT);
    if (file == INVALID_HANDLE_VALUE)
        return -1;

    int code = check_file_start(file, start);
    if (!code && !SetFilePointerEx(file, (LARGE_INTEGER){0}, &end, FILE_END))
        code = windows_error_code(GetLastError());
    if (!code && write_and_flush(file, bytes, size, durable) < 0) {
        code = errno;
        if (SetFilePointerEx(file, end, NULL, FILE_BEGIN))
            SetEndOfFile(file);
    }
    CloseHandle(file);

    return code ? os_fail(code) : 0;
}
