/* Runs a command in its own session on a pseudo-terminal, collects its output, and shows
 * the output on the screen line by line. */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define MAX_WAIT 60 /* seconds until a test fails that waits for a text or an end */

static void
set_columns(int fd, int columns)
{
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = SCREEN_ROWS};
    assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
}

/* Sets NOFLSH. Without it a key such as ^C, which sends a signal, makes the system
 * discard output that has not been read yet, even in the middle of a line. */
static void
keep_output(int fd)
{
    struct termios settings;
    assert_int_equal(tcgetattr(fd, &settings), 0);
    settings.c_lflag |= NOFLSH;
    assert_int_equal(tcsetattr(fd, TCSANOW, &settings), 0);
}

/* Starts a session whose terminal is FD and runs SCRIPT in it. Never returns. */
static void
run_child(int fd, const char *script)
{
    setsid();
    ioctl(fd, TIOCSCTTY, 0);
    for (int i = 0; i <= 2; i++)
        dup2(fd, i);
    if (fd > 2)
        close(fd);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    execl("/bin/sh", "sh", script, (char *)NULL);
    _exit(127);
}

void
terminal_start(struct terminal *terminal, int columns, const char *format, ...)
{
    va_list list;
    if (terminal->child) { /* left running by a test that failed */
        command_stop(terminal->child);
        terminal_free(terminal);
    }
    memset(terminal, 0, sizeof(*terminal));
    screen_begin(&terminal->screen, columns);
    terminal->bytes = calloc(1, 1);
    assert_non_null(terminal->bytes);
    va_start(list, format);
    const char *script = command_script(".terminal", format, list);
    va_end(list);
    int fd = terminal->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0)
        skip_because("needs a pseudo-terminal");
    set_columns(fd, columns);
    int screen = open(ptsname(fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(screen >= 0);
    keep_output(screen);
    fflush(NULL);
    terminal->child = fork();
    assert_true(terminal->child >= 0);
    if (terminal->child == 0)
        run_child(screen, script);
    close(screen);
}

/* Kills the command and fails the test. The message is WHAT, TEXT and the screen. */
static void
fail_with_screen(struct terminal *terminal, const char *what, const char *text)
{
    command_stop(terminal->child);
    fail_msg("%s: %s\non the screen:\n%s", what, text, screen_text(&terminal->screen));
}

/* Waits at most 100 ms for output and reads it. Returns false if every writer has closed
 * the terminal. */
static bool
receive(struct terminal *terminal)
{
    char bytes[4096];
    struct pollfd wanted = {.fd = terminal->fd, .events = POLLIN};
    if (poll(&wanted, 1, 100) <= 0)
        return true;
    ssize_t size = read(terminal->fd, bytes, sizeof(bytes));
    if (size <= 0)
        return size < 0 && (errno == EINTR || errno == EAGAIN); /* EIO: all closed it */
    terminal->bytes = realloc(terminal->bytes, terminal->size + (size_t)size + 1);
    assert_non_null(terminal->bytes);
    memcpy(terminal->bytes + terminal->size, bytes, (size_t)size);
    terminal->size += (size_t)size;
    terminal->bytes[terminal->size] = '\0';
    return true;
}

/* Shows output up to and including the next CR or LF on the screen. Returns false if all
 * output has been shown. */
static bool
show_next_line(struct terminal *terminal)
{
    const char *from = terminal->bytes + terminal->shown;
    size_t unshown = terminal->size - terminal->shown;
    size_t size = 0;
    while (size < unshown && !strchr("\r\n", from[size]))
        size++;
    if (size < unshown)
        size++;
    screen_feed(&terminal->screen, from, size);
    terminal->shown += size;
    return size > 0;
}

static void
show_all(struct terminal *terminal)
{
    bool is_incomplete = true;
    while (is_incomplete)
        is_incomplete = show_next_line(terminal);
}

static bool
is_on_screen(const struct terminal *terminal, const char *part)
{
    char *text = screen_text(&terminal->screen);
    bool found = strstr(text, part) != NULL;
    free(text);
    return found;
}

bool
terminal_await(struct terminal *terminal, const char *text)
{
    time_t end = time(NULL) + MAX_WAIT;
    while (!is_on_screen(terminal, text)) {
        if (show_next_line(terminal))
            continue;
        if (!receive(terminal))
            return false;
        if (time(NULL) > end)
            fail_with_screen(terminal, "waited in vain for", text);
    }
    return true;
}

void
terminal_wait(struct terminal *terminal, const char *text)
{
    if (!terminal_await(terminal, text))
        fail_with_screen(terminal, "ended without", text);
}

void
terminal_type(struct terminal *terminal, const char *text)
{
    ssize_t size = (ssize_t)strlen(text);
    assert_int_equal(write(terminal->fd, text, (size_t)size), size);
}

void
terminal_signal(const struct terminal *terminal, int signal)
{
    assert_int_equal(kill(terminal->child, signal), 0);
}

void
terminal_resize(struct terminal *terminal, int columns)
{
    set_columns(terminal->fd, columns);
    screen_resize(&terminal->screen, columns);
}

void
terminal_end(struct terminal *terminal, int status)
{
    char difference[64];
    int wait_status;
    time_t end = time(NULL) + MAX_WAIT;

    show_all(terminal);
    while (receive(terminal)) {
        if (time(NULL) > end)
            fail_with_screen(terminal, "still running", "");
        show_all(terminal);
    }

    assert_int_equal(waitpid(terminal->child, &wait_status, 0), terminal->child);
    if (WIFSIGNALED(wait_status))
        terminal->status = 128 + WTERMSIG(wait_status);
    else
        terminal->status = WEXITSTATUS(wait_status);
    note_crash(terminal->status);
    snprintf(difference, sizeof(difference), "%d, not %d", terminal->status, status);
    if (terminal->status != status)
        fail_with_screen(terminal, "status", difference);
}

int
terminal_count(const struct terminal *terminal, const char *part)
{
    int count = 0;
    for (const char *at = terminal->bytes; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

void
terminal_free(struct terminal *terminal)
{
    close(terminal->fd);
    free(terminal->bytes);
    memset(terminal, 0, sizeof(*terminal));
}
