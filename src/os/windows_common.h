#ifndef OS_WINDOWS_COMMON_H
#define OS_WINDOWS_COMMON_H

/* Functions that the windows_*.c files share with each other and with the engine for
 * Windows, src/io/windows_overlapped.c. */

#include <stdint.h>
#include <windows.h>

/* Returns the errno that corresponds to ERROR, a value of GetLastError; EIO if none
 * does. */
int windows_error_code(DWORD error);

/* Sets errno from GetLastError. Returns -1. */
int windows_error_fail(void);

/* How files are opened: other programs may read, write and delete them, as on Unix. */
#define WINDOWS_SHARE (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* Converts PATH from UTF-8 to a full UTF-16 path of any length, which the caller frees.
 * Returns NULL with errno if that fails. */
WCHAR *windows_path_wide(const char *path);

/* Converts TEXT to UTF-8; the caller frees the result. Returns NULL with errno if that
 * fails. */
char *windows_path_utf8(const WCHAR *text);

/* The open file or device that a descriptor of this program stands for. Windows cannot
 * switch a handle to direct I/O, only open another handle, so the handle of a descriptor
 * may change. */
struct windows_file {
    HANDLE handle;
    HANDLE deleter; /* a second handle of the file: when it is closed, the system
                     * removes the file; NULL if the file is not temporary */
    WCHAR *path;    /* path of a device; NULL for a file */
    DWORD access;   /* access of CreateFileW */
    DWORD flags;    /* flags of CreateFileW */
};

/* Opens the file at PATH, in UTF-8. ACCESS, HOW (which files to open or create) and FLAGS
 * are those of CreateFileW. Returns INVALID_HANDLE_VALUE with errno if that fails. */
HANDLE windows_path_open(const char *path, DWORD access, DWORD how, DWORD flags);

/* Creates a new file. PATH ends with six characters, which are replaced by random
 * characters. NAME receives the path of the new file, which the caller frees. If that
 * fails, returns INVALID_HANDLE_VALUE with errno, and NAME receives NULL. */
HANDLE windows_path_create(const char *path, DWORD access, DWORD flags, WCHAR **name);

/* Opens another handle of FILE, with FLAGS of CreateFileW. Returns INVALID_HANDLE_VALUE
 * with errno if that fails. */
HANDLE windows_handle_reopen(const struct windows_file *file, DWORD flags);

/* Opens the device PATH, with ACCESS and FLAGS of CreateFileW. Returns
 * INVALID_HANDLE_VALUE with errno if that fails. */
HANDLE windows_handle_device(const WCHAR *path, DWORD access, DWORD flags);

/* Closes the handles of FILE, which may be INVALID_HANDLE_VALUE or NULL, and frees its
 * path. */
void windows_file_drop(const struct windows_file *file);

/*
 * Returns a new descriptor for FILE, which then owns the handles and the path of FILE. If
 * no descriptor is free, closes and frees FILE (windows_file_drop), and returns -1 with
 * EMFILE. If the caller could not open the handle of FILE, that handle is
 * INVALID_HANDLE_VALUE. Then this function also frees FILE and returns -1, but errno does
 * not change.
 */
int windows_handle_add(const struct windows_file *file);

/* Returns the file of descriptor FD, or NULL with EBADF if FD is not open. */
struct windows_file *windows_handle_file(int fd);

/* Returns the handle of descriptor FD. If FD is not open, returns NULL, and every system
 * call with that handle fails. */
HANDLE windows_handle_of(int fd);

/* Returns the handle of STREAM: 1 for stdout, 2 for stderr, or a descriptor. */
HANDLE windows_handle_stream(int stream);

/* Returns the sector size of the volume that the file is on, in bytes: direct requests
 * must be aligned to it. Returns -1 if it is unknown. */
int64_t windows_volume_sector(HANDLE file);

/* Creates a timer that is as exact as the system allows. The caller closes the timer with
 * CloseHandle. Returns NULL if that fails. */
HANDLE windows_thread_timer(void);

/*
 * Makes TIMER expire in DELAY ns. Then, unless BODY is NULL, BODY is called with ARGUMENT
 * on the calling thread, as soon as that thread is in an alertable wait. Returns 0, or -1
 * if that fails.
 */
int windows_thread_alarm(HANDLE timer, int64_t delay, PTIMERAPCROUTINE body,
                         void *argument);

/* Waits until the monotonic time WHEN, in ns. Returns 0 at that time. Returns -1 earlier
 * if os_thread_wake is called for this thread or was called since its last wait. Also
 * returns -1 earlier if EVENT is set; EVENT may be NULL. */
int windows_thread_wait(int64_t when, HANDLE event);

#endif
