#include "run/memory.h"

#include "base/units.h"
#include "os/process.h"
#include "worker_thread.h"

#include <stdio.h>

/* What a worker takes besides its buffers, as far as it is not little. */
static int64_t
own_size(const struct plan *plan)
{
    return (int64_t)(sizeof(struct worker_thread) +
                     (plan->output.plot ? sizeof(struct track) : 0));
}

/* What makes it less, as far as there is something to make less of. */
static int
advise(const struct plan *plan, struct error *error)
{
    enum sweep_kind swept = plan->sweep.kind;
    char advice[sizeof(error->advice)];
    const char *threads = swept == SWEEP_THREADS ? "threads" : "-threads";
    if (plan->threads > 1 && plan->depth * plan->request_size < own_size(plan)) {
        snprintf(advice, sizeof(advice), "use fewer %s", threads);
        return error_advise(error, advice);
    }
    snprintf(advice, sizeof(advice), "use a smaller %s%s%s%s",
             swept == SWEEP_SIZE ? "size" : "-s",
             plan->depth == 1       ? ""
             : swept == SWEEP_DEPTH ? " or depth"
                                    : " or -depth",
             plan->threads == 1 ? "" : ", or fewer ", plan->threads == 1 ? "" : threads);
    return error_advise(error, advice);
}

int
memory_refuse(const struct plan *plan, int64_t requests, int64_t left,
              struct error *error)
{
    char what[64] = "a request", have[UNITS_TEXT] = "";
    if (requests > 1)
        snprintf(what, sizeof(what), "%lld requests", (long long)requests);
    if (left < INT64_MAX)
        units_format(UNITS_SIZE, left, have);
    error_set(error, EXIT_PREPARE, NULL, "no memory for %s of %lld bytes%s%s%s", what,
              (long long)plan->request_size, *have ? " in the " : "", have,
              *have ? " that are left" : "");
    return advise(plan, error);
}

int
memory_check(const struct job *jobs, int count, struct error *error)
{
    int64_t wanted = 0, requests = 0;
    for (int i = 0; i < count; i++) {
        const struct plan *plan = &jobs[i].step;
        int64_t together = (int64_t)plan->threads * plan->depth;
        requests += together;
        wanted += together * plan->request_size + plan->threads * own_size(plan);
    }
    int64_t left = wanted > OS_MEMORY_LITTLE ? os_memory_available() : INT64_MAX;
    return wanted <= left ? 0 : memory_refuse(&jobs[0].step, requests, left, error);
}
