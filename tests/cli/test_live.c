/* The live screen (-live) on a terminal: keys, ends, stops, and a terminal that reads
 * nothing. test_live_tmux.c compares its figures with the JSON of the same run. */
/* Marks: 35s native */
#include "running.h"
#include "terminal.h"

#include <signal.h>
#include <unistd.h>

/* A text that only the live screen has. */
#define KEYS "q quit  p pause"
#define NARROW_KEYS "q p r + - "
#define SUMMARY "\n--- data \\([^\n]*\n[^\n]*\n[^\n]*generated [^\n]*\n"

static struct terminal terminal;

/* Reads the number in FILE in the scratch folder. */
static pid_t
read_pid(const char *file)
{
    char path[1100];
    int pid = 0;
    snprintf(path, sizeof(path), "%s/%s", scratch(), file);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "%d", &pid), 1);
    fclose(stream);
    return pid;
}

static void
make_file(const char *name)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* Lets the call of a "hold" go on. */
static void
release(void)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/held", scratch());
    assert_int_equal(unlink(path), 0);
}

/* Returns the first row of SCREEN that has TEXT from this text on, allocated. */
static char *
screen_line(const struct screen *screen, const char *text)
{
    char *all = screen_text(screen);
    const char *at = strstr(all, text);
    assert_non_null(at);
    char *line = strndup(at, strcspn(at, "\n"));
    free(all);
    return line;
}

/* Waits until FILE in the scratch folder has COUNT lines. Does not read the terminal. */
static void
wait_for_lines(const char *file, int count)
{
    char path[1100];
    int lines = 0;
    snprintf(path, sizeof(path), "%s/%s", scratch(), file);
    for (int tries = 0; lines < count; tries++) {
        assert_true(tries < 3000);
        usleep(20000);
        lines = 0;
        FILE *stream = fopen(path, "r");
        for (int byte; stream && (byte = getc(stream)) != EOF;)
            if (byte == '\n')
                lines++;
        if (stream)
            fclose(stream);
    }
}

/* The program ends with STATUS. The terminal is restored, and the screen then matches
 * EXPRESSION. */
static void
assert_restored(int status, const char *expression)
{
    terminal_end(&terminal, status);
    char *text = screen_text(&terminal.screen);
    assert_false(terminal.screen.is_alternate);
    assert_false(terminal.screen.is_cursor_hidden);
    assert_matches(text, expression);
    assert_contains(text, "restored\n");
    assert_lacks(text, "quit");
    free(text);
    terminal_free(&terminal);
}

GROUP_SETUP(make_files)

TEST(the_screen_disappears_at_the_end_and_the_summary_remains)
{
    need_linux();
    terminal_start(&terminal, 100, "live -i 10ms -w 2s data");
    terminal_wait(&terminal, KEYS);
    assert_true(terminal.screen.is_alternate);
    assert_true(terminal.screen.is_cursor_hidden);
    assert_restored(0, "^" SUMMARY);
}

TEST(q_and_signals_end_the_run)
{
    static const struct {
        const char *key; /* NULL: the signal is sent */
        int signal, status;
    } cases[] = {{"q", 0, 0},       {"qq", 0, 0},         {"\003", 0, 0},
                 {NULL, SIGINT, 0}, {NULL, SIGTERM, 143}, {NULL, SIGHUP, 129}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        terminal_start(&terminal, 100, "live -i 10ms data");
        terminal_wait(&terminal, KEYS);
        if (cases[i].key)
            terminal_type(&terminal, cases[i].key);
        else
            assert_int_equal(kill(read_pid("pid"), cases[i].signal), 0);
        assert_restored(cases[i].status, SUMMARY);
    }
}

/* The monitor restores the terminal. */
TEST(the_terminal_is_restored_when_the_child_dies)
{
    static const int signals[] = {SIGKILL, SIGSEGV, SIGABRT};
    need_bare("the program is killed");
    need_linux();
    for (size_t i = 0; i < LENGTH(signals); i++) {
        terminal_start(&terminal, 100, "ulimit -c 0; live -i 10ms data 2>e");
        terminal_wait(&terminal, KEYS);
        assert_int_equal(kill(worker_of(read_pid("pid")), signals[i]), 0);
        terminal_end(&terminal, 128 + signals[i]);
        assert_false(terminal.screen.is_alternate);
        assert_false(terminal.screen.is_cursor_hidden);
        assert_int_equal(terminal_count(&terminal, "restored"), 1);
        terminal_free(&terminal);
    }
}

