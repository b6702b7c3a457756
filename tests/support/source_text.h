#ifndef SUPPORT_SOURCE_TEXT_H
#define SUPPORT_SOURCE_TEXT_H

/* The sources of the program and of its tests, for tests of their language. */

/* Returns the folder that contains src, include and tests. */
const char *source_folder(void);

/*
 * Reads each file below source_folder() that matches PATTERN, such as "src/run/?*.c".
 * Calls VISIT with the path of the file below that folder, and with its text, which VISIT
 * may change. Returns the number of files. Fails the test if there is no such file or one
 * cannot be read.
 */
int source_visit(const char *pattern, void (*visit)(const char *path, char *text));

/* Replaces comments in TEXT by blanks. Newlines inside comments are kept. */
void source_blank_comments(char *text);

/* Replaces the contents of string literals and character constants in TEXT by blanks.
 * TEXT must have no comments. */
void source_blank_literals(char *text);

#endif
