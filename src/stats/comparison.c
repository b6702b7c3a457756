/*
 * The comparison of several series of requests. Each has its replicates (bootstrap.h)
 * made once; any two of them give the interval of their ratio.
 */
#include "stats/comparison.h"

#include <stdlib.h>
#include <string.h>

/* A row while rows are put in order. */
struct contender {
    struct comparison_row row;
    int number; /* its place before */
    struct bootstrap figures[COMPARISON_FIGURES];
};

/* Resamples a row for a percentile. What is corrected has waits that no series has.
 * Returns 0, or -1 without memory. */
static int
resample(struct bootstrap *bootstrap, const struct comparison_row *row,
         const struct percentile *percentile, int number)
{
    bootstrap->known = false;
    if (!row->series || row->stats->every)
        return 0;
    return bootstrap_resample(bootstrap, row->series, percentile, (uint64_t)number + 1);
}

static int
fill(struct contender *contender, const struct comparison_row *row, int number)
{
    int status = 0;
    contender->row = *row;
    contender->number = number;
    for (int i = 0; i < COMPARISON_FIGURES; i++) {
        const struct percentile *percentile = &percentiles_common.list[i];
        contender->row.values[i] = stats_percentile(row->stats, percentile);
        status |= resample(&contender->figures[i], row, percentile, number);
    }
    return status;
}

/* Returns the ratio of two latencies, ns; 0 if there is none. */
static double
divide(int64_t value, int64_t reference)
{
    return reference > 0 ? (double)value / (double)reference : 0;
}

static struct interval
find_ratio(const struct contender *one, const struct contender *reference, int figure)
{
    return bootstrap_ratio(&one->figures[figure], one->row.values[figure],
                           &reference->figures[figure], reference->row.values[figure]);
}

/* Returns where rows stand: those that can be ranked, those of which too few requests are
 * known, those of which none counts. */
static int
find_class(const struct contender *contender)
{
    if (contender->figures[0].known)
        return 0;
    return comparison_counts(&contender->row) ? 1 : 2;
}

/* Equal ones stay in their order, and those that cannot be ranked. */
static int
compare_medians(const void *left, const void *right)
{
    const struct contender *a = left, *b = right;
    int class = find_class(a);
    int64_t one = a->row.values[0], other = b->row.values[0];
    if (class != find_class(b))
        return class - find_class(b);
    if (class == 0 && one != other)
        return one < other ? -1 : 1;
    return a->number - b->number;
}

static int
compare_numbers(const void *left, const void *right)
{
    const struct contender *a = left, *b = right;
    return a->number - b->number;
}

/* Puts the contenders that are not known to differ from the first of them, the fastest,
 * in front of the others, in their own order. Returns how many there are. */
static int
group_first(struct contender *list, int count)
{
    int size = 1;
    for (int i = 1; i < count; i++) {
        struct interval ratio = find_ratio(&list[i], &list[0], 0);
        if (!ratio.known || interval_differs(&ratio))
            continue;
        struct contender same = list[i];
        memmove(&list[size + 1], &list[size], (size_t)(i - size) * sizeof(*list));
        list[size++] = same;
    }
    qsort(list, (size_t)size, sizeof(*list), compare_numbers);
    return size;
}

int
comparison_fill(struct comparison_row *rows, int count, bool ranked)
{
    struct contender *list = calloc((size_t)count, sizeof(*list));
    int status = list ? 0 : -1;
    for (int i = 0; i < count && status == 0; i++)
        status = fill(&list[i], &rows[i], i);
    if (status == 0 && ranked) {
        qsort(list, (size_t)count, sizeof(*list), compare_medians);
        for (int done = 0; done < count;)
            done += group_first(&list[done], count - done);
    }
    for (int i = 0; i < count && status == 0; i++) {
        rows[i] = list[i].row;
        for (int figure = 0; i > 0 && figure < COMPARISON_FIGURES; figure++) {
            rows[i].bounds[figure] = find_ratio(&list[i], &list[0], figure);
            rows[i].ratios[figure] =
                divide(rows[i].values[figure], rows[0].values[figure]);
        }
    }
    free(list);
    return status;
}

/* Returns the ratio of a percentile of two rows, and its bounds as far as these can be
 * had. */
static struct comparison_verdict
compare_percentile(const struct percentile *percentile, const struct comparison_row *row,
                   const struct comparison_row *reference)
{
    struct bootstrap own, first;
    struct comparison_verdict result = {.verdict = SLO_UNKNOWN};
    int64_t value = stats_percentile(row->stats, percentile);
    int64_t before = stats_percentile(reference->stats, percentile);
    for (int i = 0; i < COMPARISON_FIGURES; i++)
        if (percentile->billionths == percentiles_common.list[i].billionths)
            return (struct comparison_verdict){SLO_UNKNOWN, row->ratios[i],
                                               row->bounds[i]};
    result.ratio = divide(value, before);
    if (resample(&own, row, percentile, 1) == 0 &&
        resample(&first, reference, percentile, 0) == 0)
        result.bounds = bootstrap_ratio(&own, value, &first, before);
    return result;
}

struct comparison_verdict
comparison_check(const struct slo *slo, const struct comparison_row *row,
                 const struct comparison_row *reference)
{
    struct comparison_verdict result =
        compare_percentile(&slo->percentile, row, reference);
    double limit = 1 + (double)slo->limit / SLO_WHOLE;
    if (result.bounds.known && result.bounds.low > limit)
        result.verdict = SLO_BROKEN;
    else if (result.bounds.known && result.bounds.high <= limit)
        result.verdict = SLO_MET;
    return result;
}

enum slo_verdict
comparison_check_all(const struct slos *slos, const struct comparison_row *row,
                     const struct comparison_row *reference)
{
    enum slo_verdict verdict = slos_check(slos, row->stats);
    for (int i = 0; i < slos->count && row != reference; i++) {
        const struct slo *slo = &slos->list[i];
        enum slo_verdict one =
            slo->relative ? comparison_check(slo, row, reference).verdict : SLO_MET;
        if (verdict != SLO_BROKEN && one != SLO_MET)
            verdict = one;
    }
    return verdict;
}