TEST(the_terminal_is_restored_when_the_monitor_dies)
{
    const int signals[] = {SIGSEGV, SIGABRT, SIGPIPE, SIGUSR2,     SIGVTALRM,
                           SIGPROF, SIGIO,   SIGALRM, SIGRTMIN + 6};
    need_bare("the program is killed");
    need_linux();
    for (size_t i = 0; i < LENGTH(signals); i++) {
        terminal_start(&terminal, 100, "ulimit -c 0; live -i 10ms data 2>e");
        terminal_wait(&terminal, KEYS);
        pid_t monitor = read_pid("pid");
        pid_t worker = worker_of(monitor);
        assert_int_equal(kill(monitor, signals[i]), 0);
        terminal_end(&terminal, 128 + signals[i]);
        assert_false(terminal.screen.is_alternate);
        assert_false(terminal.screen.is_cursor_hidden);
        assert_int_equal(terminal_count(&terminal, "restored"), 1);
        expect(0, "", NULL, "until_true is_released %d", (int)worker);
        terminal_free(&terminal);
    }
}

/* Nobody can restore the terminal then, but nothing goes on. */
TEST(the_child_ends_with_its_monitor)
{
    need_bare("the program is killed");
    need_linux();
    terminal_start(&terminal, 100, "live -i 10ms data");
    terminal_wait(&terminal, KEYS);
    pid_t monitor = read_pid("pid");
    pid_t worker = worker_of(monitor);
    assert_true(worker != monitor);
    assert_int_equal(kill(monitor, SIGKILL), 0);
    terminal_end(&terminal, 137);
    expect(0, "", NULL, "until_true is_released %d", (int)worker);
    terminal_free(&terminal);
}

/* The stuck request is abandoned. */
TEST(the_terminal_is_restored_when_a_request_is_stuck)
{
    need_faults();
    terminal_start(&terminal, 100, "faulty_live pread:40:hang -i 10ms data");
    terminal_wait(&terminal, KEYS);
    terminal_wait(&terminal, "  1 s");
    terminal_type(&terminal, "q");
    assert_restored(3, "ioping: 1 request still waiting after ");
}

TEST(a_second_interrupt_ends_it_at_once)
{
    need_faults();
    terminal_start(&terminal, 100, "faulty_live pread:40:hang -i 10ms data");
    terminal_wait(&terminal, KEYS);
    terminal_wait(&terminal, "  1 s");
    pid_t pid = read_pid("pid");
    kill(pid, SIGINT);
    usleep(100000); /* so that the two do not count as one */
    kill(pid, SIGINT);
    assert_restored(4, "");
}

TEST(after_a_stop_it_is_drawn_again)
{
    need_bare("needs job control");
    need_linux();
    terminal_start(&terminal, 100, "job_live -i 10ms data");
    terminal_wait(&terminal, KEYS);
    terminal_type(&terminal, "\032");
    terminal_wait(&terminal, "stopped");
    assert_false(terminal.screen.is_alternate);
    assert_false(terminal.screen.is_cursor_hidden);
    make_file("go");
    terminal_wait(&terminal, KEYS);
    assert_true(terminal.screen.is_alternate);
    terminal_type(&terminal, "q");
    assert_restored(0, SUMMARY);
}

