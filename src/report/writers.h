#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

struct comparison_row;
struct histogram;
struct run_record;
struct report;
struct sample;

/* The functions that the formats share, file by file. Each function adds to a text. If
 * memory runs out, the text is marked as failed, and nothing else happens. */

/* the first bytes of every file of metrics */
#define PROMETHEUS_START "# HELP ioping_"

/* the first bytes of every log of histograms */
#define HDR_START "#[Logged by ioping"

/* hdr.c: adds a line of a log except its tag, for the interval from START to END, ns
 * since 1970. */
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
    bool one_line;  /* no line ends and no indentation */
    int depth;      /* number of open objects and arrays */
    bool has_value; /* the innermost open object or array has a value already */
};

/* Opens an object ('{') or an array ('['). */
void json_open(struct json *json, const char *name, char bracket);

/* Closes the object ('}') or the array (']') that was opened last. */
void json_close(struct json *json, char bracket);

/* Adds a value that FORMAT and its arguments make: a number, true, false, null, or a text
 * that is JSON already. The value has at most 127 bytes; a longer one is cut. */
void json_value(struct json *json, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a string, quoted and escaped. A byte that is not UTF-8 becomes U+FFFD. */
void json_string(struct json *json, const char *name, const char *value);

/*
 * json_writer.c: adds VALUE in double quotes, and escapes quotes and backslashes. ANY:
 * the format can escape every character, as JSON can, so characters that cannot be
 * displayed are escaped. If false, newlines are escaped and the other ones become U+FFFD.
 */
void quoted_add(struct buffer *text, const char *value, bool any);

/* request_line.c: adds the line of SAMPLE to the text of REPORT. LABEL is the displayed
 * label of the target. */
void request_line_add(struct report *report, const char *label,
                      const struct sample *sample);

/*
 * table.c: adds the head of the table of a sweep, which grows by a row for each step.
 * Columns are wide enough for the widest possible values. On a narrow terminal the least
 * useful columns are left out. Rates are by the clock.
 */
void table_head(struct report *report);

/* table.c: adds the row of a step. If steps are judged, the row ends in the verdict: OK,
 * FAIL, red if there are colours, or UNKNOWN if there were too few requests to judge. */
void table_row(struct report *report, const struct run_record *record);

/* table.c: adds the last line of a sweep: the highest step that meets the limits. */
void table_highest(struct report *report, const struct run_record *record);

/* table.c: adds the table of the phases that have ended, one row for each. On a narrow
 * terminal columns are left out as in the table of a sweep, and names get lines of their
 * own. */
void table_phases(struct report *report);

/*
 * comparison.c: adds a head and a table with one line for each of ROWS, which are filled
 * and belong to the jobs of REPORT. The first row is the reference. If there are limits,
 * a column says whether a row meets all of them; FAIL is red if there are colours. Times
 * and IOPS are of the requests that count. A narrow terminal is treated as by
 * table_phases.
 */
void comparison_format(struct report *report, const struct comparison_row *rows);

/* comparison.c: adds a line for each relative limit, with the verdict on ROW. ROW must be
 * filled and must not be the reference. */
void comparison_limits(struct report *report, const struct comparison_row *row);

/* comparison.c: returns the rows of all jobs of REPORT, which must have ended. The rows
 * are filled at the first call and belong to REPORT. Returns NULL if memory is short;
 * then the text of REPORT is marked as failed. */
const struct comparison_row *comparison_rows(struct report *report);

/*
 * text_histogram.c: adds HISTOGRAM as rows of text, at most COLUMNS columns wide. A row
 * stands for a power of two of latencies or, if that would give few rows, for a half, a
 * quarter, and so on of it. Adds nothing if HISTOGRAM is empty. UTF8: bars are made of
 * block characters, otherwise of "#". CORRECTED: adds a line which says that latencies
 * are corrected for missed requests.
 */
void text_histogram_add(struct buffer *text, const struct histogram *histogram,
                        bool corrected, int columns, bool utf8);

/* text_histogram.c: adds a bar of LENGTH units, and pads it to WIDTH columns with REST, a
 * text that is one column wide. A column has text_histogram_units(UTF8) units. */
void text_histogram_bar(struct buffer *text, int length, int width, const char *rest,
                        bool utf8);

/* Returns the number of units of length in one column of a bar. */
static inline int
text_histogram_units(bool utf8)
{
    return utf8 ? 8 : 1;
}

#endif
