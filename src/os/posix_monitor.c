/*
 * The monitor: the process that the caller started. It forks once and then does very
 * little. It never touches a target, so it can always end. Its child does all the work
 * and may get stuck in the kernel: not even SIGKILL ends a process in uninterruptible
 * sleep. The caller waits for the monitor only. The idea comes from OpenSSH's monitor.
 *
 *    caller        monitor (started, 1 thread)         child (does all the work)
 *      | exec ---->| maps a page, forks -------------->| signal thread, workers, ...
 *      | signal -->| signals_passed[n]++, kill(child)->| handles it once, see below
 *  1. normal end
 *      |           |<----- SIGCHLD: is_announced ------| os_signals_end, then exits
 *      |<- status -| after DEADLINE_CHILD at most
 *  2. child stuck in the kernel
 *      |           |<----- SIGCHLD: is_announced, -----| os_process_end: calls setsid,
 *      |           |       may_be_stuck                | closes the descriptors of the
 *      |           |<----- SIGCHLD: has_let_go --------| caller, then calls _exit, which
 *      |<- status -| after DEADLINE_TIDYING at most    | may never complete
 *  3. output stuck, or a second SIGINT
 *      |           | is_abandoned, SIGCHLD+SIGVTALRM ->| handler or guard thread: closes
 *      |           |<----- has_let_go -----------------| the descriptors, calls _exit
 *      |<- status -| SIGKILL after DEADLINE_TIDYING at most
 *  4. child killed
 *      |           | waitpid, or its state in /proc ---x
 *      |<- status -| by the same signal; a plug-in prints its final line instead
 *  5. monitor killed
 *      |           x-----------------------------------| PDEATHSIG; without that, the
 *                                                      | child polls its parent's PID
 *
 * In cases 1 to 4 the monitor forks a remover if a file was being made: posix_leftover.c.
 *
 * The two processes share one page of memory, struct monitor_page. Each field has one
 * writer, except the final line of a plug-in: the process that ends first takes this line
 * and prints it.
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
#include "os/screen.h"
#include "posix.h"
#include "posix_terminal.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Size of arrays that are indexed by signal number. The program handles no signal with a
 * higher number on any system. */
#define SIGNALS 32

/* Size of arrays with one element for each stream that the monitor watches: 0 is the file
 * of os_stream_open, 1 is stdout, 2 is stderr. */
#define STREAMS 3

/*
 * What monitor and child tell each other. After the fork, this is in memory that the two
 * processes share. Before the fork, and without a monitor, there is only one process, and
 * `page_alone` is used.
 */
struct monitor_page {
    /* How the program ends. Written by the child, in any thread or handler. */
    struct {
        atomic_int exit_status; /* exit status of the program; written before is_announced
                                 * is set */
        atomic_int end_signal;  /* if not 0, the program ends by this signal instead;
                                 * written before is_announced is set */
        atomic_bool is_announced; /* exit_status and end_signal are valid */
        atomic_bool may_be_stuck; /* a thread of the child may be stuck in the kernel */
        atomic_bool has_let_go;   /* the child has closed the caller's descriptors and
                                   * left the caller's session and working directory */
    } end;

    /* The output of the child. Written by the child, in any thread. */
    struct {
        _Atomic int64_t deadline; /* ns, monotonic: a write that blocks after this time
                                   * is given up; INT64_MAX: no limit */
        atomic_uint writes_begun[STREAMS]; /* how many writes to each stream have begun */
        atomic_uint writes_ended[STREAMS]; /* how many writes to each stream have ended */
        char file_message[ERROR_LINE];     /* the monitor prints this text if a write to
                                            * the file of os_stream_open is stuck */
    } output;

    /* The child has stopped itself, because the monitor is stopped (Ctrl-Z). Written by
     * the child, in the signal thread. */
    atomic_bool child_stopped_itself;

    /* The monitor no longer waits for the child, which must end now. Written by the
     * monitor. */
    atomic_bool child_is_abandoned;

    /* How many signals of each number the monitor has passed on to the child. Written by
     * the monitor's signal handler. */
    atomic_uint signals_passed[SIGNALS];

