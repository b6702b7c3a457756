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
    /* no file system */
    PLACE_NONE,
    /* fuse_server, which shows the folder NAME.files with a file f of 1 MiB */
    PLACE_SERVER,
    /* a second fuse_server, too, at NAME_named and with a file f, whose source in the
     * mount table is a file of the first */
    PLACE_NAMED,
    PLACE_EXT4,
    PLACE_XFS,
};

struct row {
    const char *name;
    enum place place;
    /* options of fuse_server; the last gets the name of the file that starts a hang */
    const char *hang;
    /* the hang begins when stdout contains this text; NULL: before the run */
    const char *when;
    /* arguments of the program */
    const char *arguments;
    /* streams that nobody reads: 1, 2 or 12; NULL: all are read */
    const char *unread;
    /* signals that the program gets when it hangs, such as "INT INT"; NULL: none */
    const char *strike;
    /* a command that runs the program, such as "nohup"; NULL: none */
    const char *before;
    /* s from the start, or from the first signal, to the return to the caller; 0: 8 */
    int limit;
    /* expected exit status, in the form of a shell */
    int status;
    /* regular expressions for stdout and stderr */
    const char *out, *err;
    /* a further condition of the test; NULL: none */
    void (*need)(void);
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
