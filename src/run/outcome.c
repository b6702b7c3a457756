/*
 * Turns the outcome of a job into the exit status, and into the remarks that explain it
 * on stderr.
 *
 * Exit status: EXIT_RUNTIME after a failure, if memory answered all requests, or if a
 * figure of -print is unknown; otherwise EXIT_LIMIT if a limit was not met; otherwise
 * EXIT_DONE.
 *
 * How certain it is that a limit was met: slo_answer compares a figure with its limit as
 * if all requests were independent. Latencies are not independent. So answer_limit
 * estimates, from the autocorrelation of the series of requests, a confidence interval of
 * the percentile. The answer depends on where the limit is:
 *
 *     ns   -----------[low ....... percentile ....... high]----------->
 *           limit here: FAIL  |  limit here: so far  |  limit here: OK
 *
 * "So far" means uncertain. It is followed by advice: how many requests, or how long a
 * run, would be needed so that the limit lies outside of the interval.
 */
#include "run/outcome.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/units.h"
#include "outcome_advice.h"
#include "run/job.h"
#include "stats/advice.h"
#include "stats/interval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct stats *
outcome_stats(const struct outcome *outcome, const struct slo *slo)
{
    return slo->phase && outcome->phases ? &outcome->phases[slo->phase].stats
                                         : &outcome->total;
}

static bool
meets_limits(const struct outcome *outcome)
{
    const struct slos *slos = outcome->slos;

    if (!slos || slos->count == 0)
        return true;
    if (outcome->sweep_kind)
        return outcome->verdict == SLO_MET;
    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        if (slo_answer(slo, outcome_stats(outcome, slo)).verdict != SLO_MET)
            return false;
    }

    return true;
}

static bool
has_failed(const struct outcome *outcome)
{
    return outcome->output_error || outcome->failed_sample.index || outcome->waiting_age;
}

/* Returns true if no request counts because memory, not the device, answered the
 * requests. */
static bool
has_only_cached(const struct outcome *outcome)
{
    const struct stats *total = &outcome->total;
    return total->cached && !total->latency.count && !total->too_fast && !total->too_slow;
}

int
outcome_status(const struct outcome *outcome)
{
    if (has_failed(outcome) || has_only_cached(outcome) || outcome->lacks_figures)
        return EXIT_RUNTIME;
    return meets_limits(outcome) ? EXIT_DONE : EXIT_LIMIT;
}

int
outcome_worse(int status, int other)
{
    static const int ranks[] = {
        [EXIT_DONE] = 0,    [EXIT_UNCERTAIN] = 1, [EXIT_LIMIT] = 2,
        [EXIT_RUNTIME] = 3, [EXIT_PREPARE] = 3,
    };
    return ranks[other] > ranks[status] ? other : status;
}

/* chance, on each side, that the true percentile is outside of its confidence interval */
#define TAIL 0.05

/* Returns true if the series of OUTCOME shows how much the latencies to which the limit
 * SLO applies depend on each other. This is only so for percentiles of all requests
 * without -corrected: the series does not tell operations apart, and lacks the waits that
 * -corrected adds. */
static bool
has_known_dependence(const struct outcome *outcome, const struct slo *slo)
{
    return outcome->series && slo->metric == SLO_PERCENTILE && slo->scope == SCOPE_ALL &&
           !slo->is_relative && !outcome_stats(outcome, slo)->corrected_interval;
}

/*
 * Marks ANSWER as uncertain if the limit of SLO lies within the confidence interval of
 * ESTIMATE, because more requests of the same kind might change the answer.
 *
 * If the requests depend on each other too much, the interval is unknown. In that case
 * ANSWER is marked as uncertain and dependent: in a recorded run always, in any other run
 * only if the limit lies within the narrowest interval that is possible.
 */
