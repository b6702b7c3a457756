/*
 * Each worker has a thread, which may get stuck in the kernel. This one, which has
 * the signals and no worker, attends to all of them meanwhile: periods, interim
 * statistics, views, words about a request that has no answer, and the end. It
 * touches a worker's statistics only while it has borrowed the baton.
 */
#include "supervise.h"

#include "base/later.h"
#include "os/os.h"
#include "os/process.h"

void
attend_begin(struct run *run, int64_t now)
{
    for (int i = 0; i < run->count; i++)
        part_begin(&run->parts[i], now);
    for (int i = 0; i < run->views_count; i++)
        if (!run->views[i].due) /* else this is not the first step */
            run->views[i].due = later(now, run->views[i].every);
}

/* What comes before all else, unless a worker was first. */
static void
introduce(struct part *part)
{
    if (part_enter(part) < 0)
        part_stop(part, os_clock_now() + WATCH_GRACE);
    os_lock_give(part->run->lock);
}

/* All of them, also those that have nothing to tell. */
static void
stop_if_mute(struct run *run)
{
    for (int i = 0; atomic_load(&run->mute) && i < run->count; i++)
        atomic_store(&run->parts[i].crew.stop, true);
}

/* By a signal: no more looks, and what was put together for one is of no use. */
static void
end(struct run *run, int64_t now)
{
    for (int i = 0; i < run->count; i++)
        part_stop(&run->parts[i], now + WATCH_GRACE);
    if (run->ending)
        return;
    run->ending = true;
    for (int i = 0; i < run->count; i++)
        run->parts[i].current = false;
    for (int i = 0; i < run->views_count; i++)
        if (run->views[i].rest)
            run->views[i].rest(run->views[i].self);
}

/* Those that end leave the others to go on; a failure is not kept from the user. */
static int64_t
look_after(struct run *run, int64_t now)
{
    int64_t next = 0;
    for (int i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        int64_t again = part->done ? 0 : part_look(part, now);
        if (again)
            next = next ? earlier(next, again) : again;
        else if (!part->done)
            part_collect(part);
    }
    for (int i = 0; next && i < run->count; i++)
        part_tell_failure(&run->parts[i]);
    return next;
}

/* The statistics of all at this moment; false if some cannot be had now. */
static bool
put_together(struct run *run)
{
    bool all = true;
    for (int i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        part->current = part->current || part->done || part_add_up(part);
        run->sights[i] =
            (struct run_sight){.stats = part->done ? &part->outcome->total : &part->total,
                               .track = part->track,
                               .done = part->done};
        all &= part->current;
    }
    for (int i = 0; all && i < run->count; i++)
        run->parts[i].current = false;
    return all;
}

static void
tell_interim(struct run *run)
{
    for (int i = 0; run->interim_wanted && i < run->count; i++) {
        const struct run_observer *observer = &run->parts[i].observer;
        observer->interim(observer->self, run->sights[i].stats);
    }
    run->interim_wanted = false;
}

static void
show_views(struct run *run, int64_t now)
{
    for (int i = 0; i < run->views_count; i++) {
        struct run_view *view = &run->views[i];
        if (now < view->due)
            continue;
        view->due = later_point(view->due, view->every, now);
        view->look(view->self, run->sights, run->count, now);
    }
}

static int64_t
views_due(const struct run *run)
{
    int64_t due = INT64_MAX;
    for (int i = 0; !run->ending && i < run->views_count; i++)
        due = earlier(due, run->views[i].due);
    return due;
}

/* Tells what needs the statistics of all. Returns when there is more. */
static int64_t
tell_of_all(struct run *run, int64_t now)
{
    bool showing = now >= views_due(run);
    if (!run->interim_wanted && !showing)
        return views_due(run);
    if (!put_together(run))
        return now + SEAT_SOON;
    tell_interim(run);
    if (showing)
        show_views(run, now);
    return views_due(run);
}

/* The time in which the process was stopped is nobody's. */
static void
note_stop(struct run *run, int64_t now)
{
    unsigned continues = os_process_continues();
    if (continues != run->continues)
        run->resumed = now;
    run->continues = continues;
}

void
attend(struct run *run)
{
    os_clock_sharpen();
    run->continues = os_process_continues();
    for (int i = 0; i < run->count; i++)
        introduce(&run->parts[i]);
    for (;;) {
        int64_t now = os_clock_now();
        note_stop(run, now);
        if (os_signals_stop())
            end(run, now);
        stop_if_mute(run);
        run->interim_wanted |= os_signals_report();
        int64_t next = look_after(run, now);
        if (!next)
            return;
        os_signals_wait(earlier(next, tell_of_all(run, now)), &run->news);
        atomic_store(&run->news, false);
    }
}
