/*
 * The monitor: the process that the caller started. It forks once and never touches a
 * target, so it can always end, while its child, which does all the work, may get stuck
 * in the kernel: not even SIGKILL ends a process in uninterruptible sleep. The idea is
 * that of OpenSSH's monitor.
 *
 * A page that both share says how the child ends, and counts its writes to what is the
 * caller's, which may get stuck as well. Both are in one process group. A signal
 * from a terminal or to the group reaches both, one to the process that was started the
 * monitor alone, so the monitor passes all of them on. The child counts the copies that
 * reached it directly and those that were passed on: the larger number is that of the
 * signals.
 */
#include "base/deadlines.h"
#include "base/error.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "posix.h"

#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNALS 32     /* those of users have lower numbers on all systems */
#define STREAMS 3      /* standard ones, and a file in the place of standard input */
#define PACE (50 * MS) /* from one look at output that may be stuck to the next */

struct page {
    atomic_bool ending;    /* the child has said how to end, with */
    atomic_int status;     /* this exit status, or */
    atomic_int signo;      /* this signal, if not 0 */
    atomic_bool stuck;     /* it may be stuck in the kernel, and */
    atomic_bool over;      /* has let go of what is the caller's */
    atomic_bool abandoned; /* the monitor waits no longer: the child is to let go, too */
    atomic_bool halted; /* the child has stopped itself because the monitor is stopped */

    atomic_uint passed[SIGNALS]; /* signals that the monitor has passed on */
    _Atomic int64_t limit;       /* no write has to be waited for after this time */
    atomic_uint begun[STREAMS], ended[STREAMS]; /* writes */
    char words[ERROR_LINE];                     /* for one to the file that is stuck */

    _Atomic(const char *) last_line; /* not yet written; both have it at one address */
    atomic_int last_status;          /* of a second SIGINT */
    atomic_bool answers;             /* there was a last line: no end is by a signal */
};

static struct page alone = {.limit = INT64_MAX, .last_status = EXIT_INTERRUPTED};
static struct page *page = &alone;
static pid_t monitor; /* in the child; 0: there is none */
static pid_t child;   /* in the monitor; 0: this is not it, or the child is gone */

/* timeout(1) sends its signal twice. Two signals of one process within this time, in ns,
 * are one. The time begins with the first of them, so that a process that goes on sending
 * is heard. */
#define PAIR (50 * MS)

/* When signals asked to stop, SIGINT did, and a second SIGINT, ns; 0: not yet. */
static _Atomic int64_t asked, interrupted, again;

/* Of the monitor. */
static volatile sig_atomic_t continued;

/* Of the child: signals that came directly, and that were handled; the descriptor of the
 * file, -1: there is none. */
static unsigned direct[SIGNALS], taken[SIGNALS];
static atomic_int file = -1;
static atomic_bool file_waits; /* a write to it may wait for a reader */

bool
posix_monitor_stop(int signo)
{
    int64_t now = os_clock_now(), never = 0, before = atomic_load(&interrupted);
    atomic_compare_exchange_strong(&asked, &never, now);
    if (signo == SIGINT && !before)
        atomic_store(&interrupted, now);
    return signo == SIGINT && before && now - before > OS_SIGNAL_SAME;
}

int64_t
os_signals_asked(void)
{
    return atomic_load(&asked);
}

bool
posix_monitor_pass(int signo, pid_t sender)
{
    static pid_t passed_sender; /* of the last SIGINT that was passed on, and */
    static int64_t passed_at;   /* when that was */
    int64_t now = os_clock_now();
    if (!child || signo == SIGCHLD)
        return child != 0;

    bool is_pair =
        signo == SIGINT && sender && sender == passed_sender && now - passed_at < PAIR;
    if (is_pair)
        return true;
    if (signo == SIGINT) {
        passed_sender = sender;
        passed_at = now;
    }

    atomic_fetch_add(&page->passed[signo], 1);
    kill(child, signo);
    if (signo == SIGCONT)
        continued = 1;
    bool stops = signo == SIGINT || signo == SIGTERM || signo == SIGHUP;
    if (stops && posix_monitor_stop(signo) && !atomic_load(&again))
        atomic_store(&again, now);
    return true;
}

bool
posix_monitor_copies(int signo, pid_t sender)
{
    if (!monitor || signo == SIGCHLD)
        return false;
    if (sender != monitor)
        direct[signo]++;
    unsigned passed = atomic_load(&page->passed[signo]);
    unsigned most = direct[signo] > passed ? direct[signo] : passed;
    bool copy = most == taken[signo];
    taken[signo] = most;
    return copy;
}

bool
posix_monitor_has_abandoned(void)
{
    return atomic_load(&page->abandoned);
}

bool
posix_monitor_is_followed(void)
{
    return monitor != 0;
}

