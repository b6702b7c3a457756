#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/buffer.h"
#include "base/error.h"
#include "os/os.h"
#include "os/storage.h"

#include <stdatomic.h>

struct plan;

/* The way of a request: direct I/O, through an emptied page cache, through the cache. */
enum io_mode { IO_MODE_DIRECT, IO_MODE_NOCACHE, IO_MODE_CACHED };

/* A target as reports describe it. */
struct description {
    const char *path;
    char fstype[64];   /* "block" or "character" for a device */
    char device[1024]; /* "device" for a device */
    int64_t size;      /* bytes of the file system or device */
    enum io_mode mode;
    bool is_recorded; /* it is a file of raw lines, and nothing more is known */
};

/* Adds the label to TEXT, unescaped: PATH (FSTYPE DEVICE SIZE), or PATH if recorded. */
void description_label(const struct description *description, struct buffer *text);

/* Returns the name of a mode: direct, nocache or cached. */
const char *description_mode(enum io_mode mode);

/* An open target. It owns its descriptor and its working file. */
struct target {
    _Atomic int64_t advanced_at;   /* when its opening last did, monotonic */
    const struct target *previous; /* the one that was opened before; NULL: none */
    int fd;
    enum os_kind kind;
    struct description description;
    uint64_t device;      /* identity of a device */
    int64_t size;         /* of the file or device, bytes; 0: it has none */
    int64_t work_size;    /* of the working set, at least one request */
    int64_t block;        /* block size of the file system; 0: it is on none */
    int64_t alignment;    /* of the memory that requests use */
    int rw_flags;         /* OR-ed enum os_rw of every request */
    bool polls;           /* completions are polled for; io_uring only */
    bool flushes_writes;  /* a write is followed by a flush */
    bool flushes_ignored; /* no flush reaches the device */
    bool is_direct;       /* requests are O_DIRECT or its like, in any mode */
    bool is_in_memory;    /* no device behind it */
    bool is_flushed;      /* no dirty data is left */
    bool is_new_file;     /* the working file of -keep was not there before */
    char temporary[4096]; /* path of the removed working file; empty: it had none */
    int naming_error;     /* errno of why its names are not known; 0: none */
    bool charges_reads;   /* a read that is not charged to the process asked no device */
    double
        hole_percent; /* percent of the working set, when it was opened; -1: not known */
    /* In nocache mode: */
    os_resident_function *find_resident; /* looks pages up; NULL: it cannot be done */
    bool counts_sectors; /* os_thread_sectors tells, after each read, if it was cached */
    char direct_io_hint[64]; /* options for direct reads; empty: none are known */
};

/* Marks that the opening of TARGET goes on: another thread sees how long it has not. */
static inline void
target_advance(struct target *target)
{
    atomic_store_explicit(&target->advanced_at, os_clock_now(), memory_order_relaxed);
}

/*
 * Opens the target of PLAN, prepares the working file, chooses the mode and flushes dirty
 * data; target_name completes the description later, unless that can hang. TARGET is all
 * zero. BEFORE is the target that was opened before, NULL if this is the first. Remarks
 * for the user go into NOTES. Returns 0, or -1 with ERROR, and then nothing is left open
 * or behind.
 */
int target_open(struct target *target, const struct plan *plan,
                const struct target *before, struct notes *notes, struct error *error);

/* Returns the size of the smallest request that TARGET, which is open, takes as direct
 * I/O, bytes; 0: not known. */
int64_t target_logical_block(const struct target *target);

/* Completes the description of an open target, if need be, by the names of file system
 * and device. It takes as long as some requests: best while the first is under way. */
void target_name(struct target *target);

/* Returns how much of the working set of PLAN has become holes since it was opened, in
 * percent; 0 too where that is not known, or nothing is read. It may hang. */
double target_new_holes(struct target *target, const struct plan *plan);

/* Closes a target; a working file is gone without -keep. If it cannot be removed, NOTES
 * name it. */
void target_close(struct target *target, struct notes *notes);

#define TARGET_PATH 4096 /* PATH_MAX */

/* Writes into PATH the path of the working file that -keep keeps in the directory of
 * PLAN. Returns 0, or -1 with errno: it is too long. */
int target_working_path(const struct plan *plan, char path[TARGET_PATH]);

/* Removes the file of -keep that the opening of a target made, or what it added to one,
 * when the run cannot begin. The target stays open. */
void target_discard(const struct target *target, const struct plan *plan);

/* Makes the working file empty, for a log, and that durable. Returns 0, or an errno. */
int target_empty(const struct target *target);

/* Evicts a range from the page cache before a read in nocache mode. Returns whether the
 * cache still holds it; false too where that cannot be known. */
bool target_evict(const struct target *target, int64_t offset, int64_t size);

#endif
