/*
 * Signals: the handlers only set flags, and one thread, the signal thread, reads them.
 *
 * All threads except the signal thread block the users' signals, so all these signals
 * come to the signal thread. It waits in pselect(2) or epoll_pwait(2), which unblocks
 * signals only during the wait. Therefore no signal can arrive between the test of a flag
 * and the wait, and be noticed too late.
 *
 * Stops (Ctrl-Z, SIGSTOP). After a stop, SIGCONT makes all threads continue at once, and
 * the signal thread may be the last to run. A worker that has just ended a request must
 * know whether there was a stop meanwhile. So all threads, even the signal thread, block
 * SIGCONT: after a stop, SIGCONT stays pending until the signal thread consumes it, and
 * any thread can test that.
 *
 *    SIGCONT   resuming   resumed      signal thread          another thread concludes
 *    -         false      old          waits                  no stop
 *    pending   false      old          is woken               waits; if it stays: stop
 *    pending   true       old          calls sigwait          stop
 *    -         true       old or now   sets `resumed`         stop
 *    -         false      now          waits                  stop, if now > its `since`
 *
 * SIGCONT alone proves no stop, because some programs send it to a running process. The
 * signal thread judges by its voluntary context switches: a stop adds one more than the
 * waits do.
 *
 * Freezes by a control group send no signal. The signal thread detects a freeze when its
 * wait ends late and was interrupted without a signal (note_lateness).
 */
#include "os/process.h"

#include "base/deadlines.h"
#include "base/error.h"
#include "os/os.h"
#include "posix.h"

#include <fcntl.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

/* Written by the handler in the signal thread: the last signal that asked to stop, 0
 * without one. Atomic because other threads read it. */
static atomic_int stop_signal;
/* Written by the signal thread, also in its handler: see os_process_resumed. */
static _Atomic int64_t resumed;
/* Written by handlers, in any thread: the number of calls of handlers. */
static atomic_uint handled;
/* Written by the signal thread: it is about to set `resumed`. */
static atomic_bool resuming;
/* Set by a handler; cleared by os_signals_report. */
static atomic_bool report_wanted;
/* Set by a handler in the signal thread, cleared by os_signals_wait: a signal of the
 * users has come since the last wait. */
static volatile sig_atomic_t arrived;
/* Written by os_signals_closing, read by the handler. */
static volatile sig_atomic_t closing_byte, closing_stream;

/* Releases everything that belongs to the caller, because the process is about to end
 * with STATUS or, if SIGNO is not 0, by signal SIGNO; the kernel may hold a thread for
 * longer. Async-signal-safe. */
static void
let_go(int status, int signo)
{
    posix_monitor_notify(status, signo);
    posix_monitor_detach();
    posix_inherited_release();
    posix_leftover_remove();
    posix_monitor_leave();
}

/*
 * Writes the last line of a plug-in and the closing byte of an open JSON array. No other
 * thread may write behind the closing byte, so the stream is first copied and then taken
 * away from all other threads. If there is no free descriptor for the copy, the byte is
 * written without that. Async-signal-safe.
 */
static void
close_output(void)
{
    const char last[2] = {(char)closing_byte, '\n'};
    int stream = (int)closing_stream;

    posix_last_line();
    if (!last[0])
        return;
    int copy = fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy >= 0) {
        posix_inherited_release();
        posix_monitor_settle(stream);
    }
    posix_descriptor_write(copy < 0 ? stream : copy, last, sizeof(last));
}

/* A SIGINT after SIGTERM or SIGHUP does not replace it, so the parent still sees the
 * process die by that signal (os_signals_end). */
static void
on_stop(int signo)
{
    if (posix_monitor_stop(signo)) {
        close_output();
        let_go(posix_last_status(), 0);
        _exit(posix_last_status());
    }
    if (signo != SIGINT || !stop_signal)
        stop_signal = signo;
    arrived = 1;
}

static void
on_report(int signo)
{
    (void)signo;
    atomic_store(&report_wanted, true);
    arrived = 1;
}

/* Runs only while SIGCONT is not blocked yet, at the start. Every SIGCONT then counts as
 * the end of a stop. */
static void
on_continue(int signo)
{
    (void)signo;
    atomic_store(&resumed, os_clock_now());
}

/* The monitor sends SIGCHLD when it abandons this process, because a thread is stuck in
 * the output. A SIGCHLD of os_process_stopped only wakes the signal thread. */
static void
on_child(int signo)
{
    (void)signo;
    if (!posix_monitor_has_abandoned())
        return;
    let_go(EXIT_RUNTIME, 0);
    _exit(EXIT_RUNTIME);
}

void *
posix_signals_guard(void *unused)
{
    sigset_t set;
    int signo;

    (void)unused;
    sigemptyset(&set);
    sigaddset(&set, POSIX_SIGNAL_ABANDONED);
    while (sigwait(&set, &signo) != 0 || !posix_monitor_has_abandoned())
        ;
    on_child(SIGCHLD);

    return NULL;
}

