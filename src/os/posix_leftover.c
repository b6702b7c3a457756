/*
 * The file that is being made, and is removed if the process ends before it is done.
 *
 * A thread that is stuck in the kernel does not come back once its process ends, but the
 * file that it was making is made all the same. So another process waits until the kernel
 * has released all threads, however late, and removes the file then; nothing waits for
 * it. The monitor starts that: it outlives a child that is killed, and has one thread, so
 * that its fork meets no lock that another holds. What both know of the file is in a page
 * that they share, and a pipe tells when the child is gone: its end closes with the last
 * thread.
 *
 * The page also lists the working files that had a name until they were removed. A file
 * system may store such a file under its old name when the kernel closes it.
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

/* A file that was removed while it is open, and may be there again after its close. */
struct watched {
    atomic_bool is_set;
    char name[4096]; /* PATH_MAX; whole while is_set */
};

struct leftover {
    atomic_int state;
    atomic_bool made;
    atomic_bool ending; /* nothing is begun any more */
    char name[4096];    /* PATH_MAX; whole while the state is SET */
    struct watched watched[LEFTOVER_FILES];
};

static struct leftover alone;
static struct leftover *leftover = &alone;
static int ends[2] = {-1, -1}; /* of the pipe: the monitor's, the child's */

int
posix_leftover_share(void)
{
    struct leftover *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return -1;
    leftover = shared;
    if (pipe(ends) < 0)
        ends[0] = ends[1] = -1;
    return 0;
}

void
posix_leftover_part(int own)
{
    for (int i = 0; i < 2; i++)
        if (i != own && ends[i] >= 0)
            close(ends[i]);
    if (own < 0)
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
        atomic_store(&leftover->made, false);
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
    atomic_store(&leftover->made, true);
}

/* In a process that ends, an open may be interrupted whose file is made all the same. */
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

/* A file that os_leftover_made did not tell of may be another's, if it is not empty. */
static void
remove_file(void)
{
    const char *name = leftover->name;
    struct stat status;
    if (atomic_load(&leftover->state) != SET)
        return;
    if (atomic_load(&leftover->made) ||
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

/* The folder of the caller stays: the name may be relative to it. */
static _Noreturn void
wait_and_remove(void)
{
    char byte;
    ssize_t got;
    setsid();
    posix_inherited_release();
    do
        got = read(ends[0], &byte, 1);
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
