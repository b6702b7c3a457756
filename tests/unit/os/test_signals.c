/* Each test runs in a child: the request of a signal is never taken back. */
#include "support.h"

#include "os/os.h"
#include "os/output.h"
#include "os/posix.h"
#include "os/process.h"

#include <sched.h>

#define LONG 30000000000
#define SHORT 20000000

/* Runs BODY in a child that handles signals: its exit status, or 128 + the signal that
 * ended it; what it wrote to stdout goes into TEXT of 16 bytes. */
static int
in_child(int (*body)(void), char *text)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], 1);
        signal(SIGHUP, SIG_DFL);
        os_signals_install();
        _exit(body());
    }
    close(ends[1]);
    ssize_t length = read(ends[0], text, 15);
    text[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void
assert_child(int (*body)(void), int status, const char *text)
{
    char written[16];
    assert_int_equal(in_child(body, written), status);
    assert_string_equal(written, text);
}

/* A test whose body runs in a child, ends with STATUS and has written TEXT. */
#define TEST_IN_CHILD(name, status, text)         \
    static int name##_there(void);                \
    TEST(name)                                    \
    {                                             \
        assert_child(name##_there, status, text); \
    }                                             \
    static int name##_there(void)

TEST_IN_CHILD(each_stop_signal_asks_to_stop, 0, "")
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    if (os_signals_stop_signal() != 0)
        return 99;
    for (int i = 0; i < 3; i++) {
        raise(numbers[i]);
        if (os_signals_stop_signal() != numbers[i])
            return i + 1;
    }
    return os_signals_take_report_request() ? 98 : 0;
}

TEST_IN_CHILD(each_report_signal_asks_once, 0, "")
{
    static const int numbers[] = {SIGQUIT, SIGUSR1};
    for (int i = 0; i < 2; i++) {
        if (os_signals_take_report_request())
            return i + 10;
        raise(numbers[i]);
        if (!os_signals_take_report_request())
            return i + 20;
    }
    return os_signals_stop_signal();
}

TEST_IN_CHILD(nohup_is_respected, 0, "")
{
    signal(SIGHUP, SIG_IGN);
    os_signals_install();
    raise(SIGHUP);
    return os_signals_stop_signal();
}

static int
second_interrupt(void)
{
    raise(SIGINT);
    os_sleep_until(os_clock_now() + 2 * SHORT);
    raise(SIGINT);
    return 0;
}

/* Blocked signals wait until a thread unblocks them. */
TEST_IN_CHILD(blocked_signals_wait, 0, "")
{
    unsigned mask = os_signals_block();
    raise(SIGTERM);
    raise(SIGUSR1);
    if (os_signals_stop_signal() || os_signals_take_report_request())
        return 1;
    os_signals_unblock(mask);
    return os_signals_stop_signal() == SIGTERM && os_signals_take_report_request() ? 0
                                                                                   : 2;
}

/* Signals that the parent of the program blocked stay blocked. */
TEST_IN_CHILD(signals_blocked_before_stay_blocked, 0, "")
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    os_signals_unblock(os_signals_block());
    raise(SIGTERM);
    raise(SIGUSR1);
    return os_signals_stop_signal() == 0 && os_signals_take_report_request() ? 0 : 1;
}

/* As timeout(1) does, to the program and to its group. */
static int
interrupt_sent_twice(void)
{
    raise(SIGINT);
    raise(SIGINT);
    return os_signals_stop_signal() == SIGINT ? 0 : 1;
}

TEST_IN_CHILD(its_farewell_is_written_first, 4, "]\n")
{
    os_signals_set_closing_byte(1, ']');
    return second_interrupt();
}

TEST_IN_CHILD(a_farewell_can_be_taken_back, 4, "")
{
    os_signals_set_closing_byte(1, ']');
    os_signals_set_closing_byte(1, 0);
    return second_interrupt();
}

