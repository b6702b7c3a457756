#ifndef REPORT_DIAGNOSIS_H
#define REPORT_DIAGNOSIS_H

#include "base/buffer.h"
#include "os/disk.h"
#include "run/job.h"
#include "target/target.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The diagnosis of a target (-diagnose). It is made in three steps, and no step touches
 * the target:
 *
 *   diagnosis_collect   the jobs of the parts --> facts    the measurements
 *   diagnosis_judge     facts --> findings                 what that means
 *   diagnosis_...       findings --> sentences             diagnosis_words.c,
 *                                                          diagnosis_unknown.c
 *
 * All times are in ns.
 */

/* Times of one kind of request. A time is -1 if too few requests count to know it. */
struct diagnosis_times {
    uint64_t count; /* requests that count */
    int64_t average, p50, p99, max;
};

/* Everything that is known about a target. */
struct diagnosis_facts {
    const char *path;
    const char *fstype; /* "block" or "character" for a device */
    const char *device; /* device of the file system */
    enum os_kind kind;
    enum io_mode mode;
    bool is_in_memory;          /* the file system lives in memory */
    bool has_disk;              /* `disk` was found; else only the machine is known */
    const struct os_disk *disk; /* never NULL */

    const char *failure;  /* why a request failed; empty: none failed */
    bool was_interrupted; /* a signal ended the diagnosis early */
    bool has_swept;       /* the sweep of depths has ended, and not by a signal */
    int64_t duration;     /* elapsed time of all parts */
    uint64_t cached;      /* reads that the page cache answered, and that do not count */
    uint64_t from_memory; /* reads that count, but came from memory */
    double hole_percent;  /* share of holes in the working set */
    bool hides_holes;     /* the share of holes is unknown, although there may be some */
    int64_t request_size; /* bytes; not of the stream */
    int64_t pause;        /* from one read of `paused` to the next */

    struct diagnosis_times paused; /* reads with pauses */
    struct diagnosis_times stream; /* sequential reads, back to back */
    struct diagnosis_times commit; /* writes with their flushes */
    struct diagnosis_times flush;  /* the flushes alone */
    int64_t stream_size;           /* bytes of a sequential read */
    double stream_bps;             /* bytes per second of the sequential reads */
    bool flushes_ignored;          /* no flush reached the device */
    const struct job_sweep *depths;
    bool uses_threads; /* threads, not a queue, had several requests in flight */

    /* Share of each part of the time of the paused reads, percent; used if has_shares. */
    int shares[PARTS];
    bool has_shares;
    const char *trace_refusal; /* why the time could not be split; empty: it was */

    /* Requests per second that the disk did for others during the paused reads, and share
     * of that time in which it worked, for anybody, percent. -1: unknown. */
    double other_rate;
    int disk_busy;
};

/* The classes of storage, in the order of their typical latency. */
enum storage_class {
    CLASS_UNKNOWN,
    CLASS_MEMORY,
    CLASS_NVME,
    CLASS_SATA_SSD,
    CLASS_SSD, /* some SSD: how it is connected is not known */
    CLASS_CLOUD,
    CLASS_NEAR_SERVER, /* a file system in the same data centre */
    CLASS_HARD_DISK,
    CLASS_FAR_SERVER, /* a file system over the internet */
    STORAGE_CLASSES
};

/* The typical times of a class, of small reads with pauses between them. storage_class.c
 * names the measurements from which the ranges come. */
struct storage_range {
    const char *word;         /* for programs: "hard-disk" */
    const char *name;         /* for people: "a hard disk" */
    int64_t p50_from, p50_to; /* typical medians */
    int64_t p99_to;           /* typical p99 is at most this */
    int64_t flush_to;         /* typical median of a flush is at most this */
    int expected_slots; /* reads in flight that raise its rate, at least; 0: unknown */
};
extern const struct storage_range storage_ranges[STORAGE_CLASSES];

/* The uses for which a disk is judged. */
enum storage_use { USE_ETCD, USE_DATABASE, USE_DESKTOP, USE_STREAMING, STORAGE_USES };

/* The need of a use; storage_class.c names the sources. */
struct storage_need {
    const char *word;   /* for programs: "database-log" */
    const char *name;   /* for people: "database log" */
    const char *phrase; /* in a sentence: "a database log" */
    const char *figure; /* the figure with the limit: "flush p99" */
    int64_t limit;      /* ns; for streaming bytes per second */
    bool is_rate;       /* the figure must be at least the limit, else below it */
    const char *source; /* who says so */
};
extern const struct storage_need storage_needs[STORAGE_USES];

enum diagnosis_state {
    DIAGNOSIS_FINE,    /* as fast as its class; it may be too slow for some uses */
    DIAGNOSIS_SLOW,    /* slower than its class */
    DIAGNOSIS_UNKNOWN, /* no class can be claimed */
    DIAGNOSIS_FAILED,  /* a request failed */
};

/* Why a target is slow, or why its class is unknown. */
enum diagnosis_cause {
    CAUSE_NONE,

