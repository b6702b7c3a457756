#include "os/output.h"

#include "windows_error.h"
#include "windows_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A link, a directory, or a file of something else must not be lost. */
static bool
is_replaceable(const WCHAR *path, const char *start)
{
    char head[64] = "";
    DWORD attributes = GetFileAttributesW(path), got = 0;
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return true;
    if (attributes &
        (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE | FILE_ATTRIBUTE_REPARSE_POINT))
        return false;
    HANDLE file =
        CreateFileW(path, GENERIC_READ, WINDOWS_SHARE, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool read = ReadFile(file, head, sizeof(head), &got, NULL);
    CloseHandle(file);
    size_t length = strlen(start);
    return read && (got == 0 || (got >= length && memcmp(head, start, length) == 0));
}

static int
write_durably(HANDLE file, const char *bytes, size_t size)
{
    while (size > 0) {
        DWORD done, most = size < 1 << 30 ? (DWORD)size : 1 << 30;
        if (!WriteFile(file, bytes, most, &done, NULL))
            return windows_error_fail();
        bytes += done;
        size -= done;
    }
    return FlushFileBuffers(file) ? 0 : windows_error_fail();
}

/* Whoever reads what is there keeps it for a moment. Returns 0, or errno. */
static int
move(const WCHAR *from, const WCHAR *to)
{
    for (int tries = 1;; tries++) {
        if (MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
            return 0;
        DWORD error = GetLastError();
        if (tries == 20 ||
            (error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION))
            return windows_error_number(error);
        Sleep(10);
    }
}

static int
replace(const char *path, const WCHAR *wide, const char *bytes, size_t size)
{
    char name[4096];
    WCHAR *beside;
    if (snprintf(name, sizeof(name), "%s.XXXXXX", path) >= (int)sizeof(name)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    HANDLE file = windows_path_create(name, GENERIC_WRITE, 0, &beside);
    if (file == INVALID_HANDLE_VALUE)
        return -1;
    int failed = write_durably(file, bytes, size) < 0 ? errno : 0;
    CloseHandle(file);
    if (!failed)
        failed = move(beside, wide);
    if (failed)
        DeleteFileW(beside);
    free(beside);
    if (!failed)
        return 0;
    errno = failed;
    return -1;
}

int
os_file_replace(const char *path, const char *bytes, size_t size, const char *start)
{
    WCHAR *wide = windows_path_wide(path);
    if (!wide)
        return -1;
    int status = -1;
    if (is_replaceable(wide, start))
        status = replace(path, wide, bytes, size);
    else
        errno = EEXIST;
    int number = errno;
    free(wide);
    errno = number;
    return status;
}
