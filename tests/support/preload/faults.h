#ifndef SUPPORT_PRELOAD_FAULTS_H
#define SUPPORT_PRELOAD_FAULTS_H

/* The rules of the preloaded library, shared by its sources. The comment at the top of
 * faults.c explains the script. */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

/* The calls that rules can change: functions, system calls, and (AIO, URING) requests of
 * Linux AIO and io_uring. */
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

/* The actions of rules. STEP sets the clock forward or back. */
enum action { ERRNO, DELAY, HOLD, STEP, HANG, SHORT, ZERO, FAST, ACTIONS };

/* A rule of the script. */
struct rule {
    enum call call;
    char part[64]; /* PART of "CALL@PART"; empty: the rule matches any path or name */
    long from, to, step; /* numbers of the calls: FROM, FROM + STEP and so on, up to TO */
    enum action action;
    long number;       /* the number before the action: errno, ms or s */
    atomic_long count; /* matching calls so far */
};

/* Hidden symbols do not replace functions of the program that have the same name. */
#pragma GCC visibility push(hidden)

/*
 * Counts a call in every rule that matches it. Returns the rule to follow, or NULL. ABOUT
 * is the path or name that is searched for "@PART". With NULL, all rules for CALL match.
 */
const struct rule *faults_choose(enum call call, const char *about);

/* Returns 1 if a rule has this call and this action. ACTIONS stands for any action. */
int faults_has(enum call call, enum action action);

/* Returns 1 if a rule for this call has an "@PART". */
int faults_uses_part(enum call call);

/*
 * Executes RULE, which may be NULL, for a call of SIZE bytes. Returns 1 if the caller
 * must make the real call. Otherwise returns 0, and RESULT and errno become those of the
 * call.
 */
int faults_go_on(const struct rule *rule, size_t size, ssize_t *result);

/* Adds SIZE bytes to what getrusage(2) reports as read from devices. Called for a request
 * that seems to succeed although nothing was done, so that the program does not take its
 * bytes for cached. */
void faults_charge(size_t size);

/* Prints "WHY: WHAT" on stderr and ends the program with status 125. */
_Noreturn void faults_refuse(const char *why, const char *what);

/* Makes a system call with its number and six arguments, and with the faults for calls of
 * Linux AIO and io_uring. Returns as syscall(2). */
long faults_async(long number, long *argument);

/* Frees the state of a ring whose descriptor FD is about to be closed. Does nothing for
 * other descriptors. */
void faults_closing(int fd);

#pragma GCC visibility pop

/* The function NAME of the C library, which this library's function of that name hides.
 */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#endif
