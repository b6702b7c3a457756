/*
 * Service level objectives: reading limits from options, and comparing them with the
 * statistics. The statistics are the same that reports show, so a report never
 * contradicts the verdict beside it.
 *
 * A limit on a percentile is a question about the true percentile. The number of values
 * above the limit answers it: if the limit is the true percentile, that number has a
 * binomial distribution (binomial.h). The answer is certain if the other answer
 * would make such a number happen in less than 5 % of runs. run/outcome.c additionally
 * allows for requests that depend on each other.
 */
#include "stats/slo.h"

#include "base/buffer.h"
#include "base/units.h"
#include "binomial.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>

static const char *const metrics[] = {
    [SLO_MIN] = "min",   [SLO_AVG] = "avg",   [SLO_MAX] = "max",
    [SLO_MDEV] = "mdev", [SLO_IOPS] = "iops", [SLO_BPS] = "bps",
};

const char *
phase_name(enum phase phase)
{
    static const char *const names[PHASES] = {[PHASE_IDLE] = "idle",
                                              [PHASE_LOADED] = "loaded",
                                              [PHASE_RECOVERED] = "recovered"};
    return names[phase];
}

const char *
phase_label(enum phase phase)
{
    return phase == PHASE_LOADED ? "under load" : phase_name(phase);
}

/* Removes NAME and a dash from the front of *TEXT, which has *LENGTH bytes. Returns false
 * if *TEXT does not begin with them. */
static bool
take(const char **text, int *length, const char *name)
{
    int end = (int)strlen(name);
    if (*length <= end || memcmp(*text, name, (size_t)end) != 0 || (*text)[end] != '-')
        return false;
    *length -= end + 1;
    *text += end + 1;
    return true;
}

/* Returns whether the LENGTH bytes at TEXT are NAME. */
static bool
is_name(const char *text, int length, const char *name)
{
    return (int)strlen(name) == length && memcmp(text, name, (size_t)length) == 0;
}

/* Reads a relative limit from TEXT: a sign, up to nine digits, optionally a point and up
 * to four digits, and a percent sign. Returns NULL, or the reason why it is refused. */
static const char *
parse_relative(const char *text, struct slo *slo)
{
    int64_t unit = SLO_WHOLE / 100;
    int64_t value = 0;
    const char *digit = text + 1;
    slo->is_relative = true;
    if (slo->metric != SLO_PERCENTILE || slo->scope != SCOPE_ALL || slo->phase)
        return "only a percentile of all requests can be relative, as in p99=+10%";

    for (; is_digit(*digit) && digit < text + 10; digit++)
        value = value * 10 + (*digit - '0') * unit;
    bool decimals = digit > text + 1 && digit[0] == '.' && is_digit(digit[1]);
    for (digit += decimals; decimals && is_digit(*digit) && unit > 1; digit++)
        value += (*digit - '0') * (unit /= 10);
    if (digit == text + 1 || strcmp(digit, "%") != 0)
        return "not a percentage such as +10% or -2.5%";

    slo->limit = *text == '-' ? -value : value;
    return slo->limit > -SLO_WHOLE ? NULL : "must be above -100 %";
}

/* Returns the kind of unit of the limit, which must not be relative. */
static enum units_kind
unit_of(const struct slo *slo)
{
    return slo->metric == SLO_IOPS  ? UNITS_COUNT
           : slo->metric == SLO_BPS ? UNITS_SIZE
                                    : UNITS_TIME;
}

/* Copies TEXT without its blanks into COPY of SIZE bytes. A blank between two digits
 * stays, so that "1 0" is refused and not read as 10. Returns false if COPY is too small.
 */
static bool
copy_without_blanks(const char *text, char *copy, size_t size)
{
    size_t length = 0;
    for (const char *at = text; *at; at++) {
        const char *next = at + strspn(at, " ");
        bool between_digits = length > 0 && is_digit(copy[length - 1]) && is_digit(*next);
        if (*at == ' ' && !between_digits)
            continue;
        if (length + 1 >= size)
            return false;
        copy[length++] = *at;
    }

    copy[length] = '\0';
    return true;
}

