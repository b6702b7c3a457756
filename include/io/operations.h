#ifndef IO_OPERATIONS_H
#define IO_OPERATIONS_H

/*
 * The operations: reads, writes and flushes. The row of an operation has everything about
 * it that the rest of the program needs: its words for outputs and limits, what it does
 * to data, and its system call. Every operation works on an open descriptor.
 */

#include <stdbool.h>
#include <stdint.h>

struct io_config;
struct io_request;

enum operation {
    OPERATION_READ,
    OPERATION_WRITE,
    /* Must be the last operation: users can choose exactly the operations before it. A
     * flush only follows a write, and the latency of the request includes both. */
    OPERATION_FLUSH,
    OPERATIONS
};

/* Flags that say what an operation does to data. */
enum operation_does {
    OPERATION_READS = 1,  /* bytes go from the target into the buffer of the request */
    OPERATION_WRITES = 2, /* bytes go from the buffer of the request to the target */
    OPERATION_MOVES = OPERATION_READS | OPERATION_WRITES,
    OPERATION_CHANGES = 4, /* data that the target had is lost */
    OPERATION_FLUSHED = 8, /* followed by a flush unless -C is given; the latency of the
                            * request includes the flush */
};

struct operation_row {
    const char *word; /* name in -load, JSON, labels of metrics, and names of limits */
    const char *noun; /* plural noun for people: "reads" */
    const char *amount_suffix; /* text for people after an amount of bytes: " written" */
    const char *arrow;         /* sign between size and target in a request line: "<<<" */
    int flags;                 /* OR-ed enum operation_does */
    /* Makes the system call for io_perform. Returns the number of bytes that were read or
     * written, or -1 with errno. */
    int64_t (*perform)(const struct io_config *config, const struct io_request *request);
};

/* One row for each enum operation. */
extern const struct operation_row operations[OPERATIONS];

#define OPERATION_TURNS 2 /* maximum number of operations in a mix */

/* The operations of a workload, which take turns. All zero: reads only. */
struct operation_mix {
    int extra_count; /* number of operations minus one */
    enum operation turns[OPERATION_TURNS];
};

/* Goes through the mixes that users can choose by a word: stores the mix with INDEX, from
 * 0, in MIX. Returns false if INDEX is not below the number of these mixes. */
bool operation_mix_at(int index, struct operation_mix *mix);

/* Stores in MIX the mix that WORD names. Returns false if there is no such mix. */
bool operation_mix_find(const char *word, struct operation_mix *mix);

/* Returns the word of MIX in -load and in outputs, such as "rw". */
const char *operation_mix_word(const struct operation_mix *mix);

/* Returns a noun for the requests of MIX, such as "writes and reads in turn". */
const char *operation_mix_noun(const struct operation_mix *mix);

/* Returns the index of OPERATION in the turns of MIX, or -1 if MIX does not have it. */
static inline int
operation_mix_turn(const struct operation_mix *mix, enum operation operation)
{
    int turn = mix->extra_count;

    while (turn >= 0 && mix->turns[turn] != operation)
        turn--;
    return turn;
}

/* Returns whether an operation of MIX has at least one of the flags DOES. */
static inline bool
operation_mix_does(const struct operation_mix *mix, enum operation_does does)
{
    for (int i = 0; i <= mix->extra_count; i++)
        if (operations[mix->turns[i]].flags & (int)does)
            return true;
    return false;
}

#endif
