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
};

/*
 * Why something was refused. Whoever returns -1 has filled one; only main
 * prints it and leaves the program with its status.
 */
struct error {
    char what[512];   /* the option, path or thing; may be empty */
    char why[256];    /* the reason, without a full stop */
    char advice[256]; /* what to do about it; may be empty */
    int status;       /* an enum exit_status */
    bool usage;       /* the usage should follow the line */
};

/* Room for any line that error_format makes. */
#define ERROR_LINE 1100

/*
 * Fills ERROR with a status, WHAT (control characters are escaped, NULL is
 * none) and a reason in printf form. Always returns -1, so that the caller can
 * return it. Text that does not fit is cut.
 */
int error_set(struct error *error, int status, const char *what, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds what the user can do about it; returns -1 like error_set. */
int error_advise(struct error *error, const char *advice);

/*
 * Writes the line "ioping: WHAT: WHY; ADVICE" and a newline into TEXT of SIZE
 * bytes, cut to fit. Returns the length written.
 */
int error_format(const struct error *error, char *text, int size);

/*
 * The symbolic name of an errno value, such as "EIO"; "E" and the number for
 * one without a name here. The result lives as long as the program, or, for a
 * number, until BUFFER of at least 16 bytes does.
 */
const char *error_name(int number, char *buffer);

/* Whether an errno value says that there is no room for more data. */
bool error_is_room(int number);

#endif