    /* The final line of a plug-in, see os_process_set_last_line. Written by the child.
     * Before a process prints `line`, it takes the line by an exchange with NULL, so only
     * one process prints it. */
    struct {
        _Atomic(const char *) line; /* NULL without a line; the pointer is valid in both
                                     * processes, because fork(2) keeps addresses */
        atomic_int status;          /* exit status of the program after a second SIGINT */
        /* a line was set at some time, so the program never ends by a signal */
        atomic_bool was_set;
    } last_line;
};

/* Used while there is only one process: before the fork, or if there is no monitor. */
static struct monitor_page page_alone = {
    .output = {.deadline = INT64_MAX},
    .last_line = {.status = EXIT_INTERRUPTED},
};

/* The monitor_page that is in use, and the PIDs of the two processes. Set in
 * os_monitor_start, while the process has one thread. Afterwards only one of them
 * changes: the monitor resets `child_pid` when the child has ended. */
static struct monitor_page *page = &page_alone;
static pid_t monitor_pid; /* in the child: its monitor; 0 in any other process */
static pid_t child_pid;   /* in the monitor: its child; 0 in any other process */

/*
 * In ns. After a SIGINT, the monitor does not pass on another SIGINT from the same sender
 * within this time. The reason is timeout(1), which sends its signal to the program and
 * then to the process group of the program. The time starts at the first SIGINT and is
 * not extended, so a process that sends SIGINT continuously is still heard.
 * OS_SIGINT_SAME is shorter, but holds for all senders.
 */
#define SIGINT_PAIR (50 * MS)

/* These three times are in ns, monotonic; 0: not yet. Written by signal handlers. Monitor
 * and child each have their own copy. */
static _Atomic int64_t stop_asked_at;    /* when a signal first asked to stop */
static _Atomic int64_t first_sigint_at;  /* when the first SIGINT came */
static _Atomic int64_t second_sigint_at; /* when the second SIGINT came; monitor only */

/* Monitor only: the monitor has continued after a stop. The child was stopped too, and
 * its writes could not advance meanwhile. So the monitor starts its measurement of stuck
 * writes anew. Set by the handler of SIGCONT, cleared by the monitor's loop. */
static volatile sig_atomic_t was_continued;

/* Child only: for each signal number, how many copies came directly, not through the
 * monitor. Written by the signal handler, in the signal thread. */
static unsigned direct_copies[SIGNALS];

/* Child only: for each signal number, how many signals were handled, that is, not ignored
 * as second copies. Written by the signal handler, in the signal thread. */
static unsigned signals_handled[SIGNALS];

/* Child only: the file of os_stream_open. Written by the thread that opens or closes
 * it. */
static atomic_int output_file = -1;       /* its descriptor; -1 if no file is open */
static atomic_bool output_file_may_block; /* output_file is a FIFO or a device, so a write
                                           * to it may wait for a reader */

bool
posix_monitor_note_stop(int signo)
{
    int64_t now = os_clock_now();
    int64_t never = 0;

    atomic_compare_exchange_strong(&stop_asked_at, &never, now);
    if (signo != SIGINT)
        return false;

    int64_t first_at = atomic_load(&first_sigint_at);
    if (!first_at)
        atomic_store(&first_sigint_at, now);
    return first_at && now - first_at > OS_SIGINT_SAME;
}

int64_t
os_signals_stop_asked_at(void)
{
    return atomic_load(&stop_asked_at);
}

bool
posix_monitor_pass(int signo, pid_t sender)
{
    static pid_t passed_sender; /* sender of the last SIGINT that was passed on */
    static int64_t passed_at;   /* when the last SIGINT was passed on, ns, monotonic */
    if (!child_pid)
        return false;
    if (signo == SIGCHLD)
        return true;

    int64_t now = os_clock_now();
    if (signo == SIGINT) {
        if (sender && sender == passed_sender && now - passed_at < SIGINT_PAIR)
            return true;
        passed_sender = sender;
        passed_at = now;
    }

    atomic_fetch_add(&page->signals_passed[signo], 1);
    kill(child_pid, signo);
    if (signo == SIGCONT)
        was_continued = 1;
    bool asks_to_stop = signo == SIGINT || signo == SIGTERM || signo == SIGHUP;
    if (asks_to_stop && posix_monitor_note_stop(signo) && !atomic_load(&second_sigint_at))
        atomic_store(&second_sigint_at, now);

    return true;
}

