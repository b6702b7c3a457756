/*
 * Where files lie, by a small sysfs of the test's own and on loop devices; and whether
 * the trace of the devices that are found has what was asked of them.
 */
/* Marks: linux apart native */
#include "support.h"

#include "os/linux.h"
#include "os/linux_stack.h"
#include "os/os.h"
#include "os/posix.h"
#include "os/trace.h"

#include "base/time.h"

#include <dirent.h>
#include <poll.h>

static int
make_devices(void **state)
{
    (void)state;
    shell("make_devices");
    return 0;
}

static int
look(const char *name, struct os_layout *layout, struct error *error)
{
    char path[1200];
    snprintf(path, sizeof(path), "%s/dev/%s", scratch(), name);
    return linux_layout_devices(path, "/the/file", layout, error);
}

#define NUMBER(upper, lower) ((uint64_t)(upper) << 20 | (lower))

GROUP_SETUP(make_devices)

/* What is found below a device. */
static const struct devices {
    const char *name, *device, *path, *legs;
    int count, lowest_count;
    uint64_t first, disk;
    bool made_of_others, takes_requests;
} devices[] = {
    {"disk", "sda", "/dev/sda", "", 1, 1, .first = NUMBER(8, 0)},
    {"slashes", "cciss!c0d0", "/dev/cciss/c0d0", "", 1, 1, .first = NUMBER(104, 0)},
    {"partition", "sda1", "/dev/sda", "", 1, 1, NUMBER(8, 1), NUMBER(8, 0)},
    {"stack", "dm-1", "/dev/mapper/vg-data", "LVM: /dev/dm-0, /dev/sdb", 4, 2,
     NUMBER(252, 1), .made_of_others = true},
    {"mapping", "dm-0", "/dev/dm-0", "device mapper: /dev/sda1", 2, 1, NUMBER(252, 0),
     .made_of_others = true},
    /* It stands in the order of the array, not in that of its names. */
    {"array", "md0", "/dev/md0", "raid1: /dev/sdb, /dev/sda", 3, 2, NUMBER(9, 0),
     .made_of_others = true},
    {"cache", "bcache0", "/dev/bcache0", "bcache: /dev/sdb", 2, 1, NUMBER(251, 0),
     .made_of_others = true},
    {"multipath", "dm-3", "/dev/mapper/paths", "multipath: /dev/sda, /dev/sdb", 3, 2,
     NUMBER(252, 3), .made_of_others = true, .takes_requests = true},
};

TEST_EACH(a_device_is_followed_to_the_lowest, devices)
{
    const struct devices *row = *state;
    struct os_layout layout;
    struct error error;
    int lowest = 0;
    assert_int_equal(look(row->device, &layout, &error), 0);
    assert_int_equal(layout.device_count, row->count);
    assert_int_equal(layout.devices[0].number, row->first);
    assert_int_equal(layout.devices[0].is_bottom, !row->made_of_others);
    if (row->disk)
        assert_int_equal(layout.devices[0].disk, row->disk);
    for (int i = 0; i < layout.device_count; i++)
        lowest += layout.devices[i].is_bottom;
    assert_int_equal(lowest, row->lowest_count);
    assert_int_equal(layout.is_remapped, row->made_of_others);
    assert_int_equal(layout.is_stacked, row->made_of_others);
    assert_int_equal(layout.devices[0].is_bio_based,
                     row->made_of_others && !row->takes_requests);
    assert_string_equal(layout.name, row->path);
    assert_string_equal(layout.members, row->legs);
}

TEST(dots_stand_for_the_legs_that_there_is_no_room_for)
{
    char text[20];
    struct linux_members members = {.text = text, .size = sizeof(text)};
    linux_members_begin(&members, "raid1");
    linux_members_add(&members, "/dev/a");
    linux_members_add(&members, "/dev/b");
    linux_members_add(&members, "/dev/c");
    assert_string_equal(text, "raid1: /dev/a, ...");
}

