#ifndef OS_BESIDE_H
#define OS_BESIDE_H

#include <stddef.h>

/* A temporary file stands beside the file that it will replace. Its name is the name of
 * that file plus this many bytes: a dot and six characters. */
#define BESIDE_ADDED 7

/* Every common file system accepts a file name of this many bytes. Windows counts units
 * of UTF-16 instead; a name never has more of these units than bytes of UTF-8. */
#define BESIDE_NAME_MAX 255

/* NAME is the last component of a path. Returns how many of its bytes fit into a
 * temporary name of at most MAX_BYTES bytes, in front of the BESIDE_ADDED bytes. If there
 * is no room for all bytes of NAME, returns fewer, but at least one. A character of UTF-8
 * is not cut. Returns 0 if NAME is empty. */
size_t beside_length(const char *name, size_t max_bytes);

#endif
