/*
 * File systems and where they are mounted: statfs(2) has the sizes, the mount table of
 * /proc/self/mountinfo the names. And what is done in those of the kernel itself: small
 * files are read and written, and a directory goes with the process that made it.
 *
 * As such a directory stays when its process is killed, another process waits for that at
 * the end of a pipe, and removes it; posix_leftover.c does so with a file.
 */
#include "os/storage.h"

#include "base/deadlines.h"
#include "linux.h"
#include "os/os.h"
#include "posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATH_ROOM (PATH_MAX + 256)

/* Linux 5.8: stx_mnt_id. */
#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U
#endif
#define STATX_MNT_ID_AT 0x90

/* File systems that live in memory, by their f_type of statfs(2). */
static const struct {
    uint32_t magic;
    const char *name;
} memories[] = {{0x01021994, "tmpfs"}, {0x858458f6, "ramfs"}, {0x958458f6, "hugetlbfs"}};

const char *
linux_mount_memory(const struct statfs *status)
{
    for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++)
        if ((uint32_t)status->f_type == memories[i].magic)
            return memories[i].name;
    return NULL;
}

static int
open_file(int mode, const char *format, va_list list)
{
    char path[PATH_ROOM];
    if (vsnprintf(path, sizeof(path), format, list) >= (int)sizeof(path))
        return os_fail(ENAMETOOLONG);
    return open(path, mode | O_CLOEXEC);
}

bool
linux_file_read(char *text, size_t size, const char *path, ...)
{
    va_list list;
    va_start(list, path);
    int fd = open_file(O_RDONLY, path, list);
    va_end(list);
    ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    if (got > 0 && text[got - 1] == '\n')
        text[got - 1] = '\0';
    return got > 0;
}

