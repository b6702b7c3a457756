/*
 * From the outcome of a job to the exit status, and to the remarks that explain it on
 * stderr.
 *
 * Exit status: a failure, or nothing but requests that memory answered, is EXIT_RUNTIME;
 * otherwise a limit that is not met is EXIT_LIMIT; otherwise EXIT_DONE.
 *
 * How certain an answer is: slo_answer compares a figure with its limit as if all
 * requests were independent. Latencies are not, so answer_limit also looks at the series
 * of requests. From their autocorrelation it estimates an interval in which the
 * percentile lies, and the place of the limit decides:
 *
 *     ns   -----------[low ....... percentile ....... high]----------->
 *           limit here: FAIL  |  limit here: so far  |  limit here: OK
 *
 * "So far" is followed by advice: how many requests, or how long a run, would move the
 * limit out of the interval.
 */
#include "run/outcome.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/units.h"
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
    if (outcome->sweep_kind && outcome->slos && outcome->slos->count)
        return outcome->verdict == SLO_MET;
    for (int i = 0; outcome->slos && i < outcome->slos->count; i++) {
        const struct slo *slo = &outcome->slos->list[i];
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

/* Returns whether no request counts because memory answered the requests. */
static bool
has_only_cached(const struct outcome *outcome)
{
    const struct stats *total = &outcome->total;
    return total->cached && !total->latency.count && !total->too_fast && !total->too_slow;
}

int
outcome_status(const struct outcome *outcome)
{
    if (has_failed(outcome) || has_only_cached(outcome))
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

#define TAIL 0.05 /* chance that a percentile lies below its interval, or above it */

/* Returns whether the series of OUTCOME tells how much the requests of SLO depend on each
 * other. It does so only for a percentile of all requests, which is not corrected. */
static bool
has_dependence(const struct outcome *outcome, const struct slo *slo)
{
    return outcome->series && slo->metric == SLO_PERCENTILE && slo->scope == SCOPE_ALL &&
           !slo->is_relative && !outcome_stats(outcome, slo)->corrected_interval;
}

/*
 * Marks ANSWER as uncertain if the limit of SLO lies between the bounds of ESTIMATE,
 * since more requests of the same kind might change the answer. If no interval can be
 * computed because the requests depend on each other too much, marks it as dependent: in
 * a recorded run always, otherwise if the limit lies within the narrowest interval that
 * is possible.
 */
static void
mark_uncertain(const struct outcome *outcome, const struct slo *slo,
               const struct estimate *estimate, struct slo_answer *answer)
{
    struct interval interval = estimate_interval(estimate, TAIL);
    bool is_open = isinf(interval.high);
    bool is_within = interval.low <= (double)slo->limit &&
                     interval.high > (double)slo->limit &&
                     outcome->series->count >= DEPENDENCE_LEAST;
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

#define LIMIT_MOST 9e18 /* ns: roughly the largest int64_t */

/*
 * Sets how many values would make ANSWER certain, if that can be computed:
 *
 *     number of independent values (advice_requests) * autocorrelation time, in requests
 *
 * The drift of ESTIMATE widens the interval, so the limit is moved towards the figure by
 * the same factor first. ESTIMATE is NULL if nobody knows how much the requests of SLO
 * depend on each other.
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
    if (estimate && estimate->entry_count >= DEPENDENCE_LEAST) {
        if (!estimate->dependence.is_known)
            return;
        time = estimate->dependence.autocorrelation_time;
        wider = estimate_widening(estimate);
        limit = fails ? fmin(limit * wider, LIMIT_MOST) : limit / wider;
    }

    uint64_t independent =
        advice_requests(&slo->percentile, &latencies, (int64_t)limit, fails);
    if (independent > 0) {
        double needs = ceil((double)independent * time);
        answer->samples_for_certainty = (uint64_t)fmax(needs, (double)answer->count + 1);
    } else if (answer->verdict != SLO_UNKNOWN && wider <= 1)
        answer->is_close = true;
}

/* Returns the answer to the limit SLO of OUTCOME: whether it is certain, and if not, how
 * many requests would make it certain. */
static struct slo_answer
answer_limit(const struct outcome *outcome, const struct slo *slo)
{
    const struct stats *stats = outcome_stats(outcome, slo);
    struct slo_answer answer = slo_answer(slo, stats);
    struct estimate estimate;
    bool has_estimate =
        has_dependence(outcome, slo) &&
        estimate_make(&estimate, stats, outcome->series, &slo->percentile) == 0;

    if (has_estimate && answer.verdict != SLO_UNKNOWN)
        mark_uncertain(outcome, slo, &estimate, &answer);
    if (!answer.is_certain && !answer.reason)
        compute_advice(outcome, slo, has_estimate ? &estimate : NULL, &answer);

    return answer;
}

/* Writes VALUE, a figure for SLO, to TEXT of UNITS_TEXT bytes. If VALUE is not the limit
 * but looks like it when rounded, all digits are written. */
static void
format_value(const struct slo *slo, int64_t value, char *text)
{
    char limit[UNITS_TEXT];
    const char *unit = " ns";
    if (slo->metric == SLO_IOPS)
        unit = "";
    if (slo->metric == SLO_BPS)
        unit = " B/s";

    slo_format(slo, value, text);
    slo_format(slo, slo->limit, limit);
    if (strcmp(text, limit) == 0 && value != slo->limit)
        snprintf(text, UNITS_TEXT, "%lld%s", (long long)value, unit);
}

/* Returns "request" or "requests", as fits COUNT. */
static const char *
request_noun(uint64_t count)
{
    return units_plural(count, "request", "requests");
}

/*
 * Returns how many requests a run has to send so that as many values count as ANSWER
 * needs:
 *
 *     values needed * (requests - warm-up) / requests that count + warm-up
 *
 * So the same share of requests as in this run is expected not to count.
 */
static double
requests_for(const struct outcome *outcome, const struct slo_answer *answer)
{
    const struct stats *total = &outcome->total;
    uint64_t ignored = total->failed + total->cached + total->too_fast + total->too_slow +
                       total->stopped;
    uint64_t warmup = total->requests - total->latency.count - ignored;
    double needs = (double)answer->samples_for_certainty;

    if (answer->count == 0)
        return needs + (double)total->requests;
    return ceil(needs * (double)(total->requests - warmup) / (double)answer->count) +
           (double)warmup;
}

#define SECONDS_MOST 1e9 /* the longest duration that is advised */

/* Returns how long a run with -w has to last to send REQUESTS at the rate of this run,
 * which has sent at least one request: whole seconds, in ns. */
static int64_t
time_for(const struct outcome *outcome, double requests)
{
    double ns = (double)outcome->work_time * requests / (double)outcome->total.requests;
    return (int64_t)fmin(ceil(ns / SECOND), SECONDS_MOST) * SECOND;
}

/* Adds advice on how to make ANSWER certain: a number of requests or a duration if
 * known, else a longer run. */
static void
add_advice(struct buffer *text, const struct outcome *outcome,
           const struct slo_answer *answer)
{
    char time[UNITS_TEXT];
    bool is_known = answer->samples_for_certainty > 0 && !outcome->phases;
    double requests = is_known ? requests_for(outcome, answer) : 0;
    if (answer->is_close) {
        buffer_text(text, "too close to call");
        if (answer->count >= ADVICE_MOST)
            return;
        buffer_text(text, "; ");
    }

    if (outcome->is_recorded && is_known)
        buffer_format(text, "record a run of %.0f requests", requests);
    else if (outcome->is_recorded)
        buffer_text(text, "record a longer run");
    else if (is_known && !outcome->work_time)
        buffer_format(text, "use -c %.0f", requests);
    else if (is_known && outcome->total.requests > 1) /* a single request has no rate */
        buffer_format(text, "use -w %s",
                      units_exact(UNITS_TIME, time_for(outcome, requests), time));
    else
        buffer_text(text, "run longer");
}

/* Adds why ANSWER is unknown, and what helps. */
static void
add_unknown(struct buffer *text, const struct outcome *outcome, const struct slo *slo,
            const struct slo_answer *answer)
{
    const char *noun = request_noun(answer->count);

    if (slo_is_of_operation(slo)) {
        const struct operation_row *operation = &operations[scope_operation(slo->scope)];
        noun = units_plural(answer->count, operation->word, operation->noun);
    }
    if (answer->reason) {
        buffer_format(text, "%s; %s", answer->reason, answer->remedy);
        return;
    }
    bool split = slo->scope > SCOPE_SYNC;
    const char *verb = units_plural(answer->count, "counts", "count");
    buffer_format(
        text, "%llu %s %s, and it takes %llu", (unsigned long long)answer->count, noun,
        split ? "could be split" : verb, (unsigned long long)answer->min_samples);
    if (split && answer->count == 0)
        return; /* more requests would not help; another remark says why */
    buffer_text(text, "; ");
    add_advice(text, outcome, answer);
}

/* Adds why ANSWER, which is known, is not certain. */
static void
add_uncertainty(struct buffer *text, const struct slo *slo,
                const struct slo_answer *answer)
{
    char name[SLO_NAME];
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
add_answer(struct buffer *text, const struct outcome *outcome, const struct slo *slo,
           const struct slo_answer *answer)
{
    char name[SLO_NAME];
    char limit[UNITS_TEXT];
    char value[UNITS_TEXT];
    bool corrected = slo->metric == SLO_PERCENTILE &&
                     latencies_of(outcome_stats(outcome, slo), slo->scope).is_corrected;
    const char *sign = slo_is_rate(slo) ? ">" : "<";

    buffer_format(text, "%s%s %s %s: ", slo_label(slo, name),
                  corrected ? " (corrected)" : "", sign,
                  slo_format(slo, slo->limit, limit));
    if (answer->verdict == SLO_UNKNOWN) {
        buffer_text(text, "UNKNOWN: ");
        add_unknown(text, outcome, slo, answer);
        return;
    }
    format_value(slo, answer->value, value);
    buffer_format(text, "%s%s (%s)", slo_verdict_name(answer->verdict),
                  answer->is_certain ? "" : " so far", value);
    if (!answer->is_certain) {
        buffer_text(text, "; ");
        add_uncertainty(text, slo, answer);
        buffer_text(text, ", ");
        add_advice(text, outcome, answer);
    }
}

static void
explain_limit(const struct outcome *outcome, const struct slo *slo,
              const struct slo_answer *answer, struct notes *notes)
{
    struct buffer text = {0};
    bool bounded = answer->high && answer->high != INT64_MAX;
    bool doubtful = outcome->is_recorded ? answer->is_dependent || answer->high : bounded;

    if (answer->verdict == SLO_MET && !doubtful)
        return;
    add_answer(&text, outcome, slo, answer);
    if (!text.failed)
        notes_add(notes, outcome->target, "%s", text.text);
    buffer_free(&text);
}

void
outcome_limits(const struct outcome *outcome, const char *target, struct buffer *text)
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
        add_answer(text, outcome, slo, &outcome->answers[i]);
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

/* The hint on direct I/O was tried when the target was opened. Without a hint -C always
 * works. */
char *
outcome_cached_text(const struct outcome *outcome, char *text)
{
    const struct stats *total = &outcome->total;
    bool shaped = outcome->direct_io_hint && outcome->direct_io_hint[0];

    snprintf(text, OUTCOME_TEXT,
             "%llu of %llu %s %s answered from memory, not by the device; "
             "%s%s%s, or use -C to measure the cache",
             (unsigned long long)total->cached, (unsigned long long)total->requests,
             request_noun(total->requests), units_plural(total->cached, "was", "were"),
             shaped ? "use " : "name another file", shaped ? outcome->direct_io_hint : "",
             shaped ? " (direct I/O)" : "");

    return text;
}

/* Writes why none of the requests counted to TEXT of OUTCOME_TEXT bytes. */
static void
name_ignored(const struct outcome *outcome, char *text)
{
    const struct stats *total = &outcome->total;
    uint64_t others = total->cached + total->failed + total->too_fast + total->too_slow +
                      total->stopped;
    const struct {
        uint64_t count;
        const char *why;
    } reasons[] = {
        {total->failed, "failed"},
        {total->cached, "came from memory"},
        {total->too_fast, "faster than -t"},
        {total->too_slow, "slower than -T"},
        {total->stopped, "in flight while stopped"},
        {outcome->is_recorded ? 0 : total->requests - others, "warm-up"},
    };
    const char *joint = ": ";
    int used;

    if (total->requests == 1)
        used = snprintf(text, OUTCOME_TEXT, "the only request did not count");
    else
        used = snprintf(text, OUTCOME_TEXT, "none of the %llu requests counted",
                        (unsigned long long)total->requests);
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].count == 0)
            continue;
        used += snprintf(text + used, OUTCOME_TEXT - (size_t)used, "%s%llu %s", joint,
                         (unsigned long long)reasons[i].count, reasons[i].why);
        joint = ", ";
    }
}

char *
outcome_nothing_text(const struct outcome *outcome, char *text)
{
    const struct stats *total = &outcome->total;
    uint64_t others = total->cached + total->failed + total->too_fast + total->too_slow +
                      total->stopped;

    if (total->requests == 0)
        snprintf(text, OUTCOME_TEXT, "no request was sent");
    else if (others == 0 && !outcome->is_recorded)
        snprintf(text, OUTCOME_TEXT,
                 "no request counted: all were warm-up; use -warmup 0 to count them");
    else
        name_ignored(outcome, text);

    return text;
}

/* Explains the counts that a summary for a terminal shows before "generated" and that
 * the summary of ioping 1.3 lacks, unless another remark explains them. */
static void
explain_counts(const struct outcome *outcome, struct notes *notes)
{
    const struct stats *total = &outcome->total;

    if (total->failed > (outcome->failed_sample.index ? 1 : 0))
        notes_add(notes, outcome->target, "%llu of %llu %s failed",
                  (unsigned long long)total->failed, (unsigned long long)total->requests,
                  request_noun(total->requests));
    if (total->missed && !total->corrected_interval)
        notes_add(notes, outcome->target,
                  "%llu %s missed: not sent in time, because earlier ones were still in "
                  "flight",
                  (unsigned long long)total->missed, request_noun(total->missed));
}

/* There is no remark if at least this many percent of the requests that count were split.
 */
#define SPLIT_ENOUGH 95

/* If few requests could be split, explains why, as far as that is known. */
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
    uint64_t all = outcome->total.latency.count;
    uint64_t split = breakdown_count(breakdown);
    char why[200] = "";

    if ((double)split * 100 >= (double)all * SPLIT_ENOUGH)
        return;
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        size_t used = strlen(why);
        if (reasons[i].count)
            snprintf(why + used, sizeof(why) - used, "%s %s%llu%s", used ? "," : ":",
                     reasons[i].before, (unsigned long long)reasons[i].count,
                     reasons[i].after);
    }
    notes_add(notes, outcome->target, "only %llu of %llu %s could be split%s",
              (unsigned long long)split, (unsigned long long)all, request_noun(all), why);
}

