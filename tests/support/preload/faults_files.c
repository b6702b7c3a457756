/* Faults of open, pread, pwrite and fdatasync, in all variants of the C library. Each
 * function first looks for a rule. Then it makes the real call or returns the fault. */
#define _GNU_SOURCE
#include "faults.h"
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returns the rule for a call on the open file FD, or NULL. Looks up the path of FD only
 * if a rule has an "@PART". */
static const struct rule *
choose_for_file(enum call call, int fd)
{
    char link[64], path[PATH_MAX + 2];
    if (!faults_uses_part(call))
        return faults_choose(call, NULL);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX);
    strcpy(path + (length > 0 ? length : 0), "/");
    return faults_choose(call, path);
}

#define POSITIONED(name, call, pointer)                                        \
    ssize_t name(int fd, pointer buffer, size_t size, off_t offset)            \
    {                                                                          \
        ssize_t result;                                                        \
        if (fd > 2 && !faults_go_on(choose_for_file(call, fd), size, &result)) \
            return result;                                                     \
        return REAL(name)(fd, buffer, size, offset);                           \
    }
POSITIONED(pread, PREAD, void *)
POSITIONED(pread64, PREAD, void *)
POSITIONED(pwrite, PWRITE, const void *)
POSITIONED(pwrite64, PWRITE, const void *)

#define VECTORED(name, call)                                                             \
    ssize_t name(int fd, const struct iovec *vector, int count, off_t offset, int flags) \
    {                                                                                    \
        ssize_t result;                                                                  \
        if (fd > 2 && vector[0].iov_len > 0 &&                                           \
            !faults_go_on(choose_for_file(call, fd), vector[0].iov_len, &result))        \
            return result;                                                               \
        return REAL(name)(fd, vector, count, offset, flags);                             \
    }
VECTORED(preadv2, PREAD)
VECTORED(preadv64v2, PREAD)
VECTORED(pwritev2, PWRITE)
VECTORED(pwritev64v2, PWRITE)

int
fdatasync(int fd)
{
    ssize_t result;
    if (fd > 2 && !faults_go_on(choose_for_file(FDATASYNC, fd), 0, &result))
        return (int)result;
    return REAL(fdatasync)(fd);
}

/* Callers pass a mode only with O_CREAT or O_TMPFILE. Without these flags the mode that
 * is read here is meaningless, and the real function ignores it. */
#define OPENING(name, parameters, arguments)                      \
    int name parameters                                           \
    {                                                             \
        ssize_t result;                                           \
        va_list list;                                             \
        va_start(list, flags);                                    \
        mode_t mode = va_arg(list, mode_t);                       \
        va_end(list);                                             \
        if (!faults_go_on(faults_choose(OPEN, path), 0, &result)) \
            return (int)result;                                   \
        return REAL(name) arguments;                              \
    }
OPENING(open, (const char *path, int flags, ...), (path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENING(openat, (int fd, const char *path, int flags, ...), (fd, path, flags, mode))
OPENING(openat64, (int fd, const char *path, int flags, ...), (fd, path, flags, mode))
