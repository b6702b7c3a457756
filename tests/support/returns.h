#ifndef SUPPORT_RETURNS_H
#define SUPPORT_RETURNS_H

/*
 * Tests that the program returns whatever it meets: tables of runs, each a test with the
 * name of its row. Rows that need the same kind of place run side by side, since they do
 * nothing but wait. Their commands are in returns.sh, which the test program's own file
 * of sh reads. If the environment has IOPING_RETURNS, each row adds a line to that file:
 * name, seconds until the caller went on, status.
 */
#include "support.h"

/* What is mounted at scratch()/NAME for a row, all of it private to the row. */
enum place {
    PLACE_NONE,
    PLACE_SERVER, /* fuse_server, which shows NAME.files with file f of 1 MiB */
    PLACE_NAMED,  /* and at NAME_named another, which the mount table says is on it */
    PLACE_EXT4,
    PLACE_XFS,
};

struct row {
    const char *name;
    enum place place;
    const char *hang; /* of the server: options up to that whose value is the file */
    const char *when; /* what stdout has when it begins; NULL: it is there before */
    const char *arguments;
    const char *unread; /* streams that nobody reads: 1, 2 or 12; NULL: all are read */
    const char *strike; /* signals that it gets once it hangs, such as "INT INT" */
    const char *before; /* a program that runs it */
    int limit;          /* s until the caller goes on, or from the signal; 0: 8 */
    int status;
    const char *out, *err; /* regular expressions */
    void (*need)(void);    /* NULL: nothing more than the place */
};

/* The summary of a target, at the end of stdout or before another. */
#define SUMMARY_OF(target)                                                       \
    "\n--- " target " \\([^\n]*\\) ioping statistics ---\n"                      \
    "[0-9]+ requests completed in [^\n]*\n([^\n]*, )?generated [0-9]+ requests " \
    "in [^\n]*\nmin/avg/max/mdev = [^\n]*\n"

/* A line of stderr when the end of the run did not wait any longer. */
#define STILL_WAITING "ioping: [0-9]+ requests? still waiting after [0-9.]+ m?s\n"

/* A line of stdout for a request that had no answer for 2 s. */
#define TIMED_OUT ": request=[0-9]+ time>[2-9][.0-9]* s \\(timeout\\)\n"

/* Adds a table of COUNT rows to the tests of the program, which has one table: before
 * main. */
void returns_add(const struct row *rows, int count);

#endif
