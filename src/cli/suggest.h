#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes advice about WORD, which is not a valid option, into ADVICE, a buffer of SIZE
 * bytes, such as "did you mean -size?". WORD starts with its dashes and may end with "="
 * and a value. NEXT is the next word of the command line, or NULL. If WORD has no "=",
 * NEXT is taken as its value. Returns false, and makes ADVICE empty, if there is no
 * advice. For safety, an option that makes requests write is only suggested if WORD
 * contains "writ".
 */
bool suggest_option(const char *word, const char *next, char *advice, size_t size);

#endif
