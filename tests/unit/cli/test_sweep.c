/* The arguments of -sweep, and the values of its steps. */
#include "support.h"

#include "cli/cli.h"

#define NO_KIND "unknown sweep; use size, threads, depth, interval or rate"
#define NO_ENDS "expected FROM..TO, such as 4k..1m"
#define NO_NUMBERS "expected FROM..TO, such as 1..64"
#define NO_TIMES "expected FROM..TO, such as 1ms..1s"
#define NO_TIME "not a time such as 10ms, 0.5s or 2min"
#define NO_SIZE "not a size such as 4096, 4k or 1.5m"
#define NO_COUNT "not a count such as 10, 5k or 1M"
#define ZERO "must be more than 0"
#define SMALL "too small: it would be rounded to 0"
#define RANGE "out of range"
#define BACKWARDS "the end is smaller than the start"

/* Returns why -sweep refuses TEXT, NULL if it does not. */
static const char *
parse_sweep(const char *text, struct sweep *sweep)
{
    struct options options = {.sweep = {SWEEP_NONE, 7, 7}};
    const struct cli_option *option = cli_option(OPTION_SWEEP);
    const char *wrong = option->set(option, &options, text);
    *sweep = options.sweep;
    return wrong;
}

static void
check_refused(const char *text, const char *why)
{
    struct sweep sweep;
    const char *wrong = parse_sweep(text, &sweep);
    if (!wrong || strcmp(wrong, why) != 0)
        fail_msg("'%.200s': %s", text, wrong ? wrong : "taken");
}

TEST(a_kind_alone_leaves_the_ends_open)
{
    static const struct {
        const char *text;
        enum sweep_kind kind;
    } cases[] = {{"size", SWEEP_SIZE},
                 {"threads", SWEEP_THREADS},
                 {"depth", SWEEP_DEPTH},
                 {"interval", SWEEP_INTERVAL},
                 {"rate", SWEEP_RATE}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct sweep sweep;
        assert_null(parse_sweep(cases[i].text, &sweep));
        assert_int_equal(sweep.kind, cases[i].kind);
        assert_int_equal(sweep.from, 0);
        assert_int_equal(sweep.to, 0);
    }
}

