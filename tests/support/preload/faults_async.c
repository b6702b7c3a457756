/*
 * Faults of asynchronous requests (Linux AIO and io_uring). See faults.c for the rules.
 *
 * A request with a fault never reaches its file. The kernel gets another request in its
 * place, which completes at once, after a delay, or never. This library puts the result
 * that the rule demands into the completion before the program can see it. So every
 * request really passes through the kernel's queue, and waiting for it is real.
 */
#define _GNU_SOURCE
#include "faults_async.h"
#include "faults.h"
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Delay of requests that hang, in ms: longer than any test runs. */
#define NEVER (366L * 24 * 3600 * 1000)

static const char *
name_of_code(const struct code *codes, long code)
{
    while (codes->name && codes->code != code)
        codes++;
    return codes->name;
}

/* Returns the number of bytes of all COUNT buffers of a vector. */
static uint64_t
vector_size(const struct iovec *vector, uint64_t count)
{
    uint64_t size = 0;
    for (uint64_t i = 0; i < count; i++)
        size += vector[i].iov_len;
    return size;
}

struct replaced *
faults_replace(enum call call, const struct code *codes, int code, uint64_t address,
               uint64_t size)
{
    const char *name = name_of_code(codes, code);
    if (!name)
        return NULL;
    if (strcmp(name, "flush") == 0)
        size = 0;
    else if (name[strlen(name) - 1] == 'v')
        size = vector_size((const struct iovec *)(uintptr_t)address, size);
    if (size == 0 && strcmp(name, "flush") != 0)
        return NULL;
    const struct rule *rule = faults_choose(call, name);
    struct replaced *replaced = rule ? calloc(1, sizeof(*replaced)) : NULL;
    if (!replaced)
        return NULL;
    replaced->result = (int64_t)size;
    switch (rule->action) {
    case ERRNO:
        replaced->result = -rule->number;
        break;
    case SHORT:
        replaced->result /= 2;
        break;
    case ZERO:
        replaced->result = 0;
        break;
    case HANG:
        replaced->ms = NEVER;
        break;
    case DELAY:
        replaced->ms = rule->number;
        break;
    default:
        break;
    }
    if (replaced->result > 0)
        faults_charge((size_t)replaced->result);
    return replaced;
}

void
faults_add(struct replaced **list, struct replaced *replaced)
{
    replaced->next = *list;
    *list = replaced;
}

struct replaced *
faults_take(struct replaced **list, uint64_t key)
{
    while (*list && (*list)->key != key)
        list = &(*list)->next;
    struct replaced *found = *list;
    if (found)
        *list = found->next;
    return found;
}

long
faults_real(long number, const long *argument)
{
    return REAL(syscall)(number, argument[0], argument[1], argument[2], argument[3],
                         argument[4], argument[5]);
}

static const struct code registrations[] = {
    {IORING_REGISTER_BUFFERS, "buffers"}, {IORING_REGISTER_FILES, "files"},
    {IORING_REGISTER_PROBE, "probe"},     {IORING_REGISTER_ENABLE_RINGS, "enable"},
    {IORING_REGISTER_RING_FDS, "rings"},  {0, NULL},
};

/* The system calls that may have faults. */
static const struct numbered_call {
    long number;
    enum call call;
    long (*function)(long *argument); /* handles its requests; NULL: it has none */
    int sends_requests; /* the second argument is the number of requests to send */
} numbered_calls[] = {
    {SYS_io_setup, IO_SETUP, NULL, 0},
    {SYS_io_submit, IO_SUBMIT, faults_aio_submit, 1},
    {SYS_io_getevents, IO_GETEVENTS, faults_aio_getevents, 0},
    {SYS_io_destroy, IO_DESTROY, NULL, 0},
    {SYS_io_uring_setup, IO_URING_SETUP, faults_uring_setup, 0},
    {SYS_io_uring_register, IO_URING_REGISTER, faults_uring_register, 0},
    {SYS_io_uring_enter, IO_URING_ENTER, faults_uring_enter, 1},
};

long
faults_async(long number, long *argument)
{
    const struct numbered_call *end =
        numbered_calls + sizeof(numbered_calls) / sizeof(numbered_calls[0]);
    const struct numbered_call *found = numbered_calls;
    while (found < end && found->number != number)
        found++;
    if (found == end)
        return faults_real(number, argument);

    const char *what = NULL;
    if (found->call == IO_URING_REGISTER) {
        what = name_of_code(registrations, argument[1]);
        if (!what)
            what = "";
    }
    const struct rule *rule = faults_choose(found->call, what);
    ssize_t result;
    if (rule && rule->action == SHORT && found->sends_requests)
        argument[1] = (argument[1] + 1) / 2;
    else if (!faults_go_on(rule, 0, &result))
        return result;

    if (found->function)
        return found->function(argument);
    return faults_real(number, argument);
}
