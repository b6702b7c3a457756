#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "plan/plan.h"

/*
 * Executes PLAN: opens all targets, runs the requests, prints all output, and closes the
 * targets. Returns the exit status of the program. Errors are printed, not returned. If
 * something is stuck in the kernel and would keep this function from returning, it ends
 * the process itself. To be called after os_signals_install, by the first thread, at most
 * once in a process, because a thread that is stuck keeps using the session.
 */
int session_execute(const struct plan *plan);

/*
 * Executes PLAN with -compare: reads files of recorded runs, and compares the runs
 * without opening any target. Everything else is as in session_execute.
 */
int session_compare(const struct plan *plan);

#endif