/* Returns the text after the sign at the front of TEXT, which separates name and limit:
 * "=", or the sign that SLO is printed with. Returns NULL if there is no such sign. */
static char *
skip_sign(const struct slo *slo, char *text)
{
    char sign = slo_is_rate(slo) ? '>' : '<';
    if (text[0] == '=')
        return text + 1;
    if (text[0] != sign)
        return NULL;
    return text[1] == '=' ? text + 2 : text + 1;
}

/* Reads phase, scope and metric of SLO from the LENGTH bytes at NAME, such as
 * "loaded-read-p99". Returns NULL, or the reason why the name is refused. */
static const char *
parse_name(const char *name, int length, struct slo *slo)
{
    for (enum phase phase = PHASE_IDLE; phase < PHASES && !slo->phase; phase++)
        if (take(&name, &length, phase_name(phase)))
            slo->phase = phase;
    for (enum scope scope = SCOPE_OPERATION; scope < SCOPE_SYNC_DEVICE && !slo->scope;
         scope++)
        if (take(&name, &length, scope_name(scope)))
            slo->scope = scope;

    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
        if (is_name(name, length, metrics[i])) {
            slo->metric = (enum slo_metric)i;
            return NULL;
        }
    if (is_name(name, length, "bw")) { /* the word of fio */
        slo->metric = SLO_BPS;
        return NULL;
    }
    slo->metric = SLO_PERCENTILE;
    if (length < 2 || name[0] != 'p' ||
        percentile_parse(name + 1, length - 1, &slo->percentile) != NULL)
        return "unknown figure; use min, avg, max, mdev, iops, bps or a percentile such "
               "as p99";
    return NULL;
}

/* Reads the LIMIT of SLO, whose name was read before. Cuts "/s" off the LIMIT of a
 * bandwidth. Returns NULL, or the reason why it is refused, perhaps stored in LIST. */
static const char *
parse_limit(char *limit, struct slo *slo, struct slos *list)
{
    size_t length = strlen(limit);
    char last = length > 0 ? limit[length - 1] : '\0';
    if (limit[0] == '+' || (limit[0] == '-' && last == '%'))
        return parse_relative(limit, slo);

    if (slo->metric == SLO_BPS && length > 2 && strcmp(limit + length - 2, "/s") == 0)
        limit[length - 2] = '\0';
    enum units_kind unit = unit_of(slo);
    const char *wrong = units_parse(unit, limit, &slo->limit);
    bool has_unit = !is_digit(last) && last != '.';
    if (wrong || unit != UNITS_TIME || has_unit || slo->limit == 0)
        return wrong;

    char name[SLO_NAME];
    slo_name(slo, name);
    snprintf(list->refused, sizeof(list->refused),
             "%.12s what? write %.28s=%.12sms or %.28s=%.12ss", limit, name, limit, name,
             limit);
    return list->refused;
}

const char *
slos_add(struct slos *list, const char *text)
{
    struct slo slo = {0};
    char copy[96] = {0};
    if (list->count == SLOS_MOST)
        return "there can be at most 16 limits";
    if (!copy_without_blanks(text, copy, sizeof(copy)))
        return "too long";

    int length = (int)strcspn(copy, "=<>");
    const char *wrong = parse_name(copy, length, &slo);
    if (wrong)
        return wrong;
    if (slo.scope != SCOPE_ALL && slo_is_rate(&slo))
        return scope_is_part(slo.scope) ? "a part of the time has no rate"
                                        : "a rate counts reads and writes together";
    if (copy[length] == '\0')
        return "a limit is missing, as in p99=10ms";
    char *limit = skip_sign(&slo, copy + length);
    if (!limit)
        return slo_is_rate(&slo) ? "a rate can have a lower limit only, as in iops>1k"
                                 : "a time can have an upper limit only, as in p99<10ms";

    wrong = parse_limit(limit, &slo, list);
    const char *comma = strchr(limit, ',');
    if (wrong && comma && strpbrk(comma, "=<>"))
        return "one limit at a time; give the option again for each other";
    if (!wrong)
        list->list[list->count++] = slo;
    return wrong;
}

