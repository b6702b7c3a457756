/*
 * The writer of SVG elements; text is escaped here and nowhere else. Nothing is measured:
 * fonts differ, so widths are estimates from the number of characters.
 */
#include "svg.h"

#include "axis.h"
#include "base/buffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6" /* U+2026 */

/* The scripts whose glyphs are wide are among the characters of three bytes and more. */
static int
columns_of(const struct escape_character *character)
{
    return character->length >= 3 ? 2 : 1;
}

static int
count_columns(const char *plain)
{
    struct escape_character character;
    int columns = 0;
    while (escape_next(&plain, &character))
        columns += columns_of(&character);
    return columns;
}

double
svg_width(const char *text, double size)
{
    return SVG_GLYPH * size * count_columns(text);
}

/* XML 1.0, 2.2: no C0 but white space, no U+FFFE, U+FFFF; DEL and C1 are discouraged.
 * Bidirectional controls are legal, but would change the order in which a reader sees a
 * name. */
static bool
is_allowed(const struct escape_character *character)
{
    return character->kind == ESCAPE_PLAIN && character->code != 0xfffe &&
           character->code != 0xffff;
}

/* Returns the entity that stands for a character in XML; NULL: it stands for itself. */
static const char *
entity_of(uint32_t code)
{
    switch (code) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void
svg_escape(struct buffer *text, const char *plain)
{
    struct escape_character character;
    while (escape_next(&plain, &character)) {
        const char *entity = entity_of(character.code);
        if (!is_allowed(&character))
            buffer_text(text, ESCAPE_REPLACEMENT);
        else if (entity)
            buffer_text(text, entity);
        else
            buffer_add(text, character.bytes, character.length);
    }
}

void
svg_shorten(struct buffer *text, const char *plain, int columns)
{
    struct escape_character character;
    int all = count_columns(plain), used = 0, head = (columns - 2) / 2;
    if (all <= columns) {
        buffer_text(text, plain);
        return;
    }
    const char *at = plain;
    while (escape_next(&at, &character) && used + columns_of(&character) <= head)
        used += columns_of(&character);
    at = character.bytes; /* the first that does not fit */
    buffer_add(text, plain, (size_t)(at - plain));
    buffer_text(text, ELLIPSIS);
    for (int room = columns - 2 - used, left = all - used; left > room;) {
        escape_next(&at, &character);
        left -= columns_of(&character);
    }
    buffer_text(text, at);
}

/* Tenths are an integer, so that neither "-0" nor "1.0" is written. */
void
svg_number(struct buffer *text, double number)
{
    bool sane = number > -1e8 && number < 1e8;
    long tenths = sane ? (long)floor(number * 10 + 0.5) : 0;
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
