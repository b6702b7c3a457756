/*
 * Files by name and by descriptor on Windows: they are opened and described. To change
 * the flags of a file, such as direct I/O, its handle is replaced, because the flags of a
 * handle are fixed.
 */
#include "os/os.h"
#include "os/storage.h"

#include "windows_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winioctl.h>

/* Returns the identity of a device: its number if it has one, else a hash of its name. */
static uint64_t
identify(HANDLE device, const WCHAR *path)
{
    STORAGE_DEVICE_NUMBER number;
    DWORD size;
    /* FNV-1a: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv */
    uint64_t hash = 14695981039346656037U;
    if (DeviceIoControl(device, IOCTL_STORAGE_GET_DEVICE_NUMBER, NULL, 0, &number,
                        sizeof(number), &size, NULL))
        return (uint64_t)number.DeviceType << 48 | (uint64_t)number.DeviceNumber << 24 |
               (number.PartitionNumber & 0xffffff);
    for (; *path; path++)
        hash = (hash ^ (*path | 0x20U)) * 1099511628211U;

    return hash;
}

/* GetFileInformationByHandle fails for everything except files and directories. */
static void
fill_info(const struct windows_file *file, struct os_info *info)
{
    HANDLE handle = file->handle;

    BY_HANDLE_FILE_INFORMATION status;
    *info = (struct os_info){.kind = OS_OTHER, .links = 1, .owned = true};
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
    info->device = identify(handle, file->path ? file->path : L"");
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
        fill_info(&file, info);
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
    fill_info(file, info);
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

/* "C:" alone means the current directory of that drive, so no separator is added. */
const char *
os_path_separator(const char *path)
{
    size_t length = strlen(path);
    return length && strchr("\\/:", path[length - 1]) ? "" : "\\";
}

/* Returns true if the device is in use or that cannot be known: file systems on it would
 * be lost. The system itself refuses writes to mounted parts, but only request by
 * request. */
static bool
is_in_use(HANDLE device)
{
    WCHAR name[32] = L"";

    STORAGE_DEVICE_NUMBER number;
    union {
        DRIVE_LAYOUT_INFORMATION_EX layout;
        char room[sizeof(DRIVE_LAYOUT_INFORMATION_EX) +
                  96 * sizeof(PARTITION_INFORMATION_EX)]; /* a disk with more partitions
                                                             is in use */
    } answer;
    DWORD size;
    bool known =
        GetVolumeInformationByHandleW(device, NULL, 0, NULL, NULL, NULL, name, 32);

    if (known && wcscmp(name, L"RAW") != 0)
        return true;
    if (!DeviceIoControl(device, IOCTL_STORAGE_GET_DEVICE_NUMBER, NULL, 0, &number,
                         sizeof(number), &size, NULL) ||
        (number.PartitionNumber && number.PartitionNumber != (DWORD)-1))
        return !known;

    if (!DeviceIoControl(device, IOCTL_DISK_GET_DRIVE_LAYOUT_EX, NULL, 0, &answer,
                         sizeof(answer), &size, NULL))
        return true;
    for (DWORD i = 0; i < answer.layout.PartitionCount; i++)
        if (answer.layout.PartitionEntry[i].PartitionLength.QuadPart)
            return true;

    return false;
}

static struct windows_file
describe(unsigned flags)
{
    bool durable = flags & (OS_OPEN_SYNC | OS_OPEN_DSYNC);
    return (struct windows_file){.access = GENERIC_READ |
                                           (flags & OS_OPEN_WRITE ? GENERIC_WRITE : 0),
                                 .flags = durable ? FILE_FLAG_WRITE_THROUGH : 0};
}

/* Returns the errno for PATH, which could not be opened. For a directory the system only
 * says that access is denied. */
static int
explain(const WCHAR *path)
{
    DWORD error = GetLastError();
    DWORD attributes = GetFileAttributesW(path);
    if (error == ERROR_ACCESS_DENIED && attributes != INVALID_FILE_ATTRIBUTES &&
        attributes & FILE_ATTRIBUTE_DIRECTORY)
        return EISDIR;
    return windows_error_code(error);
}

/* Returns true if the file is a link of any kind; links are never written through. */
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
    struct windows_file file = describe(flags);

    BY_HANDLE_FILE_INFORMATION status;
    DWORD how = OPEN_EXISTING, own = file.flags;
    bool makes = flags & OS_OPEN_CREATE;
    if (makes) {
        how = flags & OS_OPEN_EXCLUSIVE ? CREATE_NEW : OPEN_ALWAYS;
        own |= FILE_FLAG_OPEN_REPARSE_POINT;
    }

    file.path = windows_path_wide(path);
    if (!file.path)
        return -1;

    file.handle =
        CreateFileW(file.path, file.access, WINDOWS_SHARE, NULL, how, own, NULL);
    int code = file.handle == INVALID_HANDLE_VALUE ? explain(file.path)
               : makes && is_link(file.handle)     ? ELOOP
                                                   : 0;

    bool is_file = !code && GetFileInformationByHandle(file.handle, &status);
    if (!code && !is_file && !makes && flags & OS_OPEN_EXCLUSIVE &&
        is_in_use(file.handle))
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
 * The deleter is a second handle that removes the file when it is closed, also by the
 * system when the program ends. It makes no requests. It must stay open as long as the
 * file is needed, because no other handle can be opened after its close. It bypasses the
 * cache, so that it does not keep the cache from being emptied.
 */
int
os_file_temporary(const char *path, unsigned flags, char *name, size_t size)
{
    struct windows_file file = describe(flags | OS_OPEN_WRITE);
    char pattern[4096];
    WCHAR *made;

    (void)size;
    name[0] = '\0'; /* the system removes the file through its handle */
    if (snprintf(pattern, sizeof(pattern), "%s%s.ioping.XXXXXX", path,
                 os_path_separator(path)) >= (int)sizeof(pattern))
        return os_fail(ENAMETOOLONG);
    file.deleter = windows_path_create(pattern, file.access | DELETE,
                                       FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE |
                                           FILE_FLAG_NO_BUFFERING,
                                       &made);
    free(made);
    if (file.deleter == INVALID_HANDLE_VALUE)
        return -1;

    file.handle = file.deleter;
    file.handle = windows_handle_reopen(&file, file.flags);

    return windows_handle_add(&file);
}

/* The system has already removed the file. */
int
os_file_vanish(const char *name)
{
    (void)name;
    return 0;
}

/* A handle serves one request at a time, so each worker needs its own. */
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

/* Replaces the handle of FD by one without the flags of MASK and with those of MORE.
 * Disks and volumes are never cached, so they stay as they are. Returns 0, or -1 with
 * errno. */
static int
change(int fd, DWORD mask, DWORD more)
{
    struct windows_file *file = windows_handle_file(fd);
    if (!file)
        return -1;

    DWORD flags = (file->flags & ~mask) | more;
    if (file->path || flags == file->flags)
        return 0;
    HANDLE other = windows_handle_reopen(file, flags);
    if (other == INVALID_HANDLE_VALUE)
        return -1;
    CloseHandle(file->handle);
    file->handle = other;
    file->flags = flags;

    return 0;
}

int
os_file_direct(int fd, bool on)
{
    return change(fd, FILE_FLAG_NO_BUFFERING, on ? FILE_FLAG_NO_BUFFERING : 0);
}

/* The range is ignored: the advice holds for all requests of this descriptor. */
int
os_file_random(int fd, int64_t offset, int64_t length)
{
    (void)offset, (void)length;
    return change(fd, 0, FILE_FLAG_RANDOM_ACCESS);
}
