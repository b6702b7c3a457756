#ifndef IO_OPERATIONS_H
#define IO_OPERATIONS_H

/*
 * The operations: what one request does. A row has all that the rest of the program goes
 * by: the words of outputs and limits, what becomes of data, and the system call. All of
 * them work on a descriptor.
 */

#include <stdbool.h>
#include <stdint.h>

struct io_config;
struct io_request;

enum operation {
    OPERATION_READ,
    OPERATION_WRITE,
    OPERATION_FLUSH, /* the last: it follows others, and no request begins with it */
    OPERATIONS
};

/* What an operation does to data. */
enum operation_does {
    OPERATION_READS = 1,  /* bytes go from the target into the buffer of the request */
    OPERATION_WRITES = 2, /* and out of the buffer */
    OPERATION_MOVES = OPERATION_READS | OPERATION_WRITES,
    OPERATION_CHANGES = 4, /* what was there is lost */
    OPERATION_FLUSHED = 8, /* a flush follows, which its time includes, but for -C */
};

struct operation_row {
    const char *word;  /* in -load, JSON, labels of metrics and names of limits */
    const char *noun;  /* what people call several: "reads" */
    const char *done;  /* what becomes of bytes, for people: " written" */
    const char *arrow; /* between size and target in the line of a request */
    int flags;         /* OR-ed enum operation_does */
    /* Makes the system call, see io_perform. Returns bytes, or -1 with errno. */
    int64_t (*perform)(const struct io_config *config, const struct io_request *request);
};

extern const struct operation_row operations[OPERATIONS];

#define OPERATION_TURNS 2 /* operations of a mix, at most */

/* The operations of a workload, which take turns. All zero: reads alone. */
struct operation_mix {
    int extra_count; /* after the first */
    enum operation turns[OPERATION_TURNS];
};

/* Stores in MIX the one with this INDEX, from 0, of those that have a word. Returns false
 * beyond the last. */
bool operation_mix_at(int index, struct operation_mix *mix);

/* Stores in MIX the one that WORD names. Returns false if there is none. */
bool operation_mix_find(const char *word, struct operation_mix *mix);

/* Return the word of MIX, and what people call its requests: "writes and reads in turn".
 */
const char *operation_mix_word(const struct operation_mix *mix);
const char *operation_mix_noun(const struct operation_mix *mix);

/* Returns which turn OPERATION has in MIX, from 0; -1: none. */
static inline int
operation_mix_turn(const struct operation_mix *mix, enum operation operation)
{
    int turn = mix->extra_count;
    while (turn >= 0 && mix->turns[turn] != operation)
        turn--;
    return turn;
}

/* Returns whether some operation of MIX does what DOES says. */
static inline bool
operation_mix_does(const struct operation_mix *mix, enum operation_does does)
{
    bool some = false;
    for (int i = 0; i <= mix->extra_count; i++)
        some |= (operations[mix->turns[i]].flags & (int)does) != 0;
    return some;
}

#endif
