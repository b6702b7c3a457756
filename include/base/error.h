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
 * An error, as a value. A function that returns -1 and has a parameter for an error has
 * filled that error. Only main, the session and the reports print errors
 * (report/console.h); `status` then becomes the exit status of the program.
 */
struct error {
    char what[512];   /* the option, path or thing that is at fault; may be empty */
    char why[256];    /* the reason, without a full stop */
    char advice[256]; /* what the user can do about the error; may be empty */
    int status;       /* an enum exit_status */
    bool broken;      /* the storage itself failed, see error_is_broken */
};

/* The size of a buffer that holds any line of error_format, including the NUL. */
#define ERROR_LINE 1100

/*
 * Fills ERROR with STATUS (an enum exit_status), WHAT (NULL for nothing) and the reason,
 * which is formatted as by printf(3). The advice is empty. Escapes control characters,
 * and cuts texts that are too long. Always returns -1, so that the caller can return the
 * result.
 */
int error_set(struct error *error, int status, const char *what, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Sets the advice of ERROR, which error_set has filled, to ADVICE: what the user can do.
 * Always returns -1.
 */
int error_advise(struct error *error, const char *advice);

/*
 * Puts "PATH: " in front of ERROR->what, for programs with several targets, so that the
 * message says which target it is about.
 */
void error_prefix(struct error *error, const char *path);

/*
 * Writes the line "ioping: WHAT: WHY; ADVICE" and a newline into TEXT, a buffer of SIZE
 * bytes (SIZE > 0). Empty parts are left out; a line that is too long is cut. Returns the
 * number of bytes written, without the NUL.
 */
int error_format(const struct error *error, char *text, int size);

/*
 * Returns the symbolic name of the errno value CODE, such as "EIO", as a constant string.
 * If the name is not known, returns "E" and the number, in BUFFER, which must have at
 * least 16 bytes.
 */
const char *error_name(int code, char *buffer);

/*
 * Returns true if the errno value CODE means that more data cannot be stored: the device
 * is full, or a quota or the maximum file size is reached.
 */
bool error_is_room(int code);

/*
 * Returns true if the errno value CODE means that a device, its file system or the
 * connection to it has failed. Returns false for other reasons, such as a request that
 * the device does not support.
 */
bool error_is_broken(int code);

/*
 * Notes: lines that the user must see although nothing failed, for example that the
 * program had to use a fallback. Any code can collect notes; only main, the session and
 * the reports print them, on stderr.
 */
#define NOTES_MAX 24    /* lines */
#define NOTES_ROOM 8192 /* bytes of all lines, with their NULs */

/* A zeroed struct has no notes. Must not be copied, because `line` points into `text`. */
struct notes {
    int count;                   /* lines */
    int used;                    /* bytes of text */
    const char *line[NOTES_MAX]; /* the lines, each with a newline and a NUL */
    char text[NOTES_ROOM];
};

/*
 * Adds the line "ioping: WHAT: TEXT" and a newline. WHAT may be NULL for nothing; TEXT is
 * formatted as by printf(3). Control characters are escaped, and a text that is too long
 * is cut. Drops the line if NOTES is full.
 */
void notes_add(struct notes *notes, const char *what, const char *text, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Adds each line of MORE to NOTES, unless NOTES already has the same line. Puts "WHAT: "
 * in front of the text of each line that it adds, unless WHAT is NULL.
 */
void notes_merge(struct notes *notes, const char *what, const struct notes *more);

/* Removes all lines. */
void notes_clear(struct notes *notes);

#endif
