#ifndef STATS_SLO_H
#define STATS_SLO_H

#include "stats/percentile.h"

#include <stdint.h>

struct buffer;
struct stats;

/* The phases of a run with -load: before the background load, during it, and after it. */
enum phase { PHASE_NONE, PHASE_IDLE, PHASE_LOADED, PHASE_RECOVERED, PHASES };

/* Returns the name of a phase in options, lines of raw numbers and metrics: idle, loaded
 * or recovered. Returns NULL for PHASE_NONE. */
const char *phase_name(enum phase phase);

/* Returns the name of a phase for people and in JSON: idle, under load or recovered.
 * Returns NULL for PHASE_NONE. */
const char *phase_label(enum phase phase);

/* Service level objectives (SLOs) are limits that the statistics have to meet. */
#define SLOS_MAX 16
#define SLO_NAME_SIZE 48 /* size of the buffer for the name of an objective, in bytes */

enum slo_metric {
    SLO_MIN,
    SLO_AVG,
    SLO_MAX,
    SLO_MDEV,
    SLO_IOPS,
    SLO_BPS,
    SLO_PERCENTILE,
    /* counts, which -print prints; no objective can limit them */
    SLO_COUNT,  /* requests that count */
    SLO_FAILED, /* failed requests */
    SLO_MISSED, /* due times for which no request was sent */
};

/* 100 %, in millionths, which are the unit of a relative limit. */
#define SLO_HUNDRED_PERCENT 1000000

/* An objective, or a figure to print (-print), which has no limit. */
struct slo {
    enum phase phase; /* the phase that is limited; PHASE_NONE for the whole run */
    enum slo_metric metric;
    struct percentile percentile; /* used only if `metric` is SLO_PERCENTILE */
    enum scope scope;
    bool is_relative; /* the limit is relative to another run; only a percentile of all
                         requests can have such a limit */

    /* If the limit is relative: the upper limit of the change against the other run, in
     * millionths: 100000 for +10%. For SLO_IOPS and SLO_BPS: the lower limit, in requests
     * or bytes per second. Otherwise: the upper limit of a time, in ns. */
    int64_t limit;
};

/* Returns whether SLO limits a rate, which has a lower limit. Otherwise it limits a time,
 * which has an upper limit. */
static inline bool
slo_is_rate(const struct slo *slo)
{
    return slo->metric == SLO_IOPS || slo->metric == SLO_BPS;
}

/* Returns whether SLO is a count of requests, which is known however few they are. */
static inline bool
slo_is_count(const struct slo *slo)
{
    return slo->metric > SLO_PERCENTILE;
}

/* Returns whether SLO is about one operation, or about flushes. If operations are mixed,
 * only some of the requests count for such an objective. */
static inline bool
slo_is_of_operation(const struct slo *slo)
{
    return slo->scope > SCOPE_ALL && slo->scope <= SCOPE_SYNC;
}

struct slos {
    int count;
    struct slo list[SLOS_MAX];
    char refused[160]; /* buffer for a reason that repeats the refused text; other reasons
                          are string literals */
    /* The last unknown name, cut to fit: it was refused because no figure has this name.
     * "" if no name was refused, or for another reason. */
    char unknown_name[41];
};

/*
 * Reads an objective from TEXT and adds it to LIST: "p99=10ms", "device-max=1s",
 * "iops=1k", "bps=100m" or, relative to another run, "p99=+10%". Instead of "=", a time
 * may have "<" or "<=", and a rate ">" or ">=". Blanks are allowed, because printed
 * limits have them. A time needs a unit. Returns NULL, or the reason why TEXT is refused.
 * The reason may be stored in LIST, so it is valid until the next call.
 */
const char *slos_add(struct slos *list, const char *text);

/* Adds suggestions for an objective to TEXT, one on each line, such as "p99=". */
void slos_list(struct buffer *text);

/*
 * Reads figures to print from TEXT: their names without limits, separated by commas, such
 * as "p99,read-max,iops,count". Blanks around a name are allowed. Stores them in LIST, in
 * place of earlier ones. Returns NULL, or the reason why TEXT is refused; the contents of
 * LIST are undefined then. The reason may be stored in LIST, so it is valid until the
 * next call.
 */
const char *slos_parse_figures(struct slos *list, const char *text);

/* Adds suggestions for a figure to print to TEXT, one on each line, such as "p99". */
void slos_list_figures(struct buffer *text);

/* The verdict on an objective, from the best to the worst. */
enum slo_verdict { SLO_MET, SLO_UNKNOWN, SLO_BROKEN };

/* The answer to an objective. A value, in the comments below, is the latency of a request
 * that counts, or the time that a part of such a request took. */
struct slo_answer {
    enum slo_verdict verdict;
    int64_t value;        /* the figure, in the unit of the limit; 0 if count is 0 */
    uint64_t count;       /* values that the figure is computed from */
    uint64_t min_samples; /* minimum number of values to know the figure, whatever the
                             limit is */
    uint64_t above;       /* values above the limit, if the limit is absolute and on a
                             percentile; else 0. slo_measure leaves it 0 */
    /* The verdict is certain at 95 %. False if the verdict is SLO_UNKNOWN. For other
     * verdicts, slo_answer tests it if the limit is on a percentile. Any other limit
     * gives a certain verdict. */
    bool is_certain;
    const char *reason; /* why the figure means nothing, however many values there are;
                           or NULL */
    const char *remedy; /* how to avoid the reason; or NULL */