bool
posix_monitor_is_copy(int signo, pid_t sender)
{
    if (!monitor_pid || signo == SIGCHLD)
        return false;

    if (sender != monitor_pid)
        direct_copies[signo]++;
    unsigned direct = direct_copies[signo];
    unsigned passed = atomic_load(&page->signals_passed[signo]);
    unsigned signal_count = direct > passed ? direct : passed;
    bool is_copy = signal_count == signals_handled[signo];
    signals_handled[signo] = signal_count;

    return is_copy;
}

bool
posix_monitor_has_abandoned(void)
{
    return atomic_load(&page->child_is_abandoned);
}

bool
posix_monitor_exists(void)
{
    return monitor_pid != 0;
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
        return parent != monitor_pid;
    return kill(monitor_pid, 0) < 0 && errno == ESRCH;
}

/* There is a race: the monitor may be continued after the child has seen it stopped, but
 * before the child stops itself. Even so, the child does not stay stopped. SIGCHLD tells
 * the monitor that the child has stopped, and the monitor then sends SIGCONT to the child
 * (end_if_child_ended). */
bool
posix_monitor_follow(void)
{
    if (!monitor_pid)
        return false;
    if (has_lost_monitor() && !atomic_load(&page->end.is_announced))
        _exit(EXIT_RUNTIME);
    if (!posix_process_is_stopped(monitor_pid))
        return false;

    atomic_store(&page->child_stopped_itself, true);
    raise(SIGSTOP); /* returns when this process continues */
    atomic_store(&page->child_stopped_itself, false);

    return true;
}

void
posix_monitor_attach(void)
{
    if (!monitor_pid)
        return;
    posix_parent_death(SIGKILL);
    if (has_lost_monitor())
        _exit(EXIT_RUNTIME);
}

void
posix_monitor_watch_file(int fd, const char *path)
{
    struct error error;
    struct stat status;

    if (fd >= 0) {
        error_set(&error, EXIT_RUNTIME, path, OS_STREAM_STUCK);
        error_format(&error, page->output.file_message,
                     sizeof(page->output.file_message));
    }
    atomic_store(&output_file_may_block,
                 fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode));
    atomic_store(&output_file, fd);
}

/* Returns the index of STREAM in the arrays of STREAMS elements, -1 if the monitor does
 * not watch the stream. */
static int
watched_index(int stream)
{
    if (stream == atomic_load(&output_file))
        return 0;
    return stream > 0 && stream < STREAMS ? stream : -1;
}

void
posix_monitor_write_begins(int stream)
{
    int index = watched_index(stream);
    if (index >= 0)
        atomic_fetch_add(&page->output.writes_begun[index], 1);
}

void
posix_monitor_write_ends(int stream)
{
    int index = watched_index(stream);
    if (index >= 0)
        atomic_fetch_add(&page->output.writes_ended[index], 1);
}

int64_t
posix_monitor_output_deadline(void)
{
    int64_t deadline = atomic_load(&page->output.deadline);
    int64_t asked_at = atomic_load(&stop_asked_at);
    if (!asked_at)
        return deadline;
    return time_earlier(deadline, time_add(asked_at, DEADLINE_GRACE));
}

void
posix_monitor_wait_for_writes(int stream)
{
    int index = watched_index(stream);
    int64_t give_up_at = os_clock_now() + DEADLINE_TIDYING;
    if (index < 0)
        return;

    const atomic_uint *begun = &page->output.writes_begun[index];
    const atomic_uint *ended = &page->output.writes_ended[index];
    while (atomic_load(begun) != atomic_load(ended) && os_clock_now() < give_up_at)
        poll(NULL, 0, 1);
}

/*
 * If nobody reads a stream, a write to it blocks until the monitor abandons the child. A
 * write must fail instead in these cases:
 * - Standard error: the signal thread, which writes all messages, must go on.
 * - Standard output while there is a file of os_stream_open: the rest of the output for
 *   the file must still be written.
 * - Standard output without a monitor, if there is a limit (os_monitor_limit): nobody
 *   would end the process.
 * - The file of os_stream_open, if it is a FIFO or a device: the rest of the output for
 *   standard output must still be written.
 */
bool
posix_monitor_must_not_block(int stream)
{
    int index = watched_index(stream);
    bool has_file = atomic_load(&output_file) >= 0;
    bool has_limit = atomic_load(&page->output.deadline) != INT64_MAX;

    if (index == STDERR_FILENO)
        return true;
    if (index == STDOUT_FILENO)
        return has_file || (!monitor_pid && has_limit);
    return index == 0 && atomic_load(&output_file_may_block);
}