TEST(keys_change_the_screen_and_not_the_run)
{
    static const struct {
        const char *key, *shown;
    } steps[] = {
        {"", "\ndata: 1 s per column\n"},
        {"+", "\ndata: 2 s per column\n"},
        {"=", "\ndata: 5 s per column\n"},
        {"-", "\ndata: 2 s per column\n"},
        {"--", "\ndata: 1 s per column\n"},
        {"\033[B", "\n> copy "},
        {"\033[B", "\n> copy "},
        {"\033[A", "\n> data "},
        {"\033OB", "\ncopy: 1 s per column\n"},
        {"\033OA", "\ndata: 1 s per column\n"},
        {"?", "p        pause the screen, not the run"},
        {"?", "\ndata: 1 s per column\n"},
        {"p", "PAUSED  "},
        {"\033[1;5B", "\n> copy "},
        {"++", "\ncopy: 5 s per column\n"},
        {"x", "PAUSED  "},
    };
    terminal_start(&terminal, 100, "live -i 10ms data copy");
    for (size_t i = 0; i < LENGTH(steps); i++) {
        terminal_type(&terminal, steps[i].key);
        terminal_wait(&terminal, steps[i].shown);
    }
    terminal_type(&terminal, "q");
    assert_restored(0, "\n--- data [^$]*\n--- copy ");
}

/* While the run goes on, keys and a resize show other parts of the same moment. */
TEST(a_pause_stops_all_of_the_screen)
{
    static const struct {
        const char *key, *shown;
    } steps[] = {
        {"\033[B", "\n> copy "}, {"+", "copy: 2 s per column"}, {"?", "pause the"}};
    terminal_start(&terminal, 100, "live -i 10ms -output o -JJ data copy >/dev/null");
    terminal_wait(&terminal, KEYS);
    terminal_type(&terminal, "p");
    terminal_wait(&terminal, "PAUSED ");
    terminal_wait(&terminal, "? help");
    char *before = screen_line(&terminal.screen, "PAUSED ");
    for (size_t i = 0; i < LENGTH(steps); i++) {
        wait_for_lines("o", 200 + 100 * (int)i);
        terminal_type(&terminal, steps[i].key);
        terminal_wait(&terminal, steps[i].shown);
        char *after = screen_line(&terminal.screen, "PAUSED ");
        assert_string_equal(after, before);
        free(after);
    }
    free(before);
    terminal_type(&terminal, "r");
    terminal_wait(&terminal, " 0 requests ");
    terminal_type(&terminal, "pq");
    terminal_end(&terminal, 0);
    terminal_free(&terminal);
}

/* Request 60 waits, so the figures stand still. The record has all requests. */
TEST(a_reset_is_one_of_the_screen)
{
    need_faults();
    terminal_start(&terminal, 100, "faulty_live pread:60:hold -i 10ms -c 61 -JJ data >o");
    terminal_wait(&terminal, " 59 requests ");
    terminal_type(&terminal, "r");
    terminal_wait(&terminal, " 0 requests ");
    release();
    assert_restored(0, "");
    expect(0, "61\n61\n", NULL, "grep -c '\"io\"' o; jq 'select(.load) | .load.count' o");
}

TEST(it_follows_the_size_of_the_terminal)
{
    terminal_start(&terminal, 100, "live -i 10ms data");
    terminal_wait(&terminal, KEYS);
    terminal_resize(&terminal, 42);
    terminal_wait(&terminal, NARROW_KEYS);
    terminal_resize(&terminal, 39);
    terminal_wait(&terminal, "-live needs 40 x 10, this is 39 x 64");
    terminal_resize(&terminal, 200);
    terminal_wait(&terminal, " missed ");
    terminal_wait(&terminal, KEYS);
    assert_int_equal(terminal.screen.wraps, 0);
    terminal_type(&terminal, "q");
    assert_restored(0, SUMMARY);
}

/* XOFF comes before the screen has changed much. */
TEST(a_terminal_that_is_stopped_does_not_stop_the_run)
{
    need_program("jq");
    terminal_start(&terminal, 200, "live -i 1ms -c 2000 -output o -JJ data >summary");
    terminal_wait(&terminal, KEYS);
    terminal_type(&terminal, "\023");
    wait_for_lines("o", 2001);
    assert_restored(0, "");
    expect(0, "2000\n2000\n", NULL,
           "grep -c '\"io\"' o; jq 'select(.load) | .load.count' o");
    expect(0, "1\n", NULL, "grep -c ^generated summary");
}

/* The test does not read, so the terminal is full after some frames. Those that it has
 * not taken yet are dropped at the end. */
