/* The elements of a plot. Any text must stay well-formed in them. */
#include "support.h"

#include "plot/svg.h"

static struct buffer text;

static int
clear_text(void **state)
{
    (void)state;
    buffer_free(&text);
    return 0;
}

FIXTURE(NULL, clear_text)

TEST(what_xml_needs_or_refuses_is_escaped)
{
    static const struct {
        const char *plain, *escaped;
    } cases[] = {
        {"/mnt/gp2", "/mnt/gp2"},
        {"a<b>&c", "a&lt;b&gt;&amp;c"},
        {"\"it's\"", "&quot;it&#39;s&quot;"},
        {"]]>--<!--", "]]&gt;--&lt;!--"},
        {"\x01\t\n\r\x1f\x7f", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
        {"\xc2\x80\xc2\x9f\xc2\xa0", "\uFFFD\uFFFD\xc2\xa0"},
        {"a\xe2\x80\xae z\xd8\x9c\xe2\x81\xa6", "a\uFFFD z\uFFFD\uFFFD"},
        {"\xff", "\uFFFD"},
        {"\xc3", "\uFFFD"},
        {"\xc3<", "\uFFFD&lt;"},
        {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},                         /* a surrogate */
        {"\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf", "\uFFFD\uFFFD\uFFFD"}, /* up to U+FFFF */
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xbe",
         "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xbe"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        clear_text(state);
        buffer_text(&text, "");
        svg_escape(&text, cases[i].plain);
        assert_string_equal(text.text, cases[i].escaped);
    }
}

/* Ten glyphs of 0.65 of the size each; wide ones are two, a stray byte is one. */
TEST(width_goes_by_characters)
{
    assert_true(svg_width("", 10) < 1e-9);
    assert_true(svg_width("0123456789", 10) > 64.9);
    assert_true(svg_width("0123456789", 10) < 65.1);
    assert_true(svg_width("0123456789", 20) > 129.9);
    assert_true(svg_width("\xc3\xa9\xc3\xa9\xff", 100) < 195.1);
    assert_true(svg_width("\xe5\xad\x97", 100) > 129.9);
}

TEST(a_long_text_is_shortened_in_its_middle)
{
    static const struct {
        const char *plain;
        int columns;
        const char *shown;
    } cases[] = {
        {"", 5, ""},
        {"abcde", 5, "abcde"},
        {"abcdefghij", 6, "ab\xe2\x80\xa6ij"},
        {"abcdefghij", 9, "abc\xe2\x80\xa6ghij"},
        {"abcdefghij", 3, "\xe2\x80\xa6j"},
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 5,
         "\xc3\xa9\xe2\x80\xa6\xc3\xa9\xc3\xa9"},
        {"\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", 7,
         "\xe5\xad\x97\xe2\x80\xa6\xe5\xad\x97"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        clear_text(state);
        svg_shorten(&text, cases[i].plain, cases[i].columns);
        assert_string_equal(text.text, cases[i].shown);
    }
}

TEST(numbers_have_one_decimal_at_the_most)
{
    static const struct {
        double number;
        const char *shown;
    } cases[] = {
        {0, "H0"},
        {12, "H12"},
        {1.25, "H1.3"},
        {0.04, "H0"},
        {-0.04, "H0"},
        {-1.5, "H-1.5"},
        {99.95, "H100"},
        {-0.5, "H-0.5"},
        {1.0 / 3, "H0.3"},
        {99999999.8, "H99999999.8"},
        {-99999999.9, "H-99999999.9"},
        {1e8, "H0"},
        {NAN, "H0"},
        {INFINITY, "H0"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        clear_text(state);
        svg_line(&text, 'H', cases[i].number);
        assert_string_equal(text.text, cases[i].shown);
    }
}

TEST(elements_have_their_attributes)
{
    svg_text(&text, 1, 2.5, SVG_START, 12, "key", "a<b");
    svg_text(&text, 3, 4, SVG_MIDDLE, 11, "axis", "up");
    svg_text(&text, 5, 6, SVG_END, 9, "dim", "");
    svg_rect(&text, "plot", 1, 2, 3, 4.5);
    svg_circle(&text, "mark t0", 1, 2, 2.5);
    assert_string_equal(
        text.text,
        "<text class=\"key\" x=\"1\" y=\"2.5\" font-size=\"12\">a&lt;b</text>\n"
        "<text class=\"axis\" x=\"3\" y=\"4\" font-size=\"11\" text-anchor=\"middle\">"
        "up</text>\n"
        "<text class=\"dim\" x=\"5\" y=\"6\" font-size=\"9\" text-anchor=\"end\">"
        "</text>\n"
        "<rect class=\"plot\" x=\"1\" y=\"2\" width=\"3\" height=\"4.5\"/>\n"
        "<circle class=\"mark t0\" cx=\"1\" cy=\"2\" r=\"2.5\"/>\n");
}

TEST(paths_are_absolute)
{
    svg_path(&text, "mean t1");
    svg_point(&text, 'M', 1, 2);
    svg_point(&text, 'L', 3.5, 4);
    svg_line(&text, 'H', 5);
    svg_line(&text, 'V', 6);
    svg_close(&text);
    svg_end(&text);
    assert_string_equal(text.text, "<path class=\"mean t1\" d=\"M1,2L3.5,4H5V6Z\"/>\n");
}
