/*
 * Functions for all windows_*.c files: the errno of a Windows error, paths in UTF-16, and
 * descriptors.
 *
 * Windows has handles instead of descriptors, so a descriptor is an index into the table
 * `files`. The handle in a row may change: Windows cannot switch a handle to direct I/O,
 * so such a handle is replaced by another one.
 */
#define _CRT_RAND_S /* declares rand_s */
#include "windows_common.h"
#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <winioctl.h>

/* The Windows errors that become each errno. All other errors become EIO. */
static const struct {
    int code;
    DWORD errors[8];
} codes[] = {
    {ENOENT,
     {ERROR_FILE_NOT_FOUND, ERROR_PATH_NOT_FOUND, ERROR_INVALID_DRIVE, ERROR_INVALID_NAME,
      ERROR_BAD_PATHNAME, ERROR_BAD_NETPATH, ERROR_BAD_NET_NAME, ERROR_DELETE_PENDING}},
    {EACCES, {ERROR_ACCESS_DENIED, ERROR_CANT_ACCESS_FILE, ERROR_NETWORK_ACCESS_DENIED}},
    {EPERM, {ERROR_PRIVILEGE_NOT_HELD}},
    {EBUSY,
     {ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION, ERROR_DRIVE_LOCKED, ERROR_BUSY}},
    {EROFS, {ERROR_WRITE_PROTECT}},
    {ENXIO, {ERROR_NOT_READY, ERROR_NO_MEDIA_IN_DRIVE}},
    {ENODEV,
     {ERROR_DEV_NOT_EXIST, ERROR_DEVICE_NOT_CONNECTED, ERROR_DEVICE_REMOVED,
      ERROR_UNRECOGNIZED_VOLUME}},
    {ENOSPC, {ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED}},
    {EFBIG, {ERROR_FILE_TOO_LARGE}},
    {ENOMEM,
     {ERROR_NOT_ENOUGH_MEMORY, ERROR_OUTOFMEMORY, ERROR_NO_SYSTEM_RESOURCES,
      ERROR_NOT_ENOUGH_QUOTA, ERROR_WORKING_SET_QUOTA, ERROR_COMMITMENT_LIMIT}},
    {ENOTSUP, {ERROR_NOT_SUPPORTED, ERROR_INVALID_FUNCTION, ERROR_CALL_NOT_IMPLEMENTED}},
    {EINVAL, {ERROR_INVALID_PARAMETER, ERROR_NEGATIVE_SEEK}},
    {EEXIST, {ERROR_FILE_EXISTS, ERROR_ALREADY_EXISTS}},
    {EPIPE, {ERROR_BROKEN_PIPE, ERROR_NO_DATA, ERROR_PIPE_NOT_CONNECTED}},
    {EMFILE, {ERROR_TOO_MANY_OPEN_FILES}},
    {ENOTDIR, {ERROR_DIRECTORY}},
    {ENAMETOOLONG, {ERROR_FILENAME_EXCED_RANGE, ERROR_BUFFER_OVERFLOW}},
    {ELOOP, {ERROR_CANT_RESOLVE_FILENAME}},
    {EBADF, {ERROR_INVALID_HANDLE}},
    {EFAULT, {ERROR_NOACCESS}},
    {ECANCELED, {ERROR_OPERATION_ABORTED}},
    {ETIMEDOUT, {ERROR_SEM_TIMEOUT}},
    {EILSEQ, {ERROR_NO_UNICODE_TRANSLATION}},
};

int
windows_error_code(DWORD error)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        for (size_t j = 0; j < 8 && codes[i].errors[j]; j++)
            if (codes[i].errors[j] == error)
                return codes[i].code;
    return EIO;
}

int
windows_error_fail(void)
{
    return os_fail(windows_error_code(GetLastError()));
}

/* A path of this many UTF-16 units or more gets a prefix, which removes the limit on the
 * length. Without the prefix, the limit is 248 for a directory and 260 for a file. */
#define LONG_PATH 248

#define PREFIX_ROOM 8 /* UTF-16 units of the longest prefix */
#define MAX_NAMES 100 /* maximum number of random names that are tried for a new file */

/* Returns true if TEXT begins with START. */
static bool
begins_with(const WCHAR *text, const WCHAR *start)
{
    return wcsncmp(text, start, wcslen(start)) == 0;
}

/* Returns the full path of PATH, which the caller frees. A long path gets a prefix,
 * unless it is the path of a device. Returns NULL with errno if that fails. */
