/* What is timed: requests, which wait for the device, each by one system call. */
#include "os/cache.h"
#include "os/os.h"

#include "windows_error.h"
#include "windows_handle.h"

#include <errno.h>

static OVERLAPPED
place(int64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    OVERLAPPED at = place(offset);
    DWORD got;
    (void)flags;
    if (ReadFile(windows_handle_of(fd), buffer, (DWORD)size, &got, &at))
        return got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : windows_error_fail();
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    OVERLAPPED at = place(offset);
    DWORD done;
    (void)flags;
    if (WriteFile(windows_handle_of(fd), buffer, (DWORD)size, &done, &at))
        return done;
    return windows_error_fail();
}

int
os_file_flags_try(int fd, int flags, bool write)
{
    (void)fd, (void)write;
    if (!flags)
        return 0;
    errno = ENOTSUP;
    return -1;
}

/* Only who may write may ask for it. */
int
os_file_flush(int fd)
{
    const struct windows_file *file = windows_handle_file(fd);
    if (!file)
        return -1;
    if (FlushFileBuffers(file->handle))
        return 0;
    windows_error_fail();
    if (!(file->access & GENERIC_WRITE))
        errno = ENOTSUP;
    return -1;
}

/* There is no flush that leaves the device alone. */
int
os_file_write_back(int fd)
{
    return os_file_flush(fd);
}
