#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "base/buffer.h"
#include "base/error.h"
#include "run/job.h"

/*
 * The answer to a monitoring system that runs the program as a plug-in: one line on
 * stdout, and an exit status of its own (Monitoring Plugins Development Guidelines,
 * https://www.monitoring-plugins.org/doc/guidelines.html, "Plugin Output" and "Plugin
 * Return Codes").
 */

/* The states, whose numbers are exit statuses. */
enum check_state { CHECK_OK, CHECK_WARNING, CHECK_CRITICAL, CHECK_UNKNOWN };

/* The line of an end that comes before there is an answer. */
#define CHECK_UNANSWERED "IOPING UNKNOWN - ended before there was a result\n"

/* Answers that of COUNT JOBS, which have ended, as they are: from the outcome of each.
 * Returns the exit status, that of a lost answer if it cannot be written. */
int check_answer(const struct job *jobs, int count);

/* Says ERROR on stderr, the usage after it where it wants that, and answers with it.
 * Returns the exit status. */
int check_refuse(const struct error *error);

/* Adds the line that answers of COUNT JOBS to TEXT, or that of ERROR. Returns its state.
 */
enum check_state check_add(struct buffer *text, const struct job *jobs, int count);
enum check_state check_add_error(struct buffer *text, const struct error *error);

#endif
