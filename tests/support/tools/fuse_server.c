/*
 * fuse_server -o backing=FOLDER[,OPTION...] MOUNTPOINT: shows FOLDER as a file system
 * whose delays, hangs and failures are known, by libfuse 3. It goes into the background
 * once it is mounted. Options, about reads of data unless they say otherwise:
 *
 * - delay_us=N: each read takes N us longer
 * - slots=N: at most N reads at a time; the others wait
 * - hang_at=N: the Nth read (from 1) takes hang_s seconds longer
 * - hang_count=N: so do the reads after it, N with the first
 * - hang_s=N: seconds
 * - hang_file=F: while file F exists each read waits, and makes F.waiting
 * - hang_create=F: while file F exists each creation of a file waits, and makes F.waiting
 * - fail_every=N: every Nth read fails with EIO
 * - uncached: the server asks the kernel to cache nothing
 * - holes=same: SEEK_HOLE answers with the very offset that it was asked for
 * - log=F: a line for each read: number, offset, size, begin and end (ns, monotonic),
 *   bytes or -errno
 */
#define FUSE_USE_VERSION 312
#include <fuse.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static struct {
    char *backing, *hang_file, *hang_create, *holes, *log;
    unsigned delay_us, slots, hang_at, hang_count, hang_s, fail_every, uncached;
} options;

#define OPTION(name)                                        \
    {                                                       \
#name "=%u", offsetof(__typeof__(options), name), 1 \
    }
#define TEXT(name)                                          \
    {                                                       \
#name "=%s", offsetof(__typeof__(options), name), 1 \
    }

static const struct fuse_opt specifications[] = {
    TEXT(backing),      TEXT(hang_file),
    TEXT(hang_create),  TEXT(holes),
    TEXT(log),          OPTION(delay_us),
    OPTION(slots),      OPTION(hang_at),
    OPTION(hang_count), OPTION(hang_s),
    OPTION(fail_every), {"uncached", offsetof(__typeof__(options), uncached), 1},
    FUSE_OPT_END};

static sem_t slots;
static FILE *log_file;
static atomic_uint reads;

static int64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void
rest(int64_t ns)
{
    struct timespec left = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

/* Waits while FILE exists, and makes FILE.waiting, by which the test learns that it does.
 */
static void
hang_while(const char *file)
{
    char waiting[PATH_MAX];
    if (!file || access(file, F_OK) < 0)
        return;
    snprintf(waiting, sizeof(waiting), "%s.waiting", file);
    int fd = open(waiting, O_CREAT | O_WRONLY, 0644);
    if (fd >= 0)
        close(fd);
    while (access(file, F_OK) == 0)
        rest(1000000);
}

/* Prefixes PATH with the backing folder. Returns 0, or -ENAMETOOLONG. */
static int
find(const char *path, char *real)
{
    return snprintf(real, PATH_MAX, "%s%s", options.backing, path) < PATH_MAX
               ? 0
               : -ENAMETOOLONG;
}

static int
result_of(long status)
{
    return status < 0 ? -errno : (int)status;
}

static int
on_getattr(const char *path, struct stat *status, struct fuse_file_info *file)
{
    char real[PATH_MAX];
    if (file)
        return result_of(fstat((int)file->fh, status));
    int error = find(path, real);
    return error ? error : result_of(lstat(real, status));
}

static int
on_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
           struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
    (void)path, (void)offset, (void)file, (void)flags;
    fill(buffer, ".", NULL, 0, 0);
    fill(buffer, "..", NULL, 0, 0);
    return 0;
}

static int
on_open(const char *path, struct fuse_file_info *file)
{
    char real[PATH_MAX];
    int error = find(path, real);
    int fd = error ? -1 : open(real, file->flags & ~(O_DIRECT | O_EXCL | O_CREAT));
    if (error || fd < 0)
        return error ? error : -errno;
    file->fh = (uint64_t)fd;
    return 0;
}

static int
on_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
    char real[PATH_MAX];
    int error = find(path, real);
    if (error)
        return error;
    hang_while(options.hang_create);
    int fd = open(real, file->flags & ~O_DIRECT, mode);
    if (fd < 0)
        return -errno;
    file->fh = (uint64_t)fd;
    return 0;
}

