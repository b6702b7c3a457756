/*
 * The comparison of several targets or recorded runs, one row for each.
 *
 * First, each percentile of each row is estimated once (stats/interval.h). Any two
 * estimates then give the interval of their ratio. A row is slower or faster than another
 * row only if this interval excludes 1. With ranks, the rows are sorted by their medians;
 * each rank goes to the fastest row that has none yet, and to all rows that are not known
 * to differ from it.
 */
#include "stats/comparison.h"

#include <stdlib.h>

/* A row with its estimates, while the rows are compared. */
struct contender {
    struct comparison_row row;
    int index;                                                 /* in the caller's order */
    struct estimate estimates[COMPARISON_FIGURES + SLOS_MOST]; /* of the figures */
};

/* Returns the percentile that FIGURE compares: a common one, or that of a relative limit.
 * Returns NULL if the figure belongs to a limit that is not relative. */
static const struct percentile *
percentile_of(int figure, const struct slos *slos)
{
    if (figure < COMPARISON_FIGURES)
        return &percentiles_common.list[figure];
    const struct slo *slo = &slos->list[figure - COMPARISON_FIGURES];
    return slo->is_relative ? &slo->percentile : NULL;
}

/* Fills CONTENDER from ROW, whose place among all rows is INDEX, and estimates its
 * figures. If several figures are the same percentile, it is estimated once. Returns 0,
 * or -1 if memory is lacking. */
static int
fill(struct contender *contender, const struct comparison_row *row, int index,
     const struct slos *slos)
{
    struct estimate *estimates = contender->estimates;
    int status = 0;
    contender->row = *row;
    contender->row.rank = 0;
    contender->index = index;

    for (int i = 0; i < COMPARISON_FIGURES + slos->count; i++) {
        const struct percentile *percentile = percentile_of(i, slos);
        int same = 0;
        if (!percentile)
            continue;

        contender->row.figures[i].value = stats_percentile(row->stats, percentile);
        contender->row.figures[i].count = row->stats->latency.count;
        while (same < i &&
               estimates[same].percentile.billionths != percentile->billionths)
            same++;
        if (same < i)
            estimates[i] = estimates[same];
        else
            status |= estimate_make(&estimates[i], row->stats, row->series, percentile);
    }
    return status;
}

/* Fills the figures of ROW: ratios to the FIRST row, and verdicts on relative limits. OWN
 * has the estimates of ROW. */
static void
compare(struct comparison_row *row, const struct contender *own,
        const struct contender *first, const struct slos *slos)
{
    for (int i = 0; i < COMPARISON_FIGURES + slos->count; i++) {
        struct comparison_figure *is = &row->figures[i];
        int64_t reference = first->row.figures[i].value;
        uint64_t reference_count = first->row.figures[i].count;
        if (!percentile_of(i, slos))
            continue;

        if (is->count > reference_count)
            is->count = reference_count;
        is->ratio = reference > 0 ? (double)is->value / (double)reference : 0;
        if (is->ratio > 0)
            is->bounds = estimate_ratio(&own->estimates[i], &first->estimates[i]);
        if (i < COMPARISON_FIGURES)
            continue;

        double limit = 1 + (double)slos->list[i - COMPARISON_FIGURES].limit / SLO_WHOLE;
        is->verdict = is->bounds.is_known && is->bounds.low > limit     ? SLO_BROKEN
                      : is->bounds.is_known && is->bounds.high <= limit ? SLO_MET
                                                                        : SLO_UNKNOWN;
    }
}

/* Returns the class of a row, by which rows are sorted first: 0 if the row can be ranked,
 * 1 if too few of its requests count, 2 if none of its requests counts. */
static int
find_class(const struct contender *contender)
{
    if (contender->estimates[0].dependence.is_known)
        return 0;
    return contender->row.stats->latency.count ? 1 : 2;
}

/* Sorts rows by class, then by rank. Rows without a rank that can be ranked are sorted by
 * their medians. Otherwise, rows stay in the caller's order. */
static int
compare_contenders(const void *left, const void *right)
{
    const struct contender *a = left;
    const struct contender *b = right;
    int class = find_class(a);
    int64_t one = a->row.figures[0].value;
    int64_t other = b->row.figures[0].value;
    if (class != find_class(b))
        return class - find_class(b);
    if (a->row.rank != b->row.rank)
        return a->row.rank - b->row.rank;
    if (class == 0 && a->row.rank == 0 && one != other)
        return one < other ? -1 : 1;
    return a->index - b->index;
}

/* Gives ranks to the COUNT rows that can be ranked, and sorts the rows. Each rank goes to
 * the fastest row without a rank, and to all rows not known to differ from that row. */
static void
rank(struct contender *list, int count)
{
    int place = 0;
    qsort(list, (size_t)count, sizeof(*list), compare_contenders);

    for (int i = 0; i < count && find_class(&list[i]) == 0; i++) {
        if (list[i].row.rank)
            continue;
        list[i].row.rank = ++place;
        for (int k = i + 1; k < count; k++) {
            struct interval ratio = {0};
            if (!list[k].row.rank)
                ratio = estimate_ratio(&list[k].estimates[0], &list[i].estimates[0]);
            if (ratio.is_known && !interval_differs(&ratio))
                list[k].row.rank = place;
        }
    }

    qsort(list, (size_t)count, sizeof(*list), compare_contenders);
}

int
comparison_fill(struct comparison_row *rows, int count, const struct slos *slos,
                bool ranked)
{
    struct contender *list = calloc((size_t)count, sizeof(*list));
    int status = list ? 0 : -1;
    for (int i = 0; i < count && status == 0; i++)
        status = fill(&list[i], &rows[i], i, slos);
    if (status == 0 && ranked)
        rank(list, count);

    for (int i = 0; i < count && status == 0; i++) {
        rows[i] = list[i].row;
        if (i > 0)
            compare(&rows[i], &list[i], &list[0], slos);
    }
    free(list);
    return status;
}

bool
comparison_is_shown(const struct comparison_figure *figure,
                    const struct percentile *percentile)
{
    return figure->count >= percentile_needs(percentile);
}

enum slo_verdict
comparison_check_all(const struct slos *slos, const struct comparison_row *row,
                     const struct comparison_row *reference)
{
    enum slo_verdict verdict = slos_check(slos, row->stats);
    for (int i = 0; i < slos->count && row != reference; i++) {
        enum slo_verdict one = row->figures[COMPARISON_FIGURES + i].verdict;
        if (slos->list[i].is_relative && one > verdict)
            verdict = one;
    }
    return verdict;
}
