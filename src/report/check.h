#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

struct buffer;
struct error;
struct job;

/* The answer to a monitoring system that runs the program as a plug-in: one line
 * on stdout and the exit status, which is the number of the state (Monitoring Plugins
 * Development Guidelines, "Plugin Output" and "Plugin Return Codes"). */
enum check_state { CHECK_OK, CHECK_WARNING, CHECK_CRITICAL, CHECK_UNKNOWN };

/* The line that is printed if the program ends before it has an answer. */
#define CHECK_UNANSWERED "IOPING UNKNOWN - ended before there was a result\n"

/* Writes the line about COUNT jobs that have ended, from their outcomes, to stdout.
 * Returns the exit status of the plug-in: CHECK_UNKNOWN if the line cannot be written. */
int check_answer(const struct job *jobs, int count);

/* Writes ERROR to stderr, as console_error does, and the line of the plug-in about it to
 * stdout. Returns the exit status of the plug-in. */
int check_refuse(const struct error *error);

/* Adds the line about COUNT jobs that have ended to TEXT. Returns the state. */
enum check_state check_add(struct buffer *text, const struct job *jobs, int count);

/* Adds the line about ERROR to TEXT. Returns the state. */
enum check_state check_add_error(struct buffer *text, const struct error *error);

#endif
