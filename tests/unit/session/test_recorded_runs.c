/* Raw lines that become jobs: their statistics, their rows, and the lines that are
 * refused. */
#include "support.h"

#include "os/process.h"
#include "run/job.h"
#include "session/recorded_runs.h"

#define ADVICE "; ioping -record FILE writes raw lines\n"
#define DAMAGED "; remove this line, or record the run again\n"

/* A raw line as ioping(1) and ioping-output(5) describe it. */
#define LINE "1 580777 1722 7052621 580777 580777 580777 0 2 1000832419"
/* A raw line about one request, of latency L and clock time C in ns, as strings. */
#define OF(l, c) "1 " l " 1 1000 " l " " l " " l " 0 1 " c

static struct options options;
static struct plan plan;
static struct recorded_runs runs;
static struct error error;

/* Opens `runs` for FILES files. If PLOTTED, each row also gets a track. */
static void
begin_files(int files, bool plotted)
{
    options_init(&options);
    memset(&plan, 0, sizeof(plan));
    plan.options = &options;
    plan.target_count = files;
    plan.output.needs_track = plotted;
    assert_int_equal(recorded_runs_open(&runs, &plan, &error), 0);
}

/* Reads a file of SIZE BYTES in blocks of at most BLOCK bytes. Returns 0, or -1 with
 * `error`. */
static int
read_blocks(const char *path, const char *bytes, size_t size, size_t block)
{
    recorded_runs_begin(&runs, path);
    for (size_t at = 0; at < size; at += block) {
        size_t more = size - at < block ? size - at : block;
        char *copy = malloc(more); /* so that a sanitizer sees reads beyond the end */
        assert_non_null(copy);
        memcpy(copy, bytes + at, more);
        int status = recorded_runs_add(&runs, copy, more, &error);
        free(copy);
        if (status < 0)
            return -1;
    }
    return recorded_runs_end(&runs, &error);
}

/* Reads TEXT as the only file, whose path is gp2. */
static void
read_text(const char *text)
{
    begin_files(1, true);
    if (read_blocks("gp2", text, strlen(text), 7) < 0)
        fail_msg("%s: %s", text, error.why);
    recorded_runs_finish(&runs);
}

/* Fails the test unless the file of SIZE BYTES is refused with the line EXPECTED,
 * whatever the size of its blocks. */
static void
check_refused(const char *bytes, size_t size, const char *expected)
{
    static const size_t blocks[] = {1, 3, 64, 1 << 20};
    char text[ERROR_LINE];
    for (size_t i = 0; i < LENGTH(blocks); i++) {
        begin_files(1, false);
        if (read_blocks("gp2", bytes, size, blocks[i]) == 0)
            fail_msg("accepted: %s", bytes);
        error_format(&error, text, sizeof(text));
        if (strcmp(text, expected) != 0)
            fail_msg("%s: %s", bytes, text);
        assert_int_equal(error.status, EXIT_PREPARE);
        recorded_runs_close(&runs);
    }
}

static int
close_rows(void **state)
{
    (void)state;
    recorded_runs_close(&runs);
    return 0;
}

/* Compares the names of all rows, and how many of their requests count, with EXPECTED. */
static void
assert_names(const char *expected)
{
    struct buffer text = {0};
    for (int i = 0; i < runs.row_count; i++) {
        const struct job *job = &runs.jobs[i];
        buffer_format(&text, "%s=%d|", job->target.description.path,
                      (int)job->outcome.total.latency.count);
        assert_ptr_equal(runs.plan.targets[i], job->target.description.path);
        assert_ptr_equal(job->plan.path, job->target.description.path);
        assert_int_equal(job->target_count, runs.row_count);
    }
    assert_int_equal(runs.plan.target_count, runs.row_count);
    assert_string_equal(text.text, expected);
    buffer_free(&text);
}

FIXTURE(NULL, close_rows)

