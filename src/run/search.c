/*
 * The search for the highest rate at which a target keeps up; search.h has a picture of
 * it. The next rate depends on the highest rate that was met and the lowest that failed:
 *
 *     no rate has failed yet             next = 2 * highest_met, at most max_rate
 *     the gap between them is too wide   next = the middle, rounded down to DIGITS digits
 *     the gap is small enough            next = lowest_failed, once more; then the end
 */
#include "search.h"

#include <math.h>

/* A margin in units of the last digit. It is added to a number before the number is
 * rounded down, because a division may give a result that is slightly too small. */
#define ROUNDING_ERROR 1e-9
#define DIGITS 3 /* significant digits of a rate */

int64_t
search_round(double rate, int digits)
{
    if (rate < 1)
        return 1;
    double unit = pow(10, floor(log10(rate)) + 1 - digits);
    return (int64_t)(floor(rate / fmax(unit, 1) + ROUNDING_ERROR) * fmax(unit, 1));
}

void
search_start(struct search *search, int64_t from, int64_t to)
{
    *search = (struct search){.max_rate = to, .next_rate = from < to ? from : to};
}

/* Returns the rate to try next; 0 if the search is over. */
static int64_t
choose_next_rate(struct search *search)
{
    int64_t met = search->highest_met;
    int64_t failed = search->lowest_failed;

    if (!failed && met >= search->max_rate)
        return 0;
    if (!failed)
        return met > search->max_rate / 2 ? search->max_rate : 2 * met;

    if (met && (failed - met) * 1000 > failed * SEARCH_GAP) {
        int64_t middle = search_round((double)(met + failed) / 2, DIGITS);
        if (middle > met && middle < failed)
            return middle;
    }
    if (search->has_retried)
        return 0;
    search->has_retried = true;

    return failed;
}

void
search_note(struct search *search, bool met, bool hopeless)
{
    int64_t rate = search->next_rate;
    bool is_retry = rate == search->lowest_failed;

    if (!is_retry)
        search->rate_count++;
    if (met) {
        search->highest_met = rate;
        if (is_retry)
            search->lowest_failed =
                search->higher_failed_count
                    ? search->higher_failed[--search->higher_failed_count]
                    : 0;
        search->has_retried = false;
    } else if (!is_retry) {
        if (search->lowest_failed && search->higher_failed_count < SEARCH_FAILURES)
            search->higher_failed[search->higher_failed_count++] = search->lowest_failed;
        search->lowest_failed = rate;
        search->has_retried = hopeless;
    }

    search->next_rate = choose_next_rate(search);
    search->given_up = search->rate_count == SEARCH_RATES && search->next_rate > 0 &&
                       search->next_rate != search->lowest_failed;
    if (search->given_up)
        search->next_rate = 0;
}
