#include "worker_thread.h"

#include "os/process.h"

#define MS 1000000LL

struct seat *
seat_make(bool tracked)
{
    struct seat *seat = os_memory_zeroed(sizeof(*seat));
    if (!seat || !tracked)
        return seat;
    seat->worker.track = os_memory_zeroed(sizeof(*seat->worker.track));
    if (seat->worker.track)
        return seat;
    seat_free(seat);
    return NULL;
}

void
seat_free(struct seat *seat)
{
    if (seat->worker.track)
        os_memory_release(seat->worker.track, sizeof(*seat->worker.track));
    os_memory_release(seat, sizeof(*seat));
}

static void *
work(void *argument)
{
    struct seat *seat = argument;
    struct worker *worker = &seat->worker;
    if (!worker->listener.sample)
        os_thread_part();
    if (seat->gate) {
        os_lock_take(seat->gate);
        os_lock_give(seat->gate);
    }
    worker_run(worker);
    atomic_store(&seat->ended, true);
    atomic_store(seat->news, true);
    os_thread_poke(&seat->attending);
    return NULL;
}

static void
begin(struct seat *seat, const struct os_thread *attending, atomic_bool *news)
{
    seat->attending = *attending;
    seat->news = news;
    atomic_init(&seat->ended, false);
    watch_start(&seat->watch, seat->worker.plan->hang);
}

int
seat_start(struct seat *seat, const struct os_thread *attending, atomic_bool *news)
{
    begin(seat, attending, news);
    return os_thread_start(&seat->working, work, seat);
}

void
seat_lead(struct seat *seat, const struct os_thread *attending, atomic_bool *news)
{
    begin(seat, attending, news);
    seat->led = true;
    seat->working = os_thread_self();
}

void
seat_work(struct seat *seat)
{
    work(seat);
}

void
seat_join(struct seat *seat)
{
    if (!seat->led)
        os_thread_join(&seat->working);
}

bool
seat_is_empty(const struct seat *seat)
{
    return seat->waiting || atomic_load(&seat->ended);
}

/* The number is that of the oldest; if that has changed meanwhile, all is well. */
int64_t
seat_watch(struct seat *seat, int64_t resumed, int64_t now, uint64_t *index,
           int64_t *again)
{
    int64_t start = baton_look(&seat->worker.baton), still;
    int64_t since = start > 0 && start < resumed ? resumed : start;
    int64_t waited = watch_look(&seat->watch, since, now);
    if (waited && !baton_borrow(&seat->worker.baton, &still)) {
        waited = since = 0;
    } else if (waited) {
        *index = worker_oldest(&seat->worker);
        baton_return(&seat->worker.baton, still);
        waited = still == start ? waited : 0;
    }
    int64_t due = since ? watch_due(&seat->watch, since, now) : now;
    int64_t soonest = now + (since > 0 ? MS : SEAT_SOON);
    *again = due > soonest ? due : soonest;
    return waited;
}

bool
seat_add(struct seat *seat, struct stats *total, struct track *track)
{
    int64_t since;
    bool empty = seat_is_empty(seat);
    if (!empty && !baton_borrow(&seat->worker.baton, &since))
        return false;
    stats_merge(total, &seat->worker.total);
    worker_share_busy(&seat->worker);
    if (track)
        track_merge(track, seat->worker.track);
    if (!empty)
        baton_return(&seat->worker.baton, since);
    return true;
}

/* Only out of a sleep: a system call that is interrupted begins anew. */
void
seat_wake(struct seat *seat)
{
    if (baton_look(&seat->worker.baton) == BATON_RESTING)
        os_thread_poke(&seat->working);
}

/* A baton that is not returned keeps the worker from going on. */
void
seat_give_up(struct seat *seat, int64_t now)
{
    int64_t since;
    if (!baton_borrow(&seat->worker.baton, &since))
        return;
    if (since <= 0) {
        baton_return(&seat->worker.baton, since);
        return;
    }
    seat->waiting = now > since ? now - since : 1;
    seat->left = seat->worker.slots.under_way;
    worker_abandon(&seat->worker, now);
}
