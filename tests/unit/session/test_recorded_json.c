/* The JSON of -J and -JJ that becomes jobs: requests, rows, and what is refused. */
#include "support.h"

#include "base/buffer.h"
#include "run/job.h"
#include "session/recorded_runs.h"

/* A record of a request that ended at TIME and took T ns; the rest of it is REST. */
#define RECORD(time, path, t, rest)                                            \
    "{\"timestamp\": " time ", \"target\": {\"path\": \"" path "\"}, \"io\": " \
    "{\"size\": 4096, \"time\": " t ", \"ignored\": " rest "}}"
#define COUNTED(time, t) RECORD(time, "a", t, "false")
#define STAT "{\"timestamp\": 5, \"target\": {\"path\": \"a\"}, \"stat\": {\"count\": 2}}"

static struct options options;
static struct plan plan;
static struct recorded_runs runs;
static struct error error;

static int
read_blocks(const char *bytes, size_t size, size_t block)
{
    options_init(&options);
    memset(&plan, 0, sizeof(plan));
    plan.options = &options;
    plan.target_count = 1;
    plan.output.needs_track = true;
    assert_int_equal(recorded_runs_open(&runs, &plan, &error), 0);
    recorded_runs_begin(&runs, "log");
    for (size_t at = 0; at < size; at += block) {
        size_t more = size - at < block ? size - at : block;
        if (recorded_runs_add(&runs, bytes + at, more, &error) < 0)
            return -1;
    }
    return recorded_runs_end(&runs, &error);
}

static int
clear(void **state)
{
    (void)state;
    recorded_runs_close(&runs);
    return 0;
}

FIXTURE(NULL, clear)

static void
read_text(const char *text)
{
    if (read_blocks(text, strlen(text), 1 << 20) < 0)
        fail_msg("%s: %s", text, error.why);
    recorded_runs_finish(&runs);
}

TEST(a_record_is_a_request)
{
    read_text(RECORD(
        "1700000000.5", "a", "500000000",
        "true, \"notice\": \"warmup\"") "\n" COUNTED("1700000001.000001",
                                                     "40") "\n" STAT
                                                           "\n" COUNTED("1700000003.25",
                                                                        "200000") "\n");
    const struct outcome *outcome = &runs.jobs[0].outcome;
    assert_int_equal(runs.row_count, 1);
    assert_int_equal(outcome->total.requests, 3);
    assert_int_equal(outcome->total.latency.count, 2);
    assert_int_equal(outcome->total.latency.sum, 200040);
    assert_int_equal(outcome->total.bytes, 8192);
    assert_int_equal(outcome->duration, 3250000000);
    assert_int_equal(runs.jobs[0].track->marks[0].offset, 1000000960);
    assert_int_equal(runs.jobs[0].track->marks[1].offset, 3249800000);
}

TEST(records_may_stand_in_any_way)
{
    /* clang-format off */
    static const char *const texts[] = {
        "[" COUNTED("1", "40") "," COUNTED("2", "50") "," STAT "]\n",
        "[" COUNTED("1", "40") ",\n" COUNTED("2", "50") "]",
        "[\n\t{\n\"timestamp\"\r\n:\n1,\"target\":{\"path\":\"a\"},\"io\":{\"time\":40,"
        "\"size\":1,\"ignored\":false}} , " COUNTED("2", "50") "\n\n]\n\n",
        COUNTED("1", "40") "\r\n" COUNTED("2", "50") "\r\n",
        COUNTED("1", "40") COUNTED("2", "50"),
        RECORD("1", "\\u0061", "40",
               "false, \"x\": [{\"a\": \"}]\\\"\"}, 1e9, -0.5E+3, null, true]") "\n"
        COUNTED("2", "50"),
    };
    /* clang-format on */
    for (size_t i = 0; i < LENGTH(texts); i++)
        for (size_t block = 1; block < 300; block += 23) {
            assert_int_equal(read_blocks(texts[i], strlen(texts[i]), block), 0);
            assert_int_equal(runs.row_count, 1);
            assert_int_equal(runs.jobs[0].outcome.total.latency.count, 2);
            assert_int_equal(runs.jobs[0].outcome.total.latency.sum, 90);
            recorded_runs_close(&runs);
        }
}

