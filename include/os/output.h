#ifndef OS_OUTPUT_H
#define OS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Where output goes: standard streams (1 stdout, 2 stderr), terminals, files. */

/*
 * Occupies standard streams that are closed, so that no file that is opened
 * later takes their place and output cannot end up in it; writing to them still
 * fails.
 */
void os_stream_guard(void);

/* Writes SIZE bytes to a stream, whole or -1 with errno. */
int os_stream_write(int stream, const char *bytes, size_t size);

/* Whether a stream goes to a terminal. */
bool os_stream_terminal(int stream);

/* Whether terminals can show text and nothing more, by the environment. */
bool os_terminal_plain(void);

/* How many columns the terminal has that a stream goes to; 0 if it goes to none. */
int os_stream_columns(int stream);

/* Whether the terminal is this process's to draw on: it is in its foreground, or it has
 * another. */
bool os_terminal_ours(int stream);

/* Whether the user's locale has UTF-8, by the environment. */
bool os_locale_utf8(void);

/*
 * Puts a file with SIZE bytes and mode 0644 at PATH, in place of one that is
 * there, so that whoever reads it sees the old or the new one, whole and, after
 * a crash too, durable. It is written beside PATH first, with a name that ends
 * in six other characters. Returns 0, or -1 with errno, and then nothing new is
 * there; EEXIST: what is there is not a regular file, or it does not begin with
 * START, up to 64 bytes, though it is not empty.
 */
int os_file_replace(const char *path, const char *bytes, size_t size, const char *start);

#endif
