/* The names of temporary files, which stand beside the file that they will replace. */
#include "beside.h"

#include <string.h>

size_t
beside_length(const char *name, size_t max_bytes)
{
    size_t length = strlen(name);
    if (length + BESIDE_ADDED <= max_bytes || length == 0)
        return length;

    size_t room = max_bytes > BESIDE_ADDED ? max_bytes - BESIDE_ADDED : 1;
    size_t start = room < length ? room : length;
    while (start > 1 && ((unsigned char)name[start] & 0xc0) == 0x80)
        start--;
    return start;
}
