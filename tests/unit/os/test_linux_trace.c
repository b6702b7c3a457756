/* Pages of the kernel's trace buffers, as kernels write them, and filters. */
/* Marks: linux */
#include "support.h"

#include "os/linux.h"
#include "os/trace.h"

/* events/block/.../format of Linux 6.18, without what nobody reads. */
#define COMMON                                                                     \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
    "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"                          \
    "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"                   \
    "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"

static const char queue_format[] =
    "name: block_bio_queue\nID: 2097\nformat:\n" COMMON
    "\tfield:char rwbs[10];\toffset:28;\tsize:10;\tsigned:0;\n"
    "\tfield:char comm[16];\toffset:38;\tsize:16;\tsigned:0;\n\n"
    "print fmt: \"%d,%d %s %llu + %u [%s]\", REC->rwbs, REC->comm\n";

static const char remap_format[] =
    "name: block_bio_remap\nID: 2091\nformat:\n" COMMON
    "\tfield:dev_t old_dev;\toffset:28;\tsize:4;\tsigned:0;\n"
    "\tfield:sector_t old_sector;\toffset:32;\tsize:8;\tsigned:0;\n"
    "\tfield:char rwbs[10];\toffset:40;\tsize:10;\tsigned:0;\n";

/* events/ftrace/print/format */
static const char mark_format[] =
    "name: print\nID: 5\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n";

/* Of an older kernel: eight letters, and elsewhere. */
static const char complete_format[] =
    "name: block_rq_complete\nID: 900\nformat:\n" COMMON
    "\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:0;\n"
    "\tfield:__data_loc char[] cmd;\toffset:40;\tsize:4;\tsigned:0;\n";

