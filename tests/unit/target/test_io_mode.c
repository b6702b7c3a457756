/* I/O modes on systems that lack a function. The linker (--wrap) replaces functions of
 * the system by functions of this file. */
#include "mix.h"
#include "support.h"

#include "cli/options.h"
#include "os/os.h"
#include "os/storage.h"
#include "plan/plan.h"
#include "target/target_private.h"

enum { SECTOR = 512, SIZE = 1 << 20 };

/* The abilities of the system that the test plays. */
static struct {
    bool direct;  /* direct I/O works */
    bool drop;    /* the page cache can be dropped */
    bool account; /* os_thread_counts_reads */
    bool charge;  /* os_file_charges_reads */
    enum os_backing backing;
    bool disk; /* the target is a raw device */
    bool raw;  /* the target is a block device, and has a raw device beside it */
} has;
static const char
    *memory; /* name of the memory that backs the target, for backing MEMORY */
static bool direct_is_on;
static int drops;  /* number of calls of os_file_drop */
static bool parts; /* a part of the dirty data can be written back alone */
static int
    flushes; /* number of flushes of the device, alone or by a write-back of all data */

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
                 has.backing == OS_BACKING_CACHED ? "/dev/loop7" : memory);
    return has.backing;
}

bool
__wrap_os_thread_counts_reads(int fd, int64_t witness)
{
    (void)fd, (void)witness;
    return has.account;
}

bool
__wrap_os_file_charges_reads(int fd)
{
    (void)fd;
    return has.charge;
}

static struct target target;
static struct plan plan;
static struct notes notes;
static struct error error;

/* Prepares a target that looks like a block device, though it is a file, and a plan of
 * reads of 4096 bytes. Each test changes what it is about. */
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
                         .io.engine = io_find_engine(0),
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

#define LOOP                                                                            \
    "ioping: /dev/disk2: reads go through the page cache of the loop device's backing " \
    "file; run losetup --direct-io=on /dev/loop7\n"
#define ZRAM                                                                           \
    "ioping: /dev/disk2: /dev/zram1 lives in memory: these times say nothing about a " \
    "disk\n"

/*
 * A system, a plan, and the mode that follows. Letters of `has`: d direct I/O works, D
 * the page cache can be dropped, a os_thread_counts_reads, c os_file_charges_reads, k the
 * target is a raw device, r there is a raw device beside it, l the target is a loop
 * device that reads through the page cache, z it is zram, m it is on tmpfs.
 */
static const struct {
    const char *name, *has, *mix;
    int size;    /* request size, bytes */
    char option; /* 'D': -direct, 'C': -C, 0: neither */
    int mode;    /* expected mode; -1: the target is refused */
    bool direct; /* direct I/O is on at the end */
    /* part of the first note; for a refusal, its reason and advice; "" for none */
    const char *told;
} rows[] = {
    {"without direct I/O the cache is dropped", "D", "read", 4096, 0, IO_MODE_NOCACHE,
     false, "evicting the page cache before each request"},
    {"a cache that cannot be dropped is said to answer", "", "read", 4096, 0,
     IO_MODE_CACHED, false,
     "ioping: /dev/disk2: direct I/O not supported, and this system cannot empty the "
     "page cache: reads may be as fast as memory; name a disk instead\n"},
    {"writes need no cache that can be dropped", "", "write", 4096, 0, IO_MODE_NOCACHE,
     false, "flushing the page cache after each request"},
    {"a raw device is advised for its block device", "r", "read", 4096, 0, IO_MODE_CACHED,
     false,
     "ioping: /dev/disk2: reads go through the buffer cache; name the raw device "
     "/dev/rdisk2\n"},
    {"and where direct I/O was insisted on", "r", "read", 4096, 'D', -1, false,
     "direct I/O not supported; name the raw device /dev/rdisk2"},
    {"a raw device is direct", "k", "read", 4096, 0, IO_MODE_DIRECT, true, ""},
    {"a raw device has no cache to use", "k", "read", 4096, 'C', IO_MODE_DIRECT, true,
     ""},
    {"a raw device takes whole sectors alone", "k", "read", 1000, 0, -1, false,
     "direct I/O needs a request size and an offset that are multiples of 512"},
    {"other devices go without direct I/O then", "dD", "read", 1000, 0, IO_MODE_NOCACHE,
     false, "evicting the page cache before each request"},
    {"reads through a loop device are cached, and direct", "dDl", "read", 4096, 0,
     IO_MODE_CACHED, true, LOOP},
    {"and where they cannot be direct", "dDl", "read", 1000, 0, IO_MODE_CACHED, false,
     LOOP},
    {"writes to a loop device are direct", "dl", "write", 4096, 0, IO_MODE_DIRECT, true,
     ""},
    {"memory is cached whatever is done to it", "dz", "read", 4096, 0, IO_MODE_CACHED,
     true, ZRAM},
    {"written", "dz", "write", 4096, 0, IO_MODE_CACHED, true, ZRAM},
    {"read and written", "dz", "rw", 4096, 0, IO_MODE_CACHED, true, ZRAM},
    /* Such as an overlay whose layers are on tmpfs. */
    {"direct I/O on a file system in memory is as the kernel has it", "m", "read", 4096,
     'D', -1, false, "direct I/O not supported; leave out -D to measure it anyway"},
    {"where it has it", "dm", "read", 4096, 'D', IO_MODE_CACHED, true,
     "tmpfs lives in memory"},
    {"who may not look pages up is told afterwards", "Da", "read", 4096, 0,
     IO_MODE_NOCACHE, false, "evicting the page cache before each request"},
    {"and on a block device even if the first read is not charged", "Dc", "read", 4096, 0,
     IO_MODE_NOCACHE, false, "evicting the page cache before each request"},
};

