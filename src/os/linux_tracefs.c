/*
 * Traces the block layer with tracefs (the kernel's Documentation/trace/ftrace.rst).
 *
 * Each trace has an instance, a directory of tracefs that nobody else uses ("Instances"
 * in ftrace.rst). For each instance, the kernel has one ring buffer per processor:
 *
 *     instances/ioping-PID-TIME/
 *       trace_clock         "mono": the kernel's monotonic clock
 *       buffer_size_kb      size of each ring buffer
 *       events/block/...    for each event: `filter` (devices, sectors) and `enable`
 *       trace_marker        os_trace_mark writes its text here
 *       per_cpu/cpu0/trace_pipe_raw --.
 *       per_cpu/cpu1/trace_pipe_raw --+-> page -> events -> struct os_trace_record
 *       per_cpu/...                 --'          (linux_trace.c)
 *
 * Filters exclude records of other devices, so that other programs do not fill the ring
 * buffers. The records have times of the kernel's own monotonic clock. In a time
 * namespace, the monotonic clock of this process differs from the kernel's by an offset,
 * which os_trace_read adds.
 *
 * An instance does not vanish with its process. So a second process, the remover, waits
 * for the end of the program and removes the instance:
 *
 *     program                                      remover
 *       | pipe, fork --------------------------------->| waits in read(pipe)
 *       | mkdir instance, reads records                |
 *       |                                              |
 *       | either ends the trace in os_trace_close:     |
 *       |   rmdir instance, writes a byte ------------>| gets the byte, exits
 *       | or ends in any other way:                    |
 *       |   the kernel closes the pipe --------------->| gets end of file, rmdir instance
 *
 * If the remover is killed too, the next run of ioping removes the instance
 * (remove_stale_instances). posix_leftover.c has a similar remover, which removes a file.
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
#define RING_KIB_MAX 1024         /* largest ring buffer of a processor, in KiB */
#define RINGS_KIB_MAX (64 * 1024) /* all ring buffers together, in KiB */
/* f_type that statfs(2) returns for tracefs (TRACEFS_MAGIC) */
#define TRACEFS_F_TYPE 0x74726163

/* In sectors. The kernel may merge block requests of this program with others. The merged
 * block requests may begin before the sectors of the file, or end after them. So filters
 * on sectors are wider by this margin, on both sides. */
#define MERGE_MARGIN 8192

struct os_trace {
    char folder[PATH_ROOM]; /* path of the instance */
    struct linux_trace_format formats[LINUX_TRACE_KINDS];
    struct linux_trace_page page; /* the page that is being read */
    unsigned char *page_bytes;    /* the bytes of this page */
    size_t page_size;             /* size of `page_bytes`, in bytes */
    int *ring_fds;                /* descriptors of the ring buffers */
    int ring_count;
    int next_ring;     /* index in `ring_fds` of the ring buffer to read next */
    pid_t remover_pid; /* PID of the remover; 0 without a remover */
    int life_pipe; /* write end of the pipe that the remover reads; 0 without a remover */
    uint64_t lost_count; /* records lost so far, see os_trace_lost */
    /* to add to the times of records, in ns; see read_clock_offset */
    int64_t clock_offset;
};

/* The events of the kernel, by their paths below `events` in tracefs. */
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
 * Adds a condition on sectors to FILTER: the I/O must be between the first and the last
 * sector of LAYOUT, with a margin on both sides. Flushes have no sectors and always meet
 * the condition.
 *
 * The file may get blocks in other sectors later. So if PROGRAM is not NULL, all I/O of
 * threads with the name PROGRAM and of io_uring workers meets the condition, too.
 */
static void
add_sector_condition(struct buffer *filter, const struct os_layout *layout,
                     const char *program)
{
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
    for (int i = 0; i < layout->extent_count; i++) {
        const struct os_extent *extent = &layout->extents[i];
        uint64_t end = extent->sector + (uint64_t)extent->length / 512 + 1;
        low = extent->sector < low ? extent->sector : low;
        high = end > high ? end : high;
    }

    buffer_format(filter, " && (nr_sector == 0 || (sector >= %llu && sector <= %llu)",
                  (unsigned long long)(low > MERGE_MARGIN ? low - MERGE_MARGIN : 0),
                  (unsigned long long)high + MERGE_MARGIN);
    if (program)
        buffer_format(filter, " || comm == \"%s\" || comm ~ \"" LINUX_TRACE_WORKER "*\"",
                      program);
    buffer_format(filter, ")");
}

