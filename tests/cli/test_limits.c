/* Limits of the user, of numbers, and of a file system that is full. */
/* Marks: posix each */
#include "support.h"

GROUP_SETUP(make_files)

/* Two requests end before the limit of 8 KiB; the kernel sends SIGXFSZ for the third. */
TEST(a_write_beyond_the_largest_file_is_a_failed_request)
{
    static const char *const options[] = {"", "-C"};
    need_program("prlimit");
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(3, "2 requests completed\ngenerated 3 requests\nrequest=3 (EFBIG)\n",
               "ioping: request 3 failed: EFBIG (File too large)\n",
               "a_write_beyond_the_largest_file_is_a_failed_request %s", options[i]);
}

/* As root, whom the limit does not bind, and as a user, whom it does. */
TEST(no_locked_memory_is_needed)
{
    need_program("prlimit");
    expect(0,
           "3 requests completed\ngenerated 3 requests\n"
           "3 requests completed\ngenerated 3 requests\n",
           "", "no_locked_memory_is_needed");
}

#define TOO_FEW "(Too many open files|No file descriptors available)"

TEST(few_descriptors_are_enough_or_said_to_be_too_few)
{
    static const char *const targets[] = {"data", "d", "-k d", "/dev/zero"};
    need_bare("valgrind and sanitizers need descriptors of their own");
    need_program("prlimit");
    for (size_t i = 0; i < 3 * LENGTH(targets); i++) {
        struct result result =
            command("prlimit --nofile=%zu \"$IOPING\" -a 0 -c 3 -i 0 %s", 4 + i % 3,
                    targets[i / 3]);
        if (result.status == 0) {
            assert_contains(result.out, "\n3 requests completed in ");
            assert_matches(result.err, "^(ioping: cannot read the mount table: " TOO_FEW
                                       "; allow more open files \\(ulimit -n\\)\n)?$");
        } else {
            assert_int_equal(result.status, 2);
            assert_string_equal(result.out, "");
            assert_matches(result.err, "^ioping: [^\n]*" TOO_FEW "[^\n]*\n$");
        }
        command_free(&result);
    }
}

TEST(a_request_that_does_not_fit_into_memory_is_refused)
{
    static const char *const targets[] = {"/dev/zero", "large", "-WWW large"};
    need_bare("valgrind and sanitizers need more memory than is allowed here");
    need_program("prlimit");
    for (size_t i = 0; i < LENGTH(targets); i++) {
        expect(2, "",
               "~ioping: not enough memory for a request of 1073741824 bytes; use a "
               "smaller -s\n",
               "truncate -s 2g large; prlimit --as=100000000 \"$IOPING\" -C -s 1g %s",
               targets[i]);
    }
}

/* Where requests go, and what is said; NULL: they are done. */
static const struct {
    const char *arguments, *err;
    int status;
} ranges[] = {
    {"-o 9223372036854775808 data", "ioping: -o '9223372036854775808': out of range\n",
     1},
    {"-o 18446744073709551616 data", "ioping: -o '18446744073709551616': out of range\n",
     1},
    {"-o 8e data", "ioping: -o '8e': out of range\n", 1},
    {"-S 9223372036854775808 data", "ioping: -S '9223372036854775808': out of range\n",
     1},
    {"-S 18446744073709555712 data", "ioping: -S '18446744073709555712': out of range\n",
     1},
    {"-o 9223372036854775807 data",
     "ioping: data: target is too small for this: -o and -S reach beyond its 1 MiB; use "
     "a smaller -o or -S\n",
     2},
    {"-S 9223372036854775807 data",
     "ioping: data: target is too small for this: -o and -S reach beyond its 1 MiB; use "
     "a smaller -o or -S\n",
     2},
    {"-S 9223372036854775807 -o 9223372036854775807 data",
     "ioping: data: target is too small for this: -o and -S reach beyond its 1 MiB; use "
     "a smaller -o or -S\n",
     2},
    {"-o 9223372036854771712 -s 4k /dev/zero",
     "ioping: /dev/zero: target is too small for this: -o and -S reach beyond its last "
     "possible offset; use a smaller -o or -S\n",
     2},
    {"-o 9223372036854771712 -S 4k -s 4k /dev/zero",
     "ioping: /dev/zero: target is too small for this: -o and -S reach beyond its last "
     "possible offset; use a smaller -o or -S\n",
     2},
    {"-o 9223372036854775807 -S 1 -s 1 /dev/zero",
     "ioping: /dev/zero: target is too small for this: -o and -S reach beyond its last "
     "possible offset; use a smaller -o or -S\n",
     2},
    {"-o 9223372036854771711 -S 4k -s 4k /dev/zero", NULL, 0},
    {"-o 9223372036854771712 -S 4095 -s 4095 /dev/zero", NULL, 0},
    {"-o 9223372036854775806 -S 1 -s 1 /dev/zero", NULL, 0},
    {"-L -o 9223372036854763519 -S 12k -s 4k /dev/zero", NULL, 0},
};

