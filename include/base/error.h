#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

/* The exit statuses of the contract. */
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
 * The reason of a refusal. A function that returns -1 has filled one. It is printed above
 * the run alone, by main, the session and the reports (report/console.h), and its status
 * becomes the program's.
 */
struct error {
    char what[512];   /* the option, path or thing; may be empty */
    char why[256];    /* the reason, without a full stop */
    char advice[256]; /* what to do about it; may be empty */
    int status;       /* an enum exit_status */
    bool broken;      /* the storage says that it failed: error_is_broken */
};

/* The size of a buffer for any line that error_format writes, its NUL included. */
#define ERROR_LINE 1100

/*
 * Fill ERROR with STATUS, an enum exit_status, WHAT (NULL: nothing) and a reason in
 * printf form. Control characters are escaped, and text that does not fit is cut. Always
 * returns -1, so that the caller can return it.
 */
int error_set(struct error *error, int status, const char *what, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/* Add ADVICE, what the user can do, to a filled ERROR. Always returns -1. */
int error_advise(struct error *error, const char *advice);

/* Names in front of what a filled ERROR is about that it is about PATH, as there are
 * other such things. */
void error_prefix(struct error *error, const char *path);

/*
 * Write the line "ioping: WHAT: WHY; ADVICE" and a newline into TEXT of SIZE bytes, above
 * 0, cut to fit. Returns the length written, without the NUL.
 */
int error_format(const struct error *error, char *text, int size);

/*
 * Returns the symbolic name of an errno value, such as "EIO"; "E" and the number for one
 * without a name here. The text is constant, or, for a number, stands in BUFFER of at
 * least 16 bytes.
 */
const char *error_name(int code, char *buffer);

/* Returns true if an errno value says that there is no room for more data. */
bool error_is_room(int code);

/* Returns true if an errno value says that a device, its file system or the way to it has
 * failed, rather than that something else was asked of it than it can do. */
bool error_is_broken(int code);

/*
 * Lines that the user must see although nothing failed, such as a fallback. Rooms below
 * collect them; the session and the reports print them on stderr.
 */
#define NOTES_MAX 24
#define NOTES_ROOM 8192

struct notes {
    int count, used;
    const char *line[NOTES_MAX]; /* the first COUNT, in TEXT: it cannot be copied */
    char text[NOTES_ROOM];       /* the first USED bytes */
};

/*
 * Add "ioping: WHAT: TEXT" and a newline, WHAT as in error_set, TEXT in printf form. A
 * line beyond NOTES_MAX or NOTES_ROOM is dropped, one too long is cut.
 */
void notes_add(struct notes *notes, const char *what, const char *text, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the lines of MORE that NOTES has not, each with WHAT in front (NULL: nothing). */
void notes_merge(struct notes *notes, const char *what, const struct notes *more);

/* Drop all lines. */
void notes_clear(struct notes *notes);

#endif
