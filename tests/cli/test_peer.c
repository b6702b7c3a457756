/* Each command line runs with ioping 1.3 and with this program. Times and rates are
 * masked. Everything else must be equal: sizes, counts, verdicts, zeros, and the raw
 * fields 1 and 9. Intended differences are in separate tables, and must occur. */
/* Marks: 15s linux chroot native */
#include "peer.h"
#include "support.h"

struct side {
    int status;
    char *out, *err;
};

struct pair {
    struct result result;
    struct side peer, ours;
};

/* Cuts the text up to the next fence off *AT. */
static char *
cut(char **at)
{
    char *start = *at, *fence = strchr(start, '\001');
    assert_non_null(fence);
    *fence = '\0';
    *at = fence + 1;
    return start;
}

static void
cut_side(struct side *side, char **at)
{
    side->out = cut(at);
    side->status = atoi(cut(at));
    side->err = cut(at);
}

static struct pair
run_both(const char *arguments)
{
    struct pair pair = {.result = command("{ " PEER " %s\n} >.got 2>.err; show $?\n"
                                          "{ " OURS " %s\n} >.got 2>.err; show $?",
                                          arguments, arguments)};
    char *at = pair.result.out;
    cut_side(&pair.peer, &at);
    cut_side(&pair.ours, &at);
    return pair;
}

static void
show(const char *arguments, const struct pair *pair)
{
    const struct side *peer = &pair->peer, *ours = &pair->ours;
    printf("ioping %s\npeer: status %d\n%s%.200s\nours: status %d\n%s%.200s\n", arguments,
           peer->status, peer->out, peer->err, ours->status, ours->out, ours->err);
}

/* Returns true if both end with STATUS and MESSAGE and print the same, a refusal nothing.
 */
static bool
is_same(int status, const char *arguments, const char *message)
{
    struct pair pair = run_both(arguments);
    const struct side *peer = &pair.peer, *ours = &pair.ours;
    bool refused = status == 1 || status == 2;
    bool same = peer->status == status && ours->status == status &&
                strcmp(peer->out, ours->out) == 0 && !(refused && ours->out[0]) &&
                strstr(peer->err, message) && strstr(ours->err, message);
    if (!same)
        show(arguments, &pair);
    command_free(&pair.result);
    return same;
}

/* ROWS end with NULL. All of them are tried. */
static void
assert_same(int status, const char *const rows[])
{
    int different = 0;
    need_peer();
    for (int i = 0; rows[i]; i++)
        different += !is_same(status, rows[i], "");
    assert_int_equal(different, 0);
}

GROUP_SHELL(
    "mkdir d 'sp ace' 'ta\tb' 'qu\"ote' && mkfifo fifo && : >empty && ln -s f link "
    "&& head -c 4194304 /dev/urandom >f && sync f")

TEST(every_way_to_write_options)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-c 10 -i 0 f", "-c10 -i0 f", "--count=10 --interval=0 f",
        "-count=10 -interval=0 f", "-count 10 -interval 0 f", "--count 10 --interval 0 f",
        "-cou 3 -inter 0 f", "-co=3 --int=0 f", "-print-c 5 -c 11 -i 0 f",
        "-work-s 64k -work-o=4k --work-t 1h -c 3 -i 0 f", "-rat 1000 -c 3 f",
        "-rap -c 3 f", "-rea -c 4 -i 0 d", "-ds -c 3 -i 0 f",
        "-min 0 -max 1h -c 3 -i 0 f", "-RLB -c 5 f", "-RL -c 5 f", "-RLC -c 5 f",
        "-qCc 4 -i0 f", "-CqLc4 -i0 f", "-RB f -c 4", "-q -c 20 -i 0 . -C", "f -c 3 -i 0",
        "-c 3 f -i 0", "-c 3 -i 0 -- f", "-c 3 -i 0 f --", "-c 9 -i 1h -c 3 -i 0 f", NULL,
    };
    /* clang-format on */
    assert_same(0, rows);
}

