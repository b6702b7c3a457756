#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "base/buffer.h"
#include "base/error.h"
#include "cli/options.h"
#include "stats/stats.h"

#include <stdbool.h>

/*
 * The messages beside the reports, each of which is written at once, and the colours of a
 * terminal.
 */

/* Writes the notes to stderr and empties them. */
void console_notes(struct notes *notes);

/* Writes an error to stderr, and after a usage error a line that points to -h. Returns
 * the exit status of the error. */
int console_error(const struct error *error);

/* Writes the text that WRITE_TEXT makes to stdout; returns STATUS, or that of a failed
 * run if it could not be written. */
int console_text(void (*write_text)(struct buffer *text), int status);

/* Colours that all palettes have: Select Graphic Rendition, ECMA-48 8.3.117. */
#define COLOR_SLOW "\033[33m"   /* yellow */
#define COLOR_FAILED "\033[31m" /* red */
#define COLOR_CACHED "\033[35m" /* magenta */

/*
 * Returns true if the output to STREAM is coloured: as WHEN says or, if that is left
 * open, on a terminal that is not a plain one, unless the environment has NO_COLOR
 * (https://no-color.org).
 */
bool color_wanted(enum color when, int stream);

/* Returns the colour of a request with this verdict; NULL: none. */
const char *color_of(enum verdict verdict);

/* Adds WORD to TEXT in COLOR, and returns to the default; NULL: it has none. */
void color_add(struct buffer *text, const char *color, const char *word);

#endif
