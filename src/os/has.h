#ifndef OS_HAS_H
#define OS_HAS_H

/* Defines function NAME of this system, which returns ANSWER whatever its
 * ARGUMENTS are. */
#define OS_ANSWER(type, name, arguments, answer)                                     \
    _Pragma("GCC diagnostic push")                                                   \
        _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"") type name arguments \
    {                                                                                \
        return answer;                                                               \
    }                                                                                \
    _Pragma("GCC diagnostic pop")

/*
 * OS_HAS_X: this system has its own way to do X, in its files or in bsd.c. Without
 * OS_HAS_X, fallback.c does X. Features of a single system are tested by the name of the
 * system instead.
 *
 * The Makefile defines OS_SYSTEM_... for the system. The compiler's own macros would not
 * do: the system "posix", which uses no system-specific files, can be built on every
 * machine.
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

/* These features are in bsd.c, except the flush of macOS (darwin.c). OpenBSD has no way
 * to bypass the cache of files. */
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
