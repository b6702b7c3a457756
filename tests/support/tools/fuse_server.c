/*
 * fuse_server -o backing=FOLDER[,OPTION...] MOUNTPOINT: shows FOLDER as a file system
 * whose delays, hangs and failures are known, by libfuse 3. It goes into the background
 * once it is mounted. Options, about reads of data unless they say otherwise:
 *
 * - delay_us=N: each read takes N us longer
 * - delay_write_us=N, delay_fsync_us=N, delay_unlink_us=N: so does each write, fsync or
 *   fdatasync, and removal of a file
 * - slots=N: at most N reads and writes at a time; the others wait in a line
 * - idle_ms=N, idle_us=N: a read that comes so many ms after the end of the last one, or
 *   later, takes so many us longer
 * - many=N, many_us=N, few_us=N: a read that comes while N others or more are in flight
 *   takes many_us longer, any other read few_us
 * - hang_at=N: the Nth read (from 1) takes hang_s seconds longer
 * - hang_count=N: so do the reads after it, N with the first
 * - hang_s=N: seconds
 * - hang_file=F: while file F exists each read waits, and makes F.waiting
 * - hang_after=N: the first N reads after the last creation of a file do not wait for it
 * - hang_create=F, hang_open=F, hang_write=F, hang_fsync=F, hang_flush=F, hang_getattr=F,
 *   hang_statfs=F, hang_lseek=F: so does each creation of a file, opening, write, fsync
 * or fdatasync, close, question for the attributes of a file or for its name, statfs, and
 *   question for data or a hole
 * - hang_all=F: all of these
 * - fail_every=N: every Nth read fails with EIO
 * - uncached: the server asks the kernel to cache nothing
 * - hidden: a file that is removed while it is open has another name until it is closed
 * - removed_stat=N: questions about a file that is removed while it is open, for its
 *   attributes, for a hole in it or by fstatfs, fail with error number N
 * - removed_all=N: so do reads, writes and fsyncs of it
 * - returning=F: a file that is removed while it is open is there again after each close,
 *   as of a server that stores a file when it is closed; its path is added to file F
 * - returned_unlink=N: after that no file can be removed, with error number N
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

static struct {
    pthread_mutex_t lock;
    pthread_cond_t moves;
    unsigned come, gone; /* who has joined the line, and left its place */
} line = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static FILE *log_file;
#define DESCRIPTORS 1024
static char *created[DESCRIPTORS]; /* backing paths of new files, by their descriptors */
static atomic_bool returned;       /* a removed file is there again */
static atomic_uint reads, reads_under_way;
static atomic_uint reads_before; /* the last creation of a file */
static _Atomic int64_t last_end; /* of a read; 0: there was none */

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
    while (ns > 0 && nanosleep(&left, &left) < 0 && errno == EINTR)
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

/* Returns -N for a question about a removed file, whose PATH is NULL, if removed_stat=N
 * or removed_all=N was given; else 0. */
static int
refuse_question(const char *path)
{
    unsigned code = options.removed_stat ? options.removed_stat : options.removed_all;
    return path ? 0 : -(int)code;
}

/* Likewise for reads, writes and fsyncs, and removed_all=N. */
static int
refuse_data(const char *path)
{
    return path ? 0 : -(int)options.removed_all;
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
    hang_while(options.hang_getattr);
    if (refuse_question(path))
        return refuse_question(path);
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
    int error = find(path, real);
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

/* Makes the file of a descriptor anew under its name, if it has been removed. */
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
    return result_of(close(copy));
}

/* Each close waits for it, other than for the release. */
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
    return result_of(close((int)file->fh));
}

static int
on_unlink(const char *path)
{
    char real[PATH_MAX];
    int error = find(path, real);
    rest((int64_t)options.delay_unlink_us * 1000);
    if (options.returned_unlink && atomic_load(&returned))
        return -(int)options.returned_unlink;
    return error ? error : result_of(unlink(real));
}

