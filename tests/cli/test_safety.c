/* Data is destroyed only if -W is given three times, and no data is lost by accident. */
/* Marks: posix each */
#include "support.h"

/* A loop device on IMAGE in the scratch folder, with more options of losetup, see
 * hold_loop. */
static int
attach(const char *image, const char *options, char device[64])
{
    need_loops();
    struct result result = command_status(0, "attach %s -f --show %s", options, image);
    snprintf(device, 64, "%.*s", (int)strcspn(result.out, "\n"), result.out);
    command_free(&result);
    return hold_loop(device);
}

TEST(device_with_a_mounted_file_system_is_not_written)
{
    mount_image("ext4", 16, "mounted");
    expect(0, "whole\n",
           "~^ioping: /dev/loop[0-9]+: (Device or r|R)esource busy; it is in use, "
           "perhaps mounted: end that use, or measure a directory in it\n2\n$",
           "device_with_a_mounted_file_system_is_not_written");
}

TEST(disk_with_a_mounted_partition_is_not_written)
{
    char device[64];
    need_program("addpart");
    mount_image("ext4", 8, "private");
    shell("truncate -s 20M disk.img");
    int fd = attach("disk.img", "-P", device);
    struct result result = command("add_part %s", device);
    if (result.status != 0) {
        close(fd);
        skip_because("no nodes appear for the partitions of a loop device");
    }
    command_free(&result);
    result = command("disk_with_a_mounted_partition_is_not_written %s", device);
    close(fd);
    assert_string_equal(result.out, "same\n");
    assert_matches(result.err,
                   "^ioping: /dev/loop[0-9]+: (Device or r|R)esource busy; it is in use, "
                   "perhaps mounted: end that use, or measure a directory in "
                   "it\n2\nioping: /dev/loop[0-9]+p1: (Device or "
                   "r|R)esource busy; it is in use, perhaps mounted: end that use, or "
                   "measure a directory in it\n2\n$");
    command_free(&result);
}

/* One that the run has claimed already is opened without a claim; then it must be that.
 */
TEST(device_that_changed_while_it_was_opened_is_not_written)
{
    char device[64];
    need_faults();
    mount_image("ext4", 16, "busy");
    shell("truncate -s 4M idle.img");
    int fd = attach("idle.img", "", device);
    expect(2, NULL, "ioping: swapped: was replaced while it was opened; try again\n",
           "device_that_changed_while_it_was_opened_is_not_written %s", device);
    close(fd);
}

TEST(free_device_is_written_when_said_three_times)
{
    char device[64];
    shell("truncate -s 4M free.img");
    int fd = attach("free.img", "", device);
    struct result result =
        command("free_device_is_written_when_said_three_times %s", device);
    close(fd);
    for (const char *at = result.err; *at; at = strchr(at, '\n') + 1)
        assert_matches(at, "^(ioping: /dev/loop[0-9]+: writing would destroy its data; "
                           "give -(WWW|GWW) if that is what you want|2)\n");
    assert_int_equal(result.status, 0);
    assert_contains(result.out, "4 KiB >>> /dev/loop");
    assert_contains(result.out, "\n3 requests completed in ");
    command_free(&result);
}

TEST(reading_does_not_need_the_right_to_write)
{
    char device[64];
    shell("head -c 4M /dev/urandom >read.img && sync read.img");
    int fd = attach("read.img", "-r", device);
    struct result result = command("ioping -c 3 -i 0 %s", device);
    struct result refused = command("ioping -WWW -c 3 -i 0 %s", device);
    close(fd);
    assert_int_equal(result.status, 0);
    assert_contains(result.out, " (block device 4 MiB): request=3 ");
    assert_string_equal(result.err, "");
    assert_int_not_equal(refused.status, 0);
    assert_lacks(refused.err, "Sanitizer");
    command_free(&result);
    command_free(&refused);
}

TEST(reading_opens_read_only)
{
    need_program("strace");
    struct result result = command("reading_opens_read_only");
    if (strstr(result.err, "PTRACE"))
        skip_because("processes cannot be traced here");
    assert_contains(result.out, "1\n0\n");
    command_free(&result);
}

/* With -k the file has a name that could stay. */
static const struct keeping {
    const char *name, *option;
} keeping[] = {{"without", ""}, {"with k", "-k"}};

TEST_EACH(full_file_system_is_left_as_it_was, keeping)
{
    const char *option = ((const struct keeping *)*state)->option;
    char name[16];
    snprintf(name, sizeof(name), "full%s", option);
    mount_image("ext4", 8, name);
    expect(2, "",
           "ioping: .: a working set of 1 MiB does not fit into the 0 B that are free; "
           "free some space, or name an existing file in it instead\n",
           "full_file_system_is_left_as_it_was %s %s", name, option);
}

TEST(working_set_larger_than_the_free_space_is_refused_unwritten)
{
    need_program("strace");
    mount_image("ext4", 16, "small");
    expect(2, "0\n",
           "~^ioping: small: a working set of 100 MiB does not fit into the [0-9.]+ MiB "
           "that are free; use a smaller -S, or name an existing file in it instead\n$",
           "working_set_larger_than_the_free_space_is_refused_unwritten");
}

