/*
 * A library to preload: what the system does wrong, by script. IOPING_SCRIPT holds rules
 * "CALL:WHEN:ACTION" with commas between; the first that is for a call decides.
 *
 * CALL is pread or pwrite with their variants, fdatasync, open with its variants,
 * clock_nanosleep, or realtime: clock_gettime of CLOCK_REALTIME. "open@PART" is for
 * paths that contain PART, and counts only these.
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
 * Descriptors 0 to 2 are left alone, and requests of no bytes. A script that makes no
 * sense ends the program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum call { PREAD, PWRITE, FDATASYNC, OPEN, CLOCK_NANOSLEEP, REALTIME, CALLS };
static const char *const calls[CALLS] = {"pread", "pwrite",          "fdatasync",
                                         "open",  "clock_nanosleep", "realtime"};

enum action { ERRNO, DELAY, HOLD, STEP, HANG, SHORT, ZERO, FAST, ACTIONS };
static const char *const actions[ACTIONS] = {"",     "ms",    "hold", "s",
                                             "hang", "short", "zero", "fast"};

static struct rule {
    enum call call;
    char part[64]; /* of the path; empty: any */
    long from, to, step;
    enum action action;
    long number; /* before what stands in ACTIONS */
    atomic_long count;
} rules[16];
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
    return rule->call < CALLS && (!at || rule->call == OPEN) && rule->action < ACTIONS &&
           (rule->action != ERRNO || rule->number > 0) && parse_when(when, rule);
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
        fprintf(stderr, "faults: not a rule, or one too many: %s\n", text);
        _exit(125);
    }
    free(copy);
}

/* Counts this call in every rule that it is one for; returns the one to follow. */
static const struct rule *
choose(enum call call, const char *path)
{
    const struct rule *chosen = NULL;
    for (struct rule *rule = rules; rule < rules + rule_count; rule++) {
        if (rule->call != call || (path && !strstr(path, rule->part)))
            continue;
        long count = atomic_fetch_add(&rule->count, 1) + 1;
        if (!chosen && count >= rule->from && count <= rule->to &&
            (count - rule->from) % rule->step == 0)
            chosen = rule;
    }
    return chosen;
}

static void
delay(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

/* Whoever waits for the file sees that the call has begun, and ends it by removing the
 * file. Returns -1 if a signal came. */
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

/* Returns whether the call is to be done for real; else RESULT is its result. */
static int
go_on(const struct rule *rule, size_t size, ssize_t *result)
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
        return *result = (ssize_t)size, 0;
    case ERRNO:
        return errno = (int)rule->number, *result = -1, 0;
    default:
        break;
    }
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define POSITIONED(name, call, pointer)                             \
    ssize_t name(int fd, pointer buffer, size_t size, off_t offset) \
    {                                                               \
        ssize_t result;                                             \
        if (fd > 2 && !go_on(choose(call, NULL), size, &result))    \
            return result;                                          \
        return REAL(name)(fd, buffer, size, offset);                \
    }
POSITIONED(pread, PREAD, void *)
POSITIONED(pread64, PREAD, void *)
POSITIONED(pwrite, PWRITE, const void *)
POSITIONED(pwrite64, PWRITE, const void *)

/* The program may make these two calls by their number. */
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
    return REAL(syscall)(number, argument[0], argument[1], argument[2], argument[3],
                         argument[4], argument[5]);
}

#define VECTORED(name, call)                                                             \
    ssize_t name(int fd, const struct iovec *vector, int count, off_t offset, int flags) \
    {                                                                                    \
        ssize_t result;                                                                  \
        if (fd > 2 && vector[0].iov_len > 0 &&                                           \
            !go_on(choose(call, NULL), vector[0].iov_len, &result))                      \
            return result;                                                               \
        return REAL(name)(fd, vector, count, offset, flags);                             \
    }
VECTORED(preadv2, PREAD)
VECTORED(preadv64v2, PREAD)
VECTORED(pwritev2, PWRITE)
VECTORED(pwritev64v2, PWRITE)

int
fdatasync(int fd)
{
    ssize_t result;
    if (fd > 2 && !go_on(choose(FDATASYNC, NULL), 0, &result))
        return (int)result;
    return REAL(fdatasync)(fd);
}

/* The mode is there when a file may be made; else nobody looks at it. */
#define OPENING(name, parameters, arguments)        \
    int name parameters                             \
    {                                               \
        ssize_t result;                             \
        va_list list;                               \
        va_start(list, flags);                      \
        mode_t mode = va_arg(list, mode_t);         \
        va_end(list);                               \
        if (!go_on(choose(OPEN, path), 0, &result)) \
            return (int)result;                     \
        return REAL(name) arguments;                \
    }
OPENING(open, (const char *path, int flags, ...), (path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENING(openat, (int fd, const char *path, int flags, ...), (fd, path, flags, mode))
OPENING(openat64, (int fd, const char *path, int flags, ...), (fd, path, flags, mode))

int
clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                struct timespec *left)
{
    ssize_t result;
    if (!go_on(choose(CLOCK_NANOSLEEP, NULL), 0, &result))
        return result < 0 ? errno : 0;
    return REAL(clock_nanosleep)(clock, flags, time, left);
}

int
clock_gettime(clockid_t clock, struct timespec *time)
{
    ssize_t result;
    const struct rule *rule = clock == CLOCK_REALTIME ? choose(REALTIME, NULL) : NULL;
    if (!go_on(rule, 0, &result))
        return (int)result;
    int status = REAL(clock_gettime)(clock, time);
    if (rule && rule->action == STEP)
        time->tv_sec += rule->number;
    return status;
}
