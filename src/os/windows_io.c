/*
 * Requests on Windows, and how files are stored. Each request is one system call that
 * waits for the device.
 */
#include "has.h"
#include "os/os.h"
#include "os/storage.h"
#include "windows_common.h"

#include <winioctl.h>

static OVERLAPPED
overlapped_at(int64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    OVERLAPPED position = overlapped_at(offset);
    DWORD got;
    if (flags)
        return os_fail(ENOTSUP);
    if (ReadFile(windows_handle_of(fd), buffer, (DWORD)size, &got, &position))
        return got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : windows_error_fail();
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    OVERLAPPED position = overlapped_at(offset);
    DWORD written;
    if (flags)
        return os_fail(ENOTSUP);
    if (WriteFile(windows_handle_of(fd), buffer, (DWORD)size, &written, &position))
        return written;
    return windows_error_fail();
}

/* The system refuses to flush a handle that is not open for writing. */
int
os_file_flush(int fd)
{
    const struct windows_file *file = windows_handle_file(fd);
    if (!file)
        return -1;
    if (FlushFileBuffers(file->handle))
        return 0;
    return file->access & GENERIC_WRITE ? windows_error_fail() : os_fail(ENOTSUP);
}

/* The cache manager of Windows maps files in views of 256 KiB, so a view takes the place
 * of a folio. */
OS_ANSWER(int64_t, os_file_folio_max, (void), 256 << 10)

/* OFFSET and LENGTH do not matter on Windows: compression, encryption and storage among
 * the metadata always apply to the whole file. A file that has no clusters
 * (ERROR_HANDLE_EOF) although it is neither sparse nor empty is stored among the
 * metadata, because it is small. */
int
os_file_storage(int fd, int64_t offset, int64_t length)
{
    BY_HANDLE_FILE_INFORMATION status;
    STARTING_VCN_INPUT_BUFFER from = {0};
    RETRIEVAL_POINTERS_BUFFER map;
    DWORD size;
    HANDLE handle = windows_handle_of(fd);

    (void)offset;
    (void)length;
    if (!GetFileInformationByHandle(handle, &status))
        return windows_error_fail();

    DWORD attributes = status.dwFileAttributes;
    if (attributes & (FILE_ATTRIBUTE_COMPRESSED | FILE_ATTRIBUTE_ENCRYPTED))
        return OS_STORAGE_ENCODED;
    bool is_sparse = attributes & FILE_ATTRIBUTE_SPARSE_FILE;
    bool is_empty = !status.nFileSizeHigh && !status.nFileSizeLow;
    if (is_sparse || is_empty)
        return 0;
    if (DeviceIoControl(handle, FSCTL_GET_RETRIEVAL_POINTERS, &from, sizeof(from), &map,
                        sizeof(map), &size, NULL) ||
        GetLastError() == ERROR_MORE_DATA)
        return 0;

    return GetLastError() == ERROR_HANDLE_EOF ? OS_STORAGE_INLINE : -1;
}

/* Direct I/O needs whole sectors. The system also accepts direct requests to a file whose
 * data is encoded or stored inline, but it serves these
 * requests from the cache. So direct I/O counts as not available for such a file. */
int
os_file_alignment(int fd, int64_t *memory, int64_t *offset)
{
    HANDLE handle = windows_handle_of(fd);
    FILE_ALIGNMENT_INFO alignment = {0};

    int64_t sector = windows_volume_sector(handle);
    if (sector <= 0 || os_file_storage(fd, 0, INT64_MAX) > 0)
        return os_fail(ENOTSUP);
    GetFileInformationByHandleEx(handle, FileAlignmentInfo, &alignment,
                                 sizeof(alignment));
    *memory = (int64_t)alignment.AlignmentRequirement + 1;
    *offset = sector;

    return 0;
}

/* FILE_REGION_OUTPUT of Windows with one region, for headers that lack this struct. */
struct file_region {
    DWORD flags, total, count, reserved;
    LONGLONG offset, length;
    DWORD usage, reserved_end;
};

/* Returns the offset up to which a file was ever written. Behind this offset, space may
 * be allocated, but reads give zeros without a request to the device. Returns INT64_MAX
 * if unknown. */
static int64_t
find_valid_end(HANDLE handle)
{
    struct file_region region;
    DWORD size;
    if (!DeviceIoControl(handle, FSCTL_QUERY_FILE_REGIONS, NULL, 0, &region,
                         sizeof(region), &size, NULL) ||
        region.total > 1)
        return INT64_MAX;
    return region.count ? region.offset + region.length : 0;
}

/* The system may report one range of data as several ranges, and the caller gets the
 * first of these. */
int
os_file_data(int fd, int64_t offset, int64_t *start, int64_t *end)
{
    FILE_ALLOCATED_RANGE_BUFFER query = {.FileOffset.QuadPart = offset,
                                         .Length.QuadPart = INT64_MAX - offset};
    FILE_ALLOCATED_RANGE_BUFFER range;
    DWORD size;
    if (!DeviceIoControl(windows_handle_of(fd), FSCTL_QUERY_ALLOCATED_RANGES, &query,
                         sizeof(query), &range, sizeof(range), &size, NULL) &&
        GetLastError() != ERROR_MORE_DATA)
        return windows_error_fail();

    if (size < sizeof(range))
        return os_fail(ENXIO);
    int64_t valid_end = find_valid_end(windows_handle_of(fd));
    int64_t range_start = range.FileOffset.QuadPart;
    int64_t range_end = range_start + range.Length.QuadPart;
    if (range_start >= valid_end)
        return os_fail(ENXIO);
    *start = range_start > offset ? range_start : offset;
    *end = range_end < valid_end ? range_end : valid_end;

    return 0;
}
