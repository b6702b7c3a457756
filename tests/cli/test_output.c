/* -output writes to a file what would go to standard output, while people read the
 * screen. A failure of one of them does not harm the other, and the file must not be a
 * file that the run reads. */
/* Marks: posix */
#include "support.h"
#include "terminal.h"

/* The text of a run, without the numbers. */
static char *
told(const char *options)
{
    struct result result =
        command_status(0, "ioping -hang 0 -C -c 5 -i 0 %s 2>e", options);
    char *text = masked(result.out);
    command_free(&result);
    return text;
}

static char *
read_masked(const char *name)
{
    struct result result = command_status(0, "cat %s", name);
    char *text = masked(result.out);
    command_free(&result);
    return text;
}

GROUP_SETUP(make_files)
FIXTURE(make_folder, NULL)

/* The file is what -compare reads, and the screen what people read. */
TEST(a_record_can_be_compared)
{
    expect(0, "~^\n--- data .*\n9 requests completed in .*\nmin/avg/max/mdev = .*\n$", "",
           "ioping -C -i 0 -c 10 -record runs data");
    expect(0, "9\n", "", "grep -cE '^1 [0-9]+ ([0-9]+ ?){8}$' runs");
    expect(0, "~^--- comparison with runs ---\n", "", "ioping -compare runs runs");
    expect(1, "", "ioping: -record: data is also a target; name another file\n",
           "ioping -c 1 -record data data");
}

