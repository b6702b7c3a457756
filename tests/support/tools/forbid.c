/*
 * forbid ERRNO SYSCALL[,SYSCALL...] COMMAND...: runs a command with a seccomp(2) filter
 * that makes these system calls fail with the errno value ERRNO, as some containers do.
 * Exits with 125 if it is used wrongly, with 126 if this kernel or container allows no
 * filters, and with 127 if there is no such command.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_CALLS 16 /* maximum number of system calls in a filter */

/* This number is the same for all processors. Some headers do not have it yet. */
enum { CACHESTAT = 451 };

static const struct {
    const char *name;
    uint32_t number;
} calls[] = {
#ifdef SYS_clone
    {"clone", SYS_clone},
#endif
    {"cachestat", CACHESTAT},
    {"clock_nanosleep", SYS_clock_nanosleep},
    {"epoll_create1", SYS_epoll_create1},
    {"fadvise64", SYS_fadvise64},
    {"fdatasync", SYS_fdatasync},
    {"io_setup", SYS_io_setup},
    {"io_uring_register", SYS_io_uring_register},
    {"ioctl", SYS_ioctl},
    {"io_uring_setup", SYS_io_uring_setup},
    {"getppid", SYS_getppid},
    {"getrusage", SYS_getrusage},
    {"mincore", SYS_mincore},
    {"pread64", SYS_pread64},
    {"preadv2", SYS_preadv2},
    {"pwrite64", SYS_pwrite64},
    {"pwritev2", SYS_pwritev2},
    {"statx", SYS_statx},
};

/* Finds the number of a system call. Returns 0, or prints an error and returns -1. */
static int
find_number(const char *name, uint32_t *number)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (strcmp(name, calls[i].name) == 0) {
            *number = calls[i].number;
            return 0;
        }
    }
    fprintf(stderr, "forbid: unknown system call: %s\n", name);
    return -1;
}

/* Builds a filter that makes each call in NAMES fail with the errno value FAILURE, and
 * allows all others. Returns the number of its instructions, or -1 if a name is unknown
 * or there are too many names. */
static int
make_filter(char *names, uint32_t failure, struct sock_filter *filter)
{
    const struct sock_filter load =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_filter fail =
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | failure);
    int used = 0;
    filter[used++] = load;
    for (char *name; (name = strtok_r(names, ",", &names));) {
        uint32_t number;
        if (used + 3 > 2 * MAX_CALLS + 2 || find_number(name, &number) < 0)
            return -1;
        const struct sock_filter compare =
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
        filter[used++] = compare;
        filter[used++] = fail;
    }
    filter[used++] = allow;
    return used;
}

int
main(int argc, char *argv[])
{
    struct sock_filter filter[2 * MAX_CALLS + 2];
    int failure = argc > 3 ? atoi(argv[1]) : 0;
    int length = failure > 0 ? make_filter(argv[2], (uint32_t)failure, filter) : -1;
    if (length < 0) {
        fprintf(stderr, "usage: forbid ERRNO SYSCALL[,SYSCALL...] COMMAND...\n");
        return 125;
    }
    struct sock_fprog program = {.len = (unsigned short)length, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        fprintf(stderr, "forbid: no filters here: %s\n", strerror(errno));
        return 126;
    }
    execvp(argv[3], argv + 3);
    fprintf(stderr, "forbid: %s: %s\n", argv[3], strerror(errno));
    return 127;
}
