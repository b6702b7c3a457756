/* Values with units, parsed and printed. All expected numbers were worked out by hand. */
#include "support.h"

#include "base/units.h"

#include <ctype.h>

static const char not_count[] = "not a count such as 10, 5k or 1M";
static const char not_size[] = "not a size such as 4096, 4k or 1.5m";
static const char not_time[] = "not a time such as 10ms, 0.5s or 2min";
static const char out_of_range[] = "out of range";
static const char by_zero[] = "division by zero";
static const char too_small[] = "too small: it would be rounded to 0";

static void
check_value(enum units_kind kind, const char *text, int64_t expected)
{
    int64_t value = -1;
    const char *wrong = units_parse(kind, text, &value);
    if (wrong || value != expected)
        fail_msg("kind %d, \"%s\": %s, %lld; expected %lld", (int)kind, text,
                 wrong ? wrong : "accepted", (long long)value, (long long)expected);
}

static void
check_refusal(enum units_kind kind, const char *text, const char *reason)
{
    int64_t value = 12345;
    const char *wrong = units_parse(kind, text, &value);
    if (!wrong || strcmp(wrong, reason) != 0 || value != 12345)
        fail_msg("kind %d, \"%s\": %s, %lld; expected: %s", (int)kind, text,
                 wrong ? wrong : "accepted", (long long)value, reason);
}

TEST(every_suffix_in_every_case)
{
    static const struct {
        enum units_kind kind;
        const char *suffix;
        int64_t factor;
    } cases[] = {
        {UNITS_COUNT, "", 1},
        {UNITS_COUNT, "da", 10},
        {UNITS_COUNT, "k", 1000},
        {UNITS_COUNT, "M", 1000000},
        {UNITS_COUNT, "G", 1000000000},
        {UNITS_COUNT, "T", 1000000000000},
        {UNITS_COUNT, "P", 1000000000000000},
        {UNITS_COUNT, "E", 1000000000000000000},
        {UNITS_SIZE, "", 1},
        {UNITS_SIZE, "B", 1},
        {UNITS_SIZE, "k", 1024},
        {UNITS_SIZE, "kb", 1024},
        {UNITS_SIZE, "KiB", 1024},
        {UNITS_SIZE, "m", 1048576},
        {UNITS_SIZE, "mb", 1048576},
        {UNITS_SIZE, "MiB", 1048576},
        {UNITS_SIZE, "g", 1073741824},
        {UNITS_SIZE, "gb", 1073741824},
        {UNITS_SIZE, "GiB", 1073741824},
        {UNITS_SIZE, "t", 1099511627776},
        {UNITS_SIZE, "tb", 1099511627776},
        {UNITS_SIZE, "TiB", 1099511627776},
        {UNITS_SIZE, "p", 1125899906842624},
        {UNITS_SIZE, "pb", 1125899906842624},
        {UNITS_SIZE, "PiB", 1125899906842624},
        {UNITS_SIZE, "e", 1152921504606846976},
        {UNITS_SIZE, "eb", 1152921504606846976},
        {UNITS_SIZE, "EiB", 1152921504606846976},
        {UNITS_SIZE, "sector", 512},
        {UNITS_SIZE, "page", 4096},
        {UNITS_TIME, "", 1000000000},
        {UNITS_TIME, "ns", 1},
        {UNITS_TIME, "nsec", 1},
        {UNITS_TIME, "us", 1000},
        {UNITS_TIME, "usec", 1000},
        {UNITS_TIME, "ms", 1000000},
        {UNITS_TIME, "msec", 1000000},
        {UNITS_TIME, "s", 1000000000},
        {UNITS_TIME, "sec", 1000000000},
        {UNITS_TIME, "m", 60000000000},
        {UNITS_TIME, "min", 60000000000},
        {UNITS_TIME, "h", 3600000000000},
        {UNITS_TIME, "hour", 3600000000000},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char as_is[16], lower[16], upper[16], mixed[16];
        size_t length = (size_t)snprintf(as_is, sizeof(as_is), "3%s", cases[i].suffix);
        for (size_t k = 0; k <= length; k++) {
            lower[k] = (char)tolower(as_is[k]);
            upper[k] = (char)toupper(as_is[k]);
            mixed[k] = k % 2 ? upper[k] : lower[k];
        }
        const char *const forms[] = {as_is, lower, upper, mixed};
        for (size_t k = 0; k < LENGTH(forms); k++)
            check_value(cases[i].kind, forms[k], 3 * cases[i].factor);
    }
}

