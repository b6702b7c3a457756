/*
 * Requests on Windows, each of which is one system call that waits for the device, and
 * how the files are stored.
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
    OVERLAPPED at = overlapped_at(offset);
    DWORD got;
    if (flags)
        return os_fail(ENOTSUP);
    if (ReadFile(windows_handle_of(fd), buffer, (DWORD)size, &got, &at))
        return got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : windows_error_fail();
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    OVERLAPPED at = overlapped_at(offset);
    DWORD done;
    if (flags)
        return os_fail(ENOTSUP);
    if (WriteFile(windows_handle_of(fd), buffer, (DWORD)size, &done, &at))
        return done;
    return windows_error_fail();
}

/* The system only flushes handles that are open for writing. */
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

/* The cache maps files in views of 256 KiB. */
OS_ANSWER(int64_t, os_file_folio_max, (void), 256 << 10)

/* A file is stored in one way as a whole, so the range does not matter. A file without
 * clusters that is neither sparse nor empty is so small that its data is among the
 * metadata. */
int
os_file_storage(int fd, int64_t offset, int64_t length)
{
    BY_HANDLE_FILE_INFORMATION status;
    STARTING_VCN_INPUT_BUFFER from = {0};
    RETRIEVAL_POINTERS_BUFFER map;
    DWORD size;
    HANDLE handle = windows_handle_of(fd);
    (void)offset, (void)length;
    if (!GetFileInformationByHandle(handle, &status))
        return windows_error_fail();

    DWORD attributes = status.dwFileAttributes;
    if (attributes & (FILE_ATTRIBUTE_COMPRESSED | FILE_ATTRIBUTE_ENCRYPTED))
        return OS_STORAGE_ENCODED;
    if (attributes & FILE_ATTRIBUTE_SPARSE_FILE ||
        (!status.nFileSizeHigh && !status.nFileSizeLow) ||
        DeviceIoControl(handle, FSCTL_GET_RETRIEVAL_POINTERS, &from, sizeof(from), &map,
                        sizeof(map), &size, NULL) ||
        GetLastError() == ERROR_MORE_DATA)
        return 0;

    return GetLastError() == ERROR_HANDLE_EOF ? OS_STORAGE_INLINE : -1;
}

/* Direct I/O needs whole sectors. The system also accepts requests for inline and encoded
 * data, but serves them from the cache. */
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

/* FILE_REGION_OUTPUT with one region. Not all headers have this struct. */
struct region {
    DWORD flags, total, count, reserved;
    LONGLONG offset, length;
    DWORD usage, reserved_end;
};

/* Returns the end of the data that was ever written. Behind it the system invents zeros
 * although the space is allocated. Returns INT64_MAX if unknown. */
static int64_t
valid_end(HANDLE handle)
{
    struct region region;
    DWORD size;
    if (!DeviceIoControl(handle, FSCTL_QUERY_FILE_REGIONS, NULL, 0, &region,
                         sizeof(region), &size, NULL) ||
        region.total > 1)
        return INT64_MAX;
    return region.count ? region.offset + region.length : 0;
}

/* The system may report one range as several. */
int
os_file_data(int fd, int64_t offset, int64_t *start, int64_t *end)
{
    FILE_ALLOCATED_RANGE_BUFFER ask = {.FileOffset.QuadPart = offset,
                                       .Length.QuadPart = INT64_MAX - offset};
    FILE_ALLOCATED_RANGE_BUFFER range;
    DWORD size;
    if (!DeviceIoControl(windows_handle_of(fd), FSCTL_QUERY_ALLOCATED_RANGES, &ask,
                         sizeof(ask), &range, sizeof(range), &size, NULL) &&
        GetLastError() != ERROR_MORE_DATA)
        return windows_error_fail();

    int64_t valid = size < sizeof(range) ? 0 : valid_end(windows_handle_of(fd));
    if (size < sizeof(range) || range.FileOffset.QuadPart >= valid)
        return os_fail(ENXIO);
    *end = range.FileOffset.QuadPart + range.Length.QuadPart;
    *end = *end < valid ? *end : valid;
    *start = range.FileOffset.QuadPart > offset ? range.FileOffset.QuadPart : offset;

    return 0;
}