static bool
is_remap(enum os_trace_kind kind)
{
    return kind == OS_TRACE_REMAP || kind == OS_TRACE_REQUEST_REMAP;
}

/*
 * Returns true if records of KIND are needed for the device with index DEVICE of LAYOUT.
 *
 * OS_TRACE_BIO_COMPLETE is needed only where it says that an I/O to the top device is
 * complete. If the top device has no request queue, the top device itself has this
 * record. If the top device is a bcache (`completion_shift` is not 0), a bottom device
 * has it. For a loop device, only records of queueing and completion are needed.
 */
static bool
is_kind_needed(const struct os_layout *layout, int device, enum os_trace_kind kind)
{
    const struct os_layout_device *traced = &layout->devices[device];
    bool is_top = device == layout->top_index;

    if (kind == OS_TRACE_BIO_COMPLETE)
        return (is_top && traced->is_bio_based) ||
               (layout->completion_shift > 0 && traced->is_bottom);
    if (kind == OS_TRACE_COMPLETE && is_top)
        return true;
    return kind == OS_TRACE_QUEUE || !traced->is_loop;
}

/* Returns true if the event of KIND must be enabled for the devices of COUNT layouts. The
 * event of os_trace_mark is always enabled. */
static bool
is_event_needed(const struct os_layout *const *layouts, int count,
                enum os_trace_kind kind)
{
    if (kind == OS_TRACE_MARK)
        return false;

    for (int i = 0; i < count; i++) {
        if (is_remap(kind) && !layouts[i]->is_remapped)
            continue;
        for (int k = 0; k < layouts[i]->device_count; k++)
            if (is_kind_needed(layouts[i], k, kind))
                return true;
    }
    return false;
}

/* Adds the condition "is a record of DEVICE" to FILTER, with "||" if the filter has a
 * condition already. If the device is a partition, the condition also accepts the number
 * of its disk, because a record of a partition may have either number. */
static void
add_device_condition(struct buffer *filter, const struct os_layout_device *device,
                     enum os_trace_kind kind)
{
    unsigned long long number = device->number;
    unsigned long long disk = device->disk;

    buffer_format(filter, "%s(dev == %llu", filter->length ? " || " : "", number);
    if (disk != number)
        buffer_format(filter, " || dev == %llu", disk);
    if (is_remap(kind))
        buffer_format(filter, " || old_dev == %llu", number);
    buffer_text(filter, ")");
}