static const struct {
    int signo;
    void (*handler)(int);
} user_signals[] = {
    {SIGINT, on_stop},    {SIGTERM, on_stop},   {SIGHUP, on_stop},
    {SIGQUIT, on_report}, {SIGUSR1, on_report}, {SIGCONT, on_continue},
    {SIGCHLD, on_child},
#ifdef SIGINFO /* tests for a feature, not for a system */
    {SIGINFO, on_report},
#endif
};

#define USER_SIGNALS (sizeof(user_signals) / sizeof(user_signals[0]))

/* Handler of all signals. In the monitor it passes the signal on and does nothing else. A
 * signal that is not in the table, POSIX_SIGNAL_WAKE, only interrupts a system call. */
static void
on_signal(int signo, siginfo_t *from, void *context)
{
    int before = errno;

    (void)context;
    atomic_fetch_add(&handled, 1);
    bool sent = from->si_code == SI_USER || from->si_code <= 0;
    pid_t sender = sent ? from->si_pid : 0;
    for (size_t i = 0; i < USER_SIGNALS; i++)
        if (user_signals[i].signo == signo && !posix_monitor_pass(signo, sender) &&
            !posix_monitor_copies(signo, sender))
            user_signals[i].handler(signo);
    errno = before;
}

static void
install(int signo)
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
    for (size_t i = 0; i < USER_SIGNALS; i++)
        /* nohup(1) ignores SIGHUP; it stays ignored. */
        if (user_signals[i].signo != SIGHUP || hangup.sa_handler != SIG_IGN)
            install(user_signals[i].signo);
    install(POSIX_SIGNAL_WAKE);
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, POSIX_SIGNAL_WAKE);
    pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
    signal(SIGXFSZ, SIG_IGN); /* writes fail with EFBIG instead */
}

void
posix_signals_block(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < USER_SIGNALS; i++)
        sigaddset(&set, user_signals[i].signo);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

unsigned
os_signals_block(void)
{
    sigset_t before;
    unsigned set = 0;
    posix_signals_block(&before);
    for (size_t i = 0; i < USER_SIGNALS; i++)
        if (user_signals[i].signo != SIGCONT)
            set |= (unsigned)!sigismember(&before, user_signals[i].signo) << i;
    return set;
}

void
os_signals_unblock(unsigned set)
{
    sigset_t mask;
    sigemptyset(&mask);
    for (size_t i = 0; i < USER_SIGNALS; i++)
        if (set >> i & 1)
            sigaddset(&mask, user_signals[i].signo);
    pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
    posix_monitor_attach();
}

#define FOLLOW_PACE (100 * MS) /* ns, between two looks at the monitor */

static bool
is_pending(int signo)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, signo) == 1;
}

/* Only the signal thread uses these. */
static struct {
    int switches;     /* voluntary context switches at the last look */
    bool stopped;     /* there was, or may have been, a stop since the last SIGCONT */
    int64_t followed; /* ns, monotonic: last look at the monitor */
} self;

/* Looks at the voluntary context switches of the signal thread since the last look.
 * Without a stop there are at most MOST. */
static void
count_switches(int most)
{
    int now = posix_signals_switches();
    self.stopped |= now < 0 || ((now - self.switches) & INT32_MAX) > most;
    self.switches = now;
}

/* Consumes a pending SIGCONT, and decides whether it ended a stop. timeout(1) and others
 * send SIGCONT to processes that were never stopped: the thread then has no context
 * switches except those of its waits. */
static void
take_continue(void)
{
    sigset_t set;
    int signo;

    count_switches(0);
    if (!is_pending(SIGCONT)) {
        self.stopped = false; /* every stop ends with SIGCONT */
        return;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGCONT);

    atomic_store(&resuming, true);
    sigwait(&set, &signo);
    count_switches(0);
    if (self.stopped)
        atomic_store(&resumed, os_clock_now());
    self.stopped = false;
    atomic_store(&resuming, false);
}

int64_t
os_signals_resumed(void)
{
    take_continue();
    return os_process_resumed();
}

/* Stops this process while the monitor is stopped. Looks only every FOLLOW_PACE, because
 * a look costs more than a short wait. */
static void
follow(void)
{
    int64_t now = os_clock_now();
    if (now - self.followed < FOLLOW_PACE)
        return;
    self.followed = now;
    self.stopped |= posix_monitor_follow();
}

/* Written by the signal thread: when its present wait should end, ns, monotonic;
 * INT64_MAX while it does not wait. Other threads see by this time that the signal thread
 * is late. */
static _Atomic int64_t wait_end = INT64_MAX;

/* Written by the signal thread: end of its last wait that was late by OS_LATE_LEAST for
 * an unknown reason, ns, monotonic. */
static _Atomic int64_t late_until;

/* A wait that was interrupted without a signal and ended late by at least this much, in
 * ns, was a freeze. */
