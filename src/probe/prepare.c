#include "probe/prepare.h"

#include "attended.h"
#include "base/units.h"
#include "os/os.h"
#include "os/process.h"
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All that the thread writes to, so that it can be left to itself. */
struct preparation {
    struct attended work;
    atomic_bool news;
    const struct plan *plan;
    struct target target;
    struct notes notes;
    struct error error;
    int status;
};

static void
open_target(void *argument)
{
    struct preparation *preparation = argument;
    preparation->status = target_open(&preparation->target, preparation->plan,
                                      &preparation->notes, &preparation->error);
    if (preparation->status == 0 && preparation->plan->output.prometheus)
        target_name(&preparation->target); /* it is in the file before any request */
}

/* Until its end; or until it is given up: returns for how long it has gone on then. */
static int64_t
attend(struct preparation *preparation,
       void (*slow)(const struct plan *plan, int64_t waited))
{
    struct watch watch;
    int64_t began = os_clock_now(), give_up = INT64_MAX;
    watch_start(&watch, preparation->plan->hang);
    while (!attended_finished(&preparation->work)) {
        int64_t now = os_clock_now();
        int64_t waited = watch_look(&watch, began, now);
        if (waited)
            slow(preparation->plan, waited);
        if (os_signals_stop() && give_up == INT64_MAX)
            give_up = now + ATTENDED_GRACE;
        if (now >= give_up)
            return now - began;
        int64_t next = watch_due(&watch, began, now);
        attended_wait(&preparation->news, next < give_up ? next : give_up);
    }
    return 0;
}

int
prepare_target(struct target *target, const struct plan *plan, struct notes *notes,
               void (*slow)(const struct plan *plan, int64_t waited),
               struct outcome *outcome, struct error *error)
{
    char text[UNITS_TEXT];
    struct preparation *preparation = malloc(sizeof(*preparation));
    notes->count = 0;
    if (!preparation)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for the target");
    preparation->plan = plan;
    preparation->notes.count = 0;
    atomic_init(&preparation->news, false);
    if (attended_start(&preparation->work, open_target, preparation, &preparation->news) <
        0) {
        error_set(error, EXIT_PREPARE, NULL, "no thread for the target: %s",
                  strerror(errno));
        free(preparation);
        return -1;
    }
    outcome->waiting = attend(preparation, slow);
    if (outcome->waiting)
        return error_set(error, EXIT_PREPARE, plan->path, "still not ready after %s",
                         units_format(UNITS_TIME, outcome->waiting, text));
    attended_join(&preparation->work);
    int status = preparation->status;
    *target = preparation->target;
    notes_join(notes, &preparation->notes);
    if (status < 0)
        *error = preparation->error;
    free(preparation);
    return status;
}
