#include "plan/outcome.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

int
outcome_status(const struct outcome *outcome)
{
    bool failed = outcome->output_error || outcome->failed.index || outcome->waiting;
    return failed ? EXIT_RUNTIME : EXIT_DONE;
}

static void
explain_failure(const struct sample *failed, struct notes *notes)
{
    char number[16];
    if (failed->verdict == VERDICT_SHORT)
        notes_add(notes, NULL, "request %llu failed: short (%lld of %lld bytes)",
                  (unsigned long long)failed->index, (long long)failed->bytes,
                  (long long)failed->size);
    else
        notes_add(notes, NULL, "request %llu failed: %s (%s)",
                  (unsigned long long)failed->index, error_name(failed->error, number),
                  strerror(failed->error));
}

static void
explain_nothing(const struct stats *total, struct notes *notes)
{
    uint64_t others = total->cached + total->failed + total->too_fast + total->too_slow;
    if (total->requests == 0)
        notes_add(notes, NULL, "no request was sent");
    else if (others == 0)
        notes_add(notes, NULL,
                  "no request counted: all were warm-up; use -warmup 0 to count them");
    else
        notes_add(notes, NULL, "no request counted of %llu",
                  (unsigned long long)total->requests);
}

void
outcome_explain(const struct outcome *outcome, struct notes *notes)
{
    const struct stats *total = &outcome->total;
    char waited[UNITS_TEXT];
    if (outcome->failed.index)
        explain_failure(&outcome->failed, notes);
    if (outcome->waiting)
        notes_add(notes, NULL, "1 request still waiting after %s",
                  units_format(UNITS_TIME, outcome->waiting, waited));
    if (outcome->output_error)
        notes_add(notes, "standard output", "%s", strerror(outcome->output_error));
    if (total->cached)
        notes_add(
            notes, NULL,
            "%llu of %llu requests were answered by the page cache, not the device; "
            "use -D (direct I/O) or -W (writes)",
            (unsigned long long)total->cached, (unsigned long long)total->requests);
    if (total->latency.count == 0 && outcome_status(outcome) == EXIT_DONE)
        explain_nothing(total, notes);
}
