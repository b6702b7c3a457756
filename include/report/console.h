#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "base/buffer.h"
#include "base/error.h"
#include "cli/options.h"
#include "stats/stats.h"

#include <stdbool.h>

/* Messages on stderr, texts such as the usage on stdout, and the colours of a terminal.
 * Text is written at once, not buffered. */

/* Writes the notes to stderr, one per line, and empties them. */
void console_notes(struct notes *notes);

/* Writes ERROR to stderr, followed by a line that points to -h if ERROR is a usage error.
 * Returns the exit status of ERROR. */
int console_error(const struct error *error);

/* Calls MAKE_TEXT to make a text, such as the usage, and writes that text to stdout.
 * Returns STATUS. If the text cannot be written, writes an error to stderr and returns
 * EXIT_RUNTIME. */
int console_text(void (*make_text)(struct buffer *text), int status);

/* SGR codes (Select Graphic Rendition, ECMA-48 8.3.117). The codes are for three of the
 * eight basic colours, which every terminal with colours has. */
#define COLOR_SLOW "\033[33m"   /* yellow */
#define COLOR_FAILED "\033[31m" /* red */
#define COLOR_CACHED "\033[35m" /* magenta */

/*
 * Returns true if output to STREAM must be coloured. With COLOR_ALWAYS it always is, with
 * COLOR_NEVER never. With COLOR_AUTO it is coloured on a terminal that understands
 * colours, unless the environment variable NO_COLOR is set and not empty
 * (https://no-color.org).
 */
bool color_wanted(enum color when, int stream);

/* Returns the colour code for a request with VERDICT, or NULL for the default colour. */
const char *color_of(enum verdict verdict);

/* Adds WORD to TEXT in COLOR, then switches back to the default colour. If COLOR is NULL,
 * adds WORD without a colour. */
void color_add(struct buffer *text, const char *color, const char *word);

#endif
