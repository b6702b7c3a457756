#include "svg.h"

#include "base/escape.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define ELLIPSIS "\xe2\x80\xa6"    /* U+2026 */

/* What is one character to a reader: what is not UTF-8 is one per byte. */
static size_t
step_over(const char *plain)
{
    size_t length = escape_utf8_length(plain);
    return length ? length : 1;
}

/* Among those of three bytes or more are the scripts whose glyphs are wide. */
static int
columns_of(const char *character)
{
    return escape_utf8_length(character) >= 3 ? 2 : 1;
}

static int
count_columns(const char *plain)
{
    int columns = 0;
    for (; *plain; plain += step_over(plain))
        columns += columns_of(plain);
    return columns;
}

double
svg_width(const char *text, double size)
{
    return SVG_GLYPH * size * count_columns(text);
}

/* XML 1.0, 2.2: no C0 but white space, no U+FFFE, U+FFFF; DEL and C1 are discouraged.
 * What changes the order in which a reader sees a name is none of its characters. */
static bool
is_allowed(const char *character, size_t length)
{
    const unsigned char *byte = (const unsigned char *)character;
    if (escape_bidi(character))
        return false;
    if (length == 1)
        return byte[0] >= 0x20 && byte[0] != 0x7f;
    if (length == 2)
        return byte[0] != 0xc2 || byte[1] >= 0xa0;
    return length != 3 || byte[0] != 0xef || byte[1] != 0xbf || byte[2] < 0xbe;
}

void
svg_escape(struct buffer *text, const char *plain)
{
    static const struct {
        char character;
        const char *entity;
    } entities[] = {
        {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (; *plain; plain += step_over(plain)) {
        size_t length = escape_utf8_length(plain), i = 0;
        while (i < sizeof(entities) / sizeof(entities[0]) &&
               entities[i].character != *plain)
            i++;
        if (i < sizeof(entities) / sizeof(entities[0]))
            buffer_text(text, entities[i].entity);
        else if (is_allowed(plain, length) && length)
            buffer_add(text, plain, length);
        else
            buffer_text(text, REPLACEMENT);
    }
}

void
svg_shorten(struct buffer *text, const char *plain, int columns)
{
    int all = count_columns(plain), used = 0;
    if (all <= columns) {
        buffer_text(text, plain);
        return;
    }
    const char *at = plain;
    for (int head = (columns - 2) / 2; used + columns_of(at) <= head; at += step_over(at))
        used += columns_of(at);
    buffer_add(text, plain, (size_t)(at - plain));
    buffer_text(text, ELLIPSIS);
    for (int room = columns - 2 - used, left = all - used; left > room;) {
        left -= columns_of(at);
        at += step_over(at);
    }
    buffer_text(text, at);
}

/* Tenths as an integer, so that there is neither "-0" nor "1.0". */
void
svg_number(struct buffer *text, double number)
{
    bool sane = number > -1e8 && number < 1e8;
    long tenths = sane ? (long)number_floor(number * 10 + 0.5) : 0;
    long size = labs(tenths);
    const char *sign = tenths < 0 ? "-" : "";
    if (size % 10)
        buffer_format(text, "%s%ld.%ld", sign, size / 10, size % 10);
    else
        buffer_format(text, "%s%ld", sign, size / 10);
}

static void
add_attribute(struct buffer *text, const char *name, double value)
{
    buffer_format(text, " %s=\"", name);
    svg_number(text, value);
    buffer_text(text, "\"");
}

void
svg_text(struct buffer *text, double x, double y, const struct svg_font *font,
         const char *plain)
{
    static const char *const anchors[] = {
        [SVG_MIDDLE] = " text-anchor=\"middle\"", [SVG_END] = " text-anchor=\"end\""};
    buffer_format(text, "<text class=\"%s\"", font->class);
    add_attribute(text, "x", x);
    add_attribute(text, "y", y);
    add_attribute(text, "font-size", font->size);
    if (anchors[font->anchor])
        buffer_text(text, anchors[font->anchor]);
    if (font->upwards) {
        buffer_text(text, " transform=\"rotate(-90 ");
        svg_number(text, x);
        buffer_text(text, " ");
        svg_number(text, y);
        buffer_text(text, ")\"");
    }
    buffer_text(text, ">");
    svg_escape(text, plain);
    buffer_text(text, "</text>\n");
}

void
svg_rect(struct buffer *text, const char *class, double x, double y, double width,
         double height)
{
    buffer_format(text, "<rect class=\"%s\"", class);
    add_attribute(text, "x", x);
    add_attribute(text, "y", y);
    add_attribute(text, "width", width);
    add_attribute(text, "height", height);
    buffer_text(text, "/>\n");
}

void
svg_circle(struct buffer *text, const char *class, double x, double y, double radius)
{
    buffer_format(text, "<circle class=\"%s\"", class);
    add_attribute(text, "cx", x);
    add_attribute(text, "cy", y);
    add_attribute(text, "r", radius);
    buffer_text(text, "/>\n");
}

void
svg_path(struct buffer *text, const char *class)
{
    buffer_format(text, "<path class=\"%s\" d=\"", class);
}

void
svg_point(struct buffer *text, char command, double x, double y)
{
    buffer_format(text, "%c ", command);
    svg_number(text, x);
    buffer_text(text, ",");
    svg_number(text, y);
    buffer_text(text, " ");
}

void
svg_line(struct buffer *text, char command, double to)
{
    buffer_format(text, "%c ", command);
    svg_number(text, to);
    buffer_text(text, " ");
}

void
svg_close(struct buffer *text)
{
    buffer_text(text, "Z");
}

void
svg_end(struct buffer *text)
{
    buffer_text(text, "\"/>\n");
}
