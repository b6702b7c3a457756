/* What becomes of the target while it is measured. */
#include "running.h"
#include "support.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Ends by itself in 20 s at the latest. */
#define RUN(arguments) START "-w 20s -a 0 -i 10ms " arguments " >o 2>e & pid=$!; "
#define BEGUN UNTIL("request=3 ", "o")
#define THREE_MORE                                                              \
    "n=$(grep -c request= o); until [ $(grep -c request= o) -ge $((n + 3)) ]; " \
    "do sleep 0.02; done; "
#define WAIT "wait $pid; s=$?; " SAY
#define STOP "kill -INT $pid; " WAIT

/* Ends the command: "ok" if the totals are those of the lines, of which failed those
 * with VERDICT. */
#define AGREE(verdict)                                                      \
    "all=$(grep -c request= o); bad=$(grep -c '^0 B .*(" verdict ")$' o); " \
    "grep -q \"^$((all - bad)) requests completed in \" o && "              \
    "grep -q \"^generated $all requests in \" o && { [ $bad -le 1 ] || "    \
    "grep -q \"^ioping: $bad of $all requests failed$\" e; } && echo ok; exit $s"

static int
make_files(void **state)
{
    (void)state;
    struct result result = command_status(0, "head -c 1048576 /dev/urandom >data");
    command_free(&result);
    return 0;
}

/* No request is in two pages, of which one could still be read, nor near the head, which
 * valgrind reads. */
static void
a_file_that_is_truncated_is_read_short(void **state)
{
    static const char *const options[] = {"", "-C", "-s 1000 -o 512k -S 4k"};
    (void)state;
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result =
            command_status(3,
                           "cp data file; sync file; " RUN("%s file") BEGUN //
                           ": >file; " WAIT "grep -c '(short)$' o; " AGREE("short"),
                           options[i]);
        assert_string_equal(result.out, "1\nok\n");
        assert_matches(result.err, "(^|\n)ioping: request [0-9]+ failed: short \\(0 of "
                                   "(4096|1000) bytes\\)\n$");
        command_free(&result);
    }
}

/* What was the working set remains it. */
static void
a_file_that_grows_is_measured_as_it_was(void **state)
{
    (void)state;
    need_program("jq");
    struct result result =
        command_status(0, "head -c 16k data >file; sync file; " RUN("-J -L -s 4k file")
                              UNTIL("\"request\": 3,", "o") "cat data >>file; " //
                       UNTIL("\"request\": 12,", "o") STOP
                       "jq -c '(map(.io.offset // empty) | unique), .[-1].load.failed, "
                       ".[-1].load.count == length - 1' o; exit $s");
    assert_string_equal(result.out, "[0,4096,8192,12288]\n0\ntrue\n");
    assert_string_equal(result.err, "");
    command_free(&result);
}

static void
a_file_that_is_deleted_is_still_measured(void **state)
{
    static const char *const options[] = {"", "-WWW", "-C"};
    (void)state;
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result = command_status(
            0,
            "cp data file; sync file; " RUN("%s file") BEGUN //
            "rm file; " THREE_MORE STOP "ls file 2>/dev/null; " AGREE("E[A-Z]*"),
            options[i]);
        assert_string_equal(result.out, "ok\n");
        assert_string_equal(result.err, "");
        command_free(&result);
    }
}

static void
a_kept_file_that_is_deleted_is_not_made_again(void **state)
{
    (void)state;
    struct result result = command_status(0, "mkdir -p kept; " RUN("-k -W kept") BEGUN //
                                          "rm kept/ioping.tmp; " THREE_MORE STOP
                                          "ls kept; " AGREE("E[A-Z]*"));
    assert_string_equal(result.out, "ok\n");
    assert_string_equal(result.err, "");
    command_free(&result);
}

static void
reading_goes_on_when_the_file_system_becomes_read_only(void **state)
{
    (void)state;
    mount_image("ext4", 16, "frozen");
    struct result result = command_status(
        0, "cp data frozen/f && sync frozen/f; " RUN("frozen/f") BEGUN //
        "mount -o remount,ro frozen || exit; " THREE_MORE STOP AGREE("E[A-Z]*"));
    assert_string_equal(result.out, "ok\n");
    assert_string_equal(result.err, "");
    command_free(&result);
}

