/* The writer of JSON: separators, indents and escapes. */
#include "support.h"

#include "report/writers.h"

static struct writing {
    struct buffer text;
    struct json json;
} writing;

static struct json *
begin(bool one_line)
{
    memset(&writing, 0, sizeof(writing));
    writing.json = (struct json){.text = &writing.text, .one_line = one_line};
    return &writing.json;
}

/* Fails unless exactly TEXT was written and all is closed. */
static void
end(const char *text)
{
    assert_string_equal(writing.text.text, text);
    assert_int_equal(writing.text.length, strlen(text));
    assert_int_equal(writing.json.depth, 0);
    buffer_free(&writing.text);
}

static void
write_pair(struct json *json)
{
    json_open(json, NULL, '{');
    json_value(json, "a", "%d", 1);
    json_value(json, "b", "true");
    json_close(json, '}');
}

TEST(values_are_separated_by_commas)
{
    write_pair(begin(false));
    end("{\n  \"a\": 1,\n  \"b\": true\n}");
    write_pair(begin(true));
    end("{\"a\": 1, \"b\": true}");
}

static void
write_empty(struct json *json)
{
    json_open(json, NULL, '{');
    json_open(json, "o", '{');
    json_close(json, '}');
    json_open(json, "a", '[');
    json_close(json, ']');
    json_close(json, '}');
}

TEST(what_is_empty_stays_in_one_line)
{
    write_empty(begin(false));
    end("{\n  \"o\": {},\n  \"a\": []\n}");
    write_empty(begin(true));
    end("{\"o\": {}, \"a\": []}");
    json_open(begin(false), NULL, '[');
    json_close(&writing.json, ']');
    end("[]");
}

static void
write_nested(struct json *json)
{
    json_open(json, NULL, '[');
    json_open(json, NULL, '[');
    json_open(json, NULL, '{');
    json_open(json, "x", '[');
    json_value(json, NULL, "1");
    json_value(json, NULL, "2");
    json_close(json, ']');
    json_string(json, "y", "z");
    json_close(json, '}');
    json_open(json, NULL, '{');
    json_close(json, '}');
    json_close(json, ']');
    json_string(json, NULL, "");
    json_close(json, ']');
}

TEST(each_depth_is_indented_by_two)
{
    write_nested(begin(false));
    end("[\n"
        "  [\n"
        "    {\n"
        "      \"x\": [\n"
        "        1,\n"
        "        2\n"
        "      ],\n"
        "      \"y\": \"z\"\n"
        "    },\n"
        "    {}\n"
        "  ],\n"
        "  \"\"\n"
        "]");
    write_nested(begin(true));
    end("[[{\"x\": [1, 2], \"y\": \"z\"}, {}], \"\"]");
}

TEST(a_value_may_be_json_already)
{
    struct json *json = begin(false);
    json_open(json, NULL, '[');
    json_value(json, NULL, "{\"le\": %d, \"count\": %llu}", 5, 18446744073709551615ULL);
    json_value(json, NULL, "%.6f", 0.5);
    json_close(json, ']');
    end("[\n  {\"le\": 5, \"count\": 18446744073709551615},\n  0.500000\n]");
}

/* The text before the first value stays as it is. */
TEST(text_is_added)
{
    struct json *json = begin(true);
    buffer_text(&writing.text, "before ");
    json_open(json, NULL, '{');
    json_close(json, '}');
    end("before {}");
}

/* Every byte that is no UTF-8 is U+FFFD, one by one. */
static const struct {
    const char *value, *written;
} strings[] = {
    {"", ""},
    {"plain /path 'x'", "plain /path 'x'"},
    {"\"", "\\\""},
    {"\\", "\\\\"},
    {"\\\"n", "\\\\\\\"n"},
    {"\n\r\t\b\f", "\\u000a\\u000d\\u0009\\u0008\\u000c"},
    {"\x01\x1f \x7f~", "\\u0001\\u001f \\u007f~"},
    {"\xc3\xa9", "\xc3\xa9"},                               /* e with acute accent */
    {"\xe2\x82\xac", "\xe2\x82\xac"},                       /* euro */
    {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},               /* a face */
    {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},               /* the last there is */
    {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"},   /* beyond it */
    {"\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0"}, /* C1, and the next */
    {"\x80", "\\ufffd"},
    {"\xff"
     "a",
     "\\ufffd"
     "a"},
    {"\xc3", "\\ufffd"},
    {"\xc3\"", "\\ufffd\\\""},
    {"\xe2\x82", "\\ufffd\\ufffd"},
    {"\xe2\x80\xae\xd8\x9c\xe2\x81\xa9", "\\u202e\\u061c\\u2069"},
    {"\xc0\xaf", "\\ufffd\\ufffd"},            /* overlong */
    {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"}, /* a surrogate */
};

TEST(strings_are_escaped)
{
    for (size_t i = 0; i < LENGTH(strings); i++) {
        char expected[256];
        json_string(begin(true), NULL, strings[i].value);
        snprintf(expected, sizeof(expected), "\"%s\"", strings[i].written);
        end(expected);
        json_string(begin(false), NULL, strings[i].value);
        end(expected);
    }
}

/* Not only what fits into the room for a number. */
TEST(a_long_string_is_whole)
{
    char value[5001], expected[10003];
    memset(value, '"', 5000);
    value[5000] = '\0';
    for (int i = 1; i < 10001; i++)
        expected[i] = i % 2 ? '\\' : '"';
    expected[0] = expected[10001] = '"';
    expected[10002] = '\0';
    json_string(begin(true), NULL, value);
    end(expected);
}
