/* Before a read in nocache mode a worker looks at the page cache and evicts. */
#include "setup.h"

static int resident_answers, resident_asked;

/* Says "resident" so many times, then "not". */
static int
fake_resident(int fd, int64_t offset, int64_t length)
{
    assert_int_equal(fd, -1);
    assert_int_equal(offset % SIZE, 0);
    assert_int_equal(length, SIZE);
    resident_asked++;
    return resident_answers-- > 0;
}

static void
run_nocache(int resident, enum io_mode mode, enum option_id load)
{
    resident_asked = 0;
    resident_answers = resident;
    setup_begin(&setup, 1);
    setup.options.given[load] = 3;
    setup.target.description.mode = mode;
    setup.target.find_resident = fake_resident;
    setup_run(&setup);
}

TEST(a_read_whose_pages_stay_in_the_cache_does_not_count)
{
    run_nocache(100, IO_MODE_NOCACHE, OPTION_QUIET);
    assert_int_equal(setup.seen[0].verdict, VERDICT_CACHED);
    assert_int_equal(setup.worker.account.total.cached, 1);
    assert_int_equal(setup.worker.account.total.latency.count, 0);
    assert_int_equal(setup.worker.account.first_failed.index, 0);
}

TEST(a_read_whose_pages_could_be_dropped_counts)
{
    for (int resident = 0; resident < 3; resident++) {
        run_nocache(resident, IO_MODE_NOCACHE, OPTION_QUIET);
        assert_int_equal(resident_asked, resident + 1);
        assert_int_equal(setup.seen[0].verdict, VERDICT_NONE);
        assert_int_equal(setup.worker.account.total.latency.count, 1);
    }
}

TEST(writes_and_other_modes_do_not_look_at_the_cache)
{
    static const struct {
        enum io_mode mode;
        enum option_id load;
    } cases[] = {{IO_MODE_NOCACHE, OPTION_WRITE},
                 {IO_MODE_DIRECT, OPTION_QUIET},
                 {IO_MODE_CACHED, OPTION_QUIET}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        run_nocache(100, cases[i].mode, cases[i].load);
        assert_int_equal(resident_asked, 0);
        assert_int_equal(setup.seen[0].verdict, VERDICT_NONE);
    }
}

/* The engine of these tests has nothing read by a device. */
TEST(a_read_for_which_no_device_read_does_not_count)
{
    static const struct {
        enum option_id load;
        enum verdict verdict;
    } cases[] = {{OPTION_QUIET, VERDICT_CACHED}, {OPTION_WRITE, VERDICT_NONE}};
    for (int i = 0; i < 2; i++) {
        setup_begin(&setup, 1);
        setup.options.given[cases[i].load] = 3;
        setup.target.description.mode = IO_MODE_NOCACHE;
        setup.target.counts_sectors = true;
        setup_run(&setup);
        assert_int_equal(setup.seen[0].verdict, cases[i].verdict);
    }
}
