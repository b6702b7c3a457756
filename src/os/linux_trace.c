/*
 * Traces of the block layer, in an instance of tracefs that nobody else uses
 * (Documentation/trace/ftrace.rst of the kernel, "Instances"). Its clock is the monotonic
 * one. Filters keep the records of other devices out, so that a busy machine does not
 * fill the buffers.
 *
 * Each processor has a buffer, whose pages are read as they are. A page has a time stamp,
 * a count of bytes, and events (Documentation/trace/ring-buffer-design.rst, and
 * events/header_event): each begins with a word of 5 bits for its kind or length and 27
 * for the nanoseconds since the one before.
 *
 * An instance stays when its process ends, so another process waits for that, and removes
 * it: it has the end of a pipe whose other end closes with the last thread.
 */
#include "linux.h"

#include "base/buffer.h"
#include "os/os.h"
#include "os/trace.h"
#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_ROOM 256
#define BUFFER_EACH 1024       /* KiB for each processor, */
#define BUFFER_ALL (64 * 1024) /* but not more for all, */
#define MARK "ioping "         /* text of a mark, followed by its number */
#define WORKER "iou-wrk-"      /* name of a thread of io_uring, likewise */
#define MARGIN 8192            /* sectors: a merge may add some, with room to spare */

struct os_trace {
    char folder[PATH_ROOM]; /* the instance */
    struct linux_trace_format formats[LINUX_TRACE_KINDS];
    struct linux_trace_page page;
    unsigned char *bytes; /* of the page */
    size_t size;
    int *rings; /* a descriptor for each processor */
    int count, next;
    struct linux_remover remover; /* of the instance */
    uint64_t lost;
};

static const char *const events[LINUX_TRACE_KINDS] = {
    [OS_TRACE_QUEUE] = "block/block_bio_queue",
    [OS_TRACE_REMAP] = "block/block_bio_remap",
    [OS_TRACE_ISSUE] = "block/block_rq_issue",
    [OS_TRACE_REQUEUE] = "block/block_rq_requeue",
    [OS_TRACE_COMPLETE] = "block/block_rq_complete",
    [OS_TRACE_MARK] = "ftrace/print",
};

int
os_thread_number(void)
{
    return (int)syscall(SYS_gettid);
}

/* Finds a field by NAME and what follows it, in a line as
 * "field:sector_t sector; offset:16; size:8; signed:0;". */
static bool
find_field(const char *text, const char *name, struct linux_trace_field *field)
{
    const char *found = strstr(text, name);
    found = found ? strchr(found, ';') : NULL;
    return found && sscanf(found, "; offset:%u; size:%u;", &field->at, &field->size) == 2;
}

int
linux_trace_format(const char *text, enum os_trace_kind kind,
                   struct linux_trace_format *format)
{
    const char *id = strstr(text, "ID:");
    *format = (struct linux_trace_format){.kind = kind};
    bool known = id && sscanf(id, "ID: %u", &format->id) == 1 &&
                 find_field(text, " common_type;", &format->type) &&
                 find_field(text, " common_pid;", &format->thread);
    if (kind == OS_TRACE_MARK)
        return known && find_field(text, " buf[", &format->text) ? 0 : -1;
    known = known && find_field(text, " dev;", &format->device) &&
            find_field(text, " sector;", &format->sector) &&
            find_field(text, " nr_sector;", &format->sectors) &&
            find_field(text, " rwbs[", &format->rwbs);
    if (known && kind == OS_TRACE_QUEUE)
        known = find_field(text, " comm[", &format->comm);
    if (known && kind == OS_TRACE_REMAP)
        known = find_field(text, " old_dev;", &format->old_device) &&
                find_field(text, " old_sector;", &format->old_sector);
    return known ? 0 : -1;
}

int
linux_trace_header(const char *text, struct linux_trace_page *page)
{
    *page = (struct linux_trace_page){0};
    return find_field(text, " timestamp;", &page->stamp) &&
                   find_field(text, " commit;", &page->commit) &&
                   find_field(text, " data;", &page->data)
               ? 0
               : -1;
}

