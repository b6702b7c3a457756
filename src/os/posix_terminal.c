/*
 * The terminal as a screen (-live). The child draws; the monitor restores the terminal if
 * the child cannot. The two processes share one page of memory, which says whether the
 * terminal is changed, and how it was before.
 *
 *    child, signal thread                      page                  monitor
 *    os_screen_show: stores the settings  -->  is_shown = true
 *      changes the terminal
 *    os_screen_write, os_screen_read
 *    os_screen_hide, or the end by a      -->  is_shown = false
 *      second SIGINT
 *    killed, crashed, abandoned                is_shown == true  -->
 * posix_terminal_restore stopped (Ctrl-Z)                          is_shown = false  <--
 * restores, then stops continued: is_shown is false, so the caller calls os_screen_show
 * again
 *
 * Ctrl-Z reaches both processes. The child stops at once, as by default. The monitor has
 * a handler: it restores the terminal first and stops then, so that the shell, which
 * waits for the monitor, finds the terminal as it was.
 *
 * If a signal such as SIGSEGV ends the monitor, its handler kills the child and restores
 * the terminal first. Only after a SIGKILL of the monitor the terminal stays changed.
 *
 * The terminal has a descriptor of its own, which never blocks. Both processes inherit
 * it.
 */
#include "os/screen.h"

#include "base/deadlines.h"
#include "os/os.h"
#include "os/output.h"
#include "os/process.h"
#include "posix.h"
#include "posix_terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Control functions of xterm, which other terminals have as well: 1049 saves the cursor
 * and shows the alternate screen, 25 shows the cursor. A terminal without an alternate
 * screen, such as the console of Linux, is cleared instead. ESC at the start of the
 * second text ends a sequence that was written only in part. */
static const char show_sequence[] = "\033[?1049h\033[?25l\033[2J";
static const char hide_sequence[] = "\033[0m\033[2J\033[1;1H\033[?25h\033[?1049l";

/* What monitor and child share. */
struct terminal_page {
    /* The terminal may be changed. Written by the child, and by the monitor after the
     * child has stopped or ended. */
    atomic_bool is_shown;
    struct termios settings; /* before the change; valid if `is_shown` */
};

/* NULL and -1 if the program has no screen. Set before there is a second process. */
static struct terminal_page *page;
static int terminal = -1;

/* In the monitor: its child, which draws. */
static pid_t drawing_child;

/* Signals that end the monitor at once, beside the real-time signals. The program has no
 * other use for them. */
static const int deadly_signals[] = {
    SIGILL,    SIGABRT, SIGFPE,    SIGBUS,  SIGSEGV, SIGSYS,  SIGTRAP,
    SIGPIPE,   SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGUSR2,
#ifdef SIGPOLL
    SIGPOLL, /* on other systems, its default action is to do nothing */
#endif
#ifdef SIGPWR
    SIGPWR,
#endif
#ifdef SIGSTKFLT
    SIGSTKFLT,
#endif
};

/* Set by the handler of SIGTSTP in the monitor, cleared by the monitor's loop. */
static volatile sig_atomic_t is_stop_wanted;

/* The descriptor is not added to the inherited descriptors here, because
 * os_monitor_start adds all that are open. */
int
os_screen_open(void)
{
    struct termios settings;
    int fd = open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    if (tcgetattr(fd, &settings) < 0) {
        int code = errno;
        close(fd);
        return os_fail(code);
    }

    void *memory = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        close(fd);
        return os_fail(ENOMEM);
    }

    page = memory;
    terminal = fd;
    return 0;
}

bool
os_screen_is_foreground(void)
{
    return tcgetpgrp(terminal) == getpgrp();
}

bool
os_screen_is_shown(void)
{
    return atomic_load(&page->is_shown);
}

/* Writes SIZE bytes without waiting. Returns how many were written, 0 after any error.
 * Async-signal-safe. */
static size_t
write_now(const char *bytes, size_t size)
{
    ssize_t written = write(terminal, bytes, size);
    return written > 0 ? (size_t)written : 0;
}

/* Blocks the signals that stop a background process which uses its terminal. The caller
 * tests for the foreground itself, but another process may change it at any moment. */