#define FREEZE_LEAST (50 * MS)

/*
 * Notes why a wait that should have ended at END was late. INTERRUPTED: it was
 * interrupted without a signal.
 *
 * Lateness alone proves nothing: a busy machine, a limit on processor time, a pause of
 * the virtual machine or a slow device delays the thread too. An interruption alone
 * proves that a freezer, a debugger or a stop was about to hold the process, but not for
 * how long. Only both together are a freeze.
 */
static void
note_lateness(bool interrupted, int64_t end)
{
    int64_t now = os_clock_now();
    if (interrupted && now - end >= FREEZE_LEAST)
        atomic_store(&resumed, now);
    else if (now - end >= OS_LATE_LEAST)
        atomic_store(&late_until, now);
}

/*
 * Waits for LEFT ns or FOLLOW_PACE at most, with the signal mask MASK. Returns true if a
 * signal has come.
 *
 * The kernel may end a wait late by a thousandth of its length, so a long wait is
 * shortened, and the caller waits again for the rest. A wait shorter than a ms may end
 * without a context switch; then the context switch of a stop could be taken for that of
 * the wait, and a late end shows the stop instead.
 */
static bool
wait_for_signal(int64_t left, const sigset_t *mask)
{
    int64_t shorter = left > 10 * MS ? left - left / 500 : left;
    int64_t limit = time_earlier(shorter, FOLLOW_PACE);
    int64_t began = os_clock_now();
    unsigned handled_before = atomic_load(&handled);
    atomic_store(&wait_end, began + limit);
    bool interrupted = posix_signals_pause(limit, mask) < 0;
    bool woken = atomic_load(&handled) != handled_before;

    note_lateness(interrupted && !woken, began + limit);
    atomic_store(&wait_end, INT64_MAX);
    count_switches(1);
    self.stopped |= left < MS && os_clock_now() - began > 2 * MS;

    return woken;
}

void
os_signals_wait(int64_t when, const atomic_bool *unless)
{
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (!arrived && !atomic_load(unless)) {
        follow();
        take_continue();
        int64_t left = when - os_clock_now();
        if (left <= 0 || wait_for_signal(left, &before))
            break;
    }

    arrived = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int
os_signals_stop(void)
{
    return stop_signal;
}

int64_t
os_process_resumed(void)
{
    return atomic_load(&resumed);
}

#define PAUSE (MS / 10)

/*
 * Waits, in another thread than the signal thread, until the signal thread has noted
 * whether there was a freeze: after a freeze all threads continue at once, and the signal
 * thread may be the last to run. SINCE is when the request of the calling thread began.
 * Waits for DEADLINE_THAW at most.
 */
static void
wait_for_note_of_freeze(int64_t since)
{
    for (int pauses = 0; pauses < DEADLINE_THAW / PAUSE; pauses++) {
        int64_t end = atomic_load(&wait_end);
        int64_t now = os_clock_now();
        if (since >= end || now - end < FREEZE_LEAST)
            return;
        os_sleep_until(now + PAUSE);
    }
}

/*
 * Wakes the signal thread if SIGCONT is pending, so that it consumes the signal. The
 * order of the three tests at the end matters: the signal thread sets `resuming` before
 * it consumes SIGCONT, and clears it after it has set `resumed`, so at least one test
 * sees a stop.
 */
bool
os_process_stopped(int64_t since)
{
    wait_for_note_of_freeze(since);
    bool pending = is_pending(SIGCONT);
    if (pending)
        kill(getpid(), SIGCHLD);
    for (int pauses = 0; pending && pauses < DEADLINE_CONTINUE / PAUSE; pauses++) {
        os_sleep_until(os_clock_now() + PAUSE);
        pending = is_pending(SIGCONT);
    }

    return pending || atomic_load(&resuming) || os_process_resumed() > since;
}

bool
os_process_was_late(int64_t since)
{
    int64_t end = atomic_load(&wait_end);
    int64_t now = os_clock_now();
    if (since <= end && now - end >= OS_LATE_LEAST) /* still late */
        return true;
    return atomic_load(&late_until) - since >= OS_LATE_LEAST;
}

bool
os_signals_report(void)
{
    return atomic_exchange(&report_wanted, false);
}

void
os_signals_closing(int stream, int byte)
{
    closing_byte = 0;
    closing_stream = stream;
    closing_byte = byte;
}

/* Returns the signal that the process should die by, 0 if it should end with a status. */
static int
deadly_signal(void)
{
    bool deadly = stop_signal == SIGTERM || stop_signal == SIGHUP;
    return deadly && !posix_answers() ? stop_signal : 0;
}

int
os_signals_end(int status)
{
    int signo = deadly_signal();
    posix_monitor_notify(status, signo);
    return signo ? posix_process_die(signo) : status;
}

_Noreturn void
os_process_end(int status)
{
    let_go(status, deadly_signal());
    _exit(os_signals_end(status));
}
