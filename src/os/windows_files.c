/*
 * Files by name and by descriptor on Windows. The flags of a handle, such as direct I/O,
 * cannot be changed; so the handle of a descriptor is replaced by a new handle with other
 * flags.
 */
#include "os/os.h"
#include "os/storage.h"

#include "windows_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winioctl.h>

/* Returns a number that identifies the device PATH: the number that the system has given
 * it or, without such a number, a hash of PATH. The hash is FNV-1a
 * (https://datatracker.ietf.org/doc/html/draft-eastlake-fnv) and is the same for upper
 * and lower case. */
static uint64_t
device_identity(HANDLE device, const WCHAR *path)
{
    STORAGE_DEVICE_NUMBER number;
    DWORD size;
    uint64_t hash = 14695981039346656037U;
    if (DeviceIoControl(device, IOCTL_STORAGE_GET_DEVICE_NUMBER, NULL, 0, &number,
                        sizeof(number), &size, NULL))
        return (uint64_t)number.DeviceType << 48 | (uint64_t)number.DeviceNumber << 24 |
               (number.PartitionNumber & 0xffffff);

    for (; *path; path++)
        hash = (hash ^ (*path | 0x20U)) * 1099511628211U;
    return hash;
}

/* Fills INFO about an open file. GetFileInformationByHandle fails for everything except
 * files and directories. */
static void
fill_info_from_handle(const struct windows_file *file, struct os_info *info)
{
    HANDLE handle = file->handle;
    BY_HANDLE_FILE_INFORMATION status;

    *info = (struct os_info){.kind = OS_OTHER, .links = 1, .is_owned = true};
    if (GetFileInformationByHandle(handle, &status)) {
        bool is_directory = status.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
        info->kind = is_directory ? OS_DIRECTORY : OS_FILE;
        info->size = (int64_t)status.nFileSizeHigh << 32 | status.nFileSizeLow;
        info->links = status.nNumberOfLinks;
        info->volume = status.dwVolumeSerialNumber;
        info->node = (uint64_t)status.nFileIndexHigh << 32 | status.nFileIndexLow;
        return;
    }

    DWORD type = GetFileType(handle);
    if (type == FILE_TYPE_DISK)
        info->kind = OS_BLOCK;
    else if (type == FILE_TYPE_CHAR)
        info->kind = OS_CHARACTER;
    info->device = device_identity(handle, file->path ? file->path : L"");
}

int
os_path_info(const char *path, struct os_info *info)
{
    struct windows_file file = {.handle = windows_path_open(path, FILE_READ_ATTRIBUTES,
                                                            OPEN_EXISTING,
                                                            FILE_FLAG_BACKUP_SEMANTICS),
                                .path = windows_path_wide(path)};
    bool found = file.handle != INVALID_HANDLE_VALUE && file.path;

    if (found)
        fill_info_from_handle(&file, info);
    windows_file_drop(&file);

    return found ? 0 : -1;
}

int
os_file_info(int fd, struct os_info *info)
{
    const struct windows_file input = {.handle = GetStdHandle(STD_INPUT_HANDLE)};
    const struct windows_file *file = fd == 0 ? &input : windows_handle_file(fd);
    if (!file)
        return -1;
    fill_info_from_handle(file, info);
    return 0;
}

int
os_path_remove(const char *path)
{
    WCHAR *wide = windows_path_wide(path);
    if (!wide)
        return -1;
    int status = DeleteFileW(wide) ? 0 : windows_error_fail();
    free(wide);
    return status;
}

int
os_file_truncate(int fd, int64_t size)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = size};
    return SetFileInformationByHandle(windows_handle_of(fd), FileEndOfFileInfo, &end,
                                      sizeof(end))
               ? 0
               : windows_error_fail();
}

/* A path such as "C:" means the current directory of that drive; with a separator it
 * would mean the root directory. So no separator is added after a colon. */
const char *
os_path_separator(const char *path)
{
    size_t length = strlen(path);
    return length && strchr("\\/:", path[length - 1]) ? "" : "\\";
}