/* The options of -E leave the peer's abbreviations alone. */
TEST(abbreviations_that_begin_another_option)
{
    static const char *const rows[] = {"-i=0 -c 3 f", "--i=0 -c 3 f", "--i 0 -c 3 f",
                                       NULL};
    assert_same(0, rows);
}

/* Their spellings are tried in unit/base/test_units.c. */
TEST(counts)
{
    static const char *const rows[] = {
        "-e 1k -c 3 -i 0 f",      "-e 0 -c 3 -i 0 f", "-c 3 -a 0 -b 0 -p 0 -i 0 f",
        "-c 1.2da -a 1DA -i 0 f", "-r 1M -c 3 f",     NULL};
    assert_same(0, rows);
}

TEST(sizes)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-s 512 -c 2 -i 0 f", "-s 4k -c 2 -i 0 f", "-s 1m -c 2 -i 0 f",
        "-s /1024gib -c 2 -i 0 f", "-s 3sector -c 2 -i 0 f", "-s 1000 -c 2 -i 0 f",
        "-s 1000 -c 2 -i 0 d", "-s 1 -c 2 -i 0 f", "-s 2m -c 2 -i 0 d",
        "-s 4m -c 2 -i 0 f", "-S 64k -o 1page -c 2 -i 0 f", "-S 4m -c 2 -i 0 f",
        "-S 100sector -c 2 -i 0 d", "-S 0 -o 0 -c 2 -i 0 f", "-o 100 -c 2 -i 0 f",
        "-l 1t -c 3 f", NULL,
    };
    /* clang-format on */
    assert_same(0, rows);
}

TEST(summaries_pace_and_verdicts)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-c 1 -i 1h f", "-c 5 -i 0 -a 0 f", "-c 5 -i 0 -a 3 f", "-c 5 -i 0 -a 9 f",
        "-c 9 -i 0 -q f", "-c 3 -i 0 -C f", "-c 3 -i 0 -y d", "-c 3 -i 0 -Y f",
        "-c 3 -i 0 -H /dev/zero", "-c 3 -i 0 -N /dev/zero", "-c 3 -i 0 -e 42 d",
        "-c 3 -i 1ms d", "-c 6 -i 0 -L f", "-c 6 -i 0 -L -s 4k -S 8k f", "-c 3 -i 0 -R d",
        "-c 3 -R -w 1h -p 2 d", "-w 1ns -c 9 -i 0 f", "-w 10ms -i 1h f", "-w 10ms -r 1 f",
        "-w 10ms -l 4k f", "-w 10ms -l 4k -L f", "-w 10ms -l 1 -i 0 f",
        "-w 10ms -r 1000 -i 1 f", "-c 3 -r 1000 -l 40m -i 0 f", "-c 7 -b 3 -i 1ms f",
        "-c 7 -b 3 -i 0 -q f", "-c 6 -b 3 -i 0 -I%T f", "-c 5 -i 0 -t 1h f",
        "-c 5 -i 0 -t 1h -a 0 -q f", "-c 5 -i 0 -t 1ns f", "-c 5 -i 0 -T 1ns f",
        "-c 5 -i 0 -T 1ns -a 0 f", "-c 5 -i 0 -T 1h f", "-c 5 -i 0 -t 1h -T 1ns f",
        "-a 0 -i 1h f & end_asleep INT",
        NULL,
    };
    /* clang-format on */
    assert_same(0, rows);
}

TEST(raw_lines)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-c 10 -i 0 -print-count 1 -quiet f", "-c 5 -i 0 -p 2 f", "-c 5 -i 0 -p 2 -q f",
        "-c 5 -i 0 -p 2 -B f", "-c 5 -i 0 -p 2 -qB f", "-c 5 -i 0 -p 9 -q f",
        "-c 5 -i 0 -p 0 -q f", "-c 5 -i 0 -P 1h f", "-c 5 -i 0 -P 1h -q f",
        "-c 5 -i 0 -P 1h -p 3 -q f", "-c 5 -i 0 -P 0 -q f", "-c 5 -i 0 -B f",
        "-c 5 -i 0 -B -I f", "-c 1 -i 0 -B f", "-c 2 -i 0 -B f", "-c 5 -i 0 -B -T 1ns f",
        "-c 5 -i 0 -p 2 -a 3 -q f", "-c 5 -i 0 -p 1 -t 1h -q f",
        "-c 5 -b 2 -i 0 -p 2 -q f", "-c 4 -p 1 -R f", "-c 4 -i 0 -WB d",
        "-c 4 -i 0 -GB d", NULL,
    };
    /* clang-format on */
    assert_same(0, rows);
}

