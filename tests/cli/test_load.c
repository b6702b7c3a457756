/* Runs with a load (-load): their three phases, and what the load does, by the log of
 * the server. */
/* Marks: 45s native */
#include "support.h"

#define WORDS                                                                      \
    "unknown word; use size=, depth=, threads=, rate=, speed=, random, linear or " \
    "path=\n"
#define WWW "writing would destroy its data; give -WWW if that is what you want\n"

/* Mounts NAME with a file of 1 MiB. */
static void
serve_as(const char *name, const char *options)
{
    shell("mkdir -p %s.files && cp data %s.files/f", name, name);
    mount_fuse(name, "uncached,log=%s/log,%s", scratch(), options);
}

static int
unserve(void **state)
{
    (void)state;
    expect(-1, NULL, NULL, "umount fs 2>/dev/null; rm -rf fs fs.files");
    return 0;
}

GROUP_SETUP(make_files)
FIXTURE(make_folder, unserve)

/* Eight of the load and one request are in line for one place: each waits for nine. */
TEST(a_line_of_nine)
{
    static const char *const ways[] = {"depth=8", "threads=8", "threads=2,depth=4"};
    need_direct("data");
    serve_as("fs", "slots=1,delay_us=20000");
    for (size_t i = 0; i < LENGTH(ways); i++)
        expect(0,
               "nine true\nmeasured true\nrecovered true\ncount true\nown true\nbytes "
               "true\nwaits true\nread 8192 8\n",
               NULL, "a_line_of_nine %s", ways[i]);
}

TEST(a_rate_is_kept)
{
    static const char *const ways[] = {"rate=50", "rate=50,threads=2", "speed=400k"};
    serve_as("fs", "delay_us=1000");
    for (size_t i = 0; i < LENGTH(ways); i++)
        expect(0, "1 1\ntrue\n", NULL, "a_rate_is_kept %s", ways[i]);
}

TEST(the_load_is_there_in_its_phase_alone)
{
    serve_as("fs", "delay_us=2000");
    expect(0, "60 1 1 1 1\n", NULL, "the_load_is_there_in_its_phase_alone");
}

static const struct expected runs[] = {
    {"nothing_of_a_user_is_changed", "direct", 0, "~^(idle loaded recovered ){6}$", NULL,
     "nothing_of_a_user_is_changed '-load write,rate=100 d' '-load "
     "rw,rate=100,size=1m,depth=4 d' '-W -load write,rate=100 d' '-load "
     "write,rate=100,path=d data' '-load read,rate=100,path=data d' '-load "
     "read,rate=100 data'"},
    {"a_file_is_written_with_consent", "direct", 0, "0\nchanged\n"},
    {"no_limit_is_said", "direct", 0, NULL, "", "ioping -q -B -c 2 -i 1ms -load read d"},
    {"records_have_their_phase", "direct jq", 0,
     "[\"idle\",\"idle\",\"idle\",\"idle\",\"idle\",\"under load\",\"under load\","
     "\"under load\",\"under load\",\"under "
     "load\",\"recovered\",\"recovered\",\"recovered\",\"recovered\","
     "\"recovered\"]\n[1,2,3,4,5,6,7,8,9,10,11,12]\n[[\"idle\",3,4,false],[\"under "
     "load\","
     "4,4,true],[\"recovered\",4,4,false]]\n[\"rw\",true,8192,1,2]\n"},
    {"metrics_have_the_phase", "", 0,
     "phase=\"idle\" 5\nphase=\"loaded\" 5\nphase=\"recovered\" "
     "5\nphase=\"recovered\" 0\n"},
};

EXPECT_EACH(runs)

