#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/buffer.h"
#include "plan/parts.h"
#include "stats/slo.h"

#include <stdint.h>

struct comparison_row;
struct job;
struct plan;

/* The first line of every plot. An old file is only replaced by a new plot if it begins
 * with this line. */
#define PLOT_START "<!-- ioping -->\n"

/* A use of a disk, and whether the target of -diagnose suits it. */
struct plot_use {
    const char *name;    /* "etcd" */
    enum plan_part part; /* the part that measures its figure */
    enum slo_verdict verdict;
    /* The limit of its figure, which the panel of the part shows: ns, or for sequential
     * reads bytes per second. 0: the panel does not show the figure. */
    int64_t limit;
};

#define PLOT_USES 4

/* The result of -diagnose. */
struct plot_diagnosis {
    const char *answer; /* a sentence; NULL: the parts have not ended yet */
    struct plot_use uses[PLOT_USES];
    int use_count;
    /* the value of the step that is the knee of the sweep; 0: unknown, or not reached */
    int64_t knee;
    /* for each part, why it has no figures; used only if no request of the part counts */
    const char *missing[PLAN_PARTS];
};

/* The input of a plot. It must not change while plot_format runs. */
struct plot {
    const struct plan *plan;
    /* One job for each target. If the plan has a sweep, each job must have the steps of
     * its sweep. Otherwise, each job must have statistics and a track. */
    const struct job *jobs;
    int count; /* number of jobs, at least 1 */
    /* The rows of a filled comparison, one for each job, in any order; the first row is
     * the reference. NULL if the jobs are not compared. */
    const struct comparison_row *rows;
    /* Set with -diagnose, else NULL. Then the jobs are the parts of the diagnosis, in
     * their order; the last ones may be missing. */
    const struct plot_diagnosis *diagnosis;
    /* Where and when the plot was made. `host` is the name of the machine, or NULL. The
     * command line is made from the options of the plan. It is left out if there are no
     * options. */
    const char *host;
    int64_t made_at; /* ns since 1970 */
};

/*
 * Adds PLOT to TEXT as an SVG document, which needs no other file. Its headings have the
 * workload, the host, the time, and the result. The plot shows:
 * - for a run without a sweep: latency over time and the distribution of latencies; with
 *   -load, the time of the background load is shaded;
 * - for a sweep of sizes: latency and bandwidth against the request size;
 * - for a sweep of threads or depths: latency against IOPS;
 * - for a sweep of rates or intervals: latency against the offered rate or the interval;
 * - for -diagnose: a panel for each part, with the limits of uses.
 * If no request counts, the plot says so. If memory runs out, TEXT->failed becomes true.
 */
void plot_format(struct buffer *text, const struct plot *plot);

/*
 * Adds when the latencies of JOB, one log of histograms with a time map, were worst: the
 * interval with the highest p99, or the one with the longest latency if no interval has
 * enough requests for p99. Then adds how long there were no requests: "worst from 04:16
 * to 04:17 UTC: p99 23.8 ms; no requests for 15 min in 3 gaps". Adds nothing if there is
 * only one interval.
 */
void plot_log_add_times(struct buffer *text, const struct job *job);

#endif