/* As after an error of the disk, the kernel then refuses to write. */
static void
writing_ends_when_the_kernel_makes_the_file_system_read_only(void **state)
{
    (void)state;
    mount_image("ext4", 16, "broken");
    struct result result = command("mount -o remount,errors=remount-ro broken && "
                                   "test -w /sys/fs/ext4/$(losetup -nO NAME -j broken.img"
                                   " | sed 's,.*/,,')/trigger_fs_error");
    bool able = result.status == 0;
    command_free(&result);
    if (!able)
        skip_because("this kernel or container lets nobody provoke errors of ext4");
    result = command_status(3,
                            RUN("-W broken") BEGUN //
                            "device=$(losetup -nO NAME -j broken.img); "
                            "echo 1 >/sys/fs/ext4/${device##*/}/trigger_fs_error; " WAIT
                            "grep -c '(EROFS)$' o; " AGREE("EROFS"));
    assert_string_equal(result.out, "1\nok\n");
    assert_matches(result.err, "^ioping: request [0-9]+ failed: EROFS \\(Read-only file "
                               "system\\)\n$");
    command_free(&result);
}

static void
a_file_system_that_is_unmounted_lazily_is_still_measured(void **state)
{
    static const char *const targets[] = {"lazy/f", "lazy", "-W lazy"};
    (void)state;
    for (size_t i = 0; i < LENGTH(targets); i++) {
        char name[16];
        snprintf(name, sizeof(name), "lazy%zu", i);
        mount_image("ext4", 16, name);
        struct result result = command_status(
            0,
            "rm -f lazy; ln -s %s lazy; cp data lazy/f && sync lazy/f; " RUN("%s")
                BEGUN //
            "umount -l %s; ls %s; " THREE_MORE STOP AGREE("E[A-Z]*"),
            name, targets[i], name, name);
        assert_string_equal(result.out, "ok\n");
        assert_string_equal(result.err, "");
        command_free(&result);
    }
}

/* Detached at once, so it goes with the last descriptor, however this ends. */
#define ATTACH(image)                                                          \
    "truncate -s 4M " image "; device=$(attach -f --show " image ") || exit; " \
    "exec 9<$device; losetup -d $device; "

static void
a_device_that_breaks_ends_the_run(void **state)
{
    (void)state;
    need_root();
    struct result result =
        command_status(3, ATTACH("disk.img") RUN("$device") BEGUN //
                       ": >disk.img; " WAIT "grep -c '(EIO)$' o; " AGREE("EIO"));
    assert_string_equal(result.out, "1\nok\n");
    assert_matches(
        result.err,
        "^ioping: request [0-9]+ failed: EIO \\((Input/output|I/O) error\\)\n$");
    command_free(&result);
}

/* And when it is whole again, that is forgiven, but not forgotten. */
static void
a_device_that_breaks_for_a_while_is_measured_further(void **state)
{
    (void)state;
    need_root();
    struct result result = command_status(
        3, ATTACH("disk.img") RUN("-E $device") BEGUN ": >disk.img; " UNTIL("(EIO)$", "o")
               THREE_MORE "truncate -s 4M disk.img; " //
        THREE_MORE STOP "tail -6 o | head -1 | grep -c EIO; " AGREE("EIO"));
    assert_string_equal(result.out, "0\nok\n");
    assert_matches(result.err,
                   "^ioping: request [0-9]+ failed: EIO \\((Input/output|I/O) error\\)\n"
                   "(ioping: [0-9]+ of [0-9]+ requests failed\n)?$");
    command_free(&result);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_truncated_is_read_short),
        cmocka_unit_test(a_file_that_grows_is_measured_as_it_was),
        cmocka_unit_test(a_file_that_is_deleted_is_still_measured),
        cmocka_unit_test(a_kept_file_that_is_deleted_is_not_made_again),
        cmocka_unit_test(reading_goes_on_when_the_file_system_becomes_read_only),
        cmocka_unit_test(writing_ends_when_the_kernel_makes_the_file_system_read_only),
        cmocka_unit_test(a_file_system_that_is_unmounted_lazily_is_still_measured),
        cmocka_unit_test(a_device_that_breaks_ends_the_run),
        cmocka_unit_test(a_device_that_breaks_for_a_while_is_measured_further),
    };
    return cmocka_run_group_tests_name("changes", tests, make_files, unmount_all);
}
