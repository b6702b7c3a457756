/*
 * Standard streams, a file in place of standard output, terminals, the locale, and files
 * that are replaced as a whole. The monitor watches the writes to streams
 * (posix_monitor.c).
 *
 * A file is replaced in three steps (os_file_replace): write a temporary file beside it,
 * with mode 0600; change the mode to 0644; rename it over the old file. The temporary
 * file is locked while it is written. A killed run may leave it behind; a later run
 * recognises it by its name, mode, owner, age and missing lock, and removes it
 * (os_file_clean).
 */
#include "os/output.h"

#include "base/deadlines.h"
#include "base/error.h"
#include "beside.h"
#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"
#include "posix.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_ROOM 4096 /* bytes; PATH_MAX, which includes the zero at the end */

/* Messages and results go to one place: standard error is the same file as standard
 * output. Set at the start. */
static bool is_one_stream;

/* The results go, or went, to a file of os_stream_open that is no standard stream. */
static atomic_bool has_results_file;

void
os_stream_guard(void)
{
    struct stat output;
    struct stat messages;

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            /* open(2) returns the lowest free number, here FD. "/" always exists, and
             * every write to it fails. */
            open("/", O_RDONLY);

    is_one_stream = fstat(STDOUT_FILENO, &output) == 0 &&
                    fstat(STDERR_FILENO, &messages) == 0 &&
                    output.st_dev == messages.st_dev && output.st_ino == messages.st_ino;
}

int64_t
os_stream_read(int fd, char *bytes, size_t size)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    for (;;) {
        ssize_t got = read(fd, bytes, size);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
        if (errno == EAGAIN) /* another process made the descriptor non-blocking */
            poll(&wanted, 1, -1);
    }
}

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

/* In ms: the longest wait for a stream between two checks of the deadline. A signal that
 * asks to stop makes the deadline earlier. That signal may reach another thread, and then
 * it does not end the wait of this thread. */
#define WRITABLE_WAIT 50

/*
 * Waits until STREAM accepts PIPE_BUF bytes. This is needed because another process may
 * have made the stream non-blocking, and because perhaps nobody reads it.
 *
 * After posix_monitor_output_deadline, each write to standard output or a file still gets
 * DEADLINE_WRITE. A message on standard error still gets DEADLINE_GRACE_MIN. Before, a
 * message gets DEADLINE_GRACE, because the run and its results must not wait for it. If
 * the results go to the same place, they would have to wait there, too, so there is no
 * limit. Once a message has been dropped, messages get no time until standard error
 * accepts one again.
 *
 * Returns 0, or -1 with errno; ETIMEDOUT: the stream has accepted nothing for too long.
 */
static int
wait_writable(int stream)
{
    static atomic_bool message_was_dropped; /* whether the last message was dropped;
                                             * written by any thread */
    bool is_message = stream == STDERR_FILENO;
    bool has_limit = is_message && (!is_one_stream || atomic_load(&has_results_file));
    int64_t min_wait = is_message ? DEADLINE_GRACE_MIN : DEADLINE_WRITE;
    struct pollfd writable = {.fd = stream, .events = POLLOUT};
    int64_t now = os_clock_now();
    int64_t waited = 0;

    while (poll(&writable, 1, 0) != 1) {
        bool is_late = now >= posix_monitor_output_deadline();
        bool drops_at_once = is_message && atomic_load(&message_was_dropped);
        bool is_over = has_limit && (drops_at_once || waited >= DEADLINE_GRACE);
        if (is_over || (is_late && (drops_at_once || waited >= min_wait))) {
            if (is_message)
                atomic_store(&message_was_dropped, true);
            return os_fail(ETIMEDOUT);
        }
        int64_t before = now;
        poll(&writable, 1, WRITABLE_WAIT);
        now = os_clock_now();
        /* A much longer time means that the process was stopped. The time of the stop
         * does not count as waiting time. */
        waited += time_earlier(now - before, 2 * WRITABLE_WAIT * MS);
    }

    if (is_message)
        atomic_store(&message_was_dropped, false);

    return 0;
}

