/* The two processes of a run: the monitor, which the caller starts, and its worker.
 * For a caller that sends signals and waits they behave like one process. */
/* Marks: posix */
#include "support.h"

GROUP_SHELL("head -c 65536 /dev/urandom >data")

static const struct expected runs[] = {
    {"only_the_worker_has_the_target", "", 0, "two\nworker\n"},
    {"the_worker_ends_with_its_monitor", "", 0, "137\n"},
    {"two_interrupts_of_the_group_are_two", "faults", 4, NULL, NULL,
     "retry 3 two_interrupts_of_the_group_are_two"},
    {"interrupts_that_one_sender_repeats_are_several", "faults", 0, "4\n4\n"},
    {"a_stop_and_its_end_at_once_stop_nothing", "", 0},
};

EXPECT_EACH(runs)

TEST(the_end_of_the_worker_is_that_of_the_program)
{
    static const struct {
        const char *name, *status;
    } signals[] = {{"KILL", "137\n"}, {"ABRT", "134\n"}, {"TERM", "143\n"}};
    need_bare("it ends in another way");
    for (size_t i = 0; i < LENGTH(signals); i++)
        expect(0, signals[i].status, NULL,
               "ulimit -c 0; the_end_of_the_worker_is_that_of_the_program %s",
               signals[i].name);
}

TEST(a_signal_is_one)
{
    static const struct {
        const char *signal_and_to;
        int status;
    } cases[] = {
        {"INT monitor", 0},
        {"INT worker", 0},
        {"INT group", 0},
        {"INT monitor group", 0}, /* as timeout(1) sends it */
        {"TERM monitor", 128 + SIGTERM},
        {"TERM worker", 128 + SIGTERM},
        {"TERM group", 128 + SIGTERM},
        {"HUP monitor", 128 + SIGHUP},
        {"HUP group", 128 + SIGHUP},
    };
    need_program("jq");
    need_native("an emulator takes its time to tell of signals");
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(cases[i].status, "true\n", NULL, "a_signal_is_one %s",
               cases[i].signal_and_to);
}

TEST(each_request_for_statistics_is_one)
{
    need_native("an emulator takes its time to tell of signals");
    expect(0, "4\n", NULL, "each_request_for_statistics_is_one");
}

/* A stop of the group is that of a terminal. One of the monitor alone is followed where
 * the system tells of it. */
TEST(a_stop_stops_both)
{
    need_native("an emulator has threads that do not stop");
    shell("a_stop_stops_both STOP -");
    need_process_states();
    shell("a_stop_stops_both STOP ''");
}

TEST(what_is_stuck_holds_nothing_of_the_caller)
{
    need("faults flock");
    struct result result = command_status(3, "what_is_stuck_holds_nothing_of_the_caller");
    assert_true(strcmp(result.out, "unlocked\n") == 0 ||
                strcmp(result.out, "unlocked\n/\n") == 0);
    command_free(&result);
}

TEST(a_caller_may_have_set_signals)
{
    static const char *const options[] = {"--ignore-signal", "--block-signal"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(2, "3\n", NULL, "a_caller_may_have_set_signals %s", options[i]);
}

TEST(without_a_second_process_one_does_all)
{
    need_forbid();
    need_bare("the tool needs processes of its own");
    expect(0, "3\n",
           "~^ioping: cannot start a second process \\(.*\\): if the disk hangs, ioping "
           "cannot return to the shell\n$",
           "without_a_second_process_one_does_all");
}

/* As the man page says: set at the start it holds for the worker, and later the worker is
 * the one process to name. */
TEST(priorities_and_processors_are_those_of_the_start)
{
    need_bare("the tool is a process in between");
    need("pgrep ionice taskset");
    if (!is_linux_aio())
        skip_because("needs a system with such priorities");
    expect(0, "idle\n7\none\n", "", "priorities_and_processors_are_those_of_the_start");
    expect(0, "idle\n7\none\n", "", "a_change_of_the_worker_reaches_its_requests");
}

TEST(a_sandbox_that_forbids_the_parents_number_changes_nothing)
{
    need_forbid();
    need_bare("the tool asks for it as well");
    expect(0, "3\n", "",
           "\"$IOPING_FORBID\" 1 getppid \"$IOPING\" -hang 0 -c 3 -i 0 -B data >o; "
           "status=$?; cut -d' ' -f9 o; exit $status");
}

/* Starts a run that writes into a full pipe, which another user of it has made
 * non-blocking. Returns its process. */
static pid_t
start_into_full_pipe(void)
{
    char block[4096] = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK);
    while (write(ends[1], block, sizeof(block)) > 0)
        ;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], 1);
        execl("/bin/sh", "sh", "-c", "exec $IOPING_RUNNER \"$IOPING\" -i 0 /dev/zero",
              (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    return pid; /* the other end stays open: nobody reads it */
}

/* There is a summary to write at least, however early the signal comes. */
TEST(output_that_does_not_block_is_given_up_too)
{
    int status;
    pid_t pid = start_into_full_pipe();
    while (worker_of(pid) == pid)
        ;
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}