TEST(devices_that_send_no_requests_are_refused)
{
    static const struct {
        const char *name, *why;
    } cases[] = {
        {"zram0", "/dev/zram0, which is memory"},
        {"dm-2", "/dev/zram0, which is memory"},
        {"nvme0n1", "/dev/nvme0n1"},
        {"md1", "too many devices"},
        {"nothing", "nothing"},
    };
    struct os_layout layout;
    struct error error;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(look(cases[i].name, &layout, &error), -1);
        assert_int_equal(error.status, EXIT_PREPARE);
        assert_string_equal(error.what, "/the/file");
        assert_true(error.advice[0] != '\0');
        if (!strstr(error.why, cases[i].why))
            fail_msg("%s: %s", cases[i].name, error.why);
    }
}

static struct os_extent *
copy_extents(const struct os_extent *extents, int count)
{
    struct os_extent *copy = malloc((size_t)count * sizeof(*copy));
    assert_non_null(copy);
    memcpy(copy, extents, (size_t)count * sizeof(*copy));
    return copy;
}

/* Compares extents with TEXT, for each "offset+length@sector " of it. */
static void
assert_extents(const struct os_layout *layout, const char *text)
{
    char is[256] = "";
    for (int i = 0; i < layout->extent_count; i++) {
        const struct os_extent *extent = &layout->extents[i];
        snprintf(is + strlen(is), sizeof(is) - strlen(is), "%lld+%lld@%llu ",
                 (long long)extent->offset, (long long)extent->length,
                 (unsigned long long)extent->sector);
    }
    assert_string_equal(is, text);
}

/* The image begins 1 MiB into its file, which has a hole after 3 MiB and goes on at 4. */
TEST(extents_of_extents_are_composed)
{
    static const struct os_extent file[] = {{0, 4096, 2048}, {1 << 20, 2 << 20, 0}};
    static const struct os_extent image[] = {
        {0, 2 << 20, 10000}, {2 << 20, 1 << 20, 90000}, {4 << 20, 1 << 20, 50000}};
    struct os_layout upper = {.extents = copy_extents(file, 2), .extent_count = 2};
    struct os_layout lower = {.extents = copy_extents(image, 3), .extent_count = 3};
    assert_true(linux_layout_compose(&upper, &lower, 1 << 20));
    assert_extents(&lower, "0+4096@90000 1048576+1048576@12048 2097152+1048576@90000 ");
    os_layout_free(&upper);
    os_layout_free(&lower);
}

TEST(what_lies_in_a_hole_is_nowhere)
{
    static const struct os_extent file[] = {{0, 4096, 2048}};
    static const struct os_extent image[] = {{0, 4096, 10000}};
    struct os_layout upper = {.extents = copy_extents(file, 1), .extent_count = 1};
    struct os_layout lower = {.extents = copy_extents(image, 1), .extent_count = 1};
    assert_false(linux_layout_compose(&upper, &lower, 0));
    assert_extents(&lower, "0+4096@10000 ");
    os_layout_free(&upper);
    os_layout_free(&lower);
}

#define READS 64
#define BLOCK 4096
#define RECORDS 4096
#define PATIENCE (60 * SECOND)

/* A file that is read past the page cache, and the trace of its device. */
struct subject {
    int fd;
    int64_t size;
    struct os_layout layout;
    struct os_trace *trace;
};

/* Opens a path in the scratch folder, or one from the root. */
static void
open_subject(struct subject *subject, const char *name)
{
    char path[1200];
    struct error error;
    bool is_whole = name[0] == '/';
    snprintf(path, sizeof(path), "%s%s%s", is_whole ? "" : scratch(), is_whole ? "" : "/",
             name);
    *subject = (struct subject){.fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC)};
    if (subject->fd < 0)
        skip_because("needs a build folder on a disk that takes direct I/O");
    subject->size = lseek(subject->fd, 0, SEEK_END);
    assert_true(subject->size >= BLOCK);
    if (os_layout_find(subject->fd, path, 0, subject->size, &subject->layout, &error) <
        0) {
        close(subject->fd);
        skip_because(error.why);
    }
}

static void
open_trace(struct subject *subject)
{
    const struct os_layout *layouts[] = {&subject->layout};
    struct error error;
    subject->trace = os_trace_open(layouts, 1, &error);
    if (!subject->trace)
        fail_msg("%s: %s", error.what, error.why);
}

static void
close_subject(struct subject *subject)
{
    os_trace_close(subject->trace);
    os_layout_free(&subject->layout);
    close(subject->fd);
}

