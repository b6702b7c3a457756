/*
 * The stages of a session: what its threads may wait for without end while there are no
 * requests. The supervisor sees how long each has taken, says so, and tells when it is
 * time to give one up.
 */
#include "stages.h"

#include "base/deadlines.h"
#include "base/units.h"
#include "os/os.h"
#include "os/process.h"
#include "report/console.h"
#include "report/report.h"
#include "run/run.h"

void
stages_make(struct stages *stages, const struct plan *plan, const struct job *jobs,
            int count)
{
    *stages = (struct stages){.plan = plan, .count = count, .limit = INT64_MAX};
    report_files(plan, stages->files, sizeof(stages->files));
    stages->list[count] = (struct stage){.name = stages->files, .end = ""};
    for (int i = 0; i < count; i++) {
        const char *name = jobs[i].plan.path;
        stages->list[i] =
            (struct stage){.name = name, .advanced = &jobs[i].target.advanced, .end = ""};
        stages->list[count + 1 + i] = (struct stage){.name = name, .end = ", at its end"};
    }
    atomic_store(&stages->list[0].since, os_clock_now());
}

/* The supervisor is not woken: a stage is due later than the one before it. */
void
stages_enter(struct stages *stages, enum stage_kind kind, int index)
{
    if (kind != STAGE_OPENING)
        index += stages->count + (kind == STAGE_CLOSING);
    atomic_store(&stages->list[index].since, os_clock_now());
    atomic_store(&stages->current, index);
}

void
stage_explain(const struct stage *stage, const char *how, int64_t waited,
              struct error *error)
{
    char text[UNITS_TEXT];
    error_set(error, EXIT_PREPARE, stage->name, "%snot ready after %s%s", how,
              units_format(UNITS_TIME, waited, text), stage->end);
}

/* A stop of the process is nobody's time. */
const struct stage *
stages_wait(struct stages *stages, const atomic_bool *done, int64_t *waited)
{
    struct stall stall;
    stall_start(&stall, stages->plan->ends.hang);
    while (!atomic_load(done)) {
        const struct stage *stage = &stages->list[atomic_load(&stages->current)];
        int64_t now = os_clock_now();
        int64_t since = time_later(atomic_load(&stage->since), os_signals_resumed());
        int64_t advanced =
            stage->advanced ? time_later(since, atomic_load(stage->advanced)) : since;
        if (os_signals_stop() && stages->limit == INT64_MAX)
            stages->limit = now + DEADLINE_GRACE;
        int64_t end =
            time_earlier(stages->limit, time_add(advanced, stages->plan->ends.patience));
        *waited = now - since;
        if (now >= end)
            return stage;
        int64_t stalled = stall_check(&stall, since, now);
        struct error error;
        if (stalled) {
            stage_explain(stage, "", stalled, &error);
            console_error(&error);
        }
        os_signals_wait(time_earlier(stall_due(&stall, since, now), end), done);
    }
    return NULL;
}
