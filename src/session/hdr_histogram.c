/*
 * Reads a histogram of HdrHistogram. src/report/hdr.c describes its layers.
 *
 * The histogram has D significant digits and a lowest value L that is distinguished from
 * 0. Its bins are log-linear (javadoc of org.HdrHistogram.AbstractHistogram):
 *
 *   U = log2(L), rounded down                  the narrowest bins are 2^U wide
 *   H = log2(2 * 10^D), rounded up, minus 1    an octave has 2^H bins
 *
 * The first 2^(H + 1) bins have the narrowest width. From then on, the width doubles
 * after every 2^H bins. So bin i has the exponent e = i / 2^H - 1, or 0 in the first
 * octave, and
 *
 *   lowest value = (i - e * 2^H) * 2^(e + U)
 *   width        = 2^(e + U)
 */
#include "hdr_histogram.h"

#include "base/inflate.h"

#include <stdbool.h>

/* The magic numbers ("cookies") of the two layers, see src/report/hdr.c. Bits 4 to 7 of a
 * cookie do not tell the encoding. */
#define COMPRESSED_V2 0x1c849304u
#define ENCODED_V2 0x1c849303u
#define COMPRESSED_V1 0x1c849302u
#define COMPRESSED_V0 0x1c849309u
#define COMPRESSED_DOUBLE 0x0c72124fu
#define COOKIE_MASK 0xffffff0fu

#define WRAPPER_SIZE 8                /* bytes before the zlib stream */
#define HEAD_SIZE 40                  /* bytes before the counts */
#define RATIO_ONE 0x3ff0000000000000u /* the bits of the double 1.0 */
#define MAX_DIGITS 5
#define MAX_VALUE_BITS 62
#define MAX_COUNT_SIZE 9 /* bytes of the longest count */

/* Bytes of the largest histogram without compression. A histogram of five digits from 1
 * ns to an hour has at most 4 million bins. */
#define MAX_SIZE (16 << 20)

/* Returns the SIZE bytes at BYTES as a number in big-endian order. */
static uint64_t
read_big_endian(const char *bytes, int size)
{
    uint64_t number = 0;
    for (int i = 0; i < size; i++)
        number = number << 8 | (unsigned char)bytes[i];
    return number;
}

/* Returns why a histogram that begins with COOKIE cannot be read. */
static const char *
refuse_cookie(uint32_t cookie)
{
    if (cookie == COMPRESSED_DOUBLE)
        return "it is a histogram of decimal numbers, not of integers";
    if ((cookie & COOKIE_MASK) == COMPRESSED_V1 ||
        (cookie & COOKIE_MASK) == COMPRESSED_V0)
        return "it has an encoding older than V2";
    return "it is not an HdrHistogram in the encoding V2 compressed";
}

/* Reads the head of the layer ENCODED. Returns NULL, or why it is refused. */
static const char *
read_head(struct hdr_histogram *histogram)
{
    const struct buffer *bytes = &histogram->bytes;
    if (bytes->length < HEAD_SIZE ||
        (read_big_endian(bytes->text, 4) & COOKIE_MASK) != ENCODED_V2)
        return "its content is not an HdrHistogram in the encoding V2";

    uint64_t digits = read_big_endian(bytes->text + 12, 4);
    uint64_t lowest = read_big_endian(bytes->text + 16, 8);
    if (read_big_endian(bytes->text + 4, 4) != bytes->length - HEAD_SIZE)
        return "its counts are not as long as it says";
    if (read_big_endian(bytes->text + 8, 4) != 0)
        return "its bins are shifted";
    if (digits > MAX_DIGITS)
        return "it has more than 5 significant digits";
    if (lowest == 0 || lowest >= 1ull << (MAX_VALUE_BITS - 18))
        return "its lowest value is out of range";
    if (read_big_endian(bytes->text + 32, 8) != RATIO_ONE)
        return "its values are scaled";

    int resolution = 2;
    for (uint64_t i = 0; i < digits; i++)
        resolution *= 10;
    while (1 << (histogram->half_bits + 1) < resolution)
        histogram->half_bits++;
    while (lowest >> (histogram->unit_bits + 1))
        histogram->unit_bits++;
    histogram->position = HEAD_SIZE;
    return NULL;
}

