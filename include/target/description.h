#ifndef TARGET_DESCRIPTION_H
#define TARGET_DESCRIPTION_H

#include "base/buffer.h"

#include <stdint.h>

/* The way of a request: direct I/O, through an emptied page cache, or through the cache.
 */
enum mode { MODE_DIRECT, MODE_NOCACHE, MODE_CACHED };

/* A target as reports describe it. */
struct description {
    const char *path;
    char fstype[64];   /* "block" or "character" for a device */
    char device[1024]; /* "device" for a device */
    int64_t size;      /* bytes of the file system or device */
    enum mode mode;
};

/* Adds the label to TEXT: PATH (FSTYPE DEVICE SIZE), unescaped. */
void description_label(const struct description *description, struct buffer *text);

/* Returns the name of a mode: direct, nocache or cached. */
const char *description_mode(enum mode mode);

#endif
