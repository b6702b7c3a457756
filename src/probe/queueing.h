#ifndef PROBE_QUEUEING_H
#define PROBE_QUEUEING_H

#include "probe/target.h"

/*
 * Decides how the plan's engine waits for completions on TARGET, whose mode is
 * known, and sets `poll`. What the user must know goes into NOTES.
 */
void queueing_choose(struct target *target, const struct plan *plan, struct notes *notes);

#endif
