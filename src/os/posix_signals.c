/*
 * Signals: the handlers only set flags, and one thread, the signal thread, reads them.
 *
 * All threads except the signal thread block the signals of os_signals_install, so these
 * signals come to the signal thread. It waits in pselect(2) or epoll_pwait(2), which
 * unblock signals only during the wait. So a signal that comes between the test of a flag
 * and the wait is still noticed in time: it ends the wait at once.
 *
 * Stops (Ctrl-Z, SIGSTOP). After a stop, SIGCONT makes all threads continue at once, and
 * the signal thread may be the last to run. A worker that has just ended a request must
 * know whether there was a stop meanwhile. So all threads, even the signal thread, block
 * SIGCONT: after a stop, SIGCONT stays pending until the signal thread consumes it, and
 * any thread can test whether it is pending. These are the states, one after the other:
 *
 *    SIGCONT   is_resuming   resumed_at   signal thread os_process_was_stopped(SINCE)
 *    -         false         old          waits              false
 *    pending   false         old          is woken           waits; true if SIGCONT stays
 *    pending   true          old          calls sigwait      true
 *    -         true          old or now   sets resumed_at    true
 *    -         false         now          waits              true if now > SINCE
 *
 * SIGCONT alone proves no stop, because some programs send it to a running process. The
 * signal thread judges by its voluntary context switches: a stop adds one to the switches
 * that come from waits.
 *
 * Freezes by a control group send no signal. The signal thread detects a freeze when its
 * wait ends late and was interrupted without a signal (note_late_wait).
 */
#include "os/process.h"

#include "base/deadlines.h"
#include "base/error.h"
#include "os/os.h"
#include "posix.h"
#include "posix_terminal.h"

#include <fcntl.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

/* The last signal that asked to stop; 0: no signal yet. Written by the handler, in the
 * signal thread. Atomic because other threads read it. */
static atomic_int stop_signal;

/* When the process last continued after a stop or a freeze, ns, monotonic; 0: never.
 * Written by the signal thread, and at the start of the program by a handler. */
static _Atomic int64_t resumed_at;

/* True while the signal thread consumes SIGCONT and sets `resumed_at`. Written by the
 * signal thread. */
static atomic_bool is_resuming;

/* How many times a handler was called. Written by handlers, in any thread. */
static atomic_uint handler_calls;

/* Set by a handler, in the signal thread; cleared by os_signals_take_report_request. */
static atomic_bool report_is_wanted;

/* A signal that asks for something has come since the last wait. Set by a handler, in the
 * signal thread; cleared by the signal thread, in os_signals_wait. */
static volatile sig_atomic_t signal_has_arrived;

/* The byte that a second SIGINT writes to closing_stream before it ends the program; 0:
 * no byte. Written by os_signals_set_closing_byte, read by the handler. */
static volatile sig_atomic_t closing_byte;
static volatile sig_atomic_t closing_stream;

/*
 * Restores the terminal, and releases everything that the caller may wait for: its
 * session, the inherited descriptors, its working directory. This is needed because a
 * thread that is stuck in the kernel may keep this process alive. Tells the monitor that
 * the process ends with STATUS or, if SIGNO is not 0, by signal SIGNO. Async-signal-safe.
 */
static void
release_caller(int status, int signo)
{
    posix_terminal_restore();
    posix_monitor_announce_end(status, signo);
    posix_monitor_detach();
    posix_inherited_release();
    posix_leftover_remove();
    posix_monitor_announce_let_go();
}

/*
 * Writes the final line of a plug-in and the closing byte of an open JSON array. No other
 * thread may write anything after the closing byte. So the byte is written to a duplicate
 * of the stream, after the descriptor of the stream has been replaced by a descriptor to
 * which every write fails (posix_inherited_release). If there is no free descriptor for
 * the duplicate, the byte is written to the stream itself. Async-signal-safe.
 */
static void
write_last_output(void)
{
    const char bytes[2] = {(char)closing_byte, '\n'};
    int stream = (int)closing_stream;

    posix_last_line_write();
    if (!bytes[0])
        return;
    int copy = fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy >= 0) {
        posix_inherited_release();
        posix_monitor_wait_for_writes(stream);
    }
    posix_descriptor_write(copy < 0 ? stream : copy, bytes, sizeof(bytes));
}

/* A SIGINT after SIGTERM or SIGHUP does not replace that signal in `stop_signal`, so the
 * parent still sees the process die by it (os_signals_end). */
static void
on_stop(int signo)
{
    if (posix_monitor_note_stop(signo)) {
        write_last_output();
        release_caller(posix_last_line_status(), 0);
        _exit(posix_last_line_status());
    }
    if (signo != SIGINT || !stop_signal)
        stop_signal = signo;
    signal_has_arrived = 1;
}

