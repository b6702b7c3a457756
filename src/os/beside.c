/* The names of temporary files. Each stands beside the file that it will replace. */
#include "beside.h"

#include <string.h>

size_t
beside_length(const char *name, size_t max_bytes)
{
    size_t length = strlen(name);
    if (length + BESIDE_ADDED <= max_bytes || length == 0)
        return length;

    size_t room = max_bytes > BESIDE_ADDED ? max_bytes - BESIDE_ADDED : 1;
    size_t cut_at = room < length ? room : length;
    /* A byte with the bits 10xxxxxx continues a character of UTF-8, so the character
     * begins at an earlier byte. */
    while (cut_at > 1 && ((unsigned char)name[cut_at] & 0xc0) == 0x80)
        cut_at--;
    return cut_at;
}
