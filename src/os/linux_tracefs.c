/*
 * Traces of the block layer, in an instance of tracefs that nobody else uses
 * (Documentation/trace/ftrace.rst of the kernel, "Instances"). Its clock is the monotonic
 * one of the kernel, which a time namespace shifts for its processes alone. Filters keep
 * the records of other devices out, so that a busy machine does not fill the buffers.
 * Each processor has a buffer, whose pages are read as they are.
 *
 * An instance stays when its process ends, so another process waits for that, and removes
 * it: it has the end of a pipe whose other end closes with the last thread.
 * posix_leftover.c does so with a file.
 */
#include "linux.h"

#include "base/deadlines.h"
#include "os/os.h"
#include "posix.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_ROOM 256
#define BUFFER_EACH 1024       /* KiB for each processor, */
#define BUFFER_ALL (64 * 1024) /* but not more for all, */
#define MARGIN 8192            /* sectors: a merge may add some, with room to spare */
#define TRACEFS 0x74726163     /* f_type, TRACEFS_MAGIC */

struct os_trace {
    char folder[PATH_ROOM]; /* the instance */
    struct linux_trace_format formats[LINUX_TRACE_KINDS];
    struct linux_trace_page page;
    unsigned char *bytes; /* of the page */
    size_t size;
    int *rings; /* a descriptor for each processor */
    int count, next;
    pid_t remover; /* of the instance; 0: there is none */
    int life;      /* the end of the pipe that closes with the last thread */
    uint64_t lost;
    int64_t clock_offset; /* ns, see read_clock_offset */
};

static const char *const events[LINUX_TRACE_KINDS] = {
    [OS_TRACE_QUEUE] = "block/block_bio_queue",
    [OS_TRACE_REMAP] = "block/block_bio_remap",
    [OS_TRACE_ISSUE] = "block/block_rq_issue",
    [OS_TRACE_REQUEUE] = "block/block_rq_requeue",
    [OS_TRACE_COMPLETE] = "block/block_rq_complete",
    [OS_TRACE_MARK] = "ftrace/print",
    [OS_TRACE_BIO_COMPLETE] = "block/block_bio_complete",
    [OS_TRACE_REQUEST_REMAP] = "block/block_rq_remap",
};

int
os_thread_number(void)
{
    return (int)syscall(SYS_gettid);
}

/* Adds the sectors that records of the first device of LAYOUT can have: a flush has none,
 * and says so by 0 sectors from wherever. What PROGRAM and io_uring queue for it is
 * recorded, wherever it is: the blocks of a file may change. */
static void
add_range(struct buffer *text, const struct os_layout *layout, const char *program)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (int i = 0; i < layout->extent_count; i++) {
        const struct os_extent *extent = &layout->extents[i];
        uint64_t end = extent->sector + (uint64_t)extent->length / 512 + 1;
        low = extent->sector < low ? extent->sector : low;
        high = end > high ? end : high;
    }
    buffer_format(text, " && (nr_sector == 0 || (sector >= %llu && sector <= %llu)",
                  (unsigned long long)(low > MARGIN ? low - MARGIN : 0),
                  (unsigned long long)high + MARGIN);
    if (program)
        buffer_format(text, " || comm == \"%s\" || comm ~ \"" LINUX_TRACE_WORKER "*\"",
                      program);
    buffer_format(text, ")");
}

/* Returns whether records of KIND matter of the device of index DEVICE of LAYOUT. */
static bool
is_recorded(const struct os_layout *layout, int device, enum os_trace_kind kind)
{
    const struct os_layout_device *of = &layout->devices[device];
    bool is_top = device == layout->top;
    if (kind == OS_TRACE_BIO_COMPLETE)
        return (is_top && of->bio_based) || (layout->shift > 0 && of->lowest);
    if (kind == OS_TRACE_COMPLETE && is_top)
        return true;
    return kind == OS_TRACE_QUEUE || !of->above;
}

/* Returns whether records of KIND matter of any of COUNT layouts. */
static bool
is_wanted(const struct os_layout *const *layouts, int count, enum os_trace_kind kind)
{
    bool remaps = kind == OS_TRACE_REMAP || kind == OS_TRACE_REQUEST_REMAP;
    if (kind == OS_TRACE_MARK)
        return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < layouts[i]->device_count; k++)
            if (is_recorded(layouts[i], k, kind) && (!remaps || layouts[i]->remapped))
                return true;
    return false;
}

