#ifndef SUPPORT_MOUNTS_H
#define SUPPORT_MOUNTS_H

/* File systems that a test program mounts below its scratch folder, as root. */
#include "os/storage.h"

/*
 * Makes a file system of TYPE (ext4, xfs or btrfs) with SIZE MiB in the file NAME.img,
 * and mounts it with a loop device at scratch()/NAME. Skips the test if that is not
 * possible. The caller unmounts it, or unmount_all does at the end of the program.
 */
void mount_image(const char *type, int size, const char *name);

/* Mounts a file system as mount_image does, at scratch()/TYPE, unless this program has
 * mounted that TYPE already. The size is the smallest that TYPE allows. Does nothing if
 * TYPE is not ext4, xfs or btrfs. */
void mount_once(const char *type);

/* Mounts tracefs at /sys/kernel/tracing, unless it is mounted there already. Skips the
 * test if that is not possible. */
void mount_tracefs(void);

/* Opens a loop device, detaches it and returns the file descriptor. The kernel keeps the
 * device until the descriptor is closed. A failure fails the test. */
int hold_loop(const char *device);

/*
 * Mounts a file system at scratch()/NAME that shows the files of the folder NAME.files,
 * with tests/support/tools/fuse_server. OPTIONS for the server are in printf form and may
 * be empty. Skips the test if there is no FUSE. The caller unmounts the file system, or
 * unmount_all does at the end of the program.
 */
void mount_fuse(const char *name, const char *options, ...)
    __attribute__((format(printf, 2, 3)));

/* A group teardown: unmounts all file systems in the scratch folder, detaches their loop
 * devices, and removes the folder. Returns 0, or -1 on failure. */
int unmount_all(void **state);

/* Fills MOUNT for the file system that contains the open file FD. Returns 0, or -1 with
 * errno. */
int describe_mount(int fd, struct os_mount *mount);

/* Mounts fuse_server with OPTIONS at fs in the scratch folder. Unmounts an earlier one
 * first. It shows a file f of 4 MiB, asks the kernel to cache nothing, and logs reads in
 * fs.log. */
void serve(const char *options);

#endif