TEST(a_line_is_a_request)
{
    read_text(LINE "\n" OF("40", "1000") "\n" OF("200000", "5000000") "\n");
    const struct outcome *outcome = &runs.jobs[0].outcome;
    const struct moments *latency = &outcome->total.latency;
    assert_int_equal(runs.row_count, 1);
    assert_int_equal(latency->count, 3);
    assert_int_equal(latency->sum, 580777 + 40 + 200000);
    assert_int_equal(latency->min, 40);
    assert_int_equal(latency->max, 580777);
    assert_int_equal(outcome->total.requests, 4);
    assert_int_equal(outcome->total.bytes, 4096);
    assert_int_equal(outcome->duration, 1000832419 + 1000 + 5000000);
    assert_int_equal(outcome->total.latencies.count, 3);
    assert_ptr_equal(runs.jobs[0].stats, &outcome->total);
    assert_null(outcome->target_name);
}

TEST(a_request_starts_by_its_time_before_its_line)
{
    read_text(OF("40", "1000") "\n" OF("700", "5000") "\n" OF("9", "9") "\n");
    const struct track *track = runs.jobs[0].track;
    assert_non_null(track);
    assert_int_equal(track->request_count, 3);
    assert_int_equal(track->marks[0].offset, 960);
    assert_int_equal(track->marks[1].offset, 5300);
    assert_int_equal(track->marks[1].latency, 700);
    assert_int_equal(track->marks[2].offset, 6000);
}

TEST(none_starts_before_the_first)
{
    read_text(OF("4000", "1000") "\n");
    assert_int_equal(runs.jobs[0].track->marks[0].offset, 0);
    assert_int_equal(runs.jobs[0].track->marks[0].latency, 4000);
}

/* -P prints such lines for periods without a request that counts. */
TEST(requests_that_do_not_count_take_their_time)
{
    read_text("0 0 0 0 0 0 0 0 3 500\n0 0 0 0 0 0 0 0 0 70\n" OF("40", "1000") "\n");
    assert_int_equal(runs.jobs[0].outcome.total.latency.count, 1);
    assert_int_equal(runs.jobs[0].outcome.total.requests, 4);
    assert_int_equal(runs.jobs[0].outcome.duration, 1570);
    assert_int_equal(runs.jobs[0].track->marks[0].offset, 1530);
}

TEST(a_file_of_none_that_count_is_a_row)
{
    read_text("0 0 0 0 0 0 0 0 3 500\n");
    assert_names("gp2=0|");
    assert_int_equal(runs.jobs[0].outcome.total.requests, 3);
}

TEST(a_request_may_take_no_time)
{
    read_text("1 0 0 0 0 0 0 0 1 0\n");
    assert_int_equal(runs.jobs[0].outcome.total.latency.count, 1);
    assert_int_equal(runs.jobs[0].outcome.total.latency.max, 0);
}

TEST(blocks_may_end_anywhere)
{
    static const char text[] =
        LINE "\n" OF("40", "1000") " a b\\012\r\n" LINE "\r\n" OF("7", "8") " a b\\012";
    for (size_t block = 1; block <= sizeof(text); block++) {
        begin_files(1, true);
        assert_int_equal(read_blocks("gp2", text, sizeof(text) - 1, block), 0);
        recorded_runs_finish(&runs);
        assert_names("gp2=2|a b\\012=2|");
        assert_int_equal(runs.line_number, 4);
        assert_int_equal(runs.jobs[0].outcome.total.latency.sum, 2 * 580777);
        assert_int_equal(runs.jobs[1].outcome.total.latency.sum, 47);
        recorded_runs_close(&runs);
    }
}

TEST(the_last_line_may_lack_its_end)
{
    static const char *const ends[] = {"", "\n", "\r\n", "\r"};
    for (size_t i = 0; i < LENGTH(ends); i++) {
        char text[256];
        snprintf(text, sizeof(text), "%s\n%s%s", LINE, LINE, ends[i]);
        read_text(text);
        assert_names("gp2=2|");
        recorded_runs_close(&runs);
    }
}