TEST_IN_CHILD(one_interrupt_after_other_signals_is_the_first, 7, "")
{
    raise(SIGTERM);
    raise(SIGTERM);
    raise(SIGINT);
    return 7;
}

/* A run that was asked to stop by NUMBER, of which OTHER came too; 0: none. */
static int
end_after(int number, int other)
{
    if (number)
        raise(number);
    if (other)
        raise(other);
    os_signals_block(); /* as the thread that returns from main has done */
    return os_signals_end(3);
}

static int
end_by_itself(void)
{
    return end_after(0, 0);
}

static int
end_by_interrupt(void)
{
    return end_after(SIGINT, 0);
}

static int
end_by_termination(void)
{
    return end_after(SIGTERM, 0);
}

static int
end_by_hangup(void)
{
    return end_after(SIGHUP, 0);
}

static int
end_by_termination_and_interrupt(void)
{
    return end_after(SIGTERM, SIGINT);
}

static int
end_by_interrupt_and_termination(void)
{
    return end_after(SIGINT, SIGTERM);
}

static int
end_at_once_by_termination(void)
{
    raise(SIGTERM);
    os_process_end(3);
}

/* The first process of a container is not ended by signals of its own. */
static int
end_as_the_first_process(void)
{
    int status;
    if (unshare(CLONE_NEWPID) < 0)
        return 77;
    pid_t child = fork();
    if (child == 0)
        _exit(end_by_termination());
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 143 ? 0 : 1;
}

static const atomic_bool no, yes = true;

/* Each of these would last for half a minute if something were missed. */
TEST_IN_CHILD(a_wait_ends_for_a_signal_before_it, 0, "")
{
    raise(SIGTERM);
    os_signals_wait(os_clock_now() + LONG, &no);
    raise(SIGUSR1);
    os_signals_wait(os_clock_now() + LONG, &no);
    os_signals_wait(os_clock_now() + LONG, &yes);
    return os_signals_stop_signal() == SIGTERM && os_signals_take_report_request() ? 0
                                                                                   : 1;
}

/* The signal came to the last wait, and its request is known. */
TEST_IN_CHILD(a_wait_ends_for_a_signal_once, 0, "")
{
    raise(SIGTERM);
    os_signals_wait(os_clock_now() + LONG, &no);
    int64_t until = os_clock_now() + SHORT;
    os_signals_wait(until, &no);
    return os_clock_now() >= until ? 0 : 1;
}

TEST_IN_CHILD(a_wait_ends_at_its_time, 0, "")
{
    os_signals_wait(os_clock_now() - LONG, &no);
    return 0;
}

TEST_IN_CHILD(a_wait_ends_for_a_signal_during_it, 0, "")
{
    pid_t child = fork();
    if (child == 0) {
        os_sleep_until(os_clock_now() + SHORT);
        _exit(kill(getppid(), SIGQUIT) < 0);
    }
    os_signals_wait(os_clock_now() + LONG, &no);
    waitpid(child, NULL, 0);
    return os_signals_take_report_request() ? 0 : 1;
}

/* A file opened later must not become stdout. */
TEST_IN_CHILD(closed_streams_are_occupied, 0, "")
{
    close(0);
    close(1);
    close(2);
    os_stream_guard();
    int fd = open("/dev/null", O_RDWR);
    if (fd <= 2)
        return 1;
    errno = 0;
    if (os_stream_write(1, "x", 1) != -1 || errno != EBADF)
        return 2;
    return os_stream_write(2, "x", 1) == -1 ? 0 : 3;
}

TEST_IN_CHILD(a_stream_is_written_whole, 0, "hello\n")
{
    return os_stream_write(1, "hello\n", 6);
}

TEST(a_second_interrupt_ends_the_program)
{
    assert_child(second_interrupt, 4, "");
}

/* Unless the child is held up between the two: then they are two, and it tries again. */
TEST(the_same_interrupt_twice_is_one)
{
    char written[16];
    int status = 4;
    for (int tries = 0; status == 4 && tries < 10; tries++)
        status = in_child(interrupt_sent_twice, written);
    assert_int_equal(status, 0);
    assert_string_equal(written, "");
}

