#ifndef REPORT_RAW_H
#define REPORT_RAW_H

struct report;
struct run_record;

/* Adds a raw line, the format of -batch. The text for people uses this format, too, for
 * periods (-p, -P). ioping-output(5) describes the line. In a sweep, the line begins with
 * the value of the step. Ten integers follow. At the end stand the path of the current
 * target if there are several targets, and the name of the current phase if there are
 * phases. */
void raw_line(struct report *report, const struct run_record *record);

#endif
