#ifndef RUN_SEARCH_H
#define RUN_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Maximum number of entries in `higher_failed`. This is enough: each entry halves the
 * interval of rates, and the interval can be halved fewer than SEARCH_FAILURES times. */
#define SEARCH_FAILURES 32

/* Maximum number of rates per search. If the target behaves the same all the time, the
 * search needs at most 36. */
#define SEARCH_RATES 64

/*
 * A search for the highest rate, in requests per second, at which a target keeps up (it
 * meets the rate). The search sends no requests: the caller tries `next_rate`, and tells
 * search_note the result.
 *
 *     1000 2000 4000 8000 16000x 12000 14000x 13000 13500x 13200 13500x
 *     |-------- double --------| |------ take the middle ------| again
 *
 * Rates double until a rate fails (x). Then the next rate is the middle between the
 * highest rate that was met and the lowest rate that failed, until the gap between these
 * two is small enough (SEARCH_GAP). At the end the lowest rate that failed is tried
 * again.
 *
 * If that rate is met the second time, its first failure had another cause. Then the
 * search continues between that rate and the next higher rate that failed. As this can
 * happen again and again, the search is given up after SEARCH_RATES rates.
 */
struct search {
    int64_t max_rate;      /* highest rate to try */
    int64_t next_rate;     /* rate to try next; 0: the search is over */
    int64_t highest_met;   /* highest rate that was met; 0: no rate yet */
    int64_t lowest_failed; /* lowest rate that failed; 0: no rate yet */
    /* higher rates that failed before `lowest_failed`, in descending order */
    int64_t higher_failed[SEARCH_FAILURES];
    int higher_failed_count; /* entries in `higher_failed` */
    /* `lowest_failed` was tried twice, or failed so clearly that once is enough */
    bool has_retried;
    int rate_count; /* number of different rates that were tried */
    /* the search ended after SEARCH_RATES rates without a result, because too many rates
     * failed at first and were met the second time */
    bool given_up;
};

/* The gap between the highest rate that was met and the lowest rate that failed is small
 * enough if it is at most this many thousandths of the lowest rate that failed. */
#define SEARCH_GAP 25

/* Starts a search among the rates from FROM to TO, both above 0. */
void search_start(struct search *search, int64_t from, int64_t to);

/* Notes whether `next_rate` was MET, and chooses the next rate. If the rate failed and is
 * HOPELESS, it is not tried a second time. */
void search_note(struct search *search, bool met, bool hopeless);

/* Returns RATE rounded down to DIGITS significant digits, and at least 1. It is never
 * rounded up, because a rate above RATE was not achieved. */
int64_t search_round(double rate, int digits);

#endif