/*
 * Returns whether the monitor has ended, for its child. A sandbox may forbid getppid(2),
 * or have it return 0; then the child asks whether a process with the monitor's number
 * exists.
 */
static bool
has_lost_monitor(void)
{
    pid_t parent = getppid();
    if (parent > 0)
        return parent != monitor;
    return kill(monitor, 0) < 0 && errno == ESRCH;
}

/* A monitor that goes on in the meantime hears of the stop by SIGCHLD, and ends it. */
bool
posix_monitor_follow(void)
{
    if (!monitor)
        return false;
    if (has_lost_monitor() && !atomic_load(&page->ending))
        _exit(EXIT_RUNTIME);
    if (!posix_process_is_stopped(monitor))
        return false;
    atomic_store(&page->halted, true);
    raise(SIGSTOP); /* of this thread: it returns after the stop */
    atomic_store(&page->halted, false);
    return true;
}

void
posix_monitor_attach(void)
{
    if (!monitor)
        return;
    posix_parent_death(SIGKILL);
    if (has_lost_monitor())
        _exit(EXIT_RUNTIME);
}

void
posix_monitor_file(int fd, const char *path)
{
    struct error error;
    struct stat status;
    if (fd >= 0) {
        error_set(&error, EXIT_RUNTIME, path, OS_STREAM_STUCK);
        error_format(&error, page->words, sizeof(page->words));
    }
    atomic_store(&file_waits,
                 fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode));
    atomic_store(&file, fd);
}

/* Returns the place of STREAM among the STREAMS; -1: it is none of them. */
static int
place_of(int stream)
{
    if (stream == atomic_load(&file))
        return 0;
    return stream > 0 && stream < STREAMS ? stream : -1;
}

/* Counts a write to a standard stream, or to the file, for the monitor, when it begins
 * and when it has ENDED: one that does not is stuck. Any thread. */
static void
count_write(int stream, bool ended)
{
    int place = place_of(stream);
    if (place >= 0)
        atomic_fetch_add(ended ? &page->ended[place] : &page->begun[place], 1);
}

void
posix_monitor_settle(int stream)
{
    int place = place_of(stream);
    int64_t end = os_clock_now() + DEADLINE_TIDYING;
    while (place >= 0 &&
           atomic_load(&page->begun[place]) != atomic_load(&page->ended[place]) &&
           os_clock_now() < end)
        poll(NULL, 0, 1);
}

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif
#define PAUSE 50 /* ms: a signal may reach another thread than the one that waits */

/*
 * Waits until STREAM takes PIPE_BUF bytes without a wait, as another user of it may have
 * made it non-blocking, and because nobody may read it. When it is late each write has a
 * moment: a message until one was dropped. Returns 0, or -1 with errno; ETIMEDOUT: it has
 * taken nothing for too long.
 */
static int
wait_writable(int stream)
{
    static atomic_bool unread; /* a message was dropped */
    bool is_message = stream == STDERR_FILENO;
    int64_t least = is_message ? DEADLINE_GRACE_LEAST : DEADLINE_WRITE;
    struct pollfd wanted = {.fd = stream, .events = POLLOUT};
    int64_t now = os_clock_now();
    int64_t waited = 0;
    while (poll(&wanted, 1, 0) != 1) {
        int64_t stop = atomic_load(&asked);
        bool late =
            now >= atomic_load(&page->limit) || (stop && now >= stop + DEADLINE_GRACE);
        if (late && ((is_message && atomic_load(&unread)) || waited >= least)) {
            if (is_message)
                atomic_store(&unread, true);
            return os_fail(ETIMEDOUT);
        }
        int64_t before = now;
        poll(&wanted, 1, PAUSE);
        now = os_clock_now();
        waited += time_earlier(now - before, 2 * PAUSE * MS); /* without a stop */
    }
    if (is_message)
        atomic_store(&unread, false);
    return 0;
}

/*
 * Returns whether what waits for a reader of STREAM has more to do, and must not get
 * stuck in a write: the supervisor writes all messages. Besides standard output there may
 * be a file of os_stream_open, and neither is to be lost with the other. Without a
 * monitor nobody else sees to the limit.
 */
static bool
has_more_to_do(int stream)
{
    int place = place_of(stream);
    bool has_file = atomic_load(&file) >= 0;
    bool limits_itself = !monitor && atomic_load(&page->limit) != INT64_MAX;
    return place == STDERR_FILENO ||
           (place == STDOUT_FILENO && (has_file || limits_itself)) ||
           (place == 0 && atomic_load(&file_waits));
}

