#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

struct comparison_row;
struct error;
struct histogram;
struct job;
struct run_record;
struct report;
struct sample;

/*
 * The elements of the formats, file by file. Each function adds to a text; if memory runs
 * out, that is marked as failed.
 */

#define PROMETHEUS_START "# HELP ioping_" /* the first bytes of any metrics */

#define HDR_START "#[Logged by ioping" /* the first bytes of any log */

/* hdr.c: adds a line but for its tag: from START to END, ns since 1970. */
void hdr_line(struct buffer *text, int64_t start, int64_t end,
              const struct histogram *histogram);

/*
 * json_writer.c: JSON (RFC 8259), a value at a time: over lines, indented by two
 * spaces, as ioping 1.3 lays it out, or all in one line. NAME is the key in an
 * object, NULL in an array. A name is not escaped.
 */
struct json {
    struct buffer *text;
    bool one_line;
    int depth;
    bool begun; /* the object or array that is open has a value already */
};

/* Opens an object ('{') or an array ('['), and closes what json_open opened. */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);

/* Adds a value in printf form: a number, true, or one that is JSON already; 127 bytes at
 * the most. */
void json_value(struct json *json, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a string; a byte that is not UTF-8 becomes U+FFFD. */
void json_string(struct json *json, const char *name, const char *value);

/* json_writer.c: adds VALUE in double quotes. What cannot be shown is escaped, if ANY can
 * be, else replaced by U+FFFD, but for newlines. */
void quoted_add(struct buffer *text, const char *value, bool any);

/* request_line.c: adds the line of SAMPLE to the text of REPORT. LABEL is the target's,
 * as it is shown. */
void request_line_add(struct report *report, const char *label,
                      const struct sample *sample);

/*
 * table.c: the table of a sweep, a line each: it grows, so columns have room for the
 * widest values; on a narrow terminal the least useful are left out. Rates are those by
 * the clock. A row ends in FAIL, red where there are colours, if the step broke a limit,
 * or in a question mark if it had too few requests to know. The last line has the highest
 * step that keeps the limits.
 */
void table_head(struct report *report);
void table_row(struct report *report, const struct run_record *record);
void table_highest(struct report *report, const struct run_record *record);

/* table.c: adds the table of the phases so far, a line each; on a narrow terminal like
 * that of a sweep, but names may have lines of their own, too. */
void table_phases(struct report *report);

/*
 * comparison.c: adds a head and a table of ROWS, filled, one for each job of REPORT, with
 * the first as the reference. If there are limits, a column tells if each row keeps them
 * all; in colours a broken one is red. Times and IOPS are those of the requests that
 * count. On a narrow terminal it is as table_phases.
 */
void comparison_format(struct report *report, const struct comparison_row *rows);

/* comparison.c: adds a line for each limit that is relative, with what became of it for
 * ROW, which has been filled and is not the reference. */
void comparison_limits(struct report *report, const struct comparison_row *row);

/* comparison.c: returns the rows of all jobs of REPORT, which have ended; they are filled
 * once, and are the report's. NULL without memory, which is marked in its text. */
const struct comparison_row *comparison_rows(struct report *report);

/* text_histogram.c: the distribution as rows, COLUMNS wide, for each power of two, or
 * half, quarter ... of one where few are hit; nothing for an empty one. Bars are blocks
 * if the terminal has UTF8, else of #. CORRECTED adds a line that says so. */
void text_histogram_add(struct buffer *text, const struct histogram *histogram,
                        bool corrected, int columns, bool utf8);

/* Adds a bar of LENGTH, in units of 1 / text_histogram_units of a column, and pads it
 * with REST, which is one column wide, to WIDTH columns. */
void text_histogram_bar(struct buffer *text, int length, int width, const char *rest,
                        bool utf8);

/* Returns the number of units of length that a column of a bar has. */
static inline int
text_histogram_units(bool utf8)
{
    return utf8 ? 8 : 1;
}

/*
 * check.c: the answer to a monitoring system that runs the program as a plug-in: one line
 * on stdout, and a state whose number is the exit status (Monitoring Plugins Development
 * Guidelines, "Plugin Output" and "Plugin Return Codes").
 */
enum check_state { CHECK_OK, CHECK_WARNING, CHECK_CRITICAL, CHECK_UNKNOWN };

/* The line of an end that comes before there is an answer. */
#define CHECK_UNANSWERED "IOPING UNKNOWN - ended before there was a result\n"

/* Answers that of COUNT JOBS, which have ended, as they are: from the outcome of each.
 * Returns the exit status, that of a lost answer if it cannot be written. */
int check_answer(const struct job *jobs, int count);

/* Writes ERROR to stderr as console_error does, and the plug-in's line for it to standard
 * output. Returns the exit status of the plug-in. */
int check_refuse(const struct error *error);

/* Adds the line that answers of COUNT JOBS to TEXT, or that of ERROR. Returns its state.
 */
enum check_state check_add(struct buffer *text, const struct job *jobs, int count);
enum check_state check_add_error(struct buffer *text, const struct error *error);

#endif