TEST_EACH(mode, rows)
{
    const size_t i = (size_t)((const char *)*state - (const char *)rows) / sizeof(*rows);
    has.direct = strchr(rows[i].has, 'd');
    has.drop = strchr(rows[i].has, 'D');
    has.account = strchr(rows[i].has, 'a');
    has.charge = strchr(rows[i].has, 'c');
    has.disk = strchr(rows[i].has, 'k');
    has.raw = strchr(rows[i].has, 'r');
    memory = strchr(rows[i].has, 'm') ? "tmpfs" : "/dev/zram1";
    has.backing = strpbrk(rows[i].has, "mz") ? OS_BACKING_MEMORY
                  : strchr(rows[i].has, 'l') ? OS_BACKING_CACHED
                                             : OS_BACKING_DEVICE;
    plan.workload.mix = mix_of(rows[i].mix);
    plan.workload.request_size = rows[i].size;
    plan.io.needs_direct = rows[i].option == 'D';
    plan.io.uses_cache = rows[i].option == 'C';
    assert_int_equal(choose(), rows[i].mode < 0 ? -1 : 0);
    assert_int_equal(direct_is_on, rows[i].direct);
    if (rows[i].mode < 0) {
        char text[sizeof(error.why) + sizeof(error.advice) + 2];
        snprintf(text, sizeof(text), "%s%s%s", error.why, error.advice[0] ? "; " : "",
                 error.advice);
        assert_string_equal(text, rows[i].told);
        assert_int_equal(error.status, EXIT_PREPARE);
        return;
    }
    assert_int_equal(target.description.mode, rows[i].mode);
    bool counts = has.account || has.charge;
    bool unseen = rows[i].mode == IO_MODE_NOCACHE && has.drop && !counts;
    assert_int_equal(notes.count, (rows[i].told[0] != '\0') + unseen);
    if (notes.count)
        assert_contains(notes.lines[0], rows[i].told);
    if (unseen)
        assert_contains(notes.lines[1], "cannot tell whether reads come from the page");
    if (has.backing == OS_BACKING_CACHED)
        assert_int_equal(target.is_direct, rows[i].direct);
    assert_int_equal(target.counts_sectors, counts);
    assert_int_equal(target.charges_reads, has.charge);
    assert_true(drops > 0 || rows[i].mode != IO_MODE_NOCACHE || !has.drop);
    assert_false(plan.io.uses_cache && target.flushes_writes);
    if (rows[i].size == 1000 && rows[i].mode == IO_MODE_NOCACHE)
        assert_string_equal(target.direct_io_hint, "-s 1k");
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
        target.direct_io_hint[0] = '\0';
        plan.workload.request_size = cases[i].size;
        plan.workload.work_offset = cases[i].offset;
        plan.workload.work_size = cases[i].work_size;
        notes_clear(&notes);
        assert_int_equal(choose(), 0);
        assert_int_equal(target.description.mode, IO_MODE_NOCACHE);
        assert_string_equal(target.direct_io_hint, cases[i].shape);
        assert_false(direct_is_on);
    }
}

/* Threads of the kernel may read for a queue, and sectors of several requests in flight
 * cannot be told apart. */
TEST(but_not_of_requests_in_a_queue)
{
    static const struct {
        char engine; /* option that selects the engine */
        int depth;
        enum sweep_kind swept;
    } queues[] = {{'U', 1, SWEEP_NONE}, {'A', 2, SWEEP_NONE}, {'A', 1, SWEEP_DEPTH}};
    for (int i = 0; i < 3; i++) {
        has.drop = has.account = true;
        plan.sweep.kind = queues[i].swept;
        plan.io.engine = io_find_engine(queues[i].engine);
        plan.io.depth = queues[i].depth;
        notes_clear(&notes);
        assert_int_equal(choose(), 0);
        assert_false(target.counts_sectors);
        assert_contains(notes.lines[1], "cannot tell whether reads come from the page");
    }
}

/* For direct reads, dirty data must be written back, but the device need not be flushed.
 */
TEST(only_what_cannot_do_without_is_flushed)
{
    static const struct {
        bool direct, parts;
        const char *load;
        int flushes;
    } cases[] = {
        {true, true, "read", 0},   {true, false, "read", 1}, {false, true, "read", 1},
        {false, false, "read", 1}, {true, true, "write", 1}, {true, false, "write", 1},
        {true, true, "rw", 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        has.direct = cases[i].direct;
        has.drop = true;
        parts = cases[i].parts;
        plan.workload.mix = mix_of(cases[i].load);
        flushes = 0;
        target.is_flushed = false;
        assert_int_equal(choose(), 0);
        assert_int_equal(target.is_direct, cases[i].direct);
        assert_int_equal(flushes, cases[i].flushes);
    }
}
