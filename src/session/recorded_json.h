#ifndef SESSION_RECORDED_JSON_H
#define SESSION_RECORDED_JSON_H

#include "base/error.h"

#include <stddef.h>

struct recorded_runs;

/*
 * Adds the next bytes of the present file, the JSON of -J or -JJ: SIZE bytes at BYTES,
 * which may end anywhere. Returns 0, or -1 with ERROR if they are refused or there is not
 * enough memory.
 */
int recorded_json_add(struct recorded_runs *runs, const char *bytes, size_t size,
                      struct error *error);

/* Ends the present file. Returns 0, or -1 with ERROR if it is incomplete or has no
 * requests. */
int recorded_json_end(struct recorded_runs *runs, struct error *error);

#endif