TEST(json_records)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-J -c 3 -i 0 f", "-J -c 3 -i 0 d", "-J -c 2 -i 0 /dev/zero", "-J -c 1 f",
        "-J -q -c 3 -i 0 f", "-JB -c 3 -i 0 f", "-JqB -c 3 -i 0 f", "-JI -c 3 -i 0 f",
        "-JR -c 3 f", "-J -c 5 -i 0 -p 2 f", "-J -c 5 -i 0 -p 2 -q f",
        "-J -c 5 -i 0 -p 2 -B f", "-J -c 5 -i 0 -P 1h -q f", "-J -c 5 -i 0 -t 1h f",
        "-J -c 5 -i 0 -T 1ns -p 1 f", "-J -c 7 -i 1ms -b 3 f", "-JL -c 3 -i 0 -s 8k f",
        "-JW -c 3 -i 0 d", "-JG -c 4 -i 0 d", "-J -c 2 -i 0 'sp ace'",
        "-J -a 0 -i 1h f & end_asleep INT",
        NULL,
    };
    /* clang-format on */
    need_program("jq");
    assert_same(0, rows);
}

/* A queue of one does all that plain calls do. */
TEST(asynchronous_requests)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-qAc 10 -i 0 f", "-Aqc10 -i 0 f", "-async -c 4 -i 0 f", "--async -c 4 -i 0 f",
        "-as -c 4 -i 0 f", "-AD -c 4 -i 0 f", "-AC -c 4 -i 0 f", "-AW -c 4 -i 0 d",
        "-AG -c 5 -i 0 d", "-AGB -c 4 -i 0 d", "-AL -c 4 -i 0 f", "-RA -c 4 f",
        "-AB -c 4 -i 0 f", "-A -s 512 -c 4 -i 0 f", "-A -s 1m -c 4 -i 0 f",
        "-A -s 1000 -c 4 -i 0 f", "-AWWW -c 4 -i 0 f", "-AWy -c 3 -i 0 d",
        "-A -q -p 2 -c 5 -i 0 f", "-A -b 2 -c 5 -i 1ms f", "-AJ -c 3 -i 0 f",
        "-AJW -c 3 -i 0 d", "-A -T 1ns -c 4 -i 0 f", "-A -a 0 -c 4 -i 0 d", NULL,
    };
    /* clang-format on */
    need_program("jq");
    need_direct("f");
    assert_same(0, rows);
}

TEST(time_stamps)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-I -c 2 -i 0 f", "-time -c 2 -i 0 f", "-I%T -c 2 -i 0 f", "-I%s -c 2 -i 0 f",
        "-I%Y-%m,%% -c 2 -i 0 f", "-time=%Y -c 2 -i 0 f", "-Ixyz -c 2 -i 0 f",
        "-time= -c 2 -i 0 f", "-I%d -I -c 2 -i 0 f", "-I%d -I%m -c 2 -i 0 f",
        "-I=%T -c 2 -i 0 f", "-Iq -c 2 -i 0 f", "-qI -c 2 -i 0 f", "-I -p 1 -c 2 -i 0 f",
        "-I'%Y\n' -c 2 -i 0 f", "-c 2 -i 0 f -I", NULL,
    };
    /* clang-format on */
    assert_same(0, rows);
}