bool
os_path_has_folder(const char *path)
{
    struct os_info info;
    char folder[MAX_PATH];
    int length = (int)strlen(path);

    while (length > 0 && !strchr("\\/:", path[length - 1]))
        length--;
    if (length == 0)
        return true; /* the working directory */
    int written = snprintf(folder, sizeof(folder), "%.*s.", length, path);
    return written < (int)sizeof(folder) && os_path_info(folder, &info) == 0;
}

#define MAX_PARTITIONS 96 /* a disk with more partitions counts as in use */

/* Returns true if the device has a file system or partitions, which writing to it would
 * destroy. Also returns true if that is unknown. The system itself refuses writes to
 * mounted partitions, but only when a request is sent. */
static bool
is_in_use(HANDLE device)
{
    WCHAR name[32] = L""; /* name of the file system; RAW without one */
    STORAGE_DEVICE_NUMBER number;
    union {
        DRIVE_LAYOUT_INFORMATION_EX layout;
        char room[sizeof(DRIVE_LAYOUT_INFORMATION_EX) +
                  MAX_PARTITIONS * sizeof(PARTITION_INFORMATION_EX)];
    } answer;
    DWORD size;

    bool has_name =
        GetVolumeInformationByHandleW(device, NULL, 0, NULL, NULL, NULL, name, 32);
    if (has_name && wcscmp(name, L"RAW") != 0)
        return true;

    bool has_number = DeviceIoControl(device, IOCTL_STORAGE_GET_DEVICE_NUMBER, NULL, 0,
                                      &number, sizeof(number), &size, NULL);
    bool is_whole_disk = has_number && (number.PartitionNumber == 0 ||
                                        number.PartitionNumber == (DWORD)-1);
    if (!is_whole_disk)
        return !has_name;

    if (!DeviceIoControl(device, IOCTL_DISK_GET_DRIVE_LAYOUT_EX, NULL, 0, &answer,
                         sizeof(answer), &size, NULL))
        return true;
    for (DWORD i = 0; i < answer.layout.PartitionCount; i++)
        if (answer.layout.PartitionEntry[i].PartitionLength.QuadPart)
            return true;

    return false;
}

/* Returns a windows_file without a handle, with the access and flags of CreateFileW that
 * match FLAGS. FLAGS: values of enum os_open, OR-ed. */
static struct windows_file
unopened_file(unsigned flags)
{
    bool is_durable = flags & (OS_OPEN_SYNC | OS_OPEN_DSYNC);
    struct windows_file file = {.access = GENERIC_READ};
    if (flags & OS_OPEN_WRITE)
        file.access |= GENERIC_WRITE;
    if (is_durable)
        file.flags = FILE_FLAG_WRITE_THROUGH;
    return file;
}

/* Returns the errno for PATH after CreateFileW has failed. For a directory the system
 * only says that access is denied; the errno is EISDIR. */
static int
open_error_code(const WCHAR *path)
{
    DWORD error = GetLastError();
    DWORD attributes = GetFileAttributesW(path);
    if (error == ERROR_ACCESS_DENIED && attributes != INVALID_FILE_ATTRIBUTES &&
        attributes & FILE_ATTRIBUTE_DIRECTORY)
        return EISDIR;
    return windows_error_code(error);
}

/* Returns true if the file is a link of any kind. A file is never created or written
 * through a link. */
static bool
is_link(HANDLE file)
{
    FILE_ATTRIBUTE_TAG_INFO tag;
    return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof(tag)) &&
           tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

