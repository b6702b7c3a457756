#ifndef SESSION_RECORDED_RAW_H
#define SESSION_RECORDED_RAW_H

#include "base/error.h"

#include <stddef.h>

struct recorded_runs;

/*
 * Adds the next raw line of the present file: LENGTH bytes at BYTES, without its newline.
 * A carriage return at the end of the line is ignored. Returns 0, or -1 with ERROR.
 */
int recorded_raw_line(struct recorded_runs *runs, const char *bytes, size_t length,
                      struct error *error);

/*
 * Refuses the present line: LENGTH bytes at BYTES. If the line is the first line and
 * begins with the byte order mark of UTF-16, the message says so. Always returns -1, with
 * ERROR.
 */
int recorded_raw_refuse(const struct recorded_runs *runs, const char *bytes,
                        size_t length, struct error *error);

#endif
