#ifndef TARGET_TARGET_PRIVATE_H
#define TARGET_TARGET_PRIVATE_H

/* The steps of target_open, for the files of src/target. */

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
 * Sets `find_resident`: chooses a way to look up pages of TARGET in the page cache. The
 * page at OFFSET is the test: it is read through the page cache, so a way that works must
 * find it. Afterwards the page is dropped. Defined in page_cache.c.
 */
void choose_page_lookup(struct target *target, int64_t offset);

/*
 * Writes all dirty data back, so that no request has to wait for that. There may be much
 * dirty data. So, if the supervisor limits the time of an opening without progress, the
 * data is written in chunks, and each chunk counts as progress. Only a run that writes
 * also flushes the cache of the device: direct reads do not need such a flush, and it may
 * take long. Defined in page_cache.c.
 */
void write_back_before_run(struct target *target, const struct plan *plan,
                           struct notes *notes);

/* Sets mode nocache, because direct I/O is impossible for REASON. If the plan reads and
 * the page cache cannot be emptied, sets mode cached instead. Defined in page_cache.c. */
void start_nocache(struct target *target, const struct plan *plan, const char *reason,
                   struct notes *notes);

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
 * Returns how many bytes from OFFSET up to END of an open target are holes. Bytes beyond
 * the end of the file count as holes. Returns -1 if the file system cannot tell or
 * contradicts itself. Defined in working_file.c.
 */
int64_t working_file_holes(struct target *target, int64_t offset, int64_t end);

#endif
