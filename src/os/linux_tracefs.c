/*
 * Traces of the block layer by tracefs (the kernel's Documentation/trace/ftrace.rst).
 *
 * Each trace has its own instance, a directory of tracefs that nobody else uses
 * ("Instances" in that file). The kernel keeps one ring of pages for each processor in
 * it:
 *
 *    instances/ioping-PID-TIME/
 *      trace_clock         "mono": the kernel's monotonic clock
 *      buffer_size_kb      size of each ring
 *      events/block/...    each event: its filter (devices, sectors) and `enable`
 *      trace_marker        os_trace_mark writes its text here
 *      per_cpu/cpu0/trace_pipe_raw --.
 *      per_cpu/cpu1/trace_pipe_raw --+-> page -> events -> struct os_trace_record
 *      per_cpu/...                 --'          (linux_trace.c)
 *
 * Filters keep records of other devices out, so that a busy machine does not fill the
 * rings. The kernel stamps the records with its own monotonic clock; in a time namespace
 * the clock of this process differs by an offset, which os_trace_read adds.
 *
 * An instance does not vanish with its process. So a second process, the remover, waits
 * for the end of the first one and removes the instance:
 *
 *    program                                      remover
 *      | pipe, fork --------------------------------->| read(pipe) blocks
 *      | mkdir instance, read records                 |
 *    A | os_trace_close: rmdir, writes a byte ------->| a byte: exits
 *    B x ends without that; the last thread closes    |
 *        the pipe ----------------------------------->| end of file: stops, rmdir
 *
 * If the remover was killed too, the next run removes the instance (remove_old).
 * posix_leftover.c has such a remover for a file.
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
#define BUFFER_EACH 1024       /* KiB for each processor */
#define BUFFER_ALL (64 * 1024) /* KiB for all processors together */
#define MARGIN 8192            /* sectors: a merged request may extend beyond the range */
#define TRACEFS 0x74726163     /* f_type of statfs(2): TRACEFS_MAGIC */

