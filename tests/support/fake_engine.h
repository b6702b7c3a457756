#ifndef SUPPORT_FAKE_ENGINE_H
#define SUPPORT_FAKE_ENGINE_H

#include "engine/engine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_ANSWERS 16
#define FAKE_CALLS 256

/* How one call ends; all zero: well, at once and whole. */
struct fake_answer {
    int error;       /* errno of the completion */
    int64_t missing; /* bytes fewer than asked for */
    int64_t takes;   /* ns, at least */
    bool held;       /* until the test lets it go, by go = true */
    bool refused;    /* submit itself fails with `error` */
    bool lost;       /* reap itself fails with `error` */
};

/* One call as the engine saw it. */
struct fake_call {
    struct engine_request request;
    uint64_t first, last; /* 8 bytes at either end of a write's data */
};

/*
 * An engine without a device. The script is filled by the test; the k-th read
 * or write, counted from 1, gets answers[k], the k-th flush flushes[k], those
 * beyond the script end well.
 */
struct fake_engine {
    struct fake_answer answers[FAKE_ANSWERS], flushes[FAKE_ANSWERS];
    bool broken; /* open fails */
    atomic_bool go;

    struct engine_config config;
    int opened, closed;
    int requests, flushed; /* calls of either kind so far */
    int count;             /* of both, also where they are no longer kept */
    atomic_bool let_go;    /* one that was held has gone on */
    struct fake_call calls[FAKE_CALLS];
};

/* The one of this program: engines have no word of their own to their test. */
extern struct fake_engine fake_engine;

extern const struct engine_ops engine_fake;

/* Forgets script and calls. */
void fake_engine_reset(void);

/* The calls so far as one letter each: R, W, F. Lives until the next call of it. */
const char *fake_engine_story(void);

#endif