/* Root measures in a folder where anyone may have planted the working file. */
TEST(planted_working_file_is_never_written)
{
    static const struct {
        const char *plant, *why;
    } cases[] = {
        {"ln -s ../victim ioping.tmp", "is a symbolic link"},
        {"ln -s ../missing ioping.tmp", "is a symbolic link"},
        {"ln ../victim ioping.tmp", "has other names (hard links)"},
        {"mkfifo ioping.tmp", "is not a regular file"},
        {"mkdir ioping.tmp", "is not a regular file"},
        {"mknod ioping.tmp c 1 3", "is not a regular file"},
        {"chmod 755 . && cp ../victim ioping.tmp && chown 65534 ioping.tmp",
         "belongs to another user"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(2, "precious\n",
               formatted("ioping: open/ioping.tmp: %s; remove it, or leave out -k\n",
                         cases[i].why),
               "planted_working_file_is_never_written '%s'", cases[i].plant);
}

/* The mounted file is a regular file of the user with one name, but another file. */
TEST(mounted_working_file_is_never_written)
{
    static const char *const options[] = {"-k", "-k -W", "-k -WWW -S 2m"};
    need_names(); /* and numbers */
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(
            2, "0\n",
            "ioping: bound/ioping.tmp: is a mount of another file; unmount it, or leave "
            "out -k\n",
            "mounted_working_file_is_never_written %s", options[i]);
}

/* A directory is on the mount that it is looked at through. */
TEST(working_file_of_a_mounted_directory_is_used)
{
    expect(0, "~\nioping.tmp\n", NULL, "working_file_of_a_mounted_directory_is_used");
}

/* The device loses its second half while it is there. */
TEST(failing_device_ends_the_run_with_what_it_has)
{
    char device[64];
    shell("head -c 8M /dev/urandom >broken.img && sync broken.img");
    int fd = attach("broken.img", "", device);
    shell("truncate -s 40k broken.img");
    struct result human = command("ioping -L -s 4k -c 20 -i 0 %s", device);
    struct result json = command("ioping -J -L -s 4k -c 20 -i 0 %s", device);
    struct result on = command("ioping -q -E -L -s 4k -c 20 -i 0 %s", device);
    close(fd);
    assert_int_equal(human.status, 3);
    assert_contains(human.out, ": request=11 time=");
    assert_contains(human.out, " (EIO)\n");
    assert_lacks(human.out, "request=12");
    assert_contains(human.out, "\n9 requests completed in ");
    assert_contains(human.out, "\ngenerated 11 requests in ");
    assert_matches(human.err,
                   "^ioping: request 11 failed: EIO \\((Input/output|I/O) error\\)\n$");
    assert_int_equal(json.status, 3);
    assert_contains(json.out, "\"notice\": \"EIO\"");
    assert_contains(json.out, "\"count\": 11,\n    \"failed\": 1,");
    assert_string_equal(json.out + json.out_size - 3, "}]\n");
    assert_contains(on.out, "\ngenerated 20 requests in ");
    assert_contains(on.err, "ioping: 10 of 20 requests failed\n");
    command_free(&human);
    command_free(&json);
    command_free(&on);
}

TEST(json_of_a_failing_device_is_valid)
{
    char device[64];
    need_program("jq");
    shell("truncate -s 8M broken.img");
    int fd = attach("broken.img", "", device);
    shell("truncate -s 40k broken.img");
    struct result result = command("ioping -J -L -s 4k -c 20 -i 0 %s 2>/dev/null | "
                                   "jq -c '[length, .[10].io.notice, .[-1].load.failed, "
                                   ".[-1].stat.count]'",
                                   device);
    close(fd);
    assert_string_equal(result.out, "[12,\"EIO\",1,9]\n");
    command_free(&result);
}

/* Some times in vain, then not; the other test has one that is in use for good. */
TEST(device_that_was_just_let_go_of_is_waited_for)
{
    char device[64];
    need_faults();
    shell("truncate -s 1M free.img");
    int fd = attach("free.img", "", device);
    struct result result =
        command("IOPING_SCRIPT=open@%s:1-3:16 LD_PRELOAD=\"$IOPING_FAULTS\" \"$IOPING\" "
                "-hang 0 -B -WWW -c 3 -i 0 %s | cut -d' ' -f1,9",
                device, device);
    close(fd);
    assert_string_equal(result.err, "");
    assert_string_equal(result.out, "2 3\n");
    command_free(&result);
}

TEST(device_without_a_size_is_refused)
{
    need_sizes();
    char device[64];
    shell(": >none.img");
    int fd = attach("none.img", "2>/dev/null", device);
    struct result result = command("ioping -c 3 -i 0 %s", device);
    close(fd);
    assert_int_equal(result.status, 2);
    assert_string_equal(result.out, "");
    assert_matches(result.err, "^ioping: /dev/loop[0-9]+: "
                               "the device has 0 bytes: [^\n]*\n$");
    command_free(&result);
}

/* A long file of holes takes no space yet; what is to be filled counts. */
TEST(sparse_kept_file_does_not_hide_what_is_missing)
{
    mount_image("ext4", 32, "tight");
    expect(2, "0\n",
           "~a working set of 60 MiB does not fit into the [0-9.]+ MiB that are free; "
           "use a smaller -S",
           "truncate -s 100M tight/ioping.tmp && ioping -k -S 60m -c 2 tight; s=$?; stat "
           "-c %%b tight/ioping.tmp; exit $s");
}
