#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "base/buffer.h"

#include <stdint.h>

enum sweep_kind { SWEEP_NONE, SWEEP_SIZE, SWEEP_THREADS, SWEEP_DEPTH };

/* One run after another, doubling a value from one end to the other. */
struct sweep {
    enum sweep_kind kind;
    int64_t from, to; /* bytes, or how many; 0: not given */
};

/*
 * Reads what to sweep, and perhaps its ends: "size", "threads=2..8", "depth=1..128".
 * Returns NULL, or why it is refused; then SWEEP is not to be used.
 */
const char *sweep_parse(const char *text, struct sweep *sweep);

/* Adds what can be swept to TEXT, a line each. */
void sweep_list(struct buffer *text);

/* What is swept, as a word: size, threads or depth; NULL for nothing. */
const char *sweep_name(enum sweep_kind kind);

/*
 * The value after VALUE: twice that, or TO if it is nearer; 0: VALUE was the last.
 */
int64_t sweep_next(int64_t value, int64_t to);

#endif
