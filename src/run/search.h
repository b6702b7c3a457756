#ifndef RUN_SEARCH_H
#define RUN_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* more than the number of times that an interval of rates can be halved */
#define SEARCH_FAILURES 32

/* maximum number of rates per search; a steady target needs at most 36 */
#define SEARCH_RATES 64

/*
 * The search for the highest rate, in requests per second, that a target meets. It runs
 * nothing: the caller tries `next` and notes the result.
 *
 *     1000 2000 4000 8000 16000x 12000 14000x 13000 13500x 13200 13500x
 *     |-------- double --------| |------ take the middle ------| again
 *
 * Rates double until a rate fails (x). Then the next rate is the middle between the
 * highest rate that was met and the lowest that failed, until these differ by SEARCH_GAP
 * or less. At the end the lowest rate that failed is tried once more.
 *
 * If that rate is met the second time, something else was in its way the first time. Then
 * the search goes on up to the rate that had failed before it. As this can happen again
 * and again, the search is given up after SEARCH_RATES rates.
 */
struct search {
    int64_t to;                     /* highest rate to try */
    int64_t next;                   /* next rate to try; 0 when the search is over */
    int64_t met;                    /* highest rate that was met; 0: none */
    int64_t failed;                 /* lowest rate that failed; 0: none */
    int64_t above[SEARCH_FAILURES]; /* rates that failed earlier, in falling order */
    int above_count;                /* number of entries in `above` */
    /* the lowest rate that failed has had its second try, or needs none */
    bool has_retried;
    int rates; /* number of different rates tried so far */
    /* too many rates failed first and were met the second time */
    bool given_up;
};

/* largest gap at the end, in thousandths of the rate that failed */
#define SEARCH_GAP 25

/* Starts a search among the rates from FROM to TO, both above 0. */
void search_start(struct search *search, int64_t from, int64_t to);

/* Notes whether rate `next` was met, and chooses the rate after it. A rate that failed
 * HOPELESSly is not tried a second time. */
void search_note(struct search *search, bool met, bool hopeless);

/* Returns RATE rounded down to DIGITS significant digits, but at least 1: the result is
 * never more than what was achieved. */
int64_t search_round(double rate, int digits);

#endif
