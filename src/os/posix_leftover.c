/*
 * Leftovers: a file that is being made must be removed if the process ends before the
 * file is complete.
 *
 * A thread that is stuck in the kernel does not return when its process ends, but the
 * file that it was creating may still be created afterwards. So a separate process, the
 * remover, waits until the kernel has released all threads, however late that is, and
 * removes the file then. The monitor waits for the remover only if the child is gone
 * already, and then for DEADLINE_TIDYING at most. Child, monitor and remover share
 * memory, struct leftover.
 *
 *    child                             monitor                  remover
 *      | os_leftover_begin: stores the     |
 *      |   name; creates the file          |
 *      x killed or stuck                   | forks ----------------->| reads the pipe,
 *      .                                   | exits                   |   which blocks
 *      . last thread released: the kernel closes its end of the ---->| end of file:
 *        pipe                                                        | unlinks the file
 *
 * The monitor starts the remover for two reasons: it outlives a child that is killed, and
 * it has only one thread, so its fork meets no lock that another thread holds.
 *
 * The shared memory also lists working files that had a name until they were removed. A
 * file system may store such a file under its old name when the kernel closes it, so the
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

#define NAME_ROOM 4096 /* bytes; PATH_MAX, which includes the zero at the end */

/* A file whose name was removed while the file is open (os_leftover_watch). `name` is
 * valid while `is_set` is true. Written by the child, one thread at a time. */
struct removed_file {
    atomic_bool is_set;
    char name[NAME_ROOM];
};

/* State of the name of the file that is being made. */
enum name_state { NAME_NONE, NAME_CHANGING, NAME_VALID };

/* What child, monitor and remover know of unfinished files. */
struct leftover {
    /* The file of os_leftover_begin. Written by the child, one thread at a time. */
    atomic_int name_state; /* enum name_state */
    atomic_bool is_ours;   /* os_leftover_made was called: this process has created it */
    char name[NAME_ROOM];  /* path of the file; valid in the state NAME_VALID */

    /* The process is ending, so os_leftover_begin fails from now on. Set by the monitor
     * or, without a monitor, by the process itself. */
    atomic_bool is_ending;

    struct removed_file removed[LEFTOVER_FILES];
};

/* Used while there is only one process: before the fork, or if there is no monitor. */
static struct leftover leftover_alone;

/* The struct leftover that is in use. Set in os_monitor_start, while the process has one
 * thread. */
static struct leftover *leftover = &leftover_alone;

/* The pipe by which the remover learns that the child is gone. The monitor has the read
 * end, [0]. The child has the write end, [1], which the kernel closes when it has
 * released the child. -1: there is no pipe. Set in os_monitor_start, while the process
 * has one thread. */
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
        leftover = &leftover_alone;
}

int
os_leftover_begin(const char *path)
{
    int expected = NAME_NONE;
    size_t size = strlen(path) + 1;
    if (size > sizeof(leftover->name))
        return os_fail(ENAMETOOLONG);
    if (!atomic_compare_exchange_strong(&leftover->name_state, &expected, NAME_CHANGING))
        return os_fail(EINTR);

    atomic_store(&leftover->is_ours, false);
    memcpy(leftover->name, path, size);
    atomic_store(&leftover->name_state, NAME_VALID);
    if (!atomic_load(&leftover->is_ending))
        return 0;

    atomic_store(&leftover->name_state, NAME_NONE);
    return os_fail(EINTR);
}

void
os_leftover_made(void)
{
    atomic_store(&leftover->is_ours, true);
}

/* Forgets the name of the file, unless the process is ending. A process that is ending
 * keeps the name for the remover: the call that creates the file may have been
 * interrupted, and the file may still appear. */
void
os_leftover_end(void)
{
    if (!atomic_load(&leftover->is_ending))
        atomic_store(&leftover->name_state, NAME_NONE);
}

void
os_leftover_watch(const char *path)
{
    size_t size = strlen(path) + 1;
    if (size > NAME_ROOM)
        return;

    for (int i = 0; i < LEFTOVER_FILES; i++) {
        struct removed_file *file = &leftover->removed[i];
        if (atomic_load(&file->is_set))
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
        struct removed_file *file = &leftover->removed[i];
        if (atomic_load(&file->is_set) && strcmp(file->name, path) == 0)
            atomic_store(&file->is_set, false);
    }
}

static bool
has_removed_files(void)
{
    for (int i = 0; i < LEFTOVER_FILES; i++)
        if (atomic_load(&leftover->removed[i].is_set))
            return true;
    return false;
}

/* Removes the files of os_leftover_watch once more. */
static void
remove_files_again(void)
{
    for (int i = 0; i < LEFTOVER_FILES; i++)
        if (atomic_load(&leftover->removed[i].is_set))
            unlink(leftover->removed[i].name);
}

/* Removes the file of os_leftover_begin. Without os_leftover_made, a file that is not
 * empty may belong to another process, so it stays. */
static void
remove_unfinished_file(void)
{
    const char *name = leftover->name;
    struct stat status;
    if (atomic_load(&leftover->name_state) != NAME_VALID)
        return;

    bool is_ours = atomic_load(&leftover->is_ours);
    if (is_ours ||
        (lstat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0))
        unlink(name);
}

void
posix_leftover_remove(void)
{
    if (leftover != &leftover_alone)
        return;
    atomic_store(&leftover->is_ending, true);
    remove_unfinished_file();
}

/* Body of the remover. It stays in the working directory of the caller, because the name
 * of the file may be relative to it. It blocks all signals: the monitor has unblocked
 * those that posix_terminal_watch handles. */
static _Noreturn void
run_remover(void)
{
    char byte;
    ssize_t got;
    sigset_t every_signal;

    sigfillset(&every_signal);
    sigprocmask(SIG_SETMASK, &every_signal, NULL);
    setsid();
    posix_inherited_release();
    do
        got = read(pipe_ends[0], &byte, 1);
    while (got > 0 || (got < 0 && errno == EINTR));
    remove_unfinished_file();
    remove_files_again();
    _exit(0);
}

void
posix_leftover_start_removal(bool at_once)
{
    atomic_store(&leftover->is_ending, true);
    if (atomic_load(&leftover->name_state) == NAME_NONE && !has_removed_files())
        return;

    pid_t remover = fork();
    if (remover == 0)
        run_remover();
    if (!at_once)
        return;

    if (remover < 0)
        remove_unfinished_file();
    int64_t give_up_at = os_clock_now() + DEADLINE_TIDYING;
    while (waitpid(remover, NULL, WNOHANG) == 0 && os_clock_now() < give_up_at)
        os_sleep_until(os_clock_now() + MS);
}
