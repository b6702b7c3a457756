#ifndef SESSION_RECORDED_ROWS_H
#define SESSION_RECORDED_ROWS_H

#include "base/buffer.h"
#include "base/error.h"
#include "cli/options.h"
#include "plan/plan.h"

#include <stddef.h>
#include <stdint.h>

struct histogram_series;
struct job;
struct time_map;

/*
 * Recorded runs: files of raw lines (ioping-output(5)) in which each line is about one
 * request, JSON of requests, and logs of histograms in the format of HdrHistogram. They
 * become jobs, which reports and plots show like the jobs of a run. Memory use does not
 * depend on the number of lines.
 *
 * Each job is a row of the comparison. If the lines of a file have names (the eleventh
 * column of a raw line, or the tag of a histogram), the file has one row for each name.
 * If its lines have no names, it has one row.
 */

/* The format of a file, which its first line shows. */
enum recorded_format {
    RECORDED_RAW,  /* recorded_raw.c */
    RECORDED_HDR,  /* recorded_hdr.c */
    RECORDED_JSON, /* recorded_json.c */
};

/* Limit of each sum over all lines of a row. A line that would exceed it is refused, so
 * that no sum overflows. */
#define RECORDED_MAX_SUM (INT64_MAX / 2)

/* The state of the reader of a log of histograms (recorded_hdr.c). */
struct recorded_hdr {
    bool is_ours;       /* ioping wrote the log */
    unsigned units;     /* set of the units that its values may have, by their index */
    int unit;           /* index of the unit that was assumed; valid if `has_unit` */
    bool has_unit;      /* a line with values was read */
    uint64_t intervals; /* number of lines of intervals so far */
    int64_t first_at;   /* begin of the first interval, in ns by the clock of the log */
    int64_t start_time; /* the comment StartTime, ns since 1970; 0 without it */
    int64_t base_time; /* the comment BaseTime, ns since 1970, to which times of intervals
                          are added; 0 without it */
};

/* Length of the longest line that is accepted, in bytes without its newline. Raw lines
 * show the path of a target with control characters escaped, so a byte of the path may
 * take up to four bytes. Any path fits nevertheless. */
#define RECORDED_LINE 32768

/* The state of the reader of JSON (recorded_json.c). */
struct recorded_json {
    struct buffer record; /* beginning of the record whose end is not read yet */
    uint64_t record_line; /* number of the line in which it begins */
    int depth;            /* open objects; 0 between two records */
    bool is_in_string;    /* the next byte is in a string */
    bool is_escaped;      /* the previous byte was the backslash of an escape */
    bool is_array;        /* the records are in an array */
    bool is_closed;       /* the array has ended */
    bool has_record;      /* a record was read */
    bool needs_comma;     /* a comma or the end of the array must follow */
    bool has_comma;       /* a record must follow, because of a comma */
    bool has_statistics;  /* a record of statistics was read */
    uint64_t request_count;
    int64_t first_at; /* start of the first request, ns since 1970 */
};

/* All rows so far, and the state of the file that is being read. */
struct recorded_runs {
    /* Copy of the user's plan, but its targets are the rows. Until recorded_runs_finish,
     * `target_count` of this plan is TARGETS_MAX, because the number of rows is not
     * known. */
    struct plan plan;
    int file_count;   /* number of files, as the user's plan names them */
    struct job *jobs; /* one per row */
    int row_count;    /* number of rows so far */
    /* Names of the rows. The end of a file sets the names of its rows. */
    const char *row_names[TARGETS_MAX];
    char
        *labels[TARGETS_MAX]; /* by row: the name in its lines; empty if they have none */
    /* By row: its histograms over time; NULL if its lines are about requests. */
    struct histogram_series *histograms[TARGETS_MAX];
    struct time_map *time_map; /* latencies over time of the first row; NULL unless it is
                                  of a log of histograms */
    struct notes notes;        /* what the user must know of the files that were read */

    const char *path;     /* path of the present file; "-" is standard input */
    int first_row;        /* index of the first row of the present file */
    uint64_t line_number; /* number of the last line that was read, from 1; 0 before
                           * the first line of the present file */
    enum recorded_format format; /* valid from the first line of the present file on */
    bool is_malformed; /* the present line was refused because it does not have the format
                        * of its file; perhaps it was cut */
    bool lacks_newline; /* the present line is the last one, and has no newline */
    struct recorded_hdr hdr;
    struct recorded_json json;
    struct buffer partial_line; /* beginning of a line whose end is not read yet */
};

/* Reduces the capacity of the series of all rows if there are many files. Call this
 * once, before the first row is made. */
void recorded_share_memory(struct recorded_runs *runs);

/* Returns the name of the present file for messages: its path, or "standard input". */
const char *recorded_source(const struct recorded_runs *runs);

/* Returns the index of the row of the present file whose lines have NAME, which has
 * LENGTH bytes. Makes the row if this is its first line. Returns -1 with ERROR if there
 * are too many rows or there is not enough memory. */
int recorded_row(struct recorded_runs *runs, const char *name, size_t length,
                 struct error *error);

#endif