void
os_monitor_limit(int64_t when)
{
    atomic_store(&page->output.deadline, when);
    if (monitor_pid)
        kill(monitor_pid, SIGCHLD);
}

void
os_monitor_limit_at_most(int64_t when)
{
    if (when < atomic_load(&page->output.deadline))
        os_monitor_limit(when);
}

void
os_process_set_last_line(const char *line, int status)
{
    if (line) {
        atomic_store(&page->last_line.was_set, true);
        signal(SIGPIPE, SIG_IGN); /* writes fail with EPIPE instead */
    }
    atomic_store(&page->last_line.line, line);
    atomic_store(&page->last_line.status, status);
}

void
posix_last_line_write(void)
{
    const char *line = atomic_exchange(&page->last_line.line, NULL);
    if (line)
        posix_descriptor_write(STDOUT_FILENO, line, strlen(line));
}

bool
posix_last_line_was_set(void)
{
    return atomic_load(&page->last_line.was_set);
}

int
posix_last_line_status(void)
{
    return atomic_load(&page->last_line.status);
}

/* The monitor passes the signal on. */
void
os_screen_interrupt(void)
{
    posix_terminal_restart();
    kill(monitor_pid ? monitor_pid : getpid(), SIGINT);
}

void
posix_monitor_announce_end(int status, int signo)
{
    if (!monitor_pid || atomic_load(&page->end.is_announced))
        return;
    posix_parent_death(0);
    atomic_store(&page->end.exit_status, status);
    atomic_store(&page->end.end_signal, signo);
    atomic_store(&page->end.is_announced, true);
    kill(monitor_pid, SIGCHLD);
}

void
posix_monitor_detach(void)
{
    if (!monitor_pid)
        return;
    atomic_store(&page->end.may_be_stuck, true);
    setsid();
    if (!has_lost_monitor())
        kill(monitor_pid, SIGCHLD);
}

void
posix_monitor_announce_let_go(void)
{
    if (!monitor_pid)
        return;
    int status = chdir("/"); /* cannot fail: "/" always exists */
    (void)status;
    atomic_store(&page->end.has_let_go, true);
    if (!has_lost_monitor())
        kill(monitor_pid, SIGCHLD);
}

/* Ends the monitor with exit status STATUS or, if SIGNO is not 0, by signal SIGNO. A core
 * dump of the monitor would be useless, so none is made; the child may have made one. */
static _Noreturn void
end_monitor(int status, int signo)
{
    const struct rlimit none = {0, 0};
    posix_terminal_restore();
    posix_last_line_write();
    posix_leftover_start_removal(!child_pid);
    setrlimit(RLIMIT_CORE, &none);
    _exit(signo ? posix_process_die(signo) : status);
}

/* How far the child's writes were when the monitor last looked. Only its loop uses it. */
struct write_progress {
    unsigned writes_ended[STREAMS];
    /* When the monitor last looked and the stream was not stuck, in ns, monotonic: a
     * write had ended, or no write was in progress. The first look, and the first look
     * after a stop of the monitor, count as such. 0: the monitor never looked. */
    int64_t unstuck_at[STREAMS];
};

/* Compares the child's writes at NOW with PROGRESS, and updates PROGRESS. Returns the
 * index of a stream whose write has been stuck for DEADLINE_WRITE, -1 if there is
 * none. */
static int
find_stuck_stream(struct write_progress *progress, int64_t now)
{
    int stuck = -1;

    for (int i = 0; i < STREAMS; i++) {
        unsigned ended = atomic_load(&page->output.writes_ended[i]);
        bool is_first_look = progress->unstuck_at[i] == 0;
        bool has_advanced = ended != progress->writes_ended[i];
        bool is_idle = ended == atomic_load(&page->output.writes_begun[i]);
        if (was_continued || is_first_look || has_advanced || is_idle)
            progress->unstuck_at[i] = now;
        progress->writes_ended[i] = ended;
        if (now - progress->unstuck_at[i] >= DEADLINE_WRITE)
            stuck = i;
    }

    was_continued = 0;

    return stuck;
}

/* Returns the signal by which the monitor must end: SIGTERM or SIGHUP if the monitor has
 * passed that signal on to the child. Returns 0 if the monitor must end with a status. A
 * monitoring plug-in (-check) always ends with a status. */
