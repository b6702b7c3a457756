#ifndef SUPPORT_RUNNING_H
#define SUPPORT_RUNNING_H

/* What several tests of the program expect; what they do is in commands.sh. */

/* The signals that end a run, and the status that the shell has for a program that does
 * so: SIGINT leaves it what it was, the others are what the program dies by. */
static const struct ending {
    const char *name;
    int died; /* 0: not by the signal */
} endings[] = {{"INT", 0}, {"TERM", 143}, {"HUP", 129}};

/* What a slow machine may add under -hang, before a regular expression for the rest. */
#define SLOW "^(ioping: [a-z0-9]+: not ready after [0-9.]+ m?s\n)*"

/* The line of a run whose summary is not on a terminal, if points of the grid passed. */
#define MISSED "ioping: [0-9]+ requests? w(as|ere) missed: due, and not sent\n"

#endif
