/* Refused command lines: the exact message, the exit status, and that no file is left. */
/* Marks: posix */
#include "support.h"

#define NO_COUNT "not a count such as 10, 5k or 1M"
#define NO_SIZE "not a size such as 4096, 4k or 1.5m"
#define NO_TIME "not a time such as 10ms, 0.5s or 2min"
#define NOTHING "too small: it would be rounded to 0"
#define ZERO "must be more than 0"
#define TOO_LARGE "a request can have at most 2147479552 bytes"
#define RANGE "out of range"
#define CONSENT \
    "ioping: data: writing would destroy its data; give -WWW if that is what you want\n"
#define CONSENT_MIXED \
    "ioping: data: writing would destroy its data; give -GWW if that is what you want\n"
#define NONE ": No such file or directory; "
#define MISSING_LINE NONE "name a directory, file or device that exists"
#define MISSING MISSING_LINE "\n"
#define VALUE_FIRST "a value must follow its option, as in -c 10"
#define DASH "begin an option with the hyphen -, not with a longer dash"
#define LEAVE "; remove it, or leave out -k\n"
#define ELSEWHERE "; name an existing file in it instead\n"

/* Fails unless "ioping ARGUMENTS" prints nothing but LINE, and after a usage error the
 * line that points to -h, and ends with STATUS. */
static void
assert_refused(const char *arguments, const char *line, int status)
{
    char expected[1024];
    struct result result = command("ioping %s", arguments);
    snprintf(expected, sizeof(expected), "%s%s", line, status == 1 ? TRY : "");
    if (result.status != status || strcmp(result.err, expected) != 0 || result.out[0])
        fail_msg("ioping %s: status %d\nstdout: %s\nstderr: %s", arguments, result.status,
                 result.out, result.err);
    command_free(&result);
}

/* The line of a value that is refused, the option shown as it is given here. */
static void
assert_value_refused(const char *option, const char *value, const char *why)
{
    char arguments[256], line[512];
    snprintf(arguments, sizeof(arguments), "-c 1 %s '%s' data", option, value);
    snprintf(line, sizeof(line), "ioping: %s '%s': %s\n", option, value, why);
    assert_refused(arguments, line, 1);
}

GROUP_SHELL(
    "head -c 1048576 /dev/urandom >data && cp data same && mkdir d && : >empty && "
    "mkfifo fifo && ln -s nowhere dangling && cp \"$IOPING\" copy")

