/* Signals end a run that hangs, even if nobody reads its output. */
/* Marks: 27s */
#include "returns.h"
#include "terminal.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_PREPARE = 2, STATUS_FAILED = 3, STATUS_AT_ONCE = 4, STATUS_TIMEOUT = 124 };
#define STATUS_CRITICAL 2 /* of -check */

enum { DIED_HUP = 129, DIED_TERM = 143 };

#define STOPS .place = PLACE_SERVER, .hang = "hang_all", .when = "request=2 "
#define READS .place = PLACE_SERVER, .hang = "hang_after=10,hang_file"
#define OPENS .place = PLACE_SERVER, .hang = "hang_open"

/* The end of a run by a signal, with the line that follows the summary. */
#define STRUCK(name, signal, ended)                    \
    .strike = (signal), .limit = 1, .status = (ended), \
    .out = ": request=2 .*\n" SUMMARY_OF(name) "$", .err = STILL_WAITING

#define STRIKES(row, signal, ended, options, needed)                                \
    {                                                                               \
        .name = (row), STOPS, .arguments = options row, STRUCK(row, signal, ended), \
        .need = (needed)                                                            \
    }

/* Nobody reads stdout, which is full sooner or later. */
#define UNREAD .unread = "1", .out = "^$", .err = ""

static const struct row rows[] = {
    STRIKES("interrupt", "INT", STATUS_FAILED, "-i 50ms ", NULL),
    STRIKES("terminate", "TERM", DIED_TERM, "-i 50ms ", NULL),
    STRIKES("hang_up", "HUP", DIED_HUP, "-i 50ms ", NULL),
    STRIKES("interrupt_threads", "INT", STATUS_FAILED, "-i 50ms -threads 8 ", NULL),
    STRIKES("interrupt_aio", "INT", STATUS_FAILED, "-i 50ms -A ", need_aio),
    STRIKES("interrupt_a_queue", "INT", STATUS_FAILED, "-i 50ms -U -depth 32 ",
            need_uring),
    {.name = "interrupt_writes",
     .place = PLACE_SERVER,
     .hang = "hang_write",
     .when = "request=2 ",
     .arguments = "-i 50ms -W interrupt_writes",
     STRUCK("interrupt_writes", "INT", STATUS_FAILED)},
    {.name = "interrupt_exports",
     STOPS,
     .arguments = "-i 50ms -plot interrupt_exports/exported.svg "
                  "-prometheus interrupt_exports/exported.prom interrupt_exports",
     STRUCK("interrupt_exports", "INT", STATUS_FAILED)},
    {.name = "interrupt_twice",
     STOPS,
     .arguments = "-i 50ms interrupt_twice",
     .strike = "INT INT",
     .limit = 1,
     .status = STATUS_AT_ONCE,
     .out = ": request=2 ",
     .err = ""},
    {.name = "interrupt_opening",
     OPENS,
     .arguments = "interrupt_opening/f",
     .strike = "INT",
     .limit = 1,
     .status = STATUS_PREPARE,
     .out = "^$",
     .err = "still not ready after"},
    {.name = "terminate_opening",
     OPENS,
     .arguments = "terminate_opening/f",
     .strike = "TERM",
     .limit = 1,
     .status = DIED_TERM,
     .out = "^$",
     .err = "still not ready after"},
    {.name = "timeout",
     READS,
     .arguments = "-i 10ms -q timeout",
     .before = "timeout 1",
     .limit = 2,
     .status = STATUS_TIMEOUT,
     .out = "^" SUMMARY_OF("timeout") "$",
     .err = STILL_WAITING},
    {.name = "unread_by_timeout",
     .arguments = "-i 1ms data",
     .before = "timeout 1",
     UNREAD,
     .limit = 2,
     .status = STATUS_TIMEOUT},
    {.name = "interrupt_unread",
     .arguments = "-i 0 /dev/zero",
     UNREAD,
     .strike = "INT",
     .limit = 1,
     .status = STATUS_FAILED},
    {.name = "terminate_unread",
     .arguments = "-i 0 /dev/zero",
     UNREAD,
     .strike = "TERM",
     .limit = 1,
     .status = DIED_TERM},
    {.name = "hang_up_unread",
     .arguments = "-i 0 -J /dev/zero",
     UNREAD,
     .strike = "HUP",
     .limit = 1,
     .status = DIED_HUP},
    {.name = "interrupt_unread_twice",
     .arguments = "-i 0 /dev/zero",
     UNREAD,
     .strike = "INT INT",
     .limit = 1,
     .status = STATUS_AT_ONCE},
    {.name = "unread",
     .arguments = "-w 5 -timeout 2s -i 1ms data",
     UNREAD,
     .status = STATUS_FAILED},
    {.name = "unread_check",
     READS,
     .arguments = "-w 2 -timeout 1s -i 50ms -check unread_check",
     UNREAD,
     .status = STATUS_FAILED}, /* UNKNOWN, too */
    {.name = "terminate_check",
     READS,
     .arguments = "-w 30 -i 50ms -check terminate_check",
     .strike = "TERM",
     .limit = 1,
     .status = STATUS_CRITICAL,
     .out = "^IOPING CRITICAL - terminate_check no answer to 1 request for [^\n]*\n$",
     .err = STILL_WAITING},
    {.name = "unread_of_several",
     .arguments = "-w 5 -timeout 2s -i 1ms data copy",
     UNREAD,
     .status = STATUS_FAILED},
    {.name = "unread_of_threads",
     .arguments = "-w 5 -timeout 2s -i 0 -threads 8 data",
     UNREAD,
     .status = STATUS_FAILED},
    {.name = "unread_that_stopped",
     READS,
     .arguments = "-w 5 -timeout 2s -i 50ms -q unread_that_stopped",
     UNREAD,
     .status = STATUS_FAILED},
    {.name = "unread_messages",
     READS,
     .arguments = "-w 5 -timeout 2s -hang 1s -i 50ms -q unread_messages",
     .unread = "2",
     .status = STATUS_FAILED,
     .out = "^" SUMMARY_OF("unread_messages") "$",
     .err = "^$"},
    {.name = "unread_messages_of_the_opening",
     OPENS,
     .arguments = "-w 5 -timeout 2s -hang 100ms unread_messages_of_the_opening/f",
     .unread = "2",
     .status = STATUS_PREPARE,
     .out = "^$",
     .err = "^$"},
    {.name = "unread_altogether",
     READS,
     .arguments = "-w 5 -timeout 2s -hang 1s -i 50ms -q unread_altogether",
     .unread = "12",
     .status = STATUS_FAILED,
     .out = "^$",
     .err = "^$"},
};