/* Removes the last SIZE bytes of the regular file that STREAM goes to, if the stream has
 * just written them and nothing follows them. */
static void
take_back(int stream, size_t size)
{
    struct stat status;
    off_t end = lseek(stream, 0, SEEK_CUR);
    bool is_last = end >= (off_t)size && fstat(stream, &status) == 0 &&
                   S_ISREG(status.st_mode) && status.st_size == end;

    if (is_last && ftruncate(stream, end - (off_t)size) == 0)
        lseek(stream, end - (off_t)size, SEEK_SET);
}

int
os_stream_write(int stream, const char *bytes, size_t size)
{
    const char *first = bytes;
    bool waits_first = posix_monitor_must_not_block(stream);
    while (size > 0) {
        size_t chunk = waits_first && size > PIPE_BUF ? PIPE_BUF : size;
        if (waits_first && wait_writable(stream) < 0)
            return -1;
        posix_monitor_write_begins(stream);
        ssize_t written = write(stream, bytes, chunk);
        int code = written < 0 ? errno : 0;
        bool has_part = error_is_no_space(code) && bytes > first;
        if (has_part)
            take_back(stream, (size_t)(bytes - first));
        posix_monitor_write_ends(stream);

        if (code == EAGAIN) {
            if (wait_writable(stream) < 0)
                return -1;
        } else if (code && code != EINTR) {
            return os_fail(code);
        }
        if (written <= 0)
            continue;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

/* Some file systems store data only at the close, so the close can fail. An interrupted
 * close is not retried, because the descriptor may be closed already. */
int
os_stream_close(int stream)
{
    posix_inherited_remove(stream);
    posix_monitor_write_begins(stream);
    int status = close(stream);
    int code = errno;
    posix_monitor_write_ends(stream);
    posix_monitor_watch_file(-1, NULL);
    errno = code;
    return status < 0 && code != EINTR ? -1 : 0;
}

/* Stores in FOLDER the path of the folder that the file at PATH is in. Returns the last
 * component of PATH, a pointer into PATH. */
static const char *
split_path(const char *path, char folder[PATH_ROOM])
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        snprintf(folder, PATH_ROOM, ".");
        return path;
    }
    const char *name = slash + 1;
    snprintf(folder, PATH_ROOM, "%.*s", (int)(name - path), path);
    return name;
}

/* Returns true if other users may put files into FOLDER: everyone may write to it, or its
 * group may write to it and it has the sticky bit. */
static bool
is_shared_folder(const struct stat *folder)
{
    bool everyone_may_write = folder->st_mode & S_IWOTH;
    bool group_may_write = folder->st_mode & S_IWGRP && folder->st_mode & S_ISVTX;
    return everyone_may_write || group_may_write;
}

/*
 * Opens or creates a file for output. Returns a descriptor, or -1 with errno.
 *
 * In a folder in which other users may create files, this function refuses two kinds of
 * files with EEXIST:
 * - a file or link that belongs to neither this user nor the owner of the folder;
 * - a file with several hard links.
 *
 * These are the rules of fs.protected_symlinks, fs.protected_regular and
 * fs.protected_fifos of Linux (proc(5)). They apply here even if Linux has switched them
 * off, and on systems that do not have them.
 */
static int
open_output(const char *path)
{
    struct stat folder;
    struct stat status;
    char folder_path[PATH_ROOM];
    int mode = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;

    split_path(path, folder_path);
    if (stat(folder_path, &folder) < 0 || !is_shared_folder(&folder))
        return open(path, mode, 0666);
    if (lstat(path, &status) < 0)
        return open(path, mode | O_EXCL, 0666);

    bool is_trusted = status.st_uid == geteuid() || status.st_uid == folder.st_uid;
    bool has_other_names = S_ISREG(status.st_mode) && status.st_nlink > 1;
    if (!is_trusted || has_other_names)
        return os_fail(EEXIST);
    if (!S_ISLNK(status.st_mode))
        mode |= O_NOFOLLOW; /* in case another user has just put a link there */

    return open(path, mode, 0666);
}

