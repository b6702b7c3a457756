#ifndef OS_WINDOWS_HANDLE_H
#define OS_WINDOWS_HANDLE_H

#include <windows.h>

/*
 * Descriptors: a handle cannot be told to do direct I/O from now on, another must take
 * its place, so that what the program keeps is a number that stays.
 */
struct windows_file {
    HANDLE handle;
    HANDLE keeper; /* the file is removed once this is closed; or NULL */
    WCHAR *path;   /* of a device; NULL: it is a file */
    DWORD access, flags;
};

/* A descriptor for FILE, which owns what it has; -1 with errno if there is none left. */
int windows_handle_add(const struct windows_file *file);

/* What is behind a descriptor; NULL with errno if nothing is. */
struct windows_file *windows_handle_file(int fd);

/* Its handle; one that no function takes if there is none. */
HANDLE windows_handle_of(int fd);

/*
 * One more handle of FILE, with other FLAGS, as those of CreateFileW;
 * INVALID_HANDLE_VALUE with errno if there is none.
 */
HANDLE windows_handle_again(const struct windows_file *file, DWORD flags);

/* A handle of a device, by its path; as windows_handle_again. */
HANDLE windows_handle_device(const WCHAR *path, DWORD access, DWORD flags);

#endif