/* The sector of a block of the file, by its extents. */
static uint64_t
sector_of(const struct os_layout *layout, int64_t offset)
{
    for (int i = 0; i < layout->extent_count; i++) {
        const struct os_extent *extent = &layout->extents[i];
        if (offset >= extent->offset && offset < extent->offset + extent->length)
            return extent->sector + (uint64_t)(offset - extent->offset) / 512;
    }
    fail_msg("no sector is known of offset %lld", (long long)offset);
    return 0;
}

struct stamps {
    int64_t start, end;
    uint64_t sector;
    int seen[OS_TRACE_MARK + 1]; /* records, by kind */
};

static void
assign(struct stamps *reads, const struct os_trace_record *record)
{
    for (int i = 0; i < READS; i++)
        if (record->time >= reads[i].start && record->time <= reads[i].end &&
            reads[i].sector >= record->sector &&
            reads[i].sector < record->sector + record->sector_count) {
            assert_false(record->is_write || record->is_flush);
            reads[i].seen[record->kind]++;
        }
}

static int
count_whole(const struct stamps *reads)
{
    int whole = 0;
    for (int i = 0; i < READS; i++)
        whole += reads[i].seen[OS_TRACE_QUEUE] > 0 && reads[i].seen[OS_TRACE_ISSUE] > 0 &&
                 reads[i].seen[OS_TRACE_COMPLETE] > 0;
    return whole;
}

/* Reads blocks all over the file, and then the records, until each read has all of its
 * own: between its two stamps, at the sector that the layout tells. */
static void
check_reads(struct subject *subject)
{
    static struct os_trace_record records[RECORDS];
    struct stamps reads[READS] = {{0}};
    void *buffer = aligned_alloc(BLOCK, BLOCK);
    assert_non_null(buffer);
    for (int i = 0; i < READS; i++) {
        int64_t offset = subject->size / BLOCK * i / READS * BLOCK;
        reads[i].sector = sector_of(&subject->layout, offset);
        reads[i].start = os_clock_now();
        assert_int_equal(pread(subject->fd, buffer, BLOCK, offset), BLOCK);
        reads[i].end = os_clock_now();
    }
    free(buffer);
    for (int64_t limit = os_clock_now() + PATIENCE;
         count_whole(reads) < READS && os_clock_now() < limit;) {
        int count = os_trace_read(subject->trace, records, RECORDS);
        for (int i = 0; i < count; i++)
            assign(reads, &records[i]);
        usleep(count ? 0 : 1000);
    }
    assert_int_equal(count_whole(reads), READS);
    assert_int_equal(os_trace_lost(subject->trace), 0);
}

/* Returns how many instances of tracefs process PID has. */
static int
count_instances(pid_t pid)
{
    char start[32];
    int count = 0;
    struct dirent *entry;
    DIR *list = opendir("/sys/kernel/tracing/instances");
    int length = snprintf(start, sizeof(start), "ioping-%ld-", (long)pid);
    assert_non_null(list);
    while ((entry = readdir(list)))
        count += strncmp(entry->d_name, start, (size_t)length) == 0;
    closedir(list);
    return count;
}

/* A loop device whose name is the answer of a command; it ends with the descriptor. */
static int
make_loop(char name[64], const char *text)
{
    struct result result = command("%s", text);
    snprintf(name, 64, "%.*s", (int)strcspn(result.out, "\n"), result.out);
    int status = result.status;
    command_free(&result);
    int fd = name[0] ? hold_loop(name) : -1;
    if (status != 0)
        skip_because("needs a build folder on a disk whose files loop devices can read "
                     "by direct I/O");
    return fd;
}

TEST(every_read_of_a_file_has_its_records)
{
    struct subject subject;
    mount_tracefs();
    shell("filled file 4");
    open_subject(&subject, "file");
    open_trace(&subject);
    assert_int_equal(count_instances(getpid()), 1);
    check_reads(&subject);
    close_subject(&subject);
    assert_int_equal(count_instances(getpid()), 0);
}

TEST(every_read_of_a_loop_device_has_its_records)
{
    struct subject subject;
    char name[64];
    need_loops();
    mount_tracefs();
    shell("filled image 4");
    int fd = make_loop(name, "looped off image");
    open_subject(&subject, name);
    assert_string_equal(subject.layout.name, name);
    assert_false(subject.layout.is_stacked);
    open_trace(&subject);
    check_reads(&subject);
    close_subject(&subject);
    close(fd);
}

