#ifndef SUPPORT_SUPPORT_H
#define SUPPORT_SUPPORT_H

/* What every test includes: cmocka, and running programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/io.h"
#include "os/storage.h"

#include <sys/types.h>

/* What a command left behind; freed by command_free. */
struct result {
    char *out, *err; /* NUL-terminated */
    size_t out_size;
    int status; /* exit status, or 128 + the signal that ended it */
};

/*
 * Runs a shell command, given in printf form, in the scratch folder and waits
 * for it, 150 s at most (then it is killed and the test fails). What it has left
 * running then is killed. The command may use what is in tests/support/commands.sh and in
 * the file of sh beside the test program's source, such as tests/cli/test_hang.sh.
 */
struct result command(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and fails the test with all output unless the status is as told. */
struct result command_status(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void command_free(struct result *result);

/* Writes such a command as a script of this name, in the scratch folder; returns its
 * path, until the next one. */
const char *command_script(const char *name, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));

/* Kills what is left of a process group of this program's, and waits for its end. */
void command_stop(pid_t group);

/* A folder for this program's files, on the disk that the sources are on. */
const char *scratch(void);

/* A group setup: makes file data of 1 MiB, file copy, which is the same, and folder d;
 * all is on the disk. */
int make_files(void **state);

/* A setup: an empty folder f. */
int make_folder(void **state);

/*
 * TEXT with every number (decimals included) as "#" and the units after it and
 * the verdicts "fast" and "slow" gone, for comparing lines whose values are
 * not known. Allocated.
 */
char *masked(const char *text);

/* Fail the test unless TEXT contains PART; and if it does. */
void assert_contains(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);

/* Fails the test unless TEXT matches an extended regular expression. */
void assert_matches(const char *text, const char *expression);

/* Ends the test as skipped and prints the reason. */
void skip_because(const char *reason);

/* Whether the mount table has the file system of the scratch folder; and skips unless it
 * has. In a folder that chroot(2) made `/` and that is no mount it has not. */
bool is_mount_listed(void);
void need_mount_line(void);

/* Skips unless run by root with the right to mount. */
void need_root(void);

/* Skips unless a program is in PATH. */
void need_program(const char *name);

/* Skips unless faults can be preloaded (not into a sanitizer's or valgrind's run). */
void need_faults(void);

/* Skips for this reason under valgrind and in a sanitizer's build. */
void need_bare(const char *reason);

/* Skips for this reason where the tested program is for a processor that is emulated. */
void need_native(const char *reason);

/* Skips if it is that of io_engine_of where the system does not have one. */
void need_built_in(const struct io_engine *engine);

/* Skip unless it was built with it, and this program itself and the tested one may have
 * such a queue. */
void need_uring(void);
void need_aio(void);

/* Whether the system's asynchronous I/O is that of Linux; and skips unless it is, where
 * its system calls are what the test is about. */
bool is_linux_aio(void);
void need_linux_aio(void);

/* Skip where the system that the program was built for, if it is not Linux, does not tell
 * or do this: what the page cache has, the names of mounts, flags of single requests,
 * direct I/O, an empty device. */
void need_resident(void);
void need_names(void);
void need_flags(void);
void need_direct_io(void);
void need_sizes(void);

/* Skips unless system calls can be forbidden ("$IOPING_FORBID"). */
void need_forbid(void);

/*
 * A file system on a loop device: TYPE (ext4, xfs, btrfs), SIZE in MiB, mounted
 * at scratch()/NAME; the backing file is NAME.img. The caller unmounts it, or
 * unmount_all does at the end of the program.
 */
void mount_image(const char *type, int size, const char *name);

/* The same at scratch()/TYPE, large enough for TYPE, once per program; other types
 * are nothing to mount. */
void mount_once(const char *type);

/* Opens a loop device and detaches it: it goes with the descriptor, however that ends. */
int hold_loop(const char *device);

/*
 * A file system at scratch()/NAME whose files are those of scratch()/NAME.files, by
 * tests/support/tools/fuse_server with these OPTIONS, in printf form; empty: none.
 * Skips where there is no FUSE. Unmounted by the caller or unmount_all.
 */
void mount_fuse(const char *name, const char *options, ...)
    __attribute__((format(printf, 2, 3)));

/* Skips unless FILE, which is there in the scratch folder, takes direct I/O and the
 * program knows how to ask for it. */
void need_direct(const char *file);

/* Unmounts and detaches all that the program mounted; a group teardown. */
int unmount_all(void **state);

/* All of the file system that FD is on: 0, or -1 with errno. */
int describe_mount(int fd, struct os_mount *mount);

#endif
