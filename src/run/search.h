#ifndef RUN_SEARCH_H
#define RUN_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* More than there are halves of halves between two rates. */
#define SEARCH_FAILURES 32

/* A search ends after this many rates: a target that is steady takes 36 at most. */
#define SEARCH_RATES 64

/*
 * The search for the highest rate that is met, requests per second: rates double from
 * the first on until one fails, then lie in the middle between the highest that was met
 * and the lowest that failed, until these differ by SEARCH_GAP at most. The lowest that
 * failed is tried a second time in the end: if it is met then, something else was in its
 * way, and the search goes on up to the one that failed before it. It is given up after
 * SEARCH_RATES rates, as that can happen again and again. Pure.
 */
struct search {
    int64_t to;                     /* the highest rate to try */
    int64_t next;                   /* to be tried; 0: it is over */
    int64_t met;                    /* the highest that was; 0: none */
    int64_t failed;                 /* the lowest that did; 0: none */
    int64_t above[SEARCH_FAILURES]; /* those that failed before, each above the next */
    int failures;                   /* how many of these */
    bool again;                     /* it needs no second try, or has it now */
    int rates;                      /* how many have been tried */
    bool given_up; /* too many rates that had failed were met the second time */
};

/* In thousandths of the rate that failed. */
#define SEARCH_GAP 25

/* Starts a search from FROM to TO, both above 0. */
void search_start(struct search *search, int64_t from, int64_t to);

/* Notes whether the rate that is next was MET, and chooses the one after it. One that
 * failed HOPELESSly needs no second try. */
void search_note(struct search *search, bool met, bool hopeless);

/* Returns RATE rounded down to so many significant DIGITS, and at least 1: it is never
 * more than was achieved. */
int64_t search_round(double rate, int digits);

#endif
