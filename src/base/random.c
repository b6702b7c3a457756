/*
 * Random numbers for offsets, data and arrival times. The generator itself, random_next,
 * is inline in the header. This file turns its random bits into seeds of further
 * sequences, into numbers below a limit, into gaps of a Poisson process, and into random
 * data.
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
 * The multiplier spreads the states that belong to successive indices over all 64 bits
 * (Steele, Vigna: "Computationally easy, spectrally good multipliers", 2021). One step of
 * the generator then mixes the bits of the state.
 */
uint64_t
random_derive(uint64_t seed, uint64_t index)
{
    struct random random = {seed + index * 0xd1342543de82ef95};

    return index ? random_next(&random) : seed;
}

/*
 * Returns the upper 64 bits of the 128-bit product A * B, and stores the lower 64 bits in
 * LOW. Compilers without a 128-bit type multiply the 32-bit halves.
 */
static uint64_t
multiply(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t upper = a0 * b1 + (uint32_t)middle;

    *low = a * b;
    return a1 * b1 + (middle >> 32) + (upper >> 32);
#endif
}

/*
 * Lemire's method. The upper 64 bits of the product (random number * LIMIT) are a number
 * below LIMIT. To make all numbers below LIMIT equally likely, the function must reject a
 * product whose lower 64 bits are below the threshold 2^64 mod LIMIT. The threshold costs
 * a division, but it is always below LIMIT. So if the lower 64 bits are LIMIT or more,
 * the function accepts the product without computing the threshold.
 */
uint64_t
random_below(struct random *random, uint64_t limit)
{
    uint64_t low;
    uint64_t high = multiply(random_next(random), limit, &low);

    if (low < limit) {
        uint64_t threshold = (0 - limit) % limit;
        while (low < threshold)
            high = multiply(random_next(random), limit, &low);
    }

    return high;
}

/*
 * The inverse transform method (Devroye: "Non-Uniform Random Variate Generation", 1986,
 * II.2): if U is uniform in (0, 1], -ln(U) * MEAN is exponentially distributed. U has 53
 * random bits, as many as a double stores exactly.
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
 * The loop copies 8 bytes each time, so that the compiler knows the size; this makes it
 * twice as fast. The last 1 to 7 bytes are copied after the loop.
 */
void
random_fill(struct random *random, void *buffer, size_t size)
{
    char *byte = buffer;
    size_t rest = size % sizeof(uint64_t);
    uint64_t bits;

    for (char *end = byte + size - rest; byte < end; byte += sizeof(bits)) {
        bits = random_next(random);
        memcpy(byte, &bits, sizeof(bits));
    }

    bits = rest ? random_next(random) : 0;
    memcpy(byte, &bits, rest);
}
