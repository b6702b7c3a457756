/* The checker of plots reports every problem of a document and nothing else. */
#include "svg_check.h"

#define HEAD                                                               \
    "<!-- ioping -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" "          \
    "viewBox=\"0 0 400 200\" width=\"400\" height=\"200\" role=\"img\" "   \
    "aria-labelledby=\"t d\" font-size=\"10\"><title id=\"t\">T</title>\n" \
    "<desc id=\"d\">D</desc>"
#define PANEL "<rect class=\"plot\" x=\"50\" y=\"20\" width=\"200\" height=\"100\"/>"
#define DATA                                                           \
    "<circle class=\"mark t0\" cx=\"250\" cy=\"20\" r=\"3\"/>"         \
    "<path class=\"band\" d=\"M 50,20 L 250,20 250,120 H50V30.5 Z\"/>" \
    "<rect class=\"bar\" x=\"50\" y=\"110\" width=\"10.5\" height=\"10\"/>"
#define TAIL "</svg>\n"
#define TEXT(x, y, more) "<text x=\"" x "\" y=\"" y "\" " more "</text>"

#define ROOT(more) "<svg xmlns=\"http://www.w3.org/2000/svg\" " more
#define SIZE "viewBox=\"0 0 9 9\" width=\"9\" height=\"9\" "
#define NAMES "role=\"img\" aria-labelledby=\"t d\" "
#define TITLE "<title id=\"t\">T</title>"
#define DESC "<desc id=\"d\">D</desc>"

