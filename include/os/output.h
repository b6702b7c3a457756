#ifndef OS_OUTPUT_H
#define OS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Output: the standard streams; a file that takes the place of standard output (-output);
 * terminals; files that are replaced as a whole, and files to which lines are appended. A
 * stream is 1 for standard output, 2 for standard error, or a descriptor that
 * os_stream_open has returned.
 */

/* Ensures that a file that is opened later does not get the number of a closed standard
 * stream. Without this, output for the standard stream would end up in that file. Writes
 * to a closed standard stream still fail. */
void os_stream_guard(void);

/* The message for ETIMEDOUT of os_stream_write. */
#define OS_STREAM_STUCK "accepts no more data; given up"

/*
 * Writes all SIZE bytes to a stream. Returns 0, or -1 with errno. If a disk is full, the
 * bytes that did fit are removed from the end of the file (not on Windows), so that the
 * file still ends with a whole line.
 *
 * A write waits for a slow reader until the time of os_monitor_limit. After that time,
 * the write fails with ETIMEDOUT if the stream is one of these:
 * - standard error;
 * - a file of os_stream_open that is a FIFO or a device;
 * - a stream that another process has made non-blocking;
 * - standard output, in two cases: there is also a file of os_stream_open, or this
 *   process has no monitor (os_monitor_start).
 *
 * A write to any other stream, such as a regular file, may block in the kernel for ever.
 * If it does, the monitor ends the program.
 */
int os_stream_write(int stream, const char *bytes, size_t size);

/* Reads up to SIZE bytes of FD, an open file of any kind or 0 for standard input. Waits
 * until there is something to read. Returns the number of bytes, 0 at the end, or -1 with
 * errno. */
int64_t os_stream_read(int fd, char *bytes, size_t size);

/*
 * Opens the file at PATH for os_stream_write. Creates a missing file with mode 0666
 * less the umask; waits for the reader of a FIFO. The old contents stay until
 * os_stream_empty. If PATH names the file that a standard stream goes to, the new stream
 * is a copy of that stream. Only one stream may be open at a time. After the first call,
 * writing to a pipe without a reader fails with EPIPE instead of raising SIGPIPE.
 *
 * Returns the stream, which is also a descriptor, or -1 with errno. EEXIST: PATH is in a
 * folder that other users may write to, and the file at PATH belongs to neither this user
 * nor the owner of the folder, or has several hard links.
 */
int os_stream_open(const char *path);

/* Returns true if the stream goes to the same file as descriptor FD. */
bool os_stream_is_file(int stream, int fd);

/* Returns true if the stream goes to the file at PATH. */
bool os_stream_is_path(int stream, const char *path);

/* Truncates the file of a stream of os_stream_open. Does nothing if a standard stream
 * goes to the same file, or if the file is a pipe or a device, which have no size.
 * Returns 0, or -1 with errno. */
int os_stream_empty(int stream);

/* Removes the file at PATH, which os_stream_open has created for the stream, if the file
 * is still empty. */
void os_stream_discard(int stream, const char *path);

/* Closes a stream of os_stream_open. Returns 0, or -1 with errno if written data was
 * lost. */
int os_stream_close(int stream);

/* Returns true if the stream goes to a terminal. */
bool os_stream_is_terminal(int stream);

/* Returns true if the environment says that the terminal can show plain text only. */
bool os_terminal_is_dumb(void);

/* Returns the number of columns of the terminal that the stream goes to, 0 if it goes to
 * no terminal. */
int os_stream_columns(int stream);

/* Returns false if the stream goes to the controlling terminal while this process runs in
 * the background; true in all other cases. */
bool os_terminal_is_foreground(int stream);

/* Returns true if the environment says that the user's locale uses UTF-8. */
bool os_locale_is_utf8(void);

/*
 * Puts a file with SIZE bytes and mode 0644 at PATH, in place of an older file. A reader
 * sees either the whole old file or the whole new file, never a part. With DURABLE this
 * also holds after a crash of the machine.
 *
 * The bytes are first written to a temporary file beside PATH. If the process ends early,
 * the temporary file is removed (os_leftover_begin). The name of the temporary file is
 * the name at PATH, then a dot and six characters. If a name of this length is not
 * allowed by the file system, the part from PATH is cut.
 *
 * START is a text of at most 64 bytes with which every file of this kind begins. Returns
 * 0, or -1 with errno and the old file unchanged. EEXIST: the old file is not a regular
 * file, or has contents that do not begin with START.
 */
int os_file_replace(const char *path, const char *bytes, size_t size, const char *start,
                    bool durable);

/* Tests whether os_file_replace could replace the file at PATH: does every step except
 * the last one. Writes a file with SIZE bytes beside PATH and removes it again. The file
 * at PATH does not change. Returns 0, or -1 with the errno of os_file_replace. */
int os_file_try(const char *path, const char *bytes, size_t size, const char *start);

/*
 * Removes the temporary files that os_file_replace has left because a run was killed.
 * PATH and START are the arguments of that os_file_replace. A file is removed if all of
 * this is true:
 * - it has a temporary name for PATH;
 * - it belongs to this user;
 * - it has mode 0600, like every unfinished file;
 * - it has not changed for DEADLINE_LEFTOVER;
 * - no process is writing it.
 *
 * Does nothing on systems without file locks.
 */
void os_file_clean(const char *path, const char *start);

/*
 * Appends SIZE bytes, which may be 0, to the file at PATH by one write, so that a reader
 * sees whole lines. If only a part can be written, the file is cut to its old length.
 * With DURABLE the bytes are on the device when the function returns. Returns 0, or -1
 * with errno. ENOENT: the file is missing or empty. EEXIST: the file is not a regular
 * file or does not begin with START, as for os_file_replace.
 */
int os_file_append(const char *path, const char *bytes, size_t size, const char *start,
                   bool durable);

#endif
