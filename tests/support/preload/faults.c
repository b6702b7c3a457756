/*
 * A library to preload: what the storage does wrong, by script. IOPING_SCRIPT
 * holds rules "CALL:FROM:ACTION" or "CALL:FROM-TO:ACTION" with commas between
 * (FROM counts the calls from 1; TO may be left out after the dash). CALL is
 * pread, pwrite or fdatasync, with their variants. ACTION is an errno value, a
 * delay such as "5ms" (then the call goes on), "short" (half of the bytes) or
 * "zero" (as at the end of a file). "fast" stands for a call that does nothing
 * and succeeds. Descriptors 0 to 2 are left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum call { PREAD, PWRITE, FDATASYNC, CALLS };
static const char *const names[] = {"pread", "pwrite", "fdatasync"};
static long counts[CALLS];

static void
delay(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

/* Whether RULE is for call number COUNT of CALL; then ACTION follows it. */
static int
applies(const char *rule, enum call call, long count, const char **action)
{
    size_t length = strlen(names[call]);
    char *end;
    if (strncmp(rule, names[call], length) != 0 || rule[length] != ':')
        return 0;
    long from = strtol(rule + length + 1, &end, 10), to = from;
    if (*end == '-')
        to = end[1] == ':' ? count : strtol(end + 1, &end, 10);
    *action = strchr(end, ':');
    return *action && ++*action && count >= from && count <= to;
}

/* Returns whether the call is to be done for real; else RESULT is its result. */
static int
go_on(enum call call, size_t size, ssize_t *result)
{
    const char *rule = getenv("IOPING_SCRIPT"), *action;
    long count = ++counts[call];
    for (; rule && *rule; rule = strchr(rule, ','), rule = rule ? rule + 1 : rule) {
        if (!applies(rule, call, count, &action))
            continue;
        char *end;
        long number = strtol(action, &end, 10);
        if (strncmp(action, "short", 5) == 0)
            return *result = (ssize_t)size / 2, 0;
        if (strncmp(action, "zero", 4) == 0)
            return *result = 0, 0;
        if (strncmp(action, "fast", 4) == 0)
            return *result = (ssize_t)size, 0;
        if (strncmp(end, "ms", 2) == 0)
            return delay(number), 1;
        return errno = (int)number, *result = -1, 0;
    }
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define POSITIONED(name, call, pointer)                             \
    ssize_t name(int fd, pointer buffer, size_t size, off_t offset) \
    {                                                               \
        ssize_t result;                                             \
        if (fd > 2 && !go_on(call, size, &result))                  \
            return result;                                          \
        return REAL(name)(fd, buffer, size, offset);                \
    }
POSITIONED(pread, PREAD, void *)
POSITIONED(pread64, PREAD, void *)
POSITIONED(pwrite, PWRITE, const void *)
POSITIONED(pwrite64, PWRITE, const void *)

#define VECTORED(name, call)                                                             \
    ssize_t name(int fd, const struct iovec *vector, int count, off_t offset, int flags) \
    {                                                                                    \
        ssize_t result;                                                                  \
        if (fd > 2 && !go_on(call, vector[0].iov_len, &result))                          \
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
    if (!go_on(FDATASYNC, 0, &result))
        return (int)result;
    return REAL(fdatasync)(fd);
}
