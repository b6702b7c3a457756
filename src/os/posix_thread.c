/* Threads, by pthreads(7). They begin with the signals of os_signals_install blocked. */
#include "os/thread.h"

#include "os/os.h"
#include "posix.h"

#include <pthread.h>
#include <signal.h>
#ifdef __GLIBC__ /* for mallopt(3), which other C libraries lack */
#include <malloc.h>
#endif

/* Stack of a thread, in bytes. The system's default may exceed a limit on memory (ulimit
 * -v). */
#define STACK_SIZE (512 << 10)

/* An allocation of this many bytes or more gets its own mapping. */
#define MMAP_THRESHOLD (128 << 10)

int
os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument)
{
    pthread_t id;
    pthread_attr_t attributes;
    sigset_t before;

    /* Without this, glibc makes a pool of memory for each thread, but the threads of this
     * program allocate little. */
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
    /* Without this, glibc raises the threshold as the program runs. Then a large calloc
     * may reuse memory, and has to write zeros to all of it. */
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
#endif

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    posix_signals_block(&before);
    int code = pthread_create(&id, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code)
        return os_fail(code);

    thread->id = (uintptr_t)id;
    return 0;
}

struct os_thread
os_thread_self(void)
{
    return (struct os_thread){(uintptr_t)pthread_self()};
}

void
os_thread_wake(const struct os_thread *thread)
{
    pthread_kill((pthread_t)thread->id, POSIX_SIGNAL_WAKE);
}

void
os_thread_join(const struct os_thread *thread)
{
    pthread_join((pthread_t)thread->id, NULL);
}
