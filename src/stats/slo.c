/*
 * Service level objectives: reads limits from options, and compares the statistics with
 * them. The statistics are the same that reports show, so a report never contradicts the
 * verdict beside it.
 *
 * A limit on a percentile is a question about the true percentile, which endlessly many
 * requests of the same kind would have. It is answered by the quantile test (Conover,
 * "Practical nonparametric statistics", 3.2). Suppose that the true percentile is equal
 * to the limit. Then the number of values above the limit has a binomial distribution
 * (binomial.h):
 *
 * - The answer "broken" is certain if the chance that this number is at least as large as
 *   the measured one is below 5 %.
 * - The answer "met" is certain if the chance that this number is at most as large as the
 *   measured one is at most 5 %.
 *
 * The test assumes that the values are independent of each other. run/outcome.c allows
 * for requests that depend on each other.
 */
#include "stats/slo.h"

#include "base/buffer.h"
#include "base/units.h"
#include "binomial.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>

static const char *const metrics[] = {
    [SLO_MIN] = "min",     [SLO_AVG] = "avg",       [SLO_MAX] = "max",
    [SLO_MDEV] = "mdev",   [SLO_IOPS] = "iops",     [SLO_BPS] = "bps",
    [SLO_COUNT] = "count", [SLO_FAILED] = "failed", [SLO_MISSED] = "missed",
};

static const char unknown_figure[] =
    "unknown figure; use min, avg, max, mdev, iops, bps or a percentile such as p99";

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

/* Moves *TEXT, which has *LENGTH bytes, past NAME and a dash. Returns false, and leaves
 * both as they are, if *TEXT does not begin with NAME and a dash. */
static bool
skip_prefix(const char **text, int *length, const char *name)
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
equals_name(const char *text, int length, const char *name)
{
    return (int)strlen(name) == length && memcmp(text, name, (size_t)length) == 0;
}

/* Reads a relative limit of SLO from TEXT: a sign, up to nine digits, optionally a point
 * and up to four digits, and a percent sign. Returns NULL, or the reason why TEXT is
 * refused. */
static const char *
parse_relative(const char *text, struct slo *slo)
{
    /* The value of a digit 1 at the current place, in millionths. */
    int64_t unit = SLO_HUNDRED_PERCENT / 100;
    int64_t value = 0;
    const char *first = text + 1;
    const char *digit = first;
    slo->is_relative = true;
    if (slo->metric != SLO_PERCENTILE || slo->scope != SCOPE_ALL || slo->phase)
        return "only a percentile of all requests can be relative, as in p99=+10%";

    for (; is_digit(*digit) && digit < first + 9; digit++)
        value = value * 10 + (*digit - '0') * unit;
    if (digit > first && digit[0] == '.' && is_digit(digit[1])) {
        for (digit++; is_digit(*digit) && unit > 1; digit++) {
            unit /= 10;
            value += (*digit - '0') * unit;
        }
    }
    if (digit == first || strcmp(digit, "%") != 0)
        return "not a percentage such as +10% or -2.5%";

    slo->limit = *text == '-' ? -value : value;
    return slo->limit > -SLO_HUNDRED_PERCENT ? NULL : "must be above -100 %";
}

/* Returns the kind of unit that the limit of SLO has. The limit must not be relative. */
static enum units_kind
find_limit_unit(const struct slo *slo)
{
    if (slo->metric == SLO_IOPS)
        return UNITS_COUNT;
    if (slo->metric == SLO_BPS)
        return UNITS_SIZE;
    return UNITS_TIME;
}

/* Copies TEXT without its blanks into COPY, which has SIZE bytes. A blank between two
 * digits stays, so that "1 0" is refused and not read as 10. Returns false if COPY is too
 * small. */
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

/* Skips the sign at the front of TEXT, which separates name and limit: "=", or "<" and
 * "<=" for a time, or ">" and ">=" for a rate. Returns the text after the sign, or NULL
 * if TEXT begins with no sign that is allowed for SLO. */
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
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
        if (skip_prefix(&name, &length, phase_name(phase))) {
            slo->phase = phase;
            break;
        }
    for (enum scope scope = SCOPE_OPERATION; scope < SCOPE_SYNC_DEVICE; scope++)
        if (skip_prefix(&name, &length, scope_name(scope))) {
            slo->scope = scope;
            break;
        }

    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
        if (metrics[i] && equals_name(name, length, metrics[i])) {
            slo->metric = (enum slo_metric)i;
            return NULL;
        }
    if (equals_name(name, length, "bw")) { /* name of a bandwidth in fio */
        slo->metric = SLO_BPS;
        return NULL;
    }

    slo->metric = SLO_PERCENTILE;
    if (length < 2 || name[0] != 'p' ||
        percentile_parse(name + 1, length - 1, &slo->percentile) != NULL)
        return unknown_figure;
    return NULL;
}

