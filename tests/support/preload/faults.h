#ifndef SUPPORT_PRELOAD_FAULTS_H
#define SUPPORT_PRELOAD_FAULTS_H

/* The rules of the preloaded library, shared by its sources; faults.c has the grammar of
 * the script. */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

/* The calls that rules are for: functions, system calls, and requests of the two queues.
 */
enum call {
    PREAD,
    PWRITE,
    FDATASYNC,
    OPEN,
    CLOCK_NANOSLEEP,
    REALTIME,
    FORK,
    SETSID,
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

/* The effects of rules; STEP moves the clock. */
enum action { ERRNO, DELAY, HOLD, STEP, HANG, SHORT, ZERO, FAST, ACTIONS };

/* A rule of the script and the number of its calls so far. */
struct rule {
    enum call call;
    char part[64]; /* PART of "CALL@PART"; empty: any */
    long from, to, step;
    enum action action;
    long number; /* in front of the action: errno, ms or s */
    atomic_long count;
};

/* Hidden names cannot replace those of the program. */
#pragma GCC visibility push(hidden)

/*
 * Counts a call in every rule that it matches; returns the rule to follow, or NULL. ABOUT
 * is the path or name that contains "@PART"; NULL matches every rule of the call.
 */
const struct rule *faults_choose(enum call call, const char *about);

/* Returns 1 if a rule has this call and this action, or any action if it is ACTIONS. */
int faults_has(enum call call, enum action action);

/* Returns 1 if a rule for this call has an "@PART". */
int faults_asks(enum call call);

/*
 * Executes a rule, or NULL, for a call of SIZE bytes. Returns 1 if the caller must make
 * the real call; else 0, and RESULT is the result of the call, with errno.
 */
int faults_go_on(const struct rule *rule, size_t size, ssize_t *result);

/* Counts SIZE bytes of a request that the program takes for done although it was not: the
 * kernel seems to charge the process for them, as for what a device has read. */
void faults_charge(size_t size);

/* Ends the program with status 125 and WHY: WHAT on stderr. */
_Noreturn void faults_refuse(const char *why, const char *what);

/* Makes a system call by its number and six arguments, with the faults of the queues'
 * calls. Returns as syscall(2). */
long faults_async(long number, long *argument);

/* Frees the state of a ring before its descriptor is closed; other descriptors have none.
 */
void faults_closing(int fd);

#pragma GCC visibility pop

/* The function of the C library that the library's own of this name hides. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#endif
