/*
 * Random numbers for offsets, data and arrival times. The generator itself, random_next,
 * is inline in the header. This file makes seeds of further sequences, numbers below a
 * limit, gaps of a Poisson process, and random data from its random bits.
 */
#include "base/random.h"

#include <math.h>
#include <string.h>

void
random_seed(struct random *random, uint64_t seed)
{
    random->state = seed;
}

/*
 * Multiplying INDEX spreads the states of successive indices over all 64 bits. The
 * multiplier is from Steele, Vigna: "Computationally easy, spectrally good multipliers",
 * 2021. One step of the generator then mixes the bits of the state.
 */
uint64_t
random_derive(uint64_t seed, uint64_t index)
{
    struct random random = {seed + index * 0xd1342543de82ef95};

    return index ? random_next(&random) : seed;
}

/*
 * Returns the upper 64 bits of the 128-bit product A * B, and stores the lower 64 bits in
 * LOW. If the compiler has no type of 128 bits, the product is the sum of the products of
 * the 32-bit halves.
 */
static uint64_t
multiply_wide(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = (uint32_t)a;
    uint64_t a1 = a >> 32;
    uint64_t b0 = (uint32_t)b;
    uint64_t b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t upper = a0 * b1 + (uint32_t)middle;

    *low = a * b;
    return a1 * b1 + (middle >> 32) + (upper >> 32);
#endif
}

/*
 * Lemire's method. The upper 64 bits of the product (random number * LIMIT) are a number
 * below LIMIT. To make all numbers below LIMIT equally likely, the function must reject a
 * product whose lower 64 bits are below the threshold 2^64 mod LIMIT, and draw again. The
 * threshold costs a division. But it is always below LIMIT, so if the lower 64 bits are
 * at least LIMIT, the product is accepted without computing the threshold.
 */
uint64_t
random_below(struct random *random, uint64_t limit)
{
    uint64_t low;
    uint64_t high = multiply_wide(random_next(random), limit, &low);

    if (low < limit) {
        uint64_t threshold = (0 - limit) % limit;
        while (low < threshold)
            high = multiply_wide(random_next(random), limit, &low);
    }

    return high;
}

/*
 * The inverse transform method (Devroye: "Non-Uniform Random Variate Generation", 1986,
 * II.2): if U is uniform in (0, 1], -ln(U) * MEAN is exponentially distributed with this
 * mean. U has 53 random bits, as many as a double stores exactly.
 */
int64_t
random_gap(uint64_t seed, uint64_t index, int64_t mean)
{
    struct random random = {random_derive(seed, index)};
    double uniform = ldexp((double)((random_next(&random) >> 11) + 1), -53);

    double gap = -log(uniform) * (double)mean;
    return gap < 1 ? 1 : (int64_t)gap;
}

/*
 * The size of each copy in the loop is constant, 8 bytes, so that the compiler needs no
 * call of memcpy(3); this makes the loop twice as fast. The last 1 to 7 bytes follow
 * after the loop.
 */
void
random_fill(struct random *random, void *buffer, size_t size)
{
    char *byte = buffer;
    size_t odd_bytes = size % sizeof(uint64_t);
    char *end = byte + size - odd_bytes;
    uint64_t bits;

    for (; byte < end; byte += sizeof(bits)) {
        bits = random_next(random);
        memcpy(byte, &bits, sizeof(bits));
    }

    if (odd_bytes > 0) {
        bits = random_next(random);
        memcpy(byte, &bits, odd_bytes);
    }
}