    /* why it is slow */
    CAUSE_LIMIT,  /* a limit of a control group */
    CAUSE_OTHERS, /* requests of other processes */
    CAUSE_PAUSES, /* something falls asleep between requests */
    CAUSE_QUEUE,  /* requests wait in the kernel, and it is not known why */
    CAUSE_STACK,  /* layers such as encryption take most of the time */
    CAUSE_DEVICE, /* the disk itself takes most of the time */
    CAUSE_SYSTEM, /* the system calls take most of the time */
    CAUSE_FLUSH,  /* reads are fast, but flushes are slow */
    CAUSE_SLOTS,  /* only few requests are answered at a time */

    /* why its class is unknown */
    CAUSE_INTERRUPTED,   /* a signal came before the sweep of depths had ended */
    CAUSE_NO_READS,      /* no read counts, or too few to know p99 */
    CAUSE_PAGE_CACHE,    /* the page cache answers */
    CAUSE_HOLES,         /* reads of holes in a sparse file touch no device */
    CAUSE_LARGE_READS,   /* the ranges are for small reads */
    CAUSE_HIDDEN,        /* a file system without a device that is known */
    CAUSE_CONTRADICTION, /* the figures do not fit to the words of the driver */
    CAUSE_BUSY,          /* other processes keep the disk busy */
    CAUSE_BETWEEN,       /* too slow for an SSD, too fast for a hard disk */
};

/* A use and whether the target suits it. */
struct use_finding {
    enum slo_verdict verdict;
    int64_t value;           /* the figure, in the unit of the limit; -1: unknown */
    const char *why_unknown; /* NULL if the verdict is known */
};

/* The meaning of the facts. */
struct diagnosis_findings {
    enum diagnosis_state state;
    enum storage_class class; /* the class that is claimed, or was expected if slow */
    bool is_likeness;         /* only the figures suggest the class */
    enum diagnosis_cause cause;
    bool is_disk_busy;   /* other processes keep the disk busy */
    bool is_disk_shared; /* others sent many requests, even if the disk was fast enough */
    bool slow_tail;      /* p50 is typical, but diagnosis_tail() is too long */
    bool is_limit_reached; /* the limit of the control group stops the sweep */
    /* The step of the sweep with the highest depth at which p99 is at most twice as long
     * as at depth 1; NULL: unknown. */
    const struct job_step *knee;
    /* A step after `knee` has a p99, which is longer. If false, the sweep did not reach
     * the knee: p99 may stay short at higher depths than that of `knee`. */
    bool is_knee_reached;
    /* More reads in flight than about this number only wait: the rate does not rise any
     * more. 0: more than the sweep had, or unknown. */
    int64_t slots;
    struct use_finding uses[STORAGE_USES];
};

/* A diagnosis, for the reports. */
struct diagnosis {
    struct diagnosis_facts facts;
    struct diagnosis_findings findings;
    char failure[OUTCOME_TEXT]; /* memory of facts.failure */
    char refusal[ERROR_LINE];   /* memory of facts.trace_refusal */
};

/*
 * Fills the facts of DIAGNOSIS that the JOBS of the parts have measured; there are COUNT
 * jobs, in the order of enum plan_part. The caller has filled `disk`, `has_disk`,
 * `was_interrupted`, `other_rate`, `disk_busy` and `refusal`. JOBS must outlive
 * DIAGNOSIS.
 */
void diagnosis_collect(struct diagnosis *diagnosis, const struct job *jobs, int count);

/* Fills FINDINGS from FACTS, which must outlive FINDINGS. */
void diagnosis_judge(const struct diagnosis_facts *facts,
                     struct diagnosis_findings *findings);

/* Returns the exit status of a diagnosis that ran without failures: EXIT_LIMIT if the
 * target is slow, else EXIT_DONE. */
int diagnosis_status(const struct diagnosis_findings *findings);

/* Adds the answer to TEXT: a sentence without a newline, of any length. */
void diagnosis_answer(const struct diagnosis *diagnosis, struct buffer *text);

/* Adds a command to TEXT that is worth trying next, without a newline. */
void diagnosis_advice(const struct diagnosis *diagnosis, struct buffer *text);

/* Adds to TEXT the INDEXth thing, from 0, that is not known, in one line without a
 * newline. Returns false, and adds nothing, if there are no more. */
bool diagnosis_unknown(const struct diagnosis *diagnosis, int index, struct buffer *text);

/* Adds to TEXT what kind of target it is, for the start of a sentence: "This virtual
 * disk". */
void diagnosis_noun(const struct diagnosis_facts *facts, struct buffer *text);

/* Returns the word for STATE or CAUSE in JSON. */
const char *diagnosis_state_word(enum diagnosis_state state);
const char *diagnosis_cause_word(enum diagnosis_cause cause);

/* Returns the p99 of the paused reads or, if it is not known, their maximum. */
int64_t diagnosis_tail(const struct diagnosis_facts *facts);

/* Returns true if FACTS are about a file system on a server in the network. */
bool diagnosis_is_served(const struct diagnosis_facts *facts);

/* Returns true if FACTS are about a volume of a cloud. */
bool diagnosis_is_cloud(const struct diagnosis_facts *facts);

#endif
