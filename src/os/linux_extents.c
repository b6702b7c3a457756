/*
 * Reads the extents of a file: which of its bytes are stored together, where they are on
 * the device, and whether they are stored as they are read or encoded (compressed,
 * encrypted). The kernel returns the list of extents in pieces (the kernel's
 * Documentation/filesystems/fiemap.rst).
 */
#include "linux_extents.h"

#include "os/storage.h"

#include <linux/fs.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void
linux_extents_start(struct linux_extents *extents, union linux_extents_piece *piece,
                    int fd, int64_t begin, int64_t end)
{
    *extents =
        (struct linux_extents){.piece = piece, .fd = fd, .offset = begin, .end = end};
    /* The kernel fills the memory of the piece, but memory checkers do not know that. */
    memset(piece, 0, sizeof(*piece));
}

/* Reads the next piece of the list of extents, from `offset` of the file on. Returns
 * false if there are no more extents, or if the kernel does not tell them. */
static bool
ask_for_piece(struct linux_extents *extents)
{
    struct fiemap *map = &extents->piece->map;

    extents->next = 0;
    *map = (struct fiemap){.fm_start = (uint64_t)extents->offset,
                           .fm_length = (uint64_t)(extents->end - extents->offset),
                           .fm_extent_count = LINUX_EXTENTS_PIECE};
    if (extents->offset >= extents->end)
        return false;
    extents->failed = syscall(SYS_ioctl, (long)extents->fd, FS_IOC_FIEMAP, map) < 0;

    return !extents->failed && map->fm_mapped_extents > 0;
}

const struct fiemap_extent *
linux_extents_next(struct linux_extents *extents)
{
    struct fiemap *map = &extents->piece->map;
    if (extents->next == map->fm_mapped_extents && !ask_for_piece(extents))
        return NULL;

    const struct fiemap_extent *extent = &map->fm_extents[extents->next++];
    bool is_last = extent->fe_flags & FIEMAP_EXTENT_LAST || extent->fe_length == 0;
    extents->offset =
        is_last ? extents->end : (int64_t)(extent->fe_logical + extent->fe_length);
    return extent;
}

int
os_file_storage(int fd, int64_t offset, int64_t length)
{
    union linux_extents_piece piece;
    struct linux_extents extents;
    int storage = 0;

    linux_extents_start(&extents, &piece, fd, offset, offset + length);
    while (storage == 0) {
        const struct fiemap_extent *extent = linux_extents_next(&extents);
        if (!extent)
            break;
        if (extent->fe_flags & FIEMAP_EXTENT_DATA_INLINE)
            storage |= OS_STORAGE_INLINE;
        if (extent->fe_flags & FIEMAP_EXTENT_ENCODED)
            storage |= OS_STORAGE_ENCODED;
    }

    return extents.failed ? -1 : storage;
}