/* An unsigned field of what is at BYTES; 0 if it does not end within SIZE. */
static uint64_t
load(const unsigned char *bytes, size_t size, struct linux_trace_field field)
{
    const unsigned char *at = bytes + field.at;
    uint64_t eight = 0;
    uint32_t four = 0;
    uint16_t two = 0;
    if (field.at + (size_t)field.size > size)
        return 0;
    memcpy(&eight, at, field.size == sizeof(eight) ? sizeof(eight) : 0);
    memcpy(&four, at, field.size == sizeof(four) ? sizeof(four) : 0);
    memcpy(&two, at, field.size == sizeof(two) ? sizeof(two) : 0);
    return eight | four | two;
}

/* Bits of the count of bytes: events before this page are missing, and the word behind
 * the last event says how many. */
#define COUNT_MASK ((1U << 27) - 1)
#define MISSED (1U << 31)
#define MISSED_STORED (1U << 30)

uint64_t
linux_trace_begin(struct linux_trace_page *page, const unsigned char *bytes, size_t size)
{
    uint64_t commit = load(bytes, size, page->commit);
    size_t room = size > page->data.at ? size - page->data.at : 0;
    page->bytes = bytes + page->data.at;
    page->size = (size_t)(commit & COUNT_MASK);
    page->time = load(bytes, size, page->stamp);
    page->at = 0;
    if (page->size > room)
        page->size = room;
    if (!(commit & MISSED))
        return 0;
    struct linux_trace_field count = {(unsigned)page->size, page->commit.size};
    uint64_t missed = commit & MISSED_STORED ? load(page->bytes, room, count) : 0;
    return missed ? missed : 1;
}

/* The kinds of events that are no records; below them the length of one in words, and 0
 * for a length in the word that follows. */
enum { PADDING = 29, EXTEND = 30, STAMP = 31 };

/* The first of the bits is the lowest, or that of a processor with big ends the highest.
 */
static void
split_word(uint32_t word, unsigned *kind, uint32_t *delta)
{
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    *kind = little ? word & 31 : word >> 27;
    *delta = little ? word >> 5 : word & COUNT_MASK;
}

/* Moves PAGE behind its next event. Returns where the data of that is, and its SIZE; NULL
 * at the end. An event without data has size 0. */
static const unsigned char *
next_event(struct linux_trace_page *page, size_t *size)
{
    unsigned kind;
    uint32_t word, delta, more = 0;
    size_t left = page->size - page->at;
    const unsigned char *event = page->bytes + page->at;
    if (left < sizeof(word))
        return NULL;
    memcpy(&word, event, sizeof(word));
    split_word(word, &kind, &delta);
    bool is_long = kind == 0 || kind >= PADDING;
    if (is_long && left < 2 * sizeof(word))
        return NULL;
    if (is_long)
        memcpy(&more, event + sizeof(word), sizeof(more));
    size_t length = kind >= EXTEND    ? sizeof(word)
                    : kind == 0       ? (more + 3) / 4 * 4
                    : kind == PADDING ? more
                                      : kind * sizeof(word);
    bool ends = (kind == PADDING && delta == 0) || (kind == 0 && more < sizeof(word)) ||
                length > left - sizeof(word);
    if (ends)
        return NULL;
    uint64_t time = ((uint64_t)more << 27) + delta;
    page->at += sizeof(word) + length;
    if (kind == STAMP)
        page->time = time;
    else if (kind == EXTEND)
        page->time += time;
    else if (kind != PADDING || delta != 1) /* of one that was taken back; 1 is a mark */
        page->time += delta;
    *size = kind >= PADDING ? 0 : kind == 0 ? length - sizeof(word) : length;
    return event + (kind == 0 ? 2 : 1) * sizeof(word);
}

/* Returns whether program COMM of the event at DATA begins with NAME; then NUMBER becomes
 * the one behind it, if any. */
