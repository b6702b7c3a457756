/* JSON of real runs: an array (-J), or a record per line (-JJ). */
/* Marks: races valgrind posix each hardened */
#include "support.h"

/* Without a warm-up, a line per record as [number, size, what counts, all]. */
static const struct {
    const char *arguments, *told;
} runs[] = {
    {"-c 2 data", "[1,4096,null,null] [2,4096,null,null] [null,null,2,2] "},
    {"-c 2 -s 8k d", "[1,8192,null,null] [2,8192,null,null] [null,null,2,2] "},
    {"-c 2 -W d", "[1,4096,null,null] [2,4096,null,null] [null,null,2,2] "},
    {"-c 2 -G d", "[1,4096,null,null] [2,4096,null,null] [null,null,2,2] "},
    {"-c 3 -q data", "[null,null,3,3] "},
    {"-c 3 -B data", "[null,null,3,3] "},
    {"-R -w 1h -c 3 -S 1m data", "[null,null,3,3] "},
    {"-c 2 -p 1 data", "[1,4096,null,null] [null,null,1,1] [2,4096,null,null] "
                       "[null,null,1,1] [null,null,2,2] "},
    {"-c 5 -p 2 -q data", "[null,null,2,2] [null,null,2,2] [null,null,5,5] "},
    {"-c 5 -p 2 -B data", "[null,null,2,2] [null,null,2,2] [null,null,5,5] "},
    {"-c 1 -P 1h data", "[1,4096,null,null] [null,null,1,1] "},
    {"-c 2 -a 1 -q data", "[null,null,1,2] "},
    {"-c 1 -b 1 -I data", "[1,4096,null,null] [null,null,1,1] "},
    {"-c 2 -prometheus prom -q data", "[null,null,2,2] "},
};

GROUP_SETUP(make_files)

TEST(both_forms_have_the_same_records)
{
    need_program("jq");
    for (size_t i = 0; i < LENGTH(runs); i++)
        expect(0, formatted("%s\n%s\n", runs[i].told, runs[i].told), "",
               "both_forms_have_the_same_records %s", runs[i].arguments);
}

TEST(twice_in_any_spelling_is_a_record_per_line)
{
    static const char *const options[] = {"-JJ",          "-J -J",     "-JqJ",
                                          "-json --json", "-js -json", "-JJJ"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0, "~^\\{\"timestamp\": [^\n]*\\}\n$", NULL, "ioping %s -c 2 -i 0 -q data",
               options[i]);
}

static const struct expected lines[] = {
    {"each_line_is_a_record_of_its_own", "jq", 0,
     "3 io\n1 load+stat\n3 io\n2 load+stat\n9\n0\n  \\n\n"},
    {"each_period_has_its_own_distribution", "jq", 0,
     "[5,5,true,true]\n[5,5,true,true]\n[13,13,true,true]\n[\"50\"]\n[\"50\"]\n["
     "\"50\",\"90\"]\n"},
    {"periods_of_time_are_records", "jq", 0, "true\ntrue\ntrue\n", NULL,
     "ioping -JJ -C -q -a 0 -P 50ms -i 20ms -c 50 data | jq -s -c '(length > 2), "
     "((.[:-1] | map(.load.count) | add) <= .[-1].load.count), (map(.stat.count == "
     ".load.count) | all)'"},
    /* The second write never came to its flush. The third took 200 ms, and the flush of
     * the fourth. */
    {"the_flush_is_told_from_the_write", "faults jq", 3,
     "[true,null,true,true]\n[true]\n[true]\n"},
    {"a_line_is_whole_at_once", "jq", 0, "1\n1 io\n1 io\n1 load+stat\n"},
    {"what_cannot_begin_prints_no_line", "", 2, "", NULL, "ioping -JJ -c 1 missing"},
    /* As the man page finds it. The warm-up takes longer here, and most often the fifth
     * is the slowest of the others. */
    {"the_slowest_request_is_one_that_counts", "faults jq", 0, "same\n"},
};

