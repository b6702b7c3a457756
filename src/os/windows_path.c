#define _CRT_RAND_S /* rand_s */
#include "windows_path.h"

#include "windows_error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define SHORT 248 /* longer ones may need a prefix, as those of directories do */
#define TRIES 100

/* Returns NULL with errno. */
static WCHAR *
widen(const char *text)
{
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    if (length == 0) {
        windows_error_fail();
        return NULL;
    }
    WCHAR *wide = malloc((size_t)length * sizeof(*wide));
    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, length);
    return wide;
}

static bool
begins_with(const WCHAR *text, const WCHAR *start)
{
    return wcsncmp(text, start, wcslen(start)) == 0;
}

/* The name from the root, for which there is no limit with a prefix. */
static WCHAR *
make_full(const WCHAR *path)
{
    DWORD room = GetFullPathNameW(path, 0, NULL, NULL);
    WCHAR *full = room ? malloc((room + 8) * sizeof(*full)) : NULL;
    if (!full || GetFullPathNameW(path, room, full + 8, NULL) >= room) {
        if (!room)
            windows_error_fail();
        free(full);
        return NULL;
    }
    const WCHAR *name = full + 8, *prefix = L"";
    if (wcslen(name) >= SHORT && begins_with(name, L"\\\\") && name[2] != L'.') {
        prefix = L"\\\\?\\UNC\\";
        name += 2;
    } else if (wcslen(name) >= SHORT && name[1] == L':') {
        prefix = L"\\\\?\\";
    }
    size_t length = wcslen(prefix);
    wmemmove(full + length, name, wcslen(name) + 1);
    wmemcpy(full, prefix, length);
    return full;
}

WCHAR *
windows_path_wide(const char *path)
{
    WCHAR *wide = widen(path);
    if (!wide || begins_with(wide, L"\\\\?\\"))
        return wide;
    WCHAR *full = make_full(wide);
    free(wide);
    return full;
}

char *
windows_path_utf8(const WCHAR *text)
{
    int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *bytes = length ? malloc((size_t)length) : NULL;
    if (!length)
        windows_error_fail();
    if (bytes)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, length, NULL, NULL);
    return bytes;
}

/* Of a set in which no two are the same to the system. */
static void
vary(WCHAR *six)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned value = 0;
    rand_s(&value);
    for (int i = 0; i < 6; i++, value /= 36)
        six[i] = (WCHAR)letters[value % 36];
}

HANDLE
windows_path_create(const char *path, DWORD access, DWORD flags, WCHAR **name)
{
    HANDLE file = INVALID_HANDLE_VALUE;
    *name = windows_path_wide(path);
    for (int i = 0; *name && file == INVALID_HANDLE_VALUE && i < TRIES; i++) {
        vary(*name + wcslen(*name) - 6);
        file = CreateFileW(*name, access, WINDOWS_SHARE, NULL, CREATE_NEW, flags, NULL);
        if (file == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS)
            break;
    }
    if (*name && file == INVALID_HANDLE_VALUE) {
        windows_error_fail();
        free(*name);
        *name = NULL;
    }
    return file;
}