static bool
find_comm(const struct linux_trace_format *format, const unsigned char *data, size_t size,
          const char *name, int *thread)
{
    char comm[32] = "";
    size_t length = format->comm.size < sizeof(comm) ? format->comm.size : 0;
    if (format->comm.at + length > size)
        return false;
    memcpy(comm, data + format->comm.at, length);
    comm[sizeof(comm) - 1] = '\0';
    if (strncmp(comm, name, strlen(name)) != 0)
        return false;
    sscanf(comm + strlen(name), "%9d", thread);
    return true;
}

/* The text of a mark ends with a NUL, or the event does. */
static uint64_t
load_mark(const struct linux_trace_format *format, const unsigned char *data, size_t size)
{
    char text[64] = "";
    unsigned long long mark = 0;
    size_t length = size > format->text.at ? size - format->text.at : 0;
    memcpy(text, data + format->text.at,
           length < sizeof(text) ? length : sizeof(text) - 1);
    return sscanf(text, MARK "%llu", &mark) == 1 ? mark : 0;
}

/* The letters of rwbs are those of blkparse(1): F before the operation for a flush, the
 * operation, and others. A thread of io_uring that works for another has its number in
 * its name. */
static void
fill_record(const struct linux_trace_format *format, const unsigned char *data,
            size_t size, struct os_trace_record *record)
{
    size_t rwbs =
        format->rwbs.at + (size_t)format->rwbs.size <= size ? format->rwbs.at : 0;
    size_t letters = rwbs ? format->rwbs.size : 0;
    int thread = 0;
    record->kind = format->kind;
    record->device = load(data, size, format->device);
    record->sector = load(data, size, format->sector);
    record->sectors = load(data, size, format->sectors);
    record->old_device = load(data, size, format->old_device);
    record->old_sector = load(data, size, format->old_sector);
    record->thread = (int)load(data, size, format->thread);
    record->kernel = find_comm(format, data, size, "kworker/", &thread);
    if (find_comm(format, data, size, WORKER, &thread))
        record->thread = thread;
    if (format->kind == OS_TRACE_MARK)
        record->sector = load_mark(format, data, size);
    record->flush = letters && data[rwbs] == 'F' && record->sectors == 0;
    size_t length = strnlen((const char *)data + rwbs, letters);
    record->write = memchr(data + rwbs, 'W', length) != NULL;
}

int
linux_trace_next(struct linux_trace_page *page, const struct linux_trace_format *formats,
                 struct os_trace_record *records, int room)
{
    int count = 0;
    size_t size;
    const unsigned char *data;
    while (count < room && (data = next_event(page, &size)))
        for (int i = 0; i < LINUX_TRACE_KINDS && size > 0; i++)
            if (formats[i].id && load(data, size, formats[i].type) == formats[i].id) {
                fill_record(&formats[i], data, size, &records[count]);
                records[count++].time = (int64_t)page->time;
                break;
            }
    return count;
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
        buffer_format(text, " || comm == \"%s\" || comm ~ \"" WORKER "*\"", program);
    buffer_format(text, ")");
}

/* Adds the devices of LAYOUT, each with its disk; RANGES: those of sectors as well. */
static void
add_layout(struct buffer *text, const struct os_layout *layout, enum os_trace_kind kind,
           bool ranges, const char *program)
{
    for (int i = 0; i < layout->device_count; i++) {
        const struct os_layout_device *device = &layout->devices[i];
        if (device->above && kind != OS_TRACE_QUEUE)
            continue;
        buffer_format(text, "%s(dev == %llu", text->length ? " || " : "",
                      (unsigned long long)device->number);
        if (device->disk != device->number)
            buffer_format(text, " || dev == %llu", (unsigned long long)device->disk);
        if (kind == OS_TRACE_REMAP)
            buffer_format(text, " || old_dev == %llu",
                          (unsigned long long)device->number);
        buffer_format(text, ")");
        if (i == 0 && ranges && kind != OS_TRACE_REMAP && layout->extent_count > 0)
            add_range(text, layout, kind == OS_TRACE_QUEUE ? program : NULL);
    }
}

