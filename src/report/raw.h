#ifndef REPORT_RAW_H
#define REPORT_RAW_H

struct report;
struct run_record;

/* Adds a raw line, the format of -batch. The text for people uses this format, too, for
 * periods (-p, -P). ioping-output(5) describes the line: the value of the step in a
 * sweep, ten integers, and at the end the name of the current target, if there are
 * several, or of the current phase. */
void raw_line(struct report *report, const struct run_record *record);

#endif