/* Stores the LENGTH bytes at NAME as the name in LIST that no figure has. */
static void
keep_unknown_name(struct slos *list, const char *name, int length)
{
    snprintf(list->unknown_name, sizeof(list->unknown_name), "%.*s", length, name);
}

/* Returns NULL if the scope of SLO has its metric, or the reason why not. */
static const char *
check_scope(const struct slo *slo)
{
    if (slo->scope == SCOPE_ALL)
        return NULL;

    if (slo_is_rate(slo) && scope_is_part(slo->scope))
        return "a part of the time has no rate";
    if (slo_is_rate(slo))
        return "a rate counts reads and writes together";
    if (slo_is_count(slo) && slo->metric != SLO_COUNT && scope_is_part(slo->scope))
        return "a part of the time cannot fail or be missed";
    return NULL;
}

/* Reads the limit of SLO, whose name was read before, from LIMIT. Cuts "/s" off LIMIT if
 * it is a bandwidth. Returns NULL, or the reason why LIMIT is refused, which may be
 * stored in LIST. */
static const char *
parse_limit(char *limit, struct slo *slo, struct slos *list)
{
    size_t length = strlen(limit);
    char last = length > 0 ? limit[length - 1] : '\0';
    if (limit[0] == '+' || (limit[0] == '-' && last == '%'))
        return parse_relative(limit, slo);

    if (slo->metric == SLO_BPS && length > 2 && strcmp(limit + length - 2, "/s") == 0)
        limit[length - 2] = '\0';
    enum units_kind unit = find_limit_unit(slo);
    const char *wrong = units_parse(unit, limit, &slo->limit);
    bool has_unit = !is_digit(last) && last != '.';
    if (wrong || unit != UNITS_TIME || has_unit || slo->limit == 0)
        return wrong;

    char name[SLO_NAME_SIZE];
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
    list->unknown_name[0] = '\0';
    if (list->count == SLOS_MAX)
        return "there can be at most 16 limits";
    if (!copy_without_blanks(text, copy, sizeof(copy)))
        return "too long";

    int length = (int)strcspn(copy, "=<>");
    const char *wrong = parse_name(copy, length, &slo);
    if (!wrong && slo_is_count(&slo))
        wrong = unknown_figure;
    if (wrong)
        keep_unknown_name(list, copy, length);
    if (!wrong)
        wrong = check_scope(&slo);
    if (wrong)
        return wrong;
    if (copy[length] == '\0')
        return "a limit is missing, as in p99=10ms";
    char *limit = skip_sign(&slo, copy + length);
    if (!limit && slo_is_rate(&slo))
        return "a rate can have a lower limit only, as in iops>1k";
    if (!limit)
        return "a time can have an upper limit only, as in p99<10ms";

    wrong = parse_limit(limit, &slo, list);
    if (wrong) {
        const char *comma = strchr(limit, ',');
        if (comma && strpbrk(comma, "=<>"))
            return "one limit at a time; give the option again for each other";
        return wrong;
    }
    list->list[list->count++] = slo;
    return NULL;
}

/* Reads the name of a figure to print from the LENGTH bytes at NAME, and adds the figure
 * to LIST. Returns NULL, or the reason why the name is refused. */
static const char *
parse_figure(struct slos *list, const char *name, int length)
{
    struct slo slo = {0};

    if (list->count == SLOS_MAX)
        return "there can be at most 16 figures";
    if (parse_name(name, length, &slo) != NULL) {
        keep_unknown_name(list, name, length);
        snprintf(list->refused, sizeof(list->refused),
                 "unknown figure '%s'; use min, avg, max, mdev, iops, bps, count, "
                 "failed, missed or a percentile such as p99",
                 list->unknown_name);
        return list->refused;
    }

    const char *wrong = check_scope(&slo);
    if (!wrong)
        list->list[list->count++] = slo;
    return wrong;
}