static int
passed_deadly_signal(void)
{
    if (posix_last_line_was_set())
        return 0;
    if (atomic_load(&page->signals_passed[SIGTERM]))
        return SIGTERM;
    return atomic_load(&page->signals_passed[SIGHUP]) ? SIGHUP : 0;
}

/* Abandons the child, see case 3 at the top of this file. Asks the child to release the
 * caller's terminal and descriptors, waits for that, and kills the child. Then ends the
 * monitor with exit status STATUS or, if SIGNO is not 0, by signal SIGNO. */
static _Noreturn void
abandon_child(int status, int signo)
{
    int64_t give_up_at = os_clock_now() + DEADLINE_TIDYING;
    int child_status;
    atomic_store(&page->child_is_abandoned, true);

    kill(child_pid, SIGCHLD);
    kill(child_pid, POSIX_SIGNAL_ABANDONED);
    while (!atomic_load(&page->end.has_let_go) && os_clock_now() < give_up_at &&
           waitpid(child_pid, &child_status, WNOHANG) == 0)
        os_sleep_until(os_clock_now() + MS);
    kill(child_pid, SIGKILL);
    end_monitor(status, signo);
}

/* Abandons the child, with a message, if a write has been stuck for DEADLINE_WRITE. */
static void
abandon_if_stuck(struct write_progress *progress, int64_t now)
{
    static const char stdout_message[] = "ioping: standard output: " OS_STREAM_STUCK "\n";
    int stuck = find_stuck_stream(progress, now);
    if (stuck < 0)
        return;

    bool is_stdout = stuck == STDOUT_FILENO;
    const char *text = is_stdout ? stdout_message : page->output.file_message;
    if (stuck != STDERR_FILENO)
        posix_descriptor_write(STDERR_FILENO, text, strlen(text));
    abandon_child(EXIT_RUNTIME, passed_deadly_signal());
}

/* Ends the monitor by SIGNO, the signal that killed the child. A monitoring plug-in
 * (-check) must always report a status, so the monitor then ends with
 * posix_last_line_status instead, whatever the signal was. */
static _Noreturn void
end_like_killed_child(int signo)
{
    if (posix_last_line_was_set())
        end_monitor(posix_last_line_status(), 0);
    end_monitor(0, signo);
}

/* Ends the monitor if the child has ended. Sends SIGCONT to the child if the child has
 * stopped itself because the monitor was stopped (posix_monitor_follow). */
static void
end_if_child_ended(void)
{
    int status;
    pid_t changed = waitpid(child_pid, &status, WNOHANG | WUNTRACED);

    if (changed == child_pid && WIFSTOPPED(status)) {
        if (atomic_load(&page->child_stopped_itself))
            kill(child_pid, SIGCONT);
        return;
    }

    bool status_is_lost = changed < 0 && errno == ECHILD;
    if (changed != child_pid && !status_is_lost)
        return;

    child_pid = 0;
    if (status_is_lost)
        end_monitor(EXIT_RUNTIME, 0);
    if (WIFSIGNALED(status))
        end_like_killed_child(WTERMSIG(status));
    end_monitor(WEXITSTATUS(status), 0);
}

/*
 * Ends the monitor if the child has been killed but cannot end, because a thread is stuck
 * in the kernel. waitpid(2) does not report such a child. KILLED_AT is the time when the
 * monitor first saw that the child was killed; 0: not yet. A child that is not stuck has
 * DEADLINE_KILLED from then on to end normally.
 */
static void
end_if_child_killed(int64_t now, int64_t *killed_at)
{
    if (!posix_process_is_killed(child_pid)) {
        *killed_at = 0;
        return;
    }
    if (!*killed_at)
        *killed_at = now;
    if (now - *killed_at < DEADLINE_KILLED)
        return;

    int signo = passed_deadly_signal();
    end_like_killed_child(signo ? signo : SIGKILL);
}

/*
 * Ends the monitor as the child has announced (posix_monitor_announce_end). The child
 * first gets DEADLINE_CHILD to end by itself or, if it may be stuck, DEADLINE_TIDYING to
 * release the caller's terminal and descriptors. ANNOUNCED_AT is the time when the
 * monitor first saw the announcement; 0: not yet. Returns the time at which to call this
 * function again, INT64_MAX if nothing has been announced.
 */
