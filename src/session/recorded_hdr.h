#ifndef SESSION_RECORDED_HDR_H
#define SESSION_RECORDED_HDR_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct recorded_runs;

/* Length of the longest line of a log of histograms that is accepted, in bytes without
 * its newline. */
#define RECORDED_HDR_LINE (4 << 20)

/* Returns whether LENGTH bytes at BYTES, the first line of a file or its beginning, are
 * of a log of histograms. */
bool recorded_hdr_is_line(const char *bytes, size_t length);

/*
 * Adds the next line of the present file, a log of histograms in the format of
 * HdrHistogram: LENGTH bytes at BYTES, without its newline. Returns 0, or -1 with ERROR
 * if the line is refused or there is not enough memory.
 */
int recorded_hdr_line(struct recorded_runs *runs, const char *bytes, size_t length,
                      struct error *error);

/* Ends the present file. Adds a note if the unit of its values had to be assumed. Returns
 * 0, or -1 with ERROR if the file has no histogram. */
int recorded_hdr_end(struct recorded_runs *runs, struct error *error);

/* Refuses the present line because it is too long: its beginning has LENGTH bytes at
 * BYTES. Always returns -1, with ERROR. */
int recorded_hdr_refuse(const struct recorded_runs *runs, const char *bytes,
                        size_t length, struct error *error);

#endif
