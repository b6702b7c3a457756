#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "plan/plan.h"

/*
 * Does what PLAN says, from the opening of its target to the final line, after
 * os_signals_install; all output included. Returns the exit status of the
 * program, which must not call it twice. It ends the program by itself when
 * something is stuck in the kernel that would keep it from returning.
 */
int session_execute(const struct plan *plan);

/* The same for a PLAN that compares recorded runs: it reads the files, and opens no
 * target.
 */
int session_compare(const struct plan *plan);

#endif
