#ifndef CLI_MODE_H
#define CLI_MODE_H

#include <stdint.h>

enum sweep_kind {
    SWEEP_NONE,
    SWEEP_SIZE,
    SWEEP_THREADS,
    SWEEP_DEPTH,
    SWEEP_INTERVAL,
    SWEEP_RATE
};
#define SWEEP_LAST SWEEP_RATE

/* A sweep: one run after another, doubling a value from one end to the other; that of
 * rates then searches for the highest that is met. */
struct sweep {
    enum sweep_kind kind;
    int64_t from, to; /* bytes, ns, or how many, per second too; 0: not given */
};

/* What is swept, by its kind: its name, what people call it, and the same at its most. */
struct sweep_words {
    const char *name, *noun, *highest; /* NULL for SWEEP_NONE */
};
extern const struct sweep_words sweep_kinds[SWEEP_LAST + 1];

/* Print VALUE of a sweep of this KIND for people, such as "16", "64 KiB" or "4 ms", into
 * TEXT of UNITS_TEXT bytes. Returns TEXT. */
char *sweep_format(enum sweep_kind kind, int64_t value, char *text);

/* Returns the value after VALUE in a sweep up to TO: twice that, or TO if it is nearer;
 * 0: VALUE was the last. */
int64_t sweep_next(int64_t value, int64_t to);

/*
 * What the program does with its targets: a command line chooses one mode. Sets of them,
 * and of what comes on top of a mode, say where an option means something: see
 * struct cli_option.
 */
enum cli_mode {
    MODE_RUN = 1 << SWEEP_NONE,
    MODE_SIZES = 1 << SWEEP_SIZE, /* a sweep of them */
    MODE_THREADS = 1 << SWEEP_THREADS,
    MODE_DEPTHS = 1 << SWEEP_DEPTH,
    MODE_INTERVALS = 1 << SWEEP_INTERVAL,
    MODE_RATES = 1 << SWEEP_RATE,
    MODE_SWEEP = MODE_SIZES | MODE_THREADS | MODE_DEPTHS | MODE_INTERVALS | MODE_RATES,
    MODE_PHASES = 1 << (SWEEP_LAST + 1),     /* three, a background in the second */
    MODE_CHECK = 1 << (SWEEP_LAST + 2),      /* a run that is a plug-in of monitoring */
    MODE_COMPARE = 1 << (SWEEP_LAST + 3),    /* nothing is measured: files are read */
    MODE_BACKGROUND = 1 << (SWEEP_LAST + 4), /* of what runs in the background alone */
    MODE_ANY = (1 << (SWEEP_LAST + 5)) - 1,

    WITH_LOG = 1 << (SWEEP_LAST + 5), /* writes extend the working file */
    WITH_INFLUX = 1 << (SWEEP_LAST + 6),
    WITH_ASYNC = 1 << (SWEEP_LAST + 7),
    WITH_NO_EXPORT = 1 << (SWEEP_LAST + 8), /* a check without metrics and a log */
    WITH_RECORD = 1 << (SWEEP_LAST + 9),    /* each request has a raw line in a file */
    WITH_ANY = WITH_LOG | WITH_INFLUX | WITH_ASYNC | WITH_NO_EXPORT | WITH_RECORD,
};

#endif
