/*
 * A queue of the fake engine holds requests in an array. A request gets its end time when
 * its queue is reaped first, so that submit costs the same as a real one's; reap sleeps
 * until the first end, and leaves early at the time that the worker gave. A patient
 * engine gives no end times in a reap that does not wait: requests that are sent one
 * after the other end in the order of the script, however late the machine is between
 * them.
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

/* Guards the counters and the record, which the threads of all workers change. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct io_queue {
    struct io_config config;
    struct fake_queue *fake;
};

/* The number of open queues is the index of the next. */
static int
fake_open(struct io_queue *own, const struct io_config *config)
{
    int number = fake_engine.opened - fake_engine.closed;
    errno = fake_engine.broken && fake_engine.opened >= fake_engine.sound ? EIO : E2BIG;
    if (errno == EIO || number >= FAKE_QUEUES || config->depth > FAKE_DEPTH)
        return -1;
    own->config = *config;
    own->fake = &fake_engine.queues[number];
    own->fake->count_under_way = 0;
    fake_engine.config = *config;
    fake_engine.opened++;
    return 0;
}

static void
remember(struct fake_queue *queue, const struct io_config *config,
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

/* Counts a call and returns its answer. */
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
    if (!flush && answer.takes == 0)
        answer.takes = fake_engine.takes;
    return answer;
}

static int
fake_begin(struct io_queue *own)
{
    (void)own;
    pthread_mutex_lock(&lock);
    fake_engine.begun++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void
fake_end(struct io_queue *own)
{
    pthread_mutex_lock(&lock);
    fake_engine.ended += own->fake->count_under_way == 0;
    pthread_mutex_unlock(&lock);
}

static void
fake_submit(struct io_queue *own, const struct io_request *request)
{
    struct fake_queue *queue = own->fake;
    struct fake_request *mine = &queue->under_way[queue->count_under_way++];
    pthread_mutex_lock(&lock);
    *mine =
        (struct fake_request){.request = *request, .answer = next_answer(queue, request)};
    remember(queue, &own->config, request);
    if (queue->count_under_way > queue->most_under_way)
        queue->most_under_way = queue->count_under_way;
    if (queue->count_under_way > fake_engine.most_under_way)
        fake_engine.most_under_way = queue->count_under_way;
    pthread_mutex_unlock(&lock);
}

static bool
is_let_go(void)
{
    return atomic_load(&fake_engine.go);
}

static bool
is_gathered(void)
{
    int count = 0;
    for (int i = 0; i < FAKE_QUEUES; i++)
        count += fake_engine.queues[i].requests > 0;
    return count >= fake_engine.gather;
}

/* Polls for a minute at most, so that a failing test ends. */
static void
wait_until(bool (*over)(void))
{
    for (int ms = 0; ms < 60000 && !over(); ms++)
        os_sleep_until(os_clock_now() + 1000000);
}

/* Sets the end of the requests that are sent at NOW; returns the one that ends first. */
static struct fake_request *
find_first(struct fake_queue *queue, int64_t now)
{
    struct fake_request *first = NULL;
    for (int i = 0; i < queue->count_under_way; i++) {
        struct fake_request *mine = &queue->under_way[i];
        if (!mine->end)
            mine->end = now + mine->answer.takes;
        if (!first || mine->end < first->end)
            first = mine;
    }
    return first;
}

static void
finish(struct fake_queue *queue, struct fake_request *mine, struct io_completion *done)
{
    const struct io_request *request = &mine->request;
    int64_t whole = request->operation == OPERATION_FLUSH ? 0 : (int64_t)request->size;
    done->slot = request->slot;
    done->error = mine->answer.error;
    done->bytes = done->error ? 0 : whole - mine->answer.missing;
    struct fake_request *last = &queue->under_way[--queue->count_under_way];
    memmove(mine, mine + 1, (size_t)(last - mine) * sizeof(*mine));
}

static bool
is_late(const struct fake_queue *queue)
{
    for (int i = 0; i < queue->count_under_way; i++)
        if (queue->under_way[i].answer.late)
            return true;
    return false;
}

/* A queue of depth one waits for its end, like a synchronous call. */
static int
fake_reap(struct io_queue *own, struct io_completion *done, int64_t when)
{
    struct fake_queue *queue = own->fake;
    bool waits = own->config.depth == 1 || is_late(queue);
    int count = 0;
    if (fake_engine.patient && !waits && when <= os_clock_now())
        return 0;
    struct fake_request *first = find_first(queue, os_clock_now());
    if (first->answer.held) {
        wait_until(is_let_go);
        atomic_store(&fake_engine.let_go, true);
    }
    wait_until(is_gathered);
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
    while (queue->count_under_way && (first = find_first(queue, now))->end <= now)
        finish(queue, first, &done[count++]);
    return count;
}

static bool
fake_close(struct io_queue *own)
{
    fake_engine.closed += own->fake != NULL;
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