/* Returns whether a limit is unknown for a reason that more requests cannot change. */
static bool
has_unknowable_limit(const struct outcome *outcome)
{
    for (int i = 0; outcome->slos && i < outcome->slos->count; i++)
        if (slo_answer(&outcome->slos->list[i], &outcome->total).reason)
            return true;
    return false;
}

/* Explains what went wrong with steps of a sweep: too short, without a request, or
 * undecided. */
static void
explain_steps(const struct outcome *outcome, struct notes *notes)
{
    char what[512] = "-sweep";
    char text[UNITS_TEXT];

    if (outcome->target)
        snprintf(what, sizeof(what), "%.490s: -sweep", outcome->target);

    if (outcome->early_step)
        notes_add(notes, what,
                  "ended at %s: fewer than one request per worker completed in that "
                  "step; use a longer -w",
                  units_format(UNITS_SIZE, outcome->early_step, text));
    if (outcome->empty_step)
        notes_add(notes, what, "no request completed in the step %s=%s; %s",
                  sweep_kinds[outcome->sweep_kind].name,
                  sweep_format(outcome->sweep_kind, outcome->empty_step, text),
                  outcome->sweep_kind == SWEEP_RATE ? "start with a lower rate"
                                                    : "use a longer -w");

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
                  sweep_kinds[outcome->sweep_kind].name,
                  sweep_format(outcome->sweep_kind, outcome->undecided_step, text));
}