static void
mark_uncertain(const struct outcome *outcome, const struct slo *slo,
               const struct estimate *estimate, struct slo_answer *answer)
{
    struct interval interval = estimate_interval(estimate, TAIL);
    bool is_open = isinf(interval.high);
    bool is_within = interval.low <= (double)slo->limit &&
                     interval.high > (double)slo->limit &&
                     estimate->entry_count >= DEPENDENCE_MIN;
    bool has_enough = answer->is_certain || outcome->is_recorded;

    if (interval.is_known && is_within && (has_enough || !is_open)) {
        answer->is_certain = false;
        answer->low = (int64_t)interval.low;
        answer->high = is_open ? INT64_MAX : (int64_t)interval.high;
    }
    if (!interval.is_known && (outcome->is_recorded || (is_within && has_enough))) {
        answer->is_certain = false;
        answer->is_dependent = true;
    }
}

/* upper bound of a limit in ns, so that it fits into an int64_t */
#define MAX_LIMIT 9e18

/*
 * Sets how many requests would make ANSWER certain, if that can be computed:
 *
 *     number of independent requests (advice_requests) * autocorrelation time in requests
 *
 * A drift of the latencies widens the confidence interval by a factor. advice_requests
 * does not know this factor. So its argument is not the limit itself, but a limit that is
 * closer to the measured percentile by this factor. ESTIMATE is NULL if it is unknown how
 * much the requests depend on each other.
 */
static void
compute_advice(const struct outcome *outcome, const struct slo *slo,
               const struct estimate *estimate, struct slo_answer *answer)
{
    const struct latencies latencies =
        latencies_of(outcome_stats(outcome, slo), slo->scope);
    bool fails = answer->verdict == SLO_BROKEN;
    double limit = (double)slo->limit;
    double time = 1;
    double wider = 1;
    if (slo->metric != SLO_PERCENTILE || answer->is_dependent ||
        (fails && latencies.is_corrected))
        return;
    if (estimate && estimate->entry_count >= DEPENDENCE_MIN) {
        if (!estimate->dependence.is_known)
            return;
        time = estimate->dependence.autocorrelation_time;
        wider = estimate_widening(estimate);
        limit = fails ? fmin(limit * wider, MAX_LIMIT) : limit / wider;
    }

    uint64_t independent =
        advice_requests(&slo->percentile, &latencies, (int64_t)limit, fails);
    if (independent > 0) {
        double needs = ceil((double)independent * time);
        answer->samples_for_certainty = (uint64_t)fmax(needs, (double)answer->count + 1);
    } else if (answer->verdict != SLO_UNKNOWN && wider <= 1)
        answer->is_close = true;
}

/* Returns whether OUTCOME meets the limit SLO, whether that is certain, and if not, how
 * many requests would make it certain. */
static struct slo_answer
answer_limit(const struct outcome *outcome, const struct slo *slo)
{
    const struct stats *stats = outcome_stats(outcome, slo);
    struct slo_answer answer = slo_answer(slo, stats);
    struct estimate estimate;
    bool has_estimate =
        has_known_dependence(outcome, slo) &&
        estimate_make(&estimate, stats, outcome->series, &slo->percentile) == 0;

    if (outcome->why_no_flush && slo->scope == SCOPE_SYNC) {
        answer.reason = outcome->why_no_flush;
        answer.remedy = outcome->flush_remedy;
        answer.samples_for_certainty = 0;
    }
    if (has_estimate && answer.verdict != SLO_UNKNOWN)
        mark_uncertain(outcome, slo, &estimate, &answer);
    if (!answer.is_certain && !answer.reason)
        compute_advice(outcome, slo, has_estimate ? &estimate : NULL, &answer);

    return answer;
}

static const char *
request_noun(uint64_t count)
{
    return units_plural(count, "request", "requests");
}

void
outcome_add_unknown(const struct outcome *outcome, const struct slo *slo,
                    const struct slo_answer *answer, struct buffer *text)
{
    if (answer->reason) {
        buffer_format(text, "%s; %s", answer->reason, answer->remedy);
        return;
    }

    slo_add_too_few(slo, answer, text);
    if (slo->scope > SCOPE_SYNC && answer->count == 0)
        return; /* more requests would not help; another remark says why */
    buffer_text(text, "; ");
    outcome_add_advice(text, outcome, answer);
}