TEST(the_file_has_what_standard_output_would_have_and_that_what_people_read)
{
    static const struct {
        const char *options, *shown; /* the options that count on the screen */
    } cases[] = {
        {"data", "data"},
        {"-q data", "-q data"},
        {"-J data", "data"},
        {"-JJ data", "data"},
        {"-J -q data", "-q data"},
        {"-J -B data", "-q data"},
        {"-B data", "-q data"},
        {"-q -p 1 data", "-q data"},
        {"-p 2 data", "data"},
        {"-J -p 2 data", "data"},
        {"-JJ -I%T -a 0 data", "-I%T -a 0 data"},
        {"-b 2 -percentiles 50 data", "-b 2 -percentiles 50 data"},
        {"-color always -E data", "-color always data"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char options[128];
        snprintf(options, sizeof(options), "%s -output x", cases[i].options);
        char *screen = told(options), *file = read_masked("x");
        char *alone = told(cases[i].options), *shown = told(cases[i].shown);
        if (strcmp(file, alone) != 0 || strcmp(screen, shown) != 0)
            fail_msg("%s: in the file:\n%s\nnot:\n%s\non the screen:\n%s\nnot:\n%s",
                     options, file, alone, screen, shown);
        free(screen);
        free(file);
        free(alone);
        free(shown);
    }
}

static const struct expected runs[] = {
    /* The comparison is for people alone. */
    {"several_targets_are_in_both", "", 0,
     "~^ 4 copy\n 4 data\n--- data \ngenerated \nmin\n--- copy \ngenerated \nmin\n--- "
     "comparison[- ]*\ntarget +requests +p\n(data|copy) +\n(data|copy) +\n$",
     NULL,
     "ioping -hang 0 -C -q -p 1 -c 5 -i 0 -output x data copy >o 2>e; "
     "cut -d' ' -f11 x | sort | uniq -c | tr -s ' '; grep -o '^[-a-z ]*' o"},
    {"a_sweep_has_its_steps_in_both", "", 0, "4096\n8192\n16384\n4 KiB\n8 KiB\n16 KiB\n"},
    /* A file that is standard output by another name. */
    {"the_screen_can_be_the_file", "", 0, "2\n1\n2\n", NULL,
     "echo before >o; ioping -hang 0 -C -B -c 3 -i 0 -output /dev/stdout data >>o "
     "2>e; ioping -hang 0 -C -B -c 3 -i 0 -output o data >>o 2>e; grep -cE '^2( "
     "[0-9]+){7} 3 [0-9]+$' o; grep -c ^before o; grep -c ^min/ o"},
    {"a_fifo_has_its_end", "jq", 0, "3\n4\n", NULL,
     "rm -f p; mkfifo p; jq -c length <p >n & ioping -hang 0 -C -J -c 3 -i 0 "
     "-output p data | grep -c request=; wait; cat n"},
    {"a_full_screen_leaves_the_file_whole", "jq", 3, "true\n",
     "ioping: standard output: No space left on device\n",
     "ioping -hang 0 -C -J -c 3 -i 0 -output x data >/dev/full; s=$?; jq -c "
     "'.[-1].load | keys | length > 5' x; exit $s"},
    {"a_screen_without_reader_leaves_the_file_whole", "jq", 0, "4 KiB\ntrue\n3\n",
     "ioping: standard output: Broken pipe\n",
     "{ ioping -hang 0 -C -J -i 10ms -output x data; echo $? >s; } | head -n 1 | "
     "cut -c1-5; jq -c '.[-1].load | keys | length > 5' x; cat s"},
    {"both_failures_are_told", "", 3, NULL,
     "ioping: /dev/full: No space left on device\nioping: standard output: No "
     "space left on device\n",
     "ioping -hang 0 -C -q -c 3 -i 0 -output /dev/full data >/dev/full"},
    {"a_disk_is_refused_unharmed", "loops", 2, "same\n",
     "~^ioping: /dev/loop[0-9]+: output would destroy the data of this device; "
     "name a file\n$"},
    {"a_second_interrupt_closes_the_file", "faults jq", 4, "[2,2]\n2\n0\n"},
    /* The file has as many records as requests were told of, and the run ends with it. */
    {"a_request_that_fails_is_in_both", "faults jq", 3, "[\"warmup\",\"EIO\"]\n1\n", NULL,
     "faulty pread:3:5 -J -C -c 9 -i 0 -output x data >o; s=$?; jq -c '[.[] | "
     ".io.notice // empty]' x; grep -c '(EIO)' o; exit $s"},
    {"phases_are_in_both", "jq", 0,
     "[\"idle\",3]\n[\"under load\",3]\n[\"recovered\",3]\n"
     "\n--- data (\nphase     \nidle      \nunder load\n"
     "recovered \n",
     NULL,
     "ioping -hang 0 -C -JJ -q -a 0 -c 3 -i 0 -load read -output x "
     "data >o 2>e; jq -c '[.phase, .load.count]' x; cut -c1-10 o"},
    {"the_file_is_made_and_emptied_as_by_the_shell", "", 0,
     "640\n600\n1 1 1 data\nx\n1 1 1 data\n"},
};

EXPECT_EACH(runs)

TEST(a_terminal_shows_what_people_read_there)
{
    static struct terminal terminal;
    terminal_start(&terminal, 200,
                   "ioping -hang 0 -C -color auto -c 20 -i 0 -output x data");
    terminal_end(&terminal, 0);
    assert_contains(terminal.bytes, "p50/p90 = ");
    terminal_free(&terminal);
    expect(0, "~^--- [^\n]*\n[^\n]*\ngenerated [^\n]*\nmin/[^\n]*\n$", NULL,
           "tail -n 4 x");
}

/* Returns the longest line from that with HEAD on. */
static size_t
widest(const char *text, const char *head)
{
    const char *at = strstr(text, head);
    size_t most = 0;
    assert_non_null(at);
    while (at > text && at[-1] != '\n')
        at--;
    for (; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0')) {
        size_t length = strcspn(at, "\r\n");
        most = length > most ? length : most;
    }
    return most;
}

/* And is whole in a pipe. */
TEST(a_table_fits_the_terminal)
{
    static const char *const cases[][2] = {
        {"-c 300 -i 0 data copy", " change "},
        {"-c 20 -i 1ms -load write,size=64k,depth=2,threads=2 d", " p99 vs idle"},
        {"-sweep threads=1..2 -w 9ms -percentiles 50,90,99 data", " bandwidth"}};
    static struct terminal terminal;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        terminal_start(&terminal, 80, "ioping -hang 0 -C -q %s 2>/dev/null", cases[i][0]);
        terminal_end(&terminal, 0);
        assert_in_range(widest(terminal.bytes, cases[i][1]), 40, 80);
        terminal_free(&terminal);
        struct result result = command_status(0, "ioping -hang 0 -C -q %s", cases[i][0]);
        assert_in_range(widest(result.out, cases[i][1]), 81, 200);
        command_free(&result);
    }
}

