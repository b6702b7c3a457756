/* The engines with a queue, on a real file. The tests play a system without them: the
 * linker (--wrap) leads the library's system calls through this file. */
#include "support.h"

#include "io/io.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"

#include <sys/syscall.h>

enum { BLOCK = 4096, BLOCKS = 16, DEPTH = 4 };

static long refused_call = -1; /* none; 0 is one on some processors */
static int refusal;            /* its errno */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long
__wrap_syscall(long number, ...)
{
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    if (number == refused_call) {
        errno = refusal;
        return -1;
    }
    return __real_syscall(number, argument[0], argument[1], argument[2], argument[3],
                          argument[4], argument[5]);
}

static const char options[] = {'A', 'U'};

static const struct io_engine *engine;
static struct io_queue *queue;
static struct io_config config;
static struct io_completion done[DEPTH]; /* by slot */

/* A file whose blocks are all 'a', all 'b' and so on. */
static int
make_file(int flags)
{
    char path[1100], block[BLOCK];
    snprintf(path, sizeof(path), "%s/async", scratch());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    for (int i = 0; i < BLOCKS; i++) {
        memset(block, 'a' + i, BLOCK);
        assert_int_equal(write(fd, block, BLOCK), BLOCK);
    }
    assert_int_equal(fsync(fd), 0);
    close(fd);
    fd = open(path, flags);
    assert_true(fd >= 0);
    return fd;
}

static void
start(char option, int fd, int rw_flags)
{
    struct error error;
    config =
        (struct io_config){.fd = fd, .rw_flags = rw_flags, .depth = DEPTH, .size = BLOCK};
    config.memory = os_memory_aligned(BLOCK, DEPTH * BLOCK);
    assert_non_null(config.memory);
    memset(config.memory, 'm', DEPTH * BLOCK);
    engine = io_engine_of(option);
    queue = io_open(engine, engine->name, &config, &error);
    if (!queue) {
        os_memory_free(config.memory);
        close(fd);
        skip_because(option == 'A' ? "needs a kernel that allows Linux AIO"
                                   : "needs a kernel that allows io_uring");
    }
    if (engine->begin)
        engine->begin(queue);
}

static void
stop(void)
{
    io_close(engine, queue);
    os_memory_free(config.memory);
    close(config.fd);
}

static char *
buffer_of(int slot)
{
    return config.memory + slot * BLOCK;
}

static void
submit(enum operation operation, int slot, size_t size, int64_t offset)
{
    static struct io_request requests[DEPTH]; /* they stay until they are reaped */
    requests[slot] = (struct io_request){operation, slot, size, offset};
    engine->submit(queue, &requests[slot]);
}

/* Waits for COUNT requests, each of a slot of its own. */
static void
reap(int count)
{
    bool seen[DEPTH] = {false};
    while (count > 0) {
        struct io_completion some[DEPTH];
        int got = engine->reap(queue, some, INT64_MAX);
        assert_in_range(got, 0, count);
        for (int i = 0; i < got; i++) {
            assert_in_range(some[i].slot, 0, DEPTH - 1);
            assert_false(seen[some[i].slot]);
            seen[some[i].slot] = true;
            done[some[i].slot] = some[i];
        }
        count -= got;
    }
}

static void
perform(enum operation operation, int slot, size_t size, int64_t offset)
{
    submit(operation, slot, size, offset);
    done[slot] = (struct io_completion){-7, -7, -7};
    reap(1);
    assert_int_equal(done[slot].slot, slot);
}

TEST(each_option_has_its_engine)
{
    assert_false(io_engine_of(0)->many);
    assert_non_null(io_engine_of(0)->name);
    for (size_t i = 0; i < sizeof(options); i++) {
        need_built_in(io_engine_of(options[i]));
        assert_int_equal(io_engine_of(options[i])->option, options[i]);
        assert_true(io_engine_of(options[i])->many);
    }
}

