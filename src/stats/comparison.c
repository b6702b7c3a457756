/*
 * The comparison of several targets or recorded runs, one row for each.
 *
 * First, each percentile of each row is estimated once (stats/interval.h). Any two
 * estimates then give the interval of their ratio. A row is slower or faster than another
 * row only if this interval excludes 1.
 *
 * For ranks, the rows are sorted by their medians. Each rank goes to the fastest row that
 * has no rank yet, and to all rows without a rank that are not known to differ from it.
 */
#include "stats/comparison.h"

#include "base/units.h"
#include "stats/histogram_series.h"

#include <inttypes.h>
#include <stdlib.h>

/* The class of a row, by which rows are sorted first. */
enum row_class {
    ROW_RANKABLE,
    /* too few requests count to tell how much they depend on each other
     * (stats/dependence.h), so the interval of the median is not known */
    ROW_TOO_FEW,
    ROW_EMPTY, /* no request counts */
};

/* A row with its estimates, while the rows are compared. */
struct contender {
    struct comparison_row row;
    int index; /* index of the row in the caller's order */
    /* One estimate for each figure, with the index of the figure. */
    struct estimate estimates[COMPARISON_FIGURES + SLOS_MAX];
};

/* Returns the percentile that the figure with index FIGURE compares: a common percentile,
 * or the percentile of a relative limit. Returns NULL if the figure belongs to a limit
 * that is not relative. */
static const struct percentile *
find_compared_percentile(int figure, const struct slos *slos)
{
    if (figure < COMPARISON_FIGURES)
        return &percentiles_common.list[figure];
    const struct slo *slo = &slos->list[figure - COMPARISON_FIGURES];
    return slo->is_relative ? &slo->percentile : NULL;
}

/* Returns the first of COUNT estimates that is for PERCENTILE, or NULL if there is none.
 */
static const struct estimate *
find_estimate(const struct estimate *estimates, int count,
              const struct percentile *percentile)
{
    for (int i = 0; i < count; i++)
        if (estimates[i].percentile.billionths == percentile->billionths)
            return &estimates[i];
    return NULL;
}

/* Copies ROW, which has INDEX among all rows, to CONTENDER, and estimates its figures. A
 * percentile that several figures have is estimated once. Returns 0, or -1 if memory is
 * lacking. */
static int
estimate_row(struct contender *contender, const struct comparison_row *row, int index,
             const struct slos *slos)
{
    struct estimate *estimates = contender->estimates;
    contender->row = *row;
    contender->row.rank = 0;
    contender->index = index;

    for (int i = 0; i < COMPARISON_FIGURES + slos->count; i++) {
        const struct percentile *percentile = find_compared_percentile(i, slos);
        if (!percentile)
            continue;

        contender->row.figures[i].value = stats_percentile(row->stats, percentile);
        contender->row.figures[i].count = row->stats->latency.count;
        const struct estimate *same = find_estimate(estimates, i, percentile);
        if (same)
            estimates[i] = *same;
        else if (estimate_make(&estimates[i], row->stats, row->series, percentile) < 0)
            return -1;
    }
    return 0;
}

/* Returns the verdict on the relative limit of SLO. BOUNDS are the bounds of the ratio.
 */
static enum slo_verdict
judge_ratio(const struct interval *bounds, const struct slo *slo)
{
    double limit = 1 + (double)slo->limit / SLO_HUNDRED_PERCENT;
    if (bounds->is_known && bounds->low > limit)
        return SLO_BROKEN;
    if (bounds->is_known && bounds->high <= limit)
        return SLO_MET;
    return SLO_UNKNOWN;
}

/* Stores in FIGURE how much longer the log of histograms of ROW should be, if the
 * estimate with INDEX of ROW needs a longer log than FIGURE has stored so far. */
static void
store_min_intervals(struct comparison_figure *figure, const struct contender *row,
                    int index)
{
    uint64_t min_intervals = row->estimates[index].dependence.min_intervals;

    if (min_intervals <= figure->min_intervals)
        return;
    figure->interval_count = row->row.series->histograms->interval_count;
    figure->min_intervals = min_intervals;
}

/* Fills the figures of ROW: the ratios to the first row, and the verdicts on relative
 * limits. CONTENDER has the estimates of ROW, and FIRST those of the first row. */