void
slos_list(struct buffer *text)
{
    static const enum scope common[] = {SCOPE_DEVICE, SCOPE_QUEUE, SCOPE_SYNC};
    for (int i = 0; i < percentiles_default.count; i++)
        buffer_format(text, "p%s=\n", percentiles_default.list[i].name);
    for (int i = SLO_MIN; i < SLO_PERCENTILE; i++)
        buffer_format(text, "%s=\n", metrics[i]);
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        buffer_format(text, "%s-p99=\n", scope_name(common[i]));
    for (enum scope scope = SCOPE_OPERATION; scope_is_operation(scope); scope++)
        buffer_format(text, "%s-p99=\n", scope_name(scope));
    buffer_format(text, "%s-p99=\n%s-p99=\n", phase_name(PHASE_IDLE),
                  phase_name(PHASE_LOADED));
}

/* Returns the figure that SLO limits, in the unit of the limit. */
static int64_t
measure(const struct slo *slo, const struct stats *stats)
{
    const struct latencies latencies = latencies_of(stats, slo->scope);
    const struct moments *latency = latencies.moments;
    return slo->metric == SLO_MIN    ? latency->min
           : slo->metric == SLO_AVG  ? moments_average(latency)
           : slo->metric == SLO_MAX  ? latency->max
           : slo->metric == SLO_MDEV ? moments_deviation(latency)
           : slo->metric == SLO_IOPS ? (int64_t)stats_iops(stats)
           : slo->metric == SLO_BPS  ? (int64_t)stats_bps(stats)
                                     : latencies_percentile(&latencies, &slo->percentile);
}

#define TAIL 0.05 /* an outcome less likely than this is not believed to be chance */

/* Returns whether a limit is certain to be BROKEN, or else certain to be met. ABOVE of
 * COUNT values are above the limit of PERCENTILE. The answer is certain if, were the
 * opposite true, at least (or at most) ABOVE values would be above the limit with a
 * chance of at most TAIL. */
static bool
is_certain(const struct percentile *percentile, uint64_t count, uint64_t above,
           bool broken)
{
    uint64_t upto = count - above;
    if (broken)
        return binomial_chance(percentile, count, upto) < TAIL;
    return upto > 0 && binomial_chance(percentile, count, upto - 1) >= 1 - TAIL;
}

/* Returns whether SLO is about requests that may be reads. */
static bool
concerns_reads(const struct slo *slo)
{
    if (slo_is_of_operation(slo))
        return operations[scope_operation(slo->scope)].flags & OPERATION_READS;
    return slo->scope == SCOPE_ALL;
}

/* Waits added by -corrected are not independent values. So certainty is judged by the
 * requests alone. */
struct slo_answer
slo_answer(const struct slo *slo, const struct stats *stats)
{
    const struct percentile *rank = &slo->percentile;
    const struct latencies latencies = latencies_of(stats, slo->scope);
    bool ranked = slo->metric == SLO_PERCENTILE;
    uint64_t count = latencies.moments->count;
    struct slo_answer answer = {.value = count ? measure(slo, stats) : 0,
                                .count = count,
                                .min_samples = ranked ? percentile_needs(rank) : 1,
                                .is_certain = true};
    if (slo->is_relative)
        return answer;

    if (slo->scope == SCOPE_SYNC && stats->flushes_ignored) {
        answer.verdict = SLO_UNKNOWN;
        answer.is_certain = false;
        answer.reason = "no flush reached the device";
        answer.remedy = "measure a target that passes flushes on";
        return answer;
    }

    bool broken =
        slo_is_rate(slo) ? answer.value < slo->limit : answer.value > slo->limit;
    uint64_t above = ranked ? latencies_above(&latencies, slo->limit) : 0;
    bool refuted = ranked && count > 0 && is_certain(rank, count, above, true);
    if (count == 0 || (count < answer.min_samples && !refuted)) {
        answer.verdict = SLO_UNKNOWN;
        answer.samples_for_certainty = answer.min_samples;
        answer.is_certain = false;
        return answer;
    }

    answer.verdict = broken ? SLO_BROKEN : SLO_MET;
    if (ranked)
        answer.is_certain = broken ? refuted : is_certain(rank, count, above, false);
    if (!broken && stats->from_memory > 0 && concerns_reads(slo)) {
        answer.verdict = SLO_UNKNOWN;
        answer.is_certain = false;
        answer.reason = "requests were answered from memory";
        answer.remedy = "use direct I/O, or a larger file";
        return answer;
    }
    return answer;
}

