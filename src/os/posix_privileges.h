#ifndef OS_POSIX_PRIVILEGES_H
#define OS_POSIX_PRIVILEGES_H

/*
 * Gives up for good the capabilities that the program's file has given to a user who does
 * not have them. Of the calling thread, so before there are others. Returns 0, or -1 with
 * errno.
 */
int posix_capabilities_drop(void);

#endif