/* Adds to TEXT why ANSWER is uncertain. Its verdict is SLO_MET or SLO_BROKEN. */
static void
add_uncertainty(struct buffer *text, const struct slo *slo,
                const struct slo_answer *answer)
{
    char name[SLO_NAME_SIZE];
    char bound[UNITS_TEXT];
    bool is_met = answer->verdict == SLO_MET;

    slo_label(slo, name);
    if (answer->is_dependent)
        buffer_text(text, "too few independent requests to be sure");
    else if (answer->high && !is_met)
        buffer_format(text, "%s may be as low as %s", name,
                      units_format(UNITS_TIME, answer->low, bound));
    else if (answer->high && answer->high != INT64_MAX)
        buffer_format(text, "%s may be as high as %s", name,
                      units_format(UNITS_TIME, answer->high, bound));
    else if (answer->high || answer->is_close)
        buffer_format(text, "%s may be %s", name, is_met ? "higher" : "lower");
    else
        buffer_format(text, "%llu %s too few to be sure",
                      (unsigned long long)answer->count,
                      units_plural(answer->count, "request is", "requests are"));
}

/* Adds SLO and its ANSWER to TEXT, such as "p99 < 10 ms: OK (1.23 ms)". */
static void
add_limit_answer(struct buffer *text, const struct outcome *outcome,
                 const struct slo *slo, const struct slo_answer *answer)
{
    char name[SLO_NAME_SIZE];
    char limit[UNITS_TEXT];
    bool is_corrected =
        slo->metric == SLO_PERCENTILE &&
        latencies_of(outcome_stats(outcome, slo), slo->scope).is_corrected;
    const char *correction = is_corrected ? " (corrected)" : "";
    const char *sign = slo_is_rate(slo) ? ">" : "<";
    const char *verdict = slo_verdict_name(answer->verdict);

    buffer_format(text, "%s%s %s %s: ", slo_label(slo, name), correction, sign,
                  slo_format(slo, slo->limit, limit));
    if (answer->verdict == SLO_UNKNOWN) {
        buffer_text(text, "UNKNOWN: ");
        outcome_add_unknown(outcome, slo, answer, text);
        return;
    }

    buffer_text(text, verdict);
    if (!answer->is_certain)
        buffer_text(text, " so far");
    buffer_text(text, " (");
    slo_add_figure(slo, answer, text);
    buffer_text(text, ")");
    if (answer->is_certain)
        return;

    buffer_text(text, "; ");
    add_uncertainty(text, slo, answer);
    buffer_text(text, ", ");
    outcome_add_advice(text, outcome, answer);
}

/* Returns true if the user must be warned although the limit was met, because the limit
 * lies in the confidence interval. In a recorded run, the user is also warned if the
 * interval has no upper bound or is unknown. */
static bool
is_doubtful(const struct outcome *outcome, const struct slo_answer *answer)
{
    if (outcome->is_recorded)
        return answer->is_dependent || answer->high != 0;
    return answer->high != 0 && answer->high != INT64_MAX;
}

/* Adds ANSWER, which says whether the limit SLO was met, to NOTES. Adds nothing if the
 * limit was met without doubt. */
static void
explain_limit(const struct outcome *outcome, const struct slo *slo,
              const struct slo_answer *answer, struct notes *notes)
{
    struct buffer text = {0};

    if (answer->verdict == SLO_MET && !is_doubtful(outcome, answer))
        return;
    add_limit_answer(&text, outcome, slo, answer);
    if (!text.failed)
        notes_add(notes, outcome->target_name, "%s", text.text);
    buffer_free(&text);
}

void
outcome_add_limits(const struct outcome *outcome, const char *target, struct buffer *text)
{
    int count = outcome->is_explained && outcome->slos ? outcome->slos->count : 0;

    for (int i = 0; i < count; i++) {
        const struct slo *slo = &outcome->slos->list[i];
        if (slo->is_relative)
            continue;
        if (target) {
            buffer_escaped(text, target);
            buffer_text(text, ": ");
        }
        add_limit_answer(text, outcome, slo, &outcome->answers[i]);
        buffer_text(text, "\n");
    }
}

