#ifndef SUPPORT_FAKE_ENGINE_H
#define SUPPORT_FAKE_ENGINE_H

#include "io/io.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* An engine without a device, whose requests end as a test writes. */

#define FAKE_ANSWERS 16
#define FAKE_CALLS 256
#define FAKE_DEPTH 8
#define FAKE_QUEUES 8

/* The end of one call; all zero: success, at once and of all bytes. */
struct fake_answer {
    int error;       /* errno of the completion */
    int64_t missing; /* bytes fewer than asked for */
    int64_t takes;   /* ns between submit and completion, at least */
    bool held;       /* the call waits until the test sets `go` */
    bool lost;       /* reap fails with `error`, and all that is under way is lost */
    bool late;       /* reap waits for its end, past the time that it was given */
};

/* One call as the engine saw it. */
struct fake_call {
    struct io_request request;
    uint64_t first, last; /* 8 bytes at either end of a write's data */
};

/* A request between submit and reap. */
struct fake_request {
    struct io_request request;
    struct fake_answer answer;
    int64_t end; /* ns, monotonic; 0: not yet sent */
};

/* The queue of one worker; queues are numbered in the order of their opening. */
struct fake_queue {
    struct fake_answer answers[FAKE_ANSWERS]; /* to its own reads and writes, from 1 */
    bool scripted;               /* `answers` hold, not those of the engine */
    atomic_int requests;         /* reads and writes */
    int64_t offsets[FAKE_CALLS]; /* of the first reads and writes, in bytes */
    struct fake_request under_way[FAKE_DEPTH];
    int count_under_way, most_under_way;
};

/*
 * The engine's script, its state and a record of its calls. The test fills the script:
 * the k-th read or write, counted from 1, gets answers[k], the k-th flush flushes[k];
 * calls beyond the script succeed. Requests end in the order of their time. Several
 * workers, each on its thread, may have the engine open at a time.
 */
struct fake_engine {
    struct fake_answer answers[FAKE_ANSWERS], flushes[FAKE_ANSWERS];
    int64_t takes;  /* ns of each read and write whose answer has no time */
    bool patient;   /* a reap that does not wait gets no completions */
    bool broken;    /* open fails */
    bool busy;      /* close says that requests are still under way */
    int sound;      /* number of queues that open before it is `broken` */
    int gather;     /* no request ends before this many workers have sent one */
    atomic_bool go; /* set by the test: held calls go on */

    struct io_config config; /* of the queue opened last */
    int opened, begun, closed;
    int ended;             /* ends with nothing under way */
    int requests, flushed; /* reads and writes so far; flushes so far */
    int count;             /* of both, also of those beyond `calls` */
    atomic_bool let_go;    /* a held call has gone on */
    struct fake_call calls[FAKE_CALLS];
    struct fake_queue queues[FAKE_QUEUES];
    int most_under_way; /* of any one worker */
};

/* The state is global: the table of an engine has no pointer to its test. */
extern struct fake_engine fake_engine;

/* The table of the engine, for run_task and worker_open. */
extern const struct io_engine engine_fake;

/* Clears script, state and record. */
void fake_engine_reset(void);

/* Returns the calls so far as one letter each: R, W, F; valid until the next call. */
const char *fake_engine_story(void);

#endif