const char *
slos_parse_figures(struct slos *list, const char *text)
{
    const char *wrong = NULL;
    list->count = 0;
    list->unknown_name[0] = '\0';
    if (text[strspn(text, " ")] == '\0')
        return "no figure is named; use -print p99, for example";

    while (!wrong) {
        const char *name = text + strspn(text, " ");
        const char *end = name + strcspn(name, ",");
        int length = (int)(end - name);
        while (length > 0 && name[length - 1] == ' ')
            length--;

        if (length == 0 && *end == '\0')
            return "no figure follows the last comma; leave out the comma";
        if (length == 0)
            return "no figure stands before a comma; leave out the comma";
        wrong = parse_figure(list, name, length);
        if (*end == '\0')
            break;
        text = end + 1;
    }
    return wrong;
}

/* Adds names of figures to TEXT, each with END, such as "=", and a newline. */
static void
list_names(struct buffer *text, const char *end)
{
    static const enum scope common[] = {SCOPE_DEVICE, SCOPE_QUEUE, SCOPE_SYNC};
    for (int i = 0; i < percentiles_default.count; i++)
        buffer_format(text, "p%s%s\n", percentiles_default.list[i].name, end);
    for (int i = SLO_MIN; i < SLO_PERCENTILE; i++)
        buffer_format(text, "%s%s\n", metrics[i], end);
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        buffer_format(text, "%s-p99%s\n", scope_name(common[i]), end);
    for (enum scope scope = SCOPE_OPERATION; scope_is_operation(scope); scope++)
        buffer_format(text, "%s-p99%s\n", scope_name(scope), end);
    for (enum phase phase = PHASE_IDLE; phase <= PHASE_LOADED; phase++)
        buffer_format(text, "%s-p99%s\n", phase_name(phase), end);
}

void
slos_list(struct buffer *text)
{
    list_names(text, "=");
}

void
slos_list_figures(struct buffer *text)
{
    list_names(text, "");
    for (int i = SLO_COUNT; i <= SLO_MISSED; i++)
        buffer_format(text, "%s\n", metrics[i]);
}

/* Returns the figure of STATS that SLO names, in the unit of its limit. */
static int64_t
find_named_figure(const struct slo *slo, const struct stats *stats)
{
    const struct latencies latencies = latencies_of(stats, slo->scope);
    const struct scope_counts counts = scope_counts_of(stats, slo->scope);
    const struct moments *moments = latencies.moments;

    switch (slo->metric) {
    case SLO_MIN:
        return moments->min;
    case SLO_AVG:
        return moments_average(moments);
    case SLO_MAX:
        return moments->max;
    case SLO_MDEV:
        return moments_deviation(moments);
    case SLO_IOPS:
        return (int64_t)stats_iops(stats);
    case SLO_BPS:
        return (int64_t)stats_bps(stats);
    case SLO_COUNT:
        return (int64_t)moments->count;
    case SLO_FAILED:
        return (int64_t)counts.failed;
    case SLO_MISSED:
        return (int64_t)counts.missed;
    case SLO_PERCENTILE:
        break;
    }
    return latencies_percentile(&latencies, &slo->percentile);
}

#define TAIL 0.05 /* results less likely than this are not taken for chance */

/* Returns whether a limit on PERCENTILE is certainly broken if ABOVE of COUNT values are
 * above the limit. For that, the limit is taken for the true percentile. The chance of at
 * least ABOVE values above it must then be below TAIL. */
static bool
is_certainly_broken(const struct percentile *percentile, uint64_t count, uint64_t above)
{
    return count > 0 && binomial_chance(percentile, count, count - above) < TAIL;
}

/* Returns whether a limit on PERCENTILE is certainly met if ABOVE of COUNT values are
 * above the limit. For that, the limit is taken for the true percentile. The chance of at
 * most ABOVE values above it must then be at most TAIL. */
static bool
is_certainly_met(const struct percentile *percentile, uint64_t count, uint64_t above)
{
    uint64_t upto = count - above;
    return upto > 0 && binomial_chance(percentile, count, upto - 1) >= 1 - TAIL;
}

/* Returns whether reads may be among the requests that SLO is about. */
static bool
concerns_reads(const struct slo *slo)
{
    if (slo_is_of_operation(slo))
        return operations[scope_operation(slo->scope)].flags & OPERATION_READS;
    return slo->scope == SCOPE_ALL;
}

/* Sets the verdict of ANSWER to SLO_UNKNOWN, because its figure means nothing. REASON
 * says why, and REMEDY says how to avoid that. */