static struct terminal terminal;

/* Makes a file of the scratch folder, whose time is that of an event. */
static void
mark(const char *name)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static bool
is_marked(const char *name)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    return access(path, F_OK) == 0;
}

/* Seconds since file NAME was made. */
static double
seconds_since(const char *name)
{
    char path[1100];
    struct stat status;
    struct timespec now;
    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    assert_int_equal(stat(path, &status), 0);
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)(now.tv_sec - status.st_mtim.tv_sec) +
           (double)(now.tv_nsec - status.st_mtim.tv_nsec) / 1e9;
}

/* Waits for the end of the program on the terminal, with STATUS. Returns true if it was
 * LIMIT seconds after the event of file SINCE at the latest; else the machine was late.
 */
static bool
ends_within(double limit, const char *since, const char *name, int status)
{
    const char *path = getenv("IOPING_RETURNS");
    terminal_end(&terminal, status);
    double took = seconds_since(since);
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s %.2f %d\n", name, took, status);
        fclose(file);
    }
    return took <= limit;
}

/* Runs the test ATTEMPT until the machine is not late. */
static void
try(bool (*attempt)(void))
{
    need_bare("what it waits for takes longer under the tool");
    for (int i = 0; i < 5; i++) {
        shell("rm -f stopped struck");
        bool in_time = attempt();
        terminal_free(&terminal);
        if (in_time)
            return;
    }
    fail_msg("it did not return in time");
}

/* Ctrl-S: what is written then waits. */
static bool
stop_terminal(void)
{
    mark("struck");
    terminal_start(&terminal, 80, "exec \"$IOPING\" -w 5 -timeout 2s -i 50ms data");
    terminal_wait(&terminal, "request=2 ");
    terminal_type(&terminal, "\023");
    return ends_within(8, "struck", "stopped_terminal", STATUS_FAILED);
}

TEST(stopped_terminal)
{
    try(stop_terminal);
}

static bool
interrupt_stopped_terminal(void)
{
    terminal_start(&terminal, 80,
                   "beside interrupt_stopped; exec \"$IOPING\" -i 0 /dev/zero");
    terminal_wait(&terminal, "request=2 ");
    terminal_type(&terminal, "\023");
    mark("stopped");
    return ends_within(1, "struck", "interrupt_stopped_terminal", STATUS_FAILED);
}

TEST(stopped_terminal_interrupt)
{
    need_program("pgrep");
    try(interrupt_stopped_terminal);
}

/* Also the terminal is let go while the request hangs. */
static bool
interrupt_on_terminal(void)
{
    shell("rm -f hang hang.waiting");
    terminal_start(&terminal, 80,
                   "beside end_hang \"$PWD/hang\"; exec \"$IOPING\" -i 50ms screen/f");
    terminal_wait(&terminal, "request=2 ");
    mark("hang");
    while (!is_marked("hang.waiting"))
        usleep(10000);
    mark("struck");
    terminal_type(&terminal, "\003");
    bool in_time = ends_within(1, "struck", "interrupt_on_terminal", STATUS_FAILED);
    assert_true(is_marked("hang"));
    assert_contains(terminal.bytes, "generated ");
    shell("rm -f hang");
    return in_time;
}

TEST(interrupt_on_a_terminal)
{
    mount_fuse("screen", "uncached,hang_file=%s/hang", scratch());
    shell("head -c 1M /dev/urandom >screen.files/f");
    try(interrupt_on_terminal);
}

/* No signal ends a thread that hangs, so the system does not say that the others have
 * ended, as those of a process that is killed for want of memory. */
TEST(a_killed_worker_is_not_waited_for)
{
    static const struct {
        const char *arguments, *out;
    } cases[] = {
        {"-q", "137\nhangs\n"},
        {"-threads 4", "137\nhangs\n"},
        {"-check", "3\nhangs\nIOPING UNKNOWN - ended before there was a result\n"},
        {"-A", "137\nhangs\n"}, /* the kernel waits for its requests, then */
    };
    need_bare("it ends in another way");
    need_process_states();
    mount_fuse("killed", "uncached,hang_file=%s/hang", scratch());
    for (size_t i = 0; i < LENGTH(cases); i++) {
        if (cases[i].arguments[1] == 'A')
            need_aio();
        expect(0, cases[i].out, NULL, "a_killed_worker_is_not_waited_for %s",
               cases[i].arguments);
    }
}

GROUP_SETUP(make_files)
AT_START(add_rows, returns_add(rows, LENGTH(rows)))