char *
outcome_failure_text(const struct sample *failed, char *text)
{
    char name[16];
    char waited[UNITS_TEXT];
    unsigned long long index = failed->index;

    if (failed->verdict == VERDICT_TIMEOUT)
        snprintf(text, OUTCOME_TEXT, "request %llu failed: no answer for %s (timeout)",
                 index, units_format(UNITS_TIME, failed->latency, waited));
    else if (failed->is_device_gone)
        snprintf(text, OUTCOME_TEXT, "request %llu failed: the device is gone", index);
    else if (failed->verdict == VERDICT_SHORT)
        snprintf(text, OUTCOME_TEXT, "request %llu failed: short (%lld of %lld bytes)",
                 index, (long long)failed->bytes, (long long)failed->size);
    else
        snprintf(text, OUTCOME_TEXT, "request %llu failed: %s (%s)", index,
                 error_name(failed->error, name), strerror(failed->error));

    return text;
}

/* The options of the hint are known to work, because they were tried when the target was
 * opened. */
char *
outcome_cached_text(const struct outcome *outcome, char *text)
{
    const struct stats *total = &outcome->total;
    const char *hint = outcome->direct_io_hint;
    unsigned long long cached = total->cached;
    unsigned long long requests = total->requests;
    const char *noun = request_noun(total->requests);
    const char *verb = units_plural(total->cached, "was", "were");

    if (hint && hint[0])
        snprintf(text, OUTCOME_TEXT,
                 "%llu of %llu %s %s answered from memory, not by the device; use %s "
                 "(direct I/O), or use -C to measure the cache",
                 cached, requests, noun, verb, hint);
    else
        snprintf(text, OUTCOME_TEXT,
                 "%llu of %llu %s %s answered from memory, not by the device; name "
                 "another file, or use -C to measure the cache",
                 cached, requests, noun, verb);

    return text;
}

/* Writes to TEXT, of OUTCOME_TEXT bytes, why none of the requests counted. NOT_WARMUP is
 * the number of requests that were no warm-up requests. */
static void
write_ignored(const struct outcome *outcome, uint64_t not_warmup, char *text)
{
    const struct stats *total = &outcome->total;
    const struct {
        uint64_t count;
        const char *why;
    } reasons[] = {
        {total->failed, "failed"},
        {total->cached, "came from memory"},
        {total->too_fast, "faster than -t"},
        {total->too_slow, "slower than -T"},
        {total->stopped, "in flight while stopped"},
        {outcome->is_recorded ? 0 : total->requests - not_warmup, "warm-up"},
    };
    const char *separator = ": ";
    int used;

    if (total->requests == 1)
        used = snprintf(text, OUTCOME_TEXT, "the only request did not count");
    else
        used = snprintf(text, OUTCOME_TEXT, "none of the %llu requests counted",
                        (unsigned long long)total->requests);
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].count == 0)
            continue;
        used += snprintf(text + used, OUTCOME_TEXT - (size_t)used, "%s%llu %s", separator,
                         (unsigned long long)reasons[i].count, reasons[i].why);
        separator = ", ";
    }
}

char *
outcome_nothing_text(const struct outcome *outcome, char *text)
{
    const struct stats *total = &outcome->total;
    uint64_t not_warmup = outcome_count_ignored(total);

    if (total->requests == 0)
        snprintf(text, OUTCOME_TEXT, "no request was sent");
    else if (not_warmup == 0 && outcome->is_diagnosed)
        snprintf(text, OUTCOME_TEXT,
                 "no request counted: all were warm-up; use a longer -w");
    else if (not_warmup == 0 && !outcome->is_recorded)
        snprintf(text, OUTCOME_TEXT,
                 "no request counted: all were warm-up; use -warmup 0 to count them");
    else
        write_ignored(outcome, not_warmup, text);

    return text;
}

/* Adds the numbers of failed and missed requests to NOTES. A summary in the format of
 * ioping 1.3 does not show them. If only one request failed, another remark has shown
 * it. */
static void
explain_counts(const struct outcome *outcome, struct notes *notes)
{
    const struct stats *total = &outcome->total;
    bool is_explained = outcome->failed_sample.index && total->failed == 1;

    if (total->failed > 0 && !is_explained)
        notes_add(notes, outcome->target_name, "%llu of %llu %s failed",
                  (unsigned long long)total->failed, (unsigned long long)total->requests,
                  request_noun(total->requests));
    if (total->missed && !total->corrected_interval)
        notes_add(notes, outcome->target_name,
                  "%llu %s missed: not sent in time, because earlier ones were still in "
                  "flight",
                  (unsigned long long)total->missed, request_noun(total->missed));
}

