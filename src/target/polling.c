#include "polling.h"

#include "os/os.h"

/* Why completions cannot be looked for; NULL: they can. */
static const char *
why_not_polled(const struct target *target, const struct plan *plan)
{
    if (target->kind != OS_CHARACTER && !target->direct)
        return "only direct I/O can be polled for";
    if (plan->load != LOAD_READ && target->flush)
        return "a flush cannot be polled for";
    int polls = os_file_polls(target->fd);
    if (polls > 0)
        return NULL;
    return polls == 0 ? "the device cannot be polled"
                      : "cannot see whether the device can be polled";
}

void
polling_choose(struct target *target, const struct plan *plan, struct notes *notes)
{
    bool waits = target->kind != OS_CHARACTER && !target->direct;
    const char *caveat = waits ? plan->engine->caveat_buffered : plan->engine->caveat;
    if (plan->depth > 1 && caveat)
        notes_add(notes, plan->path, "%s", caveat);
    if (!plan->engine->polls || !(plan->rw_flags & OS_RW_HIPRI))
        return;
    const char *reason = why_not_polled(target, plan);
    target->poll = !reason;
    if (reason)
        notes_add(notes, plan->path, "%s: going without -hipri", reason);
}
