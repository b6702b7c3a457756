/*
 * The monitor: the process that the caller started. It forks once and then does very
 * little. It never touches a target, so it can always end. Its child does all the work
 * and may get stuck in the kernel: not even SIGKILL ends a process in uninterruptible
 * sleep. The caller waits for the monitor only. The idea comes from OpenSSH's monitor.
 *
 *    caller        monitor (started, 1 thread)         child (does all the work)
 *      | exec ---->| map page, fork ------------------>| signal thread, workers, ...
 *      | signal -->| passed[n]++, kill(child) -------->| counts it once, see below
 *  1. normal end
 *      |           |<------- SIGCHLD: status, ending --| os_signals_end, then exits
 *      |<- status -| after DEADLINE_CHILD at most
 *  2. child stuck in the kernel
 *      |           |<------- SIGCHLD: ending, stuck ---| os_process_end: setsid, closes
 *      |           |<------- SIGCHLD: over ------------| its descriptors, calls _exit,
 *      |<- status -| after DEADLINE_TIDYING at most    | which may never complete
 *  3. output stuck, or a second SIGINT
 *      |           | abandoned, SIGCHLD + SIGVTALRM -->| handler or guard thread:
 *      |           |<------- over ---------------------| closes descriptors, _exit
 *      |<- status -| SIGKILL after DEADLINE_TIDYING at most
 *  4. child killed
 *      |           | waitpid, or its state in /proc ---x
 *      |<- status -| by the same signal; a plug-in prints its last line
 *  5. monitor killed
 *      |           x-----------------------------------| PDEATHSIG; without that, the
 *                                                      | child polls its parent's PID
 *
 * In cases 1 to 4 the monitor forks a remover if a file was being made: posix_leftover.c.
 *
 * The two processes share one page of memory, struct page. Each field has one writer,
 * except the last line, which is taken by the process that ends first.
 *
 * Signals. Monitor and child are in one process group. A signal from a terminal or to the
 * group reaches both; a signal to the PID that the caller knows reaches the monitor
 * alone. So the monitor passes every signal on, and the child may receive two copies of
 * one signal. For each signal number the child counts the copies that came directly and
 * the copies that were passed on; the number of signals is max(direct, passed). A copy
 * that does not raise this maximum is ignored.
 */
#include "base/deadlines.h"
#include "base/error.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "posix.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNALS 32     /* all signals of users have lower numbers on all systems */
#define STREAMS 3      /* 1 stdout, 2 stderr; 0 is the file of os_stream_open */
#define PACE (50 * MS) /* ns, between two looks at output that may be stuck */

/* What monitor and child tell each other. Before the fork, and without a monitor, the
 * process uses `alone` instead. */
struct page {
    /* Written by the child, in any thread or handler: how it ends. */
    atomic_bool ending; /* the child has announced its end; the next two are set before */
    atomic_int status;  /* exit status */
    atomic_int signo;   /* 0, or the signal by which to end instead */
    atomic_bool stuck;  /* the child may be stuck in the kernel */
    atomic_bool has_let_go; /* the child has released what belongs to the caller */

    /* Written by the monitor. */
    atomic_bool abandoned; /* the monitor waits no longer; the child must end */

    /* Written by the child's signal thread: it has stopped the child because the monitor
     * is stopped. */
    atomic_bool halted;

    /* Written by the monitor's signal handler: how many signals it has passed on. */
    atomic_uint passed[SIGNALS];
    /* Written by the child: ns, monotonic. After this time no write is waited for. */
    _Atomic int64_t limit;
    /* Written by the child, any thread: how many writes to each stream have begun and
     * ended. */
    atomic_uint writes_begun[STREAMS], writes_ended[STREAMS];
    /* Written by the child: the message if the file of os_stream_open is stuck. The
     * monitor prints it. */
    char words[ERROR_LINE];

    /*
     * Written by the child, but the process that ends first takes the line with an
     * exchange. The pointer is valid in both processes, because fork(2) keeps addresses.
     */
    _Atomic(const char *) last_line;
    atomic_int last_status; /* exit status after a second SIGINT */
    atomic_bool answers; /* there was a last line: the program never ends by a signal */
};

/* Set by the first thread in os_monitor_start, before there is a second one; constant
 * afterwards. */
static struct page alone = {.limit = INT64_MAX, .last_status = EXIT_INTERRUPTED};
static struct page *page = &alone;
static pid_t monitor; /* PID, in the child only; else 0 */
static pid_t child;   /* PID, in the monitor only; 0 also once the child is gone */

