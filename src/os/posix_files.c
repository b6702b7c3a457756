/*
 * Files by name and by descriptor, as on every Unix, and mincore(2) where it exists.
 *
 * A temporary file has no name (O_TMPFILE) or loses its name right after its creation. In
 * both cases the file vanishes when its last descriptor is closed, however the process
 * ends.
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

#define MAX_NAMES 100  /* maximum number of random names that are tried for a new file */
#define PATH_ROOM 4096 /* bytes; PATH_MAX, which includes the zero at the end */

_Static_assert(sizeof(off_t) == 8,
               "file offsets have only 32 bits here, which is too few");

static enum os_kind
kind_of_mode(mode_t mode)
{
    if (S_ISDIR(mode))
        return OS_DIRECTORY;
    if (S_ISREG(mode))
        return OS_FILE;
    if (S_ISBLK(mode))
        return OS_BLOCK;
    return S_ISCHR(mode) ? OS_CHARACTER : OS_OTHER;
}

static void
fill_info_from_stat(const struct stat *status, struct os_info *info)
{
    info->kind = kind_of_mode(status->st_mode);
    info->size = status->st_size;
    info->links = status->st_nlink;
    info->device = (uint64_t)status->st_rdev;
    info->is_owned = status->st_uid == geteuid();
    info->volume = (uint64_t)status->st_dev;
    info->node = status->st_ino;
}

int
os_path_info(const char *path, struct os_info *info)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return -1;
    fill_info_from_stat(&status, info);
    return 0;
}

int
os_file_info(int fd, struct os_info *info)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    fill_info_from_stat(&status, info);
    return 0;
}

const char *
os_path_separator(const char *path)
{
    size_t length = strlen(path);
    return length && path[length - 1] == '/' ? "" : "/";
}

bool
os_path_has_folder(const char *path)
{
    struct os_info info;
    char folder[PATH_ROOM];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash + 1 - path) : 0;

    if (length == 0)
        return true; /* the working directory */
    int written = snprintf(folder, sizeof(folder), "%.*s", length, path);
    return written < PATH_ROOM && os_path_info(folder, &info) == 0;
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

/* Returns the flags of open(2) for FLAGS of os_file_open. The caller adds the flags that
 * create a file. */
static int
open_mode(unsigned flags)
{
    int mode = O_CLOEXEC | O_NOCTTY;
    mode |= flags & OS_OPEN_WRITE ? O_RDWR : O_RDONLY;
    if (flags & OS_OPEN_SYNC)
        mode |= O_SYNC;
    if (flags & OS_OPEN_DSYNC)
        mode |= O_DSYNC;
    if (flags & OS_OPEN_EXCLUSIVE)
        mode |= O_EXCL;
    return mode;
}

int
posix_open(const char *path, int mode)
{
    int fd;
    do
        fd = open(path, mode, 0600);
    while (fd < 0 && errno == EINTR);
    if (fd >= 0 || !(mode & O_NOFOLLOW))
        return fd;

    if (errno == EMLINK)
        errno = ELOOP;
#ifdef EFTYPE /* an errno that not every system has */
    if (errno == EFTYPE)
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
    if (!(flags & OS_OPEN_NO_WAIT))
        return posix_open(path, mode);
    int fd = posix_open(path, mode | O_NONBLOCK);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);

    return fd;
}

int
posix_file_create(const char *prefix, int mode, char *name, size_t size)
{
    struct random random;

    random_seed(&random, (uint64_t)os_clock_wall() ^ (uint64_t)getpid() << 32);
    for (int names = 0; names < MAX_NAMES; names++) {
        unsigned number = (unsigned)random_next(&random) & 0xffffff;
        if (snprintf(name, size, "%s%06x", prefix, number) >= (int)size)
            return os_fail(ENAMETOOLONG);
        if (os_leftover_begin(name) < 0)
            return -1;

        int fd = posix_open(name, mode | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            return fd;
        int code = errno;
        os_leftover_end();
        if (code != EEXIST)
            return os_fail(code);
    }

    return os_fail(EEXIST);
}

#ifdef O_TMPFILE /* a flag that not every system has */
/*
 * CODE is the errno with which the creation of an unnamed file has failed. Returns true
 * if the creation of a file with a name may still succeed. A file system, a security
 * module or an old kernel may refuse O_TMPFILE with almost any errno. Only the codes of
 * the table never mean such a refusal. After one of these codes, the creation of a file
 * with a name would fail too.
 */
static bool
may_create_named(int code)
{
    static const int other_reasons[] = {ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE};
    for (size_t i = 0; i < sizeof(other_reasons) / sizeof(other_reasons[0]); i++)
        if (code == other_reasons[i])
            return false;
    return true;
}
#endif

int
os_file_temporary(const char *path, unsigned flags, char *name, size_t size)
{
    name[0] = '\0';
#ifdef O_TMPFILE /* a flag that not every system has */
    int unnamed = posix_open(path, open_mode(flags) | O_RDWR | O_TMPFILE);
    if (unnamed >= 0 || !may_create_named(errno))
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
os_file_remove_again(const char *name)
{
    struct os_info info;
    int status = name[0] ? unlink(name) : 0;
    int code = errno;
    os_leftover_forget(name);

    bool is_gone = status == 0 || code == ENOENT || os_path_info(name, &info) < 0;
    return is_gone ? 0 : os_fail(code);
}

void
os_file_close(int fd)
{
    close(fd);
}

/* Each request carries its own offset, so workers share no file position. One descriptor
 * is therefore enough for all workers. */
int
os_file_reopen(int fd)
{
    return fd;
}

#ifdef OS_HAS_RESIDENT
/* Pages per call of mincore(2). The call stores a byte for each page, and this many bytes
 * fit on a small stack. */
#define MINCORE_PAGES 8192

/* mincore(2) of FreeBSD finds only pages that the process has mapped already. This flag
 * makes mmap(2) map all pages that are in memory. */
#ifdef MAP_PREFAULT_READ
#define MAPPING (MAP_SHARED | MAP_PREFAULT_READ)
#else
#define MAPPING MAP_SHARED
#endif

/* Returns 1 if any of the SIZE bytes at OFFSET is in memory, 0 if none is, or -1 with
 * errno. OFFSET is the beginning of a page. Looks at MINCORE_PAGES pages at most. Systems
 * disagree whether the array for mincore(2) is signed, so the array is cast to void *. */
static int
find_present_page(int fd, int64_t offset, size_t size, size_t page)
{
    unsigned char present[MINCORE_PAGES];
    void *map = mmap(NULL, size, PROT_READ, MAPPING, fd, offset);
    if (map == MAP_FAILED)
        return -1;
    int status = mincore(map, size, (void *)present);
    munmap(map, size);
    if (status < 0)
        return -1;

    size_t page_count = (size + page - 1) / page;
    for (size_t i = 0; i < page_count; i++)
        if (present[i] & 1)
            return 1;
    return 0;
}

int
posix_mincore(int fd, int64_t offset, int64_t length)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t max_size = page * MINCORE_PAGES;
    int64_t end = offset + length;
    int64_t start = offset / page * page;

    for (; start < end; start += max_size) {
        size_t size = (size_t)(end - start < max_size ? end - start : max_size);
        int found = find_present_page(fd, start, size, (size_t)page);
        if (found != 0)
            return found;
    }
    return 0;
}
#endif