TEST(other_lines_are_refused)
{
    static const char *const lines[] = {
        "",
        " ",
        "1",
        "raw",
        "4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=2 time=155.7 us",
        "1 580777 1722 7052621 580777 580777 580777 0 2", /* nine columns */
        "1 580777 1722 7052621 580777 580777 580777 0 2 ",
        " " LINE,
        LINE " ",
        "1  580777 1722 7052621 580777 580777 580777 0 2 1000832419",
        "1\t580777 1722 7052621 580777 580777 580777 0 2 1000832419",
        "1,580777,1722,7052621,580777,580777,580777,0,2,1000832419",
        "1 580777 1722 7052621 580777 580777 580777 0 2 1000832419.5",
        "1 580777 1722.5 7052621 580777 580777 580777 0 2 1000832419",
        "1 580777 1722 7052621 580777 580777 580777 0 2 1000832419x",
        "+1 580777 1722 7052621 580777 580777 580777 0 2 1000832419",
        "-1 580777 1722 7052621 580777 580777 580777 0 2 1000832419",
        "1 -580777 1722 7052621 -580777 -580777 -580777 0 2 1000832419",
        "1 580777 1722 7052621 580777 580777 580777 0 2 -1000832419",
        "01 580777 1722 7052621 580777 580777 580777 0 2 1000832419",
        "1 580777 1722 7052621 580777 580777 580777 00 2 1000832419",
        "1 0x8dca9 1722 7052621 580777 580777 580777 0 2 1000832419",
        "1 nan 1722 7052621 580777 580777 580777 0 2 1000832419",
        "1 580777 1722 7052621 580776 580777 580777 0 2 1000832419", /* min */
        "1 580777 1722 7052621 580777 580776 580777 0 2 1000832419",
        "1 580777 1722 7052621 580777 580777 580778 0 2 1000832419",
        "1 580777 1722 7052621 580777 580777 580777 1 2 1000832419", /* mdev */
        "1 580777 1722 7052621 580777 580777 580777 0 0 1000832419", /* 1 counts of 0
                                                                        requests */
        "0 5 0 0 5 5 5 0 2 1000832419",
        "0 0 1 0 0 0 0 0 2 1000832419",
        "0 0 0 1 0 0 0 0 2 1000832419",
        "0 0 0 0 0 0 0 1 2 1000832419",
        "0 0 0 0 7 0 0 0 2 1000832419",
        "9 90 1 1 12 10 15 1 9 1000", /* min above the average */
        "9 90 1 1 5 16 15 1 9 1000",
        "9 90 1 1 5 10 91 1 9 1000",
        "9 90 1 1 5 10 15 1 8 1000",
        LINE LINE, /* a line that was cut short, and another */
        LINE " " LINE,
        LINE " \033[31m",
        LINE " a\tb",
        LINE " \x7f",
        LINE "\r\r",
        "\xef\xbb\xbf" LINE,
        "[{",
        "{\"timestamp\": 1795247457.055062}",
    };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        char text[512];
        int size = snprintf(text, sizeof(text), "%s\n%s\r\n%s\n%s\n", LINE, LINE,
                            lines[i], LINE);
        check_refused(text, (size_t)size, "ioping: gp2: line 3: not a raw line" DAMAGED);
        size = snprintf(text, sizeof(text), "%s\n%s\n", LINE, lines[i]);
        check_refused(text, (size_t)size, "ioping: gp2: line 2: not a raw line" DAMAGED);
    }
}

/* Lines that are cut short: about a request, about none that counts, about a request that
 * takes no time, and with labels that have spaces and digits. */
static const char *const cuttable[] = {
    LINE,
    OF("7", "70"),
    "1 0 0 0 0 0 0 0 1 0",
    "0 0 0 0 0 0 0 0 3 500",
    LINE " 2024 01",
    LINE " /mnt/a b",
    OF("40", "1000") " 7",
    "0 0 0 0 0 0 0 0 3 500 /mnt",
};

