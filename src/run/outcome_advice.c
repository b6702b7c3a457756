/*
 * How long a run has to be so that the answer to a limit is certain: how many requests
 * (-c), or which work time (-w).
 */
#include "outcome_advice.h"

#include "base/buffer.h"
#include "base/time.h"
#include "base/units.h"
#include "stats/advice.h"

#include <math.h>

uint64_t
outcome_count_ignored(const struct stats *total)
{
    return total->failed + total->cached + total->too_fast + total->too_slow +
           total->stopped;
}

/*
 * Returns how many requests a run has to send so that SAMPLES of them count for ANSWER:
 *
 *     SAMPLES * (requests - warm-up) / requests that count + warm-up
 *
 * This assumes that the same share of requests will count as in this run.
 */
static double
estimate_requests(const struct outcome *outcome, const struct slo_answer *answer,
                  uint64_t samples)
{
    const struct stats *total = &outcome->total;
    uint64_t warmup =
        total->requests - total->latency.count - outcome_count_ignored(total);

    if (answer->count == 0)
        return (double)samples + (double)total->requests;
    return ceil((double)samples * (double)(total->requests - warmup) /
                (double)answer->count) +
           (double)warmup;
}

#define MAX_SECONDS 1e9 /* longest run that is advised, in seconds */

/* Returns how long a run (-w) has to last to send REQUESTS requests at the rate of this
 * run, in ns, rounded up to whole seconds. This run must have sent a request. */
static int64_t
estimate_work_time(const struct outcome *outcome, double requests)
{
    double whole = (double)outcome->work_time;
    if (outcome->was_interrupted) /* after a part of the time */
        whole *= (double)outcome->duration / (double)outcome->part_time;
    double ns = whole * requests / (double)outcome->total.requests;
    return (int64_t)fmin(ceil(ns / SECOND), MAX_SECONDS) * SECOND;
}

/* Returns true if the run was interrupted, and would have sent REQUESTS requests without
 * that. */
static bool
is_interruption_to_blame(const struct outcome *outcome, double requests)
{
    if (!outcome->was_interrupted)
        return false;
    if (outcome->max_requests && requests > (double)outcome->max_requests)
        return false;
    return !outcome->work_time || outcome->total.requests < 2 ||
           estimate_work_time(outcome, requests) <= outcome->work_time;
}

/* Adds to TEXT the option with which a run sends REQUESTS requests. */
static void
add_needed_option(struct buffer *text, const struct outcome *outcome, double requests)
{
    char time[UNITS_TEXT];

    if (outcome->is_recorded)
        buffer_format(text, "%.0f requests", requests);
    else if (!outcome->work_time)
        buffer_format(text, "-c %.0f", requests);
    else
        buffer_format(
            text, "-w %s",
            units_exact(UNITS_TIME, estimate_work_time(outcome, requests), time));
}

void
outcome_add_advice(struct buffer *text, const struct outcome *outcome,
                   const struct slo_answer *answer)
{
    uint64_t sure = answer->samples_for_certainty;
    uint64_t samples = sure;
    if (answer->verdict == SLO_UNKNOWN && answer->min_samples < sure)
        samples = answer->min_samples;

    /* a single request has no rate */
    bool has_rate = !outcome->work_time || outcome->total.requests > 1;
    bool is_known = sure > 0 && !outcome->phases && (has_rate || outcome->is_recorded);
    double requests = is_known ? estimate_requests(outcome, answer, samples) : 0;
    if (answer->is_close) {
        buffer_text(text, "too close to call");
        if (answer->count >= ADVICE_MAX)
            return;
        buffer_text(text, "; ");
    }

    if (is_interruption_to_blame(outcome, requests)) {
        buffer_text(text, "the run was interrupted: let it run to its end");
        return;
    }
    if (!is_known) {
        buffer_text(text, outcome->is_recorded ? "record a longer run" : "run longer");
        return;
    }

    buffer_text(text, outcome->is_recorded ? "record a run of " : "use ");
    add_needed_option(text, outcome, requests);
    if (samples == sure)
        return;
    buffer_text(text, ", or ");
    add_needed_option(text, outcome, estimate_requests(outcome, answer, sure));
    buffer_text(text, " to be sure");
}
