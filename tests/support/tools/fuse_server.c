/*
 * fuse_server -o backing=FOLDER[,OPTION...] MOUNTPOINT: shows FOLDER as a file system
 * with chosen delays, hangs and failures, using libfuse 3. It goes into the background
 * once the file system is mounted. N stands for a number and F for the path of a file.
 * Options:
 *
 * Delays:
 * - delay_us=N, delay_write_us=N, delay_fsync_us=N, delay_unlink_us=N: each read, each
 *   write, each fsync or fdatasync, each removal of a file takes N us longer
 * - slots=N: at most N reads and writes are served at a time; others wait in their order
 * - idle_ms=N, idle_us=N: a read that begins at least idle_ms after the end of the last
 *   read takes idle_us longer
 * - many=N, many_us=N, few_us=N: a read that begins while at least N other reads are in
 *   flight takes many_us longer, any other read few_us
 *
 * Hangs:
 * - hang_at=N, hang_count=N, hang_s=N: hang_count reads (default 1), beginning with
 * number hang_at (from 1), take hang_s seconds longer
 * - hang_file=F: each read waits while F exists, and makes the file F.waiting
 * - hang_after=N: the first N reads after the last creation of a file ignore hang_file
 * - hang_create=F, hang_open=F, hang_write=F, hang_fsync=F, hang_flush=F, hang_getattr=F,
 *   hang_statfs=F, hang_lseek=F: as hang_file, for each creation of a file, each open,
 *   write, fsync or fdatasync, close, stat or lookup of a name, statfs, and lseek
 * - hang_all=F: hang_file and all of the previous line
 *
 * Failures:
 * - fail_every=N: every Nth read fails with EIO
 * - removed_stat=N: fstat, fstatfs and lseek of a file that was removed while it is open
 *   fail with errno N
 * - removed_all=N: as removed_stat, and reads, writes and fsyncs of such a file, too
 * - returning=F: a file that was removed while it is open exists again after each close,
 * as on a server that stores a file when it is closed. Its path is appended to F.
 * - returned_unlink=N: after a file has returned, each removal of a file fails with errno
 * N
 *
 * Others:
 * - uncached: asks the kernel to cache nothing
 * - hidden: a file that is removed while it is open keeps a hidden name until it is
 * closed
 * - holes=same: SEEK_HOLE always returns the offset that it was given
 * - log=F: writes a line for each read: number, offset, size, begin and end (ns,
 * monotonic), and the number of bytes or -errno
 */
#define FUSE_USE_VERSION 312
#include <fuse.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
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
    char *backing, *hang_file, *hang_create, *hang_open, *hang_write, *hang_fsync,
        *hang_flush, *hang_getattr, *hang_statfs, *hang_lseek, *hang_all, *holes,
        *returning, *log;
    unsigned idle_ms, idle_us, delay_us, delay_write_us, delay_fsync_us, delay_unlink_us,
        slots, many, many_us, few_us, hang_after, hang_at, hang_count, hang_s, fail_every,
        uncached, hidden, removed_stat, removed_all, returned_unlink;
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
    TEXT(backing),
    TEXT(hang_file),
    TEXT(hang_create),
    TEXT(hang_open),
    TEXT(hang_write),
    TEXT(hang_fsync),
    TEXT(hang_flush),
    TEXT(hang_getattr),
    TEXT(hang_statfs),
    TEXT(hang_lseek),
    TEXT(hang_all),
    TEXT(holes),
    TEXT(returning),
    TEXT(log),
    OPTION(idle_ms),
    OPTION(idle_us),
    OPTION(delay_us),
    OPTION(delay_write_us),
    OPTION(delay_fsync_us),
    OPTION(delay_unlink_us),
    OPTION(slots),
    OPTION(many),
    OPTION(many_us),
    OPTION(few_us),
    OPTION(hang_after),
    OPTION(hang_at),
    OPTION(hang_count),
    OPTION(hang_s),
    OPTION(fail_every),
    OPTION(removed_stat),
    OPTION(removed_all),
    OPTION(returned_unlink),
    {"uncached", offsetof(__typeof__(options), uncached), 1},
    {"hidden", offsetof(__typeof__(options), hidden), 1},
    FUSE_OPT_END};

/* The reads and writes that wait for one of `slots`. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t moves;
    unsigned entered;  /* number of requests so far that asked for a slot */
    unsigned released; /* number of requests so far that gave their slot back */
} line = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static FILE *log_file;
#define DESCRIPTORS 1024
static char *created[DESCRIPTORS]; /* paths of new files in FOLDER, by descriptor */
static atomic_bool returned;       /* a removed file exists again, see option returning */
static atomic_uint reads;          /* number of reads so far */
static atomic_uint reads_under_way;
static atomic_uint reads_before; /* number of reads before the last creation of a file */
static _Atomic int64_t last_end; /* end of the last read; 0: there was none */

