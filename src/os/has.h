#ifndef OS_HAS_H
#define OS_HAS_H

/*
 * OS_HAS_X: this system has a way of its own to do X, in its files or in bsd.c; without
 * it fallback.c does X. The Makefile names the system by OS_SYSTEM_...: the compiler's
 * own macros would tell the machine, but posix, the system that has no files, is built on
 * all.
 */

#if defined(OS_SYSTEM_linux)

#define OS_HAS_CAPABILITIES
#define OS_HAS_CLOCK_NANOSLEEP
#define OS_HAS_CLOCK_SHARPEN
#define OS_HAS_DESCRIPTOR_CLOSE
#define OS_HAS_DEVICE_IS_GONE
#define OS_HAS_DEVICE_READ_ONLY
#define OS_HAS_DEVICE_SIZE
#define OS_HAS_FILE_ALIGNMENT
#define OS_HAS_FILE_BACKING
#define OS_HAS_FILE_DIRECT
#define OS_HAS_FILE_FOLIOS
#define OS_HAS_FILE_POLLS
#define OS_HAS_FILE_REQUESTS
#define OS_HAS_FILE_STORAGE
#define OS_HAS_MEMORY_AVAILABLE
#define OS_HAS_MINCORE
#define OS_HAS_MOUNT
#define OS_HAS_MOUNT_DIFFERS
#define OS_HAS_PARENT_DEATH
#define OS_HAS_PROCESSORS_AWAKE
#define OS_HAS_PROCESS_STATE
#define OS_HAS_READ_COUNTS
#define OS_HAS_RESIDENT
#define OS_HAS_SWITCHES
#define OS_HAS_THREAD_UNSHARE
#define OS_HAS_TRACE

#elif defined(OS_SYSTEM_darwin)

#define OS_HAS_CLOCK_NOW
#define OS_HAS_CLOCK_SHARPEN
#define OS_HAS_DEVICE_READ_ONLY
#define OS_HAS_FILE_RANDOM

#elif defined(OS_SYSTEM_freebsd)

#define OS_HAS_CLOCK_NANOSLEEP

#elif defined(OS_SYSTEM_netbsd)

#define OS_HAS_CLOCK_NANOSLEEP
#define OS_HAS_STATVFS_NAMES

#elif defined(OS_SYSTEM_windows)

#define OS_HAS_CLOCK_NOW
#define OS_HAS_DEVICE_IS_DISK
#define OS_HAS_DEVICE_READ_ONLY
#define OS_HAS_DEVICE_SIZE
#define OS_HAS_FILE_ALIGNMENT
#define OS_HAS_FILE_DIRECT
#define OS_HAS_FILE_FLUSH
#define OS_HAS_FILE_FOLIOS
#define OS_HAS_FILE_HOLES
#define OS_HAS_FILE_RANDOM
#define OS_HAS_FILE_REQUESTS
#define OS_HAS_FILE_STORAGE
#define OS_HAS_MOUNT
#define OS_HAS_MOUNT_DIFFERS
#define OS_HAS_SLEEP_UNTIL

#elif !defined(OS_SYSTEM_openbsd)

#define OS_HAS_CLOCK_NANOSLEEP

#endif

/* These are in bsd.c, or in a file of each of them. */
#if defined(OS_SYSTEM_darwin) || defined(OS_SYSTEM_freebsd) || \
    defined(OS_SYSTEM_netbsd) || defined(OS_SYSTEM_openbsd)
#define OS_HAS_DEVICE_IS_DISK
#define OS_HAS_DEVICE_SIZE
#define OS_HAS_FILE_DIRECT
#define OS_HAS_FILE_FLUSH
#define OS_HAS_MOUNT
#define OS_HAS_PATH_RAW
#endif

/* OpenBSD has no cache of files that requests can pass by. */
#if defined(OS_SYSTEM_darwin) || defined(OS_SYSTEM_freebsd) || defined(OS_SYSTEM_netbsd)
#define OS_HAS_FILE_DROP
#define OS_HAS_MINCORE
#define OS_HAS_RESIDENT
#endif

#endif
