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

/* The outcome of a job: its statistics, its errors, and whether it met its limits. */
struct outcome {
    struct stats total; /* statistics of all workers, over all steps or phases */
    int64_t duration;   /* elapsed time of all steps or phases, ns */
    int64_t ended_at;   /* when the last worker ended, ns, monotonic */
    /* The first request that failed; index 0: no request failed. With -N, the error
     * EAGAIN is an expected answer and no failure. */
    struct sample failed_sample;
    /* number of failed requests in the last step; EAGAIN with -N is no failure */
    uint64_t error_count;
    /* age of the oldest request of all abandoned workers, which are stuck in the kernel,
     * in ns; 0: no worker was abandoned with a request in flight */
    int64_t waiting_age;
    int abandoned_requests; /* number of requests that abandoned workers had in flight */
    bool is_stuck;          /* a thread or a request is still in the kernel */
    const char *failed_output;  /* name of the output that could not be written */
    int output_error;           /* errno of the write to `failed_output`, or 0 */
    bool lacks_figures;         /* an output lacks figures that were unknown (-print) */
    enum sweep_kind sweep_kind; /* the quantity that the sweep varies */
    /* value of the step that ended the sweep early, because too few requests completed in
     * it; 0: no such step */
    int64_t early_step;
    /* value of the first step in which no request completed; 0: no such step */
    int64_t empty_step;
    /* value of the first step with too few requests to check the limits; 0: none */
    int64_t undecided_step;
    /* number of rates that were tried if the search for the highest rate was given up;
     * 0: it was not given up */
    int rates_given_up;
    /* verdict on a whole sweep: SLO_MET if at least one step met all limits */
    enum slo_verdict verdict;
    /* percent of the working set that turned into holes of a sparse file during the run
     */
    double hole_percent;
    /* options with which direct reads work, for advice to the user; empty or NULL:
     * unknown */
    const char *direct_io_hint;
    /* limits of -slo, and limits of -warn, which do not change the exit status */
    const struct slos *slos, *warnings;
    /* for each limit in `slos`: whether it was met, and how certain that is; valid if
     * `is_explained` is true */
    struct slo_answer answers[SLOS_MAX];
    bool is_explained; /* outcome_explain has filled `answers` */
    /* a sample of the requests, for confidence intervals; or NULL */
    const struct time_series *series;
    const struct job_phase *phases; /* an array of PHASES entries; NULL without -load */
    bool has_breakdown; /* the time of each request was split into parts (-breakdown) */
    /* the job is a part of -diagnose, which itself lists the figures that are not known
     */
    bool is_diagnosed;
    /* why no flush was measured, as limits on flushes tell it, and what the user can do;
     * NULL: flushes were measured, or none was to be */
    const char *why_no_flush, *flush_remedy;
    const char *target_name; /* name of the target; NULL if it is the only target */
    /* read from a file (-compare), which does not say why requests did not count */
    bool is_recorded;
    bool failure_notified; /* the user already knows that `failed_sample` failed */
    int64_t work_time;     /* work time, ns, if -w alone limits the run; else 0 */
    int64_t part_time;     /* share of `work_time` that this job has (-diagnose), ns */
    uint64_t max_requests; /* number of requests that ends the run (-c); 0: no limit */
    /* a signal ended the run before -c, -w or the sweep did; false if only a signal can
     * end it */
    bool was_interrupted;
    /* the summary has the format of ioping 1.3, which shows fewer counts */
    bool legacy_summary;
    /* the output shows whether each limit was met, so stderr need not */
    bool limits_printed;
};

/* Returns the exit status of a job. A failure takes precedence over a limit that was not
 * met. It is also a failure if the page cache answered all requests, so that none counts,
 * and if a figure of -print is unknown. */
int outcome_status(const struct outcome *outcome);

/* Returns the more severe of two exit statuses. */
int outcome_worse(int status, int other);

/* size in bytes of the buffers of outcome_cached_text and the functions after it */
#define OUTCOME_TEXT 256

/* Writes to TEXT, of OUTCOME_TEXT bytes, how many requests were answered from memory
 * instead of the device, and which options avoid that. Returns TEXT. */
char *outcome_cached_text(const struct outcome *outcome, char *text);

/* Writes to TEXT, of OUTCOME_TEXT bytes, why the request FAILED has failed. Returns
 * TEXT. */
char *outcome_failure_text(const struct sample *failed, char *text);

/* Writes to TEXT, of OUTCOME_TEXT bytes, why no request counted. Returns TEXT. */
char *outcome_nothing_text(const struct outcome *outcome, char *text);

/* Returns the statistics that the limit SLO applies to: the statistics of a phase (-load)
 * if the limit names one, else the total of OUTCOME. */
const struct stats *outcome_stats(const struct outcome *outcome, const struct slo *slo);

/* Adds to TEXT why ANSWER to SLO is unknown, and what the user can do about it, such as
 * "9 requests count, and it takes 99; use -c 100". */
void outcome_add_unknown(const struct outcome *outcome, const struct slo *slo,
                         const struct slo_answer *answer, struct buffer *text);

/* Adds a line to TEXT for each limit of -slo that is absolute, such as "p99 < 10 ms: OK
 * (1.23 ms)". Each line begins with TARGET and a colon, unless TARGET is NULL. Adds
 * nothing before outcome_explain was called. */
void outcome_add_limits(const struct outcome *outcome, const char *target,
                        struct buffer *text);

/*
 * Fills the answers to the limits, and adds the remarks for stderr to NOTES, in this
 * order: the failed request; unanswered requests; requests that memory answered; holes;
 * requests during which the process was stopped or frozen; requests during which the
 * program could not run in time; requests that -breakdown could not split; counts that a
 * summary in the format of ioping 1.3 leaves out; steps that were too short; limits that
 * were not met, unless the output shows them; and, if no other remark explains it, that
 * no request counted.
 */
void outcome_explain(struct outcome *outcome, struct notes *notes);

#endif
