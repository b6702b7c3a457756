#ifndef PLOT_WORDS_H
#define PLOT_WORDS_H

#include "base/units.h"
#include "cli/mode.h"

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct comparison_figure;
struct comparison_row;
struct job_sweep;
struct plot;
struct slos;
struct stats;

/* The words and values in a plot. words.c: values as texts, and the headings. */

#define PLOT_TEXT 40 /* bytes for the text of a value */
/* The width of a name in the answer of a plot, in characters. */
#define PLOT_ANSWER_NAME 32

/* Writes VALUE into TEXT, as units_format does, but with PLOT_MICRO instead of "us". TEXT
 * must have PLOT_TEXT bytes. Returns TEXT. */
char *plot_value(enum units_kind kind, int64_t value, char *text);

/* Writes VALUE, the value of a step in a sweep of KIND, into TEXT. TEXT must have
 * PLOT_TEXT bytes. Returns TEXT. */
char *plot_swept_value(enum sweep_kind kind, int64_t value, char *text);

/* Adds BEFORE, VALUE as plot_value writes it, and AFTER. */
void plot_add_value(struct buffer *text, const char *before, enum units_kind kind,
                    int64_t value, const char *after);

/* Moves words from REST to LINE, which is empty: as many as fit into COLUMNS characters,
 * but at least one. REST then points to the next word, or to the end. */
void plot_take_line(const char **rest, int columns, struct buffer *line);

/* Adds PLAIN, with PLOT_MICRO for each unit "us" that follows a number. */
void plot_add_micro(struct buffer *text, const char *plain);

/* Adds the limits of SLOS in a form for people, such as "p99 <= 500 µs". */
void plot_add_limits(struct buffer *text, const struct slos *slos);

/* Adds the workload: which requests were sent, and how, such as "random reads of 4 KiB,
 * direct". The I/O mode is left out if the targets have different modes. */
void plot_add_workload(struct buffer *text, const struct plot *plot);

/* Adds numbers of requests, such as "99 requests counted, 1 failed". FAILED and MISSED
 * are left out if they are 0. */
void plot_add_counts(struct buffer *text, uint64_t count, uint64_t failed,
                     uint64_t missed);

/* Adds the numbers of requests of all targets together, and notes about limits and
 * corrections. */
void plot_add_total(struct buffer *text, const struct plot *plot);

/* Adds the numbers of failed and missed requests of all targets together, such as
 * "; 2 failed, 6 missed". Numbers that are 0 are left out. */
void plot_add_losses(struct buffer *text, const struct plot *plot);

/* Adds where and when the plot was made: host, date, version and command line. */
void plot_add_origin(struct buffer *text, const struct plot *plot);

/* answer.c: the result of a plot in a few words. */

/* Adds the answer: what the plot shows, such as "depth 32 meets p99 <= 500 µs: 120 k
 * requests per second". Adds nothing if there is nothing to say beyond the numbers of
 * requests. */
void plot_add_answer(struct buffer *text, const struct plot *plot);

/* log.c: adds the answer for a log of histograms: the percentiles of the whole log, when
 * they were worst, and for how long there were no requests, such as "p50 443 µs, p99 2.27
 * ms; worst from 03:10 to 03:12: p99 45 ms; no requests for 2 h 10 min".
 * With limits, the caller adds their verdict before it, instead of the percentiles. */
void plot_log_add_answer(struct buffer *text, const struct plot *plot);

/* Adds the change of FIGURE, a percentile in a row of a comparison: "28x to 39x", "+9 to
 * +27 %", "may be noise" if the confidence interval includes no change, or "unknown" if
 * the interval has no bound. */
void plot_add_change(struct buffer *text, const struct comparison_figure *figure);

/* Returns the index of the knee of a sweep of sizes: the first step that reaches 90 % of
 * the highest bandwidth. Returns -1 if no request counts. */
int plot_find_knee(const struct job_sweep *sweep);

/* Returns the index of the step that is the answer of the sweep of TARGET. In a sweep of
 * sizes, this is the knee. In other sweeps, it is the highest step that meets the limits.
 * Returns -1 if there is no such step. */
int plot_find_answer(const struct plot *plot, int target);

/* Returns the time that PART took in all requests of STATS together, in ns. */
double plot_part_sum(const struct stats *stats, int part);

/* Returns the row of TARGET in the comparison of PLOT, or NULL if the targets are not
 * compared. */
const struct comparison_row *plot_find_row(const struct plot *plot, int target);

/* Adds RATIO, which is at least 1, as a factor to TEXT, such as "1.4x" or "28x". */
void plot_add_factor(struct buffer *text, double ratio);

/* Adds the verdict of the comparison of PLOT to TEXT: for targets, how much faster the
 * fastest is than the next; for recorded runs, how the last differs from the first. Adds
 * nothing if too few requests count. */
void plot_add_comparison(struct buffer *text, const struct plot *plot);

#endif
