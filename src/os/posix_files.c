/*
 * Files by name and by descriptor, as on every Unix, and mincore(2) where it exists.
 *
 * A working file has no name (O_TMPFILE) or loses it right after its creation, so it
 * vanishes with its last descriptor, however the process ends.
 */
#include "base/random.h"
#include "has.h"
#include "os/os.h"
#include "os/process.h"
#include "posix.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100 /* random names that are tried for a temporary file */
#define PATH_ROOM 4096

_Static_assert(sizeof(off_t) == 8,
               "file offsets have only 32 bits here, which is too few");

static int
fill_info(const struct stat *status, struct os_info *info)
{
    info->kind = S_ISDIR(status->st_mode)   ? OS_DIRECTORY
                 : S_ISREG(status->st_mode) ? OS_FILE
                 : S_ISBLK(status->st_mode) ? OS_BLOCK
                 : S_ISCHR(status->st_mode) ? OS_CHARACTER
                                            : OS_OTHER;
    info->size = status->st_size;
    info->links = status->st_nlink;
    info->device = (uint64_t)status->st_rdev;
    info->owned = status->st_uid == geteuid();
    info->volume = (uint64_t)status->st_dev;
    info->node = status->st_ino;

    return 0;
}

int
os_path_info(const char *path, struct os_info *info)
{
    struct stat status;
    return stat(path, &status) < 0 ? -1 : fill_info(&status, info);
}

const char *
os_path_separator(const char *path)
{
    size_t length = strlen(path);
    return length && path[length - 1] == '/' ? "" : "/";
}

int
os_path_remove(const char *path)
{
    return unlink(path);
}

int
os_file_truncate(int fd, int64_t size)
{
    return ftruncate(fd, size);
}

int
os_file_info(int fd, struct os_info *info)
{
    struct stat status;
    return fstat(fd, &status) < 0 ? -1 : fill_info(&status, info);
}

static int
open_mode(unsigned flags)
{
    return (flags & OS_OPEN_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY |
           (flags & OS_OPEN_SYNC ? O_SYNC : 0) | (flags & OS_OPEN_DSYNC ? O_DSYNC : 0) |
           (flags & OS_OPEN_EXCLUSIVE ? O_EXCL : 0);
}

static int
open_path(const char *path, int mode)
{
    int fd;
    do
        fd = open(path, mode, 0600);
    while (fd < 0 && errno == EINTR);
#ifdef EFTYPE /* tests for a feature, not for a system */
    if (fd < 0 && errno == EFTYPE && mode & O_NOFOLLOW)
        errno = ELOOP;
#endif
    return fd;
}

int
os_file_open(const char *path, unsigned flags)
{
    int mode = open_mode(flags);

    if (flags & OS_OPEN_CREATE)
        mode |= O_CREAT | O_NOFOLLOW;
    if (!(flags & OS_OPEN_NOW))
        return open_path(path, mode);
    int fd = open_path(path, mode | O_NONBLOCK);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);

    return fd;
}

int
posix_file_create(const char *prefix, int mode, char *name, size_t size)
{
    struct random random;
    int code = EEXIST;

    random_seed(&random, (uint64_t)os_clock_wall() ^ (uint64_t)getpid() << 32);
    for (int tries = 0; code == EEXIST && tries < TRIES; tries++) {
        unsigned number = (unsigned)random_next(&random) & 0xffffff;
        if (snprintf(name, size, "%s%06x", prefix, number) >= (int)size)
            return os_fail(ENAMETOOLONG);
        if (os_leftover_begin(name) < 0)
            return -1;

        int fd = open_path(name, mode | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            return fd;
        code = errno;
        os_leftover_end();
    }

    return os_fail(code);
}

#ifdef O_TMPFILE /* tests for a feature, not for a system */
/*
 * Tests whether a file with a name may be possible after the creation of an unnamed file
 * has failed with CODE. Old kernels, security modules and file systems use many codes for
 * an unknown or forbidden O_TMPFILE, so any code may mean that. The codes of the table,
 * however, also fail a file with a name.
 */
static bool
may_have_name(int code)
{
    static const int final[] = {ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE};
    for (size_t i = 0; i < sizeof(final) / sizeof(final[0]); i++)
        if (code == final[i])
            return false;
    return true;
}
#endif

int
os_file_temporary(const char *path, unsigned flags, char *name, size_t size)
{
    name[0] = '\0';
#ifdef O_TMPFILE /* tests for a feature, not for a system */
    int unnamed = open_path(path, open_mode(flags) | O_RDWR | O_TMPFILE);
    if (unnamed >= 0 || !may_have_name(errno))
        return unnamed;
#endif

    char prefix[PATH_ROOM];
    if (snprintf(prefix, sizeof(prefix), "%s/.ioping.", path) >= (int)sizeof(prefix))
        return os_fail(ENAMETOOLONG);
    int fd = posix_file_create(prefix, open_mode(flags) | O_RDWR, name, size);
    if (fd < 0)
        return -1;

    unlink(name);
    os_leftover_watch(name);
    os_leftover_end();
    return fd;
}

int
os_file_vanish(const char *name)
{
    struct os_info info;
    int status = name[0] ? unlink(name) : 0;
    int code = errno;
    os_leftover_forget(name);
    if (status == 0 || code == ENOENT || os_path_info(name, &info) < 0)
        return 0;
    return os_fail(code);
}

void
os_file_close(int fd)
{
    close(fd);
}

/* Requests carry their offsets, so workers share no file position and one descriptor is
 * enough. */
int
os_file_reopen(int fd)
{
    return fd;
}

#ifdef OS_HAS_RESIDENT
#define MINCORE_PAGES 8192 /* pages per query: the answer fits in a small array */

/* FreeBSD answers only for pages that are mapped already; this flag maps all pages that
 * are in memory. */
#ifdef MAP_PREFAULT_READ /* tests for a feature, not for a system */
#define MAPPING (MAP_SHARED | MAP_PREFAULT_READ)
#else
#define MAPPING MAP_SHARED
#endif

/* The cast to void * is needed because systems disagree whether the bytes are signed. */
int
posix_mincore(int fd, int64_t offset, int64_t length)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t most = page * MINCORE_PAGES;
    int64_t end = offset + length;
    unsigned char present[MINCORE_PAGES];

    for (int64_t at = offset / page * page; at < end; at += most) {
        size_t size = (size_t)(end - at < most ? end - at : most);
        size_t pages = (size + (size_t)page - 1) / (size_t)page;
        void *map = mmap(NULL, size, PROT_READ, MAPPING, fd, at);
        int status = map == MAP_FAILED ? -1 : mincore(map, size, (void *)present);
        if (map != MAP_FAILED)
            munmap(map, size);

        if (status < 0)
            return -1;
        for (size_t i = 0; i < pages; i++)
            if (present[i] & 1)
                return 1;
    }
    return 0;
}
#endif
