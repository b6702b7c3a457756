/* The environment of the program: its streams, /proc, and its privileges or the lack
 * of them. */
/* Marks: posix chroot each */
#include "support.h"

#define UNALIGNED                                                                      \
    "ioping: %s: direct I/O needs a request size and an offset that are multiples of " \
    "512: evicting the page cache before each request instead\n"

GROUP_SETUP(make_files)

TEST(a_reader_that_leaves_is_left_in_silence)
{
    static const char *const options[] = {"", "-J", "-q -p 1", "-I%%T"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0, "20\n141\n", "", "leave_early %s", options[i]);
}

/* Then only what write(2) says tells of it. */
TEST(a_reader_that_leaves_is_told_of_when_sigpipe_is_ignored)
{
    expect(0, "20\n3\n", "ioping: standard output: Broken pipe\n",
           "leave_early_in_silence");
}

TEST(a_closed_stdin_does_not_matter)
{
    static const char *const targets[] = {"data", "d", "-WWW copy", "-k d"};
    for (size_t i = 0; i < LENGTH(targets); i++)
        expect(0, "3\n3 requests completed\n", "", "read_without_stdin %s", targets[i]);
}

/* The label of a run with all there is, and of one with less, which stderr gives the
 * reason for: "unknown unknown SIZE". Of few descriptors the program itself may have one
 * open for a moment, and fails to open the target: it is run again. */
static void
assert_label_unknown(const char *with_less, const char *reason)
{
    struct result result =
        command_status(0,
                       "ioping -D -c 2 -i 0 data >o || exit;"
                       "for _ in 1 2 3 4 5; do %s -D -c 2 -i 0 data >more 2>e && break; "
                       "done; cat more >>o; cat e >&2;"
                       "sed -n 's/: request=2 .*//p' o",
                       with_less);
    char *second = strchr(result.out, '\n'), expected[512];
    assert_non_null(second);
    *second++ = '\0';
    snprintf(expected, sizeof(expected), "4 KiB <<< data (unknown unknown %s\n",
             strchr(strchr(strchr(result.out, '(') + 1, ' ') + 1, ' ') + 1);
    assert_string_equal(second, expected);
    assert_matches(result.err, reason);
    command_free(&result);
}

TEST(without_proc_only_the_label_knows_less)
{
    need_bare("valgrind and sanitizers need /proc");
    need_direct("data");
    need_success("unshare -m umount -l /proc",
                 "needs the right to unmount /proc for a process of its own");
    assert_label_unknown("unshare -m sh -c 'umount -l /proc; exec \"$0\" \"$@\"' "
                         "\"$IOPING\"",
                         "^$");
}

TEST(an_old_kernel_knows_the_label_as_well)
{
    need("names mount_line forbid");
    struct result result = command_status(
        0,
        "{ ioping -C -c 1 data && \"$IOPING_FORBID\" 38 statx \"$IOPING\" -C -c 1 data; "
        "} >o || exit; sed -n 's/: request=1 .*//p' o | uniq -c | sed 's/^ *//'");
    assert_matches(result.out, "^2 4 KiB <<< data \\([^ ]+ [^ ]+ [^ ]+ [A-Za-z]+\\)\n$");
    assert_lacks(result.out, "unknown");
    command_free(&result);
}

/* A folder is no mount, so none of the table is that of `/`; but another one of its file
 * system may be there. The label outside, and inside without and with such a mount. */
TEST(a_plain_chroot_is_known_by_its_device)
{
    need_bare("valgrind and sanitizers need more than there is in a chroot");
    need("ldd names mount_line");
    struct result result = command_status(0, "a_plain_chroot_is_known_by_its_device");
    assert_string_equal(result.err, "");
    char outside[512], without[512], with[512];
    assert_int_equal(
        sscanf(result.out, "%511[^\n]\n%511[^\n]\n%511[^\n]", outside, without, with), 3);
    assert_lacks(outside, "unknown");
    assert_matches(without, "^unknown unknown [0-9.]+ [A-Z]");
    assert_string_equal(with, outside);
    command_free(&result);
}

TEST(without_the_mount_table_only_the_label_knows_less)
{
    need("faults direct");
    assert_label_unknown("IOPING_SCRIPT=open@mountinfo:1-:13 "
                         "LD_PRELOAD=\"$IOPING_FAULTS\" \"$IOPING\"",
                         "^ioping: cannot read the mount table: Permission denied\n$");
}