void
linux_trace_filter(const struct os_layout *const *layouts, int count,
                   enum os_trace_kind kind, bool with_sectors, const char *program,
                   struct buffer *filter)
{
    for (int i = 0; i < count; i++) {
        const struct os_layout *layout = layouts[i];
        for (int k = 0; k < layout->device_count; k++) {
            if (!is_kind_needed(layout, k, kind))
                continue;
            add_device_condition(filter, &layout->devices[k], kind);
            bool has_extents = k == 0 && layout->extent_count > 0;
            if (has_extents && with_sectors && !is_remap(kind))
                add_sector_condition(filter, layout,
                                     kind == OS_TRACE_QUEUE ? program : NULL);
        }
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
        if (statfs(folders[i], &status) == 0 && (uint32_t)status.f_type == TRACEFS_F_TYPE)
            return folders[i];
    if (access(folders[0], F_OK) < 0) {
        error_set(error, EXIT_PREPARE, "-breakdown",
                  "this kernel was built without tracefs (CONFIG_TRACING)");
        return NULL;
    }
    error_set(error, EXIT_PREPARE, "-breakdown", "tracefs is not mounted");
    error_advise(error, "as root: mount -t tracefs tracefs /sys/kernel/tracing");

    return NULL;
}

/* Stores in ERROR that an operation on PATH failed, with errno as the reason. If a
 * privilege is missing, adds an advice. Returns -1. */
static int
fail_with_errno(struct error *error, const char *path)
{
    int code = errno;

    error_set(error, EXIT_PREPARE, path, "%s", strerror(code));
    if (code != EACCES && code != EPERM)
        return -1;
    if (geteuid() == 0)
        return error_advise(
            error,
            "a container or the lockdown of the kernel denies traces even to root");
    return error_advise(
        error, "run it as root, or with the ambient capability CAP_DAC_OVERRIDE");
}

/* pause before the next try to remove an instance that another process uses, in ns */
#define REMOVE_PAUSE (10 * MS)

/* The body of the remover (see the top of the file). FOLDER is the path of the instance,
 * SWITCH_FILE the path of its file tracing_on, and PIPE_END the read end of the pipe. The
 * remover is a copy of a process with several threads, so it may only call functions that
 * are async-signal-safe. */
static _Noreturn void
run_instance_remover(const char *folder, const char *switch_file, int pipe_end)
{
    static const struct timespec pause = {.tv_nsec = REMOVE_PAUSE};
    char byte;
    ssize_t got;

    setsid();
    posix_inherited_release();
/* Closes all descriptors except the standard streams and the pipe. Before Linux 5.9,
 * there is no close_range(2), so the descriptors stay open until the remover ends. */
#ifdef SYS_close_range
    syscall(SYS_close_range, (unsigned)STDERR_FILENO + 1, (unsigned)pipe_end - 1, 0U);
    syscall(SYS_close_range, (unsigned)pipe_end + 1, ~0U, 0U);
#endif

    /* A file system cannot be unmounted while the current directory of a process is on
     * it. */
    if (chdir("/") < 0)
        _exit(0); /* never happens */
    do
        got = read(pipe_end, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        _exit(0); /* got a byte: the program has removed the instance itself */

    int fd = open(switch_file, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = write(fd, "0", 1); /* stops the trace */
        (void)got;
        close(fd);
    }
    for (int i = 0; i < DEADLINE_TRACE / REMOVE_PAUSE; i++) {
        if (rmdir(folder) == 0 || errno != EBUSY)
            break;
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

/* Starts the remover process of the instance. The instance need not exist yet. Returns 0,
 * or -1 with errno. */
static int
start_remover(struct os_trace *trace)
{
    char switch_file[PATH_ROOM + 16];
    sigset_t all_signals;
    sigset_t old_mask;
    int pipe_ends[2];

    snprintf(switch_file, sizeof(switch_file), "%s/tracing_on", trace->folder);
    if (pipe2(pipe_ends, O_CLOEXEC) < 0)
        return -1;

    trace->life_pipe = pipe_ends[1];
    if (posix_inherited_add(pipe_ends[1]) == 0) {
        /* The new process, the remover, starts with all signals blocked. So only SIGKILL
         * can end it before the program ends. */
        sigfillset(&all_signals);
        pthread_sigmask(SIG_SETMASK, &all_signals, &old_mask);
        trace->remover_pid = fork();
        if (trace->remover_pid == 0)
            run_instance_remover(trace->folder, switch_file, pipe_ends[0]);
        pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
    }

    int code = errno;
    close(pipe_ends[0]);

    return trace->remover_pid > 0 ? 0 : os_fail(code);
}

/* Returns the offset, in ns, from the monotonic clock of the kernel to the monotonic
 * clock of this process. They differ only in a time namespace (time_namespaces(7));
 * elsewhere the offset is 0. os_clock_now includes the offset, but the times of records
 * do not. */
static int64_t
read_clock_offset(void)
{
    char text[256];
    long long seconds;
    long long nanoseconds;

    linux_file_read(text, sizeof(text), "/proc/self/timens_offsets");
    if (sscanf(text, "monotonic %lld %lld", &seconds, &nanoseconds) != 2)
        return 0;
    return seconds * SECOND + nanoseconds;
}

/*
 * Removes instances that ioping left behind: the process that created the instance is
 * dead, and its remover was killed, too. FOLDER is the directory of all instances. NOW is
 * the time of the kernel's monotonic clock, in ns. The name of an instance has the PID of
 * its process, and the time of its creation by the same clock.
 *
 * Two kinds of instances must not be removed:
 *
 * - Instances that another process is creating. They are not in use yet, so rmdir(2)
 *   would remove them. Therefore, young instances are skipped.
 * - Instances of a process in another PID namespace, which kill(2) does not find. While
 *   that process uses the instance, rmdir(2) fails.
 */
static void
remove_stale_instances(const char *folder, int64_t now)
{
    char path[PATH_ROOM + 256];
    struct dirent *entry;
    DIR *list = opendir(folder);
    if (!list)
        return;

    while ((entry = readdir(list))) {
        long pid = 0;
        unsigned long long created_at = 0;
        if (sscanf(entry->d_name, "ioping-%ld-%llx", &pid, &created_at) != 2 || pid <= 0)
            continue;
        if (now - (int64_t)created_at < DEADLINE_LEFTOVER)
            continue;
        if (kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        rmdir(path);
    }
    closedir(list);
}

/* Reads the formats of all events, and the format of a page, from TOP, the directory of
 * tracefs. os_trace_mark is optional, so it is no error if the format of its event is
 * unknown. Returns 0, or -1 with ERROR. */
static int
read_formats(struct os_trace *trace, const char *top, struct error *error)
{
    char *text;

    for (int i = 0; i < LINUX_TRACE_KINDS; i++) {
        text = linux_file_all("%s/events/%s/format", top, events[i]);
        if (!text && errno != ENOENT)
            return fail_with_errno(error, top);

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
        return fail_with_errno(error, top);
    bool known = linux_trace_header(text, &trace->page) == 0;
    free(text);

    if (!known)
        return error_set(error, EXIT_PREPARE, top,
                         "events/header_page has an unknown format");
    return 0;
}

/* Returns the number of ring buffers in the instance, one for each processor. */
static int
count_rings(const struct os_trace *trace)
{
    char path[PATH_ROOM + 64];
    struct stat status;

    for (int count = 0;; count++) {
        snprintf(path, sizeof(path), "%s/per_cpu/cpu%d", trace->folder, count);
        if (stat(path, &status) < 0)
            return count;
    }
}

/* Sets the size of the ring buffers of the instance, and opens all of them. Returns 0, or
 * -1 with ERROR. */
static int
open_rings(struct os_trace *trace, struct error *error)
{
    char path[PATH_ROOM + 64];
    char size[16];
    int count = count_rings(trace);
    int kib = RINGS_KIB_MAX / (count ? count : 1);
    if (kib > RING_KIB_MAX)
        kib = RING_KIB_MAX;

    snprintf(size, sizeof(size), "%d", kib);
    trace->ring_fds = malloc((size_t)(count + 1) * sizeof(trace->ring_fds[0]));
    if (!trace->ring_fds ||
        linux_file_write(size, "%s/buffer_size_kb", trace->folder) < 0)
        return fail_with_errno(error, trace->folder);

    while (trace->ring_count < count) {
        snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", trace->folder,
                 trace->ring_count);
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            return fail_with_errno(error, path);
        trace->ring_fds[trace->ring_count++] = fd;
        if (posix_inherited_add(fd) < 0)
            return fail_with_errno(error, path);
    }

    return 0;
}

/* Sets the filter of the event of KIND. If PROGRAM, the name of this program, is not
 * NULL, the filter has conditions on sectors. Returns false if the kernel does not accept
 * the filter. */
static bool
write_filter(const struct os_trace *trace, const struct os_layout *const *layouts,
             int count, enum os_trace_kind kind, const char *program)
{
    struct buffer filter = {0};
    linux_trace_filter(layouts, count, kind, program != NULL, program, &filter);
    bool is_set = !filter.failed && filter.length > 0 &&
                  linux_file_write(filter.text, "%s/events/%s/filter", trace->folder,
                                   events[kind]) == 0;
    buffer_free(&filter);
    return is_set;
}

/* Sets the filter of the event of KIND. Tries a filter with conditions on sectors first,
 * and then one without. If the kernel accepts neither, the event has no filter. The
 * conditions on sectors contain the name of this program, so they are not tried if the
 * name has characters with a meaning in a filter. */
static void
set_filter(const struct os_trace *trace, const struct os_layout *const *layouts,
           int count, enum os_trace_kind kind)
{
    char program[16] = ""; /* room for the name that PR_GET_NAME returns */
    bool has_name = prctl(PR_GET_NAME, program, 0UL, 0UL, 0UL) == 0 && *program &&
                    !strpbrk(program, "\"\\*?[");
    if (has_name && write_filter(trace, layouts, count, kind, program))
        return;
    write_filter(trace, layouts, count, kind, NULL);
}

/* Returns the size of a page of a ring buffer, in bytes. Since Linux 6.8, this may differ
 * from the size of a page of memory. */
static size_t
find_page_size(const struct os_trace *trace)
{
    char kib[32];
    if (linux_file_read(kib, sizeof(kib), "%s/buffer_subbuf_size_kb", trace->folder))
        return (size_t)strtoul(kib, NULL, 10) * 1024;
    return trace->page.data.offset + trace->page.data.size;
}

/* Creates the instance below TOP, the directory of tracefs, and enables the needed events
 * in it. Returns 0, or -1 with ERROR. */
static int
set_up_instance(struct os_trace *trace, const char *top,
                const struct os_layout *const *layouts, int count, struct error *error)
{
    int64_t now = os_clock_now() - trace->clock_offset;

    snprintf(trace->folder, sizeof(trace->folder), "%s/instances", top);
    remove_stale_instances(trace->folder, now);
    snprintf(trace->folder, sizeof(trace->folder), "%s/instances/ioping-%ld-%llx", top,
             (long)getpid(), (unsigned long long)now);

    if (start_remover(trace) < 0)
        return fail_with_errno(error, "trace");
    if (mkdir(trace->folder, 0700) < 0)
        return fail_with_errno(error, trace->folder);

    trace->page_size = find_page_size(trace);
    trace->page_bytes = malloc(trace->page_size);
    if (!trace->page_bytes ||
        linux_file_write("mono", "%s/trace_clock", trace->folder) < 0)
        return fail_with_errno(error, trace->folder);
    /* Switches off an option of the kernel: it would store the names of threads at each
     * switch between threads. Nobody needs these names here. */
    linux_file_write("0", "%s/options/record-cmd", trace->folder);

    if (open_rings(trace, error) < 0)
        return -1;
    for (int i = 0; i < LINUX_TRACE_KINDS; i++) {
        if (!is_event_needed(layouts, count, (enum os_trace_kind)i))
            continue;
        set_filter(trace, layouts, count, (enum os_trace_kind)i);
        if (linux_file_write("1", "%s/events/%s/enable", trace->folder, events[i]) < 0)
            return fail_with_errno(error, trace->folder);
    }

    return 0;
}

struct os_trace *
os_trace_open(const struct os_layout *const *layouts, int count, struct error *error)
{
    struct os_trace *trace = calloc(1, sizeof(*trace));
    if (!trace) {
        fail_with_errno(error, "trace");
        return NULL;
    }

    trace->clock_offset = read_clock_offset();
    const char *top = find_tracefs(error);
    if (top && read_formats(trace, top, error) == 0 &&
        set_up_instance(trace, top, layouts, count, error) == 0)
        return trace;

    os_trace_close(trace);
    return NULL;
}

/* Reads up to ROOM records, with times of the kernel's monotonic clock. Reads the rest of
 * the current page first, and then a page of each ring buffer in turn. Stops when all
 * ring buffers, one after the other, had no page. Returns the number of records. */
static int
read_records(struct os_trace *trace, struct os_trace_record *records, int room)
{
    int count = 0;
    int empty_count = 0; /* how many ring buffers in a row had no page */
    for (;;) {
        count +=
            linux_trace_next(&trace->page, trace->formats, records + count, room - count);
        if (count == room || empty_count == trace->ring_count)
            return count;

        int fd = trace->ring_fds[trace->next_ring];
        ssize_t got = read(fd, trace->page_bytes, trace->page_size);
        trace->next_ring = (trace->next_ring + 1) % trace->ring_count;
        if (got <= 0) {
            empty_count++;
            continue;
        }
        empty_count = 0;
        trace->lost_count +=
            linux_trace_begin(&trace->page, trace->page_bytes, (size_t)got);
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
    if (!trace->formats[OS_TRACE_MARK].id)
        return -1;
    snprintf(text, sizeof(text), LINUX_TRACE_MARK "%llu", (unsigned long long)mark);
    return linux_file_write(text, "%s/trace_marker", trace->folder);
}

uint64_t
os_trace_lost(const struct os_trace *trace)
{
    return trace->lost_count;
}

/* Removes FD from the list of inherited descriptors (posix_inherited_add), and then
 * closes it. The order matters. Once FD is closed, another thread may get the same number
 * for a file of its own. If the number were still in the list, a process that closes the
 * descriptors in the list would close that file. */
static void
close_listed_descriptor(int fd)
{
    posix_inherited_remove(fd);
    os_file_close(fd);
}

static void
wait_for_remover(pid_t pid)
{
    pid_t ended;
    do
        ended = waitpid(pid, NULL, 0);
    while (ended < 0 && errno == EINTR);
}

void
os_trace_close(struct os_trace *trace)
{
    if (!trace)
        return;
    for (int i = 0; i < trace->ring_count; i++)
        close_listed_descriptor(trace->ring_fds[i]);

    bool is_removed = trace->folder[0] && (rmdir(trace->folder) == 0 || errno == ENOENT);
    if (trace->life_pipe) {
        bool is_notified =
            is_removed && trace->remover_pid > 0 && write(trace->life_pipe, "", 1) == 1;
        close_listed_descriptor(trace->life_pipe);
        if (is_notified)
            wait_for_remover(trace->remover_pid);
    }

    free(trace->ring_fds);
    free(trace->page_bytes);
    free(trace);
}
