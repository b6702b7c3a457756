/*
 * Tests functions of os.h on Windows whose contracts cannot be tested with the program
 * alone. Usage: functions FOLDER. Prints a line for each test: "ok" or "FAILED", and its
 * name.
 */
#include "base/time.h"
#include "io/io.h"
#include "os/os.h"
#include "os/storage.h"
#include "os/thread.h"
#include "os/windows_common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define PIPE L"\\\\.\\pipe\\ioping-test"

static const char *directory;

/* Returns true if NOW is WHEN or a little later, because machines can be slow. */
static bool
is_soon_after(int64_t now, int64_t when)
{
    return now >= when && now < when + 2000 * MS;
}

/* A queue of reads from a pipe. A read takes until something is written to SERVER. */
static struct io_queue *
open_queue(const struct io_engine *engine, HANDLE *server, char *memory, size_t size)
{
    static const struct windows_file model = {.access = GENERIC_READ};
    struct windows_file file = model;
    *server =
        CreateNamedPipeW(PIPE, PIPE_ACCESS_OUTBOUND, PIPE_TYPE_BYTE, 1, 0, 0, 0, NULL);
    file.path = _wcsdup(PIPE);
    file.handle = CreateEventW(NULL, TRUE, FALSE, NULL);
    struct io_config config = {
        .fd = windows_handle_add(&file), .depth = 1, .memory = memory, .size = size};
    struct error error;
    return io_open(engine, engine->name, &config, &error);
}

static bool
a_wait_of_a_queue_ends_in_time_or_with_a_request(void)
{
    char memory[16];
    HANDLE server;
    DWORD written;
    struct io_completion done;
    struct io_request request = {.operation = OPERATION_READ, .size = sizeof(memory)};
    const struct io_engine *engine = io_find_engine('A');
    struct io_queue *queue = open_queue(engine, &server, memory, sizeof(memory));
    if (!queue)
        return false;
    engine->submit(queue, &request);
    bool good = true;
    for (int round = 1; round <= 3; round++) {
        int64_t when = os_clock_now() + round * 30 * MS;
        int got = 0;
        while (os_clock_now() < when && got == 0)
            got = engine->reap(queue, &done, when);
        good &= got == 0 && is_soon_after(os_clock_now(), when);
    }
    good &= engine->reap(queue, &done, IO_AT_ONCE) == 0;
    good &= WriteFile(server, "answer", 6, &written, NULL);
    int got = 0;
    for (int i = 0; i < 9 && got == 0; i++) /* the timer may expire early */
        got = engine->reap(queue, &done, INT64_MAX);
    good &= got == 1 && done.error == 0 && done.bytes == 6;
    engine->end(queue);
    io_close(engine, queue);
    CloseHandle(server);
    return good && memcmp(memory, "answer", 6) == 0;
}

static void *
sleep_long(void *argument)
{
    bool *interrupted = argument;
    *interrupted = os_sleep_until(os_clock_now() + 20000 * MS) < 0;
    return NULL;
}

static bool
a_wake_up_ends_a_sleep(void)
{
    struct os_thread thread;
    bool interrupted = false;
    int64_t began = os_clock_now();
    if (os_thread_start(&thread, sleep_long, &interrupted) < 0)
        return false;
    Sleep(50);
    os_thread_wake(&thread);
    os_thread_join(&thread);
    return interrupted && is_soon_after(os_clock_now(), began);
}

static bool
a_sleep_ends_in_time(void)
{
    int64_t when = os_clock_now() + 30 * MS;
    return os_sleep_until(when) == 0 && is_soon_after(os_clock_now(), when) &&
           os_sleep_until(when) == 0;
}

static bool
the_clock_agrees_with_that_of_the_system(void)
{
    int64_t wall = os_clock_wall(), now = os_clock_now();
    Sleep(300);
    int64_t differs = (os_clock_wall() - wall) - (os_clock_now() - now);
    return differs < 20 * MS && differs > -20 * MS && wall > 1700000000000 * MS;
}

static bool
a_bad_descriptor_is_refused(void)
{
    char byte;
    static const int bad[] = {-1, 0, 2, 3, 65000, 1 << 30};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        errno = 0;
        if (os_file_read(bad[i], &byte, 1, 0, 0) != -1 || errno != EBADF)
            return false;
        os_file_close(bad[i]);
    }
    return true;
}

static bool
is_working_file_there(void)
{
    char pattern[4096];
    WIN32_FIND_DATAA found;
    snprintf(pattern, sizeof(pattern), "%s\\.ioping.*", directory);
    HANDLE search = FindFirstFileA(pattern, &found);
    if (search == INVALID_HANDLE_VALUE)
        return false;
    FindClose(search);
    return true;
}

/* Uses a file as a run does: it is written, then switched to direct I/O, then opened
 * again for each worker. */
static bool
a_working_file_stays_until_all_of_it_is_closed(void)
{
    char *page = _aligned_malloc(4096, 4096), *other = _aligned_malloc(4096, 4096);
    char name[4096];
    int fd = os_file_temporary(directory, OS_OPEN_DSYNC, name, sizeof(name));
    memset(page, 'x', 4096);
    bool good = fd >= 0 && os_file_write(fd, page, 4096, 0, 0) == 4096 &&
                os_file_flush(fd) == 0 && os_file_random(fd, 0, 4096) == 0 &&
                os_file_direct(fd, true) == 0;
    int reopened = os_file_reopen(fd), further = os_file_reopen(reopened);
    good &= reopened >= 0 && further >= 0 && reopened != fd;
    good &= os_file_read(further, other, 4096, 0, 0) == 4096;
    good &= memcmp(page, other, 4096) == 0 &&
            os_file_read(reopened, other, 4096, 4096, 0) == 0;
    os_file_close(further);
    os_file_close(reopened);
    good &= is_working_file_there() && os_file_direct(fd, false) == 0;
    good &= os_file_read(fd, other, 10, 1, 0) == 10;
    os_file_close(fd);
    return good && !is_working_file_there();
}

int
main(int argc, char *argv[])
{
    int failed = 0;
    static const struct {
        const char *name;
        bool (*holds)(void);
    } tests[] = {
        {"a wait of a queue ends in time or with a request",
         a_wait_of_a_queue_ends_in_time_or_with_a_request},
        {"a wake-up ends a sleep", a_wake_up_ends_a_sleep},
        {"a sleep ends in time", a_sleep_ends_in_time},
        {"the clock agrees with that of the system",
         the_clock_agrees_with_that_of_the_system},
        {"a bad descriptor is refused", a_bad_descriptor_is_refused},
        {"a working file stays until all of it is closed",
         a_working_file_stays_until_all_of_it_is_closed},
    };
    directory = argc > 1 ? argv[1] : ".";
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        bool holds = tests[i].holds();
        failed += !holds;
        printf("%s %s\n", holds ? "ok" : "FAILED", tests[i].name);
        fflush(stdout);
    }
    return failed ? 1 : 0;
}
