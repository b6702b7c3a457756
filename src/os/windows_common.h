#ifndef OS_WINDOWS_COMMON_H
#define OS_WINDOWS_COMMON_H

/* Functions that the files for Windows share with each other and with their engine. */

#include <stdint.h>
#include <windows.h>

/* Returns the errno for ERROR, a value of GetLastError; EIO if none fits. */
int windows_error_code(DWORD error);

/* Sets errno from GetLastError. Returns -1. */
int windows_error_fail(void);

/* Other programs may read, write and delete an open file, as on Unix. */
#define WINDOWS_SHARE (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* Converts PATH from UTF-8 to a full UTF-16 path of any length. The caller frees it.
 * Returns NULL with errno if that fails. */
WCHAR *windows_path_wide(const char *path);

/* Converts TEXT to UTF-8. The caller frees it. Returns NULL with errno if that fails. */
char *windows_path_utf8(const WCHAR *text);

/* What a descriptor refers to. A handle cannot be switched to direct I/O, only replaced
 * by another handle, so the program has a descriptor that stays the same. */
struct windows_file {
    HANDLE handle;
    HANDLE deleter; /* removes the file when it is closed; NULL without one */
    WCHAR *path;    /* of a device; NULL for a file */
    DWORD access, flags;
};

/* Opens the file at PATH, in UTF-8, with ACCESS, HOW and FLAGS of CreateFileW. Returns
 * INVALID_HANDLE_VALUE with errno if it fails. */
HANDLE windows_path_open(const char *path, DWORD access, DWORD how, DWORD flags);

/* Creates a new file. PATH ends with six characters, which are replaced by random ones.
 * Stores the name in NAME; the caller frees it. Returns INVALID_HANDLE_VALUE with errno,
 * and a NAME of NULL, if it fails. */
HANDLE windows_path_create(const char *path, DWORD access, DWORD flags, WCHAR **name);

/* Opens another handle of FILE, with FLAGS. Returns INVALID_HANDLE_VALUE with errno if it
 * fails. */
HANDLE windows_handle_reopen(const struct windows_file *file, DWORD flags);

/* Opens the device PATH. Returns INVALID_HANDLE_VALUE with errno if it fails. */
HANDLE windows_handle_device(const WCHAR *path, DWORD access, DWORD flags);

/* Closes the handles of FILE and frees its path. The handle may be
 * INVALID_HANDLE_VALUE. */
void windows_file_drop(const struct windows_file *file);

/* Makes a descriptor for FILE, which then owns the handles and the path. Returns -1 if it
 * fails, and drops FILE: with EMFILE if no descriptor is left; if FILE has no valid
 * handle, errno stays as it is. */
int windows_handle_add(const struct windows_file *file);

/* Returns the file of descriptor FD, or NULL with EBADF if FD is not open. */
struct windows_file *windows_handle_file(int fd);

/* Returns the handle of descriptor FD. If FD is not open, returns NULL, which every
 * system call refuses. */
HANDLE windows_handle_of(int fd);

/* Returns the handle of a standard stream or of a descriptor. */
HANDLE windows_handle_stream(int stream);

/* Returns the sector size of the volume that the file is on, the alignment of requests in
 * bytes; -1 if unknown. */
int64_t windows_volume_sector(HANDLE file);

/* Creates a timer as exact as the system has them. The caller closes it with CloseHandle.
 * Returns NULL if it fails. */
HANDLE windows_thread_timer(void);

/* Sets TIMER to LEFT ns from now. When it expires, BODY, unless NULL, is called with
 * ARGUMENT on the calling thread, as soon as that thread is in an alertable wait. Returns
 * 0, or -1. */
int windows_thread_alarm(HANDLE timer, int64_t left, PTIMERAPCROUTINE body,
                         void *argument);

/* Waits until the monotonic time WHEN. Returns 0 at that time; -1 earlier if
 * os_thread_wake is called or EVENT is set. EVENT may be NULL. A wake-up since the last
 * wait counts too. */
int windows_thread_wait(int64_t when, HANDLE event);

#endif