/* A device stands there with its disk. */
void
linux_trace_filter(const struct os_layout *const *layouts, int count,
                   enum os_trace_kind kind, bool ranges, const char *program,
                   struct buffer *filter)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < layouts[i]->device_count; k++) {
            const struct os_layout_device *device = &layouts[i]->devices[k];
            unsigned long long number = device->number, disk = device->disk;
            bool remaps = kind == OS_TRACE_REMAP || kind == OS_TRACE_REQUEST_REMAP;
            if (!is_recorded(layouts[i], k, kind))
                continue;
            buffer_format(filter, "%s(dev == %llu", filter->length ? " || " : "", number);
            if (disk != number)
                buffer_format(filter, " || dev == %llu", disk);
            if (remaps)
                buffer_format(filter, " || old_dev == %llu", number);
            buffer_text(filter, ")");
            if (k == 0 && ranges && !remaps && layouts[i]->extent_count)
                add_range(filter, layouts[i], kind == OS_TRACE_QUEUE ? program : NULL);
        }
}

/* Returns the folder where tracefs is mounted; NULL with ERROR. */
static const char *
find_tracefs(struct error *error)
{
    static const char *const folders[] = {"/sys/kernel/tracing",
                                          "/sys/kernel/debug/tracing"};
    struct statfs status;
    for (int i = 0; i < 2; i++)
        if (statfs(folders[i], &status) == 0 && (uint32_t)status.f_type == TRACEFS)
            return folders[i];
    if (access(folders[0], F_OK) < 0) {
        error_set(error, EXIT_PREPARE, "-breakdown",
                  "this kernel was built without tracefs (CONFIG_TRACING)");
        return NULL;
    }
    error_set(error, EXIT_PREPARE, "-breakdown", "tracefs is not mounted");
    error_advise(error, "mount -t tracefs tracefs /sys/kernel/tracing");
    return NULL;
}