/* A remark is needed only if the requests that were split into parts are less than this
 * percentage of the requests that count. */
#define SPLIT_ENOUGH 95

/* If -breakdown could not split enough requests into parts, adds a remark to NOTES that
 * says why, as far as that is known. */
static void
explain_split(const struct outcome *outcome, struct notes *notes)
{
    const struct breakdown *breakdown = &outcome->total.breakdown;
    const struct {
        const char *before, *after;
        uint64_t count;
    } reasons[] = {
        {"", " reached no device", breakdown->no_device_io},
        {"records of ", " were not found", breakdown->lost},
        {"blocks of ", " were also in flight for other programs", breakdown->ambiguous}};
    uint64_t count = outcome->total.latency.count;
    uint64_t split = breakdown_count(breakdown);
    char why[200] = "";

    if ((double)split * 100 >= (double)count * SPLIT_ENOUGH)
        return;
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        size_t used = strlen(why);
        const char *separator = used > 0 ? "," : ":";
        if (reasons[i].count)
            snprintf(why + used, sizeof(why) - used, "%s %s%llu%s", separator,
                     reasons[i].before, (unsigned long long)reasons[i].count,
                     reasons[i].after);
    }
    notes_add(notes, outcome->target_name, "only %llu of %llu %s could be split%s",
              (unsigned long long)split, (unsigned long long)count, request_noun(count),
              why);
}

/* Returns true if it is unknown whether a limit was met, for a reason that more requests
 * cannot change. */
static bool
has_unknowable_limit(const struct outcome *outcome)
{
    if (!outcome->slos)
        return false;
    for (int i = 0; i < outcome->slos->count; i++)
        if (slo_answer(&outcome->slos->list[i], &outcome->total).reason)
            return true;

    return false;
}

/* Adds to NOTES what went wrong with the steps of a sweep: a step was too short, no
 * request completed in it, or too few requests count. */
static void
explain_steps(const struct outcome *outcome, struct notes *notes)
{
    char what[512] = "-sweep";
    char text[UNITS_TEXT];

    if (outcome->target_name)
        snprintf(what, sizeof(what), "%.490s: -sweep", outcome->target_name);

    if (outcome->early_step)
        notes_add(notes, what,
                  "ended at %s: fewer than one request per worker completed in that "
                  "step; use a longer -w",
                  units_format(UNITS_SIZE, outcome->early_step, text));
    const char *name = sweep_kinds[outcome->sweep_kind].name;
    if (outcome->empty_step && outcome->sweep_kind == SWEEP_RATE)
        notes_add(notes, what,
                  "no request completed in the step %s=%s; start with a lower rate", name,
                  sweep_format(outcome->sweep_kind, outcome->empty_step, text));
    else if (outcome->empty_step)
        notes_add(notes, what, "no request completed in the step %s=%s; use a longer -w",
                  name, sweep_format(outcome->sweep_kind, outcome->empty_step, text));

    bool was_interrupted = outcome->sweep_kind && outcome->was_interrupted;
    if (was_interrupted && !outcome->limits_printed && !outcome->is_diagnosed)
        notes_add(notes, what, "interrupted; the results are of the steps so far");
    if (outcome->rates_given_up)
        notes_add(notes, what,
                  "ended after %d rates: too many missed the limits at first and met "
                  "them when tried again; repeat when the target is less busy",
                  outcome->rates_given_up);
    if (outcome->undecided_step && outcome->undecided_step != outcome->empty_step &&
        !has_unknowable_limit(outcome) && !has_only_cached(outcome))
        notes_add(notes, what,
                  "too few requests count at %s %s to check the limits; "
                  "use a longer -w",
                  name, sweep_format(outcome->sweep_kind, outcome->undecided_step, text));
}

/* Adds a remark to NOTES if no step of a sweep met the limits. */
static void
explain_sweep_limits(const struct outcome *outcome, struct notes *notes)
{
    struct buffer limits = {0};
    const char *highest = outcome->verdict == SLO_UNKNOWN ? "UNKNOWN" : "none";

    if (outcome->limits_printed || meets_limits(outcome))
        return;
    slos_print(outcome->slos, &limits);
    notes_add(notes, outcome->target_name, "%s with %s: %s",
              sweep_kinds[outcome->sweep_kind].highest,
              limits.failed ? "the limits" : limits.text, highest);
    buffer_free(&limits);
}

