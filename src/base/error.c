#include "base/error.h"

#include "base/escape.h"

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
    snprintf(error->advice, sizeof(error->advice), "%s", advice);
    return -1;
}

int
error_format(const struct error *error, char *text, int size)
{
    int length = snprintf(text, (size_t)size, "ioping: %s%s%s%s%s\n", error->what,
                          error->what[0] ? ": " : "", error->why,
                          error->advice[0] ? "; " : "", error->advice);
    return length < size ? length : size - 1;
}

static const struct {
    int number;
    const char *name;
} names[] = {
    {EPERM, "EPERM"},
    {ENOENT, "ENOENT"},
    {EINTR, "EINTR"},
    {EIO, "EIO"},
    {ENXIO, "ENXIO"},
    {EBADF, "EBADF"},
    {EAGAIN, "EAGAIN"},
    {ENOMEM, "ENOMEM"},
    {EACCES, "EACCES"},
    {EFAULT, "EFAULT"},
    {EBUSY, "EBUSY"},
    {EEXIST, "EEXIST"},
    {ENODEV, "ENODEV"},
    {ENOTDIR, "ENOTDIR"},
    {EISDIR, "EISDIR"},
    {EINVAL, "EINVAL"},
    {ENFILE, "ENFILE"},
    {EMFILE, "EMFILE"},
    {ETXTBSY, "ETXTBSY"},
    {EFBIG, "EFBIG"},
    {ENOSPC, "ENOSPC"},
    {ESPIPE, "ESPIPE"},
    {EROFS, "EROFS"},
    {EMLINK, "EMLINK"},
    {EPIPE, "EPIPE"},
    {EDQUOT, "EDQUOT"},
    {ESTALE, "ESTALE"},
    {ETIMEDOUT, "ETIMEDOUT"},
    {EOVERFLOW, "EOVERFLOW"},
    {EOPNOTSUPP, "EOPNOTSUPP"},
    {ENOSYS, "ENOSYS"},
    {ELOOP, "ELOOP"},
    {ECANCELED, "ECANCELED"},
    {ENOLINK, "ENOLINK"},
    {EPROTO, "EPROTO"},
    {EILSEQ, "EILSEQ"},
    {ENOTCONN, "ENOTCONN"},
    {ENOBUFS, "ENOBUFS"},
    {EHOSTDOWN, "EHOSTDOWN"},
    {ENODATA, "ENODATA"},
    {ETIME, "ETIME"},
    {EBADMSG, "EBADMSG"},
    {ETOOMANYREFS, "ETOOMANYREFS"},
#ifdef EREMOTEIO
    {EREMOTEIO, "EREMOTEIO"},
#endif
#ifdef EBADE
    {EBADE, "EBADE"},
#endif
#ifdef EUCLEAN
    {EUCLEAN, "EUCLEAN"},
#endif
    {ENOTTY, "ENOTTY"},
    {ENAMETOOLONG, "ENAMETOOLONG"},
};

const char *
error_name(int number, char *buffer)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].number == number)
            return names[i].name;
    snprintf(buffer, 16, "E%d", number);
    return buffer;
}
