/* Errors, notes, escapes and growing text. */
#include "support.h"

#include "base/buffer.h"
#include "base/error.h"

static void
check_line(const struct error *error, const char *expected)
{
    char text[1200];
    assert_int_equal(error_format(error, text, sizeof(text)), strlen(expected));
    assert_string_equal(text, expected);
}

TEST(an_error_is_one_line)
{
    struct error error;
    memset(&error, 0xff, sizeof(error));
    assert_int_equal(error_set(&error, EXIT_PREPARE, "/mnt/x", "%d of %s", 3, "them"),
                     -1);
    assert_int_equal(error.status, 2);
    check_line(&error, "ioping: /mnt/x: 3 of them\n");
    assert_int_equal(error_advise(&error, "use -S smaller"), -1);
    check_line(&error, "ioping: /mnt/x: 3 of them; use -S smaller\n");
}

TEST(an_error_about_nothing_has_no_colon)
{
    struct error error;
    error_set(&error, EXIT_USAGE, NULL, "no destination specified");
    check_line(&error, "ioping: no destination specified\n");
    error_set(&error, EXIT_USAGE, "", "no destination specified");
    check_line(&error, "ioping: no destination specified\n");
}

TEST(a_new_error_forgets_the_old_advice)
{
    struct error error;
    error_set(&error, EXIT_USAGE, "a", "b");
    error_advise(&error, "c");
    error_set(&error, EXIT_RUNTIME, "d", "e");
    check_line(&error, "ioping: d: e\n");
}

TEST(an_error_escapes_control_characters)
{
    struct error error;
    error_set(&error, EXIT_PREPARE, "a\nb\033[2J", "c\rd %s", "e\x7f");
    error_advise(&error, "f\xe2\x80\xae");
    check_line(&error, "ioping: a\\012b\\033[2J: c\\015d e\\177; f\\342\\200\\256\n");
}

TEST(an_error_that_is_too_long_is_cut)
{
    struct error error;
    char what[600], text[16];
    memset(what, 'w', sizeof(what));
    what[sizeof(what) - 1] = '\0';
    error_set(&error, EXIT_PREPARE, what, "%s", what);
    error_advise(&error, what);
    assert_int_equal(strlen(error.what), 511);
    assert_int_equal(strlen(error.why), 255);
    assert_int_equal(strlen(error.advice), 255);
    assert_int_equal(error_format(&error, text, sizeof(text)), 15);
    assert_string_equal(text, "ioping: wwwwwww");
}

TEST(an_errno_has_its_symbolic_name)
{
    static const struct {
        int number;
        const char *name;
    } cases[] = {
        {EPERM, "EPERM"},   {ENOENT, "ENOENT"},   {EINTR, "EINTR"},
        {EIO, "EIO"},       {ENXIO, "ENXIO"},     {EAGAIN, "EAGAIN"},
        {ENOMEM, "ENOMEM"}, {EACCES, "EACCES"},   {EBUSY, "EBUSY"},
        {EINVAL, "EINVAL"}, {ENOSPC, "ENOSPC"},   {EROFS, "EROFS"},
        {EDQUOT, "EDQUOT"}, {ESTALE, "ESTALE"},   {ETIMEDOUT, "ETIMEDOUT"},
        {ENODEV, "ENODEV"}, {EILSEQ, "EILSEQ"},   {EOPNOTSUPP, "EOPNOTSUPP"},
        {EFBIG, "EFBIG"},   {ENOLINK, "ENOLINK"}, {EOVERFLOW, "EOVERFLOW"},
        {ENOSYS, "ENOSYS"}, {EPIPE, "EPIPE"},     {ECANCELED, "ECANCELED"},
    };
    char buffer[16];
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(error_name(cases[i].number, buffer), cases[i].name);
}

/* Linux has these errors for a bad sector, a lost path, a reservation, damage. */
TEST(the_errors_of_a_broken_disk_have_names)
{
    char buffer[16];
#ifdef ENODATA
    assert_string_equal(error_name(ENODATA, buffer), "ENODATA");
#endif
#ifdef EREMOTEIO
    assert_string_equal(error_name(EREMOTEIO, buffer), "EREMOTEIO");
#endif
#ifdef EBADE
    assert_string_equal(error_name(EBADE, buffer), "EBADE");
#endif
#ifdef EUCLEAN
    assert_string_equal(error_name(EUCLEAN, buffer), "EUCLEAN");
#endif
    assert_string_equal(error_name(EBADMSG, buffer), "EBADMSG");
}

