#include "attended.h"

#include "os/process.h"

static void *
work(void *argument)
{
    struct attended *attended = argument;
    attended->body(attended->argument);
    atomic_store(&attended->finished, true);
    atomic_store(attended->news, true);
    os_thread_poke(&attended->self);
    return NULL;
}

int
attended_start(struct attended *attended, void (*body)(void *), void *argument,
               atomic_bool *news)
{
    attended->self = os_thread_self();
    attended->body = body;
    attended->argument = argument;
    attended->news = news;
    atomic_init(&attended->finished, false);
    return os_thread_start(&attended->worker, work, attended);
}

bool
attended_finished(const struct attended *attended)
{
    return atomic_load(&attended->finished);
}

void
attended_wait(atomic_bool *news, int64_t when)
{
    os_signals_wait(when, news);
    atomic_store(news, false);
}

void
attended_join(const struct attended *attended)
{
    os_thread_join(&attended->worker);
}