TEST(targets_and_phases_are_rows)
{
    read_text(RECORD("1", "b \\u00e4\\ud83d\\ude00\\n", "1", "false") RECORD(
        "1", "/c\\\\\\/", "1",
        "false, \"phase\": 1") "{\"timestamp\": 5, \"target\": {\"path\": \"a\"}, "
                               "\"phase\": \"under load\","
                               "\"io\": {\"size\": 1, \"time\": 1, \"ignored\": false}}");
    assert_int_equal(runs.row_count, 3);
    assert_string_equal(runs.row_names[0], "b \xc3\xa4\xf0\x9f\x98\x80\n");
    assert_string_equal(runs.row_names[1], "/c\\/");
    assert_string_equal(runs.row_names[2], "a#loaded");
}

#define NOT_JSON "line 2: not JSON"
#define NOT_OURS "line 2: not a record of ioping -J"
#define NOT_RECORDS "line 2: not JSON of ioping -J or -JJ"

/* The second line of a file whose first line is a record. */
static const struct {
    const char *line, *why;
} refused[] = {
    {"{\"timestamp\": 1, \"b\n" COUNTED("1", "40"), "line 2: the record does not end"},
    {"{\"a\": [}", NOT_JSON},
    {"{,}", NOT_JSON},
    {"{\"a\" 1}", NOT_JSON},
    {"{\"a\": 1,}", NOT_JSON},
    {"{\"a\": 1 \"b\": 2}", NOT_JSON},
    {"{\"a\": 01}", NOT_JSON},
    {"{\"a\": 1.}", NOT_JSON},
    {"{\"a\": .5}", NOT_JSON},
    {"{\"a\": 1e}", NOT_JSON},
    {"{\"a\": +1}", NOT_JSON},
    {"{\"a\": -}", NOT_JSON},
    {"{\"a\": tru}", NOT_JSON},
    {"{\"a\": nan}", NOT_JSON},
    {"{\"a\": 'b'}", NOT_JSON},
    {"{a: 1}", NOT_JSON},
    {"{\"a\": \"\\x\"}", NOT_JSON},
    {"{\"a\": \"\\u12g4\"}", NOT_JSON},
    {"{\"a\": \"\t\"}", NOT_JSON},
    {"{\"a\": [1 2]}", NOT_JSON},
    {"{\"a\": [1,]}", NOT_JSON},
    {"{}", NOT_OURS},
    {"{\"timestamp\": 1}", NOT_OURS},
    {"{\"target\": {\"path\": \"a\"}, \"io\": {}}", NOT_OURS},
    {RECORD("-1", "a", "1", "false"), NOT_OURS},
    {RECORD("1e3", "a", "1", "false"), NOT_OURS},
    {RECORD("\"1\"", "a", "1", "false"), NOT_OURS},
    {RECORD("99999999999", "a", "1", "false"), NOT_OURS},
    {RECORD("1", "", "1", "false"), NOT_OURS},
    {RECORD("1", "a", "-1", "false"), NOT_OURS},
    {RECORD("1", "a", "4611686018427387904", "false"), NOT_OURS},
    {RECORD("1", "a", "1", "null"), NOT_OURS},
    {RECORD("1", "a", "1", "0"), NOT_OURS},
    {RECORD("1", "a\\u0000b", "1", "false"), "line 2: its path is not valid"},
    {RECORD("1", "\\ud800", "1", "false"), "line 2: its path is not valid"},
    {RECORD("1", "\\udc00\\ud800", "1", "false"), "line 2: its path is not valid"},
    {"[", NOT_RECORDS},
    {"]", NOT_RECORDS},
    {",", NOT_RECORDS},
    {"1", NOT_RECORDS},
    {"null", NOT_RECORDS},
};

TEST(other_records_are_refused)
{
    for (size_t i = 0; i < LENGTH(refused); i++) {
        struct buffer text = {0};
        buffer_format(&text, COUNTED("1", "40") "\n%s", refused[i].line);
        int status = read_blocks(text.text, text.length, 5);
        if (status == 0 || strcmp(error.why, refused[i].why) != 0)
            fail_msg("%s: %s", refused[i].line, status ? error.why : "accepted");
        assert_int_equal(error.status, EXIT_PREPARE);
        assert_string_equal(error.what, "log");
        recorded_runs_close(&runs);
        buffer_free(&text);
    }
}

