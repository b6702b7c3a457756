/* I/O modes on systems that lack a function: the test plays the system's functions, in
 * front of the real ones. */
#include "mix.h"
#include "support.h"

#include "cli/options.h"
#include "os/os.h"
#include "os/storage.h"
#include "plan/plan.h"
#include "target/target_private.h"

enum { SECTOR = 512, SIZE = 1 << 20 };

/* The abilities of the system. */
static struct {
    bool direct, drop;
    bool account; /* the system counts the reads of a thread */
    enum os_backing backing;
    bool disk, raw; /* the descriptor is a raw device; there is one beside it */
} has;
static const char *memory; /* name of memory that backs the target; NULL: a device */
static bool direct_is_on;
static int drops;
static bool parts;  /* dirty data can be written back by parts */
static int flushes; /* of the device, which may come with all that is written back */

static int
answer(bool able)
{
    errno = ENOTSUP;
    return able ? 0 : -1;
}

int
__wrap_os_file_drop(int fd, int64_t offset, int64_t length)
{
    (void)fd, (void)offset, (void)length;
    drops++;
    return answer(has.drop);
}

int
__wrap_os_file_direct(int fd, bool on)
{
    (void)fd;
    direct_is_on = on && (has.direct || has.disk);
    return answer(!on || direct_is_on);
}

int
__wrap_os_file_random(int fd, int64_t offset, int64_t length)
{
    (void)fd, (void)offset, (void)length;
    return answer(false);
}

int
__wrap_os_file_write_back(int fd, int64_t offset, int64_t length)
{
    (void)fd, (void)offset;
    flushes += length == 0;
    return answer(length == 0 || parts);
}

int
__wrap_os_file_flush(int fd)
{
    (void)fd;
    flushes++;
    return 0;
}

bool
__wrap_os_device_is_disk(int fd)
{
    (void)fd;
    return has.disk;
}

int
__wrap_os_device_size(int fd, int64_t *size, int64_t *block)
{
    (void)fd;
    *size = SIZE;
    *block = SECTOR;
    return 0;
}

bool
__wrap_os_path_raw(const char *path, char *raw, size_t size)
{
    (void)path;
    snprintf(raw, size, "/dev/rdisk2");
    return has.raw;
}

os_resident_function *
__wrap_os_resident_choose(int fd, int64_t witness)
{
    (void)fd, (void)witness;
    return NULL;
}

enum os_backing
__wrap_os_file_backing(int fd, char *name, size_t size)
{
    (void)fd;
    if (has.backing != OS_BACKING_DEVICE)
        snprintf(name, size, "%s",
                 has.backing == OS_BACKING_CACHE ? "/dev/loop7" : memory);
    return has.backing;
}

bool
__wrap_os_thread_counts_reads(int fd, int64_t witness)
{
    (void)fd, (void)witness;
    return has.account;
}

static struct target target;
static struct plan plan;
static struct notes notes;
static struct error error;

/* A block device, as it seems, of this request size; the test changes the rest. */
static int
prepare(void **state)
{
    char path[1100];
    (void)state;
    memset(&has, 0, sizeof(has));
    direct_is_on = false;
    drops = flushes = 0;
    parts = true;
    notes_clear(&notes);
    memset(&error, 0, sizeof(error));
    snprintf(path, sizeof(path), "%s/disk", scratch());
    target = (struct target){.kind = OS_BLOCK, .size = SIZE, .work_size = SIZE};
    target.fd = os_file_open(path, OS_OPEN_WRITE | OS_OPEN_CREATE);
    plan = (struct plan){.path = "/dev/disk2",
                         .io.engine = io_engine_of(0),
                         .workload.mix = mix_of("read"),
                         .workload.request_size = 4096,
                         .workload.scratch_size = SIZE};
    return target.fd < 0 ? -1 : 0;
}

static int
finish(void **state)
{
    (void)state;
    os_file_close(target.fd);
    return 0;
}

