#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/*
 * SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", OOPSLA 2014): one 64-bit state, any seed is good.
 */
struct random {
    uint64_t state;
};

/* Start the sequence of SEED; equal seeds give equal sequences. */
void random_seed(struct random *random, uint64_t seed);

/*
 * Returns a seed for sequence INDEX of several that go with SEED: SEED itself for
 * index 0, and for the others one whose sequence shares nothing with it.
 */
uint64_t random_derive(uint64_t seed, uint64_t index);

/* Returns the next 64 random bits. */
static inline uint64_t
random_next(struct random *random)
{
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

/*
 * Returns a number from 0 to LIMIT-1, each equally likely, mostly without a division
 * (Lemire: "Fast random integer generation in an interval", TOMACS 2019; the rejection
 * threshold is computed only when it can matter). LIMIT is above 0.
 */
uint64_t random_below(struct random *random, uint64_t limit);

/*
 * Returns a gap, at least 1, of those between events that come at random, MEAN in the
 * mean: they are exponentially distributed. It goes with SEED and INDEX.
 */
int64_t random_gap(uint64_t seed, uint64_t index, int64_t mean);

/* Fill SIZE bytes at BUFFER with random bits. */
void random_fill(struct random *random, void *buffer, size_t size);

#endif
