#ifndef SUPPORT_PRELOAD_FAULTS_H
#define SUPPORT_PRELOAD_FAULTS_H

/* What the sources of the library share; the script's grammar stands in faults.c. */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

enum call {
    PREAD,
    PWRITE,
    FDATASYNC,
    OPEN,
    CLOCK_NANOSLEEP,
    REALTIME,
    AIO,
    IO_SETUP,
    IO_SUBMIT,
    IO_GETEVENTS,
    IO_DESTROY,
    URING,
    IO_URING_SETUP,
    IO_URING_REGISTER,
    IO_URING_ENTER,
    CALLS
};

enum action { ERRNO, DELAY, HOLD, STEP, HANG, SHORT, ZERO, FAST, ACTIONS };

struct rule {
    enum call call;
    char part[64]; /* of what the call is about; empty: any */
    long from, to, step;
    enum action action;
    long number; /* before the name of the action */
    atomic_long count;
};

/* None of these names may stand in the way of the program's own. */
#pragma GCC visibility push(hidden)

/*
 * Counts this call in every rule that it is one for; returns the one to follow, or NULL.
 * ABOUT is what "@PART" is looked for in; NULL where no rule has one.
 */
const struct rule *faults_choose(enum call call, const char *about);
/* Whether the script has a rule for this call, of this action or (ACTIONS) of any. */
int faults_has(enum call call, enum action action);
/* Whether a rule for this call has a part. */
int faults_asks(enum call call);
/*
 * Does what the rule, if any, does to a call of SIZE bytes. Returns whether the call is
 * to be done for real; else RESULT is its result, with errno.
 */
int faults_go_on(const struct rule *rule, size_t size, ssize_t *result);
/* Ends the program: there is no sense in going on. */
_Noreturn void faults_refuse(const char *why, const char *what);
/* Any call by its number, with the faults of those that faults_async.c knows. */
long faults_async(long number, long *argument);
/* The program closes this descriptor. */
void faults_closing(int fd);

#pragma GCC visibility pop

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#endif