TEST(both_ends_are_read_with_their_units)
{
    static const struct {
        const char *text;
        struct sweep sweep;
    } cases[] = {
        {"size=4k..1m", {SWEEP_SIZE, 4096, 1048576}},
        {"size=1..1", {SWEEP_SIZE, 1, 1}},
        {"size=1sector..2PAGE", {SWEEP_SIZE, 512, 8192}},
        {"size=0.5k..1.5k", {SWEEP_SIZE, 512, 1536}},
        {"size=1/2k..4k", {SWEEP_SIZE, 512, 4096}},
        {"size=2147479552..2147479552", {SWEEP_SIZE, 2147479552, 2147479552}},
        {"threads=2..8", {SWEEP_THREADS, 2, 8}},
        {"threads=1..1024", {SWEEP_THREADS, 1, 1024}},
        {"threads=1..1k", {SWEEP_THREADS, 1, 1000}},
        {"depth=1..128", {SWEEP_DEPTH, 1, 128}},
        {"depth=3..3", {SWEEP_DEPTH, 3, 3}},
        {"depth=4096..4096", {SWEEP_DEPTH, 4096, 4096}},
        {"interval=1ms..1s", {SWEEP_INTERVAL, 1000000, 1000000000}},
        {"interval=0.5..1/2min", {SWEEP_INTERVAL, 500000000, 30000000000}},
        {"interval=1ns..1ns", {SWEEP_INTERVAL, 1, 1}},
        {"rate=1k..50k", {SWEEP_RATE, 1000, 50000}},
        {"rate=1..10m", {SWEEP_RATE, 1, 10000000}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct sweep sweep;
        const char *wrong = parse_sweep(cases[i].text, &sweep);
        if (wrong)
            fail_msg("%s: %s", cases[i].text, wrong);
        assert_int_equal(sweep.kind, cases[i].sweep.kind);
        assert_int_equal(sweep.from, cases[i].sweep.from);
        assert_int_equal(sweep.to, cases[i].sweep.to);
    }
}

TEST(nothing_else_is_swept)
{
    static const char *const texts[] = {
        "",           "=",      "..",        "4k..1m",
        "s",          "siz",    "sizes",     "Size",
        "SIZE",       " size",  "size ",     "size:4..8",
        "size4..8",   "thread", "depths",    "depth\n",
        "none",       "cpus",   "intervals", "i",
        "size,depth", "=1..2",  "depth..4",  "threads threads=1..2",
        "depths=1..2"};
    for (size_t i = 0; i < LENGTH(texts); i++)
        check_refused(texts[i], NO_KIND);
}

TEST(ends_are_two_values_with_dots_between)
{
    static const char *const cases[][2] = {
        {"size=", NO_ENDS},          {"size=4k", NO_ENDS},
        {"size=4k-1m", NO_ENDS},     {"size=4k,1m", NO_ENDS},
        {"threads=", NO_NUMBERS},    {"depth=1-8", NO_NUMBERS},
        {"size=4k.1m", NO_ENDS},     {"threads=4", NO_NUMBERS},
        {"depth==", NO_NUMBERS},     {"size=..", NO_SIZE},
        {"size=4k..", NO_SIZE},      {"size=..1m", NO_SIZE},
        {"size==4k..1m", NO_SIZE},   {"size=4k ..1m", NO_SIZE},
        {"size=4k.. 1m", NO_SIZE},   {"size=4k..1m..2m", NO_SIZE},
        {"size=4k..1m ", NO_SIZE},   {"threads=..", NO_COUNT},
        {"threads=2..", NO_COUNT},   {"depth=..2", NO_COUNT},
        {"depth=1..2..3", NO_COUNT}, {"interval=", NO_TIMES},
        {"interval=1s", NO_TIMES},   {"interval=1ms..", NO_TIME},
        {"interval=4k..1", NO_TIME},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_refused(cases[i][0], cases[i][1]);
}

/* The second end would be a decimal without its zero. */
TEST(three_dots_are_refused)
{
    struct sweep sweep;
    static const char *const texts[] = {"size=4k...1m", "threads=1...5k", "size=1....8"};
    for (size_t i = 0; i < LENGTH(texts); i++)
        if (!parse_sweep(texts[i], &sweep))
            fail_msg("'%s' taken: %lld to %lld", texts[i], (long long)sweep.from,
                     (long long)sweep.to);
}

TEST(each_end_is_a_value_that_makes_sense)
{
    static const char *const cases[][2] = {
        {"size=0..4", ZERO},
        {"size=0..0", ZERO},
        {"size=0k..4k", ZERO},
        {"threads=0..4", ZERO},
        {"depth=0..4", ZERO},
        {"size=-1..4", NO_SIZE},
        {"size=1..-4", NO_SIZE},
        {"size=nan..4k", NO_SIZE},
        {"size=4k..inf", NO_SIZE},
        {"size=4s..8s", NO_SIZE},
        {"size=0x10..4k", NO_SIZE},
        {"size=+4..8", NO_SIZE},
        {"threads=-1..4", NO_COUNT},
        {"threads=1..nan", NO_COUNT},
        {"threads=1..4kb", NO_COUNT},
        {"depth=one..4", NO_COUNT},
        {"depth=1e1..20", NO_COUNT},
        {"size=0.5..4k", SMALL},
        {"size=1/2..4", SMALL},
        {"threads=1..1/2", SMALL},
        {"depth=/4..4", SMALL},
        {"depth=1/0..4", "division by zero"},
        {"size=1..8e", RANGE},
        {"size=9223372036854775808..9223372036854775809", RANGE},
        {"depth=1..99999999999999999999", RANGE},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_refused(cases[i][0], cases[i][1]);
}

TEST(the_second_end_is_not_below_the_first)
{
    static const char *const texts[] = {"size=8k..4k",  "size=4097..4k",
                                        "size=1..0",    "threads=2..1",
                                        "depth=64..63", "threads=5000..4999"};
    for (size_t i = 0; i < LENGTH(texts); i++)
        check_refused(texts[i], BACKWARDS);
}

TEST(no_end_is_beyond_what_the_option_itself_takes)
{
    static const char size[] = "a request can have at most 2147479552 bytes",
                      threads[] = "must be at most 1024",
                      depth[] = "must be at most 4096";
    check_refused("size=4k..2147479553", size);
    check_refused("size=2g..2g", size);
    check_refused("size=1..9223372036854775807", size);
    check_refused("threads=1..1025", threads);
    check_refused("threads=1..5000", threads);
    check_refused("threads=1..9223372036854775807", threads);
    check_refused("depth=1..4097", depth);
    check_refused("depth=5000..6000", depth);
}

TEST(a_very_long_text_is_refused)
{
    static char text[100000];
    static const char *const heads[] = {"size=", "threads=1..", "size=1..", "depth="};
    for (size_t i = 0; i < LENGTH(heads); i++) {
        memset(text, '9', sizeof(text) - 1);
        memcpy(text, heads[i], strlen(heads[i]));
        struct sweep sweep;
        assert_non_null(parse_sweep(text, &sweep));
        memcpy(text + sizeof(text) - 4, "..9", 3);
        assert_non_null(parse_sweep(text, &sweep));
    }
}

/* 31 characters are room enough for any value; one more is not read. */
TEST(a_first_end_has_31_characters_at_the_most)
{
    struct sweep sweep;
    assert_null(parse_sweep("size=0000000000000000000000000000004..8", &sweep));
    assert_int_equal(sweep.from, 4);
    assert_non_null(parse_sweep("size=00000000000000000000000000000004..8", &sweep));
}

/* The values from FROM to TO are those of EXPECTED, 0 after the last. */
static void
check_values(int64_t from, int64_t to, const int64_t *expected)
{
    for (int64_t value = from; value; value = sweep_next(value, to))
        assert_int_equal(value, *expected++);
    assert_int_equal(*expected, 0);
}

TEST(values_double_to_the_end)
{
    static const struct {
        int64_t from, to, values[9];
    } cases[] = {
        {1, 1, {1}},
        {1, 2, {1, 2}},
        {1, 64, {1, 2, 4, 8, 16, 32, 64}},
        {3, 24, {3, 6, 12, 24}},
        {4096, 4096, {4096}},
        {512, 8192, {512, 1024, 2048, 4096, 8192}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_values(cases[i].from, cases[i].to, cases[i].values);
}

TEST(an_end_between_two_values_is_the_last)
{
    static const struct {
        int64_t from, to, values[9];
    } cases[] = {
        {1, 3, {1, 2, 3}},
        {2, 3, {2, 3}},
        {3, 7, {3, 6, 7}},
        {4, 7, {4, 7}},
        {4, 9, {4, 8, 9}},
        {5, 6, {5, 6}},
        {1, 100, {1, 2, 4, 8, 16, 32, 64, 100}},
        {512, 5000, {512, 1024, 2048, 4096, 5000}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_values(cases[i].from, cases[i].to, cases[i].values);
}

TEST(large_values_do_not_overflow)
{
    static const struct {
        int64_t value, to, next;
    } cases[] = {
        {1073741824, 2147479552, 2147479552},
        {1073739776, 2147479552, 2147479552},
        {1073741823, 2147483647, 2147483646},
        {2147483646, 2147483647, 2147483647},
        {2147483647, 2147483647, 0},
        {2147483648, 4294967296, 4294967296},
        {4611686018427387903, INT64_MAX, INT64_MAX - 1},
        {4611686018427387904, INT64_MAX, INT64_MAX},
        {INT64_MAX - 1, INT64_MAX, INT64_MAX},
        {INT64_MAX, INT64_MAX, 0},
        {INT64_MAX, 1, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        if (sweep_next(cases[i].value, cases[i].to) != cases[i].next)
            fail_msg("after %lld of %lld: %lld", (long long)cases[i].value,
                     (long long)cases[i].to,
                     (long long)sweep_next(cases[i].value, cases[i].to));
}

TEST(each_kind_has_its_word)
{
    assert_null(sweep_kinds[SWEEP_NONE].name);
    assert_string_equal(sweep_kinds[SWEEP_SIZE].name, "size");
    assert_string_equal(sweep_kinds[SWEEP_THREADS].name, "threads");
    assert_string_equal(sweep_kinds[SWEEP_DEPTH].name, "depth");
    assert_string_equal(sweep_kinds[SWEEP_INTERVAL].name, "interval");
    assert_string_equal(sweep_kinds[SWEEP_RATE].name, "rate");
    assert_string_equal(sweep_kinds[SWEEP_SIZE].noun, "size");
    assert_string_equal(sweep_kinds[SWEEP_THREADS].noun, "number of threads");
    assert_string_equal(sweep_kinds[SWEEP_DEPTH].noun, "depth");
    assert_string_equal(sweep_kinds[SWEEP_INTERVAL].noun, "interval");
}

TEST(values_have_the_units_of_their_kind)
{
    static const struct {
        enum sweep_kind kind;
        const char *text;
    } cases[] = {{SWEEP_SIZE, "3.91 KiB"},
                 {SWEEP_THREADS, "4000"},
                 {SWEEP_DEPTH, "4000"},
                 {SWEEP_INTERVAL, "4 us"},
                 {SWEEP_RATE, "4 k"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char text[UNITS_TEXT];
        assert_string_equal(sweep_format(cases[i].kind, 4000, text), cases[i].text);
    }
}
