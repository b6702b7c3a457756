/* Fuzzes the decompression of zlib streams and the decoding of base64: what they give is
 * bounded, and does not depend on the bound. */
#include "fuzz.h"

#include "base/inflate.h"

#define MOST 20000

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer whole = {0}, part = {0}, bytes = {0};
    char *copy = malloc(size + 1);
    MUST(copy);
    memcpy(copy, data, size);

    const char *problem = zlib_inflate(&whole, copy, size, MOST);
    MUST(whole.length <= MOST && !whole.failed);
    if (!problem && whole.length > 0) {
        MUST(zlib_inflate(&part, copy, size, whole.length - 1));
        buffer_free(&part);
        MUST(!zlib_inflate(&part, copy, size, whole.length));
        MUST(part.length == whole.length);
        MUST(memcmp(part.text, whole.text, whole.length) == 0);
    }

    if (!base64_decode(&bytes, copy, size))
        MUST(bytes.length <= size / 4 * 3 && bytes.length + 2 >= size / 4 * 3);
    buffer_free(&bytes);
    buffer_free(&part);
    buffer_free(&whole);
    free(copy);
    return 0;
}