static int64_t
end_if_announced(int64_t now, int64_t *announced_at)
{
    if (!atomic_load(&page->end.is_announced))
        return INT64_MAX;

    if (!*announced_at)
        *announced_at = now;
    bool may_be_stuck = atomic_load(&page->end.may_be_stuck);
    int64_t give_up_at =
        *announced_at + (may_be_stuck ? DEADLINE_TIDYING : DEADLINE_CHILD);
    if (atomic_load(&page->end.has_let_go) || now >= give_up_at)
        end_monitor(atomic_load(&page->end.exit_status),
                    atomic_load(&page->end.end_signal));

    return give_up_at;
}

#define WRITES_PACE (50 * MS) /* ns, between two looks at writes that may be stuck */

/* Starts to watch the child's writes at DEADLINE_WRITE before DEADLINE. Abandons the
 * child if a write is stuck at or after DEADLINE. Returns the time at which to call this
 * function again, INT64_MAX if there is no deadline. */
static int64_t
watch_writes(struct write_progress *progress, int64_t now, int64_t deadline)
{
    if (deadline == INT64_MAX)
        return INT64_MAX;

    int64_t watch_from = deadline - DEADLINE_WRITE;
    if (now < watch_from)
        return watch_from;
    if (now >= deadline)
        abandon_if_stuck(progress, now);
    else
        find_stuck_stream(progress, now); /* only to update PROGRESS */

    return now + WRITES_PACE;
}

/* The monitor's loop. The signals for which it waits are blocked except in pselect(2),
 * which uses the signal mask MASK: no signal is missed between a check and the wait. Only
 * signals that end the monitor are handled at any time (posix_terminal_watch). */
static _Noreturn void
watch_child(const sigset_t *mask)
{
    struct write_progress progress = {0};
    int64_t announced_at = 0;
    int64_t killed_at = 0;
    int64_t began_at = os_clock_now();

    posix_terminal_watch(child_pid);
    for (;;) {
        posix_terminal_stop_if_asked();
        int64_t now = os_clock_now();
        int64_t deadline = posix_monitor_output_deadline();
        end_if_child_ended();

        int64_t end_at = end_if_announced(now, &announced_at);
        /* The state of the child is looked up only after DEADLINE_KILLED. Most runs end
         * earlier, so they are spared the cost. */
        if (!announced_at && now - began_at >= DEADLINE_KILLED)
            end_if_child_killed(now, &killed_at);

        int64_t abandon_at = INT64_MAX;
        if (atomic_load(&second_sigint_at) && !announced_at)
            abandon_at = atomic_load(&second_sigint_at) + DEADLINE_GRACE;
        if (now >= abandon_at)
            abandon_child(posix_last_line_status(), 0);

        int64_t next = watch_writes(&progress, now, deadline);
        next = time_earlier(next, abandon_at);
        next = time_earlier(next, end_at);
        next = time_earlier(next, now + DEADLINE_KILLED);
        struct timespec pause = time_spec(time_later(next - os_clock_now(), 0));
        pselect(0, NULL, NULL, NULL, &pause, mask);
    }
}

int
os_monitor_start(void)
{
    sigset_t every_signal;
    sigset_t mask;

    posix_inherited_list();
    struct monitor_page *shared = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || posix_leftover_share() < 0)
        return -1;

    /* These fields may have been set in page_alone; all other fields begin with 0. */
    atomic_init(&shared->output.deadline, atomic_load(&page_alone.output.deadline));
    atomic_init(&shared->last_line.line, atomic_load(&page_alone.last_line.line));
    atomic_init(&shared->last_line.status, posix_last_line_status());
    atomic_init(&shared->last_line.was_set, posix_last_line_was_set());
    page = shared;

    sigfillset(&every_signal);
    sigprocmask(SIG_SETMASK, &every_signal, &mask);
    pid_t self = getpid();
    pid_t pid = fork();
    int code = errno;
    posix_leftover_after_fork(pid);
    if (pid > 0) {
        child_pid = pid;
        sigdelset(&mask, SIGCHLD);
        watch_child(&mask);
    }

    if (pid == 0) {
        monitor_pid = self;
        sigaddset(&mask, POSIX_SIGNAL_ABANDONED);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    errno = code;

    return pid < 0 ? -1 : 0;
}
