#ifndef TARGET_WORKING_FILE_H
#define TARGET_WORKING_FILE_H

#include "target/target.h"

/*
 * Opens the working file in the directory that PLAN names: an anonymous one,
 * or ioping.tmp. Sets the descriptor. Returns 0, or -1 with ERROR.
 */
int working_file_open(struct target *target, const struct plan *plan,
                      struct error *error);

/*
 * Fills the working set with random data and makes it durable, unless a kept
 * file has it already; AVAILABLE bytes (negative: not known) must suffice. A
 * stop signal ends it with an error. Returns 0, or -1 with ERROR.
 */
int working_file_fill(struct target *target, const struct plan *plan, int64_t available,
                      struct error *error);

/*
 * Returns the number of bytes from OFFSET up to END of an open file that are holes, what
 * lies beyond its end included; -1 if the file system does not tell, or contradicts
 * itself.
 */
int64_t working_file_holes(int fd, int64_t offset, int64_t end);

/* Removes a file for keeping that was not there before, or cuts one that was to its old
 * size, when the run cannot begin. */
void working_file_discard(const struct target *target, const struct plan *plan);

#endif
