#ifndef CLI_MODE_H
#define CLI_MODE_H

#include <stdint.h>

/* The value that a sweep changes from step to step. */
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
 * A sweep (-sweep): a series of runs, which are called steps. Each step has another
 * value. The first step has the value FROM, and each further step has twice the value of
 * the step before, but at most TO. A sweep of rates then searches between its steps for
 * the highest rate that meets the limits of -slo.
 */
struct sweep {
    enum sweep_kind kind;
    /* The first and the last value: bytes, number of threads, depth, ns, or requests per
     * second, depending on KIND. FROM and TO are 0 if the command line has no range. */
    int64_t from, to;
};

/* The words for each kind of sweep; NULL for SWEEP_NONE. */
struct sweep_words {
    const char *name;    /* on the command line: "threads" */
    const char *noun;    /* for people: "number of threads" */
    const char *highest; /* for people: "highest number of threads" */
};
extern const struct sweep_words sweep_kinds[SWEEP_LAST + 1];

/*
 * Writes VALUE, a value of a sweep of KIND, into TEXT, a buffer of UNITS_TEXT bytes, in
 * the form for people: "16", "64 KiB" or "4 ms". Returns TEXT.
 */
char *sweep_format(enum sweep_kind kind, int64_t value, char *text);

/*
 * Returns the value of the step after the step with VALUE, in a sweep up to TO: twice
 * VALUE, but at most TO. Returns 0 if VALUE is the last value.
 */
int64_t sweep_next(int64_t value, int64_t to);

/*
 * What the program does with its targets. A plan has exactly one mode; a command line
 * without -sweep, -load, -check, -compare and -diagnose has MODE_RUN. Each mode is one
 * bit, so a set of modes is the OR of its modes. Each option has the set of modes that
 * accept it (cli/cli.h).
 */
enum cli_mode {
    MODE_RUN = 1,          /* a plain run */
    MODE_SIZES = 2,        /* -sweep size */
    MODE_THREADS = 4,      /* -sweep threads */
    MODE_DEPTHS = 8,       /* -sweep depth */
    MODE_INTERVALS = 16,   /* -sweep interval */
    MODE_RATES = 32,       /* -sweep rate */
    MODE_PHASES = 64,      /* -load: three phases, the second with a background load */
    MODE_CHECK = 128,      /* -check: a run as a monitoring plug-in */
    MODE_COMPARE = 256,    /* -compare: reads recorded runs, sends no requests */
    MODE_BACKGROUND = 512, /* the background load of -load; only plan_background makes
                            * plans with this mode */
    MODE_DIAGNOSE = 1024,  /* -diagnose: several runs of one target, and an answer */

    /* sets of modes */
    MODE_SWEEP = MODE_SIZES | MODE_THREADS | MODE_DEPTHS | MODE_INTERVALS | MODE_RATES,
    /* the supervisor executes several runs, one after the other */
    MODE_SERIES = MODE_SWEEP | MODE_PHASES | MODE_DIAGNOSE,
    MODE_ANY = MODE_RUN | MODE_SERIES | MODE_CHECK | MODE_COMPARE | MODE_BACKGROUND,
};

#endif
