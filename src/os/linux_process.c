/*
 * A process and its threads: timers, freezes, its parent, capabilities, and memory.
 *
 * Capabilities, capabilities(7): the superuser has all that this container knows. Among
 * other users' the ambient ones are their own: every program that they start has them,
 * unless its file brings more; then the kernel drops them and says so by AT_SECURE, as it
 * does for a set-user-ID bit.
 *
 * Memory: the least that the machine and each control group of this process (cgroups(7),
 * both versions) have available. Beyond that the kernel ends a process instead of
 * refusing memory to it. Page cache is freed when memory is wanted, so it counts as
 * available, and so does swap: only an amount that would end the process is too much.
 * Some is reserved, as these figures are old when they are used and a run needs more than
 * it asks for: the kernel has tables for pages and requests, and others of the group grow
 * as well.
 */
#include "linux.h"
#include "os/os.h"
#include "os/process.h"
#include "posix.h"

#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

void
os_clock_sharpen(void)
{
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

int
posix_signals_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) < 0 ? -1 : (int)(usage.ru_nvcsw & INT_MAX);
}

/*
 * An epoll(7) instance to which nothing is ever added; -1: there is none. Only the thread
 * that the signals reach uses it.
 *
 * The freezer of control groups interrupts whatever a thread waits for, and freezes the
 * thread on its way out of the kernel. Afterwards the kernel goes on with pselect(2) as
 * if nothing had been. It never does so with epoll_pwait(2), which ends with EINTR.
 */
static int empty_epoll = -1;

void
os_signals_see_freezes(void)
{
    if (empty_epoll < 0)
        empty_epoll = epoll_create1(EPOLL_CLOEXEC);
}

int
posix_signals_pause(int64_t limit, const sigset_t *mask)
{
    struct epoll_event none;
    if (empty_epoll >= 0 && limit >= MS)
        return epoll_pwait(empty_epoll, &none, 1, (int)(limit / MS), mask);
    struct timespec rest = time_spec(limit);
    return pselect(0, NULL, NULL, NULL, &rest, mask);
}

/* The C library's close, or a sanitizer's, does not know that these may not be the
 * descriptors of other threads, who write to theirs meanwhile. */
void
posix_descriptor_close(int fd)
{
    syscall(SYS_close, (long)fd);
}

void
posix_parent_death(int signo)
{
    prctl(PR_SET_PDEATHSIG, (unsigned long)signo, 0UL, 0UL, 0UL);
}

#define STATE 3    /* fields of /proc/PID/stat, proc(5) */
#define FLAGS 9    /* of the first thread, as a decimal number; */
#define PENDING 31 /* so are its signals */
#define EXITING 4  /* PF_EXITING of the kernel's linux/sched.h, which proc(5) names */

/* Returns the state of a process, or 0 if it is not known, and whether its first thread
 * ENDS. The first field follows the name of the program, which stands in parentheses. */
static char
read_state(pid_t pid, bool *ends)
{
    char text[1024], *field;
    linux_file_read(text, sizeof(text), "/proc/%ld/stat", (long)pid);
    char *name = strrchr(text, ')'), *rest = name && name[1] ? name + 2 : NULL;
    char state = rest ? *rest : '\0';
    *ends = false;
    for (int i = STATE; (field = strsep(&rest, " ")); i++) {
        unsigned long value = strtoul(field, NULL, 10);
        *ends |= (i == FLAGS && value & EXITING) ||
                 (i == PENDING && value >> (SIGKILL - 1) & 1);
    }
    return state;
}

bool
posix_process_is_stopped(pid_t pid)
{
    bool ends;
    return read_state(pid, &ends) == 'T';
}

/* The first thread has ended, or cannot end yet: it is stuck, or the kernel waits for
 * requests of Linux AIO before it lets go of the process. */
bool
posix_process_is_killed(pid_t pid)
{
    bool ends = false;
    return read_state(pid, &ends) == 'Z' || ends;
}

#define WORD 32 /* capabilities in one of the kernel's words */

int
posix_capabilities_drop(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
    if (!getauxval(AT_SECURE) || getuid() == 0)
        return 0;
    if (syscall(SYS_capget, &header, words) < 0)
        return -1;
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3 * WORD; i++)
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, (unsigned long)i, 0UL, 0UL) != 1)
            words[i / WORD].permitted &= ~(UINT32_C(1) << i % WORD);
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        words[i].effective &= words[i].permitted;
    return syscall(SYS_capset, &header, words) < 0 ? -1 : 0;
}

#define RESERVE (16LL << 20)
#define RESERVE_SHARE 16          /* and a 16th of the rest, which is an estimate */
#define NO_LIMIT (INT64_MAX >> 1) /* the first version writes a number for none */
#define PATH_ROOM (4096 + 256)
#define TEXT_ROOM 8192    /* of a file with many lines, */
#define FIGURES_ROOM 2048 /* of /proc/meminfo, */
#define NUMBER_ROOM 64    /* and of one that is a number */

