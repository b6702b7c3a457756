/* The default engine on a real file, and its errors. */
#include "support.h"

#include "io/io.h"
#include "os/os.h"

/* Makes a file of SIZE bytes 'a', and returns a descriptor to read and write it. */
static int
make_file(size_t size)
{
    char path[1100], byte = 'a';
    snprintf(path, sizeof(path), "%s/file", scratch());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(write(fd, &byte, 1), 1);
    return fd;
}

/* Makes one request with a queue of its own, and returns the completion. */
static struct io_completion
perform(int fd, int rw_flags, enum operation operation, void *buffer, size_t size,
        int64_t offset)
{
    const struct io_engine *engine = io_find_engine(0);
    struct io_config config = {
        .fd = fd, .rw_flags = rw_flags, .depth = 1, .memory = buffer, .size = size};
    struct io_request request = {operation, 0, size, offset};
    struct io_completion completion = {.slot = -7, .bytes = -7, .error = -7};
    struct error error;
    struct io_queue *queue = io_open(engine, engine->name, &config, &error);
    assert_non_null(queue);
    engine->submit(queue, &request);
    assert_int_equal(engine->reap(queue, &completion, INT64_MAX), 1);
    assert_int_equal(completion.slot, 0);
    assert_true(io_close(engine, queue));
    return completion;
}

TEST(reads_at_the_offset)
{
    char buffer[] = "......";
    int fd = make_file(100);
    assert_int_equal(pwrite(fd, "HELLO", 5, 50), 5);
    struct io_completion done = perform(fd, 0, OPERATION_READ, buffer, 6, 49);
    assert_int_equal(done.error, 0);
    assert_int_equal(done.bytes, 6);
    assert_memory_equal(buffer, "aHELLO", 6);
    close(fd);
}

/* Number of reads that fail with EINTR, before a read is made. */
static int interruptions;

int64_t __real_os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags);
int64_t
__wrap_os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    errno = EINTR;
    return interruptions-- > 0 ? -1
                               : __real_os_file_read(fd, buffer, size, offset, flags);
}

TEST(makes_a_call_again_that_a_signal_interrupts)
{
    char buffer[] = "...";
    int fd = make_file(100);
    interruptions = 3;
    struct io_completion done = perform(fd, 0, OPERATION_READ, buffer, 3, 49);
    assert_int_equal(done.error, 0);
    assert_int_equal(done.bytes, 3);
    assert_int_equal(interruptions, -1);
    assert_string_equal(buffer, "aaa");
    close(fd);
}

TEST(writes_at_the_offset)
{
    char text[] = "HELLO", back[7];
    int fd = make_file(100);
    struct io_completion done = perform(fd, 0, OPERATION_WRITE, text, 5, 50);
    assert_int_equal(done.error, 0);
    assert_int_equal(done.bytes, 5);
    assert_int_equal(pread(fd, back, 7, 49), 7);
    assert_memory_equal(back, "aHELLOa", 7);
    close(fd);
}

TEST(flushes_and_moves_nothing)
{
    int fd = make_file(100), pipes[2];
    struct io_completion done = perform(fd, 0, OPERATION_FLUSH, NULL, 0, 0);
    assert_int_equal(done.error, 0);
    assert_int_equal(done.bytes, 0);
    close(fd);
    /* A pipe cannot be flushed, so the error shows that a flush was tried. */
    assert_int_equal(pipe(pipes), 0);
    done = perform(pipes[1], 0, OPERATION_FLUSH, NULL, 0, 0);
    assert_int_equal(done.error, EINVAL);
    close(pipes[0]);
    close(pipes[1]);
}

TEST(tells_the_errno_of_a_bad_descriptor)
{
    char buffer[8] = {0};
    static const enum operation all[] = {OPERATION_READ, OPERATION_WRITE,
                                         OPERATION_FLUSH};
    for (size_t i = 0; i < 3; i++) {
        struct io_completion done = perform(-1, 0, all[i], buffer, 8, 0);
        assert_int_equal(done.error, EBADF);
        assert_int_equal(done.bytes, 0);
    }
}

TEST(tells_the_errno_of_a_refused_write)
{
    char path[1100], buffer[8] = {0};
    close(make_file(10));
    snprintf(path, sizeof(path), "%s/file", scratch());
    int fd = open(path, O_RDONLY);
    struct io_completion done = perform(fd, 0, OPERATION_WRITE, buffer, 8, 0);
    assert_int_equal(done.error, EBADF);
    done = perform(fd, 0, OPERATION_READ, buffer, 8, 0);
    assert_int_equal(done.error, 0);
    assert_int_equal(done.bytes, 8);
    close(fd);
}

TEST(reads_short_at_the_end_of_the_file)
{
    char buffer[64];
    int fd = make_file(100);
    struct io_completion done = perform(fd, 0, OPERATION_READ, buffer, 64, 90);
    assert_int_equal(done.error, 0);
    assert_int_equal(done.bytes, 10);
    done = perform(fd, 0, OPERATION_READ, buffer, 64, 100);
    assert_int_equal(done.error, 0);
    assert_int_equal(done.bytes, 0);
    close(fd);
}

/* Files of /proc do not support RWF_NOWAIT, so the error shows that the flag arrived. */
TEST(flags_reach_the_kernel)
{
    char buffer[8];
    need_flags();
    int fd = open("/proc/self/status", O_RDONLY);
    if (fd < 0)
        skip_because("needs /proc");
    struct io_completion done = perform(fd, OS_RW_NOWAIT, OPERATION_READ, buffer, 8, 0);
    if (done.error == ENOSYS)
        skip_because("needs a kernel or an emulator that knows preadv2(2)");
    assert_int_equal(done.error, EOPNOTSUPP);
    assert_int_equal(done.bytes, 0);
    done = perform(fd, 0, OPERATION_READ, buffer, 8, 0);
    assert_int_equal(done.error, 0);
    assert_int_equal(done.bytes, 8);
    close(fd);
}
