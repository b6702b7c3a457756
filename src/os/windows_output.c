/*
 * Streams, a file in place of one, consoles, and files that are replaced as a whole, on
 * Windows.
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

#define CONSOLE_MOST 4096 /* bytes that are converted for a console at a time */

static bool
is_console(HANDLE handle)
{
    DWORD mode;
    return GetConsoleMode(handle, &mode);
}

/* Makes a console obey terminal sequences. Returns true if it does, or if the stream is
 * no console. */
static bool
enable_sequences(int stream)
{
    DWORD mode;
    HANDLE handle = windows_handle_stream(stream);
    return !GetConsoleMode(handle, &mode) ||
           SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT |
                                      ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

/* A standard handle that is not open is cleared, because its number may become that of a
 * file. */
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

/* Writes UTF-16, so that the code page of the console does not matter. Cuts the text
 * between characters, if it has whole ones. */
static int
write_console(HANDLE console, const char *bytes, size_t size)
{
    WCHAR text[CONSOLE_MOST];
    while (size > 0) {
        size_t some = size < CONSOLE_MOST ? size : CONSOLE_MOST, end = some;
        while (some < size && end > 0 && ((unsigned char)bytes[end] & 0xc0) == 0x80)
            end--;
        some = end > 0 ? end : some;

        int count = MultiByteToWideChar(CP_UTF8, 0, bytes, (int)some, text, CONSOLE_MOST);
        for (DWORD at = 0, done; at < (DWORD)count; at += done)
            if (!WriteConsoleW(console, text + at, (DWORD)count - at, &done, NULL))
                return windows_error_fail();
        bytes += some;
        size -= some;
    }
    return 0;
}

/* Retries after a write of 0 bytes: another process may have made the pipe non-blocking,
 * and it is full. */
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
    HANDLE handle = windows_handle_stream(stream);
    return is_console(handle) ? write_console(handle, bytes, size)
                              : write_bytes(handle, bytes, size);
}

/* A pipe ends when its other end is closed. */
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
os_stream_terminal(int stream)
{
    return is_console(windows_handle_stream(stream));
}

/* A console has no background jobs. */
OS_ANSWER(bool, os_terminal_foreground, (int stream), true)

bool
os_terminal_dumb(void)
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

/* Text for a console is converted. Readers of files and pipes expect the code page of the
 * console. */
bool
os_locale_utf8(void)
{
    return is_console(windows_handle_stream(1)) || GetConsoleOutputCP() == CP_UTF8;
}

/* Checks that an open file is regular and begins with START. Returns 0, or errno: ENOENT
 * if the file is empty, EEXIST if it is a link, a directory or a file of another program,
 * which must not be lost. */
static int
check_ours(HANDLE file, const char *start)
{
    BY_HANDLE_FILE_INFORMATION status;
    char head[64];
    DWORD length = (DWORD)strlen(start), got = 0;
    if (!GetFileInformationByHandle(file, &status) ||
        status.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE |
                                   FILE_ATTRIBUTE_REPARSE_POINT))
        return EEXIST;
    if (!ReadFile(file, head, length, &got, NULL))
        return windows_error_code(GetLastError());
    bool ours = got == length && memcmp(head, start, length) == 0;

    return ours ? 0 : got == 0 ? ENOENT : EEXIST;
}

static bool
is_replaceable(const char *path, const char *start)
{
    HANDLE file =
        windows_path_open(path, GENERIC_READ, OPEN_EXISTING,
                          FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    int code = file == INVALID_HANDLE_VALUE ? errno : check_ours(file, start);
    CloseHandle(file);
    return code == 0 || code == ENOENT;
}

static int
write_file(HANDLE file, const char *bytes, size_t size, bool durable)
{
    if (write_bytes(file, bytes, size) < 0)
        return -1;
    return !durable || FlushFileBuffers(file) ? 0 : windows_error_fail();
}

#define PAUSE (10 * MS) /* ns, until a file that another program has open is retried */

/* Renames a file, replacing an older one. Retries for DEADLINE_CLAIM, because a reader
 * may have the older file open for a moment. Returns 0, or errno. */
static int
move(const WCHAR *from, const WCHAR *to, bool durable)
{
    DWORD flags = MOVEFILE_REPLACE_EXISTING | (durable ? MOVEFILE_WRITE_THROUGH : 0);
    for (int tries = 1;; tries++) {
        if (MoveFileExW(from, to, flags))
            return 0;
        DWORD error = GetLastError();
        if (tries == DEADLINE_CLAIM / PAUSE ||
            (error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION))
            return windows_error_code(error);
        Sleep(PAUSE / MS);
    }
}

/* Returns the index at which the last component of PATH begins. */
static size_t
find_name(const char *path)
{
    size_t name_at = strlen(path);
    while (name_at > 0 && !strchr("/\\:", path[name_at - 1]))
        name_at--;
    return name_at;
}

/* Writes a file beside PATH, for os_file_replace. Returns its name, which the caller
 * frees once the file is renamed or deleted. Returns NULL with errno if it fails. */
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

    size_t name_at = find_name(path);
    size_t length = name_at + beside_length(path + name_at, BESIDE_NAME_MAX);
    if (snprintf(name, sizeof(name), "%.*s.XXXXXX", (int)length, path) >=
        (int)sizeof(name)) {
        errno = ENAMETOOLONG;
        return NULL;
    }

    HANDLE file = windows_path_create(name, GENERIC_WRITE, 0, &beside);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;

    int failed = write_file(file, bytes, size, durable) < 0 ? errno : 0;
    CloseHandle(file);
    if (!failed)
        return beside;
    DeleteFileW(beside);
    free(beside);
    errno = failed;

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
    int failed = wide ? move(beside, wide, durable) : errno;
    if (failed)
        DeleteFileW(beside);
    free(beside);
    free(wide);

    return failed ? os_fail(failed) : 0;
}

/* Temporary files of killed runs stay; the user removes them. */
OS_ANSWER(void, os_file_clean, (const char *path, const char *start), )

/* If only a part of the text could be written, the file is cut to its old length. */
int
os_file_append(const char *path, const char *bytes, size_t size, const char *start,
               bool durable)
{
    LARGE_INTEGER end;
    HANDLE file = windows_path_open(path, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING,
                                    FILE_FLAG_OPEN_REPARSE_POINT);
    if (file == INVALID_HANDLE_VALUE)
        return -1;

    int failed = check_ours(file, start);
    if (!failed && !SetFilePointerEx(file, (LARGE_INTEGER){0}, &end, FILE_END))
        failed = windows_error_code(GetLastError());
    if (!failed && write_file(file, bytes, size, durable) < 0) {
        failed = errno;
        if (SetFilePointerEx(file, end, NULL, FILE_BEGIN))
            SetEndOfFile(file);
    }
    CloseHandle(file);

    return failed ? os_fail(failed) : 0;
}