/* Returns the stream, standard output or standard error, that goes to the file at PATH.
 * Returns 0 if neither does. */
static int
find_standard_stream(const char *path)
{
    if (os_stream_is_path(STDOUT_FILENO, path))
        return STDOUT_FILENO;
    return os_stream_is_path(STDERR_FILENO, path) ? STDERR_FILENO : 0;
}

/* If PATH names the file that a standard stream goes to, that stream is duplicated. So
 * both share one position in the file, and no permission to open the file is needed. */
int
os_stream_open(const char *path)
{
    struct os_thread guard;
    int fd;
    int standard = find_standard_stream(path);

    do
        fd = standard ? fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                      : open_output(path);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return -1;

    signal(SIGPIPE, SIG_IGN);
    if (!standard)
        atomic_store(&has_results_file, true);
    posix_inherited_add(fd);
    posix_monitor_watch_file(fd, path);
    if (posix_monitor_exists() && os_thread_start(&guard, posix_signals_guard, NULL) == 0)
        pthread_detach((pthread_t)guard.id);

    return fd;
}

/* If PATH is a symbolic link, the link stays, and the file that it leads to is
 * removed. */
void
os_stream_discard(int stream, const char *path)
{
    struct os_info info;
    char *real = realpath(path, NULL);
    if (real && os_stream_is_path(stream, real) && os_file_info(stream, &info) == 0 &&
        info.kind == OS_FILE && info.size == 0)
        unlink(real);
    free(real);
}

bool
os_stream_is_terminal(int stream)
{
    return isatty(stream) == 1;
}

bool
os_terminal_is_foreground(int stream)
{
    pid_t group = tcgetpgrp(stream);
    return group < 0 || group == getpgrp();
}

/* The value "dumb" of TERM means a terminal that cannot even move the cursor: term(7). */
bool
os_terminal_is_dumb(void)
{
    const char *name = getenv("TERM");
    return !name || name[0] == '\0' || strcmp(name, "dumb") == 0;
}

int
os_stream_columns(int stream)
{
    struct winsize size = {0};
    return ioctl(stream, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

/* The user's locale is the first of LC_ALL, LC_CTYPE and LANG that is set and not empty,
 * see locale(7). Its codeset follows a dot, as in "en_US.UTF-8". */
bool
os_locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        locale = getenv(names[i]);
        if (locale && *locale)
            break;
    }

    const char *codeset = locale ? strchr(locale, '.') : NULL;
    return codeset && (strncasecmp(codeset, ".utf-8", 6) == 0 ||
                       strncasecmp(codeset, ".utf8", 5) == 0);
}

/* Checks that an open file is regular and begins with START. If MAY_BE_CUT, a file that
 * is shorter than START also passes if it is a beginning of START. Returns 0, or errno:
 * ENOENT if the file is empty, EEXIST if it is not regular or has other contents. */
static int
check_file_start(int fd, const char *start, bool may_be_cut)
{
    struct stat status;
    char head[64];
    size_t length = strlen(start);
    if (fstat(fd, &status) < 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return EEXIST;

    ssize_t got = read(fd, head, length);
    if (got < 0)
        return errno;
    if (got == 0)
        return ENOENT;
    bool is_long_enough = may_be_cut || (size_t)got == length;

    return is_long_enough && memcmp(head, start, (size_t)got) == 0 ? 0 : EEXIST;
}

/* Returns true if PATH may be replaced: nothing is there, or an empty file, or a file
 * that begins with START. A device, a symbolic link, or a file of another program must
 * not be lost. */
static bool
is_replaceable(const char *path, const char *start)
{
    struct stat status;
    if (lstat(path, &status) < 0)
        return true;
    if (!S_ISREG(status.st_mode))
        return false;

    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    int code = check_file_start(fd, start, false);
    close(fd);

    return code == 0 || code == ENOENT;
}

/* Locks an open file for this process; the lock ends with the process. Returns false if
 * another process has the lock. */
static bool
lock_file(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_SETLK, &lock) == 0;
}