static void
on_report(int signo)
{
    (void)signo;
    atomic_store(&report_is_wanted, true);
    signal_has_arrived = 1;
}

/* Runs only at the start of the program, before SIGCONT is blocked. At that time, every
 * SIGCONT counts as the end of a stop. */
static void
on_continue(int signo)
{
    (void)signo;
    atomic_store(&resumed_at, os_clock_now());
}

/* The monitor sends SIGCHLD when it abandons this process: output is stuck, or a second
 * SIGINT came. os_process_was_stopped also sends SIGCHLD, but only to wake the signal
 * thread; then the handler does nothing. */
static void
on_child(int signo)
{
    (void)signo;
    if (!posix_monitor_has_abandoned())
        return;
    release_caller(EXIT_RUNTIME, 0);
    _exit(EXIT_RUNTIME);
}

void *
posix_signals_guard(void *unused)
{
    sigset_t set;
    int signo;
    bool is_abandoned = false;

    (void)unused;
    sigemptyset(&set);
    sigaddset(&set, POSIX_SIGNAL_ABANDONED);
    while (!is_abandoned)
        is_abandoned = sigwait(&set, &signo) == 0 && posix_monitor_has_abandoned();
    on_child(SIGCHLD);

    return NULL;
}

/* The signals of os_signals_install, except POSIX_SIGNAL_WAKE. */
static const struct {
    int signo;
    void (*handler)(int);
} handled_signals[] = {
    {SIGINT, on_stop},    {SIGTERM, on_stop},   {SIGHUP, on_stop},
    {SIGQUIT, on_report}, {SIGUSR1, on_report}, {SIGCONT, on_continue},
    {SIGCHLD, on_child},
#ifdef SIGINFO /* a signal that not every system has */
    {SIGINFO, on_report},
#endif
};

#define HANDLED_SIGNALS (sizeof(handled_signals) / sizeof(handled_signals[0]))

/*
 * Handler of all signals. In the monitor it passes the signal on and does nothing else.
 * POSIX_SIGNAL_WAKE is not in the table: it only interrupts a system call. `si_pid` has
 * the sender in two cases: `si_code` is SI_USER, after kill(2), or negative, after other
 * ways to send a signal on Linux.
 */
static void
on_signal(int signo, siginfo_t *info, void *context)
{
    int code_before = errno;
    bool has_sender = info->si_code == SI_USER || info->si_code <= 0;
    pid_t sender = has_sender ? info->si_pid : 0;

    (void)context;
    atomic_fetch_add(&handler_calls, 1);
    for (size_t i = 0; i < HANDLED_SIGNALS; i++) {
        if (handled_signals[i].signo != signo)
            continue;
        if (!posix_monitor_pass(signo, sender) && !posix_monitor_is_copy(signo, sender))
            handled_signals[i].handler(signo);
    }
    errno = code_before;
}

static void
install_handler(int signo)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(signo, &action, NULL);
}

void
os_signals_install(void)
{
    struct sigaction hangup = {0};

    sigaction(SIGHUP, NULL, &hangup);
    for (size_t i = 0; i < HANDLED_SIGNALS; i++)
        /* nohup(1) makes its program ignore SIGHUP. In that case SIGHUP stays ignored. */
        if (handled_signals[i].signo != SIGHUP || hangup.sa_handler != SIG_IGN)
            install_handler(handled_signals[i].signo);

    install_handler(POSIX_SIGNAL_WAKE);
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, POSIX_SIGNAL_WAKE);
    pthread_sigmask(SIG_UNBLOCK, &wake, NULL);

    signal(SIGXFSZ, SIG_IGN); /* writes beyond `ulimit -f` fail with EFBIG instead */
}

void
posix_signals_block(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < HANDLED_SIGNALS; i++)
        sigaddset(&set, handled_signals[i].signo);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

/* Bit I of the returned set stands for row I of handled_signals. SIGCONT is never in the
 * set, because it stays blocked. */
unsigned
os_signals_block(void)
{
    sigset_t before;
    unsigned set = 0;

    posix_signals_block(&before);
    for (size_t i = 0; i < HANDLED_SIGNALS; i++) {
        int signo = handled_signals[i].signo;
        if (signo != SIGCONT && !sigismember(&before, signo))
            set |= 1U << i;
    }
    return set;
}

void
os_signals_unblock(unsigned set)
{
    sigset_t mask;
    sigemptyset(&mask);
    for (size_t i = 0; i < HANDLED_SIGNALS; i++)
        if (set >> i & 1)
            sigaddset(&mask, handled_signals[i].signo);
    pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
    posix_monitor_attach();
}

