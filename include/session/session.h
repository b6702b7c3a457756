#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "plan/plan.h"

/*
 * Executes PLAN: opens all targets, runs the requests, prints all output, and closes the
 * targets. Returns the exit status of the program. Errors are printed, not returned. If a
 * thread is stuck in the kernel and would keep this function from returning, this
 * function ends the process. To be called once, by the first thread of the process, after
 * os_signals_install. Afterwards the first thread does not receive signals and may have a
 * descriptor table of its own.
 */
int session_execute(const struct plan *plan);

/*
 * Executes PLAN with -compare: reads files of recorded runs, and compares the runs
 * without opening any target. Returns the exit status of the program. Errors are printed,
 * not returned. This function ends the process only after a signal. To be called once, by
 * the first thread of the process, after os_signals_install. The first thread still
 * receives signals afterwards.
 */
int session_compare(const struct plan *plan);

#endif