    /* How many values are needed, or 0. If there are too few values for a verdict,
     * slo_answer stores `min_samples` here. outcome_explain later stores how many values
     * make the verdict certain at 95 %, if it can tell. 0 if the verdict is certain, or
     * if the number is not known. */
    uint64_t samples_for_certainty;

    /* The fields below are set by outcome_explain (run/outcome.h). */
    bool is_close;     /* no practical number of values makes the answer certain */
    bool is_dependent; /* too few of the values are independent of each other */
    int64_t low, high; /* ns: bounds of the percentile if the limit lies between them, and
                          the answer is therefore uncertain; else both 0. `high` is
                          INT64_MAX if there is no upper bound */
};

/*
 * Compares STATS with an objective.
 *
 * The verdict is SLO_UNKNOWN if there are too few values (percentile_min_samples), or if
 * the figure means nothing, which `reason` explains. There is one exception: even with
 * too few values, the verdict is SLO_BROKEN if the limit is certainly broken. To decide
 * that, a run that meets the limit is assumed. If the chance that such a run has at least
 * this number of values above the limit is below 5 %, the limit is certainly broken. The
 * verdict on a relative objective is always SLO_MET, because its limit depends on another
 * run.
 */
struct slo_answer slo_answer(const struct slo *slo, const struct stats *stats);

/* Returns the figure of STATS that SLO names, without a comparison with its limit. The
 * verdict is SLO_UNKNOWN if there are too few values (percentile_min_samples), as after
 * slo_answer; otherwise it means nothing. */
struct slo_answer slo_measure(const struct slo *slo, const struct stats *stats);

/* Returns whether there are enough values to know the figure of ANSWER. If not, the
 * verdict can still be SLO_BROKEN (see slo_answer), but `value` must not be shown as the
 * figure. */
static inline bool
slo_is_known(const struct slo_answer *answer)
{
    return answer->count >= answer->min_samples;
}

/* Adds to TEXT that there are too few values for ANSWER to SLO: "9 requests count, and it
 * takes 99". */
void slo_add_too_few(const struct slo *slo, const struct slo_answer *answer,
                     struct buffer *text);

/* Adds to TEXT how many values of ANSWER are above the limit of SLO, which must be on a
 * percentile: "3 of 4 requests took longer". This is shown in place of a figure that is
 * not known. */
void slo_add_above(const struct slo *slo, const struct slo_answer *answer,
                   struct buffer *text);

/* Adds to TEXT the figure of ANSWER, whose verdict must be SLO_MET or SLO_BROKEN. If
 * rounding would make the figure look equal to the limit of SLO although it differs, adds
 * all digits. If the figure is not known, slo_add_above takes its place. */
void slo_add_figure(const struct slo *slo, const struct slo_answer *answer,
                    struct buffer *text);

/* Compares STATS with all objectives of SLOS. Returns the worst verdict. Returns SLO_MET
 * if there are no objectives. */
enum slo_verdict slos_check(const struct slos *slos, const struct stats *stats);

/* Returns how many requests must count so that all percentiles of SLOS are known. Returns
 * 0 if SLOS has no percentile. TURNS is the number of operations that take turns. A
 * percentile of one operation, or of flushes, needs TURNS times as many requests. The
 * reason is that only one of TURNS requests is of this operation, or has a flush. */
uint64_t slos_min_requests(const struct slos *slos, uint64_t turns);

/* Adds the objectives of SLOS to TEXT, separated by commas, each in the form that
 * slos_add reads: "p99=1ms,iops=48k". */
void slos_text(const struct slos *slos, struct buffer *text);

/* Adds the objectives of SLOS to TEXT for people: "p99 <= 1 ms, iops >= 48 k". */
void slos_print(const struct slos *slos, struct buffer *text);

/* Returns the word for a verdict: OK, FAIL or UNKNOWN. */
const char *slo_verdict_name(enum slo_verdict verdict);

/* Writes VALUE, in the unit of the limit of SLO, into TEXT for people: "1.23 ms",
 * "100 MiB/s". TEXT has UNITS_TEXT bytes. Returns TEXT. */
char *slo_format(const struct slo *slo, int64_t value, char *text);

/* Writes the limit of SLO into TEXT, in the form that slos_add reads. TEXT has UNITS_TEXT
 * bytes. Returns TEXT. */
char *slo_limit(const struct slo *slo, char *text);

/* Writes the name of SLO, such as "p99" or "loaded-device-p99", into TEXT, in the form
 * that slos_add reads. TEXT has SLO_NAME_SIZE bytes. Returns TEXT. */
char *slo_name(const struct slo *slo, char *text);

/* Writes the name of SLO into TEXT for people, such as "under load p99". TEXT has
 * SLO_NAME_SIZE bytes. Returns TEXT. */
char *slo_label(const struct slo *slo, char *text);

#endif