EXPECT_EACH(lines)

/* All of the array's layout; numbers are masked, and what the disk is called. */
#define HEAD                                \
    "{\n"                                   \
    "  \"timestamp\": #,\n"                 \
    "  \"localtime\": \"#-#-#T#:#:#+#\",\n" \
    "  \"target\": {\n"                     \
    "    \"path\": \"data\",\n"             \
    "    \"fstype\": \"*\",\n"              \
    "    \"device\": \"*\",\n"              \
    "    \"device_size\": #,\n"             \
    "    \"mode\": \"cached\"\n"            \
    "  },\n"
#define IO                              \
    HEAD "  \"io\": {\n"                \
         "    \"request\": #,\n"        \
         "    \"operation\": \"%s\",\n" \
         "    \"offset\": #,\n"         \
         "    \"size\": #,\n"           \
         "    \"time\": #,\n"           \
         "    \"ignored\": false\n"     \
         "  }\n}"
#define STAT                                                                             \
    HEAD "  \"stat\": {\n"                                                               \
         "    \"count\": #,\n    \"size\": #,\n    \"time\": #,\n    \"iops\": #,\n"     \
         "    \"bps\": #,\n    \"min\": #,\n    \"avg\": #,\n    \"max\": #,\n"          \
         "    \"mdev\": #%s\n"                                                           \
         "  },\n  \"load\": {\n"                                                         \
         "    \"count\": #,\n    \"failed\": #,\n    \"missed\": #,\n    \"size\": #,\n" \
         "    \"time\": #,\n    \"iops\": #,\n    \"bps\": #\n  }\n}"

static const struct {
    const char *arguments, *operation, *more;
} layouts[] = {
    {"", "read", ",\n    \"percentiles\": {\n      \"#\": #\n    }"},
    {"-WWW", "write", ",\n    \"percentiles\": {\n      \"#\": #\n    }"},
    {"-percentiles none", "read", ""},
    {"-percentiles none -histogram -corrected -b 9 -i 1h -a 1", "read",
     ",\n    \"corrected\": true,\n    \"histogram\": [\n      {\"le\": #, \"count\": "
     "#}\n    ]"},
};

TEST(the_array_has_the_layout_of_ioping_1_3)
{
    for (size_t i = 0; i < LENGTH(layouts); i++) {
        char expected[4096];
        struct result result = command_status(
            0,
            "ioping -C -J -c 2 -i 0 -a 0 %s data | sed -E '"
            "s/\"(fstype|device)\": \".*\"/\"\\1\": \"*\"/; /ignored\": true/d; "
            "s/\"notice\": .*/\"ignored\": false/'",
            layouts[i].arguments);
        char *text = masked(result.out);
        snprintf(expected, sizeof(expected), "[" IO "," IO "," STAT "]\n",
                 layouts[i].operation, layouts[i].operation, layouts[i].more);
        assert_string_equal(text, expected);
        assert_string_equal(result.err, "");
        free(text);
        command_free(&result);
    }
}

TEST(the_distribution_is_that_of_the_requests)
{
    static const char *const targets[] = {"data", "-C data", "-W d", "/dev/zero"};
    need_program("jq");
    for (size_t i = 0; i < LENGTH(targets); i++)
        expect(0, "true\ntrue\ntrue\ntrue\ntrue\n0\n", NULL,
               "the_distribution_is_that_of_the_requests %s", targets[i]);
}

/* One of 330 ms adds those that were due 40, 80, ... and 320 ms after it: 8 at least. */
TEST(the_corrected_distribution_has_the_waits)
{
    need("faults jq");
    struct result result = command_status(0, "the_corrected_distribution_has_the_waits");
    int waits = -1, length = 0;
    assert_int_equal(
        sscanf(result.out, "true\ntrue\ntrue\ntrue\ntrue\n%d\n%n", &waits, &length), 1);
    assert_true(waits >= 8);
    assert_string_equal(result.out + length, "true\ntrue\n");
    command_free(&result);
}

