/*
 * The handlers only set flags that the loop looks at between requests. A
 * signal that arrives just before a sleep would be noticed only after it, so
 * the handler also starts an alarm that ends such a sleep within a second.
 */
#include "os/process.h"

#include "base/error.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t interrupts;
static volatile sig_atomic_t report_wanted;
static volatile sig_atomic_t farewell_byte;

/* Only if it can be written at once: nobody may read any more. */
static void
say_farewell(void)
{
    char last[2] = {(char)farewell_byte, '\n'};
    struct pollfd stream = {.fd = 1, .events = POLLOUT};
    if (last[0] && poll(&stream, 1, 0) == 1) {
        ssize_t written = write(1, last, sizeof(last));
        (void)written;
    }
}

static void
on_stop(int number)
{
    if (number == SIGINT && interrupts++ > 0) {
        say_farewell();
        _exit(EXIT_INTERRUPTED);
    }
    stop_signal = number;
    alarm(1);
}

static void
on_report(int number)
{
    (void)number;
    report_wanted = 1;
    alarm(1);
}

static void
on_alarm(int number)
{
    (void)number;
}

static void
install(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void
os_signals_install(void)
{
    struct sigaction old;
    install(SIGINT, on_stop);
    install(SIGTERM, on_stop);
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup */
        install(SIGHUP, on_stop);
    install(SIGQUIT, on_report);
    install(SIGUSR1, on_report);
#ifdef SIGINFO /* a feature, not a system */
    install(SIGINFO, on_report);
#endif
    install(SIGALRM, on_alarm);
    install(SIGXFSZ, SIG_IGN); /* EFBIG says it as well */
}

int
os_signals_stop(void)
{
    return stop_signal;
}

bool
os_signals_report(void)
{
    if (!report_wanted)
        return false;
    report_wanted = 0;
    return true;
}

void
os_signals_farewell(int byte)
{
    farewell_byte = byte;
}
