#ifndef OS_LINUX_MEMORY_H
#define OS_LINUX_MEMORY_H

#include <stdint.h>

/* os_memory_available, by the files of proc and of the control groups that are found
 * below folder ROOT, which is empty for those of the kernel. */
int64_t linux_memory_available(const char *root);

#endif
