#ifndef OS_OUTPUT_H
#define OS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Standard streams (1 stdout, 2 stderr), a file in place of one, terminals, and files
 * that are replaced or grow. */

/* Occupies standard streams that are closed, so that no file that is opened later takes
 * their place and gets the output; writing to them still fails. */
void os_stream_guard(void);

/*
 * Writes SIZE bytes to a stream: all of them, and returns 0, or -1 with errno. ETIMEDOUT:
 * nobody reads it, and the time for output is over, see os_monitor_limit; OS_STREAM_STUCK
 * says so. It may wait for a reader without end: then the monitor ends the program. That
 * is so of standard output, unless there is a file of os_stream_open as well.
 */
#define OS_STREAM_STUCK "accepts no more data; given up"
int os_stream_write(int stream, const char *bytes, size_t size);

/* Reads up to SIZE bytes of FD, an open file of any kind or 0, standard input; waits as
 * long as there is nothing to read. Returns how many, 0 at the end, or -1 with errno. */
int64_t os_stream_read(int fd, char *bytes, size_t size);

/*
 * Opens PATH for os_stream_write, or makes it with the mode of the umask; waits for the
 * reader of a FIFO. What the file has stays until os_stream_empty. A standard stream by
 * another name is written to like that one. There is one such stream at a time, which is
 * a descriptor too, and from here on output without a reader has EPIPE and no signal.
 * Returns it, or -1 with errno; EEXIST: in a folder that others may write to, PATH is
 * another user's, or one of several names of a file.
 */
int os_stream_open(const char *path);

/* Returns whether a stream goes to the file of descriptor FD, or to the one at PATH. */
bool os_stream_is_file(int stream, int fd);
bool os_stream_is_path(int stream, const char *path);

/* Truncates a file of os_stream_open, but for that of a standard stream and one that has
 * no size: 0, or -1 with errno. */
int os_stream_empty(int stream);

/* Removes the file of PATH that os_stream_open has made for a stream, if it is empty. */
void os_stream_discard(int stream, const char *path);

/* Closes a stream of os_stream_open: 0, or -1 with errno if what was written is lost. */
int os_stream_close(int stream);

/* Returns true if a stream goes to a terminal. */
bool os_stream_terminal(int stream);

/* Returns true if terminals show text and nothing more, by the environment. */
bool os_terminal_dumb(void);

/* Columns of the terminal that a stream goes to; 0: it goes to none. */
int os_stream_columns(int stream);

/* Returns false if a stream goes to this process's terminal, in the background of it. */
bool os_terminal_foreground(int stream);

/* Returns true if the user's locale has UTF-8, by the environment. */
bool os_locale_utf8(void);

/*
 * Puts a file with SIZE bytes and mode 0644 at PATH, in place of an older one, so that a
 * reader sees the old or the new one, whole; one that is DURABLE after a crash too. It is
 * written beside PATH first, in a temporary file, which os_leftover_begin has meanwhile.
 * The name of that is the name at PATH, cut if it is about as long as the file system
 * allows, then a dot and six other characters. Returns 0, or -1 with errno, and the old
 * one stays; EEXIST: it is not regular, or not empty and without START, up to 64 bytes,
 * in front.
 */
int os_file_replace(const char *path, const char *bytes, size_t size, const char *start,
                    bool durable);

/*
 * Tries whether os_file_replace can replace the file at PATH, by all of it but the last
 * step: a file with SIZE bytes is written beside PATH, and removed again. The file at
 * PATH stays as it is, or missing. Returns 0, or -1 with errno, as for os_file_replace.
 */
int os_file_try(const char *path, const char *bytes, size_t size, const char *start);

/* Removes what killed runs have left of os_file_replace for PATH and START: a file with
 * such a name, of this user, with the mode of one that is not whole, unchanged for a
 * minute and written by nobody. Systems without locks of files keep it. */
void os_file_clean(const char *path, const char *start);

/* Adds SIZE bytes, none or more, to the file at PATH in one go, so that a reader sees
 * whole lines; with DURABLE after a crash too. Returns 0, or -1 with errno, and the file
 * ends where it did; ENOENT: there is none, or it is empty; EEXIST: as above. */
int os_file_append(const char *path, const char *bytes, size_t size, const char *start,
                   bool durable);

#endif
