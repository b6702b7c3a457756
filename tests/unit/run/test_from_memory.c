/* Reads that the kernel did not charge the process for came from memory: all of them, or
 * at least some. The test plays what it was charged for. */
#include "listening.h"

#define COUNT 8

static int64_t charged; /* bytes, by the run; -1: the system does not tell */
static int asked;

int64_t
__wrap_os_process_sectors(void)
{
    const int64_t before = 1000;
    bool begins = asked++ == 0;
    if (charged < 0)
        return -1;
    return before + (begins ? 0 : charged / 512);
}

/* Each read is charged to its thread. */
int64_t
__wrap_os_thread_sectors(void)
{
    static int64_t sectors;
    return ++sectors;
}

static const struct row {
    const char *name;
    int64_t charged;
    bool direct, charges_reads, counts_sectors;
    const char *mix;
    uint64_t counted, cached, from_memory;
} rows[] = {
    {"all was read from a device", 8 * 4096, true, true, false, "read", 8, 0, 0},
    {"others read from it as well", 9 * 4096, true, true, false, "read", 8, 0, 0},
    {"nothing was", 0, true, true, false, "read", 0, 8, 0},
    {"one direct read was", 4096, true, true, false, "read", 8, 0, 7},
    {"seven were", 7 * 4096, true, true, false, "read", 8, 0, 1},
    {"a sector may do for a read through the page cache", 8 * 512, false, true, false,
     "read", 8, 0, 0},
    {"but there is one for each", 6 * 512, false, true, false, "read", 8, 0, 2},
    {"nothing was read past the page cache either", 0, false, true, false, "read", 0, 8,
     0},
    {"of reads and writes the reads alone are charged", 4 * 4096, true, true, false, "rw",
     8, 0, 0},
    {"and the writes count", 0, true, true, false, "rw", 8, 0, 4},
    {"writes alone are not charged", 0, true, true, false, "write", 8, 0, 0},
    {"a file system that is not charged tells nothing", 0, true, false, false, "read", 8,
     0, 0},
    {"each read had its verdict already", 0, false, true, true, "read", 8, 0, 0},
    {"the system does not tell", -1, true, true, false, "read", 8, 0, 0},
};

TEST_EACH(reads_that_nobody_was_charged_for, rows)
{
    const struct row *row = *state;
    setup_begin(&setup, COUNT);
    charged = row->charged;
    asked = 0;
    if (strcmp(row->mix, "write") == 0)
        setup.options.given[OPTION_WRITE] = 3;
    if (strcmp(row->mix, "rw") == 0)
        setup.options.given[OPTION_READ_WRITE] = 1;
    setup.target.is_direct = row->direct;
    setup.target.charges_reads = row->charges_reads;
    setup.target.counts_sectors = row->counts_sectors;
    if (row->counts_sectors)
        setup.target.description.mode = IO_MODE_NOCACHE;
    const struct outcome *outcome = run();
    assert_int_equal(outcome->total.requests, COUNT);
    assert_int_equal(outcome->total.latency.count, row->counted);
    assert_int_equal(outcome->total.cached, row->cached);
    assert_int_equal(outcome->total.from_memory, row->from_memory);
    assert_int_equal(told->summary.latency.count, row->counted);
}

/* Holes are told by a note of their own. */
TEST(holes_ask_no_device_either)
{
    setup_begin(&setup, COUNT);
    charged = asked = 0;
    setup.target.is_direct = setup.target.charges_reads = true;
    setup.target.hole_percent = 50;
    const struct outcome *outcome = run();
    assert_int_equal(outcome->total.latency.count, COUNT);
    assert_int_equal(outcome->total.from_memory, 0);
}
