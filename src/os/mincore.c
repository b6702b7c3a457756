/* mincore(2) by pieces of 16384 pages, so that the answer fits a small array. */
#include "mincore.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE 16384

/* Some systems tell of pages that are in memory only if they are mapped already. */
#ifdef MAP_PREFAULT_READ /* a feature, not a system */
#define MAPPING (MAP_SHARED | MAP_PREFAULT_READ)
#else
#define MAPPING MAP_SHARED
#endif

/* Bytes signed or not, as the system has it, so its pointer is one to anything. */
static int
ask_piece(int fd, int64_t at, size_t size, void *present)
{
    void *map = mmap(NULL, size, PROT_READ, MAPPING, fd, at);
    if (map == MAP_FAILED)
        return -1;
    int status = mincore(map, size, present);
    munmap(map, size);
    return status;
}

int
mincore_ask(int fd, int64_t offset, int64_t length)
{
    int64_t page = sysconf(_SC_PAGESIZE), most = page * PIECE;
    int64_t end = offset + length;
    unsigned char present[PIECE];
    for (int64_t at = offset / page * page; at < end; at += most) {
        size_t size = (size_t)(end - at < most ? end - at : most);
        size_t pages = (size + (size_t)page - 1) / (size_t)page;
        if (ask_piece(fd, at, size, present) < 0)
            return -1;
        for (size_t i = 0; i < pages; i++)
            if (present[i] & 1)
                return 1;
    }
    return 0;
}
