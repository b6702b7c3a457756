#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

/* The exit statuses of the program. ioping(1), EXIT STATUS, promises them to scripts. */
enum exit_status {
    EXIT_DONE = 0,
    EXIT_USAGE = 1,
    EXIT_PREPARE = 2,
    EXIT_RUNTIME = 3,
    EXIT_INTERRUPTED = 4,
    EXIT_LIMIT = 5,
    EXIT_UNCERTAIN = 6,
};

/*
 * An error, as a value. If a function has a parameter for an error and fails (returns
 * -1), it fills that error. Only main, the session and the reports print errors
 * (report/console.h). `status` is the exit status that the program has because of the
 * error.
 */
struct error {
    char what[512];      /* the option, path or thing that is at fault; may be empty */
    char why[256];       /* the reason, without a full stop */
    char advice[256];    /* what the user can do about the error; may be empty */
    int status;          /* an enum exit_status */
    bool storage_failed; /* the storage itself has failed, see error_is_broken */
};

/* The size of a buffer that holds any line of error_format, including the NUL. */
#define ERROR_LINE 1100

/*
 * Fills ERROR: STATUS is an enum exit_status; WHAT may be NULL for nothing; the reason
 * WHY is formatted as by printf(3). The advice becomes empty. Escapes control characters,
 * and cuts texts that are too long. Always returns -1, so that a function that fails can
 * return the result.
 */
int error_set(struct error *error, int status, const char *what, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Sets the advice of ERROR, which error_set has filled before, to ADVICE: what the user
 * can do. Always returns -1.
 */
int error_advise(struct error *error, const char *advice);

/*
 * Fills ERROR: the file PATH cannot be opened for writing, or cannot be emptied, because
 * of the errno value CODE. The status is EXIT_PREPARE, and the advice is about the path
 * if it is known to be the cause. ENOENT is taken to mean that the directory of PATH does
 * not exist. Always returns -1.
 */
int error_set_file(struct error *error, const char *path, int code);

/*
 * Puts "PATH: " in front of ERROR->what, so that in a run with several targets the
 * message says which target it is about.
 */
void error_prefix(struct error *error, const char *path);

/*
 * Writes the line "ioping: WHAT: WHY; ADVICE", with a newline, into TEXT, a buffer of
 * SIZE bytes (SIZE > 0). Leaves out parts that are empty, and cuts a line that is too
 * long. Returns the number of bytes written, without the final NUL.
 */
int error_format(const struct error *error, char *text, int size);

/*
 * Returns the symbolic name of the errno value CODE, such as "EIO", as a constant string.
 * If the name is unknown, writes "E" and the number into BUFFER, which must have at least
 * 16 bytes, and returns BUFFER.
 */
const char *error_name(int code, char *buffer);

/*
 * Returns true if the errno value CODE means that more data cannot be stored: the device
 * is full, or a quota or the maximum file size is reached.
 */
bool error_is_no_space(int code);

/*
 * Returns true if the errno value CODE means that a device, its file system or the
 * connection to it has failed. Returns false for other reasons, such as a request that
 * the device does not support.
 */
bool error_is_broken(int code);

/*
 * Notes: lines that the user must see although nothing has failed, for example that the
 * program had to use a fallback. Any code can collect notes. Only main, the session and
 * the reports print them, on stderr.
 */
#define NOTES_MAX 24    /* maximum number of lines */
#define NOTES_ROOM 8192 /* maximum size of all lines, with their NULs, in bytes */

/* A zeroed struct has no notes. Must not be copied: `lines` has pointers into `text`. */
struct notes {
    int count;                    /* number of lines */
    int used;                     /* bytes of `text` that are in use */
    const char *lines[NOTES_MAX]; /* the lines, each with a newline and a NUL */
    char text[NOTES_ROOM];
};

/*
 * Adds the line "ioping: WHAT: TEXT" to NOTES, with a newline. WHAT may be NULL for
 * nothing; TEXT is formatted as by printf(3). Escapes control characters, and cuts a text
 * that is too long. Drops the line if NOTES is full.
 */
void notes_add(struct notes *notes, const char *what, const char *text, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Adds each line of MORE to NOTES, unless NOTES has the same line already. The lines that
 * it adds become "ioping: WHAT: TEXT" instead of "ioping: TEXT", unless WHAT is NULL.
 */
void notes_merge(struct notes *notes, const char *what, const struct notes *more);

/* Removes all lines. */
void notes_clear(struct notes *notes);

#endif