struct os_trace {
    char folder[PATH_ROOM]; /* path of the instance */
    struct linux_trace_format formats[LINUX_TRACE_KINDS];
    /* Only one thread at a time reads, and uses the next fields. */
    struct linux_trace_page page;
    unsigned char *bytes; /* the current page, of `size` bytes */
    size_t size;
    int *rings;           /* a descriptor for each processor, `count` of them */
    int count, next;      /* number of rings; index of the ring to read next */
    pid_t remover;        /* PID; 0 without one */
    int life;             /* write end of the pipe to the remover; 0 without one */
    uint64_t lost;        /* records that were lost in full rings, as far as known */
    int64_t clock_offset; /* in ns, see read_clock_offset */
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

/*
 * Adds the condition on sectors to a filter: near the extents of the first device of
 * LAYOUT. A flush is always recorded; it has 0 sectors, at any place. I/O that is queued
 * by PROGRAM or by an io_uring worker is also recorded wherever it goes, because the
 * blocks of a file may change.
 */
static void
add_range(struct buffer *text, const struct os_layout *layout, const char *program)
{
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
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

/* Returns true if records of KIND matter for the device with index DEVICE of LAYOUT. */
static bool
is_recorded(const struct os_layout *layout, int device, enum os_trace_kind kind)
{
    const struct os_layout_device *of = &layout->devices[device];

    bool is_top = device == layout->top_index;
    if (kind == OS_TRACE_BIO_COMPLETE)
        return (is_top && of->is_bio_based) ||
               (layout->completion_shift > 0 && of->is_bottom);
    if (kind == OS_TRACE_COMPLETE && is_top)
        return true;
    return kind == OS_TRACE_QUEUE || !of->is_loop;
}

/* Returns true if records of KIND matter for any of COUNT layouts. */
static bool
is_wanted(const struct os_layout *const *layouts, int count, enum os_trace_kind kind)
{
    bool remaps = kind == OS_TRACE_REMAP || kind == OS_TRACE_REQUEST_REMAP;
    if (kind == OS_TRACE_MARK)
        return false;

    for (int i = 0; i < count; i++)
        for (int k = 0; k < layouts[i]->device_count; k++)
            if (is_recorded(layouts[i], k, kind) && (!remaps || layouts[i]->is_remapped))
                return true;
    return false;
}

/* The filter names a partition and its disk, because events of a partition may carry
 * either number. */
void
linux_trace_filter(const struct os_layout *const *layouts, int count,
                   enum os_trace_kind kind, bool ranges, const char *program,
                   struct buffer *filter)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < layouts[i]->device_count; k++) {
            const struct os_layout_device *device = &layouts[i]->devices[k];
            unsigned long long number = device->number;
            unsigned long long disk = device->disk;
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

/* Returns the directory where tracefs is mounted, or NULL with ERROR. */
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

/* ns, between two attempts while the instance is still open somewhere */
#define REMOVE_PAUSE (10 * MS)

/* Body of the remover, see the top of the file. FOLDER is the instance, FILE its
 * tracing_on, END the read end of the pipe. The process is a copy of one with several
 * threads, so every call here is async-signal-safe. */
static _Noreturn void
wait_and_remove(const char *folder, const char *file, int end)
{
    static const struct timespec pause = {.tv_nsec = REMOVE_PAUSE};
    char byte;
    ssize_t got;

    setsid();
    posix_inherited_release();
/* Linux 5.9. Without it, the other descriptors stay open until the remover ends. */
#ifdef SYS_close_range
    syscall(SYS_close_range, (unsigned)STDERR_FILENO + 1, (unsigned)end - 1, 0U);
    syscall(SYS_close_range, (unsigned)end + 1, ~0U, 0U);
#endif

    if (chdir("/") < 0)
        _exit(0); /* "/" always exists */
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

/* Starts the remover of the instance that is about to be created. Returns 0, or -1 with
 * errno. Not async-signal-safe. */
static int
start_remover(struct os_trace *trace)
{
    char file[PATH_ROOM + 16];
    sigset_t all;
    sigset_t before;
    int ends[2];

    snprintf(file, sizeof(file), "%s/tracing_on", trace->folder);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;

    trace->life = ends[1];
    if (posix_inherited_add(ends[1]) == 0) {
        /* The remover takes no signals. */
        sigfillset(&all);
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

/* Returns the offset in ns that the time namespace of this process adds to the kernel's
 * monotonic clock, 0 outside a time namespace; see time_namespaces(7). The kernel stamps
 * records with its own clock, but os_clock_now has the offset. */
static int64_t
read_clock_offset(void)
{
    char text[256];
    long long seconds;
    long long rest;
    linux_file_read(text, sizeof(text), "/proc/self/timens_offsets");
    if (sscanf(text, "monotonic %lld %lld", &seconds, &rest) != 2)
        return 0;
    return seconds * SECOND + rest;
}

/*
 * Removes instances of dead processes, whose removers were killed too. The name of an
 * instance has the PID of its process and its time of creation, by the kernel's monotonic
 * clock like NOW. Two kinds of instances must stay. An instance that is being set up is
 * not in use yet, so young instances are skipped. The process of an instance may be in
 * another PID namespace and look dead from here, but rmdir fails while the instance is in
 * use.
 */
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
        rmdir(path); /* fails if the instance is in use */
    }
    if (list)
        closedir(list);
}

/* Reads the formats of all events and of a page. An unknown format of a mark is no error,
 * since marks are optional. Returns 0, or -1 with ERROR. */
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

/* Sets the size of the rings and opens the ring of each processor. Returns 0, or -1 with
 * ERROR. */
static int
open_rings(struct os_trace *trace, struct error *error)
{
    char path[PATH_ROOM + 64];
    char size[16];
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

/* Sets the filter of an event to the narrowest one that the kernel accepts: first with
 * sector ranges, then without, else no filter. */
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

/*
 * Creates and configures the instance. Returns 0, or -1 with ERROR.
 *
 * record-cmd off: the kernel need not note the name of a program at each switch between
 * threads. buffer_subbuf_size_kb: since Linux 6.8 a page of a ring may be larger than a
 * page of memory.
 */
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
            : trace->page.data.offset + trace->page.data.size;
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

/* Reads up to ROOM records, with times of the kernel's clock. Takes what is left of the
 * current page, then a page of the next processor that has one. Stops after one round
 * over all rings without a page. */
static int
read_records(struct os_trace *trace, struct os_trace_record *records, int room)
{
    int count = 0;
    int empty = 0;
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

/* The descriptor is removed from the inherited ones before it is closed. In the other
 * order, another thread might reuse the number, and a process that must end would close a
 * wrong file. */
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
