/* Several targets of which one fails. */
/* Marks: races posix */
#include "support.h"

GROUP_SHELL("head -c 1048576 /dev/urandom | tee one two >three; mkdir d f; sync .")

/* A claim on it is the run's, not one of each target. */
TEST(a_device_may_be_written_to_as_two_targets)
{
    need_loops();
    struct result result = command_status(0, "a_device_may_be_written_to_as_two_targets");
    if (!result.out[0])
        skip_because("has no loop devices");
    assert_string_equal(result.out, "0\n3\n");
    command_free(&result);
}

/* One target without output does not change that. */
TEST(lost_output_ends_all_of_them)
{
    need_faults();
    expect(3, NULL, "~ioping: standard output: No space left on device\n",
           "faulty pread@one/:1:hang -C -i 10ms -hang 1s one two >/dev/full");
}

/* The targets that the lines about Linux AIO name; others may be on stderr as well. */
#define OF_AIO "sed -n 's/^ioping: \\(.*\\): Linux AIO is not available.*/\\1/p' e; "

static const struct expected runs[] = {
    /* None is stuck, but there is not as much patience as all of them take. */
    {"a_signal_keeps_others_from_being_opened", "faults", 0,
     "2\nioping: three: interrupted before it was opened\n"},
    /* The limit of -hang counts from the opening of each target. */
    {"each_is_said_to_be_slow_in_its_own_time", "faults", 0, "0 1\n"},
    {"a_sweep_that_cannot_begin_names_its_target", "faults linux_aio", 0,
     "3\ntwo\n--- one \n--- three \n", NULL,
     "faulty io_setup:3:11 -A -sweep depth=1..2 -w 100ms -C one two three >o 2>e; "
     "echo $?; " OF_AIO "grep -o '^--- [a-z]* ' o"},
    {"one_that_is_given_up_leaves_nothing_of_the_others", "faults", 0,
     "2\nd:\n\nf:\nioping: two: still not ready \n"},
};

EXPECT_EACH(runs)

TEST(what_keeps_the_first_step_from_its_begin_is_said_once)
{
    need("faults linux_aio");
    expect(0, "2\none\n", NULL,
           "faulty io_setup:1-:11 -A -sweep depth=1..2 -w 100ms -C one two three >o 2>e; "
           "echo $?; " OF_AIO "cat o");
}
