#ifndef RUN_OUTCOME_H
#define RUN_OUTCOME_H

#include "base/error.h"
#include "cli/mode.h"
#include "stats/slo.h"
#include "stats/stats.h"

#include <stdbool.h>

struct buffer;
struct job_phase;
struct time_series;

/* The result of a run. */
struct outcome {
    struct stats total;          /* of all workers, and of all steps */
    int64_t duration;            /* duration by the clock, ns */
    int64_t ended_at;            /* when that was, monotonic */
    struct sample failed_sample; /* the first but for EAGAIN of -N; index 0: none */
    uint64_t error_count; /* failed requests of the last step, but for EAGAIN of -N */
    int64_t
        waiting_age; /* age (ns) of the oldest request of an abandoned worker; 0: none */
    int abandoned_requests;     /* requests of abandoned workers */
    bool is_stuck;              /* a thread or a request is still in the kernel */
    const char *failed_output;  /* where a write failed */
    int output_error;           /* its errno, or 0 */
    enum sweep_kind sweep_kind; /* the dimension of a sweep */
    int64_t early_step;     /* value of the step that ended a sweep early; 0: none did */
    int64_t empty_step;     /* value of the first step without a request; 0: none */
    int64_t undecided_step; /* value of the first with too few for the limits; 0: none */
    int rates_given_up; /* rates after which a search for the highest was; 0: it was not
                         */
    enum slo_verdict verdict; /* on a sweep: SLO_MET if a step met all limits */
    double hole_percent;      /* percent of the working set that became holes meanwhile */
    const char
        *direct_io_hint; /* options for direct reads; empty or NULL: none are known */
    const struct slos *slos, *warnings;   /* the second decide no exit status */
    struct slo_answer answers[SLOS_MOST]; /* to the first, by outcome_explain */
    bool is_explained;                    /* that was called, so they are there */
    const struct time_series *series;     /* of those that count; NULL: there is none */
    const struct job_phase *phases;       /* PHASES of them; NULL: there are none */
    bool has_breakdown;                   /* the time of requests was to be split */
    const char *target;                   /* its name where there are others; else NULL */
    bool is_recorded;      /* it was read: why requests do not count is unknown */
    bool failure_notified; /* the user knows of the failure */
    int64_t work_time;     /* ns: -w of a run without -c; 0: another run */
    bool legacy_summary; /* the summary has no counts but those that ioping 1.3 prints */
    bool limits_printed; /* the user reads the answers to the limits beside the remarks */
};

/* Returns the exit status: a failure goes before a limit. It is a failure too if nothing
 * counts because the page cache answered all requests. */
int outcome_status(const struct outcome *outcome);

/* Returns the graver of two exit statuses. */
int outcome_worse(int status, int other);

/* Write how request FAILED did, that the page cache answered, or why nothing counted,
 * into TEXT of OUTCOME_TEXT bytes. They return TEXT. */
#define OUTCOME_TEXT 256
char *outcome_cached_text(const struct outcome *outcome, char *text);
char *outcome_failure_text(const struct sample *failed, char *text);
char *outcome_nothing_text(const struct outcome *outcome, char *text);

/* Returns the statistics that SLO, one of the limits of OUTCOME, is about. */
const struct stats *outcome_stats(const struct outcome *outcome, const struct slo *slo);

/* Adds a line for each limit that is not relative to TEXT, after outcome_explain: "limit
 * p99 < 10 ms: 1.23 ms, broken". TARGET stands in front; NULL: nothing does. */
void outcome_limits(const struct outcome *outcome, const char *target,
                    struct buffer *text);

/*
 * Answers the limits, and adds the remarks for stderr to NOTES: the failure, requests
 * without answer, requests that the page cache answered, that few could be split, counts
 * that a brief summary left out, steps that were too short, limits that were not met,
 * unless the answers are read, of a sweep by no step, and, where nothing else explains
 * it, that nothing counted.
 */
void outcome_explain(struct outcome *outcome, struct notes *notes);

#endif
