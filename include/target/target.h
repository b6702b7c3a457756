#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/error.h"
#include "os/os.h"
#include "os/storage.h"
#include "target/description.h"

struct plan;

/* An open target. It owns its descriptor and its working file. */
struct target {
    const struct target *before; /* the one that was opened before; NULL: none */
    int fd;
    enum os_kind kind;
    struct description description;
    uint64_t device;   /* identity of a device */
    int64_t size;      /* of the file or device, bytes; 0: it has none */
    int64_t work_size; /* of the working set, at least one request */
    int64_t block;     /* block size of the file system; 0: it is on none */
    int64_t alignment; /* of the memory that requests use */
    int rw_flags;      /* OR-ed enum os_rw of every request */
    bool poll;         /* completions are polled for; io_uring only */
    bool flush;        /* a write is followed by a flush */
    bool direct;       /* requests are O_DIRECT or its like, in any mode */
    bool memory;       /* no device behind it */
    bool flushed;      /* no dirty data is left */
    bool fresh;        /* the kept working file was not there before */
    /* In nocache mode: */
    os_resident_function *resident; /* looks pages up; NULL: it cannot be done */
    bool counts_sectors; /* if so: os_thread_sectors tells a cached read afterwards */
    char shape[64];      /* options for direct reads; empty: none are known */
};

/*
 * Opens the target of PLAN, prepares the working file, chooses the mode and flushes dirty
 * data; target_name completes the description later. BEFORE is the target that was opened
 * before, NULL if this is the first. Remarks for the user go into NOTES. Returns 0, or -1
 * with ERROR, and then nothing is left open or behind.
 */
int target_open(struct target *target, const struct plan *plan,
                const struct target *before, struct notes *notes, struct error *error);

/*
 * Completes the description of an open target, unless that is done, by the names of file
 * system and device. It takes as long as some requests, so it can be done while the first
 * is under way.
 */
void target_name(struct target *target);

/* Closes a target; a working file that is not kept is gone. */
void target_close(struct target *target);

/* Closes a target when the run cannot begin: a kept file that it made is gone too. */
void target_discard(struct target *target, const struct plan *plan);

/*
 * Evicts a range from the page cache before a read in nocache mode. Returns whether the
 * cache still holds it; false too where that cannot be known.
 */
bool target_evict(const struct target *target, int64_t offset, int64_t size);

#endif