static bool
is_pending(int signo)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, signo) == 1;
}

/* What the signal thread knows about stops. No other thread uses this variable. */
static struct {
    int context_switches;       /* number of voluntary switches at the last check */
    bool may_have_stopped;      /* there may have been a stop since the last SIGCONT */
    int64_t monitor_checked_at; /* ns, monotonic: last call of posix_monitor_follow */
} stop_watch;

/* Reads the voluntary context switches of the signal thread. If there were more than
 * MAX_SWITCHES since the last read, or if their number is unknown, the process may have
 * been stopped. */
static void
check_context_switches(int max_switches)
{
    int now = posix_signals_switches();
    int new_switches = (now - stop_watch.context_switches) & INT32_MAX;
    if (now < 0 || new_switches > max_switches)
        stop_watch.may_have_stopped = true;
    stop_watch.context_switches = now;
}

/* Consumes a pending SIGCONT, and decides whether it ended a stop. timeout(1) and other
 * programs also send SIGCONT to processes that were never stopped. Each wait of the
 * signal thread causes one voluntary context switch, and each stop causes one more. So a
 * stop is assumed if there were more switches than waits. wait_for_signal and
 * follow_monitor look for other signs of a stop. */
static void
consume_continue(void)
{
    sigset_t set;
    int signo;

    check_context_switches(0);
    if (!is_pending(SIGCONT)) {
        /* There was no stop, because SIGCONT would be pending after a stop. */
        stop_watch.may_have_stopped = false;
        return;
    }

    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    atomic_store(&is_resuming, true);
    sigwait(&set, &signo);
    check_context_switches(0);
    if (stop_watch.may_have_stopped)
        atomic_store(&resumed_at, os_clock_now());
    stop_watch.may_have_stopped = false;
    atomic_store(&is_resuming, false);
}

int64_t
os_signals_check_resumed_at(void)
{
    consume_continue();
    return os_process_resumed_at();
}

/* ns, between two calls of posix_monitor_follow, which takes longer than a short wait */
#define FOLLOW_PACE (100 * MS)

/* Stops this process while the monitor is stopped. Checks the monitor at most once in
 * FOLLOW_PACE. */
static void
follow_monitor(void)
{
    int64_t now = os_clock_now();
    if (now - stop_watch.monitor_checked_at < FOLLOW_PACE)
        return;
    stop_watch.monitor_checked_at = now;
    if (posix_monitor_follow())
        stop_watch.may_have_stopped = true;
}

/* When the present wait of the signal thread should end, ns, monotonic; INT64_MAX while
 * it does not wait. Written by the signal thread. Other threads compare this with the
 * clock to see whether the signal thread is late. */
static _Atomic int64_t wait_ends_at = INT64_MAX;

/* When the signal thread's last late wait ended, ns, monotonic; 0: no wait was late.
 * Only waits that were late by OS_LATE_MIN or more for an unknown reason count. Written
 * by the signal thread. */
static _Atomic int64_t late_wait_ended_at;

/* A wait that was interrupted without a signal and ended late by at least this much, in
 * ns, was a freeze. */
#define FREEZE_MIN (50 * MS)

/*
 * Notes why a wait that should have ended at WHEN was late. IS_INTERRUPTED: a system call
 * was interrupted without a signal.
 *
 * Lateness alone proves no freeze: a busy machine, a limit on processor time, a pause of
 * the virtual machine or a slow device delays the thread too. An interruption alone
 * proves that a freezer, a debugger or a stop was about to hold the process, but not that
 * it was held for long. So a freeze is noted only if both come together.
 */
static void
note_late_wait(bool is_interrupted, int64_t when)
{
    int64_t now = os_clock_now();
    int64_t lateness = now - when;
    if (is_interrupted && lateness >= FREEZE_MIN)
        atomic_store(&resumed_at, now);
    else if (lateness >= OS_LATE_MIN)
        atomic_store(&late_wait_ended_at, now);
}

/*
 * Waits for REMAINING ns or for FOLLOW_PACE, whichever is shorter, with the signal mask
 * MASK. Returns true if a signal has come. Also notes whether the process may have been
 * stopped during the wait.
 *
 * The kernel may end a wait late by a thousandth of its length, so a wait of more than 10
 * ms is shortened, and the caller waits again.
 *
 * A stop causes a voluntary context switch. Normally the wait itself causes one too, so
 * only a second switch is a sign of a stop. But if REMAINING is below 1 ms, the wait may
 * cause no switch. Then a single switch may come from a stop. Therefore, if REMAINING is
 * below 1 ms but the wait took more than 2 ms, this counts as a possible stop, too.
 */
