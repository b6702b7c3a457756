/*
 * The bounds of the buckets that a histogram is handed to others in: few, as each is a
 * series that somebody keeps, and the same for all machines, as only equal bounds can be
 * added up.
 */
#include "stats/buckets.h"

#include "base/time.h"
#include "base/units.h"

#include <string.h>

#define BOUND_MOST (3600 * SECOND) /* below HISTOGRAM_MOST, which has all beyond it */
#define BOUND_TEXT 48              /* longer ones are no times */

/* The second bound of an octave is 1.416 times the first: no end of a bin of struct
 * histogram, which are 8 ns wide from 1024 to 2048 ns, is nearer to the square root of
 * two. */
#define OCTAVE(k) (1000LL << (k))
#define HALVES(k) OCTAVE(k), (1416LL << (k))

const struct buckets buckets_default = {
    .count = 41,
    .list = {OCTAVE(0),  OCTAVE(1),  OCTAVE(2),  OCTAVE(3),  OCTAVE(4),  HALVES(5),
             HALVES(6),  HALVES(7),  HALVES(8),  HALVES(9),  HALVES(10), HALVES(11),
             HALVES(12), HALVES(13), HALVES(14), HALVES(15), HALVES(16), HALVES(17),
             HALVES(18), HALVES(19), OCTAVE(20), OCTAVE(21), OCTAVE(22), OCTAVE(23),
             OCTAVE(24), OCTAVE(25)},
};

/* Reads the bound of LENGTH bytes that TEXT begins with. */
static const char *
parse_bound(const char *text, size_t length, int64_t *bound)
{
    char one[BOUND_TEXT];
    if (length >= sizeof(one))
        return "not a time";
    memcpy(one, text, length);
    one[length] = '\0';
    const char *wrong = units_parse(UNITS_TIME, one, bound);
    if (wrong)
        return wrong;
    if (*bound < 1)
        return "must be more than 0";
    return *bound > BOUND_MOST ? "more than an hour" : NULL;
}

const char *
buckets_parse(const char *text, struct buckets *buckets)
{
    buckets->count = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        int64_t *next = &buckets->list[buckets->count];
        if (buckets->count == BUCKETS_MOST)
            return "more than 64 bounds";
        const char *wrong = parse_bound(text, length, next);
        if (wrong)
            return wrong;
        if (buckets->count > 0 && next[0] <= next[-1])
            return "bounds do not rise";
        buckets->count++;
        if (text[length] == '\0')
            return NULL;
        text += length + 1;
    }
}
