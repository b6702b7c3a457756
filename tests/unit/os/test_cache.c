/* Pages of a real file in the page cache. */
/* Marks: apart chroot */
#include "support.h"

#include "os/os.h"
#include "os/storage.h"

enum { MB = 1 << 20, SIZE = 8 * MB };

/* A file of 8 MiB on the disk and not in the page cache, open for reading. */
static int
open_dropped(void)
{
    static char block[MB];
    char path[1100];
    struct os_mount mount;
    snprintf(path, sizeof(path), "%s/cache", scratch());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(describe_mount(fd, &mount), 0);
    if (mount.is_in_memory) {
        close(fd);
        skip_because("a file in memory cannot be dropped");
    }
    memset(block, 'x', sizeof(block));
    for (int i = 0; i < SIZE / MB; i++)
        assert_int_equal(os_file_write(fd, block, MB, (int64_t)i * MB, 0), MB);
    assert_int_equal(os_file_flush(fd), 0);
    assert_int_equal(os_file_random(fd, 0, SIZE), 0);
    assert_int_equal(os_file_drop(fd, 0, SIZE), 0);
    return fd;
}

static os_resident_function *
choose(int fd, int64_t witness)
{
    char byte;
    need_resident();
    assert_int_equal(os_file_read(fd, &byte, 1, witness, 0), 1);
    os_resident_function *resident = os_resident_choose(fd, witness);
    assert_non_null(resident);
    return resident;
}

TEST(a_page_that_was_read_is_resident)
{
    int fd = open_dropped();
    os_resident_function *resident = choose(fd, 0);
    assert_int_equal(resident(fd, 0, 4096), 1);
    assert_int_equal(resident(fd, 100, 1), 1);
    assert_int_equal(resident(fd, 0, SIZE), 1);
    close(fd);
}

TEST(a_page_that_was_dropped_is_not)
{
    int fd = open_dropped();
    os_resident_function *resident = choose(fd, 0);
    assert_int_equal(os_file_drop(fd, 0, 2 * MB), 0);
    assert_int_equal(resident(fd, 0, 4096), 0);
    assert_int_equal(resident(fd, 0, SIZE), 0);
    close(fd);
}

TEST(random_advice_keeps_the_pages_beyond_out)
{
    int fd = open_dropped();
    os_resident_function *resident = choose(fd, 4 * MB);
    assert_int_equal(resident(fd, 4 * MB, 4096), 1);
    assert_int_equal(resident(fd, 0, 4 * MB), 0);
    assert_int_equal(resident(fd, 5 * MB, 3 * MB), 0);
    close(fd);
}

TEST(there_is_no_way_to_ask_when_the_witness_does_not_show)
{
    int fd = open_dropped();
    assert_null(os_resident_choose(fd, 0));
    close(fd);
}

/* How long the test tries to drop pages, in ms. */
#define PATIENCE 10000

/*
 * The way of asking that needs no rights. It may itself begin a read, and a fast
 * device may end that at once, so what was dropped shows only mostly. A slow one may be
 * so busy with others that the read goes on, and its pages cannot be dropped before.
 */
TEST(a_trial_read_tells_what_is_resident)
{
    char byte;
    int fd = open_dropped();
    int dropped = os_file_resident_try(fd, 0);
    for (int ms = 0; ms < PATIENCE && dropped == 1; ms++) {
        usleep(1000);
        assert_int_equal(os_file_drop(fd, 0, SIZE), 0);
        dropped = os_file_resident_try(fd, 0);
    }
    if (dropped < 0) {
        close(fd);
        skip_because("this file system refuses trial reads");
    }
    assert_int_equal(dropped, 0);
    assert_int_equal(os_file_direct(fd, false), 0);
    assert_int_equal(os_file_read(fd, &byte, 1, 4 * MB, 0), 1);
    assert_int_equal(os_file_resident_try(fd, 4 * MB), 1);
    close(fd);
}

TEST(a_bad_descriptor_is_not_known)
{
    int fd = open_dropped();
    os_resident_function *resident = choose(fd, 0);
    close(fd);
    assert_int_equal(resident(-1, 0, 4096), -1);
    assert_null(os_resident_choose(-1, 0));
    assert_int_equal(os_file_resident_try(-1, 0), -1);
    assert_int_equal(os_file_drop(-1, 0, 4096), -1);
}