/* Fills the answers to the limits, and adds remarks to NOTES about limits that were not
 * met. */
static void
explain_limits(struct outcome *outcome, struct notes *notes)
{
    const struct slos *slos = outcome->slos;
    const struct slos *warnings = outcome->warnings;

    outcome->is_explained = true;
    if (warnings)
        for (int i = 0; i < warnings->count; i++) {
            struct slo_answer answer = answer_limit(outcome, &warnings->list[i]);
            explain_limit(outcome, &warnings->list[i], &answer, notes);
        }

    if (outcome->sweep_kind) {
        explain_sweep_limits(outcome, notes);
        return;
    }
    if (!slos)
        return;
    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        outcome->answers[i] = answer_limit(outcome, slo);
        if (!outcome->limits_printed)
            explain_limit(outcome, slo, &outcome->answers[i], notes);
    }
}

/* Adds to NOTES that requests of abandoned workers were never answered. */
static void
explain_waiting(const struct outcome *outcome, struct notes *notes)
{
    char waited[UNITS_TEXT];

    units_format(UNITS_TIME, outcome->waiting_age, waited);
    if (outcome->abandoned_requests > 1)
        notes_add(notes, outcome->target_name, "%d requests still waiting after %s",
                  outcome->abandoned_requests, waited);
    else
        notes_add(notes, outcome->target_name, "1 request still waiting after %s",
                  waited);
}

void
outcome_explain(struct outcome *outcome, struct notes *notes)
{
    const struct stats *total = &outcome->total;
    char text[OUTCOME_TEXT];

    if (outcome->failed_sample.index && !outcome->failure_notified)
        notes_add(notes, outcome->target_name, "%s",
                  outcome_failure_text(&outcome->failed_sample, text));
    if (outcome->waiting_age)
        explain_waiting(outcome, notes);

    if (total->cached)
        notes_add(notes, outcome->target_name, "%s", outcome_cached_text(outcome, text));
    if (total->from_memory)
        notes_add(notes, outcome->target_name,
                  "at least %llu of the %llu %s %s answered from memory, not by the "
                  "device: the times mix both",
                  (unsigned long long)total->from_memory,
                  (unsigned long long)total->latency.count,
                  units_plural(total->latency.count, "request that counts",
                               "requests that count"),
                  units_plural(total->from_memory, "was", "were"));

    if (outcome->hole_percent > 0)
        notes_add(notes, outcome->target_name,
                  "%.3g %% of the working set turned into holes during the run: reading "
                  "them touches no device",
                  outcome->hole_percent);

    if (total->stopped)
        notes_add(notes, outcome->target_name,
                  "%llu of %llu %s %s in flight while the program was stopped or frozen: "
                  "%s not count",
                  (unsigned long long)total->stopped, (unsigned long long)total->requests,
                  request_noun(total->requests),
                  units_plural(total->stopped, "was", "were"),
                  units_plural(total->stopped, "it does", "they do"));

    if (total->late_count)
        notes_add(notes, outcome->target_name,
                  "%llu of %llu %s %s in flight while ioping itself could not run for a "
                  "second or more: %s, but a busy or paused machine, or a freeze, may "
                  "have added to %s",
                  (unsigned long long)total->late_count,
                  (unsigned long long)total->requests, request_noun(total->requests),
                  units_plural(total->late_count, "was", "were"),
                  units_plural(total->late_count, "it counts", "they count"),
                  units_plural(total->late_count, "its time", "their times"));

    if (outcome->has_breakdown)
        explain_split(outcome, notes);
    if (outcome->legacy_summary)
        explain_counts(outcome, notes);
    explain_steps(outcome, notes);
    explain_limits(outcome, notes);

    bool is_unsent_part = outcome->is_diagnosed && total->requests == 0;
    if (total->latency.count == 0 && !has_failed(outcome) && !outcome->sweep_kind &&
        !is_unsent_part)
        notes_add(notes, outcome->target_name, "%s", outcome_nothing_text(outcome, text));
}
