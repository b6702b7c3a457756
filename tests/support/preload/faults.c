/*
 * A library that tests preload. It makes calls fail, wait or hang as a script says. The
 * environment variable IOPING_SCRIPT holds rules "CALL:WHEN:ACTION", separated by commas.
 * If several rules match a call, the first of them is followed.
 *
 * CALL is one of these:
 *
 * - pread, pwrite, open: the function with its variants, such as preadv2 and openat
 * - fdatasync, clock_nanosleep, setsid: the function
 * - realtime: clock_gettime with CLOCK_REALTIME
 * - fork: only a fork of a process with several threads. Such a fork can hang, because
 *   another thread may hold a lock that fork takes.
 * - io_setup, io_submit, io_getevents, io_destroy, io_uring_setup, io_uring_register,
 *   io_uring_enter: the system call, if it is made by syscall(2)
 * - aio, uring: each request that io_submit or io_uring_enter sends
 *
 * "CALL@PART" matches, and counts, only some of the calls:
 *
 * - open@PART: paths that contain PART
 * - pread@PART, pwrite@PART, fdatasync@PART: open files whose absolute path, with a slash
 *   after it, contains PART. So "loop1/" does not match loop12, and "/d/" matches all
 * files in the folder d.
 * - aio@PART, uring@PART: PART is read, write or flush
 * - io_uring_register@PART: PART is buffers, files, probe, enable or rings (descriptors
 * of rings)
 *
 * WHEN selects calls by their number. The calls of all threads are counted together, from
 * 1. "4" is the fourth call, "4-6" the fourth to the sixth, and "4-" the fourth and all
 * later ones. "4-/3" is the fourth and then every third.
 *
 * ACTION is one of these:
 *
 * - an errno value, with which the call fails
 * - short: success with half of the bytes
 * - zero: success with zero bytes, as at the end of a file
 * - fast: success with all bytes, but nothing is done; "5fast" succeeds after 5 ms
 * - 5ms: a delay of 5 ms, before the real call
 * - hold: makes a file "held" and waits until the test removes it, then makes the real
 * call. If a signal comes first, the call fails with EINTR.
 * - hang: the call never returns, and no signal wakes its thread
 * - +3600s, -3600s: the clock is wrong by that time
 *
 * A fault of an aio or uring request appears in its completion. Other requests are not
 * affected. A request delayed by "ms" succeeds after that time, but nothing is done. A
 * request that hangs never completes. With "short", io_submit and io_uring_enter send
 * half of their requests.
 *
 * Calls with the descriptors 0 to 2 or with zero bytes are never changed. An invalid
 * script ends the program with status 125.
 */
#define _GNU_SOURCE
#include "faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The names of calls in a script. */
static const char *const call_names[CALLS] = {
    [PREAD] = "pread",
    [PWRITE] = "pwrite",
    [FDATASYNC] = "fdatasync",
    [OPEN] = "open",
    [CLOCK_NANOSLEEP] = "clock_nanosleep",
    [REALTIME] = "realtime",
    [FORK] = "fork",
    [SETSID] = "setsid",
    [AIO] = "aio",
    [IO_SETUP] = "io_setup",
    [IO_SUBMIT] = "io_submit",
    [IO_GETEVENTS] = "io_getevents",
    [IO_DESTROY] = "io_destroy",
    [URING] = "uring",
    [IO_URING_SETUP] = "io_uring_setup",
    [IO_URING_REGISTER] = "io_uring_register",
    [IO_URING_ENTER] = "io_uring_enter",
};
/* 1 for calls that may have an "@PART". */
static const char takes_part[CALLS] = {
    [PREAD] = 1, [PWRITE] = 1, [FDATASYNC] = 1,         [OPEN] = 1,
    [AIO] = 1,   [URING] = 1,  [IO_URING_REGISTER] = 1,
};

/* The names of actions in a script, without the number before them. */
static const char *const action_names[ACTIONS] = {"",     "ms",    "hold", "s",
                                                  "hang", "short", "zero", "fast"};

static struct rule rules[16];
static int rule_count;

/* Returns the index of TEXT in an array of COUNT names, or COUNT if it is not there. */
static int
find_name(const char *text, const char *const *names, int count)
{
    int i = 0;
    while (i < count && strcmp(text, names[i]) != 0)
        i++;
    return i;
}

/* Parses the WHEN of a rule. Returns 1, or 0 if it is invalid. */
static int
parse_when(const char *text, struct rule *rule)
{
    char *end;
    rule->step = 1;
    rule->from = rule->to = strtol(text, &end, 10);
    if (*end == '-') {
        text = end + 1;
        rule->to = strtol(text, &end, 10);
        if (end == text)
            rule->to = LONG_MAX;
    }
    if (*end == '/')
        rule->step = strtol(end + 1, &end, 10);
    return *end == '\0' && rule->from > 0 && rule->to >= rule->from && rule->step > 0;
}

/* Parses a rule. Returns 1, or 0 if it is invalid. */
static int
parse_rule(const char *text, struct rule *rule)
{
    char name[32], when[64], action[32], *end;
    if (sscanf(text, "%31[^:]:%63[^:]:%31s", name, when, action) != 3)
        return 0;
    char *at = strchr(name, '@');
    if (at) {
        *at = '\0';
        strcpy(rule->part, at + 1);
    }
    rule->call = (enum call)find_name(name, call_names, CALLS);
    rule->number = strtol(action, &end, 10);
    rule->action = (enum action)find_name(end, action_names, ACTIONS);

    if (rule->call >= CALLS || rule->action >= ACTIONS)
        return 0;
    if (at && !takes_part[rule->call])
        return 0;
    if (rule->action == ERRNO && rule->number <= 0)
        return 0;
    return parse_when(when, rule);
}