/* Reads records until a flush has been sent to the device and is done. */
static void
check_flush(struct os_trace *trace, int64_t start, int64_t end)
{
    static struct os_trace_record records[RECORDS];
    int seen[OS_TRACE_MARK + 1] = {0};
    for (int64_t limit = os_clock_now() + PATIENCE;
         (!seen[OS_TRACE_ISSUE] || !seen[OS_TRACE_COMPLETE]) && os_clock_now() < limit;) {
        int count = os_trace_read(trace, records, RECORDS);
        for (int i = 0; i < count; i++)
            if (records[i].is_flush && records[i].time >= start && records[i].time <= end)
                seen[records[i].kind]++;
        usleep(count ? 0 : 1000);
    }
    assert_true(seen[OS_TRACE_QUEUE] > 0);
    assert_true(seen[OS_TRACE_ISSUE] > 0);
    assert_true(seen[OS_TRACE_COMPLETE] > 0);
}

/* It has no sector that a filter could know. */
TEST(a_flush_has_its_records)
{
    struct subject subject;
    char name[64];
    need_loops();
    mount_tracefs();
    shell("filled flushed 4");
    int fd = make_loop(name, "looped off flushed");
    open_subject(&subject, name);
    open_trace(&subject);
    int out = open(name, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(out, name, 1, 1 << 20), 1);
    int64_t start = os_clock_now();
    assert_int_equal(fdatasync(out), 0);
    check_flush(subject.trace, start, os_clock_now());
    close(out);
    close_subject(&subject);
    close(fd);
}

TEST(sectors_of_a_partition_are_those_of_its_disk)
{
    struct subject subject;
    char name[64];
    need_loops();
    mount_tracefs();
    need_program("addpart");
    int fd = make_loop(name, "filled disk 32 && looped off disk -P && partition");
    open_subject(&subject, "part");
    assert_string_equal(subject.layout.name, name);
    assert_int_equal(subject.layout.extent_count, 1);
    assert_int_equal(subject.layout.extents[0].sector, 6144);
    assert_true(subject.layout.devices[0].disk != subject.layout.devices[0].number);
    open_trace(&subject);
    check_reads(&subject);
    close_subject(&subject);
    close(fd);
}

/* The loop device begins 64 KiB into its file. */
TEST(a_loop_device_with_direct_io_is_followed_to_the_disk_below)
{
    struct subject subject, file;
    char name[64], legs[128];
    need_loops();
    mount_tracefs();
    shell("filled below 4");
    int fd = make_loop(name, "looped on below -o 65536");
    open_subject(&file, "below");
    open_subject(&subject, name);
    if (file.layout.extent_count == 0)
        skip_because("needs a build folder whose file system tells sectors");
    assert_string_equal(subject.layout.name, name);
    assert_true(subject.layout.is_stacked);
    snprintf(legs, sizeof(legs), "loop: %s", file.layout.name);
    assert_string_equal(subject.layout.members, legs);
    assert_int_equal(sector_of(&subject.layout, 1 << 20),
                     sector_of(&file.layout, (1 << 20) + 65536));
    open_trace(&subject);
    check_reads(&subject);
    close_subject(&subject);
    close_subject(&file);
    close(fd);
}

/* Mounts a file system of TYPE, runs a shell program in it, and opens file NAME. */
static void
open_mounted(struct subject *subject, const char *type, const char *text,
             const char *name)
{
    mount_tracefs();
    mount_once(type);
    struct result result = command("%s", text);
    int status = result.status;
    command_free(&result);
    if (status != 0)
        skip_because("this kernel or container has no such file system");
    open_subject(subject, name);
}

/* In the upper layer, on the same device as the lower one. */
TEST(a_file_of_an_overlay_lies_where_that_of_its_layer_does)
{
    struct subject subject, layer;
    open_mounted(&subject, "ext4",
                 "cd ext4 && mkdir lower upper work over && mount -t overlay none -o "
                 "\"lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/work\" over && "
                 "filled over/file 1",
                 "ext4/over/file");
    open_subject(&layer, "ext4/upper/file");
    assert_true(layer.layout.extent_count > 0);
    assert_int_equal(subject.layout.extent_count, layer.layout.extent_count);
    assert_int_equal(sector_of(&subject.layout, 0), sector_of(&layer.layout, 0));
    assert_string_equal(subject.layout.name, layer.layout.name);
    close_subject(&layer);
    open_trace(&subject);
    check_reads(&subject);
    close_subject(&subject);
}

