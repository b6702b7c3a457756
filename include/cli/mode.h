#ifndef CLI_MODE_H
#define CLI_MODE_H

#include <stdint.h>

/* What a sweep varies. */
enum sweep_kind {
    SWEEP_NONE,
    SWEEP_SIZE,
    SWEEP_THREADS,
    SWEEP_DEPTH,
    SWEEP_INTERVAL,
    SWEEP_RATE
};
#define SWEEP_LAST SWEEP_RATE

/*
 * A sweep (-sweep): a series of runs, called steps. The first step uses the value FROM,
 * and each further step doubles the value, up to TO. A sweep of rates then searches
 * between its steps for the highest rate that meets the limits.
 */
struct sweep {
    enum sweep_kind kind;
    int64_t from,
        to; /* in bytes, threads, requests, ns or requests/s, by kind; 0: not given */
};

/* The words for each kind of sweep; NULL for SWEEP_NONE. */
struct sweep_words {
    const char *name;    /* on the command line: "threads" */
    const char *noun;    /* for people: "number of threads" */
    const char *highest; /* for people: "highest number of threads" */
};
extern const struct sweep_words sweep_kinds[SWEEP_LAST + 1];

/*
 * Prints VALUE of a sweep of KIND for people, such as "16", "64 KiB" or "4 ms", into
 * TEXT, a buffer of UNITS_TEXT bytes. Returns TEXT.
 */
char *sweep_format(enum sweep_kind kind, int64_t value, char *text);

/*
 * Returns the value that follows VALUE in a sweep up to TO: twice VALUE, but at most TO.
 * Returns 0 if VALUE is the last value.
 */
int64_t sweep_next(int64_t value, int64_t to);

/*
 * What the program does with its targets. A command line has exactly one MODE_; a plain
 * MODE_RUN if no option chooses another one. In addition it has any number of the WITH_
 * flags, for features that conflict with some options. The row of an option says which
 * modes and flags accept the option, and which of them the option switches on or off
 * (struct cli_option). The plan checks this (plan/plan.c).
 */
enum cli_mode {
    MODE_RUN = 1 << SWEEP_NONE,
    MODE_SIZES = 1 << SWEEP_SIZE, /* -sweep size; the next four are the other sweeps */
    MODE_THREADS = 1 << SWEEP_THREADS,
    MODE_DEPTHS = 1 << SWEEP_DEPTH,
    MODE_INTERVALS = 1 << SWEEP_INTERVAL,
    MODE_RATES = 1 << SWEEP_RATE,
    MODE_SWEEP = MODE_SIZES | MODE_THREADS | MODE_DEPTHS | MODE_INTERVALS | MODE_RATES,
    MODE_PHASES = 1 << (SWEEP_LAST + 1),     /* -load: three phases, the second with a
                                              * background load */
    MODE_CHECK = 1 << (SWEEP_LAST + 2),      /* -check: a run as a monitoring plug-in */
    MODE_COMPARE = 1 << (SWEEP_LAST + 3),    /* -compare: reads recorded runs, sends no
                                              * requests */
    MODE_BACKGROUND = 1 << (SWEEP_LAST + 4), /* the background load itself: only plans
                                              * made by plan_background have this mode */
    MODE_ANY = (1 << (SWEEP_LAST + 5)) - 1,

    WITH_LOG = 1 << (SWEEP_LAST + 5),       /* -append: writes extend the working file */
    WITH_INFLUX = 1 << (SWEEP_LAST + 6),    /* -influx */
    WITH_ASYNC = 1 << (SWEEP_LAST + 7),     /* -async */
    WITH_NO_EXPORT = 1 << (SWEEP_LAST + 8), /* -check without -prometheus and -hdr */
    WITH_RECORD = 1 << (SWEEP_LAST + 9),    /* -record: a raw line for each request */
    WITH_ANY = WITH_LOG | WITH_INFLUX | WITH_ASYNC | WITH_NO_EXPORT | WITH_RECORD,
};

#endif
