#ifndef TARGET_TARGET_PRIVATE_H
#define TARGET_TARGET_PRIVATE_H

/* What the opening of a target consists of: for the files of this room. */

#include "target/target.h"

/* io_mode.c: decides how requests reach the device, prepares the page cache for it, and
 * sets mode, alignment, flags, polling, flush and resident of TARGET. A fallback goes
 * into NOTES. Returns 0, or -1 with ERROR when direct I/O was insisted on in vain. */
int io_mode_choose(struct target *target, const struct plan *plan, struct notes *notes,
                   struct error *error);

/* working_file.c: opens the working file in the directory that PLAN names: an anonymous
 * one, or ioping.tmp. Sets the descriptor. Returns 0, or -1 with ERROR. */
int working_file_open(struct target *target, const struct plan *plan,
                      struct error *error);

/* Fills the working set with random data and makes it durable, by parts that end soon on
 * any disk that answers, unless a file of -keep has it already; AVAILABLE bytes
 * (negative: not known) must suffice. A stop signal ends it with an error. Returns 0, or
 * -1 with ERROR. */
int working_file_fill(struct target *target, const struct plan *plan, int64_t available,
                      struct error *error);

/* Returns how many bytes from OFFSET up to END of an open target are holes, what is
 * beyond its end included; -1 if the file system does not tell, or contradicts itself. */
int64_t working_file_holes(struct target *target, int64_t offset, int64_t end);

#endif
