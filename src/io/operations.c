/*
 * The table of operations, the table of operation mixes, and the default engine. The
 * default engine has one request in flight: its reap makes the system call of the request
 * and waits until the call returns.
 */
#include "io/operations.h"

#include "io/io.h"
#include "os/os.h"

#include <errno.h>
#include <string.h>

static char *
buffer_of(const struct io_config *config, const struct io_request *request)
{
    return config->memory + (size_t)request->slot * config->size;
}

static int64_t
read_bytes(const struct io_config *config, const struct io_request *request)
{
    return os_file_read(config->fd, buffer_of(config, request), request->size,
                        request->offset, config->rw_flags);
}

static int64_t
write_bytes(const struct io_config *config, const struct io_request *request)
{
    return os_file_write(config->fd, buffer_of(config, request), request->size,
                         request->offset, config->rw_flags);
}

static int64_t
flush(const struct io_config *config, const struct io_request *request)
{
    (void)request;
    return os_file_flush(config->fd);
}

const struct operation_row operations[OPERATIONS] = {
    [OPERATION_READ] = {.word = "read",
                        .noun = "reads",
                        .done = " read",
                        .arrow = "<<<",
                        .flags = OPERATION_READS,
                        .perform = read_bytes},
    [OPERATION_WRITE] = {.word = "write",
                         .noun = "writes",
                         .done = " written",
                         .arrow = ">>>",
                         .flags =
                             OPERATION_WRITES | OPERATION_CHANGES | OPERATION_FLUSHED,
                         .perform = write_bytes},
    [OPERATION_FLUSH] = {.word = "sync", .noun = "flushes", .perform = flush},
};

/* The mixes of more than one operation. */
static const struct {
    const char *word, *noun;
    struct operation_mix mix;
} mixes[] = {
    {"rw", "writes and reads in turn", {1, {OPERATION_WRITE, OPERATION_READ}}},
};

#define MIXES ((int)(sizeof(mixes) / sizeof(mixes[0])))

bool
operation_mix_at(int index, struct operation_mix *mix)
{
    if (index < OPERATION_FLUSH)
        *mix = (struct operation_mix){.turns = {(enum operation)index}};
    else if (index < OPERATION_FLUSH + MIXES)
        *mix = mixes[index - OPERATION_FLUSH].mix;
    return index < OPERATION_FLUSH + MIXES;
}

bool
operation_mix_find(const char *word, struct operation_mix *mix)
{
    for (int i = 0; operation_mix_at(i, mix); i++)
        if (strcmp(word, operation_mix_word(mix)) == 0)
            return true;
    return false;
}

/* Returns the index in `mixes` of MIX, which must have more than one operation. */
static int
find_row(const struct operation_mix *mix)
{
    for (int row = 0; row < MIXES; row++)
        if (memcmp(mix, &mixes[row].mix, sizeof(*mix)) == 0)
            return row;

    return 0;
}

const char *
operation_mix_word(const struct operation_mix *mix)
{
    return mix->extra_count ? mixes[find_row(mix)].word : operations[mix->turns[0]].word;
}

const char *
operation_mix_noun(const struct operation_mix *mix)
{
    return mix->extra_count ? mixes[find_row(mix)].noun : operations[mix->turns[0]].noun;
}

/* See io_perform. Inline, so that the default engine pays for no further call and return:
 * os_file_read in linux_files.c explains their cost. */
static inline struct io_completion
perform(const struct io_config *config, const struct io_request *request)
{
    int64_t bytes;

    do
        bytes = operations[request->operation].perform(config, request);
    while (bytes < 0 && errno == EINTR);

    return (struct io_completion){.slot = request->slot,
                                  .error = bytes < 0 ? errno : 0,
                                  .bytes = bytes < 0 ? 0 : bytes};
}

struct io_completion
io_perform(const struct io_config *config, const struct io_request *request)
{
    return perform(config, request);
}

struct io_queue {
    struct io_config config;
    bool
        is_reopened; /* `config.fd` is not the caller's descriptor; the queue closes it */
    const struct io_request *next; /* submitted, to be sent by the next reap */
};

static int
sync_open(struct io_queue *queue, const struct io_config *config)
{
    queue->config = *config;
    queue->config.fd = os_file_reopen(config->fd);
    queue->is_reopened = queue->config.fd != config->fd;
    return queue->is_reopened && queue->config.fd < 0 ? -1 : 0;
}

static bool
sync_close(struct io_queue *queue)
{
    if (queue->is_reopened && queue->config.fd >= 0)
        os_file_close(queue->config.fd);
    return true;
}

static void
sync_submit(struct io_queue *queue, const struct io_request *request)
{
    queue->next = request;
}

static int
sync_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    (void)when;
    *done = perform(&queue->config, queue->next);
    return 1;
}

const struct io_engine io_sync = {
    .name = "system calls",
    .charges_sender = true,
    .open_error = "cannot open the target once more for a thread",
    .advice_errno = EMFILE,
    .advice = "allow more open files (ulimit -n), or use fewer threads",
    .queue_size = sizeof(struct io_queue),
    .open = sync_open,
    .submit = sync_submit,
    .reap = sync_reap,
    .close = sync_close,
};
