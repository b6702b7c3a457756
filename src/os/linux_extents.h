#ifndef OS_LINUX_EXTENTS_H
#define OS_LINUX_EXTENTS_H

/* The extents of a file, for the Linux files of this folder. */
#include <linux/fiemap.h>
#include <stdbool.h>
#include <stdint.h>

#define LINUX_EXTENTS_PIECE 128 /* extents for which the kernel is asked at a time */

/* Room for an answer of the kernel. */
union linux_extents_piece {
    struct fiemap map;
    char room[sizeof(struct fiemap) + LINUX_EXTENTS_PIECE * sizeof(struct fiemap_extent)];
};

/* A walk over the extents of a file. */
struct linux_extents {
    union linux_extents_piece *piece;
    unsigned next; /* index of the next extent in `piece` */
    int fd;
    int64_t offset, end; /* the part of the range that is not walked yet, in bytes */
    bool failed;         /* the kernel does not tell where the extents are */
};

/* Starts a walk over the extents of the file FD from BEGIN to END, in bytes. PIECE must
 * exist as long as the walk; its contents belong to the walk. */
void linux_extents_start(struct linux_extents *extents, union linux_extents_piece *piece,
                         int fd, int64_t begin, int64_t end);

/* Returns the next extent, valid until the next call. Returns NULL if there are no more,
 * or if the walk has `failed`. */
const struct fiemap_extent *linux_extents_next(struct linux_extents *extents);

#endif
