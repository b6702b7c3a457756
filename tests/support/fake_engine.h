#ifndef SUPPORT_FAKE_ENGINE_H
#define SUPPORT_FAKE_ENGINE_H

#include "io/io.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* An I/O engine without a device. A test scripts how its requests end. */

#define FAKE_ANSWERS 16
#define FAKE_CALLS 256
#define FAKE_DEPTH 8
#define FAKE_QUEUES 8

/* The scripted result of one request. If all fields are zero, the request succeeds at
 * once and transfers all bytes. */
struct fake_answer {
    int error;            /* errno of the completion; 0: success */
    int64_t missing;      /* number of requested bytes that are not transferred */
    int64_t min_duration; /* minimum ns between submit and completion */
    bool held;            /* the request does not end before the test sets `go` */
    bool lost;            /* reap fails with `error`, and all pending requests are lost */
    bool late; /* reap returns only when this request ends, even past its deadline */
};

/* One request, as the engine received it. */
struct fake_call {
    struct io_request request;
    uint64_t first, last; /* first and last 8 bytes of a write's data */
};

/* A pending request: it was submitted, and reap has not returned its completion. */
struct fake_request {
    struct io_request request;
    struct fake_answer answer;
    int64_t end; /* when it completes, monotonic, ns; 0: not set before the next reap */
};

/* The queue of one worker. Queues are numbered in the order in which they are opened. */
struct fake_queue {
    struct fake_answer answers[FAKE_ANSWERS]; /* answers[k]: this queue's k-th request */
    bool scripted;               /* use these `answers` instead of the engine's */
    atomic_int requests;         /* number of reads and writes so far */
    int64_t offsets[FAKE_CALLS]; /* offsets of the first reads and writes, in bytes */
    struct fake_request under_way[FAKE_DEPTH]; /* the pending requests */
    int count_under_way;                       /* number of pending requests */
    int most_under_way; /* highest number of pending requests so far */
};

/*
 * The engine's script, its state and the recorded calls. The test fills the script: the
 * k-th read or write, counted from 1, gets answers[k], and the k-th flush gets
 * flushes[k]. Requests for which the script has no entry succeed. Requests complete in
 * the order of their end times. Several workers may use the engine at once, each from its
 * own thread.
 */
struct fake_engine {
    struct fake_answer answers[FAKE_ANSWERS], flushes[FAKE_ANSWERS];
    int64_t default_duration; /* ns of each read or write whose answer has takes == 0 */
    bool patient;             /* a reap that does not wait returns no completions */
    bool broken;              /* open fails with EIO */
    bool busy;                /* close reports that requests are still in flight */
    int openable_queues; /* number of queues that can be opened although `broken` is set
                          */
    int min_senders;     /* no request completes before this many workers have sent one */
    atomic_bool go;      /* set by the test to let held requests end */

    struct io_config config;   /* configuration of the queue that was opened last */
    int opened, begun, closed; /* number of calls of open, begin and close */
    int ended;                 /* number of calls of end without pending requests */
    int requests;              /* number of reads and writes so far */
    int flushed;               /* number of flushes so far */
    int count;          /* number of requests so far; may exceed the size of `calls` */
    atomic_bool let_go; /* a held request has been allowed to end */
    struct fake_call calls[FAKE_CALLS]; /* the first requests, flushes included */
    struct fake_queue queues[FAKE_QUEUES];
    int most_under_way; /* highest number of pending requests of any one worker */
};

/* The state is global, because an engine's functions get no pointer to their test. */
extern struct fake_engine fake_engine;

/* The functions of the engine, for run_task and worker_open. */
extern const struct io_engine engine_fake;

/* Clears the script, the state and the recorded calls. */
void fake_engine_reset(void);

/* Returns the requests so far, one letter for each: R for a read, W for a write, F for a
 * flush. The text is valid until the next call. */
const char *fake_engine_story(void);

#endif