TEST(what_the_system_lacks_is_an_error_with_advice)
{
    char line[ERROR_LINE], expected[ERROR_LINE];
    const struct io_config none = {.fd = -1, .depth = 1};
    const struct io_engine *absent = io_engine_of('?');
    struct error error;
    assert_null(absent->name);
    errno = 0;
    assert_null(io_open(absent, "engine X", &none, &error));
    assert_int_equal(errno, ENOTSUP);
    assert_int_equal(error.status, EXIT_PREPARE);
    error_format(&error, line, sizeof(line));
    snprintf(expected, sizeof(expected),
             "ioping: engine X is not available here: %s; %s\n", strerror(ENOTSUP),
             io_engine_of('U')->name   ? "use -U or none"
             : io_engine_of('A')->name ? "use -A or none"
                                       : "use -threads instead");
    assert_string_equal(line, expected);
}

TEST(reads_of_all_slots_come_into_their_buffers)
{
    for (size_t i = 0; i < 2; i++) {
        char expected[BLOCK];
        start(options[i], make_file(O_RDONLY), 0);
        for (int slot = 0; slot < DEPTH; slot++)
            submit(OPERATION_READ, slot, BLOCK, (int64_t)(3 * slot + 1) * BLOCK);
        reap(DEPTH);
        for (int slot = 0; slot < DEPTH; slot++) {
            assert_int_equal(done[slot].error, 0);
            assert_int_equal(done[slot].bytes, BLOCK);
            memset(expected, 'a' + 3 * slot + 1, BLOCK);
            assert_memory_equal(buffer_of(slot), expected, BLOCK);
        }
        stop();
    }
}

TEST(writes_go_to_their_offsets)
{
    for (size_t i = 0; i < 2; i++) {
        char back[3 * 512], expected[3 * 512];
        int fd = make_file(O_RDWR);
        start(options[i], fd, 0);
        memset(buffer_of(2), 'W', BLOCK);
        perform(OPERATION_WRITE, 2, 512, 5 * BLOCK + 512);
        assert_int_equal(done[2].error, 0);
        assert_int_equal(done[2].bytes, 512);
        assert_int_equal(pread(fd, back, sizeof(back), 5 * BLOCK), sizeof(back));
        memset(expected, 'f', sizeof(expected));
        memset(expected + 512, 'W', 512);
        assert_memory_equal(back, expected, sizeof(back));
        stop();
    }
}

TEST(flushes_move_nothing)
{
    for (size_t i = 0; i < 2; i++) {
        start(options[i], make_file(O_RDWR), 0);
        perform(OPERATION_FLUSH, 1, 0, 0);
        assert_int_equal(done[1].error, 0);
        assert_int_equal(done[1].bytes, 0);
        stop();
    }
}

/* A pipe cannot be flushed: so it was asked. */
TEST(a_flush_is_a_flush)
{
    for (size_t i = 0; i < 2; i++) {
        int pipes[2];
        assert_int_equal(pipe(pipes), 0);
        close(pipes[0]);
        start(options[i], pipes[1], 0);
        perform(OPERATION_FLUSH, 3, 0, 0);
        assert_int_equal(done[3].error, EINVAL);
        assert_int_equal(done[3].bytes, 0);
        stop();
    }
}

TEST(a_failure_does_not_touch_the_others)
{
    for (size_t i = 0; i < 2; i++) {
        start(options[i], make_file(O_RDONLY), 0);
        submit(OPERATION_READ, 0, BLOCK, 0);
        submit(OPERATION_WRITE, 1, BLOCK, 0);
        submit(OPERATION_READ, 2, BLOCK, BLOCK);
        reap(3);
        assert_int_equal(done[0].error, 0);
        assert_int_equal(done[0].bytes, BLOCK);
        assert_int_equal(done[1].error, EBADF);
        assert_int_equal(done[1].bytes, 0);
        assert_int_equal(done[2].error, 0);
        assert_int_equal(done[2].bytes, BLOCK);
        assert_int_equal(*buffer_of(2), 'b');
        stop();
    }
}