TEST(what_cannot_be_is_refused)
{
    static const struct {
        const char *arguments, *line;
        int status;
    } cases[] = {
        {"-load write d", "-load: each phase needs an end; give -c or -w\n", 1},
        {"-c 3 -load write d data",
         "-load: works with one target only; load another one with path=\n", 1},
        {"-c 3 -load write -sweep size d",
         "-sweep and -load cannot be combined: each is a run of its own; choose one of "
         "them\n",
         1},
        {"-c 3 -load write -k d",
         "-k and -load cannot be combined: the load would use the same file "
         "ioping.tmp; leave out -k\n",
         1},
        {"-c 3 -load '' d", "-load '': '': the first word must be read, write or rw\n",
         1},
        {"-c 3 -load w d", "-load 'w': w: the first word must be read, write or rw\n", 1},
        {"-c 3 -load read,deep=3 d", "-load 'read,deep=3': deep=3: " WORDS, 1},
        {"-c 3 -load read,depth d", "-load 'read,depth': depth: " WORDS, 1},
        {"-c 3 -load read, d", "-load 'read,': '': " WORDS, 1},
        {"-c 3 -load read,depth=2,depth=2 d",
         "-load 'read,depth=2,depth=2': depth=2: given twice\n", 1},
        {"-c 3 -slo idle-p50=1ms d",
         "-slo: idle-p50 needs -load; add it, or leave out the prefix to measure the "
         "whole "
         "run\n",
         1},
        {"-c 3 -load write,rate=1 data", "load: data: " WWW, 2},
        {"-c 3 -load rw,rate=1,path=data d", "load: data: " WWW, 2},
        {"-c 3 -WW -load write,rate=1,path=data d", "load: data: " WWW, 2},
        {"-c 3 -load read,rate=1,size=2m data",
         "load: data: request size is too big for this target: the target has 1 MiB, but "
         "a request needs 2 MiB; use a smaller -s, or a larger target\n",
         2},
        {"-c 3 -load read,rate=1,path=missing d",
         "load: missing: No such file or directory; name a directory, file or device "
         "that exists\n",
         2},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(cases[i].status, "", formatted("ioping: %s", cases[i].line), "ioping %s",
               cases[i].arguments);
}

TEST(its_own_file_has_to_fit)
{
    mount_image("ext4", 16, "little");
    expect(2, NULL,
           "~^ioping: load: little: a working set of 64 MiB does not fit into the "
           "[0-9.]+ MiB that are free; name an existing file in it with path=\n$",
           "ioping -c 3 -load read,rate=1 little");
}

/* Requests are direct, and the load cannot be. */
TEST(what_the_load_cannot_do_is_said)
{
    need_direct("data");
    expect(0, NULL,
           "~^ioping: load: data: direct I/O needs a request size and an offset that are "
           "multiples of [0-9]+: evicting the page cache before each request instead\n$",
           "ioping -q -B -c 2 -i 1ms -load read,rate=100,size=1000 data");
    expect(0, NULL, "~^ioping: data: direct I/O needs [^\n]*instead\n$",
           "ioping -q -B -c 2 -i 1ms -s 1000 -load read,rate=100,size=1000 data");
}

TEST(the_table_has_a_row_for_each_phase)
{
    need_direct("data");
    struct result result = command_status(
        0, "ioping -q -c 101 -i 1ms -load write,size=8k,threads=2,rate=100 d");
    char *shown = masked(strchr(result.out + 1, '\n'));
    for (char *at = shown; *at; at++)
        while (at[0] == ' ' && at[1] == ' ')
            memmove(at, at + 1, strlen(at));
    assert_string_equal(
        shown, "\nphase requests p# p# max p# vs idle load bandwidth\nidle # # # # #x -\n"
               "under load # # # # #x #/s\nrecovered # # # # #x -\n");
    free(shown);
    command_free(&result);
}

TEST(limits_are_those_of_a_phase)
{
    need_direct("data");
    expect(
        5, NULL,
        "~^ioping: idle max < 0 ns: FAIL \\([0-9.]+ [num]?s\\)\nioping: under load p50 < "
        "0 ns: FAIL \\([0-9.]+ [num]?s\\)\n$",
        "ioping -q -c 10 -i 0 -slo idle-max=0 -slo loaded-p50=0 -slo recovered-avg=1h "
        "-slo max=1h -load read,rate=100 d");
    expect(5, NULL,
           "~^ioping: under load write-p50 < 0 ns: FAIL \\([0-9.]+ [num]?s\\)\n$",
           "ioping -q -G -c 10 -i 0 -slo idle-read-max=1h -slo loaded-write-p50=0 -slo "
           "recovered-sync-p50=1h -load read,rate=100 d");
}

TEST(a_signal_ends_all_phases)
{
    need("jq direct");
    expect(0, "idle ", NULL, "an_end_in_a_phase 'idle ' idle INT");
    expect(0, "idle under load ", NULL,
           "an_end_in_a_phase 'idle under load ' 'under load' INT");
    expect(143, "idle under load recovered ", NULL,
           "an_end_in_a_phase 'idle under load recovered ' recovered TERM");
}

/* So early that the load comes to it in its phase on a busy machine, too. */
TEST(a_failure_of_the_load_ends_all)
{
    need_direct("data");
    serve_as("bad", "fail_every=20");
    expect(3,
           "~^idle loaded ioping: load: request [0-9]+ failed: EIO \\(Input/output "
           "error\\)\n$",
           NULL, "a_failure_of_the_load_ends_all -w 300ms");
    expect(3,
           "~^idle loaded recovered ioping: load: request [0-9]+ "
           "failed: EIO \\(Input/output error\\)\n",
           NULL, "a_failure_of_the_load_ends_all -w 300ms -E");
    expect(-1, NULL, NULL, "umount bad; rm -rf bad bad.files");
}

TEST(a_load_that_hangs_is_left)
{
    need_direct("data");
    need_bare("what hangs in the kernel is not valgrind's");
    char options[512];
    snprintf(options, sizeof(options), "hang_after=20,hang_file=%.400s/hang", scratch());
    serve_as("stuck", options);
    expect(3,
           "~^idle loaded (ioping: load: request [0-9]+ has had no answer for "
           "#\n)+ioping: load: 1 request still waiting after #\n$",
           NULL, "a_load_that_hangs_is_left");
    expect(-1, NULL, NULL, "umount -l stuck; rm -rf stuck stuck.files");
}
