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
slot_buffer(const struct io_config *config, const struct io_request *request)
{
    return config->memory + (size_t)request->slot * config->size;
}

static int64_t
perform_read(const struct io_config *config, const struct io_request *request)
{
    return os_file_read(config->fd, slot_buffer(config, request), request->size,
                        request->offset, config->rw_flags);
}

static int64_t
perform_write(const struct io_config *config, const struct io_request *request)
{
    return os_file_write(config->fd, slot_buffer(config, request), request->size,
                         request->offset, config->rw_flags);
}

static int64_t
perform_flush(const struct io_config *config, const struct io_request *request)
{
    (void)request;
    return os_file_flush(config->fd);
}

const struct operation_row operations[OPERATIONS] = {
    [OPERATION_READ] = {.word = "read",
                        .noun = "reads",
                        .amount_suffix = " read",
                        .arrow = "<<<",
                        .flags = OPERATION_READS,
                        .perform = perform_read},
    [OPERATION_WRITE] = {.word = "write",
                         .noun = "writes",
                         .amount_suffix = " written",
                         .arrow = ">>>",
                         .flags =
                             OPERATION_WRITES | OPERATION_CHANGES | OPERATION_FLUSHED,
                         .perform = perform_write},
    [OPERATION_FLUSH] = {.word = "sync", .noun = "flushes", .perform = perform_flush},
};

/* The mixes with more than one operation. A mix with one operation has the words of that
 * operation. */
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
    if (index < OPERATION_FLUSH) {
        *mix = (struct operation_mix){.turns = {(enum operation)index}};
        return true;
    }

    index -= OPERATION_FLUSH;
    if (index >= MIXES)
        return false;
    *mix = mixes[index].mix;
    return true;
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
find_mix_row(const struct operation_mix *mix)
{
    for (int row = 0; row < MIXES; row++)
        if (memcmp(mix, &mixes[row].mix, sizeof(*mix)) == 0)
            return row;

    return 0;
}

const char *
operation_mix_word(const struct operation_mix *mix)
{
    return mix->extra_count ? mixes[find_mix_row(mix)].word
                            : operations[mix->turns[0]].word;
}

const char *
operation_mix_noun(const struct operation_mix *mix)
{
    return mix->extra_count ? mixes[find_mix_row(mix)].noun
                            : operations[mix->turns[0]].noun;
}

/* Does the same as io_perform. It is inline, so that the default engine does not pay for
 * one more call and return: os_file_read in linux_files.c explains what they cost. */
static inline struct io_completion
perform(const struct io_config *config, const struct io_request *request)
{
    struct io_completion completion = {.slot = request->slot};
    int64_t bytes;

    do {
        bytes = operations[request->operation].perform(config, request);
    } while (bytes < 0 && errno == EINTR);

    if (bytes < 0)
        completion.error = errno;
    else
        completion.bytes = bytes;
    return completion;
}

struct io_completion
io_perform(const struct io_config *config, const struct io_request *request)
{
    return perform(config, request);
}

struct io_queue {
    struct io_config config;
    bool is_reopened; /* `config.fd` belongs to this queue, not to the caller */
    const struct io_request *next; /* the submitted request, which reap will send */
};

static int
sync_open(struct io_queue *queue, const struct io_config *config)
{
    queue->config = *config;
    queue->config.fd = os_file_reopen(config->fd);
    queue->is_reopened = queue->config.fd != config->fd;
    if (queue->is_reopened && queue->config.fd < 0)
        return -1;
    return 0;
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
