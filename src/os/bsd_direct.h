#ifndef OS_BSD_DIRECT_H
#define OS_BSD_DIRECT_H

#include <stdbool.h>

/* Turns direct I/O of an open regular file on or off in the way that the system has,
 * which is the system's own. Returns 0, or -1 with errno. */
int bsd_direct_switch(int fd, bool on);

#endif
