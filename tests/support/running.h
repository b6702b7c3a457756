#ifndef SUPPORT_RUNNING_H
#define SUPPORT_RUNNING_H

/* Output and statuses that several tests of the program expect; their commands are in
 * commands.sh. */

/* The signals that end a run, with its status as the shell has it: after SIGINT the run
 * ends with its own, the others kill the program in the end. */
static const struct ending {
    const char *name;
    int died; /* 128 + the signal; 0: the status is the run's own */
} endings[] = {{"INT", 0}, {"TERM", 143}, {"HUP", 129}};

/* A regular expression: the lines that -hang may add first on a slow machine. */
#define SLOW "^(ioping: [a-z0-9]+: not ready after [0-9.]+ m?s\n)*"

/* A regular expression: the note on missed grid points, where stdout is no terminal. */
#define MISSED                                                                      \
    "ioping: [0-9]+ requests? missed: not sent in time, because earlier ones were " \
    "still in flight\n"

#endif