static int
choose(void)
{
    return io_mode_choose(&target, &plan, &notes, &error);
}

FIXTURE(prepare, finish)

TEST(without_direct_io_the_cache_is_dropped)
{
    has.drop = true;
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_NOCACHE);
    assert_true(drops > 0);
    assert_contains(notes.line[0], "dropping the page cache before each request");
}

TEST(a_cache_that_cannot_be_dropped_is_said_to_answer)
{
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_CACHED);
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.line[0],
                        "ioping: /dev/disk2: direct I/O not supported, nor can the page "
                        "cache be emptied on this system: reads may be as fast as "
                        "memory; name a disk instead\n");
}

TEST(writes_need_no_cache_that_can_be_dropped)
{
    plan.workload.mix = mix_of("write");
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_NOCACHE);
    assert_contains(notes.line[0], "flushing the page cache after each request");
}

TEST(a_raw_device_is_advised_for_its_block_device)
{
    has.raw = true;
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_CACHED);
    assert_string_equal(notes.line[0], "ioping: /dev/disk2: reads go through the buffer "
                                       "cache; name the raw device /dev/rdisk2\n");
    assert_int_equal(notes.count, 1);
}

TEST(and_where_direct_io_was_insisted_on)
{
    has.raw = true;
    plan.io.direct = true;
    assert_int_equal(choose(), -1);
    assert_int_equal(error.status, EXIT_PREPARE);
    assert_string_equal(error.why, "direct I/O not supported");
    assert_string_equal(error.advice, "name the raw device /dev/rdisk2");
}

TEST(a_raw_device_is_direct)
{
    has.disk = true;
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_DIRECT);
    assert_int_equal(notes.count, 0);
}

TEST(a_raw_device_has_no_cache_to_use)
{
    has.disk = true;
    plan.io.cached = true;
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_DIRECT);
    assert_false(target.flush);
}

TEST(a_raw_device_takes_whole_sectors_alone)
{
    has.disk = true;
    plan.workload.request_size = 1000;
    assert_int_equal(choose(), -1);
    assert_string_equal(error.why,
                        "direct I/O needs request size and offset in multiples of 512");
    assert_string_equal(error.advice, "");
}

TEST(other_devices_go_without_direct_io_then)
{
    has.direct = has.drop = true;
    plan.workload.request_size = 1000;
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_NOCACHE);
    assert_false(direct_is_on);
    assert_string_equal(target.shape, "-s 1k");
}

TEST(a_shape_that_would_be_direct_is_found)
{
    static const struct {
        int64_t size, offset, work_size;
        const char *shape;
    } cases[] = {
        {4096, 100, 0, "-o 512"},   {3000, 1000, 0, "-s 3k -o 1k"}, {1000, 0, 1000, ""},
        {1000, 0, 1024, "-s 1k"},   {1000, SIZE - 1000, 0, ""},     {SIZE - 1, 1, 0, ""},
        {1000000, 0, 0, "-s 977k"}, {500, 0, 0, "-s 512"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        has.direct = has.drop = true;
        target.shape[0] = '\0';
        plan.workload.request_size = cases[i].size;
        plan.workload.work_offset = cases[i].offset;
        plan.workload.work_size = cases[i].work_size;
        notes_clear(&notes);
        assert_int_equal(choose(), 0);
        assert_int_equal(target.description.mode, IO_MODE_NOCACHE);
        assert_string_equal(target.shape, cases[i].shape);
        assert_false(direct_is_on);
    }
}

TEST(reads_through_a_loop_device_are_cached_and_direct_where_they_can_be)
{
    for (int i = 0; i < 2; i++) {
        has.direct = has.drop = true;
        has.backing = OS_BACKING_CACHE;
        plan.workload.request_size = i ? 1000 : 4096;
        direct_is_on = false;
        notes_clear(&notes);
        assert_int_equal(choose(), 0);
        assert_int_equal(target.description.mode, IO_MODE_CACHED);
        assert_int_equal(direct_is_on, !i);
        assert_int_equal(target.direct, !i);
        assert_int_equal(notes.count, 1);
        assert_string_equal(notes.line[0],
                            "ioping: /dev/disk2: /dev/loop7 reads through the page cache "
                            "of its backing file: losetup --direct-io=on /dev/loop7\n");
    }
}

TEST(writes_to_a_loop_device_are_direct)
{
    has.direct = true;
    has.backing = OS_BACKING_CACHE;
    plan.workload.mix = mix_of("write");
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_DIRECT);
    assert_int_equal(notes.count, 0);
}

