#ifndef STATS_PERCENTILE_H
#define STATS_PERCENTILE_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct stats;

/* 100 %, in billionths, so that percentiles of up to seven decimals are exact. */
#define PERCENTILE_HUNDRED 1000000000LL

#define PERCENTILES_MOST 16

struct percentile {
    int64_t billionths; /* below PERCENTILE_HUNDRED, above 0 */
    char name[16];      /* such as "99.9" */
};

/* Percentiles in the order in which they are shown. */
struct percentiles {
    int count;
    bool given; /* by the user, so shown however few the requests are */
    struct percentile list[PERCENTILES_MOST];
};

/* The list that is shown unless another is asked for: 50, 90, 99, 99.9. */
extern const struct percentiles percentiles_default;

/* The list where there is room for no more: 50, 99. */
extern const struct percentiles percentiles_common;

/*
 * Read a percentile above 0 and below 100, up to seven decimals, all of TEXT of LENGTH
 * bytes. Returns NULL, or why it is refused.
 */
const char *percentile_parse(const char *text, int length, struct percentile *percentile);

/*
 * Read a list with commas between, or "none". Returns NULL, or why it is refused; then
 * LIST is undefined.
 */
const char *percentiles_parse(const char *text, struct percentiles *list);

/* Add lists to choose from to TEXT, a line each: "none", and the default one. */
void percentiles_list(struct buffer *text);

/* Returns the nearest rank among COUNT values, from 1: the smallest that is not below the
 * percentile's share of them. */
uint64_t percentile_rank(const struct percentile *percentile, uint64_t count);

/* Returns how many values it takes for one of them to lie above the percentile. */
uint64_t percentile_needs(const struct percentile *percentile);

/*
 * Return a percentile of the latencies, corrected if they are, or of the flushes, ns; 0
 * of none. It is never outside of what was seen.
 */
int64_t stats_percentile(const struct stats *stats, const struct percentile *percentile);
int64_t stats_sync_percentile(const struct stats *stats,
                              const struct percentile *percentile);

/* Return the percentiles of percentiles_common, like stats_percentile. */
int64_t stats_p50(const struct stats *stats);
int64_t stats_p99(const struct stats *stats);

/*
 * Returns the percentiles of a list that are to be shown, a bit for each: all if the user
 * gave the list, else those that one of the requests at least can lie above.
 */
unsigned stats_shown(const struct stats *stats, const struct percentiles *list);

/* Service level objectives: limits that the statistics have to meet. */

#define SLOS_MOST 16

enum slo_metric { SLO_MIN, SLO_AVG, SLO_MAX, SLO_MDEV, SLO_IOPS, SLO_PERCENTILE };

struct slo {
    enum slo_metric metric;
    struct percentile percentile; /* of SLO_PERCENTILE */
    int64_t limit; /* ns, at most; for SLO_IOPS requests per second, at least */
};

struct slos {
    int count;
    struct slo list[SLOS_MOST];
};

/*
 * Read an objective, such as "p99=10ms" or "iops=1k", and add it to the list. Returns
 * NULL, or why it is refused.
 */
const char *slos_add(struct slos *list, const char *text);

/* Add what can be limited to TEXT, a line each, such as "p99=" and "iops=". */
void slos_list(struct buffer *text);

enum slo_verdict { SLO_MET, SLO_BROKEN, SLO_UNKNOWN };

/*
 * Compare STATS with an objective. VALUE becomes the figure that was compared, in the
 * unit of the limit; with SLO_UNKNOWN, how many requests it takes to know.
 */
enum slo_verdict slo_check(const struct slo *slo, const struct stats *stats,
                           int64_t *value);

/* Write the name of an objective, such as "p99" or "iops", into TEXT of 24 bytes. Returns
 * TEXT. */
char *slo_name(const struct slo *slo, char *text);

#endif