/* timeout(1) sends its signal twice. Two SIGINT of one process within this time, in ns,
 * are one. The time begins with the first of them, so a process that sends SIGINT all the
 * time is still heard. */
#define PAIR (50 * MS)

/* Written by signal handlers, in the monitor and in the child, each for itself. When a
 * signal first asked to stop, when the first SIGINT came, and when a second SIGINT came
 * (monitor only): ns, monotonic; 0: not yet. */
static _Atomic int64_t asked, interrupted, again;

/* Monitor only. Set by its handler after SIGCONT, cleared by its loop: time without the
 * child's progress is counted anew. */
static volatile sig_atomic_t continued;

/* Child only. Written by its signal handler, in the signal thread: how many copies of
 * each signal came directly, and how many signals were handled. */
static unsigned copies_direct[SIGNALS], signals_counted[SIGNALS];
/* Child only. Written by the thread that opens or closes the file of os_stream_open; -1
 * without one. */
static atomic_int file = -1;
static atomic_bool file_waits; /* a write to `file` may wait, as it is no regular file */

bool
posix_monitor_stop(int signo)
{
    int64_t now = os_clock_now();
    int64_t never = 0;
    int64_t before = atomic_load(&interrupted);
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
    static pid_t passed_sender; /* sender of the last SIGINT that was passed on */
    static int64_t passed_at;   /* when it was passed on, ns, monotonic */
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
        copies_direct[signo]++;
    unsigned passed = atomic_load(&page->passed[signo]);
    unsigned most = copies_direct[signo] > passed ? copies_direct[signo] : passed;
    bool copy = most == signals_counted[signo];
    signals_counted[signo] = most;

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
 * Returns true if the monitor of this child has ended. A sandbox may forbid getppid(2) or
 * make it return 0; then the child tests whether a process with the monitor's PID exists.
 */
static bool
has_lost_monitor(void)
{
    pid_t parent = getppid();
    if (parent > 0)
        return parent != monitor;
    return kill(monitor, 0) < 0 && errno == ESRCH;
}

/* If the monitor continues between the two steps, SIGCHLD tells it that the child has
 * stopped, and it sends SIGCONT (leave_if_ended). */
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
    raise(SIGSTOP); /* returns after the stop */
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

/* Returns the index of STREAM in the arrays of STREAMS elements, -1 if the stream is not
 * watched. */
static int
place_of(int stream)
{
    if (stream == atomic_load(&file))
        return 0;
    return stream > 0 && stream < STREAMS ? stream : -1;
}

void
posix_monitor_write_begins(int stream)
{
    int place = place_of(stream);
    if (place >= 0)
        atomic_fetch_add(&page->writes_begun[place], 1);
}

void
posix_monitor_write_ends(int stream)
{
    int place = place_of(stream);
    if (place >= 0)
        atomic_fetch_add(&page->writes_ended[place], 1);
}

int64_t
posix_monitor_output_deadline(void)
{
    int64_t limit = atomic_load(&page->limit);
    int64_t stop = atomic_load(&asked);
    return stop ? time_earlier(limit, time_add(stop, DEADLINE_GRACE)) : limit;
}

void
posix_monitor_settle(int stream)
{
    int place = place_of(stream);
    int64_t end = os_clock_now() + DEADLINE_TIDYING;
    while (place >= 0 &&
           atomic_load(&page->writes_begun[place]) !=
               atomic_load(&page->writes_ended[place]) &&
           os_clock_now() < end)
        poll(NULL, 0, 1);
}

/*
 * The writing thread has more to do after a write to:
 * - Messages: the signal thread writes them all.
 * - Standard output beside a file of os_stream_open: the file must not be lost with it.
 * - Standard output without a monitor, once there is a limit: nobody else enforces the
 *   limit.
 * - The file itself, if it is a FIFO or a device: standard output must not be lost with
 *   it.
 */
bool
posix_monitor_must_not_block(int stream)
{
    int place = place_of(stream);
    bool has_file = atomic_load(&file) >= 0;
    bool limits_itself = !monitor && atomic_load(&page->limit) != INT64_MAX;
    return place == STDERR_FILENO ||
           (place == STDOUT_FILENO && (has_file || limits_itself)) ||
           (place == 0 && atomic_load(&file_waits));
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
        signal(SIGPIPE, SIG_IGN); /* writes fail with EPIPE instead */
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
    int status = chdir("/"); /* "/" always exists */
    (void)status;
    atomic_store(&page->has_let_go, true);
    if (!has_lost_monitor())
        kill(monitor, SIGCHLD);
}

/* Ends the monitor. A core dump of the monitor would be useless, so none is made; the
 * child may have made one. */
static _Noreturn void
leave(int status, int signo)
{
    const struct rlimit none = {0, 0};
    posix_last_line();
    posix_leftover_start_removal(!child);
    setrlimit(RLIMIT_CORE, &none);
    _exit(signo ? posix_process_die(signo) : status);
}

/* How far the child's output was at the last look. Only the monitor's loop uses it. */
struct progress {
    unsigned ended[STREAMS];
    int64_t since[STREAMS]; /* ns, monotonic: last time when no write was stuck */
};

/* Looks at the counts of writes at NOW. Returns the index of the stream whose write has
 * been stuck for DEADLINE_WRITE, -1 if no write is. */
static int
look(struct progress *progress, int64_t now)
{
    int stuck = -1;

    for (int stream = 0; stream < STREAMS; stream++) {
        unsigned ended = atomic_load(&page->writes_ended[stream]);
        if (continued || !progress->since[stream] || ended != progress->ended[stream] ||
            ended == atomic_load(&page->writes_begun[stream]))
            progress->since[stream] = now;
        progress->ended[stream] = ended;
        if (now - progress->since[stream] >= DEADLINE_WRITE)
            stuck = stream;
    }

    continued = 0;

    return stuck;
}

/* Returns SIGTERM or SIGHUP if that signal asked to stop and the program ends by it, see
 * os_signals_end; otherwise 0. */
static int
deadly_signal(void)
{
    return posix_answers()                       ? 0
           : atomic_load(&page->passed[SIGTERM]) ? SIGTERM
           : atomic_load(&page->passed[SIGHUP])  ? SIGHUP
                                                 : 0;
}

/* Abandons the child: asks it to release everything that belongs to the caller, waits for
 * that (case 3 of the picture), kills the child, and ends. */
static _Noreturn void
abandon(int status, int signo)
{
    int64_t end = os_clock_now() + DEADLINE_TIDYING;
    int ended;
    atomic_store(&page->abandoned, true);

    kill(child, SIGCHLD);
    kill(child, POSIX_SIGNAL_ABANDONED);
    while (!atomic_load(&page->has_let_go) && os_clock_now() < end &&
           waitpid(child, &ended, WNOHANG) == 0)
        os_sleep_until(os_clock_now() + MS);
    kill(child, SIGKILL);
    leave(status, signo);
}

/* Abandons the child if a write has been stuck for DEADLINE_WRITE. */
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

/* Ends the monitor because the child was killed by signal SIGNO. */
static _Noreturn void
leave_killed(int signo)
{
    if (posix_answers())
        /* The status is the same whoever killed the child. */
        leave(posix_last_status(), 0);
    leave(0, signo);
}

/* Ends the monitor if the child has ended. A child that has stopped itself
 * (posix_monitor_follow) is sent SIGCONT. */
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

/*
 * Ends the monitor if the child has been killed but cannot end, because a thread is stuck
 * in the kernel. waitpid(2) does not report such a child. SINCE is when the state was
 * first seen (0: not yet); a child that is not stuck has DEADLINE_KILLED from then on to
 * end normally.
 */
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

/*
 * Ends the monitor as the child has announced (posix_monitor_notify). The child first
 * gets DEADLINE_CHILD to end by itself or, if it may be stuck, DEADLINE_TIDYING to
 * release everything that belongs to the caller. SINCE is when the announcement was first
 * seen (0: not yet). Returns when to look again, INT64_MAX if nothing was announced.
 */
static int64_t
leave_if_ending(int64_t now, int64_t *since)
{
    if (!atomic_load(&page->ending))
        return INT64_MAX;
    *since = *since ? *since : now;
    int64_t end =
        *since + (atomic_load(&page->stuck) ? DEADLINE_TIDYING : DEADLINE_CHILD);
    if (atomic_load(&page->has_let_go) || now >= end)
        leave(atomic_load(&page->status), atomic_load(&page->signo));

    return end;
}

/* The monitor's loop. All signals are blocked except in pselect(2), so the handlers run
 * only there and no signal is missed between a look and the wait. */
static _Noreturn void
supervise_child(const sigset_t *mask)
{
    struct progress progress = {0};
    int64_t ending = 0;
    int64_t killed = 0;
    int64_t began = os_clock_now();
    for (;;) {
        int64_t now = os_clock_now();
        int64_t limit = posix_monitor_output_deadline();
        leave_if_ended();

        int64_t end = leave_if_ending(now, &ending);
        /* Most runs end before the first look. */
        if (!ending && now - began >= DEADLINE_KILLED)
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
    sigset_t all;
    sigset_t before;

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
    pid_t self = getpid();
    pid_t other = fork();
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
