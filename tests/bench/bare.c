/*
 * The least that a timed request can cost: clock, pread, clock. Usage:
 *
 *     bare FILE SECONDS [direct]
 *
 * reads 4 KiB at random from the first 64 MiB of FILE and prints requests per
 * second, ns per request (both by the wall clock) and the mean latency in ns.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096
#define BLOCKS_LOG2 14 /* of 4 KiB: 64 MiB */

static int64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Xorshift64* (Vigna); its upper bits are good. */
static uint64_t
next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1d;
}

static int
measure(int fd, void *buffer, double seconds)
{
    int64_t began = now(), until = began + (int64_t)(seconds * 1e9), end = began;
    int64_t count = 0, latency = 0;
    uint64_t state = (uint64_t)began | 1;
    for (; end < until; count++) {
        off_t offset = (off_t)(next_random(&state) >> (64 - BLOCKS_LOG2)) * BLOCK;
        int64_t start = now();
        ssize_t got = pread(fd, buffer, BLOCK, offset);
        end = now();
        if (got != BLOCK)
            return -1;
        latency += end - start;
    }
    double wall = (double)(end - began), requests = (double)count;
    printf("%.0f %.1f %.1f\n", requests * 1e9 / wall, wall / requests,
           (double)latency / requests);
    return 0;
}

int
main(int argc, char *argv[])
{
    double seconds = argc > 2 ? atof(argv[2]) : 0;
    int direct = argc == 4 && strcmp(argv[3], "direct") == 0;
    void *buffer;
    if (seconds <= 0 || argc != 3 + direct) {
        fputs("usage: bare FILE SECONDS [direct]\n", stderr);
        return 1;
    }
    int fd = open(argv[1], O_RDONLY | (direct ? O_DIRECT : 0));
    if (fd < 0 || posix_memalign(&buffer, BLOCK, BLOCK) != 0) {
        perror(argv[1]);
        return 2;
    }
    memset(buffer, 0, BLOCK);
    if (measure(fd, buffer, seconds) < 0) {
        fprintf(stderr, "%s: a read failed or was short\n", argv[1]);
        return 3;
    }
    free(buffer);
    close(fd);
    return 0;
}
