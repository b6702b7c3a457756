#ifndef OS_WINDOWS_COMMON_H
#define OS_WINDOWS_COMMON_H

/* What the files for Windows have for each other and for the engine of it. */

#include <stdint.h>
#include <windows.h>

/* The errno that says the same as ERROR of GetLastError; EIO if none does. */
int windows_error_number(DWORD error);

/* Sets errno to what GetLastError says. Returns -1. */
int windows_error_fail(void);

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

/* The bytes of a sector, as requests must have it, of the volume that a file is on; -1 if
 * it is not known. */
int64_t windows_volume_sector(HANDLE file);

/* A timer as exact as the system has them, which is set by windows_thread_alarm. NULL if
 * there is none. For CloseHandle. */
HANDLE windows_thread_timer(void);

/* Sets TIMER for LEFT ns from now; BODY, if any, is called with ARGUMENT on this thread
 * once it waits for such calls. Returns 0, or -1. */
int windows_thread_alarm(HANDLE timer, int64_t left, PTIMERAPCROUTINE body,
                         void *argument);

/*
 * Waits until monotonic time WHEN at the most: 0; or until this thread is poked or EVENT,
 * NULL for none, is set: -1. What came since the last wait counts.
 */
int windows_thread_wait(int64_t when, HANDLE event);

#endif