TEST(an_errno_without_a_name_is_its_number)
{
    char buffer[16];
    assert_string_equal(error_name(9999, buffer), "E9999");
    assert_string_equal(error_name(INT32_MAX, buffer), "E2147483647");
}

static void
check_escape(const char *text, const char *expected)
{
    char out[64];
    size_t length = escape_control(text, out, sizeof(out));
    assert_string_equal(out, expected);
    assert_int_equal(length, strlen(expected));
}

TEST(control_characters_become_octal)
{
    for (int byte = 1; byte < 0xa0; byte++) {
        char text[] = {'<', (char)byte, '>', '\0'}, expected[16];
        if (byte >= 0x20 && byte < 0x7f)
            snprintf(expected, sizeof(expected), "<%c>", byte);
        else
            snprintf(expected, sizeof(expected), "<\\%d%d%d>", byte >> 6, byte >> 3 & 7,
                     byte & 7);
        check_escape(text, expected);
    }
    check_escape("\xc2\x80", "\\302\\200");
    check_escape("\xc2\x9b"
                 "31m",
                 "\\302\\23331m");
    check_escape("\xc2\x9f", "\\302\\237");
}

static void
check_bidi(unsigned code, const char *text)
{
    char expected[16] = "", shown[64], around[16];
    for (const char *at = text; *at; at++)
        sprintf(expected + strlen(expected), "\\%03o", (unsigned)(unsigned char)*at);
    struct escape_character character;
    const char *next = text;
    assert_true(escape_next(&next, &character));
    assert_int_equal(character.kind, ESCAPE_BIDI);
    assert_int_equal(character.code, code);
    snprintf(around, sizeof(around), "a%sb", text);
    snprintf(shown, sizeof(shown), "a%sb", expected);
    check_escape(around, shown);
}

/* All of U+2000 to U+207F are looked at, and the Arabic letter mark. */
TEST(bidirectional_controls_become_octal)
{
    static const struct {
        unsigned first, last;
    } ranges[] = {{0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}};
    for (unsigned code = 0x2000; code < 0x2080; code++) {
        char text[] = {'\xe2', (char)(0x80 | (code >> 6 & 0x3f)),
                       (char)(0x80 | (code & 0x3f)), '\0'};
        bool is_control = false;
        for (size_t i = 0; i < LENGTH(ranges); i++)
            is_control |= code >= ranges[i].first && code <= ranges[i].last;
        if (is_control)
            check_bidi(code, text);
        else
            check_escape(text, text);
    }
    check_bidi(0x61c, "\xd8\x9c");
    check_escape("\xd8\x9b\xd8\x9d", "\xd8\x9b\xd8\x9d");
    check_escape("\xe2\x80", "\xe2\\200");
    check_escape("\xd8", "\xd8");
}

TEST(other_bytes_stay_as_they_are)
{
    static const char *const texts[] = {
        "",
        "a b\\c'd\"",
        "\xc2\xa0",         /* the first character after C1 */
        "z\xc3\xbcrich",    /* two bytes */
        "\xe2\x82\xac",     /* three, with a byte that alone would be C1 */
        "\xf0\x9f\x92\xbe", /* four */
        "\xa0\xff\xfe\xe9", /* no UTF-8 */
        "\xc3",
        "\xe2(",
        "\xc3\xc3\xa4",
    };
    for (size_t i = 0; i < LENGTH(texts); i++)
        check_escape(texts[i], texts[i]);
}

TEST(stray_continuation_bytes_are_taken_for_c1)
{
    check_escape("\xc0\x80", "\xc0\\200");
    check_escape("\xe2\x82", "\xe2\\202");
    check_escape("\xed\xa0\x9b", "\xed\xa0\\233");
}

