#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/*
 * A pseudorandom number generator: SplitMix64 (Steele, Lea, Flood: "Fast splittable
 * pseudorandom number generators", OOPSLA 2014). Its state is one number of 64 bits, and
 * every number is a good seed.
 */
struct random {
    uint64_t state;
};

/* Starts the sequence of SEED. Equal seeds give equal sequences. */
void random_seed(struct random *random, uint64_t seed);

/*
 * Returns the seed of sequence number INDEX in the family of sequences that belongs to
 * SEED. For INDEX 0, returns SEED. The sequences of a family are unrelated to each other.
 */
uint64_t random_derive(uint64_t seed, uint64_t index);

/* Returns the next 64 random bits of the sequence. */
static inline uint64_t
random_next(struct random *random)
{
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

/*
 * Returns a number from 0 to LIMIT-1, all with the same probability. LIMIT must be above
 * 0. The method (Lemire: "Fast random integer generation in an interval", TOMACS 2019)
 * rarely needs a division.
 */
uint64_t random_below(struct random *random, uint64_t limit);

/*
 * Returns a random gap between two events of a Poisson process: exponentially distributed
 * with the mean MEAN (in any unit, such as ns), but at least 1. SEED identifies the
 * process and INDEX the gap. The result depends on nothing else, so that any thread can
 * compute any gap.
 */
int64_t random_gap(uint64_t seed, uint64_t index, int64_t mean);

/* Fills SIZE bytes at BUFFER with random bits. */
void random_fill(struct random *random, void *buffer, size_t size);

#endif
