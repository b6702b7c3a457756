#ifndef SUPPORT_MOUNTS_H
#define SUPPORT_MOUNTS_H

/* File systems that a test program mounts below its scratch folder, as root. */
#include "os/storage.h"

/*
 * Mounts a file system on a loop device: TYPE (ext4, xfs, btrfs), SIZE in MiB,
 * at scratch()/NAME; the backing file is NAME.img. Skips the test where that cannot be
 * done. The caller unmounts it, or unmount_all does at the end of the program.
 */
void mount_image(const char *type, int size, const char *name);

/* Mounts an image as mount_image does at scratch()/TYPE, of the smallest size that suits
 * TYPE, once per program. Another TYPE than its three mounts nothing. */
void mount_once(const char *type);

/* Mounts tracefs where it is expected, unless it is there. Skips the test without it. */
void mount_tracefs(void);

/* Opens a loop device and detaches it: it ends with the descriptor, which is returned. A
 * failure fails the test. */
int hold_loop(const char *device);

/*
 * Mounts a file system at scratch()/NAME whose files are those of scratch()/NAME.files,
 * by tests/support/tools/fuse_server with OPTIONS, in printf form; empty: none. Skips the
 * test where there is no FUSE. Unmounted by the caller or unmount_all.
 */
void mount_fuse(const char *name, const char *options, ...)
    __attribute__((format(printf, 2, 3)));

/* A group teardown: unmounts and detaches all that the program mounted, and removes the
 * scratch folder. Returns 0, or -1. */
int unmount_all(void **state);

/* Describes the file system that FD is on. Returns 0, or -1 with errno. */
int describe_mount(int fd, struct os_mount *mount);

/* Mounts the server of mount_fuse at fs anew, with OPTIONS: it shows a file f of 4 MiB,
 * and logs the requests in fs.log. */
void serve(const char *options);

#endif