TEST(reads_are_short_at_the_end_of_the_file)
{
    for (size_t i = 0; i < 2; i++) {
        start(options[i], make_file(O_RDONLY), 0);
        perform(OPERATION_READ, 0, BLOCK, BLOCKS * BLOCK - 100);
        assert_int_equal(done[0].error, 0);
        assert_int_equal(done[0].bytes, 100);
        perform(OPERATION_READ, 0, BLOCK, BLOCKS * BLOCK);
        assert_int_equal(done[0].error, 0);
        assert_int_equal(done[0].bytes, 0);
        stop();
    }
}

/* Nothing is in the page cache, so a read that may not wait cannot be served; unless the
 * disk is so fast that it is there when the kernel looks again. */
TEST(flags_reach_the_kernel)
{
    need_flags();
    for (size_t i = 0; i < 2; i++) {
        struct os_mount mount;
        int fd = make_file(O_RDONLY);
        assert_int_equal(describe_mount(fd, &mount), 0);
        if (mount.memory) {
            close(fd);
            skip_because("a file in memory cannot be dropped");
        }
        assert_int_equal(os_file_drop(fd, 0, BLOCKS * BLOCK), 0);
        start(options[i], fd, OS_RW_NOWAIT);
        for (int tries = 0; tries < 5; tries++) {
            perform(OPERATION_READ, 0, BLOCK, 0);
            if (done[0].error)
                break;
            assert_int_equal(os_file_drop(fd, 0, BLOCKS * BLOCK), 0);
        }
        assert_true(done[0].error == EAGAIN || done[0].error == EOPNOTSUPP);
        assert_int_equal(done[0].bytes, 0);
        stop();
    }
}

TEST(a_wait_ends_at_its_time)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    start('U', pipes[0], 0);
    submit(OPERATION_READ, 0, 5, 0);
    struct io_completion some[DEPTH];
    assert_int_equal(engine->reap(queue, some, os_clock_now() + 20000000), 0);
    assert_int_equal(write(pipes[1], "HELLO", 5), 5);
    reap(1);
    assert_int_equal(done[0].bytes, 5);
    assert_memory_equal(buffer_of(0), "HELLO", 5);
    stop();
    close(pipes[1]);
}

TEST(a_system_without_them_is_an_error_with_advice)
{
    static const struct {
        char option;
        long call;
        int number;
        const char *line;
    } cases[] = {
        {'U', SYS_io_uring_setup, ENOSYS,
         "ioping: io_uring is not available here: Function not implemented; "
         "use -A or none\n"},
        {'U', SYS_io_uring_setup, EPERM,
         "ioping: io_uring is not available here: Operation not permitted; "
         "use -A or none\n"},
        {'A', SYS_io_setup, ENOSYS,
         "ioping: Linux AIO is not available here: Function not implemented; "
         "use -U or none\n"},
        {'A', SYS_io_setup, EPERM,
         "ioping: Linux AIO is not available here: Operation not permitted; "
         "use -U or none\n"},
        {'A', SYS_io_setup, EAGAIN,
         "ioping: Linux AIO is not available here: "
         "Resource temporarily unavailable; see fs.aio-max-nr, or use -U\n"},
    };
    need_built_in(io_engine_of('U')); /* the test plays Linux */
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char memory[DEPTH * 8], line[ERROR_LINE];
        struct io_config small = {.depth = DEPTH, .memory = memory, .size = 8};
        struct error error;
        memset(&error, 'x', sizeof(error));
        const struct io_engine *none = io_engine_of(cases[i].option);
        refused_call = cases[i].call;
        refusal = cases[i].number;
        queue = io_open(none, none->name, &small, &error);
        refused_call = -1;
        assert_null(queue);
        assert_int_equal(error.status, EXIT_PREPARE);
        assert_false(error.usage);
        error_format(&error, line, sizeof(line));
        assert_string_equal(line, cases[i].line);
    }
}