TEST(a_terminal_that_reads_nothing_does_not_stop_the_run)
{
    need_program("jq");
    terminal_start(
        &terminal, 250,
        "TERM=xterm-256color live -i 1ms -c 4000 -output o -JJ data >summary 2>e");
    wait_for_lines("o", 4001);
    terminal_end(&terminal, 0);
    assert_false(terminal.screen.is_alternate);
    assert_false(terminal.screen.is_cursor_hidden);
    assert_int_equal(terminal_count(&terminal, "restored"), 1);
    expect(0, "4000\n", NULL, "jq 'select(.load) | .load.count' o");
    terminal_free(&terminal);
}

TEST(messages_wait_until_the_end)
{
    need_faults();
    terminal_start(&terminal, 100, "faulty_live pread:40:hold -hang 300ms -i 10ms data");
    terminal_wait(&terminal, "ioping: request 40 has had no answer for ");
    assert_true(terminal.screen.is_alternate);
    assert_int_equal(kill(read_pid("pid"), SIGUSR1), 0);
    terminal_wait(&terminal, "39 requests, min/avg/max/mdev = ");
    release();
    terminal_type(&terminal, "q");
    assert_restored(0, "^(ioping: request 40 has had no answer for [^\n]*\n)+"
                       "39 requests, min/avg/max/mdev = [^\n]*\n[^$]*" SUMMARY);
}

/* The note is on the terminal before the screen hides it, and is not printed again. With
 * several targets, it is printed while they are opened. */
TEST(a_message_from_before_the_run_is_on_the_screen)
{
    static const char *const targets[] = {"/dev/shm", "/dev/shm data"};
    struct result result = command("stat -f -c %%T /dev/shm");
    bool is_memory = strcmp(result.out, "tmpfs\n") == 0;
    command_free(&result);
    if (!is_memory)
        skip_because("needs a tmpfs at /dev/shm");
    for (size_t i = 0; i < LENGTH(targets); i++) {
        terminal_start(&terminal, 100, "live -i 10ms %s", targets[i]);
        terminal_wait(&terminal, KEYS);
        char *text = screen_text(&terminal.screen);
        assert_true(terminal.screen.is_alternate);
        assert_matches(text, "\nioping: /dev/shm: tmpfs lives in memory: these times say "
                             "nothing about a disk\n" KEYS);
        free(text);
        terminal_type(&terminal, "q");
        assert_restored(0, "^ioping: /dev/shm: tmpfs lives in memory: [^\n]*\n\n--- ");
    }
}

/* The screen hides the records, and no summary remains. */
TEST(records_that_the_screen_would_hide_are_refused)
{
    static const struct {
        const char *arguments, *option;
    } cases[] = {
        {"-csv -P 100ms", "csv"}, {"-influx", "influx"}, {"-print avg -p 5", "print"}};
    char message[200];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        terminal_start(&terminal, 200, "live %s -c 10 -i 0 data", cases[i].arguments);
        snprintf(
            message, sizeof(message),
            "^ioping: -live: the screen is on the terminal to which -%s would print; "
            "add -output FILE, or redirect standard output\n",
            cases[i].option);
        assert_restored(1, message);
    }
    for (int i = 0; i < 2; i++) {
        terminal_start(&terminal, 100, "live -csv -p 5 -c 10 -i 10ms data %s",
                       i == 0 ? ">o" : "-output o");
        terminal_end(&terminal, 0);
        terminal_free(&terminal);
        expect(0, "3\n", NULL, "wc -l <o | tr -d ' '");
    }
}

