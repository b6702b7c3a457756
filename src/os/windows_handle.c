#include "windows_handle.h"

#include "os/os.h"
#include "windows_error.h"
#include "windows_path.h"

#include <errno.h>
#include <stdlib.h>
#include <winioctl.h>

#define FIRST 3               /* the others are the standard streams */
#define COUNT (FIRST + 66000) /* those of all workers of all targets, and some */

/* The table that other systems have in the kernel. A page of it costs nothing until it
 * is used. */
static struct windows_file files[COUNT];
static int lowest = FIRST; /* none below is free */
static SRWLOCK lock = SRWLOCK_INIT;

int
windows_handle_add(const struct windows_file *file)
{
    AcquireSRWLockExclusive(&lock);
    while (lowest < COUNT && files[lowest].handle)
        lowest++;
    int fd = lowest < COUNT ? lowest++ : -1;
    if (fd >= 0)
        files[fd] = *file;
    else
        errno = EMFILE;
    ReleaseSRWLockExclusive(&lock);
    return fd;
}

struct windows_file *
windows_handle_file(int fd)
{
    if (fd >= FIRST && fd < COUNT && files[fd].handle)
        return &files[fd];
    errno = EBADF;
    return NULL;
}

HANDLE
windows_handle_of(int fd)
{
    return (unsigned)fd < COUNT ? files[fd].handle : NULL;
}

void
os_file_close(int fd)
{
    struct windows_file *found = windows_handle_file(fd);
    if (!found)
        return;
    AcquireSRWLockExclusive(&lock);
    struct windows_file file = *found;
    *found = (struct windows_file){0};
    if (fd < lowest)
        lowest = fd;
    ReleaseSRWLockExclusive(&lock);
    CloseHandle(file.handle);
    if (file.keeper)
        CloseHandle(file.keeper);
    free(file.path);
}

/* File systems keep the last sectors of their volume from others unless asked. */
HANDLE
windows_handle_device(const WCHAR *path, DWORD access, DWORD flags)
{
    DWORD none;
    OVERLAPPED ask = {0};
    HANDLE device =
        CreateFileW(path, access, WINDOWS_SHARE, NULL, OPEN_EXISTING, flags, NULL);
    if (device == INVALID_HANDLE_VALUE)
        windows_error_fail();
    else if (!DeviceIoControl(device, FSCTL_ALLOW_EXTENDED_DASD_IO, NULL, 0, NULL, 0,
                              &none, &ask) &&
             GetLastError() == ERROR_IO_PENDING)
        GetOverlappedResult(device, &ask, &none, TRUE);
    return device;
}

HANDLE
windows_handle_again(const struct windows_file *file, DWORD flags)
{
    if (file->path)
        return windows_handle_device(file->path, file->access, flags);
    HANDLE again = ReOpenFile(file->handle, file->access, WINDOWS_SHARE, flags);
    if (again == INVALID_HANDLE_VALUE)
        windows_error_fail();
    return again;
}
