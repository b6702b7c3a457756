/*
 * The process on Linux: timers, freezes, the death of its parent, capabilities, and
 * memory.
 *
 * Capabilities (capabilities(7)): only those that come from the file of the program are
 * dropped. The superuser has all capabilities of the container anyway. Other users may
 * have ambient capabilities, which every program that they start gets. If the file of a
 * program has capabilities of its own, the kernel drops the ambient ones and sets
 * AT_SECURE, as it does for a set-user-ID bit. So without AT_SECURE there is nothing to
 * drop.
 *
 * Memory: the kernel does not refuse memory that a process allocates. It kills the
 * process later, when the process uses more memory than there is. os_memory_available
 * returns how much the process can use without being killed. This is the minimum of the
 * memory that the machine has available and of the memory that each control group of this
 * process has available (cgroups(7), both versions), minus a reserve:
 *
 *     machine   MemAvailable + SwapFree of /proc/meminfo
 *     group     limit - used + page cache + swap
 *
 * Page cache and swap count as available: the kernel frees page cache on demand, and a
 * process that needs swap becomes slow but is not killed. The reserve has three reasons.
 * The figures are already out of date when they are used. The kernel itself needs memory
 * for page tables and requests. Other processes of the group may need more memory, too.
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
 * An epoll(7) instance to which nothing is ever added; -1 before it is created. Only the
 * signal thread uses this variable.
 *
 * A wait on this instance shows that the process was frozen. The freezer of control
 * groups interrupts every wait, and stops the thread before its system call returns. When
 * the thread goes on, the kernel silently restarts pselect(2). But it never restarts
 * epoll_pwait(2), which fails with EINTR.
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
    struct epoll_event unused;
    if (empty_epoll >= 0 && limit >= MS)
        return epoll_pwait(empty_epoll, &unused, 1, (int)(limit / MS), mask);

    struct timespec timeout = time_spec(limit);
    return pselect(0, NULL, NULL, NULL, &timeout, mask);
}

/* The system call is made by its number, because the close of the C library, or of a
 * sanitizer, assumes one descriptor table for all threads. But a thread may have a table
 * of its own (os_thread_unshare), where the same number stands for another file. */
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

/* Fields of /proc/PID/stat, numbered from 1 as in proc(5). */
#define STATE_FIELD 3    /* state of the process, a letter */
#define FLAGS_FIELD 9    /* flags of the first thread, decimal */
#define PENDING_FIELD 31 /* pending signals of the first thread, decimal */
#define EXITING_FLAG 4   /* PF_EXITING of the kernel's linux/sched.h, see proc(5) */

/*
 * Returns the state letter of process PID, or 0 if it is unknown. Sets IS_ENDING to true
 * if the first thread of the process is exiting or has a pending SIGKILL. Otherwise, sets
 * IS_ENDING to false. Field 2 of /proc/PID/stat is the name of the program, in
 * parentheses. The name may itself contain spaces and parentheses, so field 3 is found
 * after the last parenthesis.
 */
static char
read_state(pid_t pid, bool *is_ending)
{
    char text[1024];
    linux_file_read(text, sizeof(text), "/proc/%ld/stat", (long)pid);

    char *name_end = strrchr(text, ')');
    char *next = name_end && name_end[1] ? name_end + 2 : NULL;
    char state = next ? *next : '\0';
    char *field;
    *is_ending = false;
    for (int i = STATE_FIELD; (field = strsep(&next, " ")); i++) {
        unsigned long value = strtoul(field, NULL, 10);
        if (i == FLAGS_FIELD && value & EXITING_FLAG)
            *is_ending = true;
        if (i == PENDING_FIELD && value >> (SIGKILL - 1) & 1)
            *is_ending = true;
    }
    return state;
}

bool
posix_process_is_stopped(pid_t pid)
{
    bool is_ending;
    return read_state(pid, &is_ending) == 'T';
}

/* State Z means that the first thread has ended. A thread that was killed may not be able
 * to end yet, because it is stuck in the kernel, or because the kernel waits for requests
 * of Linux AIO before it releases the process. */
