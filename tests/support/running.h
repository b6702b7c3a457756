#ifndef SUPPORT_RUNNING_H
#define SUPPORT_RUNNING_H

/* Outputs and statuses that several tests of the program expect. The shell functions of
 * these tests are in commands.sh. */

/* The signals that end a run. After SIGINT the program exits with the status of its run.
 * After the others it ends by the signal itself, once it has printed its summary. */
static const struct ending {
    const char *name;
    int died; /* status in the form of a shell: 128 + the signal; 0: the run's own status
               */
} endings[] = {{"INT", 0}, {"TERM", 143}, {"HUP", 129}};

/* A regular expression: the lines that -hang may print first on a slow machine. */
#define SLOW "^(ioping: [a-z0-9]+: not ready after [0-9.]+ m?s\n)*"

/* A regular expression: the note on missed requests, if stdout is not a terminal. */
#define MISSED                                                                      \
    "ioping: [0-9]+ requests? missed: not sent in time, because earlier ones were " \
    "still in flight\n"

#endif
