/* The files that a run makes are removed, even if it ends before it can do so itself. */
/* Marks: races posix chroot */
#include "support.h"

static void
need_slow(void)
{
    expect(-1, NULL, NULL, "umount slow 2>/dev/null; rm -f hang");
    mount_fuse("slow", "hang_create=%s/hang", scratch());
}

GROUP_SETUP(make_files)

/* Where there are no files without a name. The server answers when the program has long
 * said what it had to say. */
TEST(a_file_that_is_made_after_the_end_is_removed)
{
    static const char *const options[] = {"", "-k", "-Y", "-J -k -S 2m"};
    need_slow();
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(-1, "2\n", NULL, "a_file_that_is_made_after_the_end_is_removed %s",
               options[i]);
}

TEST(a_file_that_is_made_after_a_second_interrupt_is_removed)
{
    static const char *const options[] = {"", "-k"};
    need_slow();
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(-1, "4\n", NULL,
               "a_file_that_is_made_after_a_second_interrupt_is_removed %s", options[i]);
}

/* The file existed before the run, which does not own it. */
TEST(a_kept_file_that_was_there_stays)
{
    need_slow();
    expect(0, "1048576\n1048576\n", NULL, "a_kept_file_that_was_there_stays");
}

/* Stuck in a write, so that the file is there and has been begun. The signals may come in
 * the middle of malloc(3), whose lock fork(2) takes. */
TEST(a_kept_file_that_was_begun_is_removed)
{
    static const char *const ends[] = {"end INT", "end_at_once"};
    need_faults();
    for (size_t i = 0; i < LENGTH(ends); i++) {
        struct result result =
            command("a_kept_file_that_was_begun_is_removed %s", ends[i]);
        assert_matches(result.out, i == 0 ? "^2\n$" : "^[24]\n$"); /* if it was late */
        command_free(&result);
    }
}

/* The first is filled, and the second is stuck. */
TEST(of_several_kept_files_none_is_left)
{
    need_faults();
    expect(0, "2\n", NULL, "of_several_kept_files_none_is_left");
}

static void
need_returning(const char *options)
{
    expect(-1, NULL, NULL, "umount returning 2>/dev/null; rm -f returned");
    mount_fuse("returning", "returning=%s/returned%s", scratch(), options);
}

/* As rclone without its cache, which stores a file when it is closed, also if it has been
 * removed. The server lists what was there again. */
TEST(a_file_that_is_there_again_after_its_close_is_removed)
{
    static const char *const options[] = {
        "",       "-q",         "-q -threads 2", "-W",
        "-A -C ", "-W -append", "-r 1k",         "returning/ returning/."};
    need("aio");
    need_returning("");
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result = command_status(
            0, "a_file_that_is_there_again_after_its_close_is_removed %s", options[i]);
        assert_string_equal(result.out, "was there\n");
        assert_lacks(result.err, ".ioping");
        command_free(&result);
    }
}

TEST(a_file_that_is_there_again_after_an_early_end_is_removed)
{
    static const char *const ends[] = {"end INT", "end_at_once", "kill_worker"};
    need_bare("it ends in another way");
    need_linux(); /* where a monitor sees that the worker is killed */
    need_returning(",hang_file=$PWD/hang");
    for (size_t i = 0; i < LENGTH(ends); i++)
        expect(0, "was there\n", NULL,
               "a_file_that_is_there_again_after_an_early_end_is_removed %s", ends[i]);
}

TEST(a_file_that_cannot_be_removed_after_its_close_is_named)
{
    need_returning(",returned_unlink=1");
    expect(0, "~^1 .*\n\\.ioping\\.[0-9a-f]{6}\n$",
           "~^(.*\n)*ioping: returning/\\.ioping\\.[0-9a-f]{6}: the file system has kept "
           "the working file: Operation not permitted; remove it\n$",
           "ioping -B -c 2 -i 0 returning && ls -A returning.files");
}

/* As by the kernel, for want of memory, or where nobody reads its output. */
TEST(an_export_of_a_killed_run_is_removed)
{
    static const char *const signals[] = {"KILL", "PIPE"};
    need_bare("it ends in another way");
    need_linux(); /* where the one that stands ready sees that it is killed */
    need_slow();
    for (size_t i = 0; i < LENGTH(signals); i++)
        expect(-1, "", NULL, "an_export_of_a_killed_run_is_removed %s", signals[i]);
}

/* Both processes of the earlier one were killed. */
TEST(the_export_of_an_earlier_run_is_removed)
{
    need_bare("it ends in another way");
    need_slow();
    expect(0, "1\n0\n", NULL, "the_export_of_an_earlier_run_is_removed '2 minutes ago'");
    expect(0, "1\n1\n", NULL, "the_export_of_an_earlier_run_is_removed now");
}