void
linux_trace_filter(const struct os_layout *const *layouts, int count,
                   enum os_trace_kind kind, bool ranges, const char *program,
                   struct buffer *filter)
{
    for (int i = 0; i < count; i++)
        add_layout(filter, layouts[i], kind, ranges, program);
}

static int
fail(struct error *error, const char *path)
{
    int code = errno;
    error_set(error, EXIT_PREPARE, path, "%s", strerror(code));
    if (code != EACCES && code != EPERM)
        return -1;
    return error_advise(error, geteuid() == 0
                                   ? "this container, or a kernel that is locked down, "
                                     "keeps traces from root as well"
                                   : "run it as root, or with the ambient "
                                     "capability CAP_DAC_OVERRIDE");
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
            return error_set(error, EXIT_PREPARE, NULL,
                             "this kernel was built without the event %s, see "
                             "CONFIG_BLK_DEV_IO_TRACE",
                             strchr(events[i], '/') + 1);
    }
    text = linux_file_all("%s/events/header_page", top);
    if (!text)
        return fail(error, top);
    bool known = linux_trace_header(text, &trace->page) == 0;
    free(text);
    return known ? 0
                 : error_set(error, EXIT_PREPARE, top,
                             "events/header_page is in a format that is not known");
}

static int
make_instance(struct os_trace *trace, const char *top, struct error *error)
{
    snprintf(trace->folder, sizeof(trace->folder), "%s/instances", top);
    linux_remover_clean(trace->folder, "ioping-");
    snprintf(trace->folder, sizeof(trace->folder), "%s/instances/ioping-%ld-%llx", top,
             (long)getpid(), (unsigned long long)os_clock_now());
    if (linux_remover_start(&trace->remover, trace->folder, "tracing_on") < 0)
        return fail(error, "trace");
    return mkdir(trace->folder, 0700) < 0 ? fail(error, trace->folder) : 0;
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
set_up(struct os_trace *trace, const struct os_layout *const *layouts, int count,
       struct error *error)
{
    bool remapped = false;
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
    for (int i = 0; i < count; i++)
        remapped |= layouts[i]->remapped;
    for (int i = 0; i < LINUX_TRACE_KINDS; i++) {
        if (i == OS_TRACE_MARK || (i == OS_TRACE_REMAP && !remapped))
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
    const char *top = linux_mount_tracefs(error);
    if (!trace && top)
        fail(error, "trace");
    if (!trace || !top) {
        free(trace);
        return NULL;
    }
    trace->remover = LINUX_NO_REMOVER;
    if (read_formats(trace, top, error) == 0 && make_instance(trace, top, error) == 0 &&
        set_up(trace, layouts, count, error) == 0)
        return trace;
    os_trace_close(trace);
    return NULL;
}

/* Reads a page of the next processor that has one. Returns false if none has. */
static bool
read_page(struct os_trace *trace)
{
    for (int i = 0; i < trace->count; i++) {
        ssize_t got = read(trace->rings[trace->next], trace->bytes, trace->size);
        trace->next = (trace->next + 1) % trace->count;
        if (got <= 0)
            continue;
        trace->lost += linux_trace_begin(&trace->page, trace->bytes, (size_t)got);
        return true;
    }
    return false;
}

int
os_trace_read(struct os_trace *trace, struct os_trace_record *records, int room)
{
    int count = 0;
    do
        count +=
            linux_trace_next(&trace->page, trace->formats, records + count, room - count);
    while (count < room && read_page(trace));
    return count;
}

int
os_trace_mark(struct os_trace *trace, uint64_t mark)
{
    char text[64];
    snprintf(text, sizeof(text), MARK "%llu", (unsigned long long)mark);
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
    linux_remover_end(&trace->remover, removed);
    free(trace->rings);
    free(trace->bytes);
    free(trace);
}
