#ifndef TARGET_EXTENTS_H
#define TARGET_EXTENTS_H

#include <stdint.h>

/*
 * How many bytes from OFFSET up to END of an open file are holes, what lies
 * beyond its end included; -1 if the file system does not tell, or contradicts itself.
 */
int64_t extents_holes(int fd, int64_t offset, int64_t end);

#endif
