#ifndef OS_BESIDE_H
#define OS_BESIDE_H

#include <stddef.h>

/* The bytes that a temporary name adds to the name of the file that it stands beside: a
 * dot and six characters. */
#define BESIDE_ADDED 7

/* The bytes of a file name that no common file system refuses. Windows counts units of
 * UTF-16, of which a name never has more than bytes of UTF-8. */
#define BESIDE_NAME_MAX 255

/* Returns how many bytes of NAME, the last component of a path, a temporary name begins
 * with, so that it has MAX_BYTES bytes at the most: all of them if there is room. A
 * character of UTF-8 is not cut. At least one byte, unless NAME is empty. */
size_t beside_length(const char *name, size_t max_bytes);

#endif