static int
fail(struct error *error, const char *path)
{
    int code = errno;
    error_set(error, EXIT_PREPARE, path, "%s", strerror(code));
    if (code != EACCES && code != EPERM)
        return -1;
    return error_advise(
        error,
        geteuid() == 0
            ? "a container or the lockdown of the kernel denies traces even to root"
            : "run it as root, or with the ambient "
              "capability CAP_DAC_OVERRIDE");
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
    posix_inherited_release();
#ifdef SYS_close_range /* Linux 5.9; what is left without it closes with the process */
    syscall(SYS_close_range, (unsigned)STDERR_FILENO + 1, (unsigned)end - 1, 0U);
    syscall(SYS_close_range, (unsigned)end + 1, ~0U, 0U);
#endif
    if (chdir("/") < 0)
        _exit(0); /* it is always there */
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

/* Has the instance that is about to be made removed when this process has ended, however
 * that comes about. Returns 0, or -1 with errno. Not for handlers of signals. */
static int
start_remover(struct os_trace *trace)
{
    char file[PATH_ROOM + 16];
    sigset_t all, before;
    int ends[2];
    snprintf(file, sizeof(file), "%s/tracing_on", trace->folder);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    trace->life = ends[1];
    if (posix_inherited_add(ends[1]) == 0) {
        sigfillset(&all); /* signals are not for the other process */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        trace->remover = fork();
        if (trace->remover == 0)
            wait_and_remove(trace->folder, file, ends[0]);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    int code = errno;
    close(ends[0]);
    return trace->remover > 0 ? 0 : os_fail(code);
}

/*
 * Returns what the time namespace of this process adds to the kernel's monotonic clock,
 * in ns: 0 outside of such a namespace, see time_namespaces(7). The kernel stamps its
 * records by its own clock, and os_clock_now is shifted.
 */
static int64_t
read_clock_offset(void)
{
    char text[256];
    long long seconds, rest;
    linux_file_read(text, sizeof(text), "/proc/self/timens_offsets");
    if (sscanf(text, "monotonic %lld %lld", &seconds, &rest) != 2)
        return 0;
    return seconds * SECOND + rest;
}

/* Removes instances whose names have the number of a process that is not there any more,
 * and when they were made by the kernel's monotonic clock, which is a while before NOW,
 * if they are not in use: the remover was killed with its process. A directory that is
 * being set up is not in use yet, and its process does not show to those of other PID
 * namespaces. */
static void
remove_old(const char *folder, int64_t now)
{
    char path[PATH_ROOM + 256];
    struct dirent *entry;
    DIR *list = opendir(folder);
    while (list && (entry = readdir(list))) {
        long process = 0;
        unsigned long long made = 0;
        if (sscanf(entry->d_name, "ioping-%ld-%llx", &process, &made) != 2 ||
            now - (int64_t)made < DEADLINE_LEFTOVER || process <= 0 ||
            kill((pid_t)process, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        rmdir(path); /* not if it is in use */
    }
    if (list)
        closedir(list);
}

static int
read_formats(struct os_trace *trace, const char *top, struct error *error)
{
    char *text;
    for (int i = 0; i < LINUX_TRACE_KINDS; i++) {
        text = linux_file_all("%s/events/%s/format", top, events[i]);
        if (!text && errno != ENOENT)
            return fail(error, top);
        bool known = text && linux_trace_format(text, (enum os_trace_kind)i,
                                                &trace->formats[i]) == 0;
        free(text);
        if (!known && i == OS_TRACE_MARK)
            trace->formats[i].id = 0;
        else if (!known)
            return error_set(error, EXIT_PREPARE, "-breakdown",
                             "this kernel was built without the event %s "
                             "(CONFIG_BLK_DEV_IO_TRACE)",
                             strchr(events[i], '/') + 1);
    }
    text = linux_file_all("%s/events/header_page", top);
    if (!text)
        return fail(error, top);
    bool known = linux_trace_header(text, &trace->page) == 0;
    free(text);
    return known ? 0
                 : error_set(error, EXIT_PREPARE, top,
                             "events/header_page has an unknown format");
}

/* Opens the buffer of each processor. */
static int
open_rings(struct os_trace *trace, struct error *error)
{
    char path[PATH_ROOM + 64], size[16];
    struct stat status;
    int count = 0;
    do
        snprintf(path, sizeof(path), "%s/per_cpu/cpu%d", trace->folder, count);
    while (stat(path, &status) == 0 && ++count);
    int each = BUFFER_ALL / (count ? count : 1);
    snprintf(size, sizeof(size), "%d", each < BUFFER_EACH ? each : BUFFER_EACH);
    trace->rings = malloc((size_t)(count + 1) * sizeof(trace->rings[0]));
    if (!trace->rings || linux_file_write(size, "%s/buffer_size_kb", trace->folder) < 0)
        return fail(error, trace->folder);
    while (trace->count < count) {
        snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", trace->folder,
                 trace->count);
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            return fail(error, path);
        trace->rings[trace->count++] = fd;
        if (posix_inherited_add(fd) < 0)
            return fail(error, path);
    }
    return 0;
}

/* Sets the filter of an event: the narrowest that the kernel takes, if any. */
static void
set_filter(struct os_trace *trace, const struct os_layout *const *layouts, int count,
           enum os_trace_kind kind)
{
    char program[16] = ""; /* PR_GET_NAME(2const): at most 16 bytes */
    bool taken = false;
    bool named = prctl(PR_GET_NAME, program, 0UL, 0UL, 0UL) == 0 && *program &&
                 !strpbrk(program, "\"\\*?[");
    for (int ranges = 1; ranges >= 0 && !taken; ranges--) {
        struct buffer filter = {0};
        linux_trace_filter(layouts, count, kind, ranges && named, program, &filter);
        taken = !filter.failed && filter.length > 0 &&
                linux_file_write(filter.text, "%s/events/%s/filter", trace->folder,
                                 events[kind]) == 0;
        buffer_free(&filter);
    }
}

/* The kernel is not to note the names of programs at each switch between threads. A page
 * of the buffer may be larger than one of memory, since Linux 6.8. */
static int
set_up(struct os_trace *trace, const char *top, const struct os_layout *const *layouts,
       int count, struct error *error)
{
    int64_t now = os_clock_now() - trace->clock_offset;
    snprintf(trace->folder, sizeof(trace->folder), "%s/instances", top);
    remove_old(trace->folder, now);
    snprintf(trace->folder, sizeof(trace->folder), "%s/instances/ioping-%ld-%llx", top,
             (long)getpid(), (unsigned long long)now);
    if (start_remover(trace) < 0)
        return fail(error, "trace");
    if (mkdir(trace->folder, 0700) < 0)
        return fail(error, trace->folder);
    char text[32];
    trace->size =
        linux_file_read(text, sizeof(text), "%s/buffer_subbuf_size_kb", trace->folder)
            ? (size_t)strtoul(text, NULL, 10) * 1024
            : trace->page.data.at + trace->page.data.size;
    trace->bytes = malloc(trace->size);
    if (!trace->bytes || linux_file_write("mono", "%s/trace_clock", trace->folder) < 0)
        return fail(error, trace->folder);
    linux_file_write("0", "%s/options/record-cmd", trace->folder);
    if (open_rings(trace, error) < 0)
        return -1;
    for (int i = 0; i < LINUX_TRACE_KINDS; i++) {
        if (!is_wanted(layouts, count, (enum os_trace_kind)i))
            continue;
        set_filter(trace, layouts, count, (enum os_trace_kind)i);
        if (linux_file_write("1", "%s/events/%s/enable", trace->folder, events[i]) < 0)
            return fail(error, trace->folder);
    }
    return 0;
}

struct os_trace *
os_trace_open(const struct os_layout *const *layouts, int count, struct error *error)
{
    struct os_trace *trace = calloc(1, sizeof(*trace));
    const char *top = trace ? find_tracefs(error) : NULL;
    if (!trace)
        fail(error, "trace");
    else
        trace->clock_offset = read_clock_offset();
    if (top && read_formats(trace, top, error) == 0 &&
        set_up(trace, top, layouts, count, error) == 0)
        return trace;
    os_trace_close(trace);
    return NULL;
}

/* After the rest of a page comes one of the next processor that has any. */
static int
read_records(struct os_trace *trace, struct os_trace_record *records, int room)
{
    int count = 0, empty = 0;
    for (;;) {
        count +=
            linux_trace_next(&trace->page, trace->formats, records + count, room - count);
        if (count == room || empty == trace->count)
            return count;
        ssize_t got = read(trace->rings[trace->next], trace->bytes, trace->size);
        trace->next = (trace->next + 1) % trace->count;
        empty = got > 0 ? 0 : empty + 1;
        if (got > 0)
            trace->lost += linux_trace_begin(&trace->page, trace->bytes, (size_t)got);
    }
}

int
os_trace_read(struct os_trace *trace, struct os_trace_record *records, int room)
{
    int count = read_records(trace, records, room);
    for (int i = 0; i < count; i++)
        records[i].time += trace->clock_offset;
    return count;
}

int
os_trace_mark(struct os_trace *trace, uint64_t mark)
{
    char text[64];
    snprintf(text, sizeof(text), LINUX_TRACE_MARK "%llu", (unsigned long long)mark);
    return trace->formats[OS_TRACE_MARK].id
               ? linux_file_write(text, "%s/trace_marker", trace->folder)
               : -1;
}

uint64_t
os_trace_lost(const struct os_trace *trace)
{
    return trace->lost;
}

/* Descriptors are closed before the process that is stuck would, so never twice. */
static void
close_descriptor(int fd)
{
    posix_inherited_remove(fd);
    os_file_close(fd);
}

void
os_trace_close(struct os_trace *trace)
{
    if (!trace)
        return;
    for (int i = 0; i < trace->count; i++)
        close_descriptor(trace->rings[i]);
    bool removed = trace->folder[0] && (rmdir(trace->folder) == 0 || errno == ENOENT);
    if (trace->life) {
        bool notified = removed && trace->remover > 0 && write(trace->life, "", 1) == 1;
        close_descriptor(trace->life);
        while (notified && waitpid(trace->remover, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(trace->rings);
    free(trace->bytes);
    free(trace);
}
