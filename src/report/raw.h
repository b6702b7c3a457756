#ifndef REPORT_RAW_H
#define REPORT_RAW_H

struct report;
struct run_record;

/* Adds a raw line, the format of -batch, which ioping-output(5) describes. The line has
 * up to four parts: the swept value, in a sweep; ten integers; the path of the current
 * target, if there are several targets; and the current phase, if there are phases. */
void raw_line(struct report *report, const struct run_record *record);

#endif