/* The files of one version of control groups; sizes in them are bytes. */
struct version {
    const char *mount, *limits[2], *used, *cache[2], *swap_limit, *swap_used;
    bool swap_is_sum; /* its figures for swap have memory in them */
};

static const struct version first = {
    .mount = "/sys/fs/cgroup/memory",
    .limits = {"memory.limit_in_bytes"},
    .used = "memory.usage_in_bytes",
    .cache = {"\ntotal_inactive_file ", "\ntotal_active_file "},
    .swap_limit = "memory.memsw.limit_in_bytes",
    .swap_used = "memory.memsw.usage_in_bytes",
    .swap_is_sum = true,
};

static const struct version second = {
    .mount = "/sys/fs/cgroup",
    .limits = {"memory.max", "memory.high"},
    .used = "memory.current",
    .cache = {"\ninactive_file ", "\nactive_file "},
    .swap_limit = "memory.swap.max",
    .swap_used = "memory.swap.current",
};

static int64_t
least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* The number after KEY, times UNIT; OTHERWISE without. */
static int64_t
find_number(const char *text, const char *key, int64_t unit, int64_t otherwise)
{
    const char *found = strstr(text, key);
    long long number;
    if (!found || sscanf(found + strlen(key), "%lld", &number) != 1 || number < 0)
        return otherwise;
    return number < INT64_MAX / unit ? number * unit : INT64_MAX;
}

/* The number that is all of a file, INT64_MAX for "max"; OTHERWISE without the file. */
static int64_t
read_number(const char *folder, const char *name, int64_t otherwise)
{
    char text[NUMBER_ROOM];
    return linux_file_read(text, sizeof(text), "%s/%s", folder, name)
               ? find_number(text, "", 1, INT64_MAX)
               : otherwise;
}

/* Memory available to the group of FOLDER, where the machine has SWAP available. */
static int64_t
group_available(const char *folder, const struct version *version, int64_t swap)
{
    char text[TEXT_ROOM] = "\n";
    int64_t limit = INT64_MAX, cache = 0;
    for (int i = 0; i < 2 && version->limits[i]; i++)
        limit = least(limit, read_number(folder, version->limits[i], INT64_MAX));
    int64_t used = limit < NO_LIMIT ? read_number(folder, version->used, -1) : -1;
    if (used < 0)
        return INT64_MAX;
    if (linux_file_read(text + 1, sizeof(text) - 1, "%s/memory.stat", folder))
        for (int i = 0; i < 2; i++)
            cache += find_number(text, version->cache[i], 1, 0);
    int64_t left = limit - used + least(cache, used);
    if (swap == 0)
        return left;
    int64_t room = least(read_number(folder, version->swap_limit, NO_LIMIT), NO_LIMIT) -
                   read_number(folder, version->swap_used, 0);
    if (version->swap_is_sum)
        room -= limit - used;
    return room > 0 ? left + least(room, swap) : left;
}

/* The least of the group that PATH ends with and of those above it. A group that
 * cannot be read, as in a container, is skipped. */
static int64_t
groups_available(const char *root, const struct version *version, const char *path,
                 int64_t swap)
{
    char folder[PATH_ROOM];
    size_t top = strlen(root) + strlen(version->mount);
    int64_t left = INT64_MAX;
    snprintf(folder, sizeof(folder), "%s%s%s", root, version->mount, path);
    for (char *slash; (slash = strrchr(folder + top, '/')); *slash = '\0')
        if (slash[1])
            left = least(left, group_available(folder, version, swap));
    return least(left, group_available(folder, version, swap));
}

/* By lines of "NUMBER:CONTROLLERS:PATH", of which the second version has no controllers
 * and the first a list with commas. */
static int64_t
all_groups_available(const char *root, int64_t swap)
{
    char text[TEXT_ROOM], *rest = text, *path;
    int64_t left = INT64_MAX;
    linux_file_read(text, sizeof(text), "%s/proc/self/cgroup", root);
    while ((path = strsep(&rest, "\n"))) {
        strsep(&path, ":");
        char *controllers = strsep(&path, ":"), *one;
        if (path && !*controllers)
            left = least(left, groups_available(root, &second, path, swap));
        while (path && (one = strsep(&controllers, ",")))
            if (strcmp(one, "memory") == 0)
                left = least(left, groups_available(root, &first, path, swap));
    }
    return left;
}

int64_t
linux_memory_available(const char *root)
{
    char text[FIGURES_ROOM] = "\n";
    linux_file_read(text + 1, sizeof(text) - 1, "%s/proc/meminfo", root);
    int64_t swap = find_number(text, "\nSwapFree:", 1024, 0), left;
    left = find_number(text, "\nMemAvailable:", 1024, INT64_MAX - swap) + swap;
    left = least(left, all_groups_available(root, swap));
    if (left >= NO_LIMIT)
        return INT64_MAX;
    left -= RESERVE + left / RESERVE_SHARE;
    return left > 0 ? left : 0;
}

int64_t
os_memory_available(void)
{
    return linux_memory_available("");
}