/* Returns whether the first CUT bytes of FIRST, followed by SECOND, may be a whole line.
 * If "0 " stands before a line about no request, that line's clock time looks like a
 * label. -P prints the same for a target whose name is a number. */
static bool
is_ambiguous(const char *first, size_t cut, const char *second)
{
    return cut == 2 && *first == '0' && *second == '0';
}

TEST(a_line_that_was_cut_short_is_refused_wherever_that_was)
{
    for (size_t i = 0; i < LENGTH(cuttable); i++)
        for (size_t k = 0; k < LENGTH(cuttable); k++)
            for (size_t cut = 1; cut <= strlen(cuttable[i]); cut++) {
                char text[512];
                if (is_ambiguous(cuttable[i], cut, cuttable[k]))
                    continue;
                int size = snprintf(text, sizeof(text), "%s\n%.*s%s\n", LINE, (int)cut,
                                    cuttable[i], cuttable[k]);
                check_refused(text, (size_t)size,
                              "ioping: gp2: line 2: not a raw line" DAMAGED);
            }
}

/* If the clock time, the last column, was cut, the line looks whole. */
TEST(a_last_line_that_was_cut_short_is_left_out)
{
    for (size_t i = 0; i < LENGTH(cuttable); i++) {
        const char *line = cuttable[i];
        size_t last = (size_t)(strrchr(line, ' ') - line) + 1;
        bool has_label = i > 3;
        for (size_t cut = 1; cut < strlen(line); cut++) {
            char text[512];
            bool is_whole = !has_label && cut > last;
            snprintf(text, sizeof(text), "%s\n%.*s", line, (int)cut, line);
            read_text(text);
            if (runs.notes.count == (is_whole ? 1 : 0))
                fail_msg("%s: %d notes", text, runs.notes.count);
            if (!is_whole)
                assert_string_equal(
                    runs.notes.lines[0],
                    "ioping: gp2: the last line is incomplete, left out\n");
            assert_int_equal(runs.row_count, 1);
            assert_int_equal(runs.line_number, 2);
            recorded_runs_close(&runs);
        }
    }
}

TEST(a_file_of_an_incomplete_line_is_refused)
{
    check_refused("1 580777 1722", 13, "ioping: gp2: line 1: not a raw line" ADVICE);
}

TEST(zeros_after_the_last_line_are_left_out)
{
    static const char zeros[] = LINE "\n\0\0\0\0";
    begin_files(1, true);
    assert_int_equal(read_blocks("gp2", zeros, sizeof(zeros) - 1, 7), 0);
    assert_int_equal(runs.notes.count, 1);
    assert_int_equal(runs.row_count, 1);
    recorded_runs_finish(&runs);
}

TEST(a_nul_is_refused)
{
    static const char one[] = LINE "\n" LINE "\0\n", label[] = LINE "\n" LINE " a\0b\n",
                      only[] = LINE "\n\0\0\0\0\n", digit[] = LINE "\n1 \0" LINE "\n";
    check_refused(one, sizeof(one) - 1, "ioping: gp2: line 2: not a raw line" DAMAGED);
    check_refused(label, sizeof(label) - 1,
                  "ioping: gp2: line 2: not a raw line" DAMAGED);
    check_refused(only, sizeof(only) - 1, "ioping: gp2: line 2: not a raw line" DAMAGED);
    check_refused(digit, sizeof(digit) - 1,
                  "ioping: gp2: line 2: not a raw line" DAMAGED);
}

TEST(utf_16_is_called_that)
{
    static const char little[] = "\xff\xfe\x31\0\x20\0\n\0", big[] = "\xfe\xff\0\x31\0\n";
    const char *expected =
        "ioping: gp2: line 1: not a raw line: the file is UTF-16, as PowerShell writes "
        "it; record it with cmd, or convert it to UTF-8\n";
    check_refused(little, sizeof(little) - 1, expected);
    check_refused(big, sizeof(big) - 1, expected);
}