/* Documents, and a part of the problems of each; NULL: it has none. */
static const struct {
    const char *document, *problem;
} documents[] = {
    /* A sound plot has no problem. */
    {HEAD TAIL, NULL},
    {HEAD PANEL DATA TAIL, NULL},
    {HEAD "<!-- a - b -->" PANEL DATA TEXT("60", "30", "> a &lt;&#38;&#x2026; ") TAIL,
     NULL},
    {HEAD PANEL "<path class=\"fail\" d=\"M 60,117 L 66,123\"/>" TAIL, NULL},
    {HEAD PANEL "<circle class=\"missed\" cx=\"250\" cy=\"124\" r=\"3\"/>" TAIL, NULL},
    {HEAD "<style>.a{fill:url(#g)}</style><defs><g id=\"g\"/></defs>"
          "<use href=\"#g\"/>" TAIL,
     NULL},
    /* What is not well formed is found. */
    {HEAD, "parser error"},
    {"", "parser error"},
    {HEAD TAIL "<svg/>", "parser error"},
    {HEAD "<g></svg>", "parser error"},
    {HEAD "<g></G>" TAIL, "parser error"},
    {HEAD TAIL "</svg>", "parser error"},
    {HEAD "<g a=\"1\" a=\"1\"/>" TAIL, "parser error"},
    {HEAD "<g a=\"1\"b=\"1\"/>" TAIL, "parser error"},
    {HEAD "<g a=1/>" TAIL, "parser error"},
    {HEAD "<g a/>" TAIL, "parser error"},
    {HEAD "<g a=\"<\"/>" TAIL, "parser error"},
    {HEAD "<g a=\"1/>" TAIL, "parser error"},
    {HEAD "<g>a & b</g>" TAIL, "parser error"},
    {HEAD "<g>&nbsp;</g>" TAIL, "parser error"},
    {HEAD "<g>&#0;</g>" TAIL, "parser error"},
    {HEAD "<g>&#x1b;</g>" TAIL, "parser error"},
    {HEAD "<g>&#xd800;</g>" TAIL, "parser error"},
    {HEAD "<g>&#x110000;</g>" TAIL, "parser error"},
    {HEAD "<g>&#;</g>" TAIL, "parser error"},
    {HEAD "<g>]]></g>" TAIL, "parser error"},
    {HEAD "a" TAIL, "between elements"},
    {HEAD "<g/>a" TAIL, "between elements"},
    {HEAD "<!-- a -- b -->" TAIL, "parser error"},
    {HEAD "<g><![CDATA[a]]></g>" TAIL, "CDATA"},
    {HEAD "<![CDATA[a]]>" TAIL, "CDATA"},
    {HEAD "<?a b?>" TAIL, "instruction"},
    {"<?xml version=\"1.0\"?>" HEAD TAIL, "declaration"},
    {HEAD "<g>\033</g>" TAIL, "parser error"},
    {HEAD "<g>\xc2\x85</g>" TAIL, "control"},
    {HEAD "<g a=\"\x7f\"/>" TAIL, "control"},
    {HEAD "<g>&#x9b;</g>" TAIL, "control"},
    {HEAD "<g>\xef\xbf\xbf</g>" TAIL, "parser error"},
    {HEAD "<g>\xff</g>" TAIL, "parser error"},
    {HEAD "<g>\xc0\xbc</g>" TAIL, "parser error"},
    /* What is not in the file or acts is found. */
    {HEAD "<script/>" TAIL, "<script>"},
    {HEAD "<foreignObject/>" TAIL, "<foreignObject>"},
    {HEAD "<image href=\"#t\"/>" TAIL, "<image>"},
    {HEAD "<a/>" TAIL, "<a>"},
    {HEAD "<g onload=\"f()\"/>" TAIL, "onload"},
    {HEAD "<use href=\"a.svg#b\"/>" TAIL, "refers to a.svg"},
    {HEAD "<use xlink:href=\"#t\"/>" TAIL, "namespace error"},
    {HEAD "<use xmlns:xlink=\"http://www.w3.org/1999/xlink\" xlink:href=\"#b\"/>" TAIL,
     "refers to #b"},
    {HEAD "<g fill=\"url(a.svg)\"/>" TAIL, "refers to url(a.svg)"},
    {HEAD "<g fill=\"url(#a)\"/>" TAIL, "refers to nothing"},
    {HEAD "<style>@import 'a';</style>" TAIL, "@import"},
    {HEAD "<style>a{b:url(c)}</style>" TAIL, "url(c)"},
    {HEAD "<g style=\"b:url(http://c)\"/>" TAIL, "://"},
    {HEAD "<g id=\"t\"/>" TAIL, "id t twice"},
    {HEAD "<g transform=\"scale(2)\"/>" TAIL, "transformed"},
    /* A root that does not say what it is is found. */
    {"<g/>", "not an <svg>"},
    {"<svg " SIZE NAMES ">" TITLE DESC "</svg>", "not an <svg>"},
    {ROOT(SIZE NAMES) ">" TITLE DESC "</svg>", NULL},
    {ROOT(NAMES) ">" TITLE DESC "</svg>", "viewBox"},
    {ROOT("viewBox=\"0 0 9 8\" width=\"9\" height=\"9\" " NAMES) ">" TITLE DESC "</svg>",
     "viewBox"},
    {ROOT(SIZE "aria-labelledby=\"t d\"") ">" TITLE DESC "</svg>", "role"},
    {ROOT(SIZE "role=\"img\"") ">" TITLE DESC "</svg>", "aria"},
    {ROOT(SIZE NAMES) "><title>T</title>" DESC "</svg>", "names nothing: t d"},
    {ROOT(SIZE NAMES) ">" TITLE "<desc id=\"d\"> </desc></svg>", "says nothing"},
    {ROOT(SIZE NAMES) ">" DESC TITLE "</svg>", "<title> is not child 1"},
    {ROOT(SIZE NAMES) ">" TITLE "</svg>", "<desc> is not child 2"},
    {ROOT(SIZE NAMES) "><g>" TITLE DESC "</g></svg>", "<title> is not child 1"},
    {ROOT(SIZE NAMES) "/>", "<title> is not child 1"},
    /* Data outside of its panel is found. */
    {HEAD DATA PANEL TAIL, "without a panel"},
    {HEAD PANEL "<circle class=\"mark\" cx=\"250.5\" cy=\"50\" r=\"3\"/>" TAIL,
     "mark at 247.5"},
    {HEAD PANEL "<circle class=\"mark\" cx=\"60\" cy=\"19\" r=\"0\"/>" TAIL, "leaves"},
    {HEAD PANEL "<use class=\"mark\" x=\"60\" y=\"121\"/>" TAIL, "leaves"},
    {HEAD PANEL "<path class=\"t1 mean\" d=\"M60,50L251,50\"/>" TAIL, "mean"},
    {HEAD PANEL "<path class=\"p50\" d=\"M60,50V10\"/>" TAIL, "p50"},
    {HEAD PANEL "<path class=\"p99\" d=\"M60,50H40\"/>" TAIL, "p99"},
    {HEAD PANEL "<line class=\"max\" x1=\"60\" y1=\"50\" x2=\"60\" y2=\"9\"/>" TAIL,
     "max"},
    {HEAD PANEL "<rect class=\"bar\" x=\"240\" y=\"50\" width=\"11\" height=\"5\"/>" TAIL,
     "bar"},
    {HEAD PANEL "<rect class=\"fail\" x=\"60\" y=\"90\" width=\"5\" height=\"5\"/>" TAIL,
     "not on the edge"},
    {HEAD PANEL "<circle class=\"missed\" cx=\"45\" cy=\"120\" r=\"5\"/>" TAIL,
     "not on the edge"},
    {HEAD PANEL "<path class=\"band\" d=\"m60,50\"/>" TAIL, "cannot be read"},
    {HEAD PANEL "<path class=\"band\" d=\"L60,50\"/>" TAIL, "cannot be read"},
    {HEAD PANEL "<path class=\"band\" d=\"M60,nan\"/>" TAIL, "cannot be read"},
    {HEAD PANEL "<path class=\"band\" d=\"M60,50 C\"/>" TAIL, "cannot be read"},
    {HEAD PANEL "<path class=\"band\" d=\"\"/>" TAIL, "without a point"},
    {HEAD PANEL "<circle class=\"mark\" cx=\"nan\" cy=\"50\" r=\"3\"/>" TAIL,
     "no number"},
    {HEAD PANEL "<circle class=\"mark\" cx=\"60px\" cy=\"50\" r=\"3\"/>" TAIL,
     "no number"},
    {HEAD PANEL "<circle class=\"mark\" cx=\"6e1\" cy=\"50\" r=\"3\"/>" TAIL,
     "no number"},
    /* A panel that overlaps or leaves is found. */
    {HEAD PANEL PANEL TAIL, "panels 0 and 1 overlap"},
    {HEAD "<rect class=\"plot\" x=\"50\" y=\"150\" width=\"200\" height=\"51\"/>" TAIL,
     "panel 0"},
    {HEAD "<rect class=\"plot\" x=\"50\" y=\"50\" width=\"200\" height=\"0\"/>" TAIL,
     "panel 0"},
    {HEAD "<path class=\"plot\" d=\"M50,50H90V90Z\"/>" TAIL, "panel 0"},
    /* A text in the way of something is found. At 10 a character is 6 wide, 8 above the
       line and 2 below it. */
    {HEAD TEXT("340", "8", ">1234567890") TAIL, NULL},
    {HEAD TEXT("341", "8", ">1234567890") TAIL, "leaves the picture"},
    {HEAD TEXT("340", "7", ">1") TAIL, "leaves the picture"},
    {HEAD TEXT("340", "199", ">1") TAIL, "leaves the picture"},
    {HEAD TEXT("59", "8", "text-anchor=\"end\">1234567890") TAIL, "leaves"},
    {HEAD TEXT("60", "8", "text-anchor=\"end\">1234567890") TAIL, NULL},
    {HEAD TEXT("30", "8", "text-anchor=\"middle\">1234567890") TAIL, NULL},
    {HEAD TEXT("29", "8", "text-anchor=\"middle\">1234567890") TAIL, "leaves"},
    {HEAD TEXT("376", "8", ">\xe6\x97\xa5\xe6\x97\xa5") TAIL, NULL},
    {HEAD TEXT("376", "8", ">\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5") TAIL, "leaves"},
    {HEAD TEXT("10", "50", "transform=\"rotate(-90 10 50)\">12345678") TAIL, NULL},
    {HEAD TEXT("10", "47", "transform=\"rotate(-90 10 47)\">12345678") TAIL, "leaves"},
    {HEAD TEXT("7", "60", "transform=\"rotate(-90 7 60)\">1") TAIL, "leaves"},
    {HEAD TEXT("10", "60", "transform=\"rotate(-90 10 61)\">1") TAIL, "transform"},
    {HEAD TEXT("10", "60", "transform=\"rotate(90 10 60)\">1") TAIL, "transform"},
    {HEAD TEXT("300", "50", ">12") TEXT("312", "50", ">3") TAIL, NULL},
    {HEAD TEXT("300", "50", ">12") TEXT("311", "50", ">3") TAIL, "overlap"},
    {HEAD TEXT("300", "50", ">12") TEXT("300", "60", ">3") TAIL, NULL},
    {HEAD TEXT("300", "50", ">12") TEXT("300", "59", ">3") TAIL, "overlap"},
    {HEAD TEXT("300", "50", ">12") TEXT("300", "68", "font-size=\"20\">3") TAIL, NULL},
    {HEAD TEXT("300", "50", ">12") TEXT("300", "67", "font-size=\"20\">3") TAIL,
     "overlap"},
    {HEAD PANEL TEXT("44", "50", ">1") TEXT("51", "50", ">1") TAIL, NULL},
    {HEAD PANEL TEXT("45", "50", ">1") TAIL, "over an edge of panel 0"},
    {HEAD PANEL TEXT("60", "119", ">1") TAIL, "over an edge of panel 0"},
    {HEAD TEXT("300", "50", "> ") TAIL, "a text of nothing"},
    {HEAD TEXT("300", "50", "font-size=\"5\">1") TAIL, "cannot be read"},
};