TEST(decimals_and_fractions_round_down)
{
    static const struct {
        enum units_kind kind;
        const char *text;
        int64_t value;
    } cases[] = {
        {UNITS_COUNT, "0", 0},
        {UNITS_COUNT, "0k", 0},
        {UNITS_COUNT, "0.0", 0},
        {UNITS_COUNT, "0/5", 0},
        {UNITS_COUNT, "007", 7},
        {UNITS_COUNT, "5.", 5},
        {UNITS_COUNT, "1.000", 1},
        {UNITS_COUNT, "1.999", 1},
        {UNITS_COUNT, "1.5k", 1500},
        {UNITS_COUNT, "1.5da", 15},
        {UNITS_COUNT, "10/4", 2},
        {UNITS_COUNT, "/1", 1},
        {UNITS_COUNT, "/4k", 250},
        {UNITS_COUNT, "1/3k", 333},
        {UNITS_COUNT, "2/3k", 666},
        {UNITS_COUNT, "0.1/0.3k", 333},
        {UNITS_COUNT, "1/0.0000000001", 10000000000},
        {UNITS_COUNT, "9007199254740993", 9007199254740993},
        {UNITS_COUNT, "9007199254740993k", 9007199254740993000},
        {UNITS_COUNT, "4503599627370497.5", 4503599627370497},
        {UNITS_SIZE, "1.5k", 1536},
        {UNITS_SIZE, "1.5m", 1572864},
        {UNITS_SIZE, "1/2m", 524288},
        {UNITS_SIZE, "/2k", 512},
        {UNITS_SIZE, "1/1024m", 1024},
        {UNITS_SIZE, "0.5sector", 256},
        {UNITS_SIZE, ".5page", 2048},
        {UNITS_SIZE, "9.995k", 10234},
        {UNITS_SIZE, "1023.97k", 1048545},
        {UNITS_TIME, "0", 0},
        {UNITS_TIME, "0.5", 500000000},
        {UNITS_TIME, "0.1", 100000000},
        {UNITS_TIME, "0.30000000000000004", 300000000},
        {UNITS_TIME, "1/100", 10000000},
        {UNITS_TIME, "/4", 250000000},
        {UNITS_TIME, "1/2m", 30000000000},
        {UNITS_TIME, "0.1/0.3", 333333333},
        {UNITS_TIME, "2/3", 666666666},
        {UNITS_TIME, "1.5us", 1500},
        {UNITS_TIME, "0.0015us", 1},
        {UNITS_TIME, "1.9999999999", 1999999999},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_value(cases[i].kind, cases[i].text, cases[i].value);
}

TEST(values_reach_the_largest_signed_number)
{
    check_value(UNITS_COUNT, "9223372036854775807", INT64_MAX);
    check_value(UNITS_COUNT, "9223372036854775807.0", INT64_MAX);
    check_value(UNITS_COUNT, "9.2E", 9200000000000000000);
    check_value(UNITS_SIZE, "9223372036854775807", INT64_MAX);
    check_value(UNITS_SIZE, "9223372036854775807b", INT64_MAX);
    check_value(UNITS_SIZE, "7e", 8070450532247928832);
    check_value(UNITS_SIZE, "8191p", 9222246136947933184);
    check_value(UNITS_TIME, "9223372036854775807ns", INT64_MAX);
    check_value(UNITS_TIME, "9223372036", 9223372036000000000);
    check_value(UNITS_TIME, "153722867m", 9223372020000000000);
    check_value(UNITS_TIME, "2562047h", 9223369200000000000);
}

TEST(the_largest_number_may_have_a_larger_unit)
{
    check_value(UNITS_TIME, "9223372036.854775807", INT64_MAX);
    check_value(UNITS_TIME, "9223372036854775.807us", INT64_MAX);
}

TEST(digits_beyond_the_precision_are_cut_off)
{
    check_value(UNITS_TIME, "0.3333333333333333333333", 333333333);
    check_value(UNITS_COUNT, "2.50000000000000000000001", 2);
    check_value(UNITS_SIZE, "1.00000000000000000000001k", 1024);
}

TEST(larger_values_are_out_of_range)
{
    static const struct {
        enum units_kind kind;
        const char *text;
    } cases[] = {
        {UNITS_COUNT, "9223372036854775808"},
        {UNITS_COUNT, "9223372036854775808/1"},
        {UNITS_COUNT, "18446744073709551616"},
        {UNITS_COUNT, "99999999999999999999999"},
        {UNITS_COUNT, "9.3E"},
        {UNITS_COUNT, "10E"},
        {UNITS_COUNT, "922337203685477581da"},
        {UNITS_SIZE, "9223372036854775808"},
        {UNITS_SIZE, "8e"},
        {UNITS_SIZE, "16e"},
        {UNITS_SIZE, "8192p"},
        {UNITS_SIZE, "18014398509481984sector"},
        {UNITS_TIME, "9223372036854775808ns"},
        {UNITS_TIME, "9223372037"},
        {UNITS_TIME, "9999999999999"},
        {UNITS_TIME, "153722868m"},
        {UNITS_TIME, "2562048h"},
        {UNITS_TIME, "9223372036.854775808"},
        {UNITS_TIME, "18446744073.709551617"},
        {UNITS_TIME, "1/0.0000000001"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_refusal(cases[i].kind, cases[i].text, out_of_range);
}

/* Values as ioping 1.3 takes them, in all its spellings. */
TEST(spellings_of_the_predecessor)
{
    static const struct {
        enum units_kind kind;
        int64_t value;
        const char *texts[18];
    } cases[] = {
        {UNITS_COUNT,
         12,
         {"1.2da", ".012k", "0.012K", "0.000012M", "0.000012m", "0.000000012g",
          "0.000000000012T", "24/2"}},
        {UNITS_COUNT, 10, {"1DA"}},
        {UNITS_COUNT, 3, {".3da", "00003"}},
        {UNITS_COUNT, 2, {"2.5", "0.2da"}},
        {UNITS_SIZE, 512, {"512b"}},
        {UNITS_SIZE, 4096, {"4kB", "4KiB"}},
        {UNITS_SIZE, 1536, {"1.5K", "3sector"}},
        {UNITS_SIZE, 8192, {"2Page"}},
        {UNITS_SIZE, 1048576, {"1MB", "/1024gib", "1/1048576TiB"}},
        {UNITS_SIZE, 524288, {"0.5MiB"}},
        {UNITS_SIZE, 1073741, {"0.001g", ".001GB"}},
        {UNITS_SIZE, 1099511, {"0.000001t", ".000001TB"}},
        {UNITS_TIME,
         50000000,
         {"1/20", "0.05", "50000000ns", "50000000nsec", "50000us", "50000USEC", "50ms",
          "/20s", "50Msec", ".05sec", "1/20.0", "100/2ms"}},
        {UNITS_TIME, 54000000, {"0.0009min", ".0009m", ".000015h", ".000015Hour"}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (size_t k = 0; cases[i].texts[k]; k++)
            check_value(cases[i].kind, cases[i].texts[k], cases[i].value);
}

TEST(what_is_no_value_is_refused)
{
    static const char *const words[] = {
        "",     "abc",   "k",     "-1",   "-0",   "nan", "NaN",  "inf",   "infinity",
        "0x10", "+1",    " 1",    "1 ",   "\t1",  "1\n", "1//2", "1/2/4", ".",
        "/",    "1/",    "/k",    "1/k",  "-",    "1 k", "1,5",  "1.2.3", "1/-2",
        "1/+2", "1k5",   "1_000", "x",    "4kk",  "4 k", "1 ms", "-4k",   "-1ms",
        "1..2", "1,5ms", "1/2/3", "3 ",   "1kk",  "1e3", "1E+3", "1x",    "1.z",
        "0b1",  "1%",    "k1",    "1/2 ", "1k/2",
    };
    static const struct {
        enum units_kind kind;
        const char *reason;
    } kinds[] = {
        {UNITS_COUNT, not_count}, {UNITS_SIZE, not_size}, {UNITS_TIME, not_time}};
    for (size_t i = 0; i < LENGTH(words); i++)
        for (size_t k = 0; k < LENGTH(kinds); k++)
            check_refusal(kinds[k].kind, words[i], kinds[k].reason);
}

TEST(a_unit_of_another_kind_is_refused)
{
    static const char *const counts[] = {"1kb", "1KiB",    "3KiB", "1s",
                                         "1B",  "1sector", "1d",   "1da1"};
    static const char *const sizes[] = {"1s",     "1da",      "1ms", "1ki", "1bytes",
                                        "1pages", "1sectors", "1q",  "1zb"};
    static const char *const times[] = {"1k",    "1ks",      "1d",  "1G",
                                        "1mins", "1seconds", "1se", "1n"};
    for (size_t i = 0; i < LENGTH(counts); i++)
        check_refusal(UNITS_COUNT, counts[i], not_count);
    for (size_t i = 0; i < LENGTH(sizes); i++)
        check_refusal(UNITS_SIZE, sizes[i], not_size);
    for (size_t i = 0; i < LENGTH(times); i++)
        check_refusal(UNITS_TIME, times[i], not_time);
}

TEST(a_division_by_zero_is_refused)
{
    check_refusal(UNITS_COUNT, "1/0", by_zero);
    check_refusal(UNITS_COUNT, "0/0", by_zero);
    check_refusal(UNITS_SIZE, "1/0", by_zero);
    check_refusal(UNITS_TIME, "1/0", by_zero);
    check_refusal(UNITS_SIZE, "1/0.000k", by_zero);
    check_refusal(UNITS_TIME, "/0", by_zero);
}

TEST(a_value_that_would_become_zero_is_refused)
{
    check_refusal(UNITS_COUNT, "0.5", too_small);
    check_refusal(UNITS_COUNT, "0.999999", too_small);
    check_refusal(UNITS_COUNT, "1/3", too_small);
    check_refusal(UNITS_COUNT, "0.0009k", too_small);
    check_refusal(UNITS_SIZE, "0.5", too_small);
    check_refusal(UNITS_SIZE, "1/1025k", too_small);
    check_refusal(UNITS_TIME, "0.9ns", too_small);
    check_refusal(UNITS_TIME, "0.0000000009", too_small);
}

static void
check_text(enum units_kind kind, int64_t value, const char *expected)
{
    char text[UNITS_TEXT];
    assert_ptr_equal(units_format(kind, value, text), text);
    assert_string_equal(text, expected);
}

TEST(counts_are_printed_in_thousands)
{
    check_text(UNITS_COUNT, 0, "0");
    check_text(UNITS_COUNT, 48, "48");
    check_text(UNITS_COUNT, 999, "999");
    check_text(UNITS_COUNT, 1000, "1 k");
    check_text(UNITS_COUNT, 1001, "1.00 k");
    check_text(UNITS_COUNT, 1260, "1.26 k");
    check_text(UNITS_COUNT, 1602, "1.60 k");
    check_text(UNITS_COUNT, 9995, "9.99 k");
    check_text(UNITS_COUNT, 9999, "10.00 k");
    check_text(UNITS_COUNT, 10000, "10 k");
    check_text(UNITS_COUNT, 10050, "10.1 k");
    check_text(UNITS_COUNT, 12350, "12.3 k");
    check_text(UNITS_COUNT, 12450, "12.4 k");
    check_text(UNITS_COUNT, 12550, "12.6 k");
    check_text(UNITS_COUNT, 999999, "1000.0 k");
    check_text(UNITS_COUNT, 1000000, "1 M");
    check_text(UNITS_COUNT, 2345678, "2.35 M");
    check_text(UNITS_COUNT, 1000000000, "1 G");
    check_text(UNITS_COUNT, 1000000000000, "1 T");
    check_text(UNITS_COUNT, 1000000000000000, "1000 T");
    check_text(UNITS_COUNT, INT64_MAX, "9223372.0 T");
}

TEST(sizes_are_printed_in_powers_of_1024)
{
    check_text(UNITS_SIZE, 0, "0 B");
    check_text(UNITS_SIZE, 512, "512 B");
    check_text(UNITS_SIZE, 1000, "1000 B");
    check_text(UNITS_SIZE, 1023, "1023 B");
    check_text(UNITS_SIZE, 1024, "1 KiB");
    check_text(UNITS_SIZE, 1536, "1.50 KiB");
    check_text(UNITS_SIZE, 4096, "4 KiB");
    check_text(UNITS_SIZE, 10234, "9.99 KiB");
    check_text(UNITS_SIZE, 10239, "10.00 KiB");
    check_text(UNITS_SIZE, 12544, "12.2 KiB");
    check_text(UNITS_SIZE, 1048545, "1024.0 KiB");
    check_text(UNITS_SIZE, 1048576, "1 MiB");
    check_text(UNITS_SIZE, 1073741824, "1 GiB");
    check_text(UNITS_SIZE, 115749386650, "107.8 GiB");
    check_text(UNITS_SIZE, 1099511627776, "1 TiB");
    check_text(UNITS_SIZE, 1125899906842624, "1 PiB");
    check_text(UNITS_SIZE, 1152921504606846976, "1024 PiB");
    check_text(UNITS_SIZE, INT64_MAX, "8192.0 PiB");
}

TEST(times_are_printed_from_nanoseconds_to_hours)
{
    check_text(UNITS_TIME, 0, "0 ns");
    check_text(UNITS_TIME, 999, "999 ns");
    check_text(UNITS_TIME, 1000, "1 us");
    check_text(UNITS_TIME, 9999, "10.00 us");
    check_text(UNITS_TIME, 282600, "282.6 us");
    check_text(UNITS_TIME, 1000000, "1 ms");
    check_text(UNITS_TIME, 3980000, "3.98 ms");
    check_text(UNITS_TIME, 1000000000, "1 s");
    check_text(UNITS_TIME, 9000000001, "9.00 s");
    check_text(UNITS_TIME, 59999999999, "60.0 s");
    check_text(UNITS_TIME, 60000000000, "1 min");
    check_text(UNITS_TIME, 90000000000, "1.50 min");
    check_text(UNITS_TIME, 3599000000000, "60.0 min");
    check_text(UNITS_TIME, 3600000000000, "1 hour");
    check_text(UNITS_TIME, 86400000000000, "24 hour");
    check_text(UNITS_TIME, INT64_MAX, "2562047.8 hour");
}

TEST(spans_of_time_have_two_units)
{
    static const struct {
        int64_t ms;
        const char *text;
    } spans[] = {{0, "0 ns"},
                 {1500, "1.50 s"},
                 {59999, "60.0 s"},
                 {60000, "1 min"},
                 {60499, "1 min"},
                 {60500, "1 min 1 s"},
                 {90000, "1 min 30 s"},
                 {3599499, "59 min 59 s"},
                 {3599500, "1 h"},
                 {3629999, "1 h"},
                 {3630000, "1 h 1 min"},
                 {7800000, "2 h 10 min"},
                 {86369999, "23 h 59 min"},
                 {86370000, "1 d"},
                 {273600000, "3 d 4 h"},
                 {31536000000, "365 d"}};
    char text[UNITS_TEXT];

    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
        assert_string_equal(units_format_span(spans[i].ms * 1000000, text),
                            spans[i].text);
    assert_string_equal(units_format_span(INT64_MAX, text), "106752 d");
}

TEST(scaling_is_exact_and_stops_at_the_limit)
{
    static const struct {
        int64_t a, b, c, result;
    } cases[] = {
        {0, 5, 7, 0},
        {5, 0, 7, 0},
        {7, 1, 2, 3},
        {10, 10, 3, 33},
        {4096, 1000000000, 1048576, 3906250},
        {1, INT64_MAX, 2, 4611686018427387903},
        {3, INT64_MAX, 4, 6917529027641081855},
        {INT64_MAX, 3, 4, 6917529027641081855},
        {INT64_MAX, 1000000000, INT64_MAX, 1000000000},
        {INT64_MAX - 1, INT64_MAX, INT64_MAX, INT64_MAX - 1},
        {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
        {123456789012345678, 987654321098765432, 999999999999999999, 121932631137021794},
        {4611686018427387903, 2, 1, INT64_MAX - 1},
        {6148914691236517205, 3, 2, INT64_MAX},
        {4611686018427387904, 2, 1, INT64_MAX},
        {4611686018427387904, 4, 1, INT64_MAX},
        {INT64_MAX, INT64_MAX, INT64_MAX - 1, INT64_MAX},
        {INT64_MAX, INT64_MAX, 1, INT64_MAX},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t result = units_scale(cases[i].a, cases[i].b, cases[i].c);
        if (result != cases[i].result)
            fail_msg("case %d: %lld", (int)i, (long long)result);
    }
}

TEST(products_over_a_number_are_rounded_up)
{
    static const struct {
        int64_t a, b, c, result;
    } cases[] = {
        {0, 5, 7, 0},
        {7, 1, 2, 4},
        {10, 10, 4, 25},
        {1, 1000000000, 7, 142857143},
        {INT64_MAX, 3, 4, 6917529027641081856},
        {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
        {INT64_MAX, INT64_MAX, 1, INT64_MAX},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(units_scale_up(cases[i].a, cases[i].b, cases[i].c),
                         cases[i].result);
}

/* Without a space, so that they can be arguments. */
TEST(exact_values_are_read_back)
{
    static const struct {
        enum units_kind kind;
        int64_t value;
        const char *text;
    } cases[] = {
        {UNITS_TIME, 0, "0ns"},
        {UNITS_TIME, 1, "1ns"},
        {UNITS_TIME, 1000000, "1ms"},
        {UNITS_TIME, 1500000, "1500us"},
        {UNITS_TIME, 1000001, "1000001ns"},
        {UNITS_TIME, 90000000000, "90s"},
        {UNITS_TIME, 7200000000000, "2hour"},
        {UNITS_TIME, INT64_MAX, "9223372036854775807ns"},
        {UNITS_COUNT, 0, "0"},
        {UNITS_COUNT, 999, "999"},
        {UNITS_COUNT, 48000, "48k"},
        {UNITS_COUNT, 1500, "1500"},
        {UNITS_COUNT, 2000000, "2M"},
        {UNITS_SIZE, 4096, "4KiB"},
        {UNITS_SIZE, 4097, "4097B"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char text[UNITS_TEXT];
        int64_t value = -1;
        assert_ptr_equal(units_exact(cases[i].kind, cases[i].value, text), text);
        assert_string_equal(text, cases[i].text);
        assert_null(units_parse(cases[i].kind, text, &value));
        assert_int_equal(value, cases[i].value);
    }
}
