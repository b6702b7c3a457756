/*
 * Writes SVG elements. The program does not know the fonts of the viewer, so it cannot
 * measure a text; all widths of texts are estimates from the number of characters.
 */
#include "svg.h"

#include <math.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6" /* U+2026 */

/* Returns 2 for a character that may be wide, else 1. All scripts with wide glyphs are
 * among the characters that take three or more bytes in UTF-8. */
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

void
svg_escape(struct buffer *text, const char *plain)
{
    static const char special[] = "<>&\"'";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    struct escape_character character;

    while (escape_next(&plain, &character)) {
        const char *found =
            character.length == 1 ? strchr(special, *character.bytes) : NULL;

        /* XML 1.0, section 2.2, forbids U+FFFE, U+FFFF and most C0 controls, and
         * discourages DEL and C1. Bidirectional controls are legal, but would change the
         * order in which a reader sees the characters of a name. */
        if (character.kind != ESCAPE_PLAIN || character.code == 0xfffe ||
            character.code == 0xffff)
            buffer_text(text, ESCAPE_REPLACEMENT);
        else if (found)
            buffer_text(text, entities[found - special]);
        else
            buffer_add(text, character.bytes, character.length);
    }
}

void
svg_shorten(struct buffer *text, const char *plain, int columns)
{
    struct escape_character character;
    int all = count_columns(plain);
    int used = 0;
    int head = (columns - 2) / 2;
    if (all <= columns) {
        buffer_text(text, plain);
        return;
    }

    const char *at = plain;
    while (escape_next(&at, &character) && used + columns_of(&character) <= head)
        used += columns_of(&character);
    at = character.bytes; /* the first character that does not fit */
    buffer_add(text, plain, (size_t)(at - plain));
    buffer_text(text, ELLIPSIS);

    for (int room = columns - 2 - used, left = all - used; left > room;) {
        escape_next(&at, &character);
        left -= columns_of(&character);
    }

    buffer_text(text, at);
}

/* The printf format of a number that tenths() returned: below 10^8 with one decimal, such
 * a number has at most 10 digits. */
#define NUMBER "%.10g"

/* Returns NUMBER rounded to one decimal, but never -0; 0 if NUMBER is 10^8 or more. */
static double
tenths(double number)
{
    bool sane = number > -1e8 && number < 1e8;
    return sane ? floor(number * 10 + 0.5) / 10 + 0.0 : 0;
}

void
svg_text(struct buffer *text, double x, double y, enum svg_anchor anchor, int size,
         const char *class, const char *plain)
{
    static const char *const anchors[] = {"", "middle", "end", "middle"};

    buffer_format(text,
                  "<text class=\"%s\" x=\"" NUMBER "\" y=\"" NUMBER "\" font-size=\"%d\"",
                  class, tenths(x), tenths(y), size);
    if (anchor != SVG_START)
        buffer_format(text, " text-anchor=\"%s\"", anchors[anchor]);
    if (anchor == SVG_UPWARDS)
        buffer_format(text, " transform=\"rotate(-90 " NUMBER " " NUMBER ")\"", tenths(x),
                      tenths(y));

    buffer_text(text, ">");
    svg_escape(text, plain);
    buffer_text(text, "</text>\n");
}

void
svg_buffer(struct buffer *text, double x, double y, enum svg_anchor anchor, int size,
           const char *class, struct buffer *plain)
{
    text->failed |= plain->failed;
    if (!plain->failed)
        svg_text(text, x, y, anchor, size, class, plain->text);
    buffer_free(plain);
}

void
svg_rect(struct buffer *text, const char *class, double x, double y, double width,
         double height)
{
    buffer_format(text, "<rect class=\"%s\" x=\"" NUMBER "\" y=\"" NUMBER "\"", class,
                  tenths(x), tenths(y));
    buffer_format(text, " width=\"" NUMBER "\" height=\"" NUMBER "\"/>\n", tenths(width),
                  tenths(height));
}

void
svg_circle(struct buffer *text, const char *class, double x, double y, double radius)
{
    buffer_format(text,
                  "<circle class=\"%s\" cx=\"" NUMBER "\" cy=\"" NUMBER "\" r=\"" NUMBER
                  "\"/>\n",
                  class, tenths(x), tenths(y), tenths(radius));
}

void
svg_path(struct buffer *text, const char *class)
{
    buffer_format(text, "<path class=\"%s\" d=\"", class);
}

void
svg_point(struct buffer *text, char command, double x, double y)
{
    buffer_format(text, "%c " NUMBER "," NUMBER " ", command, tenths(x), tenths(y));
}

void
svg_line(struct buffer *text, char command, double to)
{
    buffer_format(text, "%c " NUMBER " ", command, tenths(to));
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

void
svg_rule(struct buffer *text, const char *class, double x, double y, char command,
         double to)
{
    svg_path(text, class);
    svg_point(text, 'M', x, y);
    svg_line(text, command, to);
    svg_end(text);
}