/* Anything else would be written across the screen. */
TEST(the_terminal_gets_no_lines_of_requests_or_periods)
{
    static const struct {
        const char *arguments, *left;
    } cases[] = {
        {"-p 10", "^" SUMMARY},
        {"-q -P 100ms", "^restored\n$"},
        {"-J", "^\\[\\{\n +\"timestamp\": [^$]*\"load\": [^$]*\\]\nrestored\n$"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        terminal_start(&terminal, 100, "live -percentiles none -i 10ms %s data",
                       cases[i].arguments);
        terminal_wait(&terminal, KEYS);
        terminal_type(&terminal, "q");
        terminal_end(&terminal, 0);
        char *text = screen_text(&terminal.screen);
        assert_matches(text, cases[i].left);
        assert_lacks(text, "\"io\"");
        free(text);
        terminal_free(&terminal);
    }
}

TEST(it_is_drawn_ten_times_a_second_at_most)
{
    double seconds = 0;
    terminal_start(&terminal, 100, "live -i 1ms -w 3s data >o");
    terminal_wait(&terminal, KEYS);
    terminal_end(&terminal, 0);
    struct result result = command_status(
        0, "sed -nE 's/.*generated .* requests in ([0-9.]+) s, .*/\\1/p' o");
    assert_int_equal(sscanf(result.out, "%lf", &seconds), 1);
    int redraws = terminal_count(&terminal, "\033[1;1H");
    if (redraws < 2 || redraws > seconds * 10 + 1)
        fail_msg("%d redraws in %f s", redraws, seconds);
    command_free(&result);
    terminal_free(&terminal);
}

TEST(colours_are_those_of_the_terminal)
{
    static const struct {
        const char *environment, *arguments, *sequence;
        const char *absent;
    } cases[] = {
        {"TERM=xterm-256color", "", "\033[48;5;", "\033[45m"},
        {"TERM=xterm COLORTERM=truecolor", "", "\033[48;5;", "\033[45m"},
        {"TERM=xterm COLORTERM=", "", "\033[45m", "\033[48;5;"},
        {"TERM=xterm-256color", "-no-color", "@", "\033[48;5;"},
        {"TERM=xterm-256color NO_COLOR=1", "", "@", "\033[48;5;"},
        {"TERM=vt100", "", "@", "\033[45m"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        terminal_start(&terminal, 100, "export %s; live -i 10ms -w 1s %s data",
                       cases[i].environment, cases[i].arguments);
        terminal_wait(&terminal, KEYS);
        terminal_end(&terminal, 0);
        assert_true(terminal_count(&terminal, cases[i].sequence) > 0);
        assert_int_equal(terminal_count(&terminal, cases[i].absent), 0);
        terminal_free(&terminal);
    }
}

TEST(without_a_terminal_it_is_refused)
{
    need_program("setsid");
    expect(2, "",
           "~^ioping: -live: there is no terminal to draw on: [^\n]*; leave out -live\n$",
           "TERM=xterm setsid -w \"$IOPING\" -live -c 1 data");
    for (int i = 0; i < 2; i++)
        expect(2, "",
               "ioping: -live: the terminal cannot move its cursor (TERM); leave out "
               "-live\n",
               "export TERM=%s; ioping -live -c 1 data", i == 0 ? "" : "dumb");
}

/* The shell has the terminal then. */
TEST(in_the_background_it_draws_nothing)
{
    need_bare("needs job control");
    terminal_start(
        &terminal, 100,
        "set -m; \"$IOPING\" -live -hang 0 -C -q -i 10ms -w 1s data >o & wait $!");
    terminal_end(&terminal, 0);
    assert_int_equal(terminal_count(&terminal, "\033"), 0);
    terminal_free(&terminal);
    expect(0, "1\n", NULL, "grep -c ^generated o");
}

/* With phases, the figures are of everything so far. */
TEST(phases_of_a_load_are_named)
{
    terminal_start(&terminal, 130, "live -i 10ms -w 1s -load read data");
    terminal_wait(&terminal, "  idle  ");
    terminal_wait(&terminal, "  under load  ");
    terminal_wait(&terminal, "  recovered  ");
    assert_restored(0, "\nrecovered ");
}

TEST(each_operation_has_a_row)
{
    terminal_start(&terminal, 130, "live -i 10ms -G d");
    terminal_wait(&terminal, "\n> d write ");
    terminal_wait(&terminal, "\n  d read ");
    terminal_type(&terminal, "\033[B");
    terminal_wait(&terminal, "\nd read: 1 s per column");
    terminal_type(&terminal, "q");
    assert_restored(0, "--- d ");
}
