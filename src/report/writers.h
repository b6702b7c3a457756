#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

struct comparison_row;
struct diagnosis;
struct histogram;
struct plot_diagnosis;
struct run_record;
struct report;
struct sample;

/* The functions that the formats share. A file name at the start of a contract is the
 * file that defines the function. Most functions add to a text: if memory runs out,
 * `failed` of this text becomes true. */

/* The first bytes of every file of Prometheus metrics. An older file is only replaced if
 * it begins with them. */
#define PROMETHEUS_START "# HELP ioping_"

/* The first bytes of every log of histograms (-hdr). An older file is only replaced if it
 * begins with them. */
#define HDR_START "#[Logged by ioping"

/* hdr.c: adds the line of HISTOGRAM to a log, without the tag at its beginning. The line
 * is about the interval from START to END, both in ns since 1970. */
void hdr_line(struct buffer *text, int64_t start, int64_t end,
              const struct histogram *histogram);

/*
 * json_writer.c: writes JSON (RFC 8259), one value at a time. The layout has one value
 * per line, indented by two spaces, as in ioping 1.3, or everything in one line. The
 * parameter NAME of the functions below is the key of a value in an object, and NULL in
 * an array. A name is not escaped.
 */
struct json {
    struct buffer *text;
    bool one_line;  /* everything is in one line; no newlines and no indentation */
    int depth;      /* number of open objects and arrays */
    bool has_value; /* the innermost open object or array has a value already */
};

/* Opens an object ('{') or an array ('['). */
void json_open(struct json *json, const char *name, char bracket);

/* Closes the object ('}') or the array (']') that was opened last. */
void json_close(struct json *json, char bracket);

/* Adds a value that is formatted as by printf(3): a number, true, false, null, or a short
 * text that is JSON already. A text of more than 127 bytes is cut. */
void json_value(struct json *json, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds VALUE as a string, quoted and escaped. A byte that is not UTF-8 becomes U+FFFD. */
void json_string(struct json *json, const char *name, const char *value);

/*
 * json_writer.c: adds VALUE in double quotes, with a backslash before each quote and
 * backslash. Control characters and characters that reorder text are escaped as \uXXXX if
 * FULL_ESCAPES is true, as in JSON. Otherwise the format has no such escapes: newlines
 * become \n, and the other characters become U+FFFD. Bytes that are not UTF-8 always
 * become U+FFFD.
 */
void quoted_add(struct buffer *text, const char *value, bool full_escapes);

/* request_line.c: adds the line of SAMPLE, a request, to the text of REPORT. LABEL is the
 * label of the target, escaped for the terminal. */
void request_line_add(struct report *report, const char *label,
                      const struct sample *sample);

/*
 * table.c: adds the column headers of the table of a sweep. table_row then adds a row for
 * each step. Columns are wide enough for the widest possible values. On a narrow terminal
 * the least useful columns are left out.
 */
void table_head(struct report *report);

/* table.c: adds the row of the step of RECORD. Rates are per second of elapsed time. If
 * steps are judged, the row ends with the verdict: OK, FAIL (red if there are colours),
 * or UNKNOWN if there were too few requests to judge. */
void table_row(struct report *report, const struct run_record *record);

/* table.c: adds the last line of a sweep: the highest step that meets the limits. */
void table_highest(struct report *report, const struct run_record *record);

/* table.c: adds the table of the phases of a run with -load: the column headers, and a
 * row for each phase that has ended. On a narrow terminal columns are left out, and then
 * names get lines of their own. */
void table_phases(struct report *report);

/*
 * comparison.c: adds the comparison: a heading, and a table with a line for each of ROWS.
 * ROWS must be filled by comparison_fill (stats/comparison.h), one for each job of
 * REPORT. The first row is the reference. If there are limits, a column says whether a
 * row meets all of them; FAIL is red if there are colours. Times and IOPS are of the
 * requests that count. On a narrow terminal columns are left out, and then names get
 * lines of their own.
 */
void comparison_format(struct report *report, const struct comparison_row *rows);

/* comparison.c: adds a line for each relative limit, with the verdict on ROW. ROW must be
 * filled and must not be the reference. */
void comparison_limits(struct report *report, const struct comparison_row *row);

/* comparison.c: returns the rows of the comparison, one for each job of REPORT. All jobs
 * must have ended. If report_recorded was given rows, returns these rows, which belong to
 * its caller. Otherwise the first call fills rows, which belong to REPORT. Returns NULL
 * if memory is short; then `failed` of the text of REPORT is true. */
const struct comparison_row *comparison_rows(struct report *report);

/* diagnose.c: adds the diagnosis of REPORT as text for people. */
void diagnosis_print(struct report *report, const struct run_record *record);

/* diagnose.c: adds the object "diagnosis" with DIAGNOSIS. */
void diagnosis_add_object(struct json *json, const struct diagnosis *diagnosis);

/* diagnosis_plot.c: fills FILLED, the input of a plot, from the diagnosis of REPORT, if
 * there is one yet. ANSWER must be empty. It then holds the text that
 * FILLED->answer points to, so it must outlive FILLED. */
void diagnosis_fill_plot(const struct report *report, struct plot_diagnosis *filled,
                         struct buffer *answer);

/*
 * text_histogram.c: adds HISTOGRAM as rows of text, COLUMNS columns wide, or wider if
 * COLUMNS is too small for a bar. A row has the latencies between two powers of two of
 * ns. If there would be few rows, a row has only a half, a quarter, and so on of that
 * range. Adds nothing if HISTOGRAM is empty. If UTF8, bars are made of block characters,
 * otherwise of "#". If CORRECTED, a line says that the latencies are corrected for missed
 * requests.
 */
void text_histogram_add(struct buffer *text, const struct histogram *histogram,
                        bool corrected, int columns, bool utf8);

/* text_histogram.c: adds a bar of LENGTH units, and pads it to WIDTH columns with
 * PADDING, a text that is one column wide. A column has text_histogram_units(UTF8)
 * units. */
void text_histogram_bar(struct buffer *text, int length, int width, const char *padding,
                        bool utf8);

/* Returns the number of units in one column of a bar: 8 if UTF8, because there are block
 * characters for each eighth of a column, otherwise 1. */
static inline int
text_histogram_units(bool utf8)
{
    return utf8 ? 8 : 1;
}

#endif