static int
on_release(const char *path, struct fuse_file_info *file)
{
    (void)path;
    return result_of(close((int)file->fh));
}

static int
on_unlink(const char *path)
{
    char real[PATH_MAX];
    int error = find(path, real);
    return error ? error : result_of(unlink(real));
}

static int
on_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
    char real[PATH_MAX];
    if (file)
        return result_of(ftruncate((int)file->fh, size));
    int error = find(path, real);
    return error ? error : result_of(truncate(real, size));
}

static int
read_slowly(int fd, char *buffer, size_t size, off_t offset)
{
    unsigned number = atomic_fetch_add(&reads, 1) + 1;
    int64_t begin = now();
    hang_while(options.hang_file);
    if (options.slots)
        while (sem_wait(&slots) < 0)
            ;
    if (options.hang_at && number >= options.hang_at &&
        number < options.hang_at + (options.hang_count ? options.hang_count : 1))
        rest((int64_t)options.hang_s * 1000000000);
    if (options.delay_us)
        rest((int64_t)options.delay_us * 1000);
    int result = result_of(pread(fd, buffer, size, offset));
    if (options.slots)
        sem_post(&slots);
    if (options.fail_every && number % options.fail_every == 0)
        result = -EIO;
    if (log_file)
        fprintf(log_file, "%u %lld %zu %lld %lld %d\n", number, (long long)offset, size,
                (long long)begin, (long long)now(), result);
    return result;
}

static int
on_read(const char *path, char *buffer, size_t size, off_t offset,
        struct fuse_file_info *file)
{
    (void)path;
    return read_slowly((int)file->fh, buffer, size, offset);
}

static int
on_write(const char *path, const char *buffer, size_t size, off_t offset,
         struct fuse_file_info *file)
{
    (void)path;
    return result_of(pwrite((int)file->fh, buffer, size, offset));
}

static int
on_fsync(const char *path, int data, struct fuse_file_info *file)
{
    (void)path;
    return result_of(data ? fdatasync((int)file->fh) : fsync((int)file->fh));
}

static int
on_statfs(const char *path, struct statvfs *status)
{
    (void)path;
    return result_of(statvfs(options.backing, status));
}

static off_t
on_lseek(const char *path, off_t offset, int whence, struct fuse_file_info *file)
{
    (void)path;
    if (whence == SEEK_HOLE && options.holes && strcmp(options.holes, "same") == 0)
        return offset;
    off_t found = lseek((int)file->fh, offset, whence);
    return found < 0 ? -errno : found;
}

/* Opens files and semaphores in the background process: libfuse has forked by now. */
static void *
on_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    connection->max_background = 1024;
    config->direct_io = (int)options.uncached;
    config->hard_remove = 1;
    config->nullpath_ok = 1;
    sem_init(&slots, 0, options.slots);
    log_file = options.log ? fopen(options.log, "w") : NULL;
    if (log_file)
        setvbuf(log_file, NULL, _IOLBF, 0);
    return NULL;
}

static const struct fuse_operations operations = {
    .getattr = on_getattr,
    .readdir = on_readdir,
    .open = on_open,
    .create = on_create,
    .release = on_release,
    .unlink = on_unlink,
    .truncate = on_truncate,
    .read = on_read,
    .write = on_write,
    .fsync = on_fsync,
    .statfs = on_statfs,
    .lseek = on_lseek,
    .init = on_init,
};

int
main(int argc, char *argv[])
{
    struct fuse_args arguments = FUSE_ARGS_INIT(argc, argv);
    if (fuse_opt_parse(&arguments, &options, specifications, NULL) < 0)
        return 1;
    if (!options.backing) {
        fprintf(stderr, "usage: fuse_server -o backing=FOLDER[,OPTION...] MOUNTPOINT\n");
        return 1;
    }
    fuse_opt_add_arg(&arguments, "-omax_threads=256");
    return fuse_main(arguments.argc, arguments.argv, &operations, NULL);
}
