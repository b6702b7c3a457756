/* Standard streams, terminals, the locale, and files that are replaced as a whole. */
#include "os/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 4096

void
os_stream_guard(void)
{
    int fd = 0;
    while (fd <= 2 && fcntl(fd, F_GETFD) >= 0)
        fd++;
    if (fd > 2)
        return;
    do
        fd = open("/", O_RDONLY); /* always there, and never writable */
    while (fd >= 0 && fd <= 2);
    if (fd >= 0)
        close(fd);
}

/* Another user of the stream may have made it non-blocking. */
static void
wait_writable(int stream)
{
    struct pollfd wanted = {.fd = stream, .events = POLLOUT};
    poll(&wanted, 1, -1);
}

int
os_stream_write(int stream, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(stream, bytes, size);
        if (done < 0 && errno == EAGAIN)
            wait_writable(stream);
        else if (done < 0 && errno != EINTR)
            return -1;
        if (done <= 0)
            continue;
        bytes += done;
        size -= (size_t)done;
    }
    return 0;
}

bool
os_stream_terminal(int stream)
{
    return isatty(stream) == 1;
}

bool
os_terminal_foreground(int stream)
{
    pid_t group = tcgetpgrp(stream);
    return group < 0 || group == getpgrp();
}

/* Terminals of this name cannot even move the cursor: term(7). */
bool
os_terminal_dumb(void)
{
    const char *name = getenv("TERM");
    return !name || name[0] == '\0' || strcmp(name, "dumb") == 0;
}

int
os_stream_columns(int stream)
{
    struct winsize size = {0};
    if (!isatty(stream) || ioctl(stream, TIOCGWINSZ, &size) < 0)
        return 0;
    return size.ws_col;
}

/* The first of these that is set decides: locale(7). */
bool
os_locale_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !(locale && *locale); i++)
        locale = getenv(names[i]);
    const char *codeset = locale ? strchr(locale, '.') : NULL;
    return codeset && (strncasecmp(codeset, ".utf-8", 6) == 0 ||
                       strncasecmp(codeset, ".utf8", 5) == 0);
}

static int
write_durably(int fd, const char *bytes, size_t size)
{
    return os_stream_write(fd, bytes, size) < 0 || fchmod(fd, 0644) < 0 || fsync(fd) < 0
               ? -1
               : 0;
}

/* A name lasts once its directory is on the device. */
static void
flush_directory(const char *path)
{
    char directory[PATH_ROOM];
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* A device, the target of a link, or a file of another kind must not be lost. */
static bool
is_replaceable(const char *path, const char *start)
{
    struct stat status;
    char head[64] = "";
    if (lstat(path, &status) < 0)
        return true;
    if (!S_ISREG(status.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));
    if (fd >= 0)
        close(fd);
    size_t length = strlen(start);
    return got == 0 || (got >= (ssize_t)length && memcmp(head, start, length) == 0);
}

int
os_file_replace(const char *path, const char *bytes, size_t size, const char *start)
{
    char beside[PATH_ROOM];
    if (!is_replaceable(path, start)) {
        errno = EEXIST;
        return -1;
    }
    if (snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= (int)sizeof(beside)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return -1;
    int failed = write_durably(fd, bytes, size) < 0 ? errno : 0;
    if (close(fd) < 0 && !failed)
        failed = errno;
    if (!failed && rename(beside, path) < 0)
        failed = errno;
    if (failed) {
        unlink(beside);
        errno = failed;
        return -1;
    }
    flush_directory(path);
    return 0;
}
