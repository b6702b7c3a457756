#ifndef SUPPORT_PRELOAD_FAULTS_ASYNC_H
#define SUPPORT_PRELOAD_FAULTS_ASYNC_H

/* Requests of Linux AIO and io_uring that other requests replace, because of a fault. */

#include "faults.h"
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdint.h>

/* Constants of the kernel's ABI that the headers of some systems do not have yet. */
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

/* A request of the program for which another request was sent. Exists until that other
 * request completes. */
struct replaced {
    struct replaced *next;
    uint64_t key;   /* identifies the completion: address of the iocb, or the user data */
    long ms;        /* delay of the completion */
    int64_t result; /* result that the program gets: number of bytes, or -errno */
    union {
        struct {
            struct iocb *original; /* the program's request */
            struct iocb request;   /* the request that was sent instead */
        } aio;
        struct {
            struct io_uring_sqe *place; /* its entry in the queue; NULL once restored */
            struct io_uring_sqe before; /* the program's contents of that entry */
            unsigned position; /* number of the request, counted from the ring's first */
            struct __kernel_timespec time; /* delay of the timeout that replaces it */
        } uring;
    };
};

/* The name of an opcode of the kernel. An entry without a name ends an array. */
struct code {
    int code;
    const char *name;
};

#pragma GCC visibility push(hidden)

/*
 * Counts a request with opcode CODE in the rules for CALL. Returns NULL if the request
 * must be sent unchanged. Otherwise returns its delay and result, with all other fields
 * zero, allocated. CODES names the opcodes that can have faults. SIZE is the size of the
 * request in bytes. If the name of the opcode ends in "v", SIZE is instead the length of
 * an array of struct iovec at ADDRESS.
 */
struct replaced *faults_replace(enum call call, const struct code *codes, int code,
                                uint64_t address, uint64_t size);

/* Adds a replaced request to a list. */
void faults_add(struct replaced **list, struct replaced *replaced);

/* Removes the first request with this key from a list and returns it. Returns NULL if
 * there is none. */
struct replaced *faults_take(struct replaced **list, uint64_t key);

/* Makes a system call without faults, with six arguments. Returns as syscall(2). */
long faults_real(long number, const long *argument);

/* Make the system calls io_submit, io_getevents, io_uring_setup, io_uring_register and
 * io_uring_enter with the faults of their requests. May change the six arguments. Return
 * as syscall(2). */
long faults_aio_submit(long *argument);
long faults_aio_getevents(long *argument);
long faults_uring_setup(long *argument);
long faults_uring_register(long *argument);
long faults_uring_enter(long *argument);

#pragma GCC visibility pop

#endif
