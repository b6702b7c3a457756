#ifndef OS_POSIX_LEFTOVER_H
#define OS_POSIX_LEFTOVER_H

/*
 * Of a process that is about to end: has the file of os_leftover_begin removed, if there
 * is one. Waits for nothing, so that a handler may call it.
 */
void posix_leftover_remove(void);

#endif