TEST(termination_and_hangup_are_what_the_process_dies_by)
{
    assert_child(end_by_termination, 143, "");
    assert_child(end_by_hangup, 129, "");
    assert_child(end_at_once_by_termination, 143, "");
    assert_child(end_by_termination_and_interrupt, 143, "");
    assert_child(end_by_interrupt_and_termination, 143, "");
}

TEST(other_ends_keep_their_status)
{
    assert_child(end_by_itself, 3, "");
    assert_child(end_by_interrupt, 3, "");
}

TEST(the_first_process_of_a_container_says_it_by_its_status)
{
    char written[16];
    need_bare("valgrind cannot be the first process");
    int status = in_child(end_as_the_first_process, written);
    if (status == 77)
        skip_because("needs the right to make a PID namespace");
    assert_int_equal(status, 0);
}

/* Stops the process, which another has go on. */
static void
stop_for_a_while(void)
{
    pid_t self = getpid(), other = fork();
    if (other == 0) {
        while (!posix_process_is_stopped(self) && getppid() == self)
            os_sleep_until(os_clock_now() + MS);
        os_sleep_until(os_clock_now() + 5 * MS);
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    waitpid(other, NULL, 0);
}

/* The thread that has the signals is this one, and has not looked. */
static int
stop_unseen(void)
{
    os_signals_block();
    int64_t before = os_clock_now();
    if (os_process_was_stopped(before))
        return 1;
    stop_for_a_while();
    if (!os_process_was_stopped(before) || os_process_resumed_at() != 0)
        return 2;
    int64_t resumed = os_signals_check_resumed_at(), after = os_clock_now();
    if (resumed < before + 5 * MS || resumed > after)
        return 3;
    if (os_process_was_stopped(after) || !os_process_was_stopped(before))
        return 4;
    return os_signals_check_resumed_at() == resumed && os_process_resumed_at() == resumed
               ? 0
               : 5;
}

TEST(a_stop_is_known_before_it_is_seen)
{
    need_bare("the tool's own threads are stopped and told of it as well");
    need_native("an emulator takes its time to tell of signals");
    need_process_states();
    assert_child(stop_unseen, 0, "");
}

/* Its time is over, or another signal ends it. */
static int
stop_in_a_wait(void)
{
    atomic_bool never = false;
    os_signals_block();
    int64_t before = os_clock_now();
    pid_t self = getpid(), other = fork();
    if (other == 0) {
        os_sleep_until(os_clock_now() + 20 * MS);
        kill(self, SIGSTOP);
        while (!posix_process_is_stopped(self) && getppid() == self)
            os_sleep_until(os_clock_now() + MS);
        kill(self, SIGCONT);
        _exit(0);
    }
    waitpid(other, NULL, WNOHANG);
    os_signals_wait(before + 200 * MS, &never);
    waitpid(other, NULL, 0);
    return os_signals_check_resumed_at() > before + 20 * MS ? 0 : 1;
}

static int
go_on_without_a_stop(void)
{
    atomic_bool never = false;
    os_signals_block();
    int64_t before = os_clock_now();
    for (int i = 0; i < 3; i++) {
        os_signals_wait(os_clock_now() + 10 * MS, &never);
        kill(getpid(), SIGCONT);
        if (os_signals_check_resumed_at() != 0)
            return i + 1;
    }
    return os_process_was_stopped(before) ? 9 : 0;
}

TEST(a_signal_to_go_on_after_no_stop_is_none)
{
    need_bare("the tool's own threads are stopped and told of it as well");
    need_native("an emulator takes its time to tell of signals");
    need_process_states();
    if (!is_linux_aio())
        skip_because("needs a system that counts the stops of a thread");
    assert_child(go_on_without_a_stop, 0, "");
    assert_child(stop_in_a_wait, 0, "");
}