TEST(writes)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-W -c 4 -i 0 d", "-WWW -c 4 -i 0 d", "-WC -c 4 -i 0 d", "-WY -c 4 -i 0 d",
        "-Wy -c 4 -i 0 d", "-WL -c 4 -i 0 d", "-W -s 1000 -c 4 -i 0 d", "-RWL -c 3 d",
        "-G -c 5 -i 0 d", "-GL -c 5 -i 0 d", "-GW -c 5 -i 0 -q d", "-WWW -c 4 -i 0 f",
        "-W -W --write -c 4 -i 0 f", "-WWWW -c 4 -i 0 f", "-GWW -c 5 -i 0 f",
        "-GGG -c 5 -i 0 f", "-WWWk -c 4 -i 0 f", "-WWWC -c 4 -i 0 /dev/zero",
        "-k -c 3 -i 0 d && stat -c '%s %a' d/ioping.tmp",
        "-k -c 3 -i 0 -S 64k d && stat -c '%s %a' d/ioping.tmp",
        "-kW -c 3 -i 0 -S 64k -o 4k d && stat -c %s d/ioping.tmp", NULL,
    };
    /* clang-format on */
    assert_same(0, rows);
}

TEST(targets)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-c 2 -i 0 .", "-c 2 -i 0 d/", "-c 2 -i 0 ./f", "-c 2 -i 0 link",
        "-c 2 -i 0 \"$PWD/link\"", "-c 2 -i 0 \"$PWD/d\"", "-c 2 -i 0 \"$PWD//f\"",
        "-c 2 -i 0 'sp ace'", "-c 2 -i 0 'qu\"ote'", "-c 2 -i 0 d/../f",
        "-c 2 -i 0 /dev/zero", "-c 2 -i 0 /dev/urandom", "-c 2 -i 0 -L /dev/zero",
        "-c 2 -i 0 -o 1m -S 1m /dev/zero", "-c 2 -i 0 -s 8m /dev/zero", NULL,
    };
    /* clang-format on */
    assert_same(0, rows);
}

TEST(direct_io)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-D -c 3 -i 0 f", "-D -c 3 -i 0 d", "-BDL -c 11 -i 0 d", "-dir -c 3 -i 0 -J f",
        "-DC -c 3 -i 0 f", "-DW -c 3 -i 0 d", "-DWWW -c 3 -i 0 f", "-DG -c 4 -i 0 d",
        "-RLD -c 3 -s 1m f", "-DY -c 3 -i 0 f", NULL,
    };
    /* clang-format on */
    need_program("jq");
    need_direct("f");
    assert_same(0, rows);
}

TEST(wrong_usage)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-z f", "--zzz f", "-zzz f", "-c", "f -c", "f --count", "-q1 f", "-quiet=1 f",
        "-print 2 f", "-work 1 f", "-m 1ns f", "-d f", "-ti=%s",
        "-c abc f", "-c 1/0 f", "-i 1ks f", "-s -4k f", "-r inf f", "-i 9999999999999 f",
        "-qzc 3 f", NULL,
    };
    /* clang-format on */
    assert_same(1, rows);
}

TEST(what_cannot_be_prepared)
{
    /* clang-format off */
    static const char *const rows[] = {
        "nope", "nope/x", "f/x", "''", "-re f", "-J nope", "-W f", "-WW f", "-G f",
        "-GW f", "-B -WW f", "-W /dev/zero", "-s 1 -o 4m f", NULL,
    };
    /* clang-format on */
    assert_same(2, rows);
}

TEST(messages_that_scripts_know)
{
    static const struct {
        int status;
        const char *arguments, *message;
    } rows[] = {
        {1, "-q", "ioping: no destination specified"},
        {1, "-c 3 --", "ioping: no destination specified"},
        {2, "-S 5m f", "target is too small for this"},
        {2, "-S 4m -o 1 f", "target is too small for this"},
        {2, "-o 5m f", "target is too small for this"},
        {2, "-s 8m f", "request size is too big for this target"},
        {2, "-s 4m -o 1 f", "request size is too big for this target"},
        {2, "-o 4m f", "request size is too big for this target"},
        {2, "-S 2k f", "request size is too big for this target"},
        {2, "-S 4k -s 8k d", "request size is too big for this target"},
        {2, "empty", "request size is too big for this target"},
        {2, "fifo", "unsupported destination"},
        {2, "nope", "No such file or directory"},
    };
    int different = 0;
    need_peer();
    for (size_t i = 0; i < LENGTH(rows); i++)
        different += !is_same(rows[i].status, rows[i].arguments, rows[i].message);
    assert_int_equal(different, 0);
}