static WCHAR *
make_full_path(const WCHAR *path)
{
    DWORD room = GetFullPathNameW(path, 0, NULL, NULL);
    WCHAR *full = room ? malloc((room + PREFIX_ROOM) * sizeof(*full)) : NULL;

    if (!full || GetFullPathNameW(path, room, full + PREFIX_ROOM, NULL) >= room) {
        if (!room)
            windows_error_fail();
        free(full);
        return NULL;
    }

    const WCHAR *name = full + PREFIX_ROOM;
    const WCHAR *prefix = L"";
    if (wcslen(name) >= LONG_PATH && begins_with(name, L"\\\\") && name[2] != L'.') {
        prefix = L"\\\\?\\UNC\\"; /* for \\server\share */
        name += 2;
    } else if (wcslen(name) >= LONG_PATH && name[1] == L':') {
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
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    WCHAR *wide = length ? malloc((size_t)length * sizeof(*wide)) : NULL;

    if (!length)
        windows_error_fail();
    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, length);
    if (!wide || begins_with(wide, L"\\\\?\\"))
        return wide;
    WCHAR *full = make_full_path(wide);
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

HANDLE
windows_path_open(const char *path, DWORD access, DWORD how, DWORD flags)
{
    WCHAR *wide = windows_path_wide(path);
    if (!wide)
        return INVALID_HANDLE_VALUE;

    HANDLE file = CreateFileW(wide, access, WINDOWS_SHARE, NULL, how, flags, NULL);
    if (file == INVALID_HANDLE_VALUE)
        windows_error_fail();
    free(wide);

    return file;
}

/* Replaces the last six characters of NAME by random characters. These are digits and
 * lower-case letters only, because file names on this system do not depend on upper and
 * lower case. */
static void
randomize_name(WCHAR *name)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned value = 0;
    rand_s(&value);
    for (WCHAR *end = name + wcslen(name) - 6; *end; end++) {
        *end = (WCHAR)characters[value % 36];
        value /= 36;
    }
}

HANDLE
windows_path_create(const char *path, DWORD access, DWORD flags, WCHAR **name)
{
    *name = windows_path_wide(path);
    if (!*name)
        return INVALID_HANDLE_VALUE;

    for (int names = 0; names < MAX_NAMES; names++) {
        randomize_name(*name);
        HANDLE file =
            CreateFileW(*name, access, WINDOWS_SHARE, NULL, CREATE_NEW, flags, NULL);
        if (file != INVALID_HANDLE_VALUE)
            return file;
        if (GetLastError() != ERROR_FILE_EXISTS)
            break;
    }

    windows_error_fail();
    free(*name);
    *name = NULL;
    return INVALID_HANDLE_VALUE;
}

#define FIRST_DESCRIPTOR 3 /* lower numbers are the standard streams */

/* One more than the highest descriptor: enough for all workers of all targets. */
#define DESCRIPTORS (FIRST_DESCRIPTOR + 66000)

/* The open files, indexed by descriptor. A page of this table costs no memory until it is
 * used. `files_lock` guards changes of the table and `lowest_free`. The row of an open
 * descriptor is read without the lock. */
static struct windows_file files[DESCRIPTORS];
static int lowest_free = FIRST_DESCRIPTOR; /* all lower descriptors are in use */
static SRWLOCK files_lock = SRWLOCK_INIT;

void
windows_file_drop(const struct windows_file *file)
{
    CloseHandle(file->handle);
    CloseHandle(file->deleter);
    free(file->path);
}

int
windows_handle_add(const struct windows_file *file)
{
    int code = errno;

    if (file->handle != INVALID_HANDLE_VALUE) {
        AcquireSRWLockExclusive(&files_lock);
        while (lowest_free < DESCRIPTORS && files[lowest_free].handle)
            lowest_free++;
        int fd = -1;
        if (lowest_free < DESCRIPTORS) {
            fd = lowest_free++;
            files[fd] = *file;
        }
        ReleaseSRWLockExclusive(&files_lock);
        if (fd >= 0)
            return fd;
        code = EMFILE;
    }

    windows_file_drop(file);

    return os_fail(code);
}

struct windows_file *
windows_handle_file(int fd)
{
    if (fd >= FIRST_DESCRIPTOR && fd < DESCRIPTORS && files[fd].handle)
        return &files[fd];
    errno = EBADF;
    return NULL;
}

HANDLE
windows_handle_of(int fd)
{
    return (unsigned)fd < DESCRIPTORS ? files[fd].handle : NULL;
}

HANDLE
windows_handle_stream(int stream)
{
    if (stream >= FIRST_DESCRIPTOR)
        return windows_handle_of(stream);
    return GetStdHandle(stream == 1 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

void
os_file_close(int fd)
{
    struct windows_file *row = windows_handle_file(fd);
    if (!row)
        return;

    AcquireSRWLockExclusive(&files_lock);
    struct windows_file file = *row;
    *row = (struct windows_file){0};
    if (fd < lowest_free)
        lowest_free = fd;
    ReleaseSRWLockExclusive(&files_lock);
    windows_file_drop(&file);
}

/* Without FSCTL_ALLOW_EXTENDED_DASD_IO, a file system hides the last sectors of its
 * volume. A device that does not know this control code can be used anyway, so an error
 * is ignored. */
HANDLE
windows_handle_device(const WCHAR *path, DWORD access, DWORD flags)
{
    DWORD size; /* size of the answer, which is not used */
    OVERLAPPED overlapped = {0};
    HANDLE device =
        CreateFileW(path, access, WINDOWS_SHARE, NULL, OPEN_EXISTING, flags, NULL);

    if (device == INVALID_HANDLE_VALUE)
        windows_error_fail();
    else if (!DeviceIoControl(device, FSCTL_ALLOW_EXTENDED_DASD_IO, NULL, 0, NULL, 0,
                              &size, &overlapped) &&
             GetLastError() == ERROR_IO_PENDING)
        GetOverlappedResult(device, &overlapped, &size, TRUE);
    return device;
}

HANDLE
windows_handle_reopen(const struct windows_file *file, DWORD flags)
{
    if (file->path)
        return windows_handle_device(file->path, file->access, flags);
    HANDLE handle = ReOpenFile(file->handle, file->access, WINDOWS_SHARE, flags);
    if (handle == INVALID_HANDLE_VALUE)
        windows_error_fail();
    return handle;
}
