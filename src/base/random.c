#include "base/random.h"

#include <math.h>
#include <string.h>

void
random_seed(struct random *random, uint64_t seed)
{
    random->state = seed;
}

/* The factor spreads the numbers (Steele, Vigna: "Computationally easy, spectrally
 * good multipliers", 2021), the mixing does the rest. */
uint64_t
random_derive(uint64_t seed, uint64_t index)
{
    struct random random = {seed + index * 0xd1342543de82ef95};
    return index ? random_next(&random) : seed;
}

/* Returns the upper half of the 128-bit product and stores the lower one; multiplies in
 * halves of 32 bits where no type is wider than 64. */
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

uint64_t
random_below(struct random *random, uint64_t limit)
{
    uint64_t low, high = multiply(random_next(random), limit, &low);
    if (low < limit) {
        uint64_t threshold = (0 - limit) % limit;
        while (low < threshold)
            high = multiply(random_next(random), limit, &low);
    }
    return high;
}

/* The inverse transform method (Devroye: "Non-Uniform Random Variate Generation", 1986,
 * II.2): the logarithm of a number that is uniform above 0 and up to 1, 53 bits of it. */
int64_t
random_gap(uint64_t seed, uint64_t index, int64_t mean)
{
    struct random random = {random_derive(seed, index)};
    double uniform = ldexp((double)((random_next(&random) >> 11) + 1), -53);
    double gap = -log(uniform) * (double)mean;
    return gap < 1 ? 1 : (int64_t)gap;
}

/* The loop is for whole numbers alone, which makes it twice as fast. */
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
