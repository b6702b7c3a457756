/* What a run has made goes, also if it ends before it could remove it. */
#include "running.h"
#include "support.h"

/* Starts a run of directory "slow" with OPTIONS while no file can be made in it, and
 * waits until it tries to. */
#define MAKING(options)                                                        \
    FRESH ": >hang; rm -f hang.waiting; rm -rf slow.files/* slow.files/.io*; " \
          "$IOPING_RUNNER \"$IOPING\" -hang 0 -c 2 -i 0 " options              \
          " slow >o 2>e & pid=$!; until test -e hang.waiting; do sleep 0.02; " \
          "done; "

/* What is in a folder, once nothing is or after a long time. */
#define LEFT(folder)                                                             \
    "n=0; while [ $n -lt 1000 ] && [ \"$(ls -A " folder ")\" ]; do sleep 0.02; " \
    "n=$((n + 1)); done; ls -A " folder "; "

static void
need_slow(void)
{
    struct result result = command("umount slow 2>/dev/null; rm -f hang");
    command_free(&result);
    mount_fuse("slow", "hang_create=%s/hang", scratch());
}

/* Where there are no files without a name. The server answers when the program has long
 * said what it had to say. */
static void
a_file_that_is_made_after_the_end_is_removed(void **state)
{
    static const char *const options[] = {"", "-k", "-Y", "-J -k -S 2m"};
    (void)state;
    need_slow();
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        struct result result = command(
            MAKING("%s") "kill -INT $pid; " UNTIL("still not ready", "e") //
            "ls -A slow.files; rm hang; wait $pid; echo $?; " LEFT("slow.files") "cat o",
            options[i]);
        assert_string_equal(result.out, "2\n");
        command_free(&result);
    }
}

static void
a_file_that_is_made_after_a_second_interrupt_is_removed(void **state)
{
    static const char *const options[] = {"", "-k"};
    (void)state;
    need_slow();
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        struct result result =
            command(TRY MAKING("%s") INTERRUPT_TWICE
                    "rm hang; wait $pid; s=$?; " LEFT("slow.files") AGAIN_UNLESS("4") //
                    "echo $s; cat o e",
                    options[i]);
        assert_string_equal(result.out, "4\n");
        command_free(&result);
    }
}

/* It was there before, and so it is not made. */
static void
a_kept_file_that_was_there_stays(void **state)
{
    (void)state;
    need_slow();
    struct result result = command_status(
        0, "rm -f hang; head -c 1M /dev/urandom >precious; "
           "for old in precious /dev/null; do cp $old slow.files/ioping.tmp; "
           ": >hang; ioping -k -q -c 2 -i 0 slow >o || exit; "
           "stat -c %%s slow.files/ioping.tmp; done; rm hang");
    assert_string_equal(result.out, "1048576\n1048576\n");
    command_free(&result);
}

/* Stuck in a write, so that the file is there and has been begun. */
static void
a_kept_file_that_was_begun_is_removed(void **state)
{
    static const char *const ends[] = {"kill -INT $pid; ", INTERRUPT_TWICE};
    (void)state;
    need_faults();
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct result result = command(
            FRESH "rm -rf d; mkdir d; " FAULTY(
                "pwrite:2-:hang") "-k d >o 2>e & pid=$!; "
                                  "until [ -s d/ioping.tmp ]; do sleep 0.02; done; %s"
                                  "wait $pid; echo $?; " LEFT("d") "cat o",
            ends[i]);
        assert_matches(result.out, i == 0 ? "^2\n$" : "^[24]\n$"); /* if it was late */
        command_free(&result);
    }
}

/* The first is filled, and the second is stuck. */
static void
of_several_kept_files_none_is_left(void **state)
{
    (void)state;
    need_faults();
    struct result result = command_status(
        0, FRESH "rm -rf d f; mkdir d f; " FAULTY(
               "pwrite@/f/:2-:hang") "-k d f >o 2>e & pid=$!; "
                                     "until [ -s f/ioping.tmp ]; do sleep 0.02; "
                                     "done; kill -INT $pid; wait $pid; echo $?; " //
        LEFT("d f | grep tmp") "cat o");
    assert_string_equal(result.out, "2\n");
    command_free(&result);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_made_after_the_end_is_removed),
        cmocka_unit_test(a_file_that_is_made_after_a_second_interrupt_is_removed),
        cmocka_unit_test(a_kept_file_that_was_there_stays),
        cmocka_unit_test(a_kept_file_that_was_begun_is_removed),
        cmocka_unit_test(of_several_kept_files_none_is_left),
    };
    return cmocka_run_group_tests_name("leftovers", tests, NULL, unmount_all);
}
