/* Scripts for ioping 1.3 count lines and look for their first words. The same command
 * lines run with both programs, into a pipe, into a file and on a terminal. This
 * program may print additional lines only on a terminal. */
/* Marks: 35s linux native */
#include "peer.h"
#include "support.h"
#include "terminal.h"

enum way { INTO_PIPE, INTO_FILE, ON_TERMINAL };

static const char *const ways[] = {"a pipe", "a file", "a terminal"};

static struct terminal terminal;

/* Leaves the output in file .got. */
static void
show(const char *program, const char *script, const char *arguments)
{
    terminal_start(&terminal, 200, "export IOPING_SCRIPT='%s'; %s %s 2>e", script,
                   program, arguments);
    terminal_end(&terminal, 0);
    char path[2048];
    snprintf(path, sizeof(path), "%s/.got", scratch());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(terminal.bytes, 1, terminal.size, file), terminal.size);
    fclose(file);
    terminal_free(&terminal);
}

/* The first word of each line that PROGRAM prints with the faults of SCRIPT; without
 * what a terminal gets of ours alone. */
static struct result
first_words(const char *program, enum way way, const char *script, const char *arguments)
{
    if (way == ON_TERMINAL)
        show(program, script, arguments);
    return command("export IOPING_SCRIPT='%s'; %s %s %s\nleave_out_added .got >.both\n"
                   "cmp -s .got .both || echo more >&2; first_words %s",
                   script, way == ON_TERMINAL ? ":" : program, arguments,
                   way == INTO_PIPE   ? "2>e | cat >.got"
                   : way == INTO_FILE ? ">.got 2>e"
                                      : "",
                   way == ON_TERMINAL ? ".both" : ".got");
}

/* MORE: whether ours has something to add on a terminal. */
static bool
is_same(enum way way, const char *script, const char *arguments, bool more)
{
    const char *preload = script[0] ? "LD_PRELOAD=\"$IOPING_FAULTS\" " : "";
    char peer_program[256], our_program[256];
    snprintf(peer_program, sizeof(peer_program), "%s" PEER, preload);
    snprintf(our_program, sizeof(our_program), "%s" OURS, preload);
    struct result peer = first_words(peer_program, way, script, arguments);
    struct result ours = first_words(our_program, way, script, arguments);
    bool added = strcmp(ours.err, "more\n") == 0;
    bool same = strcmp(peer.out, ours.out) == 0 && peer.out[0] && peer.err[0] == '\0' &&
                added == (more && way == ON_TERMINAL);
    if (!same)
        printf("%s ioping %s into %s:\npeer:\n%s%sours:\n%s%s", script, arguments,
               ways[way], peer.out, peer.err, ours.out, ours.err);
    command_free(&peer);
    command_free(&ours);
    return same;
}

/* Rows end with NULL: a script of faults and arguments, in turn. All are tried, and
 * again if they differ: a busy machine makes too few requests for what is added. */
static void
assert_same(const char *const rows[][2], bool more)
{
    int different = 0;
    need_peer();
    for (; (*rows)[1]; rows++)
        for (enum way way = INTO_PIPE; way <= ON_TERMINAL; way++) {
            int tries = 1;
            while (tries <= 5 && !is_same(way, (*rows)[0], (*rows)[1], more))
                tries++;
            different += tries > 5;
        }
    assert_int_equal(different, 0);
}

GROUP_SHELL("mkdir d && head -c 4194304 /dev/urandom >f && sync f")

TEST(a_few_requests)
{
    static const char *const rows[][2] = {
        {"", "-c 9 -i 0 f"},
        {"", "-c 10 -i 0 f"},
        {"", "-c 10 -i 0 -q f"},
        {"", "-c 9 -b 3 -r 1k f"},
        {"", "-c 10 -i 0 -W d"},
        {"", "-c 9 -i 0 -I f"},
        {"", "-c 9 -i 0 -p 4 f"},
        {"", "-c 9 -i 0 -p 4 -q f"},
        {"", "-c 200 -i 0 -B f"},
        {"", "-c 30 -i 0 -T 1ns f"},
        {"", "-c 30 -i 0 -t 1h f"},
        {"", "-c 30 -i 0 -a 2 -t 1h -T 1ns -q f"},
        {NULL, NULL},
    };
    assert_same(rows, false);
}

TEST(many_requests)
{
    static const char *const rows[][2] = {
        {"", "-c 11 -i 0 f"},          {"", "-c 200 -i 0 f"},
        {"", "-c 200 -i 0 -q f"},      {"", "-c 2000 -i 0 f"},
        {"", "-c 200 -i 0 -WY d"},     {"", "-c 200 -i 0 -W d"},
        {"", "-c 200 -i 0 -q -G d"},   {"", "-c 200 -i 0 -p 50 f"},
        {"", "-c 200 -b 50 -i 1ms f"}, {NULL, NULL},
    };
    assert_same(rows, true);
}

TEST(rapid_runs)
{
    static const char *const rows[][2] = {
        {"", "-R -w 0.2 d"},   {"", "-RL -w 0.2 d"}, {"", "-RC -w 0.2 d"},
        {"", "-RWL -w 0.2 d"}, {"", "-RG -w 0.2 d"}, {"", "-RLCW -w 0.2 d"},
        {NULL, NULL},
    };
    assert_same(rows, true);
}

TEST(rapid_runs_of_direct_requests)
{
    static const char *const rows[][2] = {
        {"", "-DR -w 0.2 d"},     {"", "-DRL -w 0.2 d"},
        {"", "-RAL -w 0.2 d"},    {"", "-RWAL -w 0.2 d"},
        {"", "-c 200 -i 0 -A f"}, {"", "-c 200 -i 0 -AW d"},
        {"", "-DRLC -w 0.2 .f"},  {NULL, NULL},
    };
    need_aio();
    need_direct("f");
    shell("cp f .f && sync .f");
    assert_same(rows, true);
}

/* So long that points of the grid pass, which only ours counts. */
TEST(stalls_in_the_middle)
{
    static const char *const rows[][2] = {
        {"pread:9:150ms", "-c 12 -i 10ms f"},
        {"pread:9:150ms", "-c 12 -i 10ms -q f"},
        {"pread:9:150ms,pread:99:50ms", "-c 200 -i 1ms -q f"},
        {"pread:40:150ms", "-c 50 -i 1ms -T 100ms -q f"},
        {"pread:9:150ms", "-w 300ms -i 10ms -q f"},
        {"fdatasync:30:150ms", "-c 60 -i 1ms -q -W d"},
        {NULL, NULL},
    };
    need_faults();
    assert_same(rows, true);
}

/* With which both go on. */
TEST(requests_that_would_have_waited)
{
    static const char *const rows[][2] = {
        {"pread:9-12:11", "-N -c 30 -i 0 /dev/zero"},
        {"pread:9-12:11", "-N -c 30 -i 0 -q /dev/zero"},
        {"pread:1-:11", "-N -c 30 -i 0 -q /dev/zero"},
        {NULL, NULL},
    };
    need_faults();
    assert_same(rows, true);
}
