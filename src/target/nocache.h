#ifndef TARGET_NOCACHE_H
#define TARGET_NOCACHE_H

#include "target/target.h"

/* Chooses how to look pages of TARGET up, by one at OFFSET that it reads through the page
 * cache; sets `resident`. Leaves nothing of it cached. */
void nocache_look(struct target *target, int64_t offset);

/*
 * Makes TARGET one of mode nocache, for REASON, or of mode cached where the page cache
 * cannot be emptied. What the user must know goes into NOTES.
 */
void nocache_start(struct target *target, const struct plan *plan, const char *reason,
                   struct notes *notes);

#endif
