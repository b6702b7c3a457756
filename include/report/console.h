#ifndef REPORT_CONSOLE_H
#define REPORT_CONSOLE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/notes.h"

#include <stdint.h>

/*
 * What is said beside the reports. Each writes at once.
 */

/* Writes the notes to stderr and empties them. */
void console_notes(struct notes *notes);

/* Says on stderr that the target at PATH is not ready although WAITED ns have passed. */
void console_slow(const char *path, int64_t waited);

/* Writes an error to stderr, the usage after it where it wants that; returns
 * its exit status. */
int console_error(const struct error *error);

/* Writes what WRITE_TEXT adds to stdout; returns STATUS, or that of a failed
 * run if it could not be written. */
int console_text(void (*write_text)(struct buffer *text), int status);

#endif