TEST(memory_is_cached_whatever_is_done_to_it)
{
    static const char *const loads[] = {"read", "write", "rw"};
    memory = "/dev/zram1";
    for (int i = 0; i < 3; i++) {
        has.direct = true;
        has.backing = OS_BACKING_MEMORY;
        plan.workload.mix = mix_of(loads[i]);
        notes_clear(&notes);
        assert_int_equal(choose(), 0);
        assert_int_equal(target.description.mode, IO_MODE_CACHED);
        assert_true(direct_is_on);
        assert_int_equal(notes.count, 1);
        assert_string_equal(notes.line[0],
                            "ioping: /dev/disk2: /dev/zram1 is memory, not "
                            "a device: so are the times\n");
    }
}

/* As an overlay's layers on tmpfs are. */
TEST(direct_io_on_a_file_system_in_memory_is_as_the_kernel_has_it)
{
    memory = "tmpfs";
    has.backing = OS_BACKING_MEMORY;
    plan.io.direct = true;
    assert_int_equal(choose(), -1);
    assert_string_equal(error.why, "direct I/O not supported");
    assert_string_equal(error.advice, "leave out -D to measure it all the same");
    has.direct = true;
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_CACHED);
    assert_int_equal(notes.count, 1);
}

TEST(who_may_not_look_pages_up_is_told_afterwards)
{
    has.drop = has.account = true;
    assert_int_equal(choose(), 0);
    assert_int_equal(target.description.mode, IO_MODE_NOCACHE);
    assert_true(target.counts_sectors);
    assert_int_equal(notes.count, 1);
}

/* Other threads may read for the queue, and several requests are read for at a time. */
TEST(but_not_of_requests_in_a_queue)
{
    static const struct {
        char engine; /* its option */
        int depth;
        enum sweep_kind swept;
    } queues[] = {{'U', 1, SWEEP_NONE}, {'A', 2, SWEEP_NONE}, {'A', 1, SWEEP_DEPTH}};
    for (int i = 0; i < 3; i++) {
        has.drop = has.account = true;
        plan.sweep.kind = queues[i].swept;
        plan.io.engine = io_engine_of(queues[i].engine);
        plan.io.depth = queues[i].depth;
        notes_clear(&notes);
        assert_int_equal(choose(), 0);
        assert_false(target.counts_sectors);
        assert_contains(notes.line[1], "cannot see whether reads come from the page");
    }
}

/* What is written back apart from a flush is all that direct reads need. */
TEST(only_what_cannot_do_without_is_flushed)
{
    static const struct {
        bool direct, parts;
        const char *load;
        int flushes;
    } rows[] = {
        {true, true, "read", 0},   {true, false, "read", 1}, {false, true, "read", 1},
        {false, false, "read", 1}, {true, true, "write", 1}, {true, false, "write", 1},
        {true, true, "rw", 1},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        has.direct = rows[i].direct;
        has.drop = true;
        parts = rows[i].parts;
        plan.workload.mix = mix_of(rows[i].load);
        flushes = 0;
        target.flushed = false;
        assert_int_equal(choose(), 0);
        assert_int_equal(target.direct, rows[i].direct);
        assert_int_equal(flushes, rows[i].flushes);
    }
}
