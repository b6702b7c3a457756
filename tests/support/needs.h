#ifndef SUPPORT_NEEDS_H
#define SUPPORT_NEEDS_H

/*
 * Conditions of tests. Each need_ function returns if its condition holds; else it ends
 * the test as skipped, with the reason on stdout.
 */
#include "io/io.h"

#include <stdbool.h>

/*
 * All of these, in a list with spaces between: "uring" is for need_uring, and so are the
 * others that take nothing; "direct" is for need_direct("data"); any other word is a
 * program, such as "jq".
 */
void need(const char *words);

/* Ends the test as skipped and prints REASON. */
void skip_because(const char *reason);

/* The shell command TEXT ends with 0, in the scratch folder; else REASON. */
void need_success(const char *text, const char *reason);

/* The program that is tested is not a build for what POSIX has alone. */
void need_linux(void);

/* The kernel lets the tests attach loop devices and change them; become another user and
 * give files to that; run as_user what permissions bind; mount in a namespace of
 * unshare(1). Root of a user namespace may not do all of it. */
void need_loops(void);
void need_users(void);
void need_bound(void);
void need_mounts(void);

/* The program NAME is in PATH. */
void need_program(const char *name);

/* Faults can be preloaded: not into a sanitizer's build, nor under valgrind. */
void need_faults(void);

/* The program runs by itself: no valgrind, no emulator, no sanitizer; else REASON. */
void need_bare(const char *reason);

/* The processor of the tested program is not emulated; else REASON. */
void need_native(const char *reason);

/* ENGINE, which io_engine_of returned, was built in: the system has it. */
void need_built_in(const struct io_engine *engine);

/* The engine was built in, and the kernel lets both this program and the tested one make
 * a queue of it. */
void need_uring(void);
void need_aio(void);

/* Returns true if engine -A is Linux AIO. */
bool is_linux_aio(void);

/* Engine -A is Linux AIO, for tests of its system calls, and works as for need_aio. */
void need_linux_aio(void);

/* The system of the program, if it is not Linux, has such a function: it tells which
 * pages the page cache holds; it names mounts; single requests take flags; it has direct
 * I/O; it measures an empty device. */
void need_resident(void);
void need_names(void);
void need_flags(void);
void need_direct_io(void);
void need_sizes(void);

/* FILE in the scratch folder, which exists, takes direct I/O, and the program asks for
 * it. */
void need_direct(const char *file);

/* The system tells if another process is stopped. */
void need_process_states(void);

/* System calls can be forbidden by "$IOPING_FORBID" (tests/support/tools/forbid.c). */
void need_forbid(void);

/* Returns true if the mount table has the file system of the scratch folder, or cannot be
 * read: a folder that chroot(2) made `/` has no line there unless it is a mount. */
bool is_mount_listed(void);

/* The mount table has the file system of the scratch folder, see is_mount_listed. */
void need_mount_line(void);

#endif