TEST(bad_counts_are_refused)
{
    static const char *const cases[][2] = {
        {"", NO_COUNT},
        {"abc", NO_COUNT},
        {"k", NO_COUNT},
        {"-1", NO_COUNT},
        {"+1", NO_COUNT},
        {"nan", NO_COUNT},
        {"inf", NO_COUNT},
        {"1e3", NO_COUNT},
        {"0x10", NO_COUNT},
        {"1 2", NO_COUNT},
        {"1kk", NO_COUNT},
        {"3s", NO_COUNT},
        {"1/", NO_COUNT},
        {"1/2/3", NO_COUNT},
        {"1.2.3", NO_COUNT},
        {" 1", NO_COUNT},
        {"1/0", "division by zero"},
        {"0.5", NOTHING},
        {"1/3", NOTHING},
        {"9223372036854775808", RANGE},
        {"10000000T", RANGE},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_value_refused("-c", cases[i][0], cases[i][1]);
}

TEST(bad_sizes_are_refused)
{
    static const char *const cases[][3] = {
        {"-s", "", NO_SIZE},     {"-s", "4x", NO_SIZE},
        {"-s", "-4k", NO_SIZE},  {"-s", "kib", NO_SIZE},
        {"-s", "4ki", NO_SIZE},  {"-s", "4 k", NO_SIZE},
        {"-s", "nan", NO_SIZE},  {"-s", "0", ZERO},
        {"-s", "0k", ZERO},      {"-s", "0.5", NOTHING},
        {"-s", "2g", TOO_LARGE}, {"-s", "2147479553", TOO_LARGE},
        {"-S", "8e", RANGE},     {"-S", "1/0k", "division by zero"},
        {"-l", "0", ZERO},       {"-l", "0.5", NOTHING},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_value_refused(cases[i][0], cases[i][1], cases[i][2]);
}

TEST(bad_times_are_refused)
{
    static const char *const cases[][2] = {
        {"", NO_TIME},       {"ms", NO_TIME},
        {"-1", NO_TIME},     {"1day", NO_TIME},
        {"1k", NO_TIME},     {"1 s", NO_TIME},
        {"inf", NO_TIME},    {"/0", "division by zero"},
        {"0.5ns", NOTHING},  {"300000000000", RANGE},
        {"2562048h", RANGE},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_value_refused("-i", cases[i][0], cases[i][1]);
}

TEST(every_option_with_a_value_checks_it)
{
    static const char *const cases[][2] = {
        {"-a", NO_COUNT}, {"-b", NO_COUNT}, {"-c", NO_COUNT}, {"-e", NO_COUNT},
        {"-r", NO_COUNT}, {"-p", NO_COUNT}, {"-l", NO_SIZE},  {"-s", NO_SIZE},
        {"-S", NO_SIZE},  {"-o", NO_SIZE},  {"-i", NO_TIME},  {"-t", NO_TIME},
        {"-T", NO_TIME},  {"-w", NO_TIME},  {"-P", NO_TIME},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_value_refused(cases[i][0], "x", cases[i][1]);
    assert_value_refused("-r", "0", ZERO);
    assert_value_refused("-work-time", "x", NO_TIME);
    assert_refused("-c1x data", "ioping: -c '1x': " NO_COUNT "\n", 1);
    assert_refused("--count=x data", "ioping: -count 'x': " NO_COUNT "\n", 1);
    assert_refused("-print-c= data", "ioping: -print-count '': " NO_COUNT "\n", 1);
    assert_refused("-c $(printf '\\033[31m') data",
                   "ioping: -c '\\033[31m': " NO_COUNT "\n", 1);
}

TEST(unknown_options_are_refused)
{
    static const char *const cases[][2] = {
        {"-z data", "unrecognized option '-z'"},
        {"-AUz data", "unrecognized option '-z'"},
        {"-x data", "unrecognized option '-x'"},
        {"-qzc 10 data", "unrecognized option '-z'"},
        {"-urings data", "unrecognized option '-urings'; did you mean -uring?"},
        {"--asyncs data", "unrecognized option '--asyncs'; did you mean -async?"},
        {"--foo data", "unrecognized option '--foo'"},
        {"-plott x.svg data", "unrecognized option '-plott'; did you mean -plot?"},
        {"-depht 3 data", "unrecognized option '-depht'; did you mean -depth?"},
        {"-bs 4k data", "unrecognized option '-bs'; did you mean -size?"},
        {"--q=1 data", "option '-quiet' doesn't allow an argument; leave out '=1'"},
        {"-quiet=1 data", "option '-quiet' doesn't allow an argument; leave out '=1'"},
        {"data -c", "option '-c' requires an argument; give -c <count>"},
        {"data -qc", "option '-c' requires an argument; give -c <count>"},
        {"data --count", "option '-count' requires an argument; give -count <count>"},
        {"-prin 1 data", "option '-prin' is ambiguous; possibilities:"
                         " '-print-count' '-print-interval' '-print'"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[256];
        snprintf(line, sizeof(line), "ioping: %s\n", cases[i][1]);
        assert_refused(cases[i][0], line, 1);
    }
}

TEST(a_target_is_needed)
{
    assert_refused("-record d",
                   "ioping: no destination specified; d is the file of -record, so name "
                   "a directory, file or device as well\n",
                   1);
    assert_refused("-output d -q",
                   "ioping: no destination specified; d is the file of -output, so name "
                   "a directory, file or device as well\n",
                   1);
    assert_refused("-c 1",
                   "ioping: no destination specified; name a directory, file or device, "
                   "as in: ioping .\n",
                   1);
    assert_refused("--",
                   "ioping: no destination specified; name a directory, file or device, "
                   "as in: ioping .\n",
                   1);
}

/* A first-time user leaves out the number. */
TEST(a_target_in_place_of_a_number_is_seen)
{
    assert_value_refused("-c", ".", NO_COUNT "; put the count before the target");
    assert_value_refused("-c", "/tmp", NO_COUNT "; put the count before the target");
    assert_value_refused("-i", "..", NO_TIME "; put the time before the target");
    assert_value_refused("-s", "/x/4k", NO_SIZE "; put the size before the target");
    assert_value_refused("-c", "/0", "division by zero");
    assert_value_refused("-color", "/tmp", "must be always, never or auto");
}

/* The words do not exist as files. */
TEST(an_argument_in_place_of_a_target_is_seen)
{
    static const char *const cases[][2] = {
        {"diagnose d", "diagnose" NONE "did you mean -diagnose?"},
        {"live", "live" NONE "did you mean -live?"},
        {"-J 2 d", "2" NONE VALUE_FIRST},
        {"-q 0.5s d", "0.5s" NONE VALUE_FIRST},
        {"-- 4k", "4k" NONE VALUE_FIRST},
        {"-i 5 ms d", "ms" NONE "write 5ms without a blank"},
        {"-qi 0.5 min d", "min" NONE "write 0.5min without a blank"},
        {"-interval 1/2 s d", "s" NONE "write 1/2s without a blank"},
        {"-o 4 k d", "k" NONE "write 4k without a blank"},
        {"--size 8 KiB d", "KiB" NONE "write 8KiB without a blank"},
        {"-c 3 ms", "ms" MISSING_LINE}, /* no unit of a count */
        {"-i 5ms ms", "ms" MISSING_LINE},
        {"-i 5 page", "page" MISSING_LINE},
        {"d 5 ms", "5" NONE VALUE_FIRST},
        {"-I %T d", "%T" NONE "attach the format to its option: -I%T"},
        {"\342\200\224live d", "\342\200\224live" NONE DASH},
        {"\342\200\223q d", "\342\200\223q" NONE DASH},
        {"10.txt", "10.txt" MISSING_LINE},
        {"2nd", "2nd" MISSING_LINE},
        {"diagnos", "diagnos" MISSING_LINE},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_refused(cases[i][0], formatted("ioping: %s\n", cases[i][1]), 2);
}

TEST(a_file_that_is_named_like_an_option_is_refused)
{
    static const char *const cases[][3] = {
        {"record", "-q", "d"},  {"record", "--quiet", "d"}, {"output", "-json", "d"},
        {"plot", "-c", "10 d"}, {"hdr", "-diagnose", "d"},  {"prometheus", "-h", "d"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *option = cases[i][0], *file = cases[i][1];
        char arguments[64], line[256];
        snprintf(arguments, sizeof(arguments), "-%s %s %s", option, file, cases[i][2]);
        snprintf(line, sizeof(line),
                 "ioping: -%s: needs a file, but %s is an option; to write a file of "
                 "that name, give ./%s\n",
                 option, file, file);
        assert_refused(arguments, line, 1);
    }
}

TEST(a_file_that_is_named_like_standard_output_is_refused)
{
    static const char *const options[] = {"record", "output", "hdr", "prometheus"};
    for (size_t i = 0; i < LENGTH(options); i++) {
        char arguments[64], line[128];
        snprintf(arguments, sizeof(arguments), "-%s - -c 3 d", options[i]);
        snprintf(line, sizeof(line),
                 "ioping: -%s: - is not standard output here; to write a file of that "
                 "name, give ./-\n",
                 options[i]);
        assert_refused(arguments, line, 1);
    }
}

/* The advice works, and a name that is no option is the name of a file. */
TEST(a_file_may_begin_with_a_dash)
{
    static const char *const words[][2] = {{"-record ./-q", "-q"},
                                           {"-record ./-", "-"},
                                           {"-record=-q", "-q"},
                                           {"-record -x", "-x"}};
    for (size_t i = 0; i < LENGTH(words); i++)
        expect(0, "1\n", NULL,
               "ioping -C -c 2 -i 0 -q %s data >report; grep -c . ./%s; rm ./%s report",
               words[i][0], words[i][1], words[i][1]);
}

TEST(targets_that_cannot_be_measured_are_refused)
{
    static const char *const cases[][2] = {
        {"missing", "ioping: missing" MISSING},
        {"d/missing/x", "ioping: d/missing/x" MISSING},
        {"dangling", "ioping: dangling" MISSING},
        {"-W missing", "ioping: missing" MISSING},
        {"-", "ioping: -" MISSING},
        {"data/", "ioping: data/: Not a directory; check the path: a name before a / is "
                  "not a directory\n"},
        {"data/x", "ioping: data/x: Not a directory; check the path: a name before a / "
                   "is not a directory\n"},
        {"fifo",
         "ioping: fifo: unsupported destination; name a directory, file or device\n"},
        {"-WWW fifo",
         "ioping: fifo: unsupported destination; name a directory, file or device\n"},
        {"-S 2m data", "ioping: data: target is too small for this: -o and -S reach "
                       "beyond its 1 MiB; use a smaller -o or -S\n"},
        {"-o 2m data", "ioping: data: target is too small for this: -o and -S reach "
                       "beyond its 1 MiB; use a smaller -o or -S\n"},
        {"-S 1m -o 1 data", "ioping: data: target is too small for this: -o and -S reach "
                            "beyond its 1 MiB; use a smaller -o or -S\n"},
        {"-S 7e -o 7e data", "ioping: data: target is too small for this: -o and -S "
                             "reach beyond its 1 MiB; use a smaller -o or -S\n"},
        {"-s 2m data",
         "ioping: data: request size is too big for this target: the target has 1 MiB, "
         "but a request needs 2 MiB; use a smaller -s, or a larger target\n"},
        {"-s 8k -S 4k data",
         "ioping: data: request size is too big for this target: the working set has 4 "
         "KiB, but a request needs 8 KiB; use a smaller -s or a larger -S\n"},
        {"-o 1m data",
         "ioping: data: request size is too big for this target: the target after -o has "
         "0 B, but a request needs 4 KiB; use a smaller -s or -o\n"},
        {"-s 2m -S 1m d",
         "ioping: d: request size is too big for this target: the working set has 1 MiB, "
         "but a request needs 2 MiB; use a smaller -s or a larger -S\n"},
        {"empty", "ioping: empty: request size is too big for this target: the file is "
                  "empty; name a file that has data, or a directory\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_refused(cases[i][0], cases[i][1], 2);
    expect(2, NULL,
           "ioping: No such file or directory; the name is empty: check the variables in "
           "the command\n",
           "ioping ''");
}

TEST(a_file_is_not_written_without_full_consent)
{
    static const char *const options[] = {"-W",     "-WW", "-W -W", "-G",  "-GW",
                                          "-write", "-WL", "-GC",   "-WRB"};
    for (size_t i = 0; i < LENGTH(options); i++) {
        char arguments[64];
        snprintf(arguments, sizeof(arguments), "-c 3 -i 0 %s data", options[i]);
        bool mixed = strchr(options[i], 'G') != NULL;
        assert_refused(arguments, mixed ? CONSENT_MIXED : CONSENT, 2);
    }
    shell("cmp data same");
}

TEST(a_working_set_beyond_the_free_space_is_not_begun)
{
    expect(
        2, "",
        "~^ioping: d: a working set of 4 PiB does not fit into the [0-9.]+ ([KMGTP]i)?B "
        "that are free; use a smaller -S, or name an existing file in it instead\n$",
        "ioping -S 4p d");
    expect(0, "", NULL, "ls -A d");
}

TEST(a_refusal_leaves_no_kept_file)
{
    expect(-1, "", NULL,
           "ioping -k -S 4p d; ioping -k -s 2m -S 1m d; ls -A d; rm -rf d/ioping.tmp");
}

TEST(direct_io_that_cannot_be_is_refused)
{
    need_native("needs an emulator that tells the alignment of direct I/O");
    need_direct("data");
    static const char *const shapes[] = {"-s 513", "-o 1", "-s 100 -o 100"};
    for (size_t i = 0; i < LENGTH(shapes); i++)
        expect(2, "",
               "~^ioping: data: direct I/O needs a request size and an offset that are "
               "multiples of (512|4096); leave out -D to measure without it\n$",
               "ioping -D -c 1 %s data", shapes[i]);
}

/* The kernel's own answer decides: some versions take direct I/O there. */
TEST(direct_io_on_memory_is_as_the_kernel_has_it)
{
    need("names direct_io");
    struct result result = command("stat -f -c %%T /dev/shm; ls -A /dev/shm >before");
    bool memory = strcmp(result.out, "tmpfs\n") == 0;
    command_free(&result);
    if (!memory)
        skip_because("needs a tmpfs at /dev/shm");
    result = command("head -c 4k data >/dev/shm/ioping.$$ && dd if=/dev/shm/ioping.$$ "
                     "of=/dev/null iflag=direct status=none; s=$?; "
                     "rm /dev/shm/ioping.$$; exit $s");
    bool takes = result.status == 0;
    command_free(&result);
    expect(takes ? 0 : 2, NULL,
           takes ? "ioping: /dev/shm: tmpfs lives in memory: these times say nothing "
                   "about a disk\n"
                 : "ioping: /dev/shm: direct I/O not supported; leave out -D to measure "
                   "it anyway\n",
           "ioping -D -B -c 2 -i 0 /dev/shm");
    result = command_status(0, "ioping %s -J -q -c 2 -i 0 /dev/shm", takes ? "-D" : "");
    assert_contains(result.out, "\"mode\": \"cached\"\n");
    command_free(&result);
}

/* An obstacle named ioping.tmp, its refusal, and a command that shows it unchanged. */
static const struct {
    const char *make, *why, *look;
} planted[] = {
    {"cp data victim; ln -s ../victim p/ioping.tmp", "is a symbolic link",
     "cmp data victim && test -L p/ioping.tmp"},
    {"ln -s ../victim p/ioping.tmp", "is a symbolic link", "test ! -e victim"},
    {"cp data victim; ln victim p/ioping.tmp", "has other names (hard links)",
     "cmp data victim"},
    {"mkdir p/ioping.tmp", "is not a regular file", "rmdir p/ioping.tmp"},
    {"mkfifo p/ioping.tmp", "is not a regular file", "test -p p/ioping.tmp"},
};

TEST(what_stands_in_for_the_kept_file_is_left_alone)
{
    for (size_t i = 0; i < LENGTH(planted); i++) {
        char line[256];
        shell("rm -rf p victim; mkdir p; %s", planted[i].make);
        snprintf(line, sizeof(line), "ioping: p/ioping.tmp: %s" LEAVE, planted[i].why);
        assert_refused("-k -S 2m -W -c 2 -i 0 p", line, 2);
        struct result result = command("%s", planted[i].look);
        if (result.status != 0)
            fail_msg("touched: %s\n%s%s", planted[i].make, result.out, result.err);
        command_free(&result);
    }
}

TEST(a_kept_file_of_another_user_is_left_alone)
{
    need_users();
    shell("mkdir theirs; cp data theirs/ioping.tmp; "
          "chown 65534 theirs/ioping.tmp; chmod 666 theirs/ioping.tmp");
    assert_refused("-k -W -c 2 -i 0 theirs",
                   "ioping: theirs/ioping.tmp: belongs to another user" LEAVE, 2);
    shell("cmp data theirs/ioping.tmp");
}

/* Root may do all, so it becomes somebody else. */
TEST(permissions_that_are_missing_are_named)
{
    static const char *const cases[][2] = {
        {"locked", "ioping: locked: Permission denied; name a file that you may read, or "
                   "run ioping as root\n"},
        {"-WWW read-only", "ioping: read-only: Permission denied; name a file that you "
                           "may write, or run ioping as root\n"},
        {"closed/data", "ioping: closed/data: Permission denied; name a file that you "
                        "may read, or run ioping as root\n"},
        {"closed", "ioping: closed: cannot create a temporary file here: Permission "
                   "denied" ELSEWHERE},
        {"unwritable", "ioping: unwritable: cannot create a temporary file here: "
                       "Permission denied" ELSEWHERE},
        {"-k unwritable", "ioping: unwritable: cannot create a temporary file here: "
                          "Permission denied" ELSEWHERE},
    };
    need_bound();
    shell("cp data locked; chmod 000 locked; cp data read-only; chmod 444 read-only; "
          "mkdir closed unwritable; cp data closed; chmod 000 closed; "
          "chmod 555 unwritable; as_user $IOPING_RUNNER ./copy -v");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result =
            command("as_user $IOPING_RUNNER ./copy -c 1 %s", cases[i][0]);
        if (result.status != 2 || result.out[0] || strcmp(result.err, cases[i][1]) != 0)
            fail_msg("ioping %s: status %d\nstdout: %s\nstderr: %s", cases[i][0],
                     result.status, result.out, result.err);
        command_free(&result);
    }
    expect(
        0, "", NULL,
        "cmp data read-only; chmod -R u+rwX closed unwritable locked;ls -A unwritable");
}

TEST(a_run_without_memory_leaves_no_kept_file)
{
    need_bare("valgrind and sanitizers need more memory than is allowed here");
    expect(
        2, "",
        "~ioping: not enough memory for a request of 209715200 bytes; use a smaller -s\n",
        "mkdir -p lack && ulimit -v 100000 && ioping -k -s 200m -c 1 lack; s=$?; "
        "ls -A lack; rm -rf lack; exit $s");
}
