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

/* The outcome of a job: its statistics, what went wrong, and the answers to its limits.
 */
struct outcome {
    struct stats total; /* of all workers, over all steps */
    int64_t duration;   /* elapsed time, ns */
    int64_t ended_at;   /* when the last worker ended, ns, monotonic */
    /* the first request that failed, not counting EAGAIN with -N; index 0: none */
    struct sample failed_sample;
    /* failed requests of the last step, not counting EAGAIN with -N */
    uint64_t error_count;
    /* age of the oldest request of an abandoned worker, ns; 0: none */
    int64_t waiting_age;
    int abandoned_requests;     /* requests in flight of abandoned workers */
    bool is_stuck;              /* a thread or a request is still in the kernel */
    const char *failed_output;  /* the output that could not be written */
    int output_error;           /* errno of that write, or 0 */
    enum sweep_kind sweep_kind; /* what the sweep varies */
    int64_t early_step; /* value of the step that ended the sweep early; 0: none */
    int64_t empty_step; /* value of the first step without a request; 0: none */
    /* value of the first step with too few requests to check the limits; 0: none */
    int64_t undecided_step;
    /* number of rates after which the search for the highest rate was given up; 0: it was
     * not */
    int rates_given_up;
    /* sweep only: SLO_MET if at least one step met all limits */
    enum slo_verdict verdict;
    /* percent of the working set that turned into holes during the run */
    double hole_percent;
    /* options with which direct reads work; empty or NULL: unknown */
    const char *direct_io_hint;
    /* limits; `warnings` do not change the exit status */
    const struct slos *slos, *warnings;
    struct slo_answer answers[SLOS_MOST]; /* to `slos`, valid once `is_explained` */
    bool is_explained;                    /* outcome_explain has filled `answers` */
    const struct time_series *series;     /* the requests that count, or NULL */
    const struct job_phase *phases;       /* an array of PHASES entries, or NULL */
    bool has_breakdown; /* the time of requests was to be split (-breakdown) */
    const char *target; /* name of the target; NULL if it is the only target */
    /* read from a file (-compare): nobody knows why requests did not count */
    bool is_recorded;
    bool failure_notified; /* the user has been notified of the failure */
    int64_t work_time;     /* ns, from -w of a run without -c; else 0 */
    /* the summary shows only the counts that ioping 1.3 shows */
    bool legacy_summary;
    /* the answers to the limits are printed elsewhere, beside the remarks */
    bool limits_printed;
};

/* Returns the exit status. A failure takes precedence over a missed limit. It is also a
 * failure if no request counts because the page cache answered all of them. */
int outcome_status(const struct outcome *outcome);

/* Returns the more severe of two exit statuses. */
int outcome_worse(int status, int other);

/* size in bytes of the texts below */
#define OUTCOME_TEXT 256

/* Writes to TEXT, of OUTCOME_TEXT bytes, that memory answered requests, and what to do
 * about it. Returns TEXT. */
char *outcome_cached_text(const struct outcome *outcome, char *text);

/* Writes to TEXT, of OUTCOME_TEXT bytes, how request FAILED failed. Returns TEXT. */
char *outcome_failure_text(const struct sample *failed, char *text);

/* Writes to TEXT, of OUTCOME_TEXT bytes, why no request counted. Returns TEXT. */
char *outcome_nothing_text(const struct outcome *outcome, char *text);

/* Returns the statistics that SLO, a limit of OUTCOME, is about: a phase or the total. */
const struct stats *outcome_stats(const struct outcome *outcome, const struct slo *slo);

/* Adds a line to TEXT for each limit that is not relative, such as "p99 < 10 ms: OK (1.23
 * ms)". TARGET and a colon precede each line unless it is NULL. Adds nothing before
 * outcome_explain was called. */
void outcome_limits(const struct outcome *outcome, const char *target,
                    struct buffer *text);

/*
 * Fills the answers to the limits, and adds the remarks for stderr to NOTES, in this
 * order: the failure; unanswered requests; requests that memory answered; holes; stops
 * and freezes; late requests; requests that could not be split; counts that a summary in
 * the style of ioping 1.3 leaves out; steps that were too short; limits that were not
 * met, unless their answers are printed elsewhere; and, if nothing else explains it, that
 * no request counted.
 */
void outcome_explain(struct outcome *outcome, struct notes *notes);

#endif
