#ifndef CLI_SPELLING_H
#define CLI_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#define SPELLING_MAX 32 /* maximum letters of a word whose spelling is compared */

/*
 * Returns the edit distance between the LENGTH letters at WORD and NAME: the number of
 * letters to insert, delete, replace, or exchange with their neighbour, to turn WORD into
 * NAME. LENGTH must be at most SPELLING_MAX.
 */
int spelling_count_edits(const char *word, size_t length, const char *name);

/*
 * Writes advice about WORD, which is not the name of a figure, into ADVICE, a buffer of
 * SIZE bytes, such as "did you mean p99?". LIST has the names to choose from, one on each
 * line, and ends with a newline; a name ends before an equals sign. Upper case and lower
 * case are the same. Returns false, and leaves ADVICE as it is, if there is no advice.
 */
bool spelling_suggest_figure(const char *word, const char *list, char *advice,
                             size_t size);

#endif