int
os_stream_write(int stream, const char *bytes, size_t size)
{
    bool waits = has_more_to_do(stream);
    while (size > 0) {
        size_t most = waits && size > PIPE_BUF ? PIPE_BUF : size;
        if (waits && wait_writable(stream) < 0)
            return -1;
        count_write(stream, false);
        ssize_t done = write(stream, bytes, most);
        int code = done < 0 ? errno : 0;
        count_write(stream, true);
        if (code == EAGAIN ? wait_writable(stream) < 0 : code && code != EINTR)
            return code == EAGAIN ? -1 : os_fail(code);
        if (done <= 0)
            continue;
        bytes += done;
        size -= (size_t)done;
    }
    return 0;
}

/* A file system that stores data at the close can fail there. An interrupted close is not
 * made again: the descriptor may be gone. */
int
os_stream_close(int stream)
{
    posix_inherited_remove(stream);
    count_write(stream, false);
    int status = close(stream), code = errno;
    count_write(stream, true);
    posix_monitor_file(-1, NULL);
    errno = code;
    return status < 0 && code != EINTR ? -1 : 0;
}

void
os_monitor_limit(int64_t when)
{
    atomic_store(&page->limit, when);
    if (monitor)
        kill(monitor, SIGCHLD);
}

void
os_monitor_limit_most(int64_t when)
{
    if (when < atomic_load(&page->limit))
        os_monitor_limit(when);
}

void
os_process_last_line(const char *line, int status)
{
    if (line) {
        atomic_store(&page->answers, true);
        signal(SIGPIPE, SIG_IGN); /* EPIPE says it as well */
    }
    atomic_store(&page->last_line, line);
    atomic_store(&page->last_status, status);
}

void
posix_last_line(void)
{
    const char *line = atomic_exchange(&page->last_line, NULL);
    if (line)
        posix_descriptor_write(STDOUT_FILENO, line, strlen(line));
}

bool
posix_answers(void)
{
    return atomic_load(&page->answers);
}

int
posix_last_status(void)
{
    return atomic_load(&page->last_status);
}

void
posix_monitor_notify(int status, int signo)
{
    if (!monitor || atomic_load(&page->ending))
        return;
    posix_parent_death(0);
    atomic_store(&page->status, status);
    atomic_store(&page->signo, signo);
    atomic_store(&page->ending, true);
    kill(monitor, SIGCHLD);
}

void
posix_monitor_detach(void)
{
    if (!monitor)
        return;
    atomic_store(&page->stuck, true);
    setsid();
    if (!has_lost_monitor())
        kill(monitor, SIGCHLD);
}

void
posix_monitor_leave(void)
{
    if (!monitor)
        return;
    int status = chdir("/"); /* always there */
    (void)status;
    atomic_store(&page->over, true);
    if (!has_lost_monitor())
        kill(monitor, SIGCHLD);
}

/* There is no dump of this process besides that of the child. */
static _Noreturn void
leave(int status, int signo)
{
    const struct rlimit none = {0, 0};
    posix_last_line();
    posix_leftover_start_removal(!child);
    setrlimit(RLIMIT_CORE, &none);
    _exit(signo ? posix_process_die(signo) : status);
}

/* The progress of the child's output, as it was at the last look; times are monotonic. */
struct progress {
    unsigned ended[STREAMS];
    int64_t since[STREAMS]; /* when a write last ended, or none was under way */
};

/* Looks at the output at NOW. Returns the place of the stream whose write is stuck; -1:
 * none is. */
static int
look(struct progress *progress, int64_t now)
{
    int stuck = -1;
    for (int stream = 0; stream < STREAMS; stream++) {
        unsigned ended = atomic_load(&page->ended[stream]);
        if (continued || !progress->since[stream] || ended != progress->ended[stream] ||
            ended == atomic_load(&page->begun[stream]))
            progress->since[stream] = now;
        progress->ended[stream] = ended;
        if (now - progress->since[stream] >= DEADLINE_WRITE)
            stuck = stream;
    }
    continued = 0;
    return stuck;
}

/* Returns the signal that asked for the end if it is one to die by, as for
 * os_signals_end; else 0. */
static int
deadly_signal(void)
{
    return posix_answers()                       ? 0
           : atomic_load(&page->passed[SIGTERM]) ? SIGTERM
           : atomic_load(&page->passed[SIGHUP])  ? SIGHUP
                                                 : 0;
}

/* Abandons the child, which has a moment to let go of what is the caller's by itself. */
static _Noreturn void
abandon(int status, int signo)
{
    int64_t end = os_clock_now() + DEADLINE_TIDYING;
    int ended;
    atomic_store(&page->abandoned, true);
    kill(child, SIGCHLD);
    kill(child, POSIX_SIGNAL_ABANDONED);
    while (!atomic_load(&page->over) && os_clock_now() < end &&
           waitpid(child, &ended, WNOHANG) == 0)
        os_sleep_until(os_clock_now() + MS);
    kill(child, SIGKILL);
    leave(status, signo);
}

