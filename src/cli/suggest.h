#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes advice for WORD, which is no option, into ADVICE of SIZE bytes: the option that
 * the user may have meant, such as "did you mean -size?". WORD begins with its dashes and
 * may go on with "=" and a value; otherwise NEXT, the word after it, is its value (NULL:
 * none). Returns false, with ADVICE empty, if there is no advice. An option that writes
 * is advised only for a word that says so.
 */
bool suggest_option(const char *word, const char *next, char *advice, size_t size);

#endif