TEST(escaped_text_is_cut_before_what_does_not_fit)
{
    static const struct {
        const char *text;
        size_t size;
        const char *expected;
    } cases[] = {
        {"abcdef", 7, "abcdef"},
        {"abcdef", 6, "abcde"},
        {"abcdef", 1, ""},
        {"ab\n", 7, "ab\\012"},
        {"ab\n", 6, "ab"},
        {"ab\nc", 6, "ab"},
        {"a\xe2\x82\xac", 5, "a\xe2\x82\xac"},
        {"a\xe2\x82\xac", 4, "a"},
        {"a\xc2\x9b", 10, "a\\302\\233"},
        {"a\xc2\x9b", 9, "a"},
        {"a\xe2\x80\xae", 14, "a\\342\\200\\256"},
        {"a\xe2\x80\xae", 13, "a"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char out[16];
        memset(out, '#', sizeof(out));
        size_t length = escape_control(cases[i].text, out, cases[i].size);
        assert_string_equal(out, cases[i].expected);
        assert_int_equal(length, strlen(cases[i].expected));
        for (size_t k = cases[i].size; k < sizeof(out); k++)
            assert_int_equal(out[k], '#');
    }
}

TEST(only_well_formed_utf8_has_a_length)
{
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {
        {"", 0},
        {"a\xc3", 1},
        {"\x7f", 1},
        {"\x80", 0},
        {"\xbf", 0},
        {"\xc0\x80", 0}, /* overlong */
        {"\xc1\xbf", 0},
        {"\xc2\x80", 2},
        {"\xdf\xbf", 2},
        {"\xc2", 0},
        {"\xc2\x7f", 0},
        {"\xc2\xc0", 0},
        {"\xe0\x9f\xbf", 0}, /* overlong */
        {"\xe0\xa0\x80", 3},
        {"\xe1\x80\x80", 3},
        {"\xec\xbf\xbf", 3},
        {"\xed\x9f\xbf", 3},
        {"\xed\xa0\x80", 0}, /* surrogates */
        {"\xed\xbf\xbf", 0},
        {"\xee\x80\x80", 3},
        {"\xef\xbf\xbf", 3},
        {"\xe2\x82", 0},
        {"\xe2\x82z", 0},
        {"\xf0\x8f\xbf\xbf", 0}, /* overlong */
        {"\xf0\x90\x80\x80", 4},
        {"\xf3\xbf\xbf\xbf", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\xf4\x90\x80\x80", 0}, /* above U+10FFFF */
        {"\xf0\x9f\x92", 0},
        {"\xf0\x9f\x92z", 0},
        {"\xf5\x80\x80\x80", 0},
        {"\xff", 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct escape_character character;
        const char *next = cases[i].text;
        bool any = escape_next(&next, &character);
        bool valid = any && character.kind != ESCAPE_INVALID;
        size_t step = cases[i].length ? cases[i].length : any;
        if (any != (cases[i].text[0] != '\0') || valid != (cases[i].length > 0) ||
            next != cases[i].text + step || character.length != step)
            fail_msg("case %d", (int)i);
    }
}

TEST(a_walk_tells_code_points_and_kinds)
{
    static const struct {
        uint32_t code;
        enum escape_kind kind;
    } expected[] = {
        {'a', ESCAPE_PLAIN},     {0x1b, ESCAPE_CONTROL},   {0x7f, ESCAPE_CONTROL},
        {0x9b, ESCAPE_CONTROL},  {0xa0, ESCAPE_PLAIN},     {0x20ac, ESCAPE_PLAIN},
        {0xe2, ESCAPE_INVALID},  {0x82, ESCAPE_INVALID},   {0x202e, ESCAPE_BIDI},
        {0x1f4be, ESCAPE_PLAIN}, {0x10ffff, ESCAPE_PLAIN}, {0xff, ESCAPE_INVALID},
        {'z', ESCAPE_PLAIN},
    };
    const char *text = "a\033\x7f\xc2\x9b\xc2\xa0\xe2\x82\xac\xe2\x82\xe2\x80\xae"
                       "\xf0\x9f\x92\xbe\xf4\x8f\xbf\xbf\xffz";
    struct escape_character character;
    assert_int_equal(escape_count(text), LENGTH(expected));
    assert_int_equal(escape_count(""), 0);
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_true(escape_next(&text, &character));
        assert_ptr_equal(character.bytes + character.length, text);
        assert_int_equal(character.code, expected[i].code);
        assert_int_equal(character.kind, expected[i].kind);
    }
    assert_false(escape_next(&text, &character));
    assert_int_equal(*text, '\0');
}

static void
check_room(const struct buffer *buffer)
{
    assert_true(buffer->length < buffer->capacity);
    assert_int_equal(buffer->text[buffer->length], '\0');
}

TEST(a_buffer_grows_with_what_is_added)
{
    struct buffer buffer = {0};
    char expected[5000];
    for (size_t i = 0; i < 1000; i++) {
        memcpy(expected + 5 * i, "abcd\n", 5);
        buffer_add(&buffer, "a", 1);
        check_room(&buffer);
        buffer_text(&buffer, "b");
        check_room(&buffer);
        buffer_format(&buffer, "%c", 'c');
        check_room(&buffer);
        buffer_format(&buffer, "%c%s", 'd', "\n");
        check_room(&buffer);
    }
    assert_false(buffer.failed);
    assert_int_equal(buffer.length, 5000);
    assert_memory_equal(buffer.text, expected, 5000);
    buffer_free(&buffer);
}

TEST(a_buffer_takes_long_formats_and_nul_bytes)
{
    struct buffer buffer = {0};
    buffer_add(&buffer, "\0\0", 2);
    buffer_format(&buffer, "%05000d", 7);
    assert_int_equal(buffer.length, 5002);
    assert_memory_equal(buffer.text, "\0\0000", 3);
    assert_string_equal(buffer.text + 4999, "007");
    buffer_free(&buffer);
}

TEST(a_cleared_buffer_keeps_its_memory)
{
    struct buffer buffer = {0};
    buffer_text(&buffer, "a longer text");
    char *text = buffer.text;
    size_t capacity = buffer.capacity;
    buffer_clear(&buffer);
    assert_int_equal(buffer.length, 0);
    buffer_text(&buffer, "short");
    assert_ptr_equal(buffer.text, text);
    assert_int_equal(buffer.capacity, capacity);
    assert_string_equal(buffer.text, "short");
    buffer_free(&buffer);
}

TEST(a_freed_buffer_is_empty_and_usable)
{
    struct buffer buffer = {0};
    buffer_free(&buffer);
    buffer_text(&buffer, "one");
    buffer_free(&buffer);
    assert_null(buffer.text);
    assert_int_equal(buffer.length, 0);
    assert_int_equal(buffer.capacity, 0);
    buffer_text(&buffer, "two");
    assert_string_equal(buffer.text, "two");
    buffer_free(&buffer);
}

TEST(a_failed_buffer_takes_nothing_more)
{
    struct buffer buffer = {0};
    buffer_text(&buffer, "kept");
    buffer.failed = true;
    buffer_text(&buffer, "x");
    buffer_add(&buffer, "y", 1);
    buffer_format(&buffer, "%0999d", 1);
    assert_string_equal(buffer.text, "kept");
    assert_int_equal(buffer.length, 4);
    assert_true(buffer.failed);
    buffer_free(&buffer);
}

TEST(a_note_is_a_line_with_escaped_names)
{
    struct notes notes = {0};
    notes_add(&notes, "/mnt/a\nb", "%d %s", 3, "holes");
    notes_add(&notes, NULL, "plain");
    assert_int_equal(notes.count, 2);
    assert_string_equal(notes.lines[0], "ioping: /mnt/a\\012b: 3 holes\n");
    assert_string_equal(notes.lines[1], "ioping: plain\n");
}

TEST(notes_beyond_the_last_place_are_dropped)
{
    struct notes notes = {0};
    for (int i = 1; i <= 30; i++)
        notes_add(&notes, NULL, "%d", i);
    assert_int_equal(notes.count, 24);
    assert_string_equal(notes.lines[0], "ioping: 1\n");
    assert_string_equal(notes.lines[23], "ioping: 24\n");
}

TEST(a_note_on_a_long_path_keeps_its_newline)
{
    struct notes notes = {0};
    char path[1001];
    memset(path, 'p', 1000);
    path[1000] = '\0';
    notes_add(&notes, path, "the page cache is dropped");
    assert_int_equal(notes.count, 1);
    size_t length = strlen(notes.lines[0]);
    assert_in_range(length, 1, ERROR_LINE - 1);
    assert_int_equal(notes.lines[0][length - 1], '\n');
}
