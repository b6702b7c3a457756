#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/error.h"
#include "base/notes.h"
#include "os/os.h"
#include "os/storage.h"
#include "plan/plan.h"
#include "target/description.h"

/* An opened target. It owns its descriptor and its working file. */
struct target {
    const struct target *before; /* that the same run has opened; NULL: none */
    int fd;
    enum os_kind kind;
    struct description description;
    uint64_t device;   /* of a device: which it is */
    int64_t size;      /* of the file or device; 0: it has none */
    int64_t work_size; /* of the working set, at least one request */
    int64_t block;     /* of the file system; 0: it is on none */
    int64_t alignment; /* of the memory that requests use */
    int rw_flags;      /* OR-ed enum os_rw of every request */
    bool poll;         /* completions are looked for; io_uring only */
    bool flush;        /* a write is followed by a flush */
    bool direct;       /* requests are O_DIRECT or its like, in any mode */
    bool memory;       /* no device behind it */
    bool flushed;      /* all of it is on the device */
    bool fresh;        /* the working file for keeping was not there before */
    os_resident_function *resident; /* in nocache mode; NULL: cannot be known before */
    char shape[64]; /* likewise; options for direct reads; empty: none are known */
    bool seen; /* then: os_thread_sectors tells afterwards whether a read was cached */
};

/*
 * Opens what PLAN names after the targets BEFORE it, NULL if it is the first; it stays to
 * be described by target_name, prepares the working file, decides the mode and flushes
 * what is dirty. What the user must know goes into NOTES. Returns 0, or -1 with ERROR,
 * and then nothing is left open or behind.
 */
int target_open(struct target *target, const struct plan *plan,
                const struct target *before, struct notes *notes, struct error *error);

/*
 * Completes the description of an open target, unless that is done: file system
 * and device by their names. It takes as long as some requests, so it can be
 * done while the first is under way.
 */
void target_name(struct target *target);

/* Closes it; a working file that is not kept is gone. */
void target_close(struct target *target);

/* Closes it when the run cannot begin: a kept file that it made is gone too. */
void target_discard(struct target *target, const struct plan *plan);

/*
 * In nocache mode, before a read: makes sure that the page cache does not hold
 * the range. Returns whether it still does; false too where that cannot be known.
 */
bool target_evict(const struct target *target, int64_t offset, int64_t size);

#endif