TEST(without_descriptors_the_label_says_so)
{
    need_bare("it needs more than there are");
    need("prlimit direct");
    assert_label_unknown(
        "prlimit --nofile=4 \"$IOPING\"",
        "^ioping: cannot read the mount table: (Too many open files|No file descriptors "
        "available); allow more open files \\(ulimit -n\\)\n$");
}

TEST(a_container_without_sys_admin_changes_nothing)
{
    static const char *const targets[] = {"data", "d", "-W d", "-WWW copy"};
    need_success("setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin true",
                 "needs the right to give up privileges, and setpriv");
    need_direct("data");
    for (size_t i = 0; i < LENGTH(targets); i++)
        expect(0, "\"failed\": 0,\n\"failed\": 0,\n", "",
               "a_container_without_sys_admin_changes_nothing %s", targets[i]);
}

/*
 * The kernel answers "all resident" to those who could not write a file, and that is
 * true of a superuser without privileges as well. A container has such, on files of
 * others; who cannot see says so, and calls no request cached that came from the disk.
 */
TEST(root_without_privileges_calls_nothing_cached_by_mistake)
{
    static const char *const runs[] = {"setpriv --bounding-set=-all --inh-caps=-all",
                                       "unshare -U -r"};
    char note[256];
    need("resident users");
    need_native("needs an emulator that tells the alignment of direct I/O");
    mount_once("ext4");
    snprintf(note, sizeof(note), UNALIGNED, "ext4/theirs");
    for (size_t i = 0; i < LENGTH(runs); i++) {
        struct result result = command(
            "root_without_privileges_calls_nothing_cached_by_mistake %s", runs[i]);
        assert_int_equal(result.status, 0);
        if (result.out[0] == '\0')
            continue; /* no user namespaces here */
        if (!strstr(result.out, "\"count\": 5,\n    \"size\": 5000,"))
            fail_msg("%s: %s%s", runs[i], result.out, result.err);
        assert_contains(result.err, note);
        command_free(&result);
    }
}

/*
 * Old kernels and security modules refuse a file without a name with codes of their own,
 * and so does FUSE. A file with a name is made then. The first call that opens the
 * directory asks for the file without a name, and no later one fails.
 */
TEST(any_code_that_refuses_a_file_without_a_name_leads_to_one_with_a_name)
{
    static const int codes[] = {ENOENT, EACCES,     EPERM,  ENOSYS, EISDIR,
                                EINVAL, EOPNOTSUPP, ENOTTY, EIO,    ESTALE};
    need_faults();
    for (size_t i = 0; i < LENGTH(codes); i++)
        expect(0, "2 requests completed\n", "", "make_refused %d; ls -A refused",
               codes[i]);
}

/* A file with a name would meet the same condition. The second call would succeed. */
TEST(a_full_or_read_only_file_system_is_not_asked_for_a_file_twice)
{
    static const int codes[] = {ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE};
    need_faults();
    for (size_t i = 0; i < LENGTH(codes); i++) {
        struct result result = command_status(2, "make_refused %d", codes[i]);
        assert_contains(result.err, strerror(codes[i]));
        command_free(&result);
    }
}

/* A program that is set for its owner and its group, and what root and nobody own. */
static void
need_setuid(void)
{
    need_users();
    mount_once("ext4"); /* no user may open its device */
    need_success("[ \"$(make_setuid)\" = 0 ]",
                 "needs a build folder that honours setuid and that others can enter");
}

#define NO_FILE                                                                        \
    ": cannot create a temporary file here: Permission denied; name an existing file " \
    "in it instead\n"

