#include "report/status.h"

#include "os/output.h"
#include "os/process.h"
#include "status_facts.h"
#include "status_line.h"

#include <stdlib.h>
#include <string.h>

#define STREAM 2
#define PATIENCE 200000000LL /* short runs have none: it would only flash */

/* CR, and EL to the end of the line: ECMA-48 8.3.15, 8.3.41. */
static const char erase[] = "\r\033[K";

bool
status_wanted(const struct plan *plan)
{
    return plan->output.status && os_stream_terminal(STREAM) && !os_terminal_dumb();
}

struct status *
status_open(const struct plan *plan, int targets, int64_t now)
{
    struct status *status = calloc(1, sizeof(*status));
    struct os_lock *lock = os_lock_make();
    if (!status || !lock) {
        free(status);
        os_lock_free(lock);
        return NULL;
    }
    status->plan = plan;
    status->targets = targets;
    status->began = now;
    status->merged = targets > 1 ? os_memory_zeroed(sizeof(*status->merged)) : NULL;
    status->utf8 = os_locale_utf8();
    status->lock = lock;
    return status;
}

/*
 * The cursor is left at the start of the line: what the terminal echoes of a key stands
 * in it then, and is erased or drawn over with it, even if it fills the whole width.
 */
static void
make_line(struct status *status, const struct job *jobs, int count, int64_t now)
{
    struct status_facts facts;
    int columns = os_stream_columns(STREAM);
    status_gather(status, jobs, count, now, &facts);
    buffer_clear(&status->line);
    buffer_text(&status->line, "\r");
    status_format(&status->line, &facts, columns ? columns : 80, status->utf8);
    buffer_text(&status->line, "\033[K\r");
}

static bool
has_changed(const struct status *status)
{
    const struct buffer *line = &status->line, *last = &status->last;
    return !status->shown || line->length != last->length ||
           memcmp(line->text, last->text, line->length) != 0;
}

static void
draw(struct status *status)
{
    if (status->line.failed || !has_changed(status))
        return;
    os_stream_write(STREAM, status->line.text, status->line.length);
    status->shown = true;
    struct buffer last = status->last;
    status->last = status->line;
    status->line = last;
}

void
status_tick(struct status *status, const struct job *jobs, int count, int64_t now)
{
    if (now - status->began < PATIENCE || !os_terminal_foreground(STREAM))
        return;
    make_line(status, jobs, count, now);
    if (!os_lock_try(status->lock)) /* another thread writes to the terminal */
        return;
    draw(status);
    os_lock_release(status->lock);
}

void
status_erase(struct status *status)
{
    status_pause(status);
    status_resume(status);
}

void
status_step(struct status *status, int target, int64_t value, int number, int count,
            int64_t now)
{
    status->place = (struct status_place){
        .target = target, .number = number, .count = count, .value = value, .began = now};
}

void
status_pause(struct status *status)
{
    if (!status)
        return;
    os_lock_acquire(status->lock);
    if (status->shown && os_terminal_foreground(STREAM)) /* else it is another's line by now */
        os_stream_write(STREAM, erase, strlen(erase));
    status->shown = false;
}

void
status_resume(struct status *status)
{
    if (status)
        os_lock_release(status->lock);
}

void
status_close(struct status *status)
{
    if (!status)
        return;
    status_erase(status);
    if (status->merged)
        os_memory_release(status->merged, sizeof(*status->merged));
    buffer_free(&status->line);
    buffer_free(&status->last);
    os_lock_free(status->lock);
    free(status);
}