bool
posix_process_is_killed(pid_t pid)
{
    bool is_ending = false;
    return read_state(pid, &is_ending) == 'Z' || is_ending;
}

#define WORD_BITS 32 /* bits in one word of a set of capabilities */

int
posix_capabilities_drop(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
    if (!getauxval(AT_SECURE) || getuid() == 0)
        return 0;
    if (syscall(SYS_capget, &header, words) < 0)
        return -1;

    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3 * WORD_BITS; i++)
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, (unsigned long)i, 0UL, 0UL) != 1)
            words[i / WORD_BITS].permitted &= ~(UINT32_C(1) << i % WORD_BITS);
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        words[i].effective &= words[i].permitted;

    return syscall(SYS_capset, &header, words) < 0 ? -1 : 0;
}

/* 16 MiB and a 16th of the memory that seems to be available must stay free, because the
 * figures are only estimates. */
#define RESERVE (16LL << 20) /* bytes */
#define RESERVE_DIVISOR 16

/* In bytes. A limit of this size or more means that there is no limit: version 1 of
 * control groups shows a huge number then. */
#define NO_LIMIT (INT64_MAX >> 1)

#define PATH_ROOM (4096 + 256)
#define TEXT_ROOM 8192    /* bytes, for a file with many lines */
#define FIGURES_ROOM 2048 /* bytes, for /proc/meminfo */
#define NUMBER_ROOM 64    /* bytes, for a file with one number */

/* The directory and the files of one version of control groups. The numbers in these
 * files are in bytes. `cache` does not name files: its texts are the beginnings of two
 * lines in the file memory.stat. These two lines tell the size of the page cache. */
struct cgroup_version {
    const char *mount, *limits[2], *used, *cache[2], *swap_limit, *swap_used;
    /* the numbers in `swap_limit` and `swap_used` are sums of memory and swap */
    bool swap_includes_memory;
};

static const struct cgroup_version version_1 = {
    .mount = "/sys/fs/cgroup/memory",
    .limits = {"memory.limit_in_bytes"},
    .used = "memory.usage_in_bytes",
    .cache = {"\ntotal_inactive_file ", "\ntotal_active_file "},
    .swap_limit = "memory.memsw.limit_in_bytes",
    .swap_used = "memory.memsw.usage_in_bytes",
    .swap_includes_memory = true,
};

static const struct cgroup_version version_2 = {
    .mount = "/sys/fs/cgroup",
    .limits = {"memory.max", "memory.high"},
    .used = "memory.current",
    .cache = {"\ninactive_file ", "\nactive_file "},
    .swap_limit = "memory.swap.max",
    .swap_used = "memory.swap.current",
};