static void
reject_figure(struct slo_answer *answer, const char *reason, const char *remedy)
{
    answer->verdict = SLO_UNKNOWN;
    answer->is_certain = false;
    answer->reason = reason;
    answer->remedy = remedy;
}

/* Rejects the figure of ANSWER if SLO is about bytes, and STATS have no sizes. Returns
 * whether it does. */
static bool
rejects_bytes(struct slo_answer *answer, const struct slo *slo, const struct stats *stats)
{
    bool is_rejected = slo->metric == SLO_BPS && stats->lacks_sizes;

    if (is_rejected)
        reject_figure(answer, "a log of histograms has no sizes",
                      "name a file of -record or -J instead");
    return is_rejected;
}

/* Sets the verdict of ANSWER to SLO_UNKNOWN, because there are too few values. */
static void
mark_too_few(struct slo_answer *answer)
{
    answer->verdict = SLO_UNKNOWN;
    answer->samples_for_certainty = answer->min_samples;
    answer->is_certain = false;
}

/* Returns an answer without a verdict: the figure of SLO, and the numbers of values that
 * there are and that it takes. */
static struct slo_answer
begin_answer(const struct slo *slo, const struct stats *stats)
{
    const struct latencies latencies = latencies_of(stats, slo->scope);
    struct slo_answer answer = {
        .count = latencies.moments->count, .min_samples = 1, .is_certain = true};

    if (slo->metric == SLO_PERCENTILE)
        answer.min_samples = percentile_min_samples(&slo->percentile);
    if (slo_is_count(slo))
        answer.min_samples = 0;
    if (answer.count > 0 || slo_is_count(slo))
        answer.value = find_named_figure(slo, stats);
    return answer;
}

struct slo_answer
slo_measure(const struct slo *slo, const struct stats *stats)
{
    struct slo_answer answer = begin_answer(slo, stats);

    if (!rejects_bytes(&answer, slo, stats) && answer.count < answer.min_samples)
        mark_too_few(&answer);
    return answer;
}

/* Returns the noun for the COUNT values of SLO, such as "requests" or "reads". */
static const char *
choose_noun(const struct slo *slo, uint64_t count)
{
    if (!slo_is_of_operation(slo))
        return units_plural(count, "request", "requests");

    const struct operation_row *operation = &operations[scope_operation(slo->scope)];
    return units_plural(count, operation->word, operation->noun);
}

void
slo_add_too_few(const struct slo *slo, const struct slo_answer *answer,
                struct buffer *text)
{
    const char *noun = choose_noun(slo, answer->count);
    const char *verb = units_plural(answer->count, "counts", "count");

    /* SLO is about a part of the latency (-breakdown). */
    if (slo->scope > SCOPE_SYNC)
        verb = "could be split";

    buffer_format(text, "%llu %s %s, and it takes %llu",
                  (unsigned long long)answer->count, noun, verb,
                  (unsigned long long)answer->min_samples);
}

void
slo_add_above(const struct slo *slo, const struct slo_answer *answer, struct buffer *text)
{
    buffer_format(text, "%llu of %llu %s took longer", (unsigned long long)answer->above,
                  (unsigned long long)answer->count, choose_noun(slo, answer->count));
}

/* Certainty is judged by the requests alone, because waits added by -corrected are not
 * independent values. */
struct slo_answer
slo_answer(const struct slo *slo, const struct stats *stats)
{
    const struct percentile *percentile = &slo->percentile;
    const struct latencies latencies = latencies_of(stats, slo->scope);
    bool is_percentile = slo->metric == SLO_PERCENTILE;
    struct slo_answer answer = begin_answer(slo, stats);
    uint64_t count = answer.count;

    if (slo->is_relative || rejects_bytes(&answer, slo, stats))
        return answer;
    if (slo->scope == SCOPE_SYNC && stats->flushes_ignored) {
        reject_figure(&answer, "no flush reached the device",
                      "measure a target that passes flushes on");
        return answer;
    }

    uint64_t above = is_percentile ? latencies_count_above(&latencies, slo->limit) : 0;
    bool certainly_broken =
        is_percentile && is_certainly_broken(percentile, count, above);
    answer.above = above;
    if (count == 0 || (count < answer.min_samples && !certainly_broken)) {
        mark_too_few(&answer);
        return answer;
    }

    bool is_broken = answer.value > slo->limit;
    if (slo_is_rate(slo))
        is_broken = answer.value < slo->limit;
    if (!is_broken && stats->from_memory > 0 && concerns_reads(slo)) {
        reject_figure(&answer, "requests were answered from memory",
                      "use direct I/O, or a larger file");
        return answer;
    }

    answer.verdict = is_broken ? SLO_BROKEN : SLO_MET;
    if (is_percentile && is_broken)
        answer.is_certain = certainly_broken;
    else if (is_percentile)
        answer.is_certain = is_certainly_met(percentile, count, above);
    return answer;
}