TEST(arrays_are_checked_to_their_end)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"[", "line 1: the JSON ends early"},
        {"[]", "has no requests"},
        {"[{\"a\"", "line 1: the JSON ends early"},
        {"{\"a\"", "line 1: the JSON ends early"},
        {"[" STAT ",\n", "line 2: the JSON ends early"},
        {"[" COUNTED("1", "4") ",]", "line 1: not JSON of ioping -J or -JJ"},
        {"[," COUNTED("1", "4") "]", "line 1: not JSON of ioping -J or -JJ"},
        {"[" COUNTED("1", "4") "\n" COUNTED("1", "4") "]",
         "line 2: not JSON of ioping -J or -JJ"},
        {"[" COUNTED("1", "4") "]]", "line 1: not JSON of ioping -J or -JJ"},
        {"[" COUNTED("1", "4") "]" COUNTED("1", "4"),
         "line 1: not JSON of ioping -J or -JJ"},
        {"[[" COUNTED("1", "4") "]]", "line 1: not JSON of ioping -J or -JJ"},
        {STAT, "has statistics, but no requests; record with -record FILE, or with -J "
               "without -q"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int status = read_blocks(cases[i].text, strlen(cases[i].text), 7);
        if (status == 0 || strcmp(error.why, cases[i].why) != 0)
            fail_msg("%s: %s", cases[i].text, status ? error.why : "accepted");
        recorded_runs_close(&runs);
    }
}

TEST(a_record_that_was_cut_short_at_the_end_is_left_out)
{
    static const char end[] = ",\n" COUNTED("2", "4"), line[] = "\n" COUNTED("2", "4");
    static const char first[] = COUNTED("1", "40");
    static const char *const notes[] = {
        "ioping: log: the last line is incomplete, left out\n",
        "ioping: log: the array has no end: the run was cut short\n",
        "ioping: log: the last record is incomplete, left out\n"};

    for (int is_array = 0; is_array < 2; is_array++) {
        const char *second = is_array ? end : line;
        for (size_t cut = 1; cut <= strlen(second); cut++) {
            char text[512];
            bool is_in_record = cut > strcspn(second, "{") && cut < strlen(second);
            int expected = is_in_record ? 2 * is_array : is_array;
            snprintf(text, sizeof(text), "%s%s%.*s", is_array ? "[" : "", first, (int)cut,
                     second);
            read_text(text);
            if (!is_array && !is_in_record)
                assert_int_equal(runs.notes.count, 0);
            else
                assert_string_equal(runs.notes.lines[0], notes[expected]);
            assert_int_equal(runs.jobs[0].outcome.total.latency.count,
                             cut == strlen(second) ? 2 : 1);
            recorded_runs_close(&runs);
        }
    }
}

/* Reads a record of NESTED arrays in an object. */
static int
read_nested(int nested)
{
    struct buffer text = {0};
    buffer_text(&text, "{\"timestamp\": 1, \"target\": {\"path\": \"a\"}, \"x\": ");
    for (int i = 0; i < nested; i++)
        buffer_text(&text, "[");
    for (int i = 0; i < nested; i++)
        buffer_text(&text, "]");
    buffer_text(&text, "}\n" COUNTED("1", "40"));
    int status = read_blocks(text.text, text.length, 1 << 20);
    buffer_free(&text);
    return status;
}

TEST(nesting_and_length_are_limited)
{
    assert_int_equal(read_nested(15), 0);
    recorded_runs_close(&runs);
    assert_int_equal(read_nested(16), -1);
    assert_string_equal(error.why, "line 1: JSON that is nested too deeply");
    recorded_runs_close(&runs);
    assert_int_equal(read_nested(400000), -1);
    assert_string_equal(error.why, "line 1: JSON that is nested too deeply");
    recorded_runs_close(&runs);
    assert_int_equal(read_nested(600000), -1);
    assert_string_equal(error.why, "line 1: a record of more than 1 MiB");
}

TEST(sums_never_overflow)
{
    static const char text[] = COUNTED("1", "400000000000000000");
    struct buffer all = {0};
    for (int i = 0; i < 12; i++)
        buffer_format(&all, "%s\n", text);
    assert_int_equal(read_blocks(all.text, all.length, 100), -1);
    assert_string_equal(error.why, "line 12: its times are too large in all");
    buffer_free(&all);
}