static void
block_background_signals(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTTIN);
    sigaddset(&set, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

/* Changes the settings of the terminal, and shows the screen. If the terminal accepts
 * nothing, changes nothing. Returns false if it has accepted only a part of the
 * sequence. */
static bool
change_terminal(void)
{
    size_t size = strlen(show_sequence);
    struct termios raw = page->settings;

    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;

    atomic_store(&page->is_shown, true);
    size_t written = 0;
    if (tcsetattr(terminal, TCSANOW, &raw) == 0)
        written = write_now(show_sequence, size);
    if (written == 0) {
        tcsetattr(terminal, TCSANOW, &page->settings);
        atomic_store(&page->is_shown, false);
    }

    return written == 0 || written == size;
}

void
os_screen_show(void)
{
    sigset_t before;

    block_background_signals(&before);
    bool is_cut = tcgetattr(terminal, &page->settings) == 0 && !change_terminal();
    if (is_cut)
        posix_terminal_restore();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Linux needs both calls: the second has an effect only after the first. */
void
posix_terminal_restart(void)
{
    tcflow(terminal, TCOOFF);
    tcflow(terminal, TCOON);
}

void
posix_terminal_restore(void)
{
    size_t size = strlen(hide_sequence);
    sigset_t before;

    if (!page || !atomic_load(&page->is_shown))
        return;

    block_background_signals(&before);
    size_t written = write_now(hide_sequence, size);
    int64_t give_up_at = os_clock_now() + DEADLINE_TIDYING;
    if (written < size) {
        /* A slow terminal still has to show frames that nobody needs any more. */
        tcflush(terminal, TCOFLUSH);
        written = 0;
        posix_terminal_restart();
    }
    while (written < size && os_clock_now() < give_up_at) {
        os_sleep_until(os_clock_now() + MS);
        written += write_now(hide_sequence + written, size - written);
    }
    tcsetattr(terminal, TCSANOW, &page->settings);
    atomic_store(&page->is_shown, false);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
os_screen_hide(void)
{
    posix_terminal_restore();
}

void
os_screen_size(int *columns, int *rows)
{
    struct winsize size = {0};

    *columns = 80;
    *rows = 24;
    if (ioctl(terminal, TIOCGWINSZ, &size) < 0)
        return;
    if (size.ws_col > 0)
        *columns = size.ws_col;
    if (size.ws_row > 0)
        *rows = size.ws_row;
}

size_t
os_screen_write(const char *bytes, size_t size)
{
    sigset_t before;

    block_background_signals(&before);
    size_t written = write_now(bytes, size);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return written;
}

size_t
os_screen_read(char *bytes, size_t size)
{
    sigset_t before;

    block_background_signals(&before);
    ssize_t got = read(terminal, bytes, size);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return got > 0 ? (size_t)got : 0;
}

static void
handle_signal(int signo, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signo, &action, NULL);
}

static void
on_stop_key(int signo)
{
    (void)signo;
    is_stop_wanted = 1;
}

/* The child would be killed a moment later, when its monitor has ended. But it must not
 * draw once the terminal is restored. SA_RESETHAND has set the default action of SIGNO,
 * which follows when this handler returns. */
static void
on_deadly_signal(int signo)
{
    int64_t give_up_at = os_clock_now() + DEADLINE_TIDYING;

    /* A child that has ended may have been reaped. Then its number may belong to another
     * process, which is no child, so that waitpid fails. */
    if (waitpid(drawing_child, NULL, WNOHANG) == 0)
        kill(drawing_child, SIGKILL);
    while (waitpid(drawing_child, NULL, WNOHANG) == 0 && os_clock_now() < give_up_at)
        os_sleep_until(os_clock_now() + MS);
    posix_terminal_restore();
    raise(signo);
}

/* Returns true if SIGNO has its default action. */
static bool
has_default_action(int signo)
{
    struct sigaction action = {0};
    return sigaction(signo, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

/* Sets the handler of SIGNO, which would end this process, and adds SIGNO to HANDLED.
 * Does nothing if SIGNO is ignored or has a handler. */
static void
handle_deadly_signal(int signo, sigset_t *handled)
{
    if (!has_default_action(signo))
        return;
    handle_signal(signo, on_deadly_signal, (int)SA_RESETHAND);
    sigaddset(handled, signo);
}

/* Unblocks the deadly signals: a blocked SIGSEGV of a crash would end the process without
 * a call of the handler. */
void
posix_terminal_watch(pid_t child)
{
    sigset_t handled;

    if (!page)
        return;

    drawing_child = child;
    if (has_default_action(SIGTSTP))
        handle_signal(SIGTSTP, on_stop_key, 0);

    sigemptyset(&handled);
    for (size_t i = 0; i < sizeof(deadly_signals) / sizeof(deadly_signals[0]); i++)
        handle_deadly_signal(deadly_signals[i], &handled);
#ifdef SIGRTMIN
    for (int signo = SIGRTMIN; signo <= SIGRTMAX; signo++)
        handle_deadly_signal(signo, &handled);
#endif
    sigprocmask(SIG_UNBLOCK, &handled, NULL);
}

/* The default action of SIGTSTP stops the process, unless nobody could continue it (an
 * orphaned process group). In both cases this function goes on afterwards. */
void
posix_terminal_stop_if_asked(void)
{
    int64_t give_up_at = os_clock_now() + DEADLINE_TIDYING;
    sigset_t stop_key;

    if (!is_stop_wanted)
        return;
    is_stop_wanted = 0;

    /* The child may just be drawing, so it must have stopped before. */
    kill(drawing_child, SIGTSTP);
    while (!posix_process_is_stopped(drawing_child) && os_clock_now() < give_up_at)
        os_sleep_until(os_clock_now() + MS);
    posix_terminal_restore();

    sigemptyset(&stop_key);
    sigaddset(&stop_key, SIGTSTP);
    handle_signal(SIGTSTP, SIG_DFL, 0);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop_key, NULL);
    sigprocmask(SIG_BLOCK, &stop_key, NULL);
    handle_signal(SIGTSTP, on_stop_key, 0);
    kill(drawing_child, SIGCONT);
}