TEST(lines_of_periods_are_refused_by_name)
{
    static const char first[] = "100 900 1 1 5 9 15 1 101 1000\n",
                      later[] = LINE "\n2 20 1 1 10 10 10 0 2 1000 a\n";
    check_refused(first, sizeof(first) - 1,
                  "ioping: gp2: line 1 is about 100 requests, as -p 100 prints, but "
                  "percentiles need a line for each; record with -record FILE\n");
    check_refused(later, sizeof(later) - 1,
                  "ioping: gp2: line 2 is about 2 requests, as -p 2 prints, but "
                  "percentiles need a line for each; record with -record FILE\n");
}

TEST(a_file_without_lines_is_refused)
{
    check_refused("", 0, "ioping: gp2: is empty" ADVICE);
}

TEST(numbers_go_to_their_limit)
{
    static const char *const lines[] = {
        OF("9223372036854775808", "1"), /* 2^63 */
        OF("18446744073709551617", "1"),
        OF("92233720368547758070", "1"),
        OF("1", "9223372036854775808"),
        OF("4611686018427387904", "1"), /* 2^62: the sum of two would overflow */
        OF("1", "4611686018427387904"),
        "1 7 1 1 7 7 7 0 9223372036854775807 1",
        ("1 4611686018427387903 1 9223372036854775807 4611686018427387903 "
         "4611686018427387903 4611686018427387903 0 1 1"),
    };
    read_text(OF("4611686018427387903", "4611686018427387903"));
    assert_int_equal(runs.jobs[0].outcome.total.latency.max, INT64_MAX / 2);
    recorded_runs_close(&runs);
    for (size_t i = 0; i < LENGTH(lines); i++)
        check_refused(lines[i], strlen(lines[i]),
                      "ioping: gp2: line 1: not a raw line" ADVICE);
}

TEST(sums_go_to_their_limit)
{
    static const char *const texts[] = {
        OF("4611686018427387903", "1") "\n" OF("1", "1") "\n",
        OF("1", "4611686018427387903") "\n" OF("1", "1") "\n",
        "0 0 0 0 0 0 0 0 4611686018427387903 1\n" OF("1", "1") "\n",
    };
    for (size_t i = 0; i < LENGTH(texts); i++)
        check_refused(texts[i], strlen(texts[i]),
                      "ioping: gp2: line 2: not a raw line" DAMAGED);
}

/* Returns a line of LENGTH bytes, followed by END. The caller frees it. */
static char *
make_long(size_t length, const char *end)
{
    char *text = calloc(1, length + sizeof(LINE) + 8);
    assert_non_null(text);
    memset(text, 'a', length);
    memcpy(text, LINE " ", sizeof(LINE));
    return strcat(text, end);
}

TEST(a_line_may_be_as_long_as_that_of_a_path)
{
    static const char *const ends[] = {"\n", "\r\n", "\r", ""};
    for (size_t i = 0; i < LENGTH(ends); i++) {
        char *text = make_long(RECORDED_LINE, ends[i]);
        read_text(text);
        assert_names("gp2=1|");
        recorded_runs_close(&runs);
        free(text);
        text = make_long(RECORDED_LINE + 1, ends[i]);
        check_refused(text, strlen(text), "ioping: gp2: line 1: not a raw line" ADVICE);
        free(text);
    }
}

/* Otherwise a file of zeros would be read into memory completely. */
TEST(a_line_without_end_is_refused_before_it)
{
    char *text = make_long(RECORDED_LINE + 2, "");
    begin_files(1, false);
    recorded_runs_begin(&runs, "-");
    assert_int_equal(recorded_runs_add(&runs, text, RECORDED_LINE + 2, &error), -1);
    assert_string_equal(error.what, "standard input");
    assert_string_equal(error.why, "line 1: not a raw line");
    free(text);
}

