#ifndef STATS_SAMPLE_H
#define STATS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum operation { OPERATION_READ, OPERATION_WRITE };

/* What is said of a request beside its time; those before NONE do not count. */
enum verdict {
    VERDICT_WARMUP,
    VERDICT_TOO_FAST,
    VERDICT_TOO_SLOW,
    VERDICT_CACHED,  /* answered by the page cache although it should not have been */
    VERDICT_STOPPED, /* the process was stopped meanwhile, by Ctrl-Z perhaps */
    VERDICT_SHORT,   /* fewer bytes than asked for: a failure */
    VERDICT_ERROR,   /* failed with the errno in `error` */
    VERDICT_NONE,
    VERDICT_FAST,
    VERDICT_SLOW,
};

/* One request and what became of it. */
struct sample {
    uint64_t index;  /* from 1 */
    int64_t start;   /* monotonic, ns */
    int64_t latency; /* ns */
    int64_t sync;    /* of it, ns: the flush after a write; 0: none */
    int64_t offset;  /* bytes from the start of the target */
    int64_t size;    /* bytes asked for */
    int64_t bytes;   /* bytes that were moved */
    int64_t idle;    /* at the end of it, ns, in which nothing was due any more */
    uint64_t missed; /* grid points that passed while it was under way */
    enum operation operation;
    enum verdict verdict;
    int error;    /* errno, or 0 */
    bool cached;  /* its pages were in the page cache when it was sent */
    bool stopped; /* the process was, while it was under way */
};

/* Whether the request goes into the statistics. */
static inline bool
sample_counts(const struct sample *sample)
{
    return sample->verdict >= VERDICT_NONE;
}

/* Whether its span goes into the busy time, see stats/busy.h: warm-up and stops do not.
 */
static inline bool
sample_is_busy(const struct sample *sample)
{
    return sample->verdict != VERDICT_WARMUP && sample->verdict != VERDICT_STOPPED;
}

/* Whether the request failed. */
static inline bool
sample_failed(const struct sample *sample)
{
    return sample->verdict == VERDICT_ERROR || sample->verdict == VERDICT_SHORT;
}

/*
 * The verdict as a word, such as "warmup" or "EIO"; NULL for none. It lives as
 * long as the program, or, for an errno without a name, until BUFFER of 16
 * bytes does.
 */
const char *sample_notice(const struct sample *sample, char *buffer);

#endif
