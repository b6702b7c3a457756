#ifndef OS_WINDOWS_PATH_H
#define OS_WINDOWS_PATH_H

#include <windows.h>

/* Everybody else may do to a file what they could on Unix. */
#define WINDOWS_SHARE (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* PATH, in UTF-8, as the system takes it, of any length; NULL with errno. For free. */
WCHAR *windows_path_wide(const char *path);

/* TEXT as UTF-8; NULL with errno. For free. */
char *windows_path_utf8(const WCHAR *text);

/*
 * Makes a new file beside others, with six random characters at the end of its name,
 * PATH; NAME, for free, becomes that. ACCESS and FLAGS as those of CreateFileW. Returns
 * INVALID_HANDLE_VALUE with errno if it cannot.
 */
HANDLE windows_path_create(const char *path, DWORD access, DWORD flags, WCHAR **name);

#endif