TEST(offsets_end_where_numbers_do)
{
    for (size_t i = 0; i < LENGTH(ranges); i++) {
        struct result result = command("ioping -a 0 -c 4 -i 0 %s", ranges[i].arguments);
        const char *out = ranges[i].err ? "" : "\n4 requests completed in ";
        const char *err = formatted("%s%s", ranges[i].err ? ranges[i].err : "",
                                    ranges[i].status == 1 ? TRY : "");
        if (result.status != ranges[i].status || strcmp(result.err, err) != 0 ||
            !strstr(result.out, out) || (out[0] == '\0' && result.out[0]))
            fail_msg("%s: status %d\nstdout: %s\nstderr: %s", ranges[i].arguments,
                     result.status, result.out, result.err);
        command_free(&result);
    }
}

/* The time ends the run; one request at least and, at 1 ms each, 51 at most. */
TEST(counts_that_cannot_be_reached_are_taken)
{
    static const char *const counts[] = {"2147483647", "2147483648", "4294967296",
                                         "4294967297", "9223372036854775807"};
    for (size_t i = 0; i < LENGTH(counts); i++)
        expect(0, "1 1\n", "",
               "ioping -C -B -c %s -p %s -a 0 -i 1ms -w 50ms data | "
               "awk '{ print ($1 == $9), ($9 >= 1 && $9 <= 51) }'",
               counts[i], counts[i]);
}

/*
 * An image with what SETUP makes and, but for that, no block left for anyone.
 */
static void
mount_full(const char *name, const char *setup)
{
    mount_image("ext4", 8, name);
    need_program("fallocate");
    shell("cd %s && { %s; } >../o && fill", name, setup);
}

/* Nothing has to be allocated for what is there. */
TEST(a_kept_file_is_used_on_a_full_file_system)
{
    static const char *const options[] = {"-k", "-k -W", "-k -G", "-k -C"};
    mount_full("full", "ioping -k -a 0 -c 1 .");
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0,
               "6 requests completed\ngenerated 6 requests\n"
               "fill ioping.tmp lost+found\n1048576\n",
               "", "a_kept_file_is_used_on_a_full_file_system %s", options[i]);
}

/* The first 64 KiB are there, the second are a hole. */
TEST(a_hole_that_cannot_be_filled_is_a_failed_request)
{
    static const char *const options[] = {"", "-C", "-Y"};
    mount_full("holes", "head -c 64k /dev/urandom >f; truncate -s 1M f; sync f");
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(3, "1 requests completed\ngenerated 2 requests\nrequest=2 (ENOSPC)\n",
               "ioping: request 2 failed: ENOSPC (No space left on device)\n",
               "a_hole_that_cannot_be_filled_is_a_failed_request %s", options[i]);
}

/* Gone with the descriptor, however the shell ends. */
TEST(a_device_of_no_size_is_refused)
{
    static const char *const options[] = {"", "-D", "-WWW", "-s 1"};
    need("sizes loops");
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(
            2, "",
            "~^ioping: /dev/loop[0-9]+: the device has 0 bytes: its medium is missing or "
            "empty; insert or attach a medium that has data, or name another device\n$",
            ": >none.img; device=$(attach -f --show none.img 2>/dev/null) || exit; "
            "exec 9<$device; losetup -d $device; ioping %s -c 1 $device",
            options[i]);
}
