#ifndef RUN_MEMORY_H
#define RUN_MEMORY_H

#include "base/error.h"
#include "run/job.h"

#include <stdint.h>

/*
 * Whether there is memory for all that the workers of COUNT jobs need together: some
 * systems promise any amount, and end the program when it uses it. Returns 0, or -1 with
 * ERROR.
 */
int memory_check(const struct job *jobs, int count, struct error *error);

/*
 * Fills ERROR: there is no memory for so many requests of PLAN under way at a time;
 * LEFT: for so many bytes there is, INT64_MAX: not known. Returns -1 like error_set.
 */
int memory_refuse(const struct plan *plan, int64_t requests, int64_t left,
                  struct error *error);

#endif
