#ifndef SUPPORT_PRELOAD_FAULTS_ASYNC_H
#define SUPPORT_PRELOAD_FAULTS_ASYNC_H

/* Replaced requests of the two queues, Linux AIO and io_uring. */

#include "faults.h"
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdint.h>

/* Fixed by the kernel's ABI, but newer than the headers of some systems. */
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif
#ifndef IORING_ENTER_REGISTERED_RING
#define IORING_ENTER_REGISTERED_RING (1U << 4)
#define IORING_REGISTER_RING_FDS 20
#endif

/* A request of the program in whose place another was sent, until that is completed. */
struct replaced {
    struct replaced *next;
    uint64_t key;   /* identifies the completion: iocb address or user data */
    long ms;        /* until the completion */
    int64_t result; /* for the program: bytes, or -errno */
    union {
        struct {
            struct iocb *original, request;
        } aio;
        struct {
            struct io_uring_sqe *place, before; /* place: NULL after restore() */
            unsigned position;                  /* counted from the first of the ring */
            struct __kernel_timespec time;
        } uring;
    };
};

/* The name of an opcode of the kernel; the last of an array has none. */
struct code {
    int code;
    const char *name;
};

#pragma GCC visibility push(hidden)

/*
 * Counts a request of SIZE bytes with opcode CODE. Returns NULL if it is sent unchanged;
 * else its delay and result, with the rest zero, to be freed. CODES names the opcodes
 * that have rules; those that end in "v" have an array of SIZE struct iovec at ADDRESS.
 */
struct replaced *faults_replace(enum call call, const struct code *codes, int code,
                                uint64_t address, uint64_t size);

/* Adds a replaced request to a list. */
void faults_put(struct replaced **list, struct replaced *replaced);

/* Removes the first of this key from a list and returns it, or NULL. */
struct replaced *faults_take(struct replaced **list, uint64_t key);

/* Makes a system call without faults, with six arguments. Returns as syscall(2). */
long faults_real(long number, const long *argument);

/* Make these calls with the faults of their requests, which may change the six arguments.
 * Return as syscall(2). */
long faults_aio_submit(long *argument);
long faults_aio_getevents(long *argument);
long faults_uring_setup(long *argument);
long faults_uring_register(long *argument);
long faults_uring_enter(long *argument);

#pragma GCC visibility pop

#endif
