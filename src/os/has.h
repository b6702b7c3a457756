#ifndef OS_HAS_H
#define OS_HAS_H

/* A function of this system that has the same ANSWER whatever its ARGUMENTS are. */
#define OS_ANSWER(type, name, arguments, answer)                                     \
    _Pragma("GCC diagnostic push")                                                   \
        _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"") type name arguments \
    {                                                                                \
        return answer;                                                               \
    }                                                                                \
    _Pragma("GCC diagnostic pop")

/*
 * OS_HAS_X: this system has a way of its own to do X, in its files or in bsd.c; without
 * it fallback.c does X. What one system alone has is asked for by its name. The Makefile
 * names the system by OS_SYSTEM_...: the compiler's own macros would tell the machine,
 * but posix, the system that has no files, is built on all.
 */

#if defined(OS_SYSTEM_linux)

#define OS_HAS_CLOCK_NANOSLEEP
#define OS_HAS_CLOCK_SHARPEN
#define OS_HAS_DEVICE_READ_ONLY
#define OS_HAS_FILE_REQUESTS
#define OS_HAS_RESIDENT

#elif defined(OS_SYSTEM_darwin)

#define OS_HAS_CLOCK_NOW
#define OS_HAS_CLOCK_SHARPEN
#define OS_HAS_DEVICE_READ_ONLY
#define OS_HAS_FILE_RANDOM

#elif defined(OS_SYSTEM_windows)

#define OS_HAS_CLOCK_NOW
#define OS_HAS_DEVICE_IS_DISK
#define OS_HAS_DEVICE_READ_ONLY
#define OS_HAS_FILE_RANDOM
#define OS_HAS_FILE_REQUESTS

#elif !defined(OS_SYSTEM_openbsd)

#define OS_HAS_CLOCK_NANOSLEEP

#endif

/* These are in bsd.c, but for the flush of macOS. OpenBSD has no cache of files that
 * requests can pass by. */
#if defined(OS_SYSTEM_darwin) || defined(OS_SYSTEM_freebsd) || \
    defined(OS_SYSTEM_netbsd) || defined(OS_SYSTEM_openbsd)
#define OS_HAS_DEVICE_IS_DISK
#define OS_HAS_FILE_FLUSH
#define OS_HAS_PATH_RAW
#ifndef OS_SYSTEM_openbsd
#define OS_HAS_FILE_DROP
#define OS_HAS_RESIDENT
#endif
#endif

#endif