/* Removes the file at PATH if it is an unfinished temporary file that no process is
 * writing any more. Only an unfinished file has mode 0600, so a finished file that
 * somebody has given such a name stays. */
static void
remove_if_unfinished(const char *path, const char *start)
{
    struct stat status;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;

    bool is_old = fstat(fd, &status) == 0 &&
                  time(NULL) - status.st_mtime > DEADLINE_LEFTOVER / SECOND;
    bool is_ours = is_old && (status.st_mode & 07777) == 0600 && status.st_nlink == 1 &&
                   status.st_uid == geteuid();
    int code = is_ours ? check_file_start(fd, start, true) : EEXIST;
    if ((code == 0 || code == ENOENT) && lock_file(fd))
        unlink(path);
    close(fd);
}

/* Returns the maximum length of a file name in FOLDER, in bytes. Some file systems count
 * in other units, so they report more bytes than they accept; some report nothing. In
 * both cases the function returns BESIDE_NAME_MAX. */
static size_t
max_name_bytes(const char *folder)
{
    long reported = pathconf(folder, _PC_NAME_MAX);
    bool is_limit = reported >= _POSIX_NAME_MAX && reported < BESIDE_NAME_MAX;
    return is_limit ? (size_t)reported : BESIDE_NAME_MAX;
}

/* Stores in PREFIX how all temporary names for PATH begin: with PATH, cut if necessary,
 * and a dot. A temporary name is this prefix and six characters. FOLDER receives the path
 * of the folder that contains PATH. Returns 0, or errno. */
static int
make_prefix(const char *path, char folder[PATH_ROOM], char prefix[PATH_ROOM])
{
    if (strlen(path) >= PATH_ROOM)
        return ENAMETOOLONG;

    const char *name = split_path(path, folder);
    size_t name_at = (size_t)(name - path);
    size_t path_bytes = PATH_ROOM - 1 - name_at;
    size_t name_bytes = max_name_bytes(folder);
    size_t max_bytes = name_bytes < path_bytes ? name_bytes : path_bytes;

    int length = (int)(name_at + beside_length(name, max_bytes));
    int written = snprintf(prefix, PATH_ROOM, "%.*s.", length, path);
    return written < PATH_ROOM ? 0 : ENAMETOOLONG;
}

/* Returns true if NAME is PREFIX followed by six characters that posix_file_create may
 * choose. */
static bool
is_temporary_name(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    const char *end = name + length;
    return strlen(end) == 6 && strspn(end, "0123456789abcdef") == 6;
}

void
os_file_clean(const char *path, const char *start)
{
    char folder[PATH_ROOM];
    char prefix[PATH_ROOM];
    char found[PATH_ROOM];
    if (make_prefix(path, folder, prefix) != 0)
        return;
    const char *slash = strrchr(prefix, '/');
    const char *name_prefix = slash ? slash + 1 : prefix;

    DIR *list = opendir(folder);
    if (!list)
        return;
    struct dirent *entry;
    while ((entry = readdir(list))) {
        if (!is_temporary_name(entry->d_name, name_prefix))
            continue;
        const char *end = entry->d_name + strlen(name_prefix);
        if (snprintf(found, sizeof(found), "%s%s", prefix, end) < (int)sizeof(found))
            remove_if_unfinished(found, start);
    }
    closedir(list);
}

/*
 * Tests whether it is permitted to rename a file to PATH, which may exist already.
 * Returns 0, or errno. Two things forbid it with EPERM:
 * - attributes of chattr(1), even for root; opening the file for writing then fails too;
 * - the sticky bit (S_ISVTX) of the folder, unless the user is root, the owner of the
 *   file, or the owner of the folder.
 */
