#ifndef PROBE_ATTENDED_H
#define PROBE_ATTENDED_H

#include "os/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Work on a thread of its own, where it may get stuck in the kernel, for the
 * thread that has the signals and attends to it. If it is left to itself, it
 * must stay in memory until the program ends.
 */
struct attended {
    struct os_thread self, worker;
    atomic_bool finished;
    atomic_bool *news;
    void (*body)(void *argument);
    void *argument;
};

/* For how long (ns) work may go on once it should end, before it is given up. */
#define ATTENDED_GRACE 750000000LL

/*
 * Starts BODY with ARGUMENT; NEWS becomes true when it ends. Returns 0, or -1
 * with errno.
 */
int attended_start(struct attended *attended, void (*body)(void *), void *argument,
                   atomic_bool *news);

/* Whether it has come to its end. */
bool attended_finished(const struct attended *attended);

/* Waits for the end of one of those that have NEWS, a signal, or time WHEN. */
void attended_wait(atomic_bool *news, int64_t when);

/* After its end, frees the thread. */
void attended_join(const struct attended *attended);

#endif