char *
linux_file_all(const char *path, ...)
{
    size_t used = 0, room = 0;
    char *text = NULL;
    va_list list;
    va_start(list, path);
    int fd = open_file(O_RDONLY, path, list);
    va_end(list);
    if (fd < 0)
        return NULL;
    for (;;) {
        if (room - used < 4096) {
            char *larger = realloc(text, room += 65536);
            if (!larger)
                break;
            text = larger;
        }
        ssize_t got = read(fd, text + used, room - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    os_file_close(fd);
    if (text)
        text[used] = '\0';
    return text;
}

int
linux_file_write(const char *text, const char *path, ...)
{
    va_list list;
    va_start(list, path);
    int fd = open_file(O_WRONLY, path, list);
    va_end(list);
    if (fd < 0)
        return -1;
    bool whole = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int failed = errno;
    close(fd);
    return whole ? 0 : os_fail(failed);
}

/* The kernel's number of a mount, the key into the mount table; -1: not known. */
static int64_t
mount_id(int fd)
{
    uint64_t known;
    char text[512];
    if (linux_statx(fd, STATX_MNT_ID, STATX_MNT_ID_AT, &known, sizeof(known)) == 0)
        return (int64_t)known;
    linux_file_read(text, sizeof(text), "/proc/self/fdinfo/%d", fd);
    const char *line = strstr(text, "mnt_id:");
    return line ? strtoll(line + 7, NULL, 10) : -1;
}

/* O_PATH: the directory need not be readable. */
bool
os_mount_differs(int fd, const char *path)
{
    int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    int64_t own = mount_id(fd), other = mount_id(directory);
    os_file_close(directory);
    return own >= 0 && other >= 0 && own != other;
}

/* Without a device, the source is a text that whoever mounts it chooses. */
static void
resolve_device(struct os_mount *mount)
{
    char *real = mount->device[0] == '/' ? realpath(mount->device, NULL) : NULL;
    if (real && strlen(real) < sizeof(mount->device))
        memcpy(mount->device, real, strlen(real) + 1);
    free(real);
}

int
os_mount_measure(int fd, struct os_mount *mount)
{
    struct statfs status;
    struct stat info;
    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (fstatfs(fd, &status) < 0)
        return -1;
    uint64_t unit = (uint64_t)(status.f_frsize ? status.f_frsize : status.f_bsize);
    mount->block = (int64_t)status.f_bsize;
    mount->size = (int64_t)(status.f_blocks * unit);
    mount->available = (int64_t)(status.f_bavail * unit);
    mount->anonymous = fstat(fd, &info) == 0 && major(info.st_dev) == 0;
    const char *memory = linux_mount_memory(&status);
    mount->memory = memory != NULL;
    if (memory)
        snprintf(mount->fstype, sizeof(mount->fstype), "%s", memory);
    return 0;
}

#define TRACEFS 0x74726163 /* f_type, TRACEFS_MAGIC */

const char *
linux_mount_tracefs(struct error *error)
{
    static const char *const folders[] = {"/sys/kernel/tracing",
                                          "/sys/kernel/debug/tracing"};
    struct statfs status;
    for (int i = 0; i < 2; i++)
        if (statfs(folders[i], &status) == 0 && (uint32_t)status.f_type == TRACEFS)
            return folders[i];
    if (access(folders[0], F_OK) < 0) {
        error_set(error, EXIT_PREPARE, NULL,
                  "this kernel was built without tracefs, see CONFIG_TRACING");
        return NULL;
    }
    error_set(error, EXIT_PREPARE, NULL, "tracefs is not mounted");
    error_advise(error, "mount -t tracefs tracefs /sys/kernel/tracing");
    return NULL;
}

char *
linux_mount_options(int fd)
{
    int64_t id = mount_id(fd);
    char *table = id < 0 ? NULL : linux_file_all("/proc/self/mountinfo");
    char *options = table ? mountinfo_options(table, id) : NULL;
    free(table);
    return options;
}

int
os_mount_name(int fd, struct os_mount *mount)
{
    int64_t id = mount_id(fd);
    char *table = id < 0 ? NULL : linux_file_all("/proc/self/mountinfo");
    int code = errno;
    struct stat status;
    if (table && (mountinfo_find(table, id, mount) == 0 ||
                  (fstat(fd, &status) == 0 &&
                   mountinfo_find_device(table, major(status.st_dev),
                                         minor(status.st_dev), mount) == 0)))
        resolve_device(mount);
    free(table);
    errno = code;
    return table ? 0 : -1;
}

/* Leaves the descriptors of the process, and its folder, but for END. */
static void
leave_process(int end)
{
    posix_inherited_release();
#ifdef SYS_close_range /* Linux 5.9; what is left without it closes with the process */
    syscall(SYS_close_range, (unsigned)STDERR_FILENO + 1, (unsigned)end - 1, 0U);
    syscall(SYS_close_range, (unsigned)end + 1, ~0U, 0U);
#endif
    if (chdir("/") < 0)
        return; /* nothing depends on it */
}

#define REMOVE_PAUSE (10 * MS) /* while it is still open somewhere */

/* A byte in the pipe says that there is nothing to remove. Every call here is safe in a
 * copy of a process that had threads. */
static _Noreturn void
wait_and_remove(const char *folder, const char *file, int end)
{
    static const struct timespec pause = {.tv_nsec = REMOVE_PAUSE};
    char byte;
    ssize_t got;
    setsid();
    leave_process(end);
    do
        got = read(end, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        _exit(0);
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = write(fd, "0", 1);
        (void)got;
        close(fd);
    }
    for (int i = 0;
         i < DEADLINE_TRACE / REMOVE_PAUSE && rmdir(folder) < 0 && errno == EBUSY; i++)
        nanosleep(&pause, NULL);
    _exit(0);
}

int
linux_remover_start(struct linux_remover *remover, const char *folder, const char *name)
{
    char file[PATH_MAX];
    sigset_t all, before;
    int ends[2];
    *remover = LINUX_NO_REMOVER;
    snprintf(file, sizeof(file), "%s/%s", folder, name);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    if (posix_inherited_add(ends[1]) == 0) {
        sigfillset(&all); /* signals are not for the other process */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        remover->process = fork();
        if (remover->process == 0)
            wait_and_remove(folder, file, ends[0]);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    int code = errno;
    close(ends[0]);
    remover->end = ends[1];
    if (remover->process > 0)
        return 0;
    linux_remover_end(remover, true);
    return os_fail(code);
}

void
linux_remover_end(struct linux_remover *remover, bool removed)
{
    if (remover->end < 0)
        return;
    bool notified = removed && remover->process > 0 && write(remover->end, "", 1) == 1;
    posix_inherited_remove(remover->end);
    close(remover->end);
    while (notified && waitpid(remover->process, NULL, 0) < 0 && errno == EINTR)
        ;
    *remover = LINUX_NO_REMOVER;
}

/* A directory that is being set up is not in use yet, and its process does not show to
 * those of other PID namespaces. */
void
linux_remover_clean(const char *folder, const char *start)
{
    char path[PATH_MAX];
    struct dirent *entry;
    size_t length = strlen(start);
    DIR *list = opendir(folder);
    while (list && (entry = readdir(list))) {
        long process = 0;
        unsigned long long made = 0;
        if (strncmp(entry->d_name, start, length) != 0 ||
            sscanf(entry->d_name + length, "%ld-%llx", &process, &made) != 2)
            continue;
        if (os_clock_now() - (int64_t)made < DEADLINE_LEFTOVER || process <= 0 ||
            kill((pid_t)process, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        rmdir(path); /* not if it is in use */
    }
    if (list)
        closedir(list);
}
