#ifndef SUPPORT_PRELOAD_FAULTS_ASYNC_H
#define SUPPORT_PRELOAD_FAULTS_ASYNC_H

/* What the two kinds of asynchronous requests have in common. */

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

/* A request that another was sent for, until this is completed. */
struct replaced {
    struct replaced *next;
    uint64_t key;   /* what its completion can be told by */
    long ms;        /* until then */
    int64_t result; /* bytes, or -errno: what the program is to be told */
    union {
        struct {
            struct iocb *original, request;
        } aio;
        struct {
            struct io_uring_sqe *place, before; /* place: NULL once it is restored */
            unsigned position;                  /* counted from the first of the ring */
            struct __kernel_timespec time;
        } uring;
    };
};

/* Names of what the kernel has numbers for; the last has none. */
struct code {
    int code;
    const char *name;
};

#pragma GCC visibility push(hidden)

/*
 * Counts a request of SIZE bytes; NULL if it is to be sent as it is, else what is to
 * become of it, with the rest zero, to be freed. CODES names what the rules are for,
 * of which those that end in "v" have SIZE pieces at ADDRESS.
 */
struct replaced *faults_replace(enum call call, const struct code *codes, int code,
                                uint64_t address, uint64_t size);
void faults_put(struct replaced **list, struct replaced *replaced);
/* Takes out the first of this key, or returns NULL. */
struct replaced *faults_take(struct replaced **list, uint64_t key);
/* The call itself, with six arguments. */
long faults_real(long number, const long *argument);

/* The calls with the faults of their requests; they may change their arguments. */
long faults_aio_submit(long *argument);
long faults_aio_getevents(long *argument);
long faults_uring_setup(long *argument);
long faults_uring_register(long *argument);
long faults_uring_enter(long *argument);

#pragma GCC visibility pop

#endif