static void
compare_with_first(struct comparison_row *row, const struct contender *contender,
                   const struct contender *first, const struct slos *slos)
{
    for (int i = 0; i < COMPARISON_FIGURES + slos->count; i++) {
        struct comparison_figure *figure = &row->figures[i];
        const struct comparison_figure *reference = &first->row.figures[i];
        if (!find_compared_percentile(i, slos))
            continue;

        if (figure->count > reference->count)
            figure->count = reference->count;
        figure->ratio = 0;
        if (reference->value > 0)
            figure->ratio = (double)figure->value / (double)reference->value;
        if (figure->ratio > 0)
            figure->bounds =
                estimate_ratio(&contender->estimates[i], &first->estimates[i]);
        store_min_intervals(figure, contender, i);
        store_min_intervals(figure, first, i);
        if (i >= COMPARISON_FIGURES)
            figure->verdict =
                judge_ratio(&figure->bounds, &slos->list[i - COMPARISON_FIGURES]);
    }
}

static enum row_class
find_class(const struct contender *contender)
{
    if (contender->estimates[0].dependence.is_known)
        return ROW_RANKABLE;
    return contender->row.stats->latency.count ? ROW_TOO_FEW : ROW_EMPTY;
}

/* Sorts rows by class, then by rank. Rankable rows that have no rank yet are sorted by
 * their medians. Otherwise, rows stay in the caller's order. */
static int
compare_contenders(const void *left, const void *right)
{
    const struct contender *a = left;
    const struct contender *b = right;
    enum row_class class = find_class(a);
    int64_t a_median = a->row.figures[0].value;
    int64_t b_median = b->row.figures[0].value;

    if (class != find_class(b))
        return class < find_class(b) ? -1 : 1;
    if (a->row.rank != b->row.rank)
        return a->row.rank - b->row.rank;
    if (class == ROW_RANKABLE && a->row.rank == 0 && a_median != b_median)
        return a_median < b_median ? -1 : 1;
    return a->index - b->index;
}

/* Gives ranks to the rankable ones of COUNT rows, and sorts all rows. */
static void
rank_rows(struct contender *list, int count)
{
    int place = 0;
    qsort(list, (size_t)count, sizeof(*list), compare_contenders);

    for (int i = 0; i < count; i++) {
        if (find_class(&list[i]) != ROW_RANKABLE)
            break;
        if (list[i].row.rank)
            continue;

        list[i].row.rank = ++place;
        for (int k = i + 1; k < count; k++) {
            if (list[k].row.rank)
                continue;
            struct interval ratio =
                estimate_ratio(&list[k].estimates[0], &list[i].estimates[0]);
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
    if (!list)
        return -1;
    for (int i = 0; i < count; i++)
        if (estimate_row(&list[i], &rows[i], i, slos) < 0) {
            free(list);
            return -1;
        }

    if (ranked)
        rank_rows(list, count);
    for (int i = 0; i < count; i++) {
        rows[i] = list[i].row;
        if (i > 0)
            compare_with_first(&rows[i], &list[i], &list[0], slos);
    }
    free(list);
    return 0;
}

bool
comparison_is_shown(const struct comparison_figure *figure,
                    const struct percentile *percentile)
{
    return figure->count >= percentile_min_samples(percentile);
}

void
comparison_add_reason(struct buffer *text, const struct comparison_figure *figure,
                      const struct stats *stats)
{
    if (stats->corrected_interval)
        buffer_text(text, "percentiles are corrected (leave out -corrected)");
    else if (figure && figure->min_intervals > 0)
        buffer_format(
            text, "%" PRIu64 " %s too few (record at least %" PRIu64 ")",
            figure->interval_count,
            units_plural(figure->interval_count, "interval is", "intervals are"),
            figure->min_intervals);
    else
        buffer_text(text, "too few independent requests (run longer)");
}

enum slo_verdict
comparison_check_all(const struct slos *slos, const struct comparison_row *row,
                     const struct comparison_row *reference)
{
    enum slo_verdict worst = slos_check(slos, row->stats);
    if (row == reference)
        return worst;

    for (int i = 0; i < slos->count; i++) {
        enum slo_verdict verdict = row->figures[COMPARISON_FIGURES + i].verdict;
        if (slos->list[i].is_relative && verdict > worst)
            worst = verdict;
    }
    return worst;
}