int
os_file_open(const char *path, unsigned flags)
{
    struct windows_file file = unopened_file(flags);
    BY_HANDLE_FILE_INFORMATION status;
    DWORD how = OPEN_EXISTING;
    DWORD open_flags = file.flags;
    bool may_create = flags & OS_OPEN_CREATE;
    if (may_create) {
        how = flags & OS_OPEN_EXCLUSIVE ? CREATE_NEW : OPEN_ALWAYS;
        open_flags |= FILE_FLAG_OPEN_REPARSE_POINT;
    }

    file.path = windows_path_wide(path);
    if (!file.path)
        return -1;

    file.handle =
        CreateFileW(file.path, file.access, WINDOWS_SHARE, NULL, how, open_flags, NULL);
    int code = 0;
    if (file.handle == INVALID_HANDLE_VALUE)
        code = open_error_code(file.path);
    else if (may_create && is_link(file.handle))
        code = ELOOP;

    bool is_file = !code && GetFileInformationByHandle(file.handle, &status);
    bool is_device = !code && !is_file;
    if (is_device && !may_create && flags & OS_OPEN_EXCLUSIVE && is_in_use(file.handle))
        code = EBUSY;
    if (code) {
        windows_file_drop(&file);
        return os_fail(code);
    }

    if (is_file) {
        free(file.path);
        file.path = NULL;
    } else {
        CloseHandle(file.handle);
        file.handle = windows_handle_device(file.path, file.access, file.flags);
    }

    return windows_handle_add(&file);
}

/*
 * The deleter is a second handle of the file. The system removes the file when the
 * deleter is closed, at the latest when the program ends. No requests use the deleter. It
 * stays open as long as the file is needed, because no other handle of the file can be
 * opened once the deleter is closed. The deleter bypasses the cache, because a handle
 * that uses the cache would keep the file's pages from being dropped.
 */
int
os_file_temporary(const char *path, unsigned flags, char *name, size_t size)
{
    struct windows_file file = unopened_file(flags | OS_OPEN_WRITE);
    char pattern[4096];
    WCHAR *created_path;

    (void)size;
    name[0] = '\0'; /* os_file_remove_again is not needed: the system removes the file */
    if (snprintf(pattern, sizeof(pattern), "%s%s.ioping.XXXXXX", path,
                 os_path_separator(path)) >= (int)sizeof(pattern))
        return os_fail(ENAMETOOLONG);
    file.deleter = windows_path_create(pattern, file.access | DELETE,
                                       FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE |
                                           FILE_FLAG_NO_BUFFERING,
                                       &created_path);
    free(created_path);
    if (file.deleter == INVALID_HANDLE_VALUE)
        return -1;

    file.handle = file.deleter;
    file.handle = windows_handle_reopen(&file, file.flags);

    return windows_handle_add(&file);
}

/* Nothing to do: the system removes the file when its second handle is closed (`deleter`
 * of struct windows_file). */
int
os_file_remove_again(const char *name)
{
    (void)name;
    return 0;
}

/* The requests of one handle wait for each other, so each worker needs its own handle. */
int
os_file_reopen(int fd)
{
    const struct windows_file *shared = windows_handle_file(fd);
    if (!shared)
        return -1;

    struct windows_file file = *shared;
    file.deleter = NULL;
    file.path = NULL;
    file.handle = windows_handle_reopen(shared, shared->flags);

    return windows_handle_add(&file);
}

/* Replaces the handle of FD by a handle without the flags REMOVED and with the flags
 * ADDED. The handle of a disk or volume stays, because disks and volumes are never
 * cached. Returns 0, or -1 with errno. */
static int
change_flags(int fd, DWORD removed, DWORD added)
{
    struct windows_file *file = windows_handle_file(fd);
    if (!file)
        return -1;

    DWORD flags = (file->flags & ~removed) | added;
    if (file->path || flags == file->flags)
        return 0;
    HANDLE handle = windows_handle_reopen(file, flags);
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    CloseHandle(file->handle);
    file->handle = handle;
    file->flags = flags;

    return 0;
}

int
os_file_direct(int fd, bool on)
{
    DWORD added = on ? FILE_FLAG_NO_BUFFERING : 0;
    return change_flags(fd, FILE_FLAG_NO_BUFFERING, added);
}

/* Windows takes this advice only for a whole handle, so the range is ignored. */
int
os_file_random(int fd, int64_t offset, int64_t length)
{
    (void)offset;
    (void)length;
    return change_flags(fd, 0, FILE_FLAG_RANDOM_ACCESS);
}
