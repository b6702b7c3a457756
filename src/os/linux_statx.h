#ifndef OS_LINUX_STATX_H
#define OS_LINUX_STATX_H

#include <stddef.h>

/*
 * Asks statx(2) about an open descriptor: what MASK, one of STATX_*, stands for
 * is SIZE bytes at AT of its answer. Returns 0, or -1 if the kernel does not say.
 */
int linux_statx(int fd, unsigned mask, size_t at, void *value, size_t size);

#endif