/* A row that differs, and how. */
struct difference {
    const char *reason, *arguments;
    int peer, ours;                    /* exit status */
    const char *only_peer, *only_ours; /* on stdout; both NULL: the same there */
};

static bool
has_only(const char *part, const char *text, const char *other)
{
    return !part || (strstr(text, part) && !strstr(other, part));
}

static bool
is_different(const struct difference *row)
{
    struct pair pair = run_both(row->arguments);
    const struct side *peer = &pair.peer, *ours = &pair.ours;
    bool texts = row->only_peer || row->only_ours;
    bool as_told = peer->status == row->peer && ours->status == row->ours &&
                   texts == (strcmp(peer->out, ours->out) != 0) &&
                   (texts || peer->status != ours->status) &&
                   has_only(row->only_peer, peer->out, ours->out) &&
                   has_only(row->only_ours, ours->out, peer->out);
    if (!as_told) {
        printf("not as told (%s): ", row->reason);
        show(row->arguments, &pair);
    }
    command_free(&pair.result);
    return as_told;
}

static void
assert_different(const struct difference *rows, size_t count)
{
    int wrong = 0;
    need_peer();
    for (size_t i = 0; i < count; i++)
        wrong += !is_different(&rows[i]);
    assert_int_equal(wrong, 0);
}

/* Repeats rows that chance or a late machine can change. */
static void
assert_different_at_last(const struct difference *rows, size_t count)
{
    need_peer();
    for (size_t i = 0; i < count; i++) {
        int tries = 1;
        while (!is_different(&rows[i]) && tries < 5)
            tries++;
        assert_in_range(tries, 1, 4);
    }
}

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define SUMMARY "ioping statistics ---"
#define FAILED_ONCE "\ngenerated 1 requests in #, 0 B, "

TEST(differs_in_help_and_version)
{
    static const struct difference rows[] = {
        {"own help", "-h", 0, 0, "manpage", "man ioping"},
        {"own help", "-h all", 0, 0, "manpage", "-ignore-error"},
        {"own help", "", 1, 1, "manpage", "man ioping"},
        {"own version", "-v", 0, 0, "ioping 1.3", NULL},
        {"-U is new", "-U -c 4 -i 0 -C f", 1, 0, NULL, SUMMARY},
        {"-U is new", "--uring -qc 4 -i 0 -C f", 1, 0, NULL, SUMMARY},
        {"-threads is new", "-threads 2 -qc 4 -i 0 f", 1, 0, NULL, SUMMARY},
        {"-depth is new", "-A -depth 2 -qc 4 -i 0 f", 1, 0, NULL, SUMMARY},
        {"-E is new", "-E -c 4 -i 0 f", 1, 0, NULL, SUMMARY},
        {"-E is new", "--ignore-error -c 4 -i 0 f", 1, 0, NULL, SUMMARY},
    };
    assert_different(rows, COUNT(rows));
}

TEST(differs_in_values_that_mean_nothing)
{
    /* clang-format off */
    static const char *const rows[] = {
        "-s 0", "-l 0", "-r 0", "-s .5", "-l .5", "-S .5", "-o .5", "-a .5", "-b .5",
        "-p .5", "-r /2", "-e abc", "-e -1", "-e '3 '", "-e 1/0", "-a 1e1", "-s 1e3",
        "-i 1e-3", "-a 0x10", "-s 0x1000", "-i 0x1", "-a ' 1'", "-s ' 4k'", "-i ' 1ms'",
        "-a +1", "-s +4k", "-i +1ms", "-a nan", "-l nan", "-i nan", "-t nan", "-w nan",
        "-a ''", "-s ''", "-i ''", "-t ''", "-a k", "-s k", "-i ms", "-s page",
        "-s sector", NULL,
    };
    /* clang-format on */
    int wrong = 0;
    need_peer();
    for (int i = 0; rows[i]; i++) {
        char arguments[128];
        snprintf(arguments, sizeof(arguments), "-c 2 -i 0 -w 9ms %s f", rows[i]);
        struct difference row = {
            "the peer takes it for another value", arguments, 0, 1, SUMMARY, NULL};
        wrong += !is_different(&row);
    }
    assert_int_equal(wrong, 0);
}

