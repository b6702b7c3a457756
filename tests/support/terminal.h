#ifndef SUPPORT_TERMINAL_H
#define SUPPORT_TERMINAL_H

#include "support.h"

/* A command on a pseudo-terminal, and what one would see on its screen. */

#define SCREEN_ROWS 64
#define SCREEN_COLUMNS 256 /* at most */

/*
 * The screen of a terminal that knows no more than it needs: text in UTF-8, each
 * character one column wide, CR, LF, BS, EL (CSI K) and the colours of SGR (CSI m). What
 * else comes fails the test. All of it can be read.
 */
struct screen {
    int columns;
    int row, column; /* of the cursor; COLUMN is COLUMNS after the last one was filled */
    int wraps;       /* how often a line did not end where it should have */
    int color;       /* of what comes: 30 to 37, 0: the default */
    int colors[SCREEN_ROWS][SCREEN_COLUMNS];
    char cells[SCREEN_ROWS][SCREEN_COLUMNS][5]; /* a character each; empty: a blank */
    char part[32]; /* of a character or sequence that is not complete */
    int part_size;
};

/* Clears it, for so many columns. */
void screen_begin(struct screen *screen, int columns);

/* Shows what was written. */
void screen_feed(struct screen *screen, const char *bytes, size_t size);

/* Makes it so many columns wide; what is beyond is lost. */
void screen_resize(struct screen *screen, int columns);

/* Its rows without the blanks at their ends, each with a newline, up to the last one in
 * which there is something. Allocated. */
char *screen_text(const struct screen *screen);

/* The colour of all of TEXT where it is first, 0: the default; -1: of several colours.
 * Fails the test if it is not there. */
int screen_color(const struct screen *screen, const char *text);

/* A command that runs on one; freed by terminal_free. Static: it is large. */
struct terminal {
    int fd;
    pid_t child;
    struct screen screen;
    char *bytes; /* all that was written to it, NUL-terminated */
    size_t size;
    size_t shown; /* bytes of it; what was written since is shown step by step */
    int status;   /* as in struct result, once it has ended */
};

/*
 * Starts a shell command like command() with all of its standard streams on a terminal of
 * so many columns, which is an "xterm" to it. A command that is to get what is typed
 * needs an "exec", else the shell gets it too. Skips the test where there are no
 * pseudo-terminals. No other test program's command may run meanwhile.
 */
void terminal_start(struct terminal *terminal, int columns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Waits until TEXT is on the screen, even if it was there for a moment only, long before
 * anybody looked; the screen is as it was then. Fails the test after a minute; returns
 * false if the command ends before.
 */
bool terminal_await(struct terminal *terminal, const char *text);

/* The same, and fails the test if the command ends before. */
void terminal_wait(struct terminal *terminal, const char *text);

/* Types TEXT, such as "\003" for ^C, which does not take back what was written. */
void terminal_type(struct terminal *terminal, const char *text);

/* Sends a signal to the command, which is the program only after an "exec". */
void terminal_signal(const struct terminal *terminal, int signal);

/* Makes it so many columns wide, of which the command hears. */
void terminal_resize(struct terminal *terminal, int columns);

/* Waits for the end of the command, a minute at most, and for all that it wrote; fails
 * the test unless its status is as told. */
void terminal_end(struct terminal *terminal, int status);

/* How often PART was written. */
int terminal_count(const struct terminal *terminal, const char *part);

void terminal_free(struct terminal *terminal);

#endif