TEST(a_quiet_run_has_its_status_line)
{
    static struct terminal terminal;
    terminal_start(
        &terminal, 200,
        "exec $IOPING_RUNNER \"$IOPING\" -hang 0 -C -B -p 1 -i 100ms -output x data");
    terminal_wait(&terminal, " requests  p50 ");
    terminal_signal(&terminal, SIGINT);
    terminal_end(&terminal, 0);
    assert_contains(terminal.bytes, " iops");
    assert_contains(terminal.bytes, "\r\033[K");
    terminal_free(&terminal);
}

TEST(a_full_file_leaves_the_screen_its_summary)
{
    static const char *const options[] = {"", "-q", "-B", "-J", "-JJ", "-Jq", "-p 1"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(3, "~\n--- data [^\n]*\n[^\n]*\ngenerated [^\n]*\nmin/[^\n]*\n$",
               "ioping: /dev/full: No space left on device\n",
               "ioping -hang 0 -C -c 3 -i 0 %s -output /dev/full data", options[i]);
}

TEST(a_file_that_cannot_be_opened_ends_it_before_a_request)
{
    static const struct variant cases[] = {
        {"''", 1, "", "ioping: -output '': the name of the file is empty\n"},
        {"missing/x", 2, "",
         "ioping: missing/x: No such file or directory; make its directory first\n"},
        {"/proc/x", 2, "",
         "ioping: /proc/x: No such file or directory; name another file\n"},
        {"d", 2, "", "ioping: d: Is a directory; name a file in it\n"},
        {"copy/x", 2, "",
         "ioping: copy/x: Not a directory; check the path: a name before a / is not a "
         "directory\n"},
    };
    expect_variants(cases, LENGTH(cases), "ioping -c 3 -i 0 -output %s data");
}

/* Nor does a run that cannot begin empty it. */
TEST(a_file_that_is_another_of_the_run_is_refused_unharmed)
{
    static const char other[] = "; name another file for -output\n";
    static const struct {
        const char *arguments, *line;
        int status;
    } cases[] = {
        {"-output t t", "ioping: -output: t is also a target; name another file\n", 1},
        {"-output t data t", "ioping: -output: t is also a target; name another file\n",
         1},
        {"-output t -q -c 1 -load read,rate=9,path=t data",
         "ioping: -output: t is also a target; name another file\n", 1},
        {"-output t.svg -plot t.svg data",
         "ioping: -output: t.svg is also the file of -plot; name another file\n", 1},
        {"-output ./t t", "ioping: ./t: is also a target", 2},
        {"-output t data link", "ioping: t: is also a target", 2},
        {"-output link t", "ioping: link: is also a target", 2},
        {"-output hard -WWW t", "ioping: hard: is also a target", 2},
        {"-output hard -q -c 1 -load read,rate=9,path=t data",
         "ioping: hard: is also a target", 2},
        {"-output k/ioping.tmp -k k", "ioping: k/ioping.tmp: is also a target", 2},
        {"-output ./ioping.tmp -k .", "ioping: ./ioping.tmp: is also a target", 2},
        {"-output d/ioping.tmp data -k d", "ioping: d/ioping.tmp: is also a target", 2},
        {"-S 2m -output short -k m", "ioping: short: is also a target", 2},
        {"-output broken -k d", "ioping: broken: is also a target", 2},
        {"-output ./y -plot y data", "ioping: ./y: is also the file of -plot", 2},
        {"-output ./y -prometheus y data", "ioping: ./y: is also the file of -prometheus",
         2},
        {"-output y -plot dangling data", "ioping: y: is also the file of -plot", 2},
        {"-output dangling -prometheus y data",
         "ioping: dangling: is also the file of -prometheus", 2},
        {"-output dangling y",
         "ioping: y: request size is too big for this target: the file is empty; name a "
         "file that has data, or a directory\n",
         2},
        {"-output t missing",
         "ioping: missing: No such file or directory; name a directory, file or device "
         "that exists\n",
         2},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[192];
        struct result result = command_status(
            cases[i].status, "a_file_that_is_another_of_the_run_is_refused_unharmed %s",
            cases[i].arguments);
        bool whole = strchr(cases[i].line, '\n') != NULL;
        snprintf(line, sizeof(line), "%s%s%s", cases[i].line, whole ? "" : other,
                 cases[i].status == 1 ? TRY : "");
        assert_string_equal(result.err, line);
        assert_string_equal(result.out, "same\n");
        command_free(&result);
    }
}

/* Whether the kernel refuses it too, by fs.protected_symlinks and its like, or not. */
TEST(what_others_may_have_put_there_is_refused)
{
    static const struct {
        const char *name;
        bool refused;
    } cases[] = {{"link", true}, {"dangling", true}, {"file", true}, {"fifo", true},
                 {"hard", true}, {"own", false},     {"new", false}};
    need_users();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        bool refused = cases[i].refused;
        expect(refused ? 2 : 0, refused ? "data\ndata\n" : "data\ndata\n1\n",
               refused ? formatted("ioping: shared/%s: belongs to another user, or is a "
                                   "link, in a directory where anyone may write; name a "
                                   "file in a directory of your own\n",
                                   cases[i].name)
                       : "",
               "what_others_may_have_put_there_is_refused %s", cases[i].name);
    }
}

