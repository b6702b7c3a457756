#ifndef SUPPORT_TERMINAL_H
#define SUPPORT_TERMINAL_H

#include "support.h"

/* Runs a command on a pseudo-terminal and keeps the screen that a user would see. */

#define SCREEN_ROWS 64
#define SCREEN_COLUMNS 256 /* maximum width */

/*
 * The screen of a terminal that supports only what the program writes: text in UTF-8, the
 * control characters CR, LF and BS, and from ECMA-48 the sequences CUP (CSI H), ED 2
 * (CSI 2 J), EL (CSI K) and the colours of SGR (CSI m). Of the private sequences of xterm
 * it knows 25 (show or hide the cursor) and 1049 (show the alternate screen or the usual
 * one). Background colours are ignored. Each character is one column wide. Any other
 * control character or sequence fails the test. Tests may read all fields.
 */
struct screen {
    int columns; /* width */
    int row;     /* row of the cursor */
    int column;  /* column of the cursor; equals `columns` when the row is full */
    int wraps;   /* how often text was continued in the next row because a row was full */
    int color;   /* SGR colour of the next characters, 30 to 37; 0: the default */
    int colors[SCREEN_ROWS][SCREEN_COLUMNS];
    char cells[SCREEN_ROWS][SCREEN_COLUMNS][5]; /* a character each; empty: a blank */
    bool is_cursor_hidden;
    bool is_alternate;           /* the alternate screen is shown */
    int usual_row, usual_column; /* cursor of the usual screen */
    /* the usual screen, while the alternate one is shown */
    char usual_cells[SCREEN_ROWS][SCREEN_COLUMNS][5];
    char part[32]; /* first bytes of a character or sequence that is not complete yet */
    int part_size;
};

/* Clears a screen and sets its width, 1 to SCREEN_COLUMNS. */
void screen_begin(struct screen *screen, int columns);

/* Shows SIZE bytes of output, which may end in the middle of a character. */
void screen_feed(struct screen *screen, const char *bytes, size_t size);

/* Changes the width and clears the cells beyond it. */
void screen_resize(struct screen *screen, int columns);

/* Returns the text of the screen, allocated: all rows up to the last that is not blank,
 * each without trailing blanks and with a newline. */
char *screen_text(const struct screen *screen);

/* Returns the colour of the first occurrence of TEXT on the screen: 30 to 37, 0 for the
 * default colour, or -1 if its characters have several colours. Fails the test if TEXT is
 * not on the screen. */
int screen_color(const struct screen *screen, const char *text);

/* A command on a terminal. Freed by terminal_free. Too large for a stack. */
struct terminal {
    int fd; /* the side of the pseudo-terminal that stands for the user */
    pid_t child;
    struct screen screen;
    char *bytes;  /* all output so far, NUL-terminated */
    size_t size;  /* number of these bytes */
    size_t shown; /* number of these bytes that are on the screen already */
    int status;   /* status of the command after terminal_end, as in struct result */
};

/*
 * Starts a shell command, written as for command(), with its standard streams on a
 * terminal of COLUMNS columns and with TERM=xterm. A key such as ^C reaches the shell and
 * the program. Begin the command with "exec" if only the program may get it. Skips the
 * test if the system has no pseudo-terminals. Do not call command() before terminal_end.
 */
void terminal_start(struct terminal *terminal, int columns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Waits until TEXT is on the screen. Output is shown line by line, and the screen stays
 * as it was when TEXT was found. So even a text that is soon overwritten is found.
 * Returns false if the command ends before. Fails the test after a minute.
 */
bool terminal_await(struct terminal *terminal, const char *text);

/* Waits as terminal_await does, and fails the test if the command ends before. */
void terminal_wait(struct terminal *terminal, const char *text);

/* Types TEXT, such as "\003" for ^C. Output that has not been read yet is kept. */
void terminal_type(struct terminal *terminal, const char *text);

/* Sends a signal to the shell of the command, or to the program if the command began with
 * "exec". */
void terminal_signal(const struct terminal *terminal, int signal);

/* Changes the width of the terminal and of the screen. The command gets SIGWINCH. */
void terminal_resize(struct terminal *terminal, int columns);

/* Waits at most a minute for the end of the command and shows all of its output. Fails
 * the test unless the command ends with STATUS. */
void terminal_end(struct terminal *terminal, int status);

/* Returns how often PART occurs in all output so far. */
int terminal_count(const struct terminal *terminal, const char *part);

/* Closes the terminal and frees the output. */
void terminal_free(struct terminal *terminal);

#endif
