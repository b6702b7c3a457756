#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

struct buffer;
struct error;
struct job;

/* A monitoring system runs the program as a plug-in (-check). The answer is one line on
 * stdout, and the exit status (Monitoring Plugins Development Guidelines, "Plugin Output"
 * and "Plugin Return Codes"). */

/* The states that a plug-in can report. Their numbers are the exit statuses. */
enum check_state { CHECK_OK, CHECK_WARNING, CHECK_CRITICAL, CHECK_UNKNOWN };

/* The line that a plug-in prints if it ends before it has an answer. */
#define CHECK_UNANSWERED "IOPING UNKNOWN - ended before there was a result\n"

/* Writes the line about COUNT jobs, which have ended, to stdout. Returns the exit status
 * of the plug-in, which is CHECK_UNKNOWN if the line cannot be written. */
int check_answer(const struct job *jobs, int count);

/* Writes ERROR to stderr, as console_error does, and the line of the plug-in about it to
 * stdout. Returns the exit status of the plug-in. */
int check_refuse(const struct error *error);

/* Adds the line about COUNT jobs, which have ended, to TEXT. Returns the state. */
enum check_state check_add(struct buffer *text, const struct job *jobs, int count);

/* Adds the line about ERROR to TEXT. Returns the state. */
enum check_state check_add_error(struct buffer *text, const struct error *error);

#endif