const char *
hdr_histogram_open(struct hdr_histogram *histogram, const char *text, size_t length)
{
    struct buffer wrapped = {0};

    *histogram = (struct hdr_histogram){0};
    const char *problem = base64_decode(&wrapped, text, length);
    if (!problem && (wrapped.length < WRAPPER_SIZE || wrapped.failed))
        problem = "it is too short";
    if (!problem) {
        uint32_t cookie = (uint32_t)read_big_endian(wrapped.text, 4);
        size_t size = wrapped.length - WRAPPER_SIZE;
        if ((cookie & COOKIE_MASK) != COMPRESSED_V2)
            problem = refuse_cookie(cookie);
        else if (read_big_endian(wrapped.text + 4, 4) != size)
            problem = "its zlib stream is not as long as it says";
        else
            problem = zlib_inflate(&histogram->bytes, wrapped.text + WRAPPER_SIZE, size,
                                   MAX_SIZE);
    }
    buffer_free(&wrapped);

    if (!problem && histogram->bytes.failed)
        problem = "there is not enough memory for it";
    return problem ? problem : read_head(histogram);
}

/* Reads the next count in ZigZag LEB128 (src/report/hdr.c), and stores it in COUNT.
 * Returns false if the bytes end before it does. */
static bool
read_count(struct hdr_histogram *histogram, int64_t *count)
{
    const struct buffer *bytes = &histogram->bytes;
    uint64_t bits = 0;

    for (int i = 0; i < MAX_COUNT_SIZE; i++) {
        if (histogram->position == bytes->length)
            return false;
        uint64_t byte = (unsigned char)bytes->text[histogram->position++];
        bool is_full = i == MAX_COUNT_SIZE - 1; /* all 8 bits belong to the number */
        uint64_t digits = is_full ? byte : byte & 0x7f;

        bits |= digits << 7 * i;
        if (byte < 0x80)
            break;
    }

    bool is_negative = bits & 1;
    *count = (int64_t)(bits >> 1);
    if (is_negative)
        *count = -*count - 1;
    return true;
}

/* Fills the bounds of BIN, which has INDEX. Returns false if they are too large. */
static bool
find_bounds(const struct hdr_histogram *histogram, uint64_t index, struct hdr_bin *bin)
{
    uint64_t octave = index >> histogram->half_bits;
    uint64_t exponent = octave > 0 ? octave - 1 : 0;
    uint64_t shift = exponent + (uint64_t)histogram->unit_bits;

    /* The upper bound is at most 2^(half_bits + 1 + shift). */
    if (shift + (uint64_t)histogram->half_bits + 1 > MAX_VALUE_BITS)
        return false;
    bin->low = (int64_t)((index - (exponent << histogram->half_bits)) << shift);
    bin->width = (int64_t)(1ull << shift);
    return true;
}

const char *
hdr_histogram_next(struct hdr_histogram *histogram, struct hdr_bin *bin)
{
    const uint64_t max_index = (uint64_t)MAX_VALUE_BITS << histogram->half_bits;

    while (histogram->position < histogram->bytes.length) {
        int64_t count;
        if (!read_count(histogram, &count))
            return "its last count is incomplete";

        uint64_t bin_count = 1;
        if (count < 0) /* -N stands for N empty bins */
            bin_count = -(uint64_t)count;
        if (bin_count > max_index - histogram->index)
            return "it has more bins than there are values";

        uint64_t index = histogram->index;
        histogram->index += bin_count;
        if (count <= 0)
            continue;
        if (!find_bounds(histogram, index, bin))
            return "it has a value that is too large";
        bin->count = (uint64_t)count;
        return NULL;
    }

    bin->count = 0;
    return NULL;
}

void
hdr_histogram_close(struct hdr_histogram *histogram)
{
    buffer_free(&histogram->bytes);
}