/* Fills the answers to the limits, and explains the limits that are not met. */
static void
explain_limits(struct outcome *outcome, struct notes *notes)
{
    const struct slos *slos = outcome->slos;
    const struct slos *warnings = outcome->warnings;

    outcome->is_explained = true;
    for (int i = 0; warnings && i < warnings->count; i++) {
        const struct slo *slo = &warnings->list[i];
        struct slo_answer answer = answer_limit(outcome, slo);
        explain_limit(outcome, slo, &answer, notes);
    }

    if (outcome->sweep_kind && !outcome->limits_printed && !meets_limits(outcome)) {
        struct buffer limits = {0};
        slos_print(slos, &limits);
        notes_add(notes, outcome->target, "%s with %s: %s",
                  sweep_kinds[outcome->sweep_kind].highest,
                  limits.failed ? "the limits" : limits.text,
                  outcome->verdict == SLO_UNKNOWN ? "UNKNOWN" : "none");
        buffer_free(&limits);
    }

    for (int i = 0; !outcome->sweep_kind && slos && i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        outcome->answers[i] = answer_limit(outcome, slo);
        if (!outcome->limits_printed)
            explain_limit(outcome, slo, &outcome->answers[i], notes);
    }
}

void
outcome_explain(struct outcome *outcome, struct notes *notes)
{
    const struct stats *total = &outcome->total;
    char text[OUTCOME_TEXT];
    char waited[UNITS_TEXT];

    if (outcome->failed_sample.index && !outcome->failure_notified)
        notes_add(notes, outcome->target, "%s",
                  outcome_failure_text(&outcome->failed_sample, text));
    if (outcome->waiting_age)
        notes_add(notes, outcome->target, "%d request%s still waiting after %s",
                  outcome->abandoned_requests > 1 ? outcome->abandoned_requests : 1,
                  outcome->abandoned_requests > 1 ? "s" : "",
                  units_format(UNITS_TIME, outcome->waiting_age, waited));

    if (total->cached)
        notes_add(notes, outcome->target, "%s", outcome_cached_text(outcome, text));
    if (total->from_memory)
        notes_add(notes, outcome->target,
                  "at least %llu of the %llu %s %s answered from memory, not by the "
                  "device: the times mix both",
                  (unsigned long long)total->from_memory,
                  (unsigned long long)total->latency.count,
                  units_plural(total->latency.count, "request that counts",
                               "requests that count"),
                  units_plural(total->from_memory, "was", "were"));

    if (outcome->hole_percent > 0)
        notes_add(notes, outcome->target,
                  "%.3g %% of the working set turned into holes during the run: reading "
                  "them touches no device",
                  outcome->hole_percent);

    if (total->stopped)
        notes_add(notes, outcome->target,
                  "%llu of %llu %s %s in flight while the program was stopped or frozen: "
                  "%s not count",
                  (unsigned long long)total->stopped, (unsigned long long)total->requests,
                  request_noun(total->requests),
                  units_plural(total->stopped, "was", "were"),
                  units_plural(total->stopped, "it does", "they do"));

    if (total->late_count)
        notes_add(notes, outcome->target,
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

    if (total->latency.count == 0 && !has_failed(outcome) && !outcome->sweep_kind)
        notes_add(notes, outcome->target, "%s", outcome_nothing_text(outcome, text));
}