static bool
wait_for_signal(int64_t remaining, const sigset_t *mask)
{
    int64_t shortened = remaining > 10 * MS ? remaining - remaining / 500 : remaining;
    int64_t limit = time_earlier(shortened, FOLLOW_PACE);
    int64_t began_at = os_clock_now();
    unsigned calls_before = atomic_load(&handler_calls);

    atomic_store(&wait_ends_at, began_at + limit);
    bool is_interrupted = posix_signals_pause(limit, mask) < 0;
    bool has_signal = atomic_load(&handler_calls) != calls_before;

    note_late_wait(is_interrupted && !has_signal, began_at + limit);
    atomic_store(&wait_ends_at, INT64_MAX);
    check_context_switches(1);
    if (remaining < MS && os_clock_now() - began_at > 2 * MS)
        stop_watch.may_have_stopped = true;

    return has_signal;
}

void
os_signals_wait(int64_t when, const atomic_bool *unless)
{
    sigset_t every_signal;
    sigset_t mask;

    sigfillset(&every_signal);
    pthread_sigmask(SIG_SETMASK, &every_signal, &mask);
    while (!signal_has_arrived && !atomic_load(unless)) {
        follow_monitor();
        consume_continue();
        int64_t remaining = when - os_clock_now();
        if (remaining <= 0 || wait_for_signal(remaining, &mask))
            break;
    }

    signal_has_arrived = 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

int
os_signals_stop_signal(void)
{
    return stop_signal;
}

int64_t
os_process_resumed_at(void)
{
    return atomic_load(&resumed_at);
}

/* ns, between two checks by a thread that waits until the signal thread has run */
#define CHECK_PACE (MS / 10)

/*
 * Waits until the signal thread has noted whether there was a freeze, for DEADLINE_THAW
 * at most. Called by threads other than the signal thread: after a freeze all threads
 * continue at once, and the signal thread may be the last to run. SINCE is when the
 * request of the calling thread began.
 */
static void
wait_until_freeze_is_noted(int64_t since)
{
    for (int checks = 0; checks < DEADLINE_THAW / CHECK_PACE; checks++) {
        int64_t due_at = atomic_load(&wait_ends_at);
        int64_t now = os_clock_now();
        bool is_late = now - due_at >= FREEZE_MIN;
        if (since >= due_at || !is_late)
            return;
        os_sleep_until(now + CHECK_PACE);
    }
}

/* Wakes the signal thread, so that it consumes a pending SIGCONT, and waits for that.
 * Returns true if SIGCONT is still pending after DEADLINE_CONTINUE. */
static bool
continue_stays_pending(void)
{
    kill(getpid(), SIGCHLD);
    for (int checks = 0; checks < DEADLINE_CONTINUE / CHECK_PACE; checks++) {
        os_sleep_until(os_clock_now() + CHECK_PACE);
        if (!is_pending(SIGCONT))
            return false;
    }
    return true;
}

/* The order of the tests matters. The signal thread sets `is_resuming` before it consumes
 * SIGCONT, and clears it after it has set `resumed_at`, so at least one of the tests sees
 * a stop. */
bool
os_process_was_stopped(int64_t since)
{
    wait_until_freeze_is_noted(since);
    if (is_pending(SIGCONT) && continue_stays_pending())
        return true;
    return atomic_load(&is_resuming) || os_process_resumed_at() > since;
}

bool
os_process_was_late(int64_t since)
{
    int64_t due_at = atomic_load(&wait_ends_at);
    int64_t now = os_clock_now();
    bool is_still_late = since <= due_at && now - due_at >= OS_LATE_MIN;
    return is_still_late || atomic_load(&late_wait_ended_at) - since >= OS_LATE_MIN;
}

bool
os_signals_take_report_request(void)
{
    return atomic_exchange(&report_is_wanted, false);
}

void
os_signals_set_closing_byte(int stream, int byte)
{
    closing_byte = 0;
    closing_stream = stream;
    closing_byte = byte;
}

/* Returns the signal that the process should die by: SIGTERM or SIGHUP if it asked to
 * stop. Returns 0 if the process should end with a status. A monitoring plug-in (-check)
 * always ends with a status. */
static int
deadly_stop_signal(void)
{
    bool is_deadly = stop_signal == SIGTERM || stop_signal == SIGHUP;
    return is_deadly && !posix_last_line_was_set() ? stop_signal : 0;
}

int
os_signals_end(int status)
{
    int signo = deadly_stop_signal();
    posix_monitor_announce_end(status, signo);
    return signo ? posix_process_die(signo) : status;
}

_Noreturn void
os_process_end(int status)
{
    release_caller(status, deadly_stop_signal());
    _exit(os_signals_end(status));
}
