#include "fake_engine.h"

#include "os/os.h"

#include <errno.h>
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

static int
fake_open(struct engine *engine, const struct engine_config *config, struct error *error)
{
    engine->config = *config;
    fake_engine.config = *config;
    if (fake_engine.broken)
        return error_set(error, EXIT_PREPARE, "fake", "broken");
    fake_engine.opened++;
    return 0;
}

static void
remember(const struct engine_request *request)
{
    if (fake_engine.count < FAKE_CALLS) {
        struct fake_call *call = &fake_engine.calls[fake_engine.count];
        const char *data = request->buffer;
        call->request = *request;
        if (request->operation == ENGINE_WRITE && request->size >= 8) {
            memcpy(&call->first, data, 8);
            memcpy(&call->last, data + request->size - 8, 8);
        }
    }
    fake_engine.count++;
}

/* The answer to the call that comes now. */
static struct fake_answer
next_answer(const struct engine_request *request)
{
    bool flush = request->operation == ENGINE_FLUSH;
    int number = flush ? ++fake_engine.flushed : ++fake_engine.requests;
    if (number >= FAKE_ANSWERS)
        return (struct fake_answer){0};
    return flush ? fake_engine.flushes[number] : fake_engine.answers[number];
}

static void
take_time(int64_t time)
{
    int64_t until = os_clock_now() + time;
    while (os_clock_now() < until)
        os_sleep_until(until);
}

/* For a minute at most, so that a test that fails ends. */
static void
wait_for_test(void)
{
    for (int ms = 0; ms < 60000 && !atomic_load(&fake_engine.go); ms++)
        take_time(1000000);
    atomic_store(&fake_engine.let_go, true);
}

static struct fake_answer current;

static int
fake_submit(struct engine *engine, const struct engine_request *request)
{
    current = next_answer(request);
    remember(request);
    if (current.takes)
        take_time(current.takes);
    if (current.held)
        wait_for_test();
    if (current.refused) {
        errno = current.error;
        return -1;
    }
    int64_t whole = request->operation == ENGINE_FLUSH ? 0 : (int64_t)request->size;
    engine->done.error = current.error;
    engine->done.bytes = current.error ? 0 : whole - current.missing;
    return 0;
}

static int
fake_reap(struct engine *engine, struct engine_completion *completion)
{
    if (current.lost) {
        errno = current.error;
        return -1;
    }
    *completion = engine->done;
    return 0;
}

static void
fake_close(struct engine *engine)
{
    (void)engine;
    fake_engine.closed++;
}

const struct engine_ops engine_fake = {
    .open = fake_open,
    .submit = fake_submit,
    .reap = fake_reap,
    .close = fake_close,
};
