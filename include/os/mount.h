#ifndef OS_MOUNT_H
#define OS_MOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct os_mount {
    char fstype[64];   /* "unknown" if it cannot be found */
    char device[1024]; /* likewise */
    int64_t size;      /* bytes of the file system */
    int64_t block;     /* its block size */
    int64_t available; /* bytes that a user may still write to it */
    bool memory;       /* it lives in memory, no device behind it */
};

/*
 * Measures the file system that an open descriptor is on; its names are unknown
 * but for one that lives in memory, and where they cost nothing. Returns 0, or -1 with
 * errno.
 */
int os_mount_measure(int fd, struct os_mount *mount);

/*
 * Finds the names in MOUNT out, which takes longer. It asks the kernel alone, not
 * the file system, which may hang.
 */
void os_mount_name(int fd, struct os_mount *mount);

/*
 * Whether the file that is open as FD is on another mount than directory PATH, as one
 * that is mounted over a name in it. False where that cannot be known.
 */
bool os_mount_differs(int fd, const char *path);

#endif
