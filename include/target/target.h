#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/buffer.h"
#include "base/error.h"
#include "os/os.h"
#include "os/storage.h"

#include <stdatomic.h>

struct plan;

/*
 * How a request gets to its data: by direct I/O, through a page cache from which the data
 * was evicted before, or through the page cache as it is. io_mode.c explains the modes.
 */
enum io_mode { IO_MODE_DIRECT, IO_MODE_NOCACHE, IO_MODE_CACHED };

/* A target as reports describe it. `fstype` and `device` are empty until they are known.
 */
struct description {
    const char *path;
    char fstype[64];   /* type of the file system; "block" or "character" if the target is
                        * a device */
    char device[1024]; /* device of the file system; "device" if the target is a device */
    int64_t size;      /* size of the file system or device, bytes */
    enum io_mode mode;
    bool is_recorded; /* a recorded run, of which only `path` is known */
};

/* Adds the label of a target to TEXT, unescaped: "PATH (FSTYPE DEVICE SIZE)", or only the
 * path for a recorded run. */
void description_label(const struct description *description, struct buffer *text);

/* Returns the name of a mode: direct, nocache or cached. */
const char *io_mode_name(enum io_mode mode);

/* An open target. It owns its descriptor and its working file, which is the file in a
 * directory that requests go to. */
struct target {
    _Atomic int64_t advanced_at;        /* last progress of the opening, ns, monotonic */
    const struct target *opened_before; /* the target that was opened before this one and
                                         * is still open, or NULL */
    int fd;
    enum os_kind kind; /* kind of file at the path of the target, such as a directory */
    struct description description;
    uint64_t device;        /* if the target is a device: its device number, as in struct
                             * os_info */
    int64_t size;           /* size of the file or device, bytes; 0 if it has none */
    int64_t work_size;      /* size of the working set, the range that requests go to, in
                             * bytes; at least the size of the largest request */
    int64_t fs_block_size;  /* block size of the file system, bytes; 0 for a device */
    int64_t alignment;      /* alignment that the buffers of requests need, bytes */
    int rw_flags;           /* flags of every request: OR-ed enum os_rw */
    bool polls_completions; /* completions are polled for (-hipri with io_uring only) */
    bool flushes_writes;    /* each write is followed by a flush */
    bool flushes_ignored;   /* flushes are known not to reach the device */
    /* requests use direct I/O. This may be true in mode cached, too, if direct I/O does
     * not reach a device: a loop device may read its file through the page cache, or a
     * device may live in memory. */
    bool is_direct;
    bool is_in_memory; /* the file system lives in memory and has no device */
    bool is_flushed;   /* the opening has written all dirty data to the device */
    bool is_new_file;  /* this run made the working file of -keep */
    /* path of the working file until the opening removed this name; empty if no name was
     * removed. The file stays usable because it is open. */
    char removed_path[4096];
    int naming_errno;    /* errno with which target_name failed to find the names, or 0 */
    bool charges_reads;  /* every read that reaches the device is charged to the process,
                          * so a read that is not charged came from a cache */
    double hole_percent; /* share of holes in the working set when the target was opened,
                          * percent; -1 if unknown */

    os_resident_function *find_resident; /* looks pages up in the page cache, for mode
                                          * nocache and for the test of direct I/O; NULL
                                          * if that is impossible or not needed */
    bool counts_sectors; /* in mode nocache, os_thread_sectors tells after a read whether
                          * the read was cached */
    char direct_io_hint[64]; /* with these options, such as "-s 4k", direct reads would
                              * work; empty if no such options are known */
};

/* Records that the opening of TARGET makes progress. The supervisor gives up an opening
 * that makes no progress for too long. Called by the thread that opens TARGET. */
static inline void
target_note_progress(struct target *target)
{
    atomic_store_explicit(&target->advanced_at, os_clock_now(), memory_order_relaxed);
}

/*
 * Opens the target of PLAN: prepares the working file, chooses the I/O mode, and writes
 * dirty data back. Also fills the description, except for names that take long to find;
 * target_name finds these names later. TARGET must be all zero. BEFORE is the target that
 * was opened before, or NULL. Adds remarks for the user to NOTES. Returns 0, or -1 with
 * ERROR; then the target is closed, and files made for it are removed.
 */
int target_open(struct target *target, const struct plan *plan,
                const struct target *before, struct notes *notes, struct error *error);

/* Returns the size of the smallest direct request that TARGET accepts, in bytes, or 0 if
 * it is unknown. */
int64_t target_logical_block(const struct target *target);

/*
 * Completes the description of an open target with the names of its file system and
 * device. Does nothing if they are known. Takes as long as a few requests, so it is best
 * called while the first request is in flight.
 */
void target_name(struct target *target);

/*
 * Returns how much the share of holes in the working set of PLAN has grown since the
 * target was opened, in percentage points. Returns 0 if it has not grown, if it is
 * unknown, or if PLAN reads nothing. Calls the file system, so it may hang like a
 * request.
 */
double target_new_holes(struct target *target, const struct plan *plan);

/* Closes TARGET; does nothing if it is not open. Unless -keep is given, its working file
 * is gone afterwards, or a note in NOTES says that the file cannot be removed. */
void target_close(struct target *target, struct notes *notes);

#define TARGET_PATH 4096 /* size of the longest path, with its NUL; PATH_MAX on Linux */

/* Stores in PATH the path of the working file for -keep in the directory of PLAN.
 * Returns 0, or -1 with errno if the path is too long. */
int target_keep_path(const struct plan *plan, char path[TARGET_PATH]);

/*
 * Undoes what the opening of TARGET did to the working file of -keep, because the run
 * cannot begin: removes a new file, and truncates a file that was extended. TARGET stays
 * open.
 */
void target_discard(const struct target *target, const struct plan *plan);

/* Truncates the working file to 0 bytes and flushes it, before the first request of
 * -append, which writes the file from its beginning. Returns 0, or an errno. */
int target_empty(const struct target *target);

/*
 * Evicts SIZE bytes at OFFSET from the page cache, before a read in mode nocache. Returns
 * true if the page cache still holds some of these bytes afterwards; false if it holds
 * none, or if that is unknown.
 */
bool target_evict(const struct target *target, int64_t offset, int64_t size);

#endif
