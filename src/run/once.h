#ifndef RUN_ONCE_H
#define RUN_ONCE_H

#include "run/run.h"

/*
 * Does what run_execute does, for one step, and leaves it to its caller to tell
 * of summary and last views at the end. The outcomes must be empty.
 */
int run_once(const struct run_task *task, struct error *error);

#endif
