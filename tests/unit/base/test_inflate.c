/*
 * Base64 and zlib streams, from the examples of RFC 4648 and from streams that
 * zlib 1.2.13 made; their texts are computed here again. Streams that are cut short, or
 * have any wrong bit, are refused.
 */
#include "support.h"

#include "base/inflate.h"

static const char stored[] =
    "\x78\x01\x01\x06\x00\xf9\xff\x73\x74\x6f\x72\x65\x64\x09\x3c\x02\x92";
static const char fixed[] =
    "\x78\x01\x2b\xc8\xcc\x4b\x57\x28\x40\x21\x74\x14\x0a\xf2\xf3\xd2\x01\x77"
    "\xbd\x09\x19";
static const char dynamic[] =
    "\x78\xda\xed\xca\xb1\x11\x00\x30\x08\x02\xc0\x59\xf1\x50\x51\xf6\xef\xdd"
    "\x22\x55\xbe\x7e\xa8\x97\x88\xf4\x9a\x70\x28\x73\x18\x14\x59\x9e\x81\xaa"
    "\xf1\xc3\xcb\x70\xd7\x5c\x9f\x63";
static const char nothing[] = "\x78\xda\x03\x00\x00\x00\x00\x01";

/* 36000 bytes of a pattern of 300 bytes: copies over nearly the whole window. */
static const char repeated[] =
    "\x78\xda\xed\xd0\x43\x82\x10\x00\x00\x00\xc0\xcd\xb6\x6d\xdb\xb6\x6d\xdb"
    "\xb6\xb9\xd9\xb6\x6d\xdb\xb6\x6d\xdb\x76\x9d\x7a\x43\x87\x6e\xf3\x84\x99"
    "\x80\x14\x65\x3b\x4d\xdb\xfd\x20\x74\x86\xaa\xbd\xe6\x1d\x7e\x11\x39\x47"
    "\xdd\xc0\x65\xa7\x3f\xc4\x2e\xd0\x74\xe4\xba\xcb\x3f\x12\x97\x68\x3b\x71"
    "\xdb\xed\x60\xa9\x2b\x74\x9d\xb9\xef\x71\xb8\xcc\x35\xfa\x2e\x3c\xf6\x3a"
    "\x5a\xee\x06\x43\x56\x9e\xfb\x1c\xaf\x70\x8b\x31\x1b\xaf\xfd\x4e\x56\xba"
    "\xc3\x94\x9d\xf7\x42\xa6\xab\xdc\x63\xce\xc1\x67\x11\xb3\xd5\x1e\xb0\xe4"
    "\xe4\xbb\x98\xf9\x1a\x0f\x5f\x73\xf1\x5b\xc2\x62\xad\xc7\x6f\xb9\x19\x24"
    "\x65\xb9\xce\xd3\xf7\x3c\x0c\x93\xb1\x5a\xef\xf9\x47\x5e\x46\xc9\x59\x6f"
    "\xd0\xf2\x33\x1f\xe3\x14\x6c\x36\x6a\xfd\x95\x9f\x49\x4a\xb6\x9b\xb4\xfd"
    "\x4e\xf0\x34\x15\xbb\xcd\xda\xff\x24\x7c\x96\x9a\xfd\x16\x1d\x7f\x13\x3d"
    "\x4f\xc3\xa1\xab\xce\x7f\x89\x5f\xa4\xe5\xd8\x4d\xd7\xff\x24\x2f\xd3\x71"
    "\xea\xae\xfb\xa1\xd2\x57\xe9\x39\xf7\xd0\xf3\x48\xd9\xeb\x0c\x5c\x7a\xea"
    "\x7d\xac\xfc\x4d\x46\xac\xbd\xf4\x3d\x51\xf1\x36\x13\xb6\xde\x0a\x9a\xaa"
    "\x7c\x97\x19\x7b\x1f\x85\xcd\x54\xbd\xcf\x82\xa3\xaf\xa2\xe6\xaa\x3f\x78"
    "\xc5\xd9\x4f\x71\x0b\x35\x1f\xbd\xe1\xea\xaf\xa4\xa5\xda\x4f\xde\x71\x37"
    "\x44\xda\x4a\xdd\x67\x1f\x78\x1a\x21\x6b\xad\xfe\x8b\x4f\xbc\x8d\x91\xb7"
    "\xd1\xb0\xd5\x17\xbe\x26\x28\xda\x6a\xdc\xe6\x1b\x01\xff\x4a\x0f\x70\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5"
    "\xca\x95\x2b\x57\xae\x5c\xb9\x72\xe5\xea\x3f\x5f\xfd\x05\x59\xa8\x32\xd5";

/* Returns the text of `dynamic`. */
static const char *
make_text(void)
{
    static char text[401];
    for (int i = 0; i < 400; i++)
        text[i] = (char)('a' + (i * i * 7 + i / 3) % 11);
    return text;
}

/* Decompresses SIZE BYTES, of which a sanitizer sees the end. Returns the content, to be
 * freed by the caller, or NULL with `problem`. */
static struct buffer content;
static const char *problem;

static bool
inflates(const char *bytes, size_t size, size_t most)
{
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy + 1, bytes, size); /* so that the end is that of the allocation */
    buffer_free(&content);
    problem = zlib_inflate(&content, copy + 1, size, most);
    free(copy);
    assert_true(content.length <= most);
    return !problem;
}

