#ifndef SUPPORT_RETURNS_H
#define SUPPORT_RETURNS_H

/*
 * Tests that the program returns to its caller in time, whatever hangs. A test program
 * has a table of runs, and each row is a test with the name of the row. Rows with the
 * same kind of place run in parallel, because they spend their time waiting. The shell
 * functions that run the rows are in returns.sh, which the shell file of the test program
 * reads. If the environment variable IOPING_RETURNS names a file, each row appends a line
 * to it: its name, the seconds until the caller could go on, and the exit status.
 */
#include "support.h"

/* The file system that is mounted at scratch()/NAME for the row NAME alone. */
enum place {
    PLACE_NONE,   /* no file system */
    PLACE_SERVER, /* fuse_server, which shows the folder NAME.files with a file f of 1 MiB
                   */
    PLACE_NAMED,  /* a second server, too: at NAME_named, with a file f. Its source in the
                     mount table is a file of the first server. */
    PLACE_EXT4,
    PLACE_XFS,
};

struct row {
    const char *name;
    enum place place;
    const char
        *hang; /* options of fuse_server; the last gets the file that starts a hang */
    const char
        *when; /* the hang begins when stdout contains this; NULL: before the run */
    const char *arguments; /* arguments of the program */
    const char *unread;    /* streams that nobody reads: 1, 2 or 12; NULL: all are read */
    const char
        *strike; /* signals for the hanging program, such as "INT INT"; NULL: none */
    const char *before; /* a command that runs the program, such as "nohup"; NULL: none */
    int limit;          /* s from the start, or the first signal, to the return; 0: 8 */
    int status;         /* expected exit status, in the form of a shell */
    const char *out, *err; /* regular expressions for stdout and stderr */
    void (*need)(void);    /* a further condition of the test; NULL: none */
};

/* A regular expression: the summary of a target, after other output. */
#define SUMMARY_OF(target)                                                       \
    "\n--- " target " \\([^\n]*\\) ioping statistics ---\n"                      \
    "[0-9]+ requests completed in [^\n]*\n([^\n]*, )?generated [0-9]+ requests " \
    "in [^\n]*\nmin/avg/max/mdev = [^\n]*\n"

/* A regular expression: the line of stderr when the run ends although requests still
 * hang.
 */
#define STILL_WAITING "ioping: [0-9]+ requests? still waiting after [0-9.]+ m?s\n"

/* A regular expression: the line of stdout for a request that took longer than 2 s. */
#define TIMED_OUT ": request=[0-9]+ time>[2-9][.0-9]* s \\(timeout\\)\n"

/* Adds a test for each of COUNT rows. Must be called before main, and only once. */
void returns_add(const struct row *rows, int count);

#endif
