#ifndef STATS_SLO_H
#define STATS_SLO_H

#include "base/buffer.h"
#include "stats/stats.h"

/* Limits that a run has to keep: service level objectives. */

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
 * Reads one, such as "p99=10ms" or "iops=1k", and adds it to the list. Returns
 * NULL, or why it is refused.
 */
const char *slos_add(struct slos *list, const char *text);

/* Adds what can be limited to TEXT, a line each, such as "p99=" and "iops=". */
void slos_list(struct buffer *text);

enum slo_verdict { SLO_KEPT, SLO_BROKEN, SLO_UNKNOWN };

/*
 * Whether STATS keep it. VALUE becomes what there is, in the unit of the limit;
 * if that is not known, how many requests it takes.
 */
enum slo_verdict slo_check(const struct slo *slo, const struct stats *stats,
                           int64_t *value);

/* Its name, such as "p99" or "iops", into TEXT of 24 bytes. Returns TEXT. */
char *slo_name(const struct slo *slo, char *text);

#endif