static int64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void
sleep_ns(int64_t ns)
{
    struct timespec remaining = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    if (ns <= 0)
        return;
    while (nanosleep(&remaining, &remaining) < 0 && errno == EINTR)
        ;
}

/* Waits while FILE exists. Makes FILE.waiting, by which the test learns of the wait. FILE
 * may be NULL. */
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
        sleep_ns(1000000);
}

/* Sets REAL, of PATH_MAX bytes, to the path of a file in the backing folder. Returns 0,
 * or -ENAMETOOLONG. */
static int
find_backing(const char *path, char *real)
{
    int length = snprintf(real, PATH_MAX, "%s%s", options.backing, path);
    return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Returns -errno if fstat, fstatfs and lseek must fail for the file with this PATH,
 * otherwise 0. PATH is NULL for a removed file. */
static int
metadata_error(const char *path)
{
    unsigned error = options.removed_stat ? options.removed_stat : options.removed_all;
    return path ? 0 : -(int)error;
}

/* Returns -errno if reads, writes and fsyncs must fail for the file with this PATH,
 * otherwise 0. PATH is NULL for a removed file. */
static int
data_error(const char *path)
{
    return path ? 0 : -(int)options.removed_all;
}

/* Returns the result of a system call as FUSE wants it: -errno instead of -1. */
static int
or_error(long status)
{
    return status < 0 ? -errno : (int)status;
}

static int
on_getattr(const char *path, struct stat *status, struct fuse_file_info *file)
{
    char real[PATH_MAX];
    hang_while(options.hang_getattr);
    if (metadata_error(path))
        return metadata_error(path);
    if (file)
        return or_error(fstat((int)file->fh, status));
    int error = find_backing(path, real);
    return error ? error : or_error(lstat(real, status));
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
    int error = find_backing(path, real);
    hang_while(options.hang_open);
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
    int error = find_backing(path, real);
    if (error)
        return error;
    hang_while(options.hang_create);
    int fd = open(real, file->flags & ~O_DIRECT, mode);
    if (fd < 0)
        return -errno;
    atomic_store(&reads_before, atomic_load(&reads));
    file->fh = (uint64_t)fd;
    if (options.returning && fd < DESCRIPTORS)
        created[fd] = strdup(real);
    return 0;
}

/* Makes a new file under the old name if the open file FD has been removed. Returns 0, or
 * -errno. */
static int
return_removed(int fd)
{
    struct stat status;
    const char *name = fd < DESCRIPTORS ? created[fd] : NULL;
    if (!name || fstat(fd, &status) < 0 || status.st_nlink > 0)
        return 0;
    int copy = open(name, O_CREAT | O_WRONLY, 0600);
    FILE *list = fopen(options.returning, "a");
    if (!list || copy < 0 || ftruncate(copy, status.st_size) < 0)
        return -errno;
    fprintf(list, "%s\n", name);
    fclose(list);
    atomic_store(&returned, 1);
    return or_error(close(copy));
}

/* Each close(2) waits for flush, but not for release. */
static int
on_flush(const char *path, struct fuse_file_info *file)
{
    (void)path;
    hang_while(options.hang_flush);
    if (options.returning)
        return return_removed((int)file->fh);
    return options.hang_flush ? 0 : -ENOSYS;
}

static int
on_release(const char *path, struct fuse_file_info *file)
{
    (void)path;
    if (options.returning && file->fh < DESCRIPTORS) {
        free(created[file->fh]);
        created[file->fh] = NULL;
    }
    return or_error(close((int)file->fh));
}

static int
on_unlink(const char *path)
{
    char real[PATH_MAX];
    int error = find_backing(path, real);
    sleep_ns((int64_t)options.delay_unlink_us * 1000);
    if (options.returned_unlink && atomic_load(&returned))
        return -(int)options.returned_unlink;
    return error ? error : or_error(unlink(real));
}

static int
on_rename(const char *from, const char *to, unsigned flags)
{
    char real[PATH_MAX], other[PATH_MAX];
    if (flags || find_backing(from, real) < 0 || find_backing(to, other) < 0)
        return -EINVAL;
    return or_error(rename(real, other));
}

static int
on_chmod(const char *path, mode_t mode, struct fuse_file_info *file)
{
    char real[PATH_MAX];
    if (file)
        return or_error(fchmod((int)file->fh, mode));
    int error = find_backing(path, real);
    return error ? error : or_error(chmod(real, mode));
}

static int
on_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
    char real[PATH_MAX];
    if (file)
        return or_error(ftruncate((int)file->fh, size));
    int error = find_backing(path, real);
    return error ? error : or_error(truncate(real, size));
}

