#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes advice about WORD, which is not a valid option, into ADVICE, a buffer of SIZE
 * bytes: the option that the user may have meant, as in "did you mean -size?". WORD
 * starts with its dashes and may end with "=" and a value. Without "=", NEXT is taken for
 * the value: the next word of the command line, or NULL. Returns false, and makes ADVICE
 * empty, if there is no advice. For safety, an option that makes requests write is
 * suggested only if WORD contains "writ".
 */
bool suggest_option(const char *word, const char *next, char *advice, size_t size);

#endif
