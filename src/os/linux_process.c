/*
 * The process on Linux: timers, freezes, its parent, capabilities, and memory.
 *
 * Capabilities (capabilities(7)). Only those that come from the program's file are
 * dropped. The superuser has all capabilities of the container. Other users may have
 * ambient capabilities, which every program that they start gets. If the program's file
 * brings capabilities of its own, the kernel drops the ambient ones and sets AT_SECURE,
 * as it does for a set-user-ID bit. Without AT_SECURE there is nothing to drop.
 *
 * Memory. os_memory_available returns the minimum of the memory that the machine has
 * available and of what each control group of this process has available (cgroups(7),
 * both versions), minus a reserve:
 *
 *    machine   MemAvailable + SwapFree of /proc/meminfo
 *    group     limit - used + page cache + swap
 *
 * Beyond that the kernel kills a process instead of refusing memory. Page cache and swap
 * count as available, because the kernel frees cache on demand, and only an amount that
 * kills the process is too much. The reserve is needed because the figures are old when
 * they are used, because the kernel needs tables for pages and requests, and because
 * other processes of the group grow as well.
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
 * An epoll(7) instance to which nothing is ever added; -1: not made. Written and used by
 * the signal thread only.
 *
 * It makes freezes visible. The freezer of control groups interrupts every wait, and
 * freezes the thread on its way out of the kernel. Afterwards the kernel silently
 * restarts pselect(2), but epoll_pwait(2) is never restarted: it fails with EINTR.
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

/* By number: the close of the C library, or of a sanitizer, assumes one descriptor table
 * for all threads, but the other threads may use the same number for another file. */
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

/* Fields of /proc/PID/stat, counted from 1: proc(5). */
#define STATE 3
#define FLAGS 9    /* decimal; flags of the first thread */
#define PENDING 31 /* decimal; pending signals of the first thread */
#define EXITING 4  /* PF_EXITING of the kernel's linux/sched.h, which proc(5) names */

/* Returns the state letter of process PID, 0 if unknown. ENDS becomes true if its first
 * thread is exiting or has a pending SIGKILL. The name of the program is in parentheses
 * and may contain spaces; field 3 follows the last parenthesis. */
static char
read_state(pid_t pid, bool *ends)
{
    char text[1024];
    char *field;
    linux_file_read(text, sizeof(text), "/proc/%ld/stat", (long)pid);

    char *name = strrchr(text, ')');
    char *rest = name && name[1] ? name + 2 : NULL;
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

/* Z: the first thread has ended. ENDS: it cannot end yet, because it is stuck or because
 * the kernel waits for requests of Linux AIO before it releases the process. */
bool
posix_process_is_killed(pid_t pid)
{
    bool ends = false;
    return read_state(pid, &ends) == 'Z' || ends;
}

#define WORD 32 /* bits in one word of the kernel's sets */

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

/* Bytes that must stay free. */
#define RESERVE (16LL << 20)
#define RESERVE_SHARE 16          /* and a 16th of the rest, which is only an estimate */
#define NO_LIMIT (INT64_MAX >> 1) /* version 1 has a huge number for no limit */
#define PATH_ROOM (4096 + 256)
#define TEXT_ROOM 8192    /* bytes, for a file with many lines */
#define FIGURES_ROOM 2048 /* bytes, for /proc/meminfo */
#define NUMBER_ROOM 64    /* bytes, for a file with one number */

/* The file names of one version of control groups. Sizes in these files are in bytes. */
struct version {
    const char *mount, *limits[2], *used, *cache[2], *swap_limit, *swap_used;
    bool swap_is_sum; /* the figures for swap include memory */
};

static const struct version first_version = {
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

/* Returns the smaller of two numbers. */
static int64_t
least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* Returns the number after KEY in TEXT, times UNIT; OTHERWISE if KEY is absent. */
static int64_t
find_number(const char *text, const char *key, int64_t unit, int64_t otherwise)
{
    const char *found = strstr(text, key);
    long long number;
    if (!found || sscanf(found + strlen(key), "%lld", &number) != 1 || number < 0)
        return otherwise;
    return number < INT64_MAX / unit ? number * unit : INT64_MAX;
}

/* Returns the number in the file NAME of FOLDER, INT64_MAX for "max"; OTHERWISE without
 * the file. */
static int64_t
read_number(const char *folder, const char *name, int64_t otherwise)
{
    char text[NUMBER_ROOM];
    return linux_file_read(text, sizeof(text), "%s/%s", folder, name)
               ? find_number(text, "", 1, INT64_MAX)
               : otherwise;
}

/* Returns the bytes available to the group of FOLDER. SWAP: bytes of swap that the
 * machine has available. */
static int64_t
group_available(const char *folder, const struct version *version, int64_t swap)
{
    char text[TEXT_ROOM] = "\n";
    int64_t limit = INT64_MAX;
    int64_t cache = 0;

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

/* Returns the minimum for the group PATH and all groups above it. Groups that cannot be
 * read, as in a container, are skipped. */
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

/* Returns the minimum over all groups of this process. /proc/self/cgroup has lines
 * "NUMBER:CONTROLLERS:PATH"; CONTROLLERS is empty for version 2 and a list with commas
 * for version 1. */
static int64_t
all_groups_available(const char *root, int64_t swap)
{
    char text[TEXT_ROOM];
    char *rest = text;
    char *path;
    int64_t left = INT64_MAX;

    linux_file_read(text, sizeof(text), "%s/proc/self/cgroup", root);
    while ((path = strsep(&rest, "\n"))) {
        strsep(&path, ":");
        char *controllers = strsep(&path, ":");
        char *one;
        if (path && !*controllers)
            left = least(left, groups_available(root, &second, path, swap));
        while (path && (one = strsep(&controllers, ",")))
            if (strcmp(one, "memory") == 0)
                left = least(left, groups_available(root, &first_version, path, swap));
    }

    return left;
}

int64_t
linux_memory_available(const char *root)
{
    char text[FIGURES_ROOM] = "\n";

    linux_file_read(text + 1, sizeof(text) - 1, "%s/proc/meminfo", root);
    int64_t swap = find_number(text, "\nSwapFree:", 1024, 0);
    int64_t left;

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