/* Its extents are in an address space of its own. */
TEST(a_file_of_a_btrfs_has_a_device_without_extents)
{
    struct subject subject;
    open_mounted(&subject, "btrfs", "filled btrfs/file 1", "btrfs/file");
    assert_int_equal(subject.layout.extent_count, 0);
    assert_int_equal(subject.layout.device_count, 1);
    assert_int_equal(strncmp(subject.layout.name, "/dev/loop", 9), 0);
    close_subject(&subject);
}

TEST(a_file_in_memory_is_refused)
{
    struct os_layout layout;
    struct error error;
    int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    struct statfs system;
    if (fd < 0 || fstatfs(fd, &system) < 0 || !linux_mount_memory(&system))
        skip_because("needs a tmpfs at /dev/shm");
    assert_int_equal(os_layout_find(fd, "/dev/shm/x", 0, BLOCK, &layout, &error), -1);
    close(fd);
    assert_string_equal(error.what, "/dev/shm/x");
    assert_non_null(strstr(error.why, "tmpfs"));
    assert_int_equal(error.status, EXIT_PREPARE);
}

TEST(a_character_device_is_refused)
{
    struct os_layout layout;
    struct error error;
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_int_equal(os_layout_find(fd, "/dev/zero", 0, BLOCK, &layout, &error), -1);
    close(fd);
    assert_non_null(strstr(error.why, "character device"));
}

/* What a process of the test does once it has a trace. */
enum then { WAIT, RELEASE, LEAVE_PIPE };

/* Starts a process that opens a trace of the file, tells so by a byte to the pipe READY,
 * and waits for ever. */
static pid_t
start_process(enum then then, const int ready[2])
{
    struct subject subject;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    posix_inherited_list();
    open_subject(&subject, "file");
    open_trace(&subject);
    if (write(ready[1], "", 1) != 1)
        _exit(1);
    close(ready[1]);
    if (then == RELEASE)
        posix_inherited_release();
    for (;;)
        pause();
}

/* Waits until the process has no instance any more, or for long. */
static void
check_removed(pid_t pid)
{
    for (int64_t limit = os_clock_now() + PATIENCE;
         count_instances(pid) > 0 && os_clock_now() < limit;)
        usleep(1000);
    assert_int_equal(count_instances(pid), 0);
}

static void
kill_process(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Makes the file, and starts a process as start_process does, which has its trace then.
 * READY becomes the end of a pipe that nobody writes to any more. */
static pid_t
begin_process(enum then then, int *ready)
{
    int ends[2];
    char byte;
    struct subject subject;
    mount_tracefs();
    shell("filled file 1");
    open_subject(&subject, "file"); /* or the test is skipped */
    close_subject(&subject);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = start_process(then, ends);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    *ready = ends[0];
    return pid;
}

TEST(a_killed_process_leaves_no_instance)
{
    int ready;
    pid_t pid = begin_process(WAIT, &ready);
    assert_int_equal(count_instances(pid), 1);
    kill_process(pid);
    check_removed(pid);
    close(ready);
}

/* As a process is that the kernel does not let go of. */
TEST(a_process_that_is_given_up_leaves_no_instance)
{
    int ready;
    pid_t pid = begin_process(RELEASE, &ready);
    check_removed(pid);
    assert_int_equal(kill(pid, 0), 0);
    kill_process(pid);
    close(ready);
}

/* The one that removes the instance is still waiting. */
TEST(nobody_keeps_the_pipes_of_the_caller)
{
    int ready;
    char byte;
    pid_t pid = begin_process(LEAVE_PIPE, &ready);
    struct pollfd end = {.fd = ready, .events = POLLIN};
    assert_int_equal(poll(&end, 1, (int)(PATIENCE / MS)), 1);
    assert_int_equal(read(ready, &byte, 1), 0);
    assert_int_equal(count_instances(pid), 1);
    kill_process(pid);
    check_removed(pid);
    close(ready);
}

TEST(threads_have_numbers)
{
    assert_int_equal(os_thread_number(), getpid());
}