static int64_t
lower_limit(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* Returns the number that follows KEY in TEXT, multiplied by UNIT. Returns OTHERWISE if
 * there is no such number, and INT64_MAX if the product is too large. */
static int64_t
find_number(const char *text, const char *key, int64_t unit, int64_t otherwise)
{
    const char *found = strstr(text, key);
    long long number;
    if (!found || sscanf(found + strlen(key), "%lld", &number) != 1 || number < 0)
        return otherwise;
    return number < INT64_MAX / unit ? number * unit : INT64_MAX;
}

/* Returns the number in the file NAME of the control group with directory FOLDER, and
 * INT64_MAX if the file says "max". Returns OTHERWISE if there is no such file. */
static int64_t
read_group_number(const char *folder, const char *name, int64_t otherwise)
{
    char text[NUMBER_ROOM];
    if (!linux_file_read(text, sizeof(text), "%s/%s", folder, name))
        return otherwise;
    return find_number(text, "", 1, INT64_MAX);
}

/* Returns how many bytes the control group with directory FOLDER has available. SWAP is
 * the free swap of the machine in bytes. Returns INT64_MAX if the group has no limit. Not
 * inlined: otherwise, the buffers of all these functions would be in one too large stack
 * frame. */
static __attribute__((noinline)) int64_t
find_group_available(const char *folder, const struct cgroup_version *version,
                     int64_t swap)
{
    char text[TEXT_ROOM] = "\n";
    int64_t limit = INT64_MAX;
    int64_t cache = 0;

    for (int i = 0; i < 2; i++)
        if (version->limits[i])
            limit = lower_limit(limit,
                                read_group_number(folder, version->limits[i], INT64_MAX));
    if (limit >= NO_LIMIT)
        return INT64_MAX;
    int64_t used = read_group_number(folder, version->used, -1);
    if (used < 0)
        return INT64_MAX;

    if (linux_file_read(text + 1, sizeof(text) - 1, "%s/memory.stat", folder))
        for (int i = 0; i < 2; i++)
            cache += find_number(text, version->cache[i], 1, 0);
    int64_t available = limit - used + lower_limit(cache, used);
    if (swap == 0)
        return available;

    int64_t swap_limit = read_group_number(folder, version->swap_limit, NO_LIMIT);
    int64_t swap_used = read_group_number(folder, version->swap_used, 0);
    int64_t swap_room = lower_limit(swap_limit, NO_LIMIT) - swap_used;
    if (version->swap_includes_memory)
        swap_room -= limit - used;
    if (swap_room > 0)
        available += lower_limit(swap_room, swap);
    return available;
}

/* Returns the minimum of find_group_available for the group PATH and all groups above it.
 * Groups that cannot be read, as in a container, are skipped. The files are looked for
 * below the directory ROOT, which is "" except in tests. */
static int64_t
find_groups_available(const char *root, const struct cgroup_version *version,
                      const char *path, int64_t swap)
{
    char folder[PATH_ROOM];
    size_t top_length = strlen(root) + strlen(version->mount);
    int64_t available = INT64_MAX;

    snprintf(folder, sizeof(folder), "%s%s%s", root, version->mount, path);
    for (;;) {
        char *slash = strrchr(folder + top_length, '/');
        bool ends_with_slash = slash && !slash[1];
        if (!ends_with_slash)
            available =
                lower_limit(available, find_group_available(folder, version, swap));
        if (!slash)
            return available;
        *slash = '\0';
    }
}

/* Returns true if LIST, of names separated by commas, has the name "memory". */
static bool
has_memory_controller(char *list)
{
    char *name;
    while ((name = strsep(&list, ",")))
        if (strcmp(name, "memory") == 0)
            return true;
    return false;
}

/* Returns the minimum of find_groups_available for all groups of this process. Each line
 * of /proc/self/cgroup has the form "NUMBER:CONTROLLERS:PATH". CONTROLLERS is empty for
 * version 2, and a list of names with commas for version 1. */
static int64_t
find_all_groups_available(const char *root, int64_t swap)
{
    char text[TEXT_ROOM];
    char *next_line = text;
    char *path;
    int64_t available = INT64_MAX;

    linux_file_read(text, sizeof(text), "%s/proc/self/cgroup", root);
    while ((path = strsep(&next_line, "\n"))) {
        strsep(&path, ":");
        char *controllers = strsep(&path, ":");
        if (!path)
            continue;

        const struct cgroup_version *version = NULL;
        if (!*controllers)
            version = &version_2;
        else if (has_memory_controller(controllers))
            version = &version_1;
        if (version)
            available =
                lower_limit(available, find_groups_available(root, version, path, swap));
    }

    return available;
}

int64_t
linux_memory_available(const char *root)
{
    char text[FIGURES_ROOM] = "\n";

    linux_file_read(text + 1, sizeof(text) - 1, "%s/proc/meminfo", root);
    int64_t swap = find_number(text, "\nSwapFree:", 1024, 0);
    int64_t memory = find_number(text, "\nMemAvailable:", 1024, INT64_MAX - swap);

    int64_t available = lower_limit(memory + swap, find_all_groups_available(root, swap));
    if (available >= NO_LIMIT)
        return INT64_MAX;

    available -= RESERVE + available / RESERVE_DIVISOR;
    return available > 0 ? available : 0;
}

int64_t
os_memory_available(void)
{
    return linux_memory_available("");
}