/* Waits for a slot, in the order of the calls. */
static void
enter_slot(void)
{
    if (!options.slots)
        return;
    pthread_mutex_lock(&line.lock);
    unsigned number = line.entered++;
    while (number - line.released >= options.slots && number >= line.released)
        pthread_cond_wait(&line.moves, &line.lock);
    pthread_mutex_unlock(&line.lock);
}

static void
leave_slot(void)
{
    if (!options.slots)
        return;
    pthread_mutex_lock(&line.lock);
    line.released++;
    pthread_cond_broadcast(&line.moves);
    pthread_mutex_unlock(&line.lock);
}

static int
read_slowly(int fd, char *buffer, size_t size, off_t offset)
{
    unsigned number = atomic_fetch_add(&reads, 1) + 1;
    unsigned others = atomic_fetch_add(&reads_under_way, 1);
    int64_t begin = now();
    int64_t idle = begin - atomic_load(&last_end);
    unsigned hang_count = options.hang_count ? options.hang_count : 1;

    if (number > atomic_load(&reads_before) + options.hang_after)
        hang_while(options.hang_file);
    enter_slot();
    if (options.hang_at && number >= options.hang_at &&
        number < options.hang_at + hang_count)
        sleep_ns((int64_t)options.hang_s * 1000000000);
    sleep_ns((int64_t)options.delay_us * 1000);
    sleep_ns((int64_t)(others >= options.many ? options.many_us : options.few_us) * 1000);
    if (options.idle_us && idle >= (int64_t)options.idle_ms * 1000000)
        sleep_ns((int64_t)options.idle_us * 1000);
    int result = or_error(pread(fd, buffer, size, offset));
    leave_slot();

    atomic_fetch_sub(&reads_under_way, 1);
    atomic_store(&last_end, now());
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
    if (data_error(path))
        return data_error(path);
    return read_slowly((int)file->fh, buffer, size, offset);
}

static int
on_write(const char *path, const char *buffer, size_t size, off_t offset,
         struct fuse_file_info *file)
{
    hang_while(options.hang_write);
    if (data_error(path))
        return data_error(path);
    enter_slot();
    sleep_ns((int64_t)options.delay_write_us * 1000);
    int result = or_error(pwrite((int)file->fh, buffer, size, offset));
    leave_slot();
    return result;
}

static int
on_fsync(const char *path, int data, struct fuse_file_info *file)
{
    hang_while(options.hang_fsync);
    if (data_error(path))
        return data_error(path);
    sleep_ns((int64_t)options.delay_fsync_us * 1000);
    return or_error(data ? fdatasync((int)file->fh) : fsync((int)file->fh));
}

static int
on_statfs(const char *path, struct statvfs *status)
{
    hang_while(options.hang_statfs);
    if (metadata_error(path))
        return metadata_error(path);
    return or_error(statvfs(options.backing, status));
}

static off_t
on_lseek(const char *path, off_t offset, int whence, struct fuse_file_info *file)
{
    hang_while(options.hang_lseek);
    if (metadata_error(path))
        return metadata_error(path);
    if (whence == SEEK_HOLE && options.holes && strcmp(options.holes, "same") == 0)
        return offset;
    off_t found = lseek((int)file->fh, offset, whence);
    return found < 0 ? -errno : found;
}

/* Opens the log here, because libfuse has only now forked the background process. */
static void *
on_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    connection->max_background = 1024;
    config->direct_io = (int)options.uncached;
    config->hard_remove = !options.hidden;
    /* With nullpath_ok libfuse passes no path for any open file. Without it the path is
     * NULL only for removed files, which is how metadata_error recognises them. */
    config->nullpath_ok = !options.removed_stat && !options.removed_all;
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
    .flush = on_flush,
    .release = on_release,
    .unlink = on_unlink,
    .rename = on_rename,
    .chmod = on_chmod,
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
    if (options.hang_all)
        options.hang_file = options.hang_create = options.hang_open = options.hang_write =
            options.hang_fsync = options.hang_flush = options.hang_getattr =
                options.hang_statfs = options.hang_lseek = options.hang_all;
    fuse_opt_add_arg(&arguments, "-omax_threads=256");
    return fuse_main(arguments.argc, arguments.argv, &operations, NULL);
}
