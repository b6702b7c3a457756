/* Targets that grow, shrink or are removed while they are measured. */
/* Marks: races posix each */
#include "support.h"

GROUP_SETUP(make_files)

/* No request is in two pages, of which one could still be read, nor near the head, which
 * valgrind reads. */
TEST(a_file_that_is_truncated_is_read_short)
{
    static const char *const options[] = {"", "-C", "-s 1000 -o 512k -S 4k"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(
            3, "1\nok\n",
            "~(^|\n)ioping: request [0-9]+ failed: short \\(0 of (4096|1000) bytes\\)\n$",
            "a_file_that_is_truncated_is_read_short %s", options[i]);
}

#define GONE "^ioping: request [0-9]+ failed: the device is gone\n"

static const struct expected runs[] = {
    /* The working set keeps its size. */
    {"a_file_that_grows_is_measured_as_it_was", "jq", 0, "[0,4096,8192,12288]\n0\ntrue\n",
     ""},
    {"a_device_that_breaks_ends_the_run", "loops", 3, "1\nok\n",
     "~^ioping: request [0-9]+ failed: EIO \\((Input/output|I/O) error\\)\n$"},
    /* As a disk that is pulled out: its size is 0 then. */
    {"a_device_without_any_bytes_is_gone", "linux loops", 3, "ok\n",
     "~" GONE "(ioping: [0-9]+ of [0-9]+ requests failed\n)?$"},
    {"a_kept_file_that_is_deleted_is_not_made_again", "", 0, "ok\n", ""},
    /* And when it is whole again, that is forgiven, but not forgotten. */
    {"a_device_that_breaks_for_a_while_is_measured_further", "loops", 3, "0\nok\n",
     "~^ioping: request [0-9]+ failed: EIO \\((Input/output|I/O) error\\)\n"
     "(ioping: [0-9]+ of [0-9]+ requests failed\n)?$"},
};

EXPECT_EACH(runs)

TEST(a_file_that_is_deleted_is_still_measured)
{
    static const char *const options[] = {"", "-WWW", "-C"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0, "ok\n", "", "a_file_that_is_deleted_is_still_measured %s", options[i]);
}

/* As many bytes from the begin of the file as the share says. */
TEST(holes_that_are_made_meanwhile_are_told)
{
    static const struct {
        const char *targets; /* and options */
        const char *length;
        const char *note;
    } rows[] = {
        {"file", "1M", "100"},
        {"file", "256k", "25"},
        {"-C file", "1M", "100"},
        {"-s 1000 -S 1000k -o 100 file", "1M", "100"},
        {"-S 512k file", "512k", "100"},
        {"-o 512k file", "512k", NULL},
        {"-threads 2 file", "1M", "100"},
        {"-WWW file", "1M", NULL},
        {"data file", "1M", "100"},
    };
    struct result result = command("cp data probe && fallocate -p -l 4k probe");
    bool able = result.status == 0;
    command_free(&result);
    if (!able)
        skip_because("no fallocate here, or a file system that keeps its blocks");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char note[128] = "";
        bool several = strncmp(rows[i].targets, "data ", 5) == 0;
        if (rows[i].note)
            snprintf(note, sizeof(note),
                     "ioping: %s%s %% of the working set turned into holes during the "
                     "run: reading them touches no device\n",
                     several ? "file: " : "", rows[i].note);
        result = command_status(0, "holes_that_are_made_meanwhile_are_told %s %s",
                                rows[i].length, rows[i].targets);
        if (!strstr(result.err, note) || (!*note && strstr(result.err, "holes")))
            fail_msg("%s: %s", rows[i].targets, result.err);
        command_free(&result);
    }
}

TEST(reading_goes_on_when_the_file_system_becomes_read_only)
{
    mount_image("ext4", 16, "frozen");
    expect(0, "ok\n", "", "reading_goes_on_when_the_file_system_becomes_read_only");
}

/* As after an error of the disk, the kernel then refuses to write. */
TEST(writing_ends_when_the_kernel_makes_the_file_system_read_only)
{
    mount_image("ext4", 16, "broken");
    struct result result = command(
        "mount -o remount,errors=remount-ro broken && test -w \"$(error_trigger)\"");
    bool able = result.status == 0;
    command_free(&result);
    if (!able)
        skip_because("this kernel or container lets nobody provoke errors of ext4");
    expect(3, "1\nok\n",
           "~^ioping: request [0-9]+ failed: EROFS \\(Read-only file system\\)\n$",
           "writing_ends_when_the_kernel_makes_the_file_system_read_only");
}

TEST(a_file_system_that_is_unmounted_lazily_is_still_measured)
{
    static const char *const targets[] = {"lazy/f", "lazy", "-W lazy"};
    for (size_t i = 0; i < LENGTH(targets); i++) {
        char name[16];
        snprintf(name, sizeof(name), "lazy%zu", i);
        mount_image("ext4", 16, name);
        struct result result = command_status(
            0, "a_file_system_that_is_unmounted_lazily_is_still_measured %s %s", name,
            targets[i]);
        assert_string_equal(result.out, "ok\n");
        assert_matches(result.err, "^(ioping: lazy: still not ready after [0-9.]+ m?s, "
                                   "while closing it\n)?$"); /* on a busy machine */
        command_free(&result);
    }
}

/* What fails has no folder in sysfs: this run does not see it. */
TEST(a_device_that_the_system_does_not_know_is_gone)
{
    need("linux loops");
    need_success("unshare -m mount -t tmpfs none /sys/dev/block",
                 "this container may not mount over sysfs");
    expect(3, "1\nok\n", "~" GONE "$", "a_device_that_the_system_does_not_know_is_gone");
}
