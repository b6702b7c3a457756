/*
 * Errors and notes, and the lines that are printed for them. Their texts often have paths
 * and messages of the system, which may contain control characters. These are escaped
 * once, when a text is stored; the code that prints a line need not escape it. The end of
 * the file has the names and the meanings of errno values.
 */
#include "base/error.h"

#include "base/buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
error_set(struct error *error, int status, const char *what, const char *why, ...)
{
    memset(error, 0, sizeof(*error));
    error->status = status;
    if (what)
        escape_control(what, error->what, sizeof(error->what));

    char reason[sizeof(error->why)];
    va_list list;
    va_start(list, why);
    vsnprintf(reason, sizeof(reason), why, list);
    va_end(list);

    escape_control(reason, error->why, sizeof(error->why));

    return -1;
}

int
error_advise(struct error *error, const char *advice)
{
    escape_control(advice, error->advice, sizeof(error->advice));
    return -1;
}

int
error_set_file(struct error *error, const char *path, int code)
{
    error_set(error, EXIT_PREPARE, path, "%s", strerror(code));

    if (code == ENOENT)
        return error_advise(error, "make its directory first");
    if (code == ENOTDIR)
        return error_advise(error,
                            "check the path: a name before a / is not a directory");
    if (code == EISDIR)
        return error_advise(error, "name a file in it");
    if (code == EACCES || code == EROFS)
        return error_advise(error, "name a file in a directory where you may write");
    if (error_is_no_space(code) && code != EFBIG)
        return error_advise(error, "free some space, or name a file on another disk");
    return -1;
}

void
error_prefix(struct error *error, const char *path)
{
    char what[sizeof(error->what)];

    if (error->what[0])
        snprintf(what, sizeof(what), "%.240s: %.240s", path, error->what);
    else
        snprintf(what, sizeof(what), "%.240s", path);

    escape_control(what, error->what, sizeof(error->what));
}

int
error_format(const struct error *error, char *text, int size)
{
    const char *colon = error->what[0] ? ": " : "";
    const char *semicolon = error->advice[0] ? "; " : "";
    int length = snprintf(text, (size_t)size, "ioping: %s%s%s%s%s\n", error->what, colon,
                          error->why, semicolon, error->advice);

    return length < size ? length : size - 1;
}

/*
 * Appends LINE, which has LENGTH bytes and a NUL, to NOTES. Drops the line if NOTES is
 * full.
 */
static void
append_note(struct notes *notes, const char *line, int length)
{
    if (notes->count == NOTES_MAX || length >= NOTES_ROOM - notes->used)
        return;

    char *copy = notes->text + notes->used;
    memcpy(copy, line, (size_t)length + 1);
    notes->lines[notes->count++] = copy;
    notes->used += length + 1;
}

void
notes_add(struct notes *notes, const char *what, const char *text, ...)
{
    char why[256];
    char line[ERROR_LINE];
    va_list list;
    va_start(list, text);
    vsnprintf(why, sizeof(why), text, list);
    va_end(list);

    struct error error;
    error_set(&error, EXIT_DONE, what, "%s", why);
    int length = error_format(&error, line, sizeof(line));
    append_note(notes, line, length);
}

static bool
has_note(const struct notes *notes, const char *line)
{
    for (int i = 0; i < notes->count; i++)
        if (strcmp(notes->lines[i], line) == 0)
            return true;
    return false;
}

void
notes_merge(struct notes *notes, const char *what, const struct notes *more)
{
    static const char program[] = "ioping: ";

    for (int i = 0; i < more->count; i++) {
        if (has_note(notes, more->lines[i]))
            continue;
        if (!what) {
            append_note(notes, more->lines[i], (int)strlen(more->lines[i]));
            continue;
        }

        char line[ERROR_LINE];
        const char *text = more->lines[i] + strlen(program);
        int length = snprintf(line, sizeof(line), "%s%s: %s", program, what, text);
        if (length >= (int)sizeof(line)) { /* the newline was cut off */
            length = (int)sizeof(line) - 1;
            line[length - 1] = '\n';
        }
        append_note(notes, line, length);
    }
}

void
notes_clear(struct notes *notes)
{
    notes->count = notes->used = 0;
}

static const struct {
    int code;
    const char *name;
} names[] = {
/* clang-format off */
#define NAME(code) {code, #code}
    NAME(E2BIG), NAME(EACCES), NAME(EADDRINUSE), NAME(EADDRNOTAVAIL),
    NAME(EAGAIN), NAME(EALREADY), NAME(EBADF), NAME(EBADMSG),
    NAME(EBUSY), NAME(ECANCELED), NAME(ECONNABORTED), NAME(ECONNREFUSED),
    NAME(ECONNRESET), NAME(EDEADLK), NAME(EEXIST), NAME(EFAULT),
    NAME(EFBIG), NAME(EHOSTUNREACH), NAME(EILSEQ), NAME(EINPROGRESS),
    NAME(EINTR), NAME(EINVAL),
    NAME(EIO), NAME(EISDIR), NAME(ELOOP), NAME(EMFILE),
    NAME(EMLINK), NAME(EMSGSIZE), NAME(ENAMETOOLONG), NAME(ENETDOWN),
    NAME(ENETRESET), NAME(ENETUNREACH), NAME(ENFILE), NAME(ENOBUFS),
    NAME(ENODEV), NAME(ENOENT), NAME(ENOEXEC), NAME(ENOLCK),
    NAME(ENOMEM), NAME(ENOSPC), NAME(ENOSYS), NAME(ENOTCONN),
    NAME(ENOTDIR), NAME(ENOTEMPTY), NAME(ENOTTY), NAME(ENXIO),
    NAME(EOPNOTSUPP), NAME(EOVERFLOW), NAME(EPERM), NAME(EPIPE),
    NAME(EPROTO), NAME(EROFS), NAME(ESPIPE), NAME(ESRCH),
    NAME(ETIMEDOUT), NAME(ETXTBSY), NAME(EXDEV),
#ifdef EDQUOT /* these codes exist on Unix, not on Windows */
    NAME(EDQUOT), NAME(EHOSTDOWN), NAME(ESHUTDOWN), NAME(ESTALE),
#endif
#if ENOTSUP != EOPNOTSUPP
    NAME(ENOTSUP),
#endif
#ifdef EREMOTEIO /* only Linux has all of these codes */
    NAME(EBADE), NAME(EBADFD), NAME(ECOMM), NAME(EKEYEXPIRED),
    NAME(EKEYREJECTED), NAME(EKEYREVOKED), NAME(EMEDIUMTYPE), NAME(ENODATA),
    NAME(ENOKEY), NAME(ENOLINK), NAME(ENOMEDIUM), NAME(ENONET),
    NAME(EREMCHG), NAME(EREMOTEIO), NAME(ESTRPIPE), NAME(ETIME),
    NAME(ETOOMANYREFS), NAME(EUCLEAN), NAME(EUNATCH),
#endif
    /* clang-format on */
};

bool
error_is_no_space(int code)
{
#ifdef EDQUOT
    if (code == EDQUOT)
        return true;
#endif
    return code == ENOSPC || code == EFBIG;
}

bool
error_is_broken(int code)
{
#ifdef ESTALE
    if (code == ESTALE)
        return true;
#endif
#ifdef EREMOTEIO
    if (code == EREMOTEIO || code == EUCLEAN)
        return true;
#endif

    return code == EIO || code == EBADMSG || code == ENOTCONN || code == ETIMEDOUT;
}

const char *
error_name(int code, char *buffer)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].code == code)
            return names[i].name;

    snprintf(buffer, 16, "E%d", code);
    return buffer;
}
