/*
 * The search for the highest rate that a target meets; search.h draws its course. The
 * state is the interval between the highest rate that was met and the lowest that failed:
 *
 *     no rate has failed yet           next = 2 * met, at most `to`
 *     the interval is too wide         next = its middle, rounded to DIGITS digits
 *     the interval is narrow enough    next = the failed rate, once more; then the end
 */
#include "search.h"

#include <math.h>

#define EXACT 1e-9 /* what a division may lose, in units of the last digit */
#define DIGITS 3   /* significant digits of a rate */

int64_t
search_round(double rate, int digits)
{
    if (rate < 1)
        return 1;
    double unit = pow(10, floor(log10(rate)) + 1 - digits);
    return (int64_t)(floor(rate / fmax(unit, 1) + EXACT) * fmax(unit, 1));
}

void
search_start(struct search *search, int64_t from, int64_t to)
{
    *search = (struct search){.to = to, .next = from < to ? from : to};
}

/* Returns the rate to try next; 0 if the search is over. */
static int64_t
choose(struct search *search)
{
    int64_t met = search->met;
    int64_t failed = search->failed;

    if (!failed)
        return met >= search->to ? 0 : met > search->to / 2 ? search->to : 2 * met;
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
    int64_t rate = search->next;
    bool known = rate == search->failed;

    if (!known)
        search->rates++;
    if (met) {
        search->met = rate;
        if (known)
            search->failed =
                search->above_count ? search->above[--search->above_count] : 0;
        search->has_retried = false;
    } else if (!known) {
        if (search->failed && search->above_count < SEARCH_FAILURES)
            search->above[search->above_count++] = search->failed;
        search->failed = rate;
        search->has_retried = hopeless;
    }
    search->next = choose(search);
    search->given_up = search->rates == SEARCH_RATES && search->next > 0 &&
                       search->next != search->failed;
    if (search->given_up)
        search->next = 0;
}