static int
check_rename_to(const char *path)
{
    struct stat status;
    struct stat parent;
    char folder[PATH_ROOM];
    /* ENOENT means that there is no file at PATH, so nothing forbids the renaming. Any
     * other error, such as ENAMETOOLONG, would make the renaming fail too. */
    if (lstat(path, &status) < 0)
        return errno == ENOENT ? 0 : errno;

    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == EPERM)
        return EPERM;
    if (fd >= 0)
        close(fd);

    split_path(path, folder);
    if (stat(folder, &parent) < 0 || !(parent.st_mode & S_ISVTX))
        return 0;
    uid_t user = geteuid();
    bool is_owner = user == 0 || user == status.st_uid || user == parent.st_uid;

    return is_owner ? 0 : EPERM;
}

/* Writes SIZE bytes to a new file, and makes them durable if DURABLE. Then sets mode
 * 0644, which marks the file as complete. Returns 0, or errno. */
static int
write_whole_file(int fd, const char *bytes, size_t size, bool durable)
{
    if (os_stream_write(fd, bytes, size) < 0)
        return errno;
    if (durable && fsync(fd) < 0)
        return errno;
    return fchmod(fd, 0644) < 0 ? errno : 0;
}

/* Writes the temporary file for os_file_replace. Only its owner may read it until it is
 * complete. Returns 0, or errno. If the result is 0, BESIDE has the path of the temporary
 * file, and the caller calls os_leftover_end when that file is renamed or removed. */
static int
write_beside(const char *path, const char *bytes, size_t size, const char *start,
             bool durable, char beside[PATH_ROOM])
{
    char folder[PATH_ROOM];
    char prefix[PATH_ROOM];
    if (!is_replaceable(path, start))
        return EEXIST;

    int code = make_prefix(path, folder, prefix);
    if (code)
        return code;

    int fd = posix_file_create(prefix, O_WRONLY, beside, PATH_ROOM);
    if (fd < 0)
        return errno;
    os_leftover_made();
    lock_file(fd);
    code = write_whole_file(fd, bytes, size, durable);

    if (close(fd) < 0 && !code)
        code = errno;
    if (code) {
        unlink(beside);
        os_leftover_end();
    }

    return code;
}

int
os_file_try(const char *path, const char *bytes, size_t size, const char *start)
{
    char beside[PATH_ROOM];
    int code = write_beside(path, bytes, size, start, false, beside);

    if (!code) {
        code = check_rename_to(path);
        unlink(beside);
        os_leftover_end();
    }
    return code ? os_fail(code) : 0;
}

/* Writes the folder that contains PATH to its device: a new name survives a crash of the
 * machine only after that. Errors are ignored, because the file is in place already. */
static void
flush_folder(const char *path)
{
    char folder[PATH_ROOM];
    split_path(path, folder);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

int
os_file_replace(const char *path, const char *bytes, size_t size, const char *start,
                bool durable)
{
    char beside[PATH_ROOM];
    int code = write_beside(path, bytes, size, start, durable, beside);
    if (code)
        return os_fail(code);

    if (rename(beside, path) < 0) {
        code = errno;
        unlink(beside);
    }
    os_leftover_end();
    if (code)
        return os_fail(code);
    if (durable)
        flush_folder(path);

    return 0;
}

int
os_file_append(const char *path, const char *bytes, size_t size, const char *start,
               bool durable)
{
    int fd = posix_open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        bool is_not_regular = errno == ELOOP || errno == EISDIR || errno == ENXIO;
        return is_not_regular ? os_fail(EEXIST) : -1;
    }

    int code = check_file_start(fd, start, false);
    off_t old_size = code ? 0 : lseek(fd, 0, SEEK_END);
    if (!code && os_stream_write(fd, bytes, size) < 0) {
        code = errno;
        if (ftruncate(fd, old_size) < 0)
            code = errno;
    }
    if (!code && durable && fsync(fd) < 0)
        code = errno;
    if (close(fd) < 0 && !code)
        code = errno;

    return code ? os_fail(code) : 0;
}
