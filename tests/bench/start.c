/*
 * Measures the time to start a program. Usage:
 *
 *     start ROUNDS [-r SIZE] PROGRAM [ARGUMENT...]
 *
 * runs PROGRAM so often, its output thrown away, and prints the median time in ns
 * from before its execve(2) until it has ended and been waited for. With -r the time ends
 * at its first pread(2) of SIZE bytes, which a seccomp(2) filter reports: the work of
 * other processors at that time is not included.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 10000 /* ms, for the read */

/* The memory that the child shares with its parent. */
struct shared {
    int64_t began;
    atomic_int listener; /* 0: not yet; -1: failed */
};

static int64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A descriptor that tells of reads of SIZE bytes; -1: there is none. */
static int
listen_for(uint32_t size)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, size, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]),
                                 .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* Shares its descriptors with the parent until it has the listener. */
static void
be_child(char *command[], uint32_t size, struct shared *shared)
{
    int listener = size ? listen_for(size) : 1;
    int nowhere = unshare(CLONE_FILES) == 0 ? open("/dev/null", O_WRONLY) : -1;
    atomic_store(&shared->listener, nowhere < 0 ? -1 : listener);
    if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0)
        _exit(127);
    shared->began = now();
    execvp(command[0], command);
    _exit(127);
}

/* Until the child is about to read: returns when, or -1. It goes on then. */
static int64_t
wait_for_read(int listener)
{
    struct seccomp_notif request;
    struct pollfd wanted = {.fd = listener, .events = POLLIN};
    memset(&request, 0, sizeof(request));
    if (poll(&wanted, 1, PATIENCE) != 1 || !(wanted.revents & POLLIN))
        return -1;
    int64_t time = now();
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
        return -1;
    struct seccomp_notif_resp response = {.id = request.id,
                                          .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) < 0 ? -1 : time;
}

/* Returns the ns, or -1 when it could not be started, failed or did not read. */
static int64_t
run(char *command[], uint32_t size, struct shared *shared)
{
    int status, listener;
    int64_t ended = 0;
    atomic_store(&shared->listener, 0);
    pid_t child =
        (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        be_child(command, size, shared);
    while (child > 0 && (listener = atomic_load(&shared->listener)) == 0)
        sched_yield();
    if (child < 0 || listener < 0)
        return -1;
    if (size) {
        ended = wait_for_read(listener);
        close(listener);
    }
    if (waitpid(child, &status, 0) < 0)
        return -1;
    if (!size)
        ended = now();
    bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return well && ended > 0 ? ended - shared->began : -1;
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
    uint32_t size =
        argc > 4 && strcmp(argv[2], "-r") == 0 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    char **command = argv + (size ? 4 : 2);
    if (rounds <= 0) {
        fputs("usage: start ROUNDS [-r SIZE] PROGRAM [ARGUMENT...]\n", stderr);
        return 1;
    }
    int64_t *times = calloc((size_t)rounds, sizeof(*times));
    struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!times || shared == MAP_FAILED) {
        perror("start");
        return 2;
    }
    for (int i = 0; i < rounds; i++) {
        times[i] = run(command, size, shared);
        if (times[i] < 0) {
            fprintf(stderr, "start: %s failed\n", command[0]);
            return 3;
        }
    }
    qsort(times, (size_t)rounds, sizeof(*times), compare);
    printf("%lld\n", (long long)(times[(rounds - 1) / 2] + times[rounds / 2]) / 2);
    free(times);
    return 0;
}