TEST(differs_in_the_range_of_values)
{
    static const char whole[] = "counts go to 2^63 - 1", exa[] = "p and e are sizes too",
                      cut[] = "the kernel would cut it short", out[] = "out of range";
    static const struct difference rows[] = {
        {whole, "-c 2147483648 -i 1h -w 1ms f", 1, 0, NULL, SUMMARY},
        {whole, "-a 1e -c 4 -i 0 f", 1, 0, NULL, SUMMARY},
        {whole, "-b 3g -c 4 -i 0 f", 1, 0, NULL, SUMMARY},
        {whole, "-p 1t -c 4 -i 0 f", 1, 0, NULL, SUMMARY},
        {whole, "-r 9223372036854775807 -c 4 f", 1, 0, NULL, SUMMARY},
        {exa, "-l 1p -c 2 f", 1, 0, NULL, SUMMARY},
        {exa, "-l 1e -c 2 f", 1, 0, NULL, SUMMARY},
        {exa, "-S 1p f", 1, 2, NULL, NULL},
        {cut, "-s 2147479553 f", 2, 1, NULL, NULL},
        {cut, "-s 2g f", 2, 1, NULL, NULL},
        {out, "-S nan f", 2, 1, NULL, NULL},
        {out, "-o 9223372036854775808 f", 2, 1, NULL, NULL},
        {out, "-i 9223372036854775808ns -c 1 f", 0, 1, SUMMARY, NULL},
        {"no overflow", "-T 9223372036854775807ns -c 2 -i 0 f", 0, 0, "too slow", NULL},
        {"no overflow", "-w 9223372036854775807ns -c 2 -i 0 f", 0, 0, NULL, "request=2"},
    };
    assert_different(rows, COUNT(rows));
}

TEST(differs_in_failures)
{
    static const char shown[] = "a failure ends with the statistics so far",
                      lost[] = "a short read is a failure",
                      output[] = "lost output is an error";
    static const struct difference rows[] = {
        {shown, "-WWWC -c 3 -i 0 /dev/full", 3, 3, NULL, "(ENOSPC)\n\n---"},
        {shown, "-WWWC -c 3 -i 0 -q /dev/full", 3, 3, NULL, FAILED_ONCE},
        {shown, "-WWWC -c 3 -i 0 -B /dev/full", 3, 3, NULL, "0 0 0 0 0 0 0 0 1 #\n"},
        {shown, "-WWWC -c 3 -J /dev/full", 3, 3, "invalid JSON",
         "\"load\":{\"count\":1,"},
        {shown, "-WWW -c 3 -i 0 /dev/zero", 3, 3, NULL, "(EINVAL)\n\n---"},
        {lost, "-c 2 -i 0 /dev/null", 0, 3, "request=2", "(short)"},
        {lost, "-c 2 -i 0 -q /dev/null", 0, 3, "\ngenerated 0 requests", FAILED_ONCE},
        {lost, "-c 2 -i 0 -J /dev/null", 0, 3, "\"request\":2", "\"load\":{\"count\":1,"},
        {lost, "-c 2 -i 0 -B /dev/null", 0, 3, "0 0 0 0 0 0 0 0 0 #\n",
         "0 0 0 0 0 0 0 0 1 #\n"},
        {lost, "-GWWC -c 3 -i 0 /dev/null", 0, 3, "request=3",
         "request=2 time=# (short)"},
        {output, "-c 2 -i 0 f >/dev/full", 0, 3, NULL, NULL},
        {output, "-c 2 -i 0 -J f >/dev/full", 0, 3, NULL, NULL},
        {output, "-c 2 -i 0 f >&-", 0, 3, NULL, NULL},
    };
    need_program("jq");
    assert_different(rows, COUNT(rows));
}