static const char header[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                             "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                             "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                             "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

#define PAGE 4096
#define DATA 16
#define START 5000000000ULL /* the time stamp of the page */
#define DISK (254ULL << 20)

/* A page as it is being written, and what it is read by. */
struct book {
    unsigned char bytes[PAGE];
    size_t used;
    struct linux_trace_page page;
    struct linux_trace_format formats[LINUX_TRACE_KINDS];
};

static struct book book;                 /* of the test that runs */
static struct os_trace_record record[8]; /* read last */

static int
make_book(void **state)
{
    (void)state;
    uint64_t start = START;
    memset(&book, 0, sizeof(book));
    memcpy(book.bytes, &start, sizeof(start));
    book.used = DATA;
    return linux_trace_header(header, &book.page) |
           linux_trace_format(mark_format, OS_TRACE_MARK, &book.formats[5]) |
           linux_trace_format(queue_format, OS_TRACE_QUEUE, &book.formats[0]) |
           linux_trace_format(remap_format, OS_TRACE_REMAP, &book.formats[1]) |
           linux_trace_format(complete_format, OS_TRACE_COMPLETE, &book.formats[4]);
}

static void
put(const void *bytes, size_t size)
{
    memcpy(book.bytes + book.used, bytes, size);
    book.used += size;
}

/* The first word of an event: its kind in the lowest bits, or highest on big ends. */
static void
put_word(unsigned kind, uint32_t delta)
{
    const uint16_t one = 1;
    uint32_t word = *(const unsigned char *)&one ? delta << 5 | kind : kind << 27 | delta;
    put(&word, sizeof(word));
}

static void
put_more(uint32_t more)
{
    put(&more, sizeof(more));
}

/* The data of an event as COMMON has it, and what follows at offset 28. */
static void
put_event(uint32_t delta, unsigned id, uint64_t sector, const void *rest, size_t size)
{
    unsigned char data[112] = {0};
    uint16_t type = (uint16_t)id;
    int32_t thread = 4711;
    uint32_t device = (uint32_t)DISK, sectors = sector == UINT64_MAX ? 0 : 8;
    size_t length = (28 + size + 3) / 4 * 4;
    memcpy(data, &type, sizeof(type));
    memcpy(data + 4, &thread, sizeof(thread));
    memcpy(data + 8, &device, sizeof(device));
    memcpy(data + 16, &sector, sizeof(sector));
    memcpy(data + 24, &sectors, sizeof(sectors));
    memcpy(data + 28, rest, size);
    put_word((unsigned)(length / 4), delta);
    put(data, length);
}

/* An I/O by program COMM. */
static void
put_queue(uint32_t delta, uint64_t sector, const char *rwbs, const char *comm)
{
    char rest[26] = "";
    snprintf(rest, 10, "%s", rwbs);
    snprintf(rest + 10, 16, "%s", comm);
    put_event(delta, 2097, sector, rest, sizeof(rest));
}

static void
set_commit(uint64_t flags)
{
    uint64_t commit = (book.used - DATA) | flags;
    memcpy(book.bytes + 8, &commit, sizeof(commit));
}

static uint64_t
begin(void)
{
    set_commit(0);
    return linux_trace_begin(&book.page, book.bytes, PAGE);
}

/* Reads up to ROOM records. Returns how many. */
static int
read_next(int room)
{
    return linux_trace_next(&book.page, book.formats, record, room);
}

FIXTURE(make_book, NULL)

TEST(a_record_has_the_fields_of_its_event)
{
    put_queue(700, 123456789012, "RS", "ioping");
    assert_int_equal(begin(), 0);
    assert_int_equal(read_next(2), 1);
    assert_int_equal(record[0].kind, OS_TRACE_QUEUE);
    assert_int_equal(record[0].time, START + 700);
    assert_int_equal(record[0].device, DISK);
    assert_int_equal(record[0].sector, 123456789012);
    assert_int_equal(record[0].sector_count, 8);
    assert_int_equal(record[0].thread, 4711);
    assert_false(record[0].by_kernel || record[0].is_flush || record[0].is_write);
    assert_int_equal(read_next(2), 0);
}

TEST(a_remap_has_where_it_comes_from)
{
    unsigned char rest[22] = {0};
    uint32_t device = 252U << 20 | 3;
    uint64_t sector = 777;
    memcpy(rest, &device, sizeof(device));
    memcpy(rest + 4, &sector, sizeof(sector));
    memcpy(rest + 12, "WS", 2);
    put_event(1, 2091, 2825, rest, sizeof(rest));
    begin();
    assert_int_equal(read_next(1), 1);
    assert_int_equal(record[0].kind, OS_TRACE_REMAP);
    assert_int_equal(record[0].sector, 2825);
    assert_int_equal(record[0].old_device, device);
    assert_int_equal(record[0].old_sector, 777);
    assert_true(record[0].is_write);
}

TEST(fields_are_where_the_format_has_them)
{
    put_event(1, 900, 16, "\0\0\0\0WS\0\0\0\0\0", 12);
    begin();
    assert_int_equal(read_next(1), 1);
    assert_int_equal(record[0].kind, OS_TRACE_COMPLETE);
    assert_true(record[0].is_write);
}

TEST(operations_are_told_by_their_letters)
{
    static const struct {
        const char *rwbs, *comm;
        uint64_t sector;
        bool write, flush, kernel;
    } cases[] = {
        {"R", "x", 8, false, false, false},
        {"WS", "x", 8, true, false, false},
        {"FWS", "x", UINT64_MAX, true, true, false},
        {"FWFS", "x", 8, true, false, false},
        {"FF", "kworker/0:1H", UINT64_MAX, false, true, true},
        {"RA", "kworker", 8, false, false, false},
        {"D", "kworker/u8:1", 8, false, false, true},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        put_queue(1, cases[i].sector, cases[i].rwbs, cases[i].comm);
    begin();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(read_next(1), 1);
        if (record[0].is_write != cases[i].write ||
            record[0].is_flush != cases[i].flush ||
            record[0].by_kernel != cases[i].kernel)
            fail_msg("%s by %s", cases[i].rwbs, cases[i].comm);
    }
}

TEST(a_mark_has_its_number_and_thread)
{
    static const struct {
        const char *text;
        uint64_t number;
    } cases[] = {{"ioping 12345678901234", 12345678901234}, {"ioping", 0}, {"2", 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        unsigned char data[48] = {5};
        uint16_t type = 5;
        int32_t thread = 4711;
        memcpy(data, &type, sizeof(type));
        memcpy(data + 4, &thread, sizeof(thread));
        memcpy(data + 16, cases[i].text, strlen(cases[i].text));
        size_t length = (16 + strlen(cases[i].text) + 1 + 3) / 4 * 4;
        put_word((unsigned)(length / 4), 1);
        put(data, length);
    }
    begin();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(read_next(1), 1);
        assert_int_equal(record[0].kind, OS_TRACE_MARK);
        assert_int_equal(record[0].sector, cases[i].number);
        assert_int_equal(record[0].thread, 4711);
    }
}

/* Its name has the number of the thread that it works for. */
TEST(a_thread_of_io_uring_is_that_it_works_for)
{
    put_queue(1, 8, "R", "iou-wrk-815");
    begin();
    assert_int_equal(read_next(1), 1);
    assert_int_equal(record[0].thread, 815);
    assert_false(record[0].by_kernel);
}

TEST(times_add_up_over_extensions_and_stamps)
{
    put_queue(10, 0, "R", "x");
    put_word(30, 5); /* extends the time by 3 << 27 and 5 */
    put_more(3);
    put_queue(20, 8, "R", "x");
    put_word(31, 99); /* it is 100 << 27 and 99 */
    put_more(100);
    put_queue(1, 16, "R", "x");
    begin();
    assert_int_equal(read_next(4), 3);
    assert_int_equal(record[0].time, START + 10);
    assert_int_equal(record[1].time, START + 10 + (3ULL << 27) + 5 + 20);
    assert_int_equal(record[2].time, (100ULL << 27) + 99 + 1);
}

/* One that a filter took back leaves its length, and its time unless that is 1. */
TEST(events_that_were_taken_back_are_skipped)
{
    static const unsigned char gone[24];
    put_word(29, 1);
    put_more(sizeof(gone));
    put(gone, sizeof(gone) - 4);
    put_word(29, 50);
    put_more(8);
    put(gone, 4);
    put_queue(3, 8, "R", "x");
    put_word(29, 0); /* the rest of the page */
    put_more(0);
    put_queue(3, 16, "R", "x");
    begin();
    assert_int_equal(read_next(4), 1);
    assert_int_equal(record[0].sector, 8);
    assert_int_equal(record[0].time, START + 50 + 3);
}

TEST(long_events_have_their_length_in_a_word_of_its_own)
{
    static const unsigned char other[200] = {1};
    put_word(0, 7);
    put_more(4 + sizeof(other));
    put(other, sizeof(other));
    put_queue(3, 8, "R", "x");
    begin();
    assert_int_equal(read_next(1), 1);
    assert_int_equal(record[0].sector, 8);
    assert_int_equal(record[0].time, START + 10);
}

TEST(other_events_are_no_records)
{
    put_event(5, 0, 8, "", 1); /* of a format that is not there */
    put_event(5, 3333, 8, "", 1);
    begin();
    assert_int_equal(read_next(1), 0);
}

TEST(what_does_not_fit_comes_next_and_only_once)
{
    for (unsigned i = 0; i < 5; i++)
        put_queue(10, i, "R", "x");
    begin();
    assert_int_equal(read_next(3), 3);
    assert_int_equal(record[2].sector, 2);
    assert_int_equal(read_next(0), 0);
    assert_int_equal(read_next(3), 2);
    assert_int_equal(record[0].sector, 3);
    assert_int_equal(record[1].sector, 4);
    assert_int_equal(record[1].time, START + 50);
    assert_int_equal(read_next(3), 0);
}

TEST(lost_events_are_counted)
{
    uint64_t missed = 1234;
    put_queue(1, 8, "R", "x");
    set_commit(1U << 31);
    assert_int_equal(linux_trace_begin(&book.page, book.bytes, PAGE), 1);
    set_commit(1U << 31 | 1U << 30);
    memcpy(book.bytes + book.used, &missed, sizeof(missed));
    assert_int_equal(linux_trace_begin(&book.page, book.bytes, PAGE), 1234);
    assert_int_equal(read_next(2), 1);
}

/* Wherever a page ends, nothing behind its end is read: sanitizers and valgrind see it.
 */
TEST(a_page_that_is_cut_off_has_what_is_whole)
{
    size_t whole;
    put_queue(1, 8, "R", "x");
    whole = book.used;
    put_word(31, 1);
    put_more(1);
    put_queue(1, 16, "R", "x");
    set_commit(1U << 31 | 1U << 30);
    for (size_t size = 0; size <= book.used; size++) {
        unsigned char *cut = malloc(size + 1);
        assert_non_null(cut);
        memcpy(cut, book.bytes, size);
        linux_trace_begin(&book.page, cut, size);
        int count = read_next(8);
        free(cut);
        assert_int_equal(count, (size >= whole) + (size >= book.used));
    }
}

TEST(bytes_that_make_no_sense_end_a_page)
{
    uint32_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        for (size_t at = 8; at < 256; at++) {
            seed = seed * 1664525 + 1013904223;
            book.bytes[at] = (unsigned char)(seed >> 24);
        }
        linux_trace_begin(&book.page, book.bytes, 256);
        while (read_next(8) > 0)
            ;
        assert_true(book.page.offset <= book.page.size && book.page.size <= 256 - DATA);
    }
}

