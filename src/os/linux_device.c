#include "os/os.h"

#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* C libraries differ in the type of a request. */
static long
ask_device(int fd, unsigned long request, void *answer)
{
    return syscall(SYS_ioctl, (long)fd, request, answer);
}

int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    uint64_t bytes;
    int sector;
    if (ask_device(fd, BLKGETSIZE64, &bytes) < 0 ||
        ask_device(fd, BLKSSZGET, &sector) < 0)
        return -1;
    *size = (int64_t)bytes;
    *block = sector;
    return 0;
}

bool
os_device_read_only(int fd)
{
    int read_only = 0;
    return ask_device(fd, BLKROGET, &read_only) == 0 && read_only;
}

/* A partition has no queue of its own; the folder around it is that of its disk. */
int
os_file_polls(int fd)
{
    static const char *const places[] = {"", "/.."};
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    dev_t device = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char path[96], answer = '\0';
        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u%s/queue/io_poll",
                 major(device), minor(device), places[i]);
        int file = os_file_open(path, OS_OPEN_READ);
        if (file < 0)
            continue;
        ssize_t got = read(file, &answer, 1);
        os_file_close(file);
        return got == 1 && (answer == '0' || answer == '1') ? answer - '0' : -1;
    }
    return -1;
}
