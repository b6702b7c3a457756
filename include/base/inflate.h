#ifndef BASE_INFLATE_H
#define BASE_INFLATE_H

#include "base/buffer.h"

#include <stddef.h>

/*
 * Adds to OUT the bytes that the digits of a base64 text stand for (RFC 4648, section 4):
 * LENGTH digits at TEXT, in whole groups of four, the last of which may end in "=".
 * Returns NULL, or the reason why the text is refused; OUT may be incomplete then.
 */
const char *base64_decode(struct buffer *out, const char *text, size_t length);

/*
 * Decompresses a zlib stream (RFC 1950), SIZE bytes at BYTES, and adds the content to
 * OUT, which must be empty. The content may have at most MAX_SIZE bytes, so that a small
 * stream cannot take much memory. Returns NULL, or the reason why the stream is refused;
 * OUT may be incomplete then. If memory is lacking, returns NULL, and `failed` of OUT is
 * true.
 */
const char *zlib_inflate(struct buffer *out, const char *bytes, size_t size,
                         size_t max_size);

#endif