/* The part of the flush: per request whether there is one, within the time. */
static const struct {
    const char *arguments, *parts;
} flushes[] = {
    {"-W d", "[true,true,true,true]\n"},      {"-G d", "[true,null,true,null]\n"},
    {"-WWW copy", "[true,true,true,true]\n"}, {"-Y -W d", "[true,true,true,true]\n"},
    {"-W -C d", "[null,null,null,null]\n"},   {"data", "[null,null,null,null]\n"},
    {"d", "[null,null,null,null]\n"},
};

TEST(writes_tell_the_part_of_the_flush)
{
    need_program("jq");
    for (size_t i = 0; i < LENGTH(flushes); i++)
        expect(0, flushes[i].parts, NULL, "ioping -J -c 4 -i 0 %s | parts",
               flushes[i].arguments);
}

/* Runs whose status, notices and final statistics both forms must have. */
static const struct {
    const char *script, *arguments, *told;
    int status;
} failures[] = {
    {"pread:3:5", "-c 5", "[[null,null,\"EIO\"],[2,3,1,8192]]\n", 3},
    {"pread:3:5", "-E -c 5", "[[null,null,\"EIO\",null,null],[4,5,1,16384]]\n", 3},
    {"pread:1-:5", "-E -c 3", "[[\"EIO\",\"EIO\",\"EIO\"],[0,3,3,0]]\n", 3},
    {"pread:2:short", "-E -c 3", "[[null,\"short\",null],[2,3,1,10240]]\n", 3},
    {"pread:2:28", "-E -c 3", "[[null,\"ENOSPC\",null],[2,3,1,8192]]\n", 3},
    {"pread:2:11,pread:1-:fast", "-N -c 3", "[[null,\"EAGAIN\",null],[2,3,1,8192]]\n", 0},
    {"pread:1:121", "-q -c 3", "[[],[0,1,1,0]]\n", 3},
};

TEST(failures_are_records)
{
    need("flags faults jq");
    for (size_t i = 0; i < LENGTH(failures); i++)
        expect(failures[i].status, formatted("%s%s", failures[i].told, failures[i].told),
               NULL, "failures_are_records %s %s", failures[i].script,
               failures[i].arguments);
}

TEST(an_interrupt_ends_the_lines_though_a_request_never_returns)
{
    need("faults jq");
    expect(3, "2 io\n1 load+stat\n[1,3,0]\n", NULL,
           "an_interrupt_ends_the_lines_though_a_request_never_returns");
}

/* The array is closed then, and lines need no closing. */
static const struct {
    const char *arguments, *left;
} interrupted[] = {
    {"-J", "[1,2]\n"}, {"-Jq", "[]\n"},   {"-JJ", "1\n2\n"},
    {"-JJq", ""},      {"-JJqp1", "1\n"},
};

TEST(a_second_interrupt_leaves_what_can_be_parsed)
{
    need("faults jq");
    for (size_t i = 0; i < LENGTH(interrupted); i++)
        expect(4, interrupted[i].left, NULL,
               "a_second_interrupt_leaves_what_can_be_parsed %s",
               interrupted[i].arguments);
}

/* A request that has its answer while the program ends is in no record. */
TEST(nothing_follows_the_end_of_the_array)
{
    need("faults jq");
    static const struct variant cases[] = {
        {"o -J", 4, "[1,2]\n", NULL},
        {"x -J -output x", 4, "[1,2]\n", NULL},
        {"o -J -q -p 1", 4, "[1]\n", NULL},
    };
    expect_variants(cases, LENGTH(cases), "nothing_follows_the_end_of_the_array %s");
}

/* Of two equal keys a reader takes either, silently. */
TEST(no_key_comes_twice)
{
    struct result result =
        command("ioping -JJ -q -c 3 -i 0 -percentiles 50,90,50 data | grep -o '\"50\":'");
    assert_true(strcmp(result.out, "") == 0 || strcmp(result.out, "\"50\":\n") == 0);
    command_free(&result);
}
