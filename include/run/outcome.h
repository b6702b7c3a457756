#ifndef RUN_OUTCOME_H
#define RUN_OUTCOME_H

#include "base/notes.h"
#include "cli/sweep.h"
#include "stats/slo.h"
#include "stats/stats.h"

#include <stdbool.h>

/* How a run ended. */
struct outcome {
    struct stats total;   /* of all workers, and of all steps */
    int64_t time;         /* ns by the clock that they took */
    int64_t ended;        /* monotonic */
    struct sample failed; /* the first but for EAGAIN of -N; index 0: none */
    int64_t waiting;    /* ns for which what was left to itself had no answer; 0: none */
    int left;           /* how many requests that were; 0: no request */
    const char *output; /* where a write failed */
    int output_error;   /* its errno, or 0 */
    bool output_told;   /* the user knows of it */
    enum sweep_kind swept; /* in steps, each with its own row */
    int64_t early;         /* the step after which a sweep could not go on; 0: none */
    int64_t empty;         /* the first of its rows without a request; 0: none */
    const char *shape;     /* options for direct reads; empty or NULL: none are known */
    const struct slos *slos;
    const char *target; /* its name where there are others; else NULL */
    bool told;          /* the user knows of the failure */
    bool brief;         /* the summary has no counts but those that ioping 1.3 prints */
};

/* The exit status that the contract gives it: a failure goes before a limit. That nothing
 * counts since all came from the page cache is one. */
int outcome_status(const struct outcome *outcome);

/* That of two together. */
int outcome_worse(int status, int other);

/* Adds that FAILED has, of TARGET, NULL if there are no others. */
void outcome_explain_failure(const struct sample *failed, const char *target,
                             struct notes *notes);

/*
 * Adds what must be said on stderr: the failure, a request without answer, lost
 * output, requests that the page cache answered, what a brief summary left out, steps
 * that were too short, limits that were not kept, and, where nothing else explains it,
 * that nothing counted.
 */
void outcome_explain(const struct outcome *outcome, struct notes *notes);

#endif