static void
check_content(const char *bytes, size_t size, const char *expected, size_t length)
{
    if (!inflates(bytes, size, length))
        fail_msg("%s", problem);
    assert_int_equal(content.length, length);
    assert_memory_equal(content.text, expected, length);
    if (length > 0) {
        assert_false(inflates(bytes, size, length - 1));
        assert_string_equal(problem, "it is too large when decompressed");
    }
}

TEST(each_type_of_block_gives_its_content)
{
    check_content(stored, sizeof(stored) - 1, "stored", 6);
    check_content(fixed, sizeof(fixed) - 1, "ping ping ping ping, pong", 25);
    check_content(dynamic, sizeof(dynamic) - 1, make_text(), 400);
    assert_true(inflates(nothing, sizeof(nothing) - 1, 0));
    assert_int_equal(content.length, 0);
}

TEST(copies_reach_back_over_the_whole_window)
{
    assert_true(inflates(repeated, sizeof(repeated) - 1, 36000));
    assert_int_equal(content.length, 36000);
    for (int i = 0; i < 36000; i++)
        if ((unsigned char)content.text[i] != i % 300 * 37 % 251)
            fail_msg("byte %d", i);
}

static const struct stream {
    const char *name, *bytes;
    size_t size;
} streams[] = {
    {"stored", stored, sizeof(stored) - 1},
    {"fixed", fixed, sizeof(fixed) - 1},
    {"dynamic", dynamic, sizeof(dynamic) - 1},
    {"nothing", nothing, sizeof(nothing) - 1},
};

TEST_EACH(a_stream_that_is_cut_short_is_refused, streams)
{
    const struct stream *stream = *state;
    for (size_t size = 0; size < stream->size; size++) {
        assert_false(inflates(stream->bytes, size, 10000));
        assert_string_equal(problem, "its zlib stream ends early");
    }
    char longer[512];
    memcpy(longer, stream->bytes, stream->size + 1);
    assert_false(inflates(longer, stream->size + 1, 10000));
    assert_string_equal(problem, "bytes follow its zlib stream");
}

/* A wrong bit may be one that means nothing: those that fill up the last byte before a
 * checksum or a stored block. Then the content is right all the same. */
TEST_EACH(a_wrong_bit_never_gives_wrong_content, streams)
{
    const struct stream *stream = *state;
    char bytes[512];
    int accepted = 0;
    assert_true(inflates(stream->bytes, stream->size, 10000));
    char *right = content.text;
    size_t length = content.length;
    content = (struct buffer){0};
    for (size_t bit = 0; bit < 8 * stream->size; bit++) {
        memcpy(bytes, stream->bytes, stream->size);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        if (!inflates(bytes, stream->size, 10000))
            continue;
        accepted++;
        assert_int_equal(content.length, length);
        if (length > 0)
            assert_memory_equal(content.text, right, length);
    }
    assert_in_range(accepted, 0, 7);
    free(right);
}

TEST(streams_that_are_not_zlib_say_so)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *problem;
    } cases[] = {
        {"\x1f\x8b\x08", 3, "it has no zlib stream"},
        {"\x88\x1c\x03", 3, "it has no zlib stream"},               /* window of 64 KiB */
        {"\x78\x9d\x03", 3, "it has no zlib stream"},               /* check bits */
        {"\x78\xbb\x03", 3, "it has no zlib stream"},               /* dictionary */
        {"\x78\x01\x07", 3, "its zlib stream has an invalid code"}, /* type 3 */
        {"\x78\x01\x01\x01\x00\xff\xff\x61", 8,
         "the size of a block of its zlib stream is wrong"},
        /* a copy before the first byte: length 3, distance 1 */
        {"\x78\x01\x03\x02\x00\x00\x00\x00\x01", 9,
         "its zlib stream refers to bytes before its beginning"},
        /* too many codes of one bit for the lengths of codes */
        {"\x78\x01\x05\x00\x92\x04", 6, "its zlib stream has an invalid code"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_false(inflates(cases[i].bytes, cases[i].size, 1000));
        assert_string_equal(problem, cases[i].problem);
    }
}

TEST(base64_gives_the_examples_of_its_rfc)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"Zg==", "f"},
        {"Zm8=", "fo"},
        {"Zm9v", "foo"},
        {"Zm9vYg==", "foob"},
        {"Zm9vYmE=", "fooba"},
        {"Zm9vYmFy", "foobar"},
        {"+/+/", "\xfb\xff\xbf"},
    };
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        struct buffer out = {0};
        assert_null(base64_decode(&out, pairs[i][0], strlen(pairs[i][0])));
        assert_string_equal(out.text ? out.text : "", pairs[i][1]);
        buffer_free(&out);
    }
}

TEST(other_base64_is_refused)
{
    static const char *const texts[] = {
        "Z",    "Zm9",  "Zm9vY",    "Zm9v\n", "Zm-_",
        "Z===", "====", "Zg==Zg==", "Zm 9",   "\xff\xff\xff\xff"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct buffer out = {0};
        assert_non_null(base64_decode(&out, texts[i], strlen(texts[i])));
        buffer_free(&out);
    }
}