static int
on_rename(const char *from, const char *to, unsigned flags)
{
    char real[PATH_MAX], other[PATH_MAX];
    if (flags || find(from, real) < 0 || find(to, other) < 0)
        return -EINVAL;
    return result_of(rename(real, other));
}

static int
on_chmod(const char *path, mode_t mode, struct fuse_file_info *file)
{
    char real[PATH_MAX];
    if (file)
        return result_of(fchmod((int)file->fh, mode));
    int error = find(path, real);
    return error ? error : result_of(chmod(real, mode));
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

static void
enter(void)
{
    if (!options.slots)
        return;
    pthread_mutex_lock(&line.lock);
    unsigned own = line.come++;
    while (own - line.gone >= options.slots && own >= line.gone)
        pthread_cond_wait(&line.moves, &line.lock);
    pthread_mutex_unlock(&line.lock);
}

static void
leave(void)
{
    if (!options.slots)
        return;
    pthread_mutex_lock(&line.lock);
    line.gone++;
    pthread_cond_broadcast(&line.moves);
    pthread_mutex_unlock(&line.lock);
}

static int
read_slowly(int fd, char *buffer, size_t size, off_t offset)
{
    unsigned number = atomic_fetch_add(&reads, 1) + 1;
    unsigned others = atomic_fetch_add(&reads_under_way, 1);
    int64_t begin = now(), silence = begin - atomic_load(&last_end);
    if (number > atomic_load(&reads_before) + options.hang_after)
        hang_while(options.hang_file);
    enter();
    if (options.hang_at && number >= options.hang_at &&
        number < options.hang_at + (options.hang_count ? options.hang_count : 1))
        rest((int64_t)options.hang_s * 1000000000);
    rest((int64_t)options.delay_us * 1000);
    rest((int64_t)(others >= options.many ? options.many_us : options.few_us) * 1000);
    if (options.idle_us && silence >= (int64_t)options.idle_ms * 1000000)
        rest((int64_t)options.idle_us * 1000);
    int result = result_of(pread(fd, buffer, size, offset));
    leave();
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
    if (refuse_data(path))
        return refuse_data(path);
    return read_slowly((int)file->fh, buffer, size, offset);
}

static int
on_write(const char *path, const char *buffer, size_t size, off_t offset,
         struct fuse_file_info *file)
{
    hang_while(options.hang_write);
    if (refuse_data(path))
        return refuse_data(path);
    enter();
    rest((int64_t)options.delay_write_us * 1000);
    int result = result_of(pwrite((int)file->fh, buffer, size, offset));
    leave();
    return result;
}

static int
on_fsync(const char *path, int data, struct fuse_file_info *file)
{
    hang_while(options.hang_fsync);
    if (refuse_data(path))
        return refuse_data(path);
    rest((int64_t)options.delay_fsync_us * 1000);
    return result_of(data ? fdatasync((int)file->fh) : fsync((int)file->fh));
}

static int
on_statfs(const char *path, struct statvfs *status)
{
    hang_while(options.hang_statfs);
    if (refuse_question(path))
        return refuse_question(path);
    return result_of(statvfs(options.backing, status));
}

static off_t
on_lseek(const char *path, off_t offset, int whence, struct fuse_file_info *file)
{
    hang_while(options.hang_lseek);
    if (refuse_question(path))
        return refuse_question(path);
    if (whence == SEEK_HOLE && options.holes && strcmp(options.holes, "same") == 0)
        return offset;
    off_t found = lseek((int)file->fh, offset, whence);
    return found < 0 ? -errno : found;
}

/* Opens files in the background process: libfuse has forked by now. */
static void *
on_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    connection->max_background = 1024;
    config->direct_io = (int)options.uncached;
    config->hard_remove = !options.hidden;
    /* Else libfuse names no file by its path, and a removed one cannot be told. */
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