char *
slo_format(const struct slo *slo, int64_t value, char *text)
{
    size_t length = strlen(units_format(find_limit_unit(slo), value, text));
    if (slo->metric == SLO_BPS)
        memcpy(text + length, "/s", sizeof("/s"));
    return text;
}

void
slo_add_figure(const struct slo *slo, const struct slo_answer *answer,
               struct buffer *text)
{
    char value[UNITS_TEXT];
    char limit[UNITS_TEXT];
    const char *unit = " ns";
    if (!slo_is_known(answer)) {
        slo_add_above(slo, answer, text);
        return;
    }

    slo_format(slo, answer->value, value);
    slo_format(slo, slo->limit, limit);
    if (strcmp(value, limit) != 0 || answer->value == slo->limit) {
        buffer_text(text, value);
        return;
    }

    if (slo->metric == SLO_IOPS)
        unit = "";
    if (slo->metric == SLO_BPS)
        unit = " B/s";
    buffer_format(text, "%lld%s", (long long)answer->value, unit);
}

char *
slo_limit(const struct slo *slo, char *text)
{
    if (!slo->is_relative)
        return units_exact(find_limit_unit(slo), slo->limit, text);
    snprintf(text, UNITS_TEXT, "%+.13g%%",
             (double)slo->limit * 100 / SLO_HUNDRED_PERCENT);
    return text;
}

/* Writes the name of SLO into TEXT, which has SLO_NAME_SIZE bytes. If SLO is about one
 * phase, the name begins with PHASE and SEPARATOR. Returns TEXT. */
static char *
write_name(const struct slo *slo, const char *phase, const char *separator, char *text)
{
    const char *scope = scope_name(slo->scope);
    const char *dash = slo->scope ? "-" : "";
    if (!slo->phase) {
        phase = "";
        separator = "";
    }

    if (slo->metric == SLO_PERCENTILE)
        snprintf(text, SLO_NAME_SIZE, "%s%s%s%sp%s", phase, separator, scope, dash,
                 slo->percentile.name);
    else
        snprintf(text, SLO_NAME_SIZE, "%s%s%s%s%s", phase, separator, scope, dash,
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
    enum slo_verdict worst = SLO_MET;

    for (int i = 0; i < slos->count; i++) {
        enum slo_verdict verdict = slo_answer(&slos->list[i], stats).verdict;
        if (verdict > worst)
            worst = verdict;
    }
    return worst;
}

uint64_t
slos_min_requests(const struct slos *slos, uint64_t turns)
{
    uint64_t highest = 0;

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        if (slo->metric != SLO_PERCENTILE)
            continue;
        uint64_t needs = percentile_min_samples(&slo->percentile);
        if (slo_is_of_operation(slo))
            needs *= turns;
        if (needs > highest)
            highest = needs;
    }
    return highest;
}

void
slos_text(const struct slos *slos, struct buffer *text)
{
    char name[SLO_NAME_SIZE];
    char limit[UNITS_TEXT];

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        if (i > 0)
            buffer_text(text, ",");
        buffer_format(text, "%s=%s", slo_name(slo, name), slo_limit(slo, limit));
    }
}

void
slos_print(const struct slos *slos, struct buffer *text)
{
    char name[SLO_NAME_SIZE];
    char limit[UNITS_TEXT];

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        const char *sign = slo_is_rate(slo) ? ">=" : "<=";
        if (i > 0)
            buffer_text(text, ", ");
        buffer_format(text, "%s %s %s", slo_label(slo, name), sign,
                      slo_format(slo, slo->limit, limit));
    }
}

const char *
slo_verdict_name(enum slo_verdict verdict)
{
    static const char *const names[] = {
        [SLO_MET] = "OK", [SLO_BROKEN] = "FAIL", [SLO_UNKNOWN] = "UNKNOWN"};
    return names[verdict];
}
