#ifndef IO_TEST_QUEUE_H
#define IO_TEST_QUEUE_H

/*
 * A queue for tests, on real files. Tests play faults and delays of the system: the
 * linker
 * (--wrap) replaces syscall(2) in the library by the __wrap_syscall() that is defined
 * here. A test program includes this header in one file only.
 */
#include "support.h"

#include "io/io.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"

#include <linux/aio_abi.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#define FOREVER INT64_MAX

enum { BLOCK = 4096, BLOCKS = 256, MOST = 4096 };

/* A function that is called before each system call, and may change its arguments.
 * Returns true if it has answered the call itself, with RESULT and errno. Returns false
 * if the system is to answer the call. */
typedef bool hook_function(long number, long *argument, long *result);
static hook_function *hook;
static atomic_int hooked; /* a number that the hook may use as it likes */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static inline long
call(long number, const long *argument)
{
    return __real_syscall(number, argument[0], argument[1], argument[2], argument[3],
                          argument[4], argument[5]);
}

long
__wrap_syscall(long number, ...)
{
    long argument[6], result;
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    if (hook && hook(number, argument, &result))
        return result;
    return call(number, argument);
}

static inline bool
fail_with(int number, long *result)
{
    errno = number;
    *result = -1;
    return true;
}

/* The queue of a test. */
struct queue {
    const struct io_engine *engine;
    struct io_config config;
    struct io_queue *io_queue;
    struct io_completion done[MOST]; /* completions of the last reap, or by slot */
};
static struct queue queue;

#define AIO io_find_engine('A')
#define RING io_find_engine('U')

/* A variant of a test: the engine that is tested, and the hook at the begin. */
struct queue_row {
    const char *name;
    char option; /* option that selects the engine */
    hook_function *hook;
};
static const struct queue_row both[] = {{"by_aio", 'A'}, {"by_uring", 'U'}};
static const struct io_engine *engine; /* engine of the test that runs */

/* Sets the engine and the hook of a test. A test without variants is about io_uring. */
static inline int
choose(void **state)
{
    const struct queue_row *row = *state;
    engine = row ? io_find_engine(row->option) : RING;
    hook = row ? row->hook : NULL;
    hooked = 0;
    return 0;
}

FIXTURE(choose, NULL)

static inline struct io_queue *
try_open(const struct io_engine *which, const struct io_config *config)
{
    struct error error;
    return io_open(which, which->name, config, &error);
}

static inline int
begin(void)
{
    return queue.engine->begin ? queue.engine->begin(queue.io_queue) : 0;
}

static inline void
end(void)
{
    if (queue.engine->end)
        queue.engine->end(queue.io_queue);
}

static inline void
open_only(const struct io_engine *which, struct io_config config)
{
    size_t bytes = (size_t)config.depth * config.size;
    need_built_in(which);
    config.memory = os_memory_aligned(BLOCK, bytes);
    assert_non_null(config.memory);
    memset(config.memory, 'm', bytes);
    queue.engine = which;
    queue.config = config;
    queue.io_queue = try_open(which, &config);
    if (!queue.io_queue && (errno == ENOSYS || errno == EPERM))
        skip_because("needs a kernel and a container that allow asynchronous I/O");
    assert_non_null(queue.io_queue);
}

static inline void
start(const struct io_engine *which, int fd, int depth)
{
    open_only(which, (struct io_config){.fd = fd, .depth = depth, .size = BLOCK});
    assert_int_equal(begin(), 0);
}

static inline void
stop(void)
{
    end();
    assert_true(io_close(queue.engine, queue.io_queue));
    os_memory_free(queue.config.memory);
    close(queue.config.fd);
}

static inline char *
buffer_of(int slot)
{
    return queue.config.memory + (size_t)slot * queue.config.size;
}

static inline void
submit(int slot, enum operation operation, size_t size, int64_t offset)
{
    static struct io_request requests[4096]; /* must stay until they are reaped */
    requests[slot] = (struct io_request){operation, slot, size, offset};
    queue.engine->submit(queue.io_queue, &requests[slot]);
}

static inline int
reap(struct io_completion *done, int64_t when)
{
    return queue.engine->reap(queue.io_queue, done, when);
}

/* Reaps until at least one request is complete, also if the wait is interrupted. */
static inline int
reap_some(struct io_completion *done)
{
    int got;
    do
        got = reap(done, FOREVER);
    while (got == 0);
    return got;
}

/* Reaps until COUNT requests are complete, and stores their completions by slot. Each of
 * the first COUNT slots must complete once. */