/* Abandons the child if its output has been stuck for long enough. */
static void
abandon_if_stuck(struct progress *progress, int64_t now)
{
    static const char output[] = "ioping: standard output: " OS_STREAM_STUCK "\n";
    int stuck = look(progress, now);
    if (stuck < 0)
        return;
    const char *text = stuck == STDOUT_FILENO ? output : page->words;
    if (stuck != STDERR_FILENO)
        posix_descriptor_write(STDERR_FILENO, text, strlen(text));
    abandon(EXIT_RUNTIME, deadly_signal());
}

/* Leaves as the child is killed by signal SIGNO. */
static _Noreturn void
leave_killed(int signo)
{
    if (posix_answers())
        leave(posix_last_status(), 0); /* who killed it does not matter */
    leave(0, signo);
}

/* Leaves as the child has ended, if it has. One that stopped itself goes on. */
static void
leave_if_ended(void)
{
    int status;
    pid_t ended = waitpid(child, &status, WNOHANG | WUNTRACED);
    if (ended == child && WIFSTOPPED(status)) {
        if (atomic_load(&page->halted))
            kill(child, SIGCONT);
        return;
    }
    bool unknown = ended < 0 && errno == ECHILD;
    if (ended != child && !unknown)
        return;
    child = 0;
    if (!unknown && WIFSIGNALED(status))
        leave_killed(WTERMSIG(status));
    leave(unknown ? EXIT_RUNTIME : WEXITSTATUS(status), 0);
}

/* A child that has been killed while a thread of it is stuck in the kernel has not ended
 * for the system. One that is to end and is not stuck has the time until the next look
 * for it; SINCE is when it was first seen, 0: not yet. */
static void
leave_if_killed(int64_t now, int64_t *since)
{
    if (!posix_process_is_killed(child))
        *since = 0;
    else if (!*since)
        *since = now;
    else if (now - *since >= DEADLINE_KILLED)
        leave_killed(deadly_signal() ? deadly_signal() : SIGKILL);
}

/* Leaves as the child has said, which has a moment to end or, if it is stuck, to let go
 * of what is the caller's. Returns when to look again; INT64_MAX: nothing was said yet.
 */
static int64_t
leave_if_ending(int64_t now, int64_t *since)
{
    if (!atomic_load(&page->ending))
        return INT64_MAX;
    *since = *since ? *since : now;
    int64_t end =
        *since + (atomic_load(&page->stuck) ? DEADLINE_TIDYING : DEADLINE_CHILD);
    if (atomic_load(&page->over) || now >= end)
        leave(atomic_load(&page->status), atomic_load(&page->signo));
    return end;
}

/* The handlers run only in pselect(2). */
static _Noreturn void
supervise_child(const sigset_t *mask)
{
    struct progress progress = {0};
    int64_t ending = 0, killed = 0, began = os_clock_now();
    for (;;) {
        int64_t now = os_clock_now(), limit = atomic_load(&page->limit);
        if (atomic_load(&asked))
            limit = time_earlier(limit, time_add(atomic_load(&asked), DEADLINE_GRACE));
        leave_if_ended();
        int64_t end = leave_if_ending(now, &ending);
        if (!ending && now - began >= DEADLINE_KILLED) /* most have ended before */
            leave_if_killed(now, &killed);
        if (atomic_load(&again) && !ending && now - atomic_load(&again) >= DEADLINE_GRACE)
            abandon(posix_last_status(), 0);
        int64_t next = limit == INT64_MAX ? INT64_MAX : limit - DEADLINE_WRITE;
        if (now >= next) {
            next = now + PACE;
            if (now >= limit)
                abandon_if_stuck(&progress, now);
            else
                look(&progress, now);
        }
        if (atomic_load(&again) && !ending)
            next = time_earlier(next, atomic_load(&again) + DEADLINE_GRACE);
        next = time_earlier(time_earlier(next, end), now + DEADLINE_KILLED);
        struct timespec left = time_spec(time_later(next - os_clock_now(), 0));
        pselect(0, NULL, NULL, NULL, &left, mask);
    }
}

int
os_monitor_start(void)
{
    sigset_t all, before;
    posix_inherited_list();
    struct page *shared = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || posix_leftover_share() < 0)
        return -1;
    atomic_init(&shared->limit, atomic_load(&alone.limit));
    atomic_init(&shared->last_line, atomic_load(&alone.last_line));
    atomic_init(&shared->last_status, posix_last_status());
    atomic_init(&shared->answers, posix_answers());
    page = shared;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t self = getpid(), other = fork();
    int code = errno;
    posix_leftover_part(other > 0 ? 0 : other == 0 ? 1 : -1);
    if (other > 0) {
        child = other;
        sigdelset(&before, SIGCHLD);
        supervise_child(&before);
    }
    if (other == 0) {
        monitor = self;
        sigaddset(&before, POSIX_SIGNAL_ABANDONED);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return other < 0 ? -1 : 0;
}
