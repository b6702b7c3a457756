#ifndef TARGET_TARGET_PRIVATE_H
#define TARGET_TARGET_PRIVATE_H

/* The steps of target_open and of io_mode_choose, for the files of src/target. */

#include "target/target.h"

/*
 * Decides how requests reach the device, and prepares the page cache for that. Sets the
 * I/O mode of TARGET and the fields that depend on the mode: alignment, flags, polling,
 * flushes and the lookup of pages. Adds a note to NOTES for every property that the user
 * asked for and does not get. Returns 0, or -1 with ERROR, for example if -direct was
 * given and direct I/O is impossible. Defined in io_mode.c.
 */
int io_mode_choose(struct target *target, const struct plan *plan, struct notes *notes,
                   struct error *error);

/*
 * Sets `find_resident` of TARGET: chooses a way to look up its pages in the page cache.
 * Reads the page at OFFSET (bytes) through the page cache as a test: a way that works
 * must find this page. Then drops the page. If no way works, `find_resident` stays NULL.
 * Defined in page_cache.c.
 */
void page_cache_choose_lookup(struct target *target, int64_t offset);

/*
 * Writes all dirty data of TARGET back, so that no request has to wait for that. There
 * may be much dirty data. So, if the supervisor limits the time of an opening without
 * progress, the data is written in chunks, and each chunk counts as progress. The cache
 * of the device is flushed too, but only if PLAN writes, or if the system cannot write
 * data back without such a flush: direct reads do not need it, and it may take long. Adds
 * a note to NOTES if dirty data was lost. Defined in page_cache.c.
 */
void page_cache_write_back(struct target *target, const struct plan *plan,
                           struct notes *notes);

/*
 * Starts mode nocache for TARGET: writes dirty data back if `is_flushed` is false, drops
 * the working set from the page cache, and chooses how reads from a cache will be
 * detected (`find_resident`, `counts_sectors`). If PLAN reads and the system cannot empty
 * the page cache, sets mode cached instead. Tells the user in NOTES which mode is used
 * and why: REASON says why direct I/O is impossible. Defined in page_cache.c.
 */
void page_cache_start_nocache(struct target *target, const struct plan *plan,
                              const char *reason, struct notes *notes);

/*
 * Opens the working file in the directory of PLAN: a file without a name, or with -keep
 * the file ioping.tmp. Sets the descriptor and the size of TARGET. Returns 0, or -1 with
 * ERROR. Defined in working_file.c.
 */
int working_file_open(struct target *target, const struct plan *plan,
                      struct error *error);

/*
 * Fills the working set with random data and flushes it. Does nothing if an existing file
 * of -keep has no holes in the working set. AVAILABLE is the free space of the file
 * system in bytes; negative if unknown. Writes in small batches, so that even a slow disk
 * shows progress. Returns 0, or -1 with ERROR, also if there is not enough space or a
 * signal asks the program to stop. Defined in working_file.c.
 */
int working_file_fill(struct target *target, const struct plan *plan, int64_t available,
                      struct error *error);

/*
 * Returns how many bytes from OFFSET up to END of the open file FD are holes. Bytes
 * beyond the end of the file count as holes. FD is the file of TARGET, or the file behind
 * its loop device; TARGET makes progress with each range. Returns -1 if the file system
 * cannot tell or contradicts itself. Defined in working_file.c.
 */
int64_t working_file_holes(struct target *target, int fd, int64_t offset, int64_t end);

#endif
