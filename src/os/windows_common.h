#ifndef OS_WINDOWS_COMMON_H
#define OS_WINDOWS_COMMON_H

/* Functions that the files for Windows share, with each other and with their engine. */

#include <stdint.h>
#include <windows.h>

/* The errno of ERROR of GetLastError; EIO if none fits. */
int windows_error_code(DWORD error);

/* Sets errno by GetLastError. Returns -1. */
int windows_error_fail(void);

/* Others may do with an open file as on Unix. */
#define WINDOWS_SHARE (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* PATH, in UTF-8, as the system takes it, of any length; NULL with errno. For free. */
WCHAR *windows_path_wide(const char *path);

/* TEXT as UTF-8; NULL with errno. For free. */
char *windows_path_utf8(const WCHAR *text);

/* A descriptor: a handle cannot be switched to direct I/O, only replaced by another, so
 * the program has a number that stays the same. */
struct windows_file {
    HANDLE handle;
    HANDLE deleter; /* removes the file when it is closed; or NULL */
    WCHAR *path;    /* of a device; NULL: it is a file */
    DWORD access, flags;
};

/*
 * These open a handle, with ACCESS, HOW and FLAGS of CreateFileW; INVALID_HANDLE_VALUE
 * with errno if they cannot. windows_path_open: a file, by its name in UTF-8.
 * windows_path_create: a new one, with six random characters at the end of its name,
 * PATH; NAME, for free, becomes that. windows_handle_reopen: FILE once more.
 * windows_handle_device: a device.
 */
HANDLE windows_path_open(const char *path, DWORD access, DWORD how, DWORD flags);
HANDLE windows_path_create(const char *path, DWORD access, DWORD flags, WCHAR **name);
HANDLE windows_handle_reopen(const struct windows_file *file, DWORD flags);
HANDLE windows_handle_device(const WCHAR *path, DWORD access, DWORD flags);

/* Closes and frees what FILE has; its handle may be INVALID_HANDLE_VALUE. */
void windows_file_drop(const struct windows_file *file);

/* A descriptor for FILE, which owns its handles and path; or -1, and FILE is dropped:
 * with errno as it is if it has no handle, or because no descriptor is left. */
int windows_handle_add(const struct windows_file *file);

/* The file of a descriptor; NULL with errno: it is not open. */
struct windows_file *windows_handle_file(int fd);

/* The handle of a descriptor; NULL, which every function refuses: it is not open. */
HANDLE windows_handle_of(int fd);

/* The handle of a standard stream, or of a descriptor. */
HANDLE windows_handle_stream(int stream);

/* The bytes of a sector, as requests need it, of the volume of a file; -1: not known. */
int64_t windows_volume_sector(HANDLE file);

/* A timer as exact as the system has them, for CloseHandle; NULL if there is none. */
HANDLE windows_thread_timer(void);

/* Sets TIMER for LEFT ns from now; BODY, if any, is called with ARGUMENT on this thread
 * once it waits for such calls. Returns 0, or -1. */
int windows_thread_alarm(HANDLE timer, int64_t left, PTIMERAPCROUTINE body,
                         void *argument);

/* Waits until monotonic time WHEN at the most: 0; or until os_thread_wake or EVENT, NULL
 * for none, is set: -1. A wake-up since the last wait counts. */
int windows_thread_wait(int64_t when, HANDLE event);

#endif