void
faults_refuse(const char *why, const char *what)
{
    fprintf(stderr, "faults: %s: %s\n", why, what);
    _exit(125);
}

__attribute__((constructor)) static void
parse_script(void)
{
    const char *script = getenv("IOPING_SCRIPT");
    char *copy = strdup(script ? script : "");
    char *unread = copy;
    char *text;
    while ((text = strtok_r(unread, ",", &unread))) {
        if (rule_count == (int)(sizeof(rules) / sizeof(rules[0])) ||
            !parse_rule(text, &rules[rule_count]))
            faults_refuse("not a rule, or one too many", text);
        rule_count++;
    }
    free(copy);
}

const struct rule *
faults_choose(enum call call, const char *what)
{
    const struct rule *chosen = NULL;
    for (struct rule *rule = rules; rule < rules + rule_count; rule++) {
        if (rule->call != call || (what && !strstr(what, rule->part)))
            continue;
        long count = atomic_fetch_add(&rule->count, 1) + 1;
        if (!chosen && count >= rule->from && count <= rule->to &&
            (count - rule->from) % rule->step == 0)
            chosen = rule;
    }
    return chosen;
}

int
faults_has(enum call call, enum action action)
{
    for (const struct rule *rule = rules; rule < rules + rule_count; rule++)
        if (rule->call == call && (action == ACTIONS || rule->action == action))
            return 1;
    return 0;
}

int
faults_uses_part(enum call call)
{
    for (const struct rule *rule = rules; rule < rules + rule_count; rule++)
        if (rule->call == call && rule->part[0])
            return 1;
    return 0;
}

static void
delay(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

/* Makes the file "held", by which the test sees that the call has begun. Waits until the
 * test removes it. Returns 0, or -1 with errno EINTR if a signal came first. */
static int
hold(void)
{
    int status = mknod("held", S_IFREG | 0600, 0);
    while (status == 0 && access("held", F_OK) == 0)
        status = usleep(1000);
    return status;
}

/* Never returns. */
static void
hang(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL); /* blocks signals of this thread only, on Linux */
    for (;;)
        pause();
}

static atomic_long charged; /* bytes that faults_charge has counted */

void
faults_charge(size_t size)
{
    charged += (long)size;
}

int
getrusage(__rusage_who_t who, struct rusage *usage)
{
    int status = REAL(getrusage)(who, usage);
    usage->ru_inblock += charged / 512;
    return status;
}

int
faults_go_on(const struct rule *rule, size_t size, ssize_t *result)
{
    if (!rule)
        return 1;
    switch (rule->action) {
    case HANG:
        hang();
        break;
    case DELAY:
        delay(rule->number);
        return 1;
    case HOLD:
        if (hold() == 0)
            return 1;
        *result = -1;
        return 0;
    case SHORT:
        *result = (ssize_t)size / 2;
        return 0;
    case ZERO:
        *result = 0;
        return 0;
    case FAST:
        delay(rule->number);
        faults_charge(size);
        *result = (ssize_t)size;
        return 0;
    case ERRNO:
        errno = (int)rule->number;
        *result = -1;
        return 0;
    default:
        break;
    }
    return 1;
}

/* The program makes some system calls by their number, such as all calls of Linux AIO and
 * io_uring. */
long
syscall(long number, ...)
{
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_pread64)
        return pread64((int)argument[0], (void *)argument[1], (size_t)argument[2],
                       argument[3]);
    if (number == SYS_pwrite64)
        return pwrite64((int)argument[0], (void *)argument[1], (size_t)argument[2],
                        argument[3]);
    if (number == SYS_preadv2)
        return preadv64v2((int)argument[0], (void *)argument[1], (int)argument[2],
                          argument[3], (int)argument[5]);
    if (number == SYS_pwritev2)
        return pwritev64v2((int)argument[0], (void *)argument[1], (int)argument[2],
                           argument[3], (int)argument[5]);
    return faults_async(number, argument);
}

/* Returns 1 if this process has several threads. In proc(5) the link count of a folder is
 * 2 plus the number of its subfolders, and /proc/self/task has a subfolder for each
 * thread. */
static int
has_threads(void)
{
    struct stat status;
    return stat("/proc/self/task", &status) == 0 && status.st_nlink > 3;
}

pid_t
fork(void)
{
    ssize_t result;
    if (has_threads() && !faults_go_on(faults_choose(FORK, NULL), 0, &result))
        return (pid_t)result;
    return REAL(fork)();
}

pid_t
setsid(void)
{
    ssize_t result;
    if (!faults_go_on(faults_choose(SETSID, NULL), 0, &result))
        return (pid_t)result;
    return REAL(setsid)();
}

int
close(int fd)
{
    faults_closing(fd);
    return REAL(close)(fd);
}

int
clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                struct timespec *left)
{
    ssize_t result;
    if (!faults_go_on(faults_choose(CLOCK_NANOSLEEP, NULL), 0, &result))
        return result < 0 ? errno : 0;
    return REAL(clock_nanosleep)(clock, flags, time, left);
}

int
clock_gettime(clockid_t clock, struct timespec *time)
{
    ssize_t result;
    const struct rule *rule =
        clock == CLOCK_REALTIME ? faults_choose(REALTIME, NULL) : NULL;
    if (!faults_go_on(rule, 0, &result))
        return (int)result;
    int status = REAL(clock_gettime)(clock, time);
    if (rule && rule->action == STEP)
        time->tv_sec += rule->number;
    return status;
}
