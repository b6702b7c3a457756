/*
 * Leftovers: the file that is being made must be removed if the process ends before the
 * file is done.
 *
 * A thread that is stuck in the kernel does not return when its process ends, but the
 * file that it was creating may still be created afterwards. So a separate process, the
 * remover, waits until the kernel has released all threads, however late that is, and
 * removes the file then. Nobody waits for the remover. All three processes share a page
 * of memory, struct leftover.
 *
 *    child                             monitor                  remover
 *      | os_leftover_begin: the name is    |
 *      |   in the page; creates the file   |
 *      x killed or stuck                   | start_removal: fork ---->| reads the pipe,
 *      .                                   | _exit                    |   which blocks
 *      . last thread released: the kernel closes its pipe end ------->| end of file:
 *                                                                     | unlink, _exit
 *
 * The monitor starts the remover for two reasons: it outlives a child that is killed, and
 * it has only one thread, so its fork meets no lock that another thread holds.
 *
 * The page also lists working files that had a name until they were removed. A file
 * system may store such a file under its old name when the kernel closes it, so the
 * remover removes these names too.
 */
#include "base/deadlines.h"
#include "os/os.h"
#include "os/process.h"
#include "posix.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum state { NONE, CHANGING, SET };

/* A file that was removed while it is open. It may reappear when it is closed. */
struct watched {
    atomic_bool is_set;
    char name[4096]; /* PATH_MAX; valid while is_set */
};

/* Shared by the child, which writes all fields except `ending`, the monitor and the
 * remover. `state` is an enum state; `made`: see os_leftover_made. */
struct leftover {
    atomic_int state;
    atomic_bool is_ours;
    atomic_bool ending; /* no further file may be begun; set by the process that ends */
    char name[4096];    /* PATH_MAX; valid while the state is SET */
    struct watched watched[LEFTOVER_FILES];
};

static struct leftover alone;
/* Used before the fork and without a monitor; `leftover` is set by the first thread in
 * os_monitor_start. */
static struct leftover *leftover = &alone;
/* The pipe: the monitor keeps the read end, the child keeps the write end. -1: none. Set
 * before there is a second thread. */
static int pipe_ends[2] = {-1, -1};

int
posix_leftover_share(void)
{
    struct leftover *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return -1;

    leftover = shared;
    if (pipe(pipe_ends) < 0)
        pipe_ends[0] = pipe_ends[1] = -1;

    return 0;
}

void
posix_leftover_after_fork(pid_t pid)
{
    bool is_child = pid == 0;
    bool has_failed = pid < 0;
    if (pipe_ends[0] >= 0 && (is_child || has_failed))
        close(pipe_ends[0]);
    if (pipe_ends[1] >= 0 && !is_child)
        close(pipe_ends[1]);
    if (has_failed)
        leftover = &alone;
}

int
os_leftover_begin(const char *path)
{
    int none = NONE;
    size_t size = strlen(path) + 1;
    if (size > sizeof(leftover->name))
        return os_fail(ENAMETOOLONG);

    if (atomic_compare_exchange_strong(&leftover->state, &none, CHANGING)) {
        atomic_store(&leftover->is_ours, false);
        memcpy(leftover->name, path, size);
        atomic_store(&leftover->state, SET);
        if (!atomic_load(&leftover->ending))
            return 0;
        atomic_store(&leftover->state, NONE);
    }
    return os_fail(EINTR);
}

void
os_leftover_made(void)
{
    atomic_store(&leftover->is_ours, true);
}

/* Once the process is ending, the name stays: the call that creates the file may have
 * been interrupted, and the file may still be created. */
void
os_leftover_end(void)
{
    if (!atomic_load(&leftover->ending))
        atomic_store(&leftover->state, NONE);
}

void
os_leftover_watch(const char *path)
{
    size_t size = strlen(path) + 1;
    struct watched *end = leftover->watched + LEFTOVER_FILES;
    for (struct watched *file = leftover->watched; file < end; file++) {
        if (atomic_load(&file->is_set) || size > sizeof(file->name))
            continue;
        memcpy(file->name, path, size);
        atomic_store(&file->is_set, true);
        return;
    }
}

void
os_leftover_forget(const char *path)
{
    for (int i = 0; i < LEFTOVER_FILES; i++) {
        struct watched *file = &leftover->watched[i];
        if (atomic_load(&file->is_set) && strcmp(file->name, path) == 0)
            atomic_store(&file->is_set, false);
    }
}

static bool
has_watched(void)
{
    for (int i = 0; i < LEFTOVER_FILES; i++)
        if (atomic_load(&leftover->watched[i].is_set))
            return true;
    return false;
}

static void
remove_watched(void)
{
    for (int i = 0; i < LEFTOVER_FILES; i++)
        if (atomic_load(&leftover->watched[i].is_set))
            unlink(leftover->watched[i].name);
}

/* Without os_leftover_made, a file that is not empty may belong to another process and
 * stays. */
static void
remove_file(void)
{
    const char *name = leftover->name;
    struct stat status;
    if (atomic_load(&leftover->state) != SET)
        return;
    if (atomic_load(&leftover->is_ours) ||
        (lstat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0))
        unlink(name);
}

void
posix_leftover_remove(void)
{
    if (leftover != &alone)
        return;
    atomic_store(&leftover->ending, true);
    remove_file();
}

/* Body of the remover. It stays in the working directory of the caller, because the name
 * may be relative to it. */
static _Noreturn void
wait_and_remove(void)
{
    char byte;
    ssize_t got;

    setsid();
    posix_inherited_release();
    do
        got = read(pipe_ends[0], &byte, 1);
    while (got > 0 || (got < 0 && errno == EINTR));
    remove_file();
    remove_watched();
    _exit(0);
}

void
posix_leftover_start_removal(bool at_once)
{
    atomic_store(&leftover->ending, true);
    if (atomic_load(&leftover->state) == NONE && !has_watched())
        return;

    pid_t remover = fork();
    if (remover == 0)
        wait_and_remove();
    if (remover < 0 && at_once)
        remove_file();
    int64_t limit = os_clock_now() + DEADLINE_TIDYING;
    while (at_once && waitpid(remover, NULL, WNOHANG) == 0 && os_clock_now() < limit)
        os_sleep_until(os_clock_now() + MS);
}