static inline void
reap_slots(int count)
{
    static struct io_completion some[MOST];
    bool seen[MOST] = {false};
    for (int left = count; left > 0;) {
        int got = reap_some(some);
        assert_in_range(got, 1, left);
        for (int i = 0; i < got; i++) {
            assert_in_range(some[i].slot, 0, count - 1);
            assert_false(seen[some[i].slot]);
            seen[some[i].slot] = true;
            queue.done[some[i].slot] = some[i];
        }
        left -= got;
    }
}

static inline void
assert_done(int slot, int error, int64_t bytes)
{
    assert_int_equal(queue.done[slot].error, error);
    assert_int_equal(queue.done[slot].bytes, bytes);
}

/* Fills the block at OFFSET of the test's file: each 8 bytes hold their own offset. */
static inline void
fill(char *buffer, int64_t offset)
{
    for (int64_t at = 0; at < BLOCK; at += 8) {
        int64_t value = offset + at;
        memcpy(buffer + at, &value, sizeof(value));
    }
}

static inline void
assert_data(const char *buffer, int64_t offset)
{
    char expected[BLOCK];
    fill(expected, offset);
    assert_memory_equal(buffer, expected, BLOCK);
}

static inline int
make_file(void)
{
    char path[1100], block[BLOCK];
    snprintf(path, sizeof(path), "%s/data", scratch());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    for (int64_t offset = 0; offset < BLOCKS * BLOCK; offset += BLOCK) {
        fill(block, offset);
        assert_int_equal(pwrite(fd, block, BLOCK, offset), BLOCK);
    }
    return fd;
}

static inline int64_t
offset_of(int slot)
{
    return (int64_t)(slot * 7 % BLOCKS) * BLOCK;
}

/* Reads one block of the file into each slot, and checks the data. */
static inline void
read_all_slots(void)
{
    int depth = queue.config.depth;
    for (int slot = 0; slot < depth; slot++)
        submit(slot, OPERATION_READ, BLOCK, offset_of(slot));
    reap_slots(depth);
    for (int slot = 0; slot < depth; slot++) {
        assert_done(slot, 0, BLOCK);
        assert_data(buffer_of(slot), offset_of(slot));
    }
}

/*
 * Makes a socket that is connected to itself, so that a read waits for a write to it.
 * Linux AIO would wait while it sends the read, so there a hook holds the read back until
 * let_go.
 */
static inline int
make_echo(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof(address);
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, length), 0);
    return fd;
}

static struct iocb *held[1]; /* the request that the hook holds back */
static long held_context;    /* the kernel's handle of its queue */

/* A hook that claims to have sent a request, and keeps it in `held` instead. */
static inline bool
hold(long number, long *argument, long *result)
{
    if (number != SYS_io_submit)
        return false;
    held_context = argument[0];
    held[0] = ((struct iocb **)argument[2])[0];
    *result = 1;
    return true;
}

/* Submits a read that does not complete before let_go. */
static inline void
send_slow(const struct io_engine *which)
{
    if (which == AIO && is_linux_aio())
        hook = hold;
    submit(0, OPERATION_READ, BLOCK, 0);
}

/* Lets the request of send_slow complete. Returns false if that fails. */
static inline bool
let_go(void)
{
    bool late = hook == hold;
    if (write(queue.config.fd, "echo", 4) != 4)
        return false;
    hook = NULL;
    return !late || syscall(SYS_io_submit, held_context, 1L, held) == 1;
}

static inline void
assert_slow_completes(void)
{
    assert_true(let_go());
    reap_slots(1);
    assert_done(0, 0, 4);
    assert_memory_equal(buffer_of(0), "echo", 4);
}

/* Keeps all slots in flight until TOTAL requests are complete, and returns the number of
 * wrong completions. Any thread may call it, because it asserts nothing. */
static inline int
keep_busy(int total)
{
    static bool busy[MOST];
    static int64_t offsets[MOST];
    int depth = queue.config.depth, sent = 0, wrong = 0;
    memset(busy, 0, sizeof(busy));
    for (int complete = 0; complete < total;) {
        for (int slot = 0; slot < depth && sent < total; slot++) {
            if (busy[slot])
                continue;
            busy[slot] = true;
            offsets[slot] = (int64_t)(sent++ * 31LL % BLOCKS) * BLOCK;
            submit(slot, OPERATION_READ, 512, offsets[slot]);
        }
        int got = reap(queue.done, FOREVER);
        if (got < 0 || got > depth)
            return total;
        complete += got;
        for (int i = 0; i < got; i++) {
            int slot = queue.done[i].slot;
            if (slot < 0 || slot >= depth || !busy[slot])
                return total;
            busy[slot] = false;
            wrong += queue.done[i].error != 0 || queue.done[i].bytes != 512 ||
                     memcmp(buffer_of(slot), &offsets[slot], 8) != 0;
        }
    }
    return wrong + (reap(queue.done, 1) != 0);
}

#endif