TEST(a_document_has_its_problems_and_no_other)
{
    for (size_t i = 0; i < LENGTH(documents); i++) {
        struct svg_check check;
        const char *document = documents[i].document, *problem = documents[i].problem;
        svg_check_begin(&check, document, strlen(document));
        const char *found = check.problems.text ? check.problems.text : "";
        if (problem ? !strstr(found, problem) : found[0] != '\0')
            fail_msg("%s\nshould have: %s\nhas: %s", document,
                     problem ? problem : "no problem", found);
        svg_check_end(&check);
    }
}

TEST(a_plot_of_200_kilobytes_is_too_large)
{
    struct buffer text = {0};
    struct svg_check check;
    buffer_text(&text, HEAD);
    while (text.length < 200000 - strlen(TAIL))
        buffer_text(&text, " ");
    buffer_text(&text, TAIL);
    svg_check_begin(&check, text.text, text.length);
    assert_string_equal(check.problems.text, "200000 bytes\n");
    svg_check_end(&check);
    buffer_free(&text);
}

TEST(elements_are_found_by_class)
{
    struct svg_check check;
    int count;
    const char text[] = HEAD PANEL DATA PANEL TEXT("60", "30", ">a&amp;b") TAIL;
    svg_check_begin(&check, text, strlen(text));
    assert_int_equal(svg_check_count(&check, "plot"), 2);
    assert_int_equal(svg_check_count(&check, "t0"), 1);
    assert_int_equal(svg_check_count(&check, "t"), 0);
    assert_null(svg_check_find(&check, "plot", 2));
    assert_true(svg_check_shows(&check, "a&b") && !svg_check_shows(&check, "D"));
    assert_true(svg_check_says(&check, "desc", "D"));
    const struct xml_element *band = svg_check_find(&check, "band", 0);
    struct svg_check_point *points = svg_check_points(&check, band, &count);
    assert_int_equal(count, 5);
    assert_true(points[0].first && !points[1].first && !points[4].first);
    assert_true(points[2].x == 250 && points[2].y == 120);
    assert_true(points[4].x == 50 && points[4].y == 30.5);
    assert_ptr_equal(svg_check_panel(&check, band), svg_check_find(&check, "plot", 0));
    free(points);
    svg_check_end(&check);
}
