#ifndef SUPPORT_NEEDS_H
#define SUPPORT_NEEDS_H

/*
 * Conditions of tests. Each need_ function returns if its condition holds. Otherwise it
 * ends the test as skipped and prints the reason on stdout. The comments state the
 * conditions.
 */
#include "io/io.h"

#include <stdbool.h>

/*
 * All conditions in WORDS, a list with spaces between, hold. The word "uring" calls
 * need_uring, and so on for the functions without a parameter. "direct" calls
 * need_direct("data"). Any other word is a program that must be in PATH, such as "jq".
 */
void need(const char *words);

/* Ends the test as skipped and prints REASON. */
void skip_because(const char *reason);

/* The shell command TEXT, run in the scratch folder, ends with 0. REASON is printed if
 * not.
 */
void need_success(const char *text, const char *reason);

/* The tested program was built for Linux. It may be a build for plain POSIX instead. */
void need_linux(void);

/* The tests may attach loop devices and change their sizes. */
void need_loops(void);

/* The tests may become another user and give files to that user. */
void need_users(void);

/* The shell function as_user can run the tested program, and file permissions apply to
 * it. */
void need_bound(void);

/* The tests may mount file systems in a mount namespace made by unshare(1). */
void need_mounts(void);

/* The program NAME is in PATH. */
void need_program(const char *name);

/* The library of faults (preload/faults.c) can be preloaded into the tested program. It
 * cannot be preloaded into a sanitizer's build, under valgrind or for another processor.
 */
void need_faults(void);

/* The program runs without valgrind, an emulator or a sanitizer. REASON is printed if
 * not. */
void need_bare(const char *reason);

/* The processor of the tested program is not emulated. REASON is printed if it is. */
void need_native(const char *reason);

/* ENGINE, which io_find_engine returned, was built in. */
void need_built_in(const struct io_engine *engine);

/* The engine io_uring was built in, and the kernel or emulator lets both this program and
 * the tested one create a ring. */
void need_uring(void);

/* The engine -A was built in. If it is Linux AIO, the kernel or emulator lets both this
 * program and the tested one create a context for it. */
void need_aio(void);

/* Returns true if the engine -A is Linux AIO. */
bool is_linux_aio(void);

/* The engine -A is Linux AIO, and need_aio holds. For tests of its system calls. */
void need_linux_aio(void);

/* The five functions below ask for a feature that every build for Linux has. */

/* The system tells which pages of a file are in the page cache. */
void need_resident(void);

/* The system tells the names of mounts. */
void need_names(void);

/* The system supports flags for single reads and writes. */
void need_flags(void);

/* The system has direct I/O. */
void need_direct_io(void);

/* The system recognises a device of zero bytes. */
void need_sizes(void);

/* FILE, which exists in the scratch folder, can be read with direct I/O, and the tested
 * program was built for a system that has direct I/O. */
void need_direct(const char *file);

/* The system tells whether another process is stopped. */
void need_process_states(void);

/* "$IOPING_FORBID" (tests/support/tools/forbid.c) can make system calls fail. */
void need_forbid(void);

/* Returns true if the mount table lists the file system of the scratch folder, or if
 * there is no mount table to read. In a chroot(2) the folder that became `/` is not
 * listed, unless something is mounted there. */
bool is_mount_listed(void);

/* is_mount_listed returns true. */
void need_mount_line(void);

#endif
