#ifndef SUPPORT_SOURCE_TEXT_H
#define SUPPORT_SOURCE_TEXT_H

/* The program's own sources, for tests of their language. */

/* Returns the folder that has src, include and tests. */
const char *source_folder(void);

/*
 * Reads each file that PATTERN, such as "src/run/?*.c", finds below the folder of the
 * sources, and calls VISIT with its path below that folder and its text. VISIT may change
 * the text. Returns the number of files. The test fails if a file cannot be read.
 */
int source_visit(const char *pattern, void (*visit)(const char *path, char *text));

/* Replaces comments in TEXT by blanks. Newlines stay. */
void source_blank_comments(char *text);

/* Replaces the contents of string literals and character constants in TEXT, which has no
 * comments, by blanks. */
void source_blank_literals(char *text);

#endif
