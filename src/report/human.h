#ifndef REPORT_HUMAN_H
#define REPORT_HUMAN_H

struct buffer;
struct job;
struct stats;

/* Adds the line of interim statistics, which a signal such as SIGQUIT asks for. TARGET is
 * the name of the target or phase, or NULL if there is only one. */
void human_interim(struct buffer *text, const char *target, const struct stats *stats);

/* Adds the lines of interim statistics of JOB: a line for each phase that has begun or,
 * if JOB has no phases, a single line. */
void human_interim_job(struct buffer *text, const struct job *job);

#endif