TEST(setuid_opens_nothing_that_the_user_may_not)
{
    static const char *const cases[][2] = {
        {"secret", "ioping: secret: Permission denied; name a file that you may read, or "
                   "run ioping as root\n"},
        {"group", "ioping: group: Permission denied; name a file that you may read, or "
                  "run ioping as root\n"},
        {"-WWW secret", "ioping: secret: Permission denied; name a file that you may "
                        "write, or run ioping as root\n"},
        {"-WWW public", "ioping: public: Permission denied; name a file that you may "
                        "write, or run ioping as root\n"},
        {"closed/data", "ioping: closed/data: Permission denied; name a file that you "
                        "may read, or run ioping as root\n"},
        {"device", "ioping: device: Permission denied; run ioping as root or "
                   "administrator, or join the group of the device\n"},
        {"-WWW device", "ioping: device: Permission denied; run ioping as root or "
                        "administrator, or join the group of the device\n"},
        {"root", "ioping: root" NO_FILE},
        {"-W root", "ioping: root" NO_FILE},
        {"-k root", "ioping: root" NO_FILE},
        {"closed", "ioping: closed" NO_FILE},
    };
    int failures = 0;
    need_setuid();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command("suid -c 1 -i 0 %s", cases[i][0]);
        if (result.status != 2 || result.out[0] || strcmp(result.err, cases[i][1]) != 0) {
            print_error("ioping %s: status %d\nstdout: %s\nstderr: %s\n", cases[i][0],
                        result.status, result.out, result.err);
            failures++;
        }
        command_free(&result);
    }
    assert_int_equal(failures, 0);
    expect(0, "", NULL, "compare_what_is_closed");
}

TEST(setuid_works_on_what_the_user_may_open)
{
    static const char *const targets[] = {"public", "own/file", "-WWW own/file",
                                          "own",    "-W own",   "-k own"};
    need_setuid();
    need_direct("data");
    for (size_t i = 0; i < LENGTH(targets); i++) {
        expect(0, NULL, "", "suid -a 0 -c 3 -i 0 %s >o", targets[i]);
        expect(0,
               is_mount_listed() ? "3 requests completed\n"
                                 : "unknown\n3 requests completed\n",
               NULL,
               "grep -q 'unknown' o && echo unknown; grep -o '^3 requests completed' o");
    }
    expect(0, "file\nioping.tmp\n65534 65534 600 1048576\n", NULL,
           "ls -A s/own; stat -c '%%u %%g %%a %%s' s/own/ioping.tmp");
}

/* Program "capable", whose file has a capability, and "plain", whose file has none. */
static void
need_capabilities(void)
{
    if (!is_linux_aio())
        skip_because("needs a system whose files have capabilities");
    need("users setcap");
    need_success("make_capable", "needs a build folder that honours the capabilities of "
                                 "files and that others can enter");
}

TEST(capabilities_of_the_file_open_nothing_more)
{
    static const char *const targets[] = {"secret", "-WWW secret", "-WWW public",
                                          "root",   "-k root",     "secret public"};
    need_capabilities();
    for (size_t i = 0; i < LENGTH(targets); i++) {
        expect(2, "", "~Permission denied",
               "cd c; export ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\"; nobody "
               "../capable -c 1 %s",
               targets[i]);
    }
    expect(
        0, "1\n", NULL,
        "export ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\"; nobody ./capable -q -c 2 "
        "-i 0 c/public >o; "
        "grep -c '^generated 2' o; cmp data c/secret; cmp data c/public; ls c/root");
}

/* Threads have stacks of that size too. */
TEST(a_small_stack_suffices)
{
    static const char *const runs[] = {
        "-q -p 1 -i 0 -c 200 d >raw",
        "-JJ -i 0 -c 50 -histogram data",
        "-W -i 0 -c 5 -threads 4 d",
        "-prometheus x.prom -hdr x.hdr -plot x.svg -q -i 0 -c 20 data",
        "-sweep threads=1..4 -w 50ms data",
        "-load write,depth=4 -q -i 1ms -c 50 d",
        "-compare raw raw -slo p50=+5%",
    };
    need_bare("a sanitizer or an emulator needs a larger stack");
    for (size_t i = 0; i < LENGTH(runs); i++) {
        struct result result = command("ulimit -s 64 && ioping %s", runs[i]);
        if (result.status != 0 && result.status != EXIT_UNCERTAIN)
            fail_msg("%s: status %d\n%s", runs[i], result.status, result.err);
        command_free(&result);
    }
}

TEST(capabilities_of_the_user_remain)
{
    need_capabilities();
    expect(0, "1\n", NULL,
           "export ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\"; ambient ./plain -q -c "
           "2 -i "
           "0 c/secret >o "
           "&& grep -c '^generated 2' o");
}
