#ifndef OS_LINUX_EXTENTS_H
#define OS_LINUX_EXTENTS_H

/* A walk over the extents of a file, as the kernel reports them (FIEMAP). */

#include <linux/fiemap.h>
#include <stdbool.h>
#include <stdint.h>

#define LINUX_EXTENTS_PIECE 128 /* the most extents in one answer of the kernel */

/* Room for one answer of the kernel. */
union linux_extents_piece {
    struct fiemap map;
    char room[sizeof(struct fiemap) + LINUX_EXTENTS_PIECE * sizeof(struct fiemap_extent)];
};

/* A walk over the extents of a range of a file. */
struct linux_extents {
    union linux_extents_piece *piece; /* the last answer of the kernel */
    unsigned next;                    /* index of the next extent in `piece` */
    int fd;
    int64_t offset, end; /* the part of the range that is not walked yet, in bytes */
    bool failed;         /* the kernel does not tell the extents */
};

/* Starts a walk over the extents of the file FD from BEGIN to END, in bytes. PIECE is
 * memory for the walk. The caller keeps PIECE until the walk is over. */
void linux_extents_start(struct linux_extents *extents, union linux_extents_piece *piece,
                         int fd, int64_t begin, int64_t end);

/* Returns the next extent, which is valid until the next call. Returns NULL if there are
 * no more extents, or if the walk has `failed`. */
const struct fiemap_extent *linux_extents_next(struct linux_extents *extents);

#endif
