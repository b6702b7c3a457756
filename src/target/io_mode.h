#ifndef TARGET_IO_MODE_H
#define TARGET_IO_MODE_H

#include "target/target.h"

/*
 * Decides how requests reach the device, prepares the page cache for it, and
 * sets mode, alignment, flags, polling, flush and resident of TARGET. A fallback goes
 * into NOTES. Returns 0, or -1 with ERROR when direct I/O was insisted on in vain.
 */
int io_mode_choose(struct target *target, const struct plan *plan, struct notes *notes,
                   struct error *error);

#endif
