#ifndef SUPPORT_FAKE_ENGINE_H
#define SUPPORT_FAKE_ENGINE_H

#include "io/io.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_ANSWERS 16
#define FAKE_CALLS 256
#define FAKE_DEPTH 8
#define FAKE_QUEUES 8

/* How one call ends; all zero: well, at once and whole. */
struct fake_answer {
    int error;       /* errno of the completion */
    int64_t missing; /* bytes fewer than asked for */
    int64_t takes;   /* ns, at least */
    bool held;       /* until the test lets it go, by go = true */
    bool lost;       /* reap itself fails with `error` */
    bool late;       /* reap does not return before it ends, whatever it was told */
};

/* One call as the engine saw it. */
struct fake_call {
    struct io_request request;
    uint64_t first, last; /* 8 bytes at either end of a write's data */
};

/* What was submitted and is not yet reaped. */
struct fake_request {
    struct io_request request;
    struct fake_answer answer;
    int64_t end; /* 0: not yet sent */
};

/* What is seen of one worker, in order of their opening. */
struct fake_queue {
    struct fake_answer answers[FAKE_ANSWERS]; /* by its own reads and writes, from 1 */
    bool scripted;                            /* they hold, not those for all */
    atomic_int requests;                      /* reads and writes */
    int64_t offsets[FAKE_CALLS];              /* of the first of them */
    struct fake_request under_way[FAKE_DEPTH];
    int count_under_way, most_under_way;
};

/*
 * An engine without a device. The script is filled by the test; the k-th read
 * or write, counted from 1, gets answers[k], the k-th flush flushes[k], those
 * beyond the script end well. They end in the order of their time. Several
 * workers, each on its thread, may have it open at a time.
 */
struct fake_engine {
    struct fake_answer answers[FAKE_ANSWERS], flushes[FAKE_ANSWERS];
    int64_t takes;  /* ns of each without an answer */
    bool patient;   /* who does not wait for completions gets none */
    bool broken;    /* open fails */
    bool busy;      /* close leaves something under way */
    int sound;      /* so many can be opened before it is `broken` */
    int gather;     /* nothing ends before so many workers have sent something */
    atomic_bool go; /* set by the test: what is held goes on */

    struct io_config config; /* of the last that was opened */
    int opened, begun, closed;
    int ended;             /* with nothing under way */
    int requests, flushed; /* calls of either kind so far */
    int count;             /* of both, also where they are no longer kept */
    atomic_bool let_go;    /* one that was held has gone on */
    struct fake_call calls[FAKE_CALLS];
    struct fake_queue queues[FAKE_QUEUES];
    int most_under_way; /* of one worker */
};

/* The one of this program: engines have no word of their own to their test. */
extern struct fake_engine fake_engine;

extern const struct io_engine engine_fake;

/* Forgets script and calls. */
void fake_engine_reset(void);

/* The calls so far as one letter each: R, W, F. Lives until the next call of it. */
const char *fake_engine_story(void);

#endif
