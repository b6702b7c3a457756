#include "probe/memory.h"

#include "base/units.h"
#include "os/process.h"
#include "seat.h"

#include <stdio.h>

/* What makes it less, as far as there is something to make less of. */
static int
advise(const struct plan *plan, struct error *error)
{
    enum sweep_kind swept = plan->sweep.kind;
    char advice[sizeof(error->advice)];
    snprintf(advice, sizeof(advice), "use a smaller %s%s%s",
             swept == SWEEP_SIZE ? "size" : "-s",
             plan->depth == 1       ? ""
             : swept == SWEEP_DEPTH ? " or depth"
                                    : " or -depth",
             plan->threads == 1       ? ""
             : swept == SWEEP_THREADS ? ", or fewer threads"
                                      : ", or fewer -threads");
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
memory_check(const struct run_target *targets, int count, struct error *error)
{
    int64_t wanted = 0, requests = 0;
    for (int i = 0; i < count; i++) {
        const struct plan *plan = targets[i].plan;
        int64_t together = (int64_t)plan->threads * plan->depth;
        requests += together;
        wanted +=
            together * plan->request_size + plan->threads * (int64_t)sizeof(struct seat);
    }
    int64_t left = wanted > OS_MEMORY_LITTLE ? os_memory_available() : INT64_MAX;
    return wanted <= left ? 0 : memory_refuse(targets[0].plan, requests, left, error);
}
