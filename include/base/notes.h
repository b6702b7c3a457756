#ifndef BASE_NOTES_H
#define BASE_NOTES_H

#include "base/error.h"

/*
 * What the user must know although nothing failed, such as a fallback: a few
 * lines that rooms below leave for the top to print on stderr.
 */
#define NOTES_MAX 24

struct notes {
    int count;
    char line[NOTES_MAX][ERROR_LINE]; /* the first COUNT; the rest may be anything */
};

/*
 * Adds "ioping: WHAT: TEXT" and a newline, TEXT in printf form; control
 * characters of WHAT are escaped. A line too many is dropped, one too long cut.
 */
void notes_add(struct notes *notes, const char *what, const char *text, ...)
    __attribute__((format(printf, 3, 4)));

#endif