FIXTURE(NULL, NULL)

TEST(a_format_without_what_is_needed_is_refused)
{
    struct linux_trace_format format;
    struct linux_trace_page page;
    assert_int_equal(linux_trace_format("", OS_TRACE_ISSUE, &format), -1);
    assert_int_equal(linux_trace_format(complete_format, OS_TRACE_QUEUE, &format), -1);
    assert_int_equal(linux_trace_format(queue_format, OS_TRACE_REMAP, &format), -1);
    assert_int_equal(linux_trace_format(queue_format, OS_TRACE_ISSUE, &format), 0);
    assert_int_equal(linux_trace_header("", &page), -1);
}

static void
check_filter(const struct os_layout *layouts, int count, enum os_trace_kind kind,
             bool ranges, const char *expected)
{
    const struct os_layout *each[4];
    struct buffer filter = {0};
    for (int i = 0; i < count; i++)
        each[i] = &layouts[i];
    linux_trace_filter(each, count, kind, ranges, "me", &filter);
    assert_false(filter.failed);
    assert_string_equal(filter.text, expected);
    buffer_free(&filter);
}

/* A merge may begin 8192 sectors before or end so many behind; a flush has no sector. */
TEST(a_filter_has_the_devices_and_their_sectors)
{
    struct os_extent extents[] = {{0, 4096, 90000}, {4096, 8192, 20000}, {0, 512, 100}};
    const struct os_layout layouts[] = {
        {.devices = {{101, 100, 0, true, false}},
         .device_count = 1,
         .extents = extents,
         .extent_count = 2},
        {.devices = {{200, 200, 0, false, false}, {300, 300, 0, true, false}},
         .device_count = 2},
        {.devices = {{400, 400, 0, true, false}},
         .device_count = 1,
         .extents = extents + 2,
         .extent_count = 1},
        {.devices = {{500, 500, 0, true, false}, {600, 600, 0, false, true}},
         .device_count = 2,
         .top_index = 1},
        {.devices = {{700, 700, 0, false, false, true}, {800, 800, 0, true, false}},
         .device_count = 2,
         .is_remapped = true},
    };
    check_filter(layouts, 1, OS_TRACE_ISSUE, true,
                 "(dev == 101 || dev == 100) && (nr_sector == 0 || (sector >= 11808 && "
                 "sector <= 98201))");
    check_filter(layouts, 1, OS_TRACE_QUEUE, true,
                 "(dev == 101 || dev == 100) && (nr_sector == 0 || (sector >= 11808 && "
                 "sector <= 98201) || comm == \"me\" || comm ~ \"iou-wrk-*\")");
    check_filter(layouts, 2, OS_TRACE_QUEUE, false,
                 "(dev == 101 || dev == 100) || (dev == 200) || (dev == 300)");
    check_filter(layouts + 1, 1, OS_TRACE_REMAP, true,
                 "(dev == 200 || old_dev == 200) || (dev == 300 || old_dev == 300)");
    check_filter(layouts + 3, 1, OS_TRACE_QUEUE, true, "(dev == 500) || (dev == 600)");
    check_filter(layouts + 3, 1, OS_TRACE_ISSUE, true, "(dev == 500)");
    check_filter(layouts + 3, 1, OS_TRACE_COMPLETE, true, "(dev == 500) || (dev == 600)");
    check_filter(layouts + 4, 1, OS_TRACE_BIO_COMPLETE, true, "(dev == 700)");
    check_filter(layouts + 4, 1, OS_TRACE_REQUEST_REMAP, true,
                 "(dev == 700 || old_dev == 700) || (dev == 800 || old_dev == 800)");
    check_filter(layouts + 2, 1, OS_TRACE_COMPLETE, true,
                 "(dev == 400) && (nr_sector == 0 || (sector >= 0 && sector <= 8294))");
}
