/*
 * What it costs to start a program. Usage:
 *
 *     start ROUNDS [-r FILE] PROGRAM [ARGUMENT...]
 *
 * runs PROGRAM so often, its output thrown away, and prints the median time in
 * ns: from before it is started until it has ended and been waited for, or
 * until it has read from FILE first.
 */
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 10000 /* ms, for FILE to be read */

extern char **environ;

static int64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Returns the ns, or -1 when it could not be started, failed or did not read FILE. */
static int64_t
run(char *command[], const char *file, const posix_spawn_file_actions_t *actions)
{
    pid_t child;
    int status, watch = file ? inotify_init1(IN_CLOEXEC) : -1;
    if (file && inotify_add_watch(watch, file, IN_ACCESS) < 0)
        return -1;
    int64_t began = now(), ended = 0;
    if (posix_spawnp(&child, command[0], actions, NULL, command, environ) != 0)
        return -1;
    struct pollfd wanted = {.fd = watch, .events = POLLIN};
    if (file && poll(&wanted, 1, PATIENCE) == 1)
        ended = now();
    if (waitpid(child, &status, 0) < 0)
        return -1;
    if (!file)
        ended = now();
    else
        close(watch);
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ended - began
                                                                      : -1;
}

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

int
main(int argc, char *argv[])
{
    int rounds = argc > 2 ? atoi(argv[1]) : 0;
    const char *file = argc > 4 && strcmp(argv[2], "-r") == 0 ? argv[3] : NULL;
    char **command = argv + (file ? 4 : 2);
    posix_spawn_file_actions_t actions;
    if (rounds <= 0) {
        fputs("usage: start ROUNDS [-r FILE] PROGRAM [ARGUMENT...]\n", stderr);
        return 1;
    }
    int64_t *times = calloc((size_t)rounds, sizeof(*times));
    if (!times || posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) != 0) {
        perror("start");
        return 2;
    }
    for (int i = 0; i < rounds; i++) {
        times[i] = run(command, file, &actions);
        if (times[i] < 0) {
            fprintf(stderr, "start: %s failed\n", command[0]);
            return 3;
        }
    }
    qsort(times, (size_t)rounds, sizeof(*times), compare);
    printf("%lld\n", (long long)(times[(rounds - 1) / 2] + times[rounds / 2]) / 2);
    posix_spawn_file_actions_destroy(&actions);
    free(times);
    return 0;
}
