/*
 * A queue of the fake engine holds its requests in an array. submit only stores a
 * request, and the next reap sets the time at which the request ends, so that submit is
 * cheap. reap sleeps until the first request ends. It returns without a completion if the
 * time that the worker gave is earlier. With `patient`, a reap that does not wait sets no
 * end times. Then requests that are sent one after the other end in the order of the
 * script, even if a busy machine delays the worker between them.
 */
#include "fake_engine.h"

#include "os/os.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

struct fake_engine fake_engine;

void
fake_engine_reset(void)
{
    memset(&fake_engine, 0, sizeof(fake_engine));
}

const char *
fake_engine_story(void)
{
    static char story[FAKE_CALLS + 1];
    int length = fake_engine.count < FAKE_CALLS ? fake_engine.count : FAKE_CALLS;
    for (int i = 0; i < length; i++)
        story[i] = "RWF"[fake_engine.calls[i].request.operation];
    story[length] = '\0';
    return story;
}

/* Guards the counters and the recorded calls, which the threads of all workers change. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct io_queue {
    struct io_config config;
    struct fake_queue *fake;
};

/* The new queue gets the next free index, which is the number of open queues. */
static int
fake_open(struct io_queue *io_queue, const struct io_config *config)
{
    int number = fake_engine.opened - fake_engine.closed;
    errno = fake_engine.broken && fake_engine.opened >= fake_engine.openable_queues
                ? EIO
                : E2BIG;
    if (errno == EIO || number >= FAKE_QUEUES || config->depth > FAKE_DEPTH)
        return -1;
    io_queue->config = *config;
    io_queue->fake = &fake_engine.queues[number];
    io_queue->fake->count_under_way = 0;
    fake_engine.config = *config;
    fake_engine.opened++;
    return 0;
}

/* Records a call in the engine, and the offset of a read or write in its queue. */
static void
record_call(struct fake_queue *queue, const struct io_config *config,
            const struct io_request *request)
{
    if (request->operation != OPERATION_FLUSH && queue->requests <= FAKE_CALLS)
        queue->offsets[queue->requests - 1] = request->offset;
    if (fake_engine.count < FAKE_CALLS) {
        struct fake_call *call = &fake_engine.calls[fake_engine.count];
        const char *data = config->memory + config->size * (size_t)request->slot;
        call->request = *request;
        if (request->operation == OPERATION_WRITE && request->size >= 8) {
            memcpy(&call->first, data, 8);
            memcpy(&call->last, data + request->size - 8, 8);
        }
    }
    fake_engine.count++;
}

/* Counts a call and returns the answer that the script has for it. */
static struct fake_answer
next_answer(struct fake_queue *queue, const struct io_request *request)
{
    bool flush = request->operation == OPERATION_FLUSH;
    int number = flush ? ++fake_engine.flushed : ++fake_engine.requests;
    const struct fake_answer *answers = flush ? fake_engine.flushes : fake_engine.answers;
    if (!flush) {
        queue->requests++;
        if (queue->scripted) {
            number = queue->requests;
            answers = queue->answers;
        }
    }
    struct fake_answer answer = {0};
    if (number < FAKE_ANSWERS)
        answer = answers[number];
    if (!flush && answer.min_duration == 0)
        answer.min_duration = fake_engine.default_duration;
    return answer;
}

