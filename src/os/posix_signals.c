/*
 * The handlers only set flags. One thread reads these, and waits in a call that unblocks
 * signals only while it waits: none can come between the read and the wait and be noticed
 * too late. The other threads block the users' signals, so that all of them come to that
 * one.
 *
 * SIGCONT has all threads go on at once after a stop, and the one that handles it may
 * be the last to run. So all threads block it: it is pending before any of them runs, for
 * as long as that one has not said what it means, and whoever has to know of a stop
 * looks.
 *
 * A freeze by a control group sends no signal. The thread that the signals reach sees it
 * by a wait that was interrupted without a signal.
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

static atomic_int stop_signal;  /* atomic, because other threads read it */
static _Atomic int64_t resumed; /* see os_process_resumed */
static atomic_uint handled;     /* signals that had their handler called */
static atomic_bool resuming;    /* that is about to change */
static atomic_bool report_wanted;
static volatile sig_atomic_t arrived; /* one of these, since the last wait */
static volatile sig_atomic_t closing_byte, closing_stream;

/* Lets go of all that is the caller's before the process, which the kernel may hold, ends
 * with STATUS or, if that is not 0, by signal SIGNO. Every call here is safe in the
 * handler of a signal. */
static void
let_go(int status, int signo)
{
    posix_monitor_notify(status, signo);
    posix_monitor_detach();
    posix_inherited_release();
    posix_leftover_remove();
    posix_monitor_leave();
}

/* Writes the closing byte, and nothing is written behind it: the other threads have lost
 * all streams before that, and this one has a copy; without a descriptor for that it has
 * none. It is safe in the handler of a signal. */
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

/* A SIGINT after another signal does not change what the parent learns, see
 * os_signals_end. */
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

/* Where nothing has blocked it yet, whether there was a stop is not asked. */
static void
on_continue(int signo)
{
    (void)signo;
    atomic_store(&resumed, os_clock_now());
}

/* The monitor has abandoned this process, as other threads may be stuck in the output. */
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
#ifdef SIGINFO /* a feature, not a system */
    {SIGINFO, on_report},
#endif
};

#define USER_SIGNALS (sizeof(user_signals) / sizeof(user_signals[0]))

/* The monitor passes a signal on, and handles none itself. One that is none of the users'
 * interrupts a system call, and no more. */
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
        if (user_signals[i].signo != SIGHUP || hangup.sa_handler != SIG_IGN) /* nohup */
            install(user_signals[i].signo);
    install(POSIX_SIGNAL_WAKE);
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, POSIX_SIGNAL_WAKE);
    pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
    signal(SIGXFSZ, SIG_IGN); /* EFBIG says it as well */
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

#define FOLLOW_PACE (100 * MS) /* from one look at the monitor to the next */

static bool
is_pending(int signo)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, signo) == 1;
}

/* The thread that the signals reach: its context switches when it last looked, whether
 * there was a stop since a SIGCONT was last taken, and when it last looked at the
 * monitor. */
static struct {
    int switches;
    bool stopped;
    int64_t followed;
} self;

/* Looks at the context switches of the thread, of which there are MOST without a stop. */
static void
count_switches(int most)
{
    int now = posix_signals_switches();
    self.stopped |= now < 0 || ((now - self.switches) & INT32_MAX) > most;
    self.switches = now;
}

/* timeout(1) and others send SIGCONT to processes that were never stopped: then the
 * thread has had no context switch besides those of its waits. */
static void
take_continue(void)
{
    sigset_t set;
    int signo;
    count_switches(0);
    if (!is_pending(SIGCONT)) {
        self.stopped = false; /* no stop ends without one */
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

/* Stops with the monitor, if that is stopped; a look costs more than a wait that is
 * short.
 */
static void
follow(void)
{
    int64_t now = os_clock_now();
    if (now - self.followed < FOLLOW_PACE)
        return;
    self.followed = now;
    self.stopped |= posix_monitor_follow();
}

/*
 * When the wait of the thread that the signals reach ends, monotonic; INT64_MAX: it does
 * not wait. Other threads see by this that it is late.
 */
static _Atomic int64_t wait_end = INT64_MAX;

/* When the last wait ended that was late by OS_LATE_LEAST for no certain reason. */
static _Atomic int64_t late_until;

/* A wait was frozen if it was interrupted without a signal and ended at least this much
 * later (ns) than it should have. */
#define FREEZE_LEAST (50 * MS)

/*
 * Notes why a wait was late that was to end at END. INTERRUPTED: it has been, without a
 * signal. Lateness alone proves nothing: a busy machine, a limit on processor time or a
 * pause of the whole virtual machine delays a thread as well, and a device may be slow
 * meanwhile. An interruption proves that a freezer, a debugger or a stop was about to
 * hold this process, but not for how long. Only both together are a freeze.
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

/* Waits for LEFT ns at the most, with MASK: the kernel may add a thousandth to it, and
 * the rest is waited next. Returns whether a signal has come. A short wait may end
 * without a context switch, and a stop then has it end late. */
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
    sigset_t all, before;
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

/* After a freeze all threads go on at once, and the one that the signals reach may be the
 * last to run. Another thread, whose request began at SINCE, waits here until that one
 * has said whether there was a freeze. */
static void
wait_for_note_of_freeze(int64_t since)
{
    for (int pauses = 0; pauses < DEADLINE_THAW / PAUSE; pauses++) {
        int64_t end = atomic_load(&wait_end), now = os_clock_now();
        if (since >= end || now - end < FREEZE_LEAST)
            return;
        os_sleep_until(now + PAUSE);
    }
}

/* The thread that the signals reach is woken to look at a pending SIGCONT. While it takes
 * that, `resuming` is true: in this order nothing slips through. */
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
    int64_t end = atomic_load(&wait_end), now = os_clock_now();
    if (since <= end && now - end >= OS_LATE_LEAST) /* it still is */
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

/* Returns the signal that the process dies by; 0: it ends with a status. */
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