TEST(differs_in_signals)
{
    static const char goes_on[] = "interim statistics",
                      ends[] = "ends with the summary, and then by the signal";
    static const struct difference rows[] = {
        {ends, "-i 1h f & end_printed TERM", 143, 143, NULL, SUMMARY},
        {ends, "-i 1h f & end_printed HUP", 129, 129, NULL, SUMMARY},
        {goes_on, "-c 2 -i 2s f & end_printed USR1", 138, 0, NULL,
         "\ngenerated 2 requests"},
    };
    assert_different_at_last(rows, COUNT(rows));
}

TEST(differs_in_paths_with_odd_characters)
{
    static const struct difference rows[] = {
        {"no terminal injection", "-c 1 'ta\tb'", 0, 0, "ta\tb (", "ta\\011b ("},
        {"JSON is valid", "-c 1 -J 'ta\tb'", 0, 0, "invalid JSON", "\"ta\\tb\""},
        {"JSON is valid", "-c 1 -J 'qu\"ote'", 0, 0, "invalid JSON", "\"qu\\\"ote\""},
    };
    need_program("jq");
    assert_different(rows, COUNT(rows));
}

TEST(differs_in_pace)
{
    static const char limit[] = "the limit holds for whole bursts",
                      grid[] = "periods have a grid of their own";
    static const struct difference rows[] = {
        {limit, "-r 25 -b 250 -w 9s -c 500 -a 0 -B /dev/zero", 0, 0, NULL,
         "250 # # # # # # # 250 #"},
        {limit, "-l 100k -b 250 -w 9s -c 500 -a 0 -B /dev/zero", 0, 0, NULL,
         "250 # # # # # # # 250 #"},
        {grid, "-P 20ms -i 1s -c 2 -q /dev/zero", 0, 0, NULL, "0 0 0 0 0 0 0 0 0 #"},
    };
    assert_different(rows, COUNT(rows));
}

TEST(differs_where_direct_is_the_default)
{
    static const char nowait[] = "-N asks a device, not the page cache",
                      before[] = "refused before the run";
    static const struct difference rows[] = {
        {nowait, "-NW -c 3 -i 0 d", 3, 0, NULL, "generated 3 requests in #, "},
        {before, "-D -s 1000 -c 3 -i 0 f", 3, 2, NULL, NULL},
        {before, "-D -o 100 -c 3 -i 0 f", 3, 2, NULL, NULL},
    };
    need_direct("f");
    assert_different(rows, COUNT(rows));
}

/*
 * A buffered read that must not wait begins to read its page before it fails, and
 * succeeds if the device has ended that when the kernel looks again: one of 2000. So
 * what is not as told is tried again.
 */
TEST(differs_where_reads_must_not_wait)
{
    static const char nowait[] = "-N asks a device, not the page cache",
                      failed[] = "what failed was generated too";
    static const struct difference rows[] = {
        {nowait, "-N -c 1 f", 0, 0, "\ngenerated 0 requests", NULL},
        {nowait, "-N -c 1 -B d", 0, 0, "0 0 0 0 0 0 0 0 0 #\n", NULL},
        {failed, "-N -s 1000 -c 1 d", 0, 0, NULL, FAILED_ONCE},
    };
    need_direct("f");
    assert_different_at_last(rows, COUNT(rows));
}

TEST(tmpfs_is_the_same)
{
    struct result result = command("stat -f -c %%T /dev/shm");
    bool memory = strcmp(result.out, "tmpfs\n") == 0;
    command_free(&result);
    if (!memory)
        skip_because("needs tmpfs on /dev/shm");
    assert_same(0, (const char *const[]){"-c 2 -i 0 /dev/shm", "-CW -c 2 -i 0 /dev/shm",
                                         "-D -c 2 -i 0 /dev/shm", NULL});
}

TEST(differs_in_seven_keys_of_json)
{
    need_peer();
    need_program("jq");
    expect(0,
           "\nio.notice\nio.offset\nload.failed\nload.missed\nstat.percentiles\nstat."
           "percentiles.50\ntarget.mode\n",
           NULL,
           PEER " -J -c 2 -i 0 f | keys >.peer; " OURS " -J -c 2 -i 0 f | keys >.ours; "
                "comm -23 .peer .ours; echo; comm -13 .peer .ours");
}
