/* Volumes and disks on Windows: their sizes, sectors and names. */
#include "has.h"
#include "os/os.h"
#include "os/storage.h"

#include "windows_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <winioctl.h>
#include <winternl.h>

/* The same as FILE_FS_FULL_SIZE_INFORMATION of Windows: the answer to
 * FileFsFullSizeInformation. */
struct volume_size {
    LARGE_INTEGER total_clusters;
    LARGE_INTEGER user_clusters; /* available to the user, who may have a quota */
    LARGE_INTEGER available_clusters;
    ULONG cluster_sectors; /* sectors per cluster */
    ULONG sector_bytes;    /* bytes per sector */
};

/* Stores in SIZE the size of the volume that the file is on. Returns 0, or -1 with
 * errno. */
static int
query_volume_size(HANDLE file, struct volume_size *size)
{
    IO_STATUS_BLOCK answer;
    NTSTATUS status = NtQueryVolumeInformationFile(file, &answer, size, sizeof(*size),
                                                   FileFsFullSizeInformation);
    if (status >= 0)
        return 0;
    SetLastError(RtlNtStatusToDosError(status));
    return windows_error_fail();
}

int64_t
windows_volume_sector(HANDLE file)
{
    struct volume_size size;
    FILE_STORAGE_INFO storage;
    if (GetFileInformationByHandleEx(file, FileStorageInfo, &storage, sizeof(storage)) &&
        storage.LogicalBytesPerSector)
        return storage.LogicalBytesPerSector;
    return query_volume_size(file, &size) < 0 ? -1 : (int64_t)size.sector_bytes;
}

/* Copies NAME to TEXT in UTF-8. TEXT does not change if NAME does not fit. */
static void
copy_name(const WCHAR *name, char *text, size_t size)
{
    char *bytes = windows_path_utf8(name);
    if (bytes && strlen(bytes) < size)
        memcpy(text, bytes, strlen(bytes) + 1);
    free(bytes);
}

int
os_mount_measure(int fd, struct os_mount *mount)
{
    struct volume_size size;

    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (query_volume_size(windows_handle_of(fd), &size) < 0)
        return -1;
    mount->block_size = (int64_t)size.cluster_sectors * size.sector_bytes;
    mount->size = size.total_clusters.QuadPart * mount->block_size;
    mount->available = size.user_clusters.QuadPart * mount->block_size;

    return 0;
}

/* Turns ROOT, the path of a place where a volume is mounted, into the form that users
 * know: "C:" for \\?\C:\, and \\server\share for \\?\UNC\server\share\. */
static void
shorten_root(WCHAR *root)
{
    size_t length = wcslen(root);
    if (length && root[length - 1] == L'\\')
        root[--length] = L'\0';
    if (wcsncmp(root, L"\\\\?\\UNC\\", 8) == 0)
        wmemmove(root + 2, root + 8, length - 8 + 1);
    else if (wcsncmp(root, L"\\\\?\\", 4) == 0)
        wmemmove(root, root + 4, length - 4 + 1);
}

/* The name of the device is the place where the volume is mounted, most often a
 * letter. */
int
os_mount_name(int fd, struct os_mount *mount)
{
    HANDLE file = windows_handle_of(fd);
    WCHAR name[32];

    if (GetVolumeInformationByHandleW(file, NULL, 0, NULL, NULL, NULL, name, 32))
        copy_name(name, mount->fstype, sizeof(mount->fstype));

    /* The memory at `path` is for two paths: the path of the file and, behind it at
     * `root`, the path of the place where the volume is mounted. */
    DWORD room = GetFinalPathNameByHandleW(file, NULL, 0, 0);
    WCHAR *path = room ? malloc((2 * room + 3) * sizeof(*path)) : NULL;
    WCHAR *root = path ? path + room + 1 : NULL;
    if (path && GetFinalPathNameByHandleW(file, path, room + 1, 0) <= room &&
        GetVolumePathNameW(path, root, room + 2)) {
        shorten_root(root);
        copy_name(root, mount->device, sizeof(mount->device));
    }

    free(path);

    return 0;
}

/* Requests to disks and volumes bypass the cache, whatever name they are opened by. */
bool
os_device_is_disk(int fd)
{
    return GetFileType(windows_handle_of(fd)) == FILE_TYPE_DISK;
}

int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    HANDLE device = windows_handle_of(fd);
    GET_LENGTH_INFORMATION length;
    DISK_GEOMETRY geometry;
    DWORD got;

    if (!DeviceIoControl(device, IOCTL_DISK_GET_LENGTH_INFO, NULL, 0, &length,
                         sizeof(length), &got, NULL) ||
        !DeviceIoControl(device, IOCTL_DISK_GET_DRIVE_GEOMETRY, NULL, 0, &geometry,
                         sizeof(geometry), &got, NULL))
        return windows_error_fail();
    *size = length.Length.QuadPart;
    *block = geometry.BytesPerSector;

    return 0;
}

bool
os_device_is_read_only(int fd)
{
    DWORD got;
    return !DeviceIoControl(windows_handle_of(fd), IOCTL_DISK_IS_WRITABLE, NULL, 0, NULL,
                            0, &got, NULL) &&
           GetLastError() == ERROR_WRITE_PROTECT;
}

/* A volume is mounted over a directory, never over a file. */
OS_ANSWER(bool, os_mount_differs, (int fd, const char *path), false)
