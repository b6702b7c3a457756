/*
 * A library to preload that lets calls fail, wait or hang by a script. IOPING_SCRIPT
 * holds rules "CALL:WHEN:ACTION" with commas between; the first that matches a call
 * decides.
 *
 * CALL is pread or pwrite with their variants, fdatasync, open with its variants,
 * clock_nanosleep, realtime: clock_gettime of CLOCK_REALTIME, fork: that of a process
 * with several threads, of which one may have a lock that fork takes; setsid; or, if
 * made by number, io_setup, io_submit, io_getevents, io_destroy, io_uring_setup,
 * io_uring_register or io_uring_enter; or aio or uring: each request that is sent by
 * these. "CALL@PART" is for some of them, and counts only these: open@PART for paths that
 * contain PART; pread@, pwrite@ and fdatasync@ for open files of such paths, whole, as
 * the system has them, and a slash after them, so that "loop1/" is not loop12, and "/d/"
 * is what has been made in d; aio@ and uring@ for read, write or flush,
 * io_uring_register@ for buffers, files, probe, enable or rings (their descriptors).
 *
 * WHEN counts the calls of all threads from 1: "4" is the fourth, "4-6" the fourth to the
 * sixth, "4-" all from the fourth on; "4-/3" every third of these, the fourth included.
 *
 * ACTION is an errno value; "short" (half of the bytes), "zero" (as at the end of a file)
 * or "fast" (success, and nothing done; "5fast" after 5 ms); a delay such as "5ms", then
 * the call goes on, or "hold": as long as there is a file "held", which it makes, unless
 * a signal comes: then it fails with EINTR; "hang", from which no signal wakes the
 * thread; or "+3600s" and "-3600s", by which the clock is wrong.
 *
 * The fault of a request of aio or uring shows in its completion, and the others go on.
 * One that is delayed, by "ms", succeeds after that time, and nothing was done; one that
 * hangs is never completed. After "short" io_submit and io_uring_enter go on with half of
 * their requests.
 *
 * Descriptors 0 to 2 are left alone, and requests of no bytes. A script that makes no
 * sense ends the program.
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

static const char *const calls[CALLS] = {
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
/* Calls that may have an "@PART". */
static const char about[CALLS] = {
    [PREAD] = 1, [PWRITE] = 1, [FDATASYNC] = 1,         [OPEN] = 1,
    [AIO] = 1,   [URING] = 1,  [IO_URING_REGISTER] = 1,
};

static const char *const actions[ACTIONS] = {"",     "ms",    "hold", "s",
                                             "hang", "short", "zero", "fast"};

static struct rule rules[16];
static int rule_count;

static int
find(const char *text, const char *const *names, int count)
{
    int i = 0;
    while (i < count && strcmp(text, names[i]) != 0)
        i++;
    return i;
}

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
    rule->call = (enum call)find(name, calls, CALLS);
    rule->number = strtol(action, &end, 10);
    rule->action = (enum action)find(end, actions, ACTIONS);
    return rule->call < CALLS && (!at || about[rule->call]) && rule->action < ACTIONS &&
           (rule->action != ERRNO || rule->number > 0) && parse_when(when, rule);
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
    char *copy = strdup(script ? script : ""), *rest = copy;
    for (char *text; (text = strtok_r(rest, ",", &rest)); rule_count++) {
        if (rule_count < (int)(sizeof(rules) / sizeof(rules[0])) &&
            parse_rule(text, &rules[rule_count]))
            continue;
        faults_refuse("not a rule, or one too many", text);
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
faults_asks(enum call call)
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

/* Waits while file "held" exists: the test sees by it that the call has begun, and lets
 * it go on by removing it. Returns -1 if a signal came. */
static int
hold(void)
{
    int status = mknod("held", S_IFREG | 0600, 0);
    while (status == 0 && access("held", F_OK) == 0)
        status = usleep(1000);
    return status;
}

static void
hang(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL); /* on Linux, of this thread only */
    for (;;)
        pause();
}

static atomic_long charged; /* bytes */

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
        return hold() == 0 || (*result = -1, 0);
    case SHORT:
        return *result = (ssize_t)size / 2, 0;
    case ZERO:
        return *result = 0, 0;
    case FAST:
        delay(rule->number);
        faults_charge(size);
        return *result = (ssize_t)size, 0;
    case ERRNO:
        return errno = (int)rule->number, *result = -1, 0;
    default:
        break;
    }
    return 1;
}

/* The program makes some calls by their number, among them all of the queues. */
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

/* A directory of proc(5) has a link for each that is in it. */
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