static int
fake_begin(struct io_queue *io_queue)
{
    (void)io_queue;
    pthread_mutex_lock(&lock);
    fake_engine.begun++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void
fake_end(struct io_queue *io_queue)
{
    pthread_mutex_lock(&lock);
    if (io_queue->fake->count_under_way == 0)
        fake_engine.ended++;
    pthread_mutex_unlock(&lock);
}

static void
fake_submit(struct io_queue *io_queue, const struct io_request *request)
{
    struct fake_queue *queue = io_queue->fake;
    struct fake_request *pending = &queue->under_way[queue->count_under_way++];
    pthread_mutex_lock(&lock);
    *pending =
        (struct fake_request){.request = *request, .answer = next_answer(queue, request)};
    record_call(queue, &io_queue->config, request);
    if (queue->count_under_way > queue->most_under_way)
        queue->most_under_way = queue->count_under_way;
    if (queue->count_under_way > fake_engine.most_under_way)
        fake_engine.most_under_way = queue->count_under_way;
    pthread_mutex_unlock(&lock);
}

/* Returns true if the test has released the calls that it holds back. */
static bool
may_held_calls_go_on(void)
{
    return atomic_load(&fake_engine.go);
}

/* Returns true if `gather` workers have sent a request. */
static bool
have_enough_workers_sent(void)
{
    int count = 0;
    for (int i = 0; i < FAKE_QUEUES; i++)
        if (fake_engine.queues[i].requests > 0)
            count++;
    return count >= fake_engine.min_senders;
}

/* Waits until CONDITION returns true, but at most a minute, so that a failing test ends.
 */
static void
wait_until(bool (*condition)(void))
{
    for (int ms = 0; ms < 60000 && !condition(); ms++)
        os_sleep_until(os_clock_now() + 1000000);
}

/* Sets the end time of the requests that have none yet, which count as sent at NOW.
 * Returns the request that ends first. */
static struct fake_request *
find_first_to_end(struct fake_queue *queue, int64_t now)
{
    struct fake_request *first = NULL;
    for (int i = 0; i < queue->count_under_way; i++) {
        struct fake_request *pending = &queue->under_way[i];
        if (!pending->end)
            pending->end = now + pending->answer.min_duration;
        if (!first || pending->end < first->end)
            first = pending;
    }
    return first;
}

/* Fills the completion of a request and removes the request from its queue. */
static void
complete_request(struct fake_queue *queue, struct fake_request *ended,
                 struct io_completion *done)
{
    const struct io_request *request = &ended->request;
    int64_t size = request->operation == OPERATION_FLUSH ? 0 : (int64_t)request->size;

    done->slot = request->slot;
    done->error = ended->answer.error;
    done->bytes = done->error ? 0 : size - ended->answer.missing;

    struct fake_request *last = &queue->under_way[--queue->count_under_way];
    memmove(ended, ended + 1, (size_t)(last - ended) * sizeof(*ended));
}

/* Returns true if a pending request has the answer `late`: reap overshoots its deadline.
 */
static bool
has_late_request(const struct fake_queue *queue)
{
    for (int i = 0; i < queue->count_under_way; i++)
        if (queue->under_way[i].answer.late)
            return true;
    return false;
}

/* A queue of depth one waits for its request even past WHEN, like a synchronous call. */
static int
fake_reap(struct io_queue *io_queue, struct io_completion *done, int64_t when)
{
    struct fake_queue *queue = io_queue->fake;
    bool waits = io_queue->config.depth == 1 || has_late_request(queue);
    int count = 0;
    if (fake_engine.patient && !waits && when <= os_clock_now())
        return 0;

    struct fake_request *first = find_first_to_end(queue, os_clock_now());
    if (first->answer.held) {
        wait_until(may_held_calls_go_on);
        atomic_store(&fake_engine.let_go, true);
    }
    wait_until(have_enough_workers_sent);

    while (os_clock_now() < first->end) {
        if (!waits && when < first->end) {
            os_sleep_until(when);
            return 0;
        }
        os_sleep_until(first->end);
    }
    if (first->answer.lost) {
        errno = first->answer.error;
        queue->count_under_way = 0;
        return -1;
    }

    int64_t now = os_clock_now();
    while (queue->count_under_way > 0) {
        first = find_first_to_end(queue, now);
        if (first->end > now)
            break;
        complete_request(queue, first, &done[count++]);
    }
    return count;
}

static bool
fake_close(struct io_queue *io_queue)
{
    if (io_queue->fake)
        fake_engine.closed++;
    return !fake_engine.busy;
}

const struct io_engine engine_fake = {
    .name = "fake",
    .queues_requests = true,
    .open_error = "broken",
    .queue_size = sizeof(struct io_queue),
    .open = fake_open,
    .begin = fake_begin,
    .submit = fake_submit,
    .reap = fake_reap,
    .end = fake_end,
    .close = fake_close,
};
