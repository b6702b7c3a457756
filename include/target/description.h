#ifndef TARGET_DESCRIPTION_H
#define TARGET_DESCRIPTION_H

#include "base/buffer.h"

#include <stdint.h>

/* How far a request goes: past the page cache, around it, or into it. */
enum mode { MODE_DIRECT, MODE_NOCACHE, MODE_CACHED };

/* What the reports say about a target. */
struct description {
    const char *path;
    char fstype[64];   /* "block" or "character" for a device */
    char device[1024]; /* "device" for a device */
    int64_t size;      /* bytes of the file system or device */
    enum mode mode;
};

/* Adds the label: PATH (FSTYPE DEVICE SIZE), as they are. */
void description_label(const struct description *description, struct buffer *text);

/* A mode as a word: direct, nocache or cached. */
const char *description_mode(enum mode mode);

#endif
