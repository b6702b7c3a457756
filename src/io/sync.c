/* The default engine: reap makes one system call for the one request, and waits for it.
 */
#include "io/io.h"

#include "os/os.h"

struct io_queue {
    struct io_config config;
    bool is_reopened; /* the descriptor is the queue's own */
    const struct io_request *next;
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
    *done = io_perform(&queue->config, queue->next);
    return 1;
}

const struct io_engine io_sync = {
    .name = "system calls",
    .in_thread = true,
    .lacks = "no descriptor for a worker",
    .queue_size = sizeof(struct io_queue),
    .open = sync_open,
    .submit = sync_submit,
    .reap = sync_reap,
    .close = sync_close,
};