TEST(one_label_throughout_leaves_the_name_of_the_file)
{
    read_text(LINE " /mnt\n" LINE " /mnt\n");
    assert_names("gp2=2|");
}

TEST(each_of_several_labels_is_a_row)
{
    read_text(LINE " /mnt/b\n" LINE " /mnt\n" LINE "\n" LINE " /mnt\n" LINE
                   " /mnt/b c\n");
    assert_names("/mnt/b=1|/mnt=2|gp2=1|/mnt/b c=1|");
    assert_string_equal(runs.jobs[1].outcome.target_name, "/mnt");
}

#define NONE "0 0 0 0 0 0 0 0 0 70" /* no request in a period, as -P prints */

TEST(labels_may_be_numbers)
{
    static const struct {
        const char *text, *names;
    } cases[] = {
        {LINE " 2024 01\n" LINE " 2024 02\n" LINE " 2024 01\n", "2024 01=2|2024 02=1|"},
        {LINE " 2024\n" LINE " 1 2 3\n", "2024=1|1 2 3=1|"},
        {LINE " 2024\n" NONE " 2024\n" NONE " 2024 01\n", "2024=1|2024 01=0|"},
        /* The label has the numbers of a line, but fewer than ten. */
        {LINE " 580777 580777 580777 0 2 1000832419\n" LINE "\n",
         "580777 580777 580777 0 2 1000832419=1|gp2=1|"},
        {"1 0 0 0 0 0 0 0 1 0 0 0\n1 1 1 1 1 1 1 0 1 1 1 1 1 1\n", "0 0=1|1 1 1 1=1|"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        read_text(cases[i].text);
        assert_names(cases[i].names);
        recorded_runs_close(&runs);
    }
}

TEST(times_of_rows_are_their_own)
{
    read_text(OF("40", "1000") " a\n" OF("50", "700") " b\n" OF("60", "1000") " a\n");
    assert_int_equal(runs.jobs[0].outcome.duration, 2000);
    assert_int_equal(runs.jobs[1].outcome.duration, 700);
    assert_int_equal(runs.jobs[0].track->marks[1].offset, 1940);
    assert_int_equal(runs.jobs[1].track->marks[0].offset, 650);
}

TEST(among_several_files_the_label_follows_the_file)
{
    static const char several[] = LINE " a\n" LINE " b\n" LINE "\n", lone[] = LINE " a\n";
    begin_files(3, false);
    assert_int_equal(read_blocks("x", several, sizeof(several) - 1, 9), 0);
    assert_int_equal(read_blocks("-", lone, sizeof(lone) - 1, 9), 0);
    assert_int_equal(read_blocks("y", several, sizeof(several) - 1, 9), 0);
    recorded_runs_finish(&runs);
    assert_names("x: a=1|x: b=1|x=1|-=1|y: a=1|y: b=1|y=1|");
}

TEST(lines_are_counted_in_each_file)
{
    begin_files(2, false);
    assert_int_equal(read_blocks("x", LINE "\n" LINE "\n", 2 * sizeof(LINE), 9), 0);
    assert_int_equal(read_blocks("y", LINE "\nz\n", sizeof(LINE) + 2, 9), -1);
    assert_string_equal(error.what, "y");
    assert_string_equal(error.why, "line 2: not a raw line");
}

TEST(rows_are_as_many_as_targets)
{
    struct buffer text = {0};
    for (int i = 0; i < TARGETS_MAX; i++)
        buffer_format(&text, "%s t%d\n", LINE, i);
    read_text(text.text);
    assert_int_equal(runs.row_count, TARGETS_MAX);
    recorded_runs_close(&runs);
    buffer_format(&text, "%s\n", LINE);
    check_refused(text.text, text.length,
                  "ioping: gp2: line 65: more than 64 targets in all; compare fewer at a "
                  "time\n");
    buffer_free(&text);
}
