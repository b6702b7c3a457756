#include "attended.h"

#include "os/process.h"

static void *
work(void *argument)
{
    struct attended *attended = argument;
    attended->body(attended->argument);
    atomic_store(&attended->finished, true);
    os_thread_poke(&attended->self);
    return NULL;
}

int
attended_start(struct attended *attended, void (*body)(void *), void *argument)
{
    attended->self = os_thread_self();
    attended->body = body;
    attended->argument = argument;
    atomic_init(&attended->finished, false);
    return os_thread_start(&attended->worker, work, attended);
}

bool
attended_finished(const struct attended *attended)
{
    return atomic_load(&attended->finished);
}

void
attended_wait(const struct attended *attended, int64_t when)
{
    os_signals_wait(when, &attended->finished);
}

void
attended_join(const struct attended *attended)
{
    os_thread_join(&attended->worker);
}