char *
slo_format(const struct slo *slo, int64_t value, char *text)
{
    size_t length = strlen(units_format(unit_of(slo), value, text));
    if (slo->metric == SLO_BPS)
        memcpy(text + length, "/s", sizeof("/s"));
    return text;
}

char *
slo_limit(const struct slo *slo, char *text)
{
    if (!slo->is_relative)
        return units_exact(unit_of(slo), slo->limit, text);
    snprintf(text, UNITS_TEXT, "%+.13g%%", (double)slo->limit * 100 / SLO_WHOLE);
    return text;
}

/* Writes the name of SLO into TEXT of SLO_NAME bytes. It begins with PHASE and SEPARATOR,
 * if SLO is about one phase. Returns TEXT. */
static char *
write_name(const struct slo *slo, const char *phase, const char *separator, char *text)
{
    const char *scope = scope_name(slo->scope);
    const char *dash = slo->scope ? "-" : "";
    if (!slo->phase)
        phase = separator = "";

    if (slo->metric == SLO_PERCENTILE)
        snprintf(text, SLO_NAME, "%s%s%s%sp%s", phase, separator, scope, dash,
                 slo->percentile.name);
    else
        snprintf(text, SLO_NAME, "%s%s%s%s%s", phase, separator, scope, dash,
                 metrics[slo->metric]);
    return text;
}

char *
slo_name(const struct slo *slo, char *text)
{
    return write_name(slo, phase_name(slo->phase), "-", text);
}

char *
slo_label(const struct slo *slo, char *text)
{
    return write_name(slo, phase_label(slo->phase), " ", text);
}

enum slo_verdict
slos_check(const struct slos *slos, const struct stats *stats)
{
    enum slo_verdict verdict = SLO_MET;
    for (int i = 0; i < slos->count; i++) {
        enum slo_verdict one = slo_answer(&slos->list[i], stats).verdict;
        verdict = one > verdict ? one : verdict;
    }
    return verdict;
}

uint64_t
slos_needs(const struct slos *slos, uint64_t turns)
{
    uint64_t most = 0;
    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        uint64_t needs = percentile_needs(&slo->percentile);
        if (slo_is_of_operation(slo))
            needs *= turns;
        if (slo->metric == SLO_PERCENTILE && needs > most)
            most = needs;
    }

    return most;
}

void
slos_text(const struct slos *slos, struct buffer *text)
{
    char name[SLO_NAME];
    char limit[UNITS_TEXT];
    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        buffer_format(text, "%s%s=%s", i ? "," : "", slo_name(slo, name),
                      slo_limit(slo, limit));
    }
}

void
slos_print(const struct slos *slos, struct buffer *text)
{
    char name[SLO_NAME];
    char limit[UNITS_TEXT];
    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        buffer_format(text, "%s%s %s %s", i ? ", " : "", slo_label(slo, name),
                      slo_is_rate(slo) ? ">=" : "<=", slo_format(slo, slo->limit, limit));
    }
}

const char *
slo_verdict_name(enum slo_verdict verdict)
{
    static const char *const names[] = {
        [SLO_MET] = "OK", [SLO_BROKEN] = "FAIL", [SLO_UNKNOWN] = "UNKNOWN"};
    return names[verdict];
}
