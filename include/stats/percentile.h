#ifndef STATS_PERCENTILE_H
#define STATS_PERCENTILE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Percentiles are counted in parts of 10^-7 percent, so that 99.99 is exact. */
#define PERCENTILE_WHOLE 1000000000LL

#define PERCENTILES_MOST 16

struct percentile {
    int64_t parts;
    char name[16]; /* such as "99.9" */
};

/* A list of them, in the order in which they are shown. */
struct percentiles {
    int count;
    bool given; /* asked for, so shown however few the requests are */
    struct percentile list[PERCENTILES_MOST];
};

/* The list that is shown unless another is asked for: 50, 90, 99, 99.9. */
extern const struct percentiles percentiles_default;

/* The two that matter most, where there is room for no more: 50, 99. */
extern const struct percentiles percentiles_common;

/*
 * Reads a percentile above 0 and below 100, up to seven decimals, all of TEXT
 * of LENGTH bytes. Returns NULL, or why it is refused.
 */
const char *percentile_parse(const char *text, int length, struct percentile *percentile);

/*
 * Reads a list with commas between, or "none". Returns NULL, or why it is
 * refused; then LIST is not to be used.
 */
const char *percentiles_parse(const char *text, struct percentiles *list);

/* Adds lists that one may ask for to TEXT, a line each: "none", and the default one. */
void percentiles_list(struct buffer *text);

/* The nearest rank of COUNT values: the smallest that is not below the share of them. */
uint64_t percentile_rank(const struct percentile *percentile, uint64_t count);

/* How many values it takes for one of them to lie above it. */
uint64_t percentile_needs(const struct percentile *percentile);

#endif
