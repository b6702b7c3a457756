#ifndef REPORT_COMPARISON_H
#define REPORT_COMPARISON_H

#include <stdbool.h>

/* The comparison of the jobs of a run, or of recorded runs: its rows, and the text of a
 * change against the reference, such as "+18.8 %". Each format prints the comparison in
 * its own way. */

struct comparison_row;
struct interval;
struct job;
struct slos;

/* Returns the rows of a comparison: one for each of COUNT jobs, which must have ended.
 * comparison_fill (stats/comparison.h) fills the rows. It judges them by the relative
 * limits of SLOS and, if RANKED, sorts them by speed, the fastest first. The caller frees
 * the rows. Returns NULL if memory is short. */
struct comparison_row *comparison_make(const struct job *jobs, int count,
                                       const struct slos *slos, bool ranked);

/* size of each text that comparison_describe writes, in bytes */
#define COMPARISON_TEXT 56

/*
 * Describes a change by RATIO, the new value divided by the reference. Writes the change
 * into CHANGE and its confidence interval BOUNDS into TEXT; each has COMPARISON_TEXT
 * bytes. A small change is a percentage, "+18.8 %" and "(+9.2..+27)"; a large one is a
 * factor, "18.8x" and "(12.1x..29.9x)". An interval without an upper bound is "(+12..)",
 * and an unknown one is "(?)".
 */
void comparison_describe(double ratio, const struct interval *bounds, char *change,
                         char *text);

#endif
