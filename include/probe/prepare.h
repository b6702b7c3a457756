#ifndef PROBE_PREPARE_H
#define PROBE_PREPARE_H

#include "base/error.h"
#include "base/notes.h"
#include "plan/outcome.h"
#include "plan/plan.h"
#include "probe/target.h"

/*
 * Does what target_open does, on a thread of its own, because a file system
 * that hangs does so there already. SLOW hears after the plan's `hang`, twice,
 * four times that, how long it has been (ns). A signal that ends the run gives
 * it up if it does not return. Returns 0, or -1 with ERROR; if `waiting` of
 * OUTCOME is set then, PLAN must stay as it is until the program ends.
 */
int prepare_target(struct target *target, const struct plan *plan, struct notes *notes,
                   void (*slow)(const struct plan *plan, int64_t waited),
                   struct outcome *outcome, struct error *error);

#endif
