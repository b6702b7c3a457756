#ifndef OS_MINCORE_H
#define OS_MINCORE_H

#include <stdint.h>

/* Whether any page of a range of an open file is in memory, by mincore(2): 1 or 0; -1
 * with errno: it cannot be asked. */
int mincore_ask(int fd, int64_t offset, int64_t length);

#endif
