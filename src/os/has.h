#ifndef OS_HAS_H
#define OS_HAS_H

/* Defines the function NAME, which ignores its ARGUMENTS and returns ANSWER: for a
 * feature that this system does not have. */
#define OS_ANSWER(type, name, arguments, answer)                                     \
    _Pragma("GCC diagnostic push")                                                   \
        _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"") type name arguments \
    {                                                                                \
        return answer;                                                               \
    }                                                                                \
    _Pragma("GCC diagnostic pop")

/*
 * OS_HAS_X means that the files of this system, or bsd.c, define the functions for the
 * feature X. Without OS_HAS_X, fallback.c defines them.
 *
 * There is no OS_HAS_X for a feature that only Linux has. The linux_*.c files define its
 * functions, and the end of fallback.c defines them for all other systems. fallback.c
 * also tests the name of the system where one system differs from all others, such as
 * Windows.
 *
 * The Makefile defines OS_SYSTEM_... for the system. The macros of the compiler are not
 * enough, because no compiler has one for the system "posix". This system uses only files
 * that are shared by several systems, so it can be built on every machine.
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

/* bsd.c defines the functions for these features, except that the flush of macOS is in
 * darwin.c. OpenBSD cannot bypass the page cache. */
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
