#ifndef TARGET_POLLING_H
#define TARGET_POLLING_H

#include "target/target.h"

/*
 * Decides how the plan's engine waits for completions on TARGET, whose mode is
 * known, and sets `poll`. What the user must know goes into NOTES.
 */
void polling_choose(struct target *target, const struct plan *plan, struct notes *notes);

#endif
