#ifndef SUPPORT_TERMINAL_H
#define SUPPORT_TERMINAL_H

#include "support.h"

/* A command on a pseudo-terminal, and the screen that a user would see. */

#define SCREEN_ROWS 64
#define SCREEN_COLUMNS 256 /* at most */

/*
 * The screen of a terminal that knows no more than the program writes: text in UTF-8,
 * each character one column wide, CR, LF, BS, EL (CSI K) and the colours of SGR (CSI m),
 * as ECMA-48 has them. Any other sequence fails the test. Tests may read all fields.
 */
struct screen {
    int columns;
    int row, column; /* of the cursor; COLUMN is COLUMNS after the last one was filled */
    int wraps;       /* lines that went on in the next row */
    int color;       /* of the next characters: 30 to 37, 0: the default */
    int colors[SCREEN_ROWS][SCREEN_COLUMNS];
    char cells[SCREEN_ROWS][SCREEN_COLUMNS][5]; /* a character each; empty: a blank */
    char part[32]; /* bytes of a character or sequence that is not complete */
    int part_size;
};

/* Clears a screen and gives it COLUMNS, 1 to SCREEN_COLUMNS. */
void screen_begin(struct screen *screen, int columns);

/* Shows SIZE bytes of output; the last may end in the middle of a character. */
void screen_feed(struct screen *screen, const char *bytes, size_t size);

/* Changes the width; the cells beyond it are cleared. */
void screen_resize(struct screen *screen, int columns);

/* Returns the rows up to the last that is not blank, without the blanks at their ends,
 * each with a newline. Allocated. */
char *screen_text(const struct screen *screen);

/* Returns the colour of the first TEXT on the screen, 0: the default; -1: several
 * colours. Fails the test if the text is not there. */
int screen_color(const struct screen *screen, const char *text);

/* A command on a terminal; freed by terminal_free. Too large for a stack. */
struct terminal {
    int fd;
    pid_t child;
    struct screen screen;
    char *bytes; /* all output so far, NUL-terminated */
    size_t size;
    size_t shown; /* bytes of it that the screen has got */
    int status;   /* as in struct result, once it has ended */
};

/*
 * Starts a shell command like command() with all of its standard streams on a terminal of
 * COLUMNS, with TERM=xterm. A program that is to get the keys alone needs an "exec", else
 * the shell gets them too. Skips the test where there are no pseudo-terminals. Call
 * command() only after terminal_end.
 */
void terminal_start(struct terminal *terminal, int columns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Waits until TEXT is on the screen: the output is shown line by line, so that a text is
 * found which was there for a moment only, and the screen is left as it was then. Returns
 * false if the command ends before; fails the test after a minute.
 */
bool terminal_await(struct terminal *terminal, const char *text);

/* Waits as terminal_await does, and fails the test if the command ends before. */
void terminal_wait(struct terminal *terminal, const char *text);

/* Types TEXT, such as "\003" for ^C; no output is flushed by it. */
void terminal_type(struct terminal *terminal, const char *text);

/* Sends a signal to the shell of the command, or to the program after an "exec". */
void terminal_signal(const struct terminal *terminal, int signal);

/* Changes the width of terminal and screen; the command gets SIGWINCH. */
void terminal_resize(struct terminal *terminal, int columns);

/* Waits for the end of the command, a minute at most, and for all of its output; fails
 * the test unless it ends with STATUS. */
void terminal_end(struct terminal *terminal, int status);

/* Counts PART in all output so far. */
int terminal_count(const struct terminal *terminal, const char *part);

/* Closes the terminal and frees the output. */
void terminal_free(struct terminal *terminal);

#endif
