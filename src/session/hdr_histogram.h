#ifndef SESSION_HDR_HISTOGRAM_H
#define SESSION_HDR_HISTOGRAM_H

#include "base/buffer.h"

#include <stddef.h>
#include <stdint.h>

/* A histogram that is read from a log of HdrHistogram, in the encoding V2 compressed. The
 * caller must call hdr_histogram_close. */
struct hdr_histogram {
    struct buffer bytes; /* the histogram without base64 and compression */
    size_t position;     /* index of the next byte */
    int half_bits;       /* an octave has 2^half_bits bins */
    int unit_bits;       /* the narrowest bins are 2^unit_bits wide */
    uint64_t index;      /* index of the next bin */
};

/* A bin with its count. Its values are LOW <= value < LOW + WIDTH. */
struct hdr_bin {
    int64_t low;    /* at least 0 */
    int64_t width;  /* at least 1; LOW + WIDTH is at most 2^62 */
    uint64_t count; /* at most 2^63 - 1 */
};

/* Opens the histogram that LENGTH bytes at TEXT encode. Returns NULL, or the reason why
 * it is refused. */
const char *hdr_histogram_open(struct hdr_histogram *histogram, const char *text,
                               size_t length);

/* Finds the next bin that is not empty, in ascending order. After the last one, the count
 * of BIN is 0. Returns NULL, or the reason why the histogram is refused. */
const char *hdr_histogram_next(struct hdr_histogram *histogram, struct hdr_bin *bin);

/* Frees the memory of HISTOGRAM. */
void hdr_histogram_close(struct hdr_histogram *histogram);

#endif