TEST(a_fifo_without_reader_is_given_up)
{
    static const char *const options[] = {"-timeout 300ms", "-w 200ms -hang 100ms"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(2, "",
               "~^(ioping: p: not ready after [0-9.]+ m?s\n)*ioping: p: still not ready "
               "after [0-9.]+ m?s\n$",
               "rm -f p; mkfifo p; ioping %s -output p data", options[i]);
}

TEST(a_fifo_without_reader_is_given_up_after_a_signal)
{
    expect(2, NULL, NULL, "rm -f p; mkfifo p; start -output p data; until_idle; end INT");
    expect(143, NULL, NULL, "start -output p data; until_idle; end TERM");
}

TEST(every_signal_leaves_both_whole)
{
    need_program("jq");
    static const struct variant cases[] = {
        {"INT", 0, "true\n1\n", ""},
        {"TERM", 143, "true\n1\n", ""},
        {"HUP", 129, "true\n1\n", ""},
    };
    expect_variants(cases, LENGTH(cases), "every_signal_leaves_both_whole %s");
}

#define UNREAD "ioping: standard output: accepts no more data; given up\n"

TEST(a_screen_that_nobody_reads_leaves_the_file_whole)
{
    need_program("jq");
    static const struct variant cases[] = {
        {"INT -J", 3, "[true,true]\n", UNREAD},
        {"TERM -JJ", 143, "[true,true]\n", UNREAD},
        {"HUP -J -threads 3", 129, "[true,true]\n", UNREAD},
        {"'' -J -w 1s -timeout 100ms", 3, "[true,true]\n", UNREAD},
    };
    expect_variants(cases, LENGTH(cases),
                    "a_screen_that_nobody_reads_leaves_the_file_whole %s");
}

TEST(a_file_that_nobody_reads_leaves_the_screen_whole)
{
    expect(3, "---\nN\ngenerated\nmin/avg/max/mdev\n",
           "ioping: p: accepts no more data; given up\n",
           "a_file_that_nobody_reads_leaves_the_screen_whole");
}
