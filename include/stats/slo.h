#ifndef STATS_SLO_H
#define STATS_SLO_H

#include "stats/percentile.h"

#include <stdint.h>

struct buffer;
struct stats;

/* The phases of a run with a load beside it for a time. */
enum phase { PHASE_NONE, PHASE_IDLE, PHASE_LOADED, PHASE_RECOVERED, PHASES };

/* Returns the name of a phase in options, lines of raw numbers and metrics: idle, loaded
 * or recovered; NULL for PHASE_NONE. */
const char *phase_name(enum phase phase);

/* Returns the name of a phase for people and in JSON: idle, under load or recovered; NULL
 * for PHASE_NONE. */
const char *phase_label(enum phase phase);

/* Service level objectives: limits that the statistics have to meet. */
#define SLOS_MOST 16
#define SLO_NAME 48 /* bytes, with the zero */

enum slo_metric {
    SLO_MIN,
    SLO_AVG,
    SLO_MAX,
    SLO_MDEV,
    SLO_IOPS,
    SLO_BPS,
    SLO_PERCENTILE
};

#define SLO_WHOLE 1000000 /* 100 % of a limit that is relative */

struct slo {
    enum phase phase; /* it is about that alone; PHASE_NONE: about all of the run */
    enum slo_metric metric;
    struct percentile percentile; /* of SLO_PERCENTILE */
    enum scope scope;
    bool is_relative; /* to another run: a percentile of all requests */
    int64_t limit; /* ns, at most; for SLO_IOPS requests, for SLO_BPS bytes per second, at
                      least; relative: millionths more than the other's, at most */
};

/* Returns whether an objective is a rate, of which there has to be as much at least; else
 * it is a time. */
static inline bool
slo_is_rate(const struct slo *slo)
{
    return slo->metric == SLO_IOPS || slo->metric == SLO_BPS;
}

/* Returns whether it is about one operation where several are mixed, or the flush that
 * follows one. */
static inline bool
slo_is_of_operation(const struct slo *slo)
{
    return slo->scope > SCOPE_ALL && slo->scope <= SCOPE_SYNC;
}

struct slos {
    int count;
    struct slo list[SLOS_MOST];
    char refused[120]; /* why the last one was refused, where that has numbers */
};

/*
 * Reads an objective and adds it to the list: "p99=10ms", "device-max=1s", "iops=1k",
 * "bps=100m" or, relative to another run, "p99=+10%". Instead of "=" it may have "<" or
 * "<=", for a rate ">" or ">=", with blanks around, as limits are printed. A time needs a
 * unit. Returns NULL, or why it is refused, which may be a text in the list.
 */
const char *slos_add(struct slos *list, const char *text);

/* Add what can be limited to TEXT, a line each, such as "p99=" and "iops=". */
void slos_list(struct buffer *text);

/* From the best to the worst. */
enum slo_verdict { SLO_MET, SLO_UNKNOWN, SLO_BROKEN };

/* The answer to an objective. */
struct slo_answer {
    enum slo_verdict verdict;
    int64_t value;        /* the figure, in the unit of the limit; 0 without requests */
    uint64_t count;       /* values that the figure is computed from */
    uint64_t min_samples; /* values that make the figure known, whatever the limit */
    bool is_certain;      /* at 95 %; only percentiles can be uncertain */
    const char *reason;   /* why the figure is not known, however many values; or NULL */
    const char *remedy;   /* what helps then; or NULL */

    uint64_t samples_for_certainty; /* values that make the answer known; after
                       outcome_explain, certain; 0: it is, or how many do is not known */

    /* Set by outcome_explain (run/outcome.h). */
    bool is_close;     /* no sensible number of values makes the answer certain */
    bool is_dependent; /* too few of the values are independent of each other */
    int64_t low, high; /* ns: bounds of the percentile with the limit between them, which
                          make the answer uncertain; 0, 0: they do not; high INT64_MAX:
                          there is no upper bound */
};

/*
 * Compare STATS with an objective; SLO_MET if that is relative. A percentile of fewer
 * values than percentile_needs is broken once the values refute the limit: where that is
 * met, so many would be above it with a chance below 5 %.
 */
struct slo_answer slo_answer(const struct slo *slo, const struct stats *stats);

/* Compare STATS with all objectives of a list. Returns the worst verdict; of none MET. */
enum slo_verdict slos_check(const struct slos *slos, const struct stats *stats);

/* Returns how many requests that count it takes to check all percentiles of a list; 0: it
 * has none. TURNS: one of so many is of an operation, or has a flush. */
uint64_t slos_needs(const struct slos *slos, uint64_t turns);

/* Add the objectives of a list to TEXT, with commas between and each as slos_add reads
 * it: "p99=1ms,iops=48k". */
void slos_text(const struct slos *slos, struct buffer *text);

/* Adds the objectives of a list to TEXT as people read them: "p99 <= 1 ms, iops >= 48 k".
 */
void slos_print(const struct slos *slos, struct buffer *text);

/* Returns the word for a verdict: OK, FAIL or UNKNOWN. */
const char *slo_verdict_name(enum slo_verdict verdict);

/* Write VALUE, in the unit of the limit, for people into TEXT of UNITS_TEXT bytes: "1.23
 * ms", "100 MiB/s". Returns TEXT. */
char *slo_format(const struct slo *slo, int64_t value, char *text);

/* Write the limit, as slos_add reads it, into TEXT of UNITS_TEXT bytes. Returns TEXT. */
char *slo_limit(const struct slo *slo, char *text);

/* Write the name of an objective, such as "p99" or "device-p99", into TEXT of SLO_NAME
 * bytes. Returns TEXT. */
char *slo_name(const struct slo *slo, char *text);

/* Write the same name for people, such as "under load p99", into TEXT of SLO_NAME bytes.
 * Returns TEXT. */
char *slo_label(const struct slo *slo, char *text);

#endif
